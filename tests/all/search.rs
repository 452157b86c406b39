//! Looking something up, lists and rules of the user's own, by the real binary: commands, and a session in a terminal.
#![cfg(unix)]

use std::fs;

use crate::commands::Bench;
use crate::support::process::Home;
use crate::support::terminal::Terminal;
use crate::support::{Reply, Server};

const ESC: &str = "\x1b";
const CTRL_P: &str = "\x10";

/// A feed of these entries: title and text each.
fn rss(title: &str, entries: &[(&str, &str)]) -> String {
    let items = entries
        .iter()
        .map(|(name, text)| {
            format!(
                "<item><guid>{name}</guid><title>{name}</title><description>{text}</description></item>"
            )
        })
        .collect::<Vec<_>>()
        .concat();
    format!("<rss version=\"2.0\"><channel><title>{title}</title>{items}</channel></rss>")
}

const ENTRIES: [(&str, &str); 4] = [
    (
        "Borrowing",
        "&lt;p&gt;The checker grew &lt;b&gt;up&lt;/b&gt;.&lt;/p&gt;",
    ),
    ("Newspaper", "日本語の新聞 is large"),
    ("Sponsored: shoes", "buy them"),
    ("Plain", "nothing of note"),
];

fn titles(bench: &Bench, query: &[&str]) -> Vec<String> {
    let arguments = [&["entries", "--json"], query].concat();
    let listed = bench.run(&arguments).json();
    let mut titles: Vec<String> = listed
        .as_array()
        .expect("an array")
        .iter()
        .map(|entry| entry["title"].as_str().expect("text").to_owned())
        .collect();
    titles.sort();
    titles
}

#[test]
fn entries_and_mark_understand_the_whole_language() {
    let bench = Bench::new();
    bench
        .server
        .script("/a", vec![Reply::ok(rss("A", &ENTRIES))]);
    bench
        .run(&["add", "--tag", "tech/rust", &bench.server.url("/a")])
        .well();
    for (query, found) in [
        (&["checker grew"][..], &["Borrowing"][..]),
        (&["\"grew up\""], &["Borrowing"]),
        (&["title:checker"], &[]),
        (&["新聞", "or", "borrowing"], &["Borrowing", "Newspaper"]),
        (
            &["not", "(title:/^(b|n)/", "or", "plain)"],
            &["Sponsored: shoes"],
        ),
        (&["tag:tech", "date:today", "body:note"], &["Plain"]),
        (&["is:hidden"], &[]),
    ] {
        assert_eq!(titles(&bench, query), found, "{query:?}");
    }
    let marked = bench
        .run(&["mark", "read", "body:shoes or body:buy"])
        .well();
    assert_eq!(marked, "1 entry marked read\n");
    assert_eq!(titles(&bench, &["is:read"]), ["Sponsored: shoes"]);
    let wrong = bench.run(&["entries", "a (b"]);
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.err.contains("column 3: this ( is never closed"),
        "{}",
        wrong.err
    );
}

/// Adds to the settings of a bench.
fn configure(bench: &Bench, text: &str) {
    let path = bench.path("config/config.toml");
    let before = fs::read_to_string(&path).expect("written");
    fs::write(&path, format!("{before}{text}")).expect("written");
}

#[test]
fn rules_hold_for_new_entries_and_run_their_command_once() {
    let bench = Bench::new();
    let log = bench.path("log");
    configure(
        &bench,
        &format!(
            "[[rule]]\nwhen = \"title:sponsored\"\ndo = \"hide\"\n\
             [[rule]]\nwhen = \"body:checker\"\ndo = [\"star\", \"read\", \"tag:talk/x\"]\n\
             [[rule]]\nwhen = \"title:late\"\ndo = \"run\"\nrun = [\"sh\", \"-c\", 'cat >> \"$1\"; echo \"$2\" >> \"$1\"', \"-\", \"{}\", \"{{title}}\"]\n",
            log.display()
        ),
    );
    let mut more = ENTRIES.to_vec();
    more.push(("Late $(touch x)", "it came later"));
    bench.server.script(
        "/a",
        vec![
            Reply::ok(rss("A", &ENTRIES)),
            Reply::ok(rss("A", &more)),
            Reply::ok(rss("A", &more)),
        ],
    );
    let url = bench.server.url("/a");
    bench.run(&["add", &url]).well();
    assert_eq!(titles(&bench, &[]), ["Borrowing", "Newspaper", "Plain"]);
    assert_eq!(titles(&bench, &["is:hidden"]), ["Sponsored: shoes"]);
    assert_eq!(titles(&bench, &["starred is:read"]), ["Borrowing"]);
    assert_eq!(titles(&bench, &["unread"]), ["Newspaper", "Plain"]);
    assert_eq!(titles(&bench, &["tag:talk"]), ["Borrowing"]);
    let told = bench.run(&["tag", "talk/x", "title:plain"]).well();
    assert_eq!(told, "1 entry tagged talk/x\n");
    let tagged = bench.run(&["entries", "--json", "tag:talk/x"]).json();
    assert_eq!(tagged.as_array().map(Vec::len), Some(2));
    assert_eq!(tagged[0]["tags"], serde_json::json!(["talk/x"]));
    let told = bench.run(&["tag", "--remove", "talk/x", "all"]).well();
    assert_eq!(told, "2 entries without talk/x\n");
    assert_eq!(bench.run(&["undo"]).well(), "2 entries as before\n");
    let feeds = bench.run(&["feeds", "--json"]).json();
    assert_eq!(feeds[0]["unread"], 2);
    for _ in 0..2 {
        bench.run(&["--refresh-only", "--force"]).well();
    }
    let written = fs::read_to_string(&log).expect("the command ran");
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(lines.len(), 2, "{written}");
    let entry: serde_json::Value = serde_json::from_str(lines[0]).expect("JSON");
    assert_eq!(entry["title"], "Late $(touch x)");
    assert_eq!(entry["feed"], "A");
    assert_eq!(lines[1], "Late $(touch x)");
    let rules = bench.run(&["rules", "--json"]).json();
    let hits: Vec<_> = (0..3).map(|at| rules[at]["hits"].as_u64()).collect();
    assert_eq!(hits, [Some(1), Some(1), Some(1)]);
    assert_eq!(
        rules[1]["do"],
        serde_json::json!(["star", "read", "tag:talk/x"])
    );
    assert!(bench.run(&["rules"]).well().contains("title:sponsored"));
    let tried = bench.run(&["rules", "test", "body:later"]).well();
    assert!(tried.contains("Late $(touch x)"), "{tried}");
}

#[test]
fn new_entries_of_chosen_feeds_are_told_once_a_refresh_and_never_twice() {
    let bench = Bench::new();
    let log = bench.path("log");
    let script = "printf '%s|%s|' \"$2\" \"$3\" | tr '\\n' '+' >> \"$1\"; wc -l >> \"$1\"";
    let words = [
        "sh",
        "-c",
        script,
        "-",
        &log.display().to_string(),
        "{title}",
        "{body}",
    ];
    configure(
        &bench,
        "[[rule]]\nwhen = \"title:sponsored\"\ndo = \"read\"\n[[rule]]\nwhen = \"title:loud\"\ndo = \"notify\"\n",
    );
    let path = bench.path("config/config.toml");
    let rules = fs::read_to_string(&path).expect("written");
    let list = serde_json::to_string(&words).expect("a list");
    let begin = format!("notifier = {list}\nnotify_tags = [\"news\"]\n");
    fs::write(&path, format!("{begin}{rules}")).expect("written");
    let more = |title: &str| {
        let mut more = ENTRIES.to_vec();
        let title: &'static str = title.to_owned().leak();
        more.push((title, "it came later"));
        more.push(("Sponsored once more", "bought"));
        rss("A", &more)
    };
    for (feed, title) in [
        ("/own", "One"),
        ("/tag", "$(touch x)"),
        ("/quiet", "Not"),
        ("/no", "A loud one"),
    ] {
        let replies = vec![
            Reply::ok(rss("A", &ENTRIES)),
            Reply::ok(more(title)),
            Reply::ok(more(title)),
        ];
        bench.server.script(feed, replies);
    }
    bench.run(&["add", &bench.server.url("/own")]).well();
    bench
        .run(&["add", "--tag", "news/daily", &bench.server.url("/tag")])
        .well();
    bench
        .run(&["add", "--tag", "news", &bench.server.url("/quiet")])
        .well();
    bench.run(&["add", &bench.server.url("/no")]).well();
    let path = bench.path("config/feeds.toml");
    let list = fs::read_to_string(&path).expect("written");
    let list = list
        .replace("/own\"\n", "/own\"\nnotify = true\n")
        .replace("/quiet\"\n", "/quiet\"\nnotify = false\n");
    fs::write(&path, list).expect("written");
    assert!(!log.exists(), "what was there at the beginning is no news");
    bench.run(&["--refresh-only", "--force"]).well();
    let told = fs::read_to_string(&log).expect("told");
    let (first, rest) = told.split_once('|').expect("a title");
    assert_eq!(first, "3 new entries", "{told}");
    let (names, lines) = rest.split_once('|').expect("a body");
    let mut names: Vec<&str> = names.split('+').collect();
    names.sort_unstable();
    assert_eq!(names, ["$(touch x)", "A loud one", "One"]);
    assert_eq!(lines.trim(), "3");
    bench.run(&["--refresh-only", "--force"]).well();
    assert_eq!(fs::read_to_string(&log).expect("there"), told);
}

#[test]
fn a_broken_rule_is_named_with_its_line_and_column() {
    let bench = Bench::new();
    configure(
        &bench,
        "[[rule]]\nwhen = \"title:x fed:y\"\ndo = \"hide\"\n",
    );
    let ended = bench.run(&["rules"]);
    assert_eq!(ended.code, 2);
    for part in ["config.toml:5: column 17: ", "did you mean feed:?"] {
        assert!(ended.err.contains(part), "{}", ended.err);
    }
}

#[test]
fn a_session_of_searching() {
    let (home, server) = (Home::new(), Server::start());
    let reply = Reply::ok(rss("Alpha", &ENTRIES)).header("ETag", "\"1\"");
    let known = Reply::not_modified().header("ETag", "\"1\"");
    server.script("/a", vec![reply, known.clone()]);
    let other = Reply::ok(rss("Beta", &[("Other", "quite other")])).header("ETag", "\"2\"");
    server.script("/b", vec![other, known.header("ETag", "\"2\"")]);
    home.subscribe(&[server.url("/a"), server.url("/b")]);
    let mut terminal = Terminal::start(&home, &[], (120, 40));
    terminal.sees("Newspaper");
    terminal.sees("Other");
    // As it is typed: the list narrows, a slip is named, Tab completes.
    terminal.after("/checker", "“checker” in All");
    terminal.sees_no("Newspaper");
    terminal.sees("Borrowing");
    terminal.after(" (", "column 10: a term is missing here");
    terminal.keys("\x15");
    terminal.sees("Newspaper");
    terminal.after("feed:al\t", "/feed:Alpha");
    terminal.sees_no("Other");
    terminal.keys(ESC);
    terminal.sees("Other");
    // What is kept stands above the feeds, with its count.
    terminal.keys("/checker or 新聞\r");
    terminal.sees_no("Plain");
    terminal.after(":smart Mine\r", "Mine stands above the feeds now");
    terminal.wait("the list with its count", |screen| {
        let screen = screen.contents();
        screen
            .lines()
            .any(|row| row.starts_with("│ Mine") && row.contains(" 2 │"))
    });
    let config = fs::read_to_string(home.path("config/config.toml")).expect("written");
    assert!(
        config.contains("[[smart]]\nname = \"Mine\"\nquery = \"checker or 新聞\"\n"),
        "{config}"
    );
    // To a feed by a part of its name.
    terminal.after(CTRL_P, "Go to");
    terminal.keys("bt");
    terminal.sees_no("> bt  Alpha");
    terminal.keys("\r");
    terminal.sees_no("Go to");
    terminal.sees("Beta ──");
    terminal.sees_no("Newspaper");
    terminal.keys(CTRL_P);
    terminal.after("mine\r", "Mine ──");
    terminal.sees("Newspaper");
    // A count stays right when an entry is read.
    terminal.keys("m");
    terminal.wait("one less", |screen| {
        let screen = screen.contents();
        screen
            .lines()
            .any(|row| row.starts_with("│ Mine") && row.contains(" 1 │"))
    });
    // A rule is tried before it is written.
    terminal.after(":rule hide body:buy\r", "it would have found 1 entry. y/n");
    terminal.after("y", "the rule is in config.toml");
    let config = fs::read_to_string(home.path("config/config.toml")).expect("written");
    assert!(
        config.contains("[[rule]]\nwhen = \"body:buy\"\ndo = \"hide\"\n"),
        "{config}"
    );
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}
