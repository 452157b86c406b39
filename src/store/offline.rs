//! That this machine was found to be offline, kept between runs: a row of `meta` that is there while it is (R44).

use redb::ReadableTable;

use super::Store;
use super::error::StoreError;
use super::records::{OfflineV1, decode, encode_into};
use super::tables::META;
use super::transaction::Writing;
use crate::model::Offline;

const ROW: &str = "offline";

/// Keeps it, or forgets it.
pub(super) fn put(writing: &mut Writing<'_>, offline: Option<Offline>) -> Result<(), StoreError> {
    let there = writing.tables.meta.get(ROW)?.is_some();
    match offline {
        Some(offline) => {
            encode_into(&OfflineV1::from(offline), &mut writing.buffer)?;
            let bytes = writing.buffer.as_slice();
            writing.tables.meta.insert(ROW, bytes)?;
        }
        None if there => drop(writing.tables.meta.remove(ROW)?),
        None => return Ok(()),
    }
    writing.touch();
    Ok(())
}

impl Store {
    /// What the last run left of being offline.
    pub fn offline(&self) -> Result<Option<Offline>, StoreError> {
        self.read(|txn| {
            let meta = txn.open_table(META)?;
            let row = meta.get(ROW)?;
            row.map(|row| decode::<OfflineV1>(row.value()).map(OfflineV1::model))
                .transpose()
        })
    }
}
