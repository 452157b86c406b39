use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc::Receiver;

use super::*;

const SECRET: &str = "0123456789abcdef0123456789abcdef";

async fn listener() -> (Listener, Receiver<Call>) {
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    Listener::bind(any).await.expect("a port")
}

async fn send(at: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(at).await.expect("a listener");
    // A refusal may come, and the connection end, before all is sent.
    let _ = stream.write_all(request).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

fn head(line: &str) -> String {
    format!("{line} HTTP/1.1\r\nHost: me.example\r\n")
}

fn post(path: &str, body: &[u8]) -> Vec<u8> {
    let head = head(&format!("POST {path}"));
    let mut request = format!(
        "{head}X-Hub-Signature: sha256=00\r\nContent-Type: application/atom+xml\r\nContent-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    request.extend_from_slice(body);
    request
}

/// Lets everything in, as an engine would that knows every path.
fn open_house(mut calls: Receiver<Call>) -> tokio::task::JoinHandle<Vec<usize>> {
    tokio::spawn(async move {
        let mut sizes = Vec::new();
        while let Some(call) = calls.recv().await {
            match call {
                Call::Verify { query, reply, .. } => drop(reply.send(Reply::Echo(query))),
                Call::Knock { reply, .. } => drop(reply.send(Reply::Done)),
                Call::Deliver { body, reply, .. } => {
                    sizes.push(body.len());
                    let _ = reply.send(Reply::Done);
                }
            }
        }
        sizes
    })
}

#[tokio::test]
async fn r79_what_is_not_expected_is_404_and_never_told() {
    let (listener, mut calls) = listener().await;
    for line in [
        "GET /".to_owned(),
        "GET /favicon.ico".to_owned(),
        format!("GET /{SECRET}0"),
        format!("GET /{SECRET}/"),
        format!("GET /{}", SECRET.to_uppercase()),
        format!("GET /%30{}", &SECRET[1..]),
        format!("DELETE /{SECRET}"),
        format!("OPTIONS /{SECRET}"),
        "POST /../../etc/passwd".to_owned(),
    ] {
        let answer = send(
            listener.address(),
            format!("{}\r\n", head(&line)).as_bytes(),
        )
        .await;
        assert!(answer.starts_with("HTTP/1.1 404 "), "{line}: {answer}");
    }
    for noise in [
        &b"\x16\x03\x01\x02\x00\x01\x00"[..],
        b"GET\r\n\r\n",
        b"\r\n\r\n\0\0\r\n\r\n",
    ] {
        let answer = send(listener.address(), noise).await;
        assert!(!answer.contains("200"), "{answer}");
    }
    assert!(calls.try_recv().is_err());
}

#[tokio::test]
async fn r79_a_challenge_is_plain_text() {
    let (listener, calls) = listener().await;
    open_house(calls);
    let request = format!(
        "{}\r\n",
        head(&format!("GET /a/b/{SECRET}?hub.challenge=x"))
    );
    let answer = send(listener.address(), request.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(answer.contains("content-type: text/plain"), "{answer}");
    assert!(answer.ends_with("\r\n\r\nhub.challenge=x"), "{answer}");
}

#[tokio::test]
async fn r79_a_body_is_read_only_where_it_is_wanted() {
    let (listener, mut calls) = listener().await;
    let engine = tokio::spawn(async move {
        match calls.recv().await {
            Some(Call::Knock { path, reply }) => {
                assert_eq!(path, SECRET);
                let _ = reply.send(Reply::Gone);
            }
            other => panic!("{other:?}"),
        }
        calls.recv().await.is_none()
    });
    let answer = send(
        listener.address(),
        &post(&format!("/{SECRET}"), &vec![0; 1 << 20]),
    )
    .await;
    assert!(answer.starts_with("HTTP/1.1 410 "), "{answer}");
    drop(listener);
    assert!(engine.await.expect("no panic"), "nothing more was told");
}

#[tokio::test]
async fn r79_a_delivery_is_told_with_signature_and_kind() {
    let (listener, mut calls) = listener().await;
    let engine = tokio::spawn(async move {
        while let Some(call) = calls.recv().await {
            match call {
                Call::Knock { reply, .. } => drop(reply.send(Reply::Done)),
                Call::Deliver {
                    signature,
                    content_type,
                    body,
                    reply,
                    ..
                } => {
                    let _ = reply.send(Reply::Done);
                    return (signature, content_type, body.to_vec());
                }
                Call::Verify { .. } => panic!("nobody verifies"),
            }
        }
        panic!("nothing came")
    });
    let answer = send(
        listener.address(),
        &post(&format!("/push/{SECRET}"), b"<feed/>"),
    )
    .await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    let told = engine.await.expect("told");
    let kind = b"application/atom+xml".to_vec();
    assert_eq!(
        told,
        (Some(b"sha256=00".to_vec()), Some(kind), b"<feed/>".to_vec())
    );
}

#[tokio::test]
async fn r79_fifty_megabytes_are_refused_and_leave_nothing() {
    let (listener, calls) = listener().await;
    let house = open_house(calls);
    let path = format!("/{SECRET}");
    let mut request = format!(
        "{}Content-Length: 50000000\r\n\r\n",
        head(&format!("POST {path}"))
    )
    .into_bytes();
    request.resize(request.len() + BODY_MAX + 100_000, b'x');
    // The answer may be lost with the connection: it was not read to its end.
    let answer = send(listener.address(), &request).await;
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 413 "),
        "{answer}"
    );
    // All of the pool is there again.
    for _ in 0..3 {
        let answer = send(listener.address(), &post(&path, &vec![b'x'; BODY_MAX])).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
    drop(listener);
    assert_eq!(house.await.expect("no panic"), [BODY_MAX; 3]);
}

#[tokio::test]
async fn r79_bodies_that_wait_share_the_pool() {
    let (listener, mut calls) = listener().await;
    let at = listener.address();
    let path = format!("/{SECRET}");
    let (told, mut bodies) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(call) = calls.recv().await {
            match call {
                Call::Knock { reply, .. } => drop(reply.send(Reply::Done)),
                Call::Deliver { body, reply, .. } => {
                    let _ = reply.send(Reply::Done);
                    let _ = told.send(body);
                }
                Call::Verify { .. } => {}
            }
        }
    });
    let big = post(&path, &vec![b'x'; BODY_MAX]);
    let small = post(&path, b"x");
    let mut held = Vec::new();
    for _ in 0..POOL / BODY_MAX {
        let answer = send(at, &big).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        held.push(bodies.recv().await.expect("told"));
    }
    let answer = send(at, &small).await;
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert!(answer.contains("retry-after: 60"), "{answer}");
    held.pop();
    let answer = send(at, &small).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[tokio::test]
async fn r79_who_is_slow_is_cut() {
    let patience = listen::Patience {
        head: Duration::from_millis(50),
        whole: Duration::from_millis(200),
    };
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let (listener, calls) = Listener::bind_within(any, patience).await.expect("a port");
    open_house(calls);
    for begun in [
        String::new(),
        "GET / HT".to_owned(),
        format!(
            "{}Content-Length: 9\r\n\r\nabc",
            head(&format!("POST /{SECRET}"))
        ),
    ] {
        let answer = send(listener.address(), begun.as_bytes()).await;
        assert!(!answer.contains(" 200 "), "{begun}: {answer}");
    }
}

#[tokio::test]
async fn r79_who_says_nothing_does_not_keep_others_out() {
    let patience = listen::Patience {
        head: Duration::from_secs(600),
        whole: Duration::from_secs(600),
    };
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let (listener, calls) = Listener::bind_within(any, patience).await.expect("a port");
    open_house(calls);
    let at = listener.address();
    let mut silent = Vec::new();
    for _ in 0..2 * CONNECTIONS {
        silent.push(TcpStream::connect(at).await.expect("a listener"));
    }
    // Behind all of them, and long before their time is over.
    let request = format!("{}\r\n", head("GET /"));
    let answer = send(at, request.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    // The oldest was cut for it, the newest was not.
    let mut byte = [0];
    assert_eq!(silent[0].read(&mut byte).await.expect("an end"), 0);
    let last = silent.last().expect("many");
    assert!(last.try_read(&mut byte).is_err());
}
