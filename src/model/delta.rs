//! Asking for what is newer than a cursor, where a server takes one (R77).

use std::time::Duration;

use super::time::Timestamp;

/// `delta` of a feed in `feeds.toml`: never guessed, the user says that the server takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta {
    /// The name of the query parameter.
    pub param: String,
    /// What stands in it.
    pub kind: CursorKind,
    /// So much earlier than the newest date is asked for: entries are published late, and clocks differ. For dates alone.
    pub overlap: Duration,
    /// The whole feed is asked for so often all the same.
    pub resync: Duration,
}

/// What a cursor is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CursorKind {
    /// The newest date of the entries, as RFC 3339 in UTC.
    #[default]
    Updated,
    /// The id of the newest entry, as the feed gives it.
    Token,
}

/// `changes` of a feed in `feeds.toml`: files beside it that say what changed on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeFiles {
    /// Their address, with `{date}`, or `{year}`, `{month}` and `{day}`, in it.
    pub pattern: String,
    /// A file is asked for until so long after its day has ended, in UTC.
    pub overlap: Duration,
    /// The feed itself is asked for so often all the same.
    pub resync: Duration,
}

/// How far a feed was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cursor {
    /// When the whole feed was read last.
    pub whole_at: Timestamp,
    /// The newest date of its entries, never later than the moment it was read.
    pub newest: Option<Timestamp>,
    /// The id of its newest entry; of a feed with change files the first day that is not settled, `2026-11-30`.
    pub token: Option<String>,
    /// The server refused a cursor: none is sent before then.
    pub refused_until: Option<Timestamp>,
}
