//! What an edited entry said before: one earlier text an entry, in the block where it always lay.

use redb::{Key, ReadOnlyTable, ReadTransaction, TableDefinition, TableError, Value};

use super::blocks::{body_of, release};
use super::error::StoreError;
use super::records::{FormerV1, Place, decode, encode_into};
use super::tables::FORMERS;
use super::transaction::Writing;
use crate::model::Former;

/// A table, where there is one.
pub(super) fn optional<K: Key + 'static, V: Value + 'static>(
    txn: &ReadTransaction,
    table: TableDefinition<'static, K, V>,
) -> Result<Option<ReadOnlyTable<K, V>>, StoreError> {
    match txn.open_table(table) {
        Ok(table) => Ok(Some(table)),
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What the entry of that number said before.
pub(super) fn former_of(txn: &ReadTransaction, no: u64) -> Result<Option<Former>, StoreError> {
    let Some(table) = optional(txn, FORMERS)? else {
        return Ok(None);
    };
    let Some(row) = table.get(no)? else {
        return Ok(None);
    };
    let record: FormerV1 = decode(row.value())?;
    Ok(Some(Former {
        title: record.title.to_owned(),
        body: body_of(txn, record.body)?,
    }))
}

/// Keeps what an entry said before this edit; what was kept of an earlier one goes.
pub(super) fn keep_former(
    writing: &mut Writing<'_>,
    no: u64,
    title: &str,
    body: Place,
) -> Result<(), StoreError> {
    drop_former(writing, no)?;
    encode_into(&FormerV1 { title, body }, &mut writing.buffer)?;
    let tables = &mut writing.tables;
    tables.formers.insert(no, writing.buffer.as_slice())?;
    Ok(())
}

/// Nothing is kept of what an entry said before.
pub(super) fn drop_former(writing: &mut Writing<'_>, no: u64) -> Result<(), StoreError> {
    let older = match writing.tables.formers.remove(no)? {
        Some(row) => Some(decode::<FormerV1>(row.value())?.body),
        None => None,
    };
    match older {
        Some(older) => release(writing, older.block),
        None => Ok(()),
    }
}
