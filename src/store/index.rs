//! The index of words: made in small steps while nothing else is to be done, thrown away when it does not fit, never needed.
//!
//! Its table stands apart from all others and has a version of its own. A search uses the segments there are and reads the
//! texts that none of them covers.

use std::collections::BTreeMap;

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, TableDefinition, TableError};

use super::Store;
use super::error::StoreError;
use super::pack::unpack;
use super::records::each_body;
use super::tables::{BODIES, META, read_next_block};
use super::transaction::Writing;
use super::words::{Builder, Hits, Segment};
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

/// The bytes of a segment, read as far as they are needed.
struct Parts<'t> {
    table: &'t Table,
    from: u64,
    next: u16,
    bytes: Vec<u8>,
}

impl<'t> Parts<'t> {
    /// The first part of the segment that begins at this block.
    fn of(table: &'t Table, from: u64) -> Result<Self, StoreError> {
        let mut parts = Self {
            table,
            from,
            next: 0,
            bytes: Vec::new(),
        };
        parts.read_on(1)?;
        Ok(parts)
    }

    /// Reads until there are so many bytes, or all.
    fn read_on(&mut self, len: usize) -> Result<(), StoreError> {
        while self.bytes.len() < len {
            let Some(part) = self.table.get((self.from, self.next))? else {
                break;
            };
            self.bytes.extend_from_slice(part.value());
            let Some(next) = self.next.checked_add(1) else {
                break;
            };
            self.next = next;
        }
        Ok(())
    }
}

/// What the index says of the needles of a query. A segment is read when the first of its blocks is asked for, so that a search
/// that goes from the newest to the oldest finds its first rows before it has read the rest.
pub(super) struct Hints {
    /// `None` where there is no index, or nothing that it could tell.
    table: Option<Table>,
    needles: Vec<Needle>,
    /// By their first block the stretches that are known.
    known: BTreeMap<u64, Stretch>,
}

/// Stretches of blocks, in order: the first of each and the one after its last.
type Blocks = Vec<(u64, u64)>;

/// The blocks of a segment, or some that no segment covers.
struct Stretch {
    /// The block after the last.
    to: u64,
    /// Of each needle the blocks that it may stand in; empty where nothing is told.
    places: Vec<Blocks>,
}

impl Hints {
    /// Of these needles, nothing is read yet.
    pub(super) fn of<'n>(
        txn: &ReadTransaction,
        needles: impl Iterator<Item = &'n Needle>,
    ) -> Result<Self, StoreError> {
        // Of a pattern no segment tells anything.
        let asked = needles.filter(|needle| matches!(needle, Needle::Text(_)));
        let needles: Vec<Needle> = asked.cloned().collect();
        let table = if needles.is_empty() { None } else { open(txn)? };
        Ok(Self {
            table,
            needles,
            known: BTreeMap::new(),
        })
    }

    /// `Some(false)` where `needle` cannot stand in a text of this block.
    pub(super) fn judge(&mut self, needle: &Needle, block: u64) -> Option<bool> {
        let table = self.table.as_ref()?;
        let at = self.needles.iter().position(|known| known == needle)?;
        let known = self.known.range(..=block).next_back();
        if known.is_none_or(|(_, stretch)| block >= stretch.to) {
            // An index that cannot be read is none.
            let found = Stretch::around(table, block, &self.needles);
            let (from, stretch) = found.unwrap_or_else(|_| (block, Stretch::untold(block)));
            self.known.insert(from, stretch);
        }
        let (_, stretch) = self.known.range(..=block).next_back()?;
        let ruled_out = !is_in(stretch.places.get(at)?, block);
        ruled_out.then_some(false)
    }
}

impl Stretch {
    /// One block of which nothing is known.
    const fn untold(block: u64) -> Self {
        Self {
            to: block.saturating_add(1),
            places: Vec::new(),
        }
    }

    /// The stretch that a block lies in, with its first block.
    fn around(table: &Table, block: u64, needles: &[Needle]) -> Result<(u64, Self), StoreError> {
        let mut from = 0;
        if let Some(row) = table.range(..=(block, u16::MAX))?.next_back() {
            let first = row?.0.value().0;
            let mut parts = Parts::of(table, first)?;
            match Segment::span(&parts.bytes) {
                Some((_, to)) if block < to => {
                    let places = told(&mut parts, needles)?.unwrap_or_default();
                    return Ok((first, Self { to, places }));
                }
                Some((_, to)) => from = to,
                None => from = first,
            }
        }
        let next = table.range((block, u16::MAX)..)?.next().transpose()?;
        let to = next.map_or(u64::MAX, |(key, _)| key.value().0);
        let places = Vec::new();
        Ok((from, Self { to, places }))
    }
}

/// What a segment tells of each needle; `None` where it cannot be read.
fn told(parts: &mut Parts<'_>, needles: &[Needle]) -> Result<Option<Vec<Blocks>>, StoreError> {
    let Some(size) = Segment::size_of_words(&parts.bytes) else {
        return Ok(None);
    };
    parts.read_on(size)?;
    let Some(segment) = Segment::read(&parts.bytes) else {
        return Ok(None);
    };
    let mut all = None;
    let mut told = Vec::with_capacity(needles.len());
    for needle in needles {
        let hits = segment.find(needle);
        if all.is_none() && hits.as_ref().is_some_and(Hits::ask_places) {
            parts.read_on(usize::MAX)?;
            all = segment.places(&parts.bytes);
        }
        let blocks = hits.and_then(|hits| segment.blocks_of(&hits, all.as_ref()));
        told.push(blocks.unwrap_or_else(|| vec![(segment.from, segment.to)]));
    }
    Ok(Some(told))
}

/// `spans` are in order.
fn is_in(spans: &[(u64, u64)], block: u64) -> bool {
    let after = spans.partition_point(|(from, _)| *from <= block);
    after.checked_sub(1).is_some_and(|at| block < spans[at].1)
}
