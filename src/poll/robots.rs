//! robots.txt (RFC 9309), as far as a feed reader goes by it: how far apart a host wants its requests (R73).
//!
//! `Disallow` addresses crawlers; a feed that a person subscribed is asked all the same. `Crawl-delay` is no part of the
//! RFC, so its groups are found as the RFC finds those of `Disallow`: the groups that name this program together, else
//! those of `*`.

use std::time::Duration;

use url::Url;

use crate::model::{
    Answer, ErrorKind, HostState, HttpSettings, Pace, PollSettings, Robots, Timestamp, Validators,
};

use super::headers::{retry_after, validators};
use super::host::hold;
use super::judge::{Verdict, judge};
use super::schedule::DAY;

/// The product token that groups name (RFC 9309 §2.2.1).
const TOKEN: &str = "tidings";
/// More than this is not obeyed: it would hardly be meant for one request an hour.
const DELAY_MAX: f64 = 60.0;
/// The file is read at most this often, whatever came of it.
const READ_EVERY: i64 = 7 * DAY;
/// What is read of the file; RFC 9309 §2.5 asks for at least as much.
pub const ROBOTS_MAX: u64 = 500 * 1024;

/// The file of a host should be read in this run: it has several feeds, the run is the schedule's, and the last reading
/// is a week ago. A reading in the future was made by another clock (R48).
pub fn wants_robots(
    host: &HostState,
    feeds: usize,
    pace: Pace,
    now: Timestamp,
    settings: &HttpSettings,
) -> bool {
    let read = host.robots.at.map(|at| now.since(at));
    let fresh = read.is_some_and(|since| (0..READ_EVERY).contains(&since));
    settings.respect_crawl_delay && pace == Pace::Scheduled && feeds >= 2 && !fresh
}

/// Where the robots.txt of a feed's host is; `None` for what is no http URL.
pub fn robots_url(feed: &str) -> Option<String> {
    let mut url = Url::parse(feed).ok()?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    url.set_username("")
        .and_then(|()| url.set_password(None))
        .ok()?;
    url.set_path("/robots.txt");
    url.set_query(None);
    url.set_fragment(None);
    Some(url.into())
}

/// The host's record after its robots.txt was asked for; `None` where nothing was sent. `conditional`: the request
/// carried a validator. A redirect is not followed: it counts as no file.
pub fn robots_read(
    end: Result<&Answer, ErrorKind>,
    conditional: bool,
    host: &HostState,
    now: Timestamp,
    settings: &PollSettings,
) -> Option<HostState> {
    use ErrorKind::{Cancelled, Dns, Refused, Tls, TooLarge, Unreachable, Url};
    let mut after = host.clone();
    match end {
        Err(Url | Dns | Unreachable | Refused | Tls | Cancelled) => return None,
        Err(TooLarge) => no_file(&mut after),
        // What was known stays.
        Err(_) => {}
        Ok(answer) => match judge(answer, conditional) {
            Verdict::NotModified => {
                let got = validators(&answer.headers);
                after.robots.validators = after.robots.validators.refreshed_by(&got);
            }
            Verdict::Parse => {
                let delay = crawl_delay(&answer.body.bytes);
                after.crawl_delay_ms = u32::try_from(delay.as_millis()).unwrap_or(u32::MAX);
                after.robots.validators = validators(&answer.headers);
            }
            Verdict::Throttled => {
                let wait = retry_after(&answer.headers, answer.at);
                after = hold(wait, &after, now, settings).0;
            }
            Verdict::Failed(_) if answer.status >= 500 => {}
            Verdict::Failed(_) | Verdict::Gone | Verdict::Redirect => no_file(&mut after),
        },
    }
    after.robots.at = Some(now);
    Some(after)
}

fn no_file(host: &mut HostState) {
    host.crawl_delay_ms = 0;
    host.robots = Robots {
        at: host.robots.at,
        validators: Validators::default(),
    };
}

/// The `Crawl-delay` that holds for this program in the text of a robots.txt; zero where there is none that makes sense.
pub fn crawl_delay(text: &[u8]) -> Duration {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let (mut own, mut all) = (Group::default(), Group::default());
    // Names without a rule after them belong to one group.
    let mut naming = false;
    let (mut is_own, mut is_all) = (false, false);
    for line in text.split(|byte| matches!(byte, b'\n' | b'\r')) {
        let Some((field, value)) = parts(line) else {
            continue;
        };
        if field.eq_ignore_ascii_case(b"user-agent") {
            if !std::mem::replace(&mut naming, true) {
                (is_own, is_all) = (false, false);
            }
            is_own |= token(value).eq_ignore_ascii_case(TOKEN.as_bytes());
            is_all |= value == b"*";
            own.named |= is_own;
            all.named |= is_all;
            continue;
        }
        let delay = field.eq_ignore_ascii_case(b"crawl-delay");
        // Other lines, `Sitemap` say, belong to no group and end none (§2.2.4).
        let rule = field.eq_ignore_ascii_case(b"allow") || field.eq_ignore_ascii_case(b"disallow");
        if delay || rule {
            naming = false;
        }
        if delay {
            own.take(is_own, value);
            all.take(is_all, value);
        }
    }
    let delay = if own.named { own.delay } else { all.delay };
    Duration::from_secs_f64(delay.unwrap_or(0.0))
}

/// The groups of one name, put together.
#[derive(Default)]
struct Group {
    named: bool,
    delay: Option<f64>,
}

impl Group {
    /// Of several delays the longest.
    fn take(&mut self, mine: bool, value: &[u8]) {
        if let Some(delay) = seconds(value).filter(|_| mine) {
            self.delay = Some(self.delay.map_or(delay, |known| known.max(delay)));
        }
    }
}

/// Field and value of a line, without comment and blanks.
pub(super) fn parts(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.split(|byte| *byte == b'#').next()?;
    let colon = line.iter().position(|byte| *byte == b':')?;
    Some((line[..colon].trim_ascii(), line[colon + 1..].trim_ascii()))
}

/// The product token at the beginning of a name: `tidings/1.0` names tidings.
pub(super) fn token(name: &[u8]) -> &[u8] {
    let end = name
        .iter()
        .position(|byte| !byte.is_ascii_alphabetic() && !matches!(byte, b'-' | b'_'));
    &name[..end.unwrap_or(name.len())]
}

/// Seconds, whole or not, up to the cap; `None` for what is no such number.
fn seconds(value: &[u8]) -> Option<f64> {
    let digits = value.iter().all(|b| b.is_ascii_digit() || *b == b'.');
    let text = std::str::from_utf8(value).ok().filter(|_| digits)?;
    let secs: f64 = text.parse().ok()?;
    Some(secs.min(DELAY_MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::Robots;

    fn millis(text: &str) -> u128 {
        crawl_delay(text.as_bytes()).as_millis()
    }

    #[test]
    fn r73_the_delay_of_the_own_group_else_of_all() {
        for (text, wanted) in [
            ("", 0),
            ("User-agent: *\nCrawl-delay: 10", 10_000),
            ("user-agent:*\r\ncrawl-DELAY : 1.5 # slow", 1_500),
            ("\u{feff}User-agent: *\rCrawl-delay: 10\r", 10_000),
            ("User-agent: *\nDisallow: /\nCrawl-delay: 2\n", 2_000),
            ("Crawl-delay: 10", 0),
            ("User-agent: bingbot\nCrawl-delay: 10", 0),
            (
                "User-agent: *\nCrawl-delay: 10\nUser-agent: Tidings\nCrawl-delay: 3",
                3_000,
            ),
            ("User-agent: tidings/9\nCrawl-delay: 3", 3_000),
            ("User-agent: tidingsbot\nCrawl-delay: 3", 0),
            // Who is named has those groups alone, also where they name no delay.
            (
                "User-agent: *\nCrawl-delay: 10\n\nUser-agent: tidings\nAllow: /",
                0,
            ),
            // Several names for one group, and one name for several groups.
            (
                "User-agent: a\nUser-agent: tidings\nCrawl-delay: 3\nUser-agent: *\nCrawl-delay: 9",
                3_000,
            ),
            (
                "User-agent: *\nUser-agent: b\nDisallow:\nUser-agent: c\nCrawl-delay: 9",
                0,
            ),
            (
                "User-agent: tidings\nCrawl-delay: 3\nUser-agent: x\nDisallow:\nUser-agent: tidings\nCrawl-delay: 5",
                5_000,
            ),
            // What is between names and rules ends no group, nor do empty lines.
            (
                "User-agent: tidings\n\nSitemap: https://a/\nUser-agent: b\n\nCrawl-delay: 3",
                3_000,
            ),
        ] {
            assert_eq!(millis(text), wanted, "{text}");
        }
    }

    #[test]
    fn r73_the_file_lies_at_the_root_of_the_feeds_host() {
        for (feed, file) in [
            (
                "https://me:pw@A.example:8443/x/feed?a=b#c",
                Some("https://a.example:8443/robots.txt"),
            ),
            ("http://a.example", Some("http://a.example/robots.txt")),
            ("file://host/feed", None),
            ("exec:ls", None),
            ("no url", None),
        ] {
            assert_eq!(robots_url(feed).as_deref(), file, "{feed}");
        }
    }

    #[test]
    fn r73_a_delay_that_makes_no_sense_is_none_and_a_long_one_is_cut() {
        for (value, wanted) in [
            ("61", 60_000),
            ("86400", 60_000),
            (&"9".repeat(400), 60_000),
            ("0", 0),
            ("-1", 0),
            ("", 0),
            (".", 0),
            ("1.2.3", 0),
            ("nan", 0),
            ("inf", 0),
            ("1e3", 0),
            ("10s", 0),
            ("ten", 0),
        ] {
            assert_eq!(
                millis(&format!("User-agent: *\nCrawl-delay: {value}")),
                wanted,
                "{value}"
            );
        }
    }

    #[test]
    fn r73_what_an_answer_means_for_the_next_week() {
        use crate::model::{Body, HeaderList};
        let now = Timestamp(1_000_000_000);
        let settings = PollSettings::default();
        let known = HostState {
            crawl_delay_ms: 5_000,
            robots: Robots {
                at: Some(now.plus(-8 * DAY)),
                validators: Validators {
                    etag: Some(b"\"r\"".to_vec()),
                    last_modified: None,
                },
            },
            ..HostState::default()
        };
        let answer = |status, body: &str| Answer {
            url: "https://a.example/robots.txt".into(),
            status,
            sent: HeaderList::default(),
            headers: HeaderList::default(),
            body: Body {
                bytes: body.as_bytes().to_vec(),
                wire: 0,
            },
            at: now,
            took: Duration::ZERO,
        };
        let text = "User-agent: *\nCrawl-delay: 2";
        for (status, delay, kept) in [
            (304, 5_000, true),
            (200, 2_000, false),
            (404, 0, false),
            (301, 0, false),
            (403, 0, false),
            (500, 5_000, true),
            (429, 5_000, true),
        ] {
            let after = robots_read(Ok(&answer(status, text)), true, &known, now, &settings);
            let after = after.expect("sent");
            assert_eq!(after.crawl_delay_ms, delay, "{status}");
            assert_eq!(after.robots.validators.is_empty(), !kept, "{status}");
            assert_eq!(after.robots.at, Some(now), "{status}");
            assert_eq!(after.hold_until.is_some(), status == 429, "{status}");
        }
        for (kind, sent) in [
            (ErrorKind::Dns, false),
            (ErrorKind::Refused, false),
            (ErrorKind::Timeout, true),
            (ErrorKind::TooLarge, true),
        ] {
            let after = robots_read(Err(kind), true, &known, now, &settings);
            assert_eq!(after.is_some(), sent, "{kind:?}");
        }
    }

    #[test]
    fn r73_the_file_is_read_weekly_by_the_schedule_on_hosts_with_several_feeds() {
        let now = Timestamp(1_000_000_000);
        let settings = HttpSettings::default();
        let read = |at: Option<i64>| HostState {
            robots: Robots {
                at: at.map(|secs| now.plus(secs)),
                ..Robots::default()
            },
            ..HostState::default()
        };
        for (at, feeds, pace, wanted) in [
            (None, 2, Pace::Scheduled, true),
            (None, 1, Pace::Scheduled, false),
            (None, 500, Pace::Manual, false),
            (None, 500, Pace::Force, false),
            (Some(0), 2, Pace::Scheduled, false),
            (Some(-READ_EVERY + 1), 2, Pace::Scheduled, false),
            (Some(-READ_EVERY), 2, Pace::Scheduled, true),
            (Some(1), 2, Pace::Scheduled, true),
        ] {
            let host = read(at);
            assert_eq!(
                wants_robots(&host, feeds, pace, now, &settings),
                wanted,
                "{at:?} {feeds}"
            );
        }
        let off = HttpSettings {
            respect_crawl_delay: false,
            ..settings
        };
        assert!(!wants_robots(&read(None), 2, Pace::Scheduled, now, &off));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn r73_no_file_makes_the_reader_panic_or_wait_longer_than_a_minute(
            lines in prop::collection::vec(
                prop_oneof![
                    prop::collection::vec(any::<u8>(), 0..40),
                    "(?i)(user-agent|crawl-delay|disallow|sitemap) ?[:#]? ?(\\*|tidings|[0-9.e+-]{0,12})".prop_map(String::into_bytes),
                ],
                0..20,
            ),
        ) {
            let delay = crawl_delay(&lines.join(&b'\n'));
            prop_assert!(delay <= Duration::from_secs(60));
        }
    }
}
