//! The feeds of the year, and what their servers say.

use tidings::model::{
    EntryBody, EntryKey, FeedId, HeaderList, HostState, Incoming, PollSettings, PollState,
    Subscription, Timestamp, Validators,
};
use tidings::poll::Known;

use crate::shared::prose;

pub const START: Timestamp = Timestamp(1_764_547_200);
pub const HOUR: i64 = 3_600;
pub const DAY: i64 = 24 * HOUR;

/// How a server behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Honest,
    MaxAge,
    NoValidators,
    Rotating,
    /// Its tag never matches and hides its date.
    Masked,
    /// 304 to anything conditional.
    Lying,
    Moved,
    /// 500 for the second month.
    Failing,
    /// 410 from the middle on.
    Gone,
}

/// Feeds of a kind, and the hours between their entries. The dormant ones had their last one two months before.
const POPULATION: [(Kind, usize, i64); 13] = [
    (Kind::Honest, 25, 3),
    (Kind::Honest, 60, 24),
    (Kind::Honest, 55, 7 * 24),
    (Kind::Honest, 20, 0),
    (Kind::MaxAge, 10, 6),
    (Kind::NoValidators, 10, 24),
    (Kind::NoValidators, 5, 7 * 24),
    (Kind::Rotating, 5, 7 * 24),
    (Kind::Masked, 3, 48),
    (Kind::Lying, 2, 24),
    (Kind::Moved, 2, 24),
    (Kind::Failing, 2, 24),
    (Kind::Gone, 1, 24),
];

/// One feed, what is remembered of it, and its server.
pub struct Feed {
    pub id: FeedId,
    pub kind: Kind,
    pub every: i64,
    pub subscription: Subscription,
    pub state: PollState,
    pub host: HostState,
    pub validators: Vec<(String, Validators)>,
    pub asked: u32,
    pub given: i64,
}

pub fn hash(text: &[u8]) -> u32 {
    let mixed = text.iter().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    });
    mixed.max(1)
}

fn date(at: Timestamp) -> String {
    at.datetime()
        .format("%a, %d %b %Y %H:%M:%S GMT")
        .to_string()
}

impl Feed {
    pub fn newest(&self, now: Timestamp) -> i64 {
        if self.every == 0 {
            return START.plus(-60 * DAY).0.div_euclid(DAY);
        }
        (now.0 - i64::from(self.id.0) * 97).div_euclid(self.every)
    }

    pub fn dated(&self, number: i64) -> Timestamp {
        match self.every {
            0 => Timestamp(number * DAY),
            every => Timestamp(number * every + i64::from(self.id.0) * 97),
        }
    }

    pub fn known<'a>(&'a self, now: Timestamp, settings: &'a PollSettings) -> Known<'a> {
        Known {
            now,
            state: &self.state,
            host: &self.host,
            subscription: &self.subscription,
            validators: &self.validators,
            settings,
            parser: 1,
        }
    }

    pub fn entry(&self, number: i64) -> Incoming {
        let feed = self.id.0;
        let mixed = (u128::from(feed) << 64 | u128::from(number.unsigned_abs()))
            .wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
        let url = format!("https://h{feed}.example/2026/{number}-some-words-of-the-title.html");
        let size = 400 + (mixed >> 100) as usize % 4_000;
        Incoming {
            key: EntryKey(mixed.to_be_bytes()),
            guid: url.clone(),
            title: format!("Entry {number} of feed {feed}, with a title of the usual length"),
            link: Some(url),
            author: "Ann Author".to_owned(),
            published: Some(self.dated(number)),
            updated: None,
            enclosures: Vec::new(),
            body: EntryBody {
                text: prose(mixed as u32, size),
                ..EntryBody::default()
            },
            content_hash: [number as u8; 32],
        }
    }

    /// Status and fields of the answer.
    pub fn answer(&self, now: Timestamp, sent: &Validators) -> (u16, Vec<(String, Vec<u8>)>) {
        let fresh = self.newest(now) != self.given;
        let day = now.since(START) / DAY;
        let status = match self.kind {
            Kind::Failing if (30..60).contains(&day) => 500,
            Kind::Gone if day > 180 => 410,
            Kind::Lying if !sent.is_empty() => 304,
            Kind::Masked if sent.etag.is_none() && !sent.is_empty() && !fresh => 304,
            Kind::NoValidators | Kind::Rotating | Kind::Masked => 200,
            _ if !sent.is_empty() && !fresh => 304,
            _ => 200,
        };
        let tag = match self.kind {
            Kind::Rotating => format!("W/\"{:x}-{:x}\"", self.asked, self.id.0),
            Kind::Masked => "\"65f2a-1b4c8-gzip\"".to_owned(),
            _ => format!("\"65f2a-{:x}-60d5ecb3f2a40\"", self.newest(now)),
        };
        let mut fields = vec![
            ("server", "nginx/1.24.0".to_owned()),
            ("date", date(now)),
            (
                "content-type",
                "application/rss+xml; charset=utf-8".to_owned(),
            ),
            (
                "strict-transport-security",
                "max-age=31536000; includeSubDomains".to_owned(),
            ),
            ("vary", "Accept-Encoding".to_owned()),
            ("x-cache", "HIT from edge-17.example.net".to_owned()),
        ];
        if self.kind != Kind::NoValidators {
            fields.push(("etag", tag));
            fields.push(("last-modified", date(self.dated(self.newest(now)))));
        }
        if self.kind == Kind::MaxAge {
            fields.push(("cache-control", "public, max-age=21600".to_owned()));
        }
        let fields = fields
            .into_iter()
            .map(|(n, v)| (n.to_owned(), v.into_bytes()));
        (status, fields.collect())
    }
}

pub fn sent_fields(feed: &Feed, sent: &Validators) -> HeaderList {
    let accept = "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5";
    let mut fields = vec![
        (
            "host".to_owned(),
            format!("h{}.example", feed.id.0).into_bytes(),
        ),
        (
            "user-agent".to_owned(),
            b"tidings/0.1.0 (terminal feed reader)".to_vec(),
        ),
        ("accept".to_owned(), accept.as_bytes().to_vec()),
        (
            "accept-encoding".to_owned(),
            b"gzip, br, zstd, deflate".to_vec(),
        ),
    ];
    fields.extend(sent.etag.clone().map(|v| ("if-none-match".to_owned(), v)));
    fields.extend(
        sent.last_modified
            .clone()
            .map(|v| ("if-modified-since".to_owned(), v)),
    );
    HeaderList::from_iter(fields)
}

pub fn population() -> Vec<Feed> {
    let mut feeds = Vec::new();
    for (kind, count, hours) in POPULATION {
        for _ in 0..count {
            let number = feeds.len() as u32;
            feeds.push(Feed {
                id: FeedId(number),
                kind,
                every: hours * HOUR,
                subscription: Subscription {
                    url: format!("https://h{number}.example/feed.xml"),
                    ..Subscription::default()
                },
                state: PollState::default(),
                host: HostState::default(),
                validators: Vec::new(),
                asked: 0,
                given: i64::MIN,
            });
        }
    }
    feeds
}
