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

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;

use super::Shared;
use super::adopt::Adoption;
use super::connect::Opener;
use super::feeds::Counts;
use super::index::IndexPart;
use super::letters::{Act, Answer, Hearer, Job, Marking, Note, Numbered, Reply, Told};
use super::mailbox::{Company, Slot, Urgency, mailbox};
use super::marks::{ListAct, Marked};
use super::older::OlderCommit;
use super::poll::{HostNote, PackedExchanges, PollCommit};
use super::prune::Take;
use super::pushes::Delivered;
use super::reconcile::Reconciled;
use super::work::{GROUP_BYTES, GROUP_POLLS, GROUP_WAIT, Work};
use crate::model::{
    AuditRecord, EntryId, FeedId, FeedRow, FullText, HostKey, ListSpec, Mark, Moment, Offline,
    Part, Pruned, StateMark, Subscription, Timestamp, Validators,
};
use crate::push::Push;

/// The handle to the writing thread. It ends when the last clone is gone, after a last commit.
#[derive(Debug, Clone)]
pub struct Writer {
    jobs: Slot<Job>,
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
        self.mark_part(spec, Part::All, mark, moment)
    }

    /// The same of a part of the list.
    pub fn mark_part(
        &self,
        spec: ListSpec,
        part: Part,
        mark: Mark,
        moment: impl Into<Moment>,
    ) -> Reply<Marked> {
        self.marking(Marking::All(Box::new(spec), part, mark, moment.into()))
    }

    /// Sets a tag of the user's own on entries, or takes it away.
    pub fn tag(&self, ids: Vec<EntryId>, tag: String, set: bool) -> Reply<Marked> {
        self.marking(Marking::Tag(ids, tag, set))
    }

    /// The same on every entry of a list.
    pub fn tag_all(
        &self,
        spec: ListSpec,
        tag: String,
        set: bool,
        moment: impl Into<Moment>,
    ) -> Reply<Marked> {
        self.marking(Marking::TagAll(Box::new(spec), tag, set, moment.into()))
    }

    /// Keeps a change of feeds.toml among the acts that `undo` takes back.
    pub fn list_act(&self, act: ListAct) -> Reply<bool> {
        self.ask(|answer| Job::Act(Act::List(Box::new(act), answer)))
    }

    /// Takes the last act of marking back, also one of another process; 20 are kept.
    pub fn undo(&self) -> Reply<Marked> {
        self.marking(Marking::Undo)
    }

    /// Does again what was taken back last; nothing, where something else was marked since then.
    pub fn redo(&self) -> Reply<Marked> {
        self.marking(Marking::Redo)
    }

    /// Takes marks over from elsewhere, also for entries and feeds that are not here yet. They only add: nothing
    /// becomes unread or loses its star.
    pub fn import_marks(&self, marks: Vec<StateMark>) -> Reply<Marked> {
        self.marking(Marking::Import(marks))
    }

    /// Stores entries that another reader kept. How many came, and how many were here already and only got the marks.
    pub fn adopt(&self, adoption: Adoption) -> Reply<(u64, u64)> {
        self.ask(|answer| Job::Act(Act::Adopt(Box::new(adoption), answer)))
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

    /// Keeps the subscription of a feed at its hub, by the path of its callback; `None` forgets it.
    pub fn push(&self, feed: FeedId, path: String, push: Option<Push>) -> Reply<bool> {
        self.ask(|answer| Job::Act(Act::Push(feed, path, push.map(Box::new), answer)))
    }

    /// Stores what a hub delivered, whole or not at all. False: the feed is not subscribed any more.
    pub fn deliver(&self, delivered: Delivered) -> Reply<bool> {
        self.ask(|answer| Job::Act(Act::Deliver(Box::new(delivered), answer)))
    }

    /// Commits an older page of a feed: its entries, and how far the way was gone. Total, unread and starred afterwards.
    pub fn older(&self, commit: OlderCommit) -> Reply<Counts> {
        self.ask(|answer| Job::Act(Act::Older(Box::new(commit), answer)))
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
    let work = Work::new(shared, opener);
    thread::Builder::new()
        .name("store".to_owned())
        .spawn(move || work.run(&inbox))?;
    Ok(Writer { jobs })
}
