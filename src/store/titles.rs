//! Where every entry stands among all by its title. No key has this order: it is made once, kept in memory, and made
//! anew when a head was written. A page of a list by title then costs what a page by date costs, and a sort of numbers.

use std::sync::{Arc, RwLock};

use redb::{ReadTransaction, ReadableTable};

use super::error::StoreError;
use super::records::{HeadV1, decode};
use super::tables::{HEADS, META, read_heads_written};
use crate::model::natural;

/// Places by title, both ways; eight bytes an entry.
#[derive(Debug)]
pub(super) struct Titles {
    /// How many heads had been written when this was made.
    written: u64,
    /// The place of each entry by its number; entries that are not there have none.
    places: Vec<u32>,
    /// The number of each entry by its place, which counts from one.
    order: Vec<u32>,
}

impl Titles {
    /// The place of an entry: lower comes first; the newer first of equal titles.
    pub(super) fn place(&self, no: u64) -> u32 {
        let at = usize::try_from(no).unwrap_or(usize::MAX);
        self.places.get(at).copied().unwrap_or(0)
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// The number of the entry at a place.
    pub(super) fn number(&self, place: u32) -> Option<u64> {
        let at = (place as usize).checked_sub(1)?;
        self.order.get(at).map(|no| u64::from(*no))
    }

    fn make(txn: &ReadTransaction, written: u64) -> Result<Self, StoreError> {
        let mut keys = Vec::new();
        for row in txn.open_table(HEADS)?.iter()? {
            let (no, value) = row?;
            let head: HeadV1 = decode(value.value())?;
            let key = natural(head.title).into_boxed_str();
            keys.push((key, !head.sort, !no.value()));
        }
        keys.sort_unstable();
        let numbers = keys
            .iter()
            .map(|(.., no)| u32::try_from(!no).unwrap_or(u32::MAX));
        let order = numbers.collect();
        let last = keys.iter().map(|(.., no)| !no).max().unwrap_or(0);
        let mut places = vec![0; usize::try_from(last).unwrap_or(0) + 1];
        for (place, (.., no)) in (1..).zip(&keys) {
            if let Some(at) = usize::try_from(!no).ok().and_then(|no| places.get_mut(no)) {
                *at = place;
            }
        }
        Ok(Self {
            written,
            places,
            order,
        })
    }
}

/// The places that were made last.
#[derive(Debug, Default)]
pub(super) struct TitleCache(RwLock<Option<Arc<Titles>>>);

impl TitleCache {
    /// Places as of this snapshot. Two who ask at once may both make them; the last one stays.
    pub(super) fn of(&self, txn: &ReadTransaction) -> Result<Arc<Titles>, StoreError> {
        let written = read_heads_written(&txn.open_table(META)?)?;
        let kept = match self.0.read() {
            Ok(kept) => kept.clone(),
            // Whoever panicked swapped an Option: it is whole.
            Err(poisoned) => poisoned.into_inner().clone(),
        };
        if let Some(titles) = kept.filter(|titles| titles.written == written) {
            return Ok(titles);
        }
        let made = Arc::new(Titles::make(txn, written)?);
        match self.0.write() {
            Ok(mut kept) => *kept = Some(Arc::clone(&made)),
            Err(poisoned) => *poisoned.into_inner() = Some(Arc::clone(&made)),
        }
        Ok(made)
    }
}
