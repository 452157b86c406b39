//! `[keep]` and `tidings prune`, by the real binary.

use std::fs;

use crate::commands::Bench;

fn keep(bench: &Bench, text: &str) {
    let path = bench.path("config/config.toml");
    let before = fs::read_to_string(&path).expect("written");
    fs::write(path, format!("{before}{text}")).expect("written");
}

fn count(bench: &Bench) -> usize {
    let entries = bench.run(&["entries", "--json"]).json();
    entries.as_array().expect("a list").len()
}

#[test]
fn feeds_are_held_to_their_limits_and_starred_entries_stay() {
    let bench = Bench::new();
    let feeds = [
        bench.feed("/all", "All", 5),
        bench.feed("/few", "Few", 5),
        bench.feed("/tagged", "Tagged", 5),
    ];
    bench.run(&["add", &feeds[0]]).well();
    bench.run(&["add", &feeds[2], "--tag", "news/daily"]).well();
    bench
        .run(&["mark", "starred", "feed:tagged \"entry 0\""])
        .well();
    assert_eq!(count(&bench), 10);
    let nothing = bench.run(&["prune"]).well();
    assert_eq!(
        nothing,
        "nothing is beyond the limits of [keep] in config.toml\n"
    );

    keep(&bench, "[keep.tags.news]\nentries = 1\n");
    let foreseen = bench.run(&["prune", "--dry-run"]).well();
    assert!(foreseen.contains(" of 1 feed would go, "), "{foreseen}");
    assert_eq!(count(&bench), 10, "a dry run takes nothing");
    let done = bench.run(&["prune", "--compact"]).well();
    assert!(done.contains(" of 1 feed went, "), "{done}");
    assert!(done.contains("\nthe store has "), "{done}");
    let left = count(&bench);
    assert!((6..=7).contains(&left), "{left}: one, and the starred one");

    // A feed with limits of its own is held to them by its first poll.
    let path = bench.path("config/feeds.toml");
    let list = bench.feeds_toml()
        + &format!(
            "\n[[feed]]\nurl = \"{}\"\nkeep = {{ entries = 2 }}\n",
            feeds[1]
        );
    fs::write(path, list).expect("written");
    bench.run(&["--refresh-only", &feeds[1]]).well();
    assert_eq!(count(&bench), left + 2);
    bench.run(&["--refresh-only", "--force"]);
    assert_eq!(count(&bench), left + 2, "nothing comes back");
}

#[test]
fn a_feed_that_left_leaves_nothing_behind_and_may_come_back() {
    let bench = Bench::new();
    let feed = bench.feed("/gone", "Gone", 5);
    bench.run(&["add", &feed]).well();
    bench.run(&["mark", "read", "\"entry 3\""]).well();
    bench.run(&["remove", &feed]).well();
    let done = bench.run(&["prune"]).well();
    assert!(done.starts_with("5 entries of 1 feed went, "), "{done}");
    bench.server.script(
        "/gone",
        vec![crate::support::Reply::ok(crate::commands::rss("Gone", 5))],
    );
    bench.run(&["add", &feed]).well();
    assert_eq!(count(&bench), 5);
    let unread = bench.run(&["entries", "--json", "unread"]).json();
    assert_eq!(
        unread.as_array().map(Vec::len),
        Some(4),
        "it was read before"
    );
}

#[test]
fn a_slip_in_keep_is_said_where_it_stands() {
    let bench = Bench::new();
    keep(&bench, "[keep]\nage = \"soon\"\n");
    let ended = bench.run(&["prune"]);
    assert_eq!(ended.code, 2);
    assert!(
        ended
            .err
            .contains("config.toml:5: [keep] age = \"soon\" is not a duration"),
        "{}",
        ended.err
    );
}
