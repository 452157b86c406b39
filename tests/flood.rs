//! A flood at the listener for hubs, in a process of its own: what it holds is counted.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};

use tidings::callback::{Call, Listener, Reply};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const PATH: &str = "/0123456789abcdef0123456789abcdef";

/// Resident memory in KiB.
fn resident() -> usize {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let digits: String = line
        .unwrap_or("")
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    digits.parse().expect("a number")
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").expect("Linux").count()
}

async fn send(at: SocketAddr, request: &str) {
    let mut stream = TcpStream::connect(at).await.expect("a listener");
    let _ = stream.write_all(request.as_bytes()).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
}

async fn flood(at: SocketAddr, connections: usize) {
    let mut clients = tokio::task::JoinSet::new();
    for client in 0..50 {
        clients.spawn(async move {
            for n in 0..connections / 50 {
                match (client + n) % 4 {
                    0 => send(at, &format!("GET /{n} HTTP/1.1\r\nHost: x\r\n\r\n")).await,
                    1 => {
                        send(
                            at,
                            &format!("GET {PATH}?hub.mode=subscribe HTTP/1.1\r\nHost: x\r\n\r\n"),
                        )
                        .await;
                    }
                    2 => {
                        send(
                            at,
                            &format!(
                                "POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
                            ),
                        )
                        .await;
                    }
                    // Comes, says something, and goes.
                    _ => {
                        let mut stream = TcpStream::connect(at).await.expect("a listener");
                        let _ = stream.write_all(b"POST / HT").await;
                    }
                }
            }
        });
    }
    while let Some(client) = clients.join_next().await {
        client.expect("no panic");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn r79_ten_thousand_connections_leave_nothing_behind() {
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let (listener, mut calls) = Listener::bind(any).await.expect("a port");
    tokio::spawn(async move {
        while let Some(call) = calls.recv().await {
            let (Call::Verify { reply, .. }
            | Call::Knock { reply, .. }
            | Call::Deliver { reply, .. }) = call;
            let _ = reply.send(Reply::NotFound);
        }
    });
    let at = listener.address();
    // Pages that every connection touches, once.
    flood(at, 500).await;
    send(at, "GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    let (memory, open) = (resident(), descriptors());
    flood(at, 10_000).await;
    // Answered after all before it were taken in; those that ended meanwhile are let go by then, or soon.
    for _ in 0..1000 {
        send(at, "GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
        if descriptors() <= open {
            break;
        }
    }
    let more = resident().saturating_sub(memory);
    eprintln!(
        "{more} KiB more, {open} descriptors before, {} after",
        descriptors()
    );
    assert!(more < 8 * 1024, "{more} KiB more");
    assert!(
        descriptors() <= open,
        "{open} before, {} after",
        descriptors()
    );
}
