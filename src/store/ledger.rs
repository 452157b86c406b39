//! The ledger, read: rings of the audit, totals of days, who was told to wait (R74).

use std::ops::RangeInclusive;

use redb::{ReadTransaction, ReadableTable};

use super::Store;
use super::audit::{newest, put_audit};
use super::error::StoreError;
use super::feeds::poll_of;
use super::poll::{PackedExchanges, put_exchanges, slot};
use super::records::{AuditV1, CountersV1, ExchangeV2, FeedV1, PollV1, decode};
use super::rows::put_poll;
use super::tables::{AUDIT_RING, DAYS, EXCHANGE_RING, EXCHANGES, FEEDS};
use super::transaction::Writing;
use crate::model::{AuditRecord, Counters, Exchange, FeedId, HoldCause, HostKey, Timestamp};

/// The answer that set a hold was asked for at most this long before, in seconds: a request may take a minute, and a
/// chain of them two.
const ASKED_BEFORE: i64 = 180;
/// Records of one feed that are looked at for it.
const LOOKED_AT: usize = 50;

impl Store {
    /// The audit of a feed, newest first: its ring, and the last exchanges with full headers (R74).
    pub fn ledger(&self, feed: FeedId) -> Result<(Vec<AuditRecord>, Vec<Exchange>), StoreError> {
        self.read(|txn| {
            let poll = poll_of(txn, feed)?;
            let records = newest(txn, feed.0, poll.audits, AUDIT_RING as usize)?;
            let records = records.into_iter().map(AuditV1::model).collect();
            let mut exchanges = Vec::new();
            let table = txn.open_table(EXCHANGES)?;
            for back in 1..=poll.exchanges.min(EXCHANGE_RING) {
                let slot = slot(poll.exchanges - back, EXCHANGE_RING);
                if let Some(row) = table.get((slot, feed.0))? {
                    exchanges.push(decode::<ExchangeV2>(row.value())?.model());
                }
            }
            Ok((records, exchanges))
        })
    }

    /// What was counted on each day from `first` to `last` (days since 1970, both included), over all feeds, oldest
    /// first, without gaps.
    pub fn days(&self, days: RangeInclusive<u32>) -> Result<Vec<(u32, Counters)>, StoreError> {
        let (first, last) = days.into_inner();
        self.read(|txn| {
            let mut sums = without_gaps(first, last);
            if sums.is_empty() {
                return Ok(sums);
            }
            let range = (first, 0)..=(last, u32::MAX);
            for row in txn.open_table(DAYS)?.range(range)? {
                let (key, value) = row?;
                let at = (key.value().0 - first) as usize;
                sums[at]
                    .1
                    .add(&decode::<CountersV1>(value.value())?.model());
            }
            Ok(sums)
        })
    }

    /// Likewise of one feed alone: a look at each day.
    pub fn days_of(
        &self,
        feed: FeedId,
        days: RangeInclusive<u32>,
    ) -> Result<Vec<(u32, Counters)>, StoreError> {
        let (first, last) = days.into_inner();
        self.read(|txn| {
            let table = txn.open_table(DAYS)?;
            let mut sums = without_gaps(first, last);
            for (day, sum) in &mut sums {
                if let Some(row) = table.get((*day, feed.0))? {
                    *sum = decode::<CountersV1>(row.value())?.model();
                }
            }
            Ok(sums)
        })
    }

    /// The answer that set the hold of `host` at `since`, as far as the rings of its subscribed feeds still tell:
    /// the last 429, 503, 403 or patient redirect before that moment. A hold that the target of a redirect set is in
    /// the ring of a feed of another host, and is not found.
    pub fn hold_cause(
        &self,
        host: &HostKey,
        since: Timestamp,
    ) -> Result<Option<HoldCause>, StoreError> {
        self.read(|txn| {
            let mut found: Option<HoldCause> = None;
            for row in txn.open_table(FEEDS)?.iter()? {
                let (id, value) = row?;
                let record: FeedV1 = decode(value.value())?;
                if record.host != host.0 || record.removed.is_some() {
                    continue;
                }
                let feed = FeedId(id.value());
                if let Some((at, status)) = refused_before(txn, feed, since)?
                    && found.as_ref().is_none_or(|found| found.at < at)
                {
                    found = Some(HoldCause {
                        feed,
                        url: record.url,
                        at,
                        status,
                    });
                }
            }
            Ok(found)
        })
    }
}

/// The requests of a probe: into the rings, and nowhere else.
pub(super) fn probed(
    writing: &mut Writing<'_>,
    feed: FeedId,
    records: &[AuditRecord],
    exchanges: &PackedExchanges,
) -> Result<bool, StoreError> {
    let mut poll: PollV1 = match writing.tables.polls.get(feed.0)? {
        Some(row) => decode(row.value())?,
        None => return Ok(false),
    };
    for record in records {
        put_audit(writing, feed.0, &mut poll, record)?;
    }
    put_exchanges(writing, feed.0, &mut poll, exchanges)?;
    put_poll(writing, feed.0, &poll)?;
    Ok(true)
}

fn without_gaps(first: u32, last: u32) -> Vec<(u32, Counters)> {
    (first..=last)
        .map(|day| (day, Counters::default()))
        .collect()
}

/// The last answer of this feed, asked for shortly before `since`, that can hold a host.
fn refused_before(
    txn: &ReadTransaction,
    feed: FeedId,
    since: Timestamp,
) -> Result<Option<(Timestamp, u16)>, StoreError> {
    let written = poll_of(txn, feed)?.audits;
    for record in newest(txn, feed.0, written, LOOKED_AT)? {
        if since.since(Timestamp(record.at)) > ASKED_BEFORE {
            break;
        }
        if record.at <= since.0 && can_hold(record.status) {
            return Ok(Some((Timestamp(record.at), record.status)));
        }
    }
    Ok(None)
}

const fn can_hold(status: u16) -> bool {
    matches!(status, 300..=303 | 305..=399 | 403 | 429 | 503)
}
