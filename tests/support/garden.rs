//! Feeds that grow, on a server that answers 304 exactly when `If-None-Match` names the version of now, and tells every
//! step it takes.
//!
//! Version `n` of a feed has the entries 1 to `n`, and entry 1 is edited by every version: its title names it. So what a
//! store holds says which version it has, and half a version shows.

use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use super::process::pause;

/// A step of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A request has come.
    Asked,
    /// A part of a body has gone out.
    Half,
    /// The answer is complete.
    Answered,
}

/// One feed and what was seen of it.
#[derive(Debug, Clone, Default)]
pub struct Bed {
    /// The version of now: its number of entries.
    pub version: u64,
    /// Requests.
    pub requests: u64,
    /// Requests with `If-None-Match`.
    pub conditional: u64,
    /// 200s begun.
    pub ok200: u64,
    /// 304s begun.
    pub not_modified: u64,
    active: u64,
}

/// The server; it ends when dropped.
pub struct Garden {
    addresses: Vec<SocketAddr>,
    shared: Arc<Shared>,
}

struct Shared {
    beds: Mutex<Vec<Bed>>,
    told: Mutex<Option<Sender<Step>>>,
    stop: AtomicBool,
    /// Somebody was killed: an answer to nobody may still be under way.
    killed: AtomicBool,
    slow: AtomicBool,
    doubled: AtomicU64,
    seed: u64,
    answers: AtomicU64,
}

impl Shared {
    fn beds(&self) -> MutexGuard<'_, Vec<Bed>> {
        self.beds.lock().expect("beds")
    }

    fn tell(&self, step: Step) {
        if let Some(told) = &*self.told.lock().expect("told") {
            // Nobody watches any more.
            let _ = told.send(step);
        }
    }
}

impl Garden {
    /// So many feeds on so many hosts, a port each. The seed says how long answers take.
    pub fn plant(feeds: usize, hosts: usize, seed: u64) -> Self {
        let bed = Bed {
            version: 3,
            ..Bed::default()
        };
        let shared = Arc::new(Shared {
            beds: Mutex::new(vec![bed; feeds]),
            told: Mutex::new(None),
            stop: AtomicBool::new(false),
            killed: AtomicBool::new(false),
            slow: AtomicBool::new(false),
            doubled: AtomicU64::new(0),
            seed,
            answers: AtomicU64::new(0),
        });
        let addresses = (0..hosts).map(|_| listen(&shared)).collect();
        Self { addresses, shared }
    }

    /// The URLs of the feeds.
    pub fn urls(&self) -> Vec<String> {
        let hosts = self.addresses.iter().cycle();
        (0..self.shared.beds().len())
            .zip(hosts)
            .map(|(feed, host)| format!("http://{host}/{feed}"))
            .collect()
    }

    /// What was seen of every feed.
    pub fn beds(&self) -> Vec<Bed> {
        self.shared.beds().clone()
    }

    /// The feed has so many entries more.
    pub fn grow(&self, feed: usize, by: u64) {
        self.shared.beds()[feed].version += by;
    }

    /// Every step from now on.
    pub fn watch(&self) -> Receiver<Step> {
        let (told, steps) = channel();
        *self.shared.told.lock().expect("told") = Some(told);
        steps
    }

    /// Feed 0 takes so long that the others are committed before it.
    pub fn slow(&self, slow: bool) {
        self.shared.slow.store(slow, Ordering::SeqCst);
    }

    /// From now on answers may be under way to somebody who is dead.
    pub fn about_to_kill(&self) {
        self.shared.killed.store(true, Ordering::SeqCst);
    }

    /// Waits until no answer is under way.
    pub fn calm(&self) {
        while self.shared.beds().iter().any(|bed| bed.active > 0) {
            pause(Duration::from_millis(1));
        }
        self.shared.killed.store(false, Ordering::SeqCst);
    }

    /// How often a feed was asked while it was being asked.
    pub fn doubled(&self) -> u64 {
        self.shared.doubled.load(Ordering::SeqCst)
    }
}

impl Drop for Garden {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        for address in &self.addresses {
            // Wakes whoever accepts.
            let _ = TcpStream::connect(address);
        }
    }
}

fn listen(shared: &Arc<Shared>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port");
    let address = listener.local_addr().expect("an address");
    let shared = Arc::clone(shared);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if shared.stop.load(Ordering::SeqCst) {
                return;
            }
            let shared = Arc::clone(&shared);
            // A client that is killed is no error of the test.
            thread::spawn(move || drop(converse(stream, &shared)));
        }
    });
    address
}

fn converse(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(Duration::from_secs(90)))?;
    while let Some(head) = read_head(&mut stream)? {
        let feed = head
            .strip_prefix("GET /")
            .and_then(|rest| rest.split(' ').next())
            .and_then(|number| number.parse().ok());
        let Some(feed) = feed else {
            let empty = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
            stream.write_all(empty.as_bytes())?;
            continue;
        };
        let known = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name.eq_ignore_ascii_case("if-none-match")).then(|| value.trim().to_owned())
        });
        let (version, fresh) = come(shared, feed, known.as_deref());
        let result = answer(&mut stream, shared, feed, version, fresh);
        shared.beds()[feed].active -= 1;
        result?;
        shared.tell(Step::Answered);
    }
    Ok(())
}

/// A head, as text; `None` when the other side has gone.
fn read_head(stream: &mut TcpStream) -> io::Result<Option<String>> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte)? == 0 {
            return Ok(None);
        }
        head.push(byte[0]);
    }
    Ok(Some(String::from_utf8_lossy(&head).into_owned()))
}

/// Notes a request; the version of now, and whether it is news to who asks.
fn come(shared: &Shared, feed: usize, known: Option<&str>) -> (u64, bool) {
    let mut beds = shared.beds();
    let bed = &mut beds[feed];
    bed.requests += 1;
    bed.conditional += u64::from(known.is_some());
    bed.active += 1;
    if bed.active > 1 && !shared.killed.load(Ordering::SeqCst) {
        shared.doubled.fetch_add(1, Ordering::SeqCst);
    }
    let fresh = known != Some(&etag(feed, bed.version));
    if fresh {
        bed.ok200 += 1;
    } else {
        bed.not_modified += 1;
    }
    let version = bed.version;
    drop(beds);
    shared.tell(Step::Asked);
    (version, fresh)
}

fn answer(
    stream: &mut TcpStream,
    shared: &Shared,
    feed: usize,
    version: u64,
    fresh: bool,
) -> io::Result<()> {
    let number = shared.answers.fetch_add(1, Ordering::SeqCst);
    let mut chance = fastrand::Rng::with_seed(shared.seed.wrapping_add(number));
    let (least, most) = if feed == 0 && shared.slow.load(Ordering::SeqCst) {
        // Longer than polls wait for each other before they are committed.
        (450, 500)
    } else {
        (0, 10)
    };
    let etag = etag(feed, version);
    if !fresh {
        pause(Duration::from_millis(chance.u64(least..most)));
        let head = format!("HTTP/1.1 304 Not Modified\r\nETag: {etag}\r\n\r\n");
        return stream.write_all(head.as_bytes());
    }
    let body = body(feed, version);
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nETag: {etag}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    let (one, two) = body.as_bytes().split_at(chance.usize(..body.len()));
    stream.write_all(one)?;
    shared.tell(Step::Half);
    pause(Duration::from_millis(chance.u64(least..most)));
    stream.write_all(two)
}

/// The validator of a version.
pub fn etag(feed: usize, version: u64) -> String {
    format!("\"{feed}-{version}\"")
}

/// The version that a validator names.
pub fn version_of(etag: &str) -> u64 {
    let number = etag.trim_matches('"').split('-').nth(1);
    number.and_then(|n| n.parse().ok()).expect("a version")
}

fn body(feed: usize, version: u64) -> String {
    let mut text =
        format!("<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>Feed {feed}</title>");
    for n in (1..=version).rev() {
        let title = if n == 1 {
            format!("Edited by {version}")
        } else {
            format!("Entry {n}")
        };
        write!(
            text,
            "<item><guid>{feed}-{n}</guid><title>{title}</title><link>https://x.example/{feed}/{n}</link>\
            <description>What is said in entry {n} of feed {feed}, which is never much.</description></item>"
        )
        .expect("text");
    }
    text.push_str("</channel></rss>");
    text
}
