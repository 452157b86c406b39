//! What comes back: messages of polls under way, their ends, their commits. Every feed that was wanted is settled here.

use tokio::task::{Id, JoinError};
use tokio::time::Instant;

use crate::model::{FeedId, PollReport};
use crate::store::Written;

use super::clock;
use super::flight::{Flown, Landed};
use super::pass::{Inner, Landing};
use super::protocol::{Event, Summary, Ticket};
use super::run::{Engine, Halt, Knock};

impl Engine {
    /// A message from a task.
    pub(super) async fn message(&mut self, message: Inner) {
        match message {
            // Dropping the reply says that the turn will not come.
            Inner::Gate { host, toll, reply } if self.halt == Halt::No => {
                self.lanes.push_gate(&host, Knock { toll, reply });
            }
            Inner::Gate { .. } => {}
            Inner::Stored => self.glance.forget(),
            Inner::Leave { host, state } => self.lanes.leave(&host, state),
            Inner::StrayBody { host } => self.lanes.distrust(&host),
            Inner::Landed(landing) => self.land(&landing),
            Inner::Unanswered { failure, reply } => {
                self.doubt.unanswered(failure, reply, Instant::now());
            }
            Inner::Relisted(report, words) => self.relisted(*report, &words).await,
            Inner::Hub {
                path,
                answer,
                exchanges,
            } => self.hub_answered(&path, &answer, exchanges),
            Inner::Reload { reply } => {
                let result = self.reload().await.map_err(|trouble| trouble.why);
                let _ = reply.send(result);
            }
        }
    }

    fn land(&mut self, landing: &Landing) {
        self.book.land(landing.flight);
        if landing.answered {
            self.doubt.answered(clock::now());
            self.go_on();
        } else {
            self.book.errands.spare(&landing.host);
            // A flight of its own number was on the network; a deferral was not.
            if landing.flight > 0 {
                self.doubt.silent(clock::now(), Instant::now());
            }
        }
        if landing.status == Some(403) {
            self.lanes.count_forbidden(&landing.host);
        }
    }

    pub(super) fn decide_offline(&mut self) {
        if !self.doubt.is_ripe(self.book.airborne, Instant::now()) {
            return;
        }
        if let Some(until) = self.doubt.decide(clock::now(), Instant::now()) {
            self.tell(Event::Offline { until });
            self.book.errands.spare_all();
            // Who has not been asked stays due, and is asked another time.
            self.clear_queue(|_| {});
        }
    }

    /// A task ended.
    pub(super) fn flown(&mut self, end: Result<(Id, Flown), JoinError>) {
        let id = match &end {
            Ok((id, _)) => *id,
            Err(error) => error.id(),
        };
        let feed = self.book.end(id).and_then(|flight| flight.feed);
        if feed.is_none() {
            // Somebody may have waited for this errand.
            self.tell_finished();
        }
        let lost = match end {
            Ok((_, Flown::Landed(landed))) => {
                return if let Some(feed) = feed {
                    self.commit(feed, *landed);
                };
            }
            Ok((_, Flown::Told(events))) => {
                self.glance.forget();
                for event in events {
                    self.tell(event);
                }
                false
            }
            Ok((_, Flown::Followed(events, next))) => {
                self.glance.forget();
                for event in events {
                    self.tell(event);
                }
                return self.stepped(id, next);
            }
            Ok((_, Flown::Failed { what, why })) => {
                self.fail(Ticket(0), &what, why);
                true
            }
            Err(error) if error.is_panic() => {
                let why = "a bug of tidings; the log tells where, please report it".to_owned();
                self.fail(Ticket(0), "a poll broke off", why);
                true
            }
            Err(_) => false,
        };
        self.step_lost(id);
        match feed {
            Some(feed) if lost => self.lose_feed(feed),
            Some(feed) => self.drop_feed(feed),
            None => {}
        }
    }

    /// Hands a poll to the writer. From here on it is told, whatever happens.
    pub(super) fn commit(&mut self, feed: FeedId, landed: Landed) {
        self.unflushed = true;
        if let Some(wanted) = self.book.wanted.get_mut(&feed) {
            wanted.flying = true;
        }
        let number = self.book.number();
        self.book.committing.insert(number, (feed, landed.draft));
        self.shared
            .writer
            .poll_numbered(number, landed.commit, &self.told);
    }

    /// The disk has answered.
    pub(super) fn written(&mut self, done: Vec<Written>) {
        self.glance.forget();
        let mut deeds = Vec::new();
        for Written { number, row } in done {
            let Some((feed, mut draft)) = self.book.committing.remove(&number) else {
                continue;
            };
            match row {
                Ok(row) => {
                    self.agree_with(&row);
                    deeds.append(&mut draft.deeds);
                    let news = draft.news.take().filter(|_| self.halt == Halt::No);
                    let report = draft.with(row);
                    match news {
                        Some(words) => {
                            let message = Inner::Relisted(Box::new(report), words);
                            let _ = self.inner.send(message);
                        }
                        None => self.polled(report),
                    }
                }
                Err(error) => {
                    let what = "a poll could not be stored";
                    self.fail(Ticket(0), what, error.to_string());
                    self.lose_feed(feed);
                }
            }
        }
        self.carry_out(deeds);
        self.tell_finished();
    }

    /// A poll is on disk: count it, tell it.
    pub(super) fn polled(&mut self, report: PollReport) {
        self.book
            .settle_with(report.feed, |summary| summary.count(&report));
        tracing::debug!(
            feed = report.feed.0,
            url = crate::config::masked(&report.url),
            status = report.status,
            outcome = report.outcome.word(),
            bytes = report.bytes,
            ms = report.took.as_millis(),
            "polled"
        );
        self.tell(Event::Polled(Box::new(report)));
    }

    /// Nothing came of this feed, and nothing is to be told.
    pub(super) fn drop_feed(&mut self, feed: FeedId) {
        self.book.settle_with(feed, |_| {});
        self.tell_finished();
    }

    /// This feed should have been polled and was not, or not to the end. Why has been told.
    pub(super) fn lose_feed(&mut self, feed: FeedId) {
        self.book.settle_with(feed, |summary| summary.undone += 1);
        self.tell_finished();
    }

    /// Nobody who waits is asked any more; `note` says so in the summaries of who waited for them.
    pub(super) fn clear_queue(&mut self, note: impl Fn(&mut Summary)) {
        for feed in self.lanes.clear() {
            self.book.settle_with(feed, &note);
        }
        self.let_go(&note);
        self.tell_finished();
    }

    pub(super) fn tell_finished(&mut self) {
        self.go_on();
        self.run_errands();
        for (ticket, summary) in self.book.done() {
            self.tell(Event::RefreshDone { ticket, summary });
        }
    }

    /// The engine ends: every refresh gets its end.
    pub(super) fn end_runs(&mut self) {
        for run in self.book.runs.values_mut() {
            run.left.clear();
        }
        self.tell_finished();
    }
}
