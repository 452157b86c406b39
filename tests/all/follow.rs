//! Lists of feeds on the web, with the commands of a person: added, shown, taken back, exported; what a list dropped, a store that was lost.

use serde_json::Value;
use tidings::model::{Absence, Listed, Memory, Roster, Timestamp};
use tidings::store::{Packed, PackedExchanges, PollCommit, Store};

use crate::support::process::Home;
use crate::support::{Reply, Server};

fn feed(title: &str) -> Reply {
    Reply::ok(format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>{title}</title><item><guid>{title}</guid><title>of {title}</title></item></channel></rss>"
    ))
}

fn list(server: &Server, feeds: &[&str]) -> Reply {
    let line = |path: &&str| format!("<outline text=\"{path}\" xmlUrl=\"{}\"/>", server.url(path));
    let lines: Vec<_> = feeds.iter().map(line).collect();
    Reply::ok(format!(
        "<opml version=\"2.0\"><head><title>Team</title></head><body>{}</body></opml>",
        lines.concat()
    ))
    .header("ETag", "\"1\"")
}

fn rows(home: &Home) -> Vec<Value> {
    let rows = home.run(&["feeds", "--json"]).json();
    rows.as_array().expect("an array").clone()
}

fn row(home: &Home, url: &str) -> Option<Value> {
    rows(home).into_iter().find(|row| row["url"] == url)
}

/// A home that follows `/team.opml` with `/a` and `/b`, polled once.
fn team() -> (Home, Server) {
    let (home, server) = (Home::new(), Server::start());
    for path in ["/a", "/b"] {
        server.serve(path, feed(path));
    }
    server.serve("/team.opml", list(&server, &["/a", "/b"]));
    let url = server.url("/team.opml");
    let told = home
        .run(&["add", "--kind", "list", "--tag", "team", &url])
        .well();
    assert!(told.contains("Team"), "{told}");
    assert!(told.contains("a list of 2 feeds, due now"), "{told}");
    assert_eq!(server.requests_for("/team.opml").len(), 1);
    home.run(&["--refresh-only", "--json"]).json_lines(2);
    (home, server)
}

#[test]
fn a_list_is_added_shown_explained_exported_and_its_feeds_are_not_written_into_feeds_toml() {
    let (home, server) = team();
    let text = std::fs::read_to_string(home.path("config/feeds.toml")).expect("read");
    assert!(text.contains("[[list]]\nopml = "), "{text}");
    assert!(!text.contains("/a\""), "{text}");
    let (url, a) = (server.url("/team.opml"), server.url("/a"));
    let shown = row(&home, &a).expect("followed");
    assert_eq!(
        (&shown["kind"], &shown["list"]),
        (&"feed".into(), &url.as_str().into())
    );
    assert_eq!(shown["tags"], serde_json::json!(["team"]));
    assert_eq!(row(&home, &url).expect("there")["kind"], "list");
    let table = home.run(&["feeds"]).well();
    assert!(table.contains("a list of 2 feeds"), "{table}");
    assert!(table.contains("by Team"), "{table}");
    let why = home.run(&["explain", &a]).well();
    assert!(
        why.contains(&format!("followed because {url} names it")),
        "{why}"
    );
    let why = home.run(&["explain", &url]).well();
    assert!(
        why.contains("a list that names 2 feeds; 0 more are parked"),
        "{why}"
    );
    let opml = home.run(&["export"]).well();
    assert!(opml.contains(&a) && !opml.contains("team.opml"), "{opml}");
    let entries = home.run(&["entries", "tag:team"]).well();
    assert_eq!(entries.lines().count(), 2, "{entries}");
}

#[test]
fn what_is_no_list_is_not_followed() {
    let (home, server) = (Home::new(), Server::start());
    server.serve("/f", feed("f"));
    server.serve(
        "/page",
        Reply::ok("<!doctype html><html><title>Hello</title></html>"),
    );
    for (path, why) in [("/f", "(OPML) was expected"), ("/page", "a web page")] {
        let ended = home.run(&["add", "--kind", "list", &server.url(path)]);
        assert_eq!(ended.code, Some(1), "{}", ended.err);
        assert!(ended.err.contains(why), "{}", ended.err);
    }
    let ended = home.run(&["add", "--kind", "list", "~/x.opml"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("tidings import"), "{}", ended.err);
    server.serve("/team.opml", list(&server, &[]));
    let ended = home.run(&["add", &server.url("/team.opml")]);
    assert!(
        ended.err.contains("tidings add --kind list"),
        "{}",
        ended.err
    );
    assert!(rows(&home).is_empty());
}

#[test]
fn a_feed_of_a_list_is_removed_for_good_and_a_list_with_all_that_it_names() {
    let (home, server) = team();
    let (url, a) = (server.url("/team.opml"), server.url("/a"));
    home.run(&["mark", "starred", "feed:/a"]).well();
    home.run(&["remove", &a]).well();
    let text = std::fs::read_to_string(home.path("config/feeds.toml")).expect("read");
    assert!(text.contains(&format!("except = [\"{a}\"]")), "{text}");
    assert_eq!(row(&home, &a), None);
    server.forget();
    home.run(&["--refresh-only", "--force"]).well();
    assert_eq!(server.requests_for("/a").len(), 0);
    let starred = home.run(&["entries", "starred"]).well();
    assert_eq!(starred.lines().count(), 1, "{starred}");
    // The user's own feed that a list names too: gone means gone.
    home.run(&["add", &a]).well();
    home.run(&["remove", &a]).well();
    assert_eq!(row(&home, &a), None);
    home.run(&["undo"]).well();
    assert!(row(&home, &a).is_some());
    home.run(&["remove", &url]).well();
    let left: Vec<_> = rows(&home).iter().map(|row| row["url"].clone()).collect();
    assert_eq!(left, [a.as_str()]);
}

/// Writes what the list said, as a poll at `at` would have.
fn remember(home: &Home, url: &str, roster: Roster, at: Timestamp) {
    let path = home.path("data/tidings.redb");
    let opened = Store::open(&path, 1024 * 1024, at).expect("a store");
    let feed = opened.store.feed_id(url).expect("read").expect("there");
    let input = opened.store.poll_input(feed).expect("read").expect("known");
    let commit = PollCommit {
        keep: tidings::model::Keep::default(),
        feed,
        at,
        state: input.state,
        host: None,
        turn: 0,
        validators: Vec::new(),
        about: None,
        entries: Packed::default(),
        audit: super::clocks::record(),
        exchanges: PackedExchanges::default(),
        delta: tidings::model::Counters::default(),
        cursor: None,
        memory: Memory::Roster(Box::new(roster)),
        withdrawn: tidings::store::Withdrawn::default(),
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

#[test]
fn a_parked_feed_is_shown_and_dropped_when_its_time_is_over_and_its_starred_entry_stays() {
    let (home, server) = team();
    let (url, a, b) = (server.url("/team.opml"), server.url("/a"), server.url("/b"));
    home.run(&["mark", "starred", "feed:/b"]).well();
    server.serve("/team.opml", list(&server, &["/a"]));
    let told = home.run(&["--refresh-only", "--force", &url]);
    assert!(told.err.contains("Team: 1 feed parked"), "{}", told.err);
    let shown = row(&home, &b).expect("still there");
    assert!(shown["parked"].is_string(), "{shown}");
    let why = home.run(&["explain", &b]).well();
    assert!(why.contains("has not named it since"), "{why}");
    let table = home.run(&["feeds"]).well();
    assert!(table.contains("parked: not in Team since"), "{table}");

    let now = tidings::engine::now();
    let listed = |url: &str, absent| Listed {
        url: url.to_owned(),
        absent,
        ..Listed::default()
    };
    let absent = Absence {
        since: now.plus(-7 * 86_400 + 60),
        secs: 7 * 86_400 - 600,
    };
    let roster = Roster {
        read_at: now.plus(-3_600),
        feeds: vec![listed(&a, None), listed(&b, Some(absent))],
    };
    remember(&home, &url, roster, now);
    server.serve("/team.opml", Reply::not_modified());
    let told = home.run(&["--refresh-only", "--force", &url]);
    assert!(told.err.contains("1 feed dropped"), "{}", told.err);
    assert_eq!(row(&home, &b), None);
    let starred = home.run(&["entries", "starred"]).well();
    assert_eq!(starred.lines().count(), 1, "{starred}");
    // Named again much later, it is back with its marks.
    server.serve(
        "/team.opml",
        list(&server, &["/a", "/b"]).header("ETag", "\"2\""),
    );
    home.run(&["--refresh-only", "--force", &url]).well();
    assert_eq!(row(&home, &b).expect("back")["starred"], 1);
}

#[test]
fn a_list_of_which_nothing_is_known_is_asked_without_validators() {
    let (home, server) = team();
    let url = server.url("/team.opml");
    // As after a store that was damaged: the feeds are known, what the list said is not.
    let path = home.path("data/tidings.redb");
    let db = redb::Database::open(&path).expect("opened");
    let txn = db.begin_write().expect("begun");
    let rosters = redb::TableDefinition::<u32, &[u8]>::new("rosters");
    txn.delete_table(rosters).expect("taken");
    txn.commit().expect("written");
    drop(db);
    server.forget();
    let told = home.run(&["--refresh-only", "--force", &url]);
    assert!(told.err.contains("2 feeds added"), "{}", told.err);
    let asked = server.requests_for("/team.opml");
    assert_eq!(asked[0].header("if-none-match"), None);
    assert_eq!(rows(&home).len(), 3);
}

#[test]
fn a_list_that_was_gone_and_is_back_knows_what_it_parked() {
    let (home, server) = team();
    let (url, b) = (server.url("/team.opml"), server.url("/b"));
    server.serve("/team.opml", list(&server, &["/a"]));
    home.run(&["--refresh-only", "--force", &url]).well();
    let since = row(&home, &b).expect("there")["parked"].clone();
    server.serve("/team.opml", Reply::new(410));
    home.run(&["--refresh-only", "--force", &url]).well();
    let why = home.run(&["explain", &url]).well();
    assert!(why.contains("its feeds are followed as before"), "{why}");
    server.serve("/team.opml", list(&server, &["/a"]));
    let told = home.run(&["add", &url]).well();
    assert!(told.contains("polled again"), "{told}");
    assert_eq!(row(&home, &b).expect("there")["parked"], since);
    assert_eq!(row(&home, &url).expect("there")["off"], Value::Null);
}
