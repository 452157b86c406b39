//! The poll lock: whoever polls holds it for a batch, never while idle (R66). A state machine; time is an argument.

use std::time::Duration;

use tokio::time::Instant;

/// A batch starts no poll after this, and so ends within 80 seconds.
pub const STARTS_FOR: Duration = Duration::from_secs(20);
/// Between two batches the lock is left free for others.
pub const PAUSE: Duration = Duration::from_millis(300);
/// A waiter tries this often.
pub const RETRY: Duration = Duration::from_millis(50);

/// Where this process stands with the poll lock, `L` being the lock itself.
pub enum Batch<L> {
    /// Not held; not wanted before that time.
    Free {
        /// The end of the pause after the last batch.
        not_before: Option<Instant>,
    },
    /// Another process has it.
    Waiting {
        /// Since when.
        since: Instant,
    },
    /// Held.
    Polling {
        /// Dropped with the batch, which releases it.
        _lock: L,
        /// Since when.
        since: Instant,
    },
}

impl<L> Batch<L> {
    /// Nothing is held.
    pub const fn new() -> Self {
        Self::Free { not_before: None }
    }

    /// A poll may start now.
    pub fn may_start(&self, now: Instant) -> bool {
        matches!(self, Self::Polling { since, .. } if now.duration_since(*since) < STARTS_FOR)
    }

    /// The lock is held.
    pub const fn is_held(&self) -> bool {
        matches!(self, Self::Polling { .. })
    }

    /// It should be tried for now, given that somebody wants to poll.
    pub fn should_try(&self, now: Instant) -> bool {
        match self {
            Self::Free { not_before } => not_before.is_none_or(|at| at <= now),
            Self::Waiting { .. } => true,
            Self::Polling { .. } => false,
        }
    }

    /// The lock was had.
    pub fn acquired(&mut self, lock: L, now: Instant) {
        *self = Self::Polling {
            _lock: lock,
            since: now,
        };
    }

    /// Another has it. True when this is the first refusal: worth telling.
    pub fn refused(&mut self, now: Instant) -> bool {
        let first = !matches!(self, Self::Waiting { .. });
        if first {
            *self = Self::Waiting { since: now };
        }
        first
    }

    /// How long it has been waited for.
    pub fn waited(&self, now: Instant) -> Option<Duration> {
        match self {
            Self::Waiting { since } => Some(now.duration_since(*since)),
            _ => None,
        }
    }

    /// Nobody here wants to poll any more, or waiting is given up.
    pub fn give_up(&mut self) {
        *self = Self::new();
    }

    /// Releases the lock.
    pub fn release(&mut self, now: Instant) {
        *self = Self::Free {
            not_before: Some(now + PAUSE),
        };
    }

    /// When this needs looking at again, given that somebody wants to poll.
    pub fn wake(&self, now: Instant) -> Option<Instant> {
        match self {
            Self::Free { not_before } => Some(not_before.unwrap_or(now)),
            Self::Waiting { .. } => Some(now + RETRY),
            Self::Polling { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_batch_starts_nothing_after_twenty_seconds() {
        let now = Instant::now();
        let mut batch = Batch::new();
        assert!(batch.should_try(now));
        batch.acquired((), now);
        assert!(batch.may_start(now));
        assert!(!batch.may_start(now + STARTS_FOR));
        assert!(batch.is_held());
    }

    #[tokio::test]
    async fn the_lock_is_left_free_between_batches() {
        let now = Instant::now();
        let mut batch = Batch::new();
        batch.acquired((), now);
        batch.release(now);
        assert!(!batch.should_try(now));
        assert!(batch.should_try(now + PAUSE));
    }

    #[tokio::test]
    async fn the_first_refusal_is_told_once() {
        let now = Instant::now();
        let mut batch = Batch::<()>::new();
        assert!(batch.refused(now));
        assert!(!batch.refused(now + RETRY));
        assert_eq!(batch.waited(now + RETRY), Some(RETRY));
    }
}
