//! The rows of `hosts`.

use serde::{Deserialize, Serialize};

use super::{Record, seconds, time};
use crate::model::{HostState, Robots, Timestamp, Validators};

/// `hosts`, as it was before robots.txt was read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct HostV1 {
    pub hold_until: Option<i64>,
    pub hold_since: Option<i64>,
    pub throttled: u32,
    pub last_hold_secs: u32,
    pub last_start_ms: i64,
    pub crawl_delay_ms: u32,
    pub identical: u32,
    pub not_modified: u32,
    pub lifted: Option<i64>,
    pub hour_began: i64,
    pub hour_starts: u32,
    pub judged: u32,
    pub useless: u32,
    pub attempts: u32,
}

impl From<HostV1> for HostV2 {
    fn from(old: HostV1) -> Self {
        Self {
            hold_until: old.hold_until,
            hold_since: old.hold_since,
            throttled: old.throttled,
            last_hold_secs: old.last_hold_secs,
            last_start_ms: old.last_start_ms,
            crawl_delay_ms: old.crawl_delay_ms,
            identical: old.identical,
            not_modified: old.not_modified,
            lifted: old.lifted,
            hour_began: old.hour_began,
            hour_starts: old.hour_starts,
            judged: old.judged,
            useless: old.useless,
            attempts: old.attempts,
            ..Self::default()
        }
    }
}

/// `hosts`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct HostV2 {
    pub hold_until: Option<i64>,
    pub hold_since: Option<i64>,
    pub throttled: u32,
    pub last_hold_secs: u32,
    pub last_start_ms: i64,
    pub crawl_delay_ms: u32,
    pub identical: u32,
    pub not_modified: u32,
    /// `hold_since` of the last hold that a person lifted: a poll that began under it must not bring it back.
    pub lifted: Option<i64>,
    pub hour_began: i64,
    pub hour_starts: u32,
    pub judged: u32,
    pub useless: u32,
    pub attempts: u32,
    pub robots_at: Option<i64>,
    pub robots_etag: Option<Vec<u8>>,
    pub robots_modified: Option<Vec<u8>>,
}

impl<'a> Record<'a> for HostV2 {
    const VERSION: u8 = 2;
    const TABLE: &'static str = "hosts";

    fn read(version: u8, bytes: &'a [u8]) -> Option<postcard::Result<Self>> {
        match version {
            1 => Some(postcard::from_bytes::<HostV1>(bytes).map(Self::from)),
            2 => Some(postcard::from_bytes(bytes)),
            _ => None,
        }
    }
}

impl HostV2 {
    pub(crate) fn model(&self) -> HostState {
        HostState {
            hold_until: time(self.hold_until),
            hold_since: time(self.hold_since),
            throttled: self.throttled,
            last_hold_secs: self.last_hold_secs,
            last_start_ms: self.last_start_ms,
            crawl_delay_ms: self.crawl_delay_ms,
            identical: self.identical,
            not_modified: self.not_modified,
            hour_began: Timestamp(self.hour_began),
            hour_starts: self.hour_starts,
            judged: self.judged,
            useless: self.useless,
            attempts: self.attempts,
            robots: Robots {
                at: time(self.robots_at),
                validators: Validators {
                    etag: self.robots_etag.clone(),
                    last_modified: self.robots_modified.clone(),
                },
            },
        }
    }

    /// robots.txt was read: nothing else of the record changes.
    pub(crate) fn read_robots(&mut self, state: &HostState) {
        self.crawl_delay_ms = state.crawl_delay_ms;
        self.robots_at = seconds(state.robots.at);
        self.robots_etag.clone_from(&state.robots.validators.etag);
        self.robots_modified
            .clone_from(&state.robots.validators.last_modified);
    }

    /// Takes over what a poll concluded. A start never goes backwards through a poll that began before it, and a
    /// hold that a person lifted meanwhile stays lifted, until a poll comes that knows of none. A hold set anew within
    /// the second of the old one is told by its length: it at least doubled (R47).
    pub(crate) fn conclude(&mut self, state: &HostState) {
        let held = state.hold_until.is_some();
        let since = state.hold_since.map_or(i64::MIN, |since| since.0);
        let same = state.last_hold_secs == self.last_hold_secs;
        let lifted = held && same && self.lifted.is_some_and(|lifted| since <= lifted);
        *self = Self {
            hold_until: seconds(state.hold_until).filter(|_| !lifted),
            hold_since: seconds(state.hold_since).filter(|_| !lifted),
            throttled: state.throttled,
            last_hold_secs: state.last_hold_secs,
            last_start_ms: state.last_start_ms.max(self.last_start_ms),
            // Not a poll's affair.
            crawl_delay_ms: self.crawl_delay_ms,
            robots_at: self.robots_at,
            robots_etag: self.robots_etag.take(),
            robots_modified: self.robots_modified.take(),
            identical: state.identical,
            not_modified: state.not_modified,
            lifted: self.lifted.filter(|_| lifted),
            // Counted by the starts themselves.
            hour_began: self.hour_began,
            hour_starts: self.hour_starts,
            judged: state.judged,
            useless: state.useless,
            attempts: state.attempts,
        };
    }

    /// Ends the hold; how long it was is kept for the next one.
    pub(crate) fn lift(&mut self) {
        self.lifted = Some(self.hold_since.unwrap_or(i64::MIN));
        self.hold_until = None;
        self.hold_since = None;
    }
}
