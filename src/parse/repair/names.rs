//! What an element means, whatever prefix, namespace, case or version it is written in.

use super::super::tokens::Tag;

/// The namespaces a reader uses; the rest is `Other`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ns {
    /// RSS of any version, or no namespace.
    Core,
    Atom,
    Content,
    Dc,
    DcTerms,
    Media,
    Itunes,
    Syndication,
    Comments,
    History,
    Feedburner,
    Podcast,
    Rdf,
    Xhtml,
    Other,
}

/// A part of the namespace's name, lower case, and what it says. Real feeds vary case, `http(s)`, slashes and dates.
const NAMESPACES: &[(&str, Ns)] = &[
    ("purl.org/rss/1.0/modules/content", Ns::Content),
    ("purl.org/rss/1.0/modules/syndication", Ns::Syndication),
    ("purl.org/rss/1.0/modules/", Ns::Other),
    ("purl.org/rss/modules/", Ns::Other),
    ("purl.org/rss/", Ns::Core),
    ("purl.org/net/rss", Ns::Core),
    ("my.netscape.com/", Ns::Core),
    ("channel.netscape.com/", Ns::Core),
    ("backend.userland.com/", Ns::Core),
    ("blogs.law.harvard.edu/tech/rss", Ns::Core),
    ("cyber.law.harvard.edu/rss", Ns::Core),
    ("www.w3.org/2005/atom", Ns::Atom),
    ("purl.org/atom/ns", Ns::Atom),
    ("purl.org/atom/", Ns::Atom),
    ("purl.org/dc/terms", Ns::DcTerms),
    ("purl.org/dc/", Ns::Dc),
    ("search.yahoo.com/mrss", Ns::Media),
    ("www.rssboard.org/media-rss", Ns::Media),
    ("itunes.com/dtds/", Ns::Itunes),
    ("wellformedweb.org/commentapi", Ns::Comments),
    ("purl.org/syndication/history", Ns::History),
    ("rssnamespace.org/feedburner", Ns::Feedburner),
    ("podcastindex.org/namespace", Ns::Podcast),
    ("w3.org/1999/02/22-rdf-syntax-ns", Ns::Rdf),
    ("w3.org/1999/xhtml", Ns::Xhtml),
    ("www.w3.org/tr/xhtml", Ns::Xhtml),
];

/// What a prefix means that nobody declared.
const PREFIXES: &[(&str, Ns)] = &[
    ("rss", Ns::Core),
    ("atom", Ns::Atom),
    ("atom10", Ns::Atom),
    ("atom03", Ns::Atom),
    ("a10", Ns::Atom),
    ("content", Ns::Content),
    ("dc", Ns::Dc),
    ("dcterms", Ns::DcTerms),
    ("media", Ns::Media),
    ("itunes", Ns::Itunes),
    ("sy", Ns::Syndication),
    ("syn", Ns::Syndication),
    ("wfw", Ns::Comments),
    ("fh", Ns::History),
    ("feedburner", Ns::Feedburner),
    ("podcast", Ns::Podcast),
    ("rdf", Ns::Rdf),
    ("xhtml", Ns::Xhtml),
    ("html", Ns::Xhtml),
];

/// What the name of a namespace says.
pub(crate) fn namespace(uri: &str) -> Ns {
    let lower = uri.trim().to_ascii_lowercase();
    NAMESPACES
        .iter()
        .find(|(part, _)| lower.contains(part))
        .map_or(Ns::Other, |(_, ns)| *ns)
}

/// The prefixes in force.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names<'a> {
    bound: Vec<(&'a str, Ns)>,
}

impl<'a> Names<'a> {
    /// More bindings are not kept: no feed needs them.
    const MAX: usize = 256;

    /// Takes the bindings of a start tag, the default one not; gives a mark for `leave`.
    pub fn enter(&mut self, tag: &Tag<'a>) -> usize {
        let mark = self.bound.len();
        if tag.attrs.contains("xmlns") {
            for (name, uri) in tag.attributes() {
                if let Some(prefix) = name.strip_prefix("xmlns:")
                    && self.bound.len() < Self::MAX
                {
                    self.bound.push((prefix, namespace(uri)));
                }
            }
        }
        mark
    }

    /// Forgets what was bound since `mark`.
    pub fn leave(&mut self, mark: usize) {
        self.bound.truncate(mark);
    }

    /// Namespace and local name of a tag; its own declarations count, a default namespace of a tag above does not:
    /// feeds put their elements in all kinds of default namespaces and mean their own.
    pub fn resolve(&self, tag: &Tag<'a>) -> (Ns, &'a str) {
        let own = |wanted: &str| {
            tag.attrs
                .contains("xmlns")
                .then(|| tag.raw(wanted).map(namespace))
                .flatten()
        };
        match tag.name.rsplit_once(':') {
            None => (own("xmlns").unwrap_or(Ns::Core), tag.name),
            Some((prefix, local)) => {
                let ns = own(&format!("xmlns:{prefix}")).unwrap_or_else(|| self.prefix(prefix));
                (ns, local)
            }
        }
    }

    /// What a prefix means here.
    pub fn prefix(&self, prefix: &str) -> Ns {
        if let Some((_, ns)) = self.bound.iter().rev().find(|(p, _)| *p == prefix) {
            return *ns;
        }
        PREFIXES
            .iter()
            .find(|(p, _)| p.eq_ignore_ascii_case(prefix))
            .map_or(Ns::Other, |(_, ns)| *ns)
    }
}

/// What an element is to a reader. The number ranks rivals: the lowest that holds something wins, then the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    /// `channel` and other wrappers: looked into.
    Inside,
    Item,
    Title(u8),
    /// RSS `link`, or Atom's with `href`.
    Link,
    Id,
    Published(u8),
    Updated(u8),
    Summary(u8),
    Content(u8),
    Author(u8),
    Category,
    Enclosure,
    Media,
    Duration,
    Comments,
    /// The picture that stands for an entry.
    Image,
    /// Channel hints.
    Ttl,
    UpdatePeriod,
    UpdateFrequency,
    SkipHours,
    SkipDays,
    /// It holds all entries that there are.
    Complete,
    /// Nothing to a reader: skipped with all it holds.
    Nothing,
}

/// Reads a field off namespace and local name. In Atom families the core namespace is Atom's.
pub(crate) fn field(ns: Ns, local: &str, atom: bool) -> Field {
    let mut buffer = [0; 24];
    let Some(lower) = buffer.get_mut(..local.len()) else {
        return Field::Nothing;
    };
    lower.copy_from_slice(local.as_bytes());
    lower.make_ascii_lowercase();
    let name = std::str::from_utf8(lower).unwrap_or("");
    match ns {
        Ns::Core | Ns::Atom if atom => atom_field(name),
        Ns::Core | Ns::Rdf => rss_field(name),
        Ns::Atom => match atom_field(name) {
            // Atom's names inside RSS are additions, never better than RSS's own.
            Field::Title(_) => Field::Title(3),
            Field::Id => Field::Nothing,
            Field::Summary(_) => Field::Summary(3),
            Field::Content(_) => Field::Content(2),
            Field::Author(_) => Field::Author(2),
            Field::Published(_) => Field::Published(1),
            Field::Updated(_) => Field::Updated(1),
            other => other,
        },
        other => extension_field(other, name),
    }
}

fn rss_field(name: &str) -> Field {
    match name {
        "channel" | "rdf" => Field::Inside,
        "item" | "entry" => Field::Item,
        "title" => Field::Title(0),
        "link" => Field::Link,
        "guid" => Field::Id,
        "pubdate" | "published" => Field::Published(0),
        "date" => Field::Published(2),
        "updated" | "lastbuilddate" => Field::Updated(0),
        "description" => Field::Summary(0),
        "summary" => Field::Summary(2),
        "body" | "fullitem" | "content" => Field::Content(3),
        "author" | "managingeditor" => Field::Author(0),
        "category" => Field::Category,
        "enclosure" => Field::Enclosure,
        "comments" => Field::Comments,
        "ttl" => Field::Ttl,
        "skiphours" => Field::SkipHours,
        "skipdays" => Field::SkipDays,
        _ => Field::Nothing,
    }
}

fn atom_field(name: &str) -> Field {
    match name {
        "entry" | "item" => Field::Item,
        "title" => Field::Title(0),
        "link" => Field::Link,
        "id" => Field::Id,
        "published" | "pubdate" => Field::Published(0),
        "issued" => Field::Published(1),
        "created" => Field::Published(3),
        "updated" | "modified" => Field::Updated(0),
        "summary" | "tagline" | "subtitle" => Field::Summary(0),
        "content" => Field::Content(0),
        "author" => Field::Author(0),
        "category" => Field::Category,
        _ => Field::Nothing,
    }
}

fn extension_field(ns: Ns, name: &str) -> Field {
    match (ns, name) {
        (Ns::Content, "encoded") => Field::Content(0),
        (Ns::Dc, "title") => Field::Title(1),
        (Ns::Dc, "creator") => Field::Author(1),
        (Ns::Dc, "author") => Field::Author(2),
        (Ns::Dc, "subject") => Field::Category,
        (Ns::Dc, "description") => Field::Summary(1),
        (Ns::Dc, "date") => Field::Published(2),
        (Ns::DcTerms, "issued" | "available" | "date") => Field::Published(1),
        (Ns::DcTerms, "created") => Field::Published(3),
        (Ns::DcTerms, "modified") => Field::Updated(1),
        (Ns::DcTerms, "title") => Field::Title(2),
        (Ns::DcTerms, "abstract") => Field::Summary(2),
        (Ns::Media, "group") => Field::Inside,
        (Ns::Media, "content") => Field::Media,
        (Ns::Media, "thumbnail") | (Ns::Itunes, "image") => Field::Image,
        (Ns::Media, "title") => Field::Title(5),
        (Ns::Media, "description") => Field::Summary(6),
        (Ns::Itunes, "title") => Field::Title(4),
        (Ns::Itunes, "summary") => Field::Summary(4),
        (Ns::Itunes, "subtitle") => Field::Summary(5),
        (Ns::Itunes, "author") => Field::Author(3),
        (Ns::Itunes, "duration") => Field::Duration,
        (Ns::Syndication, "updateperiod") => Field::UpdatePeriod,
        (Ns::Syndication, "updatefrequency") => Field::UpdateFrequency,
        (Ns::History, "complete") => Field::Complete,
        (Ns::Xhtml, "body" | "div") => Field::Content(1),
        _ => Field::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tokens::{Token, Tokens};
    use super::*;

    fn tag(src: &str) -> Tag<'_> {
        match Tokens::new(src).next() {
            Some(Token::Start(tag)) => tag,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_namespace_is_known_in_any_spelling() {
        for (uri, ns) in [
            ("http://search.yahoo.com/mrss", Ns::Media),
            ("http://www.itunes.com/DTDs/Podcast-1.0.dtd", Ns::Itunes),
            ("http://purl.org/rss/1.0/", Ns::Core),
            ("http://purl.org/rss/1.0/modules/content/", Ns::Content),
            ("http://purl.org/atom/ns#", Ns::Atom),
            ("https://www.w3.org/2005/Atom", Ns::Atom),
            ("http://example.org/", Ns::Other),
        ] {
            assert_eq!(namespace(uri), ns, "{uri}");
        }
    }

    #[test]
    fn prefixes_mean_what_is_declared_else_what_is_usual() {
        let mut names = Names::default();
        let mark = names.enter(&tag(
            "<rss xmlns:s='http://purl.org/rss/1.0/' xmlns:dc='urn:x'>",
        ));
        assert_eq!(names.resolve(&tag("<s:title>")), (Ns::Core, "title"));
        assert_eq!(names.resolve(&tag("<dc:date>")), (Ns::Other, "date"));
        assert_eq!(names.resolve(&tag("<media:title>")), (Ns::Media, "title"));
        names.leave(mark);
        assert_eq!(names.resolve(&tag("<dc:date>")), (Ns::Dc, "date"));
        let own = "<link xmlns='http://www.w3.org/2005/Atom' href='x'/>";
        assert_eq!(names.resolve(&tag(own)), (Ns::Atom, "link"));
    }

    #[test]
    fn case_does_not_matter_and_rivals_are_ranked() {
        assert_eq!(field(Ns::Core, "pubdate", false), Field::Published(0));
        assert_eq!(field(Ns::Core, "Item", false), Field::Item);
        assert_eq!(field(Ns::Media, "title", false), Field::Title(5));
        assert_eq!(field(Ns::Core, &"x".repeat(99), false), Field::Nothing);
    }
}
