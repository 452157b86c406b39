//! Rows of a feed that several acts write: its record, its polling record, its place among those that are due.

use super::error::StoreError;
use super::identity::identity;
use super::records::{FeedV1, PollV1, encode_into};
use super::transaction::Writing;
use crate::model::HostKey;

/// Kind of alias: where its URL redirects for good.
pub(super) const TARGET: u8 = 2;

/// The host of a URL, as feeds are kept under it; empty for what has none.
pub(super) fn host_of(url: &str) -> String {
    HostKey::of_str(url)
        .or_else(|| HostKey::of_str(&identity(url)))
        .map_or_else(String::new, |key| key.0)
}

/// Writes what is known of a feed.
pub(super) fn put(writing: &mut Writing<'_>, id: u32, record: &FeedV1) -> Result<(), StoreError> {
    writing.touch();
    encode_into(record, &mut writing.buffer)?;
    writing.tables.feeds.insert(id, writing.buffer.as_slice())?;
    Ok(())
}

/// Writes the polling record of a feed.
pub(super) fn put_poll(
    writing: &mut Writing<'_>,
    id: u32,
    poll: &PollV1,
) -> Result<(), StoreError> {
    writing.touch();
    encode_into(poll, &mut writing.buffer)?;
    writing.tables.polls.insert(id, writing.buffer.as_slice())?;
    Ok(())
}

/// Moves the feed to its next poll; a feed that was unsubscribed meanwhile is due never again.
pub(super) fn put_due(
    writing: &mut Writing<'_>,
    feed: u32,
    before: Option<i64>,
    next: Option<i64>,
    record: &FeedV1,
) -> Result<(), StoreError> {
    let next = next.filter(|_| record.removed.is_none());
    if before == next {
        // Also after a revival: the row may be missing though the record has a time.
        if let Some(next) = next {
            writing.tables.due.insert((next, feed), ())?;
        }
        return Ok(());
    }
    if let Some(before) = before {
        writing.tables.due.remove((before, feed))?;
    }
    if let Some(next) = next {
        writing.tables.due.insert((next, feed), ())?;
    }
    Ok(())
}
