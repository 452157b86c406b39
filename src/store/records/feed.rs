//! Records of feeds and of their polling.

use serde::{Deserialize, Serialize};

use super::{Record, record, seconds, time};
use crate::model::{
    Counters, Efficacy, Feed, FeedId, Hints, LastAnswer, Moved, Off, Outcome, PermanentMove,
    PollState, Schedule, Timestamp, Validators, ValidatorsChoice, Why,
};

/// `feeds`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct FeedV1 {
    /// As in feeds.toml.
    pub url: String,
    /// Lower-case host and port of it; empty when it has none.
    pub host: String,
    /// The user's own title.
    pub own_title: Option<String>,
    /// What the feed calls itself.
    pub title: String,
    pub site: Option<String>,
    pub hubs: Vec<String>,
    pub tags: Vec<String>,
    pub position: u32,
    pub added: i64,
    /// When it left feeds.toml.
    pub removed: Option<i64>,
    /// Earlier URLs and when each was left, oldest first.
    pub history: Vec<(i64, String)>,
}

record!(FeedV1, "feeds");

impl FeedV1 {
    pub(crate) fn model(&self, id: FeedId) -> Feed {
        Feed {
            id,
            url: self.url.clone(),
            title: self.own_title.clone().unwrap_or_else(|| self.title.clone()),
            site: self.site.clone(),
            hubs: self.hubs.clone(),
            tags: self.tags.clone(),
            position: self.position,
            removed: self.removed.map(Timestamp),
        }
    }
}

/// `polls`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct PollV1 {
    /// Audit records ever written; the ring's next slot follows.
    pub audits: u64,
    /// Exchanges ever written.
    pub exchanges: u64,
    pub next: Option<i64>,
    pub set_at: i64,
    pub why: Why,
    pub streak: u32,
    pub failures: u32,
    pub last: Option<LastV1>,
    pub counters: CountersV1,
    pub body_hash: Option<[u8; 32]>,
    pub entries_hash: Option<[u8; 32]>,
    pub answered_by: Option<String>,
    pub full_wire: u64,
    pub full_decoded: u64,
    pub hints: HintsV1,
    pub newest: Option<i64>,
    pub median_gap: Option<u32>,
    pub efficacy: EfficacyV1,
    pub moving: Option<MoveV1>,
    pub off: Option<Off>,
    pub parser: u16,
    pub moves: Vec<MovedV1>,
    pub missing: u32,
    pub missing_since: Option<i64>,
    pub reparse_after: Option<i64>,
}

record!(PollV1, "polls");

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LastV1 {
    pub at: i64,
    pub status: Option<u16>,
    pub outcome: Outcome,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct HintsV1 {
    pub max_age: u32,
    pub expires: u32,
    pub ttl: u32,
    pub update_period: u32,
    pub skip_hours: u32,
    pub skip_days: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct EfficacyV1 {
    pub mode: ValidatorsChoice,
    pub identical: u32,
    pub not_modified: u32,
    pub not_modified_since: Option<i64>,
    pub plain: u32,
    pub verified: Option<i64>,
    pub verify_after: Option<i64>,
    pub attempts: u32,
    pub date_moved: bool,
    pub tag_moved: bool,
    pub probed: Option<i64>,
    pub pause_days: u16,
    pub liar: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MoveV1 {
    pub target: String,
    pub seen: u32,
    pub since: i64,
}

impl PollV1 {
    /// The record of `state`, with the ring's places of `self`.
    pub(crate) fn with(&self, state: &PollState) -> Self {
        Self {
            audits: self.audits,
            exchanges: self.exchanges,
            next: seconds(state.schedule.next),
            set_at: state.schedule.set_at.0,
            why: state.schedule.why,
            streak: state.schedule.streak,
            failures: state.schedule.failures,
            last: state.last.as_ref().map(|last| LastV1 {
                at: last.at.0,
                status: last.status,
                outcome: last.outcome.clone(),
            }),
            counters: CountersV1::from(&state.counters),
            body_hash: state.body_hash,
            entries_hash: state.entries_hash,
            answered_by: state.answered_by.clone(),
            full_wire: state.full_wire,
            full_decoded: state.full_decoded,
            hints: HintsV1::from(&state.hints),
            newest: seconds(state.newest),
            median_gap: state.median_gap,
            efficacy: EfficacyV1::from(&state.efficacy),
            moving: state.moving.as_ref().map(|moving| MoveV1 {
                target: moving.target.clone(),
                seen: moving.seen,
                since: moving.since.0,
            }),
            off: state.off,
            parser: state.parser,
            moves: state.moves.iter().map(MovedV1::from).collect(),
            missing: state.missing,
            missing_since: seconds(state.missing_since),
            reparse_after: seconds(state.reparse_after),
        }
    }

    pub(crate) const fn schedule(&self) -> Schedule {
        Schedule {
            next: time(self.next),
            set_at: Timestamp(self.set_at),
            why: self.why,
            streak: self.streak,
            failures: self.failures,
        }
    }

    pub(crate) fn last(&self) -> Option<LastAnswer> {
        self.last.as_ref().map(|last| LastAnswer {
            at: Timestamp(last.at),
            status: last.status,
            outcome: last.outcome.clone(),
        })
    }

    pub(crate) fn moving(&self) -> Option<PermanentMove> {
        self.moving.as_ref().map(|moving| PermanentMove {
            target: moving.target.clone(),
            seen: moving.seen,
            since: Timestamp(moving.since),
        })
    }

    pub(crate) fn moves(&self) -> Vec<Moved> {
        self.moves.iter().map(MovedV1::model).collect()
    }

    pub(crate) fn model(&self) -> PollState {
        PollState {
            schedule: self.schedule(),
            last: self.last(),
            counters: self.counters.model(),
            body_hash: self.body_hash,
            entries_hash: self.entries_hash,
            answered_by: self.answered_by.clone(),
            full_wire: self.full_wire,
            full_decoded: self.full_decoded,
            hints: self.hints.model(),
            newest: time(self.newest),
            median_gap: self.median_gap,
            efficacy: self.efficacy.model(),
            moving: self.moving(),
            off: self.off,
            parser: self.parser,
            moves: self.moves(),
            missing: self.missing,
            missing_since: time(self.missing_since),
            reparse_after: time(self.reparse_after),
        }
    }
}

/// Part of `polls`: a permanent move that was believed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MovedV1 {
    pub from: String,
    pub to: String,
    pub at: i64,
    pub undone: bool,
}

impl From<&Moved> for MovedV1 {
    fn from(moved: &Moved) -> Self {
        Self {
            from: moved.from.clone(),
            to: moved.to.clone(),
            at: moved.at.0,
            undone: moved.undone,
        }
    }
}

impl MovedV1 {
    fn model(&self) -> Moved {
        Moved {
            from: self.from.clone(),
            to: self.to.clone(),
            at: Timestamp(self.at),
            undone: self.undone,
        }
    }
}

impl From<&Hints> for HintsV1 {
    fn from(hints: &Hints) -> Self {
        Self {
            max_age: hints.max_age,
            expires: hints.expires,
            ttl: hints.ttl,
            update_period: hints.update_period,
            skip_hours: hints.skip_hours,
            skip_days: hints.skip_days,
        }
    }
}

impl HintsV1 {
    pub(crate) const fn model(self) -> Hints {
        Hints {
            max_age: self.max_age,
            expires: self.expires,
            ttl: self.ttl,
            update_period: self.update_period,
            skip_hours: self.skip_hours,
            skip_days: self.skip_days,
        }
    }
}

impl From<&Efficacy> for EfficacyV1 {
    fn from(efficacy: &Efficacy) -> Self {
        Self {
            mode: efficacy.mode,
            identical: efficacy.identical,
            not_modified: efficacy.not_modified,
            not_modified_since: seconds(efficacy.not_modified_since),
            plain: efficacy.plain,
            verified: seconds(efficacy.verified),
            verify_after: seconds(efficacy.verify_after),
            attempts: efficacy.attempts,
            date_moved: efficacy.date_moved,
            tag_moved: efficacy.tag_moved,
            probed: seconds(efficacy.probed),
            pause_days: efficacy.pause_days,
            liar: efficacy.liar,
        }
    }
}

impl EfficacyV1 {
    const fn model(self) -> Efficacy {
        Efficacy {
            mode: self.mode,
            identical: self.identical,
            not_modified: self.not_modified,
            not_modified_since: time(self.not_modified_since),
            plain: self.plain,
            verified: time(self.verified),
            verify_after: time(self.verify_after),
            attempts: self.attempts,
            date_moved: self.date_moved,
            tag_moved: self.tag_moved,
            probed: time(self.probed),
            pause_days: self.pause_days,
            liar: self.liar,
        }
    }
}

/// `days`, and part of `polls`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct CountersV1 {
    pub ok200: u64,
    pub not_modified304: u64,
    pub identical200: u64,
    pub errors: u64,
    pub deferred: u64,
    pub conditional: u64,
    pub bytes: u64,
    pub bytes_saved: u64,
}

record!(CountersV1, "days");

impl From<&Counters> for CountersV1 {
    fn from(counters: &Counters) -> Self {
        Self {
            ok200: counters.ok200,
            not_modified304: counters.not_modified304,
            identical200: counters.identical200,
            errors: counters.errors,
            deferred: counters.deferred,
            conditional: counters.conditional,
            bytes: counters.bytes,
            bytes_saved: counters.bytes_saved,
        }
    }
}

impl CountersV1 {
    pub(crate) const fn model(self) -> Counters {
        Counters {
            ok200: self.ok200,
            not_modified304: self.not_modified304,
            identical200: self.identical200,
            errors: self.errors,
            deferred: self.deferred,
            conditional: self.conditional,
            bytes: self.bytes,
            bytes_saved: self.bytes_saved,
        }
    }
}

/// `validators`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct ValidatorsV1<'a> {
    #[serde(borrow)]
    pub etag: Option<&'a [u8]>,
    #[serde(borrow)]
    pub last_modified: Option<&'a [u8]>,
}

record!(ValidatorsV1<'a>, "validators");

impl<'a> From<&'a Validators> for ValidatorsV1<'a> {
    fn from(validators: &'a Validators) -> Self {
        Self {
            etag: validators.etag.as_deref(),
            last_modified: validators.last_modified.as_deref(),
        }
    }
}

impl ValidatorsV1<'_> {
    pub(crate) fn model(&self) -> Validators {
        Validators {
            etag: self.etag.map(<[u8]>::to_vec),
            last_modified: self.last_modified.map(<[u8]>::to_vec),
        }
    }
}
