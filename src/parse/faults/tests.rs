use super::*;
use crate::parse::parse;

fn of(document: &[u8]) -> Vec<&'static str> {
    let parsed = parse(document, None, "https://a.example/").expect("a feed");
    faults(document, None, &parsed)
}

fn rss(head: &str, item: &str) -> Vec<&'static str> {
    let document = format!(
        "<?xml version='1.0'?><rss version='2.0'{head}><channel><title>T</title><item><guid>1</guid>{item}</item></channel></rss>"
    );
    of(document.as_bytes())
}

#[test]
fn a_good_feed_has_no_fault() {
    let head = " xmlns:dc='http://purl.org/dc/elements/1.1/'";
    let item = "<title>A &amp; B &#8212; C</title><link>https://a.example/?a=1&amp;b=2</link><dc:date>2024-03-05</dc:date>\
        <pubDate>Tue, 05 Mar 2024 06:07:08 GMT</pubDate><description><![CDATA[<p>Fish & chips <br>]]></description>";
    assert_eq!(rss(head, item), [""; 0]);
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title><entry><id>1</id><updated>2024-03-05T06:07:08Z</updated>\
        <content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><p>x<br/></p></div></content></entry></feed>";
    assert_eq!(of(atom.as_bytes()), [""; 0]);
    let json = r#"{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"1","content_text":"x","date_published":"2024-03-05T06:07:08Z"}]}"#;
    assert_eq!(of(json.as_bytes()), [""; 0]);
}

#[test]
fn every_fault_is_called_by_its_name() {
    for (item, want) in [
        ("<title>A & B</title>", "bare &"),
        ("<title>A < B</title>", "bare <"),
        ("<title>A &nbsp; B</title>", "HTML entities"),
        (
            "<title>A &#146; B</title>",
            "references to control characters",
        ),
        ("<title>A \u{8} B</title>", "control characters"),
        ("<title>A &amp;amp; B</title>", "titles escaped twice"),
        ("<TITLE>A</TITLE>", "tags in odd case"),
        ("<dc:creator>A</dc:creator>", "undeclared prefixes"),
        (
            "<description>A <b>bold</b> word</description>",
            "unescaped markup",
        ),
        (
            "<enclosure type='a=b' url=/x.mp3 />",
            "attributes without quotes",
        ),
        ("<link>/x</link>", "relative links"),
        (
            "<title>A</title><category>x</item><item>",
            "tags that are not closed",
        ),
        ("<title>A</title></author>", "end tags without a beginning"),
        ("<pubDate>5 March 2024</pubDate>", "dates in an odd form"),
        ("<pubDate>some day</pubDate>", "dates that cannot be read"),
        (
            "<title>A</title></item><item><guid>1</guid><title>B</title>",
            "ids that repeat",
        ),
        ("</item><item><title>B</title>", "entries without an id"),
        ("</item><item><guid>\n 2 </guid>", "blanks around ids"),
    ] {
        let found = rss("", item);
        assert!(found.contains(&want), "{item}: {found:?}");
    }
    for (document, want) in [
        (
            "\n<?xml version='1.0'?><rss version='2.0'><channel><title>T</title></channel></rss>",
            "blanks before the XML declaration",
        ),
        (
            "<rss version='2.0'><channel><title>T</title></channel></rss><script>x</script>",
            "junk after the end",
        ),
        (
            "<rss version='2.0'><channel><title>T</title></channel></rss>\0\0",
            "zeros after the end",
        ),
        (
            "<rss version='2.0' xmlns='http://backend.userland.com/rss2'><channel><title>T</title></channel></rss>",
            "RSS in a namespace",
        ),
        (
            "<rss version='2.0'><channel><title>T</title></channel><item><guid>1</guid></item></rss>",
            "items outside of the channel",
        ),
        (
            "<!DOCTYPE rss [<!ENTITY x 'y'>]><rss version='2.0'><channel><title>&x;</title></channel></rss>",
            "entities of its own",
        ),
        (
            "<?xml version='1.0' encoding='x-nonsense'?><rss version='2.0'><channel><title>T</title></channel></rss>",
            "unknown charset label",
        ),
        (
            "<?xml version='1.0' encoding='iso-8859-1'?><rss version='2.0'><channel><title>\u{fc}</title></channel></rss>",
            "wrong charset label",
        ),
        (
            "{\"version\":\"1\",\"title\":\"T\",\"items\":[{\"id\":1}]}",
            "id as number",
        ),
        (
            "{\"version\":\"1\",\"title\":\"T\",\"items\":[{\"id\":\"1\"}]}",
            "odd JSON Feed version",
        ),
    ] {
        let found = of(document.as_bytes());
        assert!(found.contains(&want), "{document}: {found:?}");
    }
}

#[test]
fn a_long_document_takes_no_longer_than_its_length() {
    let mut document = "<rss version='2.0'><channel><title>T</title>".to_owned();
    document.push_str(&"<x>".repeat(100_000));
    document.push_str(&"</y>".repeat(10_000));
    let parsed = Parsed::default();
    let began = std::time::Instant::now();
    faults(document.as_bytes(), None, &parsed);
    assert!(began.elapsed() < std::time::Duration::from_secs(60));
}
