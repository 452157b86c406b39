//! Bytes into entries: decode, repair, `feed_rs`, then identity, dates, titles, links. The only room that knows `feed_rs`.

mod change;
mod dates;
mod decode;
mod discover;
mod faults;
mod feed;
#[cfg(fuzzing)]
pub mod fuzzing;
mod hints;
mod identity;
mod links;
mod migrate;
mod odd;
pub mod opml;
mod references;
mod repair;
mod sites;
mod stranger;
mod text;
mod titles;
mod tokens;
pub mod urls;

pub use change::change;
pub use decode::Charset;
pub use discover::{discover, well_known};
pub use faults::faults;
pub use migrate::{is_upheaval, recent_wanted, recognise, relatives};
pub use odd::{Odd, OddKind, named, odd};
pub use sites::known;
pub use titles::beginning;

/// The text of a body in whatever charset it is; a packed one is unpacked.
pub fn text_of(bytes: &[u8], content_type: Option<&str>) -> String {
    decode::decode(bytes, content_type).text.into_owned()
}

use sha2::{Digest, Sha256};

use crate::article::sanitize;
use crate::model::{EntryKey, Incoming, Subscription, Timestamp};
use links::Base;

/// Grows when the same bytes would give other entries (R80).
pub const VERSION: u16 = 2;

/// A whole feed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parsed {
    /// `RSS`, `RSS 1.0`, `Atom` or `JSON Feed`.
    pub kind: &'static str,
    /// The feed's own title, one clean line.
    pub title: String,
    /// The page it belongs to.
    pub site: Option<String>,
    /// How its bytes were read.
    pub charset: Charset,
    /// Hubs it names (`WebSub`).
    pub hubs: Vec<String>,
    /// What it asks of a poller.
    pub wishes: Wishes,
    /// Its entries, in its order, identity decided; no key twice.
    pub entries: Vec<Incoming>,
    /// Hash over the sorted content hashes of its entries (R17).
    pub entries_hash: [u8; 32],
    /// Its XML was cut: whole items only, and neither validators nor hashes may be kept (R13).
    pub truncated: bool,
    /// What had to be repaired, a short name each: for `probe --parse` and the log.
    pub repairs: Vec<&'static str>,
}

/// Hints of the channel; seconds, 0 for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wishes {
    /// `<ttl>`.
    pub ttl: u32,
    /// `sy:updatePeriod` over `sy:updateFrequency`.
    pub update_period: u32,
    /// Bit h: hour h GMT is skipped. All 24 set counts as none.
    pub skip_hours: u32,
    /// Bit d: day d is skipped, Monday is 0. All 7 set counts as none.
    pub skip_days: u8,
}

/// What the store knows of an entry that `change` compares with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownEntry {
    /// Hash of the content stored, `None` where the entry was pruned.
    pub content_hash: Option<[u8; 32]>,
}

/// What the store remembers of an entry, to recognise it under another key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remembered {
    /// The key it was first stored under.
    pub key: EntryKey,
    /// As it was sent last.
    pub guid: String,
    /// Absolute URL.
    pub link: Option<String>,
    /// One clean line.
    pub title: String,
    /// The feed's own date.
    pub published: Option<Timestamp>,
}

/// What a poll brings that the store does not have.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    /// Never seen.
    pub new: Vec<Incoming>,
    /// Seen with other content.
    pub edited: Vec<Incoming>,
    /// Seen under the key beside it: the entry keeps that one, and is known by both from now on.
    pub moved: Vec<(EntryKey, Incoming)>,
}

/// Not a feed, and what it is instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// Nothing, or white space.
    #[error("the body is empty")]
    Empty,
    /// An HTML page; its title or first readable line.
    #[error("a web page, not a feed: {0}")]
    Html(String),
    /// Something else; the first readable line.
    #[error("not a feed: {0}")]
    NotAFeed(String),
    /// A feed cut before its first whole item.
    #[error("the feed is cut off before its first whole item")]
    Truncated,
    /// A feed root with items of which none could be read.
    #[error("the feed has items that cannot be read: {0}")]
    Unreadable(String),
}

/// A feed that a page names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Absolute URL.
    pub url: String,
    /// As the page names it; may be empty.
    pub title: String,
    /// `RSS`, `Atom`, `JSON Feed`; empty when unknown.
    pub kind: String,
}

/// What an import brought: subscriptions in the file's order, and what could not be taken over.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Imported {
    /// In the order of the file, duplicates included.
    pub subscriptions: Vec<Subscription>,
    /// Lines left out, each with its reason.
    pub skipped: Vec<Skipped>,
    /// Lines taken over that a person should know of, each with what to know.
    pub noted: Vec<Skipped>,
}

/// A part of an imported file that is no subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// From 1.
    pub line: usize,
    /// The line, or the outline's title; clean.
    pub text: String,
    /// A short sentence.
    pub why: String,
}

/// How the bytes of a body are read as text, whatever they hold.
pub fn charset(bytes: &[u8], content_type: Option<&str>) -> Charset {
    decode::decode(bytes, content_type).charset
}

/// SHA-256 of a decoded body (R16).
pub fn body_hash(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Reads a feed of any kind. `content_type` is the header's value, `base` the URL that answered.
/// A valid feed without entries is `Ok`; entries of which none can be read are an error.
pub fn parse(bytes: &[u8], content_type: Option<&str>, base: &str) -> Result<Parsed, ParseError> {
    let decoded = decode::decode(bytes, content_type);
    let text = decoded.text.as_ref();
    if text
        .chars()
        .all(|c| c.is_whitespace() || sanitize::is_forbidden(c))
    {
        return Err(ParseError::Empty);
    }
    let base = Base::new(base);
    let mut reader = feed::Reader::new(&base);
    // Room for all at once: a list of many small entries that grows is twice in memory each time.
    let mut entries = Vec::with_capacity(repair::expected(text));
    let mut sink = |chunk: &mut repair::Chunk| reader.entries(chunk, &mut entries);
    let Some(mut repaired) = repair::repair(text, &base, &mut sink) else {
        return Err(stranger::name(text));
    };
    let truncated = repaired.cut || decoded.cut;
    if entries.is_empty() && truncated {
        return Err(ParseError::Truncated);
    }
    if entries.is_empty() && repaired.items > 0 {
        return Err(ParseError::Unreadable(format!(
            "{} of them",
            repaired.items
        )));
    }
    let (title, site) = reader.head(&mut repaired.head);
    identity::decide(&mut entries);
    let mut repairs = decoded.repairs;
    repairs.extend(repaired.repairs);
    if reader.lost > 0 {
        repairs.push("unreadable entries left out");
    }
    Ok(Parsed {
        kind: kind_of(text),
        charset: decoded.charset,
        title,
        site,
        hubs: repaired.hubs,
        wishes: repaired.wishes,
        entries_hash: entries_hash(&entries),
        entries,
        truncated,
        repairs,
    })
}

/// What family a document belongs to that holds a feed.
fn kind_of(text: &str) -> &'static str {
    if text.trim_start().starts_with('{') {
        return "JSON Feed";
    }
    for token in tokens::Tokens::new(text) {
        let tokens::Token::Start(tag) = token else {
            continue;
        };
        let name = tag.name.rsplit(':').next().unwrap_or("");
        match name.to_ascii_lowercase().as_str() {
            "feed" | "entry" => return "Atom",
            "rdf" => return "RSS 1.0",
            "rss" | "channel" | "item" => return "RSS",
            _ => {}
        }
    }
    "RSS"
}

/// Over the sorted hashes: order and channel fields do not count (R17).
fn entries_hash(entries: &[Incoming]) -> [u8; 32] {
    let mut hashes: Vec<_> = entries.iter().map(|entry| &entry.content_hash).collect();
    hashes.sort_unstable();
    let mut all = Sha256::new();
    for hash in hashes {
        all.update(hash);
    }
    all.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Markup;

    const BASE: &str = "https://a.example/feed";

    fn read(document: &str) -> Result<Parsed, ParseError> {
        parse(document.as_bytes(), None, BASE)
    }

    #[test]
    fn what_is_no_feed_is_named() {
        let html = |line: &str| Err(ParseError::Html(line.to_owned()));
        let other = |line: &str| Err(ParseError::NotAFeed(line.to_owned()));
        for (document, want) in [
            ("", Err(ParseError::Empty)),
            (" \n\u{feff}\0", Err(ParseError::Empty)),
            (
                "<!DOCTYPE html><html><head><title>\n Log &amp; in \u{1b}</title></head><p>x",
                html("Log & in"),
            ),
            (
                "<html><style>p{}</style><body><h1>Not found</h1>",
                html("Not found"),
            ),
            ("<div>Just a moment...</div>", html("Just a moment...")),
            ("\n\n502 Bad Gateway\nnginx", other("502 Bad Gateway")),
            ("{\"error\": \"no\"}", other("{\"error\": \"no\"}")),
            (
                "<?xml version='1.0'?><opml version='2.0'/>",
                other("<opml>"),
            ),
            (
                "<rss><channel><title>T</title><item><title>On",
                Err(ParseError::Truncated),
            ),
        ] {
            assert_eq!(
                read(document).map(|p| p.entries.len()),
                want,
                "{document:?}"
            );
        }
    }

    #[test]
    fn a_feed_without_entries_is_a_feed() {
        for document in [
            "<rss version='2.0'><channel><title>T</title></channel></rss>",
            "<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title></feed>",
            "{\"version\": \"https://jsonfeed.org/version/1\", \"title\": \"T\"}",
        ] {
            let parsed = read(document).expect("a feed");
            assert_eq!(
                (
                    parsed.title.as_str(),
                    parsed.entries.len(),
                    parsed.truncated
                ),
                ("T", 0, false)
            );
        }
    }

    #[test]
    fn a_cut_feed_gives_its_whole_entries_and_says_so() {
        let whole = "<item><guid>1</guid><title>One</title></item>";
        for (rest, entries) in [
            ("", 1),
            ("<item><guid>2</guid><title>Tw", 1),
            ("<item><guid>2</guid><title>Two</title><description>te", 1),
            (
                "<item><guid>2</guid><title>Two</title><pubDate>2024-03-05</pubDate><description>te",
                2,
            ),
        ] {
            let parsed = read(&format!("<rss><channel>{whole}{rest}")).expect("a feed");
            assert!(parsed.truncated, "{rest}");
            assert_eq!(parsed.entries.len(), entries, "{rest}");
        }
    }

    #[test]
    fn the_channel_is_read_with_its_wishes() {
        let parsed = read(
            "<rss version='2.0' xmlns:sy='http://purl.org/rss/1.0/modules/syndication/' xmlns:atom='http://www.w3.org/2005/Atom'>\
             <channel><title>T &amp;amp; U</title><link>/home</link><ttl>60</ttl><skipHours><hour>3</hour><hour>24</hour></skipHours>\
             <skipDays><day>Monday</day></skipDays><sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>\
             <image><title>Not the title</title><link>/not</link></image><atom:link rel='hub' href='https://hub.example/'/>\
             </channel></rss>",
        )
        .expect("a feed");
        assert_eq!(parsed.title, "T & U");
        assert_eq!(parsed.site.as_deref(), Some("https://a.example/home"));
        assert_eq!(parsed.hubs, ["https://hub.example/"]);
        assert_eq!(
            parsed.wishes,
            Wishes {
                ttl: 3600,
                update_period: 21_600,
                skip_hours: 0b1001,
                skip_days: 1
            }
        );
    }

    #[test]
    fn an_entry_is_read_with_all_a_reader_uses() {
        let parsed = read(
            "<rss version='2.0'><channel><item><guid isPermaLink='false'>g</guid><title>One</title><link>/1</link>\
             <pubDate>Tue, 05 Mar 2024 06:07:08 GMT</pubDate><dc:date>2020-01-01</dc:date><author>ann@a.example (Ann)</author>\
             <category>x</category><dc:subject>y</dc:subject><comments>/1#c</comments><itunes:duration>1:02:03</itunes:duration>\
             <enclosure url='/1.mp3' type='audio/mpeg' length='7'/><description>short</description>\
             <content:encoded xml:base='http://b.example/'><![CDATA[<p>long</p>]]></content:encoded></item></channel></rss>",
        )
        .expect("a feed");
        let entry = &parsed.entries[0];
        assert_eq!(entry.published, Some(Timestamp(1_709_618_828)));
        assert_eq!(entry.author, "Ann");
        assert_eq!(entry.link.as_deref(), Some("https://a.example/1"));
        assert_eq!(
            entry.body.comments.as_deref(),
            Some("https://a.example/1#c")
        );
        assert_eq!(entry.body.categories, ["x", "y"]);
        assert_eq!(
            (entry.body.text.as_str(), entry.body.markup),
            ("<p>long</p>", Markup::Html)
        );
        assert_eq!(entry.body.base.as_deref(), Some("http://b.example/"));
        let enclosure = &entry.enclosures[0];
        assert_eq!(enclosure.url, "https://a.example/1.mp3");
        assert_eq!(enclosure.media_type, "audio/mpeg");
        assert_eq!(
            (enclosure.length, enclosure.duration),
            (Some(7), Some(3723))
        );
    }

    #[test]
    fn entries_of_unknown_elements_alone_are_told_apart_by_them() {
        let entries = |inside: &str| {
            let document = format!("<feed xmlns='http://www.w3.org/2005/Atom'>{inside}</feed>");
            read(&document).expect("a feed").entries
        };
        let (a, b) = (
            "<entry><x:id>a</x:id></entry>",
            "<entry><x:id>b</x:id></entry>",
        );
        let keys = |inside: &str| -> Vec<_> { entries(inside).iter().map(|e| e.key).collect() };
        let both = keys(&format!("{a}{b}{a}"));
        assert_eq!(both.len(), 2);
        assert_eq!(keys(&format!("{b}{a}")), [both[1], both[0]]);
    }

    #[test]
    fn what_no_reader_sees_is_no_change() {
        let feed = |built: &str, title: &str, last: &str| {
            let document = format!(
                "<rss><channel><lastBuildDate>{built}</lastBuildDate><!-- {built} --><item><guid>1</guid><title>{title}</title></item>{last}</channel></rss>"
            );
            read(&document).expect("a feed").entries_hash
        };
        let two = "<item><guid>2</guid></item>";
        assert_eq!(feed("a", "One", ""), feed("b", "One", ""));
        assert_ne!(feed("a", "One", ""), feed("a", "Edited", ""));
        assert_ne!(feed("a", "One", ""), feed("a", "One", two));
    }
}
