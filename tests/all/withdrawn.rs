//! Entries that a complete feed lists no longer (RFC 5005, R81).

use serde_json::Value;

use crate::support::process::Home;
use crate::support::{Reply, Server};

fn feed(complete: bool, guids: &[&str]) -> String {
    let item = |guid: &&str| {
        format!(
            "<item><guid>{guid}</guid><title>{guid}</title><pubDate>Tue, 05 Mar 2024 06:07:08 GMT</pubDate></item>"
        )
    };
    let items: Vec<_> = guids.iter().map(item).collect();
    let complete = if complete { "<fh:complete/>" } else { "" };
    format!(
        "<rss version=\"2.0\" xmlns:fh=\"http://purl.org/syndication/history/1.0\"><channel><title>Feed</title>{complete}{}\
         </channel></rss>",
        items.concat()
    )
}

struct House {
    home: Home,
    server: Server,
}

impl House {
    fn new(guids: &[&str]) -> Self {
        let (home, server) = (Home::new(), Server::start());
        home.write("config/config.toml", "[http]\nhost_gap = \"0s\"\n");
        home.subscribe(&[server.url("/f")]);
        let house = Self { home, server };
        house.poll(feed(true, guids));
        house
    }

    fn poll(&self, body: String) -> Value {
        self.answer(Reply::ok(body).header("ETag", "\"1\""))
    }

    fn answer(&self, reply: Reply) -> Value {
        self.server.serve("/f", reply);
        let told = self.home.run(&["--refresh-only", "--force", "--json"]);
        told.lines().remove(0)
    }

    fn titles(&self, query: &str) -> Vec<String> {
        let found = self.home.run(&["entries", "--json", query]).json();
        let entries = found.as_array().expect("an array").iter();
        let titles = entries.map(|entry| entry["title"].as_str().unwrap_or_default().to_owned());
        let mut titles: Vec<_> = titles.collect();
        titles.sort();
        titles
    }
}

#[test]
fn r81_what_a_complete_feed_lists_no_longer_is_marked_and_stays() {
    let house = House::new(&["a", "b", "c", "d"]);
    house.home.run(&["mark", "starred", "title:a"]).well();
    house.poll(feed(true, &["b", "c", "e"]));
    assert_eq!(house.titles("is:withdrawn"), ["a", "d"]);
    assert_eq!(
        house.titles("unread"),
        ["a", "b", "c", "d", "e"],
        "nothing is taken"
    );
    assert_eq!(house.titles("starred"), ["a"]);
    let told = house.home.run(&["entries", "--json", "title:d"]).json();
    assert_eq!(told[0]["withdrawn"], true, "{told}");

    // Read and listed again: each mark is its own.
    house.home.run(&["mark", "read", "title:d"]).well();
    assert_eq!(house.titles("is:withdrawn"), ["a", "d"]);
    let told = house.poll(feed(true, &["b", "c", "d", "e"]));
    assert_eq!((&told["new"], &told["updated"]), (&0.into(), &0.into()));
    assert_eq!(house.titles("is:withdrawn"), ["a"]);
    assert_eq!(house.titles("is:read"), ["d"]);
    let state = house.home.path("marks.json");
    let state = state.to_str().expect("a path");
    house.home.run(&["export", "--state", state]).well();
}

#[test]
fn r81_nothing_is_withdrawn_by_an_answer_that_may_not_be_whole() {
    let house = House::new(&["a", "b", "c"]);
    let whole = feed(true, &["a"]);
    house.poll(feed(false, &["a"]));
    house.answer(
        Reply::new(226)
            .header("IM", "feed")
            .header("ETag", "\"2\"")
            .body(whole.clone()),
    );
    // Cut, mended, empty.
    house.poll(whole.replace("</channel></rss>", ""));
    house.poll(whole.replace("<rss version=\"2.0\"", "junk <rss version=\"2.0\""));
    house.poll(feed(true, &[]));
    assert_eq!(house.titles("is:withdrawn"), Vec::<String>::new());
    house.poll(feed(true, &["a", "b"]));
    assert_eq!(house.titles("is:withdrawn"), ["c"]);
}

#[test]
fn r81_most_of_a_feed_at_once_is_taken_for_a_mistake() {
    let house = House::new(&["a", "b", "c", "d", "e", "f"]);
    let told = house.poll(feed(true, &["a", "new"]));
    let warning = told["warning"].as_str().unwrap_or_default();
    assert!(
        warning.contains("lists 5 of the 6 entries that it had no longer"),
        "{told}"
    );
    assert_eq!(house.titles("is:withdrawn"), Vec::<String>::new());
}
