//! The log of one feed: its ring, and the headers of its last answers.

use crate::engine::protocol::Ticket;
use crate::model::{AuditRecord, Counters, Exchange, FeedId};

/// The last requests of one feed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ledger {
    /// The feed.
    pub feed: FeedId,
    /// The question for its ring; `None` when it is answered.
    pub asked: Option<Ticket>,
    /// It was answered once.
    pub loaded: bool,
    /// The feed was asked since.
    pub stale: bool,
    /// The question for its days; `None` when it is answered.
    pub asked_days: Option<Ticket>,
    /// What was counted a day, oldest first.
    pub days: Vec<(u32, Counters)>,
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
    /// The log of a feed, with nothing known yet.
    pub fn new(feed: FeedId) -> Self {
        Self {
            feed,
            stale: true,
            ..Self::default()
        }
    }

    /// Takes a ring. The cursor stays on its request; on the newest it stays on the newest.
    pub fn fill(&mut self, records: Vec<AuditRecord>, exchanges: Vec<Exchange>) {
        let was = self.records.get(self.at).map(|record| record.at);
        self.records = records;
        self.exchanges = exchanges;
        self.loaded = true;
        if let Some(was) = was.filter(|_| self.at > 0) {
            let at = self.records.iter().position(|record| record.at <= was);
            self.at = at.unwrap_or(self.at);
        }
    }

    /// Moves the cursor.
    pub fn step(&mut self, rows: isize) {
        let last = self.records.len().saturating_sub(1);
        self.at = self.at.saturating_add_signed(rows).min(last);
    }

    /// The exchanges that belong to the record under the cursor, oldest first: several where it was redirected.
    pub fn of_current(&self) -> Vec<&Exchange> {
        let Some(record) = self.records.get(self.at) else {
            return Vec::new();
        };
        let newer = self.at.checked_sub(1).map(|at| self.records[at].at);
        // They come newest first, and hops of one chain share their second.
        let mut found: Vec<&Exchange> = self
            .exchanges
            .iter()
            .rev()
            .filter(|exchange| {
                exchange.at >= record.at && newer.is_none_or(|newer| exchange.at < newer)
            })
            .collect();
        crate::model::arrange(&mut found, |a, b| a.at.cmp(&b.at));
        found
    }
}
