//! Coming from newsboat, by the real binary: its files as newsboat writes them, and a server where its feeds are.

use std::fs;
use std::path::Path;

use crate::commands::{Bench, Ended};
use crate::support::{Reply, Server};

const BLOG: &str = r#"<rss version="2.0"><channel><title>A blog</title>
<item><guid>https://blog.example/6</guid><link>https://blog.example/6</link><title>Brand new</title><pubDate>Fri, 28 Nov 2025 00:00:00 GMT</pubDate></item>
<item><guid>https://blog.example/5</guid><link>https://blog.example/5</link><title>A long story</title><pubDate>Tue, 25 Nov 2025 16:00:00 GMT</pubDate><description>As the feed has it.</description></item>
<item><guid>https://blog.example/4</guid><link>https://blog.example/4</link><title>Thrown away</title><pubDate>Mon, 24 Nov 2025 16:00:00 GMT</pubDate></item>
<item><guid isPermaLink="false">tag:blog.example,2025:3</guid><link>https://blog.example/3</link><title>Flagged</title><pubDate>Mon, 24 Nov 2025 16:00:00 GMT</pubDate></item>
<item><link>https://blog.example/2</link><title>Not read yet</title><pubDate>Sun, 23 Nov 2025 16:00:00 GMT</pubDate></item>
</channel></rss>"#;

const CAST: &str = r#"<rss version="2.0"><channel><title>A podcast</title>
<item><link>https://cast.example/e1</link><title>Episode without a guid</title><pubDate>Mon, 24 Nov 2025 00:00:00 +0000</pubDate><enclosure url="https://cast.example/e1.mp3" type="audio/mpeg" length="1"/></item>
</channel></rss>"#;

/// A home with newsboat's files in it, and a server where its feeds are.
fn home(cache: &str) -> Bench {
    let bench = Bench::new();
    fill(&bench.path(".newsboat"), &bench.server, cache);
    bench
}

/// newsboat's files, made for the port of the server: it has as many digits as the one they were written with.
fn fill(dir: &Path, server: &Server, cache: &str) {
    for (path, body) in [("/blog.xml", BLOG), ("/cast.xml", CAST)] {
        let reply = Reply::ok(body).header("Content-Type", "application/rss+xml");
        server.script(path, vec![reply]);
    }
    let url = server.url("/");
    let port = url.trim_end_matches('/').rsplit(':').next().unwrap_or("");
    assert_eq!(port.len(), 5, "{url}");
    fs::create_dir_all(dir).expect("made");
    let from = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/newsboat");
    for (name, into) in [
        ("urls", "urls"),
        ("config", "config"),
        ("colours", "colours"),
        (cache, "cache.db"),
    ] {
        let mut bytes = fs::read(format!("{from}/{name}")).expect("read");
        swap(&mut bytes, b"65432", port.as_bytes());
        swap(&mut bytes, &utf16("65432"), &utf16(port));
        fs::write(dir.join(into), bytes).expect("written");
    }
}

/// Puts one text in place of another of the same length.
fn swap(bytes: &mut [u8], from: &[u8], to: &[u8]) {
    let places = bytes.windows(from.len()).enumerate();
    let places = places.filter(|(_, at)| *at == from).map(|(at, _)| at);
    for at in places.collect::<Vec<_>>() {
        bytes[at..at + from.len()].copy_from_slice(to);
    }
}

fn utf16(text: &str) -> Vec<u8> {
    text.bytes().flat_map(|byte| [byte, 0]).collect()
}

/// What was printed, without what is different in every run.
fn page(bench: &Bench, text: &str) -> String {
    let home = bench.path("").to_string_lossy().into_owned();
    let url = bench.server.url("");
    text.replace(home.trim_end_matches('/'), "HOME")
        .replace(url.trim_end_matches('/'), "http://SERVER")
}

/// Title, unread, starred and tags of every entry, the newest first.
fn entries(bench: &Bench, query: &str) -> Vec<String> {
    let json = bench.run(&["entries", "--json", query]).json();
    let rows = json.as_array().expect("a list").iter();
    let said = |entry: &serde_json::Value, name: &str| entry[name].as_bool() == Some(true);
    rows.map(|entry| {
        let tags = entry["tags"].as_array().expect("a list");
        let tags: Vec<&str> = tags.iter().filter_map(|tag| tag.as_str()).collect();
        format!(
            "{}{}{} {}",
            if said(entry, "unread") { "●" } else { " " },
            if said(entry, "starred") { "★" } else { " " },
            entry["title"].as_str().unwrap_or_default(),
            tags.join(" ")
        )
        .trim_end()
        .to_owned()
    })
    .collect()
}

fn import(bench: &Bench, more: &[&str]) -> Ended {
    let mut arguments = vec!["import", "--newsboat"];
    arguments.extend(more);
    bench.run(&arguments)
}

#[test]
fn one_page_says_what_comes_over_and_a_dry_run_writes_nothing() {
    let bench = home("cache.db");
    let dry = import(&bench, &["--dry-run"]);
    assert!(dry.err.contains("nothing was written"), "{}", dry.err);
    let dry = dry.well();
    insta::assert_snapshot!(page(&bench, &dry));
    assert!(!bench.path("data").exists());
    assert_eq!(bench.feeds_toml(), "");
    // The same page, and then it is done.
    let done = import(&bench, &[]).well();
    assert_eq!(
        dry.strip_prefix("Nothing is written. "),
        Some(done.as_str())
    );
    insta::assert_snapshot!(page(&bench, &bench.feeds_toml()));
    let config = fs::read_to_string(bench.path("config/config.toml")).expect("written");
    insta::assert_snapshot!(page(&bench, &config));
    assert_eq!(bench.run(&["config", "check"]).code, 0);
    assert_eq!(bench.server.requests().len(), 0);
}

#[test]
fn every_version_of_the_cache_gives_articles_with_their_marks() {
    for cache in ["cache.db", "old.db", "utf16.db"] {
        let bench = home(cache);
        import(&bench, &[]).well();
        assert_eq!(
            entries(&bench, ""),
            [
                "  A long story ü 日本",
                "  Filtered",
                "  From a command",
                "● Episode without a guid",
                " ★Flagged flag/a flag/b",
                "● Not read yet",
                "  Read long ago",
            ],
            "{cache}"
        );
        assert_eq!(entries(&bench, "tag:flag/b").len(), 1);
        assert_eq!(entries(&bench, "body:\"Paragraph 59\"").len(), 1);
        assert_eq!(entries(&bench, "has:enclosure").len(), 1);
        let feeds = bench.run(&["feeds", "--json"]).json();
        assert_eq!(feeds[1]["title"], "A podcast", "{cache}");
    }
}

#[test]
fn what_was_read_in_newsboat_does_not_come_back_as_new_or_edited() {
    let bench = home("cache.db");
    import(&bench, &[]).well();
    // Two of the four feeds run programs that are not there.
    bench.run(&["--refresh-only"]);
    assert_eq!(bench.requests("/blog.xml"), 1);
    assert_eq!(bench.requests("/cast.xml"), 1);
    assert_eq!(
        entries(&bench, "feed:blog or feed:podcast"),
        [
            "● Brand new",
            "  A long story",
            "● Episode without a guid",
            " ★Flagged flag/a flag/b",
            "● Not read yet",
            "  Read long ago",
        ]
    );
    assert!(entries(&bench, "edited").is_empty());
    // What the feed says counts from now on.
    assert_eq!(entries(&bench, "body:\"As the feed has it\"").len(), 1);
    assert!(entries(&bench, "body:\"Paragraph 59\"").is_empty());
}

#[test]
fn a_second_time_changes_nothing_and_newsboats_files_are_as_before() {
    let bench = home("cache.db");
    let files = ["urls", "config", "colours", "cache.db"];
    let read = |dir: &str| -> Vec<Vec<u8>> {
        let path = |name: &&str| fs::read(bench.path(&format!("{dir}/{name}"))).expect("read");
        files.iter().map(path).collect()
    };
    let before = read(".newsboat");
    import(&bench, &[]).well();
    let first = (entries(&bench, ""), bench.feeds_toml());
    let config = fs::read(bench.path("config/config.toml")).expect("read");
    let again = import(&bench, &[".newsboat"]).well();
    assert!(again.contains("0 feeds added"), "{again}");
    assert!(again.contains("7 of them here already"), "{again}");
    assert!(!again.contains("Settings, in config.toml"), "{again}");
    assert!(!again.contains("and that stays"), "{again}");
    assert_eq!((entries(&bench, ""), bench.feeds_toml()), first);
    let after = fs::read(bench.path("config/config.toml")).expect("read");
    assert_eq!(config, after);
    assert_eq!(read(".newsboat"), before);
    let names = fs::read_dir(bench.path(".newsboat")).expect("read");
    assert_eq!(names.count(), files.len());
}

#[test]
fn what_the_user_has_set_stays() {
    let bench = home("cache.db");
    let mine = "# mine\ntheme = \"light\"\nmeasure = 60 # narrow\n\n[keys]\ndown = [\"n\"]\n\n[[smart]]\nname = \"Kept\"\nquery = \"starred tag:x\"\n";
    fs::write(bench.path("config/config.toml"), mine).expect("written");
    let page = import(&bench, &[]).well();
    assert!(
        page.contains("config.toml sets measure, and that stays"),
        "{page}"
    );
    assert!(
        page.contains("config.toml sets a theme, and that stays"),
        "{page}"
    );
    assert!(
        page.contains("config.toml has a list of that name"),
        "{page}"
    );
    let config = fs::read_to_string(bench.path("config/config.toml")).expect("read");
    for line in mine.lines() {
        assert!(config.contains(line), "{line}: {config}");
    }
    assert!(config.contains("[keep]\nentries = 200"), "{config}");
    assert!(bench.path("config/themes/newsboat.toml").exists());
    assert_eq!(bench.run(&["config", "check"]).code, 0);
}

#[test]
fn a_cache_that_cannot_be_read_costs_only_the_articles() {
    let bench = home("cache.db");
    let cache = bench.path(".newsboat/cache.db");
    let whole = fs::read(&cache).expect("read");
    for (bytes, why) in [
        (
            b"not a database at all".to_vec(),
            "it is no SQLite database",
        ),
        (whole[..whole.len() / 2].to_vec(), "the file ends before it"),
    ] {
        fs::write(&cache, bytes).expect("written");
        let ended = import(&bench, &["--dry-run"]);
        assert_eq!(ended.code, 2);
        assert!(ended.out.contains(why), "{}", ended.out);
        assert!(ended.out.contains("4 feeds added"), "{}", ended.out);
    }
    fs::write(&cache, &whole).expect("written");
    let mut hot = vec![0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    hot.resize(1024, 0);
    fs::write(bench.path(".newsboat/cache.db-journal"), hot).expect("written");
    let ended = import(&bench, &[]);
    assert_eq!(ended.code, 2);
    assert!(
        ended.out.contains("start that program once"),
        "{}",
        ended.out
    );
    assert_eq!(bench.feeds_toml().matches("[[feed]]").count(), 4);
}

#[test]
fn where_newsboat_is_not_is_said() {
    let bench = Bench::new();
    let ended = import(&bench, &[]);
    assert_eq!(ended.code, 2);
    assert!(
        ended.err.contains("newsboat has no files in") && ended.err.contains("--newsboat DIR"),
        "{}",
        ended.err
    );
    let ended = import(&bench, &["nowhere"]);
    assert!(ended.err.contains("nowhere"), "{}", ended.err);
    let ended = bench.run(&["import", "--newsboat", "x", "--state", "y"]);
    assert_eq!(ended.code, 2);
    let ended = bench.run(&["import", "--dry-run", "urls"]);
    assert_eq!(ended.code, 2);
}

#[test]
fn what_newsboat_kept_from_sight_is_hidden_here() {
    let bench = home("cache.db");
    let config = bench.path(".newsboat/config");
    let text = fs::read_to_string(&config).expect("read");
    let more = "ignore-mode display\nignore-article * \"title =~ \\\"podcast|Episode\\\"\"\n";
    fs::write(&config, format!("{text}{more}")).expect("written");
    let page = import(&bench, &[]).well();
    assert!(page.contains("1 hidden by newsboat's rules"), "{page}");
    assert_eq!(entries(&bench, "").len(), 6);
    assert_eq!(entries(&bench, "is:hidden"), ["  Episode without a guid"]);
    bench.run(&["--refresh-only"]);
    assert!(entries(&bench, "episode").is_empty());
}

#[cfg(unix)]
#[test]
fn a_switcher_finds_articles_lists_and_keys_where_they_were() {
    use crate::support::process::Home;
    use crate::support::terminal::Terminal;
    let (home, server) = (Home::new(), Server::start());
    let dir = home.path(".newsboat");
    fill(&dir, &server, "cache.db");
    let (watch, watched) = (home.path("watch"), home.path("watched"));
    let script = format!("#!/bin/sh\necho \"$2\" > {}\n", watched.display());
    home.write("watch", &script);
    let config = fs::read_to_string(dir.join("config")).expect("read");
    let config = config.replace("mpv --fs", &format!("sh {} --fs", watch.display()));
    fs::write(dir.join("config"), config).expect("written");
    home.write(
        "config/config.toml",
        "[http]\nhost_gap = \"0s\"\nrespect_crawl_delay = false\n",
    );
    home.run(&["import", "--newsboat"]).well();
    let mut terminal = Terminal::start(&home, &[], (120, 40));
    // Lists, tags and feeds; what is due is asked at once, and only what is new is unread.
    for text in ["Unread tech", "Kept", "Long reads", "My blog", "A podcast"] {
        terminal.sees(text);
    }
    terminal.sees("Brand new");
    terminal.wait("two unread ones", |screen| {
        screen.contents().contains("All ── 2 unread")
    });
    // The keys of before: open, next unread, a macro, the player of another one.
    terminal.after("lg\r", "All ── 1 unread");
    terminal.keys("\x1b");
    terminal.sees("● Not read yet");
    terminal.keys("n");
    terminal.keys("x");
    terminal.sees_no("● Not read yet");
    terminal.after("/story\r\r", "As the feed has it.");
    terminal.keys(",v");
    let link = "https://blog.example/5\n";
    terminal.wait("the player", |_| {
        fs::read_to_string(&watched).is_ok_and(|told| told == link)
    });
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}
