//! When a feed is asked next, and which rule decided it.

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
