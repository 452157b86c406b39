//! Feeds that moved for good: the host they are asked at, and what a person says of the move (R53).

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable};

use super::Store;
use super::error::StoreError;
use super::feeds::{feed_of, poll_of};
use super::identity::identity;
use super::records::{FeedV1, PollV1, decode};
use super::rows::{host_of, put, put_poll};
use super::tables::{ALIASES, FEED_BY_URL};
use super::transaction::Writing;
use crate::model::{FeedId, PollState, Timestamp};
use crate::poll;

/// Keeps the host of the address that is asked in the feed's record: lanes, holds and lists go by it.
pub(super) fn put_host(
    writing: &mut Writing<'_>,
    feed: u32,
    record: &mut FeedV1,
    state: &PollState,
) -> Result<(), StoreError> {
    if state.moves.is_empty() {
        return Ok(());
    }
    let host = host_of(poll::address(state, &record.url));
    if host == record.host || host.is_empty() {
        return Ok(());
    }
    record.host = host;
    put(writing, feed, record)
}

/// Takes back the moves that lead away from the feed's URL: it is asked there again. False: none does.
pub(super) fn undo_move(writing: &mut Writing<'_>, feed: FeedId) -> Result<bool, StoreError> {
    let mut record: FeedV1 = match writing.tables.feeds.get(feed.0)? {
        Some(row) => decode(row.value())?,
        None => return Err(StoreError::UnknownFeed(feed)),
    };
    let known: PollV1 = match writing.tables.polls.get(feed.0)? {
        Some(row) => decode(row.value())?,
        None => return Ok(false),
    };
    let mut state = known.model();
    if !poll::undo_moves(&mut state, &record.url) {
        return Ok(false);
    }
    put_poll(writing, feed.0, &known.with(&state))?;
    put_host(writing, feed.0, &mut record, &state)?;
    Ok(true)
}

/// The two URLs are one feed by a move that was believed, in either direction: nothing is new about it, and its
/// schedule goes on.
pub(super) fn is_known_move(state: &PollState, old: &str, new: &str) -> bool {
    let leads = |from: &str, to: &str| {
        poll::moved(&state.moves, from).is_some_and(|moved| identity(&moved.to) == identity(to))
    };
    leads(old, new) || leads(new, old)
}

/// Another subscribed feed that is asked at the address that a feed has moved to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Twin {
    /// It.
    pub feed: FeedId,
    /// Its URL as in feeds.toml.
    pub url: String,
    /// Its next poll.
    pub next: Option<Timestamp>,
}

/// The feed `id`, if it is subscribed, polled, and asked at `address`.
fn asked_there(txn: &ReadTransaction, id: u32, address: &str) -> Result<Option<Twin>, StoreError> {
    let feed = FeedId(id);
    let Some(record) = feed_of(txn, feed)?.filter(|record| record.removed.is_none()) else {
        return Ok(None);
    };
    let poll = poll_of(txn, feed)?;
    let state = poll.model();
    let there = identity(poll::address(&state, &record.url)) == address;
    Ok((there && poll.off.is_none()).then_some(Twin {
        feed,
        url: record.url,
        next: state.schedule.next,
    }))
}

impl Store {
    /// The feed that is asked at `address` instead of `feed`, which has moved there: the one that is subscribed under
    /// that address, else the first of those that moved there too (R65). `None` where `feed` itself is to be asked.
    pub fn twin(&self, feed: FeedId, address: &str) -> Result<Option<Twin>, StoreError> {
        let address = identity(address);
        self.read(|txn| {
            let subscribed = txn.open_table(FEED_BY_URL)?;
            let owner = subscribed.get(address.as_str())?.map(|id| id.value());
            if let Some(owner) = owner.filter(|owner| *owner != feed.0)
                && let Some(twin) = asked_there(txn, owner, &address)?
            {
                return Ok(Some(twin));
            }
            let aliases: ReadOnlyTable<(&str, u32), u8> = txn.open_table(ALIASES)?;
            for row in aliases.range((address.as_str(), 0)..(address.as_str(), feed.0))? {
                if let Some(twin) = asked_there(txn, row?.0.value().1, &address)? {
                    return Ok(Some(twin));
                }
            }
            Ok(None)
        })
    }

    /// The URL that feeds.toml had for this feed before its present one was adopted from a move; `None` where it was
    /// never adopted, or taken back since.
    pub fn adopted_from(&self, feed: FeedId) -> Result<Option<String>, StoreError> {
        self.read(|txn| {
            let Some(record) = feed_of(txn, feed)? else {
                return Ok(None);
            };
            let moves = poll_of(txn, feed)?.moves();
            let present = identity(&record.url);
            let led_here = |url: &String| {
                poll::moved(&moves, url).is_some_and(|moved| identity(&moved.to) == present)
            };
            let mut former = record.history.into_iter().rev().map(|(_, url)| url);
            Ok(former.find(led_here))
        })
    }
}
