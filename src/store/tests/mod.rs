//! Tests that need the whole room: a store in a temporary folder, filled through the writer.

mod adopting;
mod damage;
mod lists;
mod marking;
mod own_tags;
mod polls;
mod processes;
mod prune;
mod search;
mod subscriptions;
mod twins;
mod undo;

use std::path::PathBuf;

use redb::ReadableDatabase;
use tempfile::TempDir;

use super::tables::Tables;
use super::{
    About, Opened, Packed, PackedExchanges, PollCommit, Reply, Store, StoreError, Writer, pack,
};
use crate::model::{
    AuditRecord, Counters, EntryBody, EntryId, EntryKey, FeedId, HostKey, HostState, Incoming,
    OutcomeCode, Pace, PollState, Schedule, Subscription, Timestamp, Why,
};
use crate::parse::Changes;

pub(super) const NOW: Timestamp = Timestamp(1_796_000_000);
const CACHE: usize = 8 * 1024 * 1024;

/// A store in a folder of its own.
pub(super) struct Fixture {
    pub store: Store,
    pub writer: Writer,
    pub dir: TempDir,
}

impl Fixture {
    pub(super) fn new() -> Self {
        let dir = TempDir::new().expect("a folder");
        let opened = open(&dir);
        Self {
            store: opened.store,
            writer: opened.writer,
            dir,
        }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.dir.path().join("tidings.redb")
    }

    /// Subscribes to exactly these URLs; their numbers in this order.
    pub(super) fn subscribe(&self, urls: &[&str]) -> Vec<FeedId> {
        done(self.writer.reconcile(subscriptions(urls), NOW));
        urls.iter()
            .map(|url| self.store.feed_id(url).expect("read").expect("there"))
            .collect()
    }

    /// Commits a poll and waits for it.
    pub(super) fn poll(&self, commit: PollCommit) -> crate::model::FeedRow {
        let row = self.writer.poll(commit);
        done(self.writer.flush());
        done(row)
    }

    /// Stores entries of `feed`, numbered and dated as given, new at `NOW`.
    pub(super) fn entries(&self, feed: FeedId, numbers: &[(u64, i64)]) {
        let new = numbers.iter().map(|&(n, date)| incoming(n, date)).collect();
        self.poll(commit(feed, new, Vec::new()));
    }

    /// Counts as kept, and as they would be if they were counted.
    pub(super) fn counts(&self) -> (Vec<Counts>, Vec<Counts>) {
        let database = self.store.shared.database().expect("open");
        let txn = database.begin_read().expect("read");
        let kept = txn.open_table(super::tables::COUNTS).expect("table");
        let kept = {
            use redb::ReadableTable;
            kept.iter()
                .expect("rows")
                .map(|row| {
                    let (feed, counts) = row.expect("row");
                    let (total, unread, starred) = counts.value();
                    (feed.value(), total, unread, starred)
                })
                .collect()
        };
        (kept, recount(&txn))
    }
}

type Counts = (u32, u64, u64, u64);

fn recount(txn: &redb::ReadTransaction) -> Vec<Counts> {
    use super::tables::{FEEDS, HEADS, MARKS};
    use redb::ReadableTable;
    let marks = txn.open_table(MARKS).expect("table");
    let mut counts: std::collections::BTreeMap<u32, (u64, u64, u64)> = txn
        .open_table(FEEDS)
        .expect("table")
        .iter()
        .expect("rows")
        .map(|row| (row.expect("row").0.value(), (0, 0, 0)))
        .collect();
    for row in txn.open_table(HEADS).expect("table").iter().expect("rows") {
        let (no, value) = row.expect("row");
        let head: super::records::HeadV1 = super::records::decode(value.value()).expect("head");
        let bits = marks
            .get(no.value())
            .expect("mark")
            .map_or(0, |b| b.value());
        let count = counts.entry(head.feed).or_default();
        count.0 += 1;
        count.1 += u64::from(bits & super::codes::READ == 0);
        count.2 += u64::from(bits & super::codes::STARRED != 0);
    }
    counts
        .into_iter()
        .map(|(feed, (total, unread, starred))| (feed, total, unread, starred))
        .collect()
}

/// Every list that is kept beside the entries says what the entries and marks say.
pub(super) fn check_lists(store: &Store) {
    use super::tables::{BY_DATE, BY_FEED, HEADS, KEYS, MARKS, STARRED, UNREAD, UNREAD_FEED};
    use redb::{ReadableTable, ReadableTableMetadata};
    let database = store.shared.database().expect("open");
    let txn = database.begin_read().expect("read");
    macro_rules! table {
        ($name:ident) => {
            txn.open_table($name).expect("table")
        };
    }
    let (marks, keys) = (table!(MARKS), table!(KEYS));
    let (mut total, mut unread, mut starred) = (0, 0, 0);
    for row in table!(HEADS).iter().expect("rows") {
        let (no, value) = row.expect("row");
        let no = no.value();
        let head: super::records::HeadV1 = super::records::decode(value.value()).expect("head");
        let bits = marks.get(no).expect("mark").map_or(0, |b| b.value());
        let (date, feed_date) = ((head.sort, no), (head.feed, head.sort, no));
        let is_unread = bits & super::codes::READ == 0;
        let is_starred = bits & super::codes::STARRED != 0;
        total += 1;
        unread += u64::from(is_unread);
        starred += u64::from(is_starred);
        assert_eq!(
            keys.get((head.feed, &head.key))
                .expect("key")
                .map(|k| k.value().0),
            Some(no)
        );
        assert!(table!(BY_DATE).get(date).expect("row").is_some());
        assert!(table!(BY_FEED).get(feed_date).expect("row").is_some());
        assert_eq!(table!(UNREAD).get(date).expect("row").is_some(), is_unread);
        assert_eq!(
            table!(UNREAD_FEED).get(feed_date).expect("row").is_some(),
            is_unread
        );
        assert_eq!(
            table!(STARRED).get(date).expect("row").is_some(),
            is_starred
        );
    }
    assert_eq!(table!(BY_DATE).len().expect("len"), total);
    assert_eq!(table!(BY_FEED).len().expect("len"), total);
    assert_eq!(table!(UNREAD).len().expect("len"), unread);
    assert_eq!(table!(UNREAD_FEED).len().expect("len"), unread);
    assert_eq!(table!(STARRED).len().expect("len"), starred);
}

pub(super) fn open(dir: &TempDir) -> Opened {
    Store::open(&dir.path().join("tidings.redb"), CACHE, NOW).expect("a store")
}

/// Waits for an answer that must be good.
pub(super) fn done<T>(reply: Reply<T>) -> T {
    reply
        .blocking_recv()
        .expect("an answer")
        .expect("a good one")
}

/// Waits for an answer that must be an error.
pub(super) fn refused<T: std::fmt::Debug>(reply: Reply<T>) -> StoreError {
    reply
        .blocking_recv()
        .expect("an answer")
        .expect_err("an error")
}

pub(super) fn subscriptions(urls: &[&str]) -> Vec<Subscription> {
    urls.iter()
        .map(|url| Subscription {
            url: (*url).to_owned(),
            ..Subscription::default()
        })
        .collect()
}

pub(super) fn key(n: u64) -> EntryKey {
    let mut key = [0; 16];
    // Spread like a hash, so that the order of the keys is not that of the numbers.
    key[..8].copy_from_slice(&n.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes());
    key[8..].copy_from_slice(&n.to_be_bytes());
    EntryKey(key)
}

pub(super) fn id(feed: FeedId, n: u64) -> EntryId {
    EntryId { feed, key: key(n) }
}

/// Entry number `n` of its feed, dated `date` seconds after the beginning of 2026.
pub(super) fn incoming(n: u64, date: i64) -> Incoming {
    Incoming {
        key: key(n),
        guid: format!("https://example.org/{n}"),
        title: format!("Entry {:02}", n % 100),
        link: Some(format!("https://example.org/{n}")),
        author: "Ann".to_owned(),
        published: Some(Timestamp(1_767_225_600 + date)),
        updated: None,
        enclosures: Vec::new(),
        body: EntryBody {
            text: format!("<p>The text of entry {n}.</p>"),
            ..EntryBody::default()
        },
        content_hash: [n as u8; 32],
    }
}

/// A poll that brought these, answered 200, due again in an hour.
pub(super) fn commit(feed: FeedId, new: Vec<Incoming>, edited: Vec<Incoming>) -> PollCommit {
    PollCommit {
        entries: pack(Changes {
            new,
            edited,
            ..Changes::default()
        })
        .expect("packed"),
        about: Some(About {
            title: "A feed".to_owned(),
            site: Some("https://example.org".to_owned()),
            hubs: Vec::new(),
            topic: None,
        }),
        ..not_modified(feed, NOW)
    }
}

/// A poll answered 304 at `at`.
pub(super) fn not_modified(feed: FeedId, at: Timestamp) -> PollCommit {
    let why = Why::Base(3600);
    PollCommit {
        keep: crate::model::Keep::default(),
        cursor: None,
        withdrawn: crate::store::Withdrawn::default(),
        memory: crate::model::Memory::Nothing,
        feed,
        at,
        state: PollState {
            schedule: Schedule {
                next: Some(at.plus(3600)),
                set_at: at,
                why,
                ..Schedule::default()
            },
            ..PollState::default()
        },
        host: Some((HostKey("example.org:443".to_owned()), HostState::default())),
        turn: 0,
        validators: Vec::new(),
        about: None,
        entries: Packed::default(),
        audit: AuditRecord {
            at,
            times: 1,
            status: 304,
            hops: Vec::new(),
            url_hash: 0xDEAD_BEEF,
            sent_etag: 0xDEAD_BEEF,
            sent_date: 0xDEAD_BEEF,
            got_etag: 0xDEAD_BEEF,
            got_date: 0xDEAD_BEEF,
            wire: 0,
            decoded: 0,
            ms: 120,
            new: 0,
            updated: 0,
            outcome: OutcomeCode::NotModified,
            next: Some(at.plus(3600)),
            why,
            pace: Pace::Scheduled,
        },
        exchanges: PackedExchanges::default(),
        delta: Counters {
            not_modified304: 1,
            conditional: 1,
            ..Counters::default()
        },
    }
}

#[test]
fn a_new_store_has_all_its_tables() {
    let fixture = Fixture::new();
    let database = fixture.store.shared.database().expect("open");
    let tables = database
        .begin_read()
        .expect("read")
        .list_tables()
        .expect("tables")
        .count();
    let txn = database.begin_write().expect("write");
    drop(Tables::open(&txn).expect("all"));
    assert_eq!(txn.list_tables().expect("tables").count(), tables);
}

impl Fixture {
    /// Blocks of bodies stored.
    fn blocks(&self) -> u64 {
        use redb::ReadableTableMetadata;
        let database = self.store.shared.database().expect("open");
        let txn = database.begin_read().expect("read");
        let table = txn.open_table(super::tables::BODIES).expect("table");
        table.len().expect("len")
    }
}

/// Says that the store has another layout.
fn set_schema(store: &Store, schema: u32) {
    let database = store.shared.database().expect("open");
    let txn = database.begin_write().expect("write");
    let mut meta = txn.open_table(super::tables::META).expect("table");
    super::tables::write_schema(&mut meta, schema).expect("written");
    drop(meta);
    txn.commit().expect("committed");
}
