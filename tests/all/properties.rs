//! What must hold of every feed: the same bytes give the same keys, in any order of entries, and nothing panics.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use tidings::article::{self, sanitize::is_forbidden};
use tidings::model::{EntryId, EntryKey, FeedId, Incoming};
use tidings::parse::{self, KnownEntry};

const BASE: &str = "https://a.example/feed";

/// An item as feeds have them: any field may be missing or repeat another item's.
#[derive(Debug, Clone)]
struct Item {
    guid: Option<u8>,
    link: Option<u8>,
    title: Option<u8>,
    date: Option<u8>,
    text: u8,
}

prop_compose! {
    fn item()(
        guid in proptest::option::of(0..4_u8),
        link in proptest::option::of(0..4_u8),
        title in proptest::option::of(0..4_u8),
        date in proptest::option::of(1..9_u8),
        text in 0..9_u8,
    ) -> Item {
        Item { guid, link, title, date, text }
    }
}

fn document(items: &[Item]) -> String {
    let mut text = String::from("<rss version='2.0'><channel><title>T</title>");
    for item in items {
        text.push_str("<item>");
        if let Some(n) = item.guid {
            let _ = write!(text, "<guid isPermaLink='false'>g{n}</guid>");
        }
        if let Some(n) = item.link {
            let _ = write!(text, "<link>http://a.example/{n}?utm_source=rss</link>");
        }
        if let Some(n) = item.title {
            let _ = write!(text, "<title>Title {n}</title>");
        }
        if let Some(n) = item.date {
            let _ = write!(text, "<pubDate>Tue, 0{n} Mar 2024 06:07:08 GMT</pubDate>");
        }
        let _ = write!(text, "<description>text {}</description></item>", item.text);
    }
    text.push_str("</channel></rss>");
    text
}

fn keys(document: &str) -> Vec<EntryKey> {
    let parsed = parse::parse(document.as_bytes(), None, BASE).expect("a feed");
    parsed.entries.iter().map(|entry| entry.key).collect()
}

fn sorted(mut keys: Vec<EntryKey>) -> Vec<EntryKey> {
    keys.sort();
    keys
}

/// The bytes of feeds that are then spoilt.
const SEEDS: &[&str] = &[
    "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><!DOCTYPE rss [<!ENTITY a \"b\">]><rss version=\"2.0\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><channel><title>T</title><ttl>60</ttl><skipHours><hour>3</hour></skipHours><item><title>One &amp; <b>two</b></title><link>http://a.example/1</link><guid>1</guid><dc:date>2024-03-05T06:07:08+01:00</dc:date><description><![CDATA[<p>x</p>]]></description><enclosure url='http://a.example/a.mp3' length='1' type='audio/mpeg'/></item></channel></rss>",
    "<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:base='http://b.example/'><title type='html'>&lt;i&gt;T</title><entry><id>urn:1</id><title type=\"xhtml\"><div>An <em>x</em></div></title><link rel='alternate' href='p/1'/><updated>2024-03-05T06:07:08Z</updated><author><name>Ann</name></author><content type='html'>&lt;p&gt;é…&lt;/p&gt;</content></entry></feed>",
    "{\"version\": \"https://jsonfeed.org/version/1.1\", \"title\": \"T\", \"items\": [{\"id\": 1, \"url\": \"/1\", \"title\": \"One\", \"content_html\": \"<p>x</p>\", \"date_published\": \"2024-03-05 06:07:08\", \"attachments\": [{\"url\": \"a.mp3\"}]}]}",
];

#[derive(Debug, Clone)]
enum Spoil {
    Cut(usize),
    Set(usize, u8),
    Copy(usize, usize, usize),
    Insert(usize, &'static str),
}

fn spoil() -> impl Strategy<Value = Spoil> {
    let pieces = prop::sample::select(vec![
        "<",
        ">",
        "\"",
        "'",
        "&",
        "&#",
        "]]>",
        "<![CDATA[",
        "<!--",
        "</item>",
        "<item>",
        "<title>",
        "</",
        "\0",
        "\u{1b}",
        "é",
        "\u{202e}",
        "\r",
        "xmlns='x'",
        "{",
        "[",
    ]);
    prop_oneof![
        1 => (0..2000_usize).prop_map(Spoil::Cut),
        4 => (0..2000_usize, any::<u8>()).prop_map(|(at, byte)| Spoil::Set(at, byte)),
        2 => (0..2000_usize, 0..2000_usize, 0..200_usize).prop_map(|(from, to, len)| Spoil::Copy(from, to, len)),
        4 => (0..2000_usize, pieces).prop_map(|(at, piece)| Spoil::Insert(at, piece)),
    ]
}

fn spoilt(seed: &str, spoils: &[Spoil]) -> Vec<u8> {
    let mut bytes = seed.as_bytes().to_vec();
    for spoil in spoils {
        if bytes.is_empty() {
            break;
        }
        let len = bytes.len();
        match spoil {
            Spoil::Cut(at) => bytes.truncate(at % len),
            Spoil::Set(at, byte) => bytes[at % len] = *byte,
            Spoil::Copy(from, to, length) => {
                let from = from % len;
                let piece = bytes[from..len.min(from + length)].to_vec();
                let to = to % len;
                bytes.splice(to..to, piece);
            }
            Spoil::Insert(at, piece) => {
                let at = at % len;
                bytes.splice(at..at, piece.bytes());
            }
        }
    }
    bytes
}

/// What could steer a terminal, in the ways a feed can write it.
fn nasty() -> impl Strategy<Value = String> {
    let pieces = vec![
        "a",
        "é",
        " ",
        "\u{1b}[31m",
        "\u{1b}]0;x\u{7}",
        "\u{9b}2J",
        "\u{202e}",
        "\u{2066}",
        "\u{61c}",
        "\u{200e}",
        "\u{0}",
        "\u{7f}",
        "\u{85}",
        "\u{2028}",
        "\u{200b}",
        "\u{feff}",
        "\u{e0001}",
        "\r\n",
        "\r",
        "&#27;",
        "&#x1b;[0m",
        "&#155;",
        "&#8238;",
        "&amp;#27;",
        "&amp;amp;#x202e;",
        "%1b",
        "<b>",
        "]]>",
        "\\u001b",
        "../",
        "/",
    ];
    proptest::collection::vec(prop::sample::select(pieces), 0..8).prop_map(|pieces| pieces.concat())
}

/// The same strings in every field of every dialect.
fn steering(text: &str) -> [String; 4] {
    let rss = |text: &str| {
        format!(
            "<rss><channel><title>{text}</title><link>{text}</link><item><guid>{text}</guid><title>{text}</title>\
             <link>http://a.example/{text}</link><author>{text}</author><category>{text}</category>\
             <description>{text}</description><enclosure url='http://a.example/{text}' type='{text}'/>\
             <comments>http://a.example/{text}</comments><itunes:image href='/{text}'/></item></channel></rss>"
        )
    };
    let atom = format!(
        "<feed xmlns='http://www.w3.org/2005/Atom'><title type='html'>{text}</title><link rel='hub' href='/{text}'/>\
         <entry xml:base='http://b.example/{text}'><id>{text}</id><title>{text}</title><link href='{text}'/>\
         <author><name>{text}</name></author><category term='{text}'/><content type='text'>{text}</content></entry></feed>"
    );
    let json = serde_json::json!({"version": "https://jsonfeed.org/version/1.1", "title": text, "hubs": [{"url": text}],
        "items": [{"id": text, "url": text, "title": text, "content_html": text, "tags": [text], "image": text,
            "authors": [{"name": text}], "attachments": [{"url": text, "mime_type": text}]}]});
    let quoted = rss(&format!("<![CDATA[{text}]]>"));
    [rss(text), quoted, atom, json.to_string()]
}

fn line(text: &str) -> Result<(), TestCaseError> {
    let bad = text.chars().find(|c| is_forbidden(*c));
    prop_assert_eq!(bad, None, "{:?}", text);
    Ok(())
}

/// Goes to browsers, players and file names: nothing but printable ASCII.
fn address(url: &str) -> Result<(), TestCaseError> {
    prop_assert!(url.bytes().all(|b| b.is_ascii_graphic()), "{:?}", url);
    Ok(())
}

/// Every field that leaves an entry, and the page that is made of it.
fn harmless(entry: &Incoming) -> Result<(), TestCaseError> {
    for text in [&entry.guid, &entry.title, &entry.author] {
        line(text)?;
    }
    for name in &entry.body.categories {
        line(name)?;
    }
    for enclosure in &entry.enclosures {
        address(&enclosure.url)?;
        line(&enclosure.media_type)?;
    }
    let body = &entry.body;
    let base = body.base.as_deref().map(str::to_owned);
    for url in [&entry.link, &body.comments, &base, &body.image] {
        address(url.as_deref().unwrap_or(""))?;
    }
    for part in body.text.split(['\n', '\t']) {
        line(part)?;
    }
    let document = article::document(body);
    for row in article::layout(&document, 40).rows {
        line(&row.text())?;
    }
    for link in document.links.iter() {
        line(&link.url)?;
    }
    for part in article::plain(&document, 40).split('\n') {
        line(part)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_same_bytes_give_the_same_keys_and_none_twice(items in proptest::collection::vec(item(), 1..12)) {
        let document = document(&items);
        let first = keys(&document);
        prop_assert_eq!(&first, &keys(&document));
        let mut unique = sorted(first.clone());
        unique.dedup();
        prop_assert_eq!(unique.len(), first.len());
    }

    #[test]
    fn order_does_not_change_a_key(items in proptest::collection::vec(item(), 1..12).prop_shuffle()) {
        let mut reversed = items.clone();
        reversed.reverse();
        prop_assert_eq!(sorted(keys(&document(&items))), sorted(keys(&document(&reversed))));
    }

    #[test]
    fn a_refresh_of_the_same_content_adds_nothing(items in proptest::collection::vec(item(), 1..12)) {
        let parsed = parse::parse(document(&items).as_bytes(), None, BASE).expect("a feed");
        let known: Vec<_> = parsed.entries.iter()
            .map(|entry| Some(KnownEntry { content_hash: Some(entry.content_hash) }))
            .collect();
        let changes = parse::change(parsed.entries, &known, &BTreeMap::new());
        prop_assert!(changes.new.is_empty() && changes.edited.is_empty());
    }

    #[test]
    fn spoilt_bytes_never_panic_and_are_read_alike_twice(
        seed in prop::sample::select(SEEDS),
        spoils in proptest::collection::vec(spoil(), 1..12),
    ) {
        let bytes = spoilt(seed, &spoils);
        let first = parse::parse(&bytes, Some("text/xml; charset=utf-8"), BASE);
        let second = parse::parse(&bytes, Some("text/xml; charset=utf-8"), BASE);
        prop_assert_eq!(first, second);
        parse::discover(&bytes, None, BASE);
        let text = String::from_utf8_lossy(&bytes);
        let _ = parse::opml::read(&text);
        parse::urls::read(&text);
    }

    #[test]
    fn the_same_guid_in_two_feeds_is_two_entries(items in proptest::collection::vec(item(), 1..12)) {
        // The feed is the other half of an entry's identity: the same bytes from two feeds have the same keys, never the same ids.
        let document = document(&items);
        let ids = |feed| -> HashSet<EntryId> {
            keys(&document).into_iter().map(|key| EntryId { feed: FeedId(feed), key }).collect()
        };
        prop_assert!(ids(1).is_disjoint(&ids(2)));
        prop_assert_eq!(ids(1).len(), ids(2).len());
    }

    #[test]
    fn nothing_of_a_feed_steers_a_terminal(text in nasty()) {
        for document in steering(&text) {
            let parsed = match parse::parse(document.as_bytes(), None, BASE) {
                Ok(parsed) => parsed,
                Err(error) => {
                    line(&error.to_string())?;
                    continue;
                }
            };
            line(&parsed.title)?;
            for url in parsed.site.iter().chain(&parsed.hubs) {
                address(url)?;
            }
            let changes = parse::change(parsed.entries, &[], &BTreeMap::new());
            for entry in &changes.new {
                harmless(entry)?;
            }
        }
    }

    #[test]
    fn any_text_is_a_date_or_none(text in "\\PC{0,40}") {
        let document = format!("<rss><channel><item><guid>1</guid><pubDate>{text}</pubDate></item></channel></rss>");
        let _ = parse::parse(document.as_bytes(), None, BASE);
    }

    #[test]
    fn numbers_and_words_are_a_date_or_none(text in "([0-9]{1,5}|[:/.,+-]| |T|Z|Mar|mai|GMT|AM|h|W|年){0,12}") {
        let document = format!("<rss><channel><item><guid>1</guid><pubDate>{text}</pubDate></item></channel></rss>");
        let _ = parse::parse(document.as_bytes(), None, BASE);
    }
}
