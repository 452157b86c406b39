//! From a refresh to its reports: feeds queue up, start when their turn has come, land, and are told when they are on disk.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::{Id, JoinError};
use tokio::time::Instant;

use crate::fetch::Reuse;
use crate::model::{FeedId, HostKey, HostState, Outcome, Pace, PollReport};
use crate::poll::{self, Plan};
use crate::store::{HostNote, StoreError, Written};

use super::Mode;
use super::batch::STARTS_FOR;
use super::book::{Flight, Run, Wanted};
use super::clock;
use super::flight::{self, Flown, Landed, Radio};
use super::lanes::Turn;
use super::offline::Reach;
use super::protocol::{Event, Scope, Summary, Ticket};
use super::queue;
use super::refresh::{Bar, Inner, Job, Landing, Pass, Toll};
use super::robots;
use super::run::{Engine, Halt, Knock};

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

    /// Starts whoever's turn has come.
    pub(super) fn start_turns(&mut self) {
        if self.halt != Halt::No || !self.batch.is_held() {
            return;
        }
        self.watch_clock();
        let most = self.book.airborne + self.room();
        loop {
            let now_ms = clock::now_ms();
            self.lanes.look_at_clock(now_ms);
            let starts = self.book.airborne < most && self.batch.may_start(Instant::now());
            let taken = if starts {
                self.lanes.take(now_ms)
            } else {
                self.lanes.take_gate(now_ms)
            };
            let Some((host, turn)) = taken else {
                return;
            };
            let respects = self.shared.settings.http.respect_crawl_delay;
            let (store, glance) = (&self.shared.store, &mut self.glance);
            let state = self.lanes.host(&host, || {
                let glance = glance.at(store, Instant::now());
                let known = glance.and_then(|glance| glance.host(&host));
                believed(known.unwrap_or_default(), now_ms, respects)
            });
            let at = self.lanes.start_at(&host, now_ms);
            match turn {
                turn if at > now_ms => {
                    let last = at.saturating_sub(self.lanes.gap(&host));
                    self.lanes.put_back(&host, turn, last);
                }
                Turn::Gate(knock) => self.open_gate(&host, state, knock, now_ms),
                Turn::Feed(feed) => self.start_feed(feed, &host, state, now_ms),
            }
        }
    }

    /// A request starts. One of a first poll does not count against the host's budget (R72).
    fn started(&mut self, host: &HostKey, now_ms: i64, toll: Toll) {
        let counts = !toll.first;
        self.lanes.started(host, now_ms, counts);
        let note = HostNote::Started {
            at_ms: now_ms,
            counts,
        };
        self.shared.writer.host(host.clone(), note);
        self.unflushed = true;
    }

    fn open_gate(&mut self, host: &HostKey, state: HostState, knock: Knock, now_ms: i64) {
        let bar = Bar::of(&state, knock.toll, clock::now(), &self.shared.settings);
        if bar.is_none() {
            self.started(host, now_ms, knock.toll);
        }
        // A pass that nobody takes is dropped here, and frees the lane.
        let _ = knock.reply.send(self.pass(host, state).behind(bar));
    }

    /// The host's budget, for a feed that may be asked otherwise (R72).
    fn over_budget(&mut self, job: &Job, pass: &Pass) -> Option<Bar> {
        let bar = Bar::of(&pass.state, job.toll(), clock::now(), &self.shared.settings);
        match bar {
            Some(Bar::Spent(until)) => {
                let (store, feeds, host) = (&self.shared.store, &self.feeds, pass.host());
                let here = |feed: &FeedId| feeds.get(feed).is_some_and(|known| known.host == *host);
                let before = self.lanes.count_deferred(host, || {
                    queue::waiting(store, until, here).unwrap_or_default()
                });
                Some(Bar::Spent(until.plus(i64::from(before))))
            }
            other => other,
        }
    }

    /// The host's robots.txt is read at the end of the run, if it is time (R73).
    fn note_robots(&mut self, job: &Job, pass: &Pass) {
        let feeds = self.by_host.get(pass.host()).copied().unwrap_or_default();
        let settings = &self.shared.settings.http;
        if poll::wants_robots(&pass.state, feeds, job.pace, clock::now(), settings) {
            let address = poll::address(&job.input.state, &job.subscription.url);
            if let Some(url) = poll::robots_url(address) {
                self.book.errands.want(pass.host(), url);
            }
        }
    }

    /// When nobody is wanted any more, what is left to read is read.
    fn run_errands(&mut self) {
        if !self.book.wanted.is_empty() {
            return;
        }
        for (host, url) in self.book.errands.begin() {
            let shared = Arc::clone(&self.shared);
            let of = host.clone();
            let id = self.launch(None, |radio| robots::read(shared, of, url, radio));
            if let Some(flight) = self.book.flights.get_mut(&id) {
                flight.errand = Some(host);
            }
        }
    }

    /// Nothing is sent: the feed takes off and lands at once.
    fn defer(&mut self, job: &Job, pass: Pass, bar: Bar) {
        let radio = Radio {
            flight: 0,
            inner: self.inner.clone(),
        };
        let committing = flight::defer(&self.shared, job, pass, bar, &radio);
        self.commit(job.input.feed.id, committing);
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
        match plan {
            Plan::Ask => {
                if let Some(bar) = self.over_budget(&job, &pass) {
                    return self.defer(&job, pass, bar);
                }
                self.note_robots(&job, &pass);
                let shared = Arc::clone(&self.shared);
                job.reuse = self.lanes.reuse(host);
                self.started(host, now_ms, job.toll());
                if self.mode == Mode::Reader {
                    self.tell(Event::PollStarted { feed });
                }
                self.launch(Some(feed), |radio| flight::poll(shared, job, pass, radio));
            }
            Plan::Held { until } => self.defer(&job, pass, Bar::Held(until)),
            Plan::Debounced { until } => self.unsent(&job, Outcome::Deferred { until }),
            Plan::Off(_) if job.pace > Pace::Scheduled => self.unsent(&job, Outcome::Gone),
            Plan::NotDue { .. } | Plan::Off(_) => self.drop_feed(feed),
        }
    }

    /// The feed is asked at another host since it moved (R53): it queues up there, and leaves this lane with its pass.
    fn change_lane(&mut self, feed: FeedId, host: HostKey) {
        self.lanes.push_feed(&host, feed);
        *self.by_host.entry(host.clone()).or_default() += 1;
        if let Some(subscribed) = self.feeds.get_mut(&feed) {
            let old = std::mem::replace(&mut subscribed.host, host);
            self.by_host.entry(old).and_modify(|feeds| *feeds -= 1);
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
                    early: None,
                    row,
                });
                self.tell_finished();
            }
            Ok(None) | Err(_) => self.drop_feed(feed),
        }
    }

    /// Starts a task that may use the network; it lands by `Inner::Landed`, or at its end.
    pub(super) fn launch<F>(&mut self, feed: Option<FeedId>, task: impl FnOnce(Radio) -> F) -> Id
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
            errand: None,
            abort,
            landed: false,
        };
        self.book.flights.insert(id, flight);
        id
    }

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

    fn pass(&mut self, host: &HostKey, state: HostState) -> Pass {
        let forbidden = self.lanes.forbidden(host);
        let turn = self.lanes.next_turn();
        Pass::new(host.clone(), state, forbidden, self.inner.clone()).of_turn(turn)
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
        let mut deeds = Vec::new();
        for Written { number, row } in done {
            let Some((feed, mut draft)) = self.book.committing.remove(&number) else {
                continue;
            };
            match row {
                Ok(row) => {
                    deeds.extend(std::mem::take(&mut draft.deeds));
                    self.polled(draft.with(row));
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

/// What is believed of what the disk says of a host: no start lies in the future (R48), and where the user wants no
/// `Crawl-delay` there is none (R73).
fn believed(mut state: HostState, now_ms: i64, respects: bool) -> HostState {
    state.last_start_ms = state.last_start_ms.min(now_ms);
    if !respects {
        state.crawl_delay_ms = 0;
    }
    state
}
