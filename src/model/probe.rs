//! A probe: how well a server does conditional requests, found out with four of them at most.

use super::time::Timestamp;
use super::validators::{Validators, ValidatorsChoice};

/// What a body held, as far as two of them can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Content {
    /// SHA-256 of the decoded body.
    pub body: [u8; 32],
    /// Hash of the entries in canonical form.
    pub entries: [u8; 32],
}

impl Content {
    /// A reader sees no difference (R16, R17).
    pub fn is_same(&self, other: &Self) -> bool {
        self.body == other.body || self.entries == other.entries
    }
}

/// One request of a probe and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shot {
    /// When it was sent.
    pub at: Timestamp,
    /// The URL; userinfo included.
    pub url: String,
    /// The validators it carried.
    pub sent: Validators,
    /// The status; 0 when nothing answered.
    pub status: u16,
    /// The validators of the answer.
    pub got: Validators,
    /// What the body held, when it was a feed.
    pub content: Option<Content>,
    /// The answer holds its host: 429, or `Retry-After`; until then.
    pub wait_until: Option<Timestamp>,
    /// Where a redirect leads.
    pub location: Option<String>,
    /// Seconds that `max-age` or `Expires` keep it fresh, `Age` taken off; `None` when the answer does not say.
    pub fresh_secs: Option<u32>,
    /// `Cache-Control`, `Expires`, `Age` as received, one line each.
    pub freshness: Vec<String>,
    /// `Content-Encoding`.
    pub coding: Option<String>,
    /// What names a proxy or cache between: `Via`, `X-Cache`, `CF-Cache-Status`, one line each.
    pub between: Vec<String>,
    /// Body bytes on the wire.
    pub wire: u64,
    /// Decoded body bytes.
    pub decoded: u64,
    /// Milliseconds from start to end.
    pub ms: u32,
    /// Why it brought nothing that can be judged: an error of the network, a status, a body that is no feed.
    pub error: Option<String>,
}

impl Shot {
    /// It carried no validator.
    pub const fn is_plain(&self) -> bool {
        self.sent.is_empty()
    }
}

/// Why a probe sent no more requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeEnd {
    /// Everything was asked that there is to ask.
    Done,
    /// The host is held, or the answer held it: nothing before that time (R36, R47).
    Held(Timestamp),
    /// The hourly budget of the host is spent (R72).
    Spent(Timestamp),
    /// It redirects, and another plain request would have been one too many.
    Redirect(String),
    /// The answer is an error, or no feed.
    Failed(String),
}

/// Whether a server answered 304 where it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Honour {
    /// It did.
    Yes,
    /// It sent the same content over again.
    No,
    /// It was not asked, or the content had changed meanwhile.
    #[default]
    Unknown,
}

/// The whole in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grade {
    /// Whatever validators it gives work.
    Good,
    /// Some of them work.
    Partly,
    /// It gives validators, and none works.
    Useless,
    /// It gives no validators.
    NoValidators,
    /// It says 304 although its content is another.
    Lies,
    /// Not enough was learned.
    Unknown,
}

impl Grade {
    /// The word of the JSON interface.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Partly => "partly",
            Self::Useless => "useless",
            Self::NoValidators => "no_validators",
            Self::Lies => "lies",
            Self::Unknown => "unknown",
        }
    }
}

/// What a probe found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict304 {
    /// In one word.
    pub grade: Grade,
    /// The server gives an `ETag`; `None` when nothing can be said.
    pub gives_etag: Option<bool>,
    /// Likewise `Last-Modified`.
    pub gives_date: Option<bool>,
    /// Both together were honoured.
    pub both: Honour,
    /// `If-None-Match` alone was.
    pub etag: Honour,
    /// `If-Modified-Since` alone was.
    pub date: Honour,
    /// The `ETag` changes although the content does not.
    pub etag_moves: Option<bool>,
    /// Likewise `Last-Modified`.
    pub date_moves: Option<bool>,
    /// What compression or a proxy seems to have done to the validators, a clause each.
    pub altered: Vec<String>,
    /// How long answers stay fresh, seconds; `None` when no answer says.
    pub fresh_secs: Option<u32>,
    /// How bodies are packed; `None` when none came, or it was not packed.
    pub coding: Option<String>,
    /// A body came, so that `coding` says something.
    pub saw_body: bool,
    /// The setting `validators` of this feed that would serve better than `auto` does at the start.
    pub setting: Option<ValidatorsChoice>,
    /// All of it in sentences.
    pub sentences: Vec<String>,
}

/// A probe and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeReport {
    /// The URL as given, or as in feeds.toml; userinfo included.
    pub url: String,
    /// It is subscribed, and its audit has the requests.
    pub subscribed: bool,
    /// The requests in order.
    pub shots: Vec<Shot>,
    /// Why there were no more.
    pub end: ProbeEnd,
    /// What they showed.
    pub verdict: Verdict304,
}
