//! A story that several feeds tell stands once, wherever the window begins, and marks go with what is seen.

use super::{Fixture, NOW, commit, done, id, incoming};
use crate::model::{
    Anchor, EntriesPage, FeedId, ListScope, ListSpec, Mark, Order, Part, Timestamp, Window,
};

const URLS: [&str; 3] = [
    "https://a.example/",
    "https://b.example/",
    "https://c.example/",
];

/// Entries by number, feed and date; those of `same` have one link.
fn filled(rows: &[(u64, usize, i64)], same: &[&[u64]]) -> (Fixture, Vec<FeedId>) {
    let fixture = Fixture::new();
    let feeds = fixture.subscribe(&URLS);
    for (at, feed) in feeds.iter().enumerate() {
        let own = rows.iter().filter(|(_, of, _)| *of == at);
        let new = own.map(|&(no, _, date)| {
            let mut entry = incoming(no, date);
            let story = same.iter().position(|story| story.contains(&no));
            entry.link = Some(match story {
                Some(story) => format!("https://news.example/story/{story}?utm_source={no}"),
                None => format!("https://news.example/{no}"),
            });
            entry
        });
        fixture.poll(commit(*feed, new.collect(), Vec::new()));
    }
    (fixture, feeds)
}

fn folded(scope: ListScope) -> ListSpec {
    ListSpec {
        scope,
        fold_twins: true,
        ..ListSpec::default()
    }
}

fn page(fixture: &Fixture, spec: &ListSpec, window: &Window) -> EntriesPage {
    fixture.store.list(spec, window, NOW).expect("a page")
}

const ALL: Window = Window {
    anchor: Anchor::Top,
    before: 0,
    after: 100,
};

/// The number that each entry was made with, by its guid.
fn numbers(page: &EntriesPage) -> Vec<(String, Vec<String>)> {
    let twins = |id| {
        let twins = page.twins.iter().find(|(leader, _)| *leader == id);
        let twins = twins.map_or(&[][..], |(_, twins)| twins);
        twins.iter().map(|twin| twin.guid.clone()).collect()
    };
    let rows = page.heads.iter();
    rows.map(|head| (head.guid.clone(), twins(head.id)))
        .collect()
}

fn guid(no: u64) -> String {
    incoming(no, 0).guid
}

fn row(no: u64, twins: &[u64]) -> (String, Vec<String>) {
    (guid(no), twins.iter().map(|no| guid(*no)).collect())
}

/// Newest first: 9 to 1; 8, 5 and 2 tell one story, 7 and 6 another.
fn news() -> (Fixture, Vec<FeedId>) {
    let rows: Vec<(u64, usize, i64)> = (1..=9).map(|no| (no, no as usize % 3, no as i64)).collect();
    let rows: Vec<_> = rows
        .into_iter()
        .map(|(no, feed, date)| match no {
            8 => (no, 0, date),
            5 => (no, 1, date),
            _ => (no, feed, date),
        })
        .collect();
    filled(&rows, &[&[8, 5, 2], &[7, 6]])
}

#[test]
fn a_story_stands_once_and_says_who_tells_it() {
    let (fixture, feeds) = news();
    let page_of = |spec: &ListSpec| numbers(&page(&fixture, spec, &ALL));
    let all = page_of(&folded(ListScope::All));
    let wanted = [
        row(9, &[]),
        row(8, &[5, 2]),
        row(7, &[6]),
        row(4, &[]),
        row(3, &[]),
        row(1, &[]),
    ];
    assert_eq!(all, wanted);
    // In a tag without the feed that leads, the next one leads.
    let scope = ListScope::Feeds(vec![feeds[1], feeds[2]]);
    let of_tag = page_of(&folded(scope));
    assert_eq!(of_tag[1], row(5, &[2]));
    // A feed's own list has all that is the feed's, and so has a search.
    assert_eq!(page_of(&folded(ListScope::Feed(feeds[0]))).len(), 4);
    let found = ListSpec {
        query: "link:story".to_owned(),
        ..folded(ListScope::All)
    };
    assert_eq!(page_of(&found).len(), 5);
    assert_eq!(page_of(&ListSpec::default()).len(), 9, "off by default");
    let oldest = ListSpec {
        order: Order::Oldest,
        ..folded(ListScope::All)
    };
    assert_eq!(page_of(&oldest)[1], row(2, &[5, 8]));
}

#[test]
fn windows_from_any_row_show_the_same_stories() {
    let (fixture, _) = news();
    let spec = folded(ListScope::All);
    let whole = page(&fixture, &spec, &ALL);
    for head in &page(&fixture, &ListSpec::default(), &ALL).heads {
        for (before, after) in [(1, 1), (0, 2), (2, 0), (9, 9)] {
            let window = Window {
                anchor: Anchor::At {
                    sort: head.sort,
                    no: head.no,
                },
                before,
                after,
            };
            let part = page(&fixture, &spec, &window);
            // The anchor is the row that shows this entry.
            let leader = whole.twins.iter().find(|(_, twins)| twins.contains(head));
            let shown = leader.map_or(head.id, |(leader, _)| *leader);
            assert_eq!(part.heads[part.anchor].id, shown);
            let from = whole
                .heads
                .iter()
                .position(|row| row.id == part.heads[0].id);
            let from = from.expect("a row of the whole");
            let to = from + part.heads.len();
            assert_eq!(numbers(&part), numbers(&whole)[from..to]);
            assert_eq!((part.more_before, part.more_after), (from > 0, to < 6));
        }
    }
    let bottom = Window {
        anchor: Anchor::Bottom,
        before: 2,
        after: 1,
    };
    let end = page(&fixture, &spec, &bottom);
    assert_eq!(numbers(&end), numbers(&whole)[3..]);
    assert_eq!((end.anchor, end.more_after), (2, false));
}

#[test]
fn marks_above_and_below_go_by_what_is_seen() {
    let unread = |fixture: &Fixture| {
        let spec = ListSpec {
            unread_only: true,
            ..ListSpec::default()
        };
        let page = page(fixture, &spec, &ALL);
        page.heads
            .iter()
            .map(|head| head.guid.clone())
            .collect::<Vec<_>>()
    };
    let place = |fixture: &Fixture, no: u64| -> (Timestamp, u64) {
        let page = page(fixture, &ListSpec::default(), &ALL);
        let head = page.heads.iter().find(|head| head.guid == guid(no));
        head.map(|head| (head.sort, head.no)).expect("there")
    };
    let spec = folded(ListScope::All);
    let (fixture, _) = news();
    let (sort, no) = place(&fixture, 7);
    done(
        fixture
            .writer
            .mark_part(spec.clone(), Part::Above(sort, no), Mark::Read(true), NOW),
    );
    assert_eq!(
        unread(&fixture),
        [7, 6, 4, 3, 1].map(guid),
        "5 and 2 stand with 8"
    );
    done(fixture.writer.undo());
    assert_eq!(unread(&fixture).len(), 9);
    done(
        fixture
            .writer
            .mark_part(spec, Part::Below(sort, no), Mark::Read(true), NOW),
    );
    assert_eq!(unread(&fixture), [9, 8, 7, 6, 5, 2].map(guid));
}

#[test]
fn the_next_unread_row_is_another_row() {
    let (fixture, feeds) = news();
    let spec = folded(ListScope::All);
    let page = page(&fixture, &spec, &ALL);
    let mut at = page.heads[0].clone();
    let mut seen = vec![at.guid.clone()];
    for _ in 0..5 {
        let from = Some((at.sort, at.no));
        let next = fixture
            .store
            .find_unread(from, &spec, true, NOW)
            .expect("read");
        at = next.expect("something is unread");
        seen.push(at.guid.clone());
    }
    assert_eq!(seen, [9, 8, 7, 4, 3, 1].map(guid));
    // Where the row that leads was read elsewhere, what stands behind it is found.
    done(fixture.writer.mark(vec![id(feeds[0], 8)], Mark::Read(true)));
    let from = Some((page.heads[0].sort, page.heads[0].no));
    let next = fixture
        .store
        .find_unread(from, &spec, true, NOW)
        .expect("read");
    assert_eq!(
        next.map(|head| head.guid),
        Some(guid(7)),
        "the nearest first"
    );
    let from = Some((page.heads[2].sort, page.heads[2].no));
    let next = fixture
        .store
        .find_unread(from, &spec, true, NOW)
        .expect("read");
    assert_eq!(next.map(|head| head.guid), Some(guid(5)));
}
