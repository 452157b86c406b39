//! What a person sees of pushes by hubs (WebSub), and how they are set up.

use std::net::SocketAddr;

use super::time::Timestamp;

/// `[push]`: where hubs reach tidings. Without it no hub is ever asked (R78).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushSettings {
    /// The address that hubs are told: https, or http to this very machine.
    pub callback: String,
    /// Where tidings listens for what comes in there.
    pub listen: SocketAddr,
}

/// How the subscription of a feed at its hub stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushState {
    /// The hub is not asked: pushes are not set up, or not wanted of this feed, or nobody has listened since it named a hub.
    Off,
    /// It will be asked, at this time where one is set.
    Waiting(Option<Timestamp>),
    /// It was asked then, and has not verified yet.
    Pending(Timestamp),
    /// It pushes, and has promised to until then.
    Active {
        /// The end of the lease.
        until: Timestamp,
        /// The hub is asked again then.
        renew: Timestamp,
    },
    /// It said no, then, with these words.
    Denied(Timestamp, String),
    /// The lease ran out at this time, and is not renewed.
    Lapsed(Timestamp),
    /// The feed is no longer wanted: the hub is told.
    Leaving,
}

impl PushState {
    /// One word, for JSON.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Waiting(_) => "waiting",
            Self::Pending(_) => "pending",
            Self::Active { .. } => "active",
            Self::Denied(..) => "denied",
            Self::Lapsed(_) => "lapsed",
            Self::Leaving => "leaving",
        }
    }
}

/// A feed that names a hub, or is subscribed at one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushRow {
    /// The URL of the feed as in feeds.toml, userinfo included: mask it before it is shown.
    pub url: String,
    /// Its title.
    pub title: String,
    /// The hub that is asked, or the first that the feed names.
    pub hub: String,
    /// What the hub is asked for.
    pub topic: String,
    /// How it stands.
    pub state: PushState,
    /// Deliveries are signed.
    pub signed: bool,
    /// When the last delivery was accepted.
    pub delivered: Option<Timestamp>,
    /// Deliveries that were accepted.
    pub deliveries: u64,
    /// Deliveries that were refused.
    pub refused: u64,
    /// Of the last delivery with entries: seconds from the newest entry's own date to its coming.
    pub latency: Option<i64>,
}
