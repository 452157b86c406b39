//! What is done while nothing else is: the index of words reads on.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::idle::QUIET;
use super::run::{Engine, Halt};

/// New blocks after which it is looked again whether there is enough for a part.
const FEW: u64 = 32;

impl Engine {
    /// Makes the next part of the index, where nothing else is to be done. Looked at once a second.
    pub(super) fn read_on(&mut self) {
        if self.halt != Halt::No || !self.tasks.is_empty() || self.book.airborne() > 0 {
            self.idle.disturb();
            return;
        }
        let quiet = self.idle.since.elapsed() >= QUIET;
        if !quiet || self.idle.busy.load(Ordering::Relaxed) {
            return;
        }
        // A store that cannot be read is told of by those who need it.
        let Ok((blocks, read)) = self.shared.store.index_reach() else {
            return;
        };
        let enough = self.idle.enough.load(Ordering::Relaxed);
        if blocks > read && blocks >= enough.saturating_add(FEW) {
            self.make_part(blocks);
        }
    }

    fn make_part(&mut self, blocks: u64) {
        let (busy, stop) = (Arc::clone(&self.idle.busy), Arc::clone(&self.idle.stop));
        busy.store(true, Ordering::Relaxed);
        stop.store(false, Ordering::Relaxed);
        let halted = Arc::clone(&stop);
        let shared = Arc::clone(&self.shared);
        let enough = Arc::clone(&self.idle.enough);
        let store = shared.store.clone();
        let made = self
            .desk
            .give(move || store.index_part(&|| stop.load(Ordering::Relaxed)));
        tokio::spawn(async move {
            match made.await {
                Ok(Ok(Some(part))) => drop(shared.writer.index(part).await),
                Ok(Ok(None)) if halted.load(Ordering::Relaxed) => {}
                Ok(Ok(None)) => enough.store(blocks, Ordering::Relaxed),
                Ok(Err(error)) => tracing::warn!(%error, "the index of words was not read on"),
                Err(_) => {
                    tracing::warn!("the index of words was not read on: a fault of this program");
                    enough.store(blocks, Ordering::Relaxed);
                }
            }
            busy.store(false, Ordering::Relaxed);
        });
    }
}
