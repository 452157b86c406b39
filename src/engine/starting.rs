//! Whose turn has come: a lane's next feed or gate starts, or is told why it may not.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::Id;
use tokio::time::Instant;

use crate::config;
use crate::fetch::Reuse;
use crate::model::{FeedId, HostKey, HostState, Outcome, Pace, PollReport};
use crate::poll::{self, Plan};
use crate::store::{HostNote, StoreError, Twin};

use super::Mode;
use super::batch::STARTS_FOR;
use super::book::Flight;
use super::clock;
use super::flight::{self, Flown, Radio};
use super::job::Job;
use super::lanes::Turn;
use super::lists;
use super::pass::{Bar, Pass, Toll};
use super::protocol::{Event, Ticket};
use super::queue;
use super::robots;
use super::run::{Engine, Halt, Knock};

impl Engine {
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
    pub(super) fn run_errands(&mut self) {
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

    /// The feed that is asked at the address that this one has moved to (R65).
    pub(super) fn twin(&self, job: &Job) -> Option<Twin> {
        // Nearly no feed has moved: nothing is looked up for the others.
        let address = poll::address(&job.input.state, &job.subscription.url);
        if job.input.state.moves.is_empty() || address == job.subscription.url {
            return None;
        }
        // Where the store cannot be read the feed is asked, and the reading of it fails as well.
        self.shared.store.twin(job.input.feed.id, address).ok()?
    }

    /// Its twin's request answers for both.
    fn defer_to(&mut self, twin: &Twin, job: &Job, pass: Pass) {
        let radio = Radio {
            flight: 0,
            inner: self.inner.clone(),
        };
        let known = job.known(&pass.state, &self.shared.settings, clock::now());
        let conclusion = poll::defer_to_twin(twin.next, &config::masked(&twin.url), &known);
        let committing = flight::unsent(job, pass, conclusion, &radio);
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
                if let Some(twin) = self.twin(&job) {
                    return self.defer_to(&twin, &job, pass);
                }
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
            Plan::Off(_) if !matches!(job.pace, Pace::Scheduled | Pace::Push) => {
                self.unsent(&job, Outcome::Gone);
            }
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
    pub(super) fn job(&mut self, feed: FeedId) -> Result<Option<Job>, StoreError> {
        let Some(subscribed) = self.feeds.get(&feed) else {
            return Ok(None);
        };
        let glance = self.glance.at(&self.shared.store, Instant::now())?;
        let Some(mut input) = glance.poll_input(feed)? else {
            return Ok(None);
        };
        let wish = &subscribed.subscription;
        let cursor = if wish.delta.is_some() || wish.changes.is_some() {
            self.shared.store.cursor(feed)?
        } else {
            None
        };
        let memory = lists::recall(&self.shared.store, &subscribed.subscription, &mut input)?;
        let pushed = self.relied(feed, &input.feed.hubs);
        Ok(Some(Job {
            pushed,
            input,
            memory,
            subscription: Arc::clone(&subscribed.subscription),
            pace: self
                .book
                .wanted
                .get(&feed)
                .map_or(Pace::Scheduled, |w| w.pace),
            deadline: Instant::now() + self.shared.settings.http.total_timeout + STARTS_FOR,
            reuse: Reuse::Alone,
            cursor,
            stays: false,
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
                    pushed: false,
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
        // In a box: the runtime moves what it is given several times, and the future of a poll is some kilobytes.
        let abort = self.tasks.spawn(Box::pin(task(Radio {
            flight: number,
            inner: self.inner.clone(),
        })));
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

    fn pass(&mut self, host: &HostKey, state: HostState) -> Pass {
        let forbidden = self.lanes.forbidden(host);
        let turn = self.lanes.next_turn();
        Pass::new(host.clone(), state, forbidden, self.inner.clone()).of_turn(turn)
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
