//! How a poll ended, and what it adds up to.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::time::Timestamp;

/// What came of one poll of one feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// 304.
    NotModified,
    /// 200 with the same content as before (R16, R17).
    Unchanged,
    /// Entries were added or edited. `new` alone: outcome `new`; only edits: `updated`.
    Changed {
        /// Entries never seen before.
        new: u32,
        /// Entries whose content changed.
        updated: u32,
    },
    /// Not asked, or asked and told to wait: nothing before `until`.
    Deferred {
        /// The earliest time.
        until: Timestamp,
    },
    /// 410, or 404 for long: polling is off (R49, R50).
    Gone,
    /// Anything else.
    Failed(PollError),
}

impl Outcome {
    /// The word of the JSON interface.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::NotModified => "not_modified",
            Self::Unchanged => "unchanged",
            Self::Changed { new: 0, .. } => "updated",
            Self::Changed { .. } => "new",
            Self::Deferred { .. } => "deferred",
            Self::Gone => "gone",
            Self::Failed(_) => "error",
        }
    }

    /// Entries added.
    pub const fn new_entries(&self) -> u32 {
        match self {
            Self::Changed { new, .. } => *new,
            _ => 0,
        }
    }

    /// Entries edited.
    pub const fn updated_entries(&self) -> u32 {
        match self {
            Self::Changed { updated, .. } => *updated,
            _ => 0,
        }
    }
}

/// Why a poll failed, as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub struct PollError {
    /// The kind.
    pub kind: ErrorKind,
    /// What a person needs to know beyond the kind; clean of control characters.
    pub detail: String,
}

impl PollError {
    /// A poll error of `kind`.
    pub fn new(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
        }
    }
}

impl fmt::Display for PollError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.detail.as_str()) {
            (kind, "") => f.write_str(kind.sentence()),
            (ErrorKind::Status, status) => write!(f, "the server answered {status}"),
            (kind, detail) => write!(f, "{}: {detail}", kind.sentence()),
        }
    }
}

/// The kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ErrorKind {
    /// The URL is not one that can be polled.
    Url,
    /// The name does not resolve.
    Dns,
    /// No route to the network.
    Unreachable,
    /// Nobody listens there.
    Refused,
    /// The connection broke.
    Reset,
    /// TLS: certificate, protocol.
    Tls,
    /// Connect, first byte, a pause between reads, or the whole took too long.
    Timeout,
    /// The answer is not HTTP.
    Protocol,
    /// Headers larger than 64 KB.
    Headers,
    /// A status that stands for an error.
    Status,
    /// 304 without a condition (R12).
    Unasked304,
    /// Redirect: loop, too many, missing or forbidden target.
    Redirect,
    /// The body ended early.
    CutBody,
    /// The body does not decode.
    Decode,
    /// The body is larger than the limit, or expands suspiciously.
    TooLarge,
    /// The body is empty.
    Empty,
    /// The body is a web page.
    Html,
    /// The body is no feed.
    NotAFeed,
    /// A feed whose XML is cut before its first whole item.
    Truncated,
    /// A file of the user (credentials) cannot be read.
    Credentials,
    /// The store refused.
    Store,
    /// The poll was broken off before it ended.
    Cancelled,
    /// A command of the user's did not give a feed.
    Command,
    /// A file that is subscribed cannot be read.
    File,
}

impl ErrorKind {
    /// The sentence's beginning for a person.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Url => "not a URL that can be polled",
            Self::Dns => "the host name was not found",
            Self::Unreachable => "the network cannot be reached",
            Self::Refused => "the connection was refused",
            Self::Reset => "the connection broke",
            Self::Tls => "TLS failed",
            Self::Timeout => "timed out",
            Self::Protocol => "the answer is not HTTP",
            Self::Headers => "the answer's headers are too large",
            Self::Status => "an error status",
            Self::Unasked304 => "304 without condition",
            Self::Redirect => "the redirect cannot be followed",
            Self::CutBody => "the body was cut off",
            Self::Decode => "the body cannot be decoded",
            Self::TooLarge => "the body is too large",
            Self::Empty => "the body is empty",
            Self::Html => "a web page, not a feed",
            Self::NotAFeed => "not a feed",
            Self::Truncated => "the feed is cut off",
            Self::Credentials => "the credentials cannot be read",
            Self::Store => "the store cannot be written",
            Self::Cancelled => "broken off",
            Self::Command => "the command failed",
            Self::File => "the file cannot be read",
        }
    }
}

/// What polling cost and saved (R74).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counters {
    /// Answers 200 (and 226) that parsed, identical ones included.
    pub ok200: u64,
    /// Answers 304.
    pub not_modified304: u64,
    /// Answers 200 with identical content.
    pub identical200: u64,
    /// Polls that ended in an error.
    pub errors: u64,
    /// 429, 503 with Retry-After, held.
    pub deferred: u64,
    /// Requests that carried a validator.
    pub conditional: u64,
    /// Body bytes on the wire.
    pub bytes: u64,
    /// Body bytes that a 304 made unnecessary: the wire size of the last full answer.
    pub bytes_saved: u64,
}

impl Counters {
    /// Adds up, field by field.
    pub fn add(&mut self, other: &Self) {
        self.ok200 += other.ok200;
        self.not_modified304 += other.not_modified304;
        self.identical200 += other.identical200;
        self.errors += other.errors;
        self.deferred += other.deferred;
        self.conditional += other.conditional;
        self.bytes += other.bytes;
        self.bytes_saved += other.bytes_saved;
    }

    /// Share of answers that were 304, 0 to 1; `None` before the first answer.
    pub fn hit_rate(&self) -> Option<f64> {
        let answers = self.ok200 + self.not_modified304;
        (answers > 0).then(|| self.not_modified304 as f64 / answers as f64)
    }
}

/// Bytes in at most seven columns: `812 B`, `1.4 kB`, `12 MB`.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if count < 1000 {
        return format!("{count} B");
    }
    let mut value = count as f64;
    let mut unit = "";
    for name in UNITS {
        value /= 1000.0;
        unit = name;
        if value < 999.5 {
            break;
        }
    }
    if value < 9.95 {
        format!("{value:.1} {unit}")
    } else {
        format!("{value:.0} {unit}")
    }
}

/// The last thing that happened to a feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastAnswer {
    /// When.
    pub at: Timestamp,
    /// The status; `None` when nothing answered or nothing was sent.
    pub status: Option<u16>,
    /// How it ended.
    pub outcome: Outcome,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_stay_short() {
        for (size, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (9_960, "10 kB"),
            (999_600, "1.0 MB"),
            (12_345_678, "12 MB"),
            (u64::MAX, "18447 PB"),
        ] {
            assert_eq!(bytes(size), text);
        }
    }

    #[test]
    fn an_error_is_a_clause_with_what_the_server_said() {
        for (kind, detail, text) in [
            (
                ErrorKind::Status,
                "404 Not Found",
                "the server answered 404 Not Found",
            ),
            (
                ErrorKind::Dns,
                "a.example",
                "the host name was not found: a.example",
            ),
            (
                ErrorKind::Html,
                "“Log in”",
                "a web page, not a feed: “Log in”",
            ),
            (ErrorKind::Empty, "", "the body is empty"),
        ] {
            assert_eq!(PollError::new(kind, detail).to_string(), text);
        }
    }
}
