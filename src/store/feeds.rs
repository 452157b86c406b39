//! Feeds and hosts: rows for the screen, what a poll starts from, who is due.

use std::collections::HashMap;

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable};

use super::Store;
use super::error::StoreError;
use super::identity::identity;
use super::records::{FeedV1, HostV2, PollV1, ValidatorsV1, decode};
use super::tables::{COUNTS, DUE, FEED_BY_URL, FEEDS, HOSTS, POLLS, VALIDATORS};
use super::transaction::guarded;
use crate::model::{
    Feed, FeedId, FeedRow, HostKey, HostState, PollState, SourceKind, Subscription, Timestamp,
    Validators, arrange,
};
use crate::poll;

/// What a poll starts from, all of one snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PollInput {
    /// The feed.
    pub feed: Feed,
    /// Its polling record.
    pub state: PollState,
    /// The host of its URL; an empty key for a URL without one.
    pub host_key: HostKey,
    /// That host's record.
    pub host: HostState,
    /// Validators by the URL that answered.
    pub validators: Vec<(String, Validators)>,
}

/// The store as it was at one moment, for what polls start from. Nothing written since is seen, and what it sees is kept
/// on disk as long as it lives: it is for a few milliseconds.
pub struct Snapshot {
    feeds: ReadOnlyTable<u32, Bytes>,
    polls: ReadOnlyTable<u32, Bytes>,
    hosts: ReadOnlyTable<&'static str, Bytes>,
    validators: ReadOnlyTable<(u32, &'static str), Bytes>,
}

impl Snapshot {
    pub(super) fn new(txn: &ReadTransaction) -> Result<Self, StoreError> {
        Ok(Self {
            feeds: txn.open_table(FEEDS)?,
            polls: txn.open_table(POLLS)?,
            hosts: txn.open_table(HOSTS)?,
            validators: txn.open_table(VALIDATORS)?,
        })
    }

    /// What a poll of `feed` starts from; `None` for a feed that is not known.
    pub fn poll_input(&self, feed: FeedId) -> Result<Option<PollInput>, StoreError> {
        guarded(|| self.input(feed))
    }

    fn input(&self, feed: FeedId) -> Result<Option<PollInput>, StoreError> {
        let record: FeedV1 = match self.feeds.get(feed.0)? {
            Some(row) => decode(row.value())?,
            None => return Ok(None),
        };
        let poll: PollV1 = match self.polls.get(feed.0)? {
            Some(row) => decode(row.value())?,
            None => PollV1::default(),
        };
        let mut validators = Vec::new();
        let all = (feed.0, "")..(feed.0.saturating_add(1), "");
        for row in self.validators.range(all)? {
            let (key, value) = row?;
            let value: ValidatorsV1 = decode(value.value())?;
            validators.push((key.value().1.to_owned(), value.model()));
        }
        Ok(Some(PollInput {
            feed: record.model(feed),
            state: poll.model(),
            host: self.host_of(&record.host)?,
            host_key: HostKey(record.host),
            validators,
        }))
    }

    /// What is known of a host; the default for one that was never asked.
    pub fn host(&self, host: &HostKey) -> Result<HostState, StoreError> {
        guarded(|| self.host_of(&host.0))
    }

    fn host_of(&self, host: &str) -> Result<HostState, StoreError> {
        match self.hosts.get(host)? {
            Some(row) => Ok(decode::<HostV2>(row.value())?.model()),
            None => Ok(HostState::default()),
        }
    }
}

type Bytes = &'static [u8];
pub(super) type Counts = (u64, u64, u64);

impl Store {
    /// Every subscribed feed as its row, in the order of feeds.toml.
    pub fn feeds(&self) -> Result<Vec<FeedRow>, StoreError> {
        self.read(|txn| {
            let polls = txn.open_table(POLLS)?;
            let counts = txn.open_table(COUNTS)?;
            let validators = txn.open_table(VALIDATORS)?;
            let mut holds = Holds::new(txn)?;
            let mut rows = Vec::new();
            for feed in txn.open_table(FEEDS)?.iter()? {
                let (id, value) = feed?;
                let id = id.value();
                let record: FeedV1 = decode(value.value())?;
                if record.removed.is_some() {
                    continue;
                }
                let poll: PollV1 = match polls.get(id)? {
                    Some(row) => decode(row.value())?,
                    None => PollV1::default(),
                };
                rows.push(row_of(
                    FeedId(id),
                    &record,
                    &poll,
                    counts_of(&counts, id)?,
                    validators_of(&validators, id, &record, &poll)?,
                    holds.of(&record.host)?,
                ));
            }
            arrange(&mut rows, |a: &FeedRow, b| {
                (a.feed.position, a.feed.id).cmp(&(b.feed.position, b.feed.id))
            });
            Ok(rows)
        })
    }

    /// The row of one feed, subscribed or not; `None` for a number that was never given or is forgotten.
    pub fn row(&self, feed: FeedId) -> Result<Option<FeedRow>, StoreError> {
        self.read(|txn| {
            let Some(record) = feed_of(txn, feed)? else {
                return Ok(None);
            };
            let poll = poll_of(txn, feed)?;
            Ok(Some(row_of(
                feed,
                &record,
                &poll,
                counts_of(&txn.open_table(COUNTS)?, feed.0)?,
                validators_of(&txn.open_table(VALIDATORS)?, feed.0, &record, &poll)?,
                Holds::new(txn)?.of(&record.host)?,
            )))
        })
    }

    /// The subscribed feed of this URL, normalised or as given.
    pub fn feed_id(&self, url: &str) -> Result<Option<FeedId>, StoreError> {
        let identity = identity(url);
        self.read(|txn| {
            let table = txn.open_table(FEED_BY_URL)?;
            Ok(table.get(identity.as_str())?.map(|id| FeedId(id.value())))
        })
    }

    /// The subscribed feeds of a list, in its order.
    pub fn feed_ids(&self, list: &[Subscription]) -> Result<Vec<Option<FeedId>>, StoreError> {
        self.read(|txn| {
            let table = txn.open_table(FEED_BY_URL)?;
            list.iter()
                .map(|subscription| {
                    let row = table.get(identity(&subscription.url).as_str())?;
                    Ok(row.map(|id| FeedId(id.value())))
                })
                .collect()
        })
    }

    /// The subscribed feeds of a list, in its order, each with the host that it is asked at: where believed moves have
    /// led (R53).
    pub fn lanes(
        &self,
        list: &[Subscription],
    ) -> Result<Vec<Option<(FeedId, HostKey)>>, StoreError> {
        self.read(|txn| {
            let table = txn.open_table(FEED_BY_URL)?;
            let feeds = txn.open_table(FEEDS)?;
            let mut at: Vec<Option<(FeedId, FeedV1)>> = vec![None; list.len()];
            for row in feeds.iter()? {
                let (id, value) = row?;
                let record: FeedV1 = decode(value.value())?;
                let subscribed = record.removed.is_none();
                if let Some(place) = at.get_mut(record.position as usize).filter(|_| subscribed) {
                    *place = Some((FeedId(id.value()), record));
                }
            }
            list.iter()
                .zip(at)
                .map(|(subscription, known)| {
                    // In its place under the very same address, as nearly always: no identity has to be made.
                    if let Some((id, record)) = known
                        && record.url == subscription.url
                    {
                        return Ok(Some((id, HostKey(record.host))));
                    }
                    let Some(id) = table.get(identity(&subscription.url).as_str())? else {
                        return Ok(None);
                    };
                    let Some(row) = feeds.get(id.value())? else {
                        return Ok(None);
                    };
                    let record: FeedV1 = decode(row.value())?;
                    Ok(Some((FeedId(id.value()), HostKey(record.host))))
                })
                .collect()
        })
    }

    /// Every subscribed feed, those that failed three times or more in a row last (R70), else in order of its number.
    pub fn in_polling_order(&self) -> Result<Vec<FeedId>, StoreError> {
        self.read(|txn| {
            let polls = txn.open_table(POLLS)?;
            let mut order = Vec::new();
            for row in txn.open_table(FEED_BY_URL)?.iter()? {
                let id = row?.1.value();
                let failures = match polls.get(id)? {
                    Some(row) => decode::<PollV1>(row.value())?.failures,
                    None => 0,
                };
                order.push((failures >= 3, FeedId(id)));
            }
            arrange(&mut order, Ord::cmp);
            Ok(order.into_iter().map(|(_, id)| id).collect())
        })
    }

    /// Every subscribed feed, in order of its number.
    pub fn subscribed(&self) -> Result<Vec<FeedId>, StoreError> {
        self.read(|txn| {
            let mut ids = Vec::new();
            for row in txn.open_table(FEED_BY_URL)?.iter()? {
                ids.push(FeedId(row?.1.value()));
            }
            arrange(&mut ids, Ord::cmp);
            Ok(ids)
        })
    }

    /// What a poll of `feed` starts from; `None` for a feed that is not known.
    pub fn poll_input(&self, feed: FeedId) -> Result<Option<PollInput>, StoreError> {
        self.read(|txn| Snapshot::new(txn)?.input(feed))
    }

    /// What is known of a host; the default for one that was never asked.
    pub fn host(&self, host: &HostKey) -> Result<HostState, StoreError> {
        self.read(|txn| Snapshot::new(txn)?.host_of(&host.0))
    }

    /// Every host that was ever asked, by name.
    pub fn hosts(&self) -> Result<Vec<(HostKey, HostState)>, StoreError> {
        self.read(|txn| {
            let mut hosts = Vec::new();
            for row in txn.open_table(HOSTS)?.iter()? {
                let (key, value) = row?;
                let host: HostV2 = decode(value.value())?;
                hosts.push((HostKey(key.value().to_owned()), host.model()));
            }
            Ok(hosts)
        })
    }

    /// Feeds whose time has come by `until`, the longest due first.
    pub fn due(&self, until: Timestamp) -> Result<Vec<(Timestamp, FeedId)>, StoreError> {
        self.read(|txn| {
            let mut due = Vec::new();
            for row in txn.open_table(DUE)?.range(..=(until.0, u32::MAX))? {
                let (at, feed) = row?.0.value();
                due.push((Timestamp(at), FeedId(feed)));
            }
            Ok(due)
        })
    }

    /// Feeds whose time comes after `from`: where a clock was set back, those that waited for the wrong time (R48).
    pub fn due_after(&self, from: Timestamp) -> Result<Vec<FeedId>, StoreError> {
        self.read(|txn| {
            let mut late = Vec::new();
            for row in txn.open_table(DUE)?.range((from.0, u32::MAX)..)? {
                late.push(FeedId(row?.0.value().1));
            }
            Ok(late)
        })
    }

    /// When the next feed is due; `None` when none is polled at all.
    pub fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        self.read(|txn| {
            let table = txn.open_table(DUE)?;
            let first = table.first()?;
            Ok(first.map(|(key, _)| Timestamp(key.value().0)))
        })
    }
}

/// Holds of hosts, each looked up once.
struct Holds {
    hosts: redb::ReadOnlyTable<&'static str, Bytes>,
    known: HashMap<String, Option<i64>>,
}

impl Holds {
    fn new(txn: &ReadTransaction) -> Result<Self, StoreError> {
        Ok(Self {
            hosts: txn.open_table(HOSTS)?,
            known: HashMap::new(),
        })
    }

    fn of(&mut self, host: &str) -> Result<Option<i64>, StoreError> {
        if let Some(hold) = self.known.get(host) {
            return Ok(*hold);
        }
        let hold = match self.hosts.get(host)? {
            Some(row) => decode::<HostV2>(row.value())?.hold_until,
            None => None,
        };
        self.known.insert(host.to_owned(), hold);
        Ok(hold)
    }
}

pub(super) fn feed_of(txn: &ReadTransaction, feed: FeedId) -> Result<Option<FeedV1>, StoreError> {
    match txn.open_table(FEEDS)?.get(feed.0)? {
        Some(row) => Ok(Some(decode(row.value())?)),
        None => Ok(None),
    }
}

pub(super) fn poll_of(txn: &ReadTransaction, feed: FeedId) -> Result<PollV1, StoreError> {
    match txn.open_table(POLLS)?.get(feed.0)? {
        Some(row) => decode(row.value()),
        None => Ok(PollV1::default()),
    }
}

pub(super) fn counts_of(
    table: &impl ReadableTable<u32, Counts>,
    feed: u32,
) -> Result<Counts, StoreError> {
    Ok(table.get(feed)?.map_or((0, 0, 0), |counts| counts.value()))
}

/// The validators of the URL that answered last.
pub(super) fn validators_of(
    table: &impl ReadableTable<(u32, &'static str), Bytes>,
    feed: u32,
    record: &FeedV1,
    poll: &PollV1,
) -> Result<Validators, StoreError> {
    let url = poll.answered_by.as_deref().unwrap_or(&record.url);
    match table.get((feed, url))? {
        Some(row) => Ok(decode::<ValidatorsV1>(row.value())?.model()),
        None => Ok(Validators::default()),
    }
}

pub(super) fn row_of(
    id: FeedId,
    record: &FeedV1,
    poll: &PollV1,
    (total, unread, starred): Counts,
    validators: Validators,
    hold_until: Option<i64>,
) -> FeedRow {
    let moves = poll.moves();
    FeedRow {
        moved: poll::moved(&moves, &record.url),
        moving: poll.moving(),
        moves,
        feed: record.model(id),
        host: record.host.clone(),
        total,
        unread,
        starred,
        counters: poll.counters.model(),
        schedule: poll.schedule(),
        last: poll.last(),
        validators,
        mode: poll.efficacy.mode,
        hold_until: hold_until.map(Timestamp),
        full_text: false,
        mute: false,
        kind: SourceKind::Feed,
        followed: None,
        push: None,
        hints: poll.hints.model(),
        off: poll.off,
    }
}
