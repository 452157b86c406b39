//! A feed under test: its record between polls, and a server whose answers are written by hand.

use std::time::Duration;

use crate::model::{
    Answer, Body, ErrorKind, HeaderList, Hop, HostState, Pace, PollError, PollSettings, PollState,
    Subscription, Timestamp, Validators,
};
use crate::poll::{
    Asked, Conclusion, Ending, Facts, Known, Plan, Verdict, Wishes, address, asks_delta, conclude,
    judge, plan, same_body, validators_for,
};

pub(super) const A: &str = "https://a.example/feed";
pub(super) const B: &str = "https://b.example/feed";
pub(super) const NOW: Timestamp = Timestamp(1_796_047_200);
pub(super) const MINUTE: i64 = 60;
pub(super) const HOUR: i64 = 3600;
pub(super) const DAY: i64 = 24 * HOUR;

/// One feed and what is remembered of it.
#[derive(Debug)]
pub(super) struct Bench {
    pub(super) now: Timestamp,
    pub(super) state: PollState,
    pub(super) host: HostState,
    pub(super) subscription: Subscription,
    pub(super) validators: Vec<(String, Validators)>,
    pub(super) settings: PollSettings,
    pub(super) parser: u16,
    pub(super) pace: Pace,
    pub(super) chance: f64,
    /// A cursor was sent and taken (R77).
    pub(super) newer: bool,
}

/// What a server says to one request.
#[derive(Clone)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) fields: Vec<(String, Vec<u8>)>,
    pub(super) body: u8,
    pub(super) hops: Vec<Hop>,
    pub(super) new: u32,
    pub(super) updated: u32,
    pub(super) dates: Vec<Timestamp>,
    pub(super) wishes: Wishes,
    pub(super) size: u64,
    pub(super) truncated: bool,
    pub(super) broken: Option<ErrorKind>,
}

impl Reply {
    pub(super) fn new(status: u16, fields: &[(&str, &str)]) -> Self {
        Self {
            status,
            fields: fields
                .iter()
                .map(|(n, v)| ((*n).to_owned(), v.as_bytes().to_vec()))
                .collect(),
            body: 1,
            hops: Vec::new(),
            new: 0,
            updated: 0,
            dates: Vec::new(),
            wishes: Wishes::default(),
            size: 1000,
            truncated: false,
            broken: None,
        }
    }

    pub(super) fn ok(fields: &[(&str, &str)]) -> Self {
        Self::new(200, fields)
    }

    pub(super) fn not_modified(fields: &[(&str, &str)]) -> Self {
        Self::new(304, fields)
    }

    /// Body number `body` with `new` new entries.
    pub(super) fn with(mut self, body: u8, new: u32) -> Self {
        self.body = body;
        self.new = new;
        self
    }

    pub(super) fn via(mut self, hops: &[(&str, u16, &str)]) -> Self {
        self.hops = hops
            .iter()
            .map(|(from, status, to)| Hop {
                from: (*from).to_owned(),
                status: *status,
                to: (*to).to_owned(),
            })
            .collect();
        self
    }

    pub(super) fn broken(kind: ErrorKind) -> Self {
        let mut reply = Self::ok(&[]);
        reply.broken = Some(kind);
        reply
    }
}

impl Bench {
    pub(super) fn new() -> Self {
        Self {
            now: NOW,
            state: PollState::default(),
            host: HostState::default(),
            subscription: Subscription {
                url: A.to_owned(),
                ..Subscription::default()
            },
            validators: Vec::new(),
            settings: PollSettings::default(),
            parser: 1,
            pace: Pace::Scheduled,
            chance: 0.0,
            newer: false,
        }
    }

    pub(super) fn known(&self) -> Known<'_> {
        Known {
            now: self.now,
            state: &self.state,
            host: &self.host,
            subscription: &self.subscription,
            validators: &self.validators,
            settings: &self.settings,
            parser: self.parser,
        }
    }

    pub(super) fn plan(&self) -> Plan {
        plan(self.pace, &self.known())
    }

    /// What would be sent now to `url`: both validators as text.
    pub(super) fn sends(&self, url: &str) -> (Option<String>, Option<String>) {
        let sent = validators_for(url, self.pace, &self.known());
        let text = |v: Option<Vec<u8>>| v.map(|v| String::from_utf8_lossy(&v).into_owned());
        (text(sent.etag), text(sent.last_modified))
    }

    pub(super) fn is_plain(&self) -> bool {
        self.sends(A) == (None, None)
    }

    /// Moves the clock to the next poll.
    pub(super) fn wait(&mut self) {
        self.now = self.state.schedule.next.expect("polling is on");
    }

    /// Seconds to the next poll.
    pub(super) fn ahead(&self) -> i64 {
        self.state
            .schedule
            .next
            .expect("polling is on")
            .since(self.now)
    }

    /// One poll, as the engine does it, committed.
    pub(super) fn poll(&mut self, reply: &Reply) -> Conclusion {
        let url = match reply.hops.last() {
            Some(hop) => hop.to.clone(),
            None => address(&self.state, &self.subscription.url).to_owned(),
        };
        let sent = validators_for(&url, self.pace, &self.known());
        let asks = asks_delta(&sent, &self.known());
        let im = asks.then(|| ("a-im".to_owned(), b"feed".to_vec()));
        let answer = Answer {
            url,
            status: reply.status,
            sent: HeaderList::from_iter(im),
            headers: reply.fields.iter().cloned().collect(),
            body: Body::default(),
            at: self.now,
            took: Duration::ZERO,
        };
        let verdict = judge(&answer, !sent.is_empty());
        let full = reply.broken.is_none() && matches!(verdict, Verdict::Parse);
        let asked = Asked {
            pace: self.pace,
            hops: &reply.hops,
            sent,
            answer: (reply.broken.is_none() || reply.size == 0).then_some(&answer),
            wire: if full { reply.size } else { 0 },
            decoded: if full { reply.size * 3 } else { 0 },
            newer: self.newer,
            pushed: None,
        };
        let broken = reply.broken.map(|kind| PollError::new(kind, ""));
        let hash = [reply.body; 32];
        let ending = match (&broken, &verdict) {
            (Some(error), _) | (None, Verdict::Failed(error)) => Ending::Failed(error),
            (None, Verdict::NotModified) => Ending::NotModified,
            (None, Verdict::Throttled) => Ending::Throttled,
            (None, Verdict::Gone) => Ending::Gone,
            (None, Verdict::Redirect) => panic!("the bench follows by `via`"),
            (None, Verdict::Parse) if same_body(hash, &self.known()) => {
                Ending::Identical { body_hash: hash }
            }
            (None, Verdict::Parse) => Ending::Parsed(Facts {
                body_hash: hash,
                entries_hash: [reply.body / 10; 32],
                truncated: reply.truncated,
                new: reply.new,
                updated: reply.updated,
                wishes: reply.wishes,
                dates: &reply.dates,
            }),
        };
        let done = conclude(&ending, &asked, &self.known(), self.chance);
        self.commit(&done);
        done
    }

    /// Writes a conclusion down as the store does.
    pub(super) fn commit(&mut self, done: &Conclusion) {
        self.state = done.state.clone();
        self.host = done.host.clone();
        for (url, pair) in &done.validators {
            self.validators.retain(|(known, _)| known != url);
            self.validators
                .extend(pair.clone().map(|pair| (url.clone(), pair)));
        }
    }
}
