//! While this machine is offline: who may be asked, and what the next run must know (R44).

use tokio::time::Instant;

use crate::config;
use crate::model::{FeedId, Offline};

use super::Mode;
use super::clock;
use super::held_back::HeldBack;
use super::offline::Reach;
use super::protocol::{Event, Summary};
use super::run::Engine;

impl Engine {
    /// What the last run knew of being offline. Who opens a reader wants to see whether that is over.
    pub(super) fn remember_offline(&mut self) {
        let Ok(Some(kept)) = self.shared.store.offline() else {
            return;
        };
        self.kept_offline = Some(kept);
        self.doubt.restore(kept, clock::now(), Instant::now());
        if self.mode != Mode::OneShot {
            self.doubt.look_at_once(clock::now(), Instant::now());
        }
    }

    /// Leaves to the next run what has changed; it rides along with the polls that changed it.
    pub(super) fn keep_offline(&mut self) {
        let now = self.doubt.kept();
        let later = |kept: Option<Offline>| kept.map(|kept| kept.probes);
        if later(now) != later(self.kept_offline) {
            self.shared.writer.offline(now);
            self.kept_offline = now;
            self.unflushed = true;
        }
    }

    /// Of feeds that the schedule of a command asks for: those that may be asked now, and those that wait for the network
    /// while this machine is offline (R44). Files and commands need none.
    pub(super) fn reachable(&self, feeds: Vec<FeedId>) -> (Vec<FeedId>, Vec<FeedId>) {
        if self.doubt.reach(clock::now(), Instant::now()) == Reach::All {
            return (feeds, Vec::new());
        }
        let is_local = |feed: &FeedId| {
            let known = self.feeds.get(feed);
            known.is_some_and(|known| config::local(&known.subscription.url).is_some())
        };
        feeds.into_iter().partition(is_local)
    }

    /// While offline one feed after the other is the probe: when its time has come, until one is answered, and then all
    /// are asked (R44).
    pub(super) fn go_on(&mut self) {
        while !self.held_back.is_empty() {
            let reach = self.doubt.reach(clock::now(), Instant::now());
            if reach != Reach::All && !self.book.wanted.is_empty() {
                return;
            }
            if reach == Reach::Nobody {
                if let Some(until) = self.doubt.until() {
                    self.tell(Event::Offline { until });
                }
                return self.let_go(|_| {});
            }
            let Some(next) = self.held_back.pop_front() else {
                return;
            };
            if self.feeds.contains_key(&next.feed) {
                self.want(next.feed, next.pace, next.ticket);
            } else {
                self.spare(&next, |_| {});
            }
        }
    }

    /// Nobody waits for a probe any more; `note` says so in the summaries of who waited for them.
    pub(super) fn let_go(&mut self, note: impl Fn(&mut Summary)) {
        for held_back in std::mem::take(&mut self.held_back) {
            self.spare(&held_back, &note);
        }
    }

    fn spare(&mut self, held_back: &HeldBack, note: impl Fn(&mut Summary)) {
        let ticket = held_back.ticket;
        if let Some(run) = ticket.and_then(|ticket| self.book.runs.get_mut(&ticket)) {
            run.left.remove(&held_back.feed);
            note(&mut run.summary);
        }
    }
}
