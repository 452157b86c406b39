//! `[http]`: how feeds are asked.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::super::reader::{Given, Key};
use super::{HOUR, MINUTE, SECOND, set};
use crate::model::HttpSettings;

/// What a time-out may be.
const TIMEOUT: RangeInclusive<Duration> = SECOND..=Duration::from_secs(600);

/// `[http]`.
pub(super) const KEYS: &[Key<HttpSettings>] = &[
    Key::new("host_gap", |s, v| {
        set(&mut s.host_gap, v.duration(Duration::ZERO..=MINUTE * 10))
    }),
    Key::new("connections", |s, v| {
        set(&mut s.connections, v.count(1..=512).map(|n| n as usize))
    }),
    Key::new("host_budget", |s, v| {
        set(&mut s.host_budget, v.count(0..=1_000_000))
    }),
    Key::new("respect_crawl_delay", |s, v| {
        set(&mut s.respect_crawl_delay, v.flag())
    }),
    Key::new("max_body", |s, v| {
        set(&mut s.max_body, v.size(64 << 10..=1 << 30))
    }),
    Key::new("connect_timeout", |s, v| {
        set(&mut s.connect_timeout, v.duration(TIMEOUT))
    }),
    Key::new("first_byte_timeout", |s, v| {
        set(&mut s.first_byte_timeout, v.duration(TIMEOUT))
    }),
    Key::new("read_timeout", |s, v| {
        set(&mut s.read_timeout, v.duration(TIMEOUT))
    }),
    Key::new("total_timeout", |s, v| {
        set(&mut s.total_timeout, v.duration(SECOND..=HOUR))
    }),
    Key::new("ca_file", |s, v| set(&mut s.ca_file, v.path().map(Some))),
    Key::new("contact", |s, v| set(&mut s.contact, contact(v).map(Some))),
    Key::new("proxy", |s, v| set(&mut s.proxy, proxy(v).map(Some))),
];

fn contact(given: Given<'_>) -> Result<String, String> {
    let contact = given.text()?;
    let known = ["https://", "http://", "mailto:"]
        .iter()
        .any(|scheme| contact.starts_with(scheme) && contact.len() > scheme.len());
    let clean = contact
        .bytes()
        .all(|b| b.is_ascii_graphic() && !b"()\\;".contains(&b));
    if known && clean {
        Ok(contact)
    } else {
        given.wrong("must begin with https:// or mailto: and hold no blanks or brackets")
    }
}

fn proxy(given: Given<'_>) -> Result<String, String> {
    let proxy = given.text()?;
    if proxy == "none" {
        return Ok(proxy);
    }
    let known = url::Url::parse(&proxy).is_ok_and(|url| {
        ["http", "https", "socks4", "socks4a", "socks5", "socks5h"].contains(&url.scheme())
            && url.has_host()
    });
    if known {
        Ok(proxy)
    } else {
        // The value may hold a password: it is not shown.
        Err("must be \"none\" or a URL such as \"http://localhost:3128\" or \"socks5h://localhost:1080\"".to_owned())
    }
}
