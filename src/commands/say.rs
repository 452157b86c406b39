//! Words for people: standard error, times, counts, URLs. No control character passes.

use std::io::{self, Write};

use crate::article::sanitize;
use crate::config;
pub(super) use crate::headless::{NO_FEEDS, local};
use crate::model::Timestamp;
pub(super) use crate::model::bytes;

/// A sentence on standard error. A sentence may have lines to paste below it. Nobody is told when standard error is gone.
pub(super) fn say(sentence: &str) {
    let line = format!("tidings: {}\n", sanitize::text(sentence));
    let _ = io::stderr().write_all(line.as_bytes());
}

/// The present moment.
pub(super) fn now() -> Timestamp {
    Timestamp(chrono::Utc::now().timestamp())
}

/// How far away a moment is: `in 2 h`, `now`, `3 d ago`.
pub(super) fn away(at: Timestamp, now: Timestamp) -> String {
    let secs = at.since(now);
    let span = span(secs.unsigned_abs());
    match secs {
        60.. => format!("in {span}"),
        ..=-60 => format!("{span} ago"),
        _ => "now".to_owned(),
    }
}

/// Rounded to the nearest unit.
fn span(secs: u64) -> String {
    let (unit, name) = match secs {
        0..60 => (1, "s"),
        60..5_400 => (60, "min"),
        5_400..172_800 => (3_600, "h"),
        _ => (86_400, "d"),
    };
    format!("{} {name}", (secs + unit / 2) / unit)
}

/// `1 feed`, `2 feeds`. `many` is the plural.
pub(super) fn count(n: u64, one: &str, many: &str) -> String {
    let word = if n == 1 { one } else { many };
    format!("{n} {word}")
}

/// A URL as it may be shown.
pub(super) fn shown(url: &str) -> String {
    sanitize::line(&config::masked(url))
}

/// What a feed is called: its title, else its URL.
pub(super) fn name(title: &str, url: &str) -> String {
    let title = sanitize::line(title);
    if title.is_empty() { shown(url) } else { title }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_told_by_its_distance() {
        let now = Timestamp(1_000_000);
        for (secs, text) in [
            (0, "now"),
            (59, "now"),
            (60, "in 1 min"),
            (-59, "now"),
            (-120, "2 min ago"),
            (5_399, "in 90 min"),
            (7_190, "in 2 h"),
            (7_200, "in 2 h"),
            (-400_000, "5 d ago"),
        ] {
            assert_eq!(away(now.plus(secs), now), text, "{secs}");
        }
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!(count(1, "entry", "entries"), "1 entry");
        assert_eq!(count(0, "entry", "entries"), "0 entries");
    }
}
