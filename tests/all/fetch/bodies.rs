//! Bodies: packed, cut, endless, and never larger than they may be.

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use tidings::fetch::Fetcher;
use tidings::model::{ErrorKind, HttpSettings};

use super::{fetcher, get, told};
use crate::support::{Gate, Reply, Server};

fn feed() -> Vec<u8> {
    let mut feed = b"<rss><channel>".to_vec();
    for n in 0..800 {
        let guid = n * 7919;
        write!(
            feed,
            "<item><title>Number {n}</title><guid>{guid:x}</guid></item>"
        )
        .expect("in memory");
    }
    feed.extend(b"</channel></rss>");
    feed
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(bytes).expect("in memory");
    packer.finish().expect("in memory")
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
    packer.write_all(bytes).expect("in memory");
    packer.finish().expect("in memory")
}

fn raw_deflate(bytes: &[u8]) -> Vec<u8> {
    let mut packer = DeflateEncoder::new(Vec::new(), Compression::default());
    packer.write_all(bytes).expect("in memory");
    packer.finish().expect("in memory")
}

async fn encoded<W>(bytes: &[u8], mut packer: W) -> W
where
    W: tokio::io::AsyncWrite + Unpin,
{
    use tokio::io::AsyncWriteExt;
    packer.write_all(bytes).await.expect("in memory");
    packer.shutdown().await.expect("in memory");
    packer
}

async fn brotli(bytes: &[u8]) -> Vec<u8> {
    use async_compression::tokio::write::BrotliEncoder;
    encoded(
        bytes,
        BrotliEncoder::with_quality(Vec::new(), async_compression::Level::Fastest),
    )
    .await
    .into_inner()
}

async fn zstd(bytes: &[u8]) -> Vec<u8> {
    use async_compression::tokio::write::ZstdEncoder;
    encoded(bytes, ZstdEncoder::new(Vec::new()))
        .await
        .into_inner()
}

#[tokio::test]
async fn r67_every_coding_that_is_offered_is_decoded() {
    let plain = feed();
    let mut members = gzip(&plain[..1000]);
    members.extend(gzip(&plain[1000..5000]));
    members.extend(gzip(&plain[5000..]));
    let mut trailing = gzip(&plain);
    trailing.extend(b"\n\n");
    let cases: Vec<(&str, &str, Vec<u8>)> = vec![
        ("nothing", "", plain.clone()),
        ("identity", "identity", plain.clone()),
        ("a charset in the wrong place", "UTF-8", plain.clone()),
        ("gzip", "gzip", gzip(&plain)),
        ("x-gzip", "x-gzip", gzip(&plain)),
        ("gzip in members", "gzip", members),
        ("gzip and a line feed", "gzip", trailing),
        ("zlib", "deflate", zlib(&plain)),
        ("raw deflate", "deflate", raw_deflate(&plain)),
        ("brotli", "br", brotli(&plain).await),
        ("zstd", "zstd", zstd(&plain).await),
        ("two in a row", "deflate, gzip", gzip(&zlib(&plain))),
        (
            "three in a row",
            "gzip, br, zstd",
            zstd(&brotli(&gzip(&plain)).await).await,
        ),
    ];
    let server = Server::start();
    let fetcher = fetcher();
    for (name, coding, packed) in cases {
        for chunk in [None, Some(packed.len() / 100 + 1), Some(1000)] {
            let mut reply = Reply::ok(packed.clone());
            if !coding.is_empty() {
                reply = reply.header("Content-Encoding", coding);
            }
            if let Some(size) = chunk {
                reply = reply.chunked(size);
            }
            server.serve("/feed", reply);
            let answer = get(&fetcher, &server.url("/feed"))
                .await
                .unwrap_or_else(|failure| panic!("{name}: {}", failure.error));
            assert!(answer.body.bytes == plain, "{name} in chunks of {chunk:?}");
            assert_eq!(
                answer.body.wire,
                packed.len() as u64,
                "{name}: bytes on the wire"
            );
        }
    }
}

#[tokio::test]
async fn a_body_of_nothing_is_empty_whatever_it_claims() {
    let server = Server::start();
    server.serve("/feed", Reply::ok("").header("Content-Encoding", "gzip"));
    let answer = get(&fetcher(), &server.url("/feed"))
        .await
        .expect("an answer");
    assert!(answer.body.bytes.is_empty());
    assert_eq!(answer.body.wire, 0);
}

#[tokio::test]
async fn r67_what_does_not_decode_is_an_error() {
    let plain = feed();
    let mut broken = gzip(&plain);
    let middle = broken.len() / 2;
    broken[middle] ^= 0xff;
    let server = Server::start();
    let fetcher = fetcher();
    for (name, coding, body) in [
        ("plain text called gzip", "gzip", plain.clone()),
        ("plain text called br", "br", plain.clone()),
        ("plain text called zstd", "zstd", plain.clone()),
        ("plain text called deflate", "deflate", plain.clone()),
        ("gzip called zstd", "zstd", gzip(&plain)),
        ("damaged gzip", "gzip", broken),
        ("a coding nobody asked for", "compress", plain.clone()),
    ] {
        server.serve("/feed", Reply::ok(body).header("Content-Encoding", coding));
        let (kind, sentence) = told(get(&fetcher, &server.url("/feed")).await);
        assert_eq!(kind, ErrorKind::Decode, "{name}: {sentence}");
    }
}

#[tokio::test]
async fn r13_a_cut_body_is_an_error_and_never_an_answer() {
    let plain = feed();
    let packed = gzip(&plain);
    let half = packed.len() / 2;
    let server = Server::start();
    let fetcher = fetcher();
    let gz = |reply: Reply| reply.header("Content-Encoding", "gzip");
    for (name, reply) in [
        (
            "shorter than its length",
            Reply::ok(plain.clone()).cut_after(5000),
        ),
        (
            "longer claimed",
            Reply::ok(plain.clone())
                .claiming(plain.len() as u64 + 1)
                .then_close(),
        ),
        ("no last chunk", Reply::ok(plain.clone()).unfinished(1000)),
        (
            "cut in a chunk",
            Reply::ok(plain.clone()).chunked(1000).cut_after(2500),
        ),
        (
            "gzip cut by the connection",
            gz(Reply::ok(packed.clone()).cut_after(half)),
        ),
        (
            "gzip cut before its footer",
            gz(Reply::ok(packed[..packed.len() - 4].to_vec())),
        ),
        (
            "gzip cut in its data",
            gz(Reply::ok(packed[..half].to_vec())),
        ),
        (
            "gzip cut in its header",
            gz(Reply::ok(packed[..5].to_vec())),
        ),
        (
            "whole gzip, no last chunk",
            gz(Reply::ok(packed.clone()).unfinished(1000)),
        ),
        (
            "whole gzip, more promised",
            gz(Reply::ok(packed.clone())
                .claiming(packed.len() as u64 + 9)
                .then_close()),
        ),
        (
            "brotli cut",
            Reply::ok(brotli(&plain).await[..1000].to_vec()).header("Content-Encoding", "br"),
        ),
        (
            "zstd cut",
            Reply::ok(zstd(&plain).await[..1000].to_vec()).header("Content-Encoding", "zstd"),
        ),
        (
            "zlib cut",
            Reply::ok(zlib(&plain)[..1000].to_vec()).header("Content-Encoding", "deflate"),
        ),
    ] {
        server.serve("/feed", reply);
        let failure = get(&fetcher, &server.url("/feed")).await.expect_err(name);
        assert_eq!(
            failure.error.kind,
            ErrorKind::CutBody,
            "{name}: {}",
            failure.error
        );
        assert_eq!(failure.status, Some(200), "{name}");
        assert!(failure.wire > 0, "{name}: what came is counted");
    }
}

#[tokio::test]
async fn a_body_without_length_or_chunks_ends_with_its_connection() {
    let server = Server::start();
    server.serve("/feed", Reply::ok(feed()).without_length());
    let answer = get(&fetcher(), &server.url("/feed"))
        .await
        .expect("an answer");
    assert_eq!(answer.body.bytes, feed());
}

#[tokio::test]
async fn bytes_beyond_the_length_are_not_the_bodys() {
    let server = Server::start();
    server.serve(
        "/feed",
        Reply::ok("<rss/>and more").claiming(6).then_close(),
    );
    let answer = get(&fetcher(), &server.url("/feed"))
        .await
        .expect("an answer");
    assert_eq!(answer.body.bytes, b"<rss/>");
}

#[tokio::test]
async fn r24_a_304_never_waits_for_a_body() {
    let server = Server::start();
    let fetcher = fetcher();
    for headers in [
        vec![("Content-Length", "49000")],
        vec![("Content-Length", "49000"), ("Content-Encoding", "gzip")],
        vec![("Transfer-Encoding", "chunked")],
    ] {
        let mut reply = Reply::not_modified().header("ETag", "\"b\"").then_hang();
        for (name, value) in &headers {
            reply = reply.header(name, value);
        }
        server.serve("/feed", reply);
        let answer = get(&fetcher, &server.url("/feed")).await.expect("304");
        assert_eq!(answer.status, 304, "{headers:?}");
        assert_eq!(answer.headers.get("etag"), Some(&b"\"b\""[..]));
        assert_eq!((answer.body.bytes.len(), answer.body.wire), (0, 0));
    }
}

#[tokio::test]
async fn r23_bodies_of_errors_are_not_waited_for() {
    let server = Server::start();
    let gate = Gate::new();
    let fetcher = fetcher();
    for status in [204, 206, 301, 404, 410, 429, 500, 503] {
        let reply = Reply::new(status).body("a long story").body_held(&gate);
        server.serve("/feed", reply.header("Retry-After", "120"));
        let answer = get(&fetcher, &server.url("/feed"))
            .await
            .expect("an answer");
        assert_eq!(answer.status, status);
        assert_eq!(answer.headers.get("retry-after"), Some(&b"120"[..]));
        assert!(answer.body.bytes.is_empty());
    }
}

fn small() -> Fetcher {
    Fetcher::new(&HttpSettings {
        max_body: 100_000,
        ..HttpSettings::default()
    })
    .expect("settings")
}

#[tokio::test]
async fn r68_a_body_over_the_limit_is_refused_at_once() {
    let server = Server::start();
    let fetcher = small();
    let gate = Gate::new();
    for (name, reply) in [
        (
            "announced",
            Reply::ok("").claiming(100_001).body_held(&gate),
        ),
        (
            "announced packed",
            Reply::ok("")
                .header("Content-Encoding", "gzip")
                .claiming(100_001)
                .body_held(&gate),
        ),
        ("endless", Reply::ok("").endless(vec![b'x'; 4000])),
        (
            "endless in chunks",
            Reply::ok("").chunked(4000).endless(vec![b'x'; 4000]),
        ),
        (
            "packed",
            Reply::ok(gzip(&vec![b'x'; 100_001])).header("Content-Encoding", "gzip"),
        ),
    ] {
        server.serve("/feed", reply);
        let (kind, sentence) = told(get(&fetcher, &server.url("/feed")).await);
        assert_eq!(kind, ErrorKind::TooLarge, "{name}: {sentence}");
        assert!(sentence.contains("max_body"), "{sentence}");
    }
    server.serve("/feed", Reply::ok(vec![b'x'; 100_000]));
    let answer = get(&fetcher, &server.url("/feed"))
        .await
        .expect("just fits");
    assert_eq!(answer.body.bytes.len(), 100_000);
}

#[tokio::test]
async fn r69_a_bomb_is_stopped_by_its_ratio() {
    let bomb = gzip(&vec![b'x'; 8 * 1024 * 1024]);
    let server = Server::start();
    server.serve(
        "/feed",
        Reply::ok(bomb.clone()).header("Content-Encoding", "gzip"),
    );
    let (kind, sentence) = told(get(&fetcher(), &server.url("/feed")).await);
    assert_eq!(kind, ErrorKind::TooLarge, "{sentence}");
    let twice = gzip(&bomb);
    server.serve(
        "/feed",
        Reply::ok(twice).header("Content-Encoding", "gzip, gzip"),
    );
    let (kind, sentence) = told(get(&fetcher(), &server.url("/feed")).await);
    assert_eq!(kind, ErrorKind::TooLarge, "{sentence}");
}

#[tokio::test]
async fn r69_empty_gzip_members_without_end_are_stopped() {
    let server = Server::start();
    server.serve(
        "/feed",
        Reply::ok("")
            .header("Content-Encoding", "gzip")
            .endless(gzip(b"")),
    );
    let (kind, sentence) = told(get(&small(), &server.url("/feed")).await);
    assert_eq!(kind, ErrorKind::TooLarge, "{sentence}");
}
