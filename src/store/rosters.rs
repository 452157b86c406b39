//! What lists of feeds said when they were read last; a table apart, for few have any.

use redb::{TableDefinition, TableError};

use super::Store;
use super::error::StoreError;
use super::records::{RosterV1, decode, encode_into};
use super::transaction::Writing;
use crate::model::{FeedId, Roster};

/// By the feed that is the list.
const ROSTERS: TableDefinition<'static, u32, &'static [u8]> = TableDefinition::new("rosters");

impl Store {
    /// What a list said; `None` where it was never read.
    pub fn roster(&self, list: FeedId) -> Result<Option<Roster>, StoreError> {
        self.read(|txn| {
            let table = match txn.open_table(ROSTERS) {
                Err(TableError::TableDoesNotExist(_)) => return Ok(None),
                table => table?,
            };
            let row = table.get(list.0)?;
            row.map(|row| Ok(decode::<RosterV1>(row.value())?.model()))
                .transpose()
        })
    }
}

/// Committed with the poll that read the list.
pub(super) fn put(writing: &Writing<'_>, list: u32, roster: &Roster) -> Result<(), StoreError> {
    let mut bytes = Vec::new();
    encode_into(&RosterV1::from(roster), &mut bytes)?;
    writing.extra(ROSTERS)?.insert(list, bytes.as_slice())?;
    Ok(())
}

/// Takes the roster of a list.
pub(super) fn forget(writing: &Writing<'_>, list: u32) -> Result<(), StoreError> {
    writing.extra(ROSTERS)?.remove(list)?;
    Ok(())
}
