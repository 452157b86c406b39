//! What is known of one subscription at a hub.

use url::{Host, Url};

use crate::model::Timestamp;

/// What a request to a hub asks for (WebSub 5.1, `hub.mode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Pushes from now on; also the renewal of a lease.
    Subscribe,
    /// No more pushes.
    Unsubscribe,
}

impl Mode {
    /// As it is sent.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Subscribe => "subscribe",
            Self::Unsubscribe => "unsubscribe",
        }
    }
}

/// How a delivery is signed (WebSub 7.1), weakest first. `sha1` is none of them: it is refused (R79).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// HMAC with SHA-256.
    Sha256,
    /// HMAC with SHA-384.
    Sha384,
    /// HMAC with SHA-512.
    Sha512,
}

impl Method {
    /// As it stands in front of the signature.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
            Self::Sha384 => "sha384",
            Self::Sha512 => "sha512",
        }
    }
}

/// For how long a hub has promised to push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// When it was verified.
    pub since: Timestamp,
    /// Seconds from then, as bounded by tidings: never more than 30 days.
    pub seconds: i64,
}

impl Lease {
    /// When it ends.
    #[must_use]
    pub const fn until(self) -> Timestamp {
        self.since.plus(self.seconds)
    }

    /// When it is renewed: at 80 % (R79).
    #[must_use]
    pub const fn renew_at(self) -> Timestamp {
        self.since.plus(self.seconds / 5 * 4)
    }

    /// Whether it holds at `now`. A lease that begins in the future belongs to a clock that was put back: how much of it is
    /// left cannot be known, so it has lapsed.
    pub const fn holds(self, now: Timestamp) -> bool {
        now.since(self.since) >= -CLOCK_SLACK && now.since(self.until()) < 0
    }
}

/// A clock is put right by so many seconds without anybody noticing.
const CLOCK_SLACK: i64 = 300;

/// A request that the hub has not verified yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pending {
    /// What was asked.
    pub mode: Mode,
    /// When.
    pub asked: Timestamp,
}

/// A verification that was given: hubs whose connection broke ask once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settled {
    /// What was verified.
    pub mode: Mode,
    /// When.
    pub at: Timestamp,
}

/// One subscription: a topic at its hubs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Push {
    /// The topic: what the publisher calls `self`, byte for byte.
    pub topic: String,
    /// The hubs, in the publisher's order; never empty, http or https each.
    pub hubs: Vec<String>,
    /// Which of them is asked.
    pub turn: usize,
    /// Where that one has moved to for good.
    pub moved: Option<String>,
    /// The callback as the hub was told it: a subscription at a hub is this and the topic.
    pub callback: String,
    /// The last part of the callback's path: 32 hexadecimal digits that nobody can guess.
    pub path: String,
    /// What deliveries are signed with: 64 hexadecimal digits, sent to https hubs alone.
    pub secret: String,
    /// The secret went to the hub that is asked: what comes without a signature is not from it.
    pub shared: bool,
    /// The first method that a right signature had.
    pub method: Option<Method>,
    /// Granted and verified.
    pub lease: Option<Lease>,
    /// Asked for and not verified.
    pub pending: Option<Pending>,
    /// The last verification that was given.
    pub settled: Option<Settled>,
    /// The hub's refusal, and when it came: nothing is asked for a week.
    pub denied: Option<(Timestamp, String)>,
    /// The feed is no longer wanted: when that was so first.
    pub leaving: Option<Timestamp>,
    /// Requests that came to nothing since the last success.
    pub failures: u32,
    /// Nothing is asked before.
    pub not_before: Option<Timestamp>,
    /// When the last delivery was accepted.
    pub delivered: Option<Timestamp>,
    /// Deliveries that were accepted.
    pub deliveries: u64,
    /// Deliveries that were refused.
    pub refused: u64,
    /// A delivery said that there is news and did not bring it: the topic is yet to be polled.
    pub owed: bool,
    /// Of the last delivery with entries: seconds from the newest entry's own date to its coming.
    pub latency: Option<i64>,
    /// The first 16 bytes of the SHA-256 of bodies that came lately, oldest first: what is sent again says nothing new.
    pub seen: Vec<[u8; 16]>,
}

impl Push {
    /// A subscription that has not been asked for yet. `None` without a hub. `chance`: bytes that nobody can guess.
    pub fn new(topic: &str, hubs: &[String], chance: &[u8; 48]) -> Option<Self> {
        if hubs.is_empty() || topic.is_empty() {
            return None;
        }
        let (path, secret) = chance.split_at(16);
        Some(Self {
            topic: topic.to_owned(),
            hubs: hubs.to_vec(),
            turn: 0,
            moved: None,
            callback: String::new(),
            path: hex(path),
            secret: hex(secret),
            shared: false,
            method: None,
            lease: None,
            pending: None,
            settled: None,
            denied: None,
            leaving: None,
            failures: 0,
            not_before: None,
            delivered: None,
            deliveries: 0,
            refused: 0,
            owed: false,
            latency: None,
            seen: Vec::new(),
        })
    }

    /// The hub that is asked, where it is now.
    pub fn hub(&self) -> &str {
        self.moved.as_deref().unwrap_or_else(|| self.named())
    }

    /// The same as the publisher names it.
    pub(super) fn named(&self) -> &str {
        self.hubs
            .get(self.turn % self.hubs.len().max(1))
            .map_or("", String::as_str)
    }

    /// What is sent there is not to be read by others: over TLS, or to this very machine.
    pub(super) fn is_private(&self) -> bool {
        is_private(self.hub())
    }

    /// Whether pushes can be relied upon at `now`.
    pub fn is_active(&self, now: Timestamp) -> bool {
        self.leaving.is_none() && self.lease.is_some_and(|lease| lease.holds(now))
    }
}

pub(super) fn is_private(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| {
        let loopback = match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        url.scheme() == "https" || loopback
    })
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(u32::from(digit), 16))
        .collect()
}
