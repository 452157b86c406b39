//! Older pages of a feed (RFC 5005, R81): how far they were read.

use std::fmt;

use super::time::Timestamp;

/// How a feed leads to what is older.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Way {
    /// Not known before the feed was looked at for it.
    #[default]
    Unknown,
    /// It links to archive documents, which do not change (`prev-archive`, RFC 5005 §4).
    Archive,
    /// It links to further pages of itself, which do (`next`, RFC 5005 §3; `next_url` of JSON Feed).
    Paged,
    /// A person named a parameter that takes the number of a page, from 2 on.
    Param(String),
}

/// How far the older pages of a feed were read; kept, so that a run goes on where the one before ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Backfill {
    /// How it leads there.
    pub way: Way,
    /// The page that is read next; none where the way begins, or has ended.
    pub next: Option<String>,
    /// How often the way was begun. Archives that were read in an earlier one are not asked for again.
    pub pass: u32,
    /// When the feed itself was looked at last to find the way.
    pub head_at: Option<Timestamp>,
    /// When the last page was read.
    pub at: Option<Timestamp>,
    /// Pages read, over all passes.
    pub pages: u32,
    /// Entries that came with them.
    pub entries: u64,
    /// Bytes of their bodies on the wire, those of the looks at the feed included.
    pub bytes: u64,
    /// Hash over the entries of the last page: a server that gives the same page for ever is noticed.
    pub last_hash: [u8; 32],
    /// Where the way ended; none while it goes on.
    pub end: Option<WayEnd>,
}

/// Where the way to older pages ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WayEnd {
    /// The last page names no older one.
    Whole,
    /// The feed itself names none.
    NoPages,
    /// A page leads to one that was read before it.
    Loop,
    /// A page has the same entries as the one before it.
    Same,
    /// A page leads to another host, or to what is no address.
    Elsewhere,
    /// robots.txt of the host disallows the page.
    Disallowed,
    /// What is older is beyond what is kept of the feed.
    Limits,
    /// More pages are not read of any feed.
    TooMany,
}

impl fmt::Display for WayEnd {
    /// A sentence without its full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Whole => "the last page names no older one",
            Self::NoPages => "the feed names no older pages",
            Self::Loop => "a page leads back to one that was read before",
            Self::Same => "a page has the same entries as the one before it",
            Self::Elsewhere => "a page leads to another host, which is not followed",
            Self::Disallowed => "robots.txt of the host disallows the next page",
            Self::Limits => "what is older is beyond the limits of [keep]",
            Self::TooMany => "no more pages are read of one feed",
        })
    }
}

impl WayEnd {
    /// In one word, for programs.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::NoPages => "no_pages",
            Self::Loop => "loop",
            Self::Same => "same_page",
            Self::Elsewhere => "elsewhere",
            Self::Disallowed => "disallowed",
            Self::Limits => "limits",
            Self::TooMany => "too_many",
        }
    }
}

/// What a person wants of older pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackfillWish {
    /// Pages at most.
    pub pages: u32,
    /// The parameter that takes the number of a page, where the feed names none (`paged` of `WordPress`).
    pub param: Option<String>,
    /// The entries arrive unread; otherwise as read.
    pub unread: bool,
    /// Begin anew, and forget what was read before.
    pub again: bool,
}

impl Default for BackfillWish {
    fn default() -> Self {
        Self {
            pages: 10,
            param: None,
            unread: false,
            again: false,
        }
    }
}

/// How a run over older pages stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BackfillRun {
    /// Pages of this run.
    pub pages: u32,
    /// At most so many.
    pub most: u32,
    /// New entries of this run.
    pub entries: u64,
    /// Bytes on the wire.
    pub bytes: u64,
    /// The last page; userinfo masked.
    pub page: Option<String>,
    /// How far the feed was read over all runs.
    pub place: Backfill,
    /// Why the run ended before its time; nothing is lost, the next one asks for the same page.
    pub trouble: Option<String>,
}
