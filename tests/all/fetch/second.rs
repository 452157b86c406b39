//! The same over HTTP/2, which most of the web speaks.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http_body_util::{BodyExt, Full, StreamBody, combinators::BoxBody};
use hyper::body::Frame;
use hyper::service::service_fn;
use hyper::{Request as Asked, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tidings::fetch::{Fetcher, Request};
use tidings::model::{ErrorKind, HttpSettings};

use super::{ask, get, told, validators};
use crate::support::Identity;

type Fields = Vec<(String, Vec<u8>)>;

/// A server that speaks HTTP/2 alone, and what it was asked.
struct Second {
    url: String,
    seen: Arc<Mutex<Vec<(String, Fields)>>>,
}

async fn start(identity: &Identity) -> Second {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let url = format!("https://{}", listener.local_addr().expect("an address"));
    let seen = Arc::<Mutex<Vec<_>>>::default();
    let acceptor = tokio_rustls::TlsAcceptor::from(identity.speaking(&[b"h2"]));
    let remembered = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, seen) = (acceptor.clone(), Arc::clone(&remembered));
            tokio::spawn(async move {
                let Ok(tls) = acceptor.accept(stream).await else {
                    return;
                };
                let service = service_fn(move |asked| {
                    std::future::ready(Ok::<_, std::io::Error>(answer(&seen, &asked)))
                });
                drop(
                    hyper::server::conn::http2::Builder::new(TokioExecutor::new())
                        .serve_connection(TokioIo::new(tls), service)
                        .await,
                );
            });
        }
    });
    Second { url, seen }
}

fn answer(
    seen: &Mutex<Vec<(String, Fields)>>,
    asked: &Asked<hyper::body::Incoming>,
) -> Response<BoxBody<Bytes, std::io::Error>> {
    let fields = asked
        .headers()
        .iter()
        .map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()))
        .collect();
    let target = asked
        .uri()
        .path_and_query()
        .map(ToString::to_string)
        .unwrap_or_default();
    seen.lock().expect("seen").push((target.clone(), fields));
    let whole = |bytes: &'static [u8]| {
        Full::new(Bytes::from_static(bytes))
            .map_err(|never| match never {})
            .boxed()
    };
    match target.as_str() {
        "/304" => Response::builder().status(304).body(whole(b"")),
        "/cut" => {
            let parts = [
                Ok(Frame::data(Bytes::from_static(b"half of it"))),
                Err(std::io::Error::other("no more")),
            ];
            let stream = futures_util::stream::iter(parts);
            Response::builder().body(BodyExt::boxed(StreamBody::new(stream)))
        }
        "/headers" => Response::builder()
            .header("x-long", "x".repeat(100 * 1024))
            .body(whole(b"<rss/>")),
        _ => Response::builder()
            .header("etag", "W/\"a\"")
            .body(whole(b"<rss/>")),
    }
    .expect("an answer")
}

fn trusting(identity: &Identity) -> Fetcher {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("ca.pem");
    std::fs::write(&file, &identity.pem).expect("written");
    Fetcher::new(&HttpSettings {
        ca_file: Some(file),
        ..HttpSettings::default()
    })
    .expect("settings")
}

#[tokio::test]
async fn a_poll_over_http_2_is_the_same_poll() {
    let identity = Identity::for_names(&["127.0.0.1"]);
    let server = start(&identity).await;
    let fetcher = trusting(&identity);
    let url = format!("{}/Feed?b=2&a=%7e", server.url);
    let answer = get(&fetcher, &url).await.expect("an answer");
    assert_eq!(answer.body.bytes, b"<rss/>");
    assert_eq!(answer.headers.get("etag"), Some(&b"W/\"a\""[..]));

    let known = validators(Some(b"W/\"odd\xe9\""), Some(b"not a date"));
    let url = format!("{}/304", server.url);
    let answer = ask(&fetcher, Request::new(&url, &known))
        .await
        .expect("an answer");
    assert_eq!(answer.status, 304);

    let seen = server.seen.lock().expect("seen").clone();
    assert_eq!(seen[0].0, "/Feed?b=2&a=%7e");
    let names: Vec<_> = seen[0].1.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["user-agent", "accept", "accept-encoding"]);
    let field = |name: &str| {
        seen[1]
            .1
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.clone())
    };
    assert_eq!(field("if-none-match"), known.etag);
    assert_eq!(field("if-modified-since"), known.last_modified);
}

#[tokio::test]
async fn trouble_over_http_2_has_kinds_too() {
    let identity = Identity::for_names(&["127.0.0.1"]);
    let server = start(&identity).await;
    let fetcher = trusting(&identity);
    let (kind, sentence) = told(get(&fetcher, &format!("{}/cut", server.url)).await);
    // The reset of the stream may overtake its headers.
    assert!(
        matches!(kind, ErrorKind::CutBody | ErrorKind::Reset),
        "{sentence}"
    );
    let (kind, sentence) = told(get(&fetcher, &format!("{}/headers", server.url)).await);
    assert!(
        matches!(kind, ErrorKind::Headers | ErrorKind::Reset),
        "{sentence}"
    );
}
