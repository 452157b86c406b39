//! What the store costs: a page of a list, a mark, a round of polls. `TIDINGS_BENCH_ENTRIES` sets the size (100000).

#[path = "shared/prose.rs"]
mod shared;

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use tempfile::TempDir;
use tidings::model::{
    Anchor, AuditRecord, Counters, EntryBody, EntryId, EntryKey, Exchange, FeedId, HeaderList,
    HostKey, HostState, Incoming, ListScope, ListSpec, Mark, Order, OutcomeCode, Pace, PollState,
    Schedule, Subscription, Timestamp, Validators, Why, Window,
};
use tidings::parse::Changes;
use tidings::store::{
    About, Opened, Packed, PackedExchanges, PollCommit, Reply, Store, StoreError, pack,
};

use shared::prose;

const FEEDS: u32 = 1_000;
const NOW: Timestamp = Timestamp(1_796_000_000);
const CACHE: usize = 8 * 1024 * 1024;

fn done<T>(reply: Reply<T>) -> T {
    reply
        .blocking_recv()
        .expect("an answer")
        .expect("a good one")
}

fn packed(new: Vec<Incoming>) -> Result<Packed, StoreError> {
    pack(Changes {
        new,
        ..Changes::default()
    })
}

fn key(feed: u32, n: u32) -> EntryKey {
    let mixed = (u128::from(feed) << 32 | u128::from(n))
        .wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
    EntryKey(mixed.to_be_bytes())
}

fn incoming(feed: u32, n: u32, size: usize) -> Incoming {
    // Neighbours in time are not neighbours in the store: one entry a feed and hour.
    let date = NOW.0 - i64::from(n) * 3_600 - i64::from(feed);
    let url = format!("https://h{feed}.example/articles/2026/{n}-some-words-of-the-title.html");
    Incoming {
        key: key(feed, n),
        guid: url.clone(),
        title: format!("Entry {n} of feed {feed}, with a title of the usual length"),
        link: Some(url),
        author: "Ann Author".to_owned(),
        published: Some(Timestamp(date)),
        updated: None,
        enclosures: Vec::new(),
        body: EntryBody {
            text: prose(feed * 1_000 + n, size),
            ..EntryBody::default()
        },
        content_hash: [n as u8; 32],
    }
}

fn headers(names: &[(&str, &str)]) -> HeaderList {
    names.iter().copied().collect()
}

/// What a 304 leaves behind, full headers included.
fn not_modified(feed: u32, at: Timestamp) -> PollCommit {
    let why = Why::Base(3_600);
    let url = format!("https://h{feed}.example/feed.xml");
    let next = Some(at.plus(3_600 + i64::from(feed)));
    PollCommit {
        cursor: None,
        withdrawn: tidings::store::Withdrawn::default(),
        memory: tidings::model::Memory::Nothing,
        keep: tidings::model::Keep::default(),
        feed: FeedId(feed),
        at,
        state: PollState {
            schedule: Schedule {
                next,
                set_at: at,
                why,
                ..Schedule::default()
            },
            body_hash: Some([1; 32]),
            entries_hash: Some([2; 32]),
            answered_by: Some(url.clone()),
            ..PollState::default()
        },
        host: Some((
            HostKey(format!("h{feed}.example:443")),
            HostState {
                last_start_ms: at.0 * 1_000,
                not_modified: 1,
                ..HostState::default()
            },
        )),
        turn: 0,
        validators: vec![(
            url.clone(),
            Some(Validators {
                etag: Some(b"\"65f2a-1b4c8-60d5ecb3f2a40\"".to_vec()),
                last_modified: Some(b"Mon, 30 Nov 2026 13:57:23 GMT".to_vec()),
            }),
        )],
        about: None,
        entries: Packed::default(),
        audit: AuditRecord {
            at,
            times: 1,
            status: 304,
            hops: Vec::new(),
            url_hash: 0x1234_5678,
            sent_etag: 0x1234_5678,
            sent_date: 0x1234_5678,
            got_etag: 0x1234_5678,
            got_date: 0x1234_5678,
            wire: 0,
            decoded: 0,
            ms: 120,
            new: 0,
            updated: 0,
            outcome: OutcomeCode::NotModified,
            next,
            why,
            pace: Pace::Scheduled,
        },
        exchanges: PackedExchanges::pack(&[Exchange {
            at,
            url,
            status: 304,
            sent: headers(&[
                ("user-agent", "tidings/0.1 (+https://example.org/tidings)"),
                (
                    "accept",
                    "application/atom+xml, application/rss+xml;q=0.9, */*;q=0.1",
                ),
                ("accept-encoding", "gzip, br, zstd"),
                ("if-none-match", "\"65f2a-1b4c8-60d5ecb3f2a40\""),
                ("if-modified-since", "Mon, 30 Nov 2026 13:57:23 GMT"),
            ]),
            received: headers(&[
                ("date", "Mon, 30 Nov 2026 14:57:23 GMT"),
                ("server", "nginx/1.24.0"),
                ("etag", "\"65f2a-1b4c8-60d5ecb3f2a40\""),
                ("cache-control", "public, max-age=3600"),
                (
                    "strict-transport-security",
                    "max-age=31536000; includeSubDomains",
                ),
            ]),
            error: None,
        }])
        .expect("it encodes"),
        delta: Counters {
            not_modified304: 1,
            conditional: 1,
            ..Counters::default()
        },
    }
}

fn changed(feed: u32, entries: Packed) -> PollCommit {
    PollCommit {
        about: Some(About {
            title: format!("The feed number {feed}"),
            site: Some(format!("https://h{feed}.example/")),
            hubs: Vec::new(),
            topic: None,
        }),
        entries,
        ..not_modified(feed, NOW)
    }
}

fn empty(dir: &TempDir) -> Opened {
    let opened = Store::open(&dir.path().join("tidings.redb"), CACHE, NOW).expect("a store");
    let list = (0..FEEDS)
        .map(|feed| Subscription {
            url: format!("https://h{feed}.example/feed.xml"),
            ..Subscription::default()
        })
        .collect();
    done(opened.writer.reconcile(list, NOW));
    opened
}

fn filled(dir: &TempDir, entries: u32) -> Opened {
    let opened = empty(dir);
    for feed in 0..FEEDS {
        let new = (0..entries / FEEDS)
            .map(|n| incoming(feed, n, 400))
            .collect();
        drop(
            opened
                .writer
                .poll(changed(feed, packed(new).expect("packed"))),
        );
    }
    done(opened.writer.flush());
    opened
}

fn reading(c: &mut Criterion) {
    let entries = std::env::var("TIDINGS_BENCH_ENTRIES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(100_000);
    let dir = TempDir::new().expect("a folder");
    let opened = filled(&dir, entries);
    let page = |spec: &ListSpec, anchor: Anchor| {
        let window = Window {
            anchor,
            before: 100,
            after: 100,
        };
        opened
            .store
            .list(black_box(spec), &window, NOW)
            .expect("a page")
    };
    let all = ListSpec::default();
    let middle = Anchor::At {
        sort: NOW.plus(-40 * 3_600),
        no: 0,
    };
    c.bench_function("list: 200 of all, in the middle", |b| {
        b.iter(|| page(&all, middle));
    });
    let folded = ListSpec {
        fold_twins: true,
        ..ListSpec::default()
    };
    c.bench_function("list: 200 of all, every story once, in the middle", |b| {
        b.iter(|| page(&folded, middle));
    });
    let unread = ListSpec {
        unread_only: true,
        ..ListSpec::default()
    };
    c.bench_function("list: 100 unread, top", |b| {
        b.iter(|| page(&unread, Anchor::Top));
    });
    let feed = ListSpec {
        scope: ListScope::Feed(FeedId(500)),
        ..ListSpec::default()
    };
    c.bench_function("list: 100 of a feed", |b| {
        b.iter(|| page(&feed, Anchor::Top));
    });
    let tag = ListSpec {
        scope: ListScope::Feeds((0..200).map(|n| FeedId(n * 5)).collect()),
        ..ListSpec::default()
    };
    c.bench_function("list: 200 of 200 feeds", |b| b.iter(|| page(&tag, middle)));
    let by_feed = ListSpec {
        order: Order::Feed,
        ..ListSpec::default()
    };
    c.bench_function("list: 100 by feed, top", |b| {
        b.iter(|| page(&by_feed, Anchor::Top));
    });
    c.bench_function("feeds: 1000 rows", |b| {
        b.iter(|| opened.store.feeds().expect("rows"));
    });
    let open = |n: u32| {
        let id = EntryId {
            feed: FeedId(n % FEEDS),
            key: key(n % FEEDS, 7),
        };
        opened.store.entry(id).expect("read").expect("stored")
    };
    let mut n = 0;
    c.bench_function("entry: open one", |b| {
        b.iter(|| {
            n += 1;
            open(n)
        });
    });
    let mut read = false;
    c.bench_function("mark: one entry, committed", |b| {
        b.iter(|| {
            read = !read;
            let id = EntryId {
                feed: FeedId(7),
                key: key(7, 7),
            };
            done(opened.writer.mark(vec![id], Mark::Read(read)))
        });
    });
}

fn polling(c: &mut Criterion) {
    let dir = TempDir::new().expect("a folder");
    let opened = filled(&dir, 35_000);
    let mut round = 0;
    c.bench_function("commit: 1000 polls, not modified", |b| {
        b.iter_batched(
            || {
                round += 1;
                let at = NOW.plus(round * 3_600);
                (0..FEEDS)
                    .map(|feed| not_modified(feed, at))
                    .collect::<Vec<_>>()
            },
            |polls| {
                for poll in polls {
                    drop(opened.writer.poll(poll));
                }
                done(opened.writer.flush());
            },
            BatchSize::PerIteration,
        );
    });
    let mut first = 0;
    c.bench_function("commit: 100 polls with 35 new entries", |b| {
        b.iter_batched(
            || {
                first += 35;
                let of = |feed| {
                    (first..first + 35)
                        .map(|n| incoming(feed, n, 2_000))
                        .collect()
                };
                (0..100)
                    .map(|feed| changed(feed, packed(of(feed)).expect("packed")))
                    .collect::<Vec<_>>()
            },
            |polls| {
                for poll in polls {
                    drop(opened.writer.poll(poll));
                }
                done(opened.writer.flush());
            },
            BatchSize::PerIteration,
        );
    });
    let entries: Vec<_> = (0..35).map(|n| incoming(1, n, 1_700)).collect();
    c.bench_function("pack: 35 entries, 60 kB", |b| {
        b.iter_batched(
            || entries.clone(),
            |entries| packed(entries).expect("packed"),
            BatchSize::SmallInput,
        );
    });
}

fn marking(c: &mut Criterion) {
    let dir = TempDir::new().expect("a folder");
    let opened = filled(&dir, 100_000);
    let mut read = false;
    c.bench_function("mark: all 100000, committed", |b| {
        b.iter(|| {
            read = !read;
            done(
                opened
                    .writer
                    .mark_all(ListSpec::default(), Mark::Read(read), NOW),
            )
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = reading, polling, marking
}
criterion_main!(benches);
