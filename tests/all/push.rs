//! Pushes by hubs (WebSub, R78, R79): the real binary watching, a publisher and a hub that this test plays.
#![cfg(unix)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use ring::hmac;
use rustix::process::Signal;
use serde_json::Value;
use url::form_urlencoded;

use crate::support::process::{Home, LIMIT, Process, pause};
use crate::support::{Reply, Server};

/// A publisher and its hub on one server, and a subscriber.
struct House {
    home: Home,
    server: Server,
}

/// What a hub was asked, as it understands it.
#[derive(Debug, Clone)]
struct Asked {
    mode: String,
    topic: String,
    path: String,
    secret: Option<String>,
}

fn items(first: u32, count: u32) -> String {
    let items: Vec<_> = (first..first + count)
        .map(|n| format!("<item><guid>g{n}</guid><title>Entry {n}</title></item>"))
        .collect();
    items.concat()
}

fn rss(links: &str, items: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\" xmlns:atom=\"http://www.w3.org/2005/Atom\"><channel>\
         <title>Feed</title>{links}{items}</channel></rss>"
    )
}

impl House {
    fn new() -> Self {
        let house = Self {
            home: Home::new(),
            server: Server::start(),
        };
        house.home.write(
            "config/config.toml",
            "[http]\nhost_gap = \"0s\"\nrespect_crawl_delay = false\n\n\
             [push]\ncallback = \"http://127.0.0.1:1/push\"\nlisten = \"127.0.0.1:0\"\n",
        );
        house
    }

    /// Links of a document whose hub is at `/hub`.
    fn links(&self, topic: &str) -> String {
        let (hub, own) = (self.server.url("/hub"), self.server.url(topic));
        format!("<atom:link rel=\"hub\" href=\"{hub}\"/><atom:link rel=\"self\" href=\"{own}\"/>")
    }

    /// Subscribes to `/feed`, which has two entries and names a hub that accepts, and answers 304 from then on.
    fn settle(&self) -> String {
        let page = rss(&self.links("/feed"), &items(0, 2));
        let fresh = Reply::ok(page).header("ETag", "\"1\"");
        let known = Reply::not_modified().header("ETag", "\"1\"");
        self.server.script("/feed", vec![fresh, known]);
        self.server.serve("/hub", Reply::new(202));
        let url = self.server.url("/feed");
        self.home.subscribe(std::slice::from_ref(&url));
        url
    }

    fn watch(&self) -> Watching {
        let process = self.home.start(&["watch", "--json"]);
        let line = until(&process, |line| {
            line["event"] == "push" && text(line).starts_with("listening")
        });
        let port = text(&line).rsplit(':').next().map(str::to_owned);
        let port = port.and_then(|port| port.parse().ok());
        Watching {
            process,
            port: port.expect("a port"),
        }
    }

    /// Waits until the hub was asked so often.
    fn asked(&self, times: usize) -> Asked {
        let end = Instant::now() + LIMIT;
        loop {
            let requests = self.server.requests_for("/hub");
            if requests.len() >= times {
                let request = &requests[times - 1];
                assert_eq!(request.method, "POST");
                let kind = request.text("content-type");
                assert_eq!(kind.as_deref(), Some("application/x-www-form-urlencoded"));
                return Asked::read(&request.body);
            }
            assert!(Instant::now() < end, "{requests:?}");
            pause(Duration::from_millis(10));
        }
    }

    /// A subscription that holds.
    fn subscribed(&self) -> (Watching, Asked) {
        let watching = self.watch();
        let asked = self.asked(1);
        let (status, body) = watching.verify(&asked, "subscribe", "864000");
        assert_eq!((status, body.as_str()), (200, "c0ffee"));
        (watching, asked)
    }

    fn pushes(&self) -> Value {
        self.home.run(&["push", "--json"]).json()
    }

    fn titles(&self) -> Vec<String> {
        let entries = self.home.run(&["entries", "--json"]).json();
        let entries = entries.as_array().expect("an array");
        let mut titles: Vec<_> = entries
            .iter()
            .map(|entry| entry["title"].as_str().unwrap_or_default().to_owned())
            .collect();
        titles.sort();
        titles
    }
}

impl Asked {
    fn read(body: &[u8]) -> Self {
        let of = |name: &str| {
            let mut pairs = form_urlencoded::parse(body);
            let found = pairs.find(|(key, _)| key == name);
            found.map(|(_, value)| value.into_owned())
        };
        let callback = of("hub.callback").expect("a callback");
        Self {
            mode: of("hub.mode").expect("a mode"),
            topic: of("hub.topic").expect("a topic"),
            path: callback.replace("http://127.0.0.1:1", ""),
            secret: of("hub.secret"),
        }
    }
}

/// `watch`, and where it listens.
struct Watching {
    process: Process,
    port: u16,
}

impl Watching {
    /// Sends a request; status and body of the answer.
    fn send(&self, head: &str, body: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a listener");
        stream.set_read_timeout(Some(LIMIT)).expect("set");
        let length = body.len();
        let head = format!("{head}Host: me.example\r\nContent-Length: {length}\r\n\r\n");
        stream.write_all(head.as_bytes()).expect("sent");
        stream.write_all(body).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let status = answer.get(9..12).and_then(|code| code.parse().ok());
        let (_, body) = answer.split_once("\r\n\r\n").expect("a head");
        (status.expect("a status"), body.to_owned())
    }

    fn verify(&self, asked: &Asked, mode: &str, lease: &str) -> (u16, String) {
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("hub.mode", mode)
            .append_pair("hub.topic", &asked.topic)
            .append_pair("hub.challenge", "c0ffee")
            .append_pair("hub.lease_seconds", lease)
            .finish();
        self.send(&format!("GET {}?{query} HTTP/1.1\r\n", asked.path), b"")
    }

    fn deliver(&self, asked: &Asked, signature: Option<&str>, body: &str) -> u16 {
        let signature = signature.map(|value| format!("X-Hub-Signature: {value}\r\n"));
        let signature = signature.unwrap_or_default();
        let head = format!(
            "POST {} HTTP/1.1\r\nContent-Type: application/rss+xml\r\n{signature}",
            asked.path
        );
        self.send(&head, body.as_bytes()).0
    }

    /// A delivery as the hub signs it.
    fn push(&self, asked: &Asked, body: &str) -> u16 {
        self.deliver(asked, Some(&sign(asked, "sha256", body)), body)
    }

    fn stop(mut self) {
        self.process.signal(Signal::TERM);
        let ended = self.process.end();
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    }
}

fn sign(asked: &Asked, method: &str, body: &str) -> String {
    let algorithm = match method {
        "sha1" => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
        "sha256" => hmac::HMAC_SHA256,
        "sha384" => hmac::HMAC_SHA384,
        _ => hmac::HMAC_SHA512,
    };
    let secret = asked.secret.as_deref().expect("a secret");
    let code = hmac::sign(
        &hmac::Key::new(algorithm, secret.as_bytes()),
        body.as_bytes(),
    );
    let digits: Vec<_> = code
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{method}={}", digits.concat())
}

fn text(line: &Value) -> &str {
    line["text"].as_str().unwrap_or_default()
}

/// Waits for a line of `watch --json`.
fn until(watch: &Process, wanted: impl Fn(&Value) -> bool) -> Value {
    let end = Instant::now() + LIMIT;
    loop {
        let out = watch.out();
        let whole = out
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        let mut lines = whole.map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        if let Some(found) = lines.find(|line| wanted(line)) {
            return found;
        }
        assert!(Instant::now() < end, "{out}{}", watch.err());
        pause(Duration::from_millis(10));
    }
}

fn pushed(line: &Value) -> bool {
    line["event"] == "polled" && line["pushed"] == true
}

#[test]
fn r79_what_a_hub_delivers_is_stored_as_a_226_is() {
    let house = House::new();
    let url = house.settle();
    let (watching, asked) = house.subscribed();
    assert_eq!(
        (asked.mode.as_str(), asked.topic.as_str()),
        ("subscribe", url.as_str())
    );
    // It brings one entry, and not those before it.
    assert_eq!(
        watching.push(&asked, &rss(&house.links("/feed"), &items(2, 1))),
        200
    );
    let line = until(&watching.process, pushed);
    assert_eq!((&line["new"], &line["updated"]), (&1.into(), &0.into()));
    assert_eq!(house.titles(), ["Entry 0", "Entry 1", "Entry 2"]);
    let row = &house.pushes()[0];
    assert_eq!(
        (&row["state"], &row["signed"]),
        (&"active".into(), &true.into())
    );
    assert_eq!(
        (&row["deliveries"], &row["refused"]),
        (&1.into(), &0.into())
    );
    assert!(
        row["lease_until"].as_str() > row["renewal"].as_str(),
        "{row}"
    );
    // Nothing was asked for it, and the poll after it sends the validators of the one before.
    assert_eq!(house.server.requests_for("/feed").len(), 1);
    house.home.run(&["--refresh-only", "--force"]).well();
    let requests = house.server.requests_for("/feed");
    assert_eq!(requests[1].text("if-none-match").as_deref(), Some("\"1\""));
    assert_eq!(house.titles().len(), 3);
    // From then on once a day.
    let explained = house.home.run(&["explain", &url, "--json"]).json();
    assert_eq!(explained["rule"], "push", "{explained}");
    let openmetrics = house.home.run(&["stats", "--openmetrics"]).well();
    assert!(
        openmetrics.contains("push_deliveries_total{id="),
        "{openmetrics}"
    );
    watching.stop();
}

#[test]
fn r79_every_method_of_signing_is_understood() {
    for method in ["sha256", "sha384", "sha512"] {
        let house = House::new();
        house.settle();
        let (watching, asked) = house.subscribed();
        let body = rss("", &items(5, 1));
        let signature = sign(&asked, method, &body);
        assert_eq!(watching.deliver(&asked, Some(&signature), &body), 200);
        until(&watching.process, pushed);
        assert_eq!(
            house.titles(),
            ["Entry 0", "Entry 1", "Entry 5"],
            "{method}"
        );
        watching.stop();
    }
}

#[test]
fn r79_forged_weak_and_repeated_deliveries_are_answered_and_thrown_away() {
    let house = House::new();
    house.settle();
    let (watching, asked) = house.subscribed();
    let body = rss("", &items(9, 1));
    let other = Asked {
        secret: Some("not this one".to_owned()),
        ..asked.clone()
    };
    let forged = sign(&other, "sha256", &body);
    let weak = sign(&asked, "sha1", &body);
    for signature in [None, Some(forged.as_str()), Some(&weak), Some("sha256=zz")] {
        assert_eq!(
            watching.deliver(&asked, signature, &body),
            200,
            "{signature:?}"
        );
    }
    assert_eq!(house.titles(), ["Entry 0", "Entry 1"]);
    let real = rss("", &items(3, 1));
    for _ in 0..3 {
        assert_eq!(watching.push(&asked, &real), 200);
    }
    until(&watching.process, pushed);
    let row = &house.pushes()[0];
    assert_eq!(
        (&row["deliveries"], &row["refused"]),
        (&1.into(), &4.into()),
        "{row}"
    );
    assert_eq!(house.titles(), ["Entry 0", "Entry 1", "Entry 3"]);
    // Somebody else's path, and what no path can be.
    let stranger = Asked {
        path: "/push/0123456789abcdef0123456789abcdef".to_owned(),
        ..asked
    };
    assert_eq!(watching.push(&stranger, &real), 404);
    assert_eq!(watching.send("GET / HTTP/1.1\r\n", b"").0, 404);
    watching.stop();
}

#[test]
fn r79_what_is_no_delivery_of_the_topic_makes_it_be_polled() {
    for body in [
        // A ping without a body, a page, another feed, something cut.
        String::new(),
        "<!DOCTYPE html><html><body>Hello</body></html>".to_owned(),
        rss(
            "<atom:link rel=\"self\" href=\"https://other.example/feed\"/>",
            &items(7, 1),
        ),
    ] {
        let house = House::new();
        house.settle();
        let (watching, asked) = house.subscribed();
        // Not polled within the minute before: the poll of the ping is not waited for here.
        assert_eq!(watching.push(&asked, &body), 200, "{body}");
        let explained = house.pushes();
        assert_eq!(explained[0]["deliveries"], 1);
        assert_eq!(house.titles(), ["Entry 0", "Entry 1"], "{body}");
        watching.stop();
    }
}

#[test]
fn r79_only_what_was_asked_for_is_verified() {
    let house = House::new();
    house.settle();
    let watching = house.watch();
    let asked = house.asked(1);
    let topic = Asked {
        topic: "https://never.example/asked".to_owned(),
        ..asked.clone()
    };
    assert_eq!(watching.verify(&topic, "subscribe", "864000").0, 404);
    assert_eq!(watching.verify(&asked, "unsubscribe", "864000").0, 404);
    // A delivery before anybody verified.
    assert_eq!(watching.push(&asked, &rss("", &items(4, 1))), 410);
    assert_eq!(watching.verify(&asked, "subscribe", "864000").0, 200);
    // Once more, as hubs do whose connection broke; and with a lease that would be another.
    assert_eq!(watching.verify(&asked, "subscribe", "315360000").0, 200);
    let until = house.pushes()[0]["lease_until"].as_str().map(str::to_owned);
    assert!(until.is_some_and(|until| !until.starts_with("203")));
    watching.stop();
}

#[test]
fn r79_a_lease_of_nothing_and_a_denial_leave_the_feed_polled() {
    for (mode, lease) in [("subscribe", "0"), ("denied", "")] {
        let house = House::new();
        let url = house.settle();
        let watching = house.watch();
        let asked = house.asked(1);
        let (status, _) = watching.verify(&asked, mode, lease);
        assert_eq!(status, if mode == "denied" { 200 } else { 404 });
        let state = house.pushes()[0]["state"].clone();
        assert_ne!(state, "active", "{mode}");
        house.home.run(&["--refresh-only", "--force"]).well();
        let explained = house.home.run(&["explain", &url, "--json"]).json();
        assert_ne!(explained["rule"], "push", "{mode}");
        watching.stop();
    }
}

#[test]
fn r79_headers_name_the_hub_before_the_document_and_a_topic_that_moved_for_a_while_stays() {
    let house = House::new();
    let page = rss(
        "<atom:link rel=\"hub\" href=\"https://never.example/\"/>",
        &items(0, 1),
    );
    let link = format!("<{}>; rel=\"hub\"", house.server.url("/hub"));
    let reply = Reply::ok(page).header("Link", link);
    house.server.serve("/elsewhere", reply);
    house.server.serve(
        "/feed",
        Reply::redirect(302, house.server.url("/elsewhere")),
    );
    house.server.serve("/hub", Reply::new(202));
    let url = house.server.url("/feed");
    house.home.subscribe(std::slice::from_ref(&url));
    let watching = house.watch();
    // Neither says what it calls itself: what is asked is what is meant.
    assert_eq!(house.asked(1).topic, url);
    watching.stop();
}

#[test]
fn r79_a_hub_that_moved_is_followed_with_the_whole_request() {
    let house = House::new();
    house.settle();
    house.server.serve("/hub", Reply::redirect(308, "/new/"));
    house.server.serve("/new/", Reply::redirect(307, "once"));
    house.server.serve("/new/once", Reply::new(202));
    let watching = house.watch();
    let first = house.asked(1);
    let end = Instant::now() + LIMIT;
    while house.server.requests_for("/new/once").is_empty() {
        assert!(Instant::now() < end);
        pause(Duration::from_millis(10));
    }
    let last = Asked::read(&house.server.requests_for("/new/once")[0].body);
    assert_eq!(
        (first.path, first.secret),
        (last.path.clone(), last.secret.clone())
    );
    assert_eq!(watching.verify(&last, "subscribe", "864000").0, 200);
    // It has moved for good to the one, and only for now to the other.
    until(&watching.process, |line| {
        line["event"] == "push" && text(line).contains("answered 202")
    });
    assert_eq!(house.pushes()[0]["hub"], house.server.url("/new/"));
    watching.stop();
}

#[test]
fn r79_a_feed_that_is_removed_is_unsubscribed() {
    let house = House::new();
    let url = house.settle();
    let (watching, _) = house.subscribed();
    house.home.run(&["remove", &url]).well();
    let farewell = house.asked(2);
    assert_eq!(
        (farewell.mode.as_str(), farewell.secret.as_deref()),
        ("unsubscribe", None)
    );
    assert_eq!(watching.push_unsigned(&farewell), 410);
    assert_eq!(watching.verify(&farewell, "unsubscribe", "").0, 200);
    let end = Instant::now() + LIMIT;
    while house.pushes() != serde_json::json!([]) {
        assert!(Instant::now() < end, "{}", house.pushes());
        pause(Duration::from_millis(50));
    }
    watching.stop();
}

impl Watching {
    fn push_unsigned(&self, asked: &Asked) -> u16 {
        self.deliver(asked, None, "<rss/>")
    }
}

#[test]
fn r79_killed_at_each_step_it_goes_on_where_it_was() {
    let house = House::new();
    house.settle();
    // Asked, not verified.
    let mut watching = house.watch();
    house.asked(1);
    watching.process.kill();
    let mut watching = house.watch();
    let again = house.asked(2);
    assert_eq!(watching.verify(&again, "subscribe", "864000").0, 200);
    // Verified.
    watching.process.kill();
    let mut watching = house.watch();
    assert_eq!(house.pushes()[0]["state"], "active");
    assert_eq!(watching.push(&again, &rss("", &items(2, 1))), 200);
    // Delivered: what was answered with 200 is on disk.
    watching.process.kill();
    assert_eq!(house.titles(), ["Entry 0", "Entry 1", "Entry 2"]);
    let watching = house.watch();
    assert_eq!(watching.push(&again, &rss("", &items(2, 2))), 200);
    until(&watching.process, pushed);
    assert_eq!(house.titles().len(), 4);
    // Nobody asked the hub a third time.
    assert_eq!(house.server.requests_for("/hub").len(), 2);
    watching.stop();
}

#[test]
fn r79_of_two_that_watch_one_listens() {
    let house = House::new();
    house.settle();
    let (watching, asked) = house.subscribed();
    let mut second = house.home.start(&["watch", "--json"]);
    until(&second, |line| line["event"] == "ready");
    assert_eq!(watching.push(&asked, &rss("", &items(2, 1))), 200);
    until(&watching.process, pushed);
    let row = &house.pushes()[0];
    assert_eq!(row["deliveries"], 1);
    assert!(
        !second.out().contains("listening for hubs"),
        "{}",
        second.out()
    );
    second.signal(Signal::TERM);
    assert_eq!(second.end().code, Some(0));
    watching.stop();
}

#[test]
fn r78_without_a_callback_no_hub_is_asked() {
    let house = House::new();
    house.settle();
    house.home.write(
        "config/config.toml",
        "[http]\nhost_gap = \"0s\"\nrespect_crawl_delay = false\n",
    );
    let mut watch = house.home.start(&["watch", "--json"]);
    until(&watch, |line| line["event"] == "polled");
    let row = &house.pushes()[0];
    assert_eq!(
        (&row["state"], &row["hub"]),
        (&"off".into(), &house.server.url("/hub").into())
    );
    let said = house.home.run(&["push"]);
    assert!(said.err.contains("pushes are not set up"), "{}", said.err);
    watch.signal(Signal::TERM);
    assert_eq!(watch.end().code, Some(0));
    assert!(house.server.requests_for("/hub").is_empty());
}
