//! Older pages of feeds (R81): how far they were read, and which; tables apart, for few feeds have such pages.

use redb::{ReadableTable, TableDefinition, TableError};

use super::Store;
use super::entries;
use super::error::StoreError;
use super::feeds::{Counts, counts_of};
use super::hits;
use super::ledger::probed;
use super::pack::Packed;
use super::poll::PackedExchanges;
use super::prune::{Take, prune};
use super::records::{BackfillV1, PageV1, decode, encode_into};
use super::transaction::Writing;
use crate::model::{AuditRecord, Backfill, FeedId, Keep, Timestamp};

/// By feed.
const BACKFILLS: TableDefinition<'static, u32, &'static [u8]> = TableDefinition::new("backfills");
/// Pages that were read, by feed and address.
const PAGES: TableDefinition<'static, (u32, &'static str), &'static [u8]> =
    TableDefinition::new("archive_pages");

/// What one page of a feed's past leaves behind, whole or not at all. Neither the schedule of the feed, nor its validators,
/// hashes and counters are touched.
#[derive(Debug, Clone, PartialEq)]
pub struct OlderCommit {
    /// The feed.
    pub feed: FeedId,
    /// When.
    pub at: Timestamp,
    /// The place from now on.
    pub place: Backfill,
    /// The page that was read; none of the feed itself, or where nothing was read.
    pub page: Option<String>,
    /// What was read in earlier passes is forgotten first.
    pub anew: bool,
    /// New entries.
    pub entries: Packed,
    /// For the ring.
    pub audit: Vec<AuditRecord>,
    /// For the other ring.
    pub exchanges: PackedExchanges,
    /// How much is kept of the feed.
    pub keep: Keep,
}

impl Store {
    /// How far the older pages of a feed were read; `None` where nobody asked for them.
    pub fn backfill(&self, feed: FeedId) -> Result<Option<Backfill>, StoreError> {
        self.read(|txn| {
            let table = match txn.open_table(BACKFILLS) {
                Err(TableError::TableDoesNotExist(_)) => return Ok(None),
                table => table?,
            };
            let row = table.get(feed.0)?;
            row.map(|row| Ok(decode::<BackfillV1>(row.value())?.model()))
                .transpose()
        })
    }

    /// The same of every feed that was asked for them.
    pub fn backfills(&self) -> Result<Vec<(FeedId, Backfill)>, StoreError> {
        self.read(|txn| {
            let table = match txn.open_table(BACKFILLS) {
                Err(TableError::TableDoesNotExist(_)) => return Ok(Vec::new()),
                table => table?,
            };
            let range = table.range(0..=u32::MAX)?;
            range
                .map(|row| {
                    let (feed, value) = row?;
                    let place: BackfillV1 = decode(value.value())?;
                    Ok((FeedId(feed.value()), place.model()))
                })
                .collect()
        })
    }

    /// In which pass a page of a feed was read last.
    pub fn older_page(&self, feed: FeedId, url: &str) -> Result<Option<u32>, StoreError> {
        self.read(|txn| {
            let table = match txn.open_table(PAGES) {
                Err(TableError::TableDoesNotExist(_)) => return Ok(None),
                table => table?,
            };
            let row = table.get((feed.0, url))?;
            row.map(|row| Ok(decode::<PageV1>(row.value())?.pass))
                .transpose()
        })
    }
}

/// Commits a page. Total, unread and starred of the feed afterwards.
pub(super) fn put(writing: &mut Writing<'_>, commit: &OlderCommit) -> Result<Counts, StoreError> {
    let feed = commit.feed.0;
    if writing.tables.feeds.get(feed)?.is_none() {
        return Err(StoreError::UnknownFeed(commit.feed));
    }
    writing.touch();
    if commit.anew {
        forget(writing, feed)?;
    }
    let mut dated = Vec::new();
    entries::store(writing, feed, commit.at, &commit.entries, &mut dated)?;
    entries::store_dated(writing, dated)?;
    let mut found = std::collections::BTreeMap::new();
    for rule in &commit.entries.hits {
        found.entry(rule.clone()).or_insert((0, commit.at.0)).0 += 1;
    }
    hits::add(writing, &found)?;
    if !commit.entries.is_empty() && !commit.keep.is_all() {
        prune(writing, commit.feed, Take::Beyond(commit.keep), commit.at)?;
    }
    probed(writing, commit.feed, &commit.audit, &commit.exchanges)?;
    let mut bytes = Vec::new();
    encode_into(&BackfillV1::from(&commit.place), &mut bytes)?;
    writing.extra(BACKFILLS)?.insert(feed, bytes.as_slice())?;
    if let Some(url) = &commit.page {
        let page = PageV1 {
            pass: commit.place.pass,
            at: commit.at.0,
        };
        encode_into(&page, &mut bytes)?;
        let mut pages = writing.extra(PAGES)?;
        pages.insert((feed, url.as_str()), bytes.as_slice())?;
    }
    counts_of(&writing.tables.counts, feed)
}

/// Takes what is known of a feed's older pages.
pub(super) fn forget(writing: &Writing<'_>, feed: u32) -> Result<(), StoreError> {
    if writing.extra(BACKFILLS)?.remove(feed)?.is_some() {
        let urls = (feed, "")..(feed.saturating_add(1), "");
        writing.extra(PAGES)?.retain_in(urls, |_, _| false)?;
    }
    Ok(())
}
