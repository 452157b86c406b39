//! What a hub asks at the callback (WebSub 5.2, 5.3): does the subscriber want this?

use url::form_urlencoded;

use super::ask::failed;
use super::state::{Lease, Mode, Push, Settled};
use crate::model::Timestamp;

const DAY: i64 = 24 * 3600;
/// A hub whose connection broke may ask again so long.
const AGAIN: i64 = 3600;
/// Longer leases are held to this: hubs forget, and a clock may be wrong.
const LEASE_MAX: i64 = 30 * DAY;
/// Shorter ones would only cost requests. 0 is among them.
const LEASE_MIN: i64 = 600;
/// No challenge is longer.
const CHALLENGE_MAX: usize = 1024;
/// No more of a reason is kept, in characters.
const REASON_MAX: usize = 200;

/// What to answer, and what to store first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// 200 with this challenge as body, once the state is stored.
    Echo(String, Box<Push>),
    /// 200 with no body: the hub says that it will not push.
    Denied(Box<Push>),
    /// 404: the lease is of no use; the hub is asked again later, or another.
    Useless(Box<Push>),
    /// 404: nobody asked for this. Nothing changes.
    NotFound,
}

struct Asked {
    mode: String,
    topic: String,
    challenge: String,
    lease: Option<i64>,
    reason: String,
}

/// Judges the query of a GET at the callback of `push`. Only what is pending is confirmed, with mode and topic byte for byte
/// (R79). A confirmation within the last hour is given once more, and changes nothing.
pub fn verify(push: &Push, query: &str, now: Timestamp) -> Verdict {
    let asked = read(query);
    if asked.topic != push.topic {
        return Verdict::NotFound;
    }
    if asked.mode == "denied" {
        return denied(push, &asked.reason, now);
    }
    let well = !asked.challenge.is_empty() && asked.challenge.len() <= CHALLENGE_MAX;
    let mode = [Mode::Subscribe, Mode::Unsubscribe]
        .into_iter()
        .find(|mode| mode.word() == asked.mode);
    let Some(mode) = mode.filter(|_| well) else {
        return Verdict::NotFound;
    };
    if push.pending.is_some_and(|pending| pending.mode == mode) {
        return confirmed(push, mode, asked, now);
    }
    let again = push
        .settled
        .is_some_and(|settled| settled.mode == mode && (0..AGAIN).contains(&now.since(settled.at)));
    // Who has left since does not confirm that it came.
    if again && !(mode == Mode::Subscribe && push.leaving.is_some()) {
        return Verdict::Echo(asked.challenge, Box::new(push.clone()));
    }
    Verdict::NotFound
}

fn confirmed(push: &Push, mode: Mode, asked: Asked, now: Timestamp) -> Verdict {
    let mut push = push.clone();
    if mode == Mode::Unsubscribe {
        push.lease = None;
    } else {
        // Without the number, which is required, or with one of no use: no lease that could be relied upon.
        let Some(seconds) = asked.lease.filter(|seconds| *seconds >= LEASE_MIN) else {
            return Verdict::Useless(Box::new(failed(push, now, None)));
        };
        push.lease = Some(Lease {
            since: now,
            seconds: seconds.min(LEASE_MAX),
        });
    }
    push.pending = None;
    push.settled = Some(Settled { mode, at: now });
    push.failures = 0;
    push.not_before = None;
    Verdict::Echo(asked.challenge, Box::new(push))
}

/// A denial may come at any time, also of a lease that holds (5.2). It is believed of what tidings has asked alone.
fn denied(push: &Push, reason: &str, now: Timestamp) -> Verdict {
    if push.pending.is_none() && push.lease.is_none() {
        return Verdict::NotFound;
    }
    let mut push = push.clone();
    push.pending = None;
    push.lease = None;
    push.settled = None;
    let reason = reason.chars().filter(|c| !c.is_control());
    push.denied = Some((now, reason.take(REASON_MAX).collect()));
    Verdict::Denied(Box::new(push))
}

/// The first of each name counts.
fn read(query: &str) -> Asked {
    let mut asked = Asked {
        mode: String::new(),
        topic: String::new(),
        challenge: String::new(),
        lease: None,
        reason: String::new(),
    };
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let place = match &*name {
            "hub.mode" => &mut asked.mode,
            "hub.topic" => &mut asked.topic,
            "hub.challenge" => &mut asked.challenge,
            "hub.reason" => &mut asked.reason,
            "hub.lease_seconds" => {
                // More digits than a number holds are a lease beyond all bounds.
                let digits = !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
                let seconds = digits.then(|| value.parse().unwrap_or(i64::MAX));
                asked.lease = asked.lease.or(seconds);
                continue;
            }
            _ => continue,
        };
        if place.is_empty() {
            *place = value.into_owned();
        }
    }
    asked
}
