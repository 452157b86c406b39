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
    /// Parser version of the last stored body (R80).
    pub parser: u16,
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

/// Why polling is off. Only an explicit `enable` or `add` revives (R49).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Off {
    /// 410.
    Gone,
    /// 404 ten times over two weeks.
    Dead,
}
