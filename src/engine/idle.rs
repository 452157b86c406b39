//! How the work for idle hours stands.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// So long after the last command or poll nothing is going on.
pub(super) const QUIET: Duration = Duration::from_secs(2);

/// How the work for idle hours stands.
#[derive(Debug)]
pub(super) struct Idle {
    /// A part is being made.
    pub(super) busy: Arc<AtomicBool>,
    /// Something more urgent came: the part is dropped.
    pub(super) stop: Arc<AtomicBool>,
    /// Since when nothing has been going on.
    pub(super) since: Instant,
    /// Blocks there were when there was last too little to do.
    pub(super) enough: Arc<AtomicU64>,
}

impl Default for Idle {
    fn default() -> Self {
        Self {
            busy: Arc::default(),
            stop: Arc::default(),
            since: Instant::now(),
            enough: Arc::default(),
        }
    }
}

impl Idle {
    /// Somebody wants something.
    pub(super) fn disturb(&mut self) {
        self.since = Instant::now();
        self.stop.store(true, Ordering::Relaxed);
    }
}
