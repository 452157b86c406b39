//! Whatever servers, clocks and people do: what holds after every act of any history (R13, R23, R25, R29, R39, R44, R47, R48).

use proptest::prelude::*;

use super::server::{A, B, Bench, DAY, HOUR, MINUTE, Reply};
use crate::model::{
    Bound, ErrorKind, HostState, Off, Outcome, Pace, PollError, PollState, Timestamp, Validators,
    ValidatorsChoice, Why,
};
use crate::poll::{
    Conclusion, Plan, Wishes, cap, conclude_offline, considered, defer, defer_for_budget, enable,
    lift, plan,
};

/// One thing that happens to a feed.
#[derive(Debug, Clone)]
enum Act {
    /// It is asked, and this is the answer.
    Poll(Box<Answered>),
    /// It is not asked: its host is held, its budget spent, or this machine offline. So many seconds from now.
    Unsent(u8, i64),
    /// The clock jumps.
    Jump(i64),
    /// A person lifts the hold, or revives the feed.
    Person(bool),
}

#[derive(Debug, Clone)]
struct Answered {
    status: u16,
    fields: Vec<(&'static str, Vec<u8>)>,
    body: u8,
    new: u32,
    hops: u8,
    truncated: bool,
    broken: Option<ErrorKind>,
    wishes: Wishes,
    ages: Vec<i64>,
    pace: Pace,
    chance: f64,
    size: u64,
}

impl Answered {
    fn reply(&self, now: Timestamp, conditional: bool) -> Reply {
        // Only a conditional request is answered 304 by most; the others do it too, now and then.
        let status = if self.status == 304 && !conditional && !self.body.is_multiple_of(4) {
            200
        } else {
            self.status
        };
        let mut reply = Reply::new(status, &[]).with(self.body, self.new);
        reply.fields = (self.fields.iter())
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        reply.truncated = self.truncated;
        reply.broken = self.broken;
        reply.wishes = self.wishes;
        reply.size = self.size;
        reply.dates = self.ages.iter().map(|age| now.plus(-age)).collect();
        match self.hops {
            0 => reply.via(&[(A, 301, B)]),
            1 => reply.via(&[(A, 302, B)]),
            2 => reply.via(&[(A, 308, B), (B, 307, A)]),
            _ => reply,
        }
    }
}

fn text(values: &[&'static str]) -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => prop::sample::select(values.to_vec()).prop_map(|v| v.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ]
}

fn fields() -> impl Strategy<Value = Vec<(&'static str, Vec<u8>)>> {
    let field = prop_oneof![
        text(&["\"1\"", "\"2\"", "W/\"1\"", "odd"]).prop_map(|v| ("etag", v)),
        text(&[
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Fri, 01 Mar 2041 00:00:00 GMT",
            "0"
        ])
        .prop_map(|v| ("last-modified", v)),
        text(&[
            "max-age=60",
            "max-age=14400",
            "max-age=99999999999",
            "no-store",
            "max-age=-1"
        ])
        .prop_map(|v| ("cache-control", v)),
        text(&["0", "Tue, 01 Jan 2041 00:00:00 GMT"]).prop_map(|v| ("expires", v)),
        text(&["Mon, 31 Dec 2040 20:00:00 GMT", "now"]).prop_map(|v| ("date", v)),
        text(&[
            "0",
            "60",
            "7200",
            "31536000",
            "Tue, 01 Jan 2041 00:00:00 GMT"
        ])
        .prop_map(|v| ("retry-after", v)),
        Just(("im", b"feed".to_vec())),
    ];
    prop::collection::vec(field, 0..5)
}

fn statuses() -> impl Strategy<Value = u16> {
    prop_oneof![
        6 => Just(304_u16),
        6 => Just(200_u16),
        4 => prop::sample::select(vec![
            203_u16, 204, 206, 226, 400, 401, 403, 404, 404, 410, 429, 500, 503, 599,
        ]),
    ]
}

fn breakages() -> impl Strategy<Value = Option<ErrorKind>> {
    use ErrorKind::{CutBody, Decode, Dns, Empty, Html, Refused, Timeout, Truncated};
    prop_oneof![
        5 => Just(None),
        1 => prop::sample::select(vec![CutBody, Decode, Dns, Empty, Html, Refused, Timeout, Truncated])
            .prop_map(Some),
    ]
}

prop_compose! {
    fn wishes()(some in any::<bool>(), ttl in any::<u32>(), update_period in 0_u32..1_000_000,
                skip_hours in 0_u32..1 << 24, skip_days in 0_u8..128) -> Wishes {
        if some {
            Wishes { ttl, update_period, skip_hours, skip_days }
        } else {
            Wishes::default()
        }
    }
}

prop_compose! {
    fn answers()(status in statuses(), fields in fields(), body in 0_u8..40, new in 0_u32..3,
                 hops in 0_u8..12, truncated in prop::bool::weighted(0.1), broken in breakages(),
                 wishes in wishes(), ages in prop::collection::vec(-DAY..40 * DAY, 0..6),
                 pace in prop::sample::select(vec![Pace::Scheduled, Pace::Scheduled, Pace::Manual, Pace::Force]),
                 chance in 0.0..=1.0_f64, size in 0_u64..3_000_000) -> Answered {
        Answered { status, fields, body, new, hops, truncated, broken, wishes, ages, pace, chance, size }
    }
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        10 => answers().prop_map(|answered| Act::Poll(Box::new(answered))),
        2 => (0_u8..3, 1..7 * DAY).prop_map(|(why, secs)| Act::Unsent(why, secs)),
        1 => (-50 * DAY..50 * DAY).prop_map(Act::Jump),
        1 => any::<bool>().prop_map(Act::Person),
    ];
    prop::collection::vec(act, 1..40)
}

/// A feed before its first poll, with what its user may have written.
fn benches() -> impl Strategy<Value = Bench> {
    let choice = prop::sample::select(vec![
        ValidatorsChoice::Auto,
        ValidatorsChoice::Auto,
        ValidatorsChoice::Both,
        ValidatorsChoice::Etag,
        ValidatorsChoice::None,
    ]);
    (choice, prop::option::of(60_u64..900_000)).prop_map(|(choice, every)| {
        let mut bench = Bench::new();
        bench.subscription.http.validators = choice;
        bench.subscription.every = every.map(std::time::Duration::from_secs);
        bench
    })
}

/// Plays a history; `check` sees each conclusion after it was committed, and the validators before.
fn play(
    bench: &mut Bench,
    acts: &[Act],
    mut check: impl FnMut(&Bench, &Step<'_>) -> Result<(), proptest::test_runner::TestCaseError>,
) -> Result<(), proptest::test_runner::TestCaseError> {
    for act in acts {
        let before = bench.validators.clone();
        let (state, host) = (bench.state.clone(), bench.host.clone());
        let done = match act {
            Act::Jump(secs) => {
                bench.now = bench.now.plus(*secs);
                continue;
            }
            Act::Person(true) => {
                bench.host = lift(&bench.host);
                bench.state.schedule.next = Some(bench.now);
                continue;
            }
            Act::Person(false) => {
                bench.state = enable(&bench.state, bench.now);
                continue;
            }
            Act::Unsent(why, secs) => {
                let until = bench.now.plus(*secs);
                let done = match why {
                    0 => defer(until, &bench.known()),
                    1 => defer_for_budget(bench.now.plus(secs.rem_euclid(HOUR)), &bench.known()),
                    _ => {
                        let error = PollError::new(ErrorKind::Dns, "");
                        let until = bench.now.plus(secs.rem_euclid(HOUR));
                        conclude_offline(&error, until, &bench.known())
                    }
                };
                bench.commit(&done);
                done
            }
            Act::Poll(answered) => {
                bench.pace = answered.pace;
                bench.chance = answered.chance;
                if bench.plan() != Plan::Ask {
                    if bench.state.off.is_some() || bench.pace != Pace::Scheduled {
                        bench.now = bench.now.plus(HOUR);
                        continue;
                    }
                    bench.wait();
                }
                if plan(bench.pace, &bench.known()) != Plan::Ask {
                    continue;
                }
                let address = crate::poll::address(&bench.state, A).to_owned();
                let conditional = bench.sends(&address) != (None, None);
                bench.poll(&answered.reply(bench.now, conditional))
            }
        };
        let step = Step {
            act,
            done: &done,
            before: &before,
            state,
            host,
        };
        check(bench, &step)?;
    }
    Ok(())
}

struct Step<'a> {
    act: &'a Act,
    done: &'a Conclusion,
    before: &'a [(String, Validators)],
    /// The feed's record before.
    state: PollState,
    /// The host's.
    host: HostState,
}

impl Step<'_> {
    /// The answer was a whole feed or a 304.
    fn was_good(&self) -> bool {
        use Outcome::{Changed, NotModified, Unchanged};
        let cut = match self.act {
            Act::Poll(answered) => {
                answered.truncated
                    && self.state.body_hash != Some([answered.body; 32])
                    && self.done.outcome != NotModified
            }
            _ => false,
        };
        matches!(self.done.outcome, Changed { .. } | NotModified | Unchanged) && !cut
    }

    fn status(&self) -> Option<u16> {
        self.done.state.last.as_ref().and_then(|last| last.status)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn r25_r31_r47_no_history_brings_a_poll_before_a_bound_or_after_its_cap(
        mut bench in benches(), acts in acts(),
    ) {
        play(&mut bench, &acts, |bench, step| {
            let Some(next) = bench.state.schedule.next else {
                prop_assert!(matches!(bench.state.off, Some(Off::Gone | Off::Dead)));
                return Ok(());
            };
            let why = bench.state.schedule.why;
            let ahead = next.since(bench.now);
            prop_assert!(ahead <= cap(why, &bench.settings) + DAY, "{why:?} {ahead}");
            if matches!(step.act, Act::Unsent(..)) {
                return Ok(());
            }
            let mut longest = 0;
            let weighed = considered(&bench.known(), step.status(), None);
            let skip = |bound: &Bound| bound.why == Why::Skip;
            for Bound { why, secs, .. } in weighed.bounds.into_iter().filter(|b| b.binds && !skip(b)) {
                prop_assert!(ahead >= secs, "{why:?} {secs} > {ahead}");
                longest = longest.max(secs);
            }
            prop_assert!(ahead >= 30 * MINUTE, "{ahead}");
            prop_assert!(longest <= 7 * DAY);
            if let Some(hold) = crate::poll::held(&bench.host, bench.now, &bench.settings) {
                prop_assert!(next >= hold);
                longest = longest.max(hold.since(bench.now) + 60);
            }
            let skipped = if why == Why::Skip { 8 * DAY } else { 0 };
            prop_assert!(ahead <= longest + longest.min(30 * MINUTE) + skipped, "{why:?} {ahead} > {longest}");
            Ok(())
        })?;
    }

    #[test]
    fn r29_jitter_only_adds_whatever_came_before(mut bench in benches(), acts in acts()) {
        play(&mut bench, &acts, |bench, step| {
            let (Act::Poll(answered), Some(next)) = (step.act, bench.state.schedule.next) else {
                return Ok(());
            };
            // The same poll without chance, from the same state.
            let mut even = Bench::new();
            even.subscription = bench.subscription.clone();
            (even.pace, even.now) = (bench.pace, bench.now);
            (even.state, even.host) = (step.state.clone(), step.host.clone());
            even.validators = step.before.to_vec();
            let address = crate::poll::address(&even.state, A).to_owned();
            let conditional = even.sends(&address) != (None, None);
            even.poll(&answered.reply(bench.now, conditional));
            let without = even.state.schedule.next;
            prop_assert!(without.is_some_and(|without| without <= next), "{without:?} {next:?}");
            Ok(())
        })?;
    }

    #[test]
    fn r13_r23_validators_and_hashes_are_stored_only_with_what_was_parsed(
        mut bench in benches(), acts in acts(),
    ) {
        play(&mut bench, &acts, |bench, step| {
            let stored = |list: &[(String, Validators)], url: &str| {
                list.iter().find(|(u, _)| u == url).map(|(_, pair)| pair.clone())
            };
            if step.was_good() {
                prop_assert!(matches!(step.act, Act::Poll(_)));
                return Ok(());
            }
            prop_assert!(step.done.validators.iter().all(|(_, pair)| pair.is_none()), "stored");
            prop_assert_eq!(step.state.body_hash, bench.state.body_hash);
            prop_assert_eq!(step.state.entries_hash, bench.state.entries_hash);
            let clears = matches!(step.status(), Some(404 | 410)) && matches!(step.act, Act::Poll(_));
            for (url, pair) in step.before {
                let after = stored(&bench.validators, url);
                prop_assert!(if clears { after.is_none() } else { after.as_ref() == Some(pair) }, "{url}");
            }
            Ok(())
        })?;
    }

    #[test]
    fn r39_r44_r72_what_was_not_sent_changes_nothing_but_the_schedule_and_its_count(
        mut bench in benches(), acts in acts(), why in 0_u8..3, secs in 1..DAY,
    ) {
        play(&mut bench, &acts, |_, _| Ok(()))?;
        if bench.state.off.is_some() {
            return Ok(());
        }
        let before = bench.state.clone();
        let (host, pairs) = (bench.host.clone(), bench.validators.clone());
        let stored = crate::poll::believable(&before.schedule, bench.now, &bench.settings);
        play(&mut bench, &[Act::Unsent(why, secs)], |_, _| Ok(()))?;
        prop_assert_eq!(&bench.validators, &pairs);
        prop_assert_eq!(&bench.host, &host);
        prop_assert!(bench.state.schedule.next >= stored, "never sooner than it was");
        let mut after = bench.state.clone();
        after.schedule = before.schedule;
        after.last.clone_from(&before.last);
        prop_assert_eq!(after.counters.deferred, before.counters.deferred + u64::from(why < 2));
        after.counters = before.counters;
        prop_assert_eq!(after, before);
    }

    #[test]
    fn r47_nothing_but_a_person_or_time_ends_a_hold(mut bench in benches(), acts in acts()) {
        play(&mut bench, &acts, |_, _| Ok(()))?;
        bench.host = crate::model::HostState::default();
        bench.state.off = None;
        bench.state.last = None;
        bench.state.schedule.next = Some(bench.now);
        bench.pace = Pace::Force;
        bench.poll(&Reply::new(429, &[("retry-after", "7200")]));
        let until = bench.now.plus(7200);
        for ahead in [0, HOUR, 2 * HOUR - 1] {
            for pace in [Pace::Manual, Pace::Force] {
                let known = crate::poll::Known { now: bench.now.plus(ahead), ..bench.known() };
                prop_assert_eq!(plan(pace, &known), Plan::Held { until });
            }
        }
    }
}
