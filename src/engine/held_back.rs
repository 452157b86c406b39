//! A feed of a run that waits for what a probe finds (R44).

use crate::model::{FeedId, Pace};

use super::protocol::Ticket;

/// A feed whose turn comes when a probe was answered.
pub(super) struct HeldBack {
    pub(super) feed: FeedId,
    pub(super) pace: Pace,
    pub(super) ticket: Option<Ticket>,
}
