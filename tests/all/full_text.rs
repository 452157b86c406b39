//! The article of an entry's own page: asked for once, politely, and kept.

use std::fmt::Write;

use tempfile::TempDir;
use tidings::config;
use tidings::engine::protocol::{Command, Event, Scope};
use tidings::engine::{self, Client, Mode, Options};
use tidings::model::{
    Anchor, EntryHead, FullText, Kept, ListScope, ListSpec, Locations, Order, Pace, Window,
};

use crate::support::{Reply, Server};

struct House {
    home: TempDir,
    server: Server,
    client: Client,
}

fn start(home: &TempDir) -> Client {
    let locations = Locations {
        config_dir: home.path().join("config"),
        data_dir: home.path().join("data"),
        state_dir: home.path().join("state"),
    };
    let (settings, _) =
        config::settings("[http]\nhost_gap = \"0s\"\n", std::path::Path::new("c")).expect("valid");
    let started = engine::start(Options {
        locations,
        settings,
        mode: Mode::Reader,
    });
    started.expect("it starts").0
}

impl House {
    /// One feed, given as a line of feeds.toml in which SERVER stands for the server; its one entry leads to `/post`.
    fn with(line: &str) -> Self {
        let home = tempfile::tempdir().expect("a directory");
        let server = Server::start();
        let feed = format!(
            "<rss version='2.0'><channel><title>F</title><item><guid>1</guid><title>Post</title>\
             <link>{}</link><description>A teaser.</description></item></channel></rss>",
            server.url("/post")
        );
        server.serve("/feed", Reply::ok(feed.clone()));
        let config = home.path().join("config");
        std::fs::create_dir_all(&config).expect("a directory");
        std::fs::write(config.join("feed.xml"), feed).expect("a file");
        let line = line.replace("SERVER", server.url("").trim_end_matches('/'));
        let line = line.replace("FOLDER", &config.display().to_string());
        std::fs::write(config.join("feeds.toml"), format!("[[feed]]\n{line}\n")).expect("a list");
        let client = start(&home);
        let mut house = Self {
            home,
            server,
            client,
        };
        house.refresh();
        house
    }

    fn until<T>(&mut self, mut take: impl FnMut(Event) -> Option<T>) -> T {
        loop {
            let event = self.client.recv_blocking().expect("it runs");
            if let Some(found) = take(event) {
                return found;
            }
        }
    }

    fn refresh(&mut self) {
        let ticket = self.client.ticket();
        self.client.send(Command::Refresh {
            scope: Scope::All,
            pace: Pace::Manual,
            ticket,
        });
        self.until(|event| match event {
            Event::RefreshDone { ticket: of, .. } if of == ticket => Some(()),
            _ => None,
        });
    }

    fn entry(&mut self) -> EntryHead {
        let ticket = self.client.ticket();
        self.client.send(Command::ListEntries {
            spec: ListSpec {
                muted: Vec::new(),
                fold_twins: false,
                within: String::new(),
                scope: ListScope::All,
                unread_only: false,
                query: String::new(),
                order: Order::Newest,
            },
            window: Window {
                anchor: Anchor::Top,
                before: 0,
                after: 10,
            },
            ticket,
        });
        let page = self.until(|event| match event {
            Event::Entries { ticket: of, page } if of == ticket => Some(page),
            _ => None,
        });
        page.heads.first().expect("an entry").clone()
    }

    fn full_text(&mut self, again: bool) -> Result<FullText, String> {
        let id = self.entry().id;
        let ticket = self.client.ticket();
        self.client.send(Command::FullText { id, again, ticket });
        self.until(|event| match event {
            Event::FullText {
                ticket: of, full, ..
            } if of == ticket => Some(Ok(*full)),
            Event::Failed {
                ticket: of, why, ..
            } if of == ticket => Some(Err(why)),
            _ => None,
        })
    }

    fn kept(&mut self) -> Kept {
        let id = self.entry().id;
        let ticket = self.client.ticket();
        self.client.send(Command::Open { id, ticket });
        self.until(|event| match event {
            Event::Opened { ticket: of, entry } if of == ticket => Some(entry.expect("stored").1),
            _ => None,
        })
    }

    fn asked(&self) -> usize {
        self.server.requests_for("/post").len()
    }
}

fn page() -> String {
    let mut html = String::from(
        "<html><head><title>Post</title></head><body><nav><a href=/>Home</a></nav><article><h1>Post</h1>",
    );
    for n in 0..12 {
        let _ = write!(
            html,
            "<p>Sentence {n} of the whole article, with commas, and with words enough to be one.</p>"
        );
    }
    html + "</article><footer>Imprint</footer></body></html>"
}

#[test]
fn r73_a_page_that_robots_txt_forbids_is_not_fetched() {
    let mut house = House::with("url = \"SERVER/feed\"");
    let robots = "User-agent: *\nDisallow: /post\n";
    house.server.serve("/robots.txt", Reply::ok(robots));
    for _ in 0..2 {
        let why = house.full_text(false).expect_err("not allowed");
        assert!(why.contains("does not allow programs"), "{why}");
    }
    assert_eq!(house.asked(), 0);
    // It was read once.
    assert_eq!(house.server.requests_for("/robots.txt").len(), 1);
}

#[test]
fn r73_where_robots_txt_cannot_be_had_nothing_is_fetched() {
    let mut house = House::with("url = \"SERVER/feed\"");
    house.server.serve("/robots.txt", Reply::new(500));
    assert!(house.full_text(false).is_err());
    assert_eq!(house.asked(), 0);
}

#[test]
fn a_page_is_fetched_once_and_kept_over_a_restart() {
    let mut house = House::with("url = \"SERVER/feed\"");
    house.server.serve(
        "/post",
        Reply::ok(page()).header("Content-Type", "text/html"),
    );
    let full = house.full_text(false).expect("an article");
    assert!(
        full.text.contains("Sentence 11 of the whole article"),
        "{}",
        full.text
    );
    assert!(!full.text.contains("Imprint"), "{}", full.text);
    assert_eq!(full.url, house.server.url("/post"));
    assert_eq!(house.full_text(false).as_ref(), Ok(&full));
    assert_eq!(house.asked(), 1);
    let asked = &house.server.requests_for("/post")[0];
    assert!(
        asked
            .text("user-agent")
            .expect("a name")
            .starts_with("tidings/")
    );
    let House {
        home,
        server,
        client,
    } = house;
    client.shutdown();
    let mut house = House {
        client: start(&home),
        home,
        server,
    };
    assert_eq!(house.kept().full.as_ref(), Some(&full));
    assert_eq!(house.asked(), 1);
    assert!(house.home.path().exists());
}

#[test]
fn a_page_that_is_asked_for_again_is_asked_whether_it_has_changed() {
    let mut house = House::with("url = \"SERVER/feed\"");
    let first = Reply::ok(page())
        .header("Content-Type", "text/html; charset=utf-8")
        .header("ETag", "\"p1\"");
    house
        .server
        .script("/post", vec![first, Reply::not_modified()]);
    let full = house.full_text(false).expect("an article");
    assert_eq!(house.full_text(true), Ok(full));
    let asked = house.server.requests_for("/post");
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[1].text("if-none-match").as_deref(), Some("\"p1\""));
}

#[test]
fn r36_a_host_that_asks_to_wait_is_not_asked_for_pages() {
    let mut house = House::with("url = \"SERVER/feed\"");
    house
        .server
        .serve("/post", Reply::new(429).header("Retry-After", "3600"));
    let why = house.full_text(false).expect_err("no article");
    assert_eq!(why, "the server asks to wait (429)");
    let why = house.full_text(false).expect_err("no article");
    assert!(
        why.starts_with("its host asked to be left alone until"),
        "{why}"
    );
    assert_eq!(house.asked(), 1);
}

#[test]
fn r57_a_feed_that_is_not_on_a_private_network_leads_nowhere_there() {
    let mut house = House::with("url = \"file:FOLDER/feed.xml\"");
    house.server.serve(
        "/post",
        Reply::ok(page()).header("Content-Type", "text/html"),
    );
    let why = house.full_text(false).expect_err("refused");
    assert!(why.contains("private"), "{why}");
    assert_eq!(house.asked(), 0);
    assert_eq!(house.kept(), Kept::default());
}

#[test]
fn what_is_no_article_is_said_and_nothing_is_kept() {
    let mut house = House::with("url = \"SERVER/feed\"");
    for (reply, expected) in [
        (Reply::new(404), "404"),
        (Reply::new(410), "gone for good"),
        (
            Reply::ok("%PDF-1.4").header("Content-Type", "application/pdf"),
            "application/pdf is no web page",
        ),
        (
            Reply::ok("<p>Short.</p>").header("Content-Type", "text/html"),
            "no article was found on the page",
        ),
        (
            Reply::ok("x")
                .header("Content-Type", "text/html")
                .endless("<p>more</p>".repeat(1000)),
            "8",
        ),
        (Reply::redirect(302, "/post"), "circle"),
        (
            Reply::redirect(302, "file:///etc/passwd"),
            "only http and https",
        ),
        (Reply::hang_up(), ""),
    ] {
        house.server.serve("/post", reply);
        let why = house.full_text(false).expect_err("no article");
        assert!(why.contains(expected), "{expected}: {why}");
    }
    assert_eq!(house.kept(), Kept::default());
}
