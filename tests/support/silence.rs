//! Ports that do not answer: one that refuses, one that does not even do that.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

/// A URL of a loopback port at which nobody listens.
pub fn nobody_at(path: &str) -> String {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = free.local_addr().expect("an address");
    format!("http://{address}{path}")
}

/// A port that accepts no connection and refuses none, as long as this lives: its queue is full.
#[derive(Debug)]
pub struct Deaf {
    address: SocketAddr,
    _listener: TcpListener,
    _waiting: Vec<TcpStream>,
}

impl Deaf {
    /// Fills the queue of a fresh port.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let mut waiting = Vec::new();
        // The queue takes 128 by default, more on some systems; then a connection hangs.
        let patience = Duration::from_millis(200);
        while let Ok(stream) = TcpStream::connect_timeout(&address, patience) {
            waiting.push(stream);
            assert!(waiting.len() < 10_000, "the queue never fills");
        }
        Self {
            address,
            _listener: listener,
            _waiting: waiting,
        }
    }

    /// The URL of a path there.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}
