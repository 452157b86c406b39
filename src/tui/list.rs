//! A window over a list of entries: a few hundred rows around the cursor, however long the list is.
//!
//! The whole list is never here. The cursor is an entry, not a number: when rows are loaded anew it stays on its
//! entry and on its line of the screen. A row that stopped matching the filter because of what the reader did
//! (it was read) stays until the list is left.

mod lines;

use std::collections::{BTreeMap, HashSet};

use crate::engine::protocol::{Command, Ticket};
use crate::model::{Anchor, EntriesPage, EntryHead, EntryId, ListSpec, Order, Window};
use crate::query::{self, Expr};

use super::keys::Action;
use super::say::Zone;
pub use lines::{Line, Lines};

/// Rows asked for on each side of the cursor.
pub const REACH: usize = 256;

/// With fewer rows than this to a loaded edge, the next window is asked for.
const MARGIN: usize = 96;

/// Lines kept between the cursor and the edge of the pane where there is room.
const SCROLL_OFF: usize = 2;

/// Where the cursor is to be when the rows come.
#[derive(Debug, Clone, PartialEq)]
pub enum Goal {
    /// On the entry it is on now.
    Keep,
    /// On the first row.
    Top,
    /// On the last row.
    Bottom,
    /// On this entry.
    Entry(Box<EntryHead>),
    /// On the row of this number, from 0.
    Row(usize),
    /// So many rows from where it is.
    Away(isize),
}

/// What is looked for lies outside of the loaded rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outside;

/// What came of rows that arrived.
#[derive(Debug, Clone, PartialEq)]
pub enum Arrival {
    /// An answer to an old question.
    Old,
    /// They are in place.
    Placed,
    /// They are in place, but this entry is not among them.
    Missing(Box<EntryHead>),
}

/// Whose rows are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Rows {
    /// Nobody's: nothing came yet.
    #[default]
    None,
    /// This list's.
    These,
    /// Those of the list that was left: they are shown, but nothing can be done with them.
    Left,
}

/// Whether the list goes on beyond what is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct More {
    before: bool,
    after: bool,
}

/// A list, and the part of it that is loaded.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EntryList {
    /// Which list.
    pub spec: ListSpec,
    /// The loaded rows, in the list's order, without gaps.
    pub heads: Vec<EntryHead>,
    /// Index in `heads` of the row of the cursor.
    pub at: usize,
    /// Index in `heads` of the first row on the screen.
    pub top: usize,
    /// Rows of the whole list, where that is known.
    pub total: Option<u64>,
    /// What is looked for, as it was understood.
    pub looked_for: Expr,
    /// Rows of this list are still being looked for.
    pub searching: bool,
    /// What was pressed for rows that are not here yet: done when they come, forgotten with any other key.
    pub ahead: Vec<(Action, Option<u32>)>,
    rows: Rows,
    /// The order of the loaded rows.
    sorted: Order,
    more: More,
    pending: Option<(Ticket, Goal)>,
    /// The cursor's entry at the last question: an edge is asked for once.
    edge: Option<EntryId>,
    /// What is shown may be old, and the question for it has not been asked yet.
    stale: bool,
    /// The cursor was moved: new rows above may not carry it along.
    moved: bool,
    /// Rows whose marks changed here: they stay although the list no longer has them.
    stayed: BTreeMap<EntryId, EntryHead>,
    /// Entries that do not stand among the rows since one of them tells their story: that row, and they.
    twins: BTreeMap<EntryId, Vec<EntryHead>>,
}

impl EntryList {
    /// An empty list of that kind, with nothing asked yet.
    pub fn new(spec: ListSpec) -> Self {
        Self {
            looked_for: Expr::all(
                [&spec.within, &spec.query]
                    .map(|text| query::parse(text).unwrap_or_default())
                    .into(),
            ),
            spec,
            ..Self::default()
        }
    }

    /// Turns to another list. The old rows stay on the screen until the new ones are there.
    pub fn turn_to(&mut self, spec: ListSpec) {
        let heads = std::mem::take(&mut self.heads);
        *self = Self {
            heads,
            at: self.at,
            top: self.top,
            sorted: self.sorted,
            rows: match self.rows {
                Rows::None => Rows::None,
                Rows::These | Rows::Left => Rows::Left,
            },
            ..Self::new(spec)
        };
    }

    /// Rows of this list came at least once.
    pub fn is_loaded(&self) -> bool {
        self.rows == Rows::These
    }

    /// The entry under the cursor.
    pub fn current(&self) -> Option<&EntryHead> {
        self.heads.get(self.at).filter(|_| self.rows != Rows::Left)
    }

    /// The question whose answer brings rows for `goal`. Answers to earlier questions are dropped.
    pub fn ask(&mut self, goal: Goal, ticket: Ticket) -> Command {
        let window = self.window(&goal);
        self.edge = self.current().map(|head| head.id);
        self.pending = Some((ticket, goal));
        self.stale = false;
        Command::ListEntries {
            spec: self.spec.clone(),
            window,
            ticket,
        }
    }

    fn window(&self, goal: &Goal) -> Window {
        let (anchor, before, after) = match goal {
            Goal::Top => (Anchor::Top, 0, 2 * REACH),
            Goal::Bottom => (Anchor::Bottom, 2 * REACH, 1),
            Goal::Entry(head) => (at(head), REACH, REACH),
            Goal::Row(row) => (Anchor::Top, 0, row + REACH),
            Goal::Away(rows) => {
                let before = REACH + rows.min(&0).unsigned_abs();
                let after = REACH + rows.max(&0).unsigned_abs();
                (self.current().map_or(Anchor::Top, at), before, after)
            }
            Goal::Keep => match self.current() {
                Some(head) if self.moved || self.at > 0 => (at(head), REACH, REACH),
                _ => (Anchor::Top, 0, 2 * REACH),
            },
        };
        Window {
            anchor,
            before,
            after,
        }
    }

    /// Something in the store changed: the rows are to be asked for again as soon as nothing is under way.
    pub fn outdate(&mut self) {
        self.stale = true;
    }

    /// The question to ask now, if one is due: because rows are stale, or an edge comes near.
    pub fn wants(&self) -> bool {
        if self.pending.is_some() || self.rows != Rows::These {
            return false;
        }
        let before = self.more.before && self.at.min(self.top) < MARGIN;
        let after = self.more.after && self.at + MARGIN >= self.heads.len();
        let asked = self.edge.is_some() && self.edge == self.current().map(|head| head.id);
        self.stale || ((before || after) && !asked)
    }

    /// Rows are on their way.
    pub const fn is_asking(&self) -> bool {
        self.pending.is_some()
    }

    /// Rows are on their way that the cursor will go to: the one under it now is not meant any more.
    pub fn is_awaited(&self) -> bool {
        let goal = self.pending.as_ref().map(|(_, goal)| goal);
        goal.is_some_and(|goal| self.rows != Rows::These || *goal != Goal::Keep)
    }

    /// The question with this ticket failed. True if it was this list's.
    pub fn failed(&mut self, ticket: Ticket) -> bool {
        let mine = self
            .pending
            .as_ref()
            .is_some_and(|(asked, _)| *asked == ticket);
        if mine {
            self.pending = None;
            self.searching = false;
            self.ahead.clear();
            if std::mem::replace(&mut self.rows, Rows::These) == Rows::Left {
                self.heads.clear();
            }
        }
        mine
    }

    /// Puts rows in place.
    pub fn arrive(&mut self, ticket: Ticket, page: EntriesPage) -> Arrival {
        let goal = match self.pending.take() {
            Some((asked, goal)) if asked == ticket => goal,
            other => {
                self.pending = other;
                return Arrival::Old;
            }
        };
        let mut old = std::mem::take(&mut self.heads);
        let (mut old_at, mut offset) = (self.at, self.at.saturating_sub(self.top));
        if std::mem::replace(&mut self.rows, Rows::These) == Rows::Left {
            old.clear();
            old_at = 0;
            // An entry that is gone to stays on the line of the screen where the cursor was.
            if !matches!(goal, Goal::Entry(_)) {
                offset = 0;
            }
        }
        self.sorted = self.spec.order;
        self.total = page.total;
        self.searching = page.searching;
        self.more = More {
            before: page.more_before,
            after: page.more_after,
        };
        let anchor = page.anchor;
        let anchor_id = page.heads.get(anchor).map(|head| head.id);
        self.heads = page.heads;
        // Those of a row that stays are as they were.
        self.twins.retain(|id, _| self.stayed.contains_key(id));
        self.twins.extend(page.twins);
        self.keep_stayed(&old);
        let last = self.heads.len().saturating_sub(1);
        if page.searching {
            // More is coming; what is here can be gone through meanwhile.
            let known = match &goal {
                Goal::Entry(head) => self.place(head.id).is_some(),
                Goal::Row(row) => *row < self.heads.len(),
                Goal::Bottom | Goal::Away(_) => false,
                Goal::Keep | Goal::Top => true,
            };
            let next = if known { Goal::Keep } else { goal.clone() };
            self.pending = Some((ticket, next));
        }
        let mut missing = None;
        let fallback = |list: &Self| anchor_id.and_then(|id| list.index(id)).unwrap_or(0);
        self.at = match goal {
            Goal::Top => 0,
            Goal::Bottom => last,
            Goal::Row(row) => row,
            Goal::Away(rows) => fallback(self).saturating_add_signed(rows),
            Goal::Keep if !self.moved && old_at == 0 => 0,
            Goal::Keep => self
                .survivor(&old, old_at)
                .unwrap_or_else(|| fallback(self)),
            Goal::Entry(head) => self.place(head.id).unwrap_or_else(|| {
                let at = fallback(self);
                missing = Some(head);
                at
            }),
        }
        .min(last);
        self.top = self.at.saturating_sub(offset);
        missing
            .filter(|_| !page.searching)
            .map_or(Arrival::Placed, Arrival::Missing)
    }

    /// Puts rows that stay back to their places among the new ones.
    fn keep_stayed(&mut self, old: &[EntryHead]) {
        if self.stayed.is_empty() {
            return;
        }
        let present: HashSet<EntryId> = self.heads.iter().map(|head| head.id).collect();
        self.stayed.retain(|id, _| !present.contains(id));
        for head in self.stayed.values() {
            if let Some(at) = self.place_of(head, old) {
                self.heads.insert(at, head.clone());
            }
        }
    }

    /// Where `head` belongs among the loaded rows; `None` when it lies outside of them.
    fn place_of(&self, head: &EntryHead, old: &[EntryHead]) -> Option<usize> {
        let at = match self.spec.order {
            Order::Newest => self
                .heads
                .partition_point(|other| (other.sort, other.no) > (head.sort, head.no)),
            Order::Oldest => self
                .heads
                .partition_point(|other| (other.sort, other.no) < (head.sort, head.no)),
            // Their keys are the store's business: the row stays behind its old neighbour.
            Order::Title | Order::Feed => {
                let was = old.iter().position(|other| other.id == head.id)?;
                let before = old[..was]
                    .iter()
                    .rev()
                    .find_map(|other| self.index(other.id));
                before.map_or(0, |at| at + 1)
            }
        };
        let outside = (at == 0 && self.more.before) || (at == self.heads.len() && self.more.after);
        (!outside).then_some(at)
    }

    /// Index of the entry that was at `at` in `old`, or of the nearest one to it that is still there.
    fn survivor(&self, old: &[EntryHead], at: usize) -> Option<usize> {
        let at = at.min(old.len());
        let after = old[at..].iter();
        let before = old[..at].iter().rev();
        after.chain(before).find_map(|head| self.place(head.id))
    }

    /// Index of an entry among the loaded rows.
    pub fn index(&self, id: EntryId) -> Option<usize> {
        if self.rows == Rows::Left {
            return None;
        }
        self.heads.iter().position(|head| head.id == id)
    }

    /// The row that shows an entry: its own, or the one that tells its story.
    pub fn place(&self, id: EntryId) -> Option<usize> {
        self.index(id).or_else(|| {
            let mut stories = self.twins.iter();
            let (leader, _) = stories.find(|(_, twins)| twins.iter().any(|twin| twin.id == id))?;
            self.index(*leader)
        })
    }

    /// Entries that stand behind a row since it tells their story.
    pub fn twins(&self, id: EntryId) -> &[EntryHead] {
        self.twins.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Every entry of the story that an entry belongs to, the one of the list first; empty where no other feed tells it.
    pub fn story(&self, id: EntryId) -> Vec<&EntryHead> {
        let row = self.place(id).and_then(|at| self.heads.get(at));
        match row.map(|row| (row, self.twins(row.id))) {
            Some((row, twins)) if !twins.is_empty() => std::iter::once(row).chain(twins).collect(),
            _ => Vec::new(),
        }
    }

    /// The loaded rows, and what stands behind them.
    pub fn entries(&self) -> impl Iterator<Item = &EntryHead> {
        self.heads.iter().chain(self.twins.values().flatten())
    }

    /// A row, or what stands behind it, is unread.
    pub fn is_unread(&self, head: &EntryHead) -> bool {
        head.unread || self.twins(head.id).iter().any(|twin| twin.unread)
    }

    /// Moves the cursor by `rows`, within what is loaded.
    pub fn step(&mut self, rows: isize) {
        self.moved = true;
        let last = self.heads.len().saturating_sub(1);
        self.at = self.at.saturating_add_signed(rows).min(last);
    }

    /// Moves the cursor by `rows`; false when that many have to be asked for, and it has not moved.
    pub fn go_far(&mut self, rows: isize) -> bool {
        let to = self.at.checked_add_signed(rows);
        let beyond = match to {
            None => self.more.before,
            Some(to) => to >= self.heads.len() && self.more.after,
        };
        if !beyond {
            self.step(rows);
        }
        !beyond
    }

    /// Moves the cursor to the row of this number of the whole list; false when it has to be asked for.
    pub fn go_row(&mut self, row: usize) -> bool {
        let loaded = !self.more.before && (row < self.heads.len() || !self.more.after);
        if loaded {
            self.go(row);
        }
        loaded
    }

    /// Moves the cursor to a loaded row.
    pub fn go(&mut self, at: usize) {
        self.moved = true;
        self.at = at.min(self.heads.len().saturating_sub(1));
    }

    /// To the first row of the list; false when it has to be asked for.
    pub fn go_first(&mut self) -> bool {
        self.at = 0;
        self.top = 0;
        self.moved = false;
        !self.more.before
    }

    /// To the last row of the list; false when it has to be asked for.
    pub fn go_last(&mut self) -> bool {
        self.go(usize::MAX);
        !self.more.after
    }

    /// The next unread row in that direction among those loaded. `Err` when the answer lies outside of them.
    pub fn next_unread(&self, forward: bool) -> Result<Option<usize>, Outside> {
        if self.rows == Rows::Left {
            return Err(Outside);
        }
        let found = if forward {
            let rest = self.heads.get(self.at + 1..).unwrap_or(&[]);
            rest.iter()
                .position(|head| self.is_unread(head))
                .map(|n| self.at + 1 + n)
        } else {
            let before = self.heads.get(..self.at).unwrap_or(&[]);
            before.iter().rposition(|head| self.is_unread(head))
        };
        match found {
            Some(at) => Ok(Some(at)),
            None if (forward && self.more.after) || (!forward && self.more.before) => Err(Outside),
            None => Ok(None),
        }
    }

    /// Takes over marks as they are now. Rows that no longer match because of it stay.
    pub fn mark(&mut self, changed: &[(EntryId, bool, bool)]) {
        if self.rows == Rows::Left {
            return;
        }
        for (id, read, starred) in changed {
            let Some(at) = self.place(*id) else { continue };
            let row = self.heads[at].id;
            let twins = self.twins.get_mut(&row).map(Vec::as_mut_slice);
            let behind = twins.unwrap_or_default().iter_mut();
            for head in behind.chain([&mut self.heads[at]]) {
                if head.id == *id {
                    head.unread = !read;
                    head.starred = *starred;
                }
            }
            self.stayed.insert(row, self.heads[at].clone());
        }
    }

    /// The rows as lines, parted by the days of `zone` where they are in the order of their dates.
    pub fn lines(&self, zone: Option<Zone>) -> Lines<'_> {
        let dated = matches!(self.sorted, Order::Newest | Order::Oldest);
        Lines::new(&self.heads, zone.filter(|_| dated))
    }

    /// Keeps the cursor within the rows, and the screen of `height` lines, with the days of `zone`, around the cursor.
    pub fn settle(&mut self, height: usize, zone: Option<Zone>) {
        self.at = self.at.min(self.heads.len().saturating_sub(1));
        self.top = self.lines(zone).top(self.top, self.at, height);
    }
}

/// The anchor of an entry.
const fn at(head: &EntryHead) -> Anchor {
    Anchor::At {
        sort: head.sort,
        no: head.no,
    }
}

/// The first line to show so that line `at` of `len` is on a screen of `height`, moved as little as possible.
pub fn scrolled(top: usize, at: usize, len: usize, height: usize) -> usize {
    if height == 0 {
        return at.min(len.saturating_sub(1));
    }
    let off = SCROLL_OFF.min((height - 1) / 2);
    let lowest = (at + off + 1).saturating_sub(height);
    let highest = at.saturating_sub(off);
    top.clamp(lowest.min(highest), highest)
        .min(len.saturating_sub(height))
}

#[cfg(test)]
mod tests;
