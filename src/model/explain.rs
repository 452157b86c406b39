//! Why a feed waits: all that was considered, for a person who asks.

use std::fmt;

use super::audit::{AuditRecord, Exchange};
use super::backfill::Backfill;
use super::feed::{FeedId, FeedRow};
use super::schedule::Why;
use super::time::Timestamp;
use super::validators::{Validators, ValidatorsChoice};

/// A lower bound of the next poll (POLLING section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// The rule, with its figure.
    pub why: Why,
    /// Seconds from the moment of the decision.
    pub secs: i64,
    /// It takes part. Not where another took its place: `every` that of the interval that was learned, a row of
    /// unchanged answers that of the interval it lengthened.
    pub binds: bool,
}

impl Bound {
    /// The letter of the formula, or the word where it has none: `I`, `every`, `E`, `V`, `L`, `H`, `P`, `skip`, `-`.
    pub const fn letter(&self) -> &'static str {
        match self.why {
            Why::Base(_) | Why::Rhythm(_) | Why::Dormant(_) | Why::Streak { .. } => "I",
            Why::User(_) => "every",
            Why::Errors { .. } => "E",
            Why::Bytes(_) => "V",
            Why::MaxAge(_) | Why::Expires(_) | Why::Ttl(_) | Why::UpdatePeriod(_) => "L",
            Why::HostHold => "H",
            Why::Push(_) => "P",
            Why::Skip => "skip",
            Why::First | Why::Budget | Why::Offline | Why::Gone | Why::Dead | Why::Twin => "-",
        }
    }
}

/// Why those validators are sent that are (R5, R10, R19–R22, R80).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValidatorsReason {
    /// The user's setting for this feed.
    User(ValidatorsChoice),
    /// It has never been asked.
    NoAnswerYet,
    /// It was asked, and has never been a feed: the status of the last answer, where one came.
    NoFeedYet(Option<u16>),
    /// The server sends none.
    NoneGiven,
    /// All that the server gave are sent (R5).
    AllGiven {
        /// Conditional requests answered with identical content, in a row.
        identical: u32,
        /// Answers 304, in a row.
        not_modified: u32,
    },
    /// The tag seemed to mask a living date (R20).
    DateAlone,
    /// The date moves with every answer (R20).
    TagAlone,
    /// They proved useless (R19); tried again after so many polls, or at that time (R21).
    GivenUp {
        /// Polls until the next try.
        polls: u32,
        /// And when at the latest.
        by: Option<Timestamp>,
    },
    /// It said 304 while it had new entries (R22).
    Liar,
    /// The next scheduled poll is plain, to see whether a 304 can be believed (R10, R22).
    Verify,
    /// The next scheduled poll is plain, for a new parser (R80).
    NewParser,
}

impl fmt::Display for ValidatorsReason {
    /// A clause for a person.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::User(choice) => write!(f, "validators = \"{}\" in feeds.toml", choice.word()),
            Self::NoAnswerYet => f.write_str("nothing has answered yet"),
            Self::NoFeedYet(None) => f.write_str("no feed has come yet"),
            Self::NoFeedYet(Some(status)) => write!(f, "no feed has come yet, the last answer was {status}"),
            Self::NoneGiven => f.write_str("the server gives none"),
            Self::AllGiven { identical: 0, not_modified: 0 } => f.write_str("all that the server gives are sent"),
            Self::AllGiven { identical: 0, not_modified } => {
                write!(f, "they work: {not_modified} × 304 in a row")
            }
            Self::AllGiven { identical, .. } => {
                write!(f, "in doubt: {identical} × the same content instead of a 304")
            }
            Self::DateAlone => f.write_str("the date alone: with the ETag the same content came again and again"),
            Self::TagAlone => f.write_str("the ETag alone: the date moves with every answer"),
            Self::GivenUp { polls: 1, .. } => f.write_str("given up as useless; the next poll tries them again"),
            Self::GivenUp { polls, .. } => write!(f, "given up as useless; tried again in {polls} polls, or after 7 days"),
            Self::Liar => f.write_str("the server said 304 while it had new entries: none is sent any more"),
            Self::Verify => f.write_str("the next poll is plain, to see whether its 304s can be believed"),
            Self::NewParser => f.write_str("the next poll is plain, once: this tidings reads feeds in another way than the last"),
        }
    }
}

/// A hold of a host, and where it comes from (R36–R40).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    /// No request before then.
    pub until: Timestamp,
    /// When it was set.
    pub since: Option<Timestamp>,
    /// The answer that set it, when a ledger still has it.
    pub by: Option<HoldCause>,
}

/// The answer that set a hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoldCause {
    /// The feed that was asked.
    pub feed: FeedId,
    /// Its URL as in feeds.toml.
    pub url: String,
    /// When it was asked.
    pub at: Timestamp,
    /// 429, 503, 403, or a redirect that asked for patience.
    pub status: u16,
}

/// What a feed with `delta` is asked for next (R77).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Newer {
    /// The parameter.
    pub param: String,
    /// What stands in it; `None` where the whole feed is asked for.
    pub value: Option<String>,
    /// When the whole feed was read last.
    pub whole_at: Option<Timestamp>,
    /// And when it is asked for again.
    pub resync_at: Option<Timestamp>,
    /// The server refused a cursor: none is sent before then.
    pub refused_until: Option<Timestamp>,
}

/// Everything that bears on the next poll of one feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// How far its older pages were read; `None` where nobody asked for them.
    pub older: Option<Backfill>,
    /// What is newer than a cursor is asked for; `None` without `delta` in feeds.toml.
    pub newer: Option<Newer>,
    /// What is remembered of a source that is more than one document, a clause; `None` for a feed.
    pub source: Option<String>,
    /// The feed's row: next poll, winning rule, counters, validators in use.
    pub row: FeedRow,
    /// The URL that is asked: that of feeds.toml, or where believed moves lead from it (R53).
    pub address: String,
    /// The moment that the bounds count from.
    pub from: Timestamp,
    /// Every bound that was considered, in the order of the formula.
    pub bounds: Vec<Bound>,
    /// Bit h set: hour h (GMT) is skipped (R42).
    pub skip_hours: u32,
    /// Bit d set: day d is skipped, Monday is 0 (R42).
    pub skip_days: u8,
    /// The hold of its host, while it lasts.
    pub hold: Option<Hold>,
    /// What the next scheduled poll would send.
    pub sends: Validators,
    /// Why.
    pub validators_reason: ValidatorsReason,
    /// Body bytes on the wire of the last whole answer: what an unconditional fetch costs.
    pub full_wire: u64,
    /// Seconds between two whole bodies of this size that the byte budget allows (R30).
    pub plain_every: u32,
    /// The ring of the audit, newest first.
    pub records: Vec<AuditRecord>,
    /// Full headers of the last answers, newest first.
    pub exchanges: Vec<Exchange>,
}
