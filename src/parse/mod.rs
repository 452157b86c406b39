//! Bytes into entries: decode, repair, `feed_rs`, then identity, dates, titles, links. The only room that knows `feed_rs`.

mod change;
mod dates;
mod decode;
mod discover;
mod feed;
mod hints;
mod identity;
mod links;
pub mod opml;
mod references;
mod repair;
mod sites;
mod text;
mod titles;
mod tokens;
pub mod urls;

pub use change::change;
pub use discover::{discover, well_known};

use sha2::{Digest, Sha256};

use crate::article::sanitize;
use crate::model::{Incoming, Subscription};
use links::Base;
use references::Entities;
use tokens::{Token, Tokens};

/// Grows when the same bytes would give other entries (R80).
pub const VERSION: u16 = 1;

/// A whole feed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parsed {
    /// The feed's own title, one clean line.
    pub title: String,
    /// The page it belongs to.
    pub site: Option<String>,
    /// Hubs it names (`WebSub`).
    pub hubs: Vec<String>,
    /// What it asks of a poller.
    pub wishes: Wishes,
    /// Its entries, in its order, identity decided; no key twice.
    pub entries: Vec<Incoming>,
    /// Hash over the sorted content hashes of its entries (R17).
    pub entries_hash: [u8; 32],
    /// Its XML was cut: whole items only, and neither validators nor hashes may be kept (R13).
    pub truncated: bool,
    /// What had to be repaired, a short name each: for `probe --parse` and the log.
    pub repairs: Vec<&'static str>,
}

/// Hints of the channel; seconds, 0 for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wishes {
    /// `<ttl>`.
    pub ttl: u32,
    /// `sy:updatePeriod` over `sy:updateFrequency`.
    pub update_period: u32,
    /// Bit h: hour h GMT is skipped. All 24 set counts as none.
    pub skip_hours: u32,
    /// Bit d: day d is skipped, Monday is 0. All 7 set counts as none.
    pub skip_days: u8,
}

/// What the store knows of an entry that `change` compares with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownEntry {
    /// Hash of the content stored, `None` where the entry was pruned.
    pub content_hash: Option<[u8; 32]>,
}

/// What a poll brings that the store does not have.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    /// Never seen.
    pub new: Vec<Incoming>,
    /// Seen with other content.
    pub edited: Vec<Incoming>,
}

/// Not a feed, and what it is instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// Nothing, or white space.
    #[error("the body is empty")]
    Empty,
    /// An HTML page; its title or first readable line.
    #[error("a web page, not a feed: {0}")]
    Html(String),
    /// Something else; the first readable line.
    #[error("not a feed: {0}")]
    NotAFeed(String),
    /// A feed cut before its first whole item.
    #[error("the feed is cut off before its first whole item")]
    Truncated,
    /// A feed root with items of which none could be read.
    #[error("the feed has items that cannot be read: {0}")]
    Unreadable(String),
}

/// A feed that a page names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Absolute URL.
    pub url: String,
    /// As the page names it; may be empty.
    pub title: String,
    /// `RSS`, `Atom`, `JSON Feed`; empty when unknown.
    pub kind: String,
}

/// What an import brought: subscriptions in the file's order, and what could not be taken over.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Imported {
    /// In the order of the file, duplicates included.
    pub subscriptions: Vec<Subscription>,
    /// Lines left out, each with its reason.
    pub skipped: Vec<Skipped>,
}

/// A part of an imported file that is no subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// From 1.
    pub line: usize,
    /// The line, or the outline's title; clean.
    pub text: String,
    /// A short sentence.
    pub why: String,
}

/// SHA-256 of a decoded body (R16).
pub fn body_hash(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Reads a feed of any kind. `content_type` is the header's value, `base` the URL that answered.
/// A valid feed without entries is `Ok`; entries of which none can be read are an error.
pub fn parse(bytes: &[u8], content_type: Option<&str>, base: &str) -> Result<Parsed, ParseError> {
    let decoded = decode::decode(bytes, content_type);
    let text = decoded.text.as_ref();
    if text
        .trim_matches(|c: char| c.is_whitespace() || c == '\0')
        .is_empty()
    {
        return Err(ParseError::Empty);
    }
    let mut reader = feed::Reader::new(base);
    let mut entries = Vec::new();
    let mut sink = |chunk: &mut repair::Chunk| reader.entries(chunk, &mut entries);
    let Some(mut repaired) = repair::repair(text, &Base::new(base), &mut sink) else {
        return Err(stranger(text));
    };
    let truncated = repaired.cut || decoded.cut;
    if entries.is_empty() && truncated {
        return Err(ParseError::Truncated);
    }
    if entries.is_empty() && repaired.items > 0 {
        return Err(ParseError::Unreadable(format!(
            "{} of them",
            repaired.items
        )));
    }
    let (title, site) = reader.head(&mut repaired.head);
    identity::decide(&mut entries);
    let mut repairs = decoded.repairs;
    repairs.extend(repaired.repairs);
    if reader.lost > 0 {
        repairs.push("unreadable entries left out");
    }
    Ok(Parsed {
        title,
        site,
        hubs: repaired.hubs,
        wishes: repaired.wishes,
        entries_hash: entries_hash(&entries),
        entries,
        truncated,
        repairs,
    })
}

/// Over the sorted hashes: order and channel fields do not count (R17).
fn entries_hash(entries: &[Incoming]) -> [u8; 32] {
    let mut hashes: Vec<_> = entries.iter().map(|entry| entry.content_hash).collect();
    hashes.sort_unstable();
    Sha256::digest(hashes.concat()).into()
}

/// What a document without a feed in it is, with the first line a person can read.
fn stranger(text: &str) -> ParseError {
    const LINE_MAX: usize = 120;
    let mut tokens = Tokens::new(text);
    let (mut html, mut title, mut first) = (false, String::new(), String::new());
    let mut in_title = false;
    while let Some(token) = tokens.next() {
        match token {
            Token::Doctype(kind) => html |= kind.trim().to_ascii_lowercase().starts_with("html"),
            Token::Start(tag) => match tag.name.to_ascii_lowercase().as_str() {
                "html" | "head" | "body" | "meta" | "div" | "p" => html = true,
                "title" => in_title = true,
                name @ ("script" | "style" | "noscript" | "svg") => tokens.skip_raw(name),
                _ => {}
            },
            Token::End(name) => in_title &= !name.eq_ignore_ascii_case("title"),
            Token::Text(piece) | Token::CData(piece) => {
                let line =
                    sanitize::line(&references::decode(first_line(piece), &Entities::default()));
                let place = if in_title { &mut title } else { &mut first };
                if place.is_empty() {
                    *place = line.chars().take(LINE_MAX).collect();
                }
            }
        }
        if !title.is_empty() && html {
            break;
        }
    }
    let line = if title.is_empty() { first } else { title };
    if html {
        ParseError::Html(line)
    } else {
        ParseError::NotAFeed(line)
    }
}

/// The first line that is not blank, cut where nobody reads on.
fn first_line(text: &str) -> &str {
    let line = text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("");
    let end = line
        .char_indices()
        .nth(400)
        .map_or(line.len(), |(at, _)| at);
    &line[..end]
}
