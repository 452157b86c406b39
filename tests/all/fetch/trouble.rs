//! Everything that can go wrong before there is a body, each with its kind and a sentence.

use std::path::PathBuf;

use tidings::fetch::{FetchSetupError, Fetcher, Request, is_private_host};
use tidings::model::{ErrorKind, HttpSettings, Validators};

use super::{NOW, ask, far, fetcher, get, impatient, told};
use crate::support::{Identity, Reply, Server, nobody_at};

#[tokio::test]
async fn a_refused_connection_says_where() {
    let (kind, sentence) = told(get(&fetcher(), &nobody_at("/")).await);
    assert_eq!(kind, ErrorKind::Refused, "{sentence}");
    assert!(sentence.contains("127.0.0.1"), "{sentence}");
}

#[tokio::test]
async fn a_name_that_does_not_exist_is_named() {
    // A label of more than 63 letters: the resolver knows without asking anybody.
    let name = format!("{}.example", "x".repeat(64));
    let (kind, sentence) = told(get(&fetcher(), &format!("http://{name}/feed")).await);
    assert_eq!(kind, ErrorKind::Dns, "{sentence}");
    assert!(sentence.contains(&name), "{sentence}");
}

#[tokio::test]
async fn a_connection_that_breaks_is_told_from_one_that_closes() {
    let server = Server::start();
    let fetcher = fetcher();
    server.serve("/", Reply::hang_up());
    let (kind, sentence) = told(get(&fetcher, &server.url("/")).await);
    assert_eq!(kind, ErrorKind::Reset, "{sentence}");
    assert!(sentence.contains("without an answer"), "{sentence}");
    server.serve("/", Reply::reset());
    let (kind, sentence) = told(get(&fetcher, &server.url("/")).await);
    assert_eq!(kind, ErrorKind::Reset, "{sentence}");
    assert_eq!(server.requests().len(), 2, "nothing is tried again");
}

#[tokio::test]
async fn what_is_not_http_says_so() {
    let server = Server::start();
    let fetcher = fetcher();
    for bytes in [
        "SSH-2.0-OpenSSH_9.6\r\n",
        "<rss/>\r\n\r\n",
        "HTTP/9.9 200 OK\r\n\r\n",
    ] {
        server.serve("/", Reply::raw(bytes));
        let (kind, sentence) = told(get(&fetcher, &server.url("/")).await);
        assert_eq!(kind, ErrorKind::Protocol, "{bytes:?}: {sentence}");
    }
}

#[tokio::test]
async fn headers_of_8_kb_pass_and_of_100_kb_do_not() {
    let server = Server::start();
    let fetcher = fetcher();
    server.serve(
        "/",
        Reply::ok("<rss/>").header("X-Long", vec![b'x'; 8 * 1024]),
    );
    let answer = get(&fetcher, &server.url("/")).await.expect("8 KB");
    assert_eq!(
        answer.headers.get("x-long").map(<[u8]>::len),
        Some(8 * 1024)
    );
    for (name, reply) in [
        (
            "one field",
            Reply::ok("<rss/>").header("X-Long", vec![b'x'; 100 * 1024]),
        ),
        (
            "many fields",
            (0..150).fold(Reply::ok("<rss/>"), |reply, n| {
                reply.header(format!("X-{n}"), vec![b'x'; 700])
            }),
        ),
        (
            "a megabyte",
            Reply::ok("<rss/>").header("X-Long", vec![b'x'; 1024 * 1024]),
        ),
    ] {
        server.serve("/", reply);
        let (kind, sentence) = told(get(&fetcher, &server.url("/")).await);
        assert_eq!(kind, ErrorKind::Headers, "{name}: {sentence}");
    }
}

#[tokio::test]
async fn a_damaged_header_is_left_out_and_the_rest_is_read() {
    let server = Server::start();
    let reply = Reply::ok("<rss/>")
        .header("ETag", b"\"a\x01b\"")
        .header("X-Bell", b"ding\x07dong")
        .header("Last-Modified", "Tue, 24 Nov 2026 08:12:31 GMT");
    server.serve("/", reply);
    let answer = get(&fetcher(), &server.url("/")).await.expect("an answer");
    assert_eq!(
        answer.headers.get("etag"),
        None,
        "half a tag would be made up"
    );
    assert_eq!(answer.headers.get("x-bell"), None);
    assert_eq!(
        answer.headers.get("last-modified"),
        Some(&b"Tue, 24 Nov 2026 08:12:31 GMT"[..])
    );
}

#[tokio::test]
async fn odd_but_readable_answers_are_read() {
    let server = Server::start();
    let fetcher = fetcher();
    for (name, answer) in [
        (
            "hints before the answer",
            "HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 6\r\n\r\n<rss/>",
        ),
        ("HTTP/1.0", "HTTP/1.0 200 OK\r\nETag: \"a\"\r\n\r\n<rss/>"),
        ("no reason", "HTTP/1.1 200\r\nETag: \"a\"\r\n\r\n<rss/>"),
        (
            "bare line feeds",
            "HTTP/1.1 200 OK\nETag: \"a\"\nContent-Length: 6\n\n<rss/>",
        ),
        (
            "odd spacing",
            "HTTP/1.1 200 OK\r\neTaG:  \t\"a\"  \r\nContent-Length : 6\r\n\r\n<rss/>",
        ),
        (
            "a folded header",
            "HTTP/1.1 200 OK\r\nX-Long: one\r\n two\r\nETag: \"a\"\r\n\r\n<rss/>",
        ),
        (
            "several hints",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nETag: \"hint\"\r\n\r\nHTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 6\r\n\r\n<rss/>",
        ),
        (
            "trailers",
            "HTTP/1.1 200 OK\r\nTrailer: ETag\r\nETag: \"a\"\r\nTransfer-Encoding: chunked\r\n\r\n3;x=\"y\"\r\n<rs\r\n3\r\ns/>\r\n0\r\nETag: \"trailer\"\r\n\r\n",
        ),
        (
            "chunks and a length",
            "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n<rss/>\r\n0\r\n\r\n",
        ),
        (
            "the same length twice",
            "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 6\r\nContent-Length: 6\r\n\r\n<rss/>",
        ),
        (
            "capitals",
            "HTTP/1.1 200 OK\r\nETAG: \"a\"\r\nCONTENT-LENGTH: 6\r\nCONTENT-ENCODING: IDENTITY\r\n\r\n<rss/>",
        ),
        (
            "HTTP/1.0 that keeps the connection",
            "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nETag: \"a\"\r\nContent-Length: 6\r\n\r\n<rss/>",
        ),
        (
            "a line without colon",
            "HTTP/1.1 200 OK\r\nwhat is this\r\nETag: \"a\"\r\n\r\n<rss/>",
        ),
    ] {
        server.serve("/", Reply::raw(answer));
        let got = get(&fetcher, &server.url("/"))
            .await
            .unwrap_or_else(|failure| panic!("{name}: {}", failure.error));
        assert_eq!(got.status, 200, "{name}");
        assert_eq!(got.headers.get("etag"), Some(&b"\"a\""[..]), "{name}");
        assert_eq!(got.body.bytes, b"<rss/>", "{name}");
    }
}

/// The first of several is stored and sent back: one `If-None-Match` that the server knows (R2).
#[tokio::test]
async fn r2_of_several_etags_the_first_counts() {
    let server = Server::start();
    let answer = "HTTP/1.1 200 OK\r\nETag: \"a\"\r\netag: \"b\"\r\nETAG: \"c\"\r\nLast-Modified: x\r\nLast-Modified: y\r\nContent-Length: 6\r\n\r\n<rss/>";
    server.serve("/", Reply::raw(answer));
    let got = get(&fetcher(), &server.url("/")).await.expect("an answer");
    let pair = tidings::poll::validators(&got.headers);
    assert_eq!(pair.etag.as_deref(), Some(&b"\"a\""[..]));
    assert_eq!(pair.last_modified.as_deref(), Some(&b"x"[..]));
    let url = server.url("/");
    ask(&fetcher(), Request::new(&url, &pair))
        .await
        .expect("an answer");
    let seen = &server.requests()[1];
    let sent: Vec<_> = seen
        .headers
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("if-none-match"))
        .collect();
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].1, b"\"a\"");
}

/// A folded value comes on one line; nothing of it can become a line of the next request.
#[tokio::test]
async fn r2_a_folded_etag_goes_back_on_one_line() {
    let server = Server::start();
    let answer = "HTTP/1.1 200 OK\r\nETag: \"a\r\n X-Evil: 1\"\r\nContent-Length: 6\r\n\r\n<rss/>";
    server.serve("/", Reply::raw(answer));
    let url = server.url("/");
    let got = get(&fetcher(), &url).await.expect("an answer");
    let pair = tidings::poll::validators(&got.headers);
    ask(&fetcher(), Request::new(&url, &pair))
        .await
        .expect("an answer");
    let seen = &server.requests()[1];
    assert_eq!(seen.header("x-evil"), None);
    assert!(seen.header("if-none-match").is_some());
}

#[tokio::test]
async fn servers_that_end_in_the_middle_are_errors_that_say_so() {
    let server = Server::start();
    let fetcher = fetcher();
    for (name, answer, kind) in [
        ("nothing", "", ErrorKind::Reset),
        ("half a status line", "HTTP/1.1 2", ErrorKind::Reset),
        (
            "half the headers",
            "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nConte",
            ErrorKind::Reset,
        ),
        (
            "hints alone",
            "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n",
            ErrorKind::Reset,
        ),
        (
            "headers alone",
            "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n",
            ErrorKind::CutBody,
        ),
        (
            "headers alone, chunked",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            ErrorKind::CutBody,
        ),
        (
            "a chunk that is cut",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n<rss/",
            ErrorKind::CutBody,
        ),
        (
            "no last chunk",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n<rss/>\r\n",
            ErrorKind::CutBody,
        ),
        (
            "a chunk without a size",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n<rss/>\r\n0\r\n\r\n",
            ErrorKind::CutBody,
        ),
        (
            "two lengths",
            "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nContent-Length: 7\r\n\r\n<rss/>",
            ErrorKind::Protocol,
        ),
        (
            "plain, and said to be gzip",
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 6\r\n\r\n<rss/>",
            ErrorKind::Decode,
        ),
    ] {
        server.forget();
        server.serve("/", Reply::raw(answer));
        let (got, sentence) = told(get(&fetcher, &server.url("/")).await);
        assert_eq!(got, kind, "{name}: {sentence}");
        assert_eq!(server.requests().len(), 1, "{name}: one try");
    }
}

#[tokio::test]
async fn a_switch_of_protocols_that_nobody_asked_for_is_no_feed() {
    let server = Server::start();
    let answer =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n";
    server.serve("/", Reply::raw(answer));
    match get(&fetcher(), &server.url("/")).await {
        Ok(answer) => assert_eq!((answer.status, answer.body.bytes.len()), (101, 0)),
        Err(failure) => assert_eq!(failure.error.kind, ErrorKind::Protocol),
    }
}

#[tokio::test]
async fn only_http_and_https_are_asked() {
    let fetcher = fetcher();
    for url in [
        "file:///etc/passwd",
        "ftp://example.org/",
        "data:,x",
        "",
        "//host",
        "http://",
    ] {
        let (kind, sentence) = told(get(&fetcher, url).await);
        assert_eq!(kind, ErrorKind::Url, "{url}: {sentence}");
    }
}

#[tokio::test]
async fn a_private_address_is_asked_only_where_that_is_allowed() {
    let server = Server::start();
    server.serve("/", Reply::ok("<rss/>"));
    let fetcher = fetcher();
    let none = Validators::default();
    let port = server.address().port();
    for url in [
        server.url("/"),
        format!("http://localhost:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
    ] {
        assert!(is_private_host(&url));
        let (kind, sentence) = told(fetcher.get(Request::new(&url, &none), far(), || NOW).await);
        assert_eq!(kind, ErrorKind::Redirect, "{url}: {sentence}");
    }
    assert!(server.requests().is_empty());
    get(&fetcher, &server.url("/")).await.expect("allowed");
}

#[tokio::test]
async fn a_certificate_nobody_signed_is_refused_until_it_is_named() {
    let identity = Identity::for_names(&["127.0.0.1", "localhost"]);
    let server = Server::start_tls(&identity);
    server.serve("/feed", Reply::ok("<rss/>"));
    let (kind, sentence) = told(get(&fetcher(), &server.url("/feed")).await);
    assert_eq!(kind, ErrorKind::Tls, "{sentence}");

    let dir = tempfile::tempdir().expect("a directory");
    let trusting = trusting(dir.path().join("ca.pem"), &identity);
    let answer = get(&trusting, &server.url("/feed")).await.expect("trusted");
    assert_eq!(answer.body.bytes, b"<rss/>");
    let by_name = format!("https://localhost:{}/feed", server.address().port());
    get(&trusting, &by_name).await.expect("trusted by name");
}

fn trusting(file: PathBuf, identity: &Identity) -> Fetcher {
    std::fs::write(&file, &identity.pem).expect("written");
    Fetcher::new(&HttpSettings {
        ca_file: Some(file),
        ..HttpSettings::default()
    })
    .expect("settings")
}

#[tokio::test]
async fn a_tls_connection_cut_without_goodbye_ends_only_a_body_that_nothing_else_ends() {
    let dir = tempfile::tempdir().expect("a directory");
    let identity = Identity::for_names(&["127.0.0.1"]);
    let fetcher = trusting(dir.path().join("ca.pem"), &identity);
    let server = Server::start_tls(&identity);
    let url = server.url("/feed");
    server.serve(
        "/feed",
        Reply::ok("<rss/>").without_length().without_goodbye(),
    );
    assert_eq!(
        get(&fetcher, &url).await.expect("whole").body.bytes,
        b"<rss/>"
    );
    for reply in [
        Reply::ok("<rss/>").claiming(9),
        Reply::ok("<rss/>").unfinished(3),
    ] {
        server.serve("/feed", reply.without_goodbye());
        let (kind, sentence) = told(get(&fetcher, &url).await);
        assert_eq!(kind, ErrorKind::CutBody, "{sentence}");
    }
}

#[tokio::test]
async fn certificates_are_refused_in_words() {
    let dir = tempfile::tempdir().expect("a directory");
    for (identity, words) in [
        (Identity::for_names(&["other.example"]), "another name"),
        (Identity::expired(), "expired"),
    ] {
        let server = Server::start_tls(&identity);
        server.serve("/feed", Reply::ok("<rss/>"));
        let fetcher = trusting(dir.path().join("ca.pem"), &identity);
        let (kind, sentence) = told(get(&fetcher, &server.url("/feed")).await);
        assert_eq!(kind, ErrorKind::Tls, "{sentence}");
        assert!(sentence.contains(words), "{sentence}");
    }
}

#[tokio::test]
async fn https_to_a_plain_server_says_what_is_wrong() {
    let dir = tempfile::tempdir().expect("a directory");
    let identity = Identity::for_names(&["127.0.0.1"]);
    let fetcher = trusting(dir.path().join("ca.pem"), &identity);
    let server = Server::start();
    server.serve("/", Reply::ok("<rss/>"));
    let url = server.url("/").replace("http:", "https:");
    let (kind, sentence) = told(get(&fetcher, &url).await);
    assert_eq!(kind, ErrorKind::Tls, "{sentence}");
    assert!(sentence.contains("does not speak TLS"), "{sentence}");
}

#[tokio::test]
async fn http_to_a_tls_server_is_no_feed() {
    let identity = Identity::for_names(&["127.0.0.1"]);
    let server = Server::start_tls(&identity);
    let url = server.url("/").replace("https:", "http:");
    let (kind, sentence) = told(get(&impatient(), &url).await);
    assert!(
        matches!(kind, ErrorKind::Protocol | ErrorKind::Reset),
        "{sentence}"
    );
}

#[test]
fn settings_that_cannot_work_are_refused_at_the_start() {
    let dir = tempfile::tempdir().expect("a directory");
    let empty = dir.path().join("empty.pem");
    std::fs::write(&empty, "no certificate here").expect("written");
    let with = |change: fn(&mut HttpSettings)| {
        let mut settings = HttpSettings::default();
        change(&mut settings);
        settings
    };
    for (settings, words) in [
        (
            with(|s| s.proxy = Some("no proxy at all".into())),
            "`proxy`",
        ),
        (with(|s| s.contact = Some("me\nyou".into())), "`contact`"),
        (
            with(|s| s.ca_file = Some("/no/such/file.pem".into())),
            "/no/such/file.pem",
        ),
        (
            HttpSettings {
                ca_file: Some(empty),
                ..HttpSettings::default()
            },
            "no certificate",
        ),
    ] {
        let error: FetchSetupError = Fetcher::new(&settings).err().expect("refused");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[tokio::test]
async fn loopback_never_goes_through_a_proxy_and_the_rest_does() {
    let server = Server::start();
    server.serve("/feed", Reply::ok("<rss/>"));
    let proxy = Server::start();
    proxy.serve(
        "http://feeds.example/feed",
        Reply::ok("<rss>by proxy</rss>"),
    );
    let fetcher = Fetcher::new(&HttpSettings {
        proxy: Some(proxy.url("")),
        ..HttpSettings::default()
    })
    .expect("settings");
    get(&fetcher, &server.url("/feed")).await.expect("straight");
    assert!(proxy.requests().is_empty());
    let none = Validators::default();
    let request = Request::new("http://feeds.example/feed", &none);
    let answer = fetcher
        .get(request, far(), || NOW)
        .await
        .expect("through the proxy");
    assert_eq!(answer.body.bytes, b"<rss>by proxy</rss>");
    assert_eq!(proxy.requests().len(), 1);
}
