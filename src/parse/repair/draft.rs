//! An entry collected from any dialect, and the one dialect all are written in: well-formed Atom 1.0.

use std::borrow::Cow;
use std::sync::Arc;

use super::super::dates;
use crate::article::sanitize::beginning;
use crate::model::{Markup, Timestamp};

/// Text and how it is to be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Text<'a> {
    pub source: Cow<'a, str>,
    /// HTML source; otherwise literal characters.
    pub html: bool,
    /// What relative links in it are resolved against.
    pub base: Option<Arc<str>>,
}

/// A value that may be replaced by one of lower rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ranked<T>(Option<(u8, T)>);

impl<T> Default for Ranked<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Ranked<T> {
    /// Takes `value` if nothing as good is there.
    pub fn offer(&mut self, rank: u8, value: T) {
        if self.0.as_ref().is_none_or(|(held, _)| rank < *held) {
            self.0 = Some((rank, value));
        }
    }

    /// Takes `value` if nothing better is there: of equals the last wins.
    pub fn replace(&mut self, rank: u8, value: T) {
        if self.0.as_ref().is_none_or(|(held, _)| rank <= *held) {
            self.0 = Some((rank, value));
        }
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub fn get(&self) -> Option<&T> {
        self.0.as_ref().map(|(_, value)| value)
    }

    fn take(self) -> Option<T> {
        self.0.map(|(_, value)| value)
    }
}

/// A link, resolved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct DraftLink<'a> {
    pub href: String,
    pub kind: Cow<'a, str>,
    pub length: Option<u64>,
    /// Seconds.
    pub duration: Option<u64>,
}

/// A feed's head or one of its entries, before it is written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Draft<'a> {
    pub id: Cow<'a, str>,
    /// The id is the address of the page where nothing else is (`isPermaLink`).
    pub id_links: bool,
    pub title: Ranked<Text<'a>>,
    pub summary: Ranked<Text<'a>>,
    pub content: Ranked<Text<'a>>,
    pub author: Ranked<String>,
    pub link: Ranked<DraftLink<'a>>,
    pub media: Vec<DraftLink<'a>>,
    pub categories: Vec<Cow<'a, str>>,
    pub comments: Option<String>,
    pub image: Option<String>,
    /// Candidates with their rank.
    pub published: Vec<(u8, Cow<'a, str>)>,
    pub updated: Vec<(u8, Cow<'a, str>)>,
    pub duration: Option<u64>,
    /// What tells an entry apart that has nothing a reader uses: the hash of its source.
    pub unread: Option<[u8; 32]>,
}

impl Draft<'_> {
    /// Enough of an entry was whole before the document was cut: what it is, its title, its date.
    pub fn is_recognisable(&self) -> bool {
        let named = !self.id.is_empty() || !self.link.is_empty();
        named && !self.title.is_empty() && !(self.published.is_empty() && self.updated.is_empty())
    }

    /// Its content, else its summary; and its dates.
    fn into_aside(self) -> Aside {
        let published = readable(&self.published, |rank| rank < CREATED);
        let updated = readable(&self.updated, |_| true);
        let created = || readable(&self.published, |rank| rank >= CREATED);
        let dated = Aside {
            published: published.or(updated).or_else(created),
            updated,
            image: self.image,
            unread: self.unread,
            ..Aside::default()
        };
        let text = self.content.take().or_else(|| self.summary.take());
        let Some(text) = text else {
            return dated;
        };
        Aside {
            text: match text.source {
                Cow::Owned(source) if source.trim().len() == source.len() => source,
                source => source.trim().to_owned(),
            },
            markup: if text.html {
                Markup::Html
            } else {
                Markup::Text
            },
            base: text.base,
            ..dated
        }
    }
}

/// Created is the weakest witness of when something was published.
const CREATED: u8 = 3;

/// Ids, titles, names and addresses are cut there: nobody reads on, and each is copied several times on its way.
const LINE_MAX: usize = 64 * 1024;

/// The best of the readable ones.
fn readable(dates: &[(u8, Cow<'_, str>)], wanted: impl Fn(u8) -> bool) -> Option<Timestamp> {
    let mut best: Option<(u8, Timestamp)> = None;
    for (rank, text) in dates.iter().filter(|(rank, _)| wanted(*rank)) {
        if best.is_none_or(|(held, _)| rank < &held)
            && let Some(date) = dates::parse(text)
        {
            best = Some((*rank, Timestamp(date.timestamp())));
        }
    }
    best.map(|(_, date)| date)
}

/// What of an entry goes around `feed_rs`: its text, which would come back as it is, copied twice, and its dates, which
/// are read already to choose among them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Aside {
    /// Content, else summary; control characters still in it.
    pub text: String,
    pub markup: Markup,
    /// What relative links in it are resolved against, where the element says so.
    pub base: Option<Arc<str>>,
    /// Of several the best witness that can be read; the last change where nothing better is there.
    pub published: Option<Timestamp>,
    pub updated: Option<Timestamp>,
    /// The picture that stands for it, resolved.
    pub image: Option<String>,
    /// The hash of its source, where nothing in it is of use.
    pub unread: Option<[u8; 32]>,
}

/// Entries as one Atom document each few: a bad one costs its neighbours nothing, and memory is bounded.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    text: String,
    starts: Vec<usize>,
    asides: Vec<Aside>,
}

impl Chunk {
    /// A chunk beyond it is full.
    const FULL: usize = 64 * 1024;
    /// So many entries are enough, however small: each takes a kilobyte while it is read.
    const MANY: usize = 512;
    const HEAD: &'static str = "<feed xmlns=\"http://www.w3.org/2005/Atom\" xmlns:media=\"http://search.yahoo.com/mrss/\">";
    const FOOT: &'static str = "</feed>";

    /// Entries in it.
    pub const fn len(&self) -> usize {
        self.starts.len()
    }

    /// Time to read it.
    pub const fn is_full(&self) -> bool {
        self.text.len() >= Self::FULL || self.starts.len() >= Self::MANY
    }

    /// Forgets its entries and keeps its memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.starts.clear();
        self.asides.clear();
    }

    /// What one of its entries has besides, once.
    pub fn aside(&mut self, index: usize) -> Aside {
        self.asides
            .get_mut(index)
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// The whole as a document.
    pub fn document(&mut self) -> &str {
        if self.text.is_empty() {
            self.text.push_str(Self::HEAD);
        }
        if !self.text.ends_with(Self::FOOT) {
            self.text.push_str(Self::FOOT);
        }
        &self.text
    }

    /// A document of one of its entries.
    pub fn single(&self, index: usize) -> String {
        let start = self.starts.get(index).copied().unwrap_or(self.text.len());
        let end = self.starts.get(index + 1).copied();
        let end = end.unwrap_or_else(|| self.text.trim_end_matches(Self::FOOT).len());
        let entry = self.text.get(start..end).unwrap_or("");
        format!("{}{entry}{}", Self::HEAD, Self::FOOT)
    }

    /// Appends an entry.
    pub fn entry(&mut self, draft: Draft<'_>) {
        if self.text.is_empty() {
            self.text.push_str(Self::HEAD);
        }
        self.starts.push(self.text.len());
        self.text.push_str("<entry>");
        self.fields(&draft);
        self.asides.push(draft.into_aside());
        self.text.push_str("</entry>");
    }

    /// Makes it the document of a feed's head.
    pub fn head(&mut self, draft: &Draft<'_>) {
        self.text.push_str(Self::HEAD);
        self.fields(draft);
    }

    fn fields(&mut self, draft: &Draft<'_>) {
        self.element("id", &draft.id);
        self.title(draft.title.get());
        if let Some(name) = draft.author.get() {
            self.text.push_str("<author>");
            self.element("name", name);
            self.text.push_str("</author>");
        }
        for term in &draft.categories {
            self.text.push_str("<category");
            self.attribute("term", term);
            self.text.push_str("/>");
        }
        if let Some(link) = draft.link.get() {
            self.link(link);
        }
        for media in &draft.media {
            self.media(media, draft.duration);
        }
        if let Some(href) = &draft.comments {
            self.text.push_str("<link rel=\"comments\"");
            self.attribute("href", href);
            self.text.push_str("/>");
        }
    }

    fn link(&mut self, link: &DraftLink<'_>) {
        self.text.push_str("<link rel=\"alternate\"");
        self.attribute("href", &link.href);
        if !link.kind.is_empty() {
            self.attribute("type", &link.kind);
        }
        self.text.push_str("/>");
    }

    /// Each in a group of its own, so that none inherits from its neighbour.
    fn media(&mut self, media: &DraftLink<'_>, duration: Option<u64>) {
        self.text.push_str("<media:group><media:content");
        self.attribute("url", &media.href);
        if !media.kind.is_empty() {
            self.attribute("type", &media.kind);
        }
        if let Some(length) = media.length {
            self.number("fileSize", length);
        }
        if let Some(seconds) = media.duration.or(duration) {
            self.number("duration", seconds);
        }
        self.text.push_str("/></media:group>");
    }

    fn title(&mut self, title: Option<&Text<'_>>) {
        let Some(title) = title else { return };
        self.text.push_str("<title");
        self.attribute("type", if title.html { "html" } else { "text" });
        self.text.push('>');
        self.characters(&title.source);
        self.close("title");
    }

    fn element(&mut self, name: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        self.text.push('<');
        self.text.push_str(name);
        self.text.push('>');
        self.characters(text);
        self.close(name);
    }

    /// A CDATA section is read by copying; only its own end needs care.
    fn characters(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let text = beginning(text, LINE_MAX);
        self.text.push_str("<![CDATA[");
        let mut rest = text;
        while let Some(at) = memchr::memmem::find(rest.as_bytes(), b"]]>") {
            let (before, after) = rest.split_at(at + 2);
            self.text.push_str(before);
            self.text.push_str("]]><![CDATA[");
            rest = after;
        }
        self.text.push_str(rest);
        self.text.push_str("]]>");
    }

    fn close(&mut self, name: &str) {
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push('>');
    }

    fn number(&mut self, name: &str, value: u64) {
        self.attribute(name, &value.to_string());
    }

    fn attribute(&mut self, name: &str, value: &str) {
        self.text.push(' ');
        self.text.push_str(name);
        self.text.push_str("=\"");
        for c in beginning(value, LINE_MAX).chars() {
            match c {
                '&' => self.text.push_str("&amp;"),
                '<' => self.text.push_str("&lt;"),
                '>' => self.text.push_str("&gt;"),
                '"' => self.text.push_str("&quot;"),
                // White space as such would be normalised, other controls are no XML.
                c if c.is_control() => self.text.push(' '),
                c => self.text.push(c),
            }
        }
        self.text.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_rank_wins_then_the_first() {
        let mut held = Ranked::default();
        for (rank, value) in [(5, "a"), (1, "b"), (1, "c"), (3, "d")] {
            held.offer(rank, value);
        }
        assert_eq!(held.get(), Some(&"b"));
    }

    #[test]
    fn an_unreadable_date_gives_way_to_a_readable_one() {
        let dates = vec![
            (0, Cow::Borrowed("soon")),
            (3, Cow::Borrowed("2020-01-01")),
            (2, Cow::Borrowed("2024-03-05")),
        ];
        let want = Some(Timestamp(1_709_596_800));
        assert_eq!(readable(&dates, |_| true), want);
    }

    #[test]
    fn characters_survive_their_own_end_mark() {
        let mut chunk = Chunk::default();
        chunk.element("id", "a]]>b");
        assert_eq!(chunk.text, "<id><![CDATA[a]]]]><![CDATA[>b]]></id>");
    }

    #[test]
    fn every_entry_can_be_taken_alone() {
        let mut chunk = Chunk::default();
        for id in ["one", "two"] {
            chunk.entry(Draft {
                id: Cow::Borrowed(id),
                ..Draft::default()
            });
        }
        chunk.document();
        assert_eq!(chunk.len(), 2);
        let entry = "<entry><id><![CDATA[two]]></id></entry>";
        assert_eq!(chunk.single(1), format!("{}{entry}</feed>", Chunk::HEAD));
    }
}
