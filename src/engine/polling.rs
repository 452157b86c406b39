//! Which feeds a refresh means, and how many may be under way: those that are wanted queue up in their hosts' lanes.

use tokio::time::Instant;

use crate::model::{FeedId, Pace};
use crate::poll;
use crate::store::StoreError;

use super::Mode;
use super::book::{Run, Wanted};
use super::clock;
use super::held_back::HeldBack;
use super::offline::Reach;
use super::protocol::{Event, Scope, Summary, Ticket};
use super::queue;
use super::run::Engine;

/// No rule's cap is below a day, and a day is allowed on top (R48): what is due within two days is believed unread.
const LEAST_BELIEVABLE: i64 = 2 * 86_400;

impl Engine {
    /// Polls that may start at once: `connections` less those under way, not counting those that only connect and have
    /// stepped aside in the fetcher (R70). No more than that, or hosts that have not been asked would be waiting there
    /// before a host whose connection is open has its next turn.
    pub(super) fn room(&self) -> usize {
        let places = self.shared.settings.http.connections + self.shared.fetcher.aside();
        places.saturating_sub(self.book.airborne)
    }

    /// Another poll may start. Where it may not, whoever waits at a gate goes on: they are under way, and the room that they
    /// take is free only when they have ended.
    pub(super) fn may_start(&self) -> bool {
        self.room() > 0 && self.batch.may_start(Instant::now())
    }

    /// Queues feeds. With a ticket, its `RefreshDone` comes when all of them ended.
    pub(super) fn refresh(&mut self, scope: &Scope, pace: Pace, ticket: Option<Ticket>) {
        let feeds = self.feeds_of(scope).unwrap_or_else(|error| {
            let what = "the store could not be read";
            self.fail(ticket.unwrap_or_default(), what, error.to_string());
            Vec::new()
        });
        self.clock_jumped &= *scope != Scope::Due;
        let (feeds, later) = if self.mode == Mode::OneShot && pace == Pace::Scheduled {
            self.reachable(feeds)
        } else {
            (feeds, Vec::new())
        };
        if let Some(ticket) = ticket {
            self.tell(Event::RefreshStarted {
                ticket,
                feeds: feeds.len() + later.len(),
            });
            let run = Run {
                left: feeds.iter().chain(&later).copied().collect(),
                summary: Summary::default(),
            };
            self.book.runs.insert(ticket, run);
        }
        for feed in feeds {
            self.want(feed, pace, ticket);
        }
        let later = later.into_iter();
        self.held_back
            .extend(later.map(|feed| HeldBack { feed, pace, ticket }));
        self.tell_finished();
    }

    /// What the schedule of an open reader asks for: all who are due, or while offline a probe at its time (R44).
    pub(super) fn refresh_due(&mut self) {
        match self.doubt.reach(clock::now(), Instant::now()) {
            Reach::All => self.refresh(&Scope::Due, Pace::Scheduled, None),
            Reach::Nobody => {}
            Reach::Probe if !self.book.wanted.is_empty() => {}
            Reach::Probe => {
                let first = self.feeds_of(&Scope::Due).ok();
                let first = first.and_then(|feeds| feeds.first().copied());
                self.refresh(
                    &Scope::Feeds(first.into_iter().collect()),
                    Pace::Scheduled,
                    None,
                );
            }
        }
    }

    pub(super) fn want(&mut self, feed: FeedId, pace: Pace, ticket: Option<Ticket>) {
        let Some(subscribed) = self.feeds.get(&feed) else {
            return;
        };
        if let Some(wanted) = self.book.wanted.get_mut(&feed) {
            if !wanted.flying {
                wanted.pace = wanted.pace.max(pace);
            }
            wanted.tickets.extend(ticket);
            return;
        }
        let wanted = Wanted {
            pace,
            tickets: ticket.into_iter().collect(),
            flying: false,
        };
        self.book.wanted.insert(feed, wanted);
        self.lanes.push_feed(&subscribed.host, feed);
    }

    /// Which subscribed feeds a scope means; those that failed often come last (R70).
    pub(super) fn feeds_of(&self, scope: &Scope) -> Result<Vec<FeedId>, StoreError> {
        let store = &self.shared.store;
        let mut feeds = match scope {
            Scope::Due => self.due_feeds()?,
            Scope::All => store.in_polling_order()?,
            Scope::Feeds(feeds) => feeds.clone(),
        };
        feeds.retain(|feed| self.feeds.contains_key(feed));
        Ok(feeds)
    }

    /// Feeds whose time has come; after a jump of the clock also those whose stored time is beyond belief (R48).
    fn due_feeds(&self) -> Result<Vec<FeedId>, StoreError> {
        let store = &self.shared.store;
        let now = clock::now();
        let mut feeds: Vec<FeedId> = store.due(now)?.into_iter().map(|(_, feed)| feed).collect();
        let budget = self.shared.settings.http.host_budget;
        let crowded = |feed: &FeedId| {
            let host = self.feeds.get(feed).map(|known| &known.host);
            let feeds = host.and_then(|host| self.by_host.get(host));
            feeds.is_some_and(|feeds| queue::is_crowded(*feeds, budget))
        };
        queue::in_turn(store, &mut feeds, crowded)?;
        if self.clock_jumped {
            for feed in store.due_after(now.plus(LEAST_BELIEVABLE))? {
                let believed = store.row(feed)?.is_none_or(|row| {
                    let settings = &self.shared.settings.poll;
                    poll::believable(&row.schedule, now, settings).is_some()
                });
                if !believed {
                    feeds.push(feed);
                }
            }
        }
        Ok(feeds)
    }
}
