//! The binary among others: two at once, signals, stops, streams that are closed, lists edited between runs.
#![cfg(unix)]

mod disk;

use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;

use crate::support::garden::Garden;
use crate::support::process::{Home, LIMIT, Process, pause};
use crate::support::{Gate, Reply, Server};

const REFRESH: [&str; 2] = ["--refresh-only", "--json"];

/// A home, and a server beside it.
struct House {
    home: Home,
    server: Server,
}

impl House {
    /// With feeds of two entries each at these paths.
    fn with(paths: &[&str]) -> Self {
        let house = Self {
            home: Home::new(),
            server: Server::start(),
        };
        let urls: Vec<_> = paths.iter().map(|path| house.serve(path, 2)).collect();
        house.home.subscribe(&urls);
        house
    }

    /// Serves a feed once, and 304 from then on.
    fn serve(&self, path: &str, entries: usize) -> String {
        let etag = format!("\"{path}\"");
        let fresh = feed(path, entries).header("ETag", &etag);
        let known = Reply::not_modified().header("ETag", &etag);
        self.server.script(path, vec![fresh, known]);
        self.server.url(path)
    }

    /// Likewise, but the first answer waits for the gate.
    fn hold(&self, path: &str, gate: &Gate) {
        self.server.serve(path, feed(path, 2).held(gate));
    }

    /// A waiter gives up after this.
    fn patience(&self, wait: &str) {
        let text = format!(
            "[http]\nhost_gap = \"0s\"\nrespect_crawl_delay = false\n[poll]\nlock_wait = \"{wait}\"\n"
        );
        self.home.write("config/config.toml", &text);
    }

    /// How often a path was asked for.
    fn asked(&self, path: &str) -> usize {
        self.server.requests_for(path).len()
    }

    /// How many entries are stored of a path.
    fn stored(&self, path: &str) -> usize {
        let entries = self.home.run(&["entries", "--json"]).json();
        let url = self.server.url(path);
        let entries = entries.as_array().expect("an array").iter();
        entries.filter(|entry| entry["feed_url"] == url).count()
    }
}

fn feed(path: &str, entries: usize) -> Reply {
    let items: Vec<_> = (0..entries)
        .map(|n| format!("<item><guid>{path}-{n}</guid><title>Entry {n}</title></item>"))
        .collect();
    let items = items.concat();
    Reply::ok(format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>Feed</title>{items}</channel></rss>"
    ))
}

#[test]
fn of_two_runs_the_second_waits_and_finds_nothing_due() {
    let house = House::with(&["/a", "/b", "/c"]);
    let gate = Gate::new();
    house.hold("/a", &gate);
    let first = house.home.start(&REFRESH);
    house.server.wait_for(1);
    let mut second = house.home.start(&REFRESH);
    second.says("another tidings is polling; waiting for it to finish");
    gate.open();
    let (first, second) = (first.end(), second.end());
    assert_eq!((first.code, first.lines().len()), (Some(0), 3), "{first:?}");
    assert_eq!(
        (second.code, second.out.as_str()),
        (Some(0), ""),
        "{second:?}"
    );
    for path in ["/a", "/b", "/c"] {
        assert_eq!((house.asked(path), house.stored(path)), (1, 2), "{path}");
    }
}

#[test]
fn many_that_start_together_make_one_store_and_ask_once() {
    let house = House::with(&["/a", "/b", "/c", "/d"]);
    let commands: [&[&str]; 6] = [
        &REFRESH,
        &["entries", "--json"],
        &REFRESH,
        &["stats", "--json"],
        &["mark", "read", "all"],
        &REFRESH,
    ];
    let running: Vec<Process> = commands
        .iter()
        .map(|words| house.home.start(words))
        .collect();
    for (process, words) in running.into_iter().zip(commands) {
        let end = process.end();
        assert_eq!(end.code, Some(0), "{words:?}: {end:?}");
    }
    for path in ["/a", "/b", "/c", "/d"] {
        assert_eq!((house.asked(path), house.stored(path)), (1, 2), "{path}");
    }
    assert_eq!(house.home.stores(), ["tidings.redb"]);
}

#[test]
fn who_waits_too_long_for_the_lock_tries_again_later() {
    let house = House::with(&["/a"]);
    house.patience("300ms");
    let gate = Gate::new();
    house.hold("/a", &gate);
    let first = house.home.start(&REFRESH);
    house.server.wait_for(1);
    let second = house.home.run(&REFRESH);
    assert_eq!(
        (second.code, second.out.as_str()),
        (Some(75), ""),
        "{second:?}"
    );
    let said = "did not finish in time; try again later";
    assert!(second.err.contains(said), "{}", second.err);
    // A subscription is kept all the same, and is due.
    let url = house.serve("/new", 2);
    let added = house.home.run(&["add", &url]);
    assert_eq!(added.code, Some(75), "{added:?}");
    assert_eq!(house.asked("/new"), 0);
    gate.open();
    first.end().well();
    let lines = house.home.run(&REFRESH).lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(lines[0]["url"], url);
    assert_eq!((house.asked("/a"), house.asked("/new")), (1, 1));
}

#[test]
fn every_other_command_works_while_one_polls() {
    let house = House::with(&["/old", "/a"]);
    house
        .home
        .run(&["--refresh-only", &house.server.url("/old")])
        .well();
    let gate = Gate::new();
    house.hold("/a", &gate);
    let first = house.home.start(&["--refresh-only", "--json", "--force"]);
    house.server.wait_for(3);
    let old = house.server.url("/old");
    for (words, out) in [
        (&["mark", "read", "all"][..], "2 entries marked read\n"),
        (&["undo"], "2 entries as before\n"),
        (&["mark", "starred", "feed:/old"], "2 entries starred\n"),
        (&["mark", "starred", "starred"], "0 entries starred\n"),
    ] {
        assert_eq!(house.home.run(words).well(), out, "{words:?}");
    }
    for words in [
        &["entries"][..],
        &["feeds", "--json"],
        &["stats", "--json"],
        &["stats", "--json", "--by-host"],
        &["explain", &old],
        &["export"],
        &["--refresh-only", "--dry-run", "--force"],
    ] {
        let end = house.home.run(words);
        assert_eq!((end.code, end.err.as_str()), (Some(0), ""), "{words:?}");
        assert_ne!(end.out, "", "{words:?}");
    }
    // It asks the network too, and so it waits.
    let url = house.serve("/new", 2);
    let mut add = house.home.start(&["add", &url]);
    add.says("another tidings is polling");
    assert_eq!(house.asked("/new"), 0);
    gate.open();
    assert_eq!(first.end().code, Some(0));
    let added = add.end();
    assert_eq!(added.code, Some(0), "{added:?}");
    assert_eq!((house.asked("/new"), house.stored("/new")), (1, 2));
    assert_eq!((house.asked("/old"), house.asked("/a")), (2, 1));
}

#[test]
fn two_that_subscribe_at_once_both_have_their_way() {
    let house = House::with(&["/a"]);
    let (one, two) = (house.serve("/one", 2), house.serve("/two", 2));
    let urls = [&one, &two, &one, &two];
    let adds: Vec<_> = urls.map(|url| house.home.start(&["add", url])).into();
    for add in adds {
        add.end().well();
    }
    let list = std::fs::read_to_string(house.home.path("config/feeds.toml")).expect("read");
    for (url, path) in [(one, "/one"), (two, "/two")] {
        assert_eq!(list.matches(&format!("\"{url}\"")).count(), 1, "{list}");
        assert_eq!((house.asked(path), house.stored(path)), (1, 2), "{path}");
    }
}

#[test]
fn a_signal_ends_a_run_and_what_had_finished_is_kept_and_told() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let house = House::with(&["/a", "/b"]);
        let (gate, other) = (Gate::new(), Server::start());
        other.serve("/slow", feed("/slow", 2).held(&gate));
        let urls = [
            house.server.url("/a"),
            house.server.url("/b"),
            other.url("/slow"),
        ];
        house.home.subscribe(&urls);
        let mut run = house.home.start(&REFRESH);
        other.wait_for(1);
        while run.out().lines().count() < 2 {
            assert!(run.ended().is_none(), "{}", run.err());
            pause(Duration::from_millis(5));
        }
        run.signal(signal);
        let end = run.end();
        assert_eq!(end.code, Some(130), "{signal:?}: {end:?}");
        assert_eq!(end.err, "", "{signal:?}");
        let told = end.lines();
        assert!(told.iter().all(|line| line["new"] == 2), "{told:?}");
        assert_eq!(
            (told.len(), house.stored("/a"), house.stored("/b")),
            (2, 2, 2)
        );
        // What was broken off is no error of the feed: it is asked again, and it alone.
        gate.open();
        let again = house.home.run(&REFRESH);
        assert_eq!((again.code, again.lines().len()), (Some(0), 1), "{again:?}");
        assert_eq!((house.asked("/a"), house.asked("/b")), (1, 1));
        assert_eq!(other.requests().len(), 2);
        assert_eq!(house.home.stores(), ["tidings.redb"]);
    }
}

#[test]
fn a_signal_at_any_moment_leaves_only_whole_polls_and_tells_them_all() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut chance = fastrand::Rng::with_seed(seed);
    for round in 0..12 {
        let (home, garden) = (Home::new(), Garden::plant(3, 2, seed));
        let urls = garden.urls();
        home.subscribe(&urls);
        let steps = garden.watch();
        let mut run = home.start(&REFRESH);
        for _ in 0..=round % 9 {
            steps.recv_timeout(LIMIT).expect("a step");
        }
        pause(Duration::from_millis(chance.u64(..60)));
        run.signal(Signal::TERM);
        let end = run.end();
        assert!(matches!(end.code, Some(0 | 130)), "{end:?}");
        assert_eq!(end.err, "");
        let told = end.lines();
        let stored = |url: &str| {
            let entries = home.run(&["entries", "--json"]).json();
            let entries = entries.as_array().expect("an array").iter();
            entries.filter(|entry| entry["feed_url"] == url).count()
        };
        for url in &urls {
            let told = told.iter().filter(|line| line["url"] == **url).count();
            assert_eq!(stored(url), told * 3, "{url}: {end:?}");
        }
        // Whoever says that it knows the version gets a 304, and must have the entries.
        home.run(&["--refresh-only", "--force"]).well();
        assert!(urls.iter().all(|url| stored(url) == 3), "{end:?}");
    }
}

#[test]
fn a_process_that_is_stopped_keeps_the_lock_and_goes_on_where_it_was() {
    let house = House::with(&["/old", "/a", "/b"]);
    house.patience("300ms");
    house
        .home
        .run(&["--refresh-only", &house.server.url("/old")])
        .well();
    let gate = Gate::new();
    house.hold("/a", &gate);
    let mut first = house.home.start(&REFRESH);
    house.server.wait_for(2);
    first.signal(Signal::STOP);
    let second = house.home.run(&REFRESH);
    assert_eq!(second.code, Some(75), "{second:?}");
    assert_eq!(
        house.home.run(&["mark", "read", "all"]).well(),
        "2 entries marked read\n"
    );
    assert_eq!(house.stored("/old"), 2);
    gate.open();
    first.signal(Signal::CONT);
    let end = first.end();
    assert_eq!((end.code, end.lines().len()), (Some(0), 2), "{end:?}");
    for path in ["/old", "/a", "/b"] {
        assert_eq!((house.asked(path), house.stored(path)), (1, 2), "{path}");
    }
}

#[test]
fn a_reader_of_the_lines_that_goes_away_ends_the_run_quietly() {
    let house = House::with(&["/a"]);
    let gate = Gate::new();
    house.hold("/a", &gate);
    let mut child = house
        .home
        .command(&REFRESH)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    house.server.wait_for(1);
    drop(child.stdout.take());
    gate.open();
    let end = child.wait_with_output().expect("it ends");
    assert_eq!(
        (end.status.code(), end.stderr.as_slice()),
        (Some(0), &b""[..])
    );
    assert_eq!(house.stored("/a"), 2);
}

/// The binary from a shell, which redirects as `how` says.
fn redirected(house: &House, how: &str, words: &[&str]) -> Process {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("exec \"$0\" \"$@\" {how}"));
    command.arg(env!("CARGO_BIN_EXE_tidings")).args(words);
    house.home.settle(&mut command);
    Process::start(command)
}

#[test]
fn closed_streams_are_no_reason_to_fail() {
    for how in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
        let house = House::with(&["/a"]);
        for words in [
            &REFRESH[..],
            &["entries"],
            &["mark", "read", "all"],
            &["feeds"],
        ] {
            let end = redirected(&house, how, words).end();
            assert_eq!(
                (end.code, end.err.as_str()),
                (Some(0), ""),
                "{how} {words:?}"
            );
        }
        assert_eq!((house.asked("/a"), house.stored("/a")), (1, 2), "{how}");
        let end = redirected(&house, how, &[]).end();
        assert_eq!(end.code, Some(2), "the reader needs a terminal: {end:?}");
    }
    let house = House::with(&["/a"]);
    let end = redirected(&house, "<&-", &["import", "-"]).end();
    assert_eq!(end.code, Some(2), "{end:?}");
    assert!(
        end.err.contains("standard input holds no feeds"),
        "{}",
        end.err
    );
}

#[test]
fn an_output_that_is_full_is_said_and_nothing_is_lost() {
    if !std::path::Path::new("/dev/full").exists() {
        eprintln!("skipped: there is no /dev/full here");
        return;
    }
    let house = House::with(&["/a"]);
    for words in [&REFRESH[..], &["entries"], &["feeds", "--json"]] {
        let end = redirected(&house, ">/dev/full", words).end();
        assert_eq!(end.code, Some(70), "{words:?}: {end:?}");
        assert!(
            end.err.contains("standard output cannot be written"),
            "{}",
            end.err
        );
        assert_eq!(end.err.lines().count(), 1, "{}", end.err);
    }
    assert_eq!((house.asked("/a"), house.stored("/a")), (1, 2));
}

#[test]
fn a_list_edited_between_runs_is_what_is_polled() {
    let house = House::with(&["/a", "/b"]);
    let (a, b) = (house.server.url("/a"), house.server.url("/b"));
    house.home.run(&REFRESH).json_lines(2);
    house.home.run(&["mark", "starred", "feed:/b"]).well();

    // One more, one fewer: only the new one is asked.
    let c = house.serve("/c", 2);
    house.home.subscribe(&[c.clone(), a.clone()]);
    let lines = house.home.run(&REFRESH).json_lines(1);
    assert_eq!(lines[0]["url"], c);
    let listed = |house: &House| -> Vec<String> {
        let feeds = house.home.run(&["feeds", "--json"]).json();
        let feeds = feeds.as_array().expect("an array").iter();
        feeds
            .map(|row| row["url"].as_str().expect("text").to_owned())
            .collect()
    };
    assert_eq!(
        listed(&house),
        [c.clone(), a.clone()],
        "in the order of the file"
    );
    house.home.run(&["--refresh-only", "--force"]).well();
    assert_eq!(house.asked("/b"), 1, "what is not subscribed is not asked");

    // It comes back with its record: not due, entries and stars as they were.
    house.home.subscribe(&[a.clone(), b.clone(), c.clone()]);
    house.home.run(&REFRESH).json_lines(0);
    assert_eq!(house.stored("/b"), 2);
    let starred = house.home.run(&["entries", "--json", "starred"]).json();
    assert_eq!(starred.as_array().map(Vec::len), Some(2));
    assert_eq!(listed(&house), [a, b, c]);
}

#[test]
fn an_address_changed_by_hand_is_the_same_feed() {
    let house = House::with(&["/a", "/b"]);
    house.home.run(&REFRESH).json_lines(2);
    house.home.run(&["mark", "read", "feed:/b"]).well();
    // The same entries at a new address.
    house.server.serve("/new", feed("/b", 3));
    house
        .home
        .subscribe(&[house.server.url("/a"), house.server.url("/new")]);
    house.home.run(&["--refresh-only", "--force"]).well();
    let entries = house.home.run(&["entries", "--json", "feed:/new"]).json();
    let unread = |entry: &&serde_json::Value| entry["unread"] == true;
    let entries = entries.as_array().expect("an array");
    assert_eq!(
        (entries.len(), entries.iter().filter(unread).count()),
        (3, 1)
    );
}
