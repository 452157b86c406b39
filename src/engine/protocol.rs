//! The only door between a front end and the engine: commands go in, events come out, both plain data.

use crate::model::{
    AuditRecord, Counters, EntriesPage, Entry, EntryHead, EntryId, Exchange, Explanation, FeedId,
    FeedRow, HostKey, HostState, ListSpec, Mark, Pace, PollReport, ProbeReport, Rule, SmartFeed,
    StateMark, Subscription, Timestamp, Validators, Window,
};
use crate::parse::Candidate;

/// Made by the front end; an answer carries the ticket of its question, and an old ticket is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Ticket(pub u64);

/// Which feeds a refresh means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Those whose time has come.
    Due,
    /// All.
    All,
    /// These.
    Feeds(Vec<FeedId>),
}

/// What a front end asks of the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Poll. Answered by `RefreshStarted`, `Polled` and one `RefreshDone`.
    Refresh {
        /// Which feeds.
        scope: Scope,
        /// How urgent.
        pace: Pace,
        /// Comes back in `RefreshDone`.
        ticket: Ticket,
    },
    /// Say what a refresh would do, send nothing. Answered by `Planned`.
    Plan {
        /// Which feeds.
        scope: Scope,
        /// How urgent.
        pace: Pace,
        /// Comes back in `Planned`.
        ticket: Ticket,
    },
    /// Subscribe to a feed, or to the feeds of a page, with one request. Answered by `Added`.
    Add {
        /// The URL, title and tags as the user gave them.
        subscription: Box<Subscription>,
        /// What to do when a page has several feeds.
        pick: Pick,
        /// Try the well-known paths of a site when a page names no feed.
        guess: bool,
        /// Comes back in `Added`.
        ticket: Ticket,
    },
    /// Subscribe to the feed that `AddResult::Seen` showed, with the answer that was kept. Answered by `Added`.
    Take {
        /// The ticket of the `Add` that showed it.
        of: Ticket,
        /// Comes back in `Added`.
        ticket: Ticket,
    },
    /// Forget what `AddResult::Seen` showed. Not answered.
    Leave {
        /// The ticket of the `Add` that showed it.
        of: Ticket,
    },
    /// Ask once, without validators, for what is at a URL, to look at it; nothing is stored. Answered by `Inspected`.
    Inspect {
        /// As in feeds.toml, or any other.
        url: String,
        /// Comes back in `Inspected`.
        ticket: Ticket,
    },
    /// Subscribe to many without asking anyone: an import. Answered by `Imported`.
    Import {
        /// What was read.
        subscriptions: Vec<Subscription>,
        /// Comes back in `Imported`.
        ticket: Ticket,
    },
    /// Unsubscribe; entries and marks stay. Answered by `Removed`.
    Remove {
        /// URLs as in feeds.toml, or as normalised.
        urls: Vec<String>,
        /// Comes back in `Removed`.
        ticket: Ticket,
    },
    /// Answered by `Feeds`.
    ListFeeds {
        /// Comes back in `Feeds`.
        ticket: Ticket,
    },
    /// Answered by `Entries`. Of waiting ones the newest wins.
    ListEntries {
        /// Which list.
        spec: ListSpec,
        /// Which rows of it.
        window: Window,
        /// Comes back in `Entries`.
        ticket: Ticket,
    },
    /// The next or previous unread entry in order of the list `spec`, else anywhere. Answered by `Found`.
    FindUnread {
        /// Sort time and number to start from, exclusive; `None` starts at the end of the list.
        from: Option<(Timestamp, u64)>,
        /// The list that is searched first.
        spec: ListSpec,
        /// Towards the end of the list, or towards its beginning.
        forward: bool,
        /// Comes back in `Found`.
        ticket: Ticket,
    },
    /// Answered by `Opened`. Marks nothing.
    Open {
        /// The entry.
        id: EntryId,
        /// Comes back in `Opened`.
        ticket: Ticket,
    },
    /// Mark entries. Answered by `Marked`. Can be undone.
    Mark {
        /// The entries.
        ids: Vec<EntryId>,
        /// What is said of them.
        mark: Mark,
        /// Comes back in `Marked`.
        ticket: Ticket,
    },
    /// Mark every entry of a list. Answered by `Marked`. Can be undone.
    MarkAll {
        /// The list.
        spec: ListSpec,
        /// What is said of its entries.
        mark: Mark,
        /// Comes back in `Marked`.
        ticket: Ticket,
    },
    /// Take the last mark back, also one of an earlier process. Answered by `Marked`.
    Undo {
        /// Comes back in `Marked`.
        ticket: Ticket,
    },
    /// The ledger of one feed. Answered by `Ledger`.
    Ledger {
        /// The feed.
        feed: FeedId,
        /// Comes back in `Ledger`.
        ticket: Ticket,
    },
    /// Why a feed is asked when it is: every bound, its hold, its validators, its ledger. Answered by `Explained`.
    Explain {
        /// The feed.
        feed: FeedId,
        /// Comes back in `Explained`.
        ticket: Ticket,
    },
    /// What was counted a day, over all feeds or of one. Answered by `Days`.
    Days {
        /// Of this feed alone.
        feed: Option<FeedId>,
        /// How many days back, today included.
        days: u32,
        /// Comes back in `Days`.
        ticket: Ticket,
    },
    /// Totals a day and all hosts. Answered by `Totals`.
    Totals {
        /// How many days back, today included.
        days: u32,
        /// Comes back in `Totals`.
        ticket: Ticket,
    },
    /// End the hold of a host. Answered by `Feeds`.
    Lift {
        /// The host.
        host: HostKey,
        /// Comes back in `Feeds`.
        ticket: Ticket,
    },
    /// Poll a gone or dead feed again. Answered by `Feeds`.
    Enable {
        /// The feed.
        feed: FeedId,
        /// Comes back in `Feeds`.
        ticket: Ticket,
    },
    /// Ask a server at most four times how well it does conditional requests. Nothing is stored but the audit of a
    /// subscribed feed, the host's starts, and a hold that it asks for. Answered by `Probed`.
    Probe {
        /// As in feeds.toml, or any other.
        url: String,
        /// Comes back in `Probed`.
        ticket: Ticket,
    },
    /// Write the address that a feed has moved to for good into feeds.toml (R53). Number, entries, marks, schedule and
    /// comments stay. Answered by `MoveAdopted`; `Failed` when it has not moved, or that address is subscribed besides.
    AdoptMove {
        /// The feed: one whose row has `moved`.
        feed: FeedId,
        /// Comes back in `MoveAdopted`.
        ticket: Ticket,
    },
    /// Take a permanent move back, adopted or not: the former address is asked again, and that target is never believed
    /// again. Answered by `MoveUndone`; `Failed` when there is nothing to take back.
    UndoMove {
        /// The feed.
        feed: FeedId,
        /// Comes back in `MoveUndone`.
        ticket: Ticket,
    },
    /// Marks of all entries, for another machine. Answered by `State`.
    ExportState {
        /// Comes back in `State`.
        ticket: Ticket,
    },
    /// Take marks over from another machine. Answered by `Marked`.
    ImportState {
        /// What was read.
        marks: Vec<StateMark>,
        /// Comes back in `Marked`.
        ticket: Ticket,
    },
    /// How many entries lists have. Answered by `Counted`.
    Count {
        /// The lists.
        specs: Vec<ListSpec>,
        /// Comes back in `Counted`.
        ticket: Ticket,
    },
    /// Write a list or a rule of the user's own into config.toml. Answered by `Kept`.
    Keep {
        /// It.
        own: Own,
        /// Comes back in `Kept`.
        ticket: Ticket,
    },
    /// The rules and their hits. Answered by `Rules`.
    ListRules {
        /// Comes back in `Rules`.
        ticket: Ticket,
    },
    /// Before Ctrl-Z: start nothing, drop what is unfinished, commit, release the poll lock. Answered by `Suspended`.
    Suspend,
    /// After Ctrl-Z.
    Resume,
    /// End cleanly: drop what is unfinished, commit. Answered by `Stopped`.
    Shutdown,
}

/// What `add` does with a page that has several feeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pick {
    /// List them and subscribe to none.
    #[default]
    Ask,
    /// Take the first.
    First,
    /// Take all.
    All,
    /// List them; of a single feed show what it is and keep its answer, and subscribe to none before `Take`.
    Show,
}

/// Something of the user's own in config.toml.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Own {
    /// A list.
    Smart(SmartFeed),
    /// A rule.
    Rule(Rule),
}

/// A rule with its hits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleRow {
    /// The rule.
    pub rule: Rule,
    /// How many entries it found.
    pub hits: u64,
    /// When last.
    pub last: Option<Timestamp>,
}

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
        /// It.
        entry: Option<Box<Entry>>,
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
    /// The rules.
    Rules {
        /// Of the question.
        ticket: Ticket,
        /// In the order of config.toml.
        rules: Vec<RuleRow>,
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

/// How the reason ends when a page was read and names no feed: a front end says what to do then.
pub const NAMES_NONE: &str = "it names no feed";

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

/// What a refresh added up to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// Feeds that ended, by outcome.
    pub not_modified: u32,
    /// Identical 200.
    pub unchanged: u32,
    /// Feeds with new or edited entries.
    pub changed: u32,
    /// Deferred.
    pub deferred: u32,
    /// Of those deferred: asked a moment ago, so not asked again now.
    pub debounced: u32,
    /// When the first of those that must wait may be asked.
    pub until: Option<Timestamp>,
    /// Asked before their time, at a person's word.
    pub early: u32,
    /// Of those: without a validator.
    pub early_plain: u32,
    /// Gone.
    pub gone: u32,
    /// Failed.
    pub failed: u32,
    /// Feeds that were wanted and came to nothing here: the store or the lock could not be used. `Failed` told why.
    pub undone: u32,
    /// Entries added.
    pub new: u32,
    /// Entries edited.
    pub updated: u32,
    /// Body bytes on the wire.
    pub bytes: u64,
    /// The engine could not poll at all: the poll lock was not had in time.
    pub busy: bool,
}

/// What a refresh would do with one feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// The feed.
    pub feed: FeedId,
    /// As in feeds.toml, userinfo masked.
    pub url: String,
    /// It would be asked now.
    pub ask: bool,
    /// It would carry a validator.
    pub conditional: bool,
    /// When it would be asked.
    pub next: Option<Timestamp>,
    /// Why, a clause for a person.
    pub why: String,
}

/// What came of `Add`.
#[derive(Debug, Clone, PartialEq)]
pub enum AddResult {
    /// It was there already; nothing was sent.
    Already {
        /// As in feeds.toml.
        url: String,
        /// It was gone or dead, and is polled again.
        revived: bool,
    },
    /// Subscribed; `report` is its first poll, whatever came of it.
    Subscribed {
        /// The first polls, one a feed.
        reports: Vec<PollReport>,
    },
    /// Subscribed, but another tidings was polling and did not finish in time: due at once.
    Queued {
        /// As in feeds.toml.
        url: String,
    },
    /// A page with several feeds: none was taken.
    Several {
        /// They.
        candidates: Vec<Candidate>,
    },
    /// Asked with `Pick::Show`, and not subscribed yet: `Take` or `Leave` it.
    Seen(Box<Preview>),
    /// Not subscribed.
    Refused {
        /// As given.
        url: String,
        /// Why, and what to do.
        why: String,
    },
}

/// A feed before it is subscribed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Preview {
    /// As it will stand in feeds.toml, userinfo masked.
    pub url: String,
    /// Where redirects led, userinfo masked.
    pub url_now: Option<String>,
    /// The feed's own title; one clean line, perhaps empty.
    pub title: String,
    /// `RSS`, `RSS 1.0`, `Atom`, `JSON Feed`; empty where it could not be read.
    pub kind: &'static str,
    /// Entries in it.
    pub entries: usize,
    /// The newest of them; the first where none has a date.
    pub newest: Option<Newest>,
    /// What the server sent to be asked with next time; raw bytes.
    pub validators: Validators,
    /// Decoded bytes of the body.
    pub bytes: u64,
    /// It was read, and something is worth knowing.
    pub warning: Option<String>,
    /// It could not be had now, and why: subscribed, it is tried again by its schedule.
    pub trouble: Option<String>,
}

/// An entry of a preview.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Newest {
    /// Its title, or the first words of its text; clean.
    pub title: String,
    /// Its date, where it has one that is not in the future.
    pub at: Option<Timestamp>,
}

/// An answer to be looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inspected {
    /// The URL that answered, userinfo masked.
    pub url: String,
    /// The status; `None` where nothing answered, and for a file or a command.
    pub status: Option<u16>,
    /// The header, as sent.
    pub content_type: Option<String>,
    /// The body, decoded from its transfer; of an error its beginning.
    pub bytes: Vec<u8>,
    /// Why it is no feed, before the body was read as one.
    pub error: Option<String>,
}
