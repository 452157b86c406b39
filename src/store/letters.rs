//! What is left for the writing thread: polls, notes and acts, each with who hears of it; and what each of them does in a
//! transaction.

use redb::{Database, ReadableDatabase};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use super::adopt::{Adoption, adopt};
use super::error::StoreError;
use super::feeds::Counts;
use super::holds::{enable, lift};
use super::index::{self, IndexPart};
use super::kept;
use super::ledger::probed;
use super::list::all_rows;
use super::marks::{self, ListAct, Marked};
use super::moves::undo_move;
use super::older::{self, OlderCommit};
use super::poll::{HostNote, PackedExchanges, PollCommit};
use super::prune::{Take, prune};
use super::pushes::{self, Delivered};
use super::reconcile::{Reconciled, reconcile};
use super::transaction::Writing;
use super::undo;
use crate::model::{
    AuditRecord, EntryId, FeedId, FeedRow, FullText, HostKey, ListSpec, Mark, Moment, Offline,
    Part, Pruned, StateMark, Subscription, Timestamp, Validators,
};
use crate::push::Push;

/// The answer to come, after the commit. An error of the channel itself means that the writer has ended.
pub type Reply<T> = oneshot::Receiver<Result<T, StoreError>>;

/// Where it is sent.
pub(super) type Answer<T> = oneshot::Sender<Result<T, StoreError>>;

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
pub(super) enum Hearer {
    One(Answer<FeedRow>),
    Many(Numbered),
}

/// A number to be told. Dropped untold, it says that the store is closed: nobody waits for ever.
#[derive(Debug)]
pub(super) struct Numbered {
    pub number: u64,
    pub told: Option<Told>,
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

/// What is left.
#[derive(Debug)]
pub(super) enum Job {
    Poll(Box<PollCommit>, Hearer),
    Note(Note),
    Act(Act),
    Flush(Answer<()>),
    Close(Answer<()>),
}

/// What rides along with the next commit.
#[derive(Debug)]
pub(super) enum Note {
    Host(HostKey, HostNote),
    /// Where reading stopped.
    Place(EntryId, u32),
    Offline(Option<Offline>),
}

/// What is committed at once.
#[derive(Debug)]
pub(super) enum Act {
    Reconcile(Vec<Subscription>, Timestamp, Answer<Reconciled>),
    Mark(Marking, Answer<Marked>),
    Lift(HostKey, Answer<bool>),
    Enable(FeedId, Timestamp, Answer<bool>),
    Probed(FeedId, Vec<AuditRecord>, PackedExchanges, Answer<bool>),
    UndoMove(FeedId, Answer<bool>),
    Prune(FeedId, Take, Timestamp, Answer<(Pruned, bool)>),
    FullText(EntryId, Box<(FullText, Validators)>, Answer<bool>),
    Index(IndexPart, Answer<bool>),
    List(Box<ListAct>, Answer<bool>),
    Push(FeedId, String, Option<Box<Push>>, Answer<bool>),
    Deliver(Box<Delivered>, Answer<bool>),
    Adopt(Box<Adoption>, Answer<(u64, u64)>),
    Older(Box<OlderCommit>, Answer<Counts>),
}

/// What is kept in memory when it cannot be written.
#[derive(Debug, Clone)]
pub(super) enum Marking {
    These(Vec<EntryId>, Mark),
    All(Box<ListSpec>, Part, Mark, Moment),
    Tag(Vec<EntryId>, String, bool),
    TagAll(Box<ListSpec>, String, bool, Moment),
    Undo,
    Redo,
    Import(Vec<StateMark>),
}

/// What an act of a transaction came to, until the commit lets it be told.
pub(super) enum Done {
    Reconciled(Reconciled),
    Marked(Marked),
    Told(bool),
    Adopted(u64, u64),
    Pruned(Pruned, bool),
    Counted(Counts),
    /// It made no sense; nothing of it was written.
    Refused(StoreError),
}

/// Tells what became of polls, all that hear of it at one place in one message.
pub(super) fn tell(polls: impl Iterator<Item = (Hearer, Result<FeedRow, StoreError>)>) {
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
pub(super) fn refused(done: Result<Done, StoreError>) -> Result<Done, StoreError> {
    match done {
        Err(error @ (StoreError::UnknownFeed(_) | StoreError::Query(_))) => {
            Ok(Done::Refused(error))
        }
        done => done,
    }
}

impl Act {
    /// Does it, in a transaction that is not committed yet.
    pub fn apply(
        &self,
        writing: &mut Writing<'_>,
        database: &Database,
    ) -> Result<Done, StoreError> {
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
            Self::Push(feed, path, push, _) => {
                pushes::put(writing, *feed, path, push.as_deref()).map(Done::Told)
            }
            Self::Deliver(delivered, _) => pushes::deliver(writing, delivered).map(Done::Told),
            Self::Adopt(adoption, _) => {
                let (added, known) = adopt(writing, adoption)?;
                Ok(Done::Adopted(added, known))
            }
            Self::Older(commit, _) => older::put(writing, commit).map(Done::Counted),
            Self::List(act, _) => undo::note_list(writing, act).map(Done::Told),
            Self::Prune(feed, take, now, _) => {
                let (pruned, more) = prune(writing, *feed, *take, *now)?;
                Ok(Done::Pruned(pruned, more))
            }
        }
    }

    /// Tells whoever asked, after the commit.
    pub fn answer(self, done: Done) {
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
            Self::Adopt(_, answer) => send(answer, done, |done| match done {
                Done::Adopted(added, known) => Some((added, known)),
                _ => None,
            }),
            Self::Older(_, answer) => send(answer, done, |done| match done {
                Done::Counted(counts) => Some(counts),
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
            | Self::List(_, answer)
            | Self::Push(_, _, _, answer)
            | Self::Deliver(_, answer)
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
    /// Marks, in a transaction that is not committed yet.
    pub fn apply(
        &self,
        writing: &mut Writing<'_>,
        database: &Database,
    ) -> Result<Done, StoreError> {
        let marked = match self {
            Self::These(ids, mark) => marks::mark(writing, ids, *mark),
            Self::All(spec, part, mark, moment) => {
                // Nobody else can commit while this transaction is open: the snapshot is what it started from.
                let rows = all_rows(&database.begin_read()?, spec, *part, *moment)?;
                marks::mark_rows(writing, rows, *mark)
            }
            Self::Tag(ids, tag, set) => marks::tag(writing, ids, tag, *set),
            Self::TagAll(spec, tag, set, moment) => {
                let rows = all_rows(&database.begin_read()?, spec, Part::All, *moment)?;
                marks::tag_rows(writing, &rows, tag, *set)
            }
            Self::Undo => undo::undo(writing),
            Self::Redo => undo::redo(writing),
            Self::Import(marks) => marks::import(writing, marks),
        };
        marked.map(Done::Marked)
    }
}
