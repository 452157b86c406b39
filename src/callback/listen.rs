//! The socket, and the connections that are open.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::{AbortHandle, JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

use super::body::pool;
use super::door::{Call, Door};

/// More are not taken in at the same time; the others wait in the system's queue.
pub const CONNECTIONS: usize = 32;
/// For the head of a request.
const HEAD: Duration = Duration::from_secs(5);
/// For all of a connection: it carries one request.
const WHOLE: Duration = Duration::from_secs(30);
/// For the heads of requests, in bytes of each connection.
const HEAD_MAX: usize = 16 * 1024;
/// Calls that wait for the engine.
const CALLS: usize = 32;

/// How long a peer may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// For the head of its request.
    pub(super) head: Duration,
    /// For all of it.
    pub(super) whole: Duration,
}

/// How long a connection may wait for a place before one that has said nothing yet makes room.
const STANDING: Duration = Duration::from_millis(200);

/// A listener at work; it ends, with all its connections, when this is dropped.
#[derive(Debug)]
pub struct Listener {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Listener {
    /// Listens at `address` (port 0: a free one). What comes is to be taken from the receiver.
    ///
    /// # Errors
    /// The address is in use, or not this machine's. Needs a runtime of tokio.
    pub async fn bind(address: SocketAddr) -> io::Result<(Self, mpsc::Receiver<Call>)> {
        Self::bind_within(
            address,
            Patience {
                head: HEAD,
                whole: WHOLE,
            },
        )
        .await
    }

    pub(super) async fn bind_within(
        address: SocketAddr,
        patience: Patience,
    ) -> io::Result<(Self, mpsc::Receiver<Call>)> {
        let socket = TcpListener::bind(address).await?;
        let address = socket.local_addr()?;
        let (calls, received) = mpsc::channel(CALLS);
        let door = Door {
            calls,
            pool: pool(),
        };
        let task = tokio::spawn(accept(socket, door, patience));
        Ok((Self { address, task }, received))
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A connection, whether its request has come, and how to end it.
struct Guest {
    heard: Arc<AtomicBool>,
    end: AbortHandle,
}

async fn accept(socket: TcpListener, door: Door, patience: Patience) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut open = JoinSet::new();
    // In the order of their coming.
    let mut guests: VecDeque<Guest> = VecDeque::new();
    loop {
        let free = Arc::clone(&places).acquire_owned();
        let place = match timeout(STANDING, free).await {
            Ok(Ok(place)) => place,
            // Never closed.
            Ok(Err(_)) => return,
            // Who says nothing does not keep others out.
            Err(_) => {
                let silent = |guest: &Guest| !guest.heard.load(Ordering::Relaxed);
                if let Some(at) = guests.iter().position(silent)
                    && let Some(guest) = guests.remove(at)
                {
                    guest.end.abort();
                }
                continue;
            }
        };
        while open.try_join_next().is_some() {}
        guests.retain(|guest| !guest.end.is_finished());
        let Ok((stream, _)) = socket.accept().await else {
            // Out of sockets, most likely: they come back when others are closed.
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        let door = door.clone();
        let heard = Arc::new(AtomicBool::new(false));
        let guest = Arc::clone(&heard);
        let end = open.spawn(async move {
            let _place = place;
            // Whoever is slow is cut without a word.
            let _ = timeout(patience.whole, serve(stream, door, guest, patience)).await;
        });
        guests.push_back(Guest { heard, end });
    }
}

async fn serve(stream: TcpStream, door: Door, heard: Arc<AtomicBool>, patience: Patience) {
    let service = service_fn(move |request| {
        heard.store(true, Ordering::Relaxed);
        door.clone().answer(request)
    });
    // A peer that breaks off is no error of ours.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience.head)
        .max_buf_size(HEAD_MAX)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}
