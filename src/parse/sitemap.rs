//! Sitemaps: pages of a site with their dates, or an index of such files; news sitemaps with titles. In one pass, bounded by the
//! protocol's own limits.

use sha2::{Digest as _, Sha256};
use url::Url;

use super::links::is_web;
use super::references::{Entities, decode};
use super::tokens::{Token, Tokens};
use super::{ParseError, dates, decode as charset, identity, stranger, titles};
use crate::article::sanitize;
use crate::model::{EntryBody, EntryKey, Incoming, SitePage, Timestamp};

/// More places than that are not read: the protocol allows no more.
const PLACES_MAX: usize = 50_000;
/// A text of more bytes is no address, date or title.
const TEXT_MAX: usize = 4_096;

/// What a sitemap holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sitemap {
    /// Pages, in its order.
    Pages {
        /// They.
        pages: Vec<SitePage>,
        /// What a news sitemap calls the publication; may be empty.
        name: String,
    },
    /// Other sitemaps: addresses and `lastmod`, in its order, each once.
    Index(Vec<(String, Option<Timestamp>)>),
}

/// Reads a sitemap, also a packed one; `base` is the URL that answered.
pub fn sitemap(
    bytes: &[u8],
    content_type: Option<&str>,
    base: &str,
) -> Result<Sitemap, ParseError> {
    let decoded = charset::decode(bytes, content_type);
    let text = decoded.text.as_ref();
    if text.trim().is_empty() {
        return Err(ParseError::Empty);
    }
    let mut reader = Reader::new(base);
    for token in Tokens::new(text) {
        reader.token(token);
        if reader.ended || reader.places.len() > PLACES_MAX {
            break;
        }
    }
    let Some(index) = reader.index else {
        return Err(stranger::name(text));
    };
    if !reader.ended && (decoded.cut || reader.places.len() <= PLACES_MAX) {
        return Err(ParseError::Truncated);
    }
    reader.places.truncate(PLACES_MAX);
    Ok(if index {
        let mut seen = std::collections::HashSet::new();
        let files = reader
            .places
            .into_iter()
            .map(|page| (page.url, page.changed));
        Sitemap::Index(files.filter(|(url, _)| seen.insert(url.clone())).collect())
    } else {
        let mut pages = reader.places;
        for page in pages.iter_mut().filter(|page| page.title.is_empty()) {
            page.title = title_of(&page.url);
        }
        Sitemap::Pages {
            pages,
            name: reader.name,
        }
    })
}

/// Reads what stands in the elements of a sitemap. Images and videos of a page have addresses and titles too: theirs do not
/// count.
struct Reader {
    base: Option<Url>,
    /// The root was seen: an index, or not.
    index: Option<bool>,
    ended: bool,
    /// Elements of other vocabularies that are open; `news` is none.
    foreign: Vec<String>,
    news: bool,
    text: String,
    page: SitePage,
    places: Vec<SitePage>,
    name: String,
}

impl Reader {
    fn new(base: &str) -> Self {
        Self {
            base: Url::parse(base).ok(),
            index: None,
            ended: false,
            foreign: Vec::new(),
            news: false,
            text: String::new(),
            page: SitePage::default(),
            places: Vec::new(),
            name: String::new(),
        }
    }

    fn token(&mut self, token: Token<'_>) {
        match token {
            Token::Start(tag) => {
                self.text.clear();
                let name = local(tag.name);
                match name.as_str() {
                    "urlset" | "sitemapindex" if self.index.is_none() => {
                        self.index = Some(name == "sitemapindex");
                        self.ended = tag.empty;
                    }
                    "url" | "sitemap" => self.page = SitePage::default(),
                    "news" => self.news = !tag.empty,
                    "image" | "video" if !tag.empty => self.foreign.push(name),
                    _ => {}
                }
            }
            Token::Text(piece) | Token::CData(piece) => {
                if self.index.is_some() && self.text.len() + piece.len() <= TEXT_MAX {
                    self.text.push_str(piece);
                }
            }
            Token::End(name) => self.end(&local(name)),
            Token::Doctype(_) => {}
        }
    }

    fn end(&mut self, name: &str) {
        if self.foreign.last().is_some_and(|open| open == name) {
            self.foreign.pop();
            return;
        }
        match name {
            "urlset" | "sitemapindex" => self.ended = self.index.is_some(),
            "url" | "sitemap" => self.place(),
            "news" => self.news = false,
            _ if !self.foreign.is_empty() => {}
            "loc" if self.page.url.is_empty() => self.page.url = self.address(),
            "lastmod" => self.page.changed = date(&self.text),
            "publication_date" if self.news => self.page.published = date(&self.text),
            "title" if self.news => self.page.title = titles::html(&self.text),
            "name" if self.news && self.name.is_empty() => self.name = titles::html(&self.text),
            _ => {}
        }
        self.text.clear();
    }

    /// Absolute, without a fragment; empty for what is no web address.
    fn address(&self) -> String {
        let text = sanitize::line(&decode(self.text.trim(), &Entities::default()));
        let Some(base) = &self.base else {
            return text;
        };
        let mut url = match base.join(&text) {
            Ok(url) if !text.is_empty() => url,
            _ => return String::new(),
        };
        url.set_fragment(None);
        url.into()
    }

    fn place(&mut self) {
        let mut page = std::mem::take(&mut self.page);
        if is_web(&page.url) {
            page.mark = mark(&page.url);
            self.places.push(page);
        }
    }
}

/// The name without its prefix, in lower case.
fn local(name: &str) -> String {
    let name = name.rsplit(':').next().unwrap_or(name);
    name.to_ascii_lowercase()
}

fn date(text: &str) -> Option<Timestamp> {
    dates::parse(text).map(|date| Timestamp(date.timestamp()))
}

fn mark(url: &str) -> u64 {
    let digest = Sha256::digest(url.as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    u64::from_le_bytes(first)
}

/// A title from the last part of an address that says something: `/2026/11/a-new-day.html` is “A new day”.
fn title_of(url: &str) -> String {
    let Ok(parsed) = Url::parse(url) else {
        return String::new();
    };
    let parts = parsed.path_segments().into_iter().flatten();
    let said: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let speaks = |part: &&&str| part.contains(|c: char| c.is_alphabetic()) && !is_index(part);
    let Some(part) = said.iter().rev().find(speaks) else {
        return parsed.host_str().unwrap_or_default().to_owned();
    };
    let part = percent(part);
    let part = match part.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() && end.len() <= 5 => stem,
        _ => &part,
    };
    let words = sanitize::line(&part.replace(['-', '_', '+'], " "));
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

fn is_index(part: &str) -> bool {
    matches!(part.split('.').next(), Some("index" | "default"))
}

/// `%XX` resolved, where that gives text.
fn percent(part: &str) -> String {
    let bytes = part.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = part
            .get(at + 1..at + 3)
            .filter(|_| bytes[at] == b'%')
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).unwrap_or_else(|_| part.to_owned())
}

/// The path of a page fits one of the patterns: it begins with it, or where it holds `*`, fits it whole. No pattern: all fit.
pub fn is_wanted(url: &str, patterns: &[String]) -> bool {
    if patterns.is_empty() {
        return true;
    }
    let Ok(parsed) = Url::parse(url) else {
        return false;
    };
    let path = parsed.path();
    patterns.iter().any(|pattern| {
        if pattern.contains('*') {
            fits(path, pattern)
        } else {
            path.starts_with(pattern.as_str())
        }
    })
}

/// `*` stands for anything, also for nothing. Each part is found at its first place: no search goes back.
fn fits(path: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = path.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Pages as entries: the address is identity and link.
pub fn entries_of(pages: Vec<SitePage>) -> Vec<Incoming> {
    let entry = |page: SitePage| Incoming {
        key: EntryKey([0; 16]),
        published: page.date(),
        updated: page.changed,
        content_hash: Sha256::digest(format!("{}\n{}", page.url, page.title)).into(),
        title: page.title,
        link: Some(page.url.clone()),
        guid: page.url,
        author: String::new(),
        enclosures: Vec::new(),
        body: EntryBody::default(),
    };
    let mut entries: Vec<Incoming> = pages.into_iter().map(entry).collect();
    identity::decide(&mut entries);
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "https://a.example/sitemap.xml";

    fn read(text: &str) -> Result<Sitemap, ParseError> {
        sitemap(text.as_bytes(), None, BASE)
    }

    fn pages(text: &str) -> Vec<SitePage> {
        match read(text).expect("a sitemap") {
            Sitemap::Pages { pages, .. } => pages,
            Sitemap::Index(_) => panic!("an index"),
        }
    }

    #[test]
    fn a_sitemap_has_pages_with_dates_and_titles_from_their_paths() {
        let found = pages(
            "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\
             <url><loc> https://a.example/2026/11/a-new_day.html?x=1&amp;y#top </loc><lastmod>2026-11-30</lastmod></url>\
             <url><loc><![CDATA[/blog/caf%C3%A9/]]></loc><lastmod>soon</lastmod></url>\
             <url><loc>https://a.example/2026/</loc></url><url><loc>javascript:x</loc></url><url></url></urlset>rubbish",
        );
        let told: Vec<_> = found
            .iter()
            .map(|page| {
                (
                    page.url.as_str(),
                    page.title.as_str(),
                    page.date().is_some(),
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                (
                    "https://a.example/2026/11/a-new_day.html?x=1&y",
                    "A new day",
                    true
                ),
                ("https://a.example/blog/caf%C3%A9/", "Café", false),
                ("https://a.example/2026/", "a.example", false),
            ]
        );
    }

    #[test]
    fn a_news_sitemap_has_titles_and_dates_and_what_belongs_to_images_does_not_count() {
        let text = "<urlset xmlns:n='x'><url>\
            <image:image><image:loc>https://b.example/i.png</image:loc><image:title>An image</image:title></image:image><loc>https://a.example/1</loc>\
            <n:news><n:publication><n:name>The Daily</n:name></n:publication>\
            <n:publication_date>2026-11-30T10:00:00Z</n:publication_date><n:title>It &amp;amp; that\u{1b}[2J</n:title></n:news>\
            <lastmod>2026-12-01</lastmod></url></urlset>";
        let Ok(Sitemap::Pages { pages, name }) = read(text) else {
            panic!("pages");
        };
        let page = &pages[0];
        assert_eq!(
            (page.url.as_str(), name.as_str()),
            ("https://a.example/1", "The Daily")
        );
        assert_eq!(page.title, "It & that[2J");
        assert_eq!(page.published, date("2026-11-30T10:00:00Z"));
        assert_eq!(page.changed, date("2026-12-01"));
    }

    #[test]
    fn an_index_names_files_each_once() {
        let text = "<sitemapindex><sitemap><loc>/a.xml</loc><lastmod>2026-11-30</lastmod></sitemap>\
            <sitemap><loc>https://a.example/a.xml</loc></sitemap><sitemap><loc>b.xml.gz</loc></sitemap></sitemapindex>";
        let expected = [
            ("https://a.example/a.xml".to_owned(), date("2026-11-30")),
            ("https://a.example/b.xml.gz".to_owned(), None),
        ];
        assert_eq!(read(text), Ok(Sitemap::Index(expected.to_vec())));
    }

    #[test]
    fn what_is_cut_or_no_sitemap_is_refused() {
        assert_eq!(
            read("<urlset><url><loc>https://a.example/</loc></url>"),
            Err(ParseError::Truncated)
        );
        assert_eq!(read(""), Err(ParseError::Empty));
        assert!(matches!(
            read("<!doctype html><html><p>x"),
            Err(ParseError::Html(_))
        ));
        assert!(matches!(read("<rss></rss>"), Err(ParseError::NotAFeed(_))));
        assert_eq!(pages("<urlset/>"), []);
    }

    #[test]
    fn no_more_places_are_read_than_the_protocol_allows_and_a_bomb_is_cut() {
        let one = "<url><loc>https://a.example/x</loc></url>";
        assert_eq!(
            pages(&format!("<urlset>{}</urlset>", one.repeat(PLACES_MAX + 9))).len(),
            PLACES_MAX
        );
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let blanks = vec![b' '; 1 << 20];
        std::io::Write::write_all(&mut packer, b"<urlset>").expect("packed");
        for _ in 0..64 {
            std::io::Write::write_all(&mut packer, &blanks).expect("packed");
        }
        std::io::Write::write_all(&mut packer, b"</urlset>").expect("packed");
        let bomb = packer.finish().expect("packed");
        assert_eq!(sitemap(&bomb, None, BASE), Err(ParseError::Truncated));
    }

    #[test]
    fn a_page_is_wanted_by_the_beginning_of_its_path_or_by_a_pattern() {
        let wanted = |url: &str, patterns: &[&str]| {
            let patterns: Vec<String> = patterns.iter().map(|&p| p.to_owned()).collect();
            is_wanted(url, &patterns)
        };
        let url = "https://a.example/blog/2026/a-post?x";
        for yes in [
            &[][..],
            &["/blog/"],
            &["/x", "/blog/2026"],
            &["/blog/*/a-*"],
            &["*post"],
            &["/blog/*"],
            &["*"],
        ] {
            assert!(wanted(url, yes), "{yes:?}");
        }
        for no in [
            &["/news/"][..],
            &["blog"],
            &["/blog/*/b-*"],
            &["*/blog"],
            &["/blog/*post/"],
            &["/blog/2026/a-post*post"],
        ] {
            assert!(!wanted(url, no), "{no:?}");
        }
    }
}
