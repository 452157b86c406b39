//! What a hub is asked, when, and what its answer means.

use std::time::Duration;

use url::Url;
use url::form_urlencoded::Serializer;

use super::state::{Mode, Pending, Push};
use crate::model::Timestamp;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// The lease that is asked for.
const LEASE: i64 = 10 * DAY;
/// A hub that has not verified by then never will: hubs verify within seconds, the worst within hours.
const PATIENCE: i64 = DAY;
/// After a denial nothing is asked.
const DENIED: i64 = 7 * DAY;
/// A hub that does not let go is asked so long; then its lease may end by itself, deliveries find 404 (WebSub 5.3: a hub may
/// drop who does not answer with 2xx).
const FAREWELL: i64 = 3 * DAY;
/// After failures: an hour, doubled each time, at most a day.
const FIRST_PAUSE: i64 = HOUR;
/// The safety net while pushes come (R79).
const NET: Duration = Duration::from_secs(DAY as u64);

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Nothing before then.
    Rest(Timestamp),
    /// The hub is to be asked. `pending` and the new state are stored before the request leaves: a hub may verify before it
    /// answers.
    Ask(Mode),
    /// Nothing is left of the subscription: the record goes.
    Forget,
}

/// What is to be done at `now`, and the state to store first.
pub fn next(mut push: Push, now: Timestamp) -> (Push, Act) {
    if let Some(pending) = push.pending {
        let waited = now.since(pending.asked);
        // A clock that was put back far makes the wait unknown.
        if (-HOUR..PATIENCE).contains(&waited) {
            return (push, Act::Rest(pending.asked.plus(PATIENCE)));
        }
        push = failed(push, now, None);
    }
    if let Some(since) = push.leaving {
        let holds = push.lease.is_some_and(|lease| lease.holds(now));
        if !holds || !(-HOUR..FAREWELL).contains(&now.since(since)) {
            return (push, Act::Forget);
        }
        return go(push, Mode::Unsubscribe, now);
    }
    if let Some((at, _)) = push.denied {
        if (-HOUR..DENIED).contains(&now.since(at)) {
            return (push, Act::Rest(at.plus(DENIED)));
        }
        push.denied = None;
    }
    match push.lease {
        Some(lease) if lease.holds(now) && now < lease.renew_at() => {
            (push, Act::Rest(lease.renew_at()))
        }
        _ => go(push, Mode::Subscribe, now),
    }
}

fn go(mut push: Push, mode: Mode, now: Timestamp) -> (Push, Act) {
    // A pause longer than the longest is of a clock that was put back.
    if let Some(at) = push
        .not_before
        .filter(|at| (1..=2 * DAY).contains(&at.since(now)))
    {
        return (push, Act::Rest(at));
    }
    push.not_before = None;
    push.pending = Some(Pending { mode, asked: now });
    if mode == Mode::Subscribe {
        push.shared = push.hub().starts_with("https://");
    }
    (push, Act::Ask(mode))
}

/// The feed is gone or no longer wants pushes: the hub is told. `true`: the record may go at once, no hub knows of it.
pub fn leave(mut push: Push, now: Timestamp) -> (Push, bool) {
    let known = push.lease.is_some() || push.pending.is_some();
    push.leaving = push.leaving.or(Some(now));
    // What was asked before is not wanted any more: its verification finds 404.
    if push
        .pending
        .is_some_and(|pending| pending.mode == Mode::Subscribe)
    {
        push.pending = None;
    }
    push.not_before = None;
    (push, !known)
}

/// The body of the request (WebSub 5.1), `application/x-www-form-urlencoded`. `callback` is the setting, without the path of
/// the subscription. `None` when it is no URL.
pub fn form(push: &Push, mode: Mode, callback: &str) -> Option<String> {
    let mut url = Url::parse(callback).ok()?;
    url.path_segments_mut()
        .ok()?
        .pop_if_empty()
        .push(&push.path);
    let mut form = Serializer::new(String::new());
    form.append_pair("hub.callback", url.as_str())
        .append_pair("hub.mode", mode.word())
        .append_pair("hub.topic", &push.topic);
    if mode == Mode::Subscribe {
        form.append_pair("hub.lease_seconds", &LEASE.to_string());
        // Over http everybody on the way could read it, and sign.
        if push.hub().starts_with("https://") {
            form.append_pair("hub.secret", &push.secret);
        }
    }
    Some(form.finish())
}

/// What the hub's answer to a request comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answered {
    /// It will verify.
    Accepted,
    /// The same request is to be sent there, now: not more than five times in a row.
    Elsewhere(String),
    /// It will not, now.
    Failed,
}

/// Judges the status of the hub's answer, whatever its body says; `None` when there was no answer. `location` and `patience`
/// (Retry-After, seconds) as in the headers. 308 and 301 rename the hub, 307 and 302 do not. A 2xx is an acceptance: only
/// the verification counts, and old hubs say 204 or 200 where 202 is right.
pub fn answered(
    mut push: Push,
    status: Option<u16>,
    location: Option<&str>,
    patience: Option<i64>,
    now: Timestamp,
) -> (Push, Answered) {
    match status {
        Some(200..=299) => (push, Answered::Accepted),
        Some(code @ (301 | 302 | 307 | 308)) => {
            let there = location.and_then(|location| aim(push.hub(), location));
            let Some(there) = there else {
                return (failed(push, now, None), Answered::Failed);
            };
            if matches!(code, 301 | 308) {
                let turn = push.turn % push.hubs.len().max(1);
                if let Some(hub) = push.hubs.get_mut(turn) {
                    hub.clone_from(&there);
                }
            }
            (push, Answered::Elsewhere(there))
        }
        _ => {
            // The verification may have come all the same, before the answer that says that it failed.
            if push.pending.is_some() {
                push = failed(push, now, patience);
            }
            (push, Answered::Failed)
        }
    }
}

/// Where a redirect leads: never from https to http, where the secret would be read.
fn aim(hub: &str, location: &str) -> Option<String> {
    let hub = Url::parse(hub).ok()?;
    let there = hub.join(location).ok()?;
    let plain = there.username().is_empty() && there.password().is_none();
    let as_safe = there.scheme() == "https" || (there.scheme() == "http" && hub.scheme() == "http");
    (plain && as_safe && there.has_host()).then(|| there.into())
}

/// A request came to nothing: the next hub, later. A lease that still holds goes on, and so does its hub: renewal is asked
/// again where the lease was granted.
pub(super) fn failed(mut push: Push, now: Timestamp, patience: Option<i64>) -> Push {
    push.pending = None;
    push.failures = push.failures.saturating_add(1);
    let pause = FIRST_PAUSE << (push.failures - 1).min(5);
    let pause = pause.max(patience.unwrap_or(0)).min(DAY);
    push.not_before = Some(now.plus(pause));
    if !push.is_active(now) && push.leaving.is_none() {
        push.turn = (push.turn + 1) % push.hubs.len().max(1);
        push.method = None;
        push.shared = false;
    }
    push
}

/// How often the topic is polled besides: daily while pushes are relied upon, as without a hub (`None`) otherwise (R79).
pub fn poll_every(push: &Push, now: Timestamp) -> Option<Duration> {
    push.is_active(now).then_some(NET)
}
