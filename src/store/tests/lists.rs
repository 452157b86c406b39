use std::cmp::Reverse;
use std::sync::OnceLock;

use proptest::prelude::*;

use super::{Fixture, NOW, commit, done, id, incoming};
use crate::model::{
    Anchor, EntriesPage, EntryHead, FeedId, ListScope, ListSpec, Mark, Order, Timestamp, Window,
    natural,
};

const URLS: [&str; 4] = [
    "https://a.example/",
    "https://b.example/",
    "https://c.example/",
    "https://d.example/",
];

/// 160 entries of four feeds, many of the same date, some read, some starred; built once.
fn filled() -> &'static (Fixture, Vec<EntryHead>) {
    static FILLED: OnceLock<(Fixture, Vec<EntryHead>)> = OnceLock::new();
    FILLED.get_or_init(|| {
        let fixture = Fixture::new();
        let feeds = fixture.subscribe(&URLS);
        for (at, feed) in feeds.iter().enumerate() {
            let numbers = (0..40).map(|n| n * 4 + at as u64);
            let new = numbers.map(|n| incoming(n, (n as i64 * 37) % 23)).collect();
            let mut poll = commit(*feed, new, Vec::new());
            // Titles in another order than the numbers.
            poll.about.as_mut().expect("about").title = format!("Feed {}", 9 - at);
            fixture.poll(poll);
        }
        let of = |step: usize| {
            (0..160)
                .step_by(step)
                .map(|n| id(feeds[n % 4], n as u64))
                .collect::<Vec<_>>()
        };
        done(fixture.writer.mark(of(3), Mark::Read(true)));
        done(fixture.writer.mark(of(7), Mark::Starred(true)));
        let everything = Window {
            after: 1_000,
            ..Window::default()
        };
        let page = fixture.store.list(&ListSpec::default(), &everything, NOW);
        let heads = page.expect("a page").heads;
        assert_eq!(heads.len(), 160);
        (fixture, heads)
    })
}

/// The list as one would make it without a store.
fn naive(spec: &ListSpec) -> Vec<EntryHead> {
    let (fixture, all) = filled();
    let mut heads: Vec<EntryHead> = all
        .iter()
        .filter(|head| match &spec.scope {
            ListScope::All => true,
            ListScope::Starred => head.starred,
            ListScope::Feed(feed) => head.id.feed == *feed,
            ListScope::Feeds(feeds) => feeds.contains(&head.id.feed),
        })
        .filter(|head| head.unread || !spec.unread_only)
        .filter(|head| head.title.contains('1') || spec.query.is_empty())
        .cloned()
        .collect();
    let title = |feed: FeedId| {
        fixture
            .store
            .row(feed)
            .expect("read")
            .expect("row")
            .feed
            .title
    };
    let date = |head: &EntryHead| (head.sort, head.no);
    match spec.order {
        Order::Newest => heads.sort_by_key(|head| Reverse(date(head))),
        Order::Oldest => heads.sort_by_key(date),
        Order::Title => heads.sort_by_key(|head| (natural(&head.title), Reverse(date(head)))),
        Order::Feed => heads.sort_by_key(|head| (title(head.id.feed), Reverse(date(head)))),
    }
    heads
}

fn naive_window(list: &[EntryHead], window: &Window) -> EntriesPage {
    let at = match window.anchor {
        Anchor::Top => 0,
        Anchor::Bottom => list.len().saturating_sub(1),
        Anchor::At { sort, no } => list
            .iter()
            .position(|head| (head.sort, head.no) == (sort, no))
            .expect("the anchor is part of the list"),
    };
    let first = match window.anchor {
        Anchor::Top => 0,
        _ => at.saturating_sub(window.before),
    };
    let end = (at + window.after).min(list.len());
    EntriesPage {
        heads: list[first..end.max(first)].to_vec(),
        anchor: (at - first).min((end - first).saturating_sub(1)),
        more_before: first > 0,
        more_after: end < list.len(),
        total: None,
        searching: false,
        twins: Vec::new(),
    }
}

fn specs() -> impl Strategy<Value = ListSpec> {
    let scope = prop_oneof![
        Just(ListScope::All),
        Just(ListScope::Starred),
        (0..4_u32).prop_map(|feed| ListScope::Feed(FeedId(feed))),
        prop::collection::vec(0..4_u32, 0..5)
            .prop_map(|feeds| ListScope::Feeds(feeds.into_iter().map(FeedId).collect())),
    ];
    let order = prop_oneof![
        Just(Order::Newest),
        Just(Order::Oldest),
        Just(Order::Title),
        Just(Order::Feed)
    ];
    (scope, any::<bool>(), any::<bool>(), order).prop_map(|(scope, unread_only, query, order)| {
        ListSpec {
            muted: Vec::new(),
            fold_twins: false,
            scope,
            unread_only,
            within: String::new(),
            query: if query {
                "title:1".to_owned()
            } else {
                String::new()
            },
            order,
        }
    })
}

proptest! {
    #[test]
    fn a_window_is_a_part_of_the_naive_list(
        spec in specs(),
        anchor in 0..200_usize,
        before in 0..30_usize,
        after in 1..30_usize,
    ) {
        let list = naive(&spec);
        let anchor = match list.get(anchor) {
            Some(head) => Anchor::At { sort: head.sort, no: head.no },
            None if anchor % 2 == 0 => Anchor::Top,
            None => Anchor::Bottom,
        };
        let window = Window { anchor, before, after };
        let mut page = filled().0.store.list(&spec, &window, NOW).expect("a page");
        if let Some(total) = page.total.take() {
            prop_assert_eq!(total, list.len() as u64);
        }
        prop_assert_eq!(page, naive_window(&list, &window));
    }

    #[test]
    fn the_next_unread_entry_is_the_one_a_person_would_find(
        spec in specs(),
        from in 0..160_usize,
        forward in any::<bool>(),
    ) {
        let spec = ListSpec { query: String::new(), unread_only: false, ..spec };
        let list = naive(&spec);
        prop_assume!(!list.is_empty());
        let at = from % list.len();
        let anchor = &list[at];
        let found = filled().0.store
            .find_unread(Some((anchor.sort, anchor.no)), &spec, forward, NOW)
            .expect("an answer");
        let mut round: Vec<&EntryHead> =
            list[at + 1..].iter().chain(&list[..at]).collect();
        if !forward {
            round.reverse();
        }
        let wanted = round.into_iter().find(|head| head.unread);
        if let Some(wanted) = wanted {
            prop_assert_eq!(found.as_ref(), Some(wanted));
        } else {
            prop_assert!(found.is_some_and(|head| head.unread), "from the other lists");
        }
    }
}

#[test]
fn an_anchor_that_left_the_list_still_says_where_to_look() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://example.org/"])[0];
    fixture.entries(feed, &[(1, 10), (2, 20), (3, 30), (4, 40)]);
    let spec = ListSpec {
        unread_only: true,
        ..ListSpec::default()
    };
    let anchor = fixture
        .store
        .entry(id(feed, 3))
        .expect("read")
        .expect("stored")
        .head;
    done(fixture.writer.mark(vec![anchor.id], Mark::Read(true)));
    for order in [Order::Newest, Order::Oldest, Order::Feed, Order::Title] {
        let spec = ListSpec {
            order,
            ..spec.clone()
        };
        let window = Window {
            anchor: Anchor::At {
                sort: anchor.sort,
                no: anchor.no,
            },
            before: 1,
            after: 1,
        };
        let page = fixture.store.list(&spec, &window, NOW).expect("a page");
        let mut titles: Vec<_> = page.heads.iter().map(|head| head.title.as_str()).collect();
        titles.sort_unstable();
        assert_eq!(titles, ["Entry 02", "Entry 04"], "{order:?}");
        assert_eq!(page.anchor, 1, "{order:?}");
        let last = matches!(order, Order::Oldest | Order::Title);
        assert_eq!(
            (page.more_before, page.more_after),
            (last, !last),
            "{order:?}"
        );
    }
}

#[test]
fn entries_of_a_removed_feed_stand_in_no_list_but_the_starred_one() {
    let fixture = Fixture::new();
    let feeds = fixture.subscribe(&["https://a.example/", "https://b.example/"]);
    fixture.entries(feeds[0], &[(1, 10), (2, 20)]);
    fixture.entries(feeds[1], &[(3, 30)]);
    done(
        fixture
            .writer
            .mark(vec![id(feeds[0], 1)], Mark::Starred(true)),
    );
    fixture.subscribe(&["https://b.example/"]);
    let list = |scope: ListScope| {
        let spec = ListSpec {
            scope,
            ..ListSpec::default()
        };
        let window = Window {
            after: 9,
            ..Window::default()
        };
        let page = fixture.store.list(&spec, &window, NOW).expect("a page");
        assert_eq!(page.total, Some(page.heads.len() as u64));
        page.heads.len()
    };
    assert_eq!(list(ListScope::All), 1);
    assert_eq!(list(ListScope::Starred), 1);
    assert_eq!(list(ListScope::Feed(feeds[0])), 2);
}

#[test]
fn an_empty_store_has_empty_lists() {
    let fixture = Fixture::new();
    for order in [Order::Newest, Order::Oldest, Order::Feed, Order::Title] {
        for anchor in [
            Anchor::Top,
            Anchor::Bottom,
            Anchor::At {
                sort: Timestamp(5),
                no: 5,
            },
        ] {
            let spec = ListSpec {
                order,
                ..ListSpec::default()
            };
            let window = Window {
                anchor,
                before: 5,
                after: 5,
            };
            let page = fixture.store.list(&spec, &window, NOW).expect("a page");
            assert_eq!(
                page,
                EntriesPage {
                    total: Some(0),
                    ..EntriesPage::default()
                }
            );
            let found = fixture
                .store
                .find_unread(None, &spec, true, NOW)
                .expect("an answer");
            assert_eq!(found, None);
        }
    }
}

#[test]
fn the_order_by_title_follows_entries_that_come_and_titles_that_change() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/"])[0];
    let titles = || -> Vec<String> {
        let spec = ListSpec {
            order: Order::Title,
            ..ListSpec::default()
        };
        let window = Window {
            after: 9,
            ..Window::default()
        };
        let page = fixture.store.list(&spec, &window, NOW).expect("a page");
        page.heads.into_iter().map(|head| head.title).collect()
    };
    fixture.entries(feed, &[(10, 1), (2, 2)]);
    assert_eq!(titles(), ["Entry 02", "Entry 10"]);
    fixture.entries(feed, &[(5, 3)]);
    assert_eq!(titles(), ["Entry 02", "Entry 05", "Entry 10"]);
    let mut edited = incoming(2, 2);
    edited.title = "Entry 7".to_owned();
    edited.content_hash = [99; 32];
    fixture.poll(commit(feed, Vec::new(), vec![edited]));
    assert_eq!(titles(), ["Entry 05", "Entry 7", "Entry 10"]);
}

#[test]
fn muted_feeds_stand_in_no_list_of_every_entry_and_nobody_is_sent_to_them() {
    let fixture = Fixture::new();
    let feeds = fixture.subscribe(&["https://a.example/", "https://b.example/"]);
    for feed in &feeds {
        fixture.entries(*feed, &[(1, 1_000), (2, 2_000)]);
    }
    let window = Window {
        after: 10,
        ..Window::default()
    };
    let all = ListSpec {
        muted: vec![feeds[0]],
        ..ListSpec::default()
    };
    let store = &fixture.store;
    let of = |spec: &ListSpec| {
        let page = store.list(spec, &window, NOW).expect("read");
        let feeds: Vec<_> = page.heads.iter().map(|head| head.id.feed).collect();
        (page.total, feeds)
    };
    assert_eq!(of(&all), (Some(2), vec![feeds[1]; 2]));
    for order in [Order::Oldest, Order::Title, Order::Feed] {
        let spec = ListSpec {
            order,
            ..all.clone()
        };
        assert_eq!(of(&spec).1, vec![feeds[1]; 2], "{order:?}");
    }
    // By name it is there, and so it is in a list of the user's own.
    let named = ListSpec {
        scope: ListScope::Feed(feeds[0]),
        ..all.clone()
    };
    assert_eq!(of(&named).1, vec![feeds[0]; 2]);
    let own = ListSpec {
        within: "unread".to_owned(),
        ..all.clone()
    };
    assert_eq!(of(&own).1.len(), 4);
    let read = vec![id(feeds[1], 1), id(feeds[1], 2)];
    done(fixture.writer.mark(read, Mark::Read(true)));
    let next = store.find_unread(None, &all, true, NOW).expect("read");
    assert_eq!(next, None, "only muted ones are left");
}
