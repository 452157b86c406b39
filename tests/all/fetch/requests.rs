//! What a request looks like on the wire.

use tidings::fetch::{Request, Reuse};
use tidings::model::Validators;

use super::{ask, fetcher, get, validators};
use crate::support::{Reply, Server};

#[tokio::test]
async fn r2_r4_an_etag_goes_out_byte_for_byte_as_it_came() {
    let long = format!("\"{}\"", "x".repeat(3000));
    let tags: &[&[u8]] = &[
        b"\"simple\"",
        b"W/\"weak\"",
        b"\"abc-gzip\"",
        b"\"abc;br\"",
        b"W/\"with,comma\"",
        b"unquoted",
        b"'single'",
        b"\"back\\slash \xe9\xff\"",
        long.as_bytes(),
    ];
    let server = Server::start();
    let fetcher = fetcher();
    for tag in tags {
        server.forget();
        server.serve("/feed", Reply::ok("<rss/>").header("ETag", tag));
        let url = server.url("/feed");
        let answer = get(&fetcher, &url).await.expect("an answer");
        let known = validators(answer.headers.get("etag"), None);
        assert_eq!(known.etag.as_deref(), Some(*tag), "received");
        ask(&fetcher, Request::new(&url, &known))
            .await
            .expect("an answer");
        let seen = server.requests();
        assert_eq!(seen[0].header("if-none-match"), None);
        assert_eq!(seen[1].header("if-none-match"), Some(*tag), "sent back");
        assert_eq!(
            seen[1].header("if-modified-since"),
            None,
            "nothing is made up"
        );
    }
}

#[tokio::test]
async fn r3_a_last_modified_goes_out_byte_for_byte_as_it_came() {
    let dates: &[&[u8]] = &[
        b"Tue, 24 Nov 2026 08:12:31 GMT",
        b"Mon, 24 Nov 2026 08:12:31 GMT",
        b"Sunday, 06-Nov-94 08:49:37 GMT",
        b"Sun Nov  6 08:49:37 1994",
        b"Tue, 24 Nov 2026 08:12:31 +0000",
        b"Tue, 19 Jan 2038 03:14:07 GMT",
        b"Fri, 01 Nov 2041 00:00:00 GMT",
        b"not a date \xe9",
    ];
    let server = Server::start();
    let fetcher = fetcher();
    for date in dates {
        server.forget();
        server.serve("/feed", Reply::ok("<rss/>").header("Last-Modified", date));
        let url = server.url("/feed");
        let answer = get(&fetcher, &url).await.expect("an answer");
        let known = validators(None, answer.headers.get("last-modified"));
        ask(&fetcher, Request::new(&url, &known))
            .await
            .expect("an answer");
        let seen = server.requests();
        assert_eq!(seen[1].header("if-modified-since"), Some(*date));
        assert_eq!(seen[1].header("if-none-match"), None, "nothing is made up");
    }
}

#[tokio::test]
async fn r5_both_validators_go_out_together() {
    let server = Server::start();
    server.serve("/feed", Reply::not_modified());
    let known = validators(Some(b"\"a\""), Some(b"Tue, 24 Nov 2026 08:12:31 GMT"));
    let url = server.url("/feed");
    let answer = ask(&fetcher(), Request::new(&url, &known))
        .await
        .expect("304");
    assert_eq!(answer.status, 304);
    let seen = &server.requests()[0];
    assert_eq!(seen.text("if-none-match").as_deref(), Some("\"a\""));
    assert_eq!(
        seen.text("if-modified-since").as_deref(),
        Some("Tue, 24 Nov 2026 08:12:31 GMT")
    );
}

#[tokio::test]
async fn r1_r59_r63_a_plain_request_is_exactly_these_bytes() {
    let server = Server::start();
    server.serve("/feed?b=2&a=1", Reply::ok("<rss/>"));
    get(&fetcher(), &server.url("/feed?b=2&a=1#part"))
        .await
        .expect("an answer");
    let raw = String::from_utf8(server.requests()[0].raw.clone()).expect("text");
    let expected = format!(
        "GET /feed?b=2&a=1 HTTP/1.1\r\n\
         User-Agent: tidings/{} (terminal feed reader)\r\n\
         Accept: application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5\r\n\
         Accept-Encoding: gzip, br, zstd, deflate\r\n\
         Host: {}\r\n\r\n",
        env!("CARGO_PKG_VERSION"),
        server.address()
    );
    assert_eq!(raw, expected);
}

#[tokio::test]
async fn r61_the_audit_shows_what_was_sent_with_credentials_masked() {
    let server = Server::start();
    server.serve("/feed", Reply::ok("<rss/>"));
    let url = server
        .url("/feed")
        .replace("http://", "http://me:s%3Acret@");
    let answer = get(&fetcher(), &url).await.expect("an answer");
    let seen = &server.requests()[0];
    // me:s:cret
    assert_eq!(
        seen.text("authorization").as_deref(),
        Some("Basic bWU6czpjcmV0")
    );
    assert_eq!(answer.sent.text("authorization").as_deref(), Some("***"));
    let mut on_wire: Vec<_> = seen
        .headers
        .iter()
        .map(|(n, _)| n.to_ascii_lowercase())
        .collect();
    let mut reported: Vec<_> = answer.sent.iter().map(|(n, _)| n.to_owned()).collect();
    on_wire.sort();
    reported.sort();
    assert_eq!(on_wire, reported);
    assert_eq!(answer.url, url);
}

#[tokio::test]
async fn r60_r61_no_cookie_is_kept_and_no_referer_sent() {
    let server = Server::start();
    server.serve(
        "/old",
        Reply::redirect(302, "/feed").header("Set-Cookie", "a=1"),
    );
    server.serve("/feed", Reply::ok("<rss/>").header("Set-Cookie", "b=2"));
    let fetcher = fetcher();
    for path in ["/old", "/feed", "/feed"] {
        get(&fetcher, &server.url(path)).await.expect("an answer");
    }
    let seen = server.requests();
    assert_eq!(
        seen.len(),
        3,
        "a redirect is an answer, nobody follows it here"
    );
    for request in seen {
        for name in ["cookie", "referer", "cache-control", "pragma", "range"] {
            assert_eq!(request.header(name), None, "{name}");
        }
        assert_eq!(request.method, "GET");
    }
}

#[tokio::test]
async fn r62_the_target_is_sent_as_it_is_written() {
    let targets = [
        "/Feed.XML",
        "/a%2Fb/%7euser/%C3%A9",
        "/feed?b=2&a=1&a=0&empty=&bare",
        "/feed?q=a+b%20c",
        "/a//b/",
        "/feed;v=1,2:3@x!$&*()",
        "/?feed=rss2",
        "/feed?url=http://other.example/x?y",
    ];
    let server = Server::start();
    let fetcher = fetcher();
    for target in targets {
        server.forget();
        get(&fetcher, &server.url(target)).await.expect("an answer");
        assert_eq!(server.requests()[0].target, target);
    }
}

/// What the URL standard itself rewrites, in every browser too: characters no URL may hold, dot segments, and `'`.
#[tokio::test]
async fn r62_what_no_url_may_hold_is_escaped_and_dots_are_resolved() {
    let server = Server::start();
    let fetcher = fetcher();
    for (written, sent) in [
        ("/a b", "/a%20b"),
        ("/ü?q=ü", "/%C3%BC?q=%C3%BC"),
        ("/a|b[1]", "/a|b[1]"),
        ("/f?x={y}&z=[1]|^`", "/f?x={y}&z=[1]|^`"),
        ("/a/../b/./c", "/b/c"),
        ("/f?q='x'", "/f?q=%27x%27"),
        ("", "/"),
    ] {
        server.forget();
        get(&fetcher, &server.url(written))
            .await
            .expect("an answer");
        assert_eq!(server.requests()[0].target, sent, "{written}");
    }
}

#[tokio::test]
async fn a_redirect_is_an_answer_with_its_location_as_sent() {
    let server = Server::start();
    let fetcher = fetcher();
    for status in [301, 302, 303, 307, 308] {
        server.serve(
            "/old",
            Reply::redirect(status, b"../new feed?x=\xe9").body("go there"),
        );
        let answer = get(&fetcher, &server.url("/old")).await.expect("an answer");
        assert_eq!(answer.status, status);
        assert_eq!(
            answer.headers.get("location"),
            Some(&b"../new feed?x=\xe9"[..])
        );
        assert!(
            answer.body.bytes.is_empty(),
            "nobody reads the body of a redirect"
        );
    }
}

#[tokio::test]
async fn r59_the_users_own_fields_and_agent_go_out() {
    let server = Server::start();
    server.serve("/feed", Reply::ok("<rss/>"));
    let none = Validators::default();
    let url = server.url("/feed");
    let own = [("X-Edition".to_owned(), "full".to_owned())];
    let mut request = Request::new(&url, &none);
    request.user_agent = Some("other/1");
    request.headers = &own;
    request.authorization = Some(("me".to_owned(), "pw".to_owned()));
    ask(&fetcher(), request).await.expect("an answer");
    let seen = &server.requests()[0];
    assert_eq!(seen.text("user-agent").as_deref(), Some("other/1"));
    assert_eq!(seen.text("x-edition").as_deref(), Some("full"));
    assert_eq!(
        seen.text("authorization").as_deref(),
        Some("Basic bWU6cHc=")
    );
}

#[tokio::test]
async fn a_connection_is_kept_only_where_another_request_follows() {
    let server = Server::start();
    server.serve("/feed", Reply::not_modified());
    let fetcher = fetcher();
    let (none, url) = (Validators::default(), server.url("/feed"));
    for _ in 0..3 {
        get(&fetcher, &url).await.expect("an answer");
    }
    assert_eq!(server.connections(), 3);
    for _ in 0..3 {
        let mut request = Request::new(&url, &none);
        request.reuse = Reuse::Kept;
        ask(&fetcher, request).await.expect("an answer");
    }
    assert_eq!(server.connections(), 4);
}

#[tokio::test]
async fn r76_a_delta_is_asked_for_with_a_tag() {
    let server = Server::start();
    server.serve("/feed", Reply::not_modified());
    let known = validators(Some(b"\"a\""), None);
    let url = server.url("/feed");
    let mut request = Request::new(&url, &known);
    request.a_im = true;
    ask(&fetcher(), request).await.expect("an answer");
    assert_eq!(server.requests()[0].text("a-im").as_deref(), Some("feed"));
}
