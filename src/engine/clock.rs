//! The only place that reads a clock. Everything below gets the time as an argument.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::model::Timestamp;

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
