//! What a person decides about polling: a hold lifted, a gone feed polled again.

use redb::ReadableTable;

use super::error::StoreError;
use super::records::{FeedV1, HostV2, PollV1, decode, encode_into};
use super::rows::{put_due, put_poll};
use super::transaction::Writing;
use crate::model::{FeedId, HostKey, Timestamp, Why};
use crate::poll;

/// Ends the hold of a host. What a renewed 429 builds on stays (R47); its feeds that wait for the hold are due.
pub(super) fn lift(writing: &mut Writing<'_>, host: &HostKey) -> Result<bool, StoreError> {
    let mut record: HostV2 = match writing.tables.hosts.get(host.0.as_str())? {
        Some(row) => decode(row.value())?,
        None => return Ok(false),
    };
    if record.hold_until.is_none() {
        return Ok(false);
    }
    record.lift();
    writing.touch();
    encode_into(&record, &mut writing.buffer)?;
    let tables = &mut writing.tables;
    tables
        .hosts
        .insert(host.0.as_str(), writing.buffer.as_slice())?;
    let mut feeds = Vec::new();
    for row in writing.tables.feeds.iter()? {
        let (id, value) = row?;
        let record: FeedV1 = decode(value.value())?;
        if record.host == host.0 {
            feeds.push((id.value(), record));
        }
    }
    for (id, record) in feeds {
        if let Some(poll) = poll_of(writing, id)?
            && poll.why == Why::HostHold
        {
            due(writing, id, &record, poll)?;
        }
    }
    Ok(true)
}

/// Polls a gone or dead feed again (R49, R50).
pub(super) fn enable(
    writing: &mut Writing<'_>,
    feed: FeedId,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let record: FeedV1 = match writing.tables.feeds.get(feed.0)? {
        Some(row) => decode(row.value())?,
        None => return Err(StoreError::UnknownFeed(feed)),
    };
    let Some(known) = poll_of(writing, feed.0)?.filter(|poll| poll.off.is_some()) else {
        return Ok(false);
    };
    let enabled = known.with(&poll::enable(&known.model(), now));
    put_due(writing, feed.0, known.next, enabled.next, &record)?;
    put_poll(writing, feed.0, &enabled)?;
    Ok(true)
}

fn poll_of(writing: &Writing<'_>, id: u32) -> Result<Option<PollV1>, StoreError> {
    match writing.tables.polls.get(id)? {
        Some(row) => Ok(Some(decode(row.value())?)),
        None => Ok(None),
    }
}

/// Due since its schedule was set: a time that has passed, without a clock.
fn due(
    writing: &mut Writing<'_>,
    id: u32,
    record: &FeedV1,
    mut poll: PollV1,
) -> Result<(), StoreError> {
    let before = poll.next;
    poll.next = Some(poll.set_at);
    put_due(writing, id, before, poll.next, record)?;
    put_poll(writing, id, &poll)
}
