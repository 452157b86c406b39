//! Every table of the store: key, value, and what it is for.
//!
//! Composite keys make a page of a list a range scan. Values that may change shape are records (see `records`);
//! the few plain ones are part of the schema, and changing one is a migration.

use redb::{ReadableTable, Table, TableDefinition, WriteTransaction};

use super::error::StoreError;

/// The layout of all tables together. Grows by one when a table or a plain value changes; see `migrate`.
pub(crate) const SCHEMA: u32 = 2;

type Bytes = &'static [u8];
type Key = &'static [u8; 16];
type Url = &'static str;

macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident $field:ident $text:literal $key:ty => $value:ty;)*) => {
        $($(#[$doc])* pub(crate) const $name: TableDefinition<'static, $key, $value> = TableDefinition::new($text);)*

        /// All tables, open for writing in one transaction.
        pub(crate) struct Tables<'t> {
            $($(#[$doc])* pub(crate) $field: Table<'t, $key, $value>,)*
        }

        impl<'t> Tables<'t> {
            /// Opens them, and makes those that do not exist yet.
            pub(crate) fn open(txn: &'t WriteTransaction) -> Result<Self, StoreError> {
                Ok(Self { $($field: txn.open_table($name)?,)* })
            }
        }
    };
}

tables! {
    /// Schema number, change counter, next numbers: see `Numbers`.
    META meta "meta" &'static str => Bytes;
    /// What is known of a feed.
    FEEDS feeds "feeds" u32 => Bytes;
    /// Subscribed feeds by the identity of their URL.
    FEED_BY_URL feed_by_url "feed_by_url" Url => u32;
    /// Feeds that left feeds.toml, and when: their entries stay, but stand in no list except the starred one.
    REMOVED removed "removed" u32 => i64;
    /// Former URLs and permanent targets: to recognise a URL edited by hand, never to refuse an `add`.
    ALIASES aliases "aliases" (Url, u32) => u8;
    /// Schedule, streaks, hashes, counters, and the places in the rings.
    POLLS polls "polls" u32 => Bytes;
    /// `ETag` and `Last-Modified`, keyed by the URL that answered.
    VALIDATORS validators "validators" (u32, Url) => Bytes;
    /// Next poll of every subscribed feed that is polled at all.
    DUE due "due" (i64, u32) => ();
    /// Holds, starts, roll-up, by lower-case host and port.
    HOSTS hosts "hosts" &'static str => Bytes;
    /// Feed and slot: whole blocks of a ring of `AUDIT_RING` records, overwritten in place; see `audit`.
    AUDIT audit "audit_blocks" (u32, u32) => Bytes;
    /// The block of each feed that is not whole yet. Apart from the others, so that the rows that a round of polls writes are
    /// neighbours, and a page holds many of them.
    AUDIT_OPEN audit_open "audit_open" u32 => Bytes;
    /// Slot and feed, in this order for the same reason: a ring of `EXCHANGE_RING` records.
    EXCHANGES exchanges "exchanges_by_slot" (u32, u32) => Bytes;
    /// Day and feed, in this order: a round of polls touches neighbours, and so does a chart.
    DAYS days "days" (u32, u32) => Bytes;
    /// Total, unread, starred; kept in the same transaction as what they count.
    COUNTS counts "counts" u32 => (u64, u64, u64);
    /// Identity: entry number, state (`codes::State`), content hash. Outlives the entry.
    KEYS keys "keys" (u32, Key) => (u64, u8, &'static [u8; 32]);
    /// What a list needs. Not rewritten by a mark.
    HEADS heads "heads" u64 => Bytes;
    /// Blocks of bodies: codec byte, length, data. Heads say which part of which block is theirs.
    BODIES bodies "bodies" u64 => Bytes;
    /// How many heads point into a block; at none it goes.
    BLOCK_USES block_uses "block_uses" u64 => u32;
    /// Bits `codes::READ` and its like; no row for neither. Outlives the entry.
    MARKS marks "marks" u64 => u8;
    /// Entries of a feed by date.
    BY_FEED by_feed "by_feed" (u32, i64, u64) => ();
    /// All entries by date; the value is the feed.
    BY_DATE by_date "by_date" (i64, u64) => u32;
    /// Unread entries by date; the value is the feed.
    UNREAD unread "unread" (i64, u64) => u32;
    /// Unread entries of a feed by date.
    UNREAD_FEED unread_feed "unread_feed" (u32, i64, u64) => ();
    /// Starred entries by date; the value is the feed.
    STARRED starred "starred" (i64, u64) => u32;
    /// Where in the text of an entry reading stopped. Goes with the entry.
    PLACES places "places" u64 => u32;
    /// The article of an entry's own page. Goes with the entry.
    FULL_TEXTS full_texts "full_texts" u64 => Bytes;
    /// What an edited entry said before; it holds a use of its former block. Goes with the entry.
    FORMERS formers "formers" u64 => Bytes;
    /// The last acts of marking, for `undo`.
    UNDO undo "undo" u64 => Bytes;
    /// Imported marks of feeds that are not subscribed (yet), by URL identity and key.
    WAITING waiting "waiting" (Url, Key) => u8;
}

/// Audit records kept of each feed (R74).
pub(crate) const AUDIT_RING: u64 = 1000;
/// Exchanges with full headers kept of each feed (R74).
pub(crate) const EXCHANGE_RING: u64 = 20;
/// Acts of marking that can be undone.
pub(crate) const UNDO_ACTS: u64 = 20;

const SCHEMA_KEY: &str = "schema";

/// The numbers of `meta`, read at the start of a write transaction and written at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Numbers {
    /// Commits since the store was made: another process looks here whether something changed.
    pub changes: u64,
    /// The next feed's id.
    pub next_feed: u64,
    /// The next entry's number.
    pub next_entry: u64,
    /// The next block of bodies.
    pub next_block: u64,
    /// The next act of marking.
    pub next_act: u64,
    /// Heads written since the store was made, new and edited ones: what hangs on titles is old when it grows.
    pub heads_written: u64,
}

impl Numbers {
    const ROWS: [&'static str; 6] = [
        "changes",
        "next_feed",
        "next_entry",
        "next_block",
        "next_act",
        "heads_written",
    ];

    pub(crate) fn read(meta: &impl ReadableTable<&'static str, Bytes>) -> Result<Self, StoreError> {
        let mut numbers = [0; 6];
        for (number, row) in numbers.iter_mut().zip(Self::ROWS) {
            *number = read_number(meta, row)?.unwrap_or(0);
        }
        let [
            changes,
            next_feed,
            next_entry,
            next_block,
            next_act,
            heads_written,
        ] = numbers;
        Ok(Self {
            changes,
            next_feed,
            next_entry,
            next_block,
            next_act,
            heads_written,
        })
    }

    pub(crate) fn write(
        &self,
        meta: &mut Table<'_, &'static str, Bytes>,
        before: &Self,
    ) -> Result<(), StoreError> {
        for (row, (now, then)) in Self::ROWS
            .into_iter()
            .zip(self.list().into_iter().zip(before.list()))
        {
            if now != then {
                meta.insert(row, now.to_le_bytes().as_slice())?;
            }
        }
        Ok(())
    }

    /// None of them is so large that counting on from it would run out: a damaged page may say anything.
    pub(crate) fn are_sane(&self) -> bool {
        self.list().iter().all(|&number| number < 1 << 40)
    }

    const fn list(&self) -> [u64; 6] {
        [
            self.changes,
            self.next_feed,
            self.next_entry,
            self.next_block,
            self.next_act,
            self.heads_written,
        ]
    }
}

fn read_number(
    meta: &impl ReadableTable<&'static str, Bytes>,
    row: &str,
) -> Result<Option<u64>, StoreError> {
    let Some(value) = meta.get(row)? else {
        return Ok(None);
    };
    let bytes: [u8; 8] = value
        .value()
        .try_into()
        .map_err(|_| StoreError::damaged(format!("meta: {row}")))?;
    Ok(Some(u64::from_le_bytes(bytes)))
}

/// The change counter alone.
pub(crate) fn read_changes(
    meta: &impl ReadableTable<&'static str, Bytes>,
) -> Result<u64, StoreError> {
    Ok(read_number(meta, Numbers::ROWS[0])?.unwrap_or(0))
}

/// How many heads were written alone.
pub(crate) fn read_heads_written(
    meta: &impl ReadableTable<&'static str, Bytes>,
) -> Result<u64, StoreError> {
    Ok(read_number(meta, Numbers::ROWS[5])?.unwrap_or(0))
}

/// The next block of bodies alone.
pub(crate) fn read_next_block(
    meta: &impl ReadableTable<&'static str, Bytes>,
) -> Result<u64, StoreError> {
    Ok(read_number(meta, Numbers::ROWS[3])?.unwrap_or(0))
}

/// The schema number; `None` in a store that was just made.
pub(crate) fn read_schema(
    meta: &impl ReadableTable<&'static str, Bytes>,
) -> Result<Option<u32>, StoreError> {
    Ok(read_number(meta, SCHEMA_KEY)?.map(|n| u32::try_from(n).unwrap_or(u32::MAX)))
}

/// Says which schema this store has from now on.
pub(crate) fn write_schema(
    meta: &mut Table<'_, &'static str, Bytes>,
    schema: u32,
) -> Result<(), StoreError> {
    meta.insert(SCHEMA_KEY, u64::from(schema).to_le_bytes().as_slice())?;
    Ok(())
}
