//! Hosts: robots.txt as the last request, holds within one run, many feeds on one host, hosts that do not answer.

use std::time::Duration;

use crate::support::process::Home;
use crate::support::{Reply, Server};

/// A home that reads robots.txt and keeps no gap.
fn home(more: &str) -> Home {
    let home = Home::new();
    home.write(
        "config/config.toml",
        &format!("[http]\nhost_gap = \"0s\"\n{more}"),
    );
    home
}

const QUIET: &str = "respect_crawl_delay = false\n";

/// So many feeds of a server, each answered like this.
fn feeds(server: &Server, count: usize, reply: &Reply) -> Vec<String> {
    (0..count)
        .map(|n| {
            let path = format!("/{n}");
            server.serve(&path, reply.clone());
            server.url(&path)
        })
        .collect()
}

fn feed() -> Reply {
    Reply::ok("<rss version=\"2.0\"><channel><title>T</title><item><guid>1</guid><title>One</title></item></channel></rss>")
        .header("ETag", "\"1\"")
}

fn targets(server: &Server) -> Vec<String> {
    let requests = server.requests();
    requests.into_iter().map(|seen| seen.target).collect()
}

#[test]
fn r73_robots_is_the_last_request_and_the_run_waits_for_it() {
    let (home, server) = (home(""), Server::start());
    home.subscribe(&feeds(&server, 4, &feed()));
    server.serve("/robots.txt", Reply::new(404));
    home.run(&["--refresh-only"]).well();
    let asked = targets(&server);
    assert_eq!(asked.len(), 5, "{asked:?}");
    assert_eq!(asked[4], "/robots.txt");
    assert!(!server.requests()[4].is_conditional());
    assert!(server.requests()[4].header("authorization").is_none());
    // A missing file is remembered as long: feeds that are due again do not bring it back.
    server.forget();
    home.subscribe(&feeds(&server, 6, &feed()));
    home.run(&["--refresh-only"]).well();
    let mut asked = targets(&server);
    asked.sort();
    assert_eq!(asked, ["/4", "/5"]);
}

#[test]
fn r73_r39_a_429_to_robots_holds_the_host_and_robots_is_not_asked_of_a_held_one() {
    let (home, server) = (home(""), Server::start());
    let urls = feeds(&server, 2, &feed());
    home.subscribe(&urls);
    let busy = Reply::new(429).header("Retry-After", "7200");
    server.serve("/robots.txt", busy.clone());
    home.run(&["--refresh-only"]).well();
    assert_eq!(server.requests().len(), 3);
    server.forget();
    home.run(&["--refresh-only", "--force"]).well();
    assert_eq!(server.requests().len(), 0, "held");

    let (home, server) = (self::home(""), Server::start());
    home.subscribe(&feeds(&server, 2, &busy));
    home.run(&["--refresh-only"]).well();
    assert_eq!(server.requests().len(), 1, "held before robots.txt");
}

#[test]
fn r73_what_is_no_robots_file_does_no_harm() {
    let endless = Reply::ok("").endless("User-agent: *\nCrawl-delay: 50\n");
    let hostile = [
        ("endless", endless),
        (
            "moved",
            Reply::redirect(301, "http://127.0.0.1:1/robots.txt"),
        ),
        (
            "cut",
            Reply::ok("User-agent: *\nCrawl-delay: 50").cut_after(10),
        ),
        ("binary", Reply::ok(vec![0xff_u8; 4096])),
        ("broken", Reply::new(500)),
        ("gone", Reply::hang_up()),
    ];
    for (name, reply) in hostile {
        let (home, server) = (home(""), Server::start());
        home.subscribe(&feeds(&server, 2, &feed()));
        server.serve("/robots.txt", reply);
        home.run(&["--refresh-only"]).well();
        assert_eq!(server.requests_for("/robots.txt").len(), 1, "{name}");
        let began = std::time::Instant::now();
        home.run(&["--refresh-only", "--force"]).well();
        assert!(began.elapsed() < Duration::from_secs(40), "{name}");
        assert_eq!(server.requests_for("/robots.txt").len(), 1, "{name}");
    }
}

#[test]
fn r39_one_429_stops_five_hundred_feeds_and_no_other_host() {
    let (home, bad, good) = (home(QUIET), Server::start(), Server::start());
    let busy = Reply::new(429).header("Retry-After", "99999999999");
    let mut urls = feeds(&bad, 500, &busy);
    urls.extend(feeds(&good, 3, &feed()));
    home.subscribe(&urls);
    let lines = home.run(&["--refresh-only", "--json"]).json_lines(503);
    assert_eq!(bad.requests().len(), 1);
    assert_eq!(good.requests().len(), 3);
    let deferred: Vec<_> = lines
        .iter()
        .filter(|line| line["outcome"] == "deferred")
        .collect();
    assert_eq!(deferred.len(), 500);
    // Years ahead is a week, and nobody comes back earlier.
    let week = chrono::Utc::now() + chrono::TimeDelta::days(7) - chrono::TimeDelta::minutes(5);
    for line in &deferred {
        let next = line["next_poll"].as_str().expect("a time");
        let next = chrono::DateTime::parse_from_rfc3339(next).expect("a time");
        assert!(next > week, "{line}");
    }
    for arguments in [&["--refresh-only"][..], &["--refresh-only", "--force"]] {
        home.run(arguments).well();
    }
    assert_eq!(bad.requests().len(), 1, "neither a later run nor force");
}

#[test]
fn r38_r47_a_lifted_hold_lets_one_request_through_and_the_next_429_doubles_it() {
    let (home, server) = (home(QUIET), Server::start());
    let urls = feeds(&server, 5, &Reply::new(429));
    home.subscribe(&urls);
    home.run(&["--refresh-only"]).well();
    let until = |home: &Home| {
        let stats = home.run(&["stats", "--json"]).json();
        let text = stats[0]["hold_until"].as_str().map(str::to_owned);
        text.map(|text| {
            let at = chrono::DateTime::parse_from_rfc3339(&text).expect("a time");
            (at.to_utc() - chrono::Utc::now()).num_minutes()
        })
    };
    assert!(until(&home).is_some_and(|minutes| (55..=60).contains(&minutes)));
    for whom in [server.address().to_string(), urls[3].clone()] {
        server.forget();
        home.run(&["lift", &whom]).well();
        assert_eq!(until(&home), None, "{whom}");
        home.run(&["--refresh-only"]).well();
        assert_eq!(server.requests().len(), 1, "{whom}");
    }
    let minutes = until(&home).expect("held");
    assert!((235..=240).contains(&minutes), "{minutes}");
}

#[test]
fn r70_r71_a_host_that_is_stuck_delays_no_other() {
    let (home, stuck, well) = (home(QUIET), Server::start(), Server::start());
    home.write(
        "config/config.toml",
        "[http]\nhost_gap = \"0s\"\nrespect_crawl_delay = false\nfirst_byte_timeout = \"5s\"\n",
    );
    let mut urls = feeds(&stuck, 3, &Reply::silence());
    urls.extend(feeds(&well, 30, &feed()));
    home.subscribe(&urls);
    let mut process = home.start(&["--refresh-only", "--json"]);
    well.wait_for(30);
    assert_eq!(stuck.requests().len(), 1, "the others of its host wait");
    assert!(process.ended().is_none(), "it is still stuck");
    process.kill();
}

#[test]
fn r39_hosts_that_send_to_each_other_hold_each_for_itself() {
    let (home, one, two) = (home(QUIET), Server::start(), Server::start());
    // Even feeds of each go to the other one, which says 429 to what it is sent.
    for (server, other) in [(&one, &two), (&two, &one)] {
        for n in 0..10 {
            let reply = if n % 2 == 0 {
                Reply::redirect(302, other.url(&format!("/to/{n}")))
            } else {
                feed()
            };
            server.serve(&format!("/{n}"), reply);
            server.serve(&format!("/to/{n}"), Reply::new(429));
        }
    }
    let urls: Vec<_> = (0..10)
        .flat_map(|n| [one.url(&format!("/{n}")), two.url(&format!("/{n}"))])
        .collect();
    home.subscribe(&urls);
    let lines = home.run(&["--refresh-only", "--json"]).json_lines(20);
    assert!(
        lines.iter().all(|line| line["outcome"] != "error"),
        "{lines:?}"
    );
    for server in [&one, &two] {
        let asked = targets(server);
        let sent = asked.iter().filter(|target| target.starts_with("/to/"));
        assert!(sent.count() <= 1, "one 429 is enough: {asked:?}");
    }
    let held = [&one, &two].map(|server| targets(server).iter().any(|t| t.starts_with("/to/")));
    assert!(held.contains(&true));
    one.forget();
    two.forget();
    home.run(&["--refresh-only", "--force"]).well();
    for (server, held) in [&one, &two].into_iter().zip(held) {
        let asked = targets(server);
        assert_eq!(
            asked.is_empty(),
            held,
            "who said 429 is left alone, and nobody else: {asked:?}"
        );
    }
}

#[test]
fn r48_a_start_in_the_future_holds_up_nobody() {
    use tidings::model::{HostKey, Timestamp};
    use tidings::store::{HostNote, Store};
    let (home, server) = (Home::new(), Server::start());
    home.write("config/config.toml", "[http]\nhost_gap = \"200ms\"\n");
    home.subscribe(&feeds(&server, 2, &feed()));
    home.run(&["feeds"]).well();
    // As a clock leaves it that was forty days ahead.
    let now = Timestamp(chrono::Utc::now().timestamp());
    let path = home.path("data/tidings.redb");
    let opened = Store::open(&path, 1 << 20, now).expect("opened");
    let start = HostNote::Started {
        at_ms: now.plus(40 * 86_400).0 * 1_000,
        counts: true,
    };
    let key = HostKey(server.address().to_string());
    opened.writer.host(key, start);
    let closed = opened.writer.close().blocking_recv();
    closed.expect("answered").expect("closed");
    drop(opened);
    home.run(&["--refresh-only"]).well();
    assert_eq!(server.requests().len(), 3, "two feeds and robots.txt");
}
