//! What a server of the demo says to a request. Time is an argument.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{
    CACHE_CONTROL, CONTENT_TYPE, DATE, ETAG, HeaderMap, HeaderName, IF_MODIFIED_SINCE,
    IF_NONE_MATCH, LAST_MODIFIED, LOCATION, RETRY_AFTER,
};
use hyper::{Response, StatusCode, http};
use sha2::{Digest, Sha256};

use crate::model::Timestamp;

use super::bundle::{self, Feed, Manners};
use super::template;

/// One server, ready to answer.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) feed: &'static Feed,
    /// `http://127.0.0.1:port`
    pub(super) base: String,
    /// Where a moved feed lives now.
    pub(super) moved_to: String,
    body: Bytes,
    tag: String,
    modified: Timestamp,
}

impl Site {
    /// `feed` as it is at `now` and stays, except for the one that follows the clock.
    pub(super) fn new(feed: &'static Feed, base: String, moved_to: String, now: Timestamp) -> Self {
        let filled = template::fill(feed.template, &base, now);
        let tag = tag_of(filled.text.as_bytes());
        Self {
            feed,
            base,
            moved_to,
            body: filled.text.into(),
            tag,
            modified: filled.newest,
        }
    }

    /// The URL of the feed.
    pub(super) fn url(&self) -> String {
        format!("{}{}", self.base, self.feed.path)
    }

    /// The answer to a GET of `path` with these headers.
    pub(super) fn answer(&self, path: &str, asked: &HeaderMap, now: Timestamp) -> Reply {
        let reply = if path == self.feed.path {
            self.feed_answer(asked, now)
        } else {
            Reply::new(StatusCode::OK)
                .with(CONTENT_TYPE, "text/html; charset=utf-8")
                .body(Bytes::from_static(bundle::PAGE.as_bytes()))
        };
        reply.with(DATE, &http_date(now))
    }

    fn feed_answer(&self, asked: &HeaderMap, now: Timestamp) -> Reply {
        match self.feed.manners {
            Manners::Honest {
                etag,
                last_modified,
                max_age,
            } => {
                let mut reply = conditional(
                    asked,
                    etag.then_some(self.tag.as_str()),
                    last_modified.then_some(self.modified),
                    || self.body.clone(),
                );
                if let Some(seconds) = max_age {
                    reply = reply.with(CACHE_CONTROL, &format!("max-age={seconds}"));
                }
                reply.with(CONTENT_TYPE, self.feed.media)
            }
            Manners::Plain => Reply::new(StatusCode::OK)
                .with(CONTENT_TYPE, self.feed.media)
                .body(self.body.clone()),
            Manners::EveryMinute => {
                let tag = format!("\"{}\"", now.0.div_euclid(60));
                let minutes = || bundle::minutes(self.feed.template, &self.base, now).into();
                conditional(asked, Some(&tag), None, minutes).with(CONTENT_TYPE, self.feed.media)
            }
            Manners::Busy(seconds) => Reply::new(StatusCode::SERVICE_UNAVAILABLE)
                .with(RETRY_AFTER, &seconds.to_string())
                .with(CONTENT_TYPE, self.feed.media)
                .body(self.body.clone()),
            Manners::Gone => Reply::new(StatusCode::GONE)
                .with(CONTENT_TYPE, self.feed.media)
                .body(self.body.clone()),
            Manners::Moved(_) => {
                Reply::new(StatusCode::MOVED_PERMANENTLY).with(LOCATION, &self.moved_to)
            }
        }
    }
}

/// 304 where a validator matches, else 200; the validators on both (RFC 9110 §15.4.5).
fn conditional(
    asked: &HeaderMap,
    tag: Option<&str>,
    modified: Option<Timestamp>,
    body: impl FnOnce() -> Bytes,
) -> Reply {
    let mut reply = if matches(asked, tag, modified) {
        Reply::new(StatusCode::NOT_MODIFIED)
    } else {
        Reply::new(StatusCode::OK).body(body())
    };
    if let Some(tag) = tag {
        reply = reply.with(ETAG, tag);
    }
    if let Some(modified) = modified {
        reply = reply.with(LAST_MODIFIED, &http_date(modified));
    }
    reply
}

/// If-None-Match before If-Modified-Since (RFC 9110 §13.2.2).
fn matches(asked: &HeaderMap, tag: Option<&str>, modified: Option<Timestamp>) -> bool {
    let text = |name| {
        asked
            .get(name)
            .and_then(|value: &http::HeaderValue| value.to_str().ok())
    };
    if let Some(listed) = text(IF_NONE_MATCH) {
        let weak = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
        return tag.is_some_and(|tag| {
            listed.trim() == "*" || listed.split(',').any(|one| weak(one) == weak(tag))
        });
    }
    let (Some(since), Some(modified)) = (text(IF_MODIFIED_SINCE), modified) else {
        return false;
    };
    httpdate::parse_http_date(since)
        .ok()
        .and_then(|since| since.duration_since(std::time::UNIX_EPOCH).ok())
        .is_some_and(|since| since.as_secs() as i64 >= modified.0)
}

fn tag_of(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    let hex: Vec<String> = hash.iter().take(8).map(|b| format!("{b:02x}")).collect();
    format!("\"{}\"", hex.concat())
}

fn http_date(at: Timestamp) -> String {
    let since = std::time::Duration::from_secs(at.0.max(0) as u64);
    httpdate::fmt_http_date(std::time::UNIX_EPOCH + since)
}

/// An answer in the making. All its headers are ours, so none can be refused.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) headers: Vec<(HeaderName, String)>,
    pub(super) body: Bytes,
}

impl Reply {
    pub(super) fn new(status: StatusCode) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Bytes::new(),
        }
    }

    fn with(mut self, name: HeaderName, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    fn body(mut self, body: Bytes) -> Self {
        self.body = body;
        self
    }

    /// As hyper sends it.
    pub(super) fn into_response(self) -> Result<Response<Full<Bytes>>, http::Error> {
        let mut response = Response::builder().status(self.status);
        for (name, value) in self.headers {
            response = response.header(name, value);
        }
        response.body(Full::new(self.body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    const NOW: Timestamp = Timestamp(1_796_047_043);

    fn site(title: &str) -> Site {
        let feed = bundle::FEEDS
            .iter()
            .find(|feed| feed.title == title)
            .expect("a feed of that title");
        Site::new(
            feed,
            "http://127.0.0.1:1".into(),
            "http://127.0.0.1:2/".into(),
            NOW,
        )
    }

    fn ask(site: &Site, asked: &[(HeaderName, &str)], now: Timestamp) -> Reply {
        let mut headers = HeaderMap::new();
        for (name, value) in asked {
            headers.insert(name, HeaderValue::from_str(value).expect("a value"));
        }
        site.answer(site.feed.path, &headers, now)
    }

    fn header(reply: &Reply, name: &HeaderName) -> String {
        reply
            .headers
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value.clone())
            .unwrap_or_default()
    }

    #[test]
    fn a_tag_that_is_sent_back_is_answered_304_without_a_body() {
        let site = site("The Conditional GET");
        let first = ask(&site, &[], NOW);
        assert_eq!(first.status, StatusCode::OK);
        let tag = header(&first, &ETAG);
        for sent in [
            tag.clone(),
            format!("W/{tag}"),
            format!("\"x\", {tag}"),
            "*".into(),
        ] {
            let again = ask(&site, &[(IF_NONE_MATCH, &sent)], NOW.plus(100));
            assert_eq!(again.status, StatusCode::NOT_MODIFIED, "{sent}");
            assert!(again.body.is_empty());
            assert_eq!(header(&again, &ETAG), tag);
        }
        let other = ask(&site, &[(IF_NONE_MATCH, "\"x\"")], NOW);
        assert_eq!(other.status, StatusCode::OK);
    }

    #[test]
    fn a_date_alone_is_answered_304_and_ignored_beside_a_tag() {
        let site = site("Terminal Letters");
        let date = header(&ask(&site, &[], NOW), &LAST_MODIFIED);
        let alone = ask(&site, &[(IF_MODIFIED_SINCE, &date)], NOW);
        assert_eq!(alone.status, StatusCode::NOT_MODIFIED);
        let beside = ask(
            &site,
            &[(IF_NONE_MATCH, "\"x\""), (IF_MODIFIED_SINCE, &date)],
            NOW,
        );
        assert_eq!(beside.status, StatusCode::OK);
    }

    #[test]
    fn the_plain_server_sends_no_validator_and_the_same_bytes() {
        let site = site("Notes from a Plain Server");
        let first = ask(&site, &[], NOW);
        let again = ask(&site, &[(IF_NONE_MATCH, "*")], NOW.plus(3600));
        assert_eq!(header(&first, &ETAG) + &header(&first, &LAST_MODIFIED), "");
        assert_eq!((again.status, again.body), (StatusCode::OK, first.body));
    }

    #[test]
    fn the_feed_of_the_minutes_is_another_each_minute() {
        let site = site("Minute by Minute");
        let minute = Timestamp(NOW.0 / 60 * 60);
        let tag = header(&ask(&site, &[], minute), &ETAG);
        let same = ask(&site, &[(IF_NONE_MATCH, &tag)], minute.plus(59));
        let next = ask(&site, &[(IF_NONE_MATCH, &tag)], minute.plus(60));
        assert_eq!(same.status, StatusCode::NOT_MODIFIED);
        assert_eq!(next.status, StatusCode::OK);
    }

    #[test]
    fn faults_are_told_in_their_headers() {
        let busy = ask(&site("Over Capacity"), &[], NOW);
        assert_eq!(busy.status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(header(&busy, &RETRY_AFTER), "900");
        assert_eq!(
            ask(&site("The Gone Gazette"), &[], NOW).status,
            StatusCode::GONE
        );
        let moved = ask(&site("The Wandering Column"), &[], NOW);
        assert_eq!(moved.status, StatusCode::MOVED_PERMANENTLY);
        assert_eq!(header(&moved, &LOCATION), "http://127.0.0.1:2/");
    }
}
