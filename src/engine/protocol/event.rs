//! What the engine tells a front end.

use crate::model::{
    AuditRecord, Backfill, BackfillRun, Counters, EntriesPage, Entry, EntryHead, EntryId, Exchange,
    Explanation, FeedId, FeedRow, FullText, HostKey, HostState, Kept, PollReport, ProbeReport,
    Pruned, PushRow, StateMark, Timestamp,
};

use super::command::{Own, Ticket};
use super::results::{AddResult, Inspected, NewSettings, Planned, RuleRow, Summary};

/// What the engine tells a front end.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Every subscribed feed, in the order of feeds.toml. Also sent unasked (ticket 0) when the list changed.
    Feeds {
        /// Of the question.
        ticket: Ticket,
        /// One row a feed.
        rows: Vec<FeedRow>,
    },
    /// Rows of a list.
    Entries {
        /// Of the question.
        ticket: Ticket,
        /// The rows.
        page: EntriesPage,
    },
    /// The unread entry that was looked for.
    Found {
        /// Of the question.
        ticket: Ticket,
        /// It, or `None` when nothing is unread.
        head: Option<Box<EntryHead>>,
    },
    /// An entry with its body; `None` when it is no longer stored.
    Opened {
        /// Of the question.
        ticket: Ticket,
        /// It, and what is kept besides.
        entry: Option<Box<(Entry, Kept)>>,
    },
    /// The article of an entry's page.
    FullText {
        /// Of the question.
        ticket: Ticket,
        /// The entry.
        id: EntryId,
        /// It.
        full: Box<FullText>,
    },
    /// What was counted.
    Counted {
        /// Of the question.
        ticket: Ticket,
        /// One for each list.
        counts: Vec<u64>,
    },
    /// A list or a rule is in config.toml.
    Kept {
        /// Of the question.
        ticket: Ticket,
        /// It.
        own: Own,
    },
    /// Feeds are changed in feeds.toml.
    Retuned {
        /// Of the command.
        ticket: Ticket,
        /// How many.
        feeds: usize,
    },
    /// The last change of feeds.toml is taken back.
    ListUndone {
        /// Of the command.
        ticket: Ticket,
    },
    /// The tags that stored entries have, in the order of the alphabet; not those of feeds.
    Tags {
        /// Of the question.
        ticket: Ticket,
        /// They.
        tags: Vec<String>,
    },
    /// The rules.
    Rules {
        /// Of the question.
        ticket: Ticket,
        /// In the order of config.toml.
        rules: Vec<RuleRow>,
    },
    /// config.toml or a theme was saved while a reader is open, and read again.
    Settings {
        /// Where config.toml lies, for sentences.
        path: String,
        /// What stands there now, or what is wrong with it: a sentence.
        read: Result<Box<NewSettings>, String>,
    },
    /// How feeds that name hubs are pushed.
    Pushes {
        /// Of the question.
        ticket: Ticket,
        /// One a feed that names a hub or is subscribed at one; none of them without.
        rows: Vec<PushRow>,
        /// Somebody listens for hubs: this process, or another.
        listens: bool,
    },
    /// Something happened between a hub and tidings: told to `watch`.
    Push {
        /// A sentence.
        text: String,
    },
    /// A rule says that somebody is to be told of new entries.
    Noticed {
        /// A sentence.
        text: String,
    },
    /// Marks were written.
    Marked {
        /// Of the question.
        ticket: Ticket,
        /// Entries whose mark changed, with read and star as they are now. Empty when more than 10,000 changed: reload.
        changed: Vec<(EntryId, bool, bool)>,
        /// How many changed.
        count: u64,
        /// Total, unread and starred of every feed it touched.
        counts: Vec<(FeedId, u64, u64, u64)>,
    },
    /// A refresh begins.
    RefreshStarted {
        /// Of the question.
        ticket: Ticket,
        /// Feeds in it; those that turn out not to be due are not polled.
        feeds: usize,
    },
    /// A request to this feed is about to be sent: told to a reader, where it is seen.
    PollStarted {
        /// The feed.
        feed: FeedId,
    },
    /// A poll ended and is on disk.
    Polled(Box<PollReport>),
    /// All polls of a refresh ended.
    RefreshDone {
        /// Of the question.
        ticket: Ticket,
        /// What came of them.
        summary: Summary,
    },
    /// What a refresh would do.
    Planned {
        /// Of the question.
        ticket: Ticket,
        /// One a feed.
        plans: Vec<Planned>,
    },
    /// What came of `Add`.
    Added {
        /// Of the question.
        ticket: Ticket,
        /// It.
        result: AddResult,
    },
    /// What came of `Inspect`.
    Inspected {
        /// Of the question.
        ticket: Ticket,
        /// What answered.
        body: Box<Inspected>,
    },
    /// What came of `Import`.
    Imported {
        /// Of the question.
        ticket: Ticket,
        /// Subscribed now.
        added: usize,
        /// Subscribed already, or twice in the file.
        duplicates: usize,
    },
    /// What came of `Adopt`.
    Adopted {
        /// Of the question.
        ticket: Ticket,
        /// Stored now.
        added: u64,
        /// Here already: they only got the marks.
        known: u64,
    },
    /// What came of `Remove`.
    Removed {
        /// Of the question.
        ticket: Ticket,
        /// Unsubscribed, as in feeds.toml.
        removed: Vec<String>,
        /// Not subscribed.
        unknown: Vec<String>,
    },
    /// What came of `Probe`.
    Probed {
        /// Of the question.
        ticket: Ticket,
        /// It.
        report: Box<ProbeReport>,
    },
    /// An older page is on disk.
    BackfillPage {
        /// Of the command.
        ticket: Ticket,
        /// The feed.
        feed: FeedId,
        /// How the run stands.
        run: Box<BackfillRun>,
    },
    /// A run over older pages ended.
    Backfilled {
        /// Of the command.
        ticket: Ticket,
        /// The feed.
        feed: FeedId,
        /// What came of it.
        run: Box<BackfillRun>,
    },
    /// How far the older pages of feeds were read, of those that were asked for them.
    Backfills {
        /// Of the question.
        ticket: Ticket,
        /// They.
        places: Vec<(FeedId, Backfill)>,
    },
    /// feeds.toml holds the address that the feed moved to. `Feeds` comes before it.
    MoveAdopted {
        /// Of the question.
        ticket: Ticket,
        /// The feed.
        feed: FeedId,
        /// The address before, userinfo included: mask it before it is shown.
        from: String,
        /// The address now.
        to: String,
        /// What a person should know: credentials that go to another host from now on.
        warning: Option<String>,
    },
    /// A move is taken back. `Feeds` comes before it.
    MoveUndone {
        /// Of the question.
        ticket: Ticket,
        /// The feed.
        feed: FeedId,
        /// The address that is asked no longer.
        from: String,
        /// The one that is asked again, userinfo included: mask it before it is shown.
        to: String,
    },
    /// What pruning took, or would take.
    Pruned {
        /// Of the question.
        ticket: Ticket,
        /// The sum over all feeds.
        pruned: Pruned,
    },
    /// The audit of a feed, newest first.
    Ledger {
        /// Of the question.
        ticket: Ticket,
        /// The feed.
        feed: FeedId,
        /// Its ring.
        records: Vec<AuditRecord>,
        /// Full headers of the last answers.
        exchanges: Vec<Exchange>,
    },
    /// Why a feed is asked when it is.
    Explained {
        /// Of the question.
        ticket: Ticket,
        /// Everything that bears on it; `None` for a feed that is not subscribed.
        explanation: Option<Box<Explanation>>,
    },
    /// What was counted a day, oldest first.
    Days {
        /// Of the question.
        ticket: Ticket,
        /// Days since 1970 and what was counted on them, without gaps.
        days: Vec<(u32, Counters)>,
    },
    /// Totals a day, oldest first, and every host.
    Totals {
        /// Of the question.
        ticket: Ticket,
        /// Days since 1970 and what was counted on them, without gaps.
        days: Vec<(u32, Counters)>,
        /// Hosts of subscribed feeds.
        hosts: Vec<(HostKey, HostState)>,
    },
    /// Marks of all entries.
    State {
        /// Of the question.
        ticket: Ticket,
        /// They.
        marks: Vec<StateMark>,
    },
    /// Another process wrote to the store, or entries were added: what is shown may be old. `Feeds` comes with it.
    Changed,
    /// Another tidings is polling; this one waits for it.
    Waiting,
    /// Nothing answered: this machine seems offline until then.
    Offline {
        /// When the next probe is sent.
        until: Timestamp,
    },
    /// Something a person should know; the engine goes on.
    Notice(String),
    /// A command failed.
    Failed {
        /// Of the question; 0 for the engine's own doing.
        ticket: Ticket,
        /// What could not be done, a clause: `feeds.toml could not be read`.
        what: String,
        /// Why, and what to do next.
        why: String,
        /// For the exit code.
        kind: FailureKind,
    },
    /// feeds.toml was edited, and is in use now.
    ListRead,
    /// The engine holds still and has released everything.
    Suspended,
    /// The last event.
    Stopped,
}

/// `what` of the failure that says a list cannot be used; `ListRead` ends it.
pub const LIST_BROKEN: &str = "feeds.toml could not be used, the last good list stays";

/// `what` of the failure that says that the store's file is not the one that was opened.
pub const STORE_LOST: &str = "the store is lost";

/// What a failure means for the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// 2: usage or configuration.
    Usage,
    /// 75: try again later.
    Busy,
    /// 70: internal, or the store.
    Internal,
}
