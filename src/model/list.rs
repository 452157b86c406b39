//! Which entries a list shows, in which order, and which window of it is wanted.

use super::entry::{EntryHead, EntryId};
use super::feed::FeedId;
use super::time::Timestamp;

/// Where the entries of a list come from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum ListScope {
    /// Every entry.
    #[default]
    All,
    /// Starred entries.
    Starred,
    /// One feed.
    Feed(FeedId),
    /// Several feeds: the feeds of a tag, in no particular order.
    Feeds(Vec<FeedId>),
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Order {
    /// Newest first.
    #[default]
    Newest,
    /// Oldest first.
    Oldest,
    /// By title, in natural order.
    Title,
    /// By feed title in natural order, newest first within a feed.
    Feed,
}

/// A list: scope, filter and order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ListSpec {
    /// Where entries come from.
    pub scope: ListScope,
    /// Only unread ones.
    pub unread_only: bool,
    /// A query in the language of `query`, all of it and-ed; empty for none.
    pub query: String,
    /// The query of a smart feed or the like, which must hold as well; empty for none.
    pub within: String,
    /// The order.
    pub order: Order,
    /// Muted feeds, in the order of their numbers: they stand in no list of every entry, unless `within` says which.
    pub muted: Vec<FeedId>,
    /// A story that several feeds tell stands once.
    pub fold_twins: bool,
}

impl ListSpec {
    /// An entry of this feed does not stand in the list, since the feed is muted.
    pub fn mutes(&self, feed: FeedId) -> bool {
        self.leaves_out().binary_search(&feed).is_ok()
    }

    /// The feeds that are left out for being muted.
    pub fn leaves_out(&self) -> &[FeedId] {
        if self.scope == ListScope::All && self.within.is_empty() {
            &self.muted
        } else {
            &[]
        }
    }
}

/// Which rows of a list are meant; the place is an entry's sort time and number, and is not meant itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Part {
    /// All.
    #[default]
    All,
    /// Those that stand above this place.
    Above(Timestamp, u64),
    /// Those that stand below it.
    Below(Timestamp, u64),
}

/// The place a window hangs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Anchor {
    /// The first row.
    #[default]
    Top,
    /// The last row.
    Bottom,
    /// An entry by its sort time and number; it need not be part of the list any more.
    At {
        /// `EntryHead::sort`.
        sort: Timestamp,
        /// `EntryHead::no`.
        no: u64,
    },
}

/// A window over a list: rows before the anchor, the anchor itself, rows after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Window {
    /// Where it hangs.
    pub anchor: Anchor,
    /// Rows wanted above the anchor.
    pub before: usize,
    /// Rows wanted from the anchor downwards, itself included.
    pub after: usize,
}

/// Rows of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EntriesPage {
    /// In the list's order.
    pub heads: Vec<EntryHead>,
    /// Index in `heads` of the anchor, or of the row nearest to it.
    pub anchor: usize,
    /// There are rows before the first.
    pub more_before: bool,
    /// There are rows after the last.
    pub more_after: bool,
    /// Rows of the whole list where that is known without counting.
    pub total: Option<u64>,
    /// More is being looked for: another page follows.
    pub searching: bool,
    /// Rows of the list that do not stand in `heads` since another feed's row there tells their story: that row, and they
    /// in the list's order.
    pub twins: Vec<(EntryId, Vec<EntryHead>)>,
}
