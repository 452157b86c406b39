//! A year of 200 feeds under the default policy, in a minute: the real decisions, a real store, a clock that is moved.
//! What servers see, what is saved, and what the audit adds to the store (at most a tenth).
//!
//! `cargo bench --bench year`; `TIDINGS_BENCH_DAYS` sets another length.

mod feeds;
#[path = "../shared/prose.rs"]
mod shared;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;
use std::time::Duration;

use redb::{Database, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition};
use tidings::model::{
    Answer, AuditRecord, Body, Counters, Exchange, HeaderList, Hop, HostKey, Incoming, Outcome,
    OutcomeCode, Pace, PollSettings, PollState, Timestamp, Validators,
};
use tidings::parse::Changes;
use tidings::poll::{
    Asked, Conclusion, Ending, Facts, Known, Plan, Verdict, Wishes, address, conclude, judge, plan,
    same_body, validators_for,
};
use tidings::store::{About, Opened, Packed, PackedExchanges, PollCommit, Store, pack};

use shared::Chance;

use feeds::{DAY, Feed, HOUR, Kind, START, hash, population, sent_fields};

const AUDIT: TableDefinition<(u32, u32), &[u8]> = TableDefinition::new("audit_blocks");
const AUDIT_OPEN: TableDefinition<u32, &[u8]> = TableDefinition::new("audit_open");
const EXCHANGES: TableDefinition<(u32, u32), &[u8]> = TableDefinition::new("exchanges_by_slot");

#[derive(Default)]
struct Totals {
    counters: Counters,
    polls: u64,
    entries: u64,
    closest: i64,
}

fn main() {
    // Tests of all targets start benches too.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let days = std::env::var("TIDINGS_BENCH_DAYS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(365);
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("tidings.redb");
    let opened = Store::open(&path, 64 * 1024 * 1024, START).expect("a store");
    let mut feeds = population();
    let list = feeds.iter().map(|feed| feed.subscription.clone()).collect();
    opened
        .writer
        .reconcile(list, START)
        .blocking_recv()
        .expect("answered")
        .expect("stored");
    let began = std::time::Instant::now();
    let totals = simulate(&opened, &mut feeds, days);
    opened
        .writer
        .close()
        .blocking_recv()
        .expect("answered")
        .expect("closed");
    drop(opened);
    report(&totals, days, feeds.len(), began.elapsed());
    sizes(&path);
}

fn simulate(opened: &Opened, feeds: &mut [Feed], days: i64) -> Totals {
    let settings = PollSettings::default();
    let mut chance = Chance::new(7);
    let mut totals = Totals {
        closest: i64::MAX,
        ..Totals::default()
    };
    for feed in feeds.iter_mut() {
        let id = opened.store.feed_id(&feed.subscription.url).expect("read");
        feed.id = id.expect("subscribed");
    }
    let mut queue: BinaryHeap<_> = (0..feeds.len())
        .map(|at| Reverse((START.plus(at as i64), at, i64::MAX)))
        .collect();
    let (end, mut flushed) = (START.plus(days * DAY), START);
    while let Some(Reverse((now, at, gap))) = queue.pop() {
        if now >= end {
            break;
        }
        totals.closest = totals.closest.min(gap);
        if now.since(flushed) >= 2 * HOUR {
            opened
                .writer
                .flush()
                .blocking_recv()
                .expect("answered")
                .expect("stored");
            flushed = now;
        }
        let feed = &mut feeds[at];
        let commit = poll(feed, now, &settings, &mut chance, &mut totals);
        drop(opened.writer.poll(commit));
        if let Some(next) = feed.state.schedule.next {
            queue.push(Reverse((next, at, next.since(now))));
        }
    }
    totals
}

fn poll(
    feed: &mut Feed,
    now: Timestamp,
    settings: &PollSettings,
    chance: &mut Chance,
    totals: &mut Totals,
) -> PollCommit {
    let known = feed.known(now, settings);
    assert_eq!(
        plan(Pace::Scheduled, &known),
        Plan::Ask,
        "asked exactly when due"
    );
    let hops = hops(feed);
    let url = match hops.last() {
        Some(hop) => hop.to.clone(),
        None => address(&feed.state, &feed.subscription.url).to_owned(),
    };
    let sent = validators_for(&url, Pace::Scheduled, &known);
    let answer = answer(feed, url, now, &sent);
    let full = answer.status == 200;
    let size = 8_000 + u64::from(feed.id.0 * 7_919) % 50_000;
    let asked = Asked {
        pace: Pace::Scheduled,
        hops: &hops,
        sent,
        answer: Some(&answer),
        wire: if full { size } else { 0 },
        decoded: if full { size * 4 } else { 0 },
        newer: false,
        pushed: None,
    };
    let newest = feed.newest(now);
    let numbers: Vec<i64> = (newest - 19..=newest).collect();
    let fresh = numbers.iter().filter(|n| full && **n > feed.given);
    let fresh: Vec<Incoming> = fresh.map(|n| feed.entry(*n)).collect();
    let dates: Vec<Timestamp> = numbers.iter().map(|n| feed.dated(*n)).collect();
    let done = concluded(&asked, &known, &dates, fresh.len(), newest, chance);
    totals.polls += 1;
    totals.counters.add(&done.delta);
    totals.entries += fresh.len() as u64;
    let commit = committed(feed, &answer, &asked, &done, fresh);
    for (url, pair) in done.validators {
        feed.validators.retain(|(known, _)| *known != url);
        feed.validators.extend(pair.map(|pair| (url, pair)));
    }
    feed.state = done.state;
    feed.host = done.host;
    feed.asked += 1;
    if full {
        feed.given = newest;
    }
    commit
}

/// The redirect of a feed that has moved, until that is believed.
fn hops(feed: &Feed) -> Vec<Hop> {
    let from = address(&feed.state, &feed.subscription.url);
    if feed.kind != Kind::Moved || from != feed.subscription.url {
        return Vec::new();
    }
    vec![Hop {
        from: from.to_owned(),
        status: 301,
        to: from.replace("feed.xml", "moved.xml"),
    }]
}

fn answer(feed: &Feed, url: String, now: Timestamp, sent: &Validators) -> Answer {
    let (status, fields) = feed.answer(now, sent);
    Answer {
        url,
        status,
        sent: sent_fields(feed, sent),
        headers: HeaderList::from_iter(fields),
        body: Body::default(),
        at: now,
        took: Duration::ZERO,
    }
}

fn concluded(
    asked: &Asked,
    known: &Known,
    dates: &[Timestamp],
    new: usize,
    newest: i64,
    chance: &mut Chance,
) -> Conclusion {
    let mut body_hash = [0; 32];
    body_hash[..8].copy_from_slice(&newest.to_be_bytes());
    let answer = asked.answer.expect("every server answers");
    let verdict = judge(answer, !asked.sent.is_empty());
    let ending = match &verdict {
        Verdict::NotModified => Ending::NotModified,
        Verdict::Throttled => Ending::Throttled,
        Verdict::Gone => Ending::Gone,
        Verdict::Failed(error) => Ending::Failed(error),
        Verdict::Redirect => unreachable!("followed"),
        Verdict::Parse if same_body(body_hash, known) => Ending::Identical { body_hash },
        Verdict::Parse => Ending::Parsed(Facts {
            body_hash,
            entries_hash: body_hash,
            truncated: false,
            new: new as u32,
            updated: 0,
            wishes: Wishes::default(),
            dates,
        }),
    };
    conclude(
        &ending,
        asked,
        known,
        f64::from(chance.next()) / f64::from(1 << 24),
    )
}

fn committed(
    feed: &Feed,
    answer: &Answer,
    asked: &Asked,
    done: &Conclusion,
    fresh: Vec<Incoming>,
) -> PollCommit {
    let exchange = Exchange {
        at: answer.at,
        url: answer.url.clone(),
        status: answer.status,
        sent: answer.sent.clone(),
        received: answer.headers.clone(),
        error: None,
    };
    let number = feed.id.0;
    PollCommit {
        cursor: None,
        withdrawn: tidings::store::Withdrawn::default(),
        memory: tidings::model::Memory::Nothing,
        keep: tidings::model::Keep::default(),
        feed: feed.id,
        at: answer.at,
        state: done.state.clone(),
        host: Some((HostKey(format!("h{number}.example:443")), done.host.clone())),
        turn: 0,
        validators: done.validators.clone(),
        about: (!fresh.is_empty()).then(|| About {
            title: format!("The feed number {number}"),
            ..About::default()
        }),
        entries: match fresh.len() {
            0 => Packed::default(),
            _ => pack(Changes {
                new: fresh,
                ..Changes::default()
            })
            .expect("packed"),
        },
        audit: audit(answer, asked, &done.outcome, &done.state),
        exchanges: PackedExchanges::pack(&[exchange]).expect("packed"),
        delta: done.delta,
    }
}

/// As the engine writes it.
fn audit(answer: &Answer, asked: &Asked, outcome: &Outcome, state: &PollState) -> AuditRecord {
    let short = |value: Option<&[u8]>| value.map_or(0, hash);
    AuditRecord {
        at: answer.at,
        times: 1,
        status: answer.status,
        hops: asked.hops.iter().map(|hop| hop.status).collect(),
        url_hash: hash(answer.url.as_bytes()),
        sent_etag: short(asked.sent.etag.as_deref()),
        sent_date: short(asked.sent.last_modified.as_deref()),
        got_etag: short(answer.headers.get("etag")),
        got_date: short(answer.headers.get("last-modified")),
        wire: asked.wire,
        decoded: asked.decoded,
        ms: 143,
        new: outcome.new_entries(),
        updated: outcome.updated_entries(),
        outcome: match outcome {
            Outcome::NotModified => OutcomeCode::NotModified,
            Outcome::Unchanged => OutcomeCode::Unchanged,
            Outcome::Changed { .. } => OutcomeCode::Changed,
            Outcome::Deferred { .. } => OutcomeCode::Deferred,
            Outcome::Gone => OutcomeCode::Gone,
            Outcome::Failed(error) => OutcomeCode::Failed(error.kind),
        },
        next: state.schedule.next,
        why: state.schedule.why,
        pace: asked.pace,
    }
}

fn report(totals: &Totals, days: i64, feeds: usize, took: Duration) {
    let c = &totals.counters;
    let share = |part: u64| part as f64 * 100.0 / totals.polls as f64;
    println!(
        "{days} days of {feeds} feeds, simulated in {:.1} s",
        took.as_secs_f64()
    );
    let a_day = totals.polls as f64 / days as f64 / feeds as f64;
    println!(
        "requests        {} ({a_day:.1} a feed and day), never sooner than {} min after the last",
        totals.polls,
        totals.closest / 60
    );
    println!("conditional     {:.1} %", share(c.conditional));
    println!(
        "304             {} ({:.1} %)",
        c.not_modified304,
        share(c.not_modified304)
    );
    println!(
        "200             {} ({:.1} %), of them identical {}",
        c.ok200,
        share(c.ok200),
        c.identical200
    );
    println!("errors          {}", c.errors);
    let mib = |bytes: u64| bytes as f64 / 1024.0 / 1024.0;
    println!(
        "received        {:.0} MiB, saved by 304s {:.0} MiB",
        mib(c.bytes),
        mib(c.bytes_saved)
    );
    println!("new entries     {}", totals.entries);
}

/// The store with the audit and without it, each with no room lost, and what one record takes.
fn sizes(path: &Path) {
    let mib = |bytes: u64| bytes as f64 / 1024.0 / 1024.0;
    let size = || std::fs::metadata(path).expect("a file").len();
    println!("store as it is  {:.1} MiB", mib(size()));
    let mut database = Database::open(path).expect("a store");
    let read = database.begin_read().expect("read");
    for (name, table) in [("audit", AUDIT), ("exchanges", EXCHANGES)] {
        let table = read.open_table(table).expect("a table");
        let (rows, stats) = (table.len().expect("counted"), table.stats().expect("stats"));
        let longest = table
            .iter()
            .expect("rows")
            .map(|row| row.expect("a row").1.value().len())
            .max();
        println!(
            "{name:<15} {rows} records, {:.0} bytes each and {} at most, {:.1} MiB with their pages",
            stats.stored_bytes() as f64 / rows as f64,
            longest.unwrap_or_default(),
            mib(stats.stored_bytes() + stats.metadata_bytes() + stats.fragmented_bytes())
        );
    }
    drop(read);
    database.compact().expect("compacted");
    let with = size();
    let write = database.begin_write().expect("a transaction");
    write.delete_table(AUDIT).expect("deleted");
    write.delete_table(AUDIT_OPEN).expect("deleted");
    write.delete_table(EXCHANGES).expect("deleted");
    write.commit().expect("committed");
    database.compact().expect("compacted");
    drop(database);
    let without = size();
    let more = (with - without) as f64 * 100.0 / without as f64;
    println!(
        "compacted       {:.1} MiB with the audit, {:.1} MiB without: {more:.1} % more",
        mib(with),
        mib(without)
    );
}
