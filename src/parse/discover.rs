//! From a page to its feeds: what it links as alternate, what a site's rule says, links that look like feeds.
//!
//! A scan over tags, not a tree: html5ever needs quadratic time for deep pages, and nothing here needs a tree.

use url::Url;

use super::links::Base;
use super::references::{Entities, decode};
use super::tokens::{Tag, Token, Tokens};
use super::{Candidate, decode as charset, sites, titles};

/// More candidates help nobody choose.
const MOST: usize = 50;
/// A page beyond it is not read further.
const PAGE_MAX: usize = 4 * 1024 * 1024;

/// The feeds that a page names, the most trustworthy first, each once. `base` is the URL that answered.
pub fn discover(html: &[u8], content_type: Option<&str>, base: &str) -> Vec<Candidate> {
    let html = &html[..html.len().min(PAGE_MAX)];
    let page = charset::decode(html, content_type);
    let mut scan = Scan::new(base);
    scan.page(&page.text);
    let mut found = sites::by_rule(base, &page.text);
    found.append(&mut scan.linked);
    if found.is_empty() {
        found = scan.anchors;
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|candidate| seen.insert(candidate.url.clone()));
    found.truncate(MOST);
    found
}

/// Addresses worth one request each, with the user's consent, where a page names no feed. Empty for a base that is no URL.
pub fn well_known(base: &str) -> Vec<String> {
    const PATHS: &[&str] = &["/feed", "/rss", "/atom.xml", "/index.xml", "/feed.json"];
    let Ok(base) = Url::parse(base) else {
        return Vec::new();
    };
    PATHS
        .iter()
        .filter_map(|path| base.join(path).ok())
        .map(String::from)
        .collect()
}

struct Scan {
    base: Base,
    based: bool,
    linked: Vec<Candidate>,
    anchors: Vec<Candidate>,
}

impl Scan {
    fn new(base: &str) -> Self {
        Self {
            base: Base::new(base),
            based: false,
            linked: Vec::new(),
            anchors: Vec::new(),
        }
    }

    fn page(&mut self, html: &str) {
        let mut tokens = Tokens::new(html);
        while let Some(token) = tokens.next() {
            let Token::Start(tag) = token else { continue };
            match tag.name.to_ascii_lowercase().as_str() {
                "script" | "style" | "textarea" | "template" => tokens.skip_raw(tag.name),
                "base" if !self.based => {
                    self.based = true;
                    self.base = self.base.inside(Some(&attribute(&tag, "href")));
                }
                "link" => self.link(&tag),
                "a" if self.anchors.len() < MOST => {
                    let text = text_after(&tokens);
                    self.anchor(&tag, &text);
                }
                _ => {}
            }
        }
    }

    fn link(&mut self, tag: &Tag<'_>) {
        let rel = attribute(tag, "rel").to_ascii_lowercase();
        let mut words = rel.split_ascii_whitespace();
        let feed = words.clone().any(|word| word == "feed");
        if !feed && !words.any(|word| word == "alternate") {
            return;
        }
        let kind = kind(&attribute(tag, "type"));
        if kind.is_empty() && !feed {
            return;
        }
        if let Some(url) = self
            .base
            .resolve(&attribute(tag, "href"))
            .filter(|u| u.starts_with("http"))
        {
            self.linked.push(Candidate {
                url,
                title: titles::html(&attribute(tag, "title")),
                kind: kind.to_owned(),
            });
        }
    }

    fn anchor(&mut self, tag: &Tag<'_>, text: &str) {
        let href = attribute(tag, "href");
        let Some(url) = self.base.resolve(&href).filter(|u| u.starts_with("http")) else {
            return;
        };
        let kind = kind(&attribute(tag, "type"));
        if kind.is_empty() && !looks_like_feed(&url) {
            return;
        }
        self.anchors.push(Candidate {
            url,
            title: titles::html(text),
            kind: kind.to_owned(),
        });
    }
}

fn attribute(tag: &Tag<'_>, name: &str) -> String {
    decode(tag.raw(name).unwrap_or(""), &Entities::default())
        .trim()
        .to_owned()
}

/// The text right behind an opening tag, as far as one look reaches.
fn text_after(tokens: &Tokens<'_>) -> String {
    let mut ahead = tokens.clone();
    let mut text = String::new();
    for _ in 0..8 {
        match ahead.next() {
            Some(Token::Text(piece)) => text.extend(piece.chars().take(200)),
            Some(Token::End(name)) if name.eq_ignore_ascii_case("a") => break,
            None => break,
            Some(_) => {}
        }
    }
    text
}

/// The kind that a media type names; empty when it is none of a feed.
fn kind(media_type: &str) -> &'static str {
    const KINDS: &[(&str, &str)] = &[
        ("application/rss+xml", "RSS"),
        ("application/rss", "RSS"),
        ("text/rss", "RSS"),
        ("text/rss+xml", "RSS"),
        ("application/x-rss+xml", "RSS"),
        ("application/rdf+xml", "RSS"),
        ("application/atom+xml", "Atom"),
        ("application/atom", "Atom"),
        ("text/atom+xml", "Atom"),
        ("application/feed+json", "JSON Feed"),
    ];
    let essence = media_type
        .split(';')
        .next()
        .unwrap_or("")
        .trim()
        .to_ascii_lowercase();
    KINDS
        .iter()
        .find(|(name, _)| *name == essence)
        .map_or("", |(_, kind)| kind)
}

/// The last part of the path says feed.
fn looks_like_feed(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else {
        return false;
    };
    let path = url.path().trim_end_matches('/').to_ascii_lowercase();
    let last = path.rsplit('/').next().unwrap_or("");
    let ending = last.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(
        last,
        "feed" | "feeds" | "rss" | "atom" | "rss2" | "feed.json" | "rss.php" | "atom.php"
    ) || matches!(ending, "rss" | "atom" | "rdf")
        || (matches!(ending, "xml" | "json")
            && ["feed", "rss", "atom", "index.xml"]
                .iter()
                .any(|w| last.contains(w)))
        || url.query().is_some_and(|q| {
            matches!(
                q.to_ascii_lowercase().as_str(),
                "feed=rss2" | "feed=atom" | "feed=rss"
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternates_of_feed_types_are_found_wherever_they_stand() {
        let html = "<html><head><base href='/blog/'><link rel=stylesheet href=x.css>\
            <link REL='Alternate' type='application/rss+xml; charset=utf-8' title='All &amp; &lt;b&gt;more&lt;/b&gt;' href='feed.xml'>\
            <link rel='alternate' hreflang=de href=/de>\
            <script>document.write('<link rel=\"alternate\" type=\"application/rss+xml\" href=\"no\">')</script></head>\
            <body><link rel=alternate type=application/atom+xml href=//b.example/a><link rel='alternate' type='application/feed+json' href='feed.xml'>\
            <a href=/rss>RSS</a>";
        let found = discover(html.as_bytes(), None, "https://a.example/x");
        assert_eq!(
            found,
            [
                Candidate {
                    url: "https://a.example/blog/feed.xml".to_owned(),
                    title: "All & more".to_owned(),
                    kind: "RSS".to_owned(),
                },
                Candidate {
                    url: "https://b.example/a".to_owned(),
                    title: String::new(),
                    kind: "Atom".to_owned(),
                },
            ]
        );
    }

    #[test]
    fn links_that_look_like_feeds_serve_where_no_alternate_does() {
        let html = "<a href='/about'>About</a> <a href='/feed/'><b>Follow</b> us</a> <a href=blog.atom>x</a> <a href='javascript:rss'>no</a>";
        let found = discover(html.as_bytes(), None, "https://a.example/");
        let shown: Vec<_> = found
            .iter()
            .map(|c| (c.url.as_str(), c.title.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                ("https://a.example/feed/", "Follow us"),
                ("https://a.example/blog.atom", "x")
            ]
        );
    }

    #[test]
    fn few_paths_are_well_known() {
        assert_eq!(
            well_known("https://a.example/x/y?z")[0],
            "https://a.example/feed"
        );
        assert_eq!(well_known("https://a.example/").len(), 5);
        assert!(well_known("nonsense").is_empty());
    }
}
