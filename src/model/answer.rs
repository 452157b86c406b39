//! One HTTP answer as the network gave it, before anyone judges it.

use std::sync::Arc;
use std::time::Duration;

use super::time::Timestamp;

/// Header fields in the order received; names in lower case, values as bytes. They lie in one piece, and a copy shares it:
/// the judge, the audit and the reader all look at the fields of the same answer.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct HeaderList(Option<Arc<Fields>>);

/// Names and values end to end.
#[derive(PartialEq, Eq, Default)]
struct Fields {
    names: String,
    values: Vec<u8>,
    /// Where the name and the value of each field end.
    ends: Vec<(usize, usize)>,
}

impl HeaderList {
    /// The fields, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().flat_map(|fields| {
            fields.ends.iter().scan((0, 0), |from, end| {
                let (name, value) = std::mem::replace(from, *end);
                Some((&fields.names[name..end.0], &fields.values[value..end.1]))
            })
        })
    }

    /// No field at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The first field of that (lower-case) name.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.iter().find(|(n, _)| *n == name).map(|(_, v)| v)
    }

    /// Every field of that (lower-case) name, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.iter().filter(move |(n, _)| *n == name).map(|(_, v)| v)
    }

    /// The first field of that name as text; bytes that are not UTF-8 become U+FFFD.
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name)
            .map(|v| String::from_utf8_lossy(v).into_owned())
    }
}

impl<N: AsRef<str>, V: AsRef<[u8]>> FromIterator<(N, V)> for HeaderList {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(fields: I) -> Self {
        let fields = fields.into_iter();
        let count = fields.size_hint().0;
        // Most names and values are shorter than this.
        let mut list = Fields {
            names: String::with_capacity(count * 16),
            values: Vec::with_capacity(count * 32),
            ends: Vec::with_capacity(count),
        };
        for (name, value) in fields {
            list.names.push_str(name.as_ref());
            list.values.extend_from_slice(value.as_ref());
            list.ends.push((list.names.len(), list.values.len()));
        }
        Self((!list.ends.is_empty()).then(|| Arc::new(list)))
    }
}

impl std::fmt::Debug for HeaderList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = |(name, value)| (name, String::from_utf8_lossy(value));
        f.debug_map().entries(self.iter().map(text)).finish()
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
