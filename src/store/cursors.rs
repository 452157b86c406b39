//! How far feeds were read that are asked for what is newer (R77); a table apart, for few are.

use redb::{TableDefinition, TableError};

use super::Store;
use super::error::StoreError;
use super::records::{CursorV1, decode, encode_into};
use super::transaction::Writing;
use crate::model::{Cursor, FeedId};

/// By feed.
const CURSORS: TableDefinition<'static, u32, &'static [u8]> = TableDefinition::new("cursors");

impl Store {
    /// How far a feed was read, where a poll with `delta` read it.
    pub fn cursor(&self, feed: FeedId) -> Result<Option<Cursor>, StoreError> {
        self.read(|txn| {
            let table = match txn.open_table(CURSORS) {
                Err(TableError::TableDoesNotExist(_)) => return Ok(None),
                table => table?,
            };
            let row = table.get(feed.0)?;
            row.map(|row| Ok(decode::<CursorV1>(row.value())?.model()))
                .transpose()
        })
    }
}

/// Committed with the entries that it stands for.
pub(super) fn put(writing: &Writing<'_>, feed: u32, cursor: &Cursor) -> Result<(), StoreError> {
    let mut bytes = Vec::new();
    encode_into(&CursorV1::from(cursor), &mut bytes)?;
    writing.extra(CURSORS)?.insert(feed, bytes.as_slice())?;
    Ok(())
}

/// Takes the cursor of a feed.
pub(super) fn forget(writing: &Writing<'_>, feed: u32) -> Result<(), StoreError> {
    writing.extra(CURSORS)?.remove(feed)?;
    Ok(())
}
