//! Malformed headers and wrong clocks, case by case, each as ruled: what is sent next, and when (R2–R4, R31–R33, R36–R42, R48).

use super::server::{A, B, Bench, DAY, HOUR, MINUTE, NOW, Reply};
use crate::model::{Outcome, Pace, Timestamp, Why};
use crate::poll::{Plan, Wishes, conclude_offline, defer, plan, validators_for};

fn write(at: Timestamp) -> String {
    at.datetime()
        .format("%a, %d %b %Y %H:%M:%S GMT")
        .to_string()
}

/// A first answer with an `ETag` and these fields: seconds to the next poll.
fn ahead_after(fields: &[(&str, &str)]) -> i64 {
    let mut bench = Bench::new();
    let fields = [&[("etag", "\"1\"")], fields].concat();
    bench.poll(&Reply::ok(&fields).with(10, 1));
    assert_eq!(bench.sends(A).0.as_deref(), Some("\"1\""), "{fields:?}");
    bench.ahead()
}

#[test]
fn r31_r33_malformed_cache_control_never_shortens_and_never_lengthens_beyond_a_day() {
    for (value, wanted) in [
        ("max-age=-1", HOUR),
        ("max-age=-14400", HOUR),
        ("max-age=\"14400\"", 4 * HOUR),
        ("max-age=\"14400", 4 * HOUR),
        ("max-age='14400'", HOUR),
        ("max-age", HOUR),
        ("max-age=", HOUR),
        ("max-age==14400", HOUR),
        ("max-age=14400s", HOUR),
        ("max-age=4e3", HOUR),
        ("max-age=+14400", HOUR),
        ("max-age=14400.5", HOUR),
        ("max-age=0x3840", HOUR),
        ("Max-Age = 14400", 4 * HOUR),
        ("max-age=14400;public", HOUR),
        ("max-age=2147483648", DAY),
        ("max-age=4294967296", DAY),
        ("max-age=18446744073709551616", DAY),
        ("max-age=00000000000000000000014400", 4 * HOUR),
        (",,, max-age=14400 ,,", 4 * HOUR),
        ("max-age=14400, must-revalidate", 4 * HOUR),
        ("max-age=14400, no-store", HOUR),
        ("max-age=14400, NO-CACHE", HOUR),
        ("max-age=14400, private, immutable", 4 * HOUR),
        ("maxage=14400", HOUR),
        ("x-max-age=14400", HOUR),
        ("\"max-age=14400\"", HOUR),
        ("", HOUR),
        ("\u{e9}", HOUR),
    ] {
        assert_eq!(ahead_after(&[("cache-control", value)]), wanted, "{value}");
    }
    for (age, wanted) in [
        ("3600", 3 * HOUR),
        ("-3600", 4 * HOUR),
        ("soon", 4 * HOUR),
        ("99999999999999999999", HOUR),
    ] {
        let fields = [("cache-control", "max-age=14400"), ("age", age)];
        assert_eq!(ahead_after(&fields), wanted, "Age {age}");
    }
}

#[test]
fn r32_malformed_expires_bind_nothing_and_cost_no_validator() {
    for value in [
        "0",
        "-1",
        "",
        "never",
        "1796061600",
        "2027-01-01T00:00:00Z",
        "Thu, 32 Dec 2099 00:00:00 GMT",
        "Thu, 31 Dec 2099 00:00:00 CET",
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "Thu, 31 Dec 99999 00:00:00 GMT",
    ] {
        assert_eq!(ahead_after(&[("expires", value)]), HOUR, "{value}");
    }
    let broken_date = [("date", "now"), ("expires", &*write(NOW.plus(4 * HOUR)))];
    assert_eq!(
        ahead_after(&broken_date),
        4 * HOUR,
        "an unreadable Date is none: the receipt counts"
    );
}

#[test]
fn r32_r37_server_clocks_ten_days_off_either_way_change_nothing() {
    for days in [-10, 10, -4000, 4000] {
        let theirs = NOW.plus(days * DAY);
        let (date, later) = (write(theirs), write(theirs.plus(5 * HOUR)));
        let fields = [("date", &*date), ("expires", &*later)];
        assert_eq!(ahead_after(&fields), 5 * HOUR, "{days}");
        for status in [429, 503] {
            let mut bench = Bench::new();
            let fields = [("date", &*date), ("retry-after", &*later)];
            let done = bench.poll(&Reply::new(status, &fields));
            let until = NOW.plus(5 * HOUR);
            assert_eq!(done.outcome, Outcome::Deferred { until }, "{days}");
        }
    }
}

#[test]
fn r36_r40_every_malformed_retry_after_holds_an_hour_and_every_absurd_one_a_week() {
    let (week, hour) = (7 * DAY, HOUR);
    for (value, wanted) in [
        ("soon", hour),
        ("", hour),
        ("0", hour),
        ("-120", hour),
        ("1.5", hour),
        ("120s", hour),
        ("120, 240", hour),
        ("Sun, 06 Nov 1994 08:49:37 GMT", hour),
        ("Sun, 06 Nov 1994 08:49:37", hour),
        ("\u{1}", hour),
        ("\"7200\"", 7200),
        ("604800", week),
        ("604801", week),
        ("31536000", week),
        ("99999999999999999999", week),
        ("Tue, 01 Jan 2041 00:00:00 GMT", week),
        ("Fri, 31 Dec 9999 23:59:59 GMT", week),
    ] {
        for status in [429, 503] {
            let mut bench = Bench::new();
            bench.poll(&Reply::ok(&[("etag", "\"1\"")]));
            let reply = Reply::new(status, &[("date", &write(NOW)), ("retry-after", value)]);
            let done = bench.poll(&reply);
            let until = NOW.plus(wanted);
            assert_eq!(
                done.outcome,
                Outcome::Deferred { until },
                "{status} {value}"
            );
            let absurd = wanted == week && value != "604800";
            assert_eq!(done.warning.is_some(), absurd, "{value} is told");
            assert_eq!(bench.sends(A).0.as_deref(), Some("\"1\""), "{value}");
            assert_eq!(plan(Pace::Force, &bench.known()), Plan::Held { until });
        }
    }
}

#[test]
fn r2_r3_r4_odd_validators_come_back_as_they_are_and_are_no_reason_to_poll_otherwise() {
    let long = format!("\"{}\"", "x".repeat(3 * 1024));
    let longest = "y".repeat(8 * 1024);
    for etag in [
        &b"unquoted"[..],
        b"\"open",
        b"'single'",
        b"W/unquoted",
        b"w/\"lower\"",
        b"\"\"",
        b"\"a\" , \"b\"",
        b"\"\x80\xff\xe9\"",
        long.as_bytes(),
        longest.as_bytes(),
    ] {
        for date in [
            &b"Fri, 01 Mar 2041 00:00:00 GMT"[..],
            b"Wed, 15 Nov 1995 04:58:08 GMT",
            b"0",
            b"yesterday \xe9",
        ] {
            let mut bench = Bench::new();
            let mut reply = Reply::ok(&[]).with(10, 1);
            reply.fields = vec![
                ("etag".into(), etag.to_vec()),
                ("last-modified".into(), date.to_vec()),
            ];
            bench.poll(&reply);
            let sent = validators_for(A, Pace::Scheduled, &bench.known());
            assert_eq!(sent.etag.as_deref(), Some(etag));
            assert_eq!(sent.last_modified.as_deref(), Some(date));
            assert_eq!(bench.ahead(), HOUR);
        }
    }
}

#[test]
fn r48_our_own_clock_set_back_or_forward_makes_due_at_most_and_loses_nothing() {
    for days in [-4000, -40, -10, 10, 40, 4000] {
        for reply in [
            Reply::ok(&[("etag", "\"2\""), ("cache-control", "max-age=86400")]),
            Reply::not_modified(&[("expires", "Tue, 01 Jan 2041 00:00:00 GMT")]),
            Reply::new(429, &[("retry-after", "31536000")]),
            Reply::new(500, &[]),
            Reply::new(403, &[]),
        ] {
            let mut bench = Bench::new();
            bench.poll(&Reply::ok(&[("etag", "\"2\"")]).with(10, 1));
            bench.now = NOW.plus(MINUTE);
            bench.poll(&reply);
            bench.now = NOW.plus(days * DAY);
            assert_eq!(bench.plan(), Plan::Ask, "{days}");
            assert_eq!(bench.sends(A).0.as_deref(), Some("\"2\""), "{days}");
            // And one poll later all is well again.
            bench.poll(&Reply::not_modified(&[]));
            assert!((30 * MINUTE..=DAY).contains(&bench.ahead()), "{days}");
        }
    }
}

#[test]
fn r48_what_a_clock_of_next_year_wrote_puts_off_no_verification_once_it_is_set_right() {
    let year = 365 * DAY;
    let mut bench = Bench::new();
    bench.now = NOW.plus(year);
    bench.poll(&Reply::ok(&[("etag", "\"old\"")]));
    bench.poll(&Reply::not_modified(&[("etag", "\"new\"")]));
    bench.state.efficacy.verified = Some(bench.now);
    bench.now = NOW;
    bench.poll(&Reply::not_modified(&[("etag", "\"new\"")]));
    let e = bench.state.efficacy;
    assert_eq!(e.verified, Some(NOW));
    assert_eq!(e.not_modified_since, Some(NOW));
    assert!(e.verify_after <= Some(NOW.plus(7 * DAY)));
    let mut dead = Bench::new();
    dead.now = NOW.plus(year);
    dead.poll(&Reply::new(404, &[]));
    dead.now = NOW;
    for _ in 0..12 {
        dead.poll(&Reply::new(404, &[]));
        dead.now = dead.now.plus(2 * DAY);
    }
    assert!(dead.state.off.is_some(), "dead all the same");
    let mut moved = Bench::new();
    moved.settings.move_min_age = std::time::Duration::from_secs(86_400);
    for days in [365, 0, 1, 2, 3, 4] {
        moved.now = NOW.plus(days * DAY);
        moved.poll(&Reply::ok(&[("etag", "\"1\"")]).via(&[(A, 301, B)]));
    }
    assert_eq!(crate::poll::address(&moved.state, A), B);
}

#[test]
fn r42_a_deferral_and_a_probe_keep_out_of_skipped_hours_too() {
    let mut bench = Bench::new();
    let mut reply = Reply::ok(&[("etag", "\"1\"")]).with(10, 1);
    // NOW is 14:00 GMT; only 3 o'clock is left.
    reply.wishes = Wishes {
        skip_hours: 0xff_ffff & !(1 << 3),
        ..Wishes::default()
    };
    bench.poll(&reply);
    bench.state.schedule.next = Some(NOW);
    let hour = |at: Option<Timestamp>| at.map(|at| at.0.div_euclid(HOUR).rem_euclid(24));
    let held = defer(NOW.plus(2 * HOUR), &bench.known());
    assert_eq!(hour(held.state.schedule.next), Some(3));
    assert_eq!(held.state.schedule.why, Why::Skip);
    let error = crate::model::PollError::new(crate::model::ErrorKind::Dns, "");
    let offline = conclude_offline(&error, NOW.plus(300), &bench.known());
    assert_eq!(hour(offline.state.schedule.next), Some(3));
}
