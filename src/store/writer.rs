//! The one thread that writes, and the handle to it.
//!
//! Polls wait for each other: a transaction is committed 250 ms after the first of them, or with 256 of them, or
//! with 2 MiB: a round without news then pays a handful of syncs, one full of news holds little in memory. Any other act is committed at once, together with the polls that wait. Starts of requests ride along.
//!
//! After an input or output error redb refuses to go on with an open file: the thread lets it go, opens it again for
//! the readers, answers with the error, and writes again after a pause that grows from 100 ms to 10 s. Polls that were
//! lost so are asked again by the schedule, for their validators were lost with them; marks are kept here and written
//! first.
//!
//! Nobody wakes the thread to leave a poll, and a commit tells all its polls at once: `mailbox` and `Written`.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use redb::{Database, ReadableDatabase};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use super::Shared;
use super::connect::{Opener, suspect};
use super::error::StoreError;
use super::holds::{enable, lift};
use super::index::{self, IndexPart};
use super::kept;
use super::ledger::probed;
use super::list::all_rows;
use super::mailbox::{Call, Company, Inbox, Slot, Urgency, mailbox};
use super::marks::{self, Marked};
use super::moves::undo_move;
use super::offline;
use super::poll::{Group, HostNote, PackedExchanges, PollCommit};
use super::prune::{Take, prune};
use super::reconcile::{Reconciled, reconcile};
use super::transaction::{Writing, write};
use crate::model::{
    AuditRecord, EntryId, FeedId, FeedRow, FullText, HostKey, ListSpec, Mark, Moment, Offline,
    Pruned, StateMark, Subscription, Timestamp, Validators,
};

const GROUP_WAIT: Duration = Duration::from_millis(250);
const GROUP_POLLS: usize = 256;
const GROUP_BYTES: usize = 2 * 1024 * 1024;
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// The answer to come, after the commit. An error of the channel itself means that the writer has ended.
pub type Reply<T> = oneshot::Receiver<Result<T, StoreError>>;

type Answer<T> = oneshot::Sender<Result<T, StoreError>>;

/// The handle to the writing thread. It ends when the last clone is gone, after a last commit.
#[derive(Debug, Clone)]
pub struct Writer {
    jobs: Slot<Job>,
}

/// What became of a poll that was left under a number.
#[derive(Debug)]
pub struct Written {
    /// The number.
    pub number: u64,
    /// The feed's row after the commit.
    pub row: Result<FeedRow, StoreError>,
}

/// Where the polls of one commit are told, together.
pub type Told = UnboundedSender<Vec<Written>>;

/// Who hears of a poll: the one who asked, or the front end with all polls of the commit.
#[derive(Debug)]
enum Hearer {
    One(Answer<FeedRow>),
    Many(Numbered),
}

/// A number to be told. Dropped untold, it says that the store is closed: nobody waits for ever.
#[derive(Debug)]
struct Numbered {
    number: u64,
    told: Option<Told>,
}

impl Drop for Numbered {
    fn drop(&mut self) {
        if let Some(told) = self.told.take() {
            // Whoever asked may be gone.
            let _ = told.send(vec![Written {
                number: self.number,
                row: Err(StoreError::Closed),
            }]);
        }
    }
}

#[derive(Debug)]
enum Job {
    Poll(Box<PollCommit>, Hearer),
    Note(Note),
    Act(Act),
    Flush(Answer<()>),
    Close(Answer<()>),
}

/// What rides along with the next commit.
#[derive(Debug)]
enum Note {
    Host(HostKey, HostNote),
    /// Where reading stopped.
    Place(EntryId, u32),
    Offline(Option<Offline>),
}

/// What is committed at once.
#[derive(Debug)]
enum Act {
    Reconcile(Vec<Subscription>, Timestamp, Answer<Reconciled>),
    Mark(Marking, Answer<Marked>),
    Lift(HostKey, Answer<bool>),
    Enable(FeedId, Timestamp, Answer<bool>),
    Probed(FeedId, Vec<AuditRecord>, PackedExchanges, Answer<bool>),
    UndoMove(FeedId, Answer<bool>),
    Prune(FeedId, Take, Timestamp, Answer<(Pruned, bool)>),
    FullText(EntryId, Box<(FullText, Validators)>, Answer<bool>),
    Index(IndexPart, Answer<bool>),
}

/// What is kept in memory when it cannot be written.
#[derive(Debug, Clone)]
enum Marking {
    These(Vec<EntryId>, Mark),
    All(Box<ListSpec>, Mark, Moment),
    Undo,
    Import(Vec<StateMark>),
}

impl Writer {
    /// Commits what a poll brought, in one transaction with its neighbours; whole or not at all (R14). The feed's row
    /// as it is afterwards.
    pub fn poll(&self, commit: PollCommit) -> Reply<FeedRow> {
        let (answer, reply) = oneshot::channel();
        self.leave(commit, Hearer::One(answer));
        reply
    }

    /// The same for many polls at once: all that one commit wrote are told in one message.
    pub fn poll_numbered(&self, number: u64, commit: PollCommit, told: &Told) {
        let told = Some(told.clone());
        self.leave(commit, Hearer::Many(Numbered { number, told }));
    }

    fn leave(&self, commit: PollCommit, hearer: Hearer) {
        let bytes = commit.bytes();
        let job = Job::Poll(Box::new(commit), hearer);
        self.jobs.put(job, Urgency::Waits { bytes });
    }

    /// Notes what happens to a host: a request that starts, a robots.txt that was read. Written with the next commit, at
    /// the latest by `flush`.
    pub fn host(&self, host: HostKey, note: HostNote) {
        // Without a thread there is nobody to tell, and no lane to keep.
        self.jobs
            .put(Job::Note(Note::Host(host, note)), Urgency::Rides);
    }

    /// Remembers where in an entry's text reading stopped, in bytes of the document's text; 0 forgets it. Written with the
    /// next commit, at the latest by `flush`: it is worth no sync of its own.
    pub fn place(&self, id: EntryId, place: u32) {
        self.jobs
            .put(Job::Note(Note::Place(id, place)), Urgency::Rides);
    }

    /// Keeps the article of an entry's page. False: the entry is not stored any more.
    pub fn full_text(&self, id: EntryId, full: FullText, validators: Validators) -> Reply<bool> {
        self.ask(|answer| Job::Act(Act::FullText(id, Box::new((full, validators)), answer)))
    }

    /// Keeps for the next run that this machine is offline, or that it is not any more. Written with the next commit.
    pub fn offline(&self, offline: Option<Offline>) {
        self.jobs
            .put(Job::Note(Note::Offline(offline)), Urgency::Rides);
    }

    /// Makes the subscribed feeds those of `list`, in its order.
    pub fn reconcile(&self, list: Vec<Subscription>, now: Timestamp) -> Reply<Reconciled> {
        self.ask(|answer| Job::Act(Act::Reconcile(list, now, answer)))
    }

    /// Marks entries.
    pub fn mark(&self, ids: Vec<EntryId>, mark: Mark) -> Reply<Marked> {
        self.marking(Marking::These(ids, mark))
    }

    /// Marks every entry of a list, as it is at the moment of the commit.
    pub fn mark_all(&self, spec: ListSpec, mark: Mark, moment: impl Into<Moment>) -> Reply<Marked> {
        self.marking(Marking::All(Box::new(spec), mark, moment.into()))
    }

    /// Takes the last act of marking back, also one of another process; 20 are kept.
    pub fn undo(&self) -> Reply<Marked> {
        self.marking(Marking::Undo)
    }

    /// Takes marks over from elsewhere, also for entries and feeds that are not here yet. They only add: nothing
    /// becomes unread or loses its star.
    pub fn import_marks(&self, marks: Vec<StateMark>) -> Reply<Marked> {
        self.marking(Marking::Import(marks))
    }

    /// Ends the hold of a host; its held feeds are due. False: it was not held.
    pub fn lift(&self, host: HostKey) -> Reply<bool> {
        self.ask(|answer| Job::Act(Act::Lift(host, answer)))
    }

    /// Polls a gone or dead feed again; it is due. False: it was not off.
    pub fn enable(&self, feed: FeedId, now: Timestamp) -> Reply<bool> {
        self.ask(|answer| Job::Act(Act::Enable(feed, now, answer)))
    }

    /// Takes what is to go from a feed, as much as one transaction takes. True beside the sum: there is more.
    pub fn prune(&self, feed: FeedId, take: Take, now: Timestamp) -> Reply<(Pruned, bool)> {
        self.ask(|answer| Job::Act(Act::Prune(feed, take, now, answer)))
    }

    /// Takes back the moves that lead away from a feed's URL (R53). False: there are none.
    pub fn undo_move(&self, feed: FeedId) -> Reply<bool> {
        self.ask(|answer| Job::Act(Act::UndoMove(feed, answer)))
    }

    /// Stores a part of the index of words. False: another process was faster.
    pub fn index(&self, part: IndexPart) -> Reply<bool> {
        self.ask(|answer| Job::Act(Act::Index(part, answer)))
    }

    /// Writes the requests of a probe into the rings of a feed, and changes nothing else of it. False: nothing is known
    /// of its polling.
    pub fn probed(
        &self,
        feed: FeedId,
        records: Vec<AuditRecord>,
        exchanges: PackedExchanges,
    ) -> Reply<bool> {
        self.ask(|answer| Job::Act(Act::Probed(feed, records, exchanges, answer)))
    }

    /// Where commits of polls follow each other the later ones wait up to so long for company, instead of 250 ms.
    pub fn longest_wait(&self, longest: Duration) {
        self.jobs.longest(longest);
    }

    /// Commits whatever waits, host starts included.
    pub fn flush(&self) -> Reply<()> {
        self.ask(Job::Flush)
    }

    /// Commits whatever waits and closes the file cleanly, so that the next opening has nothing to recover.
    /// Every later question is answered with `StoreError::Closed`.
    pub fn close(&self) -> Reply<()> {
        self.ask(Job::Close)
    }

    fn marking(&self, marking: Marking) -> Reply<Marked> {
        self.ask(|answer| Job::Act(Act::Mark(marking, answer)))
    }

    fn ask<T>(&self, job: impl FnOnce(Answer<T>) -> Job) -> Reply<T> {
        let (answer, reply) = oneshot::channel();
        // A job that nobody takes is dropped with its answer: the reply says so.
        self.jobs.put(job(answer), Urgency::Now);
        reply
    }
}

/// Starts the thread.
pub(super) fn start(shared: Arc<Shared>, opener: Opener) -> io::Result<Writer> {
    let (jobs, inbox) = mailbox(Company {
        wait: GROUP_WAIT,
        longest: GROUP_WAIT,
        letters: GROUP_POLLS,
        bytes: GROUP_BYTES,
    });
    let work = Work {
        shared,
        opener,
        polls: Vec::new(),
        bytes: 0,
        since: None,
        notes: Vec::new(),
        unsaved: Vec::new(),
        turns: HashMap::new(),
        state: State::Open,
    };
    thread::Builder::new()
        .name("store".to_owned())
        .spawn(move || work.run(&inbox))?;
    Ok(Writer { jobs })
}

/// What waits for a commit.
struct Work {
    shared: Arc<Shared>,
    opener: Opener,
    polls: Vec<Waiting>,
    bytes: usize,
    /// When the first of them began to wait here; those in the mailbox are its affair.
    since: Option<Instant>,
    notes: Vec<Note>,
    unsaved: Vec<Marking>,
    /// The latest turn of each host that is written.
    turns: HashMap<String, u64>,
    state: State,
}

struct Waiting {
    commit: Box<PollCommit>,
    hearer: Hearer,
}

enum State {
    Open,
    Broken {
        why: StoreError,
        again: Instant,
        pause: Duration,
    },
    Closed,
}

/// What an act of a transaction came to, until the commit lets it be told.
enum Done {
    Reconciled(Reconciled),
    Marked(Marked),
    Told(bool),
    Pruned(Pruned, bool),
    /// It made no sense; nothing of it was written.
    Refused(StoreError),
}

impl Work {
    fn run(mut self, inbox: &Inbox<Job>) {
        loop {
            let (call, jobs) = inbox.wait(self.wakes());
            for job in jobs {
                self.take(job);
            }
            match call {
                // What came behind the urgent one waits for company of its own.
                Call::Urgent if self.polls.is_empty() => {}
                Call::Urgent => drop(self.since.get_or_insert_with(Instant::now)),
                Call::Waited | Call::Time => self.on_time(),
                Call::Closed => {
                    // Everybody who could hear of an error has been answered or is gone.
                    let _ = self.commit(None);
                    return;
                }
            }
        }
    }

    /// When to commit, or to try again, though nobody asks.
    fn wakes(&self) -> Option<Instant> {
        let group = self.since.map(|since| since + GROUP_WAIT);
        let retry = match &self.state {
            State::Broken { again, .. } => Some(*again),
            State::Open | State::Closed => None,
        };
        group.into_iter().chain(retry).min()
    }

    fn on_time(&mut self) {
        // Who waited is answered in `commit`. Readers wait for the file, though nobody writes.
        if self.commit(None).is_ok()
            && matches!(self.state, State::Broken { .. })
            && self.database().is_ok()
        {
            self.state = State::Open;
        }
    }

    fn take(&mut self, job: Job) {
        match job {
            Job::Poll(commit, hearer) => self.queue(commit, hearer),
            Job::Note(note) => self.notes.push(note),
            Job::Act(act) => {
                // It is listed from what is committed: what waits must be.
                if matches!(act, Act::Mark(Marking::All(..), _)) {
                    let _ = self.commit(None);
                }
                let _ = self.commit(Some(act));
            }
            Job::Flush(answer) => {
                let _ = answer.send(self.commit(None));
            }
            Job::Close(answer) => {
                let done = self.commit(None);
                self.shared.swap(None);
                self.state = State::Closed;
                let _ = answer.send(done);
            }
        }
    }

    fn queue(&mut self, commit: Box<PollCommit>, hearer: Hearer) {
        self.bytes += commit.bytes();
        self.polls.push(Waiting { commit, hearer });
        if self.polls.len() >= GROUP_POLLS || self.bytes >= GROUP_BYTES {
            let _ = self.commit(None);
        }
    }

    /// Commits everything that waits, and `act` with it, in one transaction; answers those who asked.
    fn commit(&mut self, act: Option<Act>) -> Result<(), StoreError> {
        self.since = None;
        self.bytes = 0;
        let mut polls = std::mem::take(&mut self.polls);
        let notes = std::mem::take(&mut self.notes);
        if polls.is_empty() && notes.is_empty() && self.unsaved.is_empty() && act.is_none() {
            return Ok(());
        }
        // Neighbours in the tables one after the other; two polls of one feed stay in their order.
        polls.sort_by_key(|waiting| waiting.commit.feed);
        let (tried, done) = match self.database() {
            Ok(database) => (true, self.transact(&database, &polls, &notes, act.as_ref())),
            Err(error) => (false, Err(error)),
        };
        match done {
            Ok((rows, done)) => {
                self.unsaved.clear();
                self.state = State::Open;
                tell(polls.into_iter().map(|waiting| waiting.hearer).zip(rows));
                if let (Some(act), Some(done)) = (act, done) {
                    act.answer(done);
                }
                Ok(())
            }
            Err(error) => {
                let error = error.at(&self.shared.path);
                self.notes = notes;
                // Before the answers: who hears of the error may look what is stored.
                if tried && error.breaks_the_store() {
                    self.break_off(error.clone());
                }
                let hearers = polls.into_iter().map(|waiting| waiting.hearer);
                tell(hearers.map(|hearer| (hearer, Err(error.clone()))));
                if let Some(act) = act {
                    self.fail(act, &error);
                }
                Err(error)
            }
        }
    }

    #[expect(
        clippy::type_complexity,
        reason = "told apart in the next line of its only caller"
    )]
    fn transact(
        &mut self,
        database: &Database,
        polls: &[Waiting],
        notes: &[Note],
        act: Option<&Act>,
    ) -> Result<(Vec<Result<FeedRow, StoreError>>, Option<Done>), StoreError> {
        let (unsaved, turns) = (&self.unsaved, &mut self.turns);
        // Counted before the commit: for a moment somebody else's commit may be overlooked, but never our own taken
        // for somebody else's.
        self.shared.own.fetch_add(1, Ordering::AcqRel);
        let done = write(database, |writing| {
            for marking in unsaved {
                refused(marking.apply(writing, database))?;
            }
            let mut group = Group::new(turns);
            for note in notes {
                match note {
                    Note::Host(host, note) => group.note(writing, host, note)?,
                    Note::Place(id, place) => kept::put_place(writing, *id, *place)?,
                    Note::Offline(found) => offline::put(writing, *found)?,
                }
            }
            let mut rows = Vec::with_capacity(polls.len());
            for waiting in polls {
                rows.push(match group.poll(writing, &waiting.commit) {
                    Err(error @ StoreError::UnknownFeed(_)) => Err(error),
                    row => Ok(row?),
                });
            }
            let shrunk = group.finish(writing)?;
            for row in rows.iter_mut().flatten() {
                let counts = shrunk.iter().find(|(feed, _)| *feed == row.feed.id);
                if let Some((_, counts)) = counts {
                    (row.total, row.unread, row.starred) = *counts;
                }
            }
            let done = match act {
                Some(act) => Some(refused(act.apply(writing, database))?),
                None => None,
            };
            Ok((rows, done))
        });
        if !matches!(done, Ok((_, true))) {
            self.shared.own.fetch_sub(1, Ordering::AcqRel);
        }
        done.map(|(done, _)| done)
    }

    /// The database to write to; after an error not before the pause is over.
    fn database(&mut self) -> Result<Arc<Database>, StoreError> {
        match &self.state {
            State::Open => {}
            State::Closed => return Err(StoreError::Closed),
            State::Broken { why, again, .. } => {
                if Instant::now() < *again {
                    return Err(why.clone());
                }
                if self.shared.database().is_err()
                    && let Err(error) = self.reopen()
                {
                    self.pause(error.clone());
                    return Err(error);
                }
            }
        }
        self.shared.database()
    }

    fn reopen(&self) -> Result<(), StoreError> {
        let connected = self.opener.connect()?;
        self.shared.swap(Some(connected.database));
        Ok(())
    }

    /// Lets the file go and takes it again at once, for the readers: on a full disk they go on. Writing pauses.
    fn break_off(&mut self, why: StoreError) {
        if matches!(why, StoreError::Damaged { .. }) {
            suspect(&self.shared.path);
        }
        self.shared.swap(None);
        self.pause(why);
        // Where this fails it is tried again after the pause.
        let _ = self.reopen();
    }

    fn pause(&mut self, why: StoreError) {
        let pause = match &self.state {
            State::Broken { pause, .. } => (*pause * 2).min(LONGEST_PAUSE),
            State::Open | State::Closed => FIRST_PAUSE,
        };
        self.state = State::Broken {
            why,
            again: Instant::now() + pause,
            pause,
        };
    }

    /// Answers an act that failed. Marks are kept where writing them later can help.
    fn fail(&mut self, act: Act, error: &StoreError) {
        match (act, error) {
            (Act::Mark(marking, answer), StoreError::Io { path, source, .. }) => {
                self.unsaved.push(marking);
                let _ = answer.send(Err(StoreError::Unsaved {
                    path: path.clone(),
                    source: source.clone(),
                }));
            }
            (act, error) => act.answer(Done::Refused(error.clone())),
        }
    }
}

/// Tells what became of polls, all that hear of it at one place in one message.
fn tell(polls: impl Iterator<Item = (Hearer, Result<FeedRow, StoreError>)>) {
    let mut groups: Vec<(Told, Vec<Written>)> = Vec::new();
    for (hearer, row) in polls {
        match hearer {
            Hearer::One(answer) => drop(answer.send(row)),
            Hearer::Many(mut numbered) => {
                let Some(told) = numbered.told.take() else {
                    continue;
                };
                let number = numbered.number;
                let written = Written { number, row };
                match groups.iter_mut().find(|(to, _)| to.same_channel(&told)) {
                    Some((_, group)) => group.push(written),
                    None => groups.push((told, vec![written])),
                }
            }
        }
    }
    for (told, group) in groups {
        // Whoever asked may be gone.
        let _ = told.send(group);
    }
}

/// An act that makes no sense is answered so; the transaction goes on without it.
fn refused(done: Result<Done, StoreError>) -> Result<Done, StoreError> {
    match done {
        Err(error @ (StoreError::UnknownFeed(_) | StoreError::Query(_))) => {
            Ok(Done::Refused(error))
        }
        done => done,
    }
}

impl Act {
    fn apply(&self, writing: &mut Writing<'_>, database: &Database) -> Result<Done, StoreError> {
        match self {
            Self::Reconcile(list, now, _) => reconcile(writing, list, *now).map(Done::Reconciled),
            Self::Mark(marking, _) => marking.apply(writing, database),
            Self::Lift(host, _) => lift(writing, host).map(Done::Told),
            Self::Enable(feed, now, _) => enable(writing, *feed, *now).map(Done::Told),
            Self::Probed(feed, records, exchanges, _) => {
                probed(writing, *feed, records, exchanges).map(Done::Told)
            }
            Self::UndoMove(feed, _) => undo_move(writing, *feed).map(Done::Told),
            Self::FullText(id, full, _) => {
                kept::put_full(writing, *id, &full.0, &full.1).map(Done::Told)
            }
            Self::Index(part, _) => index::put(writing, part).map(Done::Told),
            Self::Prune(feed, take, now, _) => {
                let (pruned, more) = prune(writing, *feed, *take, *now)?;
                Ok(Done::Pruned(pruned, more))
            }
        }
    }

    fn answer(self, done: Done) {
        fn send<T>(answer: Answer<T>, done: Done, of: impl FnOnce(Done) -> Option<T>) {
            let result = match done {
                Done::Refused(error) => Err(error),
                done => of(done).ok_or(StoreError::Closed),
            };
            // Whoever asked may be gone.
            let _ = answer.send(result);
        }
        match self {
            Self::Reconcile(_, _, answer) => send(answer, done, |done| match done {
                Done::Reconciled(reconciled) => Some(reconciled),
                _ => None,
            }),
            Self::Prune(_, _, _, answer) => send(answer, done, |done| match done {
                Done::Pruned(pruned, more) => Some((pruned, more)),
                _ => None,
            }),
            Self::Mark(_, answer) => send(answer, done, |done| match done {
                Done::Marked(marked) => Some(marked),
                _ => None,
            }),
            Self::Lift(_, answer)
            | Self::Enable(_, _, answer)
            | Self::Probed(_, _, _, answer)
            | Self::UndoMove(_, answer)
            | Self::FullText(_, _, answer)
            | Self::Index(_, answer) => {
                send(answer, done, |done| match done {
                    Done::Told(told) => Some(told),
                    _ => None,
                });
            }
        }
    }
}

impl Marking {
    fn apply(&self, writing: &mut Writing<'_>, database: &Database) -> Result<Done, StoreError> {
        let marked = match self {
            Self::These(ids, mark) => marks::mark(writing, ids, *mark),
            Self::All(spec, mark, moment) => {
                // Nobody else can commit while this transaction is open: the snapshot is what it started from.
                let rows = all_rows(&database.begin_read()?, spec, *moment)?;
                marks::mark_rows(writing, rows, *mark)
            }
            Self::Undo => marks::undo(writing),
            Self::Import(marks) => marks::import(writing, marks),
        };
        marked.map(Done::Marked)
    }
}
