//! Targets: what a page links to, numbered; and URLs found in plain text.

use std::collections::HashMap;
use std::ops::Range;

use url::Url;

use super::super::document::{Image, Link};
use super::super::sanitize;

/// Schemes that a reader may hand to a browser or another program. Not `javascript:`, `data:`, `file:`.
const SCHEMES: &[&str] = &[
    "http", "https", "mailto", "gemini", "gopher", "ftp", "ftps", "sftp", "magnet", "tel", "xmpp",
    "irc", "ircs", "news", "nntp", "geo", "matrix", "feed", "sip", "sms",
];

/// Schemes that are recognised in running text.
const IN_TEXT: &[&str] = &["https", "http", "ftp", "ftps", "gemini", "gopher"];

/// Longer URLs are left out.
const MAX_URL: usize = 8192;
/// Bytes of all URLs of a page; later links stay text.
const MAX_URL_BYTES: usize = 16 * 1024 * 1024;

/// Where an attribute points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Somewhere else.
    Url(String),
    /// Somewhere on the same page.
    Here,
    /// Nowhere a reader may go.
    Nowhere,
}

/// The links and pictures of a page while it is read.
pub struct Targets {
    base: Option<Url>,
    links: Vec<Link>,
    numbers: HashMap<String, u32>,
    images: Vec<Image>,
    bytes: usize,
}

impl Targets {
    /// No links yet; relative ones will be resolved against `base`.
    pub fn new(base: Option<&str>) -> Self {
        Self {
            base: base
                .filter(|base| base.len() <= MAX_URL)
                .and_then(|base| Url::parse(base.trim()).ok()),
            links: Vec::new(),
            numbers: HashMap::new(),
            images: Vec::new(),
            bytes: 0,
        }
    }

    /// What an `href` or `src` means on this page.
    pub fn resolve(&self, href: &str) -> Target {
        let href = href.trim();
        if href.is_empty() || href.len() > MAX_URL {
            return Target::Nowhere;
        }
        if href.starts_with('#') {
            return Target::Here;
        }
        let parsed = match &self.base {
            Some(base) => base.join(href),
            None => Url::parse(href),
        };
        let Ok(url) = parsed else {
            return Target::Nowhere;
        };
        if !SCHEMES.contains(&url.scheme()) {
            return Target::Nowhere;
        }
        if url.fragment().is_some_and(is_note)
            || url.fragment().is_some() && self.base.as_ref().is_some_and(|b| same_page(b, &url))
        {
            return Target::Here;
        }
        Target::Url(sanitize::line(url.as_str()))
    }

    /// The number of a URL, the same at every sight; `None` when the page has too many.
    pub fn number(&mut self, url: &str) -> Option<u32> {
        if let Some(number) = self.numbers.get(url) {
            return Some(*number);
        }
        if self.bytes + url.len() > MAX_URL_BYTES {
            return None;
        }
        self.bytes += url.len();
        self.links.push(Link {
            url: url.to_owned(),
            text: String::new(),
        });
        let number = self.links.len() as u32;
        self.numbers.insert(url.to_owned(), number);
        Some(number)
    }

    /// Takes back the newest number: nothing was written that leads there.
    pub fn forget(&mut self, number: u32) {
        if number as usize == self.links.len()
            && let Some(link) = self.links.pop()
        {
            self.numbers.remove(&link.url);
            self.bytes -= link.url.len();
        }
    }

    /// How many links there are.
    pub fn count(&self) -> usize {
        self.links.len()
    }

    /// Names a link by words that lead to it; the first ones stay.
    pub fn name(&mut self, number: u32, words: &str) {
        const LONGEST: usize = 200;
        if let Some(link) = self.links.get_mut(number as usize - 1)
            && link.text.is_empty()
        {
            sanitize::beginning(words, LONGEST).clone_into(&mut link.text);
        }
    }

    /// Adds a picture and gives its index, unless it is the one just added (a page's fallback for lazy loading).
    pub fn image(&mut self, image: Image) -> Option<u32> {
        let twin = self
            .images
            .last()
            .is_some_and(|last| !image.url.is_empty() && last.url == image.url);
        if twin || self.bytes + image.url.len() > MAX_URL_BYTES {
            return None;
        }
        self.bytes += image.url.len();
        self.images.push(image);
        Some(self.images.len() as u32 - 1)
    }

    /// All of them.
    pub fn finish(self) -> (Vec<Link>, Vec<Image>) {
        (self.links, self.images)
    }
}

/// Fragments that common programs give to footnotes and their way back; such a link leads nowhere in a terminal.
fn is_note(fragment: &str) -> bool {
    const NOTES: &[&str] = &[
        "fn:",
        "fn-",
        "fn_",
        "fnref",
        "footnote",
        "cite_note",
        "cite_ref",
        "easy-footnote",
    ];
    NOTES.iter().any(|note| fragment.starts_with(note))
        || fragment
            .strip_prefix("fn")
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|c| c.is_ascii_digit()))
}

fn same_page(base: &Url, url: &Url) -> bool {
    let page = |url: &Url| {
        let text = url.as_str();
        text.find('#').map_or(text.len(), |at| at)
    };
    base.as_str()[..page(base)] == url.as_str()[..page(url)]
}

/// Where URLs stand in running text, without the punctuation around them.
pub fn urls(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::<Range<usize>>::new();
    let mut from = 0;
    while let Some(at) = text[from..].find("://") {
        let colon = from + at;
        from = colon + 3;
        let floor = found.last().map_or(0, |last| last.end);
        let letters = text[floor..colon]
            .bytes()
            .rev()
            .take(10)
            .take_while(u8::is_ascii_alphabetic)
            .count();
        let scheme = &text[colon - letters..colon];
        if !IN_TEXT
            .iter()
            .any(|known| known.eq_ignore_ascii_case(scheme))
        {
            continue;
        }
        let length = text[from..]
            .char_indices()
            .find(|(_, c)| ends_url(*c))
            .map_or(text.len() - from, |(at, _)| at);
        let end = from + trim_url(&text[from..from + length]);
        if end > from {
            found.push(colon - letters..end);
            from = end;
        }
    }
    found
}

fn ends_url(c: char) -> bool {
    c.is_whitespace()
        || sanitize::is_forbidden(c)
        || matches!(
            c,
            '<' | '>'
                | '"'
                | '`'
                | '“'
                | '”'
                | '«'
                | '»'
                | '「'
                | '」'
                | '『'
                | '』'
                | '、'
                | '。'
                | '，'
                | '；'
                | '）'
                | '（'
                | '】'
                | '【'
                | '》'
                | '《'
        )
}

/// The length of a URL's rest without trailing punctuation; a closing bracket stays when the URL opened it.
fn trim_url(rest: &str) -> usize {
    let (mut round, mut square) = (0_i32, 0_i32);
    for c in rest.bytes() {
        match c {
            b'(' => round += 1,
            b')' => round -= 1,
            b'[' => square += 1,
            b']' => square -= 1,
            _ => {}
        }
    }
    let mut end = rest.len();
    for c in rest.bytes().rev() {
        match c {
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'*' | b'_' | b'|' => {}
            b')' if round < 0 => round += 1,
            b']' if square < 0 => square += 1,
            _ => break,
        }
        end -= 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_schemes_that_may_be_opened_are_links() {
        let targets = Targets::new(Some("https://example.org/blog/post"));
        let cases = [
            ("/a?b#c", Some("https://example.org/a?b#c")),
            ("other", Some("https://example.org/blog/other")),
            ("//cdn.example/x", Some("https://cdn.example/x")),
            (" mailto:a@example.org ", Some("mailto:a@example.org")),
            ("gemini://example.org/", Some("gemini://example.org/")),
            ("java\nscript:alert(1)", None),
            ("JavaScript:alert(1)", None),
            ("data:text/html,x", None),
            ("file:///etc/passwd", None),
            ("https://exa mple/", None),
            ("", None),
            ("x\u{1b}[31my", Some("https://example.org/blog/x%1B[31my")),
        ];
        for (href, wanted) in cases {
            let target = wanted.map_or(Target::Nowhere, |url| Target::Url(url.to_owned()));
            assert_eq!(targets.resolve(href), target, "{href:?}");
        }
        assert_eq!(Targets::new(None).resolve("relative"), Target::Nowhere);
    }

    #[test]
    fn a_link_within_the_page_is_not_a_target() {
        let targets = Targets::new(Some("https://example.org/post"));
        for href in [
            "#top",
            "https://example.org/post#c",
            "https://other.example/#fn:1",
            "/x#fn3",
        ] {
            assert_eq!(targets.resolve(href), Target::Here, "{href}");
        }
    }

    #[test]
    fn a_url_has_one_number_and_its_first_words() {
        let mut targets = Targets::new(None);
        assert_eq!(targets.number("https://a.example/"), Some(1));
        assert_eq!(targets.number("https://b.example/"), Some(2));
        targets.forget(2);
        assert_eq!(targets.number("https://a.example/"), Some(1));
        targets.name(1, "first");
        targets.name(1, "second");
        assert_eq!(targets.finish().0[0].text, "first");
    }

    #[test]
    fn urls_in_text_end_before_punctuation() {
        let cases = [
            ("see https://a.example/x.", vec!["https://a.example/x"]),
            ("(http://a.example/x_(y))", vec!["http://a.example/x_(y)"]),
            (
                "HTTP://A.example, ftp://b.example!",
                vec!["HTTP://A.example", "ftp://b.example"],
            ),
            ("見る「https://a.example/」。", vec!["https://a.example/"]),
            ("javascript://x and x://y and ://", vec![]),
            ("https://", vec![]),
            (
                "https://a.example/https://b.example",
                vec!["https://a.example/https://b.example"],
            ),
        ];
        for (text, wanted) in cases {
            let found: Vec<&str> = urls(text).into_iter().map(|at| &text[at]).collect();
            assert_eq!(found, wanted, "{text}");
        }
    }
}
