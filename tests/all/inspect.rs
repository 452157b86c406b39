//! `tidings probe --parse`: what was decoded, what was repaired, what would be stored; from files without network, from a URL with
//! one plain request.

use std::fs;
use std::process::Stdio;

use crate::support::process::{Ended, Home, Process};
use crate::support::{Reply, Server};

const MESS: &str = "\n\n<?xml version='1.0' encoding='iso-8859-1'?><rss version='0.94'><channel><title>Caf\u{e9} & Sheds</title><ttl>60</ttl>\
    <item><guid>1</guid><title>One\u{1b}[2J</title><link>/one</link><pubDate>Tue, 06 Jan 2026 10:00:00 GMT</pubDate>\
    <description>Fish & <b>chips</b></description><enclosure url='/1.mp3' type='audio/mpeg' length='7'/></item></channel></rss>";

/// In Latin-1.
fn mess() -> Vec<u8> {
    MESS.chars().map(|c| c as u8).collect()
}

fn with_input(home: &Home, bytes: &[u8], arguments: &[&str]) -> Ended {
    fs::write(home.path("input"), bytes).expect("written");
    let mut command = home.command(arguments);
    command.stdin(Stdio::from(
        fs::File::open(home.path("input")).expect("there"),
    ));
    Process::start(command).end()
}

#[test]
fn a_file_is_read_as_it_would_be_stored_and_nothing_else_happens() {
    let home = Home::new();
    fs::write(home.path("mess.xml"), mess()).expect("written");
    let json = home.run(&["probe", "--parse", "--json", "mess.xml"]).json();
    assert_eq!(json["charset"], "windows-1252");
    assert_eq!(json["charset_by"], "its XML declaration");
    assert_eq!(
        (&json["kind"], &json["title"]),
        (&"RSS".into(), &"Café & Sheds".into())
    );
    assert_eq!(
        (&json["ttl"], &json["error"]),
        (&3600.into(), &serde_json::Value::Null)
    );
    let repaired: Vec<&str> = json["repaired"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|kind| kind.as_str())
        .collect();
    for kind in ["legacy charset", "odd RSS version"] {
        assert!(repaired.contains(&kind), "{repaired:?}");
    }
    let entry = &json["entries"][0];
    assert_eq!(
        (&entry["id"], &entry["title"]),
        (&"1".into(), &"One[2J".into())
    );
    assert_eq!(entry["published"], "2026-01-06T10:00:00Z");
    assert_eq!(entry["key"].as_str().map(str::len), Some(32));
    for source in ["mess.xml", "./mess.xml", "file:mess.xml", "-"] {
        let ended = home.run(&["probe", source]);
        let instead = format!("`tidings probe --parse {source}`");
        assert!(ended.err.contains(&instead), "{source}: {ended:?}");
    }
    let text = home.run(&["probe", "--parse", "./mess.xml"]).well();
    for part in [
        "charset    windows-1252, told by its XML declaration",
        "repaired   legacy charset",
        "   1  One[2J",
        "published  2026-01-06T10:00:00Z",
        "entries    1 entry",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains('\u{1b}'));
    assert!(!home.path("data").exists(), "no store is opened for a file");
    let piped = with_input(&home, &mess(), &["probe", "--parse", "--json", "-"]).json();
    assert_eq!(piped["entries"], json["entries"]);
}

#[test]
fn what_is_no_feed_is_said_with_its_charset() {
    let home = Home::new();
    let ended = with_input(
        &home,
        "<html><title>Hi</title>".as_bytes(),
        &["probe", "--parse", "-"],
    );
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.out.contains("charset    UTF-8, told by its bytes")
            && ended.out.contains("error      a web page, not a feed: Hi"),
        "{}",
        ended.out
    );
    for (arguments, why) in [
        (&["probe", "--parse", "./no.xml"][..], "no.xml: "),
        (
            &["probe", "--parse", "exec:touch pwned"],
            "only where feeds.toml has it",
        ),
    ] {
        let ended = home.run(arguments);
        assert_eq!(ended.code, Some(2), "{arguments:?}");
        assert!(ended.err.contains(why), "{arguments:?}: {}", ended.err);
    }
    assert!(!home.path("pwned").exists() && !home.path("config/pwned").exists());
}

#[test]
fn a_url_is_asked_once_and_plainly_and_nothing_of_it_is_stored() {
    let home = Home::new();
    let server = Server::start();
    let feed = || {
        Reply::ok(mess())
            .header("ETag", "\"1\"")
            .header("Content-Type", "text/xml; charset=utf-8")
    };
    server.script("/feed", vec![feed(), feed(), Reply::not_modified()]);
    let url = server.url("/feed");
    home.subscribe(std::slice::from_ref(&url));
    home.run(&["--refresh-only"]).well();
    let before = home.run(&["stats", "--json"]).well();
    let json = home.run(&["probe", "--parse", "--json", &url]).json();
    assert_eq!(
        (&json["status"], &json["entries"][0]["link"]),
        (&200.into(), &server.url("/one").into())
    );
    assert_eq!(home.run(&["stats", "--json"]).well(), before);
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert!(!requests[1].is_conditional());
    home.run(&["--refresh-only", "--force"]).well();
    assert!(server.requests()[2].is_conditional());
}

#[test]
fn r36_a_host_that_asks_to_wait_is_held_and_not_asked_again() {
    let home = Home::new();
    let server = Server::start();
    server.serve("/feed", Reply::new(429).header("Retry-After", "7200"));
    let url = server.url("/feed");
    let ended = home.run(&["probe", "--parse", &url]);
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.out.contains("the server asks to wait (429)"),
        "{}",
        ended.out
    );
    let ended = home.run(&["probe", "--parse", &url]);
    assert_eq!(ended.code, Some(75), "{}", ended.err);
    assert!(
        ended.err.contains("asked to be left alone until"),
        "{}",
        ended.err
    );
    assert_eq!(server.requests().len(), 1);
    home.subscribe(&[server.url("/other")]);
    let lines = home.run(&["--refresh-only", "--json"]).lines();
    assert_eq!(lines[0]["outcome"], "deferred");
    assert_eq!(server.requests().len(), 1);
}
