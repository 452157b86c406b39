//! Why something of the engine's own could not be done.

use crate::store::StoreError;

use super::protocol::{Event, FailureKind, Ticket};

/// For the front end that asked.
pub(super) struct Trouble {
    pub(super) what: &'static str,
    pub(super) why: String,
    pub(super) kind: FailureKind,
}

impl Trouble {
    pub(super) fn event(self, ticket: Ticket) -> Event {
        Event::Failed {
            ticket,
            what: self.what.to_owned(),
            why: self.why,
            kind: self.kind,
        }
    }

    /// The store said so.
    pub(super) fn store(what: &'static str, error: &StoreError) -> Self {
        let kind = if error.is_busy() {
            FailureKind::Busy
        } else {
            FailureKind::Internal
        };
        Self {
            what,
            why: error.to_string(),
            kind,
        }
    }
}

/// The store is closed: the engine ends.
pub(super) fn closed(what: &str, ticket: Ticket) -> Event {
    Event::Failed {
        ticket,
        what: what.to_owned(),
        why: "the store is closed".to_owned(),
        kind: FailureKind::Internal,
    }
}
