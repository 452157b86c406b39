//! Files of what changed on a day, beside a feed that is the whole (R77): asked for in order, read on where a poll ended.

use std::time::{Duration, SystemTime};

use serde_json::Value;
use tidings::model::{Cursor, Memory};
use tidings::store::{Packed, PackedExchanges, PollCommit, Store};

use crate::support::process::Home;
use crate::support::{Reply, Server};

const DAY: u64 = 86_400;

fn feed(entries: &[(&str, &str)]) -> Reply {
    let item = |(guid, title): &(&str, &str)| {
        format!("<item><guid>{guid}</guid><title>{title}</title></item>")
    };
    let items: Vec<_> = entries.iter().map(item).collect();
    let items = items.concat();
    Reply::ok(format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>Feed</title>{items}</channel></rss>"
    ))
}

/// The days before today, and today; `None` shortly before midnight, when the days would become others in the middle of a test.
fn days() -> Option<[String; 3]> {
    let now = tidings::engine::now();
    let left = DAY - now.0.unsigned_abs() % DAY;
    let day = |ago: i64| now.plus(-ago * DAY as i64).rfc3339()[..10].to_owned();
    (left > 180).then(|| [day(2), day(1), day(0)])
}

/// A feed that was made two days ago, polled once; its files count as settled as soon as their day is over.
fn beside() -> Option<(Home, Server, [String; 3])> {
    let days = days()?;
    let (home, server) = (Home::new(), Server::start());
    home.write(
        "config/feeds.toml",
        &format!(
            "[[feed]]\nurl = \"{}\"\nchanges = {{ pattern = \"{}\", overlap = \"0s\" }}\n",
            server.url("/all"),
            server.url("/c-{date}")
        ),
    );
    let made = SystemTime::now() - Duration::from_secs(2 * DAY);
    let whole = feed(&[("a", "a"), ("b", "b")])
        .header("Last-Modified", httpdate::fmt_http_date(made))
        .header("ETag", "\"all\"");
    server.serve("/all", whole);
    let told = poll(&home);
    assert_eq!((&told["new"], &told["status"]), (&2.into(), &200.into()));
    assert_eq!(asked(&server), ["/all"]);
    Some((home, server, days))
}

fn poll(home: &Home) -> Value {
    let ended = home.run(&["--refresh-only", "--force", "--json"]);
    ended.lines().remove(0)
}

/// What was asked since the last look, with the validator that was sent.
fn asked(server: &Server) -> Vec<String> {
    let seen = server.requests();
    server.forget();
    let line = |seen: &crate::support::Seen| match seen.text("if-none-match") {
        Some(tag) => format!("{} {tag}", seen.target),
        None => seen.target.clone(),
    };
    seen.iter().map(line).collect()
}

fn titles(home: &Home) -> Vec<String> {
    let entries = home.run(&["entries", "--json"]).json();
    let entries = entries.as_array().expect("an array");
    let title = |entry: &Value| entry["title"].as_str().expect("a title").to_owned();
    let mut titles: Vec<_> = entries.iter().map(title).collect();
    titles.sort();
    titles
}

fn file(day: &str) -> String {
    format!("/c-{day}")
}

#[test]
fn r77_files_of_changes_are_applied_in_order_and_missing_ones_are_no_error() {
    let Some((home, server, [first, second, today])) = beside() else {
        return;
    };
    server.serve(
        &file(&first),
        feed(&[("b", "b, edited"), ("c", "c")]).header("ETag", "\"1\""),
    );
    server.serve(&file(&second), Reply::new(404));
    server.serve(
        &file(&today),
        feed(&[("c", "c, edited"), ("d", "d")]).header("ETag", "\"3\""),
    );
    let told = poll(&home);
    assert_eq!(
        (&told["new"], &told["updated"]),
        (&2.into(), &1.into()),
        "{told}"
    );
    assert_eq!(asked(&server), [file(&first), file(&second), file(&today)]);
    assert_eq!(titles(&home), ["a", "b, edited", "c, edited", "d"]);

    server.serve(&file(&today), Reply::not_modified());
    assert_eq!(poll(&home)["outcome"], "not_modified");
    assert_eq!(asked(&server), [format!("{} \"3\"", file(&today))]);

    server.serve(&file(&today), Reply::new(404));
    let told = poll(&home);
    assert_eq!(
        (&told["outcome"], &told["error"]),
        (&"not_modified".into(), &Value::Null)
    );
    asked(&server);

    server.serve(
        &file(&today),
        Reply::ok("<rss version=\"2.0\"><channel><item><title>"),
    );
    let told = poll(&home);
    let warning = told["warning"].as_str().unwrap_or_default();
    assert!(warning.contains("asked for again"), "{told}");
    assert_eq!(
        asked(&server),
        [file(&today)],
        "validators of what is gone are gone"
    );

    server.serve(
        &file(&today),
        Reply::ok("<!doctype html><html><title>No such file</title></html>"),
    );
    let told = poll(&home);
    let warning = told["warning"].as_str().unwrap_or_default();
    assert!(warning.contains("counts as missing"), "{told}");
    assert_eq!(titles(&home).len(), 4);
    let why = home.run(&["explain", &server.url("/all")]).well();
    assert!(
        why.contains(&format!("are asked for from {today} on")),
        "{why}"
    );
}

/// Puts the cursor of the feed elsewhere, as a poll would have left it then.
fn put(home: &Home, url: &str, cursor: Cursor) {
    let now = tidings::engine::now();
    let path = home.path("data/tidings.redb");
    let opened = Store::open(&path, 1024 * 1024, now).expect("a store");
    let feed = opened.store.feed_id(url).expect("read").expect("there");
    let input = opened.store.poll_input(feed).expect("read").expect("known");
    let commit = PollCommit {
        keep: tidings::model::Keep::default(),
        feed,
        at: now,
        state: input.state,
        host: None,
        turn: 0,
        validators: Vec::new(),
        about: None,
        entries: Packed::default(),
        audit: super::clocks::record(),
        exchanges: PackedExchanges::default(),
        delta: tidings::model::Counters::default(),
        cursor: Some(cursor),
        withdrawn: tidings::store::Withdrawn::default(),
        memory: Memory::Nothing,
    };
    let written = opened.writer.poll(commit).blocking_recv();
    written.expect("answered").expect("stored");
    opened
        .writer
        .close()
        .blocking_recv()
        .expect("answered")
        .expect("closed");
}

fn since(days_ago: i64, day: &str) -> Cursor {
    Cursor {
        whole_at: tidings::engine::now().plus(-days_ago * DAY as i64),
        token: Some(day.to_owned()),
        ..Cursor::default()
    }
}

#[test]
fn r77_a_file_that_fails_ends_the_poll_and_what_came_before_it_counts() {
    let Some((home, server, [first, second, today])) = beside() else {
        return;
    };
    server.serve(&file(&first), feed(&[("e", "e")]));
    server.serve(&file(&second), Reply::new(500));
    server.serve(&file(&today), feed(&[("f", "f")]));
    let told = poll(&home);
    assert_eq!(
        (&told["outcome"], &told["status"]),
        (&"error".into(), &500.into())
    );
    assert_eq!(asked(&server), [file(&first), file(&second)]);
    assert_eq!(titles(&home), ["a", "b", "e"]);
    server.serve(&file(&second), feed(&[("g", "g")]));
    assert_eq!(poll(&home)["new"], 2);
    assert_eq!(asked(&server), [file(&second), file(&today)]);
    assert_eq!(titles(&home), ["a", "b", "e", "f", "g"]);
    let stats = home.run(&["stats", "--json"]).json();
    assert_eq!(
        (&stats[0]["ok200"], &stats[0]["errors"]),
        (&4.into(), &1.into())
    );
}

#[test]
fn r77_the_whole_feed_is_read_again_when_it_is_time_and_after_a_file_that_stayed_broken() {
    let Some((home, server, [first, second, today])) = beside() else {
        return;
    };
    let url = server.url("/all");
    server.serve("/all", Reply::not_modified());
    put(&home, &url, since(8, &second));
    assert_eq!(poll(&home)["outcome"], "not_modified");
    assert_eq!(asked(&server), ["/all \"all\""]);
    // It goes on where it was.
    server.serve(&file(&second), Reply::ok("rubbish"));
    server.serve(&file(&today), Reply::new(404));
    let told = poll(&home);
    assert!(
        told["warning"]
            .as_str()
            .unwrap_or_default()
            .contains("could not be read"),
        "{told}"
    );
    assert_eq!(asked(&server), [file(&second), file(&today)]);
    poll(&home);
    assert_eq!(asked(&server), ["/all \"all\""], "the gap is filled");
    poll(&home);
    assert_eq!(asked(&server), [file(&today)]);
    put(&home, &url, since(0, &first));
    server.serve(&file(&first), Reply::new(404));
    poll(&home);
    assert_eq!(asked(&server)[0], file(&first));
    let far = since(0, "1999-01-01");
    put(&home, &url, far);
    poll(&home);
    assert_eq!(asked(&server).len(), 8, "a poll has its bounds");
}

#[test]
fn r77_files_of_changes_are_given_by_a_person() {
    let (home, server) = (Home::new(), Server::start());
    server.serve("/all", feed(&[("a", "a")]));
    let pattern = server.url("/{year}/{month}{day}");
    home.run(&["add", "--changes", &pattern, &server.url("/all")])
        .well();
    let text = std::fs::read_to_string(home.path("config/feeds.toml")).expect("read");
    assert!(text.contains(&format!("changes = \"{pattern}\"")), "{text}");
    let ended = home.run(&["add", "--changes", "https://a.org/x", &server.url("/b")]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("names no day"), "{}", ended.err);
}
