//! A scripted HTTP/1.1 server on loopback, on bare sockets, so that it can cut, drip and lie. It remembers every request
//! byte for byte. Threads, not tasks: a test may block beside it.

use std::collections::HashMap;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use super::reply::{Body, End, Length, Reply};
use super::tls::Identity;

/// One request as it came.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Request line and headers, byte for byte.
    pub raw: Vec<u8>,
    /// The method.
    pub method: String,
    /// The target as sent: path and query, nothing decoded.
    pub target: String,
    /// Header fields in order, names as sent.
    pub headers: Vec<(String, Vec<u8>)>,
    /// What was sent behind them, of the length that they name.
    pub body: Vec<u8>,
    /// When its last header byte was read.
    pub at: Instant,
    /// Which connection it came on, from 0.
    pub connection: usize,
}

impl Seen {
    /// The first field of that name, whatever its case.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_slice())
    }

    /// The same as text.
    pub fn text(&self, name: &str) -> Option<String> {
        self.header(name)
            .map(|value| String::from_utf8_lossy(value).into_owned())
    }

    /// The length of its body.
    fn length(&self) -> usize {
        let length = self.text("content-length");
        length.and_then(|text| text.parse().ok()).unwrap_or(0)
    }

    /// It carries a validator.
    pub fn is_conditional(&self) -> bool {
        self.header("if-none-match").is_some() || self.header("if-modified-since").is_some()
    }
}

/// A server; it ends when dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    secure: bool,
}

#[derive(Debug, Default)]
struct Shared {
    routes: Mutex<HashMap<String, Route>>,
    seen: Mutex<Vec<Seen>>,
    came: Condvar,
    stop: AtomicBool,
    connections: AtomicUsize,
    active: AtomicUsize,
    most_active: AtomicUsize,
}

#[derive(Debug)]
struct Route {
    replies: Vec<Reply>,
    next: usize,
}

impl Server {
    /// On a free port of 127.0.0.1, over plain http.
    pub fn start() -> Self {
        Self::start_at("127.0.0.1:0", None)
    }

    /// Likewise over https.
    pub fn start_tls(identity: &Identity) -> Self {
        Self::start_at("127.0.0.1:0", Some(identity.clone()))
    }

    /// At an address such as `127.0.0.5:0`.
    pub fn start_at(address: &str, identity: Option<Identity>) -> Self {
        let listener = TcpListener::bind(address).expect("a loopback port");
        let server = Self {
            address: listener.local_addr().expect("an address"),
            shared: Arc::default(),
            secure: identity.is_some(),
        };
        let shared = Arc::clone(&server.shared);
        thread::spawn(move || accept(&listener, &shared, identity.as_ref()));
        server
    }

    /// Host and port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        format!("{scheme}://{}{path}", self.address)
    }

    /// Answers this target (query included) always like this.
    pub fn serve(&self, target: &str, reply: Reply) {
        self.script(target, vec![reply]);
    }

    /// Answers this target with these in turn; the last one stays. Replaces what was said before.
    pub fn script(&self, target: &str, replies: Vec<Reply>) {
        assert!(!replies.is_empty(), "an answer is needed");
        let route = Route { replies, next: 0 };
        let mut routes = self.shared.routes.lock().expect("routes");
        routes.insert(target.to_owned(), route);
    }

    /// Every request so far.
    pub fn requests(&self) -> Vec<Seen> {
        self.shared.seen().clone()
    }

    /// Every request for this target so far.
    pub fn requests_for(&self, target: &str) -> Vec<Seen> {
        let mut all = self.requests();
        all.retain(|seen| seen.target == target);
        all
    }

    /// Forgets the requests so far.
    pub fn forget(&self) {
        self.shared.seen().clear();
    }

    /// Waits until there were `count` requests; panics after ten seconds.
    pub fn wait_for(&self, count: usize) -> Vec<Seen> {
        let end = Instant::now() + Duration::from_secs(10);
        let mut seen = self.shared.seen();
        while seen.len() < count {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "{} of {count} requests came", seen.len());
            seen = self.shared.came.wait_timeout(seen, left).expect("seen").0;
        }
        seen.clone()
    }

    /// Connections accepted so far.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }

    /// Requests that were in flight at once, at most.
    pub fn most_active(&self) -> usize {
        self.shared.most_active.load(Ordering::Relaxed)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts.
        drop(TcpStream::connect(self.address));
    }
}

impl Shared {
    fn seen(&self) -> MutexGuard<'_, Vec<Seen>> {
        self.seen.lock().expect("seen")
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn reply(&self, target: &str) -> Reply {
        let mut routes = self.routes.lock().expect("routes");
        let Some(route) = routes.get_mut(target) else {
            return Reply::new(404);
        };
        let reply = route.replies[route.next.min(route.replies.len() - 1)].clone();
        route.next += 1;
        reply
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>, identity: Option<&Identity>) {
    for stream in listener.incoming() {
        if shared.stopped() {
            return;
        }
        let Ok(stream) = stream else { continue };
        let number = shared.connections.fetch_add(1, Ordering::Relaxed);
        let shared = Arc::clone(shared);
        let identity = identity.cloned();
        thread::spawn(move || {
            // A client that hangs up is no error of the test.
            drop(if let Some(identity) = identity {
                converse_tls(stream, &shared, number, &identity)
            } else {
                let owed = false;
                converse(&mut Plain { stream, owed }, &shared, number)
            });
        });
    }
}

/// What the conversation needs of a connection.
trait Line: Read + Write {
    /// Takes what is still unread of the request: closing before it would be a reset.
    fn settle(&mut self) -> io::Result<()>;
    fn socket(&self) -> &TcpStream;
}

/// Leaves the last byte of what it read in the socket: a connection closed with unread data is reset by the system.
struct Plain {
    stream: TcpStream,
    owed: bool,
}

impl Read for Plain {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.settle()?;
        let there = self.stream.peek(buf)?;
        if there > 0 {
            self.stream.read_exact(&mut buf[..there - 1])?;
            self.owed = true;
        }
        Ok(there)
    }
}

impl Write for Plain {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.stream.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Line for Plain {
    fn settle(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.owed) {
            self.stream.read_exact(&mut [0])?;
        }
        Ok(())
    }

    fn socket(&self) -> &TcpStream {
        &self.stream
    }
}

type Tls = rustls::StreamOwned<rustls::ServerConnection, TcpStream>;

impl Line for Tls {
    fn settle(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn socket(&self) -> &TcpStream {
        &self.sock
    }
}

fn converse_tls(
    stream: TcpStream,
    shared: &Shared,
    number: usize,
    identity: &Identity,
) -> io::Result<()> {
    let session =
        rustls::ServerConnection::new(Arc::clone(&identity.config)).map_err(io::Error::other)?;
    let mut tls = rustls::StreamOwned::new(session, stream);
    converse(&mut tls, shared, number)?;
    tls.conn.send_close_notify();
    tls.flush()
}

/// Requests and answers on one connection, until one of them ends it.
fn converse<L: Line>(line: &mut L, shared: &Shared, number: usize) -> io::Result<()> {
    line.socket().set_nodelay(true)?;
    line.socket()
        .set_read_timeout(Some(Duration::from_millis(50)))?;
    let mut waiting = Vec::new();
    loop {
        let Some(raw) = read_head(line, shared, &mut waiting)? else {
            return Ok(());
        };
        let mut seen = parse(raw, number);
        seen.body = read_body(line, shared, &mut waiting, seen.length())?;
        let reply = shared.reply(&seen.target);
        let now = shared.active.fetch_add(1, Ordering::Relaxed) + 1;
        shared.most_active.fetch_max(now, Ordering::Relaxed);
        shared.seen().push(seen);
        shared.came.notify_all();
        let result = answer(line, shared, &reply);
        shared.active.fetch_sub(1, Ordering::Relaxed);
        result?;
        if reply.must_close() {
            return Ok(());
        }
    }
}

/// The body of a request, or what came of it.
fn read_body<L: Line>(
    line: &mut L,
    shared: &Shared,
    waiting: &mut Vec<u8>,
    length: usize,
) -> io::Result<Vec<u8>> {
    let mut buffer = [0; 16 * 1024];
    while waiting.len() < length && !shared.stopped() {
        match line.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => waiting.extend_from_slice(&buffer[..read]),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(e) => return Err(e),
        }
    }
    let rest = waiting.split_off(length.min(waiting.len()));
    Ok(std::mem::replace(waiting, rest))
}

/// Bytes up to the empty line; `None` when the other side has gone.
fn read_head<L: Line>(
    line: &mut L,
    shared: &Shared,
    waiting: &mut Vec<u8>,
) -> io::Result<Option<Vec<u8>>> {
    let mut buffer = [0; 16 * 1024];
    loop {
        if let Some(end) = waiting.windows(4).position(|four| four == b"\r\n\r\n") {
            let rest = waiting.split_off(end + 4);
            return Ok(Some(std::mem::replace(waiting, rest)));
        }
        match line.read(&mut buffer) {
            Ok(0) => return Ok(None),
            Ok(read) => {
                waiting.extend_from_slice(&buffer[..read]);
                if !waiting[0].is_ascii_uppercase() {
                    // Somebody speaks TLS to a plain server: what the world's servers say.
                    line.settle()?;
                    line.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")?;
                    return Ok(None);
                }
            }
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                if shared.stopped() {
                    return Ok(None);
                }
            }
            Err(e) => return Err(e),
        }
    }
}

fn parse(raw: Vec<u8>, connection: usize) -> Seen {
    let mut lines = raw.split(|b| *b == b'\n').map(<[u8]>::trim_ascii_end);
    let first = String::from_utf8_lossy(lines.next().unwrap_or_default()).into_owned();
    let mut words = first.split(' ');
    let method = words.next().unwrap_or_default().to_owned();
    let target = words.next().unwrap_or_default().to_owned();
    let headers = lines
        .filter_map(|line| {
            let colon = line.iter().position(|b| *b == b':')?;
            let name = String::from_utf8_lossy(&line[..colon]).into_owned();
            // One blank belongs to the syntax; the rest is the value's.
            let value = line[colon + 1..]
                .strip_prefix(b" ")
                .unwrap_or(&line[colon + 1..]);
            Some((name, value.to_vec()))
        })
        .collect();
    Seen {
        method,
        target,
        headers,
        body: Vec::new(),
        at: Instant::now(),
        connection,
        raw,
    }
}

fn answer<L: Line>(line: &mut L, shared: &Shared, reply: &Reply) -> io::Result<()> {
    let passed = |gate: &Option<super::Gate>| match gate {
        Some(gate) => gate.pass(&shared.stop),
        None => true,
    };
    if !passed(&reply.before) {
        return Err(ErrorKind::Interrupted.into());
    }
    if reply.end == End::Reset {
        // Unread data is left in the socket.
        return Err(ErrorKind::ConnectionReset.into());
    }
    line.settle()?;
    if let Some(whole) = &reply.whole {
        line.write_all(whole)?;
        line.flush()?;
    } else {
        line.write_all(&reply.head())?;
        line.flush()?;
        if !passed(&reply.before_body) {
            return Err(ErrorKind::Interrupted.into());
        }
        send_body(line, shared, reply)?;
    }
    if reply.end == End::Abrupt {
        return Err(ErrorKind::Interrupted.into());
    }
    if reply.end == End::Hang {
        while !shared.stopped() && !gone(line) {}
        return Err(ErrorKind::Interrupted.into());
    }
    Ok(())
}

/// Waits a little and tells whether the other side has gone.
fn gone<L: Line>(line: &mut L) -> bool {
    let mut buffer = [0; 64];
    match line.read(&mut buffer) {
        Ok(read) => read == 0,
        Err(e) => !matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
    }
}

/// Writes a body in its framing, and stops where it is to be cut.
struct Sender<'a, L> {
    line: &'a mut L,
    left: usize,
    length: Length,
}

impl<L: Line> Sender<'_, L> {
    /// `false` once the cut is reached.
    fn send(&mut self, bytes: &[u8]) -> io::Result<bool> {
        match self.length {
            Length::Chunked(size) | Length::Unfinished(size) => {
                for chunk in bytes.chunks(size.max(1)) {
                    let mut framed = format!("{:x}\r\n", chunk.len()).into_bytes();
                    framed.extend_from_slice(chunk);
                    framed.extend_from_slice(b"\r\n");
                    if !self.plain(&framed)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => self.plain(bytes),
        }
    }

    fn plain(&mut self, bytes: &[u8]) -> io::Result<bool> {
        let part = &bytes[..bytes.len().min(self.left)];
        self.line.write_all(part)?;
        self.line.flush()?;
        self.left -= part.len();
        Ok(self.left > 0)
    }
}

fn send_body<L: Line>(line: &mut L, shared: &Shared, reply: &Reply) -> io::Result<()> {
    let mut sender = Sender {
        line,
        left: reply.cut.unwrap_or(usize::MAX),
        length: reply.length,
    };
    let whole = match &reply.body {
        Body::Bytes(bytes) => sender.send(bytes)?,
        Body::Blocks(block, times) => {
            let mut sent = 0;
            let mut going = true;
            while going && times.is_none_or(|times| sent < times) && !shared.stopped() {
                going = sender.send(block)?;
                sent += 1;
            }
            going
        }
        Body::Trickle(bytes, apart) => {
            let mut going = true;
            for byte in bytes.chunks(1) {
                going = going && sender.send(byte)? && !shared.stopped();
                let wait = shared.seen();
                drop(shared.came.wait_timeout(wait, *apart).expect("seen"));
            }
            going
        }
    };
    if whole && matches!(reply.length, Length::Chunked(_)) {
        sender.plain(b"0\r\n\r\n")?;
    }
    Ok(())
}
