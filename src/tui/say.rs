//! Figures as a person reads them: ages, times, countdowns, sizes, counts, and the rule behind a schedule.

use chrono::{Datelike, NaiveDate, NaiveDateTime, Timelike};

pub use crate::model::bytes;
use crate::model::{FeedRow, Off, Outcome, Timestamp, ValidatorsChoice, Why, human};

/// Turns a moment into the wall clock of whoever looks at the screen.
pub type Zone = fn(Timestamp) -> NaiveDateTime;

/// The zone of this machine.
pub fn local(at: Timestamp) -> NaiveDateTime {
    at.datetime().with_timezone(&chrono::Local).naive_local()
}

/// UTC, for tests and pictures.
pub fn utc(at: Timestamp) -> NaiveDateTime {
    at.datetime().naive_utc()
}

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// How long ago, in at most six columns: `now`, `12 min`, `2 h`, `3 d`, `5 w`, `7 mo`, `2 y`.
pub fn age(at: Timestamp, now: Timestamp) -> String {
    let seconds = now.since(at);
    match seconds {
        _ if seconds < MINUTE => "now".to_owned(),
        _ if seconds < HOUR => format!("{} min", seconds / MINUTE),
        _ if seconds < DAY => format!("{} h", seconds / HOUR),
        _ if seconds < 14 * DAY => format!("{} d", seconds / DAY),
        _ if seconds < 60 * DAY => format!("{} w", seconds / (7 * DAY)),
        _ if seconds < 365 * DAY => format!("{} mo", seconds / (30 * DAY)),
        _ => format!("{} y", (seconds / (365 * DAY)).min(999)),
    }
}

/// Seconds until the text of `age` changes; `None` when that is too far off to wait for.
pub fn age_changes_in(at: Timestamp, now: Timestamp) -> Option<u64> {
    let seconds = now.since(at);
    match seconds {
        ..0 => Some(seconds.unsigned_abs().saturating_add(60)),
        0..HOUR => Some((MINUTE - seconds % MINUTE).unsigned_abs()),
        _ => None,
    }
}

/// A span of whole seconds in its two largest units: `45 s`, `12 m 5 s`, `3 h 5 m`, `2 d 3 h`.
pub fn span(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let (large, small, units) = match seconds {
        _ if seconds < MINUTE => return format!("{seconds} s"),
        _ if seconds < HOUR => (seconds / MINUTE, seconds % MINUTE, ("m", "s")),
        _ if seconds < DAY => (seconds / HOUR, seconds % HOUR / MINUTE, ("h", "m")),
        _ => (seconds / DAY, seconds % DAY / HOUR, ("d", "h")),
    };
    if small == 0 {
        format!("{large} {}", units.0)
    } else {
        format!("{large} {} {small} {}", units.0, units.1)
    }
}

/// The time left until `at`, or `due`.
pub fn countdown(at: Timestamp, now: Timestamp) -> String {
    match at.since(now) {
        ..=0 => "due".to_owned(),
        left => span(left),
    }
}

/// Time of the day today, the weekday before it within a week, else the date: at most nine columns.
pub fn moment(at: Timestamp, now: Timestamp, zone: Zone) -> String {
    let (then, today) = (zone(at), zone(now));
    let days = (then.date() - today.date()).num_days();
    match days {
        0 => then.format("%H:%M").to_string(),
        -6..=6 => then.format("%a %H:%M").to_string(),
        _ if then.year() == today.year() => then.format("%-d %b").to_string(),
        _ => then.format("%-d %b %y").to_string(),
    }
}

/// Date and time in full: `28 Nov 2026, 14:03`.
pub fn date(at: Timestamp, zone: Zone) -> String {
    zone(at).format("%-d %b %Y, %H:%M").to_string()
}

/// A day as a heading: `Today`, `Yesterday`, `Monday 24 November`, with the year where it is another one.
pub fn day(day: NaiveDate, today: NaiveDate) -> String {
    match (today - day).num_days() {
        0 => "Today".to_owned(),
        1 => "Yesterday".to_owned(),
        _ if day.year() == today.year() => day.format("%A %-d %B").to_string(),
        _ => day.format("%A %-d %B %Y").to_string(),
    }
}

/// Seconds until the clock of `zone` says another day.
pub fn day_changes_in(now: Timestamp, zone: Zone) -> u64 {
    u64::from(86_400 - zone(now).num_seconds_from_midnight())
}

/// A count with its thousands parted: `12,345`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 entry`, `2 entries`: the count and the right one of two words.
pub fn many(number: u64, one: &str, more: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { more })
}

/// The share as whole percent; a share that is not quite all never reads 100 %.
pub fn percent(share: f64) -> String {
    let whole = (share * 100.0).round();
    if whole >= 100.0 && share < 1.0 {
        "99 %".to_owned()
    } else {
        format!("{whole:.0} %")
    }
}

/// The rule that set the next poll where there is little room; `Display` of `Why` says it in full.
pub fn rule(why: Why) -> String {
    let of = human;
    match why {
        Why::First => "never asked".to_owned(),
        Why::Base(secs) => format!("base {}", of(secs)),
        Why::Rhythm(secs) => format!("rhythm {}", of(secs)),
        Why::Dormant(secs) => format!("dormant {}", of(secs)),
        Why::Streak { unchanged, .. } => format!("unchanged ×{unchanged}"),
        Why::User(secs) => format!("every {}", of(secs)),
        Why::MaxAge(secs) => format!("max-age {}", of(secs)),
        Why::Expires(secs) => format!("Expires {}", of(secs)),
        Why::Ttl(secs) => format!("ttl {}", of(secs)),
        Why::UpdatePeriod(secs) => format!("period {}", of(secs)),
        Why::Skip => "skip hours".to_owned(),
        Why::Bytes(secs) => format!("bytes {}", of(secs)),
        Why::Errors { failures, secs } => format!("error ×{failures} {}", of(secs)),
        Why::HostHold => "host's hold".to_owned(),
        Why::Budget => "host's budget".to_owned(),
        Why::Offline => "offline".to_owned(),
        Why::Gone => "gone (410)".to_owned(),
        Why::Dead => "dead (404)".to_owned(),
        Why::Twin => "same as another".to_owned(),
        Why::Push(secs) => format!("pushed {}", of(secs)),
    }
}

/// What a feed is called: its title, else its address.
pub fn name(row: &FeedRow) -> String {
    if row.feed.title.is_empty() {
        address(&row.feed.url)
    } else {
        row.feed.title.clone()
    }
}

/// A URL for the eye: without scheme and without credentials.
pub fn address(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let host_from = rest[..end].rfind('@').map_or(0, |at| at + 1);
    rest[host_from..].trim_end_matches('/').to_owned()
}

/// What came of the last request, in a few words.
pub fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::NotModified => "unchanged".to_owned(),
        Outcome::Unchanged => "identical".to_owned(),
        Outcome::Changed { new: 0, updated } => format!("{updated} updated"),
        Outcome::Changed { new, .. } => format!("{new} new"),
        Outcome::Deferred { .. } => "told to wait".to_owned(),
        Outcome::Gone => "gone".to_owned(),
        Outcome::Failed(error) => error.to_string(),
    }
}

/// What the next request will carry: `both`, `etag`, `date`, `none`.
pub fn validators(row: &FeedRow) -> &'static str {
    let sent = row.mode.pick(&row.validators);
    match (sent.etag.is_some(), sent.last_modified.is_some()) {
        (true, true) => "both",
        (true, false) => "etag",
        (false, true) => "date",
        (false, false) => "none",
    }
}

/// Why validators are not sent, or which part of them alone; `None` where all that are known go out.
pub fn mode(mode: ValidatorsChoice) -> Option<&'static str> {
    match mode {
        ValidatorsChoice::Auto | ValidatorsChoice::Both => None,
        ValidatorsChoice::Etag => Some("the ETag alone"),
        ValidatorsChoice::LastModified => Some("the date alone"),
        ValidatorsChoice::None => Some("none: they proved useless here, or feeds.toml says so"),
    }
}

/// What is wrong with a feed, and how much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Its last polls failed.
    Failing,
    /// Its host asked to wait.
    Held,
    /// It is not polled any more.
    Off,
    /// It moved for good, and feeds.toml does not say so.
    Moved,
}

/// What is wrong with this feed at `now`, the worst first.
pub fn trouble(row: &FeedRow, now: Timestamp) -> Option<Trouble> {
    if row.off.is_some() {
        Some(Trouble::Off)
    } else if row.schedule.failures > 0 {
        Some(Trouble::Failing)
    } else if row.hold_until.is_some_and(|until| until > now) {
        Some(Trouble::Held)
    } else if row.moved.is_some() {
        Some(Trouble::Moved)
    } else {
        None
    }
}

/// The same as a sentence.
pub fn trouble_text(row: &FeedRow, now: Timestamp, zone: Zone) -> Option<String> {
    Some(match trouble(row, now)? {
        Trouble::Off => match row.off {
            Some(Off::Dead) => "dead: 404 for weeks, no longer asked (:enable asks again)",
            _ => "gone: the server said 410, no longer asked (:enable asks again)",
        }
        .to_owned(),
        Trouble::Failing => {
            let what = row
                .last
                .as_ref()
                .map_or_else(|| "failing".to_owned(), |last| outcome(&last.outcome));
            match row.schedule.next {
                Some(next) => format!("{what}; next try {}", moment(next, now, zone)),
                None => what,
            }
        }
        Trouble::Moved => {
            let to = row.moved.as_ref().map(|moved| address(&moved.to));
            format!(
                "moved to {}; :adopt-move writes that into feeds.toml",
                to.unwrap_or_default()
            )
        }
        Trouble::Held => match row.hold_until {
            Some(until) => format!(
                "{} asked to wait until {}",
                row.host,
                moment(until, now, zone)
            ),
            None => String::new(),
        },
    })
}

/// What there is to know of a feed that its list does not name any more.
pub fn listed(row: &FeedRow) -> Option<String> {
    let followed = row.followed.as_ref()?;
    let parked = followed.parked?;
    Some(format!(
        "parked: “{}” does not name it any more; dropped when that lasts {} longer",
        followed.name,
        human(parked.left)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_fits_six_columns() {
        let now = Timestamp(2_000_000_000);
        for (seconds, text) in [
            (-5, "now"),
            (59, "now"),
            (60, "1 min"),
            (3599, "59 min"),
            (7200, "2 h"),
            (DAY, "1 d"),
            (13 * DAY, "13 d"),
            (20 * DAY, "2 w"),
            (90 * DAY, "3 mo"),
            (800 * DAY, "2 y"),
            (i64::MAX, "999 y"),
        ] {
            let text_now = age(now.plus(-seconds), now);
            assert_eq!(text_now, text, "{seconds}");
            assert!(text_now.len() <= 6, "{text_now}");
        }
    }

    #[test]
    fn a_span_names_its_two_largest_units() {
        for (seconds, text) in [
            (-1, "0 s"),
            (45, "45 s"),
            (60, "1 m"),
            (725, "12 m 5 s"),
            (3600, "1 h"),
            (11_100, "3 h 5 m"),
            (2 * DAY + 3 * HOUR, "2 d 3 h"),
        ] {
            assert_eq!(span(seconds), text);
        }
    }

    #[test]
    fn thousands_are_parted() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1000), "1,000");
        assert_eq!(count(1_234_567), "1,234,567");
    }

    #[test]
    fn an_address_shows_no_scheme_and_no_password() {
        for (url, text) in [
            ("https://example.org/feed", "example.org/feed"),
            ("https://me:secret@example.org/", "example.org"),
            ("https://me:s@cret@example.org/a@b", "example.org/a@b"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(address(url), text);
        }
    }

    #[test]
    fn almost_all_is_not_all() {
        assert_eq!(percent(0.999), "99 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.0), "0 %");
    }

    #[test]
    fn a_moment_is_as_short_as_its_distance_allows() {
        let now = Timestamp(1_796_047_043); // Mon 30 Nov 2026, 13:57:23
        for (at, text) in [
            (now.plus(60), "13:58"),
            (now.plus(DAY), "Tue 13:57"),
            (now.plus(10 * DAY), "10 Dec"),
            (now.plus(100 * DAY), "10 Mar 27"),
        ] {
            assert_eq!(moment(at, now, utc), text);
        }
    }

    #[test]
    fn a_day_is_named_as_one_speaks_of_it() {
        let date = |year, month, day| NaiveDate::from_ymd_opt(year, month, day).expect("a date");
        let today = date(2026, 11, 30);
        for (at, text) in [
            (today, "Today"),
            (date(2026, 11, 29), "Yesterday"),
            (date(2026, 12, 1), "Tuesday 1 December"),
            (date(2026, 11, 24), "Tuesday 24 November"),
            (date(2025, 12, 31), "Wednesday 31 December 2025"),
        ] {
            assert_eq!(day(at, today), text);
        }
        let now = Timestamp(1_796_047_043); // 13:57:23
        assert_eq!(day_changes_in(now, utc), 10 * 3600 + 2 * 60 + 37);
    }
}
