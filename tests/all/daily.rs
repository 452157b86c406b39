//! A morning of somebody with three hundred feeds, by the real binary in a terminal: what is new, what is passed over, what
//! is kept; and the first minute of somebody who has none.
#![cfg(unix)]

use std::fmt::Write;

use crate::support::process::Home;
use crate::support::terminal::Terminal;
use crate::support::{Reply, Server};

const SIZE: (u16, u16) = (120, 40);
const ESC: &str = "\x1b";
const CTRL_P: &str = "\x10";
const FEEDS: usize = 300;

/// A feed of two entries; what the fortieth tells, the forty-first tells as well.
fn feed(n: usize) -> String {
    let story = if n == 41 { 40 } else { n };
    format!(
        "<rss version=\"2.0\"><channel><title>Feed {n:03}</title>\
         <item><guid>1</guid><title>News of {n:03}</title><link>https://news.example/{story}/1</link></item>\
         <item><guid>2</guid><title>Notes of {n:03}</title><link>https://news.example/{n}/2</link></item>\
         </channel></rss>"
    )
}

/// A row of the feeds pane ends with this figure.
fn counts(terminal: &Terminal, name: &str, count: &str) {
    let (name, count) = (format!("{name} "), format!(" {count}"));
    terminal.wait(&format!("{name}{count}"), |screen| {
        let screen = screen.contents();
        let cells = screen.lines().filter_map(|row| row.split('│').nth(1));
        let mut cells = cells.map(|cell| cell.trim_matches([' ', '▾', '▸']));
        cells.any(|cell| cell.starts_with(&name) && cell.ends_with(&count))
    });
}

#[test]
fn a_morning_with_three_hundred_feeds() {
    let (home, server) = (Home::new(), Server::start());
    let mut list = String::new();
    for n in 0..FEEDS {
        let path = format!("/{n}");
        let etag = format!("\"{n}\"");
        let known = Reply::not_modified().header("ETag", &etag);
        server.script(&path, vec![Reply::ok(feed(n)).header("ETag", &etag), known]);
        let tag = if n < 100 { "work/first" } else { "rest" };
        let url = server.url(&path);
        let _ = writeln!(list, "[[feed]]\nurl = \"{url}\"\ntags = [\"{tag}\"]");
    }
    home.write("config/feeds.toml", &list);
    let path = home.path("config/config.toml");
    let settings = std::fs::read_to_string(&path).unwrap_or_default();
    let settings = format!("fold_twins = true\ngroup = \"day\"\n{settings}host_budget = 0\n");
    std::fs::write(&path, settings).expect("written");
    let mut terminal = Terminal::start(&home, &[], SIZE);
    counts(&terminal, "All", "600");
    terminal.sees("Today");
    // A story of two feeds, read once.
    terminal.keys("/feed:/^feed.04[01]/");
    terminal.sees("News of 041");
    terminal.sees_no("News of 042");
    // Together with the next key Esc would be Alt: each is waited for.
    terminal.keys(ESC);
    terminal.sees("Notes of 299");
    terminal.after(CTRL_P, "Go to");
    terminal.keys("work\r");
    terminal.sees("work ── 200 unread");
    terminal.keys(":sort title\r");
    terminal.keys("g");
    terminal.sees("News of 000");
    // As if it were typed by a person: rows on, and the one that stands for two.
    terminal.keys("40j");
    terminal.sees("+1");
    terminal.keys("O");
    terminal.sees("2 feeds tell this");
    terminal.keys(ESC);
    terminal.sees_no("2 feeds tell this");
    terminal.keys("\r");
    terminal.sees("also in Feed 04");
    counts(&terminal, "work", "198");
    terminal.keys(ESC);
    terminal.sees_no("also in Feed 04");
    terminal.keys("u");
    counts(&terminal, "work", "200");
    // Everything of a tag at once, and back.
    terminal.keys("A");
    counts(&terminal, "All", "400");
    terminal.keys("u");
    counts(&terminal, "All", "600");
    // One feed by its name, its entries read one after the other.
    terminal.after(CTRL_P, "Go to");
    terminal.keys("feed 137\r");
    terminal.sees("Feed 137 ── 2 unread");
    terminal.keys("  ");
    terminal.sees("› N");
    terminal.keys(ESC);
    terminal.sees_no("› N");
    terminal.keys("hg");
    counts(&terminal, "All", "598");
    // Asked again, nothing is new and nothing is lost.
    terminal.keys(":refresh!\r");
    terminal.sees("300 unchanged (304)");
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
    // The next morning begins with what is stored.
    let mut terminal = Terminal::start(&home, &[], SIZE);
    counts(&terminal, "All", "598");
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_first_minute() {
    let (home, server) = (Home::new(), Server::start());
    server.script("/feed", vec![Reply::ok(feed(1)).header("ETag", "\"1\"")]);
    let mut terminal = Terminal::start(&home, &[], SIZE);
    terminal.sees("You have no feeds yet");
    // Keys that mean nothing here say so, or do nothing.
    terminal.keys("jkxZDmO");
    terminal.sees("You have no feeds yet");
    terminal.after("?", "Help");
    terminal.keys(ESC);
    terminal.sees("You have no feeds yet");
    terminal.after("a", "Address of a feed");
    terminal.keys(&format!("{}\r", server.url("/feed")));
    terminal.sees("Feed 001");
    terminal.keys("y");
    terminal.sees("News of 001");
    terminal.sees("Feed 001 ── 2 unread");
    terminal.keys("\r");
    terminal.sees("https://news.example/1/");
    terminal.keys(ESC);
    terminal.sees_no("https://news.example/1/");
    counts(&terminal, "All", "1");
    terminal.keys(":undo\r");
    counts(&terminal, "All", "2");
    terminal.after(":nosuch\r", "there is no command `nosuch`");
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
    let list = std::fs::read_to_string(home.path("config/feeds.toml")).expect("a list");
    assert!(list.contains(&server.url("/feed")), "{list}");
}
