//! `tidings watch`: the engine without a screen, by the real binary.
#![cfg(unix)]

use std::fs;
use std::os::unix::net::UnixDatagram;
use std::time::Instant;

use rustix::process::Signal;
use serde_json::Value;

use crate::support::process::{Home, LIMIT, Process, pause};
use crate::support::{Gate, Reply, Server};

struct House {
    home: Home,
    server: Server,
}

impl House {
    fn new() -> Self {
        Self {
            home: Home::new(),
            server: Server::start(),
        }
    }

    /// Serves a feed of two entries once, and 304 from then on.
    fn serve(&self, path: &str) -> String {
        let fresh = feed(path).header("ETag", "\"1\"");
        let known = Reply::not_modified().header("ETag", "\"1\"");
        self.server.script(path, vec![fresh, known]);
        self.server.url(path)
    }
}

fn feed(path: &str) -> Reply {
    let item = |n| format!("<item><guid>{path}-{n}</guid><title>Entry {n}</title></item>");
    let items = item(0) + &item(1);
    Reply::ok(format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>Feed</title>{items}</channel></rss>"
    ))
}

/// The lines so far of `watch --json`.
fn lines(watch: &Process) -> Vec<Value> {
    let out = watch.out();
    out.split_inclusive('\n')
        .filter(|line| line.ends_with('\n'))
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// Waits until so many lines tell of this event.
fn until(watch: &Process, event: &str, times: usize) -> Vec<Value> {
    let end = Instant::now() + LIMIT;
    loop {
        let lines = lines(watch);
        let found = lines.iter().filter(|line| line["event"] == event).count();
        if found >= times {
            return lines;
        }
        assert!(Instant::now() < end, "{event}: {lines:#?}");
        pause(std::time::Duration::from_millis(10));
    }
}

#[test]
fn what_is_due_is_polled_until_a_signal_ends_it_well() {
    let house = House::new();
    let urls = [house.serve("/a"), house.serve("/b")];
    house.home.subscribe(&urls);
    let mut watch = house.home.start(&["watch", "--json"]);
    let told = until(&watch, "polled", 2);
    assert_eq!(told[0]["event"], "ready", "{told:#?}");
    assert_eq!(told[0]["feeds"], 2);
    let polled = told.iter().find(|line| line["url"] == urls[0].as_str());
    let polled = polled.expect("a line of its own");
    assert_eq!(
        (&polled["status"], &polled["new"]),
        (&200.into(), &2.into())
    );
    assert!(polled["at"].as_str().is_some_and(|at| at.ends_with('Z')));
    // A script beside it.
    house.home.run(&["mark", "read", "all"]).well();
    watch.signal(Signal::TERM);
    let ended = watch.end();
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    let last: Vec<_> = ended.lines().into_iter().rev().take(2).collect();
    assert_eq!(
        (&last[1]["event"], &last[0]["event"]),
        (&"stopping".into(), &"stopped".into())
    );
    let unread = house.home.run(&["entries", "--json", "unread"]).json();
    assert_eq!(unread.as_array().map(Vec::len), Some(0));
}

#[test]
fn a_list_edited_by_hand_is_in_use_at_once_and_a_broken_one_is_said() {
    let house = House::new();
    let first = house.serve("/a");
    house.home.subscribe(std::slice::from_ref(&first));
    let mut watch = house.home.start(&["watch", "--json"]);
    until(&watch, "polled", 1);
    house.home.write("config/feeds.toml", "[[feed]]\nurl = 7\n");
    let told = until(&watch, "error", 1);
    let error = told.iter().find(|line| line["event"] == "error");
    let text = error.and_then(|line| line["text"].as_str());
    assert!(
        text.is_some_and(|text| text.contains("feeds.toml")),
        "{text:?}"
    );
    let second = house.serve("/b");
    house.home.subscribe(&[first, second]);
    until(&watch, "list", 1);
    until(&watch, "polled", 2);
    watch.signal(Signal::INT);
    assert_eq!(watch.end().code, Some(0));
}

#[test]
fn one_that_was_killed_in_the_middle_is_started_again_and_nothing_is_lost_or_doubled() {
    let house = House::new();
    let (gate, urls) = (Gate::new(), [house.serve("/a"), house.server.url("/b")]);
    house.server.serve("/b", feed("/b").held(&gate));
    house.home.subscribe(&urls);
    let mut watch = house.home.start(&["watch", "--json"]);
    until(&watch, "polled", 1);
    house.server.wait_for(2);
    watch.signal(Signal::KILL);
    assert_eq!(watch.end().code, None);
    gate.open();
    let mut again = house.home.start(&["watch", "--json"]);
    // The one that was polled is not due; the other one is asked again.
    let told = until(&again, "polled", 1);
    let polled: Vec<_> = told
        .iter()
        .filter(|line| line["event"] == "polled")
        .collect();
    assert_eq!(polled[0]["url"], urls[1].as_str(), "{told:#?}");
    again.signal(Signal::TERM);
    assert_eq!(again.end().code, Some(0));
    let entries = house.home.run(&["entries", "--json"]).json();
    assert_eq!(entries.as_array().map(Vec::len), Some(4));
    assert_eq!(house.server.requests_for("/a").len(), 1);
}

#[test]
fn a_service_manager_is_told() {
    let house = House::new();
    house.home.subscribe(&[house.serve("/a")]);
    let path = house.home.path("notify");
    let manager = UnixDatagram::bind(&path).expect("bound");
    manager.set_read_timeout(Some(LIMIT)).expect("set");
    let mut command = house.home.command(&["watch"]);
    command.env("NOTIFY_SOCKET", &path);
    command.env("WATCHDOG_USEC", "200000");
    let mut watch = Process::start(command);
    let told = || {
        let mut text = [0; 256];
        let length = manager.recv(&mut text).expect("told");
        String::from_utf8_lossy(&text[..length]).trim().to_owned()
    };
    let mut first = vec![told(), told()];
    first.sort();
    assert_eq!(first, ["READY=1", "WATCHDOG=1"]);
    assert_eq!(told(), "WATCHDOG=1");
    watch.signal(Signal::TERM);
    while told() != "STOPPING=1" {}
    assert_eq!(watch.end().code, Some(0));
}

#[test]
fn the_ledger_is_kept_in_a_file_that_others_may_read() {
    use std::os::unix::fs::PermissionsExt;
    let house = House::new();
    let urls = [house.serve("/a")];
    house.home.subscribe(&urls);
    let page = house.home.path("tidings.prom");
    let words = ["watch", "--textfile", page.to_str().expect("text")];
    let mut watch = house.home.start(&words);
    let end = Instant::now() + LIMIT;
    let read = || fs::read_to_string(&page).unwrap_or_default();
    while !read().contains("outcome=\"not_modified\"") {
        assert!(Instant::now() < end, "{}", read());
        pause(std::time::Duration::from_millis(10));
    }
    watch.signal(Signal::TERM);
    watch.end().well();
    let words = ["--refresh-only", "--textfile", words[2]];
    house.home.run(&words).well();
    let text = read();
    assert!(
        text.contains("# TYPE tidings_feed_polls_total counter\n"),
        "{text}"
    );
    assert!(text.contains("# TYPE tidings_build_info gauge\n"), "{text}");
    assert!(text.contains("outcome=\"changed\"} 1\n"), "{text}");
    assert!(
        !text.contains("# UNIT") && !text.contains("# EOF"),
        "{text}"
    );
    let mode = fs::metadata(&page).expect("there").permissions().mode();
    assert_ne!(mode & 0o044, 0, "{mode:o}");
    let words = ["--refresh-only", "--textfile", "nowhere/at/all.prom"];
    let ended = house.home.run(&words);
    assert!(
        ended.err.contains("all.prom cannot be written"),
        "{ended:?}"
    );
}

/// A file of systemd: sections, and keys with values below them.
#[test]
fn the_units_are_well_formed() {
    let unit = |name: &str| {
        let path = format!("{}/assets/{name}", env!("CARGO_MANIFEST_DIR"));
        fs::read_to_string(path).expect("an asset")
    };
    for (name, kind) in [
        ("tidings.service", "Service"),
        ("tidings-watch.service", "Service"),
        ("tidings.timer", "Timer"),
    ] {
        let text = unit(name);
        let mut sections = Vec::new();
        for line in text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            if let Some(section) = line
                .strip_prefix('[')
                .and_then(|line| line.strip_suffix(']'))
            {
                sections.push(section);
                continue;
            }
            let (key, value) = line
                .split_once('=')
                .unwrap_or_else(|| panic!("{name}: {line}"));
            assert!(!sections.is_empty() && !value.is_empty(), "{name}: {line}");
            let known = key.chars().all(|c| c.is_ascii_alphanumeric());
            assert!(
                known && key.starts_with(|c: char| c.is_ascii_uppercase()),
                "{name}: {line}"
            );
        }
        assert!(
            sections.contains(&"Unit") && sections.contains(&kind),
            "{name}: {sections:?}"
        );
    }
    let watch = unit("tidings-watch.service");
    assert!(watch.contains("\nType=notify\n") && watch.contains("/tidings watch\n"));
}
