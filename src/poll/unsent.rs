//! Changes to a record without a request that counts: deferrals, a machine that is offline, a feed revived.

use crate::model::{
    Counters, Efficacy, LastAnswer, Outcome, PollError, PollState, Schedule, Timestamp, Why,
};

use super::ending::Conclusion;
use super::plan::Known;
use super::schedule::{WEEK, believable, skip, span};

/// A feed whose host is held, nothing sent: deferred, and its next poll shows the hold (R39).
pub fn defer(until: Timestamp, known: &Known) -> Conclusion {
    let next = until.plus(spread(until, known));
    unsent(Outcome::Deferred { until }, next, Why::HostHold, known)
}

/// A feed whose host's hourly budget is spent, nothing sent (R72).
pub fn defer_for_budget(until: Timestamp, known: &Known) -> Conclusion {
    unsent(Outcome::Deferred { until }, until, Why::Budget, known)
}

/// A feed that moved to an address that another one is asked at, next at `other`: nothing is sent, for that one's
/// request answers for both (R65). `whose` is the other's URL, without credentials.
pub fn defer_to_twin(other: Option<Timestamp>, whose: &str, known: &Known) -> Conclusion {
    let soon = known.now.plus(span(known.settings.min));
    let until = other
        .unwrap_or(soon)
        .clamp(soon, known.now.plus(WEEK).max(soon));
    let mut done = unsent(Outcome::Deferred { until }, until, Why::Twin, known);
    // Also where it keeps a later time of its own: that time is not what it waits for.
    done.state.schedule.why = Why::Twin;
    done.warning = Some(format!(
        "it moved to where {whose} is asked, and is not asked besides; unsubscribe from one of the two"
    ));
    done
}

/// Since when a feed that is due waits for its turn on its host. One that was sent home for the budget waits since then,
/// not since the new time it was given: else whoever is asked often would be before it every hour (R72).
pub fn waits_since(schedule: &Schedule) -> Timestamp {
    match schedule.why {
        Why::Budget => schedule.set_at,
        _ => schedule.next.unwrap_or_default(),
    }
}

/// A poll that failed because this machine is offline: an error that does not count against the feed (R44).
/// A feed that was asked by hand before its time keeps its time.
pub fn conclude_offline(error: &PollError, until: Timestamp, known: &Known) -> Conclusion {
    let error = PollError::new(error.kind, "this machine seems to be offline");
    unsent(Outcome::Failed(error), until, Why::Offline, known)
}

/// 0 to 60 seconds after a hold, so that not everybody comes back in the same second. Mixed from the URL and the end of
/// the hold (FNV-1a): it must differ between feeds and between machines, not be secret, and be the same whenever the same
/// hold is met, so that equal deferrals are equal (R74).
fn spread(until: Timestamp, known: &Known) -> i64 {
    let until = until.0.to_le_bytes();
    let bytes = known.subscription.url.bytes().chain(until);
    let mixed = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    ((mixed >> 32) % 61) as i64
}

fn unsent(outcome: Outcome, next: Timestamp, why: Why, known: &Known) -> Conclusion {
    // Hours and days that the feed wants to be left alone in bind here too (R42).
    let allowed = skip(next, &known.state.hints, spread(next, known) as f64 / 60.0);
    let (next, why) = if allowed == next {
        (next, why)
    } else {
        (allowed, Why::Skip)
    };
    let mut state = known.state.clone();
    let delta = Counters {
        deferred: u64::from(matches!(outcome, Outcome::Deferred { .. })),
        ..Counters::default()
    };
    let schedule = &mut state.schedule;
    let stored = believable(schedule, known.now, known.settings);
    if stored.is_none_or(|stored| stored < next) {
        // Sent home for the budget again, a feed keeps its place in the queue (R72).
        let waits = why == Why::Budget && schedule.why == Why::Budget;
        schedule.set_at = if waits {
            schedule.set_at.min(known.now)
        } else {
            known.now
        };
        schedule.next = Some(next);
        schedule.why = why;
    }
    state.counters.add(&delta);
    state.last = Some(LastAnswer {
        at: known.now,
        status: None,
        outcome: outcome.clone(),
    });
    Conclusion {
        outcome,
        state,
        host: known.host.clone(),
        validators: Vec::new(),
        delta,
        warning: None,
    }
}

/// A person polls a gone or dead feed again: due at once, as if new, what is known kept (R49).
#[must_use]
pub fn enable(state: &PollState, now: Timestamp) -> PollState {
    let mut state = state.clone();
    state.off = None;
    state.missing = 0;
    state.missing_since = None;
    state.efficacy = Efficacy::default();
    state.schedule = Schedule {
        next: Some(now),
        set_at: now,
        ..Default::default()
    };
    state
}
