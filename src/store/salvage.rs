//! A damaged store is set aside, and what can be read of it goes into a new one.
//!
//! Only what cannot be derived is copied, value by value, and only values that can be read; lists, counts and due
//! times are made anew. Where entries may have been lost, validators and hashes are left behind: a 304 would
//! otherwise keep the lost entries away for good.
//!
//! The new file is built beside the old one and takes its place at the end, so that a crash on the way loses nothing.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use redb::{
    Database, Key, ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition, Value,
};

use super::codes::{READ, STARRED, State};
use super::connect::{Opener, beside, initialise, named, open_file};
use super::entries::{Dated, store_dated};
use super::error::StoreError;
use super::identity::identity;
use super::own_tags;
use super::pack::unpack;
use super::records::{
    AuditRow, CountersV1, ExchangeV2, FeedV1, HeadV1, HostV2, PollV1, ValidatorsV1, decode,
    encode_into,
};
use super::rows::put_due;
use super::tables::{
    ALIASES, AUDIT, AUDIT_OPEN, BODIES, DAYS, EXCHANGES, FEEDS, HEADS, HOSTS, KEYS, MARKS, META,
    Numbers, POLLS, VALIDATORS, WAITING,
};
use super::transaction::{PATIENCE, Writing, guarded, write};
use crate::model::Timestamp;

/// Sets the store of `opener` aside and puts a new one in its place, with all that could be read; the sentence for
/// the user. `None`: another process has just done so.
pub(super) fn rebuild(
    opener: &Opener,
    detail: &str,
    now: Timestamp,
) -> Result<Option<String>, StoreError> {
    let _turn = turn(opener)?;
    let damaged = match opener.connect_alone() {
        Ok(database) => Some(database),
        Err(StoreError::Damaged { .. }) => None,
        Err(error) => return Err(error),
    };
    if detail_is_stale(damaged.as_ref(), opener) {
        return Ok(None);
    }
    let building = named(&opener.path, "rebuilding");
    let saved = build(&building, damaged.as_ref())?;
    let rebuilt = named(&opener.path, "rebuilt");
    let aside = beside(&opener.path, "damaged", now);
    let moved = |error| StoreError::io("set aside", error);
    fs::rename(&building, &rebuilt).map_err(moved)?;
    fs::rename(&opener.path, &aside).map_err(moved)?;
    fs::rename(&rebuilt, &opener.path).map_err(moved)?;
    sync_folder(&opener.path);
    opener.unsuspect();
    // redb tidies up as it closes, and may meet the damage again; what matters is done.
    let _ = guarded(|| {
        drop(damaged);
        Ok(())
    });
    Ok(Some(format!(
        "the store was damaged ({detail}): it is kept as {}, and a new one was made with {saved}",
        aside.display()
    )))
}

/// A crash between two renames: the new file waits for its place.
pub(super) fn resume(path: &Path) -> Result<(), StoreError> {
    let rebuilt = named(path, "rebuilt");
    if !path.exists() && rebuilt.exists() {
        fs::rename(&rebuilt, path).map_err(|error| StoreError::io("put back", error))?;
    }
    Ok(())
}

/// Two processes that meet the same damage must not both set the file aside: the second would take the new one.
fn turn(opener: &Opener) -> Result<File, StoreError> {
    let failed = |error| StoreError::io("repair", error);
    let file = open_file(&named(&opener.path, "repair")).map_err(failed)?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                thread::sleep(Duration::from_millis(50));
            }
            Err(TryLockError::WouldBlock) => return Err(StoreError::Busy),
            // Without locks the store could not have been opened either.
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
}

/// The file is whole after all: another process was faster.
fn detail_is_stale(database: Option<&Database>, opener: &Opener) -> bool {
    let Some(database) = database else {
        return false;
    };
    !named(&opener.path, "suspect").exists()
        && guarded(|| {
            let meta = database.begin_read()?.open_table(META)?;
            Ok(super::tables::read_schema(&meta)?.is_some())
        })
        .unwrap_or(false)
}

fn sync_folder(path: &Path) {
    // Not every system can sync a folder; the file itself is safe either way.
    if let Some(folder) = path.parent()
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
}

/// A new store at `path` with what `damaged` gives; in words.
fn build(path: &Path, damaged: Option<&Database>) -> Result<String, StoreError> {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(StoreError::io("rebuild", error));
    }
    let database = Opener::of_file(path, 8 * 1024 * 1024).connect_alone()?;
    initialise(&database)?;
    let source = damaged.and_then(|damaged| guarded(|| Ok(damaged.begin_read()?)).ok());
    let Some(source) = source else {
        return Ok("nothing of it; the subscriptions are read from feeds.toml".to_owned());
    };
    let (saved, _) = write(&database, |writing| {
        writing.touch();
        let whole = copy(&source, writing)?;
        derive(writing, whole)
    })?;
    Ok(saved)
}

/// Copies every table that cannot be derived. True: nothing of the entries was missing.
fn copy(from: &ReadTransaction, to: &mut Writing<'_>) -> Result<bool, StoreError> {
    let t = &mut to.tables;
    macro_rules! copy {
        ($table:ident $field:ident, $good:expr) => {
            rows(from, $table, |key, value| {
                let good: bool = $good(&value);
                if good {
                    t.$field.insert(key, value)?;
                }
                Ok(good)
            })?
        };
    }
    copy!(FEEDS feeds, |v: &&[u8]| decode::<FeedV1>(v).is_ok());
    copy!(ALIASES aliases, |_: &u8| true);
    copy!(POLLS polls, |v: &&[u8]| decode::<PollV1>(v).is_ok());
    copy!(HOSTS hosts, |v: &&[u8]| decode::<HostV2>(v).is_ok());
    copy!(AUDIT audit, |v: &&[u8]| AuditRow::read(v).is_ok());
    copy!(AUDIT_OPEN audit_open, |v: &&[u8]| AuditRow::read(v).is_ok());
    copy!(EXCHANGES exchanges, |v: &&[u8]| decode::<ExchangeV2>(v).is_ok());
    copy!(DAYS days, |v: &&[u8]| decode::<CountersV1>(v).is_ok());
    copy!(WAITING waiting, |_: &u8| true);
    copy!(MARKS marks, |_: &u8| true);
    let keys = copy!(KEYS keys, |v: &(u64, u8, &[u8; 32])| State::read(v.1).is_ok());
    let heads = copy!(HEADS heads, |v: &&[u8]| decode::<HeadV1>(v).is_ok());
    let bodies = copy!(BODIES bodies, |v: &&[u8]| unpack(v).is_ok());
    let whole = keys && heads && bodies;
    if whole {
        copy!(VALIDATORS validators, |v: &&[u8]| decode::<ValidatorsV1>(v).is_ok());
    }
    own_tags::salvage(from, to)?;
    if let Ok(numbers) = guarded(|| Numbers::read(&from.open_table(META)?))
        && numbers.are_sane()
    {
        to.numbers = numbers;
    }
    Ok(whole)
}

/// Gives every row that can be read to `each`: from the first onwards to the damage, then from the last backwards.
/// True: all of them were read, and `each` found all of them good.
fn rows<K: Key + 'static, V: Value + 'static>(
    from: &ReadTransaction,
    definition: TableDefinition<'static, K, V>,
    mut each: impl for<'k, 'v> FnMut(K::SelfType<'k>, V::SelfType<'v>) -> Result<bool, StoreError>,
) -> Result<bool, StoreError> {
    let Ok(table) = guarded(|| Ok(from.open_table(definition)?)) else {
        return Ok(false);
    };
    let mut all_good = true;
    for backwards in [false, true] {
        let Ok(mut range) = guarded(|| Ok(table.iter()?)) else {
            return Ok(false);
        };
        loop {
            // What goes wrong in reading ends the walk; what goes wrong in writing ends everything.
            let row = guarded(|| {
                let row = if backwards {
                    range.next_back()
                } else {
                    range.next()
                };
                match row.transpose()? {
                    Some((key, value)) => Ok(Some(each(key.value(), value.value()))),
                    None => Ok(None),
                }
            });
            match row {
                Ok(Some(kept)) => all_good &= kept?,
                Ok(None) => return Ok(all_good && !backwards),
                Err(_) => break,
            }
        }
    }
    Ok(false)
}

/// Makes everything that follows from what was copied.
fn derive(writing: &mut Writing<'_>, whole: bool) -> Result<String, StoreError> {
    let feeds = derive_feeds(writing)?;
    let entries = derive_entries(writing, &feeds)?;
    derive_polls(writing, &feeds, whole)?;
    derive_numbers(writing)?;
    Ok(format!(
        "{} feeds and {entries} entries of it{}",
        feeds.len(),
        if whole {
            ""
        } else {
            "; what is missing is fetched again"
        }
    ))
}

fn derive_feeds(writing: &mut Writing<'_>) -> Result<HashMap<u32, FeedV1>, StoreError> {
    let mut feeds = HashMap::new();
    for row in writing.tables.feeds.iter()? {
        let (id, value) = row?;
        feeds.insert(id.value(), decode::<FeedV1>(value.value())?);
    }
    for (&id, record) in &feeds {
        if let Some(since) = record.removed {
            writing.tables.removed.insert(id, since)?;
        } else {
            let key = identity(&record.url);
            writing.tables.feed_by_url.insert(key.as_str(), id)?;
        }
        writing.tables.counts.insert(id, (0, 0, 0))?;
    }
    Ok(feeds)
}

/// Heads that have their feed and their body stand in the lists again. The others go, and their keys wait for the
/// entries to come once more, with their marks. The number of entries.
fn derive_entries(
    writing: &mut Writing<'_>,
    feeds: &HashMap<u32, FeedV1>,
) -> Result<u64, StoreError> {
    let mut blocks: HashMap<u64, u32> = HashMap::new();
    let mut dated = Vec::new();
    let mut lost = Vec::new();
    let mut counts: HashMap<u32, (u64, u64, u64)> = HashMap::new();
    let mut keys = Vec::new();
    let tables = &mut writing.tables;
    for row in tables.heads.iter()? {
        let (no, value) = row?;
        let no = no.value();
        let head: HeadV1 = decode(value.value())?;
        if !feeds.contains_key(&head.feed) || tables.bodies.get(head.body.block)?.is_none() {
            lost.push(no);
            continue;
        }
        let bits = tables.marks.get(no)?.map_or(0, |bits| bits.value());
        let count = counts.entry(head.feed).or_default();
        count.0 += 1;
        count.1 += u64::from(bits & READ == 0);
        count.2 += u64::from(bits & STARRED != 0);
        *blocks.entry(head.body.block).or_default() += 1;
        keys.push((head.feed, head.key, no));
        dated.push(Dated {
            sort: head.sort,
            no,
            feed: head.feed,
            bits,
        });
    }
    for no in lost {
        tables.heads.remove(no)?;
    }
    derive_keys(writing, &keys)?;
    let tables = &mut writing.tables;
    for (feed, counts) in counts {
        tables.counts.insert(feed, counts)?;
    }
    tables
        .bodies
        .retain(|block, _| blocks.contains_key(&block))?;
    for (block, uses) in blocks {
        tables.block_uses.insert(block, uses)?;
    }
    let entries = dated.len() as u64;
    store_dated(writing, dated)?;
    Ok(entries)
}

/// Every stored entry has its key; a key without its entry waits for it.
fn derive_keys(
    writing: &mut Writing<'_>,
    stored: &[(u32, [u8; 16], u64)],
) -> Result<(), StoreError> {
    let keys = &mut writing.tables.keys;
    for (feed, key, no) in stored {
        let hash = match keys.get((*feed, key))? {
            Some(row) if row.value().0 == *no => *row.value().2,
            // Another hash than any: the next poll takes the entry as edited, and all is well.
            _ => [0; 32],
        };
        keys.insert((*feed, key), (*no, State::Stored.code(), &hash))?;
    }
    let there: HashSet<u64> = stored.iter().map(|(_, _, no)| *no).collect();
    let mut without = Vec::new();
    for row in keys.iter()? {
        let (key, value) = row?;
        let (no, state, _) = value.value();
        if State::read(state)? == State::Stored && !there.contains(&no) {
            let (feed, key) = key.value();
            without.push((feed, *key, no));
        }
    }
    for (feed, key, no) in without {
        keys.insert((feed, &key), (no, State::Awaited.code(), &[0; 32]))?;
    }
    Ok(())
}

fn derive_polls(
    writing: &mut Writing<'_>,
    feeds: &HashMap<u32, FeedV1>,
    whole: bool,
) -> Result<(), StoreError> {
    for (&id, record) in feeds {
        let mut poll: PollV1 = match writing.tables.polls.get(id)? {
            Some(row) => decode(row.value())?,
            // Its schedule is lost: it begins again, due since it was subscribed.
            None => PollV1 {
                next: Some(record.added),
                ..PollV1::default()
            },
        };
        if !whole {
            poll.body_hash = None;
            poll.entries_hash = None;
        }
        put_due(writing, id, None, poll.next, record)?;
        encode_into(&poll, &mut writing.buffer)?;
        writing.tables.polls.insert(id, writing.buffer.as_slice())?;
    }
    Ok(())
}

/// No number may be given twice.
fn derive_numbers(writing: &mut Writing<'_>) -> Result<(), StoreError> {
    let tables = &writing.tables;
    let mut entry = tables.heads.last()?.map_or(0, |(no, _)| no.value() + 1);
    entry = entry.max(tables.marks.last()?.map_or(0, |(no, _)| no.value() + 1));
    for row in tables.keys.iter()? {
        entry = entry.max(row?.1.value().0 + 1);
    }
    let block = tables.bodies.last()?.map_or(0, |(no, _)| no.value() + 1);
    let mut feed = tables.feeds.last()?.map_or(0, |(id, _)| id.value() + 1);
    feed = feed.max(tables.keys.last()?.map_or(0, |(key, _)| key.value().0 + 1));
    feed = feed.max(tables.polls.last()?.map_or(0, |(id, _)| id.value() + 1));
    let numbers = &mut writing.numbers;
    numbers.next_entry = numbers.next_entry.max(entry);
    numbers.next_block = numbers.next_block.max(block);
    numbers.next_feed = numbers.next_feed.max(u64::from(feed));
    Ok(())
}
