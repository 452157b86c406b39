//! What is kept of an entry besides itself: the place in its text, the article of its page, what it said before an edit.
//!
//! Tables that a store of an earlier program does not have are empty there; the first write makes them.

use redb::{ReadTransaction, ReadableTable};

use super::Store;
use super::blocks::{row_of, stored_no};
use super::codes::State;
use super::entries::read_entry;
use super::error::StoreError;
use super::formers::{drop_former, former_of, optional};
use super::pack::{squeeze, unpack};
use super::records::{FullTextV1, decode, encode_into};
use super::tables::{FULL_TEXTS, PLACES};
use super::transaction::Writing;
use crate::model::{Entry, EntryId, FullText, Kept, Timestamp, Validators};

impl Store {
    /// An entry with its page and what is kept besides; `None` when it is not stored (any more).
    pub fn opened(&self, id: EntryId) -> Result<Option<(Entry, Kept)>, StoreError> {
        self.read(|txn| {
            let Some(no) = stored_no(txn, id)? else {
                return Ok(None);
            };
            let Some(entry) = read_entry(txn, no)? else {
                return Ok(None);
            };
            let former = if entry.head.edited {
                former_of(txn, no)?
            } else {
                None
            };
            let kept = Kept {
                place: optional(txn, PLACES)?
                    .and_then(|table| table.get(no).transpose())
                    .transpose()?
                    .map_or(0, |row| row.value()),
                full: full_record(txn, no)?.map(text_of).transpose()?,
                former,
            };
            Ok(Some((entry, kept)))
        })
    }

    /// The article of an entry's page, and what its server is asked with the next time.
    pub fn full_text(&self, id: EntryId) -> Result<Option<(FullText, Validators)>, StoreError> {
        self.read(|txn| {
            let Some(no) = stored_no(txn, id)? else {
                return Ok(None);
            };
            let Some(record) = full_record(txn, no)? else {
                return Ok(None);
            };
            let validators = Validators {
                etag: record.etag.clone(),
                last_modified: record.last_modified.clone(),
            };
            Ok(Some((text_of(record)?, validators)))
        })
    }
}

fn full_record(txn: &ReadTransaction, no: u64) -> Result<Option<FullTextV1>, StoreError> {
    let Some(table) = optional(txn, FULL_TEXTS)? else {
        return Ok(None);
    };
    let row = table.get(no)?;
    row.map(|row| decode(row.value())).transpose()
}

fn text_of(record: FullTextV1) -> Result<FullText, StoreError> {
    let text = String::from_utf8(unpack(&record.packed)?)
        .map_err(|_| StoreError::damaged("full_texts: no text"))?;
    Ok(FullText {
        url: record.url,
        text,
        at: Timestamp(record.at),
    })
}

/// Remembers where reading stopped.
pub(super) fn put_place(
    writing: &mut Writing<'_>,
    id: EntryId,
    place: u32,
) -> Result<(), StoreError> {
    let Some(no) = number_of(writing, id)? else {
        return Ok(());
    };
    let known = writing.tables.places.get(no)?.map_or(0, |row| row.value());
    if known == place {
        return Ok(());
    }
    writing.touch();
    if place == 0 {
        writing.tables.places.remove(no)?;
    } else {
        writing.tables.places.insert(no, place)?;
    }
    Ok(())
}

/// Keeps the article of an entry's page. False: the entry is not stored any more.
pub(super) fn put_full(
    writing: &mut Writing<'_>,
    id: EntryId,
    full: &FullText,
    validators: &Validators,
) -> Result<bool, StoreError> {
    let Some(no) = number_of(writing, id)? else {
        return Ok(false);
    };
    let record = FullTextV1 {
        url: full.url.clone(),
        at: full.at.0,
        etag: validators.etag.clone(),
        last_modified: validators.last_modified.clone(),
        packed: squeeze(full.text.as_bytes())?,
    };
    writing.touch();
    encode_into(&record, &mut writing.buffer)?;
    let tables = &mut writing.tables;
    tables.full_texts.insert(no, writing.buffer.as_slice())?;
    Ok(true)
}

/// An entry goes: what is kept of it besides goes with it.
pub(super) fn forget(writing: &mut Writing<'_>, no: u64) -> Result<(), StoreError> {
    writing.tables.places.remove(no)?;
    writing.tables.full_texts.remove(no)?;
    drop_former(writing, no)
}

fn number_of(writing: &Writing<'_>, id: EntryId) -> Result<Option<u64>, StoreError> {
    let row = row_of(writing, id.feed.0, id.key)?;
    Ok(row
        .filter(|(_, state)| *state == State::Stored)
        .map(|(no, _)| no))
}
