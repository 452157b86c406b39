//! The ring of the audit (R74): the records of a feed in blocks of twenty. The last block is open, the others are compressed:
//! records of a feed are much alike, and single rows would take eight times the room, half of it on pages half full.

use redb::ReadableTable;

use super::error::StoreError;
use super::records::{AuditRow, AuditV1, PollV1};
use super::tables::AUDIT_RING;
use super::transaction::Writing;
use crate::model::{AuditRecord, OutcomeCode};

/// Records of a block. More would compress better, and each poll writes the open one anew.
pub(super) const BLOCK: u64 = 20;
/// Blocks of a ring: those of `AUDIT_RING` whole records, and the open one.
pub(super) const BLOCKS: u64 = AUDIT_RING / BLOCK + 1;

/// The slot of the block that the record of this number goes into.
pub(super) const fn slot(number: u64) -> u32 {
    (number / BLOCK % BLOCKS) as u32
}

/// Puts a record at the end of the ring. A deferral equal to the record before it only raises that one's count.
pub(super) fn put_audit(
    writing: &mut Writing<'_>,
    feed: u32,
    poll: &mut PollV1,
    record: &AuditRecord,
) -> Result<(), StoreError> {
    let new = AuditV1::from(record);
    if record.outcome == OutcomeCode::Deferred && raise(writing, feed, poll.audits, &new)? {
        return Ok(());
    }
    let number = poll.audits;
    let key = (slot(number), feed);
    let mut row = if number.is_multiple_of(BLOCK) {
        AuditRow::default()
    } else {
        match writing.tables.audit.get(key)? {
            // What a store that was put together again holds there may be anything.
            Some(row) => AuditRow::open(row.value()).unwrap_or_default(),
            None => AuditRow::default(),
        }
    };
    row.push(&new)?;
    if number % BLOCK == BLOCK - 1 {
        row.close()?;
    }
    writing.tables.audit.insert(key, row.bytes())?;
    poll.audits += 1;
    Ok(())
}

/// Counts a deferral in the record before it, where that is an equal one. False: it is not.
fn raise(
    writing: &mut Writing<'_>,
    feed: u32,
    written: u64,
    new: &AuditV1,
) -> Result<bool, StoreError> {
    let Some(last) = written.checked_sub(1) else {
        return Ok(false);
    };
    let key = (slot(last), feed);
    let records = match writing.tables.audit.get(key)? {
        Some(row) => AuditRow::read(row.value())?,
        None => return Ok(false),
    };
    let Some((before, others)) = records.split_last() else {
        return Ok(false);
    };
    if !same_deferral(before, new) {
        return Ok(false);
    }
    let times = before.times.saturating_add(new.times.max(1));
    let mut row = AuditRow::default();
    for record in others {
        row.push(record)?;
    }
    row.push(&AuditV1 {
        times,
        ..new.clone()
    })?;
    if written.is_multiple_of(BLOCK) {
        row.close()?;
    }
    writing.tables.audit.insert(key, row.bytes())?;
    Ok(true)
}

/// Held again by the same hold, nothing sent either time.
fn same_deferral(one: &AuditV1, other: &AuditV1) -> bool {
    (one.outcome, one.status, one.why, one.pace)
        == (other.outcome, other.status, other.why, other.pace)
        && one.status == 0
        && one.next == other.next
}

/// Takes the whole ring of a feed.
pub(super) fn forget_audit(writing: &mut Writing<'_>, feed: u32) -> Result<(), StoreError> {
    for slot in 0..BLOCKS as u32 {
        writing.tables.audit.remove((slot, feed))?;
    }
    Ok(())
}

/// The newest records of a feed, `most` at most, newest first; `written` is how many there ever were.
pub(super) fn newest(
    table: &impl ReadableTable<(u32, u32), &'static [u8]>,
    feed: u32,
    written: u64,
    most: usize,
) -> Result<Vec<AuditV1>, StoreError> {
    let mut found = Vec::new();
    let current = written.saturating_sub(1) / BLOCK;
    for back in 0..BLOCKS.min(current + 1) {
        if found.len() >= most {
            break;
        }
        let Some(row) = table.get((slot((current - back) * BLOCK), feed))? else {
            break;
        };
        found.extend(AuditRow::read(row.value())?.into_iter().rev());
    }
    found.truncate(most);
    Ok(found)
}
