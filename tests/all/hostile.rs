//! Documents made to break a reader: deep, long, endless, unclosed. Each is read in one pass or refused; none panics,
//! overflows the stack or takes quadratic time (which here would be hours).

use tidings::parse::{self, ParseError, Parsed};

const BASE: &str = "https://a.example/feed";
const ITEM: &str = "<item><guid>whole</guid><title>Whole</title></item>";

fn read(document: &str) -> Result<Parsed, ParseError> {
    parse::parse(document.as_bytes(), None, BASE)
}

fn channel(inside: &str) -> String {
    format!("<rss version=\"2.0\"><channel><title>T</title>{inside}{ITEM}</channel></rss>")
}

fn whole_item_survives(document: &str, what: &str) {
    let parsed = read(document).unwrap_or_else(|error| panic!("{what}: {error}"));
    let found = parsed.entries.iter().any(|entry| entry.guid == "whole");
    assert!(found, "{what}");
}

#[test]
fn depth_is_no_burden_wherever_it_is() {
    let deep = "<a>".repeat(100_000);
    let closed = format!("{deep}{}", "</a>".repeat(100_000));
    for (what, document) in [
        (
            "in a text",
            channel(&format!(
                "<item><guid>1</guid><description>{closed}</description></item>"
            )),
        ),
        (
            "in an open text",
            channel(&format!("<item><guid>1</guid><description>{deep}</item>")),
        ),
        (
            "in a title",
            channel(&format!("<item><guid>1</guid><title>{deep}</title></item>")),
        ),
        (
            "in an entry",
            channel(&format!("<item>{deep}<guid>1</guid></item>")),
        ),
        ("in the channel", channel(&closed)),
        ("open in the channel", channel(&deep)),
        ("before the feed", format!("{deep}{}", channel(""))),
        ("of entries", channel(&"<item>".repeat(100_000))),
        ("of channels", channel(&"<channel>".repeat(100_000))),
        ("of one field", channel(&"<description>".repeat(100_000))),
        (
            "of groups",
            channel(&format!("<item>{}</item>", "<media:group>".repeat(100_000))),
        ),
    ] {
        whole_item_survives(&document, what);
    }
}

#[test]
fn length_is_no_burden_wherever_it_is() {
    let long = "x".repeat(10_000_000);
    for (what, inside) in [
        (
            "attribute",
            format!("<item a=\"{long}\"><guid>1</guid></item>"),
        ),
        (
            "address",
            format!("<item><link>http://a.example/{long}</link></item>"),
        ),
        ("name", format!("<{long}></{long}>")),
        ("title", format!("<item><title>{long}</title></item>")),
        ("comment", format!("<!-- {long} -->")),
    ] {
        whole_item_survives(&channel(&inside), what);
    }
}

#[test]
fn what_never_ends_is_read_once() {
    for part in [
        "<a b=\"",
        "<a b='",
        "<x\" b=\"",
        "<a b=\"<",
        "<![CDATA[",
        "<!--",
        "<!DOCTYPE [",
        "<!x",
        "<?",
        "</",
        "<",
        "&",
        "&#",
        "<a",
        "<item",
        "<foo>",
        "<title>",
        "<link>",
        "<item><title>",
        "<author><name>",
        "<category a=",
        "]]>",
        "<media:content url='x'>",
        "<a xmlns:b='c'>",
        "<enclosure url='http://a/'/>",
        "<pubDate>x</pubDate>",
    ] {
        let many = part.repeat(8_000);
        for document in [
            many.clone(),
            format!("<rss><channel>{many}"),
            format!("<rss><channel><item><guid>1</guid>{many}"),
            format!(
                "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id><content type='xhtml'>{many}"
            ),
            format!("{{\"items\":[{many}"),
        ] {
            // Any answer is right; giving one is the test.
            let _ = read(&document);
            let _ = parse::discover(document.as_bytes(), None, BASE);
            let _ = parse::opml::read(&document);
        }
    }
}

#[test]
fn entities_do_not_explode() {
    let long = "x".repeat(1000);
    let uses = "&a;".repeat(300_000);
    let document = format!(
        "<!DOCTYPE rss [<!ENTITY a \"{long}\">]><rss><channel><item><guid>1</guid><description>{uses}</description></item></channel></rss>"
    );
    let parsed = read(&document).expect("a feed");
    assert!(parsed.entries[0].body.text.len() < 2_000_000);
}

#[test]
fn json_made_to_overflow_is_refused() {
    let deep = format!("{{\"items\":{}", "[".repeat(200_000));
    assert!(read(&deep).is_err());
    let wide = format!("{{\"items\":[{}1]}}", "1,".repeat(20_000));
    assert!(read(&wide).is_err(), "numbers are no items");
}

#[test]
fn a_packed_bomb_is_cut() {
    use std::io::Write;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer
        .write_all(b"<rss><channel><item><guid>1</guid></item>")
        .expect("in memory");
    for _ in 0..64 {
        packer
            .write_all(&vec![b' '; 1024 * 1024])
            .expect("in memory");
    }
    let bytes = packer.finish().expect("in memory");
    let parsed = parse::parse(&bytes, None, BASE).expect("what was read before the limit");
    assert!(parsed.truncated);
    assert_eq!(parsed.entries.len(), 1);
}

#[test]
fn no_control_reaches_an_entry() {
    let bad = "a\u{1b}[31m\u{9b}\u{202e}\u{7}\u{0}b&#27;&#x9b;&#8238;";
    let document = format!(
        "<rss><channel><title>{bad}</title><item><guid>{bad}</guid><title>{bad}</title><link>http://a.example/{bad}</link>\
         <author>{bad}</author><category>{bad}</category><description>{bad}</description>\
         <enclosure url='http://a.example/{bad}' type='{bad}'/><comments>http://a.example/{bad}</comments></item></channel></rss>"
    );
    let parsed = read(&document).expect("a feed");
    let entry = &parsed.entries[0];
    let shown = format!("{parsed:?}");
    let mut all = vec![
        parsed.title.as_str(),
        &entry.guid,
        &entry.title,
        &entry.author,
        &entry.body.text,
    ];
    all.extend(entry.link.as_deref());
    all.extend(entry.body.comments.as_deref());
    all.extend(entry.body.categories.iter().map(String::as_str));
    all.extend(
        entry
            .enclosures
            .iter()
            .flat_map(|e| [e.url.as_str(), &e.media_type]),
    );
    for text in all {
        let bad = text
            .chars()
            .find(|c| tidings::article::sanitize::is_forbidden(*c));
        assert_eq!(bad, None, "{text:?} in {shown}");
    }
}
