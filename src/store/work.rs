//! The writing thread: gathers polls, commits, tells; and goes on after an error of the disk.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use redb::Database;

use super::Shared;
use super::connect::{Opener, suspect};
use super::error::StoreError;
use super::kept;
use super::letters::{Act, Done, Hearer, Job, Marking, Note, refused, tell};
use super::mailbox::{Call, Inbox};
use super::offline;
use super::poll::{Group, PollCommit};
use super::transaction::write;
use crate::model::FeedRow;

/// How long the first poll of a transaction waits for others.
pub(super) const GROUP_WAIT: Duration = Duration::from_millis(250);
/// Polls of one transaction.
pub(super) const GROUP_POLLS: usize = 256;
/// Bytes of one transaction, roughly.
pub(super) const GROUP_BYTES: usize = 2 * 1024 * 1024;
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// What waits for a commit.
pub(super) struct Work {
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

impl Work {
    /// Nothing waits yet.
    pub(super) fn new(shared: Arc<Shared>, opener: Opener) -> Self {
        Self {
            shared,
            opener,
            polls: Vec::new(),
            bytes: 0,
            since: None,
            notes: Vec::new(),
            unsaved: Vec::new(),
            turns: HashMap::new(),
            state: State::Open,
        }
    }

    /// Takes what is left, until nobody can leave anything more.
    pub(super) fn run(mut self, inbox: &Inbox<Job>) {
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
