use super::{Fixture, NOW, check_lists, commit, done, id, incoming, key};
use crate::model::{Adopted, FeedId, ListSpec, Mark, Standing, StateMark, Window};
use crate::store::adoption;

fn adopted(n: u64, read: bool) -> Adopted {
    let entry = incoming(n, n as i64);
    Adopted {
        keys: vec![entry.key],
        entry,
        standing: if read {
            Standing::Read
        } else {
            Standing::Unread
        },
        starred: false,
        tags: Vec::new(),
    }
}

fn adopt(fixture: &Fixture, feed: FeedId, entries: Vec<Adopted>) -> (u64, u64) {
    let adoption = adoption(feed, "Its title".to_owned(), NOW, entries).expect("packed");
    done(fixture.writer.adopt(adoption))
}

/// Numbers of the entries shown, with unread, starred and edited.
fn shown(fixture: &Fixture) -> Vec<(String, bool, bool, bool)> {
    let everything = Window {
        after: 1_000,
        ..Window::default()
    };
    let page = fixture.store.list(&ListSpec::default(), &everything, NOW);
    let page = page.expect("a list");
    let rows = page.heads.into_iter();
    rows.map(|e| (e.guid, e.unread, e.starred, e.edited))
        .collect()
}

fn row(n: u64, unread: bool, starred: bool) -> (String, bool, bool, bool) {
    (format!("https://example.org/{n}"), unread, starred, false)
}

#[test]
fn entries_come_with_their_marks_tags_and_text() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/"])[0];
    let flagged = Adopted {
        starred: true,
        tags: vec!["flag/a".to_owned()],
        ..adopted(3, true)
    };
    let all = vec![adopted(1, true), adopted(2, false), flagged];
    assert_eq!(adopt(&fixture, feed, all.clone()), (3, 0));
    assert_eq!(
        shown(&fixture),
        [
            row(3, false, true),
            row(2, true, false),
            row(1, false, false)
        ]
    );
    let entry = fixture.store.entry(id(feed, 3)).expect("read");
    let entry = entry.expect("there");
    assert_eq!(entry.head.tags, ["flag/a"]);
    assert_eq!(entry.body.text, "<p>The text of entry 3.</p>");
    let rows = fixture.store.feeds().expect("rows");
    assert_eq!(rows[0].feed.title, "Its title");
    // Once more: nothing is there twice, and no block is left behind.
    let blocks = fixture.blocks();
    assert_eq!(adopt(&fixture, feed, all), (0, 3));
    assert_eq!(fixture.blocks(), blocks);
    let (kept, counted) = fixture.counts();
    assert_eq!(kept, counted);
    check_lists(&fixture.store);
}

#[test]
fn what_the_feed_brings_of_them_takes_their_place_and_is_no_edit() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/"])[0];
    adopt(&fixture, feed, vec![adopted(1, true), adopted(2, false)]);
    let known = fixture.store.known_entries(feed, &[key(1), key(9)]);
    let known = known.expect("read");
    assert!(known[0].is_some() && known[1].is_none());
    let of_feed = |n: u64, text: &str| {
        let mut entry = incoming(n, n as i64);
        text.clone_into(&mut entry.body.text);
        entry
    };
    // As `parse::change` sorts them: another hash is another text.
    fixture.poll(commit(
        feed,
        vec![incoming(9, 9)],
        vec![of_feed(1, "<p>Now whole.</p>")],
    ));
    assert_eq!(
        shown(&fixture),
        [
            row(9, true, false),
            row(2, true, false),
            row(1, false, false)
        ]
    );
    let entry = fixture.store.entry(id(feed, 1)).expect("read");
    assert_eq!(entry.expect("there").body.text, "<p>Now whole.</p>");
    let opened = fixture.store.opened(id(feed, 1)).expect("read");
    assert_eq!(opened.map(|(_, kept)| kept.former), Some(None));
    // From then on an edit is one.
    let mut edit = of_feed(1, "<p>Edited.</p>");
    edit.content_hash = [77; 32];
    fixture.poll(commit(feed, Vec::new(), vec![edit]));
    let page = shown(&fixture);
    assert!(page[2].3, "{page:?}");
    check_lists(&fixture.store);
}

#[test]
fn every_key_under_which_the_feed_may_bring_it_leads_to_it() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/"])[0];
    let mut one = adopted(1, true);
    one.keys.push(key(50));
    adopt(&fixture, feed, vec![one]);
    let mut same = incoming(1, 1);
    same.key = key(50);
    fixture.poll(commit(feed, Vec::new(), vec![same]));
    assert_eq!(shown(&fixture), [row(1, false, false)]);
    check_lists(&fixture.store);
}

#[test]
fn what_another_readers_rules_hid_is_hidden() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/"])[0];
    let hidden = Adopted {
        standing: Standing::Hidden,
        ..adopted(1, false)
    };
    assert_eq!(
        adopt(&fixture, feed, vec![hidden, adopted(2, true)]),
        (2, 0)
    );
    assert_eq!(shown(&fixture), [row(2, false, false)]);
    check_lists(&fixture.store);
}

#[test]
fn what_was_thrown_away_does_not_come_as_new() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/"])[0];
    let gone = Adopted {
        standing: Standing::Gone,
        ..adopted(1, true)
    };
    assert_eq!(adopt(&fixture, feed, vec![gone]), (0, 0));
    let known = fixture.store.known_entries(feed, &[key(1)]).expect("read");
    assert_eq!(known[0].map(|known| known.content_hash), Some(None));
    assert!(shown(&fixture).is_empty());
}

#[test]
fn entries_that_are_here_only_get_marks_and_lose_none() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/"])[0];
    fixture.entries(feed, &[(1, 1), (2, 2), (3, 3)]);
    done(fixture.writer.mark(vec![id(feed, 3)], Mark::Read(true)));
    let flagged = Adopted {
        starred: true,
        ..adopted(2, false)
    };
    let all = vec![adopted(1, true), flagged, adopted(3, false)];
    assert_eq!(adopt(&fixture, feed, all), (0, 3));
    assert_eq!(
        shown(&fixture),
        [
            row(3, false, false),
            row(2, true, true),
            row(1, false, false)
        ]
    );
    check_lists(&fixture.store);
}

#[test]
fn a_mark_that_waited_for_an_entry_meets_it() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/"])[0];
    done(fixture.writer.import_marks(vec![StateMark {
        feed_url: "https://a.example/".to_owned(),
        key: key(1).to_string(),
        read: true,
        starred: true,
        ..StateMark::default()
    }]));
    assert_eq!(adopt(&fixture, feed, vec![adopted(1, false)]), (1, 0));
    assert_eq!(shown(&fixture), [row(1, false, true)]);
    let (kept, counted) = fixture.counts();
    assert_eq!(kept, counted);
    check_lists(&fixture.store);
}

#[test]
fn a_feed_that_is_not_there_gets_nothing() {
    let fixture = Fixture::new();
    let adoption = adoption(FeedId(7), String::new(), NOW, vec![adopted(1, true)]).expect("packed");
    let error = super::refused(fixture.writer.adopt(adoption));
    assert!(error.to_string().contains('7'), "{error}");
}
