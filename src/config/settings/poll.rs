//! `[poll]`: when feeds are asked.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::super::reader::Key;
use super::{DAY, HOUR, MINUTE, WEEK, set};
use crate::model::PollSettings;

/// What an interval of polling may be.
const INTERVAL: RangeInclusive<Duration> = MINUTE..=WEEK;

/// `[poll]`.
pub(super) const KEYS: &[Key<PollSettings>] = &[
    Key::new("base", |s, v| set(&mut s.base, v.duration(INTERVAL))),
    Key::new("min", |s, v| set(&mut s.min, v.duration(INTERVAL))),
    Key::new("active_max", |s, v| {
        set(&mut s.active_max, v.duration(INTERVAL))
    }),
    Key::new("max", |s, v| set(&mut s.max, v.duration(INTERVAL))),
    Key::new("jitter_percent", |s, v| {
        set(&mut s.jitter_percent, v.count(0..=50))
    }),
    Key::new("jitter_max", |s, v| {
        set(&mut s.jitter_max, v.duration(Duration::ZERO..=DAY))
    }),
    Key::new("hint_max", |s, v| {
        set(&mut s.hint_max, v.duration(Duration::ZERO..=WEEK))
    }),
    Key::new("error_first", |s, v| {
        set(&mut s.error_first, v.duration(INTERVAL))
    }),
    Key::new("error_max", |s, v| {
        set(&mut s.error_max, v.duration(INTERVAL))
    }),
    Key::new("hold_first", |s, v| {
        set(&mut s.hold_first, v.duration(INTERVAL))
    }),
    Key::new("hold_max", |s, v| {
        set(&mut s.hold_max, v.duration(INTERVAL))
    }),
    Key::new("hold_min", |s, v| {
        set(&mut s.hold_min, v.duration(INTERVAL))
    }),
    Key::new("retry_after_max", |s, v| {
        set(&mut s.retry_after_max, v.duration(HOUR..=WEEK * 8))
    }),
    Key::new("debounce", |s, v| {
        set(&mut s.debounce, v.duration(Duration::ZERO..=HOUR))
    }),
    Key::new("byte_budget", |s, v| {
        set(&mut s.byte_budget, v.size(1024..=1 << 40))
    }),
    Key::new("move_after", |s, v| {
        set(&mut s.move_after, v.count(2..=1_000))
    }),
    Key::new("move_min_age", |s, v| {
        set(&mut s.move_min_age, v.duration(Duration::ZERO..=DAY * 365))
    }),
    Key::new("useless_after", |s, v| {
        set(&mut s.useless_after, v.count(2..=1_000))
    }),
    Key::new("retry_validators_after", |s, v| {
        set(&mut s.retry_validators_after, v.count(1..=1_000))
    }),
    Key::new("lock_wait", |s, v| {
        set(&mut s.lock_wait, v.duration(Duration::ZERO..=HOUR))
    }),
];
