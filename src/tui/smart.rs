//! Lists of the user's own in the feed pane, and how their counts stay right: they are counted again when something changed,
//! at most once a second, and never for a frame.

use crate::engine::protocol::Ticket;
use crate::model::{ListSpec, Rule, SmartFeed, Timestamp};

/// A list, and how many unread entries it has.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Smart {
    /// It.
    pub feed: SmartFeed,
    /// As far as it was counted.
    pub unread: u64,
}

impl Smart {
    /// The list whose rows are counted.
    pub fn counted(&self) -> ListSpec {
        ListSpec {
            within: self.feed.query.clone(),
            unread_only: true,
            ..ListSpec::default()
        }
    }
}

/// Questions about lists and rules of the user's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Questions {
    /// The counts may be old.
    pub stale: bool,
    /// They are being counted, since then.
    pub asked: Option<Ticket>,
    /// When they were asked for last.
    pub at: Timestamp,
    /// A rule that is to be written, while it is counted what it would have found.
    pub rule: Option<(Ticket, Rule)>,
}

impl Default for Questions {
    fn default() -> Self {
        Self {
            stale: true,
            asked: None,
            at: Timestamp(0),
            rule: None,
        }
    }
}

impl Questions {
    /// They are due, if not this very second.
    pub const fn wants(&self) -> bool {
        self.stale && self.asked.is_none()
    }
}
