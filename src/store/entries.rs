//! Entries: what is known by key, one entry with its page, and how new and edited ones get in.

use redb::{ReadTransaction, ReadableTable};

use super::Store;
use super::blocks::{body_of, release, row_of, stored_no};
use super::codes::{HIDDEN, READ, STARRED, State, UNSEEN, WITHDRAWN};
use super::error::StoreError;
use super::formers::keep_former;
use super::own_tags::{self, OwnTags};
use super::pack::{Packed, PackedEntry};
use super::records::{EnclosureV1, HeadV1, LinkV1, Place, decode, encode_into};
use super::tables::{HEADS, KEYS, MARKS};
use super::transaction::Writing;
use crate::model::{Entry, EntryHead, EntryId, EntryKey, FeedId, Timestamp};
use crate::parse::KnownEntry;

/// A new entry's place in the lists by date; written at the end of a group, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Dated {
    pub sort: i64,
    pub no: u64,
    pub feed: u32,
    pub bits: u8,
}

impl Store {
    /// What the store knows of these entries of `feed`, in the same order; `None` for one it has never seen.
    pub fn known_entries(
        &self,
        feed: FeedId,
        keys: &[EntryKey],
    ) -> Result<Vec<Option<KnownEntry>>, StoreError> {
        self.read(|txn| {
            let table = txn.open_table(KEYS)?;
            keys.iter()
                .map(|key| {
                    let Some(row) = table.get((feed.0, &key.0))? else {
                        return Ok(None);
                    };
                    let (_, state, hash) = row.value();
                    Ok(match State::read(state)? {
                        State::Stored => Some(KnownEntry {
                            content_hash: Some(*hash),
                        }),
                        State::Pruned => Some(KnownEntry { content_hash: None }),
                        State::Awaited => None,
                    })
                })
                .collect()
        })
    }

    /// An entry with its page; `None` when it is not stored (any more).
    pub fn entry(&self, id: EntryId) -> Result<Option<Entry>, StoreError> {
        self.read(|txn| {
            let Some(no) = stored_no(txn, id)? else {
                return Ok(None);
            };
            read_entry(txn, no)
        })
    }
}

/// The entry of that number.
pub(super) fn read_entry(txn: &ReadTransaction, no: u64) -> Result<Option<Entry>, StoreError> {
    let heads = txn.open_table(HEADS)?;
    let Some(row) = heads.get(no)? else {
        return Ok(None);
    };
    let head: HeadV1 = decode(row.value())?;
    let bits = txn.open_table(MARKS)?.get(no)?.map_or(0, |b| b.value());
    Ok(Some(Entry {
        head: EntryHead {
            tags: OwnTags::open(txn, false)?.of(no)?,
            ..head_of(&head, no, bits)
        },
        body: body_of(txn, head.body)?,
    }))
}

pub(super) fn head_of(head: &HeadV1<'_>, no: u64, bits: u8) -> EntryHead {
    let marks = (bits & READ == 0, bits & STARRED != 0, bits & HIDDEN != 0);
    EntryHead {
        withdrawn: bits & WITHDRAWN != 0,
        ..head.model(no, marks)
    }
}

/// Stores what a poll brought. A "new" entry that is there already is left as it is, or taken as edited where it reads
/// otherwise: the same poll committed twice stores nothing twice. What belongs into the lists by date is appended to `dated`.
pub(super) fn store(
    writing: &mut Writing<'_>,
    feed: u32,
    at: Timestamp,
    packed: &Packed,
    dated: &mut Vec<Dated>,
) -> Result<(), StoreError> {
    if packed.is_empty() {
        return Ok(());
    }
    let first_block = put_blocks(writing, packed)?;
    let mut counts = writing
        .tables
        .counts
        .get(feed)?
        .map_or((0, 0, 0), |c| c.value());
    for (at_place, (former, entry)) in packed.all().enumerate() {
        let place = Place {
            block: first_block + entry.block as u64,
            at: entry.at,
            len: entry.len,
        };
        // A hub and a poll bring the same at the same time: what was new a moment ago is there, word for word.
        if at_place < packed.new.len() && is_same(writing, (feed, &entry.key.0), entry)? {
            release(writing, place.block)?;
            continue;
        }
        let Some(row) = put(writing, feed, at, (entry, former), place)? else {
            continue;
        };
        counts.0 += 1;
        counts.1 += u64::from(row.bits & READ == 0);
        counts.2 += u64::from(row.bits & STARRED != 0);
        dated.push(row);
    }
    writing.tables.counts.insert(feed, counts)?;
    Ok(())
}

/// Stores the bodies; the number of the first block.
pub(super) fn put_blocks(writing: &mut Writing<'_>, packed: &Packed) -> Result<u64, StoreError> {
    let first_block = writing.numbers.next_block;
    writing.numbers.next_block += packed.blocks.len() as u64;
    for (block, no) in packed.blocks.iter().zip(first_block..) {
        writing.tables.bodies.insert(no, block.packed.as_slice())?;
        writing.tables.block_uses.insert(no, block.uses)?;
    }
    Ok(first_block)
}

/// Stores one entry; its place in the lists when it was not there before. One that was there under a `former` key is the
/// same entry: from now on both keys lead to it, and it goes on under the one it had.
pub(super) fn put(
    writing: &mut Writing<'_>,
    feed: u32,
    at: Timestamp,
    (entry, former): (&PackedEntry, Option<EntryKey>),
    place: Place,
) -> Result<Option<Dated>, StoreError> {
    let key = (feed, &entry.key.0);
    let mut known = row_of(writing, feed, entry.key)?;
    if let (None, Some(former)) = (known, former) {
        known = row_of(writing, feed, former)?.filter(|(_, state)| *state == State::Stored);
    }
    // What another reader kept of it is no former text: its feed brings it for the first time.
    let is_edit = match known {
        Some((_, State::Stored)) if former.is_none() => !is_unseen(writing, key)?,
        _ => false,
    };
    let (no, old) = match known {
        Some((no, State::Stored)) => {
            let old = Old::read(writing, no)?;
            if is_edit {
                keep_former(writing, no, &old.title, old.body)?;
            } else {
                // Another guid is no other text.
                release(writing, old.body.block)?;
            }
            (no, Some(old))
        }
        Some((no, State::Pruned | State::Awaited)) => (no, None),
        None => {
            let no = writing.numbers.next_entry;
            writing.numbers.next_entry += 1;
            (no, None)
        }
    };
    writing
        .tables
        .keys
        .insert(key, (no, State::Stored.code(), &entry.content_hash))?;
    let (first_seen, sort) = match &old {
        Some(old) => (old.first_seen, old.sort),
        // The feed's own date may lie in the future: what is new today must not sit on top for years.
        None => (at.0, entry.published.map_or(at.0, |date| date.0.min(at.0))),
    };
    let head = HeadV1 {
        key: old.as_ref().map_or(entry.key.0, |old| old.key),
        // Another guid is no other text.
        edited: old.as_ref().is_some_and(|old| old.edited || is_edit),
        ..head_record(feed, entry, (first_seen, sort), place)
    };
    encode_into(&head, &mut writing.buffer)?;
    writing.tables.heads.insert(no, writing.buffer.as_slice())?;
    writing.numbers.heads_written += 1;
    if old.is_some() {
        return Ok(None);
    }
    // Only a key that was there before can have a mark.
    let before = match known {
        Some(_) => writing.tables.marks.get(no)?.map_or(0, |bits| bits.value()),
        None => 0,
    };
    let bits = before | entry.bits;
    if bits != before {
        writing.tables.marks.insert(no, bits)?;
    }
    for tag in &entry.tags {
        own_tags::set(writing, vec![no], tag, true)?;
    }
    Ok(Some(Dated {
        sort,
        no,
        feed,
        bits,
    }))
}

fn is_same(
    writing: &Writing<'_>,
    key: (u32, &[u8; 16]),
    entry: &PackedEntry,
) -> Result<bool, StoreError> {
    let Some(row) = writing.tables.keys.get(key)? else {
        return Ok(false);
    };
    let (_, state, hash) = row.value();
    Ok(State::read(state)? == State::Stored && *hash == entry.content_hash)
}

/// The entry of that key was taken over from another reader, and its feed has not brought it yet.
fn is_unseen(writing: &Writing<'_>, key: (u32, &[u8; 16])) -> Result<bool, StoreError> {
    let row = writing.tables.keys.get(key)?;
    Ok(row.is_some_and(|row| *row.value().2 == UNSEEN))
}

/// What an edited entry keeps of its former self.
struct Old {
    key: [u8; 16],
    first_seen: i64,
    sort: i64,
    edited: bool,
    title: String,
    body: Place,
}

impl Old {
    fn read(writing: &Writing<'_>, no: u64) -> Result<Self, StoreError> {
        let row = writing
            .tables
            .heads
            .get(no)?
            .ok_or_else(|| StoreError::damaged(format!("heads: no entry {no}")))?;
        let head: HeadV1 = decode(row.value())?;
        Ok(Self {
            key: head.key,
            first_seen: head.first_seen,
            sort: head.sort,
            edited: head.edited,
            title: head.title.to_owned(),
            body: head.body,
        })
    }
}

fn head_record(
    feed: u32,
    entry: &PackedEntry,
    (first_seen, sort): (i64, i64),
    body: Place,
) -> HeadV1<'_> {
    HeadV1 {
        feed,
        key: entry.key.0,
        guid: &entry.guid,
        title: &entry.title,
        link: match entry.link.as_deref() {
            None => LinkV1::None,
            Some(link) if link == entry.guid => LinkV1::Guid,
            Some(link) => LinkV1::Own(link),
        },
        author: &entry.author,
        published: entry.published.map(|date| date.0),
        updated: entry.updated.map(|date| date.0),
        first_seen,
        sort,
        edited: false,
        enclosures: entry
            .enclosures
            .iter()
            .map(|enclosure| EnclosureV1 {
                url: &enclosure.url,
                media_type: &enclosure.media_type,
                length: enclosure.length,
                duration: enclosure.duration,
            })
            .collect(),
        body,
    }
}

/// Writes the gathered places into the lists by date, in the order of their keys: neighbours share pages.
pub(super) fn store_dated(
    writing: &mut Writing<'_>,
    mut dated: Vec<Dated>,
) -> Result<(), StoreError> {
    let tables = &mut writing.tables;
    dated.sort_unstable();
    for row in &dated {
        tables.by_date.insert((row.sort, row.no), row.feed)?;
    }
    for row in dated.iter().filter(|row| row.bits & READ == 0) {
        tables.unread.insert((row.sort, row.no), row.feed)?;
    }
    for row in dated.iter().filter(|row| row.bits & STARRED != 0) {
        tables.starred.insert((row.sort, row.no), row.feed)?;
    }
    dated.sort_unstable_by_key(|row| (row.feed, row.sort, row.no));
    for row in &dated {
        tables.by_feed.insert((row.feed, row.sort, row.no), ())?;
    }
    for row in dated.iter().filter(|row| row.bits & READ == 0) {
        tables
            .unread_feed
            .insert((row.feed, row.sort, row.no), ())?;
    }
    Ok(())
}
