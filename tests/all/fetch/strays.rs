//! Bytes that belong to no answer, on connections that are kept: a body after a 304, an answer longer than it says (R24,
//! R45).

use tidings::fetch::{Failure, Fetcher, Request, Reuse};
use tidings::model::{Answer, ErrorKind, Validators};

use super::{ask, fetcher, told};
use crate::support::{Reply, Server};

const QUIET: &str = "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n";

async fn kept(fetcher: &Fetcher, url: &str) -> Result<Answer, Failure> {
    let none = Validators::default();
    let mut request = Request::new(url, &none);
    request.reuse = Reuse::Kept;
    ask(fetcher, request).await
}

#[tokio::test]
async fn r24_what_follows_an_answer_is_never_read_as_the_next_one() {
    let second = "HTTP/1.1 200 OK\r\nETag: \"false\"\r\nContent-Length: 6\r\n\r\n<rss/>";
    for (name, first) in [
        (
            "a body without a length",
            format!("{QUIET}not modified, I said"),
        ),
        ("one byte", format!("{QUIET}x")),
        ("an empty line", format!("{QUIET}\r\n")),
        ("a second answer", format!("{QUIET}{second}")),
        (
            "more than the length",
            "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<rss/><!-- more -->".to_owned(),
        ),
        (
            "a body in chunks",
            "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
                .to_owned(),
        ),
        (
            "a body of a 204",
            "HTTP/1.1 204 No Content\r\n\r\nnothing".to_owned(),
        ),
    ] {
        let server = Server::start();
        server.serve("/1", Reply::raw_kept(first));
        server.serve("/2", Reply::raw_kept(QUIET));
        let fetcher = fetcher();
        for round in 0..20 {
            kept(&fetcher, &server.url("/1"))
                .await
                .unwrap_or_else(|failure| panic!("{name}, {round}: {}", failure.error));
            let answer = kept(&fetcher, &server.url("/2"))
                .await
                .unwrap_or_else(|failure| panic!("{name}, {round}: {}", failure.error));
            assert_eq!(answer.status, 304, "{name}");
            assert_eq!(answer.headers.get("etag"), Some(&b"\"1\""[..]), "{name}");
        }
        assert_eq!(server.requests().len(), 40, "{name}: each asked once");
    }
}

/// Too late to be noticed before the next request is on its way.
#[tokio::test]
async fn r24_r45_a_body_that_comes_late_is_an_error_of_one_try_and_ends_the_connection() {
    let server = Server::start();
    server.serve("/1", Reply::raw_kept(QUIET));
    let late = format!("not modified, I said{QUIET}");
    server.serve("/2", Reply::raw_kept(late));
    let fetcher = fetcher();
    kept(&fetcher, &server.url("/1")).await.expect("304");
    let (kind, sentence) = told(kept(&fetcher, &server.url("/2")).await);
    assert_eq!(kind, ErrorKind::Protocol, "{sentence}");
    let answer = kept(&fetcher, &server.url("/1")).await.expect("304");
    assert_eq!(answer.status, 304);
    assert_eq!(server.requests().len(), 3, "nothing was asked again");
    assert_eq!(server.connections(), 2);
}
