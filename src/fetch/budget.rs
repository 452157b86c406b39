//! How many decoded bytes may be in memory at a time, over all polls (DESIGN, limits).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// Decoded bytes in flight over all polls, the oldest body not counted: with that one at most 20 MiB by default (DESIGN
/// allows 32). The parsers are what a round waits for, so more would only lie in memory: 8 MiB made it no faster.
const LIMIT: u64 = 4 * 1024 * 1024;

/// The ledger of bodies in flight, from the first byte read until they are parsed. The oldest one is always granted, so
/// one always gets on; the others share what is left beside the room kept for it.
#[derive(Debug)]
pub(super) struct Budget {
    ledger: Mutex<Ledger>,
    freed: Notify,
    limit: u64,
    /// Kept free for the oldest body.
    reserve: u64,
}

#[derive(Debug, Default)]
struct Ledger {
    used: u64,
    next: u64,
    /// Bytes of each body, oldest first; `READ` for one that needs no more.
    bodies: BTreeMap<u64, u64>,
}

/// Stands for the bytes of a body that is read and waits for a parser: no room is kept for it.
const READ: u64 = u64::MAX;

impl Budget {
    /// For bodies of at most `max_body` bytes.
    pub(super) fn new(max_body: u64) -> Arc<Self> {
        Self::with_limit(LIMIT, max_body)
    }

    fn with_limit(limit: u64, max_body: u64) -> Arc<Self> {
        Arc::new(Self {
            ledger: Mutex::default(),
            freed: Notify::new(),
            limit,
            // More than half would let one slow body hold up everybody's.
            reserve: max_body.min(limit / 2),
        })
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_take(&self, body: u64, bytes: u64) -> bool {
        let mut ledger = self.ledger();
        if let Some((&oldest, &held)) = ledger.bodies.first_key_value()
            && oldest != body
            && ledger.used + bytes + self.reserve.saturating_sub(held) > self.limit
        {
            return false;
        }
        ledger.used += bytes;
        if let Some(mine) = ledger.bodies.get_mut(&body) {
            *mine += bytes;
        }
        true
    }
}

/// The part of the budget that one body holds, given back when dropped. Keep it as long as the body is in memory.
#[derive(Debug)]
pub struct Grant {
    budget: Arc<Budget>,
    body: u64,
    bytes: u64,
}

impl Grant {
    /// A body that is about to be read.
    pub(super) fn open(budget: &Arc<Budget>) -> Self {
        let mut ledger = budget.ledger();
        let body = ledger.next;
        ledger.next += 1;
        ledger.bodies.insert(body, 0);
        drop(ledger);
        Self {
            budget: Arc::clone(budget),
            body,
            bytes: 0,
        }
    }

    /// Takes `bytes` more if there is room for them now.
    pub(super) fn try_grow(&mut self, bytes: u64) -> bool {
        let granted = self.budget.try_take(self.body, bytes);
        if granted {
            self.bytes += bytes;
        }
        granted
    }

    /// Takes `bytes` more, waiting for room as long as it takes.
    pub(super) async fn grow(&mut self, bytes: u64) {
        let budget = Arc::clone(&self.budget);
        loop {
            let freed = budget.freed.notified();
            tokio::pin!(freed);
            // Registered before looking, so that what is freed in between is not missed.
            freed.as_mut().enable();
            if self.try_grow(bytes) {
                return;
            }
            freed.await;
        }
    }

    /// The body is read, and is so many bytes long. They stay taken until it is parsed; what was taken beyond is free.
    pub(super) fn settle(&mut self, bytes: u64) {
        let mut ledger = self.budget.ledger();
        ledger.bodies.insert(self.body, READ);
        ledger.used = ledger.used.saturating_sub(self.bytes.saturating_sub(bytes));
        drop(ledger);
        self.bytes = self.bytes.min(bytes);
        self.budget.freed.notify_waiters();
    }
}

impl Drop for Grant {
    fn drop(&mut self) {
        let mut ledger = self.budget.ledger();
        ledger.bodies.remove(&self.body);
        ledger.used = ledger.used.saturating_sub(self.bytes);
        drop(ledger);
        self.budget.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_body_is_always_granted() {
        let budget = Budget::with_limit(100, 40);
        let mut oldest = Grant::open(&budget);
        let mut second = Grant::open(&budget);
        assert!(second.try_grow(60));
        assert!(!second.try_grow(1), "40 are kept for the oldest");
        assert!(oldest.try_grow(40));
        assert!(oldest.try_grow(1000), "whatever it takes");
    }

    #[test]
    fn what_is_dropped_is_free_again() {
        let budget = Budget::with_limit(100, 40);
        let first = Grant::open(&budget);
        let mut second = Grant::open(&budget);
        assert!(second.try_grow(60));
        drop(second);
        let mut third = Grant::open(&budget);
        assert!(third.try_grow(60));
        drop(first);
        assert!(third.try_grow(60), "now it is the oldest");
    }

    #[test]
    fn bodies_that_wait_for_a_parser_hold_up_the_others_until_they_are_parsed() {
        let budget = Budget::with_limit(100, 40);
        let mut first = Grant::open(&budget);
        let mut second = Grant::open(&budget);
        assert!(first.try_grow(90));
        first.settle(80);
        assert!(second.try_grow(20), "no room is kept for one that is read");
        assert!(!second.try_grow(1), "and it is still in memory");
        drop(first);
        assert!(second.try_grow(90), "now the second is the oldest");
    }

    #[tokio::test]
    async fn a_waiting_body_goes_on_when_room_is_made() {
        let budget = Budget::with_limit(100, 40);
        let mut oldest = Grant::open(&budget);
        let mut second = Grant::open(&budget);
        assert!(oldest.try_grow(90));
        let waiting = tokio::spawn(async move {
            second.grow(50).await;
            second.bytes
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(oldest);
        assert_eq!(waiting.await.expect("granted"), 50);
    }
}
