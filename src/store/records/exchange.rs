//! Requests and answers with their headers. Most of a header is words that every server and every tidings says: they are
//! stored as their place in a list, and a 304 takes 200 bytes instead of 500.

use serde::{Deserialize, Serialize};

use super::Record;
use crate::model::{Exchange, HeaderList, Timestamp};

/// As version 1 had it: all words in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ExchangeV1<'a> {
    at: i64,
    url: &'a str,
    status: u16,
    #[serde(borrow)]
    sent: Vec<(&'a str, &'a [u8])>,
    #[serde(borrow)]
    received: Vec<(&'a str, &'a [u8])>,
    error: Option<&'a str>,
}

/// `exchanges`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExchangeV2<'a> {
    pub at: i64,
    pub url: &'a str,
    pub status: u16,
    #[serde(borrow)]
    pub sent: Vec<(Word<'a>, Word<'a>)>,
    #[serde(borrow)]
    pub received: Vec<(Word<'a>, Word<'a>)>,
    pub error: Option<&'a str>,
}

/// A name or a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Word<'a> {
    /// Its place among `WORDS`.
    Known(u8),
    /// Any other, byte for byte.
    #[serde(serialize_with = "super::at_once")]
    Said(&'a [u8]),
}

/// What is said often. Places are on disk: new words go to the end, none is taken out.
const WORDS: [&str; 56] = [
    "host",
    "user-agent",
    "accept",
    "accept-encoding",
    "if-none-match",
    "if-modified-since",
    "a-im",
    "feed",
    "connection",
    "close",
    "keep-alive",
    "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5",
    "gzip, br, zstd, deflate",
    "tidings/0.1.0 (terminal feed reader)",
    "date",
    "etag",
    "last-modified",
    "content-type",
    "content-length",
    "content-encoding",
    "transfer-encoding",
    "chunked",
    "gzip",
    "br",
    "zstd",
    "cache-control",
    "expires",
    "age",
    "vary",
    "Accept-Encoding",
    "accept-encoding, accept",
    "server",
    "nginx",
    "cloudflare",
    "Apache",
    "strict-transport-security",
    "x-content-type-options",
    "nosniff",
    "accept-ranges",
    "bytes",
    "link",
    "location",
    "retry-after",
    "set-cookie",
    "via",
    "alt-svc",
    "x-cache",
    "HIT",
    "MISS",
    "cf-cache-status",
    "cf-ray",
    "content-security-policy",
    "x-frame-options",
    "access-control-allow-origin",
    "*",
    "0",
];

impl<'a> Word<'a> {
    /// The shortest way to write it.
    pub(crate) fn of(said: &'a [u8]) -> Self {
        let place = WORDS.iter().position(|word| word.as_bytes() == said);
        place.map_or(Self::Said(said), |place| Self::Known(place as u8))
    }

    /// A word of a later list is a question mark.
    fn bytes(self) -> &'a [u8] {
        match self {
            Self::Known(place) => WORDS.get(usize::from(place)).map_or(b"?", |w| w.as_bytes()),
            Self::Said(bytes) => bytes,
        }
    }
}

impl<'a> Record<'a> for ExchangeV2<'a> {
    const VERSION: u8 = 2;
    const TABLE: &'static str = "exchanges";

    fn read(version: u8, bytes: &'a [u8]) -> Option<postcard::Result<Self>> {
        match version {
            1 => Some(postcard::from_bytes::<ExchangeV1<'a>>(bytes).map(Self::from)),
            2 => Some(postcard::from_bytes(bytes)),
            _ => None,
        }
    }
}

impl<'a> From<ExchangeV1<'a>> for ExchangeV2<'a> {
    fn from(old: ExchangeV1<'a>) -> Self {
        fn words<'a>(fields: &[(&'a str, &'a [u8])]) -> Vec<(Word<'a>, Word<'a>)> {
            let word =
                |(name, value): &(&'a str, &'a [u8])| (Word::of(name.as_bytes()), Word::of(value));
            fields.iter().map(word).collect()
        }
        Self {
            at: old.at,
            url: old.url,
            status: old.status,
            sent: words(&old.sent),
            received: words(&old.received),
            error: old.error,
        }
    }
}

impl<'a> From<&'a Exchange> for ExchangeV2<'a> {
    fn from(exchange: &'a Exchange) -> Self {
        fn said(fields: &HeaderList) -> Vec<(Word<'_>, Word<'_>)> {
            fields
                .iter()
                .map(|(name, value)| (Word::of(name.as_bytes()), Word::of(value)))
                .collect()
        }
        Self {
            at: exchange.at.0,
            url: &exchange.url,
            status: exchange.status,
            sent: said(&exchange.sent),
            received: said(&exchange.received),
            error: exchange.error.as_deref(),
        }
    }
}

impl ExchangeV2<'_> {
    pub(crate) fn model(&self) -> Exchange {
        fn own(fields: &[(Word<'_>, Word<'_>)]) -> HeaderList {
            fields
                .iter()
                .map(|(name, value)| (String::from_utf8_lossy(name.bytes()), value.bytes()))
                .collect()
        }
        Exchange {
            at: Timestamp(self.at),
            url: self.url.to_owned(),
            status: self.status,
            sent: own(&self.sent),
            received: own(&self.received),
            error: self.error.map(str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{decode, encode_into};
    use super::*;

    #[test]
    fn a_usual_304_takes_few_bytes_and_comes_back_as_it_was() {
        let field = |name: &str, value: &[u8]| (name.to_owned(), value.to_vec());
        let exchange = Exchange {
            at: Timestamp(1_796_000_000),
            url: "https://example.org/feed.xml".to_owned(),
            status: 304,
            sent: HeaderList::from_iter([
                field("accept", WORDS[11].as_bytes()),
                field("accept-encoding", b"gzip, br, zstd, deflate"),
                field("user-agent", b"tidings/0.1.0 (terminal feed reader)"),
                field("if-none-match", b"W/\"\xFF1\""),
                field("X-Own", b"*"),
            ]),
            received: HeaderList::from_iter([
                field("ETag", b"W/\"\xFF1\""),
                field("server", b"nginx"),
            ]),
            error: None,
        };
        let mut bytes = Vec::new();
        encode_into(&ExchangeV2::from(&exchange), &mut bytes).expect("it encodes");
        assert!(bytes.len() < 100, "{}", bytes.len());
        let read = decode::<ExchangeV2>(&bytes).expect("it reads").model();
        assert_eq!(read, exchange);
    }

    #[test]
    fn what_this_tidings_says_in_each_request_is_known() {
        let composed = include_str!("../../fetch/headers.rs");
        for said in [WORDS[11], WORDS[12]] {
            assert!(composed.contains(&format!("\"{said}\"")), "{said}");
        }
        let agent = format!(
            "tidings/{} (terminal feed reader)",
            env!("CARGO_PKG_VERSION")
        );
        assert!(matches!(Word::of(agent.as_bytes()), Word::Known(_)));
    }

    #[test]
    fn a_word_that_is_not_known_yet_is_a_question_mark() {
        assert_eq!(Word::Known(255).bytes(), b"?");
        assert_eq!(
            WORDS.iter().collect::<std::collections::HashSet<_>>().len(),
            WORDS.len()
        );
    }
}
