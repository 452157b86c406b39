//! Points in time as whole seconds, UTC. Local time exists only on the screen and in `date:` queries.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat};
use serde::{Deserialize, Serialize};

/// Seconds since 1970-01-01T00:00:00Z; may be negative.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The moment `seconds` after this one, held inside the range of `i64`.
    #[must_use]
    pub const fn plus(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds))
    }

    /// The moment `span` after this one; parts of a second are cut.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        self.plus(i64::try_from(span.as_secs()).unwrap_or(i64::MAX))
    }

    /// Seconds from `earlier` to this moment; negative when `earlier` is later.
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// RFC 3339 in UTC with `Z`, the form of every interface: `2026-11-30T13:57:23Z`.
    /// A moment outside the years that chrono can name is held at its edge.
    pub fn rfc3339(self) -> String {
        self.datetime().to_rfc3339_opts(SecondsFormat::Secs, true)
    }

    /// The same moment as chrono has it.
    pub fn datetime(self) -> DateTime<chrono::Utc> {
        // Year 1 to 9999: what RFC 3339 can write.
        let bounded = self.0.clamp(-62_135_596_800, 253_402_300_799);
        DateTime::from_timestamp(bounded, 0).unwrap_or_default()
    }

    /// Days since 1970-01-01 in UTC, the row of the day counters.
    pub fn day(self) -> u32 {
        u32::try_from(self.0.div_euclid(86_400)).unwrap_or(0)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rfc3339())
    }
}

/// A moment, and where the days of whoever asks begin: what `age:` and `date:` of a query hang on.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// The time.
    pub now: Timestamp,
    /// When a local day begins; days are counted from 1970-01-01.
    pub midnight: fn(i64) -> Timestamp,
}

impl Moment {
    /// The local day of `now`.
    pub fn today(self) -> i64 {
        let near = self.now.0.div_euclid(86_400);
        // No zone is more than a day away from UTC.
        let mut days = [near + 1, near, near - 1].into_iter();
        days.find(|day| (self.midnight)(*day) <= self.now)
            .unwrap_or(near - 1)
    }
}

impl From<Timestamp> for Moment {
    /// With days that begin in UTC.
    fn from(now: Timestamp) -> Self {
        Self {
            now,
            midnight: |day| Timestamp(day.saturating_mul(86_400)),
        }
    }
}

/// Where the engine gets its time from: the system's clock in the product, a fixed one in a unit test.
pub type Clock = fn() -> Timestamp;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_is_written_in_utc_with_a_z() {
        assert_eq!(Timestamp(0).rfc3339(), "1970-01-01T00:00:00Z");
        assert_eq!(Timestamp(1_796_047_043).rfc3339(), "2026-11-30T13:57:23Z");
    }

    #[test]
    fn a_moment_that_cannot_be_named_is_held_at_the_edge() {
        assert_eq!(Timestamp(i64::MAX).rfc3339(), "9999-12-31T23:59:59Z");
        assert_eq!(Timestamp(i64::MIN).rfc3339(), "0001-01-01T00:00:00Z");
    }
}
