//! Hosts: holds and how they grow, the space between two starts, and whether this machine is offline.

use std::collections::HashSet;
use std::time::Duration;

use crate::model::{
    ErrorKind, HostKey, HostState, HttpSettings, Pace, PollSettings, PollState, Timestamp,
};

use super::headers::Wait;
use super::schedule::{DAY, HOUR, doubled, longest_hold, span, to_u32};

/// No success for this long before a machine is thought to be offline (R44).
const SILENT: i64 = 10 * 60;
/// Distinct hosts that must have failed before a machine is thought to be offline (R44).
const HOSTS_TRIED: usize = 3;

/// The host is held until then; `None` when it may be asked.
/// A hold further ahead than its cap and a day is an error of the clock and holds nothing (R48).
pub fn held(host: &HostState, now: Timestamp, settings: &PollSettings) -> Option<Timestamp> {
    let until = host.hold_until.filter(|until| *until > now)?;
    (until.since(now) <= longest_hold(settings) + DAY).then_some(until)
}

/// The host asked to wait (429, 503 or a slow redirect with `Retry-After`): its record with the hold set,
/// and whether the time it asked for was absurd and cut (R36–R40). A hold that stands is never shortened.
pub fn hold(
    wait: Wait,
    host: &HostState,
    now: Timestamp,
    settings: &PollSettings,
) -> (HostState, bool) {
    let most = longest_hold(settings);
    let mut held_now = host.clone();
    let (mut secs, cut) = match wait {
        Wait::Seconds(asked) => {
            let asked = i64::from(asked);
            let cap = span(settings.retry_after_max);
            (asked.min(cap), asked > cap)
        }
        Wait::Unreadable | Wait::Unsaid => {
            held_now.throttled = host.throttled.saturating_add(1);
            let steps = doubled(span(settings.hold_first), host.throttled);
            let least = span(settings.hold_min);
            (steps.min(span(settings.hold_max)).max(least), false)
        }
    };
    if was_lifted(host) {
        // The user lifted the last hold and the host refuses again: it meant it (R47).
        secs = secs.max(i64::from(host.last_hold_secs) * 2).min(most);
    }
    let until = now.plus(secs);
    let standing = held(host, now, settings);
    held_now.hold_until = Some(standing.map_or(until, |old| old.max(until)));
    held_now.hold_since = Some(now);
    held_now.last_hold_secs = to_u32(secs);
    (held_now, cut)
}

/// The user lifts the hold; the store makes its feeds due. How long it was is remembered: a renewed 429 at least
/// doubles it (R47).
#[must_use]
pub fn lift(host: &HostState) -> HostState {
    HostState {
        hold_until: None,
        ..host.clone()
    }
}

/// A lifted hold leaves its length behind; one that ran out leaves its end as well.
const fn was_lifted(host: &HostState) -> bool {
    host.hold_until.is_none() && host.last_hold_secs > 0
}

/// The host answered 200 or 304: holds start from their first length again.
#[must_use]
pub fn answered(host: &HostState, now: Timestamp, settings: &PollSettings) -> HostState {
    let mut host = host.clone();
    if held(&host, now, settings).is_none() {
        host.hold_until = None;
        host.hold_since = None;
        host.throttled = 0;
        host.last_hold_secs = 0;
    }
    host
}

/// R51: `forbidden` feeds of one host answered 403 within a run. From the second on the host is held as after a
/// 429 without `Retry-After`; the engine stores the record and defers what is queued.
pub fn hold_after_403(
    forbidden: usize,
    host: &HostState,
    now: Timestamp,
    settings: &PollSettings,
) -> Option<HostState> {
    let due = forbidden >= 2 && held(host, now, settings).is_none();
    due.then(|| hold(Wait::Unsaid, host, now, settings).0)
}

/// When the next request to a host may start, milliseconds since 1970. A start in the future counts as now (R48, R71).
pub fn start_at(last_start_ms: i64, now_ms: i64, gap: Duration) -> i64 {
    let gap = i64::try_from(gap.as_millis()).unwrap_or(i64::MAX);
    now_ms.max(last_start_ms.min(now_ms).saturating_add(gap))
}

/// The space between two starts on this host: the setting, or a `Crawl-delay` that asks for more (R71, R73).
pub fn gap(host: &HostState, settings: &HttpSettings) -> Duration {
    settings
        .host_gap
        .max(Duration::from_millis(u64::from(host.crawl_delay_ms)))
}

/// R72: the host's budget for this hour is spent, and until then; `None` when it may be asked. A budget of 0 is none.
/// First polls and `Pace::Force` never wait for it. An hour that began in the future is over (R48).
pub fn over_budget(
    host: &HostState,
    pace: Pace,
    first: bool,
    now: Timestamp,
    budget: u32,
) -> Option<Timestamp> {
    let bound = budget > 0 && !first && pace != Pace::Force;
    let spent = in_hour(host.hour_began, host.hour_starts, now) && host.hour_starts >= budget;
    (bound && spent).then(|| host.hour_began.plus(HOUR))
}

/// A request to the host starts now, and counts against its budget: when the hour began, and its starts from now on
/// (R72). Not called for first polls.
pub fn spent(hour_began: Timestamp, hour_starts: u32, now: Timestamp) -> (Timestamp, u32) {
    if in_hour(hour_began, hour_starts, now) {
        (hour_began, hour_starts.saturating_add(1))
    } else {
        (now, 1)
    }
}

/// No request for this feed has come to anything yet: it neither waits for the budget nor counts (R72).
pub const fn is_first(state: &PollState) -> bool {
    let counted = &state.counters;
    counted.ok200 == 0
        && counted.not_modified304 == 0
        && counted.identical200 == 0
        && counted.errors == 0
}

fn in_hour(began: Timestamp, starts: u32, now: Timestamp) -> bool {
    starts > 0 && (0..HOUR).contains(&now.since(began))
}

/// R44: at least three hosts were tried, none answered, each failed for want of a name or a route, and nothing has
/// succeeded in the last ten minutes. `failures` are the polls that wait to be judged, by host.
pub fn offline<'a>(
    failures: impl IntoIterator<Item = (&'a HostKey, ErrorKind)>,
    last_success: Option<Timestamp>,
    now: Timestamp,
) -> bool {
    let mut hosts = HashSet::new();
    for (host, kind) in failures {
        if !says_offline(kind) {
            return false;
        }
        hosts.insert(host);
    }
    let silent = last_success.is_none_or(|at| now.since(at) >= SILENT || at > now);
    hosts.len() >= HOSTS_TRIED && silent
}

/// The kinds of failure that a machine without a network gets. Refused is an answer of a kind (R44).
pub const fn says_offline(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Dns | ErrorKind::Unreachable)
}

/// Until the next probe while offline: 5, 10, 20, 40, 60, 60 … minutes (R44). `probes` have failed so far.
pub fn probe_delay(probes: u32) -> Duration {
    Duration::from_secs((300 << probes.min(4)).min(3600))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000_000);

    fn after(wait: Wait, host: &HostState, now: Timestamp) -> (HostState, i64) {
        let (host, _) = hold(wait, host, now, &PollSettings::default());
        let secs = host.hold_until.map_or(0, |until| until.since(now));
        (host, secs)
    }

    #[test]
    fn r36_retry_after_holds_the_host_for_its_seconds() {
        let (host, secs) = after(Wait::Seconds(7200), &HostState::default(), NOW);
        assert_eq!(secs, 7200);
        let settings = PollSettings::default();
        assert_eq!(held(&host, NOW, &settings), Some(NOW.plus(7200)));
        assert_eq!(held(&host, NOW.plus(7200), &settings), None);
    }

    #[test]
    fn r38_a_429_without_retry_after_holds_an_hour_then_two_up_to_a_day() {
        let mut host = HostState::default();
        let mut now = NOW;
        for hours in [1, 2, 4, 8, 16, 24, 24] {
            let (next, secs) = after(Wait::Unsaid, &host, now);
            assert_eq!(secs, hours * HOUR);
            now = now.plus(secs);
            host = next;
        }
    }

    #[test]
    fn r40_an_absurd_retry_after_is_cut_to_a_week_and_said() {
        let settings = PollSettings::default();
        let (host, cut) = hold(
            Wait::Seconds(1 << 31),
            &HostState::default(),
            NOW,
            &settings,
        );
        assert!(cut);
        assert_eq!(host.hold_until, Some(NOW.plus(7 * DAY)));
        let (_, secs) = after(Wait::Unreadable, &HostState::default(), NOW);
        assert_eq!(secs, HOUR);
    }

    #[test]
    fn a_standing_hold_is_never_shortened() {
        let (host, _) = after(Wait::Seconds(7200), &HostState::default(), NOW);
        let (host, _) = after(Wait::Seconds(60), &host, NOW.plus(10));
        assert_eq!(host.hold_until, Some(NOW.plus(7200)));
    }

    #[test]
    fn r47_a_renewed_429_after_a_lift_at_least_doubles_the_hold() {
        let (host, _) = after(Wait::Seconds(7200), &HostState::default(), NOW);
        let lifted = lift(&host);
        assert_eq!(held(&lifted, NOW, &PollSettings::default()), None);
        let (_, secs) = after(Wait::Seconds(60), &lifted, NOW.plus(10));
        assert_eq!(secs, 4 * HOUR);
        let (_, secs) = after(Wait::Seconds(86_400), &lifted, NOW.plus(10));
        assert_eq!(secs, 24 * HOUR);
    }

    #[test]
    fn a_hold_that_ran_out_does_not_double_what_the_server_asks() {
        let (host, _) = after(Wait::Seconds(7200), &HostState::default(), NOW);
        let (_, secs) = after(Wait::Seconds(60), &host, NOW.plus(9000));
        assert_eq!(secs, 60);
    }

    #[test]
    fn r38_a_good_answer_ends_the_row() {
        let settings = PollSettings::default();
        let (host, secs) = after(Wait::Unsaid, &HostState::default(), NOW);
        let host = answered(&host, NOW.plus(secs), &settings);
        assert_eq!(host, HostState::default());
    }

    #[test]
    fn r48_a_hold_beyond_its_cap_is_an_error_of_the_clock() {
        let settings = PollSettings::default();
        let (host, _) = after(Wait::Seconds(7200), &HostState::default(), NOW);
        assert_eq!(held(&host, NOW.plus(-40 * DAY), &settings), None);
        assert!(held(&host, NOW.plus(-2 * DAY), &settings).is_some());
    }

    #[test]
    fn r51_the_second_403_of_a_run_holds_the_host() {
        let settings = PollSettings::default();
        let host = HostState::default();
        assert_eq!(hold_after_403(1, &host, NOW, &settings), None);
        let held_now = hold_after_403(2, &host, NOW, &settings).expect("held");
        assert_eq!(held_now.hold_until, Some(NOW.plus(HOUR)));
    }

    #[test]
    fn r71_starts_keep_their_distance_and_a_future_start_counts_as_now() {
        let gap = Duration::from_secs(1);
        for (last, now, start) in [(0, 5000, 5000), (4500, 5000, 5500), (9_999_999, 5000, 6000)] {
            assert_eq!(start_at(last, now, gap), start);
        }
        assert_eq!(start_at(5000, 5000, Duration::ZERO), 5000);
    }

    #[test]
    fn r73_a_crawl_delay_only_widens_the_gap() {
        let slow = HostState {
            crawl_delay_ms: 5000,
            ..HostState::default()
        };
        let settings = HttpSettings::default();
        assert_eq!(gap(&slow, &settings), Duration::from_secs(5));
        assert_eq!(
            gap(&HostState::default(), &settings),
            Duration::from_secs(1)
        );
    }

    fn spend(host: &mut HostState, now: Timestamp) {
        (host.hour_began, host.hour_starts) = spent(host.hour_began, host.hour_starts, now);
    }

    #[test]
    fn r72_a_feed_is_first_until_a_request_came_to_something() {
        let mut state = PollState::default();
        state.counters.deferred = 3;
        assert!(is_first(&state));
        state.counters.errors = 1;
        assert!(!is_first(&state));
    }

    #[test]
    fn r72_the_sixty_first_start_of_an_hour_waits_for_its_end() {
        let mut host = HostState::default();
        for n in 0..60 {
            let now = NOW.plus(n * 10);
            assert_eq!(
                over_budget(&host, Pace::Scheduled, false, now, 60),
                None,
                "{n}"
            );
            spend(&mut host, now);
        }
        let now = NOW.plus(1800);
        let end = Some(NOW.plus(HOUR));
        for (pace, first, budget, wanted) in [
            (Pace::Scheduled, false, 60, end),
            (Pace::Manual, false, 60, end),
            (Pace::Force, false, 60, None),
            (Pace::Scheduled, true, 60, None),
            (Pace::Scheduled, false, 61, None),
            (Pace::Scheduled, false, 0, None),
        ] {
            assert_eq!(over_budget(&host, pace, first, now, budget), wanted);
        }
        for other in [NOW.plus(HOUR), NOW.plus(-DAY)] {
            assert_eq!(over_budget(&host, Pace::Scheduled, false, other, 60), None);
            assert_eq!(spent(host.hour_began, host.hour_starts, other), (other, 1));
        }
    }

    #[test]
    fn r44_offline_needs_three_hosts_without_a_name_or_route_and_ten_silent_minutes() {
        use ErrorKind::{Dns, Refused, Unreachable};
        let keys: Vec<HostKey> = ["a:443", "b:443", "c:443"]
            .map(|k| HostKey(k.into()))
            .into();
        let tried = |kinds: &[ErrorKind], last: Option<Timestamp>| {
            offline(keys.iter().zip(kinds.iter().copied()), last, NOW)
        };
        assert!(tried(&[Dns, Dns, Unreachable], None));
        assert!(tried(&[Dns, Dns, Dns], Some(NOW.plus(-600))));
        assert!(!tried(&[Dns, Dns, Dns], Some(NOW.plus(-60))));
        assert!(!tried(&[Dns, Dns], None));
        assert!(!tried(&[Dns, Dns, Refused], None));
        let twice = [(&keys[0], Dns), (&keys[0], Dns), (&keys[1], Dns)];
        assert!(!offline(twice, None, NOW));
    }

    #[test]
    fn r44_probes_come_after_5_10_20_up_to_60_minutes() {
        let minutes: Vec<u64> = (0..6).map(|n| probe_delay(n).as_secs() / 60).collect();
        assert_eq!(minutes, [5, 10, 20, 40, 60, 60]);
    }
}
