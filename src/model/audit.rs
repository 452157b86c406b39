//! The audit ring: one small record per request and per deferral, full headers for the last few (R74).

use serde::{Deserialize, Serialize};

use super::answer::HeaderList;
use super::time::Timestamp;

/// One request or deferral, in codes; at most 120 bytes stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditRecord {
    /// When the request was sent, or would have been.
    pub at: Timestamp,
    /// Equal deferrals in a row share a record.
    pub times: u32,
    /// Status of the last hop; 0 when nothing answered or nothing was sent.
    pub status: u16,
    /// Statuses of the redirects before it, in order.
    pub hops: Vec<u16>,
    /// First bytes of SHA-256 of the final URL.
    pub url_hash: u32,
    /// The same of the `ETag` sent; 0 for none.
    pub sent_etag: u32,
    /// The same of the `If-Modified-Since` sent; 0 for none.
    pub sent_date: u32,
    /// The same of the `ETag` received; 0 for none.
    pub got_etag: u32,
    /// The same of the `Last-Modified` received; 0 for none.
    pub got_date: u32,
    /// Body bytes on the wire.
    pub wire: u64,
    /// Decoded body bytes.
    pub decoded: u64,
    /// Milliseconds from start to end.
    pub ms: u32,
    /// Entries added and edited.
    pub new: u32,
    /// Entries edited.
    pub updated: u32,
    /// The outcome, as `Outcome::word` names it.
    pub outcome: OutcomeCode,
    /// The next poll it set.
    pub next: Option<Timestamp>,
    /// The rule that set it.
    pub why: super::schedule::Why,
    /// The pace it was asked at.
    pub pace: Pace,
}

/// The outcome without its detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OutcomeCode {
    /// 304.
    NotModified,
    /// Identical 200.
    Unchanged,
    /// Entries added or edited.
    Changed,
    /// Told to wait, or held.
    Deferred,
    /// Gone or dead.
    Gone,
    /// An error of this kind.
    Failed(super::outcome::ErrorKind),
}

/// How urgent a poll is (R46). Later ones are stronger.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub enum Pace {
    /// The schedule's: all bounds hold.
    #[default]
    Scheduled,
    /// A person's key: ignores interval, freshness, hints, back-off.
    Manual,
    /// `--force`: the same without debounce and budget. Still conditional, never through a hold.
    Force,
    /// An unconditional fetch that a person asked for and confirmed: as by force, but without validators (R46).
    Plain,
    /// `probe`: asked for the sake of the answer's headers. Stands in the audit alone, and is no poll.
    Probe,
    /// A hub said that there is news: ignores interval, freshness and hints. For a delivery that brought it, the record alone.
    Push,
    /// `backfill`: an older page of the feed, or the feed itself in search of one. Stands in the audit alone, and is no poll.
    Older,
}

/// One exchange in full, kept for the last 20 answers of a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// When.
    pub at: Timestamp,
    /// The URL asked; userinfo masked.
    pub url: String,
    /// Status; 0 when nothing answered.
    pub status: u16,
    /// Header fields sent, credentials masked.
    pub sent: HeaderList,
    /// Header fields received.
    pub received: HeaderList,
    /// The error's sentence, if it ended in one.
    pub error: Option<String>,
}
