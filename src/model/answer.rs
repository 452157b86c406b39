//! One HTTP answer as the network gave it, before anyone judges it.

use std::time::Duration;

use super::time::Timestamp;

/// Header fields in the order received; names in lower case, values as bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeaderList(pub Vec<(String, Vec<u8>)>);

impl HeaderList {
    /// The first field of that (lower-case) name.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.0
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.as_slice())
    }

    /// Every field of that (lower-case) name, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.0
            .iter()
            .filter(move |(n, _)| n == name)
            .map(|(_, v)| v.as_slice())
    }

    /// The first field of that name as text; bytes that are not UTF-8 become U+FFFD.
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name)
            .map(|v| String::from_utf8_lossy(v).into_owned())
    }
}

/// The answer of one request to one URL. A redirect is an answer like any other: hops are followed by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The URL that was asked, fragment excluded.
    pub url: String,
    /// The status code.
    pub status: u16,
    /// What was sent, for the audit; `authorization` is masked.
    pub sent: HeaderList,
    /// What came back.
    pub headers: HeaderList,
    /// The body, complete and decoded. Empty for a 304, a redirect and other answers without use of one; of an error it is the
    /// beginning, as far as it came soon.
    pub body: Body,
    /// When the headers arrived.
    pub at: Timestamp,
    /// From the first byte sent to the last byte read.
    pub took: Duration,
}

/// A body read to its end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Body {
    /// The decoded bytes.
    pub bytes: Vec<u8>,
    /// Bytes on the wire before decoding (R75).
    pub wire: u64,
}

/// One redirect on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    /// The URL that redirected.
    pub from: String,
    /// 301, 302, 303, 307 or 308.
    pub status: u16,
    /// Where it pointed, resolved against `from`.
    pub to: String,
}

impl Hop {
    /// 301 and 308 announce a permanent move (RFC 9110 §15.4).
    pub const fn is_permanent(&self) -> bool {
        matches!(self.status, 301 | 308)
    }
}
