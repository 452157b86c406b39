use super::{Fixture, NOW, commit, done, id, incoming, key, not_modified, refused};
use crate::model::{
    Counters, Exchange, FeedId, HostKey, HostState, OutcomeCode, Timestamp, Validators, Why,
};
use crate::parse::KnownEntry;
use crate::store::{StoreError, pack};

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
    assert_eq!(blocks, 1, "the old block is gone");
    super::check_lists(&fixture.store);
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
fn the_audit_is_a_ring_and_comes_newest_first() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://example.org/feed"])[0];
    let mut last = None;
    for n in 0..1_030 {
        let mut poll = not_modified(feed, NOW.plus(n));
        poll.exchanges = vec![Exchange {
            at: poll.at,
            url: "https://example.org/feed".to_owned(),
            status: 304,
            sent: vec![("accept".to_owned(), b"*/*".to_vec())],
            received: vec![("etag".to_owned(), vec![0xFF])],
            error: None,
        }];
        last = Some(fixture.writer.poll(poll));
    }
    done(fixture.writer.flush());
    done(last.expect("one"));
    let (records, exchanges) = fixture.store.ledger(feed).expect("read");
    let times = |from: i64, count: i64| (0..count).map(move |n| NOW.plus(from - n));
    assert!(records.iter().map(|r| r.at).eq(times(1_029, 1_000)));
    assert!(exchanges.iter().map(|e| e.at).eq(times(1_029, 20)));
    assert_eq!(exchanges[0].received[0].1, [0xFF]);
}

#[test]
fn equal_deferrals_in_a_row_share_a_record() {
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

#[test]
fn a_start_is_on_disk_after_a_flush_and_never_goes_back_by_a_poll() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://example.org/feed"])[0];
    let host = HostKey("example.org:443".to_owned());
    let start = |fixture: &Fixture| fixture.store.host(&host).expect("read").last_start_ms;
    fixture.writer.host_started(host.clone(), 5_000);
    done(fixture.writer.flush());
    assert_eq!(start(&fixture), 5_000);
    fixture.poll(not_modified(feed, NOW));
    assert_eq!(start(&fixture), 5_000, "the poll knew of an older start");
    fixture.writer.host_started(host.clone(), 4_000);
    done(fixture.writer.flush());
    assert_eq!(start(&fixture), 4_000, "a clock set back");
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
