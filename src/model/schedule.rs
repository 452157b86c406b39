//! When a feed is asked next, and which rule decided it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::time::Timestamp;

/// The rule that set the next poll, with its figure. Screen, `explain` and JSON print it (`Display`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Why {
    /// Never polled: due at once (R29).
    #[default]
    First,
    /// The base interval (R26), seconds.
    Base(u32),
    /// The rhythm of its entries (R82), seconds.
    Rhythm(u32),
    /// Dormant: nothing new for long (R26), seconds.
    Dormant(u32),
    /// Unchanged answers in a row lengthened the interval (R27).
    Streak {
        /// Unchanged answers in a row.
        unchanged: u32,
        /// The interval that follows, seconds.
        secs: u32,
    },
    /// `every` in feeds.toml, seconds.
    User(u32),
    /// The server's `max-age` (R31), seconds left.
    MaxAge(u32),
    /// The server's `Expires` (R32), seconds left.
    Expires(u32),
    /// The feed's `<ttl>` (R41), seconds.
    Ttl(u32),
    /// The feed's `sy:updatePeriod` (R43), seconds.
    UpdatePeriod(u32),
    /// `skipHours` or `skipDays` (R42).
    Skip,
    /// It cannot be asked conditionally and costs its full size (R30), seconds.
    Bytes(u32),
    /// Errors in a row (R44, R50, R51).
    Errors {
        /// Errors in a row.
        failures: u32,
        /// The back-off, seconds.
        secs: u32,
    },
    /// `Retry-After` or a 429 holds the host (R36–R40).
    HostHold,
    /// The hourly budget of the host is spent (R72).
    Budget,
    /// Nothing answered: this machine is offline (R44).
    Offline,
    /// 410: gone (R49).
    Gone,
    /// 404 for too long: dead (R50).
    Dead,
    /// It moved to an address that another subscribed feed is asked at: one request is enough (R65).
    Twin,
    /// Its hub pushes what is new (R79): one poll as safety net, seconds.
    Push(u32),
}

/// The place of a feed in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Schedule {
    /// The next poll; `None` when polling is off.
    pub next: Option<Timestamp>,
    /// When `next` was computed (R48: a `next` further ahead than its cap allows is an error of the clock).
    pub set_at: Timestamp,
    /// The rule that won.
    pub why: Why,
    /// Unchanged answers in a row (304 or identical 200).
    pub streak: u32,
    /// Errors in a row.
    pub failures: u32,
}

impl Schedule {
    /// The rule and its figure, and what chance added to it (R29).
    pub fn reason(&self) -> String {
        let by_chance = |next: Timestamp| {
            let bound = i64::from(self.why.secs()?);
            let over = next.since(self.set_at.plus(bound));
            (60..=bound).contains(&over).then_some(over)
        };
        match self.next.and_then(by_chance) {
            Some(secs) => format!("{}, and {} by chance", self.why, human(secs as u32)),
            None => self.why.to_string(),
        }
    }
}

impl Why {
    /// The figure of the rule, seconds.
    const fn secs(&self) -> Option<u32> {
        match *self {
            Self::Base(secs)
            | Self::Rhythm(secs)
            | Self::Dormant(secs)
            | Self::Streak { secs, .. }
            | Self::User(secs)
            | Self::MaxAge(secs)
            | Self::Expires(secs)
            | Self::Ttl(secs)
            | Self::UpdatePeriod(secs)
            | Self::Bytes(secs)
            | Self::Push(secs)
            | Self::Errors { secs, .. } => Some(secs),
            Self::First
            | Self::Skip
            | Self::HostHold
            | Self::Budget
            | Self::Offline
            | Self::Gone
            | Self::Dead
            | Self::Twin => None,
        }
    }
}

impl fmt::Display for Why {
    /// A clause for a person: the rule, and its figure behind a comma.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rule, secs) = match *self {
            Self::First => return f.write_str("never polled yet: due at once"),
            Self::Base(secs) => ("base interval", secs),
            Self::Rhythm(secs) => ("rhythm of its entries", secs),
            Self::Dormant(secs) => ("dormant, nothing new for long", secs),
            Self::Streak { unchanged, secs } => {
                return write!(f, "{unchanged} unchanged answers in a row, {}", human(secs));
            }
            Self::User(secs) => ("every in feeds.toml", secs),
            Self::MaxAge(secs) => ("server's max-age", secs),
            Self::Expires(secs) => ("server's Expires", secs),
            Self::Ttl(secs) => ("feed's ttl", secs),
            Self::UpdatePeriod(secs) => ("feed's sy:updatePeriod", secs),
            Self::Skip => return f.write_str("feed's skipHours or skipDays"),
            Self::Push(secs) => ("its hub pushes, polled as a safety net", secs),
            Self::Bytes(secs) => ("no usable validators, byte budget", secs),
            Self::Errors { failures: 1, secs } => return write!(f, "1 error, {}", human(secs)),
            Self::Errors { failures, secs } => {
                return write!(f, "{failures} errors in a row, {}", human(secs));
            }
            Self::HostHold => return f.write_str("host held, it asked to wait"),
            Self::Budget => return f.write_str("hourly budget of the host is spent"),
            Self::Offline => return f.write_str("offline"),
            Self::Gone => return f.write_str("gone, the server said 410"),
            Self::Dead => return f.write_str("dead, 404 for two weeks"),
            Self::Twin => return f.write_str("another feed of yours is asked at the same address"),
        };
        write!(f, "{rule}, {}", human(secs))
    }
}

/// A span for a person, one unit and at most one decimal: `45 s`, `90 min`, `4 h`, `2.5 h`, `2 d`.
pub fn human(secs: u32) -> String {
    let (unit, name) = match secs {
        0..100 => (1, "s"),
        3600 | 6000..172_800 => (3600, "h"),
        100..6000 => (60, "min"),
        _ => (86_400, "d"),
    };
    if unit <= 60 || secs.is_multiple_of(unit) {
        return format!("{} {name}", (secs + unit / 2) / unit);
    }
    let tenths = (u64::from(secs) * 10 + u64::from(unit) / 2) / u64::from(unit);
    if tenths % 10 == 0 {
        format!("{} {name}", tenths / 10)
    } else {
        format!("{}.{} {name}", tenths / 10, tenths % 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_written_in_one_unit() {
        for (secs, text) in [
            (0, "0 s"),
            (59, "59 s"),
            (120, "2 min"),
            (1800, "30 min"),
            (3600, "1 h"),
            (3700, "62 min"),
            (5400, "90 min"),
            (9000, "2.5 h"),
            (14_400, "4 h"),
            (14_401, "4 h"),
            (86_400, "24 h"),
            (172_800, "2 d"),
            (604_800, "7 d"),
            (u32::MAX, "49710.3 d"),
        ] {
            assert_eq!(human(secs), text, "{secs}");
        }
    }

    #[test]
    fn what_chance_added_is_told() {
        let at = |over: i64, why: Why| Schedule {
            next: Some(Timestamp(1000).plus(over)),
            set_at: Timestamp(1000),
            why,
            ..Schedule::default()
        };
        for (schedule, text) in [
            (
                at(21_600, Why::Rhythm(21_600)),
                "rhythm of its entries, 6 h",
            ),
            (
                at(21_600 + 1740, Why::Rhythm(21_600)),
                "rhythm of its entries, 6 h, and 29 min by chance",
            ),
            (at(90, Why::Base(3600)), "base interval, 1 h"),
            (at(9000, Why::HostHold), "host held, it asked to wait"),
            (Schedule::default(), "never polled yet: due at once"),
        ] {
            assert_eq!(schedule.reason(), text);
        }
    }

    #[test]
    fn why_is_a_clause_with_its_figure() {
        for (why, text) in [
            (Why::MaxAge(14_400), "server's max-age, 4 h"),
            (Why::Rhythm(7200), "rhythm of its entries, 2 h"),
            (
                Why::Errors {
                    failures: 3,
                    secs: 7200,
                },
                "3 errors in a row, 2 h",
            ),
            (
                Why::Errors {
                    failures: 1,
                    secs: 1800,
                },
                "1 error, 30 min",
            ),
            (
                Why::Streak {
                    unchanged: 6,
                    secs: 14_400,
                },
                "6 unchanged answers in a row, 4 h",
            ),
            (Why::Offline, "offline"),
        ] {
            assert_eq!(why.to_string(), text);
        }
    }
}
