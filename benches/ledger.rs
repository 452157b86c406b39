//! What the status pane asks of the store when every ring of the audit is full: 2,000 feeds of 1,000 requests each.
//! `TIDINGS_BENCH_FEEDS` sets the feeds; with `TIDINGS_BENCH_DIR` the store stays there, beside a `feeds.toml` that fits it,
//! to be looked at with the reader.

use std::fmt::Write;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{Criterion, criterion_group, criterion_main};
use tidings::engine;
use tidings::model::{
    AuditRecord, Counters, Exchange, FeedId, HeaderList, HostKey, OutcomeCode, Pace, PollState,
    Schedule, Subscription, Timestamp, Validators, Why,
};
use tidings::store::{Opened, Packed, PackedExchanges, PollCommit, Store};

/// Requests that a ring keeps.
const RING: u32 = 1_000;
/// Between two requests of a feed, seconds.
const APART: i64 = 3_600;
const CACHE: usize = 12 * 1024 * 1024;
/// Days that the bars show.
const DAYS: u32 = 60;

fn url(feed: u32) -> String {
    format!("https://h{feed}.example/feed.xml")
}

/// The `nth` request of a feed, the last one just before `now`; every tenth is answered in full.
fn poll(feed: FeedId, nth: u32, now: Timestamp) -> PollCommit {
    let at = now.plus(-APART * i64::from(RING - nth) + i64::from(feed.0 % 3_000));
    let why = Why::Streak {
        unchanged: nth % 10,
        secs: 7_200,
    };
    let full = nth.is_multiple_of(10);
    let next = Some(now.plus(7_200 + i64::from(feed.0)));
    let field = |name: &str, value: &str| (name.to_owned(), value.as_bytes().to_vec());
    PollCommit {
        cursor: None,
        withdrawn: tidings::store::Withdrawn::default(),
        memory: tidings::model::Memory::Nothing,
        keep: tidings::model::Keep::default(),
        feed,
        at,
        state: PollState {
            schedule: Schedule {
                next,
                set_at: at,
                why,
                ..Schedule::default()
            },
            answered_by: Some(url(feed.0)),
            ..PollState::default()
        },
        host: None,
        turn: 0,
        validators: vec![(
            url(feed.0),
            Some(Validators {
                etag: Some(b"\"65f2a-1b4c8-60d5ecb3f2a40\"".to_vec()),
                last_modified: None,
            }),
        )],
        about: None,
        entries: Packed::default(),
        audit: AuditRecord {
            at,
            times: 1,
            status: if full { 200 } else { 304 },
            hops: Vec::new(),
            url_hash: feed.0,
            sent_etag: nth,
            sent_date: 0,
            got_etag: nth,
            got_date: 0,
            wire: if full { 40_000 } else { 0 },
            decoded: 0,
            ms: 120,
            new: u32::from(full),
            updated: 0,
            outcome: if full {
                OutcomeCode::Changed
            } else {
                OutcomeCode::NotModified
            },
            next,
            why,
            pace: Pace::Scheduled,
        },
        exchanges: if nth + 20 >= RING {
            PackedExchanges::pack(&[Exchange {
                at,
                url: url(feed.0),
                status: 304,
                sent: HeaderList::from_iter([field(
                    "if-none-match",
                    "\"65f2a-1b4c8-60d5ecb3f2a40\"",
                )]),
                received: HeaderList::from_iter([field("etag", "\"65f2a-1b4c8-60d5ecb3f2a40\"")]),
                error: None,
            }])
            .expect("packed")
        } else {
            PackedExchanges::default()
        },
        delta: Counters {
            ok200: u64::from(full),
            not_modified304: u64::from(!full),
            conditional: 1,
            bytes: if full { 40_000 } else { 0 },
            bytes_saved: if full { 0 } else { 40_000 },
            ..Counters::default()
        },
    }
}

/// A store of `count` feeds whose rings are full.
fn full(path: &Path, count: u32, now: Timestamp) -> (Store, Vec<FeedId>) {
    let Opened { store, writer, .. } = Store::open(path, CACHE, now).expect("a store");
    let list: Vec<Subscription> = (0..count)
        .map(|feed| Subscription {
            url: url(feed),
            title: Some(format!("Feed {feed} with a name of the usual length")),
            ..Subscription::default()
        })
        .collect();
    let reconciled = writer.reconcile(list.clone(), now).blocking_recv();
    reconciled.expect("an answer").expect("stored");
    let ids = store.feed_ids(&list).expect("ids");
    let ids: Vec<FeedId> = ids.into_iter().flatten().collect();
    // Each feed's polls one after the other, a thousand feeds at once: the writer makes one commit of them.
    for nth in 0..RING {
        for some in ids.chunks(1_000) {
            let replies: Vec<_> = some
                .iter()
                .map(|id| writer.poll(poll(*id, nth, now)))
                .collect();
            drop(writer.flush());
            for reply in replies {
                reply.blocking_recv().expect("an answer").expect("stored");
            }
        }
    }
    (store, ids)
}

/// Where the store is to lie, and what removes it afterwards.
fn place() -> (PathBuf, Option<tempfile::TempDir>) {
    if let Some(dir) = std::env::var_os("TIDINGS_BENCH_DIR") {
        return (dir.into(), None);
    }
    let dir = tempfile::tempdir().expect("a directory");
    (dir.path().to_owned(), Some(dir))
}

fn rings(c: &mut Criterion) {
    let count = std::env::var("TIDINGS_BENCH_FEEDS").ok();
    let count = count.and_then(|count| count.parse().ok()).unwrap_or(2_000);
    let now = engine::now();
    let (dir, _temporary) = place();
    for part in ["data", "config"] {
        std::fs::create_dir_all(dir.join(part)).expect("a directory");
    }
    let mut text = String::new();
    for feed in 0..count {
        let title = format!("Feed {feed} with a name of the usual length");
        let _ = writeln!(
            text,
            "[[feed]]\nurl = \"{}\"\ntitle = \"{title}\"",
            url(feed)
        );
    }
    std::fs::write(dir.join("config/feeds.toml"), text).expect("a list");
    let path = dir.join("data/tidings.redb");
    let (store, ids) = full(&path, count, now);
    let size = std::fs::metadata(&path).map_or(0, |file| file.len());
    println!("{count} feeds, {RING} requests each: {} MiB", size >> 20);
    c.bench_function("rows of all feeds", |b| {
        b.iter(|| black_box(store.feeds().expect("rows").len()));
    });
    c.bench_function("the ring of one feed", |b| {
        b.iter(|| black_box(store.ledger(ids[ids.len() / 2]).expect("a ring").0.len()));
    });
    let today = now.day();
    c.bench_function("60 days of all feeds", |b| {
        b.iter(|| black_box(store.days(today - DAYS + 1..=today).expect("days").len()));
    });
    c.bench_function("60 days of one feed", |b| {
        let days = today - DAYS + 1..=today;
        b.iter(|| black_box(store.days_of(ids[0], days.clone()).expect("days").len()));
    });
    let host = HostKey("h7.example:443".to_owned());
    c.bench_function("what set a hold", |b| {
        b.iter(|| black_box(store.hold_cause(&host, now).expect("an answer").is_some()));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = rings
}
criterion_main!(benches);
