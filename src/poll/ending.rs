//! What goes into a conclusion and what comes out of it.

use crate::model::{
    Answer, Counters, Hop, HostState, Outcome, Pace, PollError, PollState, Timestamp, Validators,
};

use super::validators::Change;

/// How the poll ended.
#[derive(Debug, Clone, Copy)]
pub enum Ending<'a> {
    /// 304.
    NotModified,
    /// A whole 200 whose decoded body hashes as before (`same_body`): nothing was parsed (R16).
    Identical {
        /// SHA-256 of the decoded body.
        body_hash: [u8; 32],
    },
    /// A whole 200, 203 or 226 that parsed as a feed.
    Parsed(Facts<'a>),
    /// A document that names others, which were asked besides: what all of them brought.
    Gathered(Facts<'a>, Root),
    /// `Verdict::Throttled`.
    Throttled,
    /// 410.
    Gone,
    /// Anything else.
    Failed(&'a PollError),
}

/// What became of the document that names others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// 304.
    NotModified,
    /// 200, and it could be read.
    Read {
        /// SHA-256 of the decoded body.
        body_hash: [u8; 32],
    },
    /// It was not asked: what it names is known.
    Unasked,
}

/// What a body brought.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// SHA-256 of the decoded body.
    pub body_hash: [u8; 32],
    /// Hash of the entries in canonical form.
    pub entries_hash: [u8; 32],
    /// The XML was cut: entries count, validators and hashes do not (R13).
    pub truncated: bool,
    /// Entries never seen before.
    pub new: u32,
    /// Entries edited.
    pub updated: u32,
    /// What the channel asks for.
    pub wishes: Wishes,
    /// Dates of its entries.
    pub dates: &'a [Timestamp],
}

/// The channel's hints: seconds, 0 for none; the bits of `Hints` (R41–R43).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wishes {
    /// `<ttl>`.
    pub ttl: u32,
    /// `sy:updatePeriod` over `sy:updateFrequency`.
    pub update_period: u32,
    /// `skipHours`, bit h for hour h GMT.
    pub skip_hours: u32,
    /// `skipDays`, bit 0 for Monday.
    pub skip_days: u8,
}

/// What was asked, and what came back.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    /// How urgent it was.
    pub pace: Pace,
    /// The redirects followed.
    pub hops: &'a [Hop],
    /// The validators sent at the last hop.
    pub sent: Validators,
    /// The last answer; `None` when nothing answered.
    pub answer: Option<&'a Answer>,
    /// Body bytes on the wire.
    pub wire: u64,
    /// Decoded body bytes.
    pub decoded: u64,
    /// A cursor was sent and taken: the answer is about what is newer (R77).
    pub newer: bool,
    /// A hub pushes what is new, and has promised to until then (R79).
    pub pushed: Option<Timestamp>,
}

/// What a poll changes, to be committed whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Conclusion {
    /// How it ended.
    pub outcome: Outcome,
    /// The feed's record from now on; its counters hold `delta` already.
    pub state: PollState,
    /// The record of the host that was asked last (`Known::host`), from now on.
    pub host: HostState,
    /// Validators set or cleared, by URL.
    pub validators: Vec<Change>,
    /// What this poll adds to the counters.
    pub delta: Counters,
    /// Worth telling though the poll went well.
    pub warning: Option<String>,
}
