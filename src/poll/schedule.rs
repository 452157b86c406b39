//! When a feed is asked next: the formula of POLLING section 4, one pure function, and every bound it weighed.

use std::time::Duration;

use crate::model::{Bound, Hints, PollSettings, PollState, Schedule, Timestamp, Why};

pub(super) const HOUR: i64 = 3600;
pub(super) const DAY: i64 = 24 * HOUR;
/// Cap of `every`, of the back-off after 404, 401 and 403, and of the setting `max`.
pub(super) const WEEK: i64 = 7 * DAY;
/// A held feed comes up to this long after its hold.
const AFTER_HOLD: f64 = 60.0;
/// Entry dates that a rhythm is learned from (R82).
const DATES: usize = 20;
/// Fewer distinct dates are no rhythm.
const DATES_MIN: usize = 3;

/// What kind of error the last poll ended in: each backs off in its own steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Network, 5xx, a body that is no feed, anything not below (R44).
    Ordinary,
    /// 404 (R50).
    Missing,
    /// 401, 403 (R51).
    Forbidden,
}

/// All that the formula looks at.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// The moment of the answer.
    pub now: Timestamp,
    /// The record as this poll leaves it: streak, failures, hints, rhythm, size.
    pub state: &'a PollState,
    /// `every` of the subscription.
    pub every: Option<Duration>,
    /// The last poll ended in an error of this kind.
    pub trouble: Option<Trouble>,
    /// The next request cannot carry a validator (R30).
    pub plain: bool,
    /// The host is held until then.
    pub hold: Option<Timestamp>,
    /// A hub pushes what is new, and has promised to until then.
    pub pushed: Option<Timestamp>,
    /// The policy.
    pub settings: &'a PollSettings,
}

/// What the formula arrived at, and all that it weighed on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weighed {
    /// The next poll.
    pub next: Timestamp,
    /// The rule that set it.
    pub why: Why,
    /// Every bound that spoke: the interval first, then bytes, headers, feed, back-off, hold, skipped hours.
    pub bounds: Vec<Bound>,
}

/// The next poll and the rule that set it. `chance` in 0..=1 only ever adds (R29).
pub fn next(inputs: &Inputs, chance: f64) -> (Timestamp, Why) {
    let Weighed { next, why, .. } = weigh(inputs, chance);
    (next, why)
}

/// The formula: the next poll, the rule that set it, and every bound that was considered.
/// `chance` in 0..=1 only ever adds (R29).
pub fn weigh(inputs: &Inputs, chance: f64) -> Weighed {
    let chance = if chance.is_finite() {
        chance.clamp(0.0, 1.0)
    } else {
        0.0
    };
    let mut bounds = lower_bounds(inputs);
    let (mut span, mut why) = (0, Why::First);
    for bound in bounds.iter().filter(|bound| bound.binds) {
        // On a tie the publisher's word says more than our habit, and the user's own more than either.
        let says_more = !matches!(bound.why, Why::Bytes(_)) && !matches!(why, Why::User(_));
        if bound.secs > span || (bound.secs == span && says_more) {
            (span, why) = (bound.secs, bound.why);
        }
    }
    let mut next = inputs
        .now
        .plus(span + jitter(span, chance, inputs.settings));
    if let Some(hold) = inputs.hold {
        bounds.push(Bound {
            why: Why::HostHold,
            secs: hold.since(inputs.now),
            binds: true,
        });
        let after = hold.plus((AFTER_HOLD * chance) as i64);
        if after > next {
            (next, why) = (after, Why::HostHold);
        }
    }
    let moved = skip(next, &inputs.state.hints, chance);
    if moved != next {
        bounds.push(Bound {
            why: Why::Skip,
            secs: moved.since(inputs.now),
            binds: true,
        });
        (next, why) = (moved, Why::Skip);
    }
    Weighed { next, why, bounds }
}

/// Every lower bound that binds, in seconds from now: the interval first, then bytes, headers, feed, back-off.
pub fn bounds(inputs: &Inputs) -> Vec<(Why, i64)> {
    let binding = lower_bounds(inputs).into_iter().filter(|bound| bound.binds);
    binding.map(|bound| (bound.why, bound.secs)).collect()
}

/// I, V, L and E, those that bind and those that another took the place of.
fn lower_bounds(inputs: &Inputs) -> Vec<Bound> {
    let mut found = Vec::with_capacity(8);
    interval(inputs, &mut found);
    let cap = span(inputs.settings.hint_max);
    let hints = &inputs.state.hints;
    let mut add = |secs: i64, why: fn(u32) -> Why| {
        if secs > 0 {
            found.push(Bound {
                why: why(to_u32(secs)),
                secs,
                binds: true,
            });
        }
    };
    if inputs.plain {
        let every = plain_every(inputs.state.full_decoded, inputs.settings);
        add(i64::from(every), Why::Bytes);
    }
    add(safety_net(inputs), Why::Push);
    add(i64::from(hints.max_age).min(cap), Why::MaxAge);
    add(i64::from(hints.expires).min(cap), Why::Expires);
    add(i64::from(hints.ttl).min(cap), Why::Ttl);
    add(i64::from(hints.update_period).min(cap), Why::UpdatePeriod);
    let least = found.first().map_or(0, |interval| interval.secs);
    found.extend(backoff(inputs, least).map(|(why, secs)| Bound {
        why,
        secs,
        binds: true,
    }));
    found
}

/// A hub pushes: one poll a day is enough, and one when its lease ends (R79). Who sets an interval means it, and a feed in
/// trouble is asked as any other.
fn safety_net(inputs: &Inputs) -> i64 {
    match inputs.pushed {
        Some(until) if inputs.every.is_none() && inputs.trouble.is_none() => {
            until.since(inputs.now).clamp(0, DAY)
        }
        _ => 0,
    }
}

/// I: the user's interval, else what rhythm, age and the row of unchanged answers give (R26, R27, R82). What lost its
/// say to the one that binds stands behind it.
fn interval(inputs: &Inputs, found: &mut Vec<Bound>) {
    let (learned, before) = learned(inputs);
    let binding = match inputs.every {
        Some(every) => {
            let least = span(inputs.settings.min).min(WEEK);
            let secs = span(every).clamp(least, WEEK);
            (Why::User(to_u32(secs)), secs)
        }
        None => learned,
    };
    let replaced = inputs.every.map(|_| learned).into_iter().chain(before);
    let all = std::iter::once((binding, true)).chain(replaced.map(|other| (other, false)));
    found.extend(all.map(|((why, secs), binds)| Bound { why, secs, binds }));
}

/// The interval that the feed's own ways give, and what it was before unchanged answers lengthened it.
fn learned(inputs: &Inputs) -> ((Why, i64), Option<(Why, i64)>) {
    let settings = inputs.settings;
    let least = span(settings.min).min(WEEK);
    let active = span(settings.active_max).clamp(least, WEEK);
    let most = span(settings.max).clamp(active, WEEK);
    let (mut first, mut why): (i64, fn(u32) -> Why) = match inputs.state.median_gap {
        Some(gap) => ((i64::from(gap) / 4).clamp(least, active), Why::Rhythm),
        None => (span(settings.base).clamp(least, most), Why::Base),
    };
    let gap = i64::from(inputs.state.median_gap.unwrap_or(0));
    let age = inputs
        .state
        .newest
        .map_or(0, |newest| inputs.now.since(newest));
    let dormant = age > (3 * gap).max(DAY);
    if dormant {
        first = (age / 6).clamp(first, most);
        why = Why::Dormant;
    }
    let unchanged = inputs.state.schedule.streak;
    let factor = 1 << (unchanged / 3).min(2);
    let top = if dormant { most } else { active.max(first) };
    let secs = (first * factor).clamp(least, top);
    let unlengthened = (why(to_u32(first)), first);
    if secs > first {
        let secs32 = to_u32(secs);
        let streak = Why::Streak {
            unchanged,
            secs: secs32,
        };
        return ((streak, secs), Some(unlengthened));
    }
    ((why(to_u32(secs)), secs), None)
}

/// E: doubles with every error in a row, and is never shorter than the interval `least` in whose place it stands
/// (R44, R50, R51).
fn backoff(inputs: &Inputs, least: i64) -> Option<(Why, i64)> {
    let failures = inputs.state.schedule.failures;
    let (first, cap) = match inputs.trouble? {
        Trouble::Ordinary => (
            span(inputs.settings.error_first),
            span(inputs.settings.error_max).min(WEEK),
        ),
        Trouble::Missing => (2 * HOUR, WEEK),
        Trouble::Forbidden => (6 * HOUR, WEEK),
    };
    let secs = doubled(first, failures.checked_sub(1)?).min(cap).max(least);
    let why = Why::Errors {
        failures,
        secs: to_u32(secs),
    };
    Some((why, secs))
}

/// V: a plain poll costs the whole body of so many decoded bytes; a day's worth of polls may cost the budget. Seconds
/// between two of them (R30).
pub fn plain_every(decoded: u64, settings: &PollSettings) -> u32 {
    let share = decoded as f64 / settings.byte_budget.max(1) as f64;
    let secs = ((DAY as f64 * share) as i64).clamp(span(settings.min).min(DAY), DAY);
    to_u32(secs)
}

/// `first` doubled `times` times, held inside a week's reach.
pub(super) fn doubled(first: i64, times: u32) -> i64 {
    first.saturating_mul(1 << times.min(30))
}

/// R29: uniform from 0 to a tenth of the span or half an hour, whichever is less. The bound is set first: cut off afterwards,
/// half of the feeds with a long interval would come in the same second.
fn jitter(span_secs: i64, chance: f64, settings: &PollSettings) -> i64 {
    let share = f64::from(settings.jitter_percent.min(100)) / 100.0;
    let most = (span_secs as f64 * share).min(span(settings.jitter_max) as f64);
    (most * chance) as i64
}

/// Out of `skipHours` and `skipDays`: the first allowed hour, and a random part of it (R42).
pub(super) fn skip(next: Timestamp, hints: &Hints, chance: f64) -> Timestamp {
    let hours = if hints.skip_hours & 0xff_ffff == 0xff_ffff {
        0
    } else {
        hints.skip_hours
    };
    let days = if hints.skip_days & 0x7f == 0x7f {
        0
    } else {
        hints.skip_days
    };
    let skipped = |hour: i64| {
        // 1970-01-01 was a Thursday; Monday is day 0.
        let day = (hour.div_euclid(24) + 3).rem_euclid(7);
        hours & (1 << hour.rem_euclid(24)) != 0 || days & (1 << day) != 0
    };
    let first = next.0.div_euclid(HOUR);
    if !skipped(first) {
        return next;
    }
    (first + 1..first + 24 * 9)
        .find(|hour| !skipped(*hour))
        .map_or(next, |hour| {
            Timestamp(hour * HOUR + ((HOUR - 1) as f64 * chance) as i64)
        })
}

/// How far ahead a `next` of that rule can lie; one further ahead by more than a day is an error of the clock (R48).
pub fn cap(why: Why, settings: &PollSettings) -> i64 {
    let longest = settings
        .max
        .max(settings.active_max)
        .max(settings.base)
        .max(settings.min);
    let hint = span(settings.hint_max);
    match why {
        Why::Errors { .. } | Why::User(_) | Why::Twin => WEEK,
        Why::MaxAge(_) | Why::Expires(_) | Why::Ttl(_) | Why::UpdatePeriod(_) => hint,
        Why::HostHold => longest_hold(settings),
        Why::Push(_) => DAY,
        // Any other rule, then over at most a week of skipped days.
        Why::Skip => longest_hold(settings).max(WEEK).max(hint) + WEEK + DAY,
        _ => span(longest).clamp(DAY, WEEK),
    }
}

/// No hold of any kind is longer, doubled ones included.
pub(super) fn longest_hold(settings: &PollSettings) -> i64 {
    span(
        settings
            .retry_after_max
            .max(settings.hold_max)
            .max(settings.hold_min),
    )
}

/// The stored time of the next poll, unless it is further ahead than its rule can have put it (R48).
pub fn believable(
    schedule: &Schedule,
    now: Timestamp,
    settings: &PollSettings,
) -> Option<Timestamp> {
    let most = cap(schedule.why, settings) + DAY;
    schedule.next.filter(|next| next.since(now) <= most)
}

/// Newest date and median gap in seconds of the last 20 distinct dates that are not in the future (R82).
pub fn rhythm(dates: &[Timestamp], now: Timestamp) -> (Option<Timestamp>, Option<u32>) {
    let mut past: Vec<Timestamp> = dates.iter().copied().filter(|date| *date <= now).collect();
    past.sort_unstable_by(|a, b| b.cmp(a));
    past.dedup();
    past.truncate(DATES);
    let newest = past.first().copied();
    if past.len() < DATES_MIN {
        return (newest, None);
    }
    let mut gaps: Vec<i64> = past.windows(2).map(|pair| pair[0].since(pair[1])).collect();
    gaps.sort_unstable();
    let middle = gaps.len() / 2;
    let median = if gaps.len() % 2 == 1 {
        gaps[middle]
    } else {
        i64::midpoint(gaps[middle - 1], gaps[middle])
    };
    (newest, Some(to_u32(median)))
}

/// Whole seconds of a span, never negative.
pub(super) fn span(duration: Duration) -> i64 {
    i64::try_from(duration.as_secs())
        .unwrap_or(i64::MAX)
        .min(WEEK * 100)
}

pub(super) fn to_u32(secs: i64) -> u32 {
    u32::try_from(secs.max(0)).unwrap_or(u32::MAX)
}
