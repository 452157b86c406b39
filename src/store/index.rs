//! The index of words: made in small steps while nothing else is to be done, thrown away when it does not fit, never needed.
//!
//! Its table stands apart from all others and has a version of its own. A search uses the segments there are and reads the
//! texts that none of them covers.

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, TableDefinition, TableError};

use super::Store;
use super::error::StoreError;
use super::pack::unpack;
use super::records::each_body;
use super::tables::{BODIES, META, read_next_block};
use super::transaction::Writing;
use super::words::{Builder, Segment};
use crate::model::Markup;
use crate::query::{self, Needle};

/// The first block of a segment, and the part: parts fill pages of the file without a rest.
const WORDS: TableDefinition<'static, (u64, u16), &'static [u8]> = TableDefinition::new("words");
type Table = ReadOnlyTable<(u64, u16), &'static [u8]>;

/// Bytes of a part, which makes a page of 64 KiB with what redb adds.
const PART: usize = (64 << 10) - 512;
/// Blocks of a segment at most.
const MOST_BLOCKS: u64 = 1 << 14;
/// It is not looked whether there is enough for a segment before there are so many new blocks.
const FEW_BLOCKS: u64 = if cfg!(test) { 2 } else { 100 };

/// A segment to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexPart {
    from: u64,
    bytes: Vec<u8>,
}

impl Store {
    /// Reads the next texts that the index does not have; `None` while they are too few. `stop` is asked between any two blocks.
    pub fn index_part(&self, stop: &dyn Fn() -> bool) -> Result<Option<IndexPart>, StoreError> {
        self.read(|txn| {
            let from = end_of_index(txn)?;
            let next = read_next_block(&txn.open_table(META)?)?;
            if next.saturating_sub(from) < FEW_BLOCKS {
                return Ok(None);
            }
            build(txn, from, stop)
        })
    }

    /// How many blocks there are, and how many of them the index has read.
    pub fn index_reach(&self) -> Result<(u64, u64), StoreError> {
        self.read(|txn| {
            let next = read_next_block(&txn.open_table(META)?)?;
            Ok((next, end_of_index(txn)?))
        })
    }
}

fn build(
    txn: &ReadTransaction,
    from: u64,
    stop: &dyn Fn() -> bool,
) -> Result<Option<IndexPart>, StoreError> {
    let mut builder = Builder::new(from);
    let mut to;
    for row in txn.open_table(BODIES)?.range(from..)? {
        if stop() {
            return Ok(None);
        }
        let (no, packed) = row?;
        let no = no.value();
        let block = unpack(packed.value())?;
        builder.block(no, block.len());
        let read = each_body(&block, |body| match body.markup {
            Markup::Html => builder.text(&query::plain(body.text)),
            Markup::Text => builder.text(body.text),
        });
        if read.is_err() {
            builder.never_rule_out();
        }
        to = no + 1;
        if builder.is_full() || to - from >= MOST_BLOCKS {
            let bytes = builder.finish(to)?;
            return Ok(Some(IndexPart { from, bytes }));
        }
    }
    Ok(None)
}

/// The block after the last that is covered from the first on: segments follow each other without a gap.
fn reach(table: &impl ReadableTable<(u64, u16), &'static [u8]>) -> Result<u64, StoreError> {
    let mut to = 0;
    while let Some(bytes) = table.get((to, 0))? {
        match Segment::span(bytes.value()) {
            Some((from, next)) if from == to => to = next,
            // One that is not understood is replaced, and what follows it.
            _ => break,
        }
    }
    Ok(to)
}

fn end_of_index(txn: &ReadTransaction) -> Result<u64, StoreError> {
    match open(txn)? {
        Some(table) => reach(&table),
        None => Ok(0),
    }
}

fn open(txn: &ReadTransaction) -> Result<Option<Table>, StoreError> {
    match txn.open_table(WORDS) {
        Ok(table) => Ok(Some(table)),
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Stores a segment; false where another process was faster.
pub(super) fn put(writing: &mut Writing<'_>, part: &IndexPart) -> Result<bool, StoreError> {
    let mut table = writing.extra(WORDS)?;
    if reach(&table)? != part.from {
        return Ok(false);
    }
    table.retain_in((part.from, 0).., |_, _| false)?;
    for (chunk, no) in part.bytes.chunks(PART).zip(0..) {
        table.insert((part.from, no), chunk)?;
    }
    drop(table);
    writing.touch();
    Ok(true)
}

/// What the index says of the needles of a query.
#[derive(Debug, Default)]
pub(super) struct Hints {
    /// Blocks that some segment covers, in order.
    covered: Vec<(u64, u64)>,
    /// Of each needle the blocks that it may stand in.
    places: Vec<(Needle, Vec<(u64, u64)>)>,
}

impl Hints {
    /// Asks every segment, where words are looked for. What cannot be read is not covered.
    pub(super) fn of<'n>(
        txn: &ReadTransaction,
        needles: impl Iterator<Item = &'n Needle>,
    ) -> Result<Self, StoreError> {
        let mut hints = Self {
            places: needles.map(|needle| (needle.clone(), Vec::new())).collect(),
            ..Self::default()
        };
        // Of a pattern no segment tells anything.
        let asked = |(needle, _): &(Needle, _)| matches!(needle, Needle::Text(_));
        if !hints.places.iter().any(asked) {
            return Ok(hints);
        }
        let Some(table) = open(txn)? else {
            return Ok(hints);
        };
        let mut rows = table.iter()?;
        let mut row = rows.next().transpose()?;
        let mut bytes = Vec::new();
        while let Some((key, value)) = row {
            bytes.extend_from_slice(value.value());
            row = rows.next().transpose()?;
            let ends = row
                .as_ref()
                .is_none_or(|(next, _)| next.value().0 != key.value().0);
            if ends {
                if let Some(segment) = Segment::read(&bytes) {
                    hints.add(&segment);
                }
                bytes.clear();
            }
        }
        Ok(hints)
    }

    fn add(&mut self, segment: &Segment<'_>) {
        self.covered.push((segment.from, segment.to));
        for (needle, places) in &mut self.places {
            match segment.blocks_of(needle) {
                Some(found) => places.extend(found),
                None => places.push((segment.from, segment.to)),
            }
        }
    }

    /// `Some(false)` where `needle` cannot stand in a text of this block.
    pub(super) fn judge(&self, needle: &Needle, block: u64) -> Option<bool> {
        let places = &self.places.iter().find(|(of, _)| of == needle)?.1;
        let ruled_out = is_in(&self.covered, block) && !is_in(places, block);
        ruled_out.then_some(false)
    }
}

/// `spans` are in order.
fn is_in(spans: &[(u64, u64)], block: u64) -> bool {
    let after = spans.partition_point(|(from, _)| *from <= block);
    after.checked_sub(1).is_some_and(|at| block < spans[at].1)
}
