//! What validators prove to be worth: the ladder, giving up, trying again, lying 304s (R19–R22).

use super::server::{A, Bench, DAY, HOUR, NOW, Reply};
use crate::model::{HostState, Pace, Timestamp, ValidatorsChoice};
use crate::poll::host_is_useless;

const TAG: [(&str, &str); 1] = [("etag", "\"1\"")];
const BOTH: [(&str, &str); 2] = [("etag", "\"1\""), ("last-modified", "yesterday")];

/// A feed that has answered once, and whose server then sends `n` identical 200s.
fn after_identical(fields: impl Fn(u32) -> Vec<(&'static str, String)>, n: u32) -> Bench {
    let mut bench = Bench::new();
    for at in 0..=n {
        let fields = fields(at);
        let fields: Vec<(&str, &str)> = fields.iter().map(|(n, v)| (*n, &**v)).collect();
        bench.poll(&Reply::ok(&fields).with(10, u32::from(at == 0)));
        bench.wait();
    }
    bench
}

fn rotating(at: u32) -> Vec<(&'static str, String)> {
    vec![
        ("etag", format!("\"{at}\"")),
        ("last-modified", format!("day {at}")),
    ]
}

fn mode(bench: &Bench) -> ValidatorsChoice {
    bench.state.efficacy.mode
}

#[test]
fn r19_ten_identical_answers_in_a_row_end_the_sending_of_validators() {
    assert_eq!(mode(&after_identical(rotating, 9)), ValidatorsChoice::Auto);
    let bench = after_identical(rotating, 10);
    assert_eq!(mode(&bench), ValidatorsChoice::None);
    assert!(bench.is_plain());
}

#[test]
fn r19_a_changed_answer_is_no_evidence_and_a_304_starts_the_row_anew() {
    let mut bench = after_identical(rotating, 4);
    bench.poll(&Reply::ok(&TAG).with(20, 1));
    assert_eq!(bench.state.efficacy.identical, 4);
    bench.poll(&Reply::not_modified(&[]));
    assert_eq!(bench.state.efficacy.identical, 0);
}

#[test]
fn r19_plain_polls_prove_nothing() {
    let bench = after_identical(|_| Vec::new(), 30);
    assert_eq!(mode(&bench), ValidatorsChoice::Auto);
}

#[test]
fn r20_a_stable_date_is_tried_alone_after_five_and_a_304_fixes_it() {
    let stable = |_| {
        vec![
            ("etag", "\"x-gzip\"".to_owned()),
            ("last-modified", "d".to_owned()),
        ]
    };
    let mut bench = after_identical(stable, 5);
    assert_eq!(bench.sends(A), (None, Some("d".to_owned())));
    bench.poll(&Reply::not_modified(&[]));
    for _ in 0..30 {
        bench.wait();
        bench.poll(&Reply::not_modified(&[]));
    }
    assert_eq!(mode(&bench), ValidatorsChoice::LastModified);
}

#[test]
fn r20_a_stable_tag_is_tried_alone_where_the_date_moves() {
    let fields = |at| {
        vec![
            ("etag", "\"x\"".to_owned()),
            ("last-modified", format!("{at}")),
        ]
    };
    let bench = after_identical(fields, 5);
    assert_eq!(bench.sends(A), (Some("\"x\"".to_owned()), None));
    assert_eq!(mode(&after_identical(fields, 10)), ValidatorsChoice::None);
}

#[test]
fn r20_a_mode_that_the_pair_cannot_serve_falls_back_to_what_there_is() {
    let stable = |_| {
        vec![
            ("etag", "\"x\"".to_owned()),
            ("last-modified", "d".to_owned()),
        ]
    };
    let mut bench = after_identical(stable, 5);
    bench.poll(&Reply::ok(&TAG).with(20, 1));
    assert_eq!(bench.sends(A), (Some("\"1\"".to_owned()), None));
}

#[test]
fn r21_every_tenth_poll_tries_again_and_a_304_restores_all() {
    let mut bench = after_identical(rotating, 10);
    for _ in 0..9 {
        assert!(bench.is_plain());
        bench.poll(&Reply::ok(&BOTH).with(10, 0));
        bench.now = bench.now.plus(HOUR);
    }
    assert_eq!(
        bench.sends(A).0.as_deref(),
        Some("\"1\""),
        "the newest are recorded"
    );
    bench.poll(&Reply::ok(&BOTH).with(10, 0));
    assert!(bench.is_plain(), "no better");
    for _ in 0..9 {
        bench.poll(&Reply::ok(&BOTH).with(10, 0));
        bench.now = bench.now.plus(HOUR);
    }
    bench.poll(&Reply::not_modified(&[]));
    assert_eq!(mode(&bench), ValidatorsChoice::Auto);
    assert!(!bench.is_plain());
}

#[test]
fn r21_a_week_is_enough_to_try_again() {
    let mut bench = after_identical(rotating, 10);
    bench.now = bench.now.plus(7 * DAY);
    assert!(!bench.is_plain());
}

#[test]
fn r19_the_users_choice_is_not_judged() {
    let mut bench = Bench::new();
    bench.subscription.http.validators = ValidatorsChoice::Both;
    for n in 0..30 {
        bench.poll(&Reply::ok(&BOTH).with(10, u32::from(n == 0)));
    }
    assert!(!bench.is_plain());
}

#[test]
fn r19_a_newcomer_on_a_host_of_useless_feeds_is_given_up_after_three() {
    let useless = after_identical(rotating, 10);
    assert_eq!((useless.host.judged, useless.host.useless), (1, 1));
    let host = HostState {
        attempts: 20,
        ..useless.host
    };
    assert!(host_is_useless(&host));
    let mut new = Bench::new();
    new.host = host;
    for n in 0..4 {
        new.poll(&Reply::ok(&BOTH).with(10, u32::from(n == 0)));
    }
    assert_eq!(mode(&new), ValidatorsChoice::None);
}

#[test]
fn r19_one_good_feed_saves_its_host() {
    let host = HostState {
        judged: 2,
        useless: 1,
        attempts: 100,
        ..HostState::default()
    };
    assert!(!host_is_useless(&host));
}

/// Polls for `days` days; the server says 304 to anything conditional. `body` tells what a plain request gets.
fn month(days: i64, body: impl Fn(Timestamp) -> Reply) -> (Bench, u32) {
    let mut bench = Bench::new();
    let mut plain = 0;
    while bench.now < NOW.plus(days * DAY) {
        let reply = if bench.is_plain() {
            plain += 1;
            body(bench.now)
        } else {
            Reply::not_modified(&[])
        };
        bench.poll(&reply);
        bench.wait();
    }
    (bench, plain)
}

fn weekly() -> Vec<Timestamp> {
    (0..5).map(|n| NOW.plus(-HOUR - n * DAY)).collect()
}

#[test]
fn r22_a_liar_is_found_out_and_asked_without_validators() {
    let (bench, plain) = month(45, |now| {
        let mut reply = Reply::ok(&BOTH).with(if now == NOW { 10 } else { 20 }, 1);
        reply.dates = weekly();
        reply
    });
    assert!(bench.state.efficacy.liar);
    assert_eq!(mode(&bench), ValidatorsChoice::None);
    assert!(plain > 4);
}

#[test]
fn r22_an_honest_quiet_feed_costs_at_most_four_plain_requests_in_45_days() {
    let (bench, plain) = month(45, |now| {
        let mut reply = Reply::ok(&BOTH).with(10, u32::from(now == NOW));
        reply.dates = weekly();
        reply
    });
    assert!(!bench.state.efficacy.liar);
    assert!((2..=4).contains(&plain), "{plain}");
    assert_eq!(
        bench.state.efficacy.pause_days, 60,
        "thirty after the first, then twice that"
    );
}

#[test]
fn r22_pauses_double_up_to_ninety_days() {
    let (bench, plain) = month(365, |now| {
        let mut reply = Reply::ok(&BOTH).with(10, u32::from(now == NOW));
        reply.dates = weekly();
        reply
    });
    assert_eq!(bench.state.efficacy.pause_days, 90);
    assert!(plain <= 7, "a handful a year: {plain}");
}

#[test]
fn r22_a_refresh_by_hand_verifies_nothing() {
    let (mut bench, _) = month(20, |now| {
        let mut reply = Reply::ok(&BOTH).with(10, u32::from(now == NOW));
        reply.dates = weekly();
        reply
    });
    bench.state.efficacy.verified = None;
    bench.state.efficacy.pause_days = 0;
    bench.state.efficacy.not_modified = 20;
    bench.state.efficacy.not_modified_since = Some(NOW);
    assert!(bench.is_plain());
    bench.pace = Pace::Manual;
    assert!(!bench.is_plain());
}
