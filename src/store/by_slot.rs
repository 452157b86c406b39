//! From layout 1 to 2: exchanges by slot before feed, and the open blocks of the audit in a table of their own, so that a round of
//! polls writes neighbours.
//!
//! Layout 1 may also hold audit records in rows of their own, in slots below those of the blocks: they become blocks.

use redb::{ReadableTable, TableDefinition, WriteTransaction};

use super::audit::{BLOCK, BLOCKS, slot};
use super::error::StoreError;
use super::records::{AuditRow, AuditV1, PollV1, decode};
use super::tables::{AUDIT, AUDIT_OPEN, AUDIT_RING, EXCHANGES, POLLS};

type ByFeed = TableDefinition<'static, (u32, u32), &'static [u8]>;
const OLD_AUDIT: ByFeed = TableDefinition::new("audit");
const OLD_EXCHANGES: ByFeed = TableDefinition::new("exchanges");
/// The slot of the first block in layout 1. Those below hold single records.
const FIRST_BLOCK: u32 = 1 << 16;

/// Rewrites both rings. What cannot be read of them is left behind: it is history, not what was subscribed or marked.
pub(super) fn climb(txn: &WriteTransaction) -> Result<(), StoreError> {
    exchanges(txn)?;
    for row in txn.open_table(POLLS)?.iter()? {
        let (feed, poll) = row?;
        let poll: PollV1 = decode(poll.value())?;
        audit(txn, feed.value(), poll.audits)?;
    }
    txn.delete_table(OLD_AUDIT)?;
    txn.delete_table(OLD_EXCHANGES)?;
    Ok(())
}

fn exchanges(txn: &WriteTransaction) -> Result<(), StoreError> {
    let mut table = txn.open_table(EXCHANGES)?;
    for row in txn.open_table(OLD_EXCHANGES)?.iter()? {
        let (key, exchange) = row?;
        let (feed, slot) = key.value();
        table.insert((slot, feed), exchange.value())?;
    }
    Ok(())
}

/// The ring of one feed; `written` is how many records there ever were.
fn audit(txn: &WriteTransaction, feed: u32, written: u64) -> Result<(), StoreError> {
    let old = txn.open_table(OLD_AUDIT)?;
    let mut table = txn.open_table(AUDIT)?;
    let mut open = txn.open_table(AUDIT_OPEN)?;
    if old.range((feed, 0)..(feed, FIRST_BLOCK))?.next().is_none() {
        for row in old.range((feed, FIRST_BLOCK)..=(feed, u32::MAX))? {
            let (key, block) = row?;
            let place = key.value().1 - FIRST_BLOCK;
            if !written.is_multiple_of(BLOCK) && place == slot(written - 1) {
                open.insert(feed, block.value())?;
            } else {
                table.insert((feed, place), block.value())?;
            }
        }
        return Ok(());
    }
    let records = newest(&old, feed, written)?;
    let mut number = written.saturating_sub(records.len() as u64);
    let mut row = AuditRow::default();
    for record in records.iter().rev() {
        row.push(record)?;
        number += 1;
        if number.is_multiple_of(BLOCK) {
            row.close()?;
            let block = std::mem::take(&mut row);
            table.insert((feed, slot(number - 1)), block.bytes())?;
        } else if number == written {
            open.insert(feed, row.bytes())?;
        }
    }
    Ok(())
}

/// The newest records of a feed that has single ones, newest first, at most a ring of them.
fn newest(
    old: &impl ReadableTable<(u32, u32), &'static [u8]>,
    feed: u32,
    written: u64,
) -> Result<Vec<AuditV1>, StoreError> {
    let mut found = Vec::new();
    let current = written.saturating_sub(1) / BLOCK;
    for back in 0..BLOCKS.min(current + 1) {
        let at = FIRST_BLOCK + slot((current - back) * BLOCK);
        let Some(row) = old.get((feed, at))? else {
            break;
        };
        found.extend(records(row.value()).into_iter().rev());
    }
    let mut singles = Vec::new();
    for row in old.range((feed, 0)..(feed, FIRST_BLOCK))? {
        singles.extend(records(row?.1.value()));
    }
    // Slots are in a circle whose beginning is forgotten: later ones of the same second first, then by time.
    singles.reverse();
    crate::model::arrange(&mut singles, |a, b| b.at.cmp(&a.at));
    found.append(&mut singles);
    found.truncate(AUDIT_RING.min(written) as usize);
    Ok(found)
}

fn records(row: &[u8]) -> Vec<AuditV1> {
    AuditRow::read(row).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use redb::backends::InMemoryBackend;
    use redb::{Database, ReadableDatabase};

    use super::*;
    use crate::model::{AuditRecord, OutcomeCode, Pace, Timestamp, Why};
    use crate::store::records::encode_into;

    fn record(at: i64) -> AuditV1 {
        AuditV1::from(&AuditRecord {
            at: Timestamp(at),
            times: 1,
            status: 304,
            hops: Vec::new(),
            url_hash: 0,
            sent_etag: 1,
            sent_date: 1,
            got_etag: 1,
            got_date: 1,
            wire: 0,
            decoded: 0,
            ms: 20,
            new: 0,
            updated: 0,
            outcome: OutcomeCode::NotModified,
            next: None,
            why: Why::Base(1_800),
            pace: Pace::Scheduled,
        })
    }

    fn single(at: i64) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode_into(&record(at), &mut bytes).expect("encoded");
        bytes
    }

    fn block(numbers: std::ops::Range<i64>, full: bool) -> AuditRow {
        let mut row = AuditRow::default();
        for at in numbers {
            row.push(&record(at)).expect("put");
        }
        if full {
            row.close().expect("closed");
        }
        row
    }

    /// A store of layout 1 with what `fill` puts into the rings of feed 7, climbed; the times of its audit, newest first.
    fn climbed(
        written: u64,
        fill: impl FnOnce(&mut redb::Table<'_, (u32, u32), &'static [u8]>),
    ) -> Vec<i64> {
        let database = Database::builder()
            .create_with_backend(InMemoryBackend::new())
            .expect("made");
        let txn = database.begin_write().expect("write");
        {
            let mut bytes = Vec::new();
            let poll = PollV1 {
                audits: written,
                ..PollV1::default()
            };
            encode_into(&poll, &mut bytes).expect("encoded");
            let mut polls = txn.open_table(POLLS).expect("table");
            polls.insert(7, bytes.as_slice()).expect("put");
            fill(&mut txn.open_table(OLD_AUDIT).expect("table"));
            let mut exchanges = txn.open_table(OLD_EXCHANGES).expect("table");
            exchanges.insert((7, 19), b"x".as_slice()).expect("put");
        }
        climb(&txn).expect("climbed");
        txn.commit().expect("committed");
        let read = database.begin_read().expect("read");
        assert!(read.open_table(OLD_AUDIT).is_err(), "it is gone");
        let exchanges = read.open_table(EXCHANGES).expect("table");
        let exchange = exchanges.get((19, 7)).expect("read").expect("there");
        assert_eq!(exchange.value(), b"x");
        let found = super::super::audit::newest(&read, 7, written, 2_000).expect("read");
        found.into_iter().map(|record| record.at).collect()
    }

    #[test]
    fn r74_blocks_keep_their_order() {
        let found = climbed(1_210, |old| {
            for number in 9..=60_u32 {
                let from = i64::from(number) * 20;
                let (row, end) = (FIRST_BLOCK + number % 51, (from + 20).min(1_210));
                let block = block(from..end, end < 1_210);
                old.insert((7, row), block.bytes()).expect("put");
            }
        });
        assert!(found.into_iter().eq((200..1_210).rev()));
    }

    #[test]
    fn r74_single_records_become_blocks_and_none_of_the_last_thousand_is_lost() {
        let found = climbed(1_307, |old| {
            for n in 307..1_307_i64 {
                let row = single(n);
                let key = (7, (n % 1_000) as u32);
                old.insert(key, row.as_slice()).expect("put");
            }
        });
        assert!(found.into_iter().eq((307..1_307).rev()));
    }

    #[test]
    fn r74_single_records_below_an_open_block_stay_in_order() {
        let found = climbed(45, |old| {
            for n in 0..33_i64 {
                old.insert((7, n as u32), single(n).as_slice())
                    .expect("put");
            }
            // A program that knew blocks went on in the middle of one.
            old.insert((7, FIRST_BLOCK + 1), block(33..40, true).bytes())
                .expect("put");
            old.insert((7, FIRST_BLOCK + 2), block(40..45, false).bytes())
                .expect("put");
        });
        assert!(found.into_iter().eq((0..45).rev()));
    }

    #[test]
    fn a_row_that_cannot_be_read_is_left_behind() {
        let found = climbed(3, |old| {
            old.insert((7, 0), single(0).as_slice()).expect("put");
            old.insert((7, 1), b"\xFFrubbish".as_slice()).expect("put");
            old.insert((7, 2), single(2).as_slice()).expect("put");
        });
        assert_eq!(found, [2, 0]);
    }
}
