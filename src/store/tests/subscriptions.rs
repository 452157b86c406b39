use super::{Fixture, NOW, commit, done, incoming, not_modified, subscriptions};
use crate::model::{FeedId, PermanentMove, Subscription, Timestamp, Why};

fn titled(url: &str, title: &str) -> Subscription {
    Subscription {
        url: url.to_owned(),
        title: Some(title.to_owned()),
        ..Subscription::default()
    }
}

fn ids(fixture: &Fixture) -> Vec<u32> {
    let rows = fixture.store.feeds().expect("rows");
    rows.iter().map(|row| row.feed.id.0).collect()
}

#[test]
fn the_store_follows_the_file() {
    let fixture = Fixture::new();
    let list = subscriptions(&["https://a.example/", "b.example", "https://A.example"]);
    let done_ = done(fixture.writer.reconcile(list, NOW));
    assert_eq!(
        done_.added,
        [FeedId(0), FeedId(1)],
        "the third is the first"
    );
    assert_eq!(
        fixture.store.due(NOW).expect("read").len(),
        2,
        "due at once"
    );
    let swapped = subscriptions(&["b.example", "https://a.example/"]);
    let nothing = done(fixture.writer.reconcile(swapped, NOW));
    assert_eq!(nothing, super::super::Reconciled::default());
    assert_eq!(ids(&fixture), [1, 0], "in the order of the file");
    assert_eq!(
        fixture.store.subscribed().expect("read"),
        [FeedId(0), FeedId(1)]
    );
    assert_eq!(
        fixture.store.feed_id("https://B.example/").expect("read"),
        Some(FeedId(1))
    );
}

#[test]
fn the_same_file_again_writes_nothing() {
    let fixture = Fixture::new();
    fixture.subscribe(&["https://a.example/", "https://b.example/"]);
    let before = fixture.store.generation().expect("read");
    fixture.subscribe(&["https://a.example/", "https://b.example/"]);
    assert_eq!(fixture.store.generation().expect("read"), before);
}

#[test]
fn a_title_of_the_users_goes_over_the_feeds_own() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/"])[0];
    fixture.poll(commit(feed, vec![incoming(1, 1)], Vec::new()));
    let title = || {
        fixture
            .store
            .row(feed)
            .expect("read")
            .expect("row")
            .feed
            .title
    };
    assert_eq!(title(), "A feed");
    done(
        fixture
            .writer
            .reconcile(vec![titled("https://a.example/", "Mine")], NOW),
    );
    assert_eq!(title(), "Mine");
    fixture.subscribe(&["https://a.example/"]);
    assert_eq!(title(), "A feed");
}

#[test]
fn a_removed_feed_comes_back_with_everything() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/"])[0];
    fixture.entries(feed, &[(1, 1), (2, 2)]);
    let gone = done(fixture.writer.reconcile(Vec::new(), NOW));
    assert_eq!(gone.removed, [feed]);
    assert_eq!(fixture.store.next_due().expect("read"), None);
    assert_eq!(
        fixture.store.feed_id("https://a.example/").expect("read"),
        None
    );
    let back = done(
        fixture
            .writer
            .reconcile(subscriptions(&["a.example"]), NOW.plus(9)),
    );
    assert_eq!(back.revived, [feed]);
    assert_eq!(
        fixture.store.next_due().expect("read"),
        Some(NOW.plus(3600)),
        "as scheduled"
    );
    assert_eq!(
        fixture.store.row(feed).expect("read").expect("row").total,
        2
    );
}

#[test]
fn a_url_edited_by_hand_keeps_its_number() {
    // Before, after, and which numbers the lines of the file then have.
    let cases: [(&[Subscription], &[Subscription], &[u32]); 8] = [
        // The same host at the same place.
        (
            &subscriptions(&[
                "https://x.example/",
                "https://a.example/rss",
                "https://y.example/",
            ]),
            &subscriptions(&[
                "https://x.example/",
                "https://a.example/atom",
                "https://y.example/",
            ]),
            &[0, 1, 2],
        ),
        // The same title at the same place.
        (
            &[
                titled("https://a.example/", "A"),
                titled("https://b.example/", "B"),
            ],
            &[
                titled("https://new.example/", "A"),
                titled("https://b.example/", "B"),
            ],
            &[0, 1],
        ),
        // Another host and no title.
        (
            &subscriptions(&["https://a.example/"]),
            &subscriptions(&["https://b.example/"]),
            &[1],
        ),
        // The same host, but the titles contradict.
        (
            &[titled("https://a.example/1", "One")],
            &[titled("https://a.example/2", "Two")],
            &[1],
        ),
        // The same host, but elsewhere in the file.
        (
            &subscriptions(&["https://a.example/1", "https://x.example/"]),
            &subscriptions(&["https://x.example/", "https://a.example/2"]),
            &[1, 2],
        ),
        // Two at one place, each its own.
        (
            &subscriptions(&["https://a.example/1", "https://b.example/1"]),
            &subscriptions(&["https://b.example/2", "https://a.example/2"]),
            &[1, 0],
        ),
        // From http to https.
        (
            &subscriptions(&["http://a.example/"]),
            &subscriptions(&["https://a.example/"]),
            &[0],
        ),
        // A line put in before.
        (
            &subscriptions(&["https://a.example/1"]),
            &subscriptions(&["https://z.example/", "https://a.example/2"]),
            &[1, 0],
        ),
    ];
    for (before, after, wanted) in cases {
        let fixture = Fixture::new();
        done(fixture.writer.reconcile(before.to_vec(), NOW));
        done(fixture.writer.reconcile(after.to_vec(), NOW));
        assert_eq!(ids(&fixture), wanted, "{after:?}");
    }
}

#[test]
fn a_moved_feed_is_due_at_once_and_its_former_url_leads_back_to_it() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/rss"])[0];
    fixture.poll(not_modified(feed, NOW));
    let list = subscriptions(&["https://a.example/atom"]);
    let moved = done(fixture.writer.reconcile(list, NOW.plus(5)));
    assert_eq!(moved.moved, [feed]);
    assert_eq!(
        fixture.store.due(NOW.plus(5)).expect("read"),
        [(NOW.plus(5), feed)]
    );
    let row = fixture.store.row(feed).expect("read").expect("row");
    assert_eq!(row.schedule.why, Why::First);
    assert_eq!(row.feed.url, "https://a.example/atom");
    fixture.subscribe(&[]);
    let back = fixture.subscribe(&["https://a.example/rss"]);
    assert_eq!(back, [feed]);
}

#[test]
fn a_url_edited_to_where_it_redirects_for_good_is_the_same_feed() {
    let fixture = Fixture::new();
    let feeds = fixture.subscribe(&["https://a.example/", "https://old.example/"]);
    let mut poll = not_modified(feeds[1], NOW);
    poll.state.moving = Some(PermanentMove {
        target: "https://new.example/feed".to_owned(),
        seen: 1,
        since: NOW,
    });
    fixture.poll(poll);
    // Elsewhere in the file, and on another host.
    let after = fixture.subscribe(&["https://new.example/feed", "https://a.example/"]);
    assert_eq!(after, [feeds[1], feeds[0]]);
}

#[test]
fn r53_an_adopted_move_goes_on_where_it_was_and_is_not_taken_for_a_feed_removed_long_ago() {
    let fixture = Fixture::new();
    let feeds = fixture.subscribe(&["https://old.example/", "https://new.example/"]);
    fixture.subscribe(&["https://old.example/"]);
    let mut poll = not_modified(feeds[0], NOW);
    poll.state.moving = Some(PermanentMove {
        target: "https://new.example/".to_owned(),
        seen: 4,
        since: NOW,
    });
    fixture.poll(poll.clone());
    poll.state.moving = None;
    poll.state.moves = vec![crate::model::Moved {
        from: "https://old.example/".to_owned(),
        to: "https://new.example/".to_owned(),
        at: NOW,
        undone: false,
    }];
    let before = fixture.poll(poll);
    assert_eq!(before.host, "new.example:443");
    assert_eq!(fixture.subscribe(&["https://new.example/"]), [feeds[0]]);
    let row = fixture.store.row(feeds[0]).expect("read").expect("row");
    assert_eq!(row.schedule, before.schedule);
    assert_eq!((row.moved, row.host.as_str()), (None, "new.example:443"));
    let former = fixture.store.adopted_from(feeds[0]).expect("read");
    assert_eq!(former.as_deref(), Some("https://old.example/"));
    let due = fixture.store.due(Timestamp(i64::MAX)).expect("read");
    assert_eq!(due.len(), 1, "one time for one feed");
}

#[test]
fn a_permanent_target_that_is_subscribed_besides_is_a_feed_of_its_own() {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://old.example/"])[0];
    let mut poll = not_modified(feed, NOW);
    poll.state.moving = Some(PermanentMove {
        target: "https://new.example/".to_owned(),
        seen: 1,
        since: NOW,
    });
    fixture.poll(poll);
    let both = fixture.subscribe(&["https://old.example/", "https://new.example/"]);
    assert_eq!(both, [feed, FeedId(1)]);
}

#[test]
fn a_list_that_was_stored_today_need_not_be_stored_again() {
    let fixture = Fixture::new();
    let urls = ["https://a.example/", "https://b.example/"];
    let agrees = |urls: &[&str], now| {
        let list = subscriptions(urls);
        fixture.store.agrees_with(&list, now).expect("read")
    };
    assert!(!agrees(&[], NOW), "nothing was ever stored");
    fixture.subscribe(&urls);
    assert!(agrees(&urls, NOW));
    assert!(!agrees(&urls[..1], NOW));
    assert!(!agrees(&urls, NOW.plus(86_400)), "what is old is forgotten");
    fixture.subscribe(&urls[..1]);
    assert!(!agrees(&urls, NOW));
    fixture.subscribe(&[urls[0], urls[0]]);
    assert!(!agrees(&[urls[0], urls[0]], NOW), "gone through each time");
}

#[test]
fn what_was_removed_long_ago_is_forgotten_but_not_its_entries() {
    let fixture = Fixture::new();
    let feeds = fixture.subscribe(&["https://a.example/", "https://b.example/"]);
    fixture.entries(feeds[0], &[(1, 1)]);
    fixture.poll(not_modified(feeds[1], NOW));
    fixture.subscribe(&[]);
    let reconcile = |now: Timestamp| done(fixture.writer.reconcile(Vec::new(), now));
    reconcile(NOW.plus(89 * 86_400));
    assert!(fixture.store.row(feeds[1]).expect("read").is_some());
    reconcile(NOW.plus(91 * 86_400));
    assert!(fixture.store.row(feeds[1]).expect("read").is_none());
    let kept = fixture
        .store
        .row(feeds[0])
        .expect("read")
        .expect("it has an entry");
    assert_eq!((kept.total, kept.schedule.next), (1, None));
    assert_eq!(fixture.store.ledger(feeds[0]).expect("read").0, []);
    let before = fixture.store.generation().expect("read");
    reconcile(NOW.plus(91 * 86_400 + 1));
    assert_eq!(
        fixture.store.generation().expect("read"),
        before,
        "nothing more to forget"
    );
    let list = subscriptions(&["https://a.example/", "https://b.example/"]);
    let back = done(fixture.writer.reconcile(list, NOW.plus(93 * 86_400)));
    assert_eq!(
        (back.revived, back.added),
        (vec![feeds[0]], vec![FeedId(2)]),
        "no number twice"
    );
}

#[test]
fn five_thousand_feeds_arrive_in_one_transaction() {
    let fixture = Fixture::new();
    let urls: Vec<_> = (0..5_000)
        .map(|n| format!("https://h{n}.example/feed.xml"))
        .collect();
    let list = subscriptions(&urls.iter().map(String::as_str).collect::<Vec<_>>());
    let before = fixture.store.generation().expect("read");
    assert_eq!(done(fixture.writer.reconcile(list, NOW)).added.len(), 5_000);
    assert_eq!(fixture.store.generation().expect("read"), before + 1);
    assert_eq!(fixture.store.due(NOW).expect("read").len(), 5_000);
}
