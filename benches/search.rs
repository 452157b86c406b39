//! What looking something up costs: titles as they are typed, texts with and without the index of words, and what the index takes.
//! `TIDINGS_BENCH_ENTRIES` sets the size (100000).

use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use tempfile::TempDir;
use tidings::model::{
    Anchor, AuditRecord, Counters, EntriesPage, EntryBody, EntryKey, FeedId, Incoming, ListSpec,
    OutcomeCode, Pace, PollState, Schedule, Subscription, Timestamp, Why, Window,
};
use tidings::parse::Changes;
use tidings::store::{
    About, Opened, Pace as SearchPace, PackedExchanges, PollCommit, Reply, Store, Waiting, pack,
};

const FEEDS: u32 = 1_000;
const NOW: Timestamp = Timestamp(1_796_000_000);
const CACHE: usize = 12 * 1024 * 1024;
/// Words of the made-up language.
const VOCABULARY: usize = 60_000;
/// Stands in ten entries of a hundred thousand.
const RARE: &str = "quixotry";
/// Stands in one.
const SINGLE: &str = "zyzzyva";

fn done<T>(reply: Reply<T>) -> T {
    reply
        .blocking_recv()
        .expect("an answer")
        .expect("a good one")
}

/// A small generator: the text is the same in every run.
struct Dice(u64);

impl Dice {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % below
    }

    /// A rank after Zipf: the first words stand everywhere, most of them hardly anywhere.
    fn rank(&mut self, most: usize) -> usize {
        let u = (self.next(1 << 24) as f64 + 1.0) / f64::from(1 << 24);
        let rank = (most as f64).powf(u) - 1.0;
        (rank as usize).min(most - 1)
    }
}

struct Language {
    words: Vec<String>,
}

impl Language {
    fn new() -> Self {
        const ONSET: [&str; 20] = [
            "b", "c", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "st",
            "tr", "pl", "sch",
        ];
        const REST: [&str; 16] = [
            "a", "e", "i", "o", "u", "an", "er", "in", "ing", "on", "or", "ue", "ä", "al", "ent",
            "is",
        ];
        let mut dice = Dice(7);
        let words = (0..VOCABULARY).map(|rank| {
            let syllables = 1 + usize::from(rank > 60) + usize::from(rank > 3_000) + dice.next(2);
            let mut word = String::new();
            for _ in 0..syllables {
                word.push_str(ONSET[dice.next(20)]);
                word.push_str(REST[dice.next(16)]);
            }
            word
        });
        Self {
            words: words.collect(),
        }
    }

    fn sentence(&self, dice: &mut Dice, words: usize) -> String {
        let words: Vec<&str> = (0..words)
            .map(|_| self.words[dice.rank(VOCABULARY)].as_str())
            .collect();
        words.join(" ")
    }

    /// About four kilobytes of HTML; one text in ten is Chinese.
    fn html(&self, n: u32, dice: &mut Dice) -> String {
        let mut text = String::with_capacity(5_000);
        let chinese = n.is_multiple_of(10);
        while text.len() < 3_600 {
            text.push_str("<p>");
            if chinese {
                for _ in 0..60 {
                    let letter = 0x4e00 + dice.rank(3_000) as u32;
                    text.extend(char::from_u32(letter));
                }
            } else {
                text.push_str(&self.sentence(dice, 40));
                text.push_str(" <a href=\"https://example.org/articles/");
                text.push_str(&n.to_string());
                text.push_str("\">");
                text.push_str(&self.sentence(dice, 3));
                text.push_str("</a>");
            }
            text.push_str("</p>\n");
        }
        if n.is_multiple_of(10_000) {
            text.extend(["<p>of ", RARE, "</p>"]);
        }
        if n == 77_777 {
            text.extend(["<p>a ", SINGLE, "</p>"]);
        }
        text
    }

    fn incoming(&self, n: u32, date: i64) -> Incoming {
        let mut dice = Dice(u64::from(n));
        let url = format!("https://example.org/{n}-some-words-of-the-title.html");
        Incoming {
            key: EntryKey((u128::from(n) * 0x9E37_79B9_7F4A_7C15).to_be_bytes()),
            guid: url.clone(),
            title: self.sentence(&mut dice, 8),
            link: Some(url),
            author: "Ann Author".to_owned(),
            published: Some(Timestamp(date)),
            updated: None,
            enclosures: Vec::new(),
            body: EntryBody {
                text: self.html(n, &mut dice),
                ..EntryBody::default()
            },
            content_hash: [n as u8; 32],
        }
    }
}

fn commit(feed: u32, at: Timestamp, new: Vec<Incoming>) -> PollCommit {
    let why = Why::Base(3_600);
    PollCommit {
        cursor: None,
        withdrawn: tidings::store::Withdrawn::default(),
        memory: tidings::model::Memory::Nothing,
        keep: tidings::model::Keep::default(),
        feed: FeedId(feed),
        at,
        state: PollState {
            schedule: Schedule {
                next: Some(at.plus(3_600)),
                set_at: at,
                why,
                ..Schedule::default()
            },
            ..PollState::default()
        },
        host: None,
        turn: 0,
        validators: Vec::new(),
        about: Some(About {
            title: format!("The feed number {feed}"),
            ..About::default()
        }),
        entries: pack(Changes {
            new,
            ..Changes::default()
        })
        .expect("packed"),
        audit: AuditRecord {
            at,
            times: 1,
            status: 200,
            hops: Vec::new(),
            url_hash: 1,
            sent_etag: 0,
            sent_date: 0,
            got_etag: 0,
            got_date: 0,
            wire: 0,
            decoded: 0,
            ms: 1,
            new: 0,
            updated: 0,
            outcome: OutcomeCode::Changed,
            next: None,
            why,
            pace: Pace::Scheduled,
        },
        exchanges: PackedExchanges::default(),
        delta: Counters::default(),
    }
}

/// Half of the entries came with the first poll of their feed, the others four at a time.
fn filled(dir: &TempDir, entries: u32) -> Opened {
    let opened = Store::open(&dir.path().join("tidings.redb"), CACHE, NOW).expect("a store");
    let list = (0..FEEDS).map(|feed| Subscription {
        url: format!("https://h{feed}.example/feed.xml"),
        ..Subscription::default()
    });
    done(opened.writer.reconcile(list.collect(), NOW));
    let language = Language::new();
    let each = entries / FEEDS;
    let mut left = Vec::new();
    let mut next = 0;
    let mut poll = |feed: u32, from: u32, to: u32| {
        let at = NOW.plus(-i64::from(each - to) * 3_600);
        let new = (from..to).map(|n| {
            next += 1;
            language.incoming(next, NOW.0 - i64::from(each - n) * 3_600 - i64::from(feed))
        });
        left.push(opened.writer.poll(commit(feed, at, new.collect())));
        if left.len() > 200 {
            for reply in left.drain(..) {
                done(reply);
            }
        }
    };
    for feed in 0..FEEDS {
        poll(feed, 0, each / 2);
    }
    for from in (each / 2..each).step_by(4) {
        for feed in 0..FEEDS {
            poll(feed, from, (from + 4).min(each));
        }
    }
    for reply in left {
        done(reply);
    }
    done(opened.writer.flush());
    opened
}

/// When the first rows were shown.
struct First {
    since: Instant,
    shown: Option<Duration>,
    next: Instant,
}

impl Waiting for First {
    fn pace(&mut self) -> SearchPace {
        // As often as the engine does.
        if self.shown.is_none() && self.next.elapsed() > Duration::from_millis(40) {
            self.next = Instant::now();
            SearchPace::Show
        } else {
            SearchPace::Go
        }
    }

    fn show(&mut self, page: EntriesPage) {
        if !page.heads.is_empty() {
            self.shown = Some(self.since.elapsed());
        }
    }
}

const WINDOW: Window = Window {
    anchor: Anchor::Top,
    before: 0,
    after: 512,
};

/// A search for words that nobody looked for before, so that nothing is kept from the last one: the case of a letter tells them apart.
fn look(store: &Store, query: &str, turn: &mut usize) -> (EntriesPage, Duration, Duration) {
    *turn += 1;
    let spec = ListSpec {
        query: format!("{query} not title:nobody{turn}"),
        ..ListSpec::default()
    };
    let since = Instant::now();
    let mut first = First {
        since,
        shown: None,
        next: since,
    };
    let page = store
        .search(&spec, &WINDOW, NOW.into(), &mut first)
        .expect("read")
        .expect("the end");
    let whole = since.elapsed();
    (page, first.shown.unwrap_or(whole), whole)
}

const QUERIES: [(&str, &str); 8] = [
    ("one text of all", SINGLE),
    ("ten texts", RARE),
    ("no text", "qqqq"),
    ("no title", "title:qqqq"),
    ("a common word", "an"),
    ("two Chinese letters", "\u{4e12}\u{4e34}"),
    ("two words, seldom together", "quixotry an"),
    ("a pattern", "/quixo[st]ry/"),
];

fn told(store: &Store, what: &str, turn: &mut usize) {
    for (name, query) in QUERIES {
        let mut best = (Duration::MAX, Duration::MAX, 0);
        let mut work = Duration::MAX;
        for _ in 0..3 {
            let before = worked();
            let (page, first, whole) = look(store, query, turn);
            work = work.min(worked().saturating_sub(before));
            best = (best.0.min(first), best.1.min(whole), page.heads.len());
        }
        eprintln!("{what}: {name}: {work:?} of work");
        eprintln!(
            "{what}: {name}: first rows {:?}, whole {:?}, {} rows",
            best.0, best.1, best.2
        );
    }
}

fn size(dir: &TempDir) -> u64 {
    fs::metadata(dir.path().join("tidings.redb")).map_or(0, |file| file.len()) >> 20
}

/// How long this thread has worked; on a busy machine that says more than the clock. Linux tells.
fn worked() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split_whitespace().next().and_then(|n| n.parse().ok());
    Duration::from_nanos(nanos.unwrap_or_default())
}

/// What this process holds, and held at most, in MiB; Linux tells.
fn memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let lines = status
        .lines()
        .filter(|line| line.starts_with("VmRSS") || line.starts_with("VmHWM"));
    lines
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join(", ")
}

fn searching(c: &mut Criterion) {
    let entries = std::env::var("TIDINGS_BENCH_ENTRIES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(100_000);
    let dir = TempDir::new().expect("a folder");
    let opened = filled(&dir, entries);
    let store = &opened.store;
    let mut turn = 0;
    eprintln!("store: {} MiB, {}", size(&dir), memory());
    told(store, "scan", &mut turn);
    let start = Instant::now();
    let (mut parts, mut longest) = (0, Duration::ZERO);
    while let Some(part) = store.index_part(&|| false).expect("read") {
        let since = Instant::now();
        done(opened.writer.index(part));
        longest = longest.max(since.elapsed());
        parts += 1;
    }
    let (blocks, read) = store.index_reach().expect("read");
    eprintln!(
        "index: {parts} parts in {:?}, the longest commit {longest:?}, {read} of {blocks} blocks; store: {} MiB, {}",
        start.elapsed(),
        size(&dir),
        memory()
    );
    told(store, "index", &mut turn);
    eprintln!("{}", memory());
    for (name, query) in QUERIES {
        c.bench_function(&format!("search: {name}"), |b| {
            b.iter(|| look(store, black_box(query), &mut turn));
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(3));
    targets = searching
}
criterion_main!(benches);
