//! From a refresh to its reports: feeds queue up, start when their turn has come, land, and are told when they are on disk.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::{Id, JoinError};
use tokio::time::Instant;

use crate::fetch::Reuse;
use crate::model::{FeedId, HostKey, HostState, Outcome, Pace, PollReport};
use crate::poll::{self, Plan};
use crate::store::{StoreError, Written};

use super::Mode;
use super::batch::STARTS_FOR;
use super::book::{Flight, Run, Wanted};
use super::clock;
use super::flight::{self, Flown, Landed, Radio};
use super::lanes::Turn;
use super::protocol::{Event, Scope, Summary, Ticket};
use super::refresh::{Inner, Job, Landing, Pass};
use super::run::{Engine, Halt};

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
        if let Some(ticket) = ticket {
            self.tell(Event::RefreshStarted {
                ticket,
                feeds: feeds.len(),
            });
            let run = Run {
                left: feeds.iter().copied().collect(),
                summary: Summary::default(),
            };
            self.book.runs.insert(ticket, run);
        }
        for feed in feeds {
            self.want(feed, pace, ticket);
        }
        self.tell_finished();
    }

    fn want(&mut self, feed: FeedId, pace: Pace, ticket: Option<Ticket>) {
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

    /// Starts whoever's turn has come.
    pub(super) fn start_turns(&mut self) {
        if self.halt != Halt::No || !self.batch.is_held() {
            return;
        }
        let most = self.book.airborne + self.room();
        loop {
            let now_ms = clock::now_ms();
            let starts = self.book.airborne < most && self.batch.may_start(Instant::now());
            let taken = if starts {
                self.lanes.take(now_ms)
            } else {
                self.lanes.take_gate(now_ms)
            };
            let Some((host, turn)) = taken else {
                return;
            };
            let (store, glance) = (&self.shared.store, &mut self.glance);
            let state = self.lanes.host(&host, || {
                let glance = glance.at(store, Instant::now());
                glance
                    .and_then(|glance| glance.host(&host))
                    .unwrap_or_default()
            });
            let at = self.lanes.start_at(&host, now_ms);
            match turn {
                turn if at > now_ms => {
                    let last = at.saturating_sub(self.lanes.gap(&host));
                    self.lanes.put_back(&host, turn, last);
                }
                Turn::Gate(reply) => self.open_gate(&host, state, reply, now_ms),
                Turn::Feed(feed) => self.start_feed(feed, &host, state, now_ms),
            }
        }
    }

    fn started(&mut self, host: &HostKey, now_ms: i64) {
        self.lanes.started(host, now_ms);
        self.shared.writer.host_started(host.clone(), now_ms);
        self.unflushed = true;
    }

    fn open_gate(
        &mut self,
        host: &HostKey,
        state: HostState,
        reply: oneshot::Sender<Pass>,
        now_ms: i64,
    ) {
        if poll::held(&state, clock::now(), &self.shared.settings.poll).is_none() {
            self.started(host, now_ms);
        }
        // A pass that nobody takes is dropped here, and frees the lane.
        let _ = reply.send(self.pass(host, state));
    }

    fn start_feed(&mut self, feed: FeedId, host: &HostKey, state: HostState, now_ms: i64) {
        let pass = self.pass(host, state);
        let mut job = match self.job(feed) {
            Ok(Some(job)) => job,
            Ok(None) => return self.drop_feed(feed),
            Err(error) => {
                let what = "the store could not be read";
                self.fail(Ticket(0), what, error.to_string());
                return self.lose_feed(feed);
            }
        };
        if job.input.host_key != *host {
            return self.change_lane(feed, job.input.host_key);
        }
        let plan = poll::plan(
            job.pace,
            &job.known(&pass.state, &self.shared.settings, clock::now()),
        );
        let shared = Arc::clone(&self.shared);
        match plan {
            Plan::Ask => {
                job.reuse = self.lanes.reuse(host);
                self.started(host, now_ms);
                if self.mode == Mode::Reader {
                    self.tell(Event::PollStarted { feed });
                }
                self.launch(Some(feed), |radio| flight::poll(shared, job, pass, radio));
            }
            Plan::Held { until } => {
                // Nothing is sent: it takes off and lands at once.
                let radio = Radio {
                    flight: 0,
                    inner: self.inner.clone(),
                };
                let landed = flight::defer(&shared, &job, pass, until, &radio);
                self.commit(feed, landed);
            }
            Plan::Debounced { until } => self.unsent(&job, Outcome::Deferred { until }),
            Plan::Off(_) if job.pace > Pace::Scheduled => self.unsent(&job, Outcome::Gone),
            Plan::NotDue { .. } | Plan::Off(_) => self.drop_feed(feed),
        }
    }

    /// The feed is asked at another host since it moved (R53): it queues up there, and leaves this lane with its pass.
    fn change_lane(&mut self, feed: FeedId, host: HostKey) {
        self.lanes.push_feed(&host, feed);
        if let Some(subscribed) = self.feeds.get_mut(&feed) {
            subscribed.host = host;
        }
    }

    /// `None`: not subscribed any more.
    fn job(&mut self, feed: FeedId) -> Result<Option<Job>, StoreError> {
        let Some(subscribed) = self.feeds.get(&feed) else {
            return Ok(None);
        };
        let glance = self.glance.at(&self.shared.store, Instant::now())?;
        let Some(input) = glance.poll_input(feed)? else {
            return Ok(None);
        };
        Ok(Some(Job {
            input,
            subscription: subscribed.subscription.clone(),
            pace: self
                .book
                .wanted
                .get(&feed)
                .map_or(Pace::Scheduled, |w| w.pace),
            deadline: Instant::now() + self.shared.settings.http.total_timeout + STARTS_FOR,
            reuse: Reuse::Alone,
        }))
    }

    /// Reports what was not sent and changes nothing on disk.
    fn unsent(&mut self, job: &Job, outcome: Outcome) {
        let feed = job.input.feed.id;
        match self.shared.store.row(feed) {
            Ok(Some(row)) => {
                self.polled(PollReport {
                    feed,
                    url: job.subscription.url.clone(),
                    url_now: None,
                    status: None,
                    outcome,
                    warning: None,
                    bytes: 0,
                    took: Duration::ZERO,
                    row,
                });
                self.tell_finished();
            }
            Ok(None) | Err(_) => self.drop_feed(feed),
        }
    }

    /// Starts a task that may use the network; it lands by `Inner::Landed`, or at its end.
    pub(super) fn launch<F>(&mut self, feed: Option<FeedId>, task: impl FnOnce(Radio) -> F)
    where
        F: Future<Output = Flown> + Send + 'static,
    {
        let number = self.book.number();
        let abort = self.tasks.spawn(task(Radio {
            flight: number,
            inner: self.inner.clone(),
        }));
        let id = abort.id();
        self.book.by_number.insert(number, id);
        self.book.airborne += 1;
        self.unflushed = true;
        if let Some(wanted) = feed.and_then(|feed| self.book.wanted.get_mut(&feed)) {
            wanted.flying = true;
        }
        let flight = Flight {
            number,
            feed,
            abort,
            landed: false,
        };
        self.book.flights.insert(id, flight);
    }

    /// A message from a task.
    pub(super) async fn message(&mut self, message: Inner) {
        match message {
            // Dropping the reply says that the turn will not come.
            Inner::Gate { host, reply } if self.halt == Halt::No => {
                self.lanes.push_gate(&host, reply);
            }
            Inner::Gate { .. } => {}
            Inner::Leave { host, state } => self.lanes.leave(&host, state),
            Inner::StrayBody { host } => self.lanes.distrust(&host),
            Inner::Landed(landing) => self.land(&landing),
            Inner::Unanswered { failure, reply } => {
                self.doubt.unanswered(failure, reply, Instant::now());
            }
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
        }
        if landing.status == Some(403) {
            self.lanes.count_forbidden(&landing.host);
        }
    }

    fn pass(&self, host: &HostKey, state: HostState) -> Pass {
        let forbidden = self.lanes.forbidden(host);
        Pass::new(host.clone(), state, forbidden, self.inner.clone())
    }

    pub(super) fn decide_offline(&mut self) {
        if !self.doubt.is_ripe(self.book.airborne, Instant::now()) {
            return;
        }
        if let Some(until) = self.doubt.decide(clock::now()) {
            self.tell(Event::Offline { until });
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
        match feed {
            Some(feed) if lost => self.lose_feed(feed),
            Some(feed) => self.drop_feed(feed),
            None => {}
        }
    }

    /// Hands a poll to the writer. From here on it is told, whatever happens.
    fn commit(&mut self, feed: FeedId, landed: Landed) {
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
        for Written { number, row } in done {
            let Some((feed, draft)) = self.book.committing.remove(&number) else {
                continue;
            };
            match row {
                Ok(row) => self.polled(draft.with(row)),
                Err(error) => {
                    let what = "a poll could not be stored";
                    self.fail(Ticket(0), what, error.to_string());
                    self.lose_feed(feed);
                }
            }
        }
        self.tell_finished();
    }

    /// A poll is on disk: count it, tell it.
    fn polled(&mut self, report: PollReport) {
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
    fn drop_feed(&mut self, feed: FeedId) {
        self.book.settle_with(feed, |_| {});
        self.tell_finished();
    }

    /// This feed should have been polled and was not, or not to the end. Why has been told.
    fn lose_feed(&mut self, feed: FeedId) {
        self.book.settle_with(feed, |summary| summary.undone += 1);
        self.tell_finished();
    }

    /// Nobody who waits is asked any more; `note` says so in the summaries of who waited for them.
    pub(super) fn clear_queue(&mut self, note: impl Fn(&mut Summary)) {
        for feed in self.lanes.clear() {
            self.book.settle_with(feed, &note);
        }
        self.tell_finished();
    }

    fn tell_finished(&mut self) {
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
