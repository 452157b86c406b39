//! What the ledger's commands have in common: figures of feeds, of the hosts they lie on, and their columns.

use std::collections::BTreeMap;

use super::feeds::next_poll;
use super::say::bytes;
use super::table::Side;
use crate::model::{Counters, FeedRow, LastAnswer, Timestamp};

/// Share of good answers that were 304, to four places.
pub(super) fn rate(counters: &Counters) -> Option<f64> {
    let rate = counters.hit_rate()?;
    Some((rate * 10_000.0).round() / 10_000.0)
}

/// The feeds of one host.
pub(super) struct Host<'a> {
    name: &'a str,
    rows: Vec<&'a FeedRow>,
    counters: Counters,
}

impl Host<'_> {
    /// Lower-case host and port.
    pub const fn name(&self) -> &str {
        self.name
    }

    /// How many they are.
    pub const fn feeds(&self) -> usize {
        self.rows.len()
    }

    /// What they add up to.
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The feed that is asked next.
    pub fn first(&self) -> Option<&FeedRow> {
        let due = self.rows.iter().filter(|row| next_poll(row).is_some());
        due.min_by_key(|row| next_poll(row)).copied()
    }

    /// The last thing that happened on it.
    pub fn last(&self) -> Option<&LastAnswer> {
        let answers = self.rows.iter().filter_map(|row| row.last.as_ref());
        answers.max_by_key(|last| last.at)
    }

    /// The end of its hold, while it lasts.
    pub fn hold(&self, now: Timestamp) -> Option<Timestamp> {
        self.rows.iter().filter_map(|row| hold(row, now)).max()
    }
}

/// The end of a hold that is in force.
pub(super) fn hold(row: &FeedRow, now: Timestamp) -> Option<Timestamp> {
    row.hold_until.filter(|until| *until > now)
}

/// The feeds by their hosts, in order of their names.
pub(super) fn hosts(rows: &[FeedRow]) -> Vec<Host<'_>> {
    let mut hosts = BTreeMap::<&str, Host<'_>>::new();
    for row in rows {
        let host = hosts.entry(&row.host).or_insert_with(|| Host {
            name: &row.host,
            rows: Vec::new(),
            counters: Counters::default(),
        });
        host.rows.push(row);
        host.counters.add(&row.counters);
    }
    hosts.into_values().collect()
}

/// Which validators the next request carries.
pub(super) fn in_use(row: &FeedRow) -> &'static str {
    let sent = row.mode.pick(&row.validators);
    match (sent.etag, sent.last_modified) {
        (Some(_), Some(_)) => "both",
        (Some(_), None) => "etag",
        (None, Some(_)) => "last-modified",
        (None, None) => "none",
    }
}

/// Header values are bytes: those that are not UTF-8 stand as U+00xx, byte for byte.
pub(super) fn bytes_as_text(value: &[u8]) -> String {
    std::str::from_utf8(value).map_or_else(
        |_| value.iter().map(|byte| char::from(*byte)).collect(),
        str::to_owned,
    )
}

/// The columns of counters.
pub(super) const COUNTED: [(&str, Side); 8] = [
    ("304", Side::Right),
    ("200", Side::Right),
    ("SAME", Side::Right),
    ("ERRORS", Side::Right),
    ("WAIT", Side::Right),
    ("HIT RATE", Side::Right),
    ("BYTES", Side::Right),
    ("SAVED", Side::Right),
];

/// The cells of those columns.
pub(super) fn counted(counters: &Counters) -> Vec<String> {
    let rate = counters
        .hit_rate()
        .map_or_else(|| "-".to_owned(), |rate| format!("{:.0} %", rate * 100.0));
    vec![
        counters.not_modified304.to_string(),
        counters.ok200.to_string(),
        counters.identical200.to_string(),
        counters.errors.to_string(),
        counters.deferred.to_string(),
        rate,
        bytes(counters.bytes),
        bytes(counters.bytes_saved),
    ]
}
