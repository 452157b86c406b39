use proptest::prelude::*;

use super::{Fixture, NOW, check_lists, commit, done, id, incoming, open, refused};
use crate::model::{FeedId, ListScope, ListSpec, Mark, StateMark};
use crate::store::StoreError;

fn two_feeds() -> (Fixture, Vec<FeedId>) {
    let fixture = Fixture::new();
    let feeds = fixture.subscribe(&["https://a.example/", "https://b.example/"]);
    fixture.entries(feeds[0], &[(1, 10), (2, 20), (3, 30)]);
    fixture.entries(feeds[1], &[(4, 15), (5, 25)]);
    (fixture, feeds)
}

fn unread(fixture: &Fixture) -> Vec<u64> {
    let rows = fixture.store.feeds().expect("rows");
    rows.iter().map(|row| row.unread).collect()
}

#[test]
fn a_mark_says_what_it_changed() {
    let (fixture, feeds) = two_feeds();
    let ids = vec![id(feeds[0], 1), id(feeds[1], 4), id(feeds[1], 99)];
    let marked = done(fixture.writer.mark(ids.clone(), Mark::Read(true)));
    assert_eq!(marked.count, 2);
    assert_eq!(
        marked.changed,
        [(ids[0], true, false), (ids[1], true, false)]
    );
    assert_eq!(marked.counts, [(feeds[0], 3, 2, 0), (feeds[1], 2, 1, 0)]);
    let again = done(fixture.writer.mark(ids, Mark::Read(true)));
    assert_eq!(again.count, 0);
    check_lists(&fixture.store);
}

#[test]
fn heads_are_not_rewritten_and_nothing_is_committed_by_a_mark_that_changes_nothing() {
    let (fixture, feeds) = two_feeds();
    let before = fixture.store.generation().expect("read");
    done(
        fixture
            .writer
            .mark(vec![id(feeds[0], 1)], Mark::Read(false)),
    );
    assert_eq!(fixture.store.generation().expect("read"), before);
    done(fixture.writer.mark(vec![id(feeds[0], 1)], Mark::Read(true)));
    assert_eq!(fixture.store.generation().expect("read"), before + 1);
}

#[test]
fn a_whole_list_is_marked_at_once() {
    let (fixture, feeds) = two_feeds();
    let spec = ListSpec {
        scope: ListScope::Feed(feeds[0]),
        ..ListSpec::default()
    };
    let marked = done(fixture.writer.mark_all(spec, Mark::Read(true), NOW));
    assert_eq!(marked.count, 3);
    assert_eq!(unread(&fixture), [0, 2]);
    let query = ListSpec {
        query: "05".to_owned(),
        ..ListSpec::default()
    };
    done(fixture.writer.mark_all(query, Mark::Starred(true), NOW));
    let starred: Vec<_> = fixture
        .store
        .feeds()
        .expect("rows")
        .iter()
        .map(|r| r.starred)
        .collect();
    assert_eq!(starred, [0, 1]);
    check_lists(&fixture.store);
}

#[test]
fn a_list_marked_while_polls_wait_has_their_entries_too() {
    let (fixture, feeds) = two_feeds();
    let poll = fixture
        .writer
        .poll(commit(feeds[0], vec![incoming(9, 9)], Vec::new()));
    let marked = done(
        fixture
            .writer
            .mark_all(ListSpec::default(), Mark::Read(true), NOW),
    );
    assert_eq!(marked.count, 6);
    assert_eq!(done(poll).total, 4);
    assert_eq!(unread(&fixture), [0, 0]);
}

#[test]
fn undo_takes_back_the_last_act_also_of_an_earlier_process() {
    let (fixture, feeds) = two_feeds();
    done(fixture.writer.mark(vec![id(feeds[0], 1)], Mark::Read(true)));
    done(
        fixture
            .writer
            .mark_all(ListSpec::default(), Mark::Read(true), NOW),
    );
    assert_eq!(unread(&fixture), [0, 0]);
    done(fixture.writer.close());
    let opened = open(&fixture.dir);
    let undone = done(opened.writer.undo());
    assert_eq!(undone.count, 4, "the one read before stays read");
    assert_eq!(
        done(opened.writer.undo()).changed,
        [(id(feeds[0], 1), false, false)]
    );
    assert_eq!(done(opened.writer.undo()).count, 0, "nothing is left");
    check_lists(&opened.store);
}

#[test]
fn undo_leaves_alone_what_was_marked_otherwise_since() {
    let (fixture, feeds) = two_feeds();
    done(
        fixture
            .writer
            .mark_all(ListSpec::default(), Mark::Read(true), NOW),
    );
    done(
        fixture
            .writer
            .mark(vec![id(feeds[0], 1)], Mark::Read(false)),
    );
    done(fixture.writer.undo());
    assert_eq!(unread(&fixture), [0, 0]);
    done(fixture.writer.undo());
    assert_eq!(unread(&fixture), [3, 2]);
}

#[test]
fn twenty_acts_can_be_undone() {
    let (fixture, feeds) = two_feeds();
    for n in 0..25 {
        done(
            fixture
                .writer
                .mark(vec![id(feeds[0], 1)], Mark::Starred(n % 2 == 0)),
        );
    }
    let undone = (0..30)
        .filter(|_| done(fixture.writer.undo()).count > 0)
        .count();
    assert_eq!(undone, 20);
}

#[test]
fn marks_travel_also_ahead_of_their_entries_and_feeds() {
    let (from, feeds) = two_feeds();
    done(
        from.writer
            .mark(vec![id(feeds[0], 1), id(feeds[1], 4)], Mark::Read(true)),
    );
    done(from.writer.mark(vec![id(feeds[0], 2)], Mark::Starred(true)));
    let marks = from.store.export_marks().expect("marks");
    assert_eq!(marks.len(), 3);

    let to = Fixture::new();
    let first = to.subscribe(&["HTTPS://A.example"])[0];
    to.entries(first, &[(1, 10)]);
    let marked = done(to.writer.import_marks(marks.clone()));
    assert_eq!(marked.counts, [(first, 1, 0, 0)]);
    assert_eq!(
        to.store
            .known_entries(first, &[super::key(2)])
            .expect("read"),
        [None]
    );
    to.entries(first, &[(2, 20), (3, 30)]);
    let second = to.subscribe(&["https://a.example/", "https://b.example/"])[1];
    to.entries(second, &[(4, 15), (5, 25)]);
    let found: Vec<_> = to
        .store
        .feeds()
        .expect("rows")
        .iter()
        .map(|row| (row.total, row.unread, row.starred))
        .collect();
    assert_eq!(found, [(3, 2, 1), (2, 1, 0)]);
    let mut back = to.store.export_marks().expect("marks");
    for mark in &mut back {
        mark.feed_url = String::new();
    }
    let mut marks: Vec<_> = marks
        .into_iter()
        .map(|mark| StateMark {
            feed_url: String::new(),
            ..mark
        })
        .collect();
    marks.sort_by(|a, b| a.key.cmp(&b.key));
    back.sort_by(|a, b| a.key.cmp(&b.key));
    assert_eq!(back, marks);
    check_lists(&to.store);
}

#[test]
fn an_import_takes_no_mark_away() {
    let (fixture, feeds) = two_feeds();
    done(fixture.writer.mark(vec![id(feeds[0], 1)], Mark::Read(true)));
    let marked = done(fixture.writer.import_marks(vec![StateMark {
        feed_url: "https://a.example/".to_owned(),
        key: super::key(1).to_string(),
        starred: true,
        ..StateMark::default()
    }]));
    assert_eq!(marked.changed, [(id(feeds[0], 1), true, true)]);
    assert_eq!(
        done(fixture.writer.undo()).changed,
        [(id(feeds[0], 1), true, false)]
    );
}

#[derive(Debug, Clone)]
enum Act {
    Poll(u32, Vec<u64>),
    Edit(u32, u64),
    Mark(Vec<(u32, u64)>, Mark),
    MarkAll(Option<u32>, bool, Mark),
    Undo,
    Redo,
    Import(u32, u64, bool),
    Subscribe(bool, bool),
}

fn marks() -> impl Strategy<Value = Mark> {
    prop_oneof![
        any::<bool>().prop_map(Mark::Read),
        any::<bool>().prop_map(Mark::Starred)
    ]
}

fn acts() -> impl Strategy<Value = Act> {
    prop_oneof![
        (0..2_u32, prop::collection::vec(0..12_u64, 0..6)).prop_map(|(f, n)| Act::Poll(f, n)),
        (0..2_u32, 0..12_u64).prop_map(|(f, n)| Act::Edit(f, n)),
        (prop::collection::vec((0..2_u32, 0..12_u64), 0..6), marks())
            .prop_map(|(ids, mark)| Act::Mark(ids, mark)),
        (prop::option::of(0..2_u32), any::<bool>(), marks())
            .prop_map(|(feed, unread, mark)| Act::MarkAll(feed, unread, mark)),
        Just(Act::Undo),
        Just(Act::Redo),
        (0..2_u32, 0..12_u64, any::<bool>()).prop_map(|(f, n, s)| Act::Import(f, n, s)),
        (any::<bool>(), any::<bool>()).prop_map(|(a, b)| Act::Subscribe(a, b)),
    ]
}

const BOTH: [&str; 2] = ["https://a.example/", "https://b.example/"];

fn perform(fixture: &Fixture, act: Act) {
    match act {
        Act::Poll(feed, mut numbers) => {
            numbers.sort_unstable();
            numbers.dedup();
            let dated: Vec<_> = numbers.into_iter().map(|n| (n, n as i64 % 4)).collect();
            fixture.entries(FeedId(feed), &dated);
        }
        Act::Edit(feed, n) => {
            fixture.poll(commit(FeedId(feed), Vec::new(), vec![incoming(n, 7)]));
        }
        Act::Mark(ids, mark) => {
            let ids = ids
                .into_iter()
                .map(|(feed, n)| id(FeedId(feed), n))
                .collect();
            done(fixture.writer.mark(ids, mark));
        }
        Act::MarkAll(feed, unread_only, mark) => {
            let spec = ListSpec {
                scope: feed.map_or(ListScope::All, |feed| ListScope::Feed(FeedId(feed))),
                unread_only,
                ..ListSpec::default()
            };
            done(fixture.writer.mark_all(spec, mark, NOW));
        }
        Act::Undo => drop(done(fixture.writer.undo())),
        Act::Redo => drop(done(fixture.writer.redo())),
        Act::Import(feed, n, starred) => {
            let mark = StateMark {
                feed_url: BOTH[feed as usize].to_owned(),
                key: super::key(n).to_string(),
                read: !starred,
                starred,
                ..StateMark::default()
            };
            done(fixture.writer.import_marks(vec![mark]));
        }
        Act::Subscribe(a, b) => {
            let wanted = [a, b];
            let urls: Vec<_> = BOTH.into_iter().zip(wanted).filter(|(_, w)| *w).collect();
            let urls: Vec<_> = urls.into_iter().map(|(url, _)| url).collect();
            fixture.subscribe(&urls);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn counts_and_lists_agree_with_the_entries_after_any_acts(
        acts in prop::collection::vec(acts(), 1..25),
    ) {
        let fixture = Fixture::new();
        fixture.subscribe(&BOTH);
        for act in acts {
            perform(&fixture, act);
        }
        let (kept, counted) = fixture.counts();
        prop_assert_eq!(kept, counted);
        check_lists(&fixture.store);
    }
}

#[test]
fn after_the_end_everything_is_answered_with_closed() {
    let (fixture, feeds) = two_feeds();
    done(fixture.writer.close());
    let error = refused(fixture.writer.mark(vec![id(feeds[0], 1)], Mark::Read(true)));
    assert!(matches!(error, StoreError::Closed));
    assert!(matches!(fixture.store.feeds(), Err(StoreError::Closed)));
}
