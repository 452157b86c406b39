//! Reading a feed takes at most four times the memory of the document, itself included, whatever its shape: growing with
//! its size, never with its depth. A program of its own, for the allocator counts what all threads hold.
//! `TIDINGS_DOCUMENT_MB` sets the size (1).

use peak_alloc::PeakAlloc;
use tidings::parse;

#[global_allocator]
static HELD: PeakAlloc = PeakAlloc;

/// What does not grow with the document: buffers, and the entries that are kept however small they are.
const CONSTANT: usize = 5 * 1024 * 1024;

fn items(size: usize, body: &str) -> String {
    let item = |n: usize| {
        format!(
            "<item><guid>urn:{n}</guid><title>Title {n}</title><link>http://a.example/{n}</link>\
             <pubDate>Tue, 05 Mar 2024 06:07:08 GMT</pubDate><description>{body}</description></item>"
        )
    };
    let count = size / (item(0).len() + 8);
    (0..count).map(item).collect()
}

fn entries(size: usize) -> String {
    let entry = |n: usize| {
        format!(
            "<entry><id>urn:{n}</id><title>Title {n}</title><link href='http://a.example/{n}'/>\
             <updated>2024-03-05T06:07:08Z</updated><summary>a few words</summary></entry>"
        )
    };
    let count = size / (entry(0).len() + 8);
    let entries: String = (0..count).map(entry).collect();
    format!("<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title>{entries}</feed>")
}

fn json_items(size: usize) -> String {
    let item = |n: usize| {
        format!(
            "{{\"id\":\"urn:{n}\",\"url\":\"http://a.example/{n}\",\"title\":\"Title {n}\",\
             \"date_published\":\"2024-03-05T06:07:08Z\",\"content_text\":\"a few words\"}}"
        )
    };
    let count = size / (item(0).len() + 8);
    let items: Vec<_> = (0..count).map(item).collect();
    let version = "https://jsonfeed.org/version/1";
    format!(
        "{{\"version\":\"{version}\",\"items\":[{}]}}",
        items.join(",")
    )
}

fn episodes(size: usize) -> String {
    let item = |n: usize| {
        format!(
            "<item><guid>urn:{n}</guid><title>Title {n}</title><enclosure url='http://a.example/{n}.mp3' type='audio/mpeg' length='1'/>\
             <pubDate>Tue, 05 Mar 2024 06:07:08 GMT</pubDate><itunes:duration>60</itunes:duration><category>a</category></item>"
        )
    };
    let count = size / (item(0).len() + 8);
    (0..count).map(item).collect()
}

fn documents(size: usize) -> Vec<(&'static str, String)> {
    let channel = |inside: &str| {
        format!("<rss version='2.0'><channel><title>T</title>{inside}</channel></rss>")
    };
    let one = |body: &str| channel(&format!("<item><guid>1</guid>{body}</item>"));
    let tiny = |n| format!("<item><guid>{n}</guid></item>");
    let text = "x ".repeat(size / 2);
    let escaped = "&lt;p&gt;words &amp;amp; words".repeat(size / 30);
    vec![
        ("items", channel(&items(size, &"some words ".repeat(300)))),
        ("small items", channel(&items(size, "a few words"))),
        (
            "small HTML items",
            channel(&items(size, "a &lt;b&gt;few&lt;/b&gt; words")),
        ),
        (
            "tiny items",
            channel(&(0..size / 32).map(tiny).collect::<String>()),
        ),
        ("blank items", channel(&"<item/>".repeat(size / 7))),
        ("small Atom entries", entries(size)),
        ("small JSON items", json_items(size)),
        ("podcast", channel(&episodes(size))),
        ("a text", one(&format!("<description>{text}</description>"))),
        (
            "a CDATA",
            one(&format!("<description><![CDATA[{text}]]></description>")),
        ),
        (
            "an escaped text",
            one(&format!("<description>{escaped}</description>")),
        ),
        ("a title", one(&format!("<title>{text}</title>"))),
        ("an attribute", one(&format!("<enclosure url=\"{text}\"/>"))),
        (
            "depth outside",
            format!(
                "{}<rss><channel><item><guid>1</guid></item>",
                "<a>".repeat(size / 3)
            ),
        ),
        ("depth", one(&"<a>".repeat(size / 3))),
        (
            "depth in a text",
            one(&format!(
                "<description>{}</description>",
                "<b>".repeat(size / 3)
            )),
        ),
        (
            "JSON",
            format!(
                "{{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{{\"id\":\"1\",\"content_html\":\"{text}\"}}]}}"
            ),
        ),
    ]
}

#[test]
fn memory_is_four_documents_at_most() {
    let megabytes = std::env::var("TIDINGS_DOCUMENT_MB").ok();
    let megabytes: usize = megabytes.and_then(|text| text.parse().ok()).unwrap_or(1);
    for (what, document) in documents(megabytes * 1_000_000) {
        let before = HELD.current_usage();
        HELD.reset_peak_usage();
        let began = std::time::Instant::now();
        let parsed = parse::parse(document.as_bytes(), None, "https://a.example/feed");
        let entries = parsed.map_or(0, |parsed| parsed.entries.len());
        let took = began.elapsed();
        let held = HELD.peak_usage() - before + document.len();
        println!(
            "{what}: {} bytes, {entries} entries, peak {:.2} documents, {took:?}",
            document.len(),
            held as f64 / document.len() as f64
        );
        assert!(entries > 0, "{what}");
        assert!(
            held <= 4 * document.len() + CONSTANT,
            "{what}: {held} bytes"
        );
    }
}
