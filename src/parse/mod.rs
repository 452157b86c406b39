//! Bytes into entries: decode, repair, `feed_rs`, then identity, dates, titles, links. The only room that knows `feed_rs`.

mod change;
mod dates;
mod decode;
mod discover;
mod faults;
mod feed;
#[cfg(fuzzing)]
pub mod fuzzing;
mod hints;
mod identity;
mod links;
mod list;
mod migrate;
mod odd;
pub mod opml;
mod paging;
mod references;
mod repair;
mod sitemap;
mod sites;
mod stored;
mod story;
mod stranger;
#[cfg(test)]
mod tests;
mod text;
mod titles;
mod tokens;
pub mod urls;

pub use change::change;
pub use decode::Charset;
pub use discover::{discover, well_known};
pub use faults::faults;
pub use list::{LIST_MAX, List, list};
pub use migrate::{is_upheaval, recent_wanted, recognise, relatives};
pub use odd::{Odd, OddKind, named, odd};
pub use paging::Paging;
pub use sitemap::{Sitemap, entries_of, is_wanted, sitemap};
pub use sites::known;
pub use stored::{Stored, stored};
pub use story::leaders;
pub use titles::beginning;

/// The text of a body in whatever charset it is; a packed one is unpacked.
pub fn text_of(bytes: &[u8], content_type: Option<&str>) -> String {
    decode::decode(bytes, content_type).text.into_owned()
}

use sha2::{Digest, Sha256};

use crate::article::sanitize;
use crate::model::{EntryKey, Incoming, Subscription, Timestamp};
use links::Base;

/// Grows when the same bytes would give other entries (R80).
pub const VERSION: u16 = 3;

/// A whole feed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parsed {
    /// `RSS`, `RSS 1.0`, `Atom` or `JSON Feed`.
    pub kind: &'static str,
    /// The feed's own title, one clean line.
    pub title: String,
    /// The page it belongs to.
    pub site: Option<String>,
    /// How its bytes were read.
    pub charset: Charset,
    /// Hubs it names (`WebSub`).
    pub hubs: Vec<String>,
    /// What it calls its own address: its topic, where it has hubs.
    pub own: Option<String>,
    /// What it asks of a poller.
    pub wishes: Wishes,
    /// Its older documents.
    pub paging: Paging,
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

/// What the store remembers of an entry, to recognise it under another key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remembered {
    /// The key it was first stored under.
    pub key: EntryKey,
    /// As it was sent last.
    pub guid: String,
    /// Absolute URL.
    pub link: Option<String>,
    /// One clean line.
    pub title: String,
    /// The feed's own date.
    pub published: Option<Timestamp>,
}

/// What a poll brings that the store does not have.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    /// Never seen.
    pub new: Vec<Incoming>,
    /// Seen with other content.
    pub edited: Vec<Incoming>,
    /// Seen under the key beside it: the entry keeps that one, and is known by both from now on.
    pub moved: Vec<(EntryKey, Incoming)>,
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
    /// Lines taken over that a person should know of, each with what to know.
    pub noted: Vec<Skipped>,
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

/// How the bytes of a body are read as text, whatever they hold.
pub fn charset(bytes: &[u8], content_type: Option<&str>) -> Charset {
    decode::decode(bytes, content_type).charset
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
        .chars()
        .all(|c| c.is_whitespace() || sanitize::is_forbidden(c))
    {
        return Err(ParseError::Empty);
    }
    let base = Base::new(base);
    let mut reader = feed::Reader::new(&base, repair::most(text));
    // Room for all at once: a list of many small entries that grows is twice in memory each time.
    let mut entries = Vec::with_capacity(repair::expected(text));
    let mut sink = |chunk: &mut repair::Chunk| reader.entries(chunk, &mut entries);
    let Some(mut repaired) = repair::repair(text, &base, &mut sink) else {
        return Err(stranger::name(text));
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
    if reader.over {
        repairs.push("more entries than can be kept");
    }
    if reader.lost > 0 {
        repairs.push("unreadable entries left out");
    }
    Ok(Parsed {
        kind: kind_of(text),
        charset: decoded.charset,
        title,
        site,
        hubs: repaired.hubs,
        own: repaired.own,
        wishes: repaired.wishes,
        paging: repaired.paging,
        entries_hash: entries_hash(&entries),
        entries,
        truncated,
        repairs,
    })
}

/// What family a document belongs to that holds a feed.
fn kind_of(text: &str) -> &'static str {
    if repair::json_in(text).is_some() {
        return "JSON Feed";
    }
    for token in tokens::Tokens::new(text) {
        let tokens::Token::Start(tag) = token else {
            continue;
        };
        let name = tag.name.rsplit(':').next().unwrap_or("");
        match name.to_ascii_lowercase().as_str() {
            "feed" | "entry" => return "Atom",
            "rdf" => return "RSS 1.0",
            "rss" | "channel" | "item" => return "RSS",
            _ => {}
        }
    }
    "RSS"
}

/// Over the sorted hashes: order and channel fields do not count (R17).
fn entries_hash(entries: &[Incoming]) -> [u8; 32] {
    let mut hashes: Vec<_> = entries.iter().map(|entry| &entry.content_hash).collect();
    hashes.sort_unstable();
    let mut all = Sha256::new();
    for hash in hashes {
        all.update(hash);
    }
    all.finalize().into()
}
