//! Runs over older pages in the loop (R81): one step is one flight, so that between two steps the poll lock can go to others, and
//! a run can be stopped.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::Id;
use tokio::time::Instant;

use crate::config;
use crate::model::{BackfillRun, BackfillWish, FeedId};

use super::backfill;
use super::clock;
use super::older_runs::Run;
use super::protocol::{Event, FailureKind, Ticket};
use super::run::{Engine, Halt};

/// A host that wants its requests further apart is waited for without the poll lock.
const PATIENCE: i64 = 1_500;
/// What the ticket of the command hears where it could not begin.
const WHAT: &str = "the older pages could not be fetched";

impl Engine {
    /// Begins a run.
    pub(super) fn backfill(&mut self, feed: FeedId, wish: BackfillWish, ticket: Ticket) {
        if self.ground.is_lost() {
            return self.refuse_lost(ticket, WHAT);
        }
        let refused = match self.feeds.get(&feed) {
            None => Some("the feed is not subscribed any more".to_owned()),
            Some(known) => self.refusal(feed, &known.subscription.url),
        };
        if let Some(why) = refused {
            return self.tell(Event::Failed {
                ticket,
                what: WHAT.to_owned(),
                why,
                kind: FailureKind::Usage,
            });
        }
        let Some(known) = self.feeds.get(&feed) else {
            return;
        };
        let run = Box::new(Run {
            feed,
            subscription: Arc::clone(&known.subscription),
            ticket,
            tally: BackfillRun {
                most: wish.pages,
                ..BackfillRun::default()
            },
            wish,
            robots: None,
        });
        self.older.running.insert(feed, (ticket, false));
        self.step_on(run);
    }

    /// Why a feed has no older pages that could be asked for now.
    fn refusal(&self, feed: FeedId, url: &str) -> Option<String> {
        if config::local(url).is_some() {
            return Some("a file or a command has no older pages".to_owned());
        }
        if self.older.running.contains_key(&feed) {
            return Some("they are being fetched already".to_owned());
        }
        let row = self.shared.store.row(feed).ok().flatten();
        let url = config::masked(url);
        row.and_then(|row| row.off).map(|_| {
            format!("the feed is not polled any more; `tidings enable {url}` polls it again")
        })
    }

    /// Ends a run after the page under way.
    pub(super) fn stop_backfill(&mut self, feed: FeedId) {
        if let Some((_, stopped)) = self.older.running.get_mut(&feed) {
            *stopped = true;
        }
        let waits = |(_, run): &(Instant, Box<Run>)| run.feed == feed;
        if let Some(at) = self.older.waiting.iter().position(waits) {
            let (_, run) = self.older.waiting.swap_remove(at);
            self.end_backfill(*run);
        }
    }

    /// A flight ended. True: it was a step of a run; what follows is `next`.
    pub(super) fn stepped(&mut self, id: Id, next: Option<Box<Run>>) {
        let Some(feed) = self.older.flights.remove(&id) else {
            return;
        };
        let Some(run) = next else {
            if let Some((ticket, _)) = self.older.running.remove(&feed) {
                tracing::debug!(feed = feed.0, ticket = ticket.0, "older pages: done");
            }
            return;
        };
        let stopped = self.older.running.get(&feed).is_none_or(|(_, stop)| *stop);
        if stopped || self.halt != Halt::No {
            return self.end_backfill(*run);
        }
        let gap = self
            .feeds
            .get(&feed)
            .map_or(0, |known| self.lanes.gap(&known.host));
        let now = Instant::now();
        if gap > PATIENCE || !self.batch.may_start(now) {
            let wait = (gap - PATIENCE).clamp(0, 60_000).unsigned_abs();
            let wait = Duration::from_millis(wait);
            self.older.waiting.push((now + wait, run));
        } else {
            self.step_on(run);
        }
    }

    /// A step broke off, and told nothing.
    pub(super) fn step_lost(&mut self, id: Id) {
        let Some(feed) = self.older.flights.remove(&id) else {
            return;
        };
        if let Some((ticket, _)) = self.older.running.remove(&feed) {
            let place = self.shared.store.backfill(feed).ok().flatten();
            let run = Box::new(BackfillRun {
                place: place.unwrap_or_default(),
                trouble: Some(STOPPED.to_owned()),
                ..BackfillRun::default()
            });
            self.tell(Event::Backfilled { ticket, feed, run });
        }
    }

    /// Those whose time has come take their next step, when no batch that is over keeps the lock.
    pub(super) fn step_waiting(&mut self) {
        let now = Instant::now();
        let ready = !self.batch.is_held() || self.batch.may_start(now);
        if self.halt != Halt::No || !ready {
            return;
        }
        while let Some(at) = self.older.waiting.iter().position(|(at, _)| *at <= now) {
            let (_, run) = self.older.waiting.swap_remove(at);
            self.step_on(run);
        }
    }

    /// The engine holds still or ends: who waits is told so. Who is on the network is broken off.
    pub(super) fn stop_backfills(&mut self) {
        for (_, run) in std::mem::take(&mut self.older.waiting) {
            self.end_backfill(*run);
        }
    }

    fn step_on(&mut self, run: Box<Run>) {
        let (shared, feed) = (Arc::clone(&self.shared), run.feed);
        let id = self.launch(None, |radio| backfill::step(shared, run, radio));
        self.older.flights.insert(id, feed);
        tracing::trace!(feed = feed.0, at = clock::now().0, "older pages: a step");
    }

    fn end_backfill(&mut self, run: Run) {
        self.older.running.remove(&run.feed);
        let mut tally = Box::new(run.tally);
        tally.trouble = Some(STOPPED.to_owned());
        self.tell(Event::Backfilled {
            ticket: run.ticket,
            feed: run.feed,
            run: tally,
        });
    }
}

/// A run that was ended before its time, by a person or with the program.
pub const STOPPED: &str = "stopped; the next run goes on from there";
