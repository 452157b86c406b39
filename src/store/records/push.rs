//! The rows of `topics` and `subscriptions`.

use serde::{Deserialize, Serialize};

use super::{Record, record};
use crate::model::Timestamp;
use crate::push::{Lease, Method, Mode, Pending, Push, Settled};

/// `topics`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TopicV1 {
    pub topic: String,
}

record!(TopicV1, "topics");

/// `subscriptions`. A mode: subscribe or not; a method: 0, 1, 2 for SHA-256, 384, 512.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PushV1 {
    pub topic: String,
    pub hubs: Vec<String>,
    pub turn: u32,
    pub moved: Option<String>,
    pub callback: String,
    pub path: String,
    pub secret: String,
    pub shared: bool,
    pub method: Option<u8>,
    /// When it was granted, and for how many seconds.
    pub lease: Option<(i64, i64)>,
    pub pending: Option<(bool, i64)>,
    pub settled: Option<(bool, i64)>,
    pub denied: Option<(i64, String)>,
    pub leaving: Option<i64>,
    pub failures: u32,
    pub not_before: Option<i64>,
    pub delivered: Option<i64>,
    pub deliveries: u64,
    pub refused: u64,
    pub owed: bool,
    pub latency: Option<i64>,
    pub seen: Vec<[u8; 16]>,
}

record!(PushV1, "subscriptions");

const METHODS: [Method; 3] = [Method::Sha256, Method::Sha384, Method::Sha512];

impl From<&Push> for PushV1 {
    fn from(push: &Push) -> Self {
        let subscribes = |mode: Mode| mode == Mode::Subscribe;
        let code = |method: &Method| METHODS.iter().position(|known| known == method);
        Self {
            topic: push.topic.clone(),
            hubs: push.hubs.clone(),
            turn: push.turn as u32,
            moved: push.moved.clone(),
            callback: push.callback.clone(),
            path: push.path.clone(),
            secret: push.secret.clone(),
            shared: push.shared,
            method: push.method.as_ref().and_then(code).map(|code| code as u8),
            lease: push.lease.map(|lease| (lease.since.0, lease.seconds)),
            pending: push
                .pending
                .map(|pending| (subscribes(pending.mode), pending.asked.0)),
            settled: push
                .settled
                .map(|settled| (subscribes(settled.mode), settled.at.0)),
            denied: push
                .denied
                .as_ref()
                .map(|(at, reason)| (at.0, reason.clone())),
            leaving: push.leaving.map(|at| at.0),
            failures: push.failures,
            not_before: push.not_before.map(|at| at.0),
            delivered: push.delivered.map(|at| at.0),
            deliveries: push.deliveries,
            refused: push.refused,
            owed: push.owed,
            latency: push.latency,
            seen: push.seen.clone(),
        }
    }
}

impl PushV1 {
    pub(crate) fn model(self) -> Push {
        let mode = |subscribes| {
            if subscribes {
                Mode::Subscribe
            } else {
                Mode::Unsubscribe
            }
        };
        Push {
            topic: self.topic,
            hubs: self.hubs,
            turn: self.turn as usize,
            moved: self.moved,
            callback: self.callback,
            path: self.path,
            secret: self.secret,
            shared: self.shared,
            method: self
                .method
                .and_then(|code| METHODS.get(usize::from(code)).copied()),
            lease: self.lease.map(|(since, seconds)| Lease {
                since: Timestamp(since),
                seconds,
            }),
            pending: self.pending.map(|(subscribes, asked)| Pending {
                mode: mode(subscribes),
                asked: Timestamp(asked),
            }),
            settled: self.settled.map(|(subscribes, at)| Settled {
                mode: mode(subscribes),
                at: Timestamp(at),
            }),
            denied: self.denied.map(|(at, reason)| (Timestamp(at), reason)),
            leaving: self.leaving.map(Timestamp),
            failures: self.failures,
            not_before: self.not_before.map(Timestamp),
            delivered: self.delivered.map(Timestamp),
            deliveries: self.deliveries,
            refused: self.refused,
            owed: self.owed,
            latency: self.latency,
            seen: self.seen,
        }
    }
}
