//! A look at the store that serves many starts: beginning a read transaction for each would cost more than the reading.

use std::time::Duration;

use tokio::time::Instant;

use crate::store::{Snapshot, Store, StoreError};

/// What another process writes meanwhile is overlooked for so long: less than a request takes.
const AGE: Duration = Duration::from_millis(10);

/// The last look, as long as it is good.
#[derive(Default)]
pub(super) struct Glance {
    kept: Option<(Snapshot, Instant)>,
}

impl Glance {
    /// The store as it was at most a few milliseconds ago, and after the last `forget`.
    pub(super) fn at(&mut self, store: &Store, now: Instant) -> Result<&Snapshot, StoreError> {
        let kept = match self.kept.take() {
            Some((snapshot, since)) if now.duration_since(since) < AGE => (snapshot, since),
            _ => (store.snapshot()?, now),
        };
        Ok(&self.kept.insert(kept).0)
    }

    /// This process has written: look again.
    pub(super) fn forget(&mut self) {
        self.kept = None;
    }

    /// When what is kept is good for nothing any more, and only keeps room on disk.
    pub(super) fn wake(&self) -> Option<Instant> {
        self.kept.as_ref().map(|(_, since)| *since + AGE)
    }

    /// Lets go of what is too old.
    pub(super) fn expire(&mut self, now: Instant) {
        if self.wake().is_some_and(|at| at <= now) {
            self.forget();
        }
    }
}
