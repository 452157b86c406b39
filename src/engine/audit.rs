//! A poll as one small record of the audit ring (R74).

use sha2::{Digest as _, Sha256};

use crate::config;
use crate::model::{
    AuditRecord, Content, ErrorKind, Outcome, OutcomeCode, Pace, Schedule, Shot, Timestamp,
    Validators,
};

use super::digest::Digest;
use super::job::Fetched;

/// The first four bytes of SHA-256; 0 stands for no value.
fn short_hash(value: Option<&[u8]>) -> u32 {
    value.map_or(0, |value| {
        let hash = Sha256::digest(value);
        u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]).max(1)
    })
}

const fn code(outcome: &Outcome) -> OutcomeCode {
    match outcome {
        Outcome::NotModified => OutcomeCode::NotModified,
        Outcome::Unchanged => OutcomeCode::Unchanged,
        Outcome::Changed { .. } => OutcomeCode::Changed,
        Outcome::Deferred { .. } => OutcomeCode::Deferred,
        Outcome::Gone => OutcomeCode::Gone,
        Outcome::Failed(error) => OutcomeCode::Failed(error.kind),
    }
}

/// The record of a deferral: nothing was sent.
pub fn deferral(at: Timestamp, url: &str, pace: Pace, schedule: &Schedule) -> AuditRecord {
    AuditRecord {
        at,
        times: 1,
        status: 0,
        hops: Vec::new(),
        url_hash: short_hash(Some(url.as_bytes())),
        sent_etag: 0,
        sent_date: 0,
        got_etag: 0,
        got_date: 0,
        wire: 0,
        decoded: 0,
        ms: 0,
        new: 0,
        updated: 0,
        outcome: OutcomeCode::Deferred,
        next: schedule.next,
        why: schedule.why,
        pace,
    }
}

/// The records of a probe: the schedule stands in them as it was, for a probe changes none. `known` is the content that
/// was stored, and that schedule.
pub fn of_probe(shots: &[Shot], known: (Option<Content>, &Schedule)) -> Vec<AuditRecord> {
    let (mut content, schedule) = known;
    let record = |shot: &Shot| {
        let outcome = match (shot.status, shot.content) {
            _ if shot.wait_until.is_some() => OutcomeCode::Deferred,
            (304, _) if shot.error.is_none() => OutcomeCode::NotModified,
            (_, Some(found)) if content.is_some_and(|known| known.is_same(&found)) => {
                OutcomeCode::Unchanged
            }
            (_, Some(_)) => OutcomeCode::Changed,
            (410, None) => OutcomeCode::Gone,
            (_, None) if shot.location.is_some() => OutcomeCode::Failed(ErrorKind::Redirect),
            (_, None) => OutcomeCode::Failed(ErrorKind::Status),
        };
        content = shot.content.or(content);
        AuditRecord {
            status: shot.status,
            sent_etag: short_hash(shot.sent.etag.as_deref()),
            sent_date: short_hash(shot.sent.last_modified.as_deref()),
            got_etag: short_hash(shot.got.etag.as_deref()),
            got_date: short_hash(shot.got.last_modified.as_deref()),
            wire: shot.wire,
            decoded: shot.decoded,
            ms: shot.ms,
            outcome,
            ..deferral(shot.at, &config::masked(&shot.url), Pace::Probe, schedule)
        }
    };
    shots.iter().map(record).collect()
}

/// The record of an older page, `new` entries of which were never seen: the schedule stands in it as it was.
pub fn of_older(
    fetched: &Fetched,
    new: Result<u32, ErrorKind>,
    schedule: &Schedule,
) -> AuditRecord {
    let answer = fetched.end.as_deref().ok();
    let last = fetched.exchanges.last();
    let url = last.map_or("", |exchange| exchange.url.as_str());
    AuditRecord {
        status: last.map_or(0, |exchange| exchange.status),
        hops: fetched.hops.iter().map(|hop| hop.status).collect(),
        wire: answer.map_or(fetched.wire, |answer| answer.body.wire),
        decoded: answer.map_or(0, |answer| answer.body.bytes.len() as u64),
        ms: fetched.ms,
        new: new.unwrap_or(0),
        outcome: match new {
            Ok(_) => OutcomeCode::Changed,
            Err(kind) => OutcomeCode::Failed(kind),
        },
        ..deferral(fetched.at, url, Pace::Older, schedule)
    }
}

/// The record of a poll.
pub fn record(fetched: &Fetched, digest: &Digest, pace: Pace) -> AuditRecord {
    let outcome = &digest.conclusion.outcome;
    let answer = fetched.end.as_deref().ok();
    let last = fetched.exchanges.last();
    let got = Validators {
        etag: answer
            .and_then(|a| a.headers.get("etag"))
            .map(<[u8]>::to_vec),
        last_modified: answer
            .and_then(|a| a.headers.get("last-modified"))
            .map(<[u8]>::to_vec),
    };
    AuditRecord {
        at: fetched.at,
        times: 1,
        status: answer.map_or_else(
            || last.map_or(0, |exchange| exchange.status),
            |answer| answer.status,
        ),
        hops: fetched.hops.iter().map(|hop| hop.status).collect(),
        url_hash: short_hash(last.map(|exchange| exchange.url.as_bytes())),
        sent_etag: short_hash(fetched.sent.etag.as_deref()),
        sent_date: short_hash(fetched.sent.last_modified.as_deref()),
        got_etag: short_hash(got.etag.as_deref()),
        got_date: short_hash(got.last_modified.as_deref()),
        wire: digest.conclusion.delta.bytes,
        decoded: digest.decoded,
        ms: fetched.ms,
        new: outcome.new_entries(),
        updated: outcome.updated_entries(),
        outcome: code(outcome),
        next: digest.conclusion.state.schedule.next,
        why: digest.conclusion.state.schedule.why,
        pace,
    }
}
