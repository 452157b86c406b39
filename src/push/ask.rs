//! What a hub is asked, when, and what its answer means.

use url::Url;
use url::form_urlencoded::Serializer;

use super::state::{Mode, Pending, Push, is_private};
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

/// What is to be done at `now`, and the state to store first. `callback` is the setting: where it has changed since the hub
/// was told, the hub is asked anew.
pub fn next(mut push: Push, callback: &str, now: Timestamp) -> (Push, Act) {
    let here = callback_of(callback, &push.path).unwrap_or_default();
    if push.leaving.is_none() && push.callback != here {
        push.callback = here;
        push.lease = None;
        push.pending = None;
    }
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
        push.shared = push.is_private();
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

/// The callback of a subscription: the setting, and the path that nobody can guess. `None` when the setting is no URL.
pub fn callback_of(setting: &str, path: &str) -> Option<String> {
    let mut url = Url::parse(setting).ok()?;
    url.path_segments_mut().ok()?.pop_if_empty().push(path);
    Some(url.into())
}

/// The body of the request (WebSub 5.1), `application/x-www-form-urlencoded`.
pub fn form(push: &Push, mode: Mode) -> String {
    let mut form = Serializer::new(String::new());
    form.append_pair("hub.callback", &push.callback)
        .append_pair("hub.mode", mode.word())
        .append_pair("hub.topic", &push.topic);
    if mode == Mode::Subscribe {
        form.append_pair("hub.lease_seconds", &LEASE.to_string());
        // Over http everybody on the way could read it, and sign.
        if push.is_private() {
            form.append_pair("hub.secret", &push.secret);
        }
    }
    form.finish()
}

/// What came of a request to a hub, redirects followed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HubAnswer {
    /// The last status; `None` when there was no answer.
    pub status: Option<u16>,
    /// `Retry-After` of it, in seconds.
    pub patience: Option<i64>,
    /// Where the hub has moved to for good.
    pub moved: Option<String>,
}

/// The next hop of a request to a hub. A request is a POST and stays one (WebSub 5.1 names 307 and 308; of 301 and 302 nothing
/// else makes sense). 308 and 301 rename the hub as long as nothing but they came before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trail {
    /// What is asked.
    pub url: String,
    /// Where the hub is for good, as far as is known.
    pub moved: Option<String>,
    hops: u32,
    permanent: bool,
}

/// A request is sent on at most so often.
const HOPS: u32 = 5;

impl Trail {
    /// Begins at the hub.
    pub fn new(hub: &str) -> Self {
        Self {
            url: hub.to_owned(),
            moved: None,
            hops: 0,
            permanent: true,
        }
    }

    /// Goes where an answer with this status leads; `None` when it leads nowhere. Never from https to http, where the secret
    /// would be read.
    #[must_use]
    pub fn follow(mut self, status: u16, location: Option<&str>) -> Option<Self> {
        if !matches!(status, 301 | 302 | 307 | 308) || self.hops >= HOPS {
            return None;
        }
        let asked = Url::parse(&self.url).ok()?;
        let there = asked.join(location?).ok()?;
        let plain = there.username().is_empty() && there.password().is_none();
        let web = matches!(there.scheme(), "http" | "https") && there.has_host();
        let there: String = there.into();
        if !plain || !web || (is_private(&self.url) && !is_private(&there)) {
            return None;
        }
        self.hops += 1;
        self.permanent &= matches!(status, 301 | 308);
        if self.permanent {
            self.moved = Some(there.clone());
        }
        self.url = there;
        Some(self)
    }
}

/// Judges the hub's answer, whatever its body says. A 2xx is an acceptance: only the verification counts, and old hubs say 204
/// or 200 where 202 is right.
pub fn answered(mut push: Push, answer: &HubAnswer, now: Timestamp) -> Push {
    if let Some(moved) = &answer.moved {
        push.moved = Some(moved.clone());
    }
    let accepted = matches!(answer.status, Some(200..=299));
    // The verification may have come all the same, before the answer that says that it failed.
    if !accepted && push.pending.is_some() {
        push = failed(push, now, answer.patience);
    }
    push
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
        push.moved = None;
        push.method = None;
        push.shared = false;
    }
    push
}

/// Until when pushes can be relied upon; `None` where they cannot, and the topic is polled as without a hub (R79).
pub fn relied_until(push: &Push, now: Timestamp) -> Option<Timestamp> {
    push.is_active(now)
        .then(|| push.lease.map(super::state::Lease::until))
        .flatten()
}
