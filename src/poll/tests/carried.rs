//! What is remembered of an answer and goes out with the next request: validators, hashes, deltas (R1–R24, R55, R76, R80).

use super::server::{A, B, Bench, DAY, HOUR, NOW, Reply};
use crate::model::{ErrorKind, Outcome, Pace, Validators, ValidatorsChoice};
use crate::poll::{Plan, asks_delta, validators_for};

const BOTH: [(&str, &str); 2] = [
    ("etag", "\"1\""),
    ("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
];

fn texts(etag: &str, date: &str) -> (Option<String>, Option<String>) {
    let text = |t: &str| Some(t.to_owned()).filter(|t| !t.is_empty());
    (text(etag), text(date))
}

#[test]
fn r1_the_first_request_is_plain() {
    let bench = Bench::new();
    assert_eq!(bench.plan(), Plan::Ask);
    assert!(bench.is_plain());
}

#[test]
fn r2_r3_r4_validators_come_back_byte_for_byte() {
    for value in [
        &b"\"a\""[..],
        b"W/\"a\"",
        b"\"a-gzip\"",
        b"\"a;br\"",
        b"\"a,b\"",
        b"unquoted",
        b"'single'",
        b"W/\"weird \\ tag\"",
        b"\"\xe9\xff\"",
        &[b'x'; 3000],
    ] {
        let mut bench = Bench::new();
        let mut reply = Reply::ok(&[]);
        reply.fields = vec![
            ("etag".into(), value.to_vec()),
            ("last-modified".into(), value.to_vec()),
        ];
        bench.poll(&reply);
        let sent = validators_for(A, Pace::Scheduled, &bench.known());
        assert_eq!(sent.etag.as_deref(), Some(value));
        assert_eq!(sent.last_modified.as_deref(), Some(value));
    }
}

#[test]
fn r5_r6_what_is_known_is_sent_and_nothing_is_made_up() {
    for (fields, wanted) in [
        (&BOTH[..], texts(BOTH[0].1, BOTH[1].1)),
        (&BOTH[..1], texts(BOTH[0].1, "")),
        (&BOTH[1..], texts("", BOTH[1].1)),
        (
            &[("date", "Sun, 06 Nov 1994 08:49:37 GMT")][..],
            texts("", ""),
        ),
    ] {
        let mut bench = Bench::new();
        bench.poll(&Reply::ok(fields));
        assert_eq!(bench.sends(A), wanted);
    }
}

#[test]
fn r5_the_users_choice_for_a_feed_wins() {
    for (choice, wanted) in [
        (ValidatorsChoice::Both, texts(BOTH[0].1, BOTH[1].1)),
        (ValidatorsChoice::Etag, texts(BOTH[0].1, "")),
        (ValidatorsChoice::LastModified, texts("", BOTH[1].1)),
        (ValidatorsChoice::None, texts("", "")),
    ] {
        let mut bench = Bench::new();
        bench.poll(&Reply::ok(&BOTH));
        bench.subscription.http.validators = choice;
        assert_eq!(bench.sends(A), wanted, "{choice:?}");
    }
}

#[test]
fn r7_a_parsed_200_replaces_the_pair_as_a_set() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH));
    bench.poll(&Reply::ok(&[("etag", "\"2\"")]).with(20, 1));
    assert_eq!(bench.sends(A), texts("\"2\"", ""));
    bench.poll(&Reply::ok(&[]).with(30, 1));
    assert!(bench.is_plain());
    assert!(bench.validators.is_empty());
}

#[test]
fn r7_a_200_is_processed_though_its_headers_equal_the_stored_ones() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH).with(10, 1));
    let done = bench.poll(&Reply::ok(&BOTH).with(20, 2));
    assert_eq!(done.outcome, Outcome::Changed { new: 2, updated: 0 });
}

#[test]
fn r24_a_304_with_the_headers_of_its_200_has_no_body_and_no_bytes() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH));
    let fields = [("content-length", "4321"), ("content-encoding", "gzip")];
    let done = bench.poll(&Reply::not_modified(&fields));
    assert_eq!((done.outcome, done.delta.bytes), (Outcome::NotModified, 0));
}

#[test]
fn r32_r33_validators_are_kept_and_sent_whatever_the_freshness_says() {
    for field in [
        ("cache-control", "no-store"),
        ("cache-control", "no-cache"),
        ("cache-control", "max-age=0, must-revalidate"),
        ("expires", "0"),
        ("expires", "-1"),
    ] {
        let mut bench = Bench::new();
        bench.poll(&Reply::ok(&[BOTH[0], BOTH[1], field]).with(10, 1));
        assert_eq!(bench.sends(A), texts(BOTH[0].1, BOTH[1].1), "{field:?}");
        assert_eq!(bench.ahead(), HOUR);
    }
}

#[test]
fn r8_validators_are_taken_though_the_body_is_the_same() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH));
    let done = bench.poll(&Reply::ok(&[("etag", "\"touched\"")]));
    assert_eq!(done.outcome, Outcome::Unchanged);
    assert_eq!(bench.sends(A), texts("\"touched\"", ""));
}

#[test]
fn r9_a_304_merges_and_a_bare_one_keeps_both() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH));
    bench.poll(&Reply::not_modified(&[]));
    assert_eq!(bench.sends(A), texts(BOTH[0].1, BOTH[1].1));
    bench.poll(&Reply::not_modified(&[("last-modified", "later")]));
    assert_eq!(bench.sends(A), texts(BOTH[0].1, "later"));
}

#[test]
fn r10_a_304_with_another_etag_is_adopted_and_verified_once_a_day_later() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&[("etag", "\"old\"")]));
    let done = bench.poll(&Reply::not_modified(&[("etag", "\"new\"")]));
    assert!(done.warning.is_some(), "noted");
    assert_eq!(bench.sends(A), texts("\"new\"", ""));
    let done = bench.poll(&Reply::not_modified(&[("etag", "\"newest\"")]));
    assert_eq!(done.warning, None, "noted once");
    let done = bench.poll(&Reply::not_modified(&[("etag", "\"new\"")]));
    assert_eq!(done.warning, None);
    bench.now = bench.now.plus(23 * HOUR);
    assert!(!bench.is_plain(), "not before a day");
    bench.now = bench.now.plus(2 * HOUR);
    assert!(bench.is_plain());
    bench.pace = Pace::Manual;
    assert!(!bench.is_plain(), "a refresh by hand stays conditional");
    bench.pace = Pace::Scheduled;
    bench.poll(&Reply::ok(&[("etag", "\"new\"")]));
    assert!(!bench.is_plain());
    bench.poll(&Reply::not_modified(&[("etag", "\"newer\"")]));
    bench.now = bench.now.plus(6 * DAY);
    assert!(!bench.is_plain(), "at most once a week");
    bench.now = bench.now.plus(2 * DAY);
    assert!(bench.is_plain());
}

#[test]
fn r10_a_304_whose_etag_differs_in_weakness_alone_is_no_anomaly() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&[("etag", "\"a\"")]));
    bench.poll(&Reply::not_modified(&[("etag", "W/\"a\"")]));
    bench.now = bench.now.plus(3 * DAY);
    assert_eq!(bench.sends(A), texts("W/\"a\"", ""));
}

#[test]
fn r11_a_304_is_success() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH));
    bench.poll(&Reply::new(500, &[]));
    assert_eq!(bench.state.schedule.failures, 1);
    let done = bench.poll(&Reply::not_modified(&[]));
    assert_eq!(done.outcome, Outcome::NotModified);
    assert_eq!(bench.state.schedule.failures, 0);
    assert_eq!((done.delta.not_modified304, done.delta.errors), (1, 0));
}

#[test]
fn r12_a_304_to_a_plain_request_is_an_error_and_the_next_poll_is_plain_again() {
    let mut bench = Bench::new();
    let done = bench.poll(&Reply::not_modified(&[("etag", "\"x\"")]));
    let Outcome::Failed(error) = done.outcome else {
        panic!("not an error");
    };
    assert_eq!(error.kind, ErrorKind::Unasked304);
    assert!(bench.is_plain());
    bench.poll(&Reply::ok(&BOTH));
    assert!(!bench.is_plain());
}

#[test]
fn r13_a_bad_body_leaves_validators_and_hashes_as_they_were() {
    for kind in [
        ErrorKind::CutBody,
        ErrorKind::Decode,
        ErrorKind::Html,
        ErrorKind::Empty,
        ErrorKind::NotAFeed,
        ErrorKind::Truncated,
    ] {
        let mut bench = Bench::new();
        bench.poll(&Reply::ok(&BOTH));
        let before = (
            bench.sends(A),
            bench.state.body_hash,
            bench.state.entries_hash,
        );
        let mut reply = Reply::broken(kind);
        reply.fields = vec![("etag".into(), b"\"bad\"".to_vec())];
        let done = bench.poll(&reply);
        assert!(matches!(done.outcome, Outcome::Failed(_)));
        let after = (
            bench.sends(A),
            bench.state.body_hash,
            bench.state.entries_hash,
        );
        assert_eq!(after, before, "{kind:?}");
    }
}

#[test]
fn r13_a_truncated_feed_counts_its_entries_but_keeps_old_validators_and_hashes() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH));
    let hashes = (bench.state.body_hash, bench.state.entries_hash);
    let mut reply = Reply::ok(&[("etag", "\"cut\"")]).with(20, 2);
    reply.truncated = true;
    let done = bench.poll(&reply);
    assert_eq!(done.outcome, Outcome::Changed { new: 2, updated: 0 });
    assert_eq!(done.warning.as_deref(), Some("truncated"));
    assert_eq!(bench.sends(A), texts(BOTH[0].1, BOTH[1].1));
    assert_eq!((bench.state.body_hash, bench.state.entries_hash), hashes);
    assert_eq!(done.delta.identical200, 0);
    let mut reply = Reply::ok(&[("etag", "\"cut\"")]).with(20, 0);
    reply.truncated = true;
    let done = bench.poll(&reply);
    assert_eq!(done.outcome, Outcome::Unchanged);
    assert_eq!((done.delta.ok200, done.delta.identical200), (1, 1));
}

#[test]
fn r16_an_identical_body_is_unchanged_and_counted() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&[]).with(10, 3));
    let done = bench.poll(&Reply::ok(&[]).with(10, 0));
    assert_eq!(done.outcome, Outcome::Unchanged);
    assert_eq!((done.delta.ok200, done.delta.identical200), (1, 1));
}

#[test]
fn r17_identical_entries_in_another_body_are_unchanged_and_counted() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&[]).with(10, 3));
    let done = bench.poll(&Reply::ok(&[]).with(11, 0));
    assert_eq!(done.outcome, Outcome::Unchanged);
    assert_eq!((done.delta.ok200, done.delta.identical200), (1, 1));
    assert_eq!(bench.state.body_hash, Some([11; 32]));
}

#[test]
fn r18_an_edit_is_an_update_and_ends_the_row_of_unchanged_answers() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&[]).with(10, 3));
    bench.poll(&Reply::ok(&[]).with(10, 0));
    assert_eq!(bench.state.schedule.streak, 1);
    let mut reply = Reply::ok(&[]).with(20, 0);
    reply.updated = 1;
    assert_eq!(bench.poll(&reply).outcome.word(), "updated");
    assert_eq!(bench.state.schedule.streak, 0);
}

#[test]
fn r23_errors_neither_store_nor_clear_validators() {
    for status in [500, 502, 503, 401, 403, 429] {
        let mut bench = Bench::new();
        bench.poll(&Reply::ok(&BOTH));
        bench.poll(&Reply::new(status, &[("etag", "\"error\"")]));
        assert_eq!(bench.sends(A), texts(BOTH[0].1, BOTH[1].1), "{status}");
    }
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH));
    bench.poll(&Reply::broken(ErrorKind::Dns));
    assert!(!bench.is_plain());
}

#[test]
fn r55_validators_belong_to_the_url_that_answered() {
    let c = "https://c.example/feed";
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&[("etag", "\"1\"")]).via(&[(A, 302, B)]));
    assert_eq!(bench.sends(B), texts("\"1\"", ""));
    assert_eq!(bench.sends(c), texts("", ""));
    assert_eq!(bench.sends(A), texts("", ""));
    bench.poll(&Reply::ok(&[("etag", "\"1\"")]).via(&[(A, 302, c)]));
    bench.poll(&Reply::ok(&[("last-modified", "a's own")]));
    assert_eq!(bench.sends(A), texts("", "a's own"));
    assert_eq!(bench.sends(B), texts("\"1\"", ""));
}

#[test]
fn a_redirect_that_leads_elsewhere_each_time_does_not_fill_the_store() {
    let mut bench = Bench::new();
    for n in 0..100 {
        let to = format!("https://b.example/{n}");
        bench.poll(&Reply::ok(&BOTH).via(&[(A, 302, &to)]));
    }
    assert!(bench.validators.len() <= 9);
    assert!(
        !bench
            .sends("https://b.example/99")
            .0
            .unwrap_or_default()
            .is_empty()
    );
}

#[test]
fn r76_a_delta_merges_takes_the_etag_and_leaves_the_hashes() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH).with(10, 3));
    let before = bench.state.clone();
    let mut reply = Reply::new(226, &[("im", "feed"), ("etag", "\"2\"")]).with(50, 1);
    reply.size = 100;
    let done = bench.poll(&reply);
    assert_eq!(done.outcome, Outcome::Changed { new: 1, updated: 0 });
    assert_eq!(done.delta.ok200, 1);
    assert_eq!(bench.state.body_hash, before.body_hash);
    assert_eq!(bench.state.entries_hash, before.entries_hash);
    assert_eq!(bench.state.full_wire, before.full_wire);
    assert_eq!(bench.sends(A), texts("\"2\"", ""));
}

#[test]
fn r76_a_im_goes_with_an_etag_and_the_feeds_leave() {
    let mut bench = Bench::new();
    let tag = Validators {
        etag: Some(b"\"1\"".to_vec()),
        last_modified: None,
    };
    assert!(asks_delta(&tag, &bench.known()));
    assert!(!asks_delta(&Validators::default(), &bench.known()));
    bench.subscription.http.a_im = false;
    assert!(!asks_delta(&tag, &bench.known()));
}

#[test]
fn r80_after_a_change_of_the_parser_one_scheduled_poll_is_plain_and_passes_the_hashes() {
    let mut bench = Bench::new();
    bench.chance = 0.5;
    bench.poll(&Reply::ok(&BOTH).with(10, 1));
    bench.parser = 2;
    assert!(!bench.is_plain(), "spread over a day: not at once for all");
    bench.poll(&Reply::not_modified(&[]));
    bench.now = NOW.plus(13 * HOUR);
    bench.pace = Pace::Force;
    assert!(!bench.is_plain(), "only a scheduled poll");
    bench.pace = Pace::Scheduled;
    assert!(bench.is_plain());
    let mut again = Reply::ok(&BOTH).with(10, 0);
    again.updated = 1;
    assert_eq!(
        bench.poll(&again).outcome,
        Outcome::Changed { new: 0, updated: 1 }
    );
    assert_eq!(bench.state.parser, 2);
    assert!(!bench.is_plain(), "once");
}

#[test]
fn r80_a_plain_reading_that_fails_is_not_tried_again_before_a_day() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH).with(10, 1));
    bench.parser = 2;
    bench.poll(&Reply::not_modified(&[]));
    bench.now = bench.now.plus(25 * HOUR);
    assert!(bench.is_plain());
    bench.poll(&Reply::new(500, &[]));
    assert_eq!(bench.state.parser, 1);
    bench.now = bench.now.plus(23 * HOUR);
    assert!(!bench.is_plain(), "conditional meanwhile");
    bench.now = bench.now.plus(26 * HOUR);
    assert!(bench.is_plain());
}

#[test]
fn r80_the_same_body_is_parsed_again_by_another_parser() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&BOTH).with(10, 1));
    bench.parser = 2;
    let hash = bench.state.body_hash.expect("read");
    assert!(!super::super::same_body(hash, &bench.known()));
    bench.poll(&Reply::ok(&BOTH).with(10, 0));
    assert_eq!((bench.state.parser, bench.state.reparse_after), (2, None));
    assert!(super::super::same_body(hash, &bench.known()));
}
