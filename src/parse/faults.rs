//! What is wrong with a feed's document, kind by kind: for a person who doubts, never on the way of a poll. Reading mends all of
//! it silently; here it is only told.

mod known;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use chrono::DateTime;
use url::Url;

use super::decode::{self, Charset};
use super::references::{Entities, decode as resolve};
use super::tokens::{Tag, Token, Tokens};
use super::{Parsed, dates, repair};
use known::{CASED, DATES, HTML};

/// A document is looked at so far, in bytes.
const LOOK_MAX: usize = 16 * 1024 * 1024;
/// A value of an element is kept so far, in bytes.
const VALUE_MAX: usize = 4096;

/// Elements inside of one another are remembered so far.
const DEEPEST: usize = 128;

/// The kinds of faults of a document that was read, in the order in which they are met; none twice.
pub fn faults(bytes: &[u8], content_type: Option<&str>, parsed: &Parsed) -> Vec<&'static str> {
    let decoded = decode::decode(bytes, content_type);
    let text = decoded.text.as_ref();
    let mut end = text.len().min(LOOK_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &text[..end];
    let mut found = Found::default();
    found.bytes(bytes, content_type, decoded.charset);
    if let Some(json) = repair::json_in(text) {
        found.json(json);
    } else {
        Scan::new(&mut found).document(text);
    }
    found.entries(parsed);
    found.0
}

/// What was found so far.
#[derive(Default)]
struct Found(Vec<&'static str>);

impl Found {
    fn add(&mut self, fault: &'static str) {
        if !self.0.contains(&fault) {
            self.0.push(fault);
        }
    }

    fn bytes(&mut self, bytes: &[u8], content_type: Option<&str>, used: Charset) {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        if bytes
            .strip_prefix(MARK)
            .is_some_and(|rest| rest.starts_with(MARK))
        {
            self.add("more than one byte order mark");
        }
        let labels = decode::labels(bytes, content_type);
        for name in labels {
            match name {
                None => self.add("unknown charset label"),
                Some(name) if name != used.name => self.add("wrong charset label"),
                Some(_) => {}
            }
        }
    }

    fn json(&mut self, text: &str) {
        let Ok(feed) = serde_json::from_str::<serde_json::Value>(text.trim()) else {
            return self.add("broken JSON");
        };
        let version = feed["version"].as_str().unwrap_or_default();
        if !version.starts_with("https://jsonfeed.org/version/1") {
            self.add("odd JSON Feed version");
        }
        if !feed["title"].is_string() {
            self.add("feed without a title");
        }
        let items = feed["items"].as_array().map_or(&[][..], Vec::as_slice);
        for item in std::iter::once(&feed).chain(items) {
            if item["author"].is_string() {
                self.add("author as text");
            }
            if item["id"].is_number() {
                self.add("id as number");
            }
            for name in ["date_published", "date_modified"] {
                if let Some(date) = item[name].as_str() {
                    self.date(date, name);
                }
            }
        }
    }

    fn date(&mut self, text: &str, name: &str) {
        let text = text.trim();
        let partial = matches!(text.len(), 4 | 7 | 10)
            && text.bytes().all(|b| b.is_ascii_digit() || b == b'-')
            && matches!(name, "date" | "issued" | "created" | "modified");
        let well = partial
            || DateTime::parse_from_rfc2822(text).is_ok()
            || DateTime::parse_from_rfc3339(text).is_ok();
        if text.is_empty() || well {
            return;
        }
        if dates::parse(text).is_some() {
            self.add("dates in an odd form");
        } else {
            self.add("dates that cannot be read");
        }
    }

    fn entries(&mut self, parsed: &Parsed) {
        let mut seen = BTreeSet::new();
        for entry in &parsed.entries {
            if entry.guid.is_empty() {
                self.add("entries without an id");
            } else if !seen.insert(&entry.guid) {
                self.add("ids that repeat");
            }
        }
    }
}

/// An element that is open.
struct Open<'a> {
    name: &'a str,
    /// Markup inside of it is its content.
    markup: bool,
}

/// One walk through a document.
struct Scan<'a, 'f> {
    found: &'f mut Found,
    open: Vec<Open<'a>>,
    entities: Entities,
    declared: BTreeSet<&'a str>,
    used: BTreeSet<&'a str>,
    /// Text of the element that is open, as it was written.
    value: String,
    rss: bool,
    over: bool,
    /// Elements that are open below those that are remembered.
    deeper: usize,
}

impl<'a, 'f> Scan<'a, 'f> {
    fn new(found: &'f mut Found) -> Self {
        Self {
            found,
            open: Vec::new(),
            entities: Entities::default(),
            declared: BTreeSet::from(["xml"]),
            used: BTreeSet::new(),
            value: String::new(),
            rss: false,
            over: false,
            deeper: 0,
        }
    }

    fn document(mut self, text: &'a str) {
        if text.starts_with(char::is_whitespace) && text.trim_start().starts_with("<?xml") {
            self.found.add("blanks before the XML declaration");
        }
        let mut own = false;
        for token in Tokens::new(text) {
            match token {
                Token::Doctype(inside) => {
                    own |= inside.contains("<!ENTITY");
                    self.entities.declare(inside);
                }
                Token::Start(tag) => self.start(&tag),
                Token::End(name) => self.end(name),
                Token::Text(piece) => self.text(piece, own),
                Token::CData(piece) => {
                    self.characters(piece);
                    self.keep(&piece.replace('&', "&amp;"));
                }
            }
        }
        if self.used.difference(&self.declared).next().is_some() {
            self.found.add("undeclared prefixes");
        }
    }

    fn start(&mut self, tag: &Tag<'a>) {
        if self.over {
            self.found.add("junk after the end");
            return;
        }
        let (prefix, local) = tag.name.split_once(':').map_or(("", tag.name), |pair| pair);
        let lower = local.to_ascii_lowercase();
        self.attributes(tag, prefix);
        if self.open.is_empty() {
            self.rss = lower == "rss";
        }
        let inside_markup = self.open.last().is_some_and(|open| open.markup);
        if prefix.is_empty() && HTML.contains(&lower.as_str()) {
            if !inside_markup && self.rss {
                self.found.add("unescaped markup");
            }
            return;
        }
        if prefix.is_empty() && !CASED.contains(&local) {
            let known = CASED.iter().any(|name| name.eq_ignore_ascii_case(local));
            if known && !inside_markup {
                self.found.add("tags in odd case");
            }
        }
        let parent = self.open.last().map_or("", |open| open.name);
        if lower == "item" && parent.eq_ignore_ascii_case("rss") {
            self.found.add("items outside of the channel");
        }
        self.value.clear();
        if tag.empty {
            return;
        }
        if self.open.len() < DEEPEST {
            let xhtml = tag.raw("type").is_some_and(|kind| kind.contains("xhtml"));
            self.open.push(Open {
                name: tag.name,
                markup: inside_markup || xhtml,
            });
        } else {
            self.deeper += 1;
        }
    }

    fn attributes(&mut self, tag: &Tag<'a>, prefix: &'a str) {
        if !prefix.is_empty() {
            self.used.insert(prefix);
        }
        if has_bare_value(tag.attrs) {
            self.found.add("attributes without quotes");
        }
        for (name, value) in tag.attributes() {
            if let Some(declared) = name.strip_prefix("xmlns:") {
                self.declared.insert(declared);
            } else if let Some((before, _)) = name.split_once(':') {
                self.used.insert(before);
            }
            let root = matches!(tag.name.to_ascii_lowercase().as_str(), "rss" | "channel");
            if name == "xmlns" && root {
                self.found.add("RSS in a namespace");
            }
            let relative = Err(url::ParseError::RelativeUrlWithoutBase);
            let parsed = Url::parse(value.trim());
            if name == "xml:base" && parsed.is_err() && parsed != relative {
                self.found.add("xml:base that is no URL");
            }
        }
    }

    fn end(&mut self, name: &'a str) {
        let html = HTML.iter().any(|tag| tag.eq_ignore_ascii_case(name));
        if html || self.over {
            return;
        }
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        let Some(at) = self
            .open
            .iter()
            .rposition(|open| open.name.eq_ignore_ascii_case(name))
        else {
            return self.found.add("end tags without a beginning");
        };
        if at + 1 == self.open.len() {
            self.value_of(name);
        } else {
            self.found.add("tags that are not closed");
        }
        self.open.truncate(at);
        self.value.clear();
        self.over = self.open.is_empty();
    }

    fn text(&mut self, piece: &str, own: bool) {
        if self.open.is_empty() {
            if !piece.trim().is_empty() && self.over {
                let blank = |c: char| c.is_whitespace() || c == '\0';
                self.found.add(if piece.trim_matches(blank).is_empty() {
                    "zeros after the end"
                } else {
                    "junk after the end"
                });
            }
            return;
        }
        self.characters(piece);
        if piece.contains('<') {
            self.found.add("bare <");
        }
        for (at, _) in piece.match_indices('&') {
            self.reference(&piece[at + 1..], own);
        }
        self.keep(piece);
    }

    fn characters(&mut self, piece: &str) {
        let steers = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
        if piece.contains(steers) {
            self.found.add("control characters");
        }
    }

    /// What stands behind an `&`.
    fn reference(&mut self, rest: &str, own: bool) {
        let end = rest
            .bytes()
            .take(32)
            .position(|b| !(b.is_ascii_alphanumeric() || b == b'#'));
        let Some(name) = end
            .filter(|end| rest.as_bytes()[*end] == b';')
            .map(|end| &rest[..end])
        else {
            return self.found.add("bare &");
        };
        if let Some(number) = name.strip_prefix('#') {
            let number = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            let steers = |n: u32| matches!(n, 0..=8 | 11 | 12 | 14..=31 | 127..=159);
            if number.is_ok_and(steers) {
                self.found.add("references to control characters");
            }
        } else if name.is_empty() {
            self.found.add("bare &");
        } else if !matches!(name, "amp" | "lt" | "gt" | "quot" | "apos") {
            self.found.add(if own {
                "entities of its own"
            } else {
                "HTML entities"
            });
        }
    }

    fn keep(&mut self, piece: &str) {
        if self.value.len() + piece.len() <= VALUE_MAX {
            self.value.push_str(piece);
        }
    }

    fn value_of(&mut self, name: &str) {
        let local = name.rsplit(':').next().unwrap_or("").to_ascii_lowercase();
        let value = resolve(&self.value, &self.entities).into_owned();
        match local.as_str() {
            "guid" | "id" if value != value.trim() => self.found.add("blanks around ids"),
            "title" if value.contains("&amp;") || value.contains("&lt;") => {
                self.found.add("titles escaped twice");
            }
            "link"
                if !value.trim().is_empty()
                    && Url::parse(value.trim()) == Err(url::ParseError::RelativeUrlWithoutBase) =>
            {
                self.found.add("relative links");
            }
            date if DATES.contains(&date) => self.found.date(&value, date),
            _ => {}
        }
    }
}

/// A `=` outside of quotes that no quote follows.
fn has_bare_value(attributes: &str) -> bool {
    let mut quote = None;
    let mut chars = attributes.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '=') => {
                while chars.next_if(|c| c.is_whitespace()).is_some() {}
                if chars.peek().is_some_and(|c| !matches!(c, '"' | '\'')) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}
