//! Entries that a complete feed lists no longer (RFC 5005 §2, R81): marked, and never taken.

use std::collections::HashSet;

use redb::ReadableTable;

use super::Store;
use super::codes::WITHDRAWN;
use super::error::StoreError;
use super::tables::{BY_FEED, KEYS, MARKS};
use super::transaction::Writing;
use crate::model::{EntryKey, FeedId};

/// What a complete feed says by what it lists; numbers of entries.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Withdrawn {
    /// Listed no longer.
    pub gone: Vec<u64>,
    /// Listed again.
    pub back: Vec<u64>,
}

impl Withdrawn {
    /// Nothing has changed.
    pub const fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.back.is_empty()
    }
}

impl Store {
    /// What of the entries of `feed` a complete list of `keys` withdraws or brings back; and how many it had listed before.
    pub fn withdrawn(
        &self,
        feed: FeedId,
        keys: &[EntryKey],
    ) -> Result<(Withdrawn, usize), StoreError> {
        self.read(|txn| {
            let table = txn.open_table(KEYS)?;
            let mut listed = HashSet::with_capacity(keys.len());
            for key in keys {
                if let Some(row) = table.get((feed.0, &key.0))? {
                    listed.insert(row.value().0);
                }
            }
            let marks = txn.open_table(MARKS)?;
            let range = (feed.0, i64::MIN, 0)..=(feed.0, i64::MAX, u64::MAX);
            let (mut found, mut had) = (Withdrawn::default(), 0);
            for row in txn.open_table(BY_FEED)?.range(range)? {
                let (_, _, no) = row?.0.value();
                let bits = marks.get(no)?.map_or(0, |bits| bits.value());
                let was_listed = bits & WITHDRAWN == 0;
                had += usize::from(was_listed);
                match (was_listed, listed.contains(&no)) {
                    (true, false) => found.gone.push(no),
                    (false, true) => found.back.push(no),
                    _ => {}
                }
            }
            Ok((found, had))
        })
    }
}

/// Writes the marks. One that the user set stays beside it.
pub(super) fn put(writing: &mut Writing<'_>, withdrawn: &Withdrawn) -> Result<(), StoreError> {
    let gone = withdrawn.gone.iter().map(|no| (*no, true));
    let back = withdrawn.back.iter().map(|no| (*no, false));
    for (no, is_gone) in gone.chain(back) {
        let marks = &mut writing.tables.marks;
        let bits = marks.get(no)?.map_or(0, |bits| bits.value());
        let bits = bits & !WITHDRAWN | if is_gone { WITHDRAWN } else { 0 };
        if bits == 0 {
            marks.remove(no)?;
        } else {
            marks.insert(no, bits)?;
        }
    }
    Ok(())
}
