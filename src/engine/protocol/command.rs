//! What a front end asks of the engine.

use crate::model::{
    Adopted, BackfillWish, EntryId, FeedId, HostKey, ListSpec, Mark, Pace, Part, Retune, Rule,
    SmartFeed, StateMark, Subscription, Timestamp, Window,
};

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

/// Something of the user's own in config.toml.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Own {
    /// A list.
    Smart(SmartFeed),
    /// A rule.
    Rule(Rule),
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
    /// Unsubscribe; entries and marks stay. Answered by `Removed`. Can be undone.
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
    /// Remember where in an entry's text reading stopped. Not answered.
    Place {
        /// The entry.
        id: EntryId,
        /// In bytes of the document's text; 0 for its beginning.
        place: u32,
    },
    /// Fetch the page of an entry once, and keep its article. Answered by `FullText`; `Failed` says why there is none.
    FullText {
        /// The entry.
        id: EntryId,
        /// Ask the server again whether the page has changed, though it is kept.
        again: bool,
        /// Comes back in `FullText`.
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
    /// Mark every entry of a list, or of a part of it. Answered by `Marked`. Can be undone.
    MarkAll {
        /// The list.
        spec: ListSpec,
        /// Which of its rows.
        part: Part,
        /// What is said of its entries.
        mark: Mark,
        /// Comes back in `Marked`.
        ticket: Ticket,
    },
    /// Set a tag of the user's own on entries, or take it away. Answered by `Marked`. Can be undone.
    Tag {
        /// The entries.
        ids: Vec<EntryId>,
        /// As `config::clean_tag` leaves it.
        tag: String,
        /// It is set; otherwise taken away.
        set: bool,
        /// Comes back in `Marked`.
        ticket: Ticket,
    },
    /// The same of every entry of a list.
    TagAll {
        /// The list.
        spec: ListSpec,
        /// As `config::clean_tag` leaves it.
        tag: String,
        /// It is set; otherwise taken away.
        set: bool,
        /// Comes back in `Marked`.
        ticket: Ticket,
    },
    /// Mute feeds, or put them under other tags, in feeds.toml. Answered by `Retuned`. Can be undone.
    Retune {
        /// The feeds, and what is changed of each.
        changes: Vec<(FeedId, Retune)>,
        /// Comes back in `Retuned`.
        ticket: Ticket,
    },
    /// The tags that people set on entries. Answered by `Tags`.
    ListTags {
        /// Comes back in `Tags`.
        ticket: Ticket,
    },
    /// Take the last mark back, or the last change of feeds.toml, also one of an earlier process. Answered by `Marked` or
    /// `ListUndone`.
    Undo {
        /// Comes back in `Marked`.
        ticket: Ticket,
    },
    /// Do again what was taken back last, unless something else was marked since then. Answered by `Marked`.
    Redo {
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
    /// How feeds that name hubs are pushed. Answered by `Pushes`.
    ListPushes {
        /// Comes back in `Pushes`.
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
    /// Fetch older pages of a feed. Answered by `BackfillPage` a page, and one `Backfilled`.
    Backfill {
        /// The feed.
        feed: FeedId,
        /// How many, and how.
        wish: BackfillWish,
        /// Comes back in both.
        ticket: Ticket,
    },
    /// End that after the page under way. Not answered but by its `Backfilled`.
    StopBackfill {
        /// The feed.
        feed: FeedId,
    },
    /// How far the older pages of all feeds were read. Answered by `Backfills`.
    ListBackfills {
        /// Comes back in `Backfills`.
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
    /// Store entries that another reader kept, with their marks, for a subscribed feed. Answered by `Adopted`.
    Adopt {
        /// As in feeds.toml.
        url: String,
        /// What the feed calls itself, where it has not said so here yet; one clean line, or empty.
        title: String,
        /// What was read.
        entries: Vec<Adopted>,
        /// Comes back in `Adopted`.
        ticket: Ticket,
    },
    /// Take what is beyond the limits of `[keep]`, and what feeds left behind that are subscribed no longer. Starred entries
    /// stay. Answered by `Pruned`.
    Prune {
        /// Take nothing, only count.
        dry_run: bool,
        /// Comes back in `Pruned`.
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
