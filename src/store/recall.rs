//! What the store remembers of a feed's entries, for `parse::recognise`.

use redb::{ReadOnlyTable, ReadTransaction};

use super::Store;
use super::codes::State;
use super::error::StoreError;
use super::records::{HeadV1, decode};
use super::tables::{BY_FEED, COUNTS, HEADS, KEYS};
use crate::model::{EntryKey, FeedId, Timestamp};
use crate::parse::Remembered;

impl Store {
    /// The feed has entries here.
    pub fn has_entries(&self, feed: FeedId) -> Result<bool, StoreError> {
        self.read(|txn| {
            let counts = txn.open_table(COUNTS)?;
            Ok(counts.get(feed.0)?.is_some_and(|row| row.value().0 > 0))
        })
    }

    /// The entries of `feed` that these keys lead to, each with the number beside its key; what is not stored is left out.
    pub fn remembered(
        &self,
        feed: FeedId,
        keys: &[(usize, EntryKey)],
    ) -> Result<Vec<(usize, Remembered)>, StoreError> {
        self.read(|txn| {
            let table = txn.open_table(KEYS)?;
            let heads = txn.open_table(HEADS)?;
            let mut found = Vec::new();
            for (at, key) in keys {
                let Some(row) = table.get((feed.0, &key.0))? else {
                    continue;
                };
                let (no, state, _) = row.value();
                if State::read(state)? == State::Stored
                    && let Some(entry) = head(&heads, no)?
                {
                    found.push((*at, entry));
                }
            }
            Ok(found)
        })
    }

    /// The newest `most` entries of `feed` by date.
    pub fn recent(&self, feed: FeedId, most: usize) -> Result<Vec<Remembered>, StoreError> {
        self.read(|txn| recent(txn, feed, most))
    }
}

fn recent(txn: &ReadTransaction, feed: FeedId, most: usize) -> Result<Vec<Remembered>, StoreError> {
    let heads = txn.open_table(HEADS)?;
    let range = (feed.0, i64::MIN, 0)..=(feed.0, i64::MAX, u64::MAX);
    let mut found = Vec::new();
    for row in txn.open_table(BY_FEED)?.range(range)?.rev().take(most) {
        let (_, _, no) = row?.0.value();
        found.extend(head(&heads, no)?);
    }
    Ok(found)
}

fn head(
    heads: &ReadOnlyTable<u64, &'static [u8]>,
    no: u64,
) -> Result<Option<Remembered>, StoreError> {
    let Some(row) = heads.get(no)? else {
        return Ok(None);
    };
    let head: HeadV1<'_> = decode(row.value())?;
    Ok(Some(Remembered {
        key: EntryKey(head.key),
        guid: head.guid.to_owned(),
        link: head.link().map(str::to_owned),
        title: head.title.to_owned(),
        published: head.published.map(Timestamp),
    }))
}
