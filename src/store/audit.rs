//! The ring of the audit (R74): the records of a feed in blocks of twenty. The last block is open and stands in a table of its
//! own; the others are compressed: records of a feed are much alike, and single rows would take eight times the room, half of it
//! on pages half full.

use redb::{ReadTransaction, ReadableTable};

use super::error::StoreError;
use super::records::{AuditRow, AuditV1, PollV1};
use super::tables::{AUDIT, AUDIT_OPEN, AUDIT_RING};
use super::transaction::Writing;
use crate::model::{AuditRecord, OutcomeCode};

/// Records of a block. More would compress better, and each poll writes the open one anew.
pub(super) const BLOCK: u64 = 20;
/// Whole blocks of a ring. While the open one is short, they hold `AUDIT_RING` records with it.
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
    let mut row = if number.is_multiple_of(BLOCK) {
        AuditRow::default()
    } else {
        match writing.tables.audit_open.get(feed)? {
            // What a store that was put together again holds there may be anything.
            Some(row) => AuditRow::open(row.value()).unwrap_or_default(),
            None => AuditRow::default(),
        }
    };
    row.push(&new)?;
    put_block(writing, feed, number, row)?;
    poll.audits += 1;
    Ok(())
}

/// Puts a block where it belongs: `number` is that of its last record.
fn put_block(
    writing: &mut Writing<'_>,
    feed: u32,
    number: u64,
    mut row: AuditRow,
) -> Result<(), StoreError> {
    let tables = &mut writing.tables;
    if (number + 1).is_multiple_of(BLOCK) {
        row.close()?;
        tables.audit.insert((feed, slot(number)), row.bytes())?;
        tables.audit_open.remove(feed)?;
    } else {
        tables.audit_open.insert(feed, row.bytes())?;
    }
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
    let records = last_block(writing, feed, written)?;
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
    put_block(writing, feed, last, row)?;
    Ok(true)
}

/// The records of the block that holds the last one.
fn last_block(writing: &Writing<'_>, feed: u32, written: u64) -> Result<Vec<AuditV1>, StoreError> {
    let tables = &writing.tables;
    let found = if written.is_multiple_of(BLOCK) {
        tables.audit.get((feed, slot(written - 1)))?
    } else {
        tables.audit_open.get(feed)?
    };
    found.map_or_else(|| Ok(Vec::new()), |row| AuditRow::read(row.value()))
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
    let tables = &mut writing.tables;
    tables.audit_open.remove(feed)?;
    let ring = (feed, 0)..=(feed, u32::MAX);
    Ok(tables.audit.retain_in(ring, |_, _| false)?)
}

/// The newest records of a feed, `most` at most, newest first; `written` is how many there ever were.
pub(super) fn newest(
    txn: &ReadTransaction,
    feed: u32,
    written: u64,
    most: usize,
) -> Result<Vec<AuditV1>, StoreError> {
    let mut found = Vec::new();
    if !written.is_multiple_of(BLOCK)
        && let Some(row) = txn.open_table(AUDIT_OPEN)?.get(feed)?
    {
        found.extend(AuditRow::read(row.value())?.into_iter().rev());
    }
    let blocks = txn.open_table(AUDIT)?;
    let whole = written / BLOCK;
    for block in (0..whole).rev().take(BLOCKS as usize) {
        if found.len() >= most {
            break;
        }
        let Some(row) = blocks.get((feed, slot(block * BLOCK)))? else {
            break;
        };
        found.extend(AuditRow::read(row.value())?.into_iter().rev());
    }
    found.truncate(most);
    Ok(found)
}
