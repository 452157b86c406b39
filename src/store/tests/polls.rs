use redb::{ReadableDatabase, ReadableTableMetadata};

use super::{Fixture, NOW, commit, done, id, incoming, key, not_modified, refused};
use crate::model::{
    AuditRecord, Counters, Exchange, FeedId, FullText, HeaderList, HostKey, HostState, Kept,
    OutcomeCode, Pace, Timestamp, Validators, Why,
};
use crate::parse::KnownEntry;
use crate::store::tables::AUDIT;
use crate::store::{HostNote, PackedExchanges, StoreError, pack};

#[test]
fn a_poll_is_stored_whole() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://example.org/feed"])[0];
    let mut poll = commit(feed, vec![incoming(1, 10), incoming(2, 20)], Vec::new());
    let validators = Validators {
        etag: Some(b"\"a\xFF\"".to_vec()),
        last_modified: None,
    };
    let url = "https://example.org/feed".to_owned();
    poll.validators = vec![(url.clone(), Some(validators.clone()))];
    poll.state.body_hash = Some([3; 32]);
    poll.state.answered_by = Some(url.clone());
    let row = fixture.poll(poll.clone());
    assert_eq!((row.total, row.unread, row.starred), (2, 2, 0));
    assert_eq!(row.feed.title, "A feed");
    assert_eq!(row.validators, validators);
    assert_eq!(fixture.store.row(feed).expect("read"), Some(row.clone()));
    assert_eq!(fixture.store.feeds().expect("read"), [row]);

    let input = fixture
        .store
        .poll_input(feed)
        .expect("read")
        .expect("known");
    assert_eq!(input.state, poll.state);
    assert_eq!(input.validators, [(url, validators)]);
    assert_eq!(input.host_key, HostKey("example.org:443".to_owned()));
    assert_eq!(
        fixture.store.next_due().expect("read"),
        Some(NOW.plus(3600))
    );
    let entry = fixture
        .store
        .entry(id(feed, 2))
        .expect("read")
        .expect("stored");
    assert_eq!(entry.body.text, "<p>The text of entry 2.</p>");
    assert_eq!(entry.head.link.as_deref(), Some("https://example.org/2"));
    assert_eq!(entry.head.first_seen, NOW);
    assert!(entry.head.unread);
}

#[test]
fn known_entries_come_in_the_order_asked() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://example.org/feed"])[0];
    fixture.entries(feed, &[(1, 1), (2, 2)]);
    let known = |hash| {
        Some(KnownEntry {
            content_hash: Some([hash; 32]),
        })
    };
    assert_eq!(
        fixture
            .store
            .known_entries(feed, &[key(2), key(9), key(1)])
            .expect("read"),
        [known(2), None, known(1)]
    );
}

#[test]
fn an_edit_keeps_place_and_mark_and_lets_the_old_text_go() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://example.org/feed"])[0];
    fixture.entries(feed, &[(1, 10)]);
    let before = fixture
        .store
        .entry(id(feed, 1))
        .expect("read")
        .expect("stored")
        .head;
    let mut edited = incoming(1, 99);
    edited.body.text = "new text".to_owned();
    let mut poll = commit(feed, Vec::new(), vec![edited]);
    poll.at = NOW.plus(50);
    let row = fixture.poll(poll);
    assert_eq!((row.total, row.unread), (1, 1));
    let entry = fixture
        .store
        .entry(id(feed, 1))
        .expect("read")
        .expect("stored");
    assert_eq!(entry.body.text, "new text");
    assert!(entry.head.edited);
    assert_eq!(
        (entry.head.sort, entry.head.first_seen, entry.head.no),
        (before.sort, before.first_seen, before.no)
    );
    let blocks = fixture.blocks();
    assert_eq!(blocks, 2, "the text before the edit is kept");
    super::check_lists(&fixture.store);
}

#[test]
fn what_a_hub_and_a_poll_bring_at_once_is_one_entry_that_nobody_edited() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://example.org/feed"])[0];
    for _ in 0..2 {
        fixture.poll(commit(feed, vec![incoming(1, 99)], Vec::new()));
    }
    let entry = fixture.store.entry(id(feed, 1)).expect("read");
    assert!(!entry.expect("stored").head.edited);
    assert_eq!(fixture.blocks(), 1);
    super::check_lists(&fixture.store);
}

#[test]
fn of_an_edited_entry_the_text_before_the_last_edit_is_kept() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://example.org/feed"])[0];
    fixture.entries(feed, &[(1, 99)]);
    let former = |fixture: &Fixture| {
        let opened = fixture.store.opened(id(feed, 1)).expect("read");
        opened.expect("stored").1.former
    };
    assert_eq!(former(&fixture), None);
    let first = fixture
        .store
        .entry(id(feed, 1))
        .expect("read")
        .expect("stored");
    for text in ["second", "third", "fourth"] {
        let mut edited = incoming(1, 99);
        edited.body.text = text.to_owned();
        edited.title = format!("title of the {text}");
        fixture.poll(commit(feed, Vec::new(), vec![edited]));
        assert_eq!(fixture.blocks(), 2, "one former text, however many edits");
    }
    let kept = former(&fixture).expect("a former text");
    assert_eq!(
        (kept.title.as_str(), kept.body.text.as_str()),
        ("title of the third", "third")
    );
    assert_ne!(first.body.text, "third");
    super::check_lists(&fixture.store);
}

#[test]
fn the_place_and_the_full_text_of_an_entry_are_kept() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://example.org/feed"])[0];
    fixture.entries(feed, &[(1, 99), (2, 98)]);
    let full = FullText {
        url: "https://example.org/post".to_owned(),
        text: "<p>All of it.</p>".repeat(100),
        at: NOW,
    };
    let validators = Validators {
        etag: Some(b"\"1\"".to_vec()),
        last_modified: None,
    };
    assert!(done(fixture.writer.full_text(
        id(feed, 1),
        full.clone(),
        validators.clone()
    )));
    assert!(!done(fixture.writer.full_text(
        id(feed, 7),
        full.clone(),
        validators.clone()
    )));
    fixture.writer.place(id(feed, 1), 123);
    fixture.writer.place(id(feed, 7), 5);
    done(fixture.writer.flush());
    let kept = |n| {
        fixture
            .store
            .opened(id(feed, n))
            .expect("read")
            .expect("stored")
            .1
    };
    assert_eq!((kept(1).place, kept(1).full.as_ref()), (123, Some(&full)));
    assert_eq!(kept(2), Kept::default());
    let known = fixture.store.full_text(id(feed, 1)).expect("read");
    assert_eq!(known, Some((full, validators)));
    fixture.writer.place(id(feed, 1), 0);
    done(fixture.writer.flush());
    assert_eq!(kept(1).place, 0);
}

#[test]
fn the_same_poll_twice_stores_nothing_twice() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://example.org/feed"])[0];
    let poll = commit(feed, vec![incoming(1, 1), incoming(2, 2)], Vec::new());
    let first = fixture.writer.poll(poll.clone());
    let second = fixture.writer.poll(poll);
    done(fixture.writer.flush());
    assert_eq!(done(first).total, 2);
    assert_eq!(done(second).total, 2);
    super::check_lists(&fixture.store);
}

#[test]
fn a_date_in_the_future_does_not_stay_on_top() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://example.org/feed"])[0];
    fixture.entries(feed, &[(1, 900_000_000)]);
    let head = fixture
        .store
        .entry(id(feed, 1))
        .expect("read")
        .expect("stored")
        .head;
    assert_eq!(head.sort, NOW);
    assert!(head.published > Some(NOW));
}

#[test]
fn validators_are_forgotten_where_the_poll_says_so() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://example.org/feed"])[0];
    let url = "https://example.org/feed".to_owned();
    let mut poll = not_modified(feed, NOW);
    let some = Validators {
        etag: Some(b"a".to_vec()),
        last_modified: None,
    };
    poll.validators = vec![
        (url.clone(), Some(some.clone())),
        ("b".to_owned(), Some(some)),
    ];
    fixture.poll(poll.clone());
    poll.validators = vec![(url, None), ("b".to_owned(), Some(Validators::default()))];
    fixture.poll(poll);
    let input = fixture
        .store
        .poll_input(feed)
        .expect("read")
        .expect("known");
    assert_eq!(input.validators, []);
}

#[test]
fn r74_the_audit_is_a_ring_of_a_thousand_with_headers_of_the_last_twenty_newest_first() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://example.org/feed"])[0];
    let mut last = None;
    for n in 0..1_030 {
        let mut poll = not_modified(feed, NOW.plus(n));
        poll.exchanges = PackedExchanges::pack(&[Exchange {
            at: poll.at,
            url: "https://example.org/feed".to_owned(),
            status: 304,
            sent: HeaderList::from_iter([("accept", "*/*")]),
            received: HeaderList::from_iter([("etag", [0xFF])]),
            error: None,
        }])
        .expect("it encodes");
        last = Some(fixture.writer.poll(poll));
    }
    done(fixture.writer.flush());
    done(last.expect("one"));
    let (records, exchanges) = fixture.store.ledger(feed).expect("read");
    let times = |from: i64, count: i64| (0..count).map(move |n| NOW.plus(from - n));
    assert!(records.iter().map(|r| r.at).eq(times(1_029, 1_000)));
    assert!(exchanges.iter().map(|e| e.at).eq(times(1_029, 20)));
    assert_eq!(exchanges[0].received.get("etag"), Some(&[0xFF][..]));
}

#[test]
fn r74_a_ring_is_fifty_one_blocks_and_never_more() {
    let fixture = Fixture::new();
    let feeds = fixture.subscribe(&[
        "https://a.example/",
        "https://b.example/",
        "https://c.example/",
    ]);
    for n in 0..1_200 {
        for feed in &feeds {
            drop(fixture.writer.poll(not_modified(*feed, NOW.plus(n))));
        }
    }
    done(fixture.writer.flush());
    let database = fixture.store.shared.database().expect("open");
    let txn = database.begin_read().expect("read");
    let table = txn.open_table(AUDIT).expect("there");
    // 1,200 records are sixty blocks of twenty, and a ring has room for fifty-one; none is open.
    assert_eq!(table.len().expect("read"), 3 * 51);
    let (records, _) = fixture.store.ledger(feeds[1]).expect("read");
    let newest = (0..1_000).map(|n| NOW.plus(1_199 - n));
    assert!(records.iter().map(|record| record.at).eq(newest));
}

#[test]
fn r74_a_probe_is_written_into_the_rings_alone() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://example.org/feed"])[0];
    let before = fixture.poll(not_modified(feed, NOW));
    let input = fixture.store.poll_input(feed).expect("read");
    let probed = AuditRecord {
        pace: Pace::Probe,
        ..not_modified(feed, NOW.plus(9)).audit
    };
    let exchange = Exchange {
        at: NOW.plus(9),
        url: "https://example.org/feed".to_owned(),
        status: 304,
        sent: HeaderList::default(),
        received: HeaderList::default(),
        error: None,
    };
    let written = fixture.writer.probed(
        feed,
        vec![probed.clone(); 2],
        PackedExchanges::pack(&[exchange]).expect("packed"),
    );
    assert!(done(written));
    let (records, exchanges) = fixture.store.ledger(feed).expect("read");
    assert_eq!((records.len(), exchanges.len()), (3, 1));
    assert_eq!(records[0], probed);
    assert_eq!(fixture.store.row(feed).expect("read"), Some(before));
    assert_eq!(fixture.store.poll_input(feed).expect("read"), input);
    let days = fixture.store.days(NOW.day()..=NOW.day()).expect("read");
    assert_eq!(days[0].1.not_modified304, 1);
}

#[test]
fn r74_equal_deferrals_in_a_row_share_a_record() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://example.org/feed"])[0];
    let until = NOW.plus(9_000);
    for (n, next) in [(0, until), (1, until), (2, until), (3, until.plus(1))] {
        let mut poll = not_modified(feed, NOW.plus(n));
        poll.audit.outcome = OutcomeCode::Deferred;
        poll.audit.status = 0;
        poll.audit.next = Some(next);
        poll.audit.why = Why::HostHold;
        fixture.poll(poll);
    }
    let (records, _) = fixture.store.ledger(feed).expect("read");
    let found: Vec<_> = records.iter().map(|r| (r.at, r.times)).collect();
    assert_eq!(found, [(NOW.plus(3), 1), (NOW.plus(2), 3)]);
}

#[test]
fn days_are_summed_over_feeds_and_have_no_gaps() {
    let fixture = Fixture::new();
    let feeds = fixture.subscribe(&["https://a.example/", "https://b.example/"]);
    for feed in &feeds {
        fixture.poll(not_modified(*feed, NOW));
        fixture.poll(not_modified(*feed, NOW));
    }
    fixture.poll(not_modified(feeds[0], NOW.plus(2 * 86_400)));
    let today = NOW.day();
    let days = fixture.store.days(today - 1..=today + 2).expect("read");
    let found: Vec<_> = days
        .iter()
        .map(|(day, sum)| (day + 1 - today, sum.not_modified304))
        .collect();
    assert_eq!(found, [(0, 0), (1, 4), (2, 0), (3, 1)]);
    assert_eq!(days[0].1, Counters::default());
}

#[test]
fn due_feeds_come_the_longest_due_first() {
    let fixture = Fixture::new();
    let feeds = fixture.subscribe(&["https://a.example/", "https://b.example/"]);
    fixture.poll(not_modified(feeds[0], NOW.plus(100)));
    fixture.poll(not_modified(feeds[1], NOW.plus(50)));
    let due = |until: Timestamp| fixture.store.due(until).expect("read");
    assert_eq!(due(NOW.plus(3_649)), []);
    assert_eq!(due(NOW.plus(3_650)), [(NOW.plus(3_650), feeds[1])]);
    assert_eq!(due(NOW.plus(9_999)).len(), 2);
    let mut off = not_modified(feeds[1], NOW);
    off.state.schedule.next = None;
    fixture.poll(off);
    assert_eq!(due(NOW.plus(9_999)), [(NOW.plus(3_700), feeds[0])]);
}

#[test]
fn an_unknown_feed_is_an_error_of_its_own_and_spoils_no_other() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/"])[0];
    let good = fixture.writer.poll(not_modified(feed, NOW));
    let bad = fixture.writer.poll(not_modified(FeedId(77), NOW));
    done(fixture.writer.flush());
    assert!(matches!(refused(bad), StoreError::UnknownFeed(FeedId(77))));
    done(good);
}

const fn started(at_ms: i64) -> HostNote {
    HostNote::Started {
        at_ms,
        counts: true,
    }
}

#[test]
fn a_start_is_on_disk_after_a_flush_and_never_goes_back_by_a_poll() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://example.org/feed"])[0];
    let host = HostKey("example.org:443".to_owned());
    let start = |fixture: &Fixture| fixture.store.host(&host).expect("read").last_start_ms;
    fixture.writer.host(host.clone(), started(5_000));
    done(fixture.writer.flush());
    assert_eq!(start(&fixture), 5_000);
    fixture.poll(not_modified(feed, NOW));
    assert_eq!(start(&fixture), 5_000, "the poll knew of an older start");
    fixture.writer.host(host.clone(), started(4_000));
    done(fixture.writer.flush());
    assert_eq!(start(&fixture), 4_000, "a clock set back");
}

#[test]
fn r39_a_hold_stays_whoever_of_its_host_comes_to_the_disk_first() {
    let fixture = Fixture::new();
    let feeds = fixture.subscribe(&["https://example.org/1", "https://example.org/2"]);
    let host = HostKey("example.org:443".to_owned());
    let of_turn = |feed, turn, hold_until| {
        let mut poll = not_modified(feed, NOW);
        poll.turn = turn;
        let state = HostState {
            hold_until,
            hold_since: hold_until.map(|_| NOW),
            last_start_ms: NOW.0 * 1_000,
            ..HostState::default()
        };
        poll.host = Some((host.clone(), state));
        poll
    };
    let until = Some(NOW.plus(7_200));
    let held = |fixture: &Fixture| fixture.store.host(&host).expect("read").hold_until;
    // In one transaction the polls lie in the order of their feeds.
    let writer = &fixture.writer;
    let rows = [of_turn(feeds[1], 1, None), of_turn(feeds[0], 2, until)].map(|c| writer.poll(c));
    done(writer.flush());
    for row in rows {
        done(row);
    }
    assert_eq!(held(&fixture), until);
    // A body that was long parsed comes in a later one.
    fixture.poll(of_turn(feeds[1], 1, None));
    assert_eq!(held(&fixture), until);
    fixture.poll(of_turn(feeds[1], 3, None));
    assert_eq!(
        held(&fixture),
        None,
        "who knew of it and says that it is over"
    );
}

#[test]
fn a_lifted_hold_is_not_brought_back_by_a_poll_that_began_under_it() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://example.org/feed"])[0];
    let host = HostKey("example.org:443".to_owned());
    let held = |since: Timestamp| {
        let mut poll = not_modified(feed, since);
        poll.state.schedule.why = Why::HostHold;
        poll.host = Some((
            host.clone(),
            HostState {
                hold_until: Some(since.plus(7_200)),
                hold_since: Some(since),
                throttled: 1,
                last_hold_secs: 7_200,
                ..HostState::default()
            },
        ));
        poll
    };
    assert_eq!(fixture.poll(held(NOW)).hold_until, Some(NOW.plus(7_200)));
    assert!(done(fixture.writer.lift(host.clone())));
    assert!(
        !done(fixture.writer.lift(host.clone())),
        "there is none any more"
    );
    assert_eq!(
        fixture.store.due(NOW).expect("read"),
        [(NOW, feed)],
        "its feed is due"
    );
    assert_eq!(fixture.poll(held(NOW)).hold_until, None, "the old hold");
    let state = fixture.store.host(&host).expect("read");
    assert_eq!(
        (state.throttled, state.last_hold_secs),
        (1, 7_200),
        "the next one doubles"
    );
    let renewed = fixture.poll(held(NOW.plus(60)));
    assert_eq!(renewed.hold_until, Some(NOW.plus(7_260)), "a new one");
}

#[test]
fn a_gone_feed_is_enabled_and_due() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://example.org/feed"])[0];
    let mut gone = not_modified(feed, NOW);
    gone.state.off = Some(crate::model::Off::Gone);
    gone.state.schedule.next = None;
    fixture.poll(gone);
    assert_eq!(fixture.store.next_due().expect("read"), None);
    assert!(done(fixture.writer.enable(feed, NOW)));
    assert!(!done(fixture.writer.enable(feed, NOW)));
    assert_eq!(fixture.store.due(NOW).expect("read"), [(NOW, feed)]);
    let unknown = refused(fixture.writer.enable(FeedId(9), NOW));
    assert!(matches!(unknown, StoreError::UnknownFeed(FeedId(9))));
}

#[test]
fn a_poll_of_a_feed_unsubscribed_meanwhile_makes_nothing_due() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://example.org/feed"])[0];
    fixture.subscribe(&[]);
    fixture.poll(commit(feed, vec![incoming(1, 1)], Vec::new()));
    assert_eq!(fixture.store.next_due().expect("read"), None);
    assert_eq!(fixture.store.feeds().expect("read"), []);
    assert_eq!(
        fixture.store.row(feed).expect("read").expect("kept").total,
        1
    );
}

#[test]
fn an_entry_under_another_guid_is_the_same_entry_under_both() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://example.org/feed"])[0];
    fixture.entries(feed, &[(1, 10), (2, 20)]);
    let ids = vec![id(feed, 1)];
    done(fixture.writer.mark(ids, crate::model::Mark::Read(true)));
    let mut poll = commit(feed, Vec::new(), Vec::new());
    let changes = crate::parse::Changes {
        moved: vec![(key(1), incoming(7, 10)), (key(99), incoming(8, 5))],
        ..Default::default()
    };
    poll.entries = pack(changes).expect("packed");
    let row = fixture.poll(poll.clone());
    // The one whose former key nobody knows is new.
    assert_eq!((row.total, row.unread), (3, 2));
    let read = |n| {
        let entry = fixture.store.entry(id(feed, n)).expect("read");
        entry.expect("stored").head
    };
    let (old, new) = (read(1), read(7));
    assert_eq!(old, new);
    assert_eq!(old.id, id(feed, 1));
    assert_eq!(old.guid, "https://example.org/7");
    assert!(!old.unread && !old.edited);
    assert_eq!(fixture.poll(poll).total, 3);
    let remembered = fixture.store.recent(feed, 9).expect("read");
    let keys: Vec<_> = remembered.iter().map(|entry| entry.key).collect();
    assert_eq!(keys, [key(2), key(1), key(8)]);
    let asked = [(0, key(7)), (1, key(5))];
    let found = fixture.store.remembered(feed, &asked).expect("read");
    assert_eq!(found, [(0, remembered[1].clone())]);
    super::check_lists(&fixture.store);
}

#[test]
fn r44_being_offline_is_kept_until_it_is_over() {
    let fixture = Fixture::new();
    let kept = || fixture.store.offline().expect("read");
    assert_eq!(kept(), None);
    let offline = crate::model::Offline {
        until: NOW,
        probes: 3,
    };
    fixture.writer.offline(Some(offline));
    done(fixture.writer.flush());
    assert_eq!(kept(), Some(offline));
    fixture.writer.offline(None);
    done(fixture.writer.flush());
    assert_eq!(kept(), None);
}
