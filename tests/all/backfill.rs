//! Older pages of feeds (RFC 5005, R81), with the program itself against a server of pages.

use std::fmt::Write;

use rustix::process::Signal;
use serde_json::Value;

use crate::support::process::Home;
use crate::support::{Gate, Reply, Server};

/// A document with these entries and links.
fn document(links: &[(&str, &str)], guids: &[&str]) -> Reply {
    let mut text = String::from(
        "<rss version=\"2.0\" xmlns:a=\"http://www.w3.org/2005/Atom\"><channel><title>Feed</title>",
    );
    for (rel, href) in links {
        let _ = write!(text, "<a:link rel=\"{rel}\" href=\"{href}\"/>");
    }
    for guid in guids {
        let day = guid.len() % 28 + 1;
        let _ = write!(
            text,
            "<item><guid>{guid}</guid><title>About {guid}</title><pubDate>{day} Mar 2024 06:07:08 GMT</pubDate></item>"
        );
    }
    Reply::ok(text + "</channel></rss>")
}

/// A feed `/f` that was polled once, with these links.
fn house(links: &[(&str, &str)]) -> (Home, Server, String) {
    let (home, server) = (Home::new(), Server::start());
    let url = server.url("/f");
    home.write("config/config.toml", "[http]\nhost_gap = \"0s\"\n");
    home.subscribe(std::slice::from_ref(&url));
    let feed = document(links, &["new", "newer"]).header("ETag", "\"1\"");
    server.serve("/f", feed);
    server.serve("/robots.txt", Reply::new(404));
    home.run(&["--refresh-only"]).well();
    server.forget();
    (home, server, url)
}

fn run(home: &Home, more: &[&str], url: &str) -> Value {
    let mut arguments = vec!["backfill", "--json", url];
    arguments.extend(more);
    let ended = home.run(&arguments);
    assert_eq!(ended.err, "");
    serde_json::from_str(&ended.out).expect("JSON")
}

fn titles(home: &Home, query: &str) -> Vec<String> {
    let found = home.run(&["entries", "--json", query]).json();
    let mut titles: Vec<String> = found
        .as_array()
        .expect("an array")
        .iter()
        .map(|entry| entry["title"].as_str().unwrap_or_default().to_owned())
        .collect();
    titles.sort();
    titles
}

fn targets(server: &Server) -> Vec<String> {
    let seen = server.requests().into_iter();
    seen.map(|request| request.target).collect()
}

#[test]
fn r81_archives_are_read_once_from_new_to_old_and_the_feed_hears_nothing_of_it() {
    let (home, server, url) = house(&[("prev-archive", "/2"), ("next", "/never")]);
    server.serve("/2", document(&[("prev-archive", "/1")], &["newer", "old"]));
    server.serve("/1", document(&[], &["older", "oldest"]));
    let before = home.run(&["explain", "--json", &url]).json();
    let told = run(&home, &[], &url);
    assert_eq!(targets(&server), ["/f", "/robots.txt", "/2", "/1"]);
    assert_eq!(
        (&told["run"]["pages"], &told["run"]["entries"]),
        (&2.into(), &3.into())
    );
    assert_eq!(told["place"]["end"], "whole", "{told}");
    assert!(server.requests().iter().all(|seen| !seen.is_conditional()));

    assert_eq!(
        titles(&home, "is:read"),
        ["About old", "About older", "About oldest"]
    );
    assert_eq!(titles(&home, "unread"), ["About new", "About newer"]);
    let after = home.run(&["explain", "--json", &url]).json();
    for key in ["next_poll", "why", "etag", "bounds", "unchanged_in_a_row"] {
        assert_eq!(before[key], after[key], "{key}");
    }
    let requests = after["last_requests"].as_array().expect("requests").iter();
    let paces: Vec<_> = requests.map(|request| request["pace"].clone()).collect();
    assert_eq!(paces, ["backfill", "backfill", "backfill", "scheduled"]);
    assert_eq!(after["older_pages"]["pages"], 2);
    let stats = home.run(&["stats", "--json"]).json();
    assert_eq!(
        (&stats[0]["ok200"], &stats[0]["older_pages"]),
        (&1.into(), &2.into())
    );
    let text = home.run(&["explain", &url]).well();
    assert!(text.contains("2 pages read, 3 entries new"), "{text}");

    server.forget();
    let again = run(&home, &[], &url);
    assert_eq!(
        targets(&server),
        Vec::<String>::new(),
        "looked for within the day"
    );
    assert_eq!(again["place"]["end"], "whole");
    let again = run(&home, &["--again"], &url);
    assert_eq!(again["run"]["entries"], 0, "no doubles: {again}");
    assert_eq!(targets(&server), ["/f", "/robots.txt", "/2", "/1"]);
    let listed = home.run(&["backfill", "--json"]).json();
    assert_eq!(listed[0]["place"]["pages"], 2, "{listed}");
}

#[test]
fn r81_pages_of_a_feed_are_bounded_and_the_next_run_goes_on() {
    let (home, server, url) = house(&[("next", "/f?page=2")]);
    for page in 2..6 {
        let next = format!("/f?page={}", page + 1);
        let guid = "x".repeat(page);
        server.serve(
            &format!("/f?page={page}"),
            document(&[("next", &next)], &[&guid]),
        );
    }
    let told = run(&home, &["--pages", "2", "--unread"], &url);
    assert_eq!(
        targets(&server),
        ["/f", "/robots.txt", "/f?page=2", "/f?page=3"]
    );
    assert_eq!(told["place"]["end"], Value::Null);
    assert_eq!(titles(&home, "unread").len(), 4, "as asked for");
    server.forget();
    let told = run(&home, &["--pages", "1"], &url);
    assert_eq!(targets(&server), ["/robots.txt", "/f?page=4"]);
    assert_eq!(
        (&told["run"]["pages"], &told["place"]["pages"]),
        (&1.into(), &3.into())
    );

    // What cannot be had is asked for again by the next run.
    server.forget();
    server.script("/f?page=5", vec![Reply::new(500), document(&[], &["last"])]);
    let ended = home.run(&["backfill", &url]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.out.contains("500"), "{ended:?}");
    let told = run(&home, &[], &url);
    assert_eq!(told["place"]["end"], "whole", "{told}");
    assert_eq!(server.requests_for("/f?page=5").len(), 2);
}

#[test]
fn r81_a_persons_parameter_ends_where_there_is_no_page() {
    let (home, server, url) = house(&[]);
    let told = run(&home, &[], &url);
    assert_eq!(told["place"]["end"], "no_pages");
    assert_eq!(targets(&server), ["/f"], "nothing is guessed");
    server.serve("/f?paged=2", document(&[], &["old"]));
    server.serve("/f?paged=3", Reply::new(404));
    let told = run(&home, &["--param", "paged"], &url);
    assert_eq!(
        (&told["run"]["entries"], &told["place"]["end"]),
        (&1.into(), &"whole".into())
    );
    assert_eq!(server.requests_for("/f?paged=3").len(), 1);
}

#[test]
fn r81_robots_are_obeyed_for_pages_and_not_for_the_feed() {
    let (home, server, url) = house(&[("next", "/f?page=2")]);
    server.serve("/f?page=2", document(&[], &["old"]));
    server.serve(
        "/robots.txt",
        Reply::ok("User-agent: *\nDisallow: /*?page=\n"),
    );
    let told = run(&home, &[], &url);
    assert_eq!(told["place"]["end"], "disallowed");
    assert_eq!(targets(&server), ["/f", "/robots.txt"]);
    server.forget();
    server.serve("/robots.txt", Reply::new(503));
    assert_eq!(run(&home, &[], &url)["place"]["end"], "disallowed");
    server.serve(
        "/robots.txt",
        Reply::ok("User-agent: *\nDisallow: /wp-admin\n"),
    );
    assert_eq!(run(&home, &[], &url)["run"]["entries"], 1);
    assert_eq!(
        targets(&server),
        ["/robots.txt", "/robots.txt", "/f?page=2"]
    );
}

#[test]
fn r81_pages_that_lead_astray_cost_little() {
    let other = Server::start();
    other.serve("/2", document(&[], &["x"]));
    let away = other.url("/2");
    let (home, server, url) = house(&[("prev-archive", &away)]);
    assert_eq!(run(&home, &[], &url)["place"]["end"], "elsewhere");
    // To itself, round in a circle, the same entries for ever.
    server.serve("/f", document(&[("prev-archive", "/f")], &["new"]));
    assert_eq!(run(&home, &["--again"], &url)["place"]["end"], "loop");
    server.serve("/f", document(&[("prev-archive", "/a")], &["new"]));
    server.serve("/a", document(&[("prev-archive", "/b")], &["a"]));
    server.serve("/b", document(&[("prev-archive", "/a")], &["b"]));
    assert_eq!(run(&home, &["--again"], &url)["place"]["end"], "loop");
    server.serve("/f", document(&[("next", "/p1")], &["new"]));
    server.serve("/p1", document(&[("next", "/p2")], &["p"]));
    server.serve("/p2", document(&[("next", "/p3")], &["p"]));
    server.forget();
    let told = run(&home, &["--again"], &url);
    assert_eq!(told["place"]["end"], "same_page");
    assert_eq!(targets(&server), ["/f", "/robots.txt", "/p1", "/p2"]);
    // A page that redirects to another host is not followed there.
    server.serve("/f", document(&[("prev-archive", "/moved")], &["new"]));
    // The other server is another port of the same host: another name stands for another host.
    server.serve("/moved", Reply::redirect(302, "http://localhost:9/2"));
    let told = run(&home, &["--again"], &url);
    let why = told["error"].as_str().unwrap_or_default();
    assert!(why.contains("another host"), "{told}");
    assert_eq!(other.requests().len(), 0);
}

#[test]
fn r36_a_host_that_asks_to_wait_ends_the_run_and_is_not_asked_by_the_next() {
    let (home, server, url) = house(&[("next", "/f?page=2")]);
    server.serve("/f?page=2", Reply::new(429).header("Retry-After", "3600"));
    let told = run(&home, &[], &url);
    assert!(
        told["error"].as_str().unwrap_or_default().contains("429"),
        "{told}"
    );
    server.forget();
    let told = run(&home, &[], &url);
    let why = told["error"].as_str().unwrap_or_default();
    assert!(why.contains("asked to be left alone until"), "{told}");
    assert_eq!(targets(&server), Vec::<String>::new());
}

#[test]
fn r81_a_run_that_is_ended_by_a_signal_loses_nothing() {
    let (home, server, url) = house(&[("prev-archive", "/2")]);
    let gate = Gate::new();
    server.serve("/2", document(&[("prev-archive", "/1")], &["old"]));
    let last = document(&[], &["older"]);
    server.script("/1", vec![last.held(&gate), document(&[], &["older"])]);
    let mut process = home.start(&["backfill", &url]);
    server.wait_for(4);
    process.signal(Signal::INT);
    let ended = process.end();
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert!(
        ended.out.contains("stopped; the next run goes on"),
        "{ended:?}"
    );
    assert!(ended.err.contains("page 1 of at most 10"), "{ended:?}");
    gate.open();
    server.forget();
    let told = run(&home, &[], &url);
    assert_eq!(targets(&server), ["/robots.txt", "/1"]);
    assert_eq!(told["place"]["entries"], 2, "{told}");
    assert_eq!(titles(&home, "is:read"), ["About old", "About older"]);
}

#[test]
fn r81_what_has_no_pages_is_refused_with_what_to_do() {
    let (home, server, url) = house(&[]);
    let feeds = format!("[[feed]]\nurl = \"{url}\"\n[[feed]]\nurl = \"file:/nowhere.xml\"\n");
    home.write("config/feeds.toml", &feeds);
    let ended = home.run(&["backfill", "file:/nowhere.xml"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("has no older pages"), "{ended:?}");
    let ended = home.run(&["backfill", &server.url("/other")]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let text = home.run(&["backfill", &url]).well();
    assert!(text.contains("--param paged"), "{text}");
}

#[test]
fn r81_no_more_is_fetched_than_is_kept() {
    let (home, server, url) = house(&[("next", "/f?page=2")]);
    home.write(
        "config/config.toml",
        "[http]\nhost_gap = \"0s\"\n[keep]\nentries = 3\n",
    );
    server.serve("/f?page=2", document(&[("next", "/f?page=3")], &["a", "b"]));
    let told = run(&home, &[], &url);
    assert_eq!(told["place"]["end"], "limits", "{told}");
    assert_eq!(server.requests_for("/f?page=3").len(), 0);
}
