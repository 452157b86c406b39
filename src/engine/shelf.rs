//! One answer kept while a person thinks (R1): without a lane, and without a part of the memory that bodies in flight share.

use std::sync::{Mutex, PoisonError};

use crate::model::Subscription;

use super::job::Fetched;
use super::protocol::Ticket;

/// What was shown last.
#[derive(Default)]
pub struct Shelf(Mutex<Option<Kept>>);

/// An answer, and whom it is about.
pub struct Kept {
    /// The ticket of the `Add` that showed it.
    pub of: Ticket,
    /// As it will stand in feeds.toml.
    pub subscription: Subscription,
    /// The answer; `None` where nothing could be asked.
    pub fetched: Option<Fetched>,
}

impl Shelf {
    /// Keeps this instead of what was kept.
    pub fn put(&self, kept: Option<Kept>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = kept;
    }

    /// What was shown with this ticket, where it is still kept.
    pub fn take(&self, of: Ticket) -> Option<Kept> {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        place.take_if(|kept| kept.of == of)
    }

    /// Forgets what was shown with this ticket.
    pub fn leave(&self, of: Ticket) {
        drop(self.take(of));
    }
}
