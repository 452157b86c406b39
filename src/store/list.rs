//! Windows over lists: range scans by composite keys, in both directions from an anchor.
//!
//! A list is walked, never built: a window of a few rows costs a few rows, whatever the size of the store. The one
//! exception is the order by title, which no key has: there the rows of the list are gathered and sorted by `titles`.

use std::collections::{HashMap, HashSet};

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable};

use super::Store;
use super::codes::{HIDDEN, READ, STARRED};
use super::entries::head_of;
use super::error::StoreError;
use super::filter::{Facts, Filter};
use super::own_tags::OwnTags;
use super::records::{FeedV1, HeadV1, decode};
use super::search::{Effort, Patient};
use super::tables::{COUNTS, FEEDS, HEADS, MARKS, META, REMOVED, read_heads_written};
use super::texts::Texts;
use super::titles::TitleCache;
use super::twins::{fold, folds, widened};
use super::walk::{From, Row};
use crate::model::{
    Anchor, EntriesPage, EntryHead, FeedId, ListScope, ListSpec, Moment, Order, Part, Timestamp,
    Window,
};

/// The direction of a walk through a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Towards the last row.
    Down,
    /// Towards the first row.
    Up,
}

impl Store {
    /// A window of a list. `moment` is what `age:` and `date:` in the query count from.
    pub fn list(
        &self,
        spec: &ListSpec,
        window: &Window,
        moment: impl Into<Moment>,
    ) -> Result<EntriesPage, StoreError> {
        let page = self.search(spec, window, moment.into(), &mut Patient)?;
        Ok(page.unwrap_or_default())
    }

    /// How many entries a list has.
    pub fn count(&self, spec: &ListSpec, moment: impl Into<Moment>) -> Result<u64, StoreError> {
        let moment = moment.into();
        self.read(|txn| {
            let list = List::new(txn, spec, moment, &self.shared.titles)?;
            if let Some(total) = list.total()? {
                return Ok(total);
            }
            Ok(all_rows(txn, spec, Part::All, moment)?.len() as u64)
        })
    }

    /// The next unread entry from `from` (exclusive) through the list of `spec` towards its end (`forward`) or its
    /// beginning; where there is none, from the list's other end; where the list has none, from all entries. Without
    /// `from` the search starts at the list's near end.
    pub fn find_unread(
        &self,
        from: Option<(Timestamp, u64)>,
        spec: &ListSpec,
        forward: bool,
        moment: impl Into<Moment>,
    ) -> Result<Option<EntryHead>, StoreError> {
        let moment = moment.into();
        let way = if forward { Way::Down } else { Way::Up };
        let from = from.map(|(sort, no)| (sort.0, no));
        let unread = ListSpec {
            unread_only: true,
            ..spec.clone()
        };
        let everywhere = ListSpec {
            unread_only: true,
            order: spec.order,
            muted: spec.muted.clone(),
            ..ListSpec::default()
        };
        self.read(|txn| {
            let titles = &self.shared.titles;
            let list = List::new(txn, &unread, moment, titles)?;
            list.decide_all()?;
            let besides = from.map(|(_, no)| no);
            let shown = spec
                .fold_twins
                .then(|| List::new(txn, spec, moment, titles));
            let shown = shown.transpose()?.filter(|list| list.folds);
            // What stands behind a row is found with that row, which may be the one that is left.
            let wanted = |head: &EntryHead| {
                let leader = shown.as_ref().map(|list| list.leader_of(head));
                let leader = leader.transpose()?.flatten();
                Ok(leader.is_none_or(|leader| !leader.unread && Some(leader.no) != besides))
            };
            if let Some(from) = from
                && let Some(head) = list.first(way, From::Past(from), None, &wanted)?
            {
                return Ok(Some(head));
            }
            if let Some(head) = list.first(way, From::Edge, besides, &wanted)? {
                return Ok(Some(head));
            }
            let everywhere = List::new(txn, &everywhere, moment, titles)?;
            everywhere.first(way, From::Edge, besides, &|_| Ok(true))
        })
    }
}

/// Every row of a part of a list, in no particular order, for marking them all.
pub(super) fn all_rows(
    txn: &ReadTransaction,
    spec: &ListSpec,
    part: Part,
    moment: Moment,
) -> Result<Vec<Row>, StoreError> {
    let (order, way, from) = match part {
        // The cheapest: nothing hangs on the order.
        Part::All => (Order::Newest, Way::Down, From::Edge),
        Part::Above(sort, no) => (spec.order, Way::Up, From::Past((sort.0, no))),
        Part::Below(sort, no) => (spec.order, Way::Down, From::Past((sort.0, no))),
    };
    let spec = ListSpec {
        order,
        ..spec.clone()
    };
    let titles = TitleCache::default();
    let list = List::new(txn, &spec, moment, &titles)?;
    list.decide_all()?;
    let mut rows = Vec::new();
    for row in list.walk(way, from)? {
        let row = row?;
        // Without a filter there is no need to look at heads: 100,000 of them are not free.
        if (list.filter.is_none() && !list.sift && !list.is_hidden(row)?)
            || list.head(row)?.is_some()
        {
            rows.push(row);
        }
    }
    if list.folds {
        list.side_of(part, &mut rows)?;
    }
    Ok(rows)
}

/// A list with everything it needs open.
#[expect(
    clippy::struct_excessive_bools,
    reason = "narrowings that do not hang on each other"
)]
pub(super) struct List<'t> {
    pub(super) txn: &'t ReadTransaction,
    pub(super) scope: ListScope,
    pub(super) unread_only: bool,
    pub(super) order: Order,
    pub(super) query: String,
    pub(super) filter: Option<Filter>,
    pub(super) effort: Effort,
    texts: Texts,
    /// Hidden entries stand in the list as well.
    with_hidden: bool,
    /// Rows must still be looked at for marks: the index walked is wider than the list.
    sift: bool,
    starred_only: bool,
    pub(super) facts: HashMap<u32, Facts>,
    /// Feeds whose entries stand in no list of every entry: removed ones, and muted ones.
    pub(super) removed: HashSet<u32>,
    pub(super) titles: &'t TitleCache,
    /// A story stands once.
    folds: bool,
    pub(super) heads: ReadOnlyTable<u64, &'static [u8]>,
    marks: ReadOnlyTable<u64, u8>,
    tags: OwnTags,
}

impl<'t> List<'t> {
    pub(super) fn new(
        txn: &'t ReadTransaction,
        spec: &ListSpec,
        moment: Moment,
        titles: &'t TitleCache,
    ) -> Result<Self, StoreError> {
        let filter = Filter::read(&spec.query, &spec.within, moment)?;
        let unread_only = spec.unread_only || filter.as_ref().is_some_and(Filter::unread_only);
        let starred_only = filter.as_ref().is_some_and(Filter::starred_only);
        let scope = match &spec.scope {
            ListScope::All if starred_only => ListScope::Starred,
            scope => scope.clone(),
        };
        let mut removed = removed(txn)?;
        removed.extend(spec.leaves_out().iter().map(|feed| feed.0));
        let needs_feeds = filter.is_some() || spec.order == Order::Feed;
        let asks_tags = filter.as_ref().is_some_and(Filter::names_tags);
        Ok(Self {
            txn,
            tags: OwnTags::open(txn, asks_tags)?,
            sift: scope == ListScope::Starred && unread_only,
            with_hidden: scope == ListScope::Starred
                || filter.as_ref().is_some_and(Filter::names_hidden),
            scope,
            unread_only,
            order: spec.order,
            query: format!("{}\n{}", spec.within, spec.query),
            folds: folds(spec, filter.as_ref().is_some_and(Filter::names_text)),
            filter,
            effort: Effort::default(),
            texts: Texts::new(txn)?,
            starred_only,
            facts: if needs_feeds {
                facts(txn)?
            } else {
                HashMap::new()
            },
            removed,
            titles,
            heads: txn.open_table(HEADS)?,
            marks: txn.open_table(MARKS)?,
        })
    }

    /// A window, with every story once where that is wanted.
    pub(super) fn window(&self, window: &Window) -> Result<EntriesPage, StoreError> {
        if self.folds {
            return Ok(fold(self.rows_of(&widened(window))?, window));
        }
        self.rows_of(window)
    }

    /// A window with every row.
    pub(super) fn rows_of(&self, window: &Window) -> Result<EntriesPage, StoreError> {
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
                if self.effort.is_spent() {
                    break;
                }
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
        wanted: &dyn Fn(&EntryHead) -> Result<bool, StoreError>,
    ) -> Result<Option<EntryHead>, StoreError> {
        for row in self.walk(way, from)? {
            let row = row?;
            if Some(row.no) == besides {
                continue;
            }
            if let Some(head) = self.head(row)?
                && wanted(&head)?
            {
                return Ok(Some(head));
            }
        }
        Ok(None)
    }

    /// The head of a row, where the row belongs to the list.
    fn head(&self, row: Row) -> Result<Option<EntryHead>, StoreError> {
        let decided = self.effort.decided(row.no);
        let early = |filter: &Filter| filter.may_be_of(row.sort);
        if decided == Some(false) || !self.filter.as_ref().is_none_or(early) {
            return Ok(None);
        }
        let bits = self.bits(row.no)?;
        let unwanted = (self.unread_only && bits & READ != 0)
            || (self.starred_only && bits & STARRED == 0)
            || (!self.with_hidden && bits & HIDDEN != 0);
        if unwanted {
            return Ok(None);
        }
        let Some(value) = self.heads.get(row.no)? else {
            return Err(StoreError::damaged(format!("heads: no entry {}", row.no)));
        };
        let head: HeadV1<'_> = decode(value.value())?;
        self.effort.head();
        let passes = match (&self.filter, decided) {
            (Some(filter), None) => self.passes(filter, &head, bits, &self.asked_tags(row.no)?)?,
            _ => true,
        };
        if !passes {
            return Ok(None);
        }
        Ok(Some(EntryHead {
            tags: self.tags.of(row.no)?,
            ..head_of(&head, row.no, bits)
        }))
    }

    /// The tags of an entry, where the query asks for them.
    pub(super) fn asked_tags(&self, no: u64) -> Result<Vec<String>, StoreError> {
        match &self.tags {
            tags @ OwnTags::All(_) => tags.of(no),
            OwnTags::None | OwnTags::Table(_) => Ok(Vec::new()),
        }
    }

    /// Reads its text too, where the query hangs on it.
    pub(super) fn passes(
        &self,
        filter: &Filter,
        head: &HeadV1<'_>,
        bits: u8,
        tags: &[String],
    ) -> Result<bool, StoreError> {
        let unknown = Facts::default();
        let feed = self.facts.get(&head.feed).unwrap_or(&unknown);
        let mut failed = None;
        let mut read = false;
        let passes = filter.judge(head, Some(bits), tags, feed, &mut |needle| {
            read = true;
            match self.texts.holds(head.body, needle) {
                Ok(holds) => Some(holds),
                Err(error) => {
                    failed = Some(error);
                    None
                }
            }
        });
        if read {
            self.effort.text();
        }
        match failed {
            Some(error) => Err(error),
            None => Ok(passes.unwrap_or(false)),
        }
    }

    /// The marks of an entry.
    pub(super) fn bits(&self, no: u64) -> Result<u8, StoreError> {
        Ok(self.marks.get(no)?.map_or(0, |bits| bits.value()))
    }

    fn is_hidden(&self, row: Row) -> Result<bool, StoreError> {
        Ok(!self.with_hidden && self.bits(row.no)? & HIDDEN != 0)
    }

    /// How many heads had been written as of this snapshot.
    pub(super) fn heads_written(&self) -> Result<u64, StoreError> {
        read_heads_written(&self.txn.open_table(META)?)
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
