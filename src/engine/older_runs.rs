//! Runs over older pages: who is read for whom, and whose next step waits for its time.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::task::Id;
use tokio::time::Instant;

use crate::model::{BackfillRun, BackfillWish, FeedId, Subscription};
use crate::poll::Disallow;

use super::protocol::Ticket;

/// A run over the older pages of a feed.
pub struct Run {
    /// The feed.
    pub feed: FeedId,
    /// As in feeds.toml.
    pub subscription: Arc<Subscription>,
    /// What is wanted; `again` only until the way was begun anew.
    pub wish: BackfillWish,
    /// Of the command.
    pub ticket: Ticket,
    /// How it stands.
    pub tally: BackfillRun,
    /// What robots.txt of the host says, once it was asked.
    pub robots: Option<Disallow>,
}

/// Runs over older pages.
#[derive(Default)]
pub(super) struct Runs {
    /// Whose pages are being read, for whom, and whether that was stopped.
    pub(super) running: HashMap<FeedId, (Ticket, bool)>,
    /// The step that each is at.
    pub(super) flights: HashMap<Id, FeedId>,
    /// The next step of those that wait for their time.
    pub(super) waiting: Vec<(Instant, Box<Run>)>,
}

impl Runs {
    /// When somebody's time has come.
    pub(super) fn wake(&self) -> Option<Instant> {
        self.waiting.iter().map(|(at, _)| *at).min()
    }
}
