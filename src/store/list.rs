//! Windows over lists: range scans by composite keys, in both directions from an anchor.
//!
//! A list is walked, never built: a window of a few rows costs a few rows, whatever the size of the store. The one
//! exception is the order by title, which no key has: there the rows of the list are gathered and sorted.

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::ops::Bound;

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable};

use super::Store;
use super::entries::head_of;
use super::error::StoreError;
use super::filter::{Facts, Filter};
use super::marks::{READ, STARRED};
use super::records::{FeedV1, HeadV1, decode};
use super::tables::{
    BY_DATE, BY_FEED, COUNTS, FEEDS, HEADS, MARKS, REMOVED, STARRED as STARRED_LIST, UNREAD,
    UNREAD_FEED,
};
use crate::model::{
    Anchor, EntriesPage, EntryHead, FeedId, ListScope, ListSpec, Order, Timestamp, Window,
};

/// A row of a list, before its head is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub sort: i64,
    pub no: u64,
    pub feed: u32,
}

/// Place by date: sort time and number.
type Place = (i64, u64);
type Walk<'a> = Box<dyn Iterator<Item = Result<Row, StoreError>> + 'a>;
type Dates = ReadOnlyTable<(i64, u64), u32>;
type FeedDates = ReadOnlyTable<(u32, i64, u64), ()>;

/// The direction of a walk through a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Towards the last row.
    Down,
    /// Towards the first row.
    Up,
}

/// Where a walk begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    /// At the first row in its direction.
    Edge,
    /// At this place, itself included.
    At(Place),
    /// After this place.
    Past(Place),
}

impl Store {
    /// A window of a list. `now` is what `age:` in the query counts from.
    pub fn list(
        &self,
        spec: &ListSpec,
        window: &Window,
        now: Timestamp,
    ) -> Result<EntriesPage, StoreError> {
        self.read(|txn| List::new(txn, spec, now)?.window(window))
    }

    /// The next unread entry from `from` (exclusive) through the list of `spec` towards its end (`forward`) or its
    /// beginning; where there is none, from the list's other end; where the list has none, from all entries. Without
    /// `from` the search starts at the list's near end.
    pub fn find_unread(
        &self,
        from: Option<(Timestamp, u64)>,
        spec: &ListSpec,
        forward: bool,
        now: Timestamp,
    ) -> Result<Option<EntryHead>, StoreError> {
        let way = if forward { Way::Down } else { Way::Up };
        let from = from.map(|(sort, no)| (sort.0, no));
        let unread = ListSpec {
            unread_only: true,
            ..spec.clone()
        };
        let everywhere = ListSpec {
            unread_only: true,
            order: spec.order,
            ..ListSpec::default()
        };
        self.read(|txn| {
            let list = List::new(txn, &unread, now)?;
            if let Some(from) = from
                && let Some(head) = list.first(way, From::Past(from), None)?
            {
                return Ok(Some(head));
            }
            let besides = from.map(|(_, no)| no);
            if let Some(head) = list.first(way, From::Edge, besides)? {
                return Ok(Some(head));
            }
            List::new(txn, &everywhere, now)?.first(way, From::Edge, besides)
        })
    }
}

/// Every row of a list, in no particular order, for marking them all.
pub(super) fn all_rows(
    txn: &ReadTransaction,
    spec: &ListSpec,
    now: Timestamp,
) -> Result<Vec<Row>, StoreError> {
    let spec = ListSpec {
        order: Order::Newest,
        ..spec.clone()
    };
    let list = List::new(txn, &spec, now)?;
    let mut rows = Vec::new();
    for row in list.walk(Way::Down, From::Edge)? {
        let row = row?;
        // Without a filter there is no need to look at heads: 100,000 of them are not free.
        if (list.filter.is_none() && !list.sift) || list.head(row)?.is_some() {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// A list with everything it needs open.
struct List<'t> {
    txn: &'t ReadTransaction,
    scope: ListScope,
    unread_only: bool,
    order: Order,
    filter: Option<Filter>,
    /// Rows must still be looked at for marks: the index walked is wider than the list.
    sift: bool,
    starred_only: bool,
    facts: HashMap<u32, Facts>,
    removed: HashSet<u32>,
    heads: ReadOnlyTable<u64, &'static [u8]>,
    marks: ReadOnlyTable<u64, u8>,
}

impl<'t> List<'t> {
    fn new(txn: &'t ReadTransaction, spec: &ListSpec, now: Timestamp) -> Result<Self, StoreError> {
        let filter = Filter::read(&spec.query, now)?;
        let unread_only = spec.unread_only || filter.as_ref().is_some_and(Filter::unread_only);
        let starred_only = filter.as_ref().is_some_and(Filter::starred_only);
        let scope = match &spec.scope {
            ListScope::All if starred_only => ListScope::Starred,
            scope => scope.clone(),
        };
        let needs_feeds = filter.is_some() || spec.order == Order::Feed;
        Ok(Self {
            txn,
            sift: scope == ListScope::Starred && unread_only,
            scope,
            unread_only,
            order: spec.order,
            filter,
            starred_only,
            facts: if needs_feeds {
                facts(txn)?
            } else {
                HashMap::new()
            },
            removed: removed(txn)?,
            heads: txn.open_table(HEADS)?,
            marks: txn.open_table(MARKS)?,
        })
    }

    fn window(&self, window: &Window) -> Result<EntriesPage, StoreError> {
        let mut page = EntriesPage {
            total: self.total()?,
            ..EntriesPage::default()
        };
        let (above, below) = match window.anchor {
            Anchor::Top => (None, Some(From::Edge)),
            Anchor::Bottom => (Some(From::Edge), None),
            Anchor::At { sort, no } => {
                let place = (sort.0, no);
                (Some(From::Past(place)), Some(From::At(place)))
            }
        };
        if let Some(from) = above {
            // At the bottom the anchor itself is found on the way up.
            let wanted = window.before + usize::from(below.is_none() && window.after > 0);
            (page.heads, page.more_before) = self.take(Way::Up, from, wanted)?;
            page.heads.reverse();
            page.anchor = page.heads.len();
        }
        if let Some(from) = below {
            let (heads, more) = self.take(Way::Down, from, window.after)?;
            page.heads.extend(heads);
            page.more_after = more;
        }
        page.anchor = page.anchor.min(page.heads.len().saturating_sub(1));
        Ok(page)
    }

    /// The first `wanted` rows that belong to the list, and whether there are more.
    fn take(
        &self,
        way: Way,
        from: From,
        wanted: usize,
    ) -> Result<(Vec<EntryHead>, bool), StoreError> {
        let mut heads = Vec::with_capacity(wanted.min(1024));
        for row in self.walk(way, from)? {
            let Some(head) = self.head(row?)? else {
                continue;
            };
            if heads.len() == wanted {
                return Ok((heads, true));
            }
            heads.push(head);
        }
        Ok((heads, false))
    }

    fn first(
        &self,
        way: Way,
        from: From,
        besides: Option<u64>,
    ) -> Result<Option<EntryHead>, StoreError> {
        for row in self.walk(way, from)? {
            let row = row?;
            if Some(row.no) == besides {
                continue;
            }
            if let Some(head) = self.head(row)? {
                return Ok(Some(head));
            }
        }
        Ok(None)
    }

    /// The head of a row, where the row belongs to the list.
    fn head(&self, row: Row) -> Result<Option<EntryHead>, StoreError> {
        let bits = self.marks.get(row.no)?.map_or(0, |bits| bits.value());
        let unwanted =
            (self.unread_only && bits & READ != 0) || (self.starred_only && bits & STARRED == 0);
        if unwanted {
            return Ok(None);
        }
        let Some(value) = self.heads.get(row.no)? else {
            return Err(StoreError::damaged(format!("heads: no entry {}", row.no)));
        };
        let head = head_of(&decode::<HeadV1>(value.value())?, row.no, bits);
        let Some(filter) = &self.filter else {
            return Ok(Some(head));
        };
        let unknown = Facts::default();
        let feed = self.facts.get(&row.feed).unwrap_or(&unknown);
        Ok(filter.passes(&head, feed).then_some(head))
    }

    fn walk(&self, way: Way, from: From) -> Result<Walk<'_>, StoreError> {
        match self.order {
            Order::Newest => self.by_date(way == Way::Down, from),
            Order::Oldest => self.by_date(way == Way::Up, from),
            Order::Feed => self.by_feed(way, from),
            Order::Title => self.by_title(way, from),
        }
    }

    /// Rows by date, towards older ones or towards newer ones.
    fn by_date(&self, older: bool, from: From) -> Result<Walk<'_>, StoreError> {
        match &self.scope {
            ListScope::All => {
                let table = if self.unread_only { UNREAD } else { BY_DATE };
                let walk = dated(&self.txn.open_table(table)?, older, from)?;
                if self.removed.is_empty() {
                    return Ok(walk);
                }
                Ok(Box::new(walk.filter(|row| {
                    row.as_ref()
                        .map_or(true, |row| !self.removed.contains(&row.feed))
                })))
            }
            ListScope::Starred => dated(&self.txn.open_table(STARRED_LIST)?, older, from),
            ListScope::Feed(feed) => of_feed(&self.feed_table()?, feed.0, older, from),
            ListScope::Feeds(feeds) => {
                let table = self.feed_table()?;
                let feeds: HashSet<u32> = feeds.iter().map(|feed| feed.0).collect();
                let walks = feeds
                    .into_iter()
                    .map(|feed| of_feed(&table, feed, older, from))
                    .collect::<Result<_, _>>()?;
                Ok(Box::new(Merge::new(walks, older)?))
            }
        }
    }

    fn feed_table(&self) -> Result<FeedDates, StoreError> {
        Ok(self.txn.open_table(if self.unread_only {
            UNREAD_FEED
        } else {
            BY_FEED
        })?)
    }

    /// Feed after feed, by title; newest first within one.
    fn by_feed(&self, way: Way, from: From) -> Result<Walk<'_>, StoreError> {
        let mut feeds = self.feeds_in_order();
        let mut first = None;
        if let From::At(place) | From::Past(place) = from {
            let anchor = self.heads.get(place.1)?;
            let feed = match &anchor {
                Some(value) => Some(decode::<HeadV1>(value.value())?.feed),
                None => None,
            };
            // The anchor's feed is walked from the anchor, the others whole. An anchor that is gone: from the start.
            if let Some(at) = feed.and_then(|feed| feeds.iter().position(|&f| f == feed)) {
                first = Some(feeds[at]);
                match way {
                    Way::Down => drop(feeds.drain(..at)),
                    Way::Up => feeds.truncate(at + 1),
                }
            } else if way == Way::Up {
                feeds.clear();
            }
        }
        if way == Way::Up {
            feeds.reverse();
        }
        let older = way == Way::Down;
        if self.scope == ListScope::Starred {
            return self.starred_by_feed(feeds, first, older, from);
        }
        let table = self.feed_table()?;
        Ok(Box::new(feeds.into_iter().flat_map(move |feed| {
            let from = if first == Some(feed) {
                from
            } else {
                From::Edge
            };
            of_feed(&table, feed, older, from).unwrap_or_else(|e| Box::new(std::iter::once(Err(e))))
        })))
    }

    /// Starred entries have no index by feed: there are few, and they are gathered.
    fn starred_by_feed(
        &self,
        feeds: Vec<u32>,
        first: Option<u32>,
        older: bool,
        from: From,
    ) -> Result<Walk<'_>, StoreError> {
        let mut groups: HashMap<u32, Vec<Row>> = HashMap::new();
        for row in dated(&self.txn.open_table(STARRED_LIST)?, older, From::Edge)? {
            let row = row?;
            groups.entry(row.feed).or_default().push(row);
        }
        let mut rows = Vec::new();
        for feed in feeds {
            let from = if first == Some(feed) {
                from
            } else {
                From::Edge
            };
            let group = groups.remove(&feed).unwrap_or_default();
            rows.extend(group.into_iter().filter(|row| beyond(row, older, from)));
        }
        Ok(Box::new(rows.into_iter().map(Ok)))
    }

    fn feeds_in_order(&self) -> Vec<u32> {
        let mut feeds: Vec<u32> = match &self.scope {
            ListScope::Feed(feed) => vec![feed.0],
            ListScope::Feeds(feeds) => feeds.iter().map(|feed| feed.0).collect(),
            ListScope::Starred => self.facts.keys().copied().collect(),
            ListScope::All => self
                .facts
                .keys()
                .copied()
                .filter(|feed| !self.removed.contains(feed))
                .collect(),
        };
        feeds.sort_by_cached_key(|feed| {
            let title = self.facts.get(feed).map(|facts| facts.title.to_lowercase());
            (title.unwrap_or_default(), *feed)
        });
        feeds.dedup();
        feeds
    }

    /// By title, case folded; the newer first of equal ones.
    fn by_title(&self, way: Way, from: From) -> Result<Walk<'_>, StoreError> {
        let mut rows = Vec::new();
        for row in self.by_date(true, From::Edge)? {
            let row = row?;
            rows.push((self.title(row.no)?.unwrap_or_default(), row));
        }
        // Stable: rows came newest first.
        rows.sort_by(|one, other| one.0.cmp(&other.0));
        let range = match from {
            From::Edge => 0..rows.len(),
            From::At(place) | From::Past(place) => {
                // Where the anchor stands, or would stand.
                let title = self.title(place.1)?.unwrap_or_default();
                let key = |title: &str, (sort, no): Place| (title.to_owned(), !sort, !no);
                let anchor = key(&title, place);
                let at =
                    rows.partition_point(|(title, row)| key(title, (row.sort, row.no)) < anchor);
                let there = rows.get(at).is_some_and(|(_, row)| row.no == place.1);
                let inclusive = matches!(from, From::At(_));
                match way {
                    Way::Down => at + usize::from(there && !inclusive)..rows.len(),
                    Way::Up => 0..at + usize::from(there && inclusive),
                }
            }
        };
        let rows: Vec<Row> = rows.drain(range).map(|(_, row)| row).collect();
        Ok(match way {
            Way::Down => Box::new(rows.into_iter().map(Ok)),
            Way::Up => Box::new(rows.into_iter().rev().map(Ok)),
        })
    }

    fn title(&self, no: u64) -> Result<Option<String>, StoreError> {
        match self.heads.get(no)? {
            Some(value) => Ok(Some(decode::<HeadV1>(value.value())?.title.to_lowercase())),
            None => Ok(None),
        }
    }

    /// Rows of the whole list, where the counts say it.
    fn total(&self) -> Result<Option<u64>, StoreError> {
        if self.filter.is_some() || self.sift {
            return Ok(None);
        }
        let counts = self.txn.open_table(COUNTS)?;
        let figure = |(total, unread, starred): (u64, u64, u64)| match self.scope {
            ListScope::Starred => starred,
            _ if self.unread_only => unread,
            _ => total,
        };
        let mut sum = 0;
        match &self.scope {
            ListScope::Feed(FeedId(feed)) => {
                sum = counts.get(feed)?.map_or(0, |counts| figure(counts.value()));
            }
            ListScope::Feeds(feeds) => {
                let feeds: HashSet<u32> = feeds.iter().map(|feed| feed.0).collect();
                for feed in feeds {
                    sum += counts.get(feed)?.map_or(0, |counts| figure(counts.value()));
                }
            }
            ListScope::All | ListScope::Starred => {
                for row in counts.iter()? {
                    let (feed, counts) = row?;
                    let gone = self.removed.contains(&feed.value());
                    if !gone || self.scope == ListScope::Starred {
                        sum += figure(counts.value());
                    }
                }
            }
        }
        Ok(Some(sum))
    }
}

fn facts(txn: &ReadTransaction) -> Result<HashMap<u32, Facts>, StoreError> {
    let mut facts = HashMap::new();
    for row in txn.open_table(FEEDS)?.iter()? {
        let (id, value) = row?;
        let record: FeedV1 = decode(value.value())?;
        facts.insert(
            id.value(),
            Facts {
                title: record.own_title.unwrap_or(record.title),
                url: record.url,
                tags: record.tags,
            },
        );
    }
    Ok(facts)
}

/// Feeds whose entries stand in no list but the starred one and their own.
fn removed(txn: &ReadTransaction) -> Result<HashSet<u32>, StoreError> {
    let mut removed = HashSet::new();
    for row in txn.open_table(REMOVED)?.iter()? {
        removed.insert(row?.0.value());
    }
    Ok(removed)
}

fn bounds(older: bool, from: From) -> (Bound<Place>, Bound<Place>) {
    let bound = match from {
        From::Edge => Bound::Unbounded,
        From::At(place) => Bound::Included(place),
        From::Past(place) => Bound::Excluded(place),
    };
    if older {
        (Bound::Unbounded, bound)
    } else {
        (bound, Bound::Unbounded)
    }
}

fn beyond(row: &Row, older: bool, from: From) -> bool {
    use std::ops::RangeBounds;
    bounds(older, from).contains(&(row.sort, row.no))
}

fn dated(table: &Dates, older: bool, from: From) -> Result<Walk<'static>, StoreError> {
    let rows = table.range(bounds(older, from))?.map(|row| {
        let (key, feed) = row?;
        let (sort, no) = key.value();
        let feed = feed.value();
        Ok(Row { sort, no, feed })
    });
    Ok(if older {
        Box::new(rows.rev())
    } else {
        Box::new(rows)
    })
}

fn of_feed(
    table: &FeedDates,
    feed: u32,
    older: bool,
    from: From,
) -> Result<Walk<'static>, StoreError> {
    let (low, high) = bounds(older, from);
    let with_feed = |(sort, no)| (feed, sort, no);
    let low = match low.map(with_feed) {
        Bound::Unbounded => Bound::Included((feed, i64::MIN, 0)),
        bound => bound,
    };
    let high = match high.map(with_feed) {
        Bound::Unbounded => Bound::Included((feed, i64::MAX, u64::MAX)),
        bound => bound,
    };
    let rows = table.range((low, high))?.map(|row| {
        let (feed, sort, no) = row?.0.value();
        Ok(Row { sort, no, feed })
    });
    Ok(if older {
        Box::new(rows.rev())
    } else {
        Box::new(rows)
    })
}

/// Several feeds as one list by date.
struct Merge {
    walks: Vec<Walk<'static>>,
    /// The next row of each walk, the one whose turn it is on top.
    heads: BinaryHeap<(Place, usize, u32)>,
    older: bool,
    failed: Option<StoreError>,
}

impl Merge {
    fn new(walks: Vec<Walk<'static>>, older: bool) -> Result<Self, StoreError> {
        let mut merge = Self {
            heads: BinaryHeap::with_capacity(walks.len()),
            walks,
            older,
            failed: None,
        };
        for walk in 0..merge.walks.len() {
            merge.refill(walk)?;
        }
        Ok(merge)
    }

    fn refill(&mut self, walk: usize) -> Result<(), StoreError> {
        if let Some(row) = self.walks[walk].next().transpose()? {
            self.heads
                .push((self.turn((row.sort, row.no)), walk, row.feed));
        }
        Ok(())
    }

    /// The heap gives its greatest: towards newer rows the order is turned round, and back again.
    const fn turn(&self, (sort, no): Place) -> Place {
        if self.older { (sort, no) } else { (!sort, !no) }
    }
}

impl Iterator for Merge {
    type Item = Result<Row, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.failed.take() {
            self.heads.clear();
            return Some(Err(error));
        }
        let (place, walk, feed) = self.heads.pop()?;
        self.failed = self.refill(walk).err();
        let (sort, no) = self.turn(place);
        Some(Ok(Row { sort, no, feed }))
    }
}
