//! Entries that another reader kept, stored with what was said of them there.
//!
//! Their content hash is zeros: what the feed brings of them later takes their place without being an edit.

use redb::ReadableTable;

use super::blocks::{release, row_of};
use super::codes::{HIDDEN, READ, STARRED, State, UNSEEN};
use super::entries::{self, put, put_blocks};
use super::error::StoreError;
use super::marks;
use super::pack::{Packed, pack};
use super::records::{FeedV1, Place, decode, encode_into};
use super::transaction::Writing;
use crate::model::{Adopted, EntryKey, FeedId, Standing, StateMark, Timestamp};
use crate::parse::Changes;

/// Entries of one feed, ready to be stored.
#[derive(Debug)]
pub struct Adoption {
    feed: FeedId,
    title: String,
    at: Timestamp,
    packed: Packed,
    /// Of each entry of `packed`, in its order: every key under which its feed may bring it.
    keys: Vec<Vec<EntryKey>>,
    /// What was thrown away.
    gone: Vec<Vec<EntryKey>>,
}

/// Packs entries. To be called before the writer, where a core is free. `title` is what the feed calls itself, where it has
/// not said so here; `at` is when they came here.
pub fn adoption(
    feed: FeedId,
    title: String,
    at: Timestamp,
    entries: Vec<Adopted>,
) -> Result<Adoption, StoreError> {
    let (gone, kept): (Vec<_>, Vec<_>) = entries
        .into_iter()
        .partition(|one| one.standing == Standing::Gone);
    let mut keys = Vec::with_capacity(kept.len());
    let mut marks = Vec::with_capacity(kept.len());
    let mut changes = Changes::default();
    for mut one in kept {
        one.entry.content_hash = UNSEEN;
        // What is hidden is read as well: no list of unread entries has it.
        let standing = match one.standing {
            Standing::Hidden => READ + HIDDEN,
            Standing::Read => READ,
            Standing::Unread | Standing::Gone => 0,
        };
        let bits = standing + u8::from(one.starred) * STARRED;
        keys.push(one.keys);
        marks.push((bits, one.tags));
        changes.new.push(one.entry);
    }
    let mut packed = pack(changes)?;
    for (entry, (bits, tags)) in packed.new.iter_mut().zip(marks) {
        entry.bits = bits;
        entry.tags = tags;
    }
    Ok(Adoption {
        feed,
        title,
        at,
        packed,
        keys,
        gone: gone.into_iter().map(|one| one.keys).collect(),
    })
}

/// Stores what is not there yet; what is gets the marks. How many came, and how many were there.
pub(super) fn adopt(
    writing: &mut Writing<'_>,
    adoption: &Adoption,
) -> Result<(u64, u64), StoreError> {
    let feed = adoption.feed.0;
    let mut record: FeedV1 = match writing.tables.feeds.get(feed)? {
        Some(row) => decode(row.value())?,
        None => return Err(StoreError::UnknownFeed(adoption.feed)),
    };
    writing.touch();
    if record.title.is_empty() && !adoption.title.is_empty() {
        record.title.clone_from(&adoption.title);
        encode_into(&record, &mut writing.buffer)?;
        let row = writing.buffer.as_slice();
        writing.tables.feeds.insert(feed, row)?;
    }
    let first_block = put_blocks(writing, &adoption.packed)?;
    let mut counts = writing
        .tables
        .counts
        .get(feed)?
        .map_or((0, 0, 0), |c| c.value());
    let (mut dated, mut known) = (Vec::new(), Vec::new());
    for (entry, keys) in adoption.packed.new.iter().zip(&adoption.keys) {
        let block = first_block + entry.block as u64;
        if let Some(key) = stored_key(writing, feed, keys)? {
            release(writing, block)?;
            known.push(StateMark {
                feed_url: record.url.clone(),
                key: key.to_string(),
                read: entry.bits & (READ | HIDDEN) == READ,
                starred: entry.bits & STARRED != 0,
                tags: entry.tags.clone(),
            });
            continue;
        }
        let place = Place {
            block,
            at: entry.at,
            len: entry.len,
        };
        let Some(row) = put(writing, feed, adoption.at, (entry, None), place)? else {
            continue;
        };
        counts.0 += 1;
        counts.1 += u64::from(row.bits & READ == 0);
        counts.2 += u64::from(row.bits & STARRED != 0);
        lead(writing, feed, keys, (row.no, State::Stored))?;
        dated.push(row);
    }
    let added = dated.len() as u64;
    writing.tables.counts.insert(feed, counts)?;
    entries::store_dated(writing, dated)?;
    for keys in &adoption.gone {
        if stored_key(writing, feed, keys)?.is_none() {
            let no = writing.numbers.next_entry;
            writing.numbers.next_entry += 1;
            lead(writing, feed, keys, (no, State::Pruned))?;
        }
    }
    if !known.is_empty() {
        marks::import(writing, &known)?;
    }
    Ok((added, known.len() as u64))
}

/// The key under which one of these entries is here, or was and has been pruned.
fn stored_key(
    writing: &Writing<'_>,
    feed: u32,
    keys: &[EntryKey],
) -> Result<Option<EntryKey>, StoreError> {
    for key in keys {
        let row = row_of(writing, feed, *key)?;
        if row.is_some_and(|(_, state)| state != State::Awaited) {
            return Ok(Some(*key));
        }
    }
    Ok(None)
}

/// From now on all these keys lead there, those that led to another entry excepted.
fn lead(
    writing: &mut Writing<'_>,
    feed: u32,
    keys: &[EntryKey],
    (no, state): (u64, State),
) -> Result<(), StoreError> {
    for key in keys {
        let known = row_of(writing, feed, *key)?;
        if known.is_none_or(|(_, state)| state == State::Awaited) {
            let row = (no, state.code(), &UNSEEN);
            writing.tables.keys.insert((feed, &key.0), row)?;
        }
    }
    Ok(())
}
