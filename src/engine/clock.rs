//! The only place that reads a clock. Everything below gets the time as an argument.

use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{Local, NaiveDate, NaiveTime, TimeZone};

use crate::model::{Moment, Timestamp};

/// Milliseconds since 1970, UTC.
pub fn now_ms() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Seconds since 1970, UTC.
pub fn now() -> Timestamp {
    Timestamp(now_ms().div_euclid(1000))
}

/// This moment, with the days of this machine's zone.
pub fn moment() -> Moment {
    Moment {
        now: now(),
        midnight,
    }
}

/// When the local day begins that is so many days after 1970-01-01; where the clocks are put forward at midnight, an hour later.
fn midnight(day: i64) -> Timestamp {
    let utc = Timestamp(day.saturating_mul(86_400));
    let date = i32::try_from(day.saturating_add(719_163))
        .ok()
        .and_then(NaiveDate::from_num_days_from_ce_opt);
    let Some(date) = date else { return utc };
    let hours = (0..3).filter_map(|hour| NaiveTime::from_hms_opt(hour, 0, 0));
    let mut begins =
        hours.filter_map(|time| Local.from_local_datetime(&date.and_time(time)).earliest());
    begins.next().map_or(utc, |at| Timestamp(at.timestamp()))
}
