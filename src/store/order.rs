//! The orders of a list, each a walk that can begin anywhere.

use std::collections::{HashMap, HashSet};

use super::error::StoreError;
use super::list::{List, Way};
use super::records::{HeadV1, decode};
use super::tables::{BY_DATE, BY_FEED, STARRED, UNREAD, UNREAD_FEED};
use super::walk::{FeedDates, From, Merge, Place, Row, Walk, beyond, dated, of_feed};
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
            Some(value) => Ok(Some(natural(decode::<HeadV1>(value.value())?.title))),
            None => Ok(None),
        }
    }
}
