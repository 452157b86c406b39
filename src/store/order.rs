//! The orders of a list, each a walk that can begin anywhere.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use redb::ReadableTableMetadata;

use super::error::StoreError;
use super::feeds::counts_of;
use super::list::{List, Way};
use super::records::{HeadV1, decode};
use super::tables::{BY_DATE, BY_FEED, COUNTS, STARRED, UNREAD, UNREAD_FEED};
use super::titles::Titles;
use super::walk::{FeedDates, From, Merge, Row, Walk, beyond, dated, of_feed};
use crate::model::{ListScope, Order, natural};

impl List<'_> {
    pub(super) fn walk(&self, way: Way, from: From) -> Result<Walk<'_>, StoreError> {
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
            ListScope::Starred => dated(&self.txn.open_table(STARRED)?, older, from),
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
        for row in dated(&self.txn.open_table(STARRED)?, older, From::Edge)? {
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

    /// How many rows of an index are gathered for this list.
    fn index_rows(&self) -> Result<u64, StoreError> {
        let of = |feed: u32| -> Result<u64, StoreError> {
            let (all, unread, _) = counts_of(&self.txn.open_table(COUNTS)?, feed)?;
            Ok(if self.unread_only { unread } else { all })
        };
        Ok(match &self.scope {
            ListScope::All if self.unread_only => self.txn.open_table(UNREAD)?.len()?,
            ListScope::All => self.txn.open_table(BY_DATE)?.len()?,
            ListScope::Starred => 0,
            ListScope::Feed(feed) => of(feed.0)?,
            ListScope::Feeds(feeds) => {
                let counts = feeds.iter().map(|feed| of(feed.0));
                counts.sum::<Result<u64, StoreError>>()?
            }
        })
    }

    /// All entries by title, those that belong to the list told.
    fn along_titles(
        &self,
        titles: Arc<Titles>,
        way: Way,
        from: From,
    ) -> Result<Walk<'_>, StoreError> {
        let end = u32::try_from(titles.len())
            .unwrap_or(u32::MAX)
            .saturating_add(1);
        let places = match (from, way) {
            (From::Edge, _) => 1..end,
            (From::At((_, no)), Way::Down) => titles.place(no)..end,
            (From::Past((_, no)), Way::Down) => titles.place(no).saturating_add(1)..end,
            (From::At((_, no)), Way::Up) => 1..titles.place(no).saturating_add(1),
            (From::Past((_, no)), Way::Up) => 1..titles.place(no).max(1),
        };
        let feeds: Option<HashSet<u32>> = match &self.scope {
            ListScope::Feed(feed) => Some(HashSet::from([feed.0])),
            ListScope::Feeds(feeds) => Some(feeds.iter().map(|feed| feed.0).collect()),
            ListScope::All | ListScope::Starred => None,
        };
        let unread = (self.unread_only)
            .then(|| self.txn.open_table(UNREAD))
            .transpose()?;
        let row = move |no: u64| -> Result<Option<Row>, StoreError> {
            let Some(value) = self.heads.get(no)? else {
                return Ok(None);
            };
            let head: HeadV1 = decode(value.value())?;
            let row = Row {
                sort: head.sort,
                no,
                feed: head.feed,
            };
            let inside = match &feeds {
                Some(feeds) => feeds.contains(&row.feed),
                None => !self.removed.contains(&row.feed),
            };
            let wanted = match &unread {
                Some(unread) if inside => unread.get((row.sort, no))?.is_some(),
                _ => inside,
            };
            Ok(wanted.then_some(row))
        };
        // The walk keeps the order that it goes along.
        let count = places.len();
        let numbers = (0..count).map(move |step| {
            let step = u32::try_from(step).unwrap_or(u32::MAX);
            titles.number(match way {
                Way::Down => places.start + step,
                Way::Up => places.end - 1 - step,
            })
        });
        Ok(Box::new(
            numbers.flatten().filter_map(move |no| row(no).transpose()),
        ))
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
            let title = self.facts.get(feed).map(|facts| natural(&facts.title));
            (title.unwrap_or_default(), *feed)
        });
        feeds.dedup();
        feeds
    }

    /// By title in natural order; the newer first of equal ones.
    fn by_title(&self, way: Way, from: From) -> Result<Walk<'_>, StoreError> {
        let titles = self.titles.of(self.txn)?;
        // A list of nearly everything is not gathered: it is walked past what does not belong to it.
        if self.index_rows()?.saturating_mul(8) > titles.len() as u64 {
            return self.along_titles(titles, way, from);
        }
        let mut rows = Vec::new();
        for row in self.by_date(true, From::Edge)? {
            let row = row?;
            rows.push((titles.place(row.no), row));
        }
        rows.sort_unstable_by_key(|(place, _)| *place);
        let range = match from {
            From::Edge => 0..rows.len(),
            From::At((_, no)) | From::Past((_, no)) => {
                // Where the anchor stands, or would stand.
                let anchor = titles.place(no);
                let at = rows.partition_point(|(place, _)| *place < anchor);
                let there = rows.get(at).is_some_and(|(_, row)| row.no == no);
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
}
