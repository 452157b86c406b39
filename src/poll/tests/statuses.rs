//! What a status means, and when a move is believed (R49–R54).

use super::server::{A, B, Bench, DAY, HOUR, NOW, Reply};
use crate::model::{ErrorKind, Hop, Off, Outcome, Pace, Why};
use crate::poll::{Plan, enable, plan};

const BOTH: [(&str, &str); 2] = [
    ("etag", "\"1\""),
    ("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
];

fn texts(etag: &str, date: &str) -> (Option<String>, Option<String>) {
    let text = |t: &str| Some(t.to_owned()).filter(|t| !t.is_empty());
    (text(etag), text(date))
}

#[test]
fn r49_a_410_turns_polling_off_at_every_pace_until_it_is_enabled() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH));
    let done = bench.poll(&Reply::new(410, &[]));
    assert_eq!(done.outcome, Outcome::Gone);
    assert_eq!(
        (bench.state.schedule.next, bench.state.schedule.why),
        (None, Why::Gone)
    );
    assert!(bench.validators.is_empty());
    bench.now = NOW.plus(400 * DAY);
    for pace in [Pace::Scheduled, Pace::Manual, Pace::Force] {
        assert_eq!(plan(pace, &bench.known()), Plan::Off(Off::Gone));
    }
    bench.state = enable(&bench.state, bench.now);
    assert_eq!(bench.plan(), Plan::Ask);
    assert!(bench.is_plain());
}

#[test]
fn r49_a_410_behind_a_temporary_redirect_is_a_missing_feed_and_heals() {
    for hops in [
        &[(A, 302, B)][..],
        &[
            (A, 301, "https://c.example/"),
            ("https://c.example/", 307, B),
        ],
    ] {
        let mut bench = Bench::new();
        bench.poll(&Reply::ok(&BOTH));
        for hours in [2, 4, 8] {
            let done = bench.poll(&Reply::new(410, &[]).via(hops));
            assert_eq!(done.outcome.word(), "error");
            assert_eq!(bench.ahead(), hours * HOUR);
        }
        assert!(bench.is_plain(), "as after a 404");
        assert_eq!((bench.state.off, bench.state.missing), (None, 3));
        bench.poll(&Reply::ok(&BOTH));
        assert_eq!(bench.state.missing, 0);
    }
    let mut bench = Bench::new();
    bench.poll(&Reply::new(410, &[]).via(&[(A, 301, B)]));
    assert_eq!(
        bench.state.off,
        Some(Off::Gone),
        "moved for good, and gone there"
    );
}

#[test]
fn r44_after_the_first_error_the_back_off_is_the_reason_and_no_shorter_than_the_interval() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH));
    for (failures, secs) in [(1, HOUR), (2, HOUR), (3, 2 * HOUR)] {
        bench.poll(&Reply::new(500, &[]));
        let secs = secs as u32;
        assert_eq!(bench.state.schedule.why, Why::Errors { failures, secs });
    }
}

#[test]
fn r50_a_404_clears_validators_backs_off_from_two_hours_and_heals() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH));
    for hours in [2, 4, 8, 16, 32, 64, 128, 168, 168] {
        let done = bench.poll(&Reply::new(404, &[]));
        assert_eq!(done.outcome.word(), "error");
        assert!(bench.is_plain());
        assert_eq!(bench.ahead(), hours * HOUR);
    }
    assert_eq!(bench.poll(&Reply::ok(&BOTH)).outcome, Outcome::Unchanged);
    assert_eq!(bench.state.missing, 0);
}

#[test]
fn r50_ten_404s_in_a_row_over_two_weeks_are_a_dead_feed() {
    let mut bench = Bench::new();
    for n in 1..=10 {
        let done = bench.poll(&Reply::new(404, &[]));
        assert_eq!(done.outcome.word(), if n == 10 { "gone" } else { "error" });
        if n < 10 {
            bench.wait();
        }
    }
    assert_eq!(bench.state.off, Some(Off::Dead));
    let mut quick = Bench::new();
    quick.pace = Pace::Force;
    for _ in 0..20 {
        quick.poll(&Reply::new(404, &[]));
        quick.now = quick.now.plus(HOUR);
    }
    assert_eq!(quick.state.off, None, "ten within a day are not enough");
}

#[test]
fn r50_any_other_answer_ends_the_row_of_404s() {
    for other in [
        Reply::ok(&BOTH),
        Reply::new(500, &[]),
        Reply::new(403, &[]),
        Reply::not_modified(&[]),
        {
            let mut page = Reply::broken(ErrorKind::Html);
            // Something answered, and it was no feed.
            page.size = 0;
            page
        },
    ] {
        let mut bench = Bench::new();
        for _ in 0..9 {
            bench.poll(&Reply::new(404, &[]));
            bench.wait();
        }
        assert_eq!(bench.state.missing, 9);
        bench.poll(&other);
        assert_eq!((bench.state.missing, bench.state.missing_since), (0, None));
        bench.wait();
        bench.poll(&Reply::new(404, &[]));
        assert_eq!(bench.state.off, None, "{}", other.status);
    }
    let mut silent = Bench::new();
    silent.poll(&Reply::new(404, &[]));
    silent.poll(&Reply::broken(ErrorKind::Dns));
    assert_eq!(
        silent.state.missing, 1,
        "nobody answered: that says nothing"
    );
}

#[test]
fn r51_401_and_403_back_off_from_six_hours_to_a_week_and_keep_validators() {
    for status in [401, 403] {
        let mut bench = Bench::new();
        bench.poll(&Reply::ok(&BOTH));
        for hours in [6, 12, 24, 48, 96, 168, 168] {
            bench.poll(&Reply::new(status, &[]));
            assert_eq!(bench.ahead(), hours * HOUR);
        }
        assert!(!bench.is_plain());
    }
}

#[test]
fn r52_other_answers_of_success_store_nothing() {
    for status in [202, 204, 205, 206] {
        let mut bench = Bench::new();
        bench.poll(&Reply::ok(&BOTH));
        let hash = bench.state.body_hash;
        let done = bench.poll(&Reply::new(status, &[("etag", "\"x\"")]).with(20, 1));
        assert_eq!(done.outcome.word(), "error", "{status}");
        assert_eq!(bench.sends(A), texts(BOTH[0].1, BOTH[1].1));
        assert_eq!(bench.state.body_hash, hash);
    }
}

#[test]
fn r53_a_permanent_move_is_believed_after_five_polls_and_told() {
    let mut bench = Bench::new();
    for n in 1..=5 {
        let done = bench.poll(&Reply::ok(&BOTH).via(&[(A, 301, B)]));
        assert_eq!(done.warning.is_some(), n == 5);
        assert_eq!(
            crate::poll::address(&bench.state, A),
            if n == 5 { B } else { A }
        );
        bench.wait();
    }
    assert_eq!(bench.state.moves[0].from, A);
    bench.poll(&Reply::not_modified(&[]));
    assert_eq!(bench.state.answered_by.as_deref(), Some(B));
}

#[test]
fn r53_a_captive_portal_is_never_believed_and_breaks_the_row() {
    let mut bench = Bench::new();
    let portal: &[(&str, u16, &str)] = &[(A, 301, "https://portal.example/login")];
    for _ in 0..4 {
        bench.poll(&Reply::ok(&BOTH).via(&[(A, 301, B)]));
    }
    let mut page = Reply::broken(ErrorKind::Html).via(portal);
    page.size = 0;
    for _ in 0..10 {
        bench.poll(&page);
    }
    bench.poll(&Reply::ok(&BOTH).via(&[(A, 301, B)]));
    assert_eq!(bench.state.moving.as_ref().map(|m| m.seen), Some(1));
    assert!(bench.state.moves.is_empty());
}

#[test]
fn r53_an_old_address_that_turns_404_or_410_while_its_move_is_watched_is_left_at_once() {
    for status in [404, 410] {
        let mut bench = Bench::new();
        bench.poll(&Reply::ok(&BOTH).via(&[(A, 301, B)]));
        let done = bench.poll(&Reply::new(status, &[]));
        assert_eq!(done.outcome.word(), "error");
        assert_eq!(bench.state.off, None);
        assert_eq!(crate::poll::address(&bench.state, A), B);
        assert_eq!(bench.state.schedule.failures, 0, "they were the old one's");
        assert_eq!(bench.ahead(), HOUR);
    }
}

#[test]
fn r54_temporary_redirects_are_never_believed() {
    for status in [302, 303, 307] {
        let mut bench = Bench::new();
        for _ in 0..8 {
            bench.poll(&Reply::ok(&BOTH).via(&[(A, status, B)]));
        }
        assert!(bench.state.moves.is_empty());
    }
}

#[test]
fn a_permanent_hop_is_told_by_its_status() {
    let hop = |status| Hop {
        from: A.into(),
        status,
        to: B.into(),
    };
    let permanent: Vec<bool> = [301, 302, 303, 307, 308]
        .map(|s| hop(s).is_permanent())
        .into();
    assert_eq!(permanent, [true, false, false, false, true]);
}
