//! What goes when a feed holds more than is kept. The key and the mark of an entry outlive it: what was beyond the limits never
//! comes back, and what a feed left behind comes back with its mark, if the feed does.

use std::collections::HashSet;

use redb::ReadableTable;

use super::Store;
use super::blocks::release;
use super::codes::{READ, STARRED, State};
use super::error::StoreError;
use super::kept;
use super::records::{HeadV1, PollV1, decode, encode_into};
use super::tables::{BY_FEED, HEADS, MARKS, REMOVED};
use super::transaction::Writing;
use crate::model::{FeedId, Keep, Pruned, Timestamp};

/// Entries that one transaction takes: polls and marks do not wait for more.
const AT_ONCE: usize = 2_000;

/// What is taken from a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    /// What is beyond its limits.
    Beyond(Keep),
    /// Everything but the starred: it is subscribed no longer. When it is again, its entries come back, the read ones as read.
    All,
}

impl Store {
    /// What pruning would take from a feed now.
    pub fn prunable(&self, feed: FeedId, take: Take, now: Timestamp) -> Result<Pruned, StoreError> {
        self.read(|txn| {
            let heads = txn.open_table(HEADS)?;
            let (by_feed, marks) = (txn.open_table(BY_FEED)?, txn.open_table(MARKS)?);
            let rows = beyond(&by_feed, &heads, &marks, (feed.0, take, now))?;
            summary(&heads, &rows)
        })
    }

    /// Feeds that left feeds.toml.
    pub fn removed_feeds(&self) -> Result<Vec<FeedId>, StoreError> {
        self.read(|txn| {
            let rows = txn.open_table(REMOVED)?;
            rows.iter()?.map(|row| Ok(FeedId(row?.0.value()))).collect()
        })
    }
}

/// A row that goes.
#[derive(Debug, Clone, Copy)]
struct Row {
    sort: i64,
    no: u64,
}

/// The rows of a feed that go, newest first.
fn beyond(
    by_feed: &impl ReadableTable<(u32, i64, u64), ()>,
    heads: &impl ReadableTable<u64, &'static [u8]>,
    marks: &impl ReadableTable<u64, u8>,
    (feed, take, now): (u32, Take, Timestamp),
) -> Result<Vec<Row>, StoreError> {
    let limits = match take {
        Take::All => Keep::default(),
        Take::Beyond(keep) => keep.in_force(),
    };
    let oldest = limits.age.map_or(i64::MIN, |age| {
        let seconds = i64::try_from(age.as_secs()).unwrap_or(i64::MAX);
        now.0.saturating_sub(seconds)
    });
    // By age alone the young ones need not be looked at.
    let by_age_alone = take != Take::All && limits.entries.is_none() && limits.size.is_none();
    let newest = if by_age_alone { oldest } else { i64::MAX };
    let range = (feed, i64::MIN, 0)..=(feed, newest, u64::MAX);
    let (mut kept, mut bytes) = (0, 0);
    let mut rows = Vec::new();
    for row in by_feed.range(range)?.rev() {
        let (_, sort, no) = row?.0.value();
        if let Some(most) = limits.size {
            bytes += text_bytes(heads, no)?;
            if bytes > most {
                kept = u64::MAX;
            }
        }
        let goes = take == Take::All
            || sort < oldest
            || kept == u64::MAX
            || limits.entries.is_some_and(|most| kept >= most);
        if !goes {
            kept += 1;
            continue;
        }
        let bits = marks.get(no)?.map_or(0, |bits| bits.value());
        if bits & STARRED == 0 {
            rows.push(Row { sort, no });
        }
    }
    Ok(rows)
}

fn text_bytes(heads: &impl ReadableTable<u64, &'static [u8]>, no: u64) -> Result<u64, StoreError> {
    let Some(row) = heads.get(no)? else {
        return Ok(0);
    };
    let head: HeadV1 = decode(row.value())?;
    Ok(u64::from(head.body.len))
}

fn summary(
    heads: &impl ReadableTable<u64, &'static [u8]>,
    rows: &[Row],
) -> Result<Pruned, StoreError> {
    let mut pruned = Pruned {
        feeds: u64::from(!rows.is_empty()),
        entries: rows.len() as u64,
        bytes: 0,
    };
    for row in rows {
        pruned.bytes += text_bytes(heads, row.no)?;
    }
    Ok(pruned)
}

/// Takes what is to go from a feed, the oldest first, as much as one transaction takes; true: there is more.
pub(super) fn prune(
    writing: &mut Writing<'_>,
    feed: FeedId,
    take: Take,
    now: Timestamp,
) -> Result<(Pruned, bool), StoreError> {
    let feed = feed.0;
    let tables = &writing.tables;
    let (heads, marks) = (&tables.heads, &tables.marks);
    let mut rows = beyond(&tables.by_feed, heads, marks, (feed, take, now))?;
    if rows.is_empty() {
        return Ok((Pruned::default(), false));
    }
    rows.reverse();
    let more = rows.len() > AT_ONCE;
    rows.truncate(AT_ONCE);
    let pruned = summary(&writing.tables.heads, &rows)?;
    writing.touch();
    let unread = unlist(writing, feed, &rows)?;
    let gone: HashSet<u64> = rows.iter().map(|row| row.no).collect();
    let state = match take {
        Take::Beyond(_) => State::Pruned,
        Take::All => State::Awaited,
    };
    forget(writing, feed, &gone, state)?;
    if take == Take::All {
        forget_content(writing, feed)?;
    }
    let (all, was_unread, starred) = {
        let counts = writing.tables.counts.get(feed)?;
        counts.map_or((0, 0, 0), |counts| counts.value())
    };
    let counts = (
        all.saturating_sub(pruned.entries),
        was_unread.saturating_sub(unread),
        starred,
    );
    writing.tables.counts.insert(feed, counts)?;
    // What hangs on titles is old.
    writing.numbers.heads_written += pruned.entries;
    Ok((pruned, more))
}

/// Takes heads, bodies and places in lists; returns how many were unread.
fn unlist(writing: &mut Writing<'_>, feed: u32, rows: &[Row]) -> Result<u64, StoreError> {
    let mut unread = 0;
    for Row { sort, no } in rows.iter().copied() {
        let block = match writing.tables.heads.remove(no)? {
            Some(row) => Some(decode::<HeadV1>(row.value())?.body.block),
            None => None,
        };
        if let Some(block) = block {
            release(writing, block)?;
        }
        kept::forget(writing, no)?;
        let tables = &mut writing.tables;
        tables.by_feed.remove((feed, sort, no))?;
        tables.by_date.remove((sort, no))?;
        let bits = tables.marks.get(no)?.map_or(0, |bits| bits.value());
        if bits & READ == 0 {
            unread += 1;
            tables.unread.remove((sort, no))?;
            tables.unread_feed.remove((feed, sort, no))?;
        }
    }
    Ok(unread)
}

/// The feed is not known any more as it was answered last: whoever asks again gets, and reads, all of it.
fn forget_content(writing: &mut Writing<'_>, feed: u32) -> Result<(), StoreError> {
    let all = (feed, "")..(feed.saturating_add(1), "");
    writing.tables.validators.retain_in(all, |_, _| false)?;
    let Some(mut poll) = writing
        .tables
        .polls
        .get(feed)?
        .map(|row| decode::<PollV1>(row.value()))
        .transpose()?
    else {
        return Ok(());
    };
    (poll.body_hash, poll.entries_hash) = (None, None);
    encode_into(&poll, &mut writing.buffer)?;
    let row = writing.buffer.as_slice();
    writing.tables.polls.insert(feed, row)?;
    Ok(())
}

/// Every key that leads to one of these entries says from now on what became of it.
fn forget(
    writing: &mut Writing<'_>,
    feed: u32,
    gone: &HashSet<u64>,
    state: State,
) -> Result<(), StoreError> {
    let mut keys = Vec::with_capacity(gone.len());
    for row in writing
        .tables
        .keys
        .range((feed, &[0; 16])..=(feed, &[255; 16]))?
    {
        let (key, value) = row?;
        let (no, known, hash) = value.value();
        if State::read(known)? == State::Stored && gone.contains(&no) {
            keys.push((*key.value().1, no, *hash));
        }
    }
    for (key, no, hash) in keys {
        let row = (no, state.code(), &hash);
        writing.tables.keys.insert((feed, &key), row)?;
    }
    Ok(())
}
