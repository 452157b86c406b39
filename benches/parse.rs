//! What reading a feed costs beside what `feed_rs` alone takes for the same bytes: the goal is 0.7 of its throughput.
//! `TIDINGS_BENCH_FEEDS` names a directory of feeds to be read as well; its files from 100 KB on count.

use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tidings::parse;

const BASE: &str = "https://a.example/feed";
const ITEMS: usize = 400;

/// HTML of a usual post, about 4 KB.
fn html(seed: usize) -> String {
    let mut text = String::new();
    for part in 0..12 {
        let _ = write!(
            text,
            "<p>Entry {seed}, part {part}: the reader asks before it downloads &amp; keeps what it has. <a href=\"https://a.example/{seed}/{part}?a=1&amp;b=2\">More</a> about <em>that</em>, with a “quotation” – and some more words that make a paragraph of it.</p>\n<ul><li>one</li><li>two</li></ul>"
        );
    }
    text
}

fn escaped(html: &str) -> String {
    html.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn rss(body: impl Fn(usize) -> String) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\" xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><channel><title>T</title><link>https://a.example/</link><description>D</description>",
    );
    for n in 0..ITEMS {
        let _ = write!(
            text,
            "\n<item><title>Title {n} &amp;amp; more</title><link>https://a.example/{n}</link><guid isPermaLink=\"false\">urn:{n}</guid><pubDate>Tue, 05 Mar 2024 06:07:08 GMT</pubDate><dc:creator>Ann</dc:creator><category>a</category><category>b</category><description>Short</description><content:encoded>{}</content:encoded></item>",
            body(n)
        );
    }
    text.push_str("</channel></rss>");
    text
}

fn atom(body: impl Fn(usize) -> String) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>T</title><id>urn:f</id><updated>2024-03-05T06:07:08Z</updated>",
    );
    for n in 0..ITEMS {
        let _ = write!(
            text,
            "\n<entry><title>Title {n}</title><link rel=\"alternate\" href=\"https://a.example/{n}\"/><id>urn:{n}</id><published>2024-03-05T06:07:08Z</published><updated>2024-03-05T06:07:08Z</updated><author><name>Ann</name></author>{}</entry>",
            body(n)
        );
    }
    text.push_str("</feed>");
    text
}

fn json() -> String {
    let mut text = String::from(
        "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"T\",\"items\":[",
    );
    for n in 0..ITEMS {
        let body = html(n).replace('"', "\\\"").replace('\n', "\\n");
        let comma = if n == 0 { "" } else { "," };
        let _ = write!(
            text,
            "{comma}{{\"id\":\"urn:{n}\",\"url\":\"https://a.example/{n}\",\"title\":\"Title {n}\",\"date_published\":\"2024-03-05T06:07:08Z\",\"content_html\":\"{body}\"}}"
        );
    }
    text.push_str("]}");
    text
}

fn documents() -> Vec<(String, Vec<u8>)> {
    let own = [
        ("rss escaped", rss(|n| escaped(&html(n)))),
        ("rss cdata", rss(|n| format!("<![CDATA[{}]]>", html(n)))),
        ("rss short", rss(|n| format!("Nothing much in {n}"))),
        (
            "atom html",
            atom(|n| format!("<content type=\"html\">{}</content>", escaped(&html(n)))),
        ),
        (
            "atom xhtml",
            atom(|n| {
                format!(
                    "<content type=\"xhtml\"><div xmlns=\"http://www.w3.org/1999/xhtml\">{}</div></content>",
                    html(n)
                )
            }),
        ),
        ("json", json()),
    ];
    let mut all: Vec<_> = own
        .into_iter()
        .map(|(name, text)| (name.to_owned(), text.into_bytes()))
        .collect();
    if let Some(dir) = std::env::var_os("TIDINGS_BENCH_FEEDS") {
        let mut found = Vec::new();
        files(Path::new(&dir), &mut found);
        found.sort();
        all.extend(found);
    }
    all
}

fn files(dir: &Path, into: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, into);
        } else if let Ok(bytes) = std::fs::read(&path)
            && bytes.len() >= 100_000
        {
            into.push((path.display().to_string(), bytes));
        }
    }
}

fn throughput(c: &mut Criterion) {
    let mut group = c.benchmark_group("parse");
    group.sample_size(10);
    for (name, bytes) in documents() {
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_with_input(BenchmarkId::new("feed_rs", &name), &bytes, |b, bytes| {
            b.iter(|| feed_rs::parser::parse(black_box(bytes.as_slice())).is_ok());
        });
        group.bench_with_input(BenchmarkId::new("tidings", &name), &bytes, |b, bytes| {
            b.iter(|| parse::parse(black_box(bytes), None, BASE).is_ok());
        });
    }
    group.finish();
}

criterion_group!(benches, throughput);
criterion_main!(benches);
