//! Lanes by the clock.

use super::*;

fn key(name: &str) -> HostKey {
    HostKey(format!("{name}:80"))
}

#[test]
fn one_host_has_one_request_in_flight_and_starts_are_spaced() {
    let mut lanes = Lanes::<()>::new(1000);
    lanes.push_feed(&key("a"), FeedId(1));
    lanes.push_feed(&key("a"), FeedId(2));
    assert_eq!(lanes.take(0), Some((key("a"), Turn::Feed(FeedId(1)))));
    lanes.started(&key("a"), 0, true);
    assert_eq!(lanes.take(5000), None, "the first is still in flight");
    lanes.leave(&key("a"), None);
    assert_eq!(lanes.take(999), None, "too early");
    assert_eq!(lanes.next_start(), Some(1000));
    assert_eq!(lanes.take(1000), Some((key("a"), Turn::Feed(FeedId(2)))));
}

#[test]
fn r72_who_is_sent_home_comes_back_behind_those_who_wait_already() {
    let mut lanes = Lanes::<()>::new(1000);
    assert_eq!(lanes.count_deferred(&key("a"), || 40), 40);
    assert_eq!(lanes.count_deferred(&key("a"), || 0), 41);
    lanes.forget_hosts();
    assert_eq!(lanes.count_deferred(&key("b"), || 0), 0);
    assert_eq!(lanes.count_deferred(&key("b"), || 7), 1);
}

#[test]
fn other_hosts_do_not_wait() {
    let mut lanes = Lanes::<()>::new(1000);
    lanes.push_feed(&key("a"), FeedId(1));
    lanes.push_feed(&key("b"), FeedId(2));
    assert!(lanes.take(0).is_some());
    lanes.started(&key("a"), 0, true);
    assert_eq!(lanes.take(0), Some((key("b"), Turn::Feed(FeedId(2)))));
}

#[test]
fn a_gate_goes_before_feeds() {
    let mut lanes = Lanes::new(0);
    lanes.push_feed(&key("a"), FeedId(1));
    lanes.push_gate(&key("a"), "hop");
    assert_eq!(lanes.take(0), Some((key("a"), Turn::Gate("hop"))));
}

#[test]
fn gates_open_where_feeds_may_not_start() {
    let mut lanes = Lanes::new(1000);
    lanes.push_feed(&key("a"), FeedId(1));
    assert_eq!((lanes.next_gate(), lanes.take_gate(0)), (None, None));
    lanes.push_gate(&key("b"), "hop");
    lanes.started(&key("b"), 0, true);
    assert_eq!(lanes.next_gate(), Some(1000));
    assert_eq!(lanes.take_gate(999), None);
    assert_eq!(lanes.take_gate(1000), Some((key("b"), Turn::Gate("hop"))));
    assert_eq!(lanes.next_gate(), None);
    assert!(lanes.is_waiting(), "the feed");
}

#[test]
fn a_start_on_disk_spaces_the_first_one_here() {
    let mut lanes = Lanes::<()>::new(1000);
    lanes.push_feed(&key("a"), FeedId(1));
    let (host, turn) = lanes.take(10_000).expect("ready");
    lanes.host(&host, || HostState {
        last_start_ms: 9_500,
        ..HostState::default()
    });
    assert_eq!(lanes.start_at(&host, 10_000), 10_500);
    lanes.put_back(&host, turn, 9_500);
    assert_eq!(lanes.next_start(), Some(10_500));
}

#[test]
fn r48_a_start_in_the_future_counts_as_now_and_only_once() {
    let mut lanes = Lanes::<()>::new(1000);
    lanes.push_feed(&key("a"), FeedId(1));
    let (host, turn) = lanes.take(10_000).expect("ready");
    lanes.host(&host, || HostState {
        last_start_ms: 99_000_000,
        ..HostState::default()
    });
    assert_eq!(lanes.start_at(&host, 10_000), 11_000);
    lanes.put_back(&host, turn, 10_000);
    assert_eq!(lanes.take(10_999), None);
    assert!(lanes.take(11_000).is_some());
    assert_eq!(lanes.start_at(&host, 11_000), 11_000, "and not 12,000");
}

#[test]
fn r48_a_clock_set_back_holds_up_no_lane() {
    let mut lanes = Lanes::<()>::new(1000);
    lanes.push_feed(&key("a"), FeedId(1));
    lanes.push_feed(&key("a"), FeedId(2));
    lanes.look_at_clock(99_000_000);
    assert!(lanes.take(99_000_000).is_some());
    lanes.started(&key("a"), 99_000_000, true);
    lanes.leave(&key("a"), None);
    lanes.look_at_clock(10_000);
    assert_eq!(lanes.take(10_000), None, "the distance stays");
    assert_eq!(lanes.next_start(), Some(11_000));
    lanes.look_at_clock(11_000);
    assert!(lanes.take(11_000).is_some());
}

#[test]
fn an_open_connection_is_used_before_another_is_opened() {
    let mut lanes = Lanes::<()>::new(0);
    for (host, feed) in [("a", 1), ("b", 2), ("a", 3)] {
        lanes.push_feed(&key(host), FeedId(feed));
    }
    assert_eq!(lanes.take(0), Some((key("a"), Turn::Feed(FeedId(1)))));
    assert_eq!(lanes.reuse(&key("a")), Reuse::Kept);
    lanes.started(&key("a"), 0, true);
    lanes.leave(&key("a"), None);
    lanes.forget_hosts();
    assert_eq!(lanes.take(0), Some((key("a"), Turn::Feed(FeedId(3)))));
    assert_eq!(lanes.reuse(&key("a")), Reuse::Last);
    assert_eq!(lanes.take(0), Some((key("b"), Turn::Feed(FeedId(2)))));
    assert_eq!(lanes.reuse(&key("b")), Reuse::Alone);
    assert_eq!(lanes.take(0), None);
}

#[test]
fn a_host_that_is_not_trusted_gets_a_new_connection_each_time() {
    let mut lanes = Lanes::<()>::new(0);
    lanes.push_feed(&key("a"), FeedId(1));
    lanes.push_feed(&key("a"), FeedId(2));
    assert!(lanes.take(0).is_some());
    assert_eq!(lanes.reuse(&key("a")), Reuse::Kept);
    lanes.distrust(&key("a"));
    lanes.leave(&key("a"), None);
    assert!(lanes.take(0).is_some());
    assert_eq!(lanes.reuse(&key("a")), Reuse::Alone);
}

#[test]
fn clearing_gives_the_feeds_back() {
    let mut lanes = Lanes::<()>::new(0);
    lanes.push_feed(&key("a"), FeedId(1));
    lanes.push_feed(&key("b"), FeedId(2));
    let mut feeds = lanes.clear();
    feeds.sort();
    assert_eq!(feeds, [FeedId(1), FeedId(2)]);
    assert!(!lanes.is_waiting());
    assert_eq!(lanes.take(0), None);
}
