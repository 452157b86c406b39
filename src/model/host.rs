//! What is known of a host: holds, the last start, what its feeds' validators are worth.

use serde::{Deserialize, Serialize};

use super::time::Timestamp;
use super::validators::Validators;

/// Lower-case host and port, e.g. `example.org:443`: what a lane and a hold belong to (R39).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct HostKey(pub String);

impl HostKey {
    /// The host of an http or https URL; `None` for anything else.
    pub fn of(url: &url::Url) -> Option<Self> {
        let host = url.host_str()?.to_ascii_lowercase();
        let port = url.port_or_known_default()?;
        Some(Self(format!("{host}:{port}")))
    }

    /// The host of a URL in text form. A file and a command have a lane of their own each, named like the source.
    pub fn of_str(url: &str) -> Option<Self> {
        if url.starts_with("file:") || url.starts_with("exec:") {
            return Some(Self(url.to_owned()));
        }
        Self::of(&url::Url::parse(url).ok()?)
    }
}

/// What is remembered of a machine that was found to be offline (R44).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offline {
    /// When the next probe may be sent.
    pub until: Timestamp,
    /// Probes planned so far: each doubles the wait.
    pub probes: u32,
}

/// The record of one host.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HostState {
    /// No request before then (R36–R40).
    pub hold_until: Option<Timestamp>,
    /// When the hold was set: a hold further ahead than its cap allows is an error of the clock (R48).
    pub hold_since: Option<Timestamp>,
    /// 429 answers without a readable `Retry-After` in a row (R38).
    pub throttled: u32,
    /// How long the last hold was, in seconds: a renewed 429 after a lift at least doubles it (R47).
    pub last_hold_secs: u32,
    /// Start of the last request, milliseconds since 1970 (R71).
    pub last_start_ms: i64,
    /// `Crawl-delay` in milliseconds, when one is obeyed; 0 for none (R73).
    pub crawl_delay_ms: u32,
    /// The last reading of its robots.txt.
    pub robots: Robots,
    /// Conditional requests answered 200 with identical content (R19).
    pub identical: u32,
    /// Answers 304.
    pub not_modified: u32,
    /// Feeds with enough conditional requests to be judged (R19).
    pub judged: u32,
    /// Of them those whose validators are useless (R19).
    pub useless: u32,
    /// Conditional requests of the judged feeds together (R19).
    pub attempts: u32,
    /// The first start of the hour that the budget counts (R72).
    pub hour_began: Timestamp,
    /// Starts in that hour.
    pub hour_starts: u32,
}

/// The last reading of a host's robots.txt (R73).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Robots {
    /// When it was asked for, whatever came of it; `None`: never.
    pub at: Option<Timestamp>,
    /// Its validators; none where there is no such file.
    pub validators: Validators,
}
