//! What goes, what stays, and that nothing comes back.

use std::time::Duration;

use super::{Fixture, NOW, check_lists, commit, done, id, incoming, key};
use crate::model::{FeedId, FullText, Keep, Kept, Mark, Pruned, Validators};
use crate::store::{Store, Take};

fn most(entries: u64) -> Keep {
    Keep {
        entries: Some(entries),
        ..Keep::default()
    }
}

/// A feed with entries 1 to 5, the later the newer.
fn feed_of_five() -> (Fixture, FeedId) {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/"])[0];
    fixture.entries(feed, &[(1, 10), (2, 20), (3, 30), (4, 40), (5, 50)]);
    (fixture, feed)
}

fn there(fixture: &Fixture, feed: FeedId) -> Vec<u64> {
    let has = |n: &u64| {
        let entry = fixture.store.entry(id(feed, *n)).expect("read");
        entry.is_some()
    };
    (1..=9).filter(has).collect()
}

fn prune(fixture: &Fixture, feed: FeedId, take: Take) -> Pruned {
    let foreseen = fixture.store.prunable(feed, take, NOW).expect("read");
    let (pruned, more) = done(fixture.writer.prune(feed, take, NOW));
    assert!(!more);
    assert_eq!(pruned, foreseen, "a dry run says what goes");
    check_lists(&fixture.store);
    pruned
}

/// Its key is known, and nothing else of it.
fn is_pruned(store: &Store, feed: FeedId, n: u64) -> bool {
    let known = store.known_entries(feed, &[key(n)]).expect("read");
    known[0]
        .as_ref()
        .is_some_and(|known| known.content_hash.is_none())
}

#[test]
fn the_oldest_go_and_starred_ones_stay() {
    let (fixture, feed) = feed_of_five();
    done(fixture.writer.mark(vec![id(feed, 1)], Mark::Starred(true)));
    done(fixture.writer.mark(vec![id(feed, 4)], Mark::Read(true)));
    let pruned = prune(&fixture, feed, Take::Beyond(most(2)));
    assert_eq!((pruned.feeds, pruned.entries), (1, 2));
    assert!(pruned.bytes > 0);
    assert_eq!(there(&fixture, feed), [1, 4, 5]);
    let row = &fixture.store.feeds().expect("rows")[0];
    assert_eq!((row.total, row.unread, row.starred), (3, 2, 1));
    assert_eq!(
        prune(&fixture, feed, Take::Beyond(most(2))),
        Pruned::default()
    );
    assert_eq!(
        prune(&fixture, feed, Take::Beyond(most(0))),
        Pruned::default()
    );
    assert_eq!(prune(&fixture, feed, Take::All).entries, 2);
    assert_eq!(there(&fixture, feed), [1]);
}

#[test]
fn what_is_kept_of_an_entry_besides_goes_with_it() {
    let (fixture, feed) = feed_of_five();
    let mut edited = incoming(1, 10);
    edited.body.text = "another text".to_owned();
    fixture.poll(commit(feed, Vec::new(), vec![edited]));
    assert_eq!(fixture.blocks(), 2);
    let full = FullText {
        text: "<p>All of it.</p>".to_owned(),
        ..FullText::default()
    };
    let validators = Validators::default();
    assert!(done(fixture.writer.full_text(
        id(feed, 1),
        full,
        validators
    )));
    fixture.writer.place(id(feed, 1), 9);
    prune(&fixture, feed, Take::All);
    assert_eq!(fixture.blocks(), 0, "the text before the edit went too");
    // Subscribed again, it comes back without what belonged to its former self.
    fixture.entries(feed, &[(1, 10)]);
    let back = fixture.store.opened(id(feed, 1)).expect("read");
    assert_eq!(back.expect("stored").1, Kept::default());
}

#[test]
fn what_is_too_old_or_too_much_text_goes() {
    let (fixture, feed) = feed_of_five();
    let seconds = u64::try_from(NOW.0 - 1_767_225_600 - 30).expect("after 2026");
    let young = Keep {
        age: Some(Duration::from_secs(seconds)),
        ..Keep::default()
    };
    assert_eq!(prune(&fixture, feed, Take::Beyond(young)).entries, 2);
    assert_eq!(there(&fixture, feed), [3, 4, 5]);
    let all = fixture.store.prunable(feed, Take::All, NOW).expect("read");
    let small = Keep {
        size: Some(all.bytes - 1),
        ..Keep::default()
    };
    assert_eq!(prune(&fixture, feed, Take::Beyond(small)).entries, 1);
    assert_eq!(there(&fixture, feed), [4, 5]);
}

#[test]
fn what_went_never_comes_back_as_new_and_keeps_its_mark() {
    let (fixture, feed) = feed_of_five();
    done(fixture.writer.mark(vec![id(feed, 2)], Mark::Read(true)));
    prune(&fixture, feed, Take::Beyond(most(1)));
    assert!(is_pruned(&fixture.store, feed, 2));
    // A program that brings it all the same, as a refetch may: it is read as before.
    fixture.poll(commit(feed, vec![incoming(2, 20)], Vec::new()));
    let entry = fixture
        .store
        .entry(id(feed, 2))
        .expect("read")
        .expect("there");
    assert!(!entry.head.unread);
    check_lists(&fixture.store);
}

#[test]
fn what_a_feed_left_behind_comes_back_with_its_mark_when_the_feed_does() {
    let (fixture, feed) = feed_of_five();
    done(fixture.writer.mark(vec![id(feed, 2)], Mark::Read(true)));
    assert_eq!(prune(&fixture, feed, Take::All).entries, 5);
    let known = fixture.store.known_entries(feed, &[key(2)]).expect("read");
    assert!(known[0].is_none(), "as good as new");
    fixture.entries(feed, &[(2, 20), (3, 30)]);
    let unread = |n| {
        let entry = fixture.store.entry(id(feed, n)).expect("read");
        entry.map(|entry| entry.head.unread)
    };
    assert_eq!((unread(2), unread(3)), (Some(false), Some(true)));
    check_lists(&fixture.store);
}

#[test]
fn a_poll_that_brings_entries_holds_the_feed_to_its_limits() {
    let (fixture, feed) = feed_of_five();
    let mut brought = commit(feed, vec![incoming(6, 60), incoming(7, 5)], Vec::new());
    brought.keep = most(3);
    let row = fixture.poll(brought);
    assert_eq!(
        there(&fixture, feed),
        [4, 5, 6],
        "the old one that was new as well"
    );
    assert!(is_pruned(&fixture.store, feed, 7));
    check_lists(&fixture.store);
    let now = fixture.store.feeds().expect("rows");
    assert_eq!(now[0].total, 3);
    assert_eq!(
        (row.total, row.unread),
        (now[0].total, now[0].unread),
        "the row that was told"
    );
}

#[test]
fn many_go_in_several_transactions() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/"])[0];
    let many: Vec<(u64, i64)> = (1..=2_100).map(|n| (n, n as i64)).collect();
    fixture.entries(feed, &many);
    let (first, more) = done(fixture.writer.prune(feed, Take::All, NOW));
    assert_eq!((first.entries, more), (2_000, true));
    let (rest, more) = done(fixture.writer.prune(feed, Take::All, NOW));
    assert_eq!((rest.entries, more), (100, false));
    check_lists(&fixture.store);
}

#[test]
fn a_store_that_was_emptied_shrinks_when_nobody_has_it_open() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/"])[0];
    let many: Vec<(u64, i64)> = (1..=3_000).map(|n| (n, n as i64)).collect();
    fixture.entries(feed, &many);
    while done(fixture.writer.prune(feed, Take::All, NOW)).1 {}
    let path = fixture.path();
    assert!(Store::compact(&path).is_err_and(|error| error.is_busy()));
    let Fixture { dir, store, writer } = fixture;
    drop((store, writer));
    let (before, after) = loop {
        // The writer ends when it sees that nobody holds it any more.
        match Store::compact(&path) {
            Ok(sizes) => break sizes,
            Err(error) if error.is_busy() => std::thread::yield_now(),
            Err(error) => panic!("{error}"),
        }
    };
    assert!(after < before, "{before} -> {after}");
    let opened = super::open(&dir);
    check_lists(&opened.store);
}
