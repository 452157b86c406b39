//! What is known of pushes: whether this process listens, the subscriptions, what is under way.

use std::collections::HashMap;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::callback::{Call, Listener};
use crate::files::PushLock;
use crate::model::{FeedId, Timestamp};
use crate::push::Push;

use super::delivery::{Judged, Stored};

/// A subscription at a hub.
pub(super) struct Sub {
    pub(super) feed: FeedId,
    pub(super) push: Push,
    /// A request to the hub is under way.
    pub(super) asking: bool,
}

/// The door is open.
pub(super) struct Listening {
    pub(super) calls: mpsc::Receiver<Call>,
    pub(super) _door: Listener,
    pub(super) _lock: PushLock,
}

/// Something happened.
pub(in super::super) enum Stir {
    /// At the door.
    Call(Call),
    /// What was begun because of that has ended.
    Done(Done),
}

/// How a task ended.
pub(in super::super) enum Done {
    /// Whoever had to be answered was.
    Answered,
    /// A delivery was judged and read.
    Judged(Box<Judged>),
    /// A delivery is on disk.
    Stored(Box<Stored>),
}

/// What is known of pushes.
pub(in super::super) struct Pushes {
    pub(super) listening: Option<Listening>,
    /// When to try to listen.
    pub(super) again: Instant,
    /// Another process listens.
    pub(super) elsewhere: bool,
    /// The trouble with the address was told.
    pub(super) told: bool,
    /// By the path of the callback.
    pub(super) subs: HashMap<String, Sub>,
    /// The one of each feed that is not being left.
    pub(super) by_feed: HashMap<FeedId, String>,
    /// When the first of them wants something.
    pub(super) due: Timestamp,
    pub(super) asking: usize,
    pub(super) tasks: JoinSet<Done>,
}

impl Default for Pushes {
    fn default() -> Self {
        Self {
            listening: None,
            again: Instant::now(),
            elsewhere: false,
            told: false,
            subs: HashMap::new(),
            by_feed: HashMap::new(),
            due: Timestamp(i64::MAX),
            asking: 0,
            tasks: JoinSet::new(),
        }
    }
}

impl Pushes {
    /// What happens next; for ever, where nobody listens here.
    pub(in super::super) async fn next(&mut self) -> Stir {
        loop {
            let calls = async {
                match &mut self.listening {
                    Some(listening) => listening.calls.recv().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                Some(call) = calls => return Stir::Call(call),
                Some(done) = self.tasks.join_next(), if !self.tasks.is_empty() => {
                    // One that panicked was logged; whoever waited for it was answered by the door.
                    if let Ok(done) = done {
                        return Stir::Done(done);
                    }
                }
                else => return std::future::pending().await,
            }
        }
    }

    /// This process or another listens.
    pub(in super::super) const fn listens(&self) -> bool {
        self.listening.is_some() || self.elsewhere
    }

    /// The subscription of a feed is to be looked at.
    pub(super) fn hurry(&mut self, at: Timestamp) {
        self.due = self.due.min(at);
    }
}
