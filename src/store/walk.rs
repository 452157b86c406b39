//! Walks through the indexes by date: one index, one feed of it, or several feeds as one.

use std::collections::BinaryHeap;
use std::ops::{Bound, RangeBounds};

use redb::ReadOnlyTable;

use super::error::StoreError;

/// A row of a list, before its head is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub sort: i64,
    pub no: u64,
    pub feed: u32,
}

/// Place by date: sort time and number.
pub(super) type Place = (i64, u64);
pub(super) type Walk<'a> = Box<dyn Iterator<Item = Result<Row, StoreError>> + 'a>;
pub(super) type Dates = ReadOnlyTable<(i64, u64), u32>;
pub(super) type FeedDates = ReadOnlyTable<(u32, i64, u64), ()>;

/// Where a walk begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    /// At the first row in its direction.
    Edge,
    /// At this place, itself included.
    At(Place),
    /// After this place.
    Past(Place),
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

pub(super) fn beyond(row: &Row, older: bool, from: From) -> bool {
    bounds(older, from).contains(&(row.sort, row.no))
}

pub(super) fn dated(table: &Dates, older: bool, from: From) -> Result<Walk<'static>, StoreError> {
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

pub(super) fn of_feed(
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
pub(super) struct Merge {
    walks: Vec<Walk<'static>>,
    /// The next row of each walk, the one whose turn it is on top.
    heads: BinaryHeap<(Place, usize, u32)>,
    older: bool,
    failed: Option<StoreError>,
}

impl Merge {
    pub(super) fn new(walks: Vec<Walk<'static>>, older: bool) -> Result<Self, StoreError> {
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
