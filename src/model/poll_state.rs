//! Everything remembered of a feed's polling between two polls: the record behind every rule.

use serde::{Deserialize, Serialize};

use super::outcome::{Counters, LastAnswer};
use super::schedule::Schedule;
use super::time::Timestamp;
use super::validators::ValidatorsChoice;

/// One feed's polling record.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PollState {
    /// Next poll, why, streak and failures.
    pub schedule: Schedule,
    /// The last request or deferral.
    pub last: Option<LastAnswer>,
    /// What polling cost and saved.
    pub counters: Counters,
    /// SHA-256 of the last full decoded body (R16).
    pub body_hash: Option<[u8; 32]>,
    /// Hash of its entries in canonical form (R17).
    pub entries_hash: Option<[u8; 32]>,
    /// The URL that answered last; validators are keyed by it (R55).
    pub answered_by: Option<String>,
    /// Body bytes on the wire of the last full answer: what a 304 saves.
    pub full_wire: u64,
    /// Its decoded size (R30).
    pub full_decoded: u64,
    /// What the feed and its headers ask for.
    pub hints: Hints,
    /// Date of the newest entry that is not in the future (R82).
    pub newest: Option<Timestamp>,
    /// Median gap of its last entry dates, seconds (R82).
    pub median_gap: Option<u32>,
    /// Are the validators any use?
    pub efficacy: Efficacy,
    /// A permanent move that is being watched (R53).
    pub moving: Option<PermanentMove>,
    /// Polling is off.
    pub off: Option<Off>,
    /// Permanent moves that were believed, oldest first, and those a person took back (R53).
    pub moves: Vec<Moved>,
    /// Answers 404 in a row (R50).
    pub missing: u32,
    /// The first of them.
    pub missing_since: Option<Timestamp>,
    /// Parser version by which the last body was read (R80); 0 before the first. The body itself is not kept: it would be
    /// the larger part of the store, and one plain poll a feed after a change of the parser costs less.
    pub parser: u16,
    /// The parser has changed: the first scheduled poll from then on is plain (R80).
    pub reparse_after: Option<Timestamp>,
}

/// Lower bounds from the feed and the headers, seconds; 0 for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Hints {
    /// `max-age` minus `Age` (R31).
    pub max_age: u32,
    /// `Expires` minus `Date` (R32).
    pub expires: u32,
    /// `<ttl>` (R41).
    pub ttl: u32,
    /// `sy:updatePeriod` over `sy:updateFrequency` (R43).
    pub update_period: u32,
    /// Bit h set: hour h (GMT) is skipped (R42).
    pub skip_hours: u32,
    /// Bit d set: day d is skipped, Monday is 0 (R42).
    pub skip_days: u8,
}

/// What the validators of a feed have proved to be worth (R19–R22).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Efficacy {
    /// What is sent at present.
    pub mode: ValidatorsChoice,
    /// Conditional requests answered 200 with identical content, in a row.
    pub identical: u32,
    /// Conditional requests answered 304, in a row.
    pub not_modified: u32,
    /// When that row of 304s began.
    pub not_modified_since: Option<Timestamp>,
    /// Plain polls since validators were given up.
    pub plain: u32,
    /// When the last plain verification was made (R10, R22).
    pub verified: Option<Timestamp>,
    /// The next scheduled poll verifies with a plain request, not before then (R10).
    pub verify_after: Option<Timestamp>,
    /// Conditional requests that were answered 200 or 304, ever.
    pub attempts: u32,
    /// In the present row of identical answers a `Last-Modified` differed from the one sent (R20).
    pub date_moved: bool,
    /// The same of the `ETag` (R20).
    pub tag_moved: bool,
    /// Since validators were given up: the giving up, then the last conditional try (R21).
    pub probed: Option<Timestamp>,
    /// Days until a row of 304s may be doubted again: 0, then 30 to 90 (R22).
    pub pause_days: u16,
    /// It said 304 while it had new entries: no validators and no tries until a person resets it (R22).
    pub liar: bool,
}

/// A chain of permanent redirects seen again and again (R53).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermanentMove {
    /// Where it ends.
    pub target: String,
    /// Polls in a row that ended there with a feed or a 304.
    pub seen: u32,
    /// The first of them.
    pub since: Timestamp,
}

/// A permanent move (R53): `from` is asked no longer, `to` is asked instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// The address that redirected.
    pub from: String,
    /// The address that is asked in its place.
    pub to: String,
    /// When it was believed.
    pub at: Timestamp,
    /// A person took it back: it is neither followed nor believed again.
    pub undone: bool,
}

/// Why polling is off. Only an explicit `enable` or `add` revives (R49).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Off {
    /// 410.
    Gone,
    /// 404 ten times over two weeks.
    Dead,
}
