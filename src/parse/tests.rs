//! Reading whole documents.

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
            other(
                "OPML, a list of feeds; `tidings import` reads it once, `tidings add --kind list` follows it",
            ),
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

#[test]
fn what_surrounds_a_feed_does_not_hide_it() {
    let item = "<item><guid>1</guid><title>One</title></item>";
    let feed = format!("<rss version='2.0'><channel>{item}</channel></rss>");
    for document in [
        format!("<s:Envelope xmlns:s='urn:x'><s:Body>{feed}</s:Body></s:Envelope>"),
        format!("<rss><channel><!-- never ends {item}</channel></rss>"),
        format!("<rss><channel><item><title><![CDATA[a]]</title></item>{item}</channel></rss>"),
    ] {
        let entries = read(&document).expect("a feed").entries;
        let last = entries.last().expect("an entry");
        assert_eq!(last.title, "One", "{document}");
    }
}

#[test]
fn entries_of_the_other_format_are_entries() {
    let entry =
        "<entry><id>1</id><title>One</title><link href='/1'/><updated>2024-03-05</updated></entry>";
    let item =
        "<item><guid>1</guid><title>One</title><link>/1</link><pubDate>2024-03-05</pubDate></item>";
    let inner = "<item><guid>1</guid><entry><title>Not this</title></entry><title>One</title>\
         <link>/1</link><pubDate>2024-03-05</pubDate></item>";
    for document in [
        format!("<rss version='2.0'><channel>{entry}</channel></rss>"),
        format!("<feed xmlns='http://www.w3.org/2005/Atom'>{item}</feed>"),
        format!("<rss version='2.0'><channel>{inner}</channel></rss>"),
    ] {
        let entries = read(&document).expect("a feed").entries;
        assert_eq!(entries.len(), 1, "{document}");
        let got = (
            &*entries[0].guid,
            &*entries[0].title,
            entries[0].link.as_deref(),
        );
        assert_eq!(got, ("1", "One", Some("https://a.example/1")), "{document}");
        assert_eq!(entries[0].published, Some(Timestamp(1_709_596_800)));
    }
}

#[test]
fn of_too_many_entries_the_first_are_kept() {
    let item = |n| format!("<item><guid>{n}</guid></item>");
    let items: String = (0..40_000).map(item).collect();
    let parsed = read(&format!("<rss><channel>{items}</channel></rss>")).expect("a feed");
    assert_eq!(parsed.entries.len(), 10_000);
    assert_eq!(parsed.entries[9_999].guid, "9999");
    assert!(parsed.repairs.contains(&"more entries than can be kept"));
    // Blank ones are one, and take no place from the others.
    for blank in ["<item/>", "<item>", "<item></item>"] {
        let items = blank.repeat(20_000);
        let document = format!("<rss><channel>{items}<item><guid>1</guid></item></channel></rss>");
        let guids: Vec<_> = read(&document).expect("a feed").entries;
        let guids: Vec<_> = guids.iter().map(|entry| entry.guid.as_str()).collect();
        assert_eq!(guids, ["", "1"], "{blank}");
    }
}

#[test]
fn a_link_behind_its_own_end_is_the_link() {
    let item =
        |link: &str| format!("<rss><channel><item><guid>g</guid>{link}</item></channel></rss>");
    for (link, want) in [
        ("<link/>https://a.example/1", Some("https://a.example/1")),
        ("<link/> some words", None),
        ("<link/><comments>https://a.example/2</comments>", None),
    ] {
        let entries = read(&item(link)).expect("a feed").entries;
        assert_eq!(entries[0].link.as_deref(), want, "{link}");
    }
}

#[test]
fn r81_a_feed_names_its_older_documents_and_says_whether_it_is_whole() {
    let paging = |text: &str| {
        let parsed = parse(text.as_bytes(), None, "https://a.example/blog/feed").expect("a feed");
        let Paging {
            archive,
            next,
            complete,
        } = parsed.paging;
        (archive, next, complete)
    };
    let at = |path: &str| Some(format!("https://a.example/{path}"));
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:h='http://purl.org/syndication/history/1.0'>\
        <h:complete/><link rel='prev-archive' href='2.xml'/>\
        <link rel='http://www.iana.org/assignments/relation/next' href='/feed?page=2'/><link rel='next' href='/other'/>\
        <entry><id>1</id><link rel='next' href='/entry'/></entry></feed>";
    assert_eq!(paging(atom), (at("blog/2.xml"), at("feed?page=2"), true));
    let rss = "<rss version='2.0'><channel><title>x</title><item><guid>1</guid><fh:complete/></item>\
        <atom:link rel='next' href='https://a.example/?paged=2'/></channel></rss>";
    assert_eq!(paging(rss), (None, at("?paged=2"), false));
    let json = r#"{"version":"https://jsonfeed.org/version/1.1","next_url":"p2.json","items":[]}"#;
    assert_eq!(paging(json), (None, at("blog/p2.json"), false));
}
