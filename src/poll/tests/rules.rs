//! When a feed may be asked, holds, counters (R25–R48, R74, R75).

use std::time::Duration;

use super::server::{A, B, Bench, DAY, HOUR, MINUTE, NOW, Reply};
use crate::model::{Bound, ErrorKind, Outcome, Pace, ValidatorsChoice, Why};
use crate::poll::{
    Plan, conclude_offline, considered, defer, defer_for_budget, lift, plan, validators_reason,
    waits_since,
};

const BOTH: [(&str, &str); 2] = [
    ("etag", "\"1\""),
    ("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
];

fn texts(etag: &str, date: &str) -> (Option<String>, Option<String>) {
    let text = |t: &str| Some(t.to_owned()).filter(|t| !t.is_empty());
    (text(etag), text(date))
}

#[test]
fn r37_r40_a_retry_after_in_the_past_or_of_garbage_holds_an_hour() {
    for value in ["0", "-1", "soon", "Sun, 06 Nov 1994 08:49:37 GMT", ""] {
        let mut bench = Bench::new();
        let done = bench.poll(&Reply::new(429, &[("retry-after", value)]));
        assert_eq!(
            done.outcome,
            Outcome::Deferred {
                until: NOW.plus(HOUR)
            },
            "{value}"
        );
    }
}

#[test]
fn r37_a_retry_after_date_counts_from_a_server_clock_that_is_five_days_off() {
    for days in [-5, 5] {
        let write = |t: crate::model::Timestamp| {
            t.datetime().format("%a, %d %b %Y %H:%M:%S GMT").to_string()
        };
        let date = NOW.plus(days * DAY);
        let (date, until) = (write(date), write(date.plus(2 * HOUR)));
        let mut bench = Bench::new();
        let done = bench.poll(&Reply::new(
            503,
            &[("date", &date), ("retry-after", &until)],
        ));
        assert_eq!(
            done.outcome,
            Outcome::Deferred {
                until: NOW.plus(2 * HOUR)
            }
        );
    }
}

#[test]
fn r25_a_feed_is_not_asked_before_its_time_however_often_one_starts() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH).with(10, 1));
    for _ in 0..3 {
        assert!(matches!(
            bench.plan(),
            Plan::NotDue {
                why: Why::Base(3600),
                ..
            }
        ));
    }
    bench.now = NOW.plus(HOUR);
    assert_eq!(bench.plan(), Plan::Ask);
}

#[test]
fn r36_a_429_and_a_503_with_retry_after_hold_the_host() {
    for status in [429, 503] {
        let mut bench = Bench::new();
        let done = bench.poll(&Reply::new(status, &[("retry-after", "7200")]));
        assert_eq!(
            done.outcome,
            Outcome::Deferred {
                until: NOW.plus(7200)
            }
        );
        assert_eq!(
            done.state.last.as_ref().and_then(|l| l.status),
            Some(status)
        );
        assert_eq!((done.delta.deferred, done.delta.errors), (1, 0));
        assert_eq!(bench.state.schedule.why, Why::HostHold);
        assert!(bench.ahead() >= 7200);
        bench.now = NOW.plus(7199);
        assert!(matches!(bench.plan(), Plan::NotDue { .. }));
        for pace in [Pace::Manual, Pace::Force] {
            let held = Plan::Held {
                until: NOW.plus(7200),
            };
            assert_eq!(plan(pace, &bench.known()), held);
        }
    }
}

#[test]
fn r39_a_503_without_retry_after_is_the_feeds_own_error() {
    let mut bench = Bench::new();
    let done = bench.poll(&Reply::new(503, &[]));
    assert!(matches!(done.outcome, Outcome::Failed(_)));
    assert_eq!(bench.host.hold_until, None);
}

#[test]
fn r39_a_queued_feed_of_a_held_host_is_deferred_unsent_and_its_next_poll_shows_it() {
    let mut bench = Bench::new();
    let until = NOW.plus(7200);
    let done = defer(until, &bench.known());
    assert_eq!(done.outcome, Outcome::Deferred { until });
    assert_eq!((done.delta.deferred, done.delta.conditional), (1, 0));
    bench.commit(&done);
    assert!((7200..=7260).contains(&bench.ahead()));
    assert_eq!(bench.state.schedule.why, Why::HostHold);
    let again = defer(until, &bench.known());
    assert_eq!(
        again.state.schedule.next, bench.state.schedule.next,
        "a later next stays"
    );
}

#[test]
fn r40_an_absurd_retry_after_is_cut_to_a_week_and_told() {
    let mut bench = Bench::new();
    let done = bench.poll(&Reply::new(429, &[("retry-after", "99999999999")]));
    assert_eq!(
        done.outcome,
        Outcome::Deferred {
            until: NOW.plus(7 * DAY)
        }
    );
    assert!(done.warning.is_some());
}

#[test]
fn r44_errors_back_off_and_success_ends_it() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH).with(10, 1));
    for (n, secs) in [
        (1, HOUR),
        (2, HOUR),
        (3, 2 * HOUR),
        (4, 4 * HOUR),
        (5, 8 * HOUR),
    ] {
        bench.wait();
        bench.poll(&Reply::new(500, &[]));
        assert_eq!((bench.state.schedule.failures, bench.ahead()), (n, secs));
    }
    bench.poll(&Reply::not_modified(&[]));
    assert_eq!((bench.state.schedule.failures, bench.ahead()), (0, HOUR));
}

#[test]
fn r44_an_offline_poll_is_an_error_that_does_not_count() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH));
    let error = crate::model::PollError::new(ErrorKind::Dns, "");
    bench.wait();
    let until = bench.now.plus(300);
    let done = conclude_offline(&error, until, &bench.known());
    assert_eq!(done.outcome.word(), "error");
    assert_eq!((done.delta.errors, done.state.schedule.failures), (0, 0));
    assert_eq!(done.state.schedule.next, Some(until));
    assert_eq!(done.state.schedule.why.to_string(), "offline");
}

#[test]
fn r44_a_feed_asked_by_hand_while_offline_keeps_its_time() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&[
        ("etag", "\"1\""),
        ("cache-control", "max-age=86400"),
    ]));
    let before = bench.state.schedule;
    let error = crate::model::PollError::new(ErrorKind::Dns, "");
    let done = conclude_offline(&error, NOW.plus(300), &bench.known());
    assert_eq!(done.state.schedule, before);
}

#[test]
fn r46_a_refresh_by_hand_ignores_the_schedule_but_not_the_minute_and_stays_conditional() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&[
        ("etag", "\"1\""),
        ("cache-control", "max-age=86400"),
    ]));
    bench.pace = Pace::Manual;
    bench.now = NOW.plus(30);
    assert_eq!(
        bench.plan(),
        Plan::Debounced {
            until: NOW.plus(60)
        }
    );
    assert_eq!(plan(Pace::Force, &bench.known()), Plan::Ask);
    bench.now = NOW.plus(MINUTE);
    assert_eq!(bench.plan(), Plan::Ask);
    assert!(!bench.is_plain());
}

#[test]
fn r46_a_deferral_that_sent_nothing_starts_no_minute() {
    let mut bench = Bench::new();
    let done = defer(NOW.plus(10), &bench.known());
    bench.commit(&done);
    bench.now = NOW.plus(11);
    bench.pace = Pace::Manual;
    assert_eq!(bench.plan(), Plan::Ask);
}

#[test]
fn r47_only_a_lift_ends_a_hold_and_then_the_feed_is_due() {
    let mut bench = Bench::new();
    bench.poll(&Reply::new(429, &[("retry-after", "86400")]));
    bench.now = NOW.plus(HOUR);
    assert!(matches!(
        plan(Pace::Force, &bench.known()),
        Plan::Held { .. }
    ));
    bench.host = lift(&bench.host);
    // The store makes the feeds of a lifted host due.
    bench.state.schedule.next = Some(bench.state.schedule.set_at);
    assert_eq!(bench.plan(), Plan::Ask);
    bench.poll(&Reply::new(429, &[]));
    assert_eq!(bench.host.hold_until, Some(bench.now.plus(2 * DAY)));
}

#[test]
fn r48_a_clock_set_back_forty_days_makes_feeds_due_and_ends_holds() {
    for reply in [
        Reply::ok(&BOTH),
        Reply::new(500, &[]),
        Reply::new(404, &[]),
        Reply::new(429, &[("retry-after", "604800")]),
    ] {
        let mut bench = Bench::new();
        bench.poll(&reply);
        bench.now = NOW.plus(-40 * DAY);
        assert_eq!(bench.plan(), Plan::Ask);
        bench.now = NOW.plus(40 * DAY);
        assert_eq!(bench.plan(), Plan::Ask);
    }
}

#[test]
fn r48_validators_are_never_touched_by_the_clock() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH));
    for days in [-4000, -40, 40, 4000] {
        bench.now = NOW.plus(days * DAY);
        assert_eq!(bench.sends(A), texts(BOTH[0].1, BOTH[1].1), "{days}");
    }
}

#[test]
fn r74_counters_follow_a_scripted_sequence() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH).with(10, 2));
    bench.poll(&Reply::not_modified(&[]));
    bench.poll(&Reply::ok(&BOTH).with(10, 0));
    bench.poll(&Reply::ok(&BOTH).with(20, 1));
    bench.poll(&Reply::new(500, &[]));
    bench.poll(&Reply::broken(ErrorKind::Dns));
    bench.poll(&Reply::new(429, &[]));
    let done = defer(NOW.plus(HOUR), &bench.known());
    bench.commit(&done);
    let c = bench.state.counters;
    assert_eq!((c.ok200, c.not_modified304, c.identical200), (3, 1, 1));
    assert_eq!((c.errors, c.deferred, c.conditional), (2, 2, 5));
    assert_eq!((c.bytes, c.bytes_saved), (3000, 1000));
}

#[test]
fn r75_a_304_has_no_bytes_and_saves_those_of_the_last_full_answer() {
    let mut bench = Bench::new();
    let mut reply = Reply::ok(&BOTH);
    reply.size = 4321;
    bench.poll(&reply);
    let done = bench.poll(&Reply::not_modified(&[]));
    assert_eq!((done.delta.bytes, done.delta.bytes_saved), (0, 4321));
}

#[test]
fn r74_the_same_hold_defers_to_the_same_time_whenever_it_is_met() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH));
    let until = bench.now.plus(2 * HOUR);
    let first = defer(until, &bench.known());
    bench.commit(&first);
    for _ in 0..20 {
        bench.now = bench.now.plus(7);
        let again = defer(until, &bench.known());
        assert_eq!(again.state.schedule.next, first.state.schedule.next);
        bench.commit(&again);
    }
}

#[test]
fn r74_every_bound_that_was_considered_can_be_listed_afterwards() {
    let mut bench = Bench::new();
    bench.subscription.every = Some(Duration::from_secs(7200));
    let decided = bench.now;
    bench.poll(&Reply::ok(&[("cache-control", "max-age=14400")]));
    assert_eq!(bench.state.schedule.why, Why::MaxAge(14_400));
    bench.now = decided;
    let weighed = considered(&bench.known(), Some(200), None);
    let binding = |wanted: Why| {
        let mut found = weighed.bounds.iter().filter(|bound| bound.why == wanted);
        found.next().map(|bound| (bound.secs, bound.binds))
    };
    assert_eq!(binding(Why::User(7200)), Some((7200, true)));
    assert_eq!(binding(Why::Base(3600)), Some((3600, false)));
    assert_eq!(binding(Why::MaxAge(14_400)), Some((14_400, true)));
    assert_eq!(binding(Why::Bytes(1800)), Some((1800, true)));
    assert_eq!(weighed.bounds.len(), 4);
    assert_eq!(weighed.why, bench.state.schedule.why);
}

#[test]
fn r74_a_hold_and_skipped_hours_are_bounds_like_the_others() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH));
    bench.state.hints.skip_hours = 0xff_fffe;
    let hold = bench.now.plus(9000);
    let weighed = considered(&bench.known(), Some(200), Some(hold));
    let letters: Vec<&str> = weighed.bounds.iter().map(Bound::letter).collect();
    assert_eq!(letters, ["I", "H", "skip"]);
    assert_eq!(weighed.bounds[1].secs, 9000);
    assert_eq!(weighed.why, Why::Skip);
}

#[test]
fn r05_r19_r20_r22_why_these_validators_are_sent_is_told() {
    let mut bench = Bench::new();
    let reason = |bench: &Bench| validators_reason(&bench.known()).to_string();
    assert_eq!(reason(&bench), "nothing has answered yet");
    bench.poll(&Reply::new(429, &[]));
    assert_eq!(
        reason(&bench),
        "no feed has come yet, the last answer was 429"
    );
    bench.poll(&Reply::ok(&[]));
    assert_eq!(reason(&bench), "the server gives none");
    bench.poll(&Reply::ok(&BOTH));
    assert_eq!(reason(&bench), "all that the server gives are sent");
    bench.poll(&Reply::not_modified(&[]));
    assert_eq!(reason(&bench), "they work: 1 × 304 in a row");
    for _ in 0..4 {
        bench.poll(&Reply::ok(&BOTH));
    }
    assert!(
        reason(&bench).starts_with("in doubt: 4 ×"),
        "{}",
        reason(&bench)
    );
    bench.poll(&Reply::ok(&BOTH));
    assert!(
        reason(&bench).starts_with("the date alone"),
        "{}",
        reason(&bench)
    );
    for _ in 0..5 {
        bench.poll(&Reply::ok(&BOTH));
    }
    let text = "given up as useless; tried again in 10 polls, or after 7 days";
    assert_eq!(reason(&bench), text);
    bench.subscription.http.validators = ValidatorsChoice::Etag;
    assert_eq!(reason(&bench), "validators = \"etag\" in feeds.toml");
    bench.subscription.http.validators = ValidatorsChoice::Auto;
    bench.state.efficacy.liar = true;
    assert!(reason(&bench).contains("none is sent any more"));
}

#[test]
fn r39_a_hold_of_a_redirects_target_keeps_the_feed_waiting_too() {
    let mut bench = Bench::new();
    bench.poll(&Reply::new(429, &[("retry-after", "7200")]).via(&[(A, 302, B)]));
    // The feed's own host was never held.
    bench.host = crate::model::HostState::default();
    assert!(matches!(
        bench.plan(),
        Plan::NotDue {
            why: Why::HostHold,
            ..
        }
    ));
}

#[test]
fn r72_a_feed_sent_home_again_and_again_keeps_its_place_in_the_queue() {
    let mut waiting = Bench::new();
    let due = waiting.now;
    for _ in 0..3 {
        let until = waiting.now.plus(HOUR);
        waiting.commit(&defer_for_budget(until, &waiting.known()));
        assert_eq!(waiting.state.schedule.next, Some(until));
        assert_eq!(waits_since(&waiting.state.schedule), due);
        waiting.now = until;
    }
    // One that was asked half an hour ago, and is due since a moment: a later place, though an earlier time.
    let mut asked = Bench::new();
    asked.state.schedule.next = Some(waiting.now.plus(-1800));
    assert!(waits_since(&asked.state.schedule) > waits_since(&waiting.state.schedule));
    // A clock set back does not send it to the end of the queue (R48).
    waiting.now = due.plus(-DAY);
    waiting.state.schedule.next = Some(waiting.now);
    let until = waiting.now.plus(HOUR);
    waiting.commit(&defer_for_budget(until, &waiting.known()));
    assert_eq!(waits_since(&waiting.state.schedule), waiting.now);
}
