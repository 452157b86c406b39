//! The feeds of the demo: what they say, and how their servers behave.

use std::fmt::Write as _;
use std::time::Duration;

use crate::model::Timestamp;

/// One server with one feed.
#[derive(Debug)]
pub(super) struct Feed {
    /// As the list of feeds shows it.
    pub(super) title: &'static str,
    /// Where it stands in that list; empty for one that is reached by a redirect alone.
    pub(super) tags: &'static [&'static str],
    pub(super) path: &'static str,
    pub(super) media: &'static str,
    pub(super) template: &'static str,
    pub(super) manners: Manners,
    /// It thinks this long.
    pub(super) delay: Duration,
}

/// How a server answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manners {
    /// 200 with these validators, and 304 to whom they match.
    Honest {
        etag: bool,
        last_modified: bool,
        /// Seconds of `max-age`.
        max_age: Option<u32>,
    },
    /// 200, whatever is asked.
    Plain,
    /// A new entry every minute, made from the clock.
    EveryMinute,
    /// 503, and `Retry-After` in seconds.
    Busy(u32),
    /// 410.
    Gone,
    /// 301 to the feed with that title.
    Moved(&'static str),
}

const RSS: &str = "application/rss+xml; charset=utf-8";
const ATOM: &str = "application/atom+xml; charset=utf-8";
const JSON: &str = "application/feed+json";
const HTML: &str = "text/html; charset=utf-8";
const WANDERING: &str = "The Wandering Column (new address)";
const AT_ONCE: Duration = Duration::ZERO;
const HONEST: Manners = Manners::Honest {
    etag: true,
    last_modified: true,
    max_age: None,
};

/// What any other path of a server shows: entries link there.
pub(super) const PAGE: &str = include_str!("../../assets/demo/page.html");

/// All of them, in the order of the list.
pub(super) const FEEDS: [Feed; 11] = [
    Feed {
        title: "The Conditional GET",
        tags: &["web/http"],
        path: "/feed.xml",
        media: RSS,
        template: include_str!("../../assets/demo/conditional.xml"),
        manners: Manners::Honest {
            etag: true,
            last_modified: true,
            max_age: Some(7200),
        },
        delay: AT_ONCE,
    },
    Feed {
        title: "The Feed Almanac",
        tags: &["web/feeds"],
        path: "/feed.atom",
        media: ATOM,
        template: include_str!("../../assets/demo/almanac.atom"),
        manners: Manners::Honest {
            etag: true,
            last_modified: false,
            max_age: None,
        },
        delay: AT_ONCE,
    },
    Feed {
        title: "Notes from a Plain Server",
        tags: &["web/feeds"],
        path: "/feed.php",
        media: RSS,
        template: include_str!("../../assets/demo/plain.xml"),
        manners: Manners::Plain,
        delay: AT_ONCE,
    },
    Feed {
        title: "Terminal Letters",
        tags: &["terminal"],
        path: "/feed.json",
        media: JSON,
        template: include_str!("../../assets/demo/terminal.json"),
        manners: HONEST,
        delay: AT_ONCE,
    },
    Feed {
        title: "Slow Reading",
        tags: &["reading"],
        path: "/feed.atom",
        media: ATOM,
        template: include_str!("../../assets/demo/slow.atom"),
        manners: HONEST,
        delay: Duration::from_secs(2),
    },
    Feed {
        title: "Postcards in Many Scripts",
        tags: &["reading"],
        path: "/feed.xml",
        media: RSS,
        template: include_str!("../../assets/demo/world.xml"),
        manners: Manners::Honest {
            etag: false,
            last_modified: true,
            max_age: None,
        },
        delay: AT_ONCE,
    },
    Feed {
        title: "The Wandering Column",
        tags: &["reading"],
        path: "/old.xml",
        media: HTML,
        template: "",
        manners: Manners::Moved(WANDERING),
        delay: AT_ONCE,
    },
    Feed {
        title: WANDERING,
        tags: &[],
        path: "/feed.xml",
        media: RSS,
        template: include_str!("../../assets/demo/wandering.xml"),
        manners: HONEST,
        delay: AT_ONCE,
    },
    Feed {
        title: "Minute by Minute",
        tags: &["lab"],
        path: "/feed.atom",
        media: ATOM,
        template: include_str!("../../assets/demo/minute.txt"),
        manners: Manners::EveryMinute,
        delay: AT_ONCE,
    },
    Feed {
        title: "Over Capacity",
        tags: &["lab"],
        path: "/feed.xml",
        media: HTML,
        template: include_str!("../../assets/demo/busy.html"),
        manners: Manners::Busy(900),
        delay: AT_ONCE,
    },
    Feed {
        title: "The Gone Gazette",
        tags: &["lab"],
        path: "/feed.xml",
        media: HTML,
        template: include_str!("../../assets/demo/gone.html"),
        manners: Manners::Gone,
        delay: AT_ONCE,
    },
];

/// Entries that the feed of the minutes shows at a time.
const MINUTES: i64 = 10;

/// The feed of the minutes as it is at `now`: one entry for each of the last ten, its text one of `notes`.
pub(super) fn minutes(notes: &str, base: &str, now: Timestamp) -> String {
    let notes: Vec<(&str, &str)> = notes
        .split("\n%\n")
        .filter_map(|note| note.trim().split_once('\n'))
        .collect();
    let last = now.0.div_euclid(60);
    let mut feed = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>Minute by Minute</title>
<subtitle>One entry a minute, as long as the demo runs</subtitle>
<id>tag:tidings-demo,2026:minute</id>
<link rel="self" href="{base}/feed.atom"/>
<link rel="alternate" type="text/html" href="{base}/"/>
<updated>{}</updated>
<author><name>The clock</name></author>
"#,
        Timestamp(last * 60)
    );
    for minute in (last - MINUTES + 1..=last).rev() {
        let at = Timestamp(minute * 60);
        let (title, text) = notes
            .get(minute.rem_euclid(notes.len().max(1) as i64) as usize)
            .copied()
            .unwrap_or_default();
        let entry = format!(
            r#"<entry>
<title>{} UTC: {title}</title>
<id>tag:tidings-demo,2026:minute/{minute}</id>
<link rel="alternate" href="{base}/{minute}"/>
<published>{at}</published>
<updated>{at}</updated>
<content type="html"><![CDATA[<p>{text}</p>]]></content>
</entry>
"#,
            at.datetime().format("%H:%M")
        );
        // Writing to a String cannot fail.
        let _ = feed.write_str(&entry);
    }
    feed.push_str("</feed>\n");
    feed
}

#[cfg(test)]
mod tests {
    use super::super::template;
    use super::*;

    const NOW: Timestamp = Timestamp(1_796_047_043);

    fn notes() -> &'static str {
        FEEDS
            .iter()
            .find(|feed| feed.manners == Manners::EveryMinute)
            .map(|feed| feed.template)
            .expect("the feed of the minutes")
    }

    #[test]
    fn every_mark_of_every_feed_is_filled_in() {
        for feed in &FEEDS {
            let filled = template::fill(feed.template, "http://127.0.0.1:1", NOW);
            assert!(!filled.text.contains("{{"), "{}", feed.title);
            assert!(filled.newest <= NOW, "{}", feed.title);
        }
    }

    #[test]
    fn every_redirect_leads_to_a_feed() {
        for feed in &FEEDS {
            if let Manners::Moved(to) = feed.manners {
                assert!(FEEDS.iter().any(|feed| feed.title == to), "{to}");
            }
        }
    }

    #[test]
    fn a_new_minute_brings_one_entry_and_keeps_nine() {
        let now = minutes(notes(), "http://h", NOW);
        let next = minutes(notes(), "http://h", NOW.plus(60));
        let ids = |feed: &str| -> Vec<String> {
            feed.split("<id>")
                .skip(2)
                .filter_map(|part| part.split("</id>").next())
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(ids(&now).len(), 10);
        assert_eq!(ids(&now)[..9], ids(&next)[1..]);
        assert_eq!(
            minutes(notes(), "http://h", NOW.plus(1)),
            now,
            "same minute"
        );
    }
}
