//! The loop: the one task that owns the schedule. It waits for commands, polls and time, never for the network.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::files::{PollLock, Watch};
use crate::model::{FeedId, FeedRow, HostKey, Offline, Subscription, ValidatorsChoice};
use crate::store::{Told, Written};

use super::Mode;
use super::batch::Batch;
use super::book::Book;
use super::clock;
use super::desk::Desk;
use super::flight::Flown;
use super::glance::Glance;
use super::ground::{Absence, Ground};
use super::held_back::HeldBack;
use super::idle::Idle;
use super::lanes::Lanes;
use super::looks::Looks;
use super::news::Notice;
use super::offline::Doubt;
use super::older_runs::Runs;
use super::pass::{Inner, Pass, Toll};
use super::protocol::{Command, Event, FailureKind, Ticket};
use super::push::state::Pushes;
use super::shared::Shared;

/// How often an open reader looks whether anything is due or was changed by others. A timer of this length wakes the thread
/// twice; at two wake-ups a second an idle reader costs nothing that could be seen.
const TICK: Duration = Duration::from_millis(1_100);

/// The clock was set, not merely corrected.
const CLOCK_JUMP_MS: u64 = 60_000;

/// How soon a request that only connects makes room for another (R70).
const ASIDE: Duration = Duration::from_millis(300);

/// A feed as the loop knows it.
pub(super) struct Subscribed {
    pub(super) subscription: Arc<Subscription>,
    pub(super) host: HostKey,
}

/// Somebody at a gate.
pub(super) struct Knock {
    /// What the host's budget asks of the request.
    pub(super) toll: Toll,
    /// Gets the pass.
    pub(super) reply: oneshot::Sender<Pass>,
}

/// Whether polls may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halt {
    /// They may.
    No,
    /// Not: what is under way lands first, then `Suspended` is told.
    Suspending,
    /// Not, until `Resume`.
    Suspended,
    /// Not: what is under way lands, then the engine ends.
    Stopping,
}

/// The engine's state.
pub(super) struct Engine {
    pub(super) shared: Arc<Shared>,
    pub(super) mode: Mode,
    pub(super) feeds: HashMap<FeedId, Subscribed>,
    /// How many of them a host has.
    pub(super) by_host: HashMap<HostKey, usize>,
    pub(super) events: UnboundedSender<Event>,
    pub(super) inner: UnboundedSender<Inner>,
    pub(super) tasks: JoinSet<Flown>,
    /// What rules have done, and who was told of it; gives what went wrong.
    pub(super) deeds: JoinSet<Vec<(&'static str, String)>>,
    /// What somebody is to be told of when the refresh is over.
    pub(super) notice: Notice,
    /// Where the writer tells what became of polls.
    pub(super) told: Told,
    written: Option<UnboundedReceiver<Vec<Written>>>,
    pub(super) lanes: Lanes<Knock>,
    pub(super) book: Book,
    pub(super) batch: Batch<PollLock>,
    pub(super) doubt: Doubt,
    /// What of it the store was told last.
    pub(super) kept_offline: Option<Offline>,
    /// Feeds of a run that wait for what a probe finds (R44).
    pub(super) held_back: VecDeque<HeldBack>,
    /// For starts; forgotten with everything that this process writes.
    pub(super) glance: Glance,
    pub(super) watch: Watch,
    /// config.toml and the themes.
    pub(super) looks: Looks,
    /// How long feeds.toml has not been there.
    pub(super) absence: Absence,
    /// The file that is the store.
    pub(super) ground: Ground,
    pub(super) seen_foreign: u64,
    /// Questions for a list so far: only the last one is waited for.
    pub(super) newest_list: Arc<AtomicU64>,
    /// Where searches and the index are read.
    pub(super) desk: Desk,
    /// What is done while nothing else is.
    pub(super) idle: Idle,
    /// Hubs, and who is subscribed at them.
    pub(super) pushes: Pushes,
    /// Who fetches older pages.
    pub(super) older: Runs,
    pub(super) halt: Halt,
    /// The clock may not be the one that the schedules were made by: at the start, and when it jumps.
    pub(super) clock_jumped: bool,
    /// Both clocks at the last look.
    last_tick: (i64, Instant),
    /// Something may wait in the writer for company.
    pub(super) unflushed: bool,
}

impl Engine {
    pub(super) fn new(
        shared: Arc<Shared>,
        mode: Mode,
        watch: Watch,
        events: UnboundedSender<Event>,
        inner: UnboundedSender<Inner>,
    ) -> Self {
        let (told, written) = unbounded_channel();
        let gap = i64::try_from(shared.settings.http.host_gap.as_millis()).unwrap_or(i64::MAX);
        Self {
            mode,
            feeds: HashMap::new(),
            by_host: HashMap::new(),
            events,
            inner,
            tasks: JoinSet::new(),
            deeds: JoinSet::new(),
            notice: Notice::default(),
            told,
            written: Some(written),
            lanes: Lanes::new(gap),
            book: Book::default(),
            batch: Batch::new(),
            doubt: Doubt::default(),
            kept_offline: None,
            held_back: VecDeque::new(),
            glance: Glance::default(),
            watch,
            looks: Looks::new(&shared.locations),
            absence: Absence::default(),
            ground: Ground::new(shared.store.path()),
            seen_foreign: 0,
            newest_list: Arc::default(),
            desk: Desk::default(),
            idle: Idle::default(),
            pushes: Pushes::default(),
            older: Runs::default(),
            halt: Halt::No,
            clock_jumped: true,
            last_tick: (clock::now_ms(), Instant::now()),
            unflushed: false,
            shared,
        }
    }

    /// Runs until `Shutdown`, or until the front end is gone.
    pub(super) async fn run(
        mut self,
        mut commands: UnboundedReceiver<Command>,
        mut inner: UnboundedReceiver<Inner>,
    ) {
        let Some(mut written) = self.written.take() else {
            return;
        };
        let mut tick = Instant::now() + TICK;
        while !(self.halt == Halt::Stopping && self.is_quiet() && self.deeds.is_empty()) {
            let wake = self.wake(tick);
            tokio::select! {
                command = commands.recv(), if self.halt != Halt::Stopping => {
                    let mut waiting = vec![command.unwrap_or(Command::Shutdown)];
                    while let Ok(more) = commands.try_recv() {
                        waiting.push(more);
                    }
                    self.glance.forget();
                    self.idle.disturb();
                    self.commands(waiting);
                }
                Some(message) = inner.recv() => {
                    self.message(message).await;
                    while let Ok(more) = inner.try_recv() {
                        self.message(more).await;
                    }
                }
                Some(end) = self.tasks.join_next_with_id(), if !self.tasks.is_empty() => self.flown(end),
                Some(end) = self.deeds.join_next(), if !self.deeds.is_empty() => {
                    for (what, why) in end.unwrap_or_default() {
                        self.fail(Ticket(0), what, why);
                    }
                }
                stir = self.pushes.next() => self.stirred(stir),
                Some(done) = written.recv() => self.written(done),
                () = sleep_until(wake), if wake.is_some() => {}
            }
            if self.mode != Mode::OneShot && Instant::now() >= tick {
                tick = Instant::now() + TICK;
                self.tick().await;
            }
            self.step().await;
        }
        self.end_runs();
        self.release().await;
        self.tell(Event::Stopped);
    }

    /// The next moment at which something happens by itself.
    fn wake(&self, tick: Instant) -> Option<Instant> {
        let now = Instant::now();
        let mut moments = Vec::with_capacity(6);
        moments.extend((self.mode != Mode::OneShot).then_some(tick));
        moments.extend(self.doubt.wake());
        moments.extend(self.glance.wake());
        if !self.batch.is_held() || self.batch.may_start(now) {
            moments.extend(self.older.wake());
        }
        if self.halt == Halt::No && self.lanes.is_waiting() {
            moments.extend(self.batch.wake(now));
            let start = if self.may_start() {
                self.lanes.next_start()
            } else {
                self.lanes.next_gate()
            };
            if self.batch.is_held()
                && let Some(at) = start
            {
                let ms = at.saturating_sub(clock::now_ms()).clamp(0, 60_000);
                moments.push(now + Duration::from_millis(ms.unsigned_abs()));
            }
            if self.batch.may_start(now) && self.room() == 0 {
                // Who connects for long steps aside without a word: it is looked again.
                moments.push(now + ASIDE);
            }
        }
        moments.into_iter().min()
    }

    /// Everything that follows from the state as it is now.
    async fn step(&mut self) {
        self.try_lock();
        self.start_turns();
        self.glance.expire(Instant::now());
        self.decide_offline();
        self.keep_offline();
        self.end_batch().await;
        self.step_waiting();
    }

    fn try_lock(&mut self) {
        let now = Instant::now();
        if self.halt != Halt::No || !self.lanes.is_waiting() {
            if self.batch.waited(now).is_some() {
                self.batch.give_up();
            }
            return;
        }
        if !self.batch.should_try(now) {
            return;
        }
        match PollLock::try_acquire(&self.shared.locations) {
            Ok(Some(lock)) => {
                self.doubt.new_run();
                self.glance.forget();
                self.batch.acquired(lock, now);
            }
            Ok(None) => self.lock_refused(now),
            Err(error) => {
                self.fail(
                    Ticket(0),
                    "the poll lock could not be taken",
                    error.to_string(),
                );
                self.batch.give_up();
                self.clear_queue(|summary| summary.undone += 1);
            }
        }
    }

    /// Another tidings is polling: a command waits so long and no longer, a reader as long as it is open.
    fn lock_refused(&mut self, now: Instant) {
        if self.batch.refused(now) {
            self.tell(Event::Waiting);
        }
        let patience = self.shared.settings.poll.lock_wait;
        let waited = self.batch.waited(now).unwrap_or_default();
        if self.mode == Mode::OneShot && waited >= patience {
            self.batch.give_up();
            self.clear_queue(|summary| summary.busy = true);
        }
    }

    /// Commits early when nobody else is under way, and gives the lock back when the batch is over.
    async fn end_batch(&mut self) {
        if self.book.airborne() > 0 {
            return;
        }
        let soon = clock::now_ms().saturating_add(1_500);
        let more = self.halt == Halt::No
            && self.batch.may_start(Instant::now())
            && self.lanes.next_start().is_some_and(|at| at <= soon);
        if more {
            return;
        }
        // Polls that need the network no longer come one after the other: the last one takes all of them to the disk.
        if self.tasks.is_empty() && std::mem::take(&mut self.unflushed) {
            // The polls that wait for the disk hear of it themselves.
            drop(self.shared.writer.flush());
        }
        if self.is_quiet() {
            self.tell_news();
        }
        if self.is_quiet() && (self.batch.is_held() || self.halt == Halt::Suspending) {
            self.release().await;
        }
    }

    /// Nothing is under way, neither on the network nor to the disk.
    fn is_quiet(&self) -> bool {
        self.tasks.is_empty() && self.book.committing.is_empty()
    }

    /// Everything is on disk, and the lock is free.
    async fn release(&mut self) {
        if let Ok(Err(error)) = self.shared.writer.flush().await {
            self.fail(
                Ticket(0),
                "the store could not be written",
                error.to_string(),
            );
        }
        if self.batch.is_held() {
            self.batch.release(Instant::now());
            self.lanes.forget_hosts();
        }
        if self.halt == Halt::Suspending {
            self.halt = Halt::Suspended;
            self.tell(Event::Suspended);
        }
    }

    /// Starts nothing any more, drops what is on the network; what has landed goes to the disk.
    pub(super) fn halt(&mut self, how: Halt) {
        self.halt = how;
        self.book.errands.spare_all();
        self.stop_backfills();
        self.clear_queue(|_| {});
        self.book.abort_airborne();
        self.halt_pushes();
        self.doubt.settle(None);
        self.unflushed = true;
    }

    pub(super) fn resume(&mut self) {
        self.halt = Halt::No;
        self.changed();
    }

    /// What others have written up to now is what the front end will be shown first.
    pub(super) fn look_at_others(&mut self) {
        self.seen_foreign = self.shared.store.foreign_commits().unwrap_or_default();
    }

    /// Once a second while a reader is open: what others did, what is due.
    async fn tick(&mut self) {
        if self.halt != Halt::No {
            return;
        }
        self.watch_clock();
        self.look_at_list().await;
        self.look_at_settings();
        self.look_at_store();
        match self.shared.store.foreign_commits() {
            Ok(foreign) if foreign == self.seen_foreign => {}
            Ok(foreign) => {
                self.seen_foreign = foreign;
                self.changed();
            }
            Err(error) => self.fail(Ticket(0), "the store could not be read", error.to_string()),
        }
        if !self.ground.is_lost() {
            // First: it looks whether the clock has jumped, and a refresh forgets that.
            self.tick_pushes().await;
            self.refresh_due();
            self.read_on();
        }
    }

    /// Notices a clock that was set: it runs away from the one that cannot be.
    pub(super) fn watch_clock(&mut self) {
        let (wall, steady) = (clock::now_ms(), Instant::now());
        let (wall_before, steady_before) = std::mem::replace(&mut self.last_tick, (wall, steady));
        let steady_ms = steady.duration_since(steady_before).as_millis();
        let drift = (wall - wall_before) - i64::try_from(steady_ms).unwrap_or(i64::MAX);
        if drift.unsigned_abs() > CLOCK_JUMP_MS {
            self.clock_jumped = true;
            self.lanes.look_at_clock(wall);
        }
    }

    pub(super) fn tell(&self, mut event: Event) {
        match &mut event {
            Event::Feeds { rows, .. } => rows.iter_mut().for_each(|row| self.obey_user(row)),
            Event::Polled(report) => self.obey_user(&mut report.row),
            Event::Explained {
                explanation: Some(found),
                ..
            } => self.obey_user(&mut found.row),
            _ => {}
        }
        // Nobody listens any more when the front end is gone; the commands' end stops the loop.
        let _ = self.events.send(event);
    }

    /// Which validators are sent is the user's choice where there is one; the store knows only what proved useful (R5).
    fn obey_user(&self, row: &mut FeedRow) {
        row.push = self.push_row(row);
        let Some(subscribed) = self.feeds.get(&row.feed.id) else {
            return;
        };
        row.full_text = subscribed.subscription.full_text;
        row.mute = subscribed.subscription.mute;
        row.kind = subscribed.subscription.kind;
        row.followed.clone_from(&subscribed.subscription.followed);
        match subscribed.subscription.http.validators {
            ValidatorsChoice::Auto => {}
            choice => row.mode = choice,
        }
    }

    pub(super) fn fail(&self, ticket: Ticket, what: &str, why: String) {
        tracing::warn!(what, why, "told as failed");
        self.tell(Event::Failed {
            ticket,
            what: what.to_owned(),
            why,
            kind: FailureKind::Internal,
        });
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
