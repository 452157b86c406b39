//! What must hold of every feed: the same bytes give the same keys, in any order of entries, and nothing panics.

use std::fmt::Write;

use proptest::prelude::*;
use tidings::model::EntryKey;
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
        let changes = parse::change(parsed.entries, &known);
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
