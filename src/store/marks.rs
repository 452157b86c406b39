//! Read and starred: apart from the entries, outliving them. What takes them back is `undo`.

use std::collections::{BTreeMap, HashMap};

use redb::{ReadableTable, ReadableTableMetadata, Table};

use super::Store;
use super::codes::{READ, STARRED, State, WITHDRAWN};
use super::error::StoreError;
use super::identity::identity;
use super::own_tags;
use super::records::{ActV2, FeedV1, HeadV1, decode, encode_into};
use super::tables::{FEEDS, KEYS, MARKS, UNDO_ACTS, WAITING};
use super::transaction::Writing;
use super::walk::Row;
use crate::config::clean_tag;
use crate::model::{EntryId, EntryKey, FeedId, Mark, StateMark};

/// More changes than these are not listed one by one.
const LISTED: usize = 10_000;

/// What an act of marking changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marked {
    /// Entries whose mark changed, with read and starred as they are now. Empty when more than 10,000 changed.
    pub changed: Vec<(EntryId, bool, bool)>,
    /// How many changed.
    pub count: u64,
    /// Total, unread and starred of every feed that was touched.
    pub counts: Vec<(FeedId, u64, u64, u64)>,
    /// What came last was no mark but a change of feeds.toml, which is for the caller to take back.
    pub list: Option<Box<ListAct>>,
}

/// A change of feeds.toml that a person made: the file before and after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListAct {
    /// Before.
    pub before: String,
    /// After.
    pub after: String,
}

/// An entry to be marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Target {
    sort: i64,
    no: u64,
    feed: u32,
    /// Otherwise it has its mark alone, and stands in no list.
    stored: bool,
}

/// Marks these entries; those the store has never seen are passed over.
pub(super) fn mark(
    writing: &mut Writing<'_>,
    ids: &[EntryId],
    mark: Mark,
) -> Result<Marked, StoreError> {
    let mut targets = Vec::with_capacity(ids.len());
    for id in ids {
        let known = writing
            .tables
            .keys
            .get((id.feed.0, &id.key.0))?
            .map(|row| row.value().0);
        if let Some(no) = known {
            targets.push(target(writing, no, id.feed.0)?);
        }
    }
    act(writing, vec![(mark, targets)], Vec::new(), true)
}

/// Marks the rows of a list.
pub(super) fn mark_rows(
    writing: &mut Writing<'_>,
    rows: Vec<Row>,
    mark: Mark,
) -> Result<Marked, StoreError> {
    let targets = rows
        .into_iter()
        .map(|row| Target {
            sort: row.sort,
            no: row.no,
            feed: row.feed,
            stored: true,
        })
        .collect();
    act(writing, vec![(mark, targets)], Vec::new(), true)
}

/// Takes marks over: what is read or starred there is so here too; nothing becomes unread or loses its star. Marks of
/// entries not stored yet wait for them, marks of feeds not subscribed wait for the feed.
pub(super) fn import(writing: &mut Writing<'_>, marks: &[StateMark]) -> Result<Marked, StoreError> {
    let feeds = feeds_by_identity(&writing.tables.feeds)?;
    let mut read = Vec::new();
    let mut starred = Vec::new();
    let mut tagged: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for mark in marks {
        let Some(key) = EntryKey::from_hex(&mark.key) else {
            continue;
        };
        let bits = u8::from(mark.read) * READ + u8::from(mark.starred) * STARRED;
        let url = identity(&mark.feed_url);
        let Some(&feed) = feeds.get(&url) else {
            wait(writing, &url, key, bits)?;
            own_tags::wait(writing, &url, key, &mark.tags)?;
            continue;
        };
        let no = numbered(writing, feed, key)?;
        let target = target(writing, no, feed)?;
        if mark.read {
            read.push(target);
        }
        if mark.starred {
            starred.push(target);
        }
        for tag in mark.tags.iter().filter_map(|tag| clean_tag(tag)) {
            tagged.entry(tag).or_default().push(no);
        }
    }
    let says = vec![(Mark::Read(true), read), (Mark::Starred(true), starred)];
    act(writing, says, tagged.into_iter().collect(), true)
}

/// Sets a tag on these entries, or takes it away; those the store has never seen are passed over.
pub(super) fn tag(
    writing: &mut Writing<'_>,
    ids: &[EntryId],
    tag: &str,
    set: bool,
) -> Result<Marked, StoreError> {
    let mut numbers = Vec::with_capacity(ids.len());
    for id in ids {
        let known = writing.tables.keys.get((id.feed.0, &id.key.0))?;
        numbers.extend(known.map(|row| row.value().0));
    }
    act(writing, Vec::new(), vec![(tag.to_owned(), numbers)], set)
}

/// The same of the rows of a list.
pub(super) fn tag_rows(
    writing: &mut Writing<'_>,
    rows: &[Row],
    tag: &str,
    set: bool,
) -> Result<Marked, StoreError> {
    let numbers = rows.iter().map(|row| row.no).collect();
    act(writing, Vec::new(), vec![(tag.to_owned(), numbers)], set)
}

fn feeds_by_identity(
    feeds: &impl ReadableTable<u32, &'static [u8]>,
) -> Result<HashMap<String, u32>, StoreError> {
    let mut by_identity = HashMap::new();
    for row in feeds.iter()? {
        let (id, value) = row?;
        let record: FeedV1 = decode(value.value())?;
        let key = identity(&record.url);
        if record.removed.is_none() {
            by_identity.insert(key, id.value());
        } else {
            by_identity.entry(key).or_insert_with(|| id.value());
        }
    }
    Ok(by_identity)
}

/// Keeps a mark for a feed that is not there.
fn wait(writing: &mut Writing<'_>, url: &str, key: EntryKey, bits: u8) -> Result<(), StoreError> {
    if bits == 0 {
        return Ok(());
    }
    writing.touch();
    let table = &mut writing.tables.waiting;
    let known = table.get((url, &key.0))?.map_or(0, |bits| bits.value());
    table.insert((url, &key.0), known | bits)?;
    Ok(())
}

/// A feed arrived: the marks that waited for it now wait for its entries.
pub(super) fn arrive(writing: &mut Writing<'_>, url: &str, feed: u32) -> Result<(), StoreError> {
    let range = (url, &[0; 16])..=(url, &[255; 16]);
    let mut marks = Vec::new();
    for row in writing.tables.waiting.range(range.clone())? {
        let (key, bits) = row?;
        marks.push((*key.value().1, bits.value()));
    }
    let tags = own_tags::arrived(writing, url)?;
    if marks.is_empty() && tags.is_empty() {
        return Ok(());
    }
    writing.touch();
    writing.tables.waiting.retain_in(range, |_, _| false)?;
    for (key, bits) in marks {
        let no = numbered(writing, feed, EntryKey(key))?;
        writing.tables.marks.insert(no, bits)?;
    }
    for (key, tag) in tags {
        let no = numbered(writing, feed, key)?;
        own_tags::set(writing, vec![no], &tag, true)?;
    }
    Ok(())
}

/// The number of an entry, given now to one that was never seen.
fn numbered(writing: &mut Writing<'_>, feed: u32, key: EntryKey) -> Result<u64, StoreError> {
    if let Some(row) = writing.tables.keys.get((feed, &key.0))? {
        return Ok(row.value().0);
    }
    writing.touch();
    let no = writing.numbers.next_entry;
    writing.numbers.next_entry += 1;
    let row = (no, State::Awaited.code(), &[0; 32]);
    writing.tables.keys.insert((feed, &key.0), row)?;
    Ok(no)
}

pub(super) fn target(writing: &Writing<'_>, no: u64, feed: u32) -> Result<Target, StoreError> {
    let Some(value) = writing.tables.heads.get(no)? else {
        return Ok(Target {
            sort: 0,
            no,
            feed,
            stored: false,
        });
    };
    let head: HeadV1 = decode(value.value())?;
    Ok(Target {
        sort: head.sort,
        no,
        feed: head.feed,
        stored: true,
    })
}

/// One act: applied, and noted for `undo` where it changed anything. Tags are set, or taken away, on entries by number.
fn act(
    writing: &mut Writing<'_>,
    says: Vec<(Mark, Vec<Target>)>,
    tags: Vec<(String, Vec<u64>)>,
    set: bool,
) -> Result<Marked, StoreError> {
    let mut changes = Changes::default();
    let mut said = Vec::new();
    for (mark, targets) in says {
        let numbers = changes.apply(writing, targets, mark)?;
        if !numbers.is_empty() {
            said.push((mark, steps(&numbers)));
        }
    }
    let mut tagged = Vec::new();
    let mut count = 0;
    for (tag, numbers) in tags {
        let touched = own_tags::set(writing, numbers, &tag, set)?;
        if !touched.is_empty() {
            count += touched.len() as u64;
            tagged.push((tag, set, steps(&touched)));
        }
    }
    if !said.is_empty() || !tagged.is_empty() {
        let no = writing.numbers.next_act;
        writing.numbers.next_act += 1;
        encode_into(&ActV2 { said, tagged }, &mut writing.buffer)?;
        writing.tables.undo.insert(no, writing.buffer.as_slice())?;
        if let Some(oldest) = no.checked_sub(UNDO_ACTS) {
            writing.tables.undo.remove(oldest)?;
        }
    }
    let mut marked = changes.finish(writing)?;
    marked.count += count;
    Ok(marked)
}

/// Ascending numbers as differences: an act over 100,000 entries takes little more than a byte for each.
fn steps(numbers: &[u64]) -> Vec<u64> {
    let mut before = 0;
    numbers
        .iter()
        .map(|&no| no - std::mem::replace(&mut before, no))
        .collect()
}

/// What an act has changed so far.
#[derive(Default)]
pub(super) struct Changes {
    /// Entries and their bits as they are now; of one entry the last counts.
    bits: Vec<(u64, u8)>,
    /// Difference of unread and starred, by feed.
    counts: BTreeMap<u32, (i64, i64)>,
}

impl Changes {
    /// Marks the targets that are not marked so already; their numbers, ascending. Of a hundred thousand targets
    /// there is never more than one list.
    pub(super) fn apply(
        &mut self,
        writing: &mut Writing<'_>,
        mut targets: Vec<Target>,
        mark: Mark,
    ) -> Result<Vec<u64>, StoreError> {
        let (bit, set) = match mark {
            Mark::Read(read) => (READ, read),
            Mark::Starred(starred) => (STARRED, starred),
        };
        targets.sort_unstable_by_key(|target| target.no);
        targets.dedup_by_key(|target| target.no);
        let mut numbers = Vec::new();
        let marks = &mut writing.tables.marks;
        for target in &mut targets {
            let bits = marks.get(target.no)?.map_or(0, |bits| bits.value());
            if (bits & bit != 0) == set {
                target.stored = false;
                continue;
            }
            let bits = bits ^ bit;
            if bits == 0 {
                marks.remove(target.no)?;
            } else {
                marks.insert(target.no, bits)?;
            }
            self.bits.push((target.no, bits));
            numbers.push(target.no);
        }
        if !numbers.is_empty() {
            writing.touch();
        }
        targets.retain(|target| target.stored);
        self.count(&targets, bit, set);
        index(writing, targets, bit, set)?;
        Ok(numbers)
    }

    fn count(&mut self, targets: &[Target], bit: u8, set: bool) {
        for target in targets {
            let (unread, starred) = self.counts.entry(target.feed).or_default();
            match (bit, set) {
                (READ, true) => *unread -= 1,
                (READ, false) => *unread += 1,
                (_, true) => *starred += 1,
                (_, false) => *starred -= 1,
            }
        }
    }

    /// Writes the counts, and says what came of it all.
    pub(super) fn finish(mut self, writing: &mut Writing<'_>) -> Result<Marked, StoreError> {
        // Stable: of one entry the later bits stay behind the earlier ones, and only the first of a run is kept.
        self.bits.reverse();
        self.bits.sort_by_key(|(no, _)| *no);
        self.bits.dedup_by_key(|(no, _)| *no);
        let mut marked = Marked {
            count: self.bits.len() as u64,
            ..Marked::default()
        };
        for (feed, (unread, starred)) in self.counts {
            let counts = &mut writing.tables.counts;
            let (total, was_unread, was_starred) =
                counts.get(feed)?.map_or((0, 0, 0), |counts| counts.value());
            let unread = was_unread.saturating_add_signed(unread);
            let starred = was_starred.saturating_add_signed(starred);
            counts.insert(feed, (total, unread, starred))?;
            marked.counts.push((FeedId(feed), total, unread, starred));
        }
        if self.bits.len() <= LISTED {
            for (no, bits) in self.bits {
                if let Some(value) = writing.tables.heads.get(no)? {
                    let head: HeadV1 = decode(value.value())?;
                    let id = EntryId {
                        feed: FeedId(head.feed),
                        key: EntryKey(head.key),
                    };
                    marked
                        .changed
                        .push((id, bits & READ != 0, bits & STARRED != 0));
                }
            }
        }
        Ok(marked)
    }
}

/// Moves stored entries into or out of the lists of their mark, in the order of the keys.
fn index(
    writing: &mut Writing<'_>,
    mut targets: Vec<Target>,
    bit: u8,
    set: bool,
) -> Result<(), StoreError> {
    let tables = &mut writing.tables;
    targets.sort_unstable_by_key(|target| (target.sort, target.no));
    let dates = targets.iter().map(|t| ((t.sort, t.no), t.feed));
    match (bit, set) {
        (READ, true) => take_out(&mut tables.unread, dates)?,
        (READ, false) => put_in(&mut tables.unread, dates)?,
        (_, true) => put_in(&mut tables.starred, dates)?,
        (_, false) => take_out(&mut tables.starred, dates)?,
    }
    if bit != READ {
        return Ok(());
    }
    targets.sort_unstable_by_key(|target| (target.feed, target.sort, target.no));
    let dates = targets.iter().map(|t| ((t.feed, t.sort, t.no), ()));
    if set {
        take_out(&mut tables.unread_feed, dates)
    } else {
        put_in(&mut tables.unread_feed, dates)
    }
}

fn put_in<K, V>(
    table: &mut Table<'_, K, V>,
    rows: impl Iterator<Item = (K, V)>,
) -> Result<(), StoreError>
where
    K: redb::Key + for<'a> redb::Value<SelfType<'a> = K>,
    V: for<'a> redb::Value<SelfType<'a> = V>,
{
    for (key, value) in rows {
        table.insert(key, value)?;
    }
    Ok(())
}

/// Removes rows; `rows` ascend. Where most of the table goes, one pass over its pages is much cheaper than a search
/// for every row.
fn take_out<K, V>(
    table: &mut Table<'_, K, V>,
    rows: impl ExactSizeIterator<Item = (K, V)>,
) -> Result<(), StoreError>
where
    K: redb::Key + Ord + for<'a> redb::Value<SelfType<'a> = K>,
    V: for<'a> redb::Value<SelfType<'a> = V>,
{
    if rows.len() < 1_000 || (rows.len() as u64) < table.len()? / 4 {
        for (key, _) in rows {
            table.remove(key)?;
        }
        return Ok(());
    }
    let gone: Vec<K> = rows.map(|(key, _)| key).collect();
    table.retain(|key, _| gone.binary_search(&key).is_err())?;
    Ok(())
}

impl Store {
    /// Every entry that is read, starred or tagged, also of removed feeds and of entries that are not stored (any more), by
    /// feed URL and key: what `import_marks` takes over elsewhere.
    pub fn export_marks(&self) -> Result<Vec<StateMark>, StoreError> {
        self.read(|txn| {
            let mut urls = HashMap::new();
            for row in txn.open_table(FEEDS)?.iter()? {
                let (id, value) = row?;
                urls.insert(id.value(), decode::<FeedV1>(value.value())?.url);
            }
            let said = |feed_url: &str, key: &[u8; 16], bits: u8| StateMark {
                feed_url: feed_url.to_owned(),
                key: EntryKey(*key).to_string(),
                read: bits & READ != 0,
                starred: bits & STARRED != 0,
                tags: Vec::new(),
            };
            let (mut tags, waiting) = own_tags::export(txn)?;
            let marks = txn.open_table(MARKS)?;
            let mut out = Vec::new();
            for row in txn.open_table(KEYS)?.iter()? {
                let (key, value) = row?;
                let (feed, key) = key.value();
                let no = value.value().0;
                let bits = marks.get(no)?.map_or(0, |bits| bits.value());
                let tags = tags.remove(&no).unwrap_or_default();
                if let Some(url) = urls.get(&feed)
                    && (bits & !WITHDRAWN != 0 || !tags.is_empty())
                {
                    out.push(StateMark {
                        tags,
                        ..said(url, key, bits)
                    });
                }
            }
            for row in txn.open_table(WAITING)?.iter()? {
                let (key, bits) = row?;
                let (url, key) = key.value();
                out.push(said(url, key, bits.value()));
            }
            for (url, key, tag) in waiting {
                out.push(StateMark {
                    tags: vec![tag],
                    ..said(&url, &key, 0)
                });
            }
            Ok(out)
        })
    }
}
