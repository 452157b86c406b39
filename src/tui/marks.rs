//! Marks whose answer is on its way, so that rows that were read before them do not put the old state back.
//!
//! The screen shows a mark at once, the store has it some milliseconds later, and a page that was read in between
//! may arrive at any time: before the mark's answer, or even after it.

use std::collections::BTreeMap;

use crate::engine::protocol::Ticket;
use crate::model::{EntryHead, EntryId, Mark};

/// Marks that are newer than rows that may still arrive.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    /// Sent and not answered, in the order they were sent.
    sent: Vec<Sent>,
    /// Answered while rows that may be older were on their way.
    told: Vec<Told>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Sent {
    ticket: Ticket,
    ids: Vec<EntryId>,
    mark: Mark,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Told {
    /// The last ticket given out when the answer came: a later question is asked of a store that has the marks.
    until: Ticket,
    changed: Vec<(EntryId, bool, bool)>,
}

/// What is known better of an entry: read and starred, where either is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Over {
    read: Option<bool>,
    starred: Option<bool>,
}

impl Marks {
    /// A mark of these entries was sent.
    pub fn sent(&mut self, ticket: Ticket, ids: Vec<EntryId>, mark: Mark) {
        self.sent.push(Sent { ticket, ids, mark });
    }

    /// No answer to this mark is to be waited for any more.
    pub fn drop_ticket(&mut self, ticket: Ticket) {
        self.sent.retain(|sent| sent.ticket != ticket);
    }

    /// Marks are in the store, and rows asked for with tickets up to `until` may not have them.
    pub fn told(&mut self, until: Ticket, changed: &[(EntryId, bool, bool)]) {
        if !changed.is_empty() {
            let changed = changed.to_vec();
            self.told.push(Told { until, changed });
        }
    }

    /// The rows that were on their way are there.
    pub fn forget_told(&mut self) {
        self.told.clear();
    }

    /// Entries of `heads` that unanswered marks make otherwise: read and star.
    pub fn unanswered<'a>(
        &self,
        heads: impl IntoIterator<Item = &'a EntryHead>,
    ) -> Vec<(EntryId, bool, bool)> {
        self.newer(Ticket(u64::MAX), heads)
    }

    /// Entries of `heads`, as they came with the answer to `asked`, that are marked otherwise by now: read and star.
    pub fn newer<'a>(
        &self,
        asked: Ticket,
        heads: impl IntoIterator<Item = &'a EntryHead>,
    ) -> Vec<(EntryId, bool, bool)> {
        let mut over: BTreeMap<EntryId, Over> = BTreeMap::new();
        for told in self.told.iter().filter(|told| asked <= told.until) {
            for (id, read, starred) in &told.changed {
                let (read, starred) = (Some(*read), Some(*starred));
                over.insert(*id, Over { read, starred });
            }
        }
        for sent in &self.sent {
            for id in &sent.ids {
                let over = over.entry(*id).or_default();
                match sent.mark {
                    Mark::Read(read) => over.read = Some(read),
                    Mark::Starred(starred) => over.starred = Some(starred),
                }
            }
        }
        if over.is_empty() {
            return Vec::new();
        }
        let newer = |head: &EntryHead| {
            let over = over.get(&head.id)?;
            let read = over.read.unwrap_or(!head.unread);
            let starred = over.starred.unwrap_or(head.starred);
            ((read, starred) != (!head.unread, head.starred)).then_some((head.id, read, starred))
        };
        heads.into_iter().filter_map(newer).collect()
    }
}
