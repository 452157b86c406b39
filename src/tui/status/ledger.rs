//! The log of one feed: its ring, and the headers of its last answers.

use crate::engine::protocol::Ticket;
use crate::model::{AuditRecord, Exchange, FeedId};

/// The last requests of one feed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ledger {
    /// The feed.
    pub feed: FeedId,
    /// The question for it.
    pub asked: Ticket,
    /// It was answered.
    pub loaded: bool,
    /// The ring, newest first.
    pub records: Vec<AuditRecord>,
    /// Full headers of the last answers.
    pub exchanges: Vec<Exchange>,
    /// Index in `records` of the cursor.
    pub at: usize,
    /// First record on the screen.
    pub top: usize,
}

impl Ledger {
    /// The exchanges that belong to the record under the cursor, oldest first: several where it was redirected.
    pub fn of_current(&self) -> Vec<&Exchange> {
        let Some(record) = self.records.get(self.at) else {
            return Vec::new();
        };
        let newer = self.at.checked_sub(1).map(|at| self.records[at].at);
        let mut found: Vec<&Exchange> = self
            .exchanges
            .iter()
            .filter(|exchange| {
                exchange.at >= record.at && newer.is_none_or(|newer| exchange.at < newer)
            })
            .collect();
        found.sort_by_key(|exchange| exchange.at);
        found
    }
}
