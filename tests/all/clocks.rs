//! Clocks that were wrong and machines that slept, without moving a clock: the store is given the times that such a clock
//! would have left behind (R25, R48, R71).

use std::time::{Duration, Instant};

use tidings::model::{
    AuditRecord, Counters, Cursor, HostKey, Offline, OutcomeCode, Pace, Schedule, Timestamp, Why,
};
use tidings::store::{HostNote, Packed, PackedExchanges, PollCommit, Store};

use crate::support::process::Home;
use crate::support::{Reply, Server};

const DAY: i64 = 86_400;
const FEEDS: usize = 3;
/// A start is told by its arrival, which a busy machine delays by more or less.
const TOLERANCE: Duration = Duration::from_millis(200);

fn now() -> Timestamp {
    Timestamp(chrono::Utc::now().timestamp())
}

/// Three feeds of one host and one of another, polled once.
fn polled() -> (Home, [Server; 2]) {
    let (home, servers) = (Home::new(), [Server::start(), Server::start()]);
    home.write("config/config.toml", "[http]\nhost_gap = \"300ms\"\n");
    let mut urls = Vec::new();
    for (server, feeds) in servers.iter().zip([FEEDS, 1]) {
        for feed in 0..feeds {
            let path = format!("/{feed}");
            let body = format!(
                "<rss version='2.0'><channel><title>{path}</title><item><guid>{path}</guid></item></channel></rss>"
            );
            let fresh = Reply::ok(body).header("ETag", "\"1\"");
            server.script(&path, vec![fresh, Reply::not_modified()]);
            urls.push(server.url(&path));
        }
    }
    home.subscribe(&urls);
    home.run(&["--refresh-only", "--json"])
        .json_lines(FEEDS + 1);
    servers.iter().for_each(Server::forget);
    (home, servers)
}

/// The store as a clock would have left it that was so many seconds ahead: next polls, starts, a hold.
fn written_ahead(home: &Home, servers: &[Server], secs: i64, held: bool) {
    let path = home.path("data/tidings.redb");
    let opened = Store::open(&path, 1024 * 1024, now()).expect("a store");
    for feed in opened.store.subscribed().expect("feeds") {
        let input = opened.store.poll_input(feed).expect("read").expect("known");
        let mut state = input.state;
        let at = |time: Timestamp| time.plus(secs);
        state.schedule = Schedule {
            next: state.schedule.next.map(at),
            set_at: at(state.schedule.set_at),
            ..state.schedule
        };
        let mut host = input.host;
        host.hold_until = held.then(|| now().plus(secs + 7200));
        let commit = PollCommit {
            keep: tidings::model::Keep::default(),
            cursor: None,
            withdrawn: tidings::store::Withdrawn::default(),
            memory: tidings::model::Memory::Nothing,
            feed,
            at: now(),
            state,
            host: Some((input.host_key, host)),
            turn: 0,
            validators: Vec::new(),
            about: None,
            entries: Packed::default(),
            audit: record(),
            exchanges: PackedExchanges::default(),
            delta: Counters::default(),
        };
        opened
            .writer
            .poll(commit)
            .blocking_recv()
            .expect("answered")
            .expect("stored");
    }
    for server in servers {
        let ms = now().plus(secs).0 * 1000;
        let host = HostKey(server.address().to_string());
        let note = HostNote::Started {
            at_ms: ms,
            counts: false,
        };
        opened.writer.host(host, note);
    }
    opened
        .writer
        .close()
        .blocking_recv()
        .expect("answered")
        .expect("closed");
}

pub fn record() -> AuditRecord {
    AuditRecord {
        at: now(),
        times: 1,
        status: 304,
        hops: Vec::new(),
        url_hash: 1,
        sent_etag: 1,
        sent_date: 0,
        got_etag: 0,
        got_date: 0,
        wire: 0,
        decoded: 0,
        ms: 1,
        new: 0,
        updated: 0,
        outcome: OutcomeCode::NotModified,
        next: None,
        why: Why::Base(3600),
        pace: Pace::Scheduled,
    }
}

/// Each feed was asked once, conditionally, those of one host one after the other.
fn each_asked_once(servers: &[Server; 2]) {
    for (server, feeds) in servers.iter().zip([FEEDS, 1]) {
        let seen = server.requests();
        let mut targets: Vec<_> = seen.iter().map(|seen| seen.target.clone()).collect();
        targets.sort();
        let wanted: Vec<_> = (0..feeds).map(|feed| format!("/{feed}")).collect();
        assert_eq!(targets, wanted);
        assert!(
            seen.iter()
                .all(|seen| seen.text("if-none-match").as_deref() == Some("\"1\""))
        );
        let starts: Vec<Instant> = seen.iter().map(|seen| seen.at).collect();
        let apart = |pair: &[Instant]| pair[1] - pair[0] + TOLERANCE >= Duration::from_millis(300);
        assert!(starts.windows(2).all(apart), "spaced");
        assert_eq!(server.most_active(), 1);
    }
}

#[test]
fn r48_r71_what_a_clock_ahead_left_behind_is_due_once_and_spaced() {
    for (days, held) in [(40, false), (40, true), (4000, true)] {
        let (home, servers) = polled();
        written_ahead(&home, &servers, days * DAY, held);
        home.run(&["--refresh-only", "--json"])
            .json_lines(FEEDS + 1);
        each_asked_once(&servers);
        home.run(&["--refresh-only", "--json"]).json_lines(0);
        each_asked_once(&servers);
    }
}

#[test]
fn r48_r71_after_forty_days_of_sleep_each_feed_is_asked_once_and_spaced() {
    let (home, servers) = polled();
    written_ahead(&home, &servers, -40 * DAY, true);
    home.run(&["--refresh-only", "--json"])
        .json_lines(FEEDS + 1);
    each_asked_once(&servers);
    home.run(&["--refresh-only", "--json"]).json_lines(0);
    each_asked_once(&servers);
}

/// The store as a run leaves it that found this machine offline: so many waits so far, the last one over in so many seconds.
fn found_offline(home: &Home, secs: i64, probes: u32) {
    let path = home.path("data/tidings.redb");
    std::fs::create_dir_all(home.path("data")).expect("made");
    let opened = Store::open(&path, 1024 * 1024, now()).expect("a store");
    let until = now().plus(secs);
    opened.writer.offline(Some(Offline { until, probes }));
    let closed = opened.writer.close().blocking_recv();
    closed.expect("answered").expect("closed");
}

fn kept_offline(home: &Home) -> Option<Offline> {
    let path = home.path("data/tidings.redb");
    let opened = Store::open(&path, 1024 * 1024, now()).expect("a store");
    opened.store.offline().expect("read")
}

#[test]
fn r44_while_offline_each_run_sends_one_probe_and_the_steps_grow() {
    let home = Home::new();
    let urls = ["a", "b", "c", "d", "e"].map(|name| format!("http://{name}.invalid/feed"));
    home.subscribe(&urls);
    let wait = |until: Timestamp| until.since(now());
    for (probes, minutes) in [(3, 20), (4, 40), (5, 60), (6, 60)] {
        // Time passes.
        found_offline(&home, -1, probes - 1);
        let ended = home.run(&["--refresh-only", "--json"]);
        let lines = ended.lines();
        assert_eq!(lines.len(), 1, "{}", ended.out);
        assert_eq!(lines[0]["why"], "offline");
        assert!(ended.err.contains("offline"), "{}", ended.err);
        let kept = kept_offline(&home).expect("kept");
        assert_eq!(kept.probes, probes);
        let least = minutes * 60 - 60;
        assert!(
            (least..=minutes * 60).contains(&wait(kept.until)),
            "{kept:?}"
        );
        let early = home.run(&["--refresh-only", "--json"]);
        assert_eq!((early.lines().len(), early.code), (0, Some(0)));
        assert!(early.err.contains("offline; the next try"), "{}", early.err);
    }
}

#[test]
fn r44_a_probe_that_is_answered_lets_the_others_go_in_the_same_run() {
    let home = Home::new();
    let server = Server::start();
    let body =
        "<rss version='2.0'><channel><title>T</title><item><guid>1</guid></item></channel></rss>";
    let urls = ["/1", "/2", "/3"].map(|path| {
        server.serve(path, Reply::ok(body));
        server.url(path)
    });
    home.subscribe(&urls);
    found_offline(&home, 600, 2);
    let early = home.run(&["--refresh-only", "--json"]);
    assert_eq!((early.lines().len(), early.code), (0, Some(0)));
    assert!(early.err.contains("offline"), "{}", early.err);
    assert_eq!(server.requests().len(), 0);
    found_offline(&home, -1, 2);
    home.run(&["--refresh-only", "--json"]).json_lines(3);
    assert_eq!(server.requests().len(), 3);
    assert_eq!(kept_offline(&home), None);
    // A person who insists is not held up.
    found_offline(&home, 600, 2);
    home.run(&["--refresh-only", "--force", "--json"])
        .json_lines(3);
    assert_eq!(kept_offline(&home), None);
}

/// A reader that was stopped while its feeds became due, and goes on.
#[cfg(unix)]
#[test]
fn r25_r48_a_reader_that_stood_still_asks_each_due_feed_once() {
    use crate::support::terminal::Terminal;
    use rustix::process::{Pid, Signal, kill_process};
    let (home, servers) = polled();
    let mut terminal = Terminal::start(&home, &[], (120, 40));
    terminal.sees("/0");
    let number = i32::try_from(terminal.pid()).expect("a number");
    let pid = Pid::from_raw(number).expect("not 0");
    kill_process(pid, Signal::STOP).expect("ours");
    written_ahead(&home, &servers, -2 * 3600, false);
    assert!(servers.iter().all(|server| server.requests().is_empty()));
    kill_process(pid, Signal::CONT).expect("ours");
    servers[0].wait_for(FEEDS);
    servers[1].wait_for(1);
    terminal.after("q", "");
    terminal.end();
    each_asked_once(&servers);
}

/// The cursor of the only feed as it would be if the whole feed had been read so many seconds earlier.
fn cursor_aged(home: &Home, secs: i64) {
    let opened = Store::open(&home.path("data/tidings.redb"), 1024 * 1024, now()).expect("a store");
    let feed = opened.store.subscribed().expect("feeds")[0];
    let input = opened.store.poll_input(feed).expect("read").expect("known");
    let cursor = opened.store.cursor(feed).expect("read").expect("a cursor");
    let commit = PollCommit {
        keep: tidings::model::Keep::default(),
        cursor: Some(Cursor {
            whole_at: cursor.whole_at.plus(-secs),
            ..cursor
        }),
        memory: tidings::model::Memory::Nothing,
        withdrawn: tidings::store::Withdrawn::default(),
        feed,
        at: now(),
        state: input.state,
        host: None,
        turn: 0,
        validators: Vec::new(),
        about: None,
        entries: Packed::default(),
        audit: record(),
        exchanges: PackedExchanges::default(),
        delta: Counters::default(),
    };
    let stored = opened.writer.poll(commit).blocking_recv();
    stored.expect("answered").expect("stored");
    let closed = opened.writer.close().blocking_recv();
    closed.expect("answered").expect("closed");
}

#[test]
fn r77_a_resync_reads_the_whole_feed_once_brings_no_doubles_and_goes_on_from_the_newest() {
    let (home, server) = (Home::new(), Server::start());
    home.write("config/config.toml", "[http]\nhost_gap = \"0s\"\n");
    let url = server.url("/f");
    home.write(
        "config/feeds.toml",
        &format!("[[feed]]\nurl = \"{url}\"\ndelta = {{ param = \"since\", kind = \"token\" }}\n"),
    );
    let feed = |guids: &[&str]| {
        let item = |guid: &&str| format!("<item><guid>{guid}</guid><title>{guid}</title></item>");
        let items: Vec<_> = guids.iter().map(item).collect();
        Reply::ok(format!(
            "<rss version='2.0'><channel><title>F</title>{}</channel></rss>",
            items.concat()
        ))
    };
    let poll = || {
        let told = home.run(&["--refresh-only", "--force", "--json"]);
        told.json_lines(1).remove(0)
    };
    server.serve("/f", feed(&["a", "b"]).header("ETag", "\"1\""));
    poll();
    server.serve("/f?since=a", feed(&["c"]));
    assert_eq!(poll()["new"], 1);
    cursor_aged(&home, 8 * DAY);

    // What was never told as new comes with the whole; all else is known.
    server.forget();
    let whole = feed(&["c", "late", "b"]).header("ETag", "\"2\"");
    server.serve("/f", whole);
    let told = poll();
    assert_eq!(
        (&told["new"], &told["updated"]),
        (&1.into(), &0.into()),
        "{told}"
    );
    let asked = server.requests_for("/f");
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].text("if-none-match").as_deref(), Some("\"1\""));
    let entries = home.run(&["entries", "--json"]).json();
    assert_eq!(entries.as_array().map(Vec::len), Some(4), "{entries}");

    server.forget();
    server.serve("/f?since=c", feed(&[]));
    assert_eq!(poll()["new"], 0);
    let targets: Vec<_> = server
        .requests()
        .into_iter()
        .map(|seen| seen.target)
        .collect();
    assert_eq!(targets, ["/f?since=c"], "once");
}
