//! Tags of the user's own: what finds them, what takes them back, and what they outlive.

use std::fs;

use super::{Fixture, NOW, check_lists, commit, done, id, incoming, key, open};
use crate::model::{EntryId, FeedId, ListSpec, Mark, Window};
use crate::store::connect::named;
use crate::store::{Store, Take, pack};

fn one_feed() -> (Fixture, FeedId) {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/"])[0];
    fixture.entries(feed, &[(1, 10), (2, 20), (3, 30)]);
    (fixture, feed)
}

fn tagged(store: &Store, id: EntryId) -> Vec<String> {
    let entry = store.entry(id).expect("read").expect("stored");
    entry.head.tags
}

fn found(store: &Store, query: &str) -> Vec<(EntryId, Vec<String>)> {
    let spec = ListSpec {
        query: query.to_owned(),
        ..ListSpec::default()
    };
    let window = Window {
        after: 100,
        ..Window::default()
    };
    let page = store.list(&spec, &window, NOW).expect("a list");
    let heads = page.heads.into_iter();
    heads.map(|head| (head.id, head.tags)).collect()
}

fn tag(fixture: &Fixture, ids: &[EntryId], tag: &str, set: bool) -> u64 {
    done(fixture.writer.tag(ids.to_vec(), tag.to_owned(), set)).count
}

#[test]
fn a_query_finds_the_tags_of_an_entry_and_the_lists_show_them() {
    let (fixture, feed) = one_feed();
    let (one, two) = (id(feed, 1), id(feed, 2));
    assert_eq!(
        tag(&fixture, &[one, two, id(feed, 99)], "Later/Long", true),
        2
    );
    assert_eq!(tag(&fixture, &[one], "Later/Long", true), 0, "it had it");
    assert_eq!(tag(&fixture, &[one], "a", true), 1);
    let all = ["Later/Long".to_owned(), "a".to_owned()];
    for query in ["tag:later", "tag:later/long", "tag:later title:entry"] {
        let wanted = [(two, all[..1].to_vec()), (one, all.to_vec())];
        assert_eq!(found(&fixture.store, query), wanted, "{query}");
    }
    assert_eq!(found(&fixture.store, "tag:lat"), []);
    assert_eq!(found(&fixture.store, "not tag:later").len(), 1);
    assert_eq!(fixture.store.own_tags().expect("read"), all);
    assert_eq!(tag(&fixture, &[one, two], "a", false), 1);
    assert_eq!(fixture.store.own_tags().expect("read"), all[..1]);
    check_lists(&fixture.store);
}

#[test]
fn a_search_that_was_kept_knows_of_a_tag_set_since() {
    let (fixture, feed) = one_feed();
    let more: Vec<(u64, i64)> = (10..90).map(|n| (n, n as i64)).collect();
    fixture.entries(feed, &more);
    let query = "tag:x title:entry";
    assert_eq!(found(&fixture.store, query), []);
    tag(&fixture, &[id(feed, 1)], "x", true);
    assert_eq!(found(&fixture.store, query).len(), 1);
}

#[test]
fn tags_are_taken_back_and_set_again() {
    let (fixture, feed) = one_feed();
    let one = id(feed, 1);
    tag(&fixture, &[one], "a", true);
    let spec = ListSpec::default();
    let all = done(fixture.writer.tag_all(spec, "a".to_owned(), true, NOW));
    assert_eq!(all.count, 2);
    assert_eq!(done(fixture.writer.undo()).count, 2);
    assert_eq!(found(&fixture.store, "tag:a").len(), 1, "it had it before");
    assert_eq!(done(fixture.writer.redo()).count, 2);
    assert_eq!(found(&fixture.store, "tag:a").len(), 3);
    tag(&fixture, &[one], "a", false);
    assert_eq!(done(fixture.writer.undo()).count, 1);
    assert_eq!(found(&fixture.store, "tag:a").len(), 3);
}

#[test]
fn a_tag_outlives_its_entry_an_edit_and_another_guid() {
    let (fixture, feed) = one_feed();
    let one = id(feed, 1);
    tag(&fixture, &[one, id(feed, 2)], "a", true);
    fixture.poll(commit(feed, Vec::new(), vec![incoming(1, 10)]));
    assert_eq!(tagged(&fixture.store, one), ["a"]);
    let mut poll = commit(feed, Vec::new(), Vec::new());
    let changes = crate::parse::Changes {
        moved: vec![(key(1), incoming(7, 10))],
        ..Default::default()
    };
    poll.entries = pack(changes).expect("packed");
    fixture.poll(poll);
    assert_eq!(tagged(&fixture.store, id(feed, 7)), ["a"]);
    done(fixture.writer.prune(feed, Take::All, NOW));
    assert_eq!(found(&fixture.store, "tag:a"), []);
    assert!(fixture.store.own_tags().expect("read").is_empty());
    fixture.entries(feed, &[(2, 20)]);
    assert_eq!(tagged(&fixture.store, id(feed, 2)), ["a"]);
}

#[test]
fn tags_travel_also_ahead_of_their_entries_and_feeds() {
    let (from, feed) = one_feed();
    tag(&from, &[id(feed, 1), id(feed, 2)], "a", true);
    tag(&from, &[id(feed, 1)], "b", true);
    done(from.writer.mark(vec![id(feed, 2)], Mark::Starred(true)));
    let marks = from.store.export_marks().expect("marks");
    assert_eq!(marks.len(), 2);
    let to = Fixture::new();
    done(to.writer.import_marks(marks.clone()));
    let waiting = to.store.export_marks().expect("marks");
    let tags: usize = waiting.iter().map(|mark| mark.tags.len()).sum();
    assert_eq!(tags, 3, "{waiting:?}");
    let feed = to.subscribe(&["https://a.example/"])[0];
    to.entries(feed, &[(1, 10), (2, 20)]);
    assert_eq!(tagged(&to.store, id(feed, 1)), ["a", "b"]);
    assert_eq!(tagged(&to.store, id(feed, 2)), ["a"]);
    let mut back = to.store.export_marks().expect("marks");
    let mut marks = marks;
    for mark in marks.iter_mut().chain(&mut back) {
        mark.feed_url.clear();
    }
    marks.sort_by(|a, b| a.key.cmp(&b.key));
    back.sort_by(|a, b| a.key.cmp(&b.key));
    assert_eq!(back, marks);
    assert_eq!(done(to.writer.import_marks(back)).count, 0);
    check_lists(&to.store);
}

#[test]
fn a_damaged_store_keeps_its_tags() {
    let (fixture, feed) = one_feed();
    tag(&fixture, &[id(feed, 3)], "a", true);
    done(fixture.writer.close());
    fs::write(named(&fixture.path(), "suspect"), "").expect("written");
    let opened = open(&fixture.dir);
    assert!(!opened.notices.is_empty(), "it was made anew");
    assert_eq!(tagged(&opened.store, id(feed, 3)), ["a"]);
}

#[test]
fn a_new_entry_begins_with_the_tags_that_rules_give_it() {
    let (fixture, feed) = one_feed();
    let mut poll = commit(feed, vec![incoming(8, 40), incoming(9, 50)], Vec::new());
    let ruled = [Vec::new(), vec!["x".to_owned(), "y".to_owned()]];
    let ruled = ruled
        .into_iter()
        .map(|tags| (crate::query::RuledMarks::default(), tags));
    poll.entries.begin_with(ruled, Vec::new());
    fixture.poll(poll);
    assert_eq!(tagged(&fixture.store, id(feed, 9)), ["x", "y"]);
    assert_eq!(tagged(&fixture.store, id(feed, 8)), Vec::<String>::new());
}
