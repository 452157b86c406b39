use std::thread;

use tempfile::TempDir;

use super::{
    Fixture, NOW, check_lists, commit, done, id, incoming, not_modified, open, subscriptions,
};
use crate::model::{FeedId, Mark};
use crate::store::tables::SCHEMA;
use crate::store::{Opened, StoreError};

#[test]
fn two_writers_lose_nothing() {
    let dir = TempDir::new().expect("a folder");
    let opened: Vec<Opened> = vec![open(&dir), open(&dir)];
    let list = subscriptions(&["https://a.example/", "https://b.example/"]);
    done(opened[0].writer.reconcile(list, NOW));
    thread::scope(|scope| {
        for (side, opened) in opened.iter().enumerate() {
            scope.spawn(move || {
                for n in 0..20_u64 {
                    let n = n * 2 + side as u64;
                    // Both write about the same feed: numbers, counts and rings are shared.
                    let poll = commit(FeedId(0), vec![incoming(n, n as i64)], Vec::new());
                    let row = opened.writer.poll(poll);
                    done(opened.writer.flush());
                    done(row);
                    done(
                        opened
                            .writer
                            .mark(vec![id(FeedId(0), n)], Mark::Read(n % 4 < 2)),
                    );
                }
            });
        }
    });
    for opened in &opened {
        let row = opened.store.row(FeedId(0)).expect("read").expect("row");
        assert_eq!((row.total, row.unread), (40, 20));
        assert_eq!(opened.store.ledger(FeedId(0)).expect("read").0.len(), 40);
        assert_eq!(
            opened.store.days(NOW.day()..=NOW.day()).expect("read")[0]
                .1
                .not_modified304,
            40
        );
        check_lists(&opened.store);
    }
    assert!(opened[0].store.foreign_commits().expect("read") > 0);
    assert!(!opened[0].exclusive);
}

#[test]
fn a_reader_sees_that_somebody_else_wrote_and_not_that_itself_did() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/"])[0];
    fixture.poll(not_modified(feed, NOW));
    assert_eq!(fixture.store.foreign_commits().expect("read"), 0);
    let other = open(&fixture.dir);
    assert_eq!(other.store.foreign_commits().expect("read"), 0);
    fixture.poll(not_modified(feed, NOW));
    assert_eq!(fixture.store.foreign_commits().expect("read"), 0);
    assert_eq!(other.store.foreign_commits().expect("read"), 1);
}

#[test]
fn many_processes_may_make_the_store_at_once() {
    let dir = TempDir::new().expect("a folder");
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let opened = open(&dir);
                assert_eq!(opened.notices, [""; 0]);
                done(opened.writer.reconcile(subscriptions(&["a.example"]), NOW));
                done(opened.writer.close());
            });
        }
    });
    assert_eq!(open(&dir).store.feeds().expect("rows").len(), 1);
}

#[test]
fn polls_are_committed_together_and_without_being_asked() {
    let fixture = Fixture::new();
    let urls: Vec<_> = (0..50).map(|n| format!("https://h{n}.example/")).collect();
    let feeds = fixture.subscribe(&urls.iter().map(String::as_str).collect::<Vec<_>>());
    let before = fixture.store.generation().expect("read");
    let replies: Vec<_> = feeds
        .iter()
        .map(|feed| fixture.writer.poll(not_modified(*feed, NOW)))
        .collect();
    for reply in replies {
        done(reply);
    }
    let commits = fixture.store.generation().expect("read") - before;
    assert!(commits <= 3, "{commits} commits for one burst");
}

#[test]
fn the_last_handle_dropped_commits_what_waits() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/"])[0];
    let Fixture { store, writer, dir } = fixture;
    let row = writer.poll(commit(feed, vec![incoming(1, 1)], Vec::new()));
    drop(writer);
    assert_eq!(done(row).total, 1);
    drop(store);
    assert_eq!(
        open(&dir)
            .store
            .row(feed)
            .expect("read")
            .expect("row")
            .total,
        1
    );
}

#[test]
fn a_writer_that_another_keeps_waiting_says_busy_and_goes_on() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/"])[0];
    let other = open(&fixture.dir);
    let database = other.store.shared.database().expect("open");
    let held = database.begin_write().expect("a transaction");
    let error = super::refused(fixture.writer.mark(vec![id(feed, 1)], Mark::Read(true)));
    assert!(error.is_busy(), "{error}");
    held.abort().expect("aborted");
    done(fixture.writer.mark(vec![id(feed, 1)], Mark::Read(true)));
}

#[test]
fn a_store_whose_layout_changed_under_us_is_not_written() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/"])[0];
    super::set_schema(&fixture.store, SCHEMA + 1);
    let error = super::refused(fixture.writer.mark(vec![id(feed, 1)], Mark::Read(true)));
    assert!(matches!(error, StoreError::Stale));
    assert!(error.to_string().contains("restart"));
}
