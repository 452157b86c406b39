//! What an article costs: read and laid out, for the sizes that people open and for those that only harm.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tidings::article::{document, layout, summary};
use tidings::model::EntryBody;

/// A post of many parts, repeated up to so many bytes.
fn post(bytes: usize) -> EntryBody {
    let part = include_str!("../tests/all/articles/blog.html");
    let tables = include_str!("../tests/all/articles/tables.html");
    let scripts = include_str!("../tests/all/articles/scripts.html");
    let text = [part, scripts, tables, part]
        .iter()
        .cycle()
        .scan(0, |sum, part| {
            let begin = *sum;
            *sum += part.len();
            (begin < bytes).then_some(*part)
        })
        .collect();
    body(text)
}

fn body(text: String) -> EntryBody {
    EntryBody {
        text,
        base: Some("https://example.org/blog/post".into()),
        ..EntryBody::default()
    }
}

fn many(times: usize, one: impl Fn(usize) -> String) -> String {
    (0..times).fold(String::new(), |text, n| text + &one(n))
}

fn articles(c: &mut Criterion) {
    let mut group = c.benchmark_group("article");
    for (name, bytes) in [("13 KB", 13_000), ("1 MB", 1_000_000)] {
        let body = post(bytes);
        group.throughput(Throughput::Bytes(body.text.len() as u64));
        group.bench_function(format!("read {name}"), |b| {
            b.iter(|| document(black_box(&body)));
        });
        let page = document(&body);
        group.bench_function(format!("lay out {name} at 80"), |b| {
            b.iter(|| layout(black_box(&page), 80));
        });
        group.bench_function(format!("read and lay out {name} at 80"), |b| {
            b.iter(|| layout(&document(black_box(&body)), 80));
        });
    }
    let body = post(13_000);
    group.throughput(Throughput::Elements(1));
    group.bench_function("summary of 13 KB", |b| {
        b.iter(|| summary(black_box(&body), 120));
    });
    group.finish();
}

fn hostile(c: &mut Criterion) {
    let mut group = c.benchmark_group("hostile");
    group.sample_size(10);
    let cases = [
        ("100k nested div", "<div>".repeat(100_000)),
        ("1 MB word", "x".repeat(1_000_000)),
        (
            "50k links",
            many(50_000, |n| format!("<a href=/{n}>x</a> ")),
        ),
        (
            "10k rows",
            format!("<table>{}</table>", "<tr><td>a<td>b<td>c".repeat(10_000)),
        ),
        (
            "5k columns",
            format!(
                "<table><tr>{}<tr>{}</table>",
                "<th>h".repeat(5_000),
                "<td>v".repeat(5_000)
            ),
        ),
        (
            "2 MB of deep blocks",
            "<div><p>".repeat(400) + &"<p>x".repeat(500_000),
        ),
        (
            "2 MB of reopened marks",
            many(80_000, |n| format!("<p><b a{n}=1><i b{n}=2>x</p>")),
        ),
    ];
    for (name, text) in cases {
        let body = body(text);
        group.bench_function(name, |b| {
            b.iter(|| layout(&document(black_box(&body)), 80));
        });
    }
    group.finish();
}

criterion_group!(benches, articles, hostile);
criterion_main!(benches);
