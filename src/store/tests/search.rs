//! Looking something up in titles and texts gives the same with an index, without one, and with half of one.

use proptest::prelude::*;

use super::{Fixture, NOW, commit, done, incoming};
use crate::model::{
    EntriesPage, EntryBody, EntryHead, Incoming, ListScope, ListSpec, Mark, Moment, Window,
};
use crate::query::{self, FeedFacts};
use crate::store::{Pace, Store, Waiting};

const URLS: [&str; 3] = [
    "https://a.example/",
    "https://b.example/",
    "https://c.example/",
];

const WORDS: [&str; 12] = [
    "borrow",
    "checker",
    "größe",
    "日本語の新聞",
    "rust",
    "c++",
    "feeds",
    "<b>un</b>safe",
    "&amp;",
    "trust",
    "東京",
    "zfs",
];

fn written(n: u64) -> Incoming {
    let word = |at: u64| WORDS[(n.wrapping_mul(at * 7 + 3) % 12) as usize];
    let padding = "und so weiter ".repeat((n % 5) as usize);
    let text = format!("<p>{} {}</p>{padding}<p>{}</p>", word(1), word(2), word(3));
    let body = EntryBody {
        text,
        ..EntryBody::default()
    };
    Incoming {
        title: format!("{} number {n}", word(5)),
        body,
        ..incoming(n, (n as i64 * 37) % 23)
    }
}

/// Entries `from..to`, ten to a poll.
fn add(fixture: &Fixture, from: u64, to: u64) {
    let feeds = fixture.subscribe(&URLS);
    for start in (from..to).step_by(10) {
        let new = (start..(start + 10).min(to)).map(written).collect();
        fixture.poll(commit(feeds[(start / 10 % 3) as usize], new, Vec::new()));
    }
}

fn index_all(fixture: &Fixture) -> u64 {
    let mut parts = 0;
    while let Some(part) = fixture.store.index_part(&|| false).expect("read") {
        assert!(done(fixture.writer.index(part)));
        parts += 1;
    }
    parts
}

const EVERYTHING: Window = Window {
    anchor: crate::model::Anchor::Top,
    before: 0,
    after: 1_000,
};

fn listed(store: &Store, query: &str) -> Vec<u64> {
    let spec = ListSpec {
        query: query.to_owned(),
        ..ListSpec::default()
    };
    let page = store.list(&spec, &EVERYTHING, NOW).expect("a page");
    assert!(!page.searching);
    page.heads.iter().map(|head| head.no).collect()
}

/// As one would find them without an index: every entry opened and read.
fn naive(store: &Store, query: &str) -> Vec<u64> {
    let expr = query::parse(query).expect(query);
    let rows = store.feeds().expect("feeds");
    let all = store
        .list(&ListSpec::default(), &EVERYTHING, NOW)
        .expect("a page")
        .heads;
    let holds = |head: &&EntryHead| {
        let feed = &rows
            .iter()
            .find(|row| row.feed.id == head.id.feed)
            .expect("a feed")
            .feed;
        let facts = FeedFacts {
            title: &feed.title,
            url: &feed.url,
            tags: &feed.tags,
        };
        let entry = store.entry(head.id).expect("read").expect("there");
        let text = query::plain(&entry.body.text).into_owned();
        expr.matches(head, &text, facts, Moment::from(NOW))
    };
    all.iter().filter(holds).map(|head| head.no).collect()
}

const QUERIES: [&str; 18] = [
    "borrow",
    "rust",
    "RUST",
    "新聞",
    "東",
    "größe",
    "GRÖSSE",
    "unsafe",
    "&",
    "c++",
    "body:zfs",
    "title:zfs",
    "borrow checker",
    "borrow or 東京",
    "not weiter",
    "/un.afe/",
    "zfs unread",
    "nowhere",
];

#[test]
fn a_search_finds_the_same_with_an_index_and_without() {
    let fixture = Fixture::new();
    add(&fixture, 0, 300);
    let some: Vec<_> = (0..300)
        .step_by(3)
        .map(|n| super::id(crate::model::FeedId(1), n))
        .collect();
    done(fixture.writer.mark(some, Mark::Read(true)));
    let check = |what: &str| {
        for query in QUERIES {
            let found = listed(&fixture.store, query);
            assert_eq!(found, naive(&fixture.store, query), "{what}: {query}");
        }
    };
    check("without");
    assert!(index_all(&fixture) > 3, "several segments");
    let (blocks, read) = fixture.store.index_reach().expect("read");
    assert!(read > 0 && read <= blocks);
    check("with");
    add(&fixture, 300, 400);
    check("with what is newer");
    // An edited entry is found by its new text and not by its old one.
    let feeds = fixture.subscribe(&URLS);
    let mut edited = written(0);
    edited.body.text = "quite another thing".to_owned();
    edited.content_hash = [9; 32];
    fixture.poll(commit(feeds[0], Vec::new(), vec![edited]));
    check("with an edited entry");
    assert_eq!(listed(&fixture.store, "\"quite another\"").len(), 1);
}

#[test]
fn a_part_that_another_process_made_already_is_dropped() {
    let fixture = Fixture::new();
    add(&fixture, 0, 200);
    let part = fixture
        .store
        .index_part(&|| false)
        .expect("read")
        .expect("enough");
    assert!(done(fixture.writer.index(part.clone())));
    assert!(!done(fixture.writer.index(part)));
    assert_eq!(
        fixture.store.index_part(&|| true).expect("read"),
        None,
        "stopped"
    );
}

/// Counts what it is shown, and stops after so many looks.
struct Watcher {
    left: usize,
    pages: Vec<EntriesPage>,
}

impl Waiting for Watcher {
    fn pace(&mut self) -> Pace {
        match self.left.checked_sub(1) {
            None => Pace::Stop,
            Some(left) => {
                self.left = left;
                Pace::Show
            }
        }
    }

    fn show(&mut self, page: EntriesPage) {
        self.pages.push(page);
    }
}

#[test]
fn rows_are_shown_as_they_are_found_until_nobody_waits() {
    let fixture = Fixture::new();
    add(&fixture, 0, 400);
    let spec = ListSpec {
        query: "body:zfs".to_owned(),
        ..ListSpec::default()
    };
    let search = |left: usize| {
        let mut watcher = Watcher {
            left,
            pages: Vec::new(),
        };
        let page = fixture
            .store
            .search(&spec, &EVERYTHING, NOW.into(), &mut watcher);
        (page.expect("read"), watcher.pages)
    };
    let (stopped, _) = search(2);
    assert_eq!(stopped, None);
    let (page, shown) = search(1_000);
    let page = page.expect("the end");
    assert!(shown.len() > 2 && shown.iter().all(|page| page.searching));
    let counts: Vec<usize> = shown.iter().map(|page| page.heads.len()).collect();
    assert!(counts.is_sorted(), "{counts:?}");
    assert!(counts.first() < counts.last());
    assert_eq!(page.total, Some(page.heads.len() as u64));
    assert!(page.heads.len() >= *counts.last().expect("some"));
    let (again, shown) = search(0);
    assert_eq!(
        (again, shown.len()),
        (Some(page), 0),
        "what was found is kept"
    );
}

#[test]
fn next_unread_and_mark_all_obey_a_search() {
    let fixture = Fixture::new();
    add(&fixture, 0, 200);
    index_all(&fixture);
    let spec = ListSpec {
        query: "zfs".to_owned(),
        scope: ListScope::All,
        ..ListSpec::default()
    };
    let found = listed(&fixture.store, "zfs");
    let next = fixture
        .store
        .find_unread(None, &spec, true, NOW)
        .expect("read")
        .expect("one");
    assert_eq!(Some(&next.no), found.first());
    let marked = done(fixture.writer.mark_all(spec, Mark::Read(true), NOW));
    assert_eq!(marked.count, found.len() as u64);
    assert_eq!(listed(&fixture.store, "zfs unread"), [0; 0]);
    assert_eq!(listed(&fixture.store, "zfs is:read"), found);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_part_of_any_word_is_found(word in 0..12_usize, at in 0_usize..6, len in 1_usize..6) {
        use std::sync::OnceLock;
        static FILLED: OnceLock<Fixture> = OnceLock::new();
        let fixture = FILLED.get_or_init(|| {
            let fixture = Fixture::new();
            add(&fixture, 0, 150);
            index_all(&fixture);
            fixture
        });
        let plain = query::plain(WORDS[word]).into_owned();
        let part: String = plain.chars().skip(at).take(len).collect();
        prop_assume!(!part.trim().is_empty());
        let query = format!("body:\"{part}\"");
        prop_assert_eq!(listed(&fixture.store, &query), naive(&fixture.store, &query));
    }
}
