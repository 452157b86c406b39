//! Bytes into entries: decode, repair, `feed_rs`, then identity, dates, titles, links. The only room that knows `feed_rs`.

use crate::model::Incoming;

/// Grows when the same bytes would give other entries (R80).
pub const VERSION: u16 = 1;

/// A whole feed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parsed {
    /// The feed's own title, one clean line.
    pub title: String,
    /// The page it belongs to.
    pub site: Option<String>,
    /// Hubs it names (WebSub).
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
