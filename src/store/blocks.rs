//! What a key leads to, and the blocks in which bodies lie.

use redb::{ReadTransaction, ReadableTable};

use super::codes::State;
use super::error::StoreError;
use super::pack::unpack;
use super::records::{BodyV2, Place, decode};
use super::tables::{BODIES, KEYS};
use super::transaction::Writing;
use crate::model::{EntryBody, EntryId, EntryKey};

/// The number of an entry that is stored.
pub(super) fn stored_no(txn: &ReadTransaction, id: EntryId) -> Result<Option<u64>, StoreError> {
    let keys = txn.open_table(KEYS)?;
    let Some(row) = keys.get((id.feed.0, &id.key.0))? else {
        return Ok(None);
    };
    let (no, state, _) = row.value();
    Ok((State::read(state)? == State::Stored).then_some(no))
}

/// The body that lies there.
pub(super) fn body_of(txn: &ReadTransaction, place: Place) -> Result<EntryBody, StoreError> {
    let bodies = txn.open_table(BODIES)?;
    let missing = || StoreError::damaged(format!("bodies: no block {}", place.block));
    let block = bodies.get(place.block)?.ok_or_else(missing)?;
    let raw = unpack(block.value())?;
    let (at, len) = (place.at as usize, place.len as usize);
    let body = at
        .checked_add(len)
        .and_then(|end| raw.get(at..end))
        .ok_or_else(missing)?;
    Ok(decode::<BodyV2>(body)?.model())
}

/// The entry that a key leads to.
pub(super) fn row_of(
    writing: &Writing<'_>,
    feed: u32,
    key: EntryKey,
) -> Result<Option<(u64, State)>, StoreError> {
    let Some(row) = writing.tables.keys.get((feed, &key.0))? else {
        return Ok(None);
    };
    let (no, state, _) = row.value();
    Ok(Some((no, State::read(state)?)))
}

/// One head less points into `block`; the last one takes it along.
pub(super) fn release(writing: &mut Writing<'_>, block: u64) -> Result<(), StoreError> {
    let uses = writing
        .tables
        .block_uses
        .get(block)?
        .map_or(0, |u| u.value());
    if uses > 1 {
        writing.tables.block_uses.insert(block, uses - 1)?;
    } else {
        writing.tables.block_uses.remove(block)?;
        writing.tables.bodies.remove(block)?;
    }
    Ok(())
}
