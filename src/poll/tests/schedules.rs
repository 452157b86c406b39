//! The formula of section 4: every bound, and the bounds for any history.

use std::time::Duration;

use proptest::prelude::*;

use super::server::{A, Bench, DAY, HOUR, MINUTE, NOW, Reply};
use crate::model::{ErrorKind, Hints, PollSettings, PollState, Timestamp, Why};
use crate::poll::{Inputs, Trouble, Wishes, bounds, cap, considered, held, next, rhythm, weigh};

const TAG: [(&str, &str); 1] = [("etag", "\"1\"")];

fn dates(count: i64, gap: i64, newest_age: i64) -> Vec<Timestamp> {
    (0..count)
        .map(|n| NOW.plus(-newest_age - n * gap))
        .collect()
}

/// A first poll with these fields, wishes and dates; seconds to the second.
fn first(fields: &[(&str, &str)], wishes: Wishes, dates: &[Timestamp]) -> (i64, Why) {
    let mut bench = Bench::new();
    let mut reply = Reply::ok(fields).with(10, 1);
    reply.wishes = wishes;
    reply.dates = dates.to_vec();
    bench.poll(&reply);
    (bench.ahead(), bench.state.schedule.why)
}

#[test]
fn r26_without_hints_the_interval_is_the_base() {
    assert_eq!(first(&TAG, Wishes::default(), &[]), (HOUR, Why::Base(3600)));
}

#[test]
fn r26_r82_the_rhythm_of_the_entries_sets_the_interval() {
    for (gap, age, wanted, why) in [
        (20 * MINUTE, MINUTE, 30 * MINUTE, Why::Rhythm(1800)),
        (8 * HOUR, HOUR, 2 * HOUR, Why::Rhythm(7200)),
        (7 * DAY, DAY, 6 * HOUR, Why::Rhythm(21_600)),
        (DAY, 6 * DAY, DAY, Why::Dormant(86_400)),
        (HOUR, 2 * DAY, 8 * HOUR, Why::Dormant(28_800)),
        (HOUR, 365 * DAY, DAY, Why::Dormant(86_400)),
    ] {
        let got = first(&TAG, Wishes::default(), &dates(5, gap, age));
        assert_eq!(got, (wanted, why), "gap {gap} age {age}");
    }
}

#[test]
fn r82_a_dormant_feed_waits_at_least_three_times_as_long_as_a_busy_one() {
    let busy = first(&TAG, Wishes::default(), &dates(20, HOUR, HOUR)).0;
    let dormant = first(&TAG, Wishes::default(), &dates(20, HOUR, 60 * DAY)).0;
    assert!(dormant >= 3 * busy);
}

#[test]
fn r82_a_rhythm_needs_three_distinct_dates_that_are_not_in_the_future() {
    let at = |ages: &[i64]| -> Vec<Timestamp> { ages.iter().map(|a| NOW.plus(-a)).collect() };
    for (ages, newest, gap) in [
        (&[][..], None, None),
        (&[10, 10, 10], Some(10), None),
        (&[10, 20], Some(10), None),
        (&[10, 20, 40], Some(10), Some(15)),
        (&[10, 20, 40, 100], Some(10), Some(20)),
        (&[-500, -600, 10, 20, 30], Some(10), Some(10)),
    ] {
        let (got_newest, got_gap) = rhythm(&at(ages), NOW);
        assert_eq!(
            (got_newest, got_gap),
            (newest.map(|a: i64| NOW.plus(-a)), gap),
            "{ages:?}"
        );
    }
    let many: Vec<i64> = (0..20)
        .map(|n| n * 10)
        .chain((1..50).map(|n| n * 100_000))
        .collect();
    assert_eq!(
        rhythm(&at(&many), NOW).1,
        Some(10),
        "only the last twenty count"
    );
}

#[test]
fn r27_three_unchanged_answers_double_the_interval_six_quadruple_it_and_no_more() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&TAG).with(10, 1));
    for (streak, hours) in [
        (1, 1),
        (2, 1),
        (3, 2),
        (4, 2),
        (5, 2),
        (6, 4),
        (7, 4),
        (8, 4),
        (9, 4),
    ] {
        bench.poll(&Reply::not_modified(&[]));
        assert_eq!(bench.state.schedule.streak, streak);
        assert_eq!(bench.ahead(), hours * HOUR);
    }
    assert_eq!(
        bench.state.schedule.why,
        Why::Streak {
            unchanged: 9,
            secs: 14_400
        }
    );
}

#[test]
fn r28_a_new_entry_ends_the_row_of_unchanged_answers() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&TAG).with(10, 1));
    for _ in 0..7 {
        bench.poll(&Reply::not_modified(&[]));
    }
    bench.poll(&Reply::ok(&TAG).with(20, 1));
    assert_eq!((bench.state.schedule.streak, bench.ahead()), (0, HOUR));
}

#[test]
fn r29_long_intervals_are_spread_over_the_half_hour_and_do_not_gather_at_its_end() {
    let ahead = |chance| {
        let mut bench = Bench::new();
        bench.chance = chance;
        bench.poll(&Reply::ok(&[("cache-control", "max-age=36000")]).with(10, 1));
        bench.ahead() - 10 * HOUR
    };
    assert_eq!(
        [0.5, 0.75, 1.0].map(ahead),
        [15 * MINUTE, 1350, 30 * MINUTE]
    );
}

#[test]
fn r29_jitter_only_adds_a_tenth_and_at_most_half_an_hour() {
    for (chance, secs) in [
        (0.0, 3600),
        (0.5, 3780),
        (1.0, 3960),
        (-3.0, 3600),
        (f64::NAN, 3600),
    ] {
        let mut bench = Bench::new();
        bench.chance = chance;
        bench.poll(&Reply::ok(&TAG).with(10, 1));
        assert_eq!(bench.ahead(), secs, "{chance}");
    }
    let mut bench = Bench::new();
    bench.chance = 1.0;
    bench.poll(&Reply::ok(&[
        ("etag", "\"1\""),
        ("cache-control", "max-age=86400"),
    ]));
    assert_eq!(bench.ahead(), DAY + 30 * MINUTE);
}

#[test]
fn r30_a_feed_that_cannot_be_asked_conditionally_has_a_budget_of_bytes() {
    for (decoded, secs) in [(20 * 1024, HOUR), (512 * 1024, 12 * HOUR), (5 << 20, DAY)] {
        let mut bench = Bench::new();
        let mut reply = Reply::ok(&[]).with(10, 1);
        reply.size = decoded / 3 + 1;
        bench.poll(&reply);
        assert!(
            (bench.ahead() - secs).abs() < 10,
            "{decoded}: {}",
            bench.ahead()
        );
    }
    let mut bench = Bench::new();
    let mut reply = Reply::ok(&TAG).with(10, 1);
    reply.size = 5 << 20;
    bench.poll(&reply);
    assert_eq!(bench.ahead(), HOUR, "with a validator size is no matter");
}

#[test]
fn r31_to_r35_freshness_is_a_lower_bound_of_at_most_a_day() {
    for (control, secs) in [
        ("max-age=14400", 4 * HOUR),
        ("max-age=60", HOUR),
        ("max-age=99999999999", DAY),
        ("no-cache, max-age=14400", HOUR),
        ("no-store", HOUR),
        ("max-age=0, must-revalidate", HOUR),
        ("immutable, stale-while-revalidate=86400", HOUR),
    ] {
        let fields = [("etag", "\"1\""), ("cache-control", control)];
        assert_eq!(first(&fields, Wishes::default(), &[]).0, secs, "{control}");
    }
}

#[test]
fn r35_freshness_of_a_304_sets_the_bound_anew_and_a_silent_one_keeps_it() {
    let mut bench = Bench::new();
    bench.poll(&Reply::ok(&TAG).with(10, 1));
    bench.poll(&Reply::not_modified(&[("cache-control", "max-age=14400")]));
    assert_eq!(
        (bench.ahead(), bench.state.schedule.why),
        (4 * HOUR, Why::MaxAge(14_400))
    );
    bench.poll(&Reply::not_modified(&[]));
    assert_eq!(bench.ahead(), 4 * HOUR);
    bench.poll(&Reply::not_modified(&[("cache-control", "max-age=60")]));
    assert_eq!(bench.state.hints.max_age, 60);
}

#[test]
fn r32_server_clocks_ten_days_off_do_not_matter() {
    for days in [-10, 10] {
        let date = crate::model::Timestamp(NOW.0 + days * DAY);
        let write = |t: Timestamp| t.datetime().format("%a, %d %b %Y %H:%M:%S GMT").to_string();
        let (date, expires) = (write(date), write(date.plus(4 * HOUR)));
        let fields = [("etag", "\"1\""), ("date", &*date), ("expires", &*expires)];
        assert_eq!(
            first(&fields, Wishes::default(), &[]),
            (4 * HOUR, Why::Expires(14_400))
        );
    }
}

#[test]
fn r41_ttl_is_a_lower_bound_of_at_most_a_day() {
    for (minutes, secs) in [(180, 3 * HOUR), (1_000_000, DAY), (1, HOUR)] {
        let wishes = Wishes {
            ttl: minutes * 60,
            ..Wishes::default()
        };
        assert_eq!(first(&TAG, wishes, &[]).0, secs, "{minutes}");
    }
}

#[test]
fn r42_the_next_poll_moves_out_of_skipped_hours_and_days() {
    // 2026-11-30 is a Monday; NOW is 14:00 GMT.
    assert_eq!(NOW.rfc3339(), "2026-11-30T14:00:00Z");
    let all_hours = 0xff_ffff_u32;
    for (hours, days, wanted) in [
        (1 << 15, 0, "2026-11-30T16:00:00Z"),
        (all_hours & !(1 << 3), 0, "2026-12-01T03:00:00Z"),
        (0, 0b0000_0001, "2026-12-01T00:00:00Z"),
        (0, 0b0111_1110, "2026-11-30T15:00:00Z"),
        (0, 0b0011_1111, "2026-12-06T00:00:00Z"),
        (all_hours & !(1 << 3), 0b0111_1110, "2026-12-07T03:00:00Z"),
        (all_hours, 0, "2026-11-30T15:00:00Z"),
        (0, 0b0111_1111, "2026-11-30T15:00:00Z"),
    ] {
        let wishes = Wishes {
            skip_hours: hours,
            skip_days: days,
            ..Wishes::default()
        };
        let (secs, why) = first(&TAG, wishes, &[]);
        assert_eq!(NOW.plus(secs).rfc3339(), wanted, "{hours:b} {days:b}");
        assert_eq!(why == Why::Skip, secs != HOUR);
    }
}

#[test]
fn r43_the_update_period_is_a_lower_bound_of_at_most_a_day() {
    for (period, secs) in [(12 * 3600, 12 * HOUR), (300, HOUR), (30 * 86_400, DAY)] {
        let wishes = Wishes {
            update_period: period,
            ..Wishes::default()
        };
        assert_eq!(first(&TAG, wishes, &[]).0, secs, "{period}");
    }
}

#[test]
fn every_of_the_user_replaces_the_interval_but_not_the_publishers_bounds() {
    for (every, control, secs) in [
        (4 * HOUR, "", 4 * HOUR),
        (MINUTE, "", 30 * MINUTE),
        (30 * DAY, "", 7 * DAY),
        (2 * HOUR, "max-age=14400", 4 * HOUR),
    ] {
        let mut bench = Bench::new();
        bench.subscription.every = Some(Duration::from_secs(every as u64));
        bench.poll(&Reply::ok(&[("etag", "\"1\""), ("cache-control", control)]).with(10, 1));
        assert_eq!(bench.ahead(), secs);
        if control.is_empty() {
            assert_eq!(bench.state.schedule.why, Why::User(secs as u32));
        }
    }
}

#[test]
fn a_base_of_the_users_beyond_the_active_maximum_is_obeyed() {
    let mut bench = Bench::new();
    bench.settings.base = Duration::from_secs(12 * 3600);
    bench.poll(&Reply::ok(&TAG).with(10, 1));
    assert_eq!(bench.ahead(), 12 * HOUR);
}

fn spans() -> impl Strategy<Value = Duration> {
    prop_oneof![0_u64..4_000_000, Just(u64::MAX), Just(3600)].prop_map(Duration::from_secs)
}

prop_compose! {
    fn policies()(base in spans(), min in spans(), active_max in spans(), max in spans(),
                  hint_max in spans(), error_first in spans(), error_max in spans(),
                  byte_budget in any::<u64>(), odd in any::<bool>()) -> PollSettings {
        let policy = PollSettings::default();
        if odd {
            PollSettings { base, min, active_max, max, hint_max, error_first, error_max, byte_budget, ..policy }
        } else {
            policy
        }
    }
}

prop_compose! {
    fn records()(streak in any::<u32>(), failures in any::<u32>(),
                 bounds in prop::array::uniform4(prop_oneof![any::<u32>(), 0_u32..100_000]),
                 skip_hours in any::<u32>(), skip_days in any::<u8>(),
                 newest in prop::option::of(-40_000_000_i64..1000),
                 median_gap in prop::option::of(any::<u32>()),
                 full_decoded in any::<u64>()) -> PollState {
        let mut state = PollState::default();
        state.schedule.streak = streak;
        state.schedule.failures = failures;
        let [max_age, expires, ttl, update_period] = bounds;
        state.hints = Hints { max_age, expires, ttl, update_period, skip_hours, skip_days };
        state.newest = newest.map(|ago| NOW.plus(ago));
        state.median_gap = median_gap;
        state.full_decoded = full_decoded;
        state
    }
}

fn troubles() -> impl Strategy<Value = Option<Trouble>> {
    prop_oneof![
        Just(None),
        Just(Some(Trouble::Ordinary)),
        Just(Some(Trouble::Missing)),
        Just(Some(Trouble::Forbidden)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_next_poll_never_comes_before_a_bound_nor_after_its_cap(
        state in records(),
        settings in policies(),
        every in prop::option::of(spans()),
        trouble in troubles(),
        plain in any::<bool>(),
        hold in prop::option::of(0..7 * DAY),
        chance in 0.0..=1.0_f64,
    ) {
        let hold = hold.map(|secs| NOW.plus(secs));
        let inputs = Inputs { now: NOW, state: &state, every, trouble, plain, hold, pushed: None, settings: &settings };
        let (at, why) = next(&inputs, chance);
        let mut longest = 0;
        for (rule, secs) in bounds(&inputs) {
            prop_assert!(at >= NOW.plus(secs), "{rule:?} {secs} > {}", at.since(NOW));
            longest = longest.max(secs);
        }
        for bound in weigh(&inputs, chance).bounds.iter().filter(|bound| bound.binds) {
            prop_assert!(at >= NOW.plus(bound.secs), "{bound:?} > {}", at.since(NOW));
        }
        prop_assert!(hold.is_none_or(|hold| at >= hold));
        let widest = settings.hint_max.as_secs().max(7 * DAY as u64);
        prop_assert!(longest <= i64::try_from(widest).unwrap_or(i64::MAX));
        let held = hold.map_or(0, |hold| hold.since(NOW) + 60);
        let least = (longest + 1800).max(held);
        let skipped = if why == Why::Skip { 8 * DAY } else { 0 };
        prop_assert!(at.since(NOW) <= least + skipped, "{why:?} {}", at.since(NOW));
        prop_assert!(at.since(NOW) <= cap(why, &settings) + DAY, "{why:?} would pass for an error of the clock");
        let (without, _) = next(&inputs, 0.0);
        prop_assert!(at >= without, "jitter only adds");
    }

    #[test]
    fn with_the_default_policy_the_interval_lies_between_half_an_hour_and_a_week(
        state in records(), trouble in troubles(), plain in any::<bool>(),
    ) {
        let settings = PollSettings::default();
        let inputs = Inputs { now: NOW, state: &state, every: None, trouble, plain, hold: None, pushed: None, settings: &settings };
        for (rule, secs) in bounds(&inputs) {
            let most = if matches!(rule, Why::Errors { .. }) { 7 * DAY } else { DAY };
            prop_assert!(secs <= most, "{rule:?} {secs}");
        }
        prop_assert!(bounds(&inputs)[0].1 >= 30 * MINUTE);
    }

    #[test]
    fn no_history_of_answers_breaks_the_schedule(script in prop::collection::vec((0_u8..12, 0.0..1.0_f64), 1..60)) {
        let mut bench = Bench::new();
        for (n, (what, chance)) in script.iter().enumerate() {
            bench.chance = *chance;
            let conditional = !bench.is_plain();
            let reply = match what {
                0..3 if conditional => Reply::not_modified(&[("cache-control", "max-age=7200")]),
                0..3 => Reply::ok(&TAG),
                3 => Reply::ok(&[("etag", "\"2\"")]).with(20 + (n % 200) as u8, 1),
                4 => Reply::ok(&[]),
                5 => Reply::new(500, &[]),
                6 => Reply::new(404, &[]),
                7 => Reply::new(403, &[]),
                8 => Reply::new(429, &[]),
                9 => Reply::new(503, &[("retry-after", "5400")]),
                10 => Reply::broken(ErrorKind::Dns),
                _ => Reply::not_modified(&[]),
            };
            let done = bench.poll(&reply);
            if bench.state.off.is_some() {
                prop_assert_eq!(bench.state.schedule.next, None);
                break;
            }
            prop_assert!(bench.ahead() >= 30 * MINUTE);
            prop_assert!(bench.ahead() <= 7 * DAY + 30 * MINUTE + 60);
            if let Some(until) = bench.host.hold_until {
                prop_assert!(bench.state.schedule.next >= Some(until));
            }
            prop_assert_eq!(done.delta.errors, u64::from(done.outcome.word() == "error"));
            // What is explained afterwards is what was decided.
            let hold = held(&bench.host, bench.now, &bench.settings);
            let status = bench.state.last.as_ref().and_then(|last| last.status);
            let why = bench.state.schedule.why;
            let bounds = considered(&bench.known(), status, hold).bounds;
            prop_assert!(bounds.iter().any(|bound| bound.binds && bound.why == why), "{why:?} {bounds:?}");
            for bound in bounds.iter().filter(|bound| bound.binds) {
                prop_assert!(bound.secs <= bench.ahead(), "{bound:?} {}", bench.ahead());
            }
            bench.wait();
        }
        let listed = bench.validators.iter().filter(|(url, _)| url == A).count();
        prop_assert!(listed <= 1);
    }
}
