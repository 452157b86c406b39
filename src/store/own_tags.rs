//! Tags of the user's own on entries: marks with a name. They hang on the number of an entry and so outlive it, its guid and
//! its text. Tables apart, made by the first tag: whoever sets none pays nothing.

use std::collections::HashMap;

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, TableDefinition};

use super::Store;
use super::error::StoreError;
use super::formers::optional;
use super::tables::HEADS;
use super::transaction::Writing;
use crate::model::EntryKey;

/// By entry number and tag.
pub(super) const OWN_TAGS: TableDefinition<'static, (u64, &'static str), ()> =
    TableDefinition::new("own_tags");

/// Tags imported for feeds that are not subscribed (yet), by URL identity, key and tag.
pub(super) const WAITING_TAGS: TableDefinition<
    'static,
    (&'static str, &'static [u8; 16], &'static str),
    (),
> = TableDefinition::new("waiting_tags");

/// The tags of entries in a snapshot.
pub(super) enum OwnTags {
    /// Nobody has set any.
    None,
    /// Looked up one by one.
    Table(ReadOnlyTable<(u64, &'static str), ()>),
    /// All of them, for a query that asks for tags of every entry.
    All(HashMap<u64, Vec<String>>),
}

impl OwnTags {
    /// Opens them; `all`: those of every entry will be asked for.
    pub(super) fn open(txn: &ReadTransaction, all: bool) -> Result<Self, StoreError> {
        let Some(table) = optional(txn, OWN_TAGS)? else {
            return Ok(Self::None);
        };
        if !all {
            return Ok(Self::Table(table));
        }
        let mut tags: HashMap<u64, Vec<String>> = HashMap::new();
        for row in table.iter()? {
            let (key, _) = row?;
            let (no, tag) = key.value();
            tags.entry(no).or_default().push(tag.to_owned());
        }
        Ok(Self::All(tags))
    }

    /// Those of one entry, in the order of the alphabet.
    pub(super) fn of(&self, no: u64) -> Result<Vec<String>, StoreError> {
        match self {
            Self::None => Ok(Vec::new()),
            Self::Table(table) => tags_of(table, no),
            Self::All(tags) => Ok(tags.get(&no).cloned().unwrap_or_default()),
        }
    }
}

fn tags_of(
    table: &impl ReadableTable<(u64, &'static str), ()>,
    no: u64,
) -> Result<Vec<String>, StoreError> {
    let mut tags = Vec::new();
    for row in table.range((no, "")..(no + 1, ""))? {
        let (key, _) = row?;
        tags.push(key.value().1.to_owned());
    }
    Ok(tags)
}

impl Store {
    /// Every tag that some stored entry has, in the order of the alphabet.
    pub fn own_tags(&self) -> Result<Vec<String>, StoreError> {
        self.read(|txn| {
            let Some(table) = optional(txn, OWN_TAGS)? else {
                return Ok(Vec::new());
            };
            let heads = txn.open_table(HEADS)?;
            let mut tags = std::collections::BTreeSet::new();
            for row in table.iter()? {
                let (key, _) = row?;
                let (no, tag) = key.value();
                if !tags.contains(tag) && heads.get(no)?.is_some() {
                    tags.insert(tag.to_owned());
                }
            }
            Ok(tags.into_iter().collect())
        })
    }
}

/// Sets a tag on entries, or takes it away. The numbers of those that it changed, ascending.
pub(super) fn set(
    writing: &mut Writing<'_>,
    mut numbers: Vec<u64>,
    tag: &str,
    set: bool,
) -> Result<Vec<u64>, StoreError> {
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.is_empty() || tag.is_empty() {
        return Ok(Vec::new());
    }
    let mut table = writing.extra(OWN_TAGS)?;
    let mut changed = Vec::new();
    for no in numbers {
        let was = if set {
            table.insert((no, tag), ())?.is_some()
        } else {
            table.remove((no, tag))?.is_some()
        };
        if was != set {
            changed.push(no);
        }
    }
    drop(table);
    if !changed.is_empty() {
        writing.touch();
    }
    Ok(changed)
}

/// Keeps tags for an entry of a feed that is not there.
pub(super) fn wait(
    writing: &mut Writing<'_>,
    url: &str,
    key: EntryKey,
    tags: &[String],
) -> Result<(), StoreError> {
    if tags.is_empty() {
        return Ok(());
    }
    writing.touch();
    let mut table = writing.extra(WAITING_TAGS)?;
    for tag in tags {
        table.insert((url, &key.0, tag.as_str()), ())?;
    }
    Ok(())
}

/// The tags that waited for a feed that arrives; they wait no longer.
pub(super) fn arrived(
    writing: &mut Writing<'_>,
    url: &str,
) -> Result<Vec<(EntryKey, String)>, StoreError> {
    let mut table = writing.extra(WAITING_TAGS)?;
    let mut tags = Vec::new();
    for row in table.range((url, &[0; 16], "")..)? {
        let (row, _) = row?;
        let (of, key, tag) = row.value();
        if of != url {
            break;
        }
        tags.push((EntryKey(*key), tag.to_owned()));
    }
    for (key, tag) in &tags {
        table.remove((url, &key.0, tag.as_str()))?;
    }
    Ok(tags)
}

/// Every tag that there is, by entry number; and those that wait.
pub(super) type Exported = (HashMap<u64, Vec<String>>, Vec<(String, [u8; 16], String)>);

/// For an export.
pub(super) fn export(txn: &ReadTransaction) -> Result<Exported, StoreError> {
    let tags = match OwnTags::open(txn, true)? {
        OwnTags::All(tags) => tags,
        OwnTags::None | OwnTags::Table(_) => HashMap::new(),
    };
    let mut waiting = Vec::new();
    if let Some(table) = optional(txn, WAITING_TAGS)? {
        for row in table.iter()? {
            let (row, _) = row?;
            let (url, key, tag) = row.value();
            waiting.push((url.to_owned(), *key, tag.to_owned()));
        }
    }
    Ok((tags, waiting))
}

/// Takes the tags of a damaged store over, as far as they can be read.
pub(super) fn salvage(from: &ReadTransaction, to: &mut Writing<'_>) -> Result<(), StoreError> {
    let (tags, waiting) = super::transaction::guarded(|| export(from)).unwrap_or_default();
    for (no, tags) in tags {
        for tag in tags {
            set(to, vec![no], &tag, true)?;
        }
    }
    for (url, key, tag) in waiting {
        wait(to, &url, EntryKey(key), &[tag])?;
    }
    Ok(())
}
