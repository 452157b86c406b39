use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use redb::backends::FileBackend;
use redb::{
    BackendError, ConcurrencyMode, Database, ReadableDatabase, ReadableTableMetadata,
    StorageBackend,
};

use super::{CACHE, Fixture, NOW, check_lists, commit, done, id, incoming, open, refused};
use crate::model::{FeedId, Mark, Validators};
use crate::store::connect::{Opener, named};
use crate::store::migrate::{Rung, climb, migrate};
use crate::store::tables::{DUE, HEADS, META, SCHEMA, read_schema, write_schema};
use crate::store::{Opened, PollCommit, Store, StoreError};

/// Two feeds with many entries, one read, one starred; closed.
fn filled() -> Fixture {
    let fixture = Fixture::new();
    let feeds = fixture.subscribe(&["https://a.example/", "https://b.example/"]);
    for feed in &feeds {
        let numbers: Vec<_> = (0..300).map(|n| (n, n as i64)).collect();
        fixture.entries(*feed, &numbers);
    }
    done(fixture.writer.mark(vec![id(feeds[0], 1)], Mark::Read(true)));
    done(
        fixture
            .writer
            .mark(vec![id(feeds[1], 2)], Mark::Starred(true)),
    );
    done(fixture.writer.close());
    fixture
}

fn beside(path: &Path, word: &str) -> Vec<PathBuf> {
    let folder = path.parent().expect("a folder");
    fs::read_dir(folder)
        .expect("readable")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().contains(word))
        .collect()
}

#[test]
fn a_file_that_is_no_store_is_set_aside_and_said_so() {
    for rubbish in [&b"not a store"[..], &[0; 4096], &vec![7; 100_000]] {
        let fixture = Fixture::new();
        done(fixture.writer.close());
        fs::write(fixture.path(), rubbish).expect("written");
        let opened = open(&fixture.dir);
        assert_eq!(opened.notices.len(), 1, "{:?}", opened.notices);
        assert!(
            opened.notices[0].contains("damaged"),
            "{:?}",
            opened.notices
        );
        let aside = beside(&fixture.path(), "damaged-20261130-");
        assert_eq!(aside.len(), 1);
        assert_eq!(fs::read(&aside[0]).expect("read"), rubbish, "as it was");
        assert_eq!(opened.store.feeds().expect("rows"), []);
        done(opened.writer.close());
        assert_eq!(open(&fixture.dir).notices, [""; 0], "once");
    }
}

#[test]
fn a_store_cut_off_is_set_aside() {
    let fixture = filled();
    let length = fs::metadata(fixture.path()).expect("a file").len();
    let file = OpenOptions::new()
        .write(true)
        .open(fixture.path())
        .expect("open");
    file.set_len(length / 2).expect("cut");
    drop(file);
    let opened = open(&fixture.dir);
    assert_eq!(opened.notices.len(), 1);
    done(
        opened
            .writer
            .reconcile(super::subscriptions(&["a.example"]), NOW),
    );
    check_lists(&opened.store);
}

#[test]
fn a_whole_store_under_suspicion_is_rebuilt_without_loss() {
    let fixture = filled();
    fs::write(named(&fixture.path(), "suspect"), "").expect("written");
    let opened = open(&fixture.dir);
    assert!(
        opened.notices[0].contains("2 feeds and 600 entries"),
        "{:?}",
        opened.notices
    );
    let rows = opened.store.feeds().expect("rows");
    let counts: Vec<_> = rows
        .iter()
        .map(|r| (r.total, r.unread, r.starred))
        .collect();
    assert_eq!(counts, [(300, 299, 0), (300, 300, 1)]);
    check_lists(&opened.store);
    let entry = opened
        .store
        .entry(id(FeedId(1), 7))
        .expect("read")
        .expect("stored");
    assert_eq!(entry.body.text, "<p>The text of entry 7.</p>");
    let before = opened.store.due(NOW.plus(99_999)).expect("read");
    assert_eq!(before.len(), 2);
    // And goes on: no number is given twice.
    let poll = opened
        .writer
        .poll(commit(FeedId(0), vec![incoming(900, 9)], Vec::new()));
    done(opened.writer.flush());
    assert_eq!(done(poll).total, 301);
    check_lists(&opened.store);
    assert!(!named(&fixture.path(), "suspect").exists());
}

#[test]
fn whatever_page_is_destroyed_the_store_opens_again_and_is_consistent() {
    let whole = filled();
    let bytes = fs::read(whole.path()).expect("read");
    let pages = bytes.len() / 4096;
    let mut saved = 0;
    for page in (1..pages).step_by((pages / 12).max(1)) {
        let fixture = Fixture::new();
        done(fixture.writer.close());
        fs::write(fixture.path(), &bytes).expect("written");
        let mut file = OpenOptions::new()
            .write(true)
            .open(fixture.path())
            .expect("open");
        file.seek(SeekFrom::Start(page as u64 * 4096))
            .expect("there");
        file.write_all(&[0xA5; 4096]).expect("written");
        drop(file);
        fs::write(named(&fixture.path(), "suspect"), "").expect("written");
        let opened = open(&fixture.dir);
        let list = super::subscriptions(&["https://a.example/", "https://b.example/"]);
        done(opened.writer.reconcile(list, NOW));
        check_lists(&opened.store);
        let (kept, counted) = counts(&opened, fixture);
        assert_eq!(kept, counted, "page {page}");
        saved += kept.iter().map(|(_, total, ..)| total).sum::<u64>();
    }
    assert!(
        saved > 600 * 6,
        "most of it is saved most of the time: {saved}"
    );
}

fn counts(opened: &Opened, fixture: Fixture) -> (Vec<super::Counts>, Vec<super::Counts>) {
    Fixture {
        store: opened.store.clone(),
        ..fixture
    }
    .counts()
}

#[test]
fn a_crash_between_two_renames_loses_nothing() {
    let fixture = filled();
    fs::rename(fixture.path(), named(&fixture.path(), "rebuilt")).expect("moved");
    let opened = open(&fixture.dir);
    assert_eq!(opened.notices, [""; 0]);
    assert_eq!(opened.store.feeds().expect("rows").len(), 2);
}

#[test]
fn a_newer_store_is_refused_and_left_alone() {
    let fixture = filled();
    let opened = open(&fixture.dir);
    super::set_schema(&opened.store, SCHEMA + 4);
    done(opened.writer.close());
    let error = Store::open(&fixture.path(), CACHE, NOW).expect_err("refused");
    assert!(
        matches!(error, StoreError::Newer { found, known } if found == SCHEMA + 4 && known == SCHEMA),
        "{error}"
    );
    let database = Database::create(fixture.path()).expect("open");
    let txn = database.begin_read().expect("read");
    let schema = read_schema(&txn.open_table(META).expect("table")).expect("read");
    assert_eq!(schema, Some(SCHEMA + 4));
    assert_eq!(
        txn.open_table(HEADS).expect("table").len().expect("len"),
        600
    );
}

/// A layout that never was: `due` had its key the other way round.
const OLD_LADDER: &[Rung] = &[Rung {
    from: SCHEMA - 1,
    climb: |txn| {
        use redb::ReadableTable;
        const OLD: redb::TableDefinition<(u32, i64), ()> = redb::TableDefinition::new("due_0");
        let mut due = txn.open_table(DUE)?;
        for row in txn.open_table(OLD)?.iter()? {
            let (feed, at) = row?.0.value();
            due.insert((at, feed), ())?;
        }
        txn.delete_table(OLD)?;
        Ok(())
    },
}];

fn made_old(fixture: &Fixture) {
    const OLD: redb::TableDefinition<(u32, i64), ()> = redb::TableDefinition::new("due_0");
    let database = Database::create(fixture.path()).expect("open");
    let txn = database.begin_write().expect("write");
    {
        let mut due = txn.open_table(DUE).expect("table");
        let mut old = txn.open_table(OLD).expect("table");
        while let Some((key, _)) = due.pop_first().expect("row") {
            let (at, feed) = key.value();
            old.insert((feed, at), ()).expect("row");
        }
        let mut meta = txn.open_table(META).expect("table");
        write_schema(&mut meta, SCHEMA - 1).expect("written");
    }
    txn.commit().expect("committed");
}

#[test]
fn an_older_store_is_copied_and_climbs_the_ladder() {
    let fixture = filled();
    made_old(&fixture);
    let opener = Opener::of_file(&fixture.path(), CACHE);
    let said = migrate(&opener, OLD_LADDER, SCHEMA - 1, NOW).expect("migrated");
    let old = SCHEMA - 1;
    assert!(
        said.contains(&format!("from format {old} to {SCHEMA}")),
        "{said}"
    );
    assert_eq!(beside(&fixture.path(), &format!("format-{old}-")).len(), 1);
    let after = open(&fixture.dir);
    assert_eq!(after.notices, [""; 0]);
    assert_eq!(after.store.due(NOW.plus(99_999)).expect("read").len(), 2);
}

#[test]
fn a_rung_that_fails_leaves_the_old_layout_whole() {
    let fixture = filled();
    made_old(&fixture);
    let broken = [Rung {
        from: SCHEMA - 1,
        climb: |txn| {
            txn.delete_table(DUE)?;
            Err(StoreError::damaged("on purpose"))
        },
    }];
    let opener = Opener::of_file(&fixture.path(), CACHE);
    let database = opener.connect_alone().expect("open");
    climb(&database, &broken).expect_err("refused");
    climb(&database, OLD_LADDER).expect("all is still there");
    drop(database);
    assert_eq!(
        open(&fixture.dir)
            .store
            .due(NOW.plus(99_999))
            .expect("read")
            .len(),
        2
    );
}

#[test]
fn a_store_that_others_have_open_is_not_migrated() {
    let fixture = filled();
    let _other = open(&fixture.dir);
    let opener = Opener::of_file(&fixture.path(), CACHE);
    let error = migrate(&opener, OLD_LADDER, SCHEMA - 1, NOW).expect_err("refused");
    assert!(error.is_busy(), "{error}");
}

/// A disk with switches.
#[derive(Debug)]
struct Disk {
    file: FileBackend,
    /// Writes that still succeed: none is a full disk, or a process that was killed after the last of them.
    room: Arc<AtomicI64>,
    /// Ranges of bytes can be locked.
    ranges: bool,
}

/// Below this, what is written over succeeds, and what makes the file longer does not.
const NO_GROWTH: i64 = -PLENTY;
const PLENTY: i64 = i64::MAX / 2;

impl Disk {
    fn opener(path: &Path, room: &Arc<AtomicI64>, ranges: bool) -> Opener {
        let room = room.clone();
        let connect = move |path: &Path, cache: usize, mode: ConcurrencyMode| {
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(path)?;
            let disk = Self {
                file: FileBackend::new(file)?,
                room: room.clone(),
                ranges,
            };
            Database::builder()
                .set_cache_size(cache)
                .set_concurrency_mode(mode)
                .create_with_backend(disk)
        };
        Opener::with(path, CACHE, Arc::new(connect))
    }

    fn writable(&self) -> std::io::Result<()> {
        let room = self.room.fetch_sub(1, Ordering::SeqCst);
        if room <= 0 && room > NO_GROWTH {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }

    fn supports(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        let whole =
            matches!(start, Bound::Unbounded | Bound::Included(0)) && end == Bound::Unbounded;
        if self.ranges || whole {
            Ok(())
        } else {
            Err(BackendError::Unsupported)
        }
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> Result<u64, std::io::Error> {
        self.file.len()
    }
    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), std::io::Error> {
        self.file.read(offset, out)
    }
    fn set_len(&self, len: u64) -> Result<(), std::io::Error> {
        self.writable()?;
        if self.room.load(Ordering::SeqCst) <= NO_GROWTH && len > self.file.len()? {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        self.file.set_len(len)
    }
    fn sync_data(&self) -> Result<(), std::io::Error> {
        self.writable()?;
        self.file.sync_data()
    }
    fn write(&self, offset: u64, data: &[u8]) -> Result<(), std::io::Error> {
        self.writable()?;
        self.file.write(offset, data)
    }
    fn close(&self) -> Result<(), std::io::Error> {
        self.file.close()
    }
    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.supports(start, end)?;
        self.file.try_lock_range(start, end)
    }
    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.supports(start, end)?;
        self.file.try_lock_shared_range(start, end)
    }
    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.supports(start, end)?;
        self.file.lock_range(start, end)
    }
    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.supports(start, end)?;
        self.file.lock_shared_range(start, end)
    }
    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }
    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.supports(start, end)?;
        self.file.query_lock_range(start, end)
    }
}

#[test]
fn a_file_system_that_cannot_share_is_used_alone_and_said_so() {
    let fixture = Fixture::new();
    done(fixture.writer.close());
    let path = fixture.dir.path().join("alone.redb");
    let room = Arc::new(AtomicI64::new(PLENTY));
    let opened = Disk::opener(&path, &room, false)
        .open(NOW)
        .expect("a store");
    assert!(opened.exclusive);
    assert!(
        opened.notices[0].contains("cannot share"),
        "{:?}",
        opened.notices
    );
    let second = Disk::opener(&path, &room, false)
        .open(NOW)
        .expect_err("refused");
    assert!(second.is_busy(), "{second}");
    done(opened.writer.close());
    drop(opened);
    Disk::opener(&path, &room, false)
        .open(NOW)
        .expect("free again");
}

#[test]
fn on_a_full_disk_marks_are_kept_and_written_once_there_is_room() {
    let fixture = filled();
    let room = Arc::new(AtomicI64::new(PLENTY));
    let opened = Disk::opener(&fixture.path(), &room, true)
        .open(NOW)
        .expect("a store");
    let feed = FeedId(0);
    room.store(0, Ordering::SeqCst);
    let poll = opened
        .writer
        .poll(commit(feed, vec![incoming(900, 9)], Vec::new()));
    let error = refused(opened.writer.mark(vec![id(feed, 5)], Mark::Read(true)));
    assert!(matches!(error, StoreError::Unsaved { .. }), "{error}");
    assert!(matches!(refused(poll), StoreError::Io { .. }));
    room.store(PLENTY, Ordering::SeqCst);
    // The writer tries again by itself.
    let saved = || {
        opened
            .store
            .row(feed)
            .is_ok_and(|row| row.is_some_and(|row| row.unread == 298))
    };
    let mut patience = 200;
    while !saved() && patience > 0 {
        patience -= 1;
        std::thread::sleep(Duration::from_millis(25));
    }
    assert!(saved());
    let row = opened.store.row(feed).expect("read").expect("row");
    assert_eq!(
        row.total, 300,
        "the lost poll is asked again by its schedule"
    );
    check_lists(&opened.store);
}

#[test]
fn on_a_disk_too_full_to_grow_reading_goes_on() {
    let fixture = filled();
    let room = Arc::new(AtomicI64::new(PLENTY));
    let opened = Disk::opener(&fixture.path(), &room, true)
        .open(NOW)
        .expect("a store");
    room.store(NO_GROWTH, Ordering::SeqCst);
    let poll = opened.writer.poll(large());
    assert!(matches!(refused(poll), StoreError::Io { .. }));
    assert_eq!(opened.store.feeds().expect("read")[0].total, 300);
    room.store(PLENTY, Ordering::SeqCst);
    let mut patience = 200;
    loop {
        patience -= 1;
        match opened
            .writer
            .poll(large())
            .blocking_recv()
            .expect("an answer")
        {
            Ok(row) => return assert_eq!(row.total, 310),
            Err(error) => assert!(patience > 0, "{error}"),
        }
    }
}

/// A poll of 10 MB that cannot be compressed.
fn large() -> PollCommit {
    let entry = |n| {
        let mut entry = incoming(n, 9);
        let mut state = n;
        entry.body.text = std::iter::repeat_with(|| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            char::from_u32(0x4E00 + (state >> 50) as u32).unwrap_or('x')
        })
        .take(400_000)
        .collect();
        entry
    };
    commit(FeedId(0), (900..910).map(entry).collect(), Vec::new())
}

#[test]
fn a_group_cut_off_at_any_write_is_there_whole_or_not_at_all() {
    let base = Fixture::new();
    let urls: Vec<_> = (0..6).map(|n| format!("https://h{n}.example/")).collect();
    let feeds = base.subscribe(&urls.iter().map(String::as_str).collect::<Vec<_>>());
    base.entries(feeds[0], &[(1, 1)]);
    done(base.writer.close());
    let bytes = fs::read(base.path()).expect("read");
    let (mut lost, mut kept) = (0, 0);
    for writes in (0..400).step_by(7) {
        let fixture = Fixture::new();
        done(fixture.writer.close());
        fs::write(fixture.path(), &bytes).expect("written");
        let room = Arc::new(AtomicI64::new(PLENTY));
        let dying = Disk::opener(&fixture.path(), &room, true)
            .open(NOW)
            .expect("a store");
        room.store(writes, Ordering::SeqCst);
        let mut replies = Vec::new();
        for (feed, url) in feeds.iter().zip(&urls) {
            let new = (10..40).map(|n| incoming(n, n as i64)).collect();
            let mut poll = commit(*feed, new, Vec::new());
            let etag = Some(b"\"a\"".to_vec());
            poll.validators = vec![(
                url.clone(),
                Some(Validators {
                    etag,
                    last_modified: None,
                }),
            )];
            replies.push(dying.writer.poll(poll));
        }
        let marked = dying.writer.mark(vec![id(feeds[0], 1)], Mark::Read(true));
        let told = marked.blocking_recv().expect("an answer").is_ok();
        room.store(0, Ordering::SeqCst);
        drop(dying);
        let after = open(&fixture.dir);
        assert_eq!(after.notices, [""; 0], "a crash is no damage");
        check_lists(&after.store);
        let rows = after.store.feeds().expect("rows");
        let there = rows[1].total == 30;
        for row in &rows {
            let old = u64::from(row.feed.id == feeds[0]);
            assert_eq!(
                row.total - old,
                if there { 30 } else { 0 },
                "after {writes} writes"
            );
            assert_eq!(
                row.validators.etag.is_some(),
                there,
                "never ahead of the entries"
            );
        }
        assert_eq!(
            rows[0].unread == rows[0].total,
            !there,
            "the mark went with them"
        );
        assert!(there || !told, "what was answered is on disk");
        for reply in replies {
            assert_eq!(reply.blocking_recv().expect("an answer").is_ok(), told);
        }
        kept += u32::from(there);
        lost += u32::from(!there);
    }
    assert!(lost > 3 && kept > 3, "both were met: {lost} and {kept}");
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_with_its_name() {
    let fixture = Fixture::new();
    let path = fixture
        .dir
        .path()
        .join("no such folder")
        .join("tidings.redb");
    let error = Store::open(&path, CACHE, NOW).expect_err("refused");
    assert!(
        error.to_string().contains("could not open the store"),
        "{error}"
    );
    assert!(error.to_string().contains("no such folder"), "{error}");
}

#[cfg(unix)]
#[test]
fn the_file_is_the_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &std::path::Path| {
        let file = fs::metadata(path).expect("a file");
        file.permissions().mode() & 0o777
    };
    let fixture = Fixture::new();
    assert_eq!(mode(&fixture.path()), 0o600);
    // So is what lies beside it once it was damaged.
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("tidings.redb");
    fs::write(&path, "no store").expect("written");
    let _opened = Store::open(&path, CACHE, NOW).expect("opened");
    assert_eq!(mode(&path.with_file_name("tidings.redb.repair")), 0o600);
}

#[test]
fn a_store_found_damaged_is_called_so_by_every_later_question() {
    let fixture = filled();
    let opened = open(&fixture.dir);
    fs::write(named(&fixture.path(), "suspect"), "").expect("written");
    done(opened.writer.close());
    let error = opened.store.feeds().expect_err("no database");
    assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
    assert!(error.to_string().contains("start tidings again"), "{error}");
}
