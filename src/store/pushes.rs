//! Topics and subscriptions at hubs (WebSub), tables apart, for few feeds are pushed; and what a hub delivers.
//!
//! A topic is written with the poll that found it. A subscription is written by the process that listens for hubs, alone.

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, TableDefinition};

use super::Store;
use super::audit::put_audit;
use super::entries;
use super::error::StoreError;
use super::formers::optional;
use super::hits;
use super::pack::Packed;
use super::prune::{Take, prune};
use super::records::{FeedV1, PollV1, PushV1, TopicV1, decode, encode_into};
use super::rows::put_poll;
use super::transaction::Writing;
use crate::model::{AuditRecord, FeedId, Keep, Timestamp};
use crate::push::Push;

type Bytes = &'static [u8];

/// By feed: what it calls its own address.
const TOPICS: TableDefinition<'static, u32, Bytes> = TableDefinition::new("topics");

/// By feed and the path of the callback. A feed has one, and others that it is leaving.
const SUBSCRIPTIONS: TableDefinition<'static, (u32, &'static str), Bytes> =
    TableDefinition::new("subscriptions");

/// What a hub delivered of one feed, to be stored as a 226 is: merged, nothing deleted, neither validators nor hashes nor
/// schedule touched (R79).
#[derive(Debug, Clone, PartialEq)]
pub struct Delivered {
    /// The feed.
    pub feed: FeedId,
    /// When: the first-seen time of its new entries.
    pub at: Timestamp,
    /// New and edited entries, from `pack`.
    pub entries: Packed,
    /// For the ring.
    pub audit: AuditRecord,
    /// How much is kept of the feed.
    pub keep: Keep,
    /// The subscription as it is from now on.
    pub push: Push,
}

impl Store {
    /// What feeds call their own addresses, as far as they name hubs.
    pub fn topics(&self) -> Result<Vec<(FeedId, String)>, StoreError> {
        self.read(|txn| {
            let mut topics = Vec::new();
            if let Some(table) = optional(txn, TOPICS)? {
                for row in table.iter()? {
                    let (feed, value) = row?;
                    let record: TopicV1 = decode(value.value())?;
                    topics.push((FeedId(feed.value()), record.topic));
                }
            }
            Ok(topics)
        })
    }

    /// What one feed calls its own address.
    pub fn topic(&self, feed: FeedId) -> Result<Option<String>, StoreError> {
        self.read(|txn| {
            let Some(table) = optional(txn, TOPICS)? else {
                return Ok(None);
            };
            let row = table.get(feed.0)?;
            row.map(|row| Ok(decode::<TopicV1>(row.value())?.topic))
                .transpose()
        })
    }

    /// All subscriptions at hubs, also of feeds that left feeds.toml.
    pub fn pushes(&self) -> Result<Vec<(FeedId, Push)>, StoreError> {
        self.read(|txn| match optional(txn, SUBSCRIPTIONS)? {
            Some(table) => read(table.iter()?),
            None => Ok(Vec::new()),
        })
    }

    /// Those of one feed.
    pub fn pushes_of(&self, feed: FeedId) -> Result<Vec<Push>, StoreError> {
        self.read(|txn| {
            let found = of(txn, feed)?;
            Ok(found.into_iter().map(|(_, push)| push).collect())
        })
    }
}

type Table = ReadOnlyTable<(u32, &'static str), Bytes>;

fn of(txn: &ReadTransaction, feed: FeedId) -> Result<Vec<(FeedId, Push)>, StoreError> {
    let table: Option<Table> = optional(txn, SUBSCRIPTIONS)?;
    match table {
        Some(table) => read(table.range((feed.0, "")..(feed.0.saturating_add(1), ""))?),
        None => Ok(Vec::new()),
    }
}

fn read(
    rows: redb::Range<'_, (u32, &'static str), Bytes>,
) -> Result<Vec<(FeedId, Push)>, StoreError> {
    rows.map(|row| {
        let (key, value) = row?;
        let record: PushV1 = decode(value.value())?;
        Ok((FeedId(key.value().0), record.model()))
    })
    .collect()
}

/// Keeps what a feed calls its own address; `None`: it names no hub any more.
pub(super) fn put_topic(
    writing: &Writing<'_>,
    feed: u32,
    topic: Option<&str>,
) -> Result<(), StoreError> {
    let mut table = writing.extra(TOPICS)?;
    let Some(topic) = topic else {
        table.remove(feed)?;
        return Ok(());
    };
    let mut bytes = Vec::new();
    let record = TopicV1 {
        topic: topic.to_owned(),
    };
    encode_into(&record, &mut bytes)?;
    let known = table.get(feed)?.is_some_and(|row| row.value() == bytes);
    if !known {
        table.insert(feed, bytes.as_slice())?;
    }
    Ok(())
}

/// Keeps a subscription, or with `None` forgets it.
pub(super) fn put(
    writing: &mut Writing<'_>,
    feed: FeedId,
    path: &str,
    push: Option<&Push>,
) -> Result<bool, StoreError> {
    writing.touch();
    let mut table = writing.extra(SUBSCRIPTIONS)?;
    let Some(push) = push else {
        return Ok(table.remove((feed.0, path))?.is_some());
    };
    encode_into(&PushV1::from(push), &mut writing.buffer)?;
    table.insert((feed.0, path), writing.buffer.as_slice())?;
    Ok(true)
}

/// Stores what a hub delivered. False: the feed is not subscribed any more, and nothing was written.
pub(super) fn deliver(
    writing: &mut Writing<'_>,
    delivered: &Delivered,
) -> Result<bool, StoreError> {
    let feed = delivered.feed.0;
    let record: Option<FeedV1> = match writing.tables.feeds.get(feed)? {
        Some(row) => Some(decode(row.value())?),
        None => None,
    };
    if record.is_none_or(|record| record.removed.is_some()) {
        return Ok(false);
    }
    let mut poll: PollV1 = match writing.tables.polls.get(feed)? {
        Some(row) => decode(row.value())?,
        None => return Ok(false),
    };
    let mut dated = Vec::new();
    entries::store(writing, feed, delivered.at, &delivered.entries, &mut dated)?;
    entries::store_dated(writing, dated)?;
    hits::note(writing, &delivered.entries.hits, delivered.at)?;
    put_audit(writing, feed, &mut poll, &delivered.audit)?;
    put_poll(writing, feed, &poll)?;
    if !delivered.entries.is_empty() && !delivered.keep.is_all() {
        // What is left over goes with the next poll.
        prune(
            writing,
            delivered.feed,
            Take::Beyond(delivered.keep),
            delivered.at,
        )?;
    }
    let path = delivered.push.path.clone();
    put(writing, delivered.feed, &path, Some(&delivered.push))
}
