//! Every command by the real binary, against a server that does what it is told.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Reply, Server};

const DATE: &str = "Sun, 29 Nov 2026 10:00:00 GMT";

/// A home, and a server beside it.
pub struct Bench {
    home: TempDir,
    pub server: Server,
}

/// What a command ended with.
pub struct Ended {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ended {
    fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("text");
        Self {
            code: output.status.code().expect("it was not killed"),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    /// It went well; what it printed.
    pub fn well(self) -> String {
        assert_eq!(self.code, 0, "{}{}", self.out, self.err);
        self.out
    }

    /// It went well; the JSON it printed.
    pub fn json(self) -> Value {
        let text = self.well();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}

impl Bench {
    pub fn new() -> Self {
        let bench = Self {
            home: tempfile::tempdir().expect("a temporary directory"),
            server: Server::start(),
        };
        fs::create_dir_all(bench.path("config")).expect("made");
        fs::write(
            bench.path("config/config.toml"),
            "[http]\nhost_gap = \"0s\"\nrespect_crawl_delay = false\n",
        )
        .expect("written");
        bench
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.home.path().join(below)
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidings"));
        command
            .args(arguments)
            .current_dir(self.home.path())
            .env_clear()
            .env("HOME", self.home.path())
            .env("LC_ALL", "C")
            .env("TZ", "UTC")
            .env("TIDINGS_CONFIG_DIR", self.path("config"))
            .env("TIDINGS_DATA_DIR", self.path("data"))
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ended {
        Ended::of(self.command(arguments).output().expect("the binary runs"))
    }

    pub fn feed_with_input(&self, arguments: &[&str], input: &str) -> Ended {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut pipe = child.stdin.take().expect("piped");
        pipe.write_all(input.as_bytes()).expect("it reads");
        drop(pipe);
        Ended::of(child.wait_with_output().expect("it ends"))
    }

    /// Serves a feed of so many entries and gives its URL.
    pub fn feed(&self, path: &str, title: &str, entries: usize) -> String {
        let reply = Reply::ok(rss(title, entries))
            .header("Content-Type", "application/rss+xml")
            .header("ETag", format!("\"{path}\""));
        self.server.script(path, vec![reply]);
        self.server.url(path)
    }

    pub fn feeds_toml(&self) -> String {
        fs::read_to_string(self.path("config/feeds.toml")).unwrap_or_default()
    }

    pub fn requests(&self, path: &str) -> usize {
        self.server.requests_for(path).len()
    }
}

/// A feed; the title of every entry carries bytes that steer a terminal.
pub fn rss(title: &str, entries: usize) -> String {
    let items = (0..entries)
        .map(|n| {
            format!(
                "<item><guid>g{n}</guid><title>Entry {n} &#155;[31m\u{202e} \u{65e5}\u{672c}</title>\
                <link>https://x.example/{n}</link><pubDate>{DATE}</pubDate><author>Ann</author>\
                <enclosure url=\"https://x.example/{n}.mp3\" type=\"audio/mpeg\" length=\"12\"/></item>"
            )
        })
        .collect::<Vec<_>>()
        .concat();
    format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>{title}</title>{items}</channel></rss>"
    )
}

pub fn is_clean(text: &str) -> bool {
    !text
        .chars()
        .any(|c| c != '\n' && tidings::article::sanitize::is_forbidden(c))
}

#[test]
fn a_feed_is_added_with_one_request_and_found_again() {
    let bench = Bench::new();
    let url = bench.feed("/feed", "The Feed", 3);
    let told = bench
        .run(&[
            "add",
            &format!("{url}#top"),
            "--tag",
            "a / b",
            "--title",
            "Mine",
        ])
        .well();
    assert_eq!(told, format!("subscribed to Mine ({url}): 3 entries\n"));
    assert_eq!(
        bench.feeds_toml(),
        format!("[[feed]]\nurl = \"{url}\"\ntitle = \"Mine\"\ntags = [\"a/b\"]\n")
    );
    let told = bench.run(&["add", &url]).well();
    assert_eq!(told, format!("{url} is subscribed already\n"));
    bench.run(&["--refresh-only"]).well();
    assert_eq!(bench.requests("/feed"), 1);
    let feeds = bench.run(&["feeds", "--json"]).json();
    assert_eq!(feeds[0]["title"], "Mine");
    assert_eq!(feeds[0]["unread"], 3);
    let table = bench.run(&["feeds"]).well();
    assert!(table.starts_with("UNREAD  TOTAL  TITLE"), "{table}");
}

#[test]
fn entries_are_printed_clean_and_whole() {
    let bench = Bench::new();
    let url = bench
        .feed("/feed", "The &#27;[2J Feed", 3)
        .replace("://", "://me:secret@");
    bench.run(&["add", &url]).well();
    let shown = url.replace("me:secret@", "***@");
    let ended = bench.run(&["entries", "--json"]);
    assert!(is_clean(&ended.out), "{}", ended.out);
    let entries = ended.json();
    assert_eq!(entries.as_array().map(Vec::len), Some(3));
    let mut entry = entries[0].clone();
    let taken = entry.as_object_mut().expect("an object");
    for key in ["key", "first_seen", "id", "link", "title", "enclosures"] {
        assert!(taken.remove(key).is_some(), "{key}");
    }
    assert_eq!(
        entry,
        serde_json::json!({
            "feed_url": shown, "published": "2026-11-29T10:00:00Z", "updated": null,
            "unread": true, "starred": false, "author": "Ann", "tags": [],
        })
    );
    assert_eq!(entries[0]["enclosures"][0]["type"], "audio/mpeg");
    for arguments in [&["entries"][..], &["feeds"], &["stats"], &["explain", &url]] {
        let ended = bench.run(arguments);
        assert!(is_clean(&ended.out), "{arguments:?}: {}", ended.out);
        assert!(
            !ended.out.contains("secret"),
            "{arguments:?}: {}",
            ended.out
        );
        assert!(
            !ended.err.contains("secret"),
            "{arguments:?}: {}",
            ended.err
        );
        ended.well();
    }
}

#[test]
fn all_entries_come_once_over_many_windows() {
    let bench = Bench::new();
    let url = bench.feed("/big", "Big", 4_500);
    bench.run(&["add", &url]).well();
    let entries = bench.run(&["entries", "--json"]).json();
    let list = entries.as_array().expect("an array");
    let keys: std::collections::HashSet<_> =
        list.iter().map(|entry| entry["key"].as_str()).collect();
    assert_eq!((list.len(), keys.len()), (4_500, 4_500));
    for (limit, lines) in [
        ("0", 0),
        ("1", 1),
        ("2000", 2_000),
        ("2001", 2_001),
        ("9999", 4_500),
    ] {
        let text = bench.run(&["entries", "--limit", limit]).well();
        assert_eq!(text.lines().count(), lines, "--limit {limit}");
    }
}

#[test]
fn marks_are_set_counted_and_taken_back() {
    let bench = Bench::new();
    bench.run(&["add", &bench.feed("/a", "A", 2)]).well();
    bench.run(&["add", &bench.feed("/b", "B", 3)]).well();
    for (arguments, told) in [
        (&["mark", "read", "all"][..], "5 entries marked read\n"),
        (&["mark", "read", "all"], "0 entries marked read\n"),
        (&["mark", "starred", "\"Entry 1\""], "2 entries starred\n"),
        (
            &["mark", "unstarred", "starred", "entry"],
            "2 entries unstarred\n",
        ),
        (&["undo"], "2 entries as before\n"),
        (&["redo"], "2 entries marked again\n"),
        (&["undo"], "2 entries as before\n"),
        (&["mark", "unread", "starred"], "2 entries marked unread\n"),
    ] {
        assert_eq!(bench.run(arguments).well(), told, "{arguments:?}");
    }
    let fresh = Bench::new();
    assert_eq!(fresh.run(&["undo"]).well(), "nothing to undo\n");
    assert_eq!(fresh.run(&["redo"]).well(), "nothing to do again\n");
    for arguments in [&["mark", "read", "age:x"][..], &["entries", "age:x"]] {
        let ended = bench.run(arguments);
        assert_eq!((ended.code, ended.out.as_str()), (2, ""), "{}", ended.err);
        assert!(
            ended.err.contains("the query age:x cannot be read"),
            "{}",
            ended.err
        );
    }
    let unread = bench
        .run(&["entries", "--json", "unread", "starred"])
        .json();
    assert_eq!(unread.as_array().map(Vec::len), Some(2));
}

#[test]
fn marks_travel_to_a_rebuilt_store() {
    let bench = Bench::new();
    let url = bench.feed("/a", "A", 3).replace("://", "://me:secret@");
    bench.run(&["add", &url]).well();
    bench.run(&["mark", "read", "all"]).well();
    bench.run(&["mark", "starred", "Entry 2"]).well();
    let told = bench.run(&["export", "--state", "marks.json"]).well();
    assert_eq!(told, "marks of 3 entries written to marks.json\n");
    let text = fs::read_to_string(bench.path("marks.json")).expect("written");
    assert!(!text.contains("secret"), "{text}");
    fs::remove_dir_all(bench.path("data")).expect("removed");
    bench.run(&["--refresh-only"]).well();
    assert_eq!(
        bench.run(&["import", "--state", "marks.json"]).well(),
        "3 entries marked\n"
    );
    let starred = bench.run(&["entries", "--json", "starred"]).json();
    assert_eq!(starred[0]["id"], "g2");
    assert_eq!(starred[0]["unread"], false);
    let again = bench.feed_with_input(&["import", "--state", "-"], &text);
    assert_eq!(again.well(), "0 entries marked\n");
}

#[test]
fn what_add_cannot_have_sets_its_exit_code() {
    let bench = Bench::new();
    let html = |links: &str| {
        Reply::ok(format!(
            "<!DOCTYPE html><html><head><title>P</title>{links}</head><body>x</body></html>"
        ))
        .header("Content-Type", "text/html")
    };
    bench.feed("/one.xml", "One", 1);
    bench.feed("/two.xml", "Two", 1);
    let one =
        "<link rel=\"alternate\" type=\"application/rss+xml\" title=\"One\" href=\"/one.xml\">";
    let two =
        "<link rel=\"alternate\" type=\"application/atom+xml\" title=\"Two\" href=\"/two.xml\">";
    bench.server.script("/bare", vec![html("")]);
    bench
        .server
        .script("/both", vec![html(&format!("{one}{two}"))]);
    bench.server.script("/page", vec![html(one)]);
    bench.server.script("/404", vec![Reply::new(404)]);
    bench.server.script("/410", vec![Reply::new(410)]);
    bench.server.script("/500", vec![Reply::new(500)]);
    let url = |path: &str| bench.server.url(path);
    for (arguments, code, subscribed) in [
        (vec![url("/bare")], 1, 0),
        (vec![url("/404")], 1, 0),
        (vec![url("/410")], 1, 0),
        (vec![url("/both")], 2, 0),
        (vec![url("/page")], 0, 1),
        (vec![url("/both"), "--all".to_owned()], 0, 2),
        (vec![url("/500")], 1, 3),
        (vec!["127.0.0.1:1/closed".to_owned()], 1, 4),
    ] {
        let mut words = vec!["add"];
        words.extend(arguments.iter().map(String::as_str));
        let ended = bench.run(&words);
        assert_eq!(ended.code, code, "{words:?}: {}{}", ended.out, ended.err);
        let feeds = bench.feeds_toml().matches("[[feed]]").count();
        assert_eq!(feeds, subscribed, "{words:?}");
        assert_eq!(ended.err.is_empty(), code == 0, "{words:?}: {}", ended.err);
    }
}

#[test]
fn a_held_host_is_left_alone_until_a_person_lifts_the_hold() {
    let bench = Bench::new();
    let busy = Reply::new(429).header("Retry-After", "7200");
    let well = Reply::ok(rss("Back", 1));
    bench.server.script("/busy", vec![busy, well]);
    bench.feed("/other", "Other", 1);
    let url = bench.server.url("/busy");
    let told = bench.run(&["add", &url]).well();
    assert!(told.contains("its host asked to wait"), "{told}");
    let told = bench.run(&["add", &bench.server.url("/other")]).well();
    assert!(told.contains("its host asked to wait"), "{told}");
    assert_eq!(bench.requests("/other"), 0);
    let explained = bench.run(&["explain", &url]).well();
    assert!(explained.contains("held until"), "{explained}");
    let host = url
        .trim_start_matches("http://")
        .trim_end_matches("/busy")
        .to_owned();
    let told = bench.run(&["lift", &host]).well();
    assert_eq!(told, format!("the hold of {host} is lifted\n"));
    assert_eq!(
        bench.run(&["lift", &url]).well(),
        format!("{host} is not held\n")
    );
    bench.run(&["--refresh-only"]).well();
    assert_eq!((bench.requests("/busy"), bench.requests("/other")), (2, 1));
}

#[test]
fn a_feed_that_was_given_up_is_polled_again_when_a_person_says_so() {
    let bench = Bench::new();
    let feed = Reply::ok(rss("A", 1));
    bench
        .server
        .script("/a", vec![feed.clone(), Reply::new(410), feed]);
    let url = bench.server.url("/a");
    bench.run(&["add", &url]).well();
    assert_eq!(bench.run(&["enable", &url]).well(), "A is polled already\n");
    bench.run(&["--refresh-only", "--force"]).well();
    bench.run(&["--refresh-only", "--force"]).well();
    assert_eq!(bench.requests("/a"), 2, "gone is not asked");
    let explained = bench.run(&["explain", &url]).well();
    assert!(explained.contains("never; gone"), "{explained}");
    let feeds = bench.run(&["feeds", "--json"]).json();
    assert_eq!(
        (&feeds[0]["off"], &feeds[0]["next_poll"]),
        (&"gone".into(), &Value::Null)
    );
    assert_eq!(
        bench.run(&["enable", &url]).well(),
        "A is polled again and due now\n"
    );
    bench.run(&["--refresh-only"]).well();
    assert_eq!(bench.requests("/a"), 3);
}

#[test]
fn the_ledger_counts_what_was_asked_and_saved() {
    let bench = Bench::new();
    let feed = Reply::ok(rss("A", 1))
        .header("ETag", "\"1\"")
        .header("Last-Modified", DATE);
    bench.server.script("/a", vec![feed, Reply::not_modified()]);
    let url = bench.server.url("/a");
    bench.run(&["add", &url]).well();
    bench.run(&["--refresh-only", "--force"]).well();
    let stats = bench.run(&["stats", "--json"]).json();
    let row = &stats[0];
    for (key, value) in [
        ("url", url.as_str().into()),
        ("ok200", 1.into()),
        ("not_modified304", 1.into()),
        ("identical200", 0.into()),
        ("errors", 0.into()),
        ("deferred", 0.into()),
        ("conditional", 1.into()),
        ("last_status", 304.into()),
        ("etag", "\"1\"".into()),
        ("last_modified", DATE.into()),
        ("validators", "both".into()),
        ("hold_until", Value::Null),
    ] {
        assert_eq!(row[key], value, "{key}");
    }
    assert_eq!(row["bytes"], row["bytes_saved"]);
    let hosts = bench.run(&["stats", "--json", "--by-host"]).json();
    assert_eq!(
        (&hosts[0]["feeds"], &hosts[0]["not_modified304"]),
        (&1.into(), &1.into())
    );
    assert_eq!(bench.run(&["stats", "http://nowhere.example"]).code, 2);
}

#[test]
fn lists_come_from_other_readers_and_go_to_them() {
    let bench = Bench::new();
    let opml = "<opml version=\"1.0\"><body><outline text=\"news\"><outline text=\"A\" xmlUrl=\"https://a.example/f\"/>\
        <outline text=\"again\" xmlUrl=\"https://A.example/f#x\"/></outline>\
        <outline text=\"B\" xmlUrl=\"https://me:secret@b.example/f\"/></body></opml>";
    fs::write(bench.path("subs.opml"), opml).expect("written");
    let ended = bench.run(&["import", "subs.opml"]);
    assert_eq!(
        ended.well(),
        "2 feeds imported, 1 subscribed already or twice in the file\n"
    );
    let urls = "https://c.example/f \"x\" \"~See\"\nquery:unread:unread = \\\"yes\\\"\nexec:\n# a comment\n";
    let ended = bench.feed_with_input(&["import", "-"], urls);
    assert!(
        ended.err.contains("line 2 is left out") && ended.err.contains("line 3 is left out"),
        "{}",
        ended.err
    );
    assert_eq!(ended.well(), "1 feed imported, 2 lines left out\n");
    let before = bench.feeds_toml();
    let ended = bench.run(&["export", "out.opml"]);
    assert!(ended.err.contains("login"), "{}", ended.err);
    ended.well();
    let text = fs::read_to_string(bench.path("out.opml")).expect("written");
    assert!(!text.contains("secret"), "{text}");
    // The same list again, here and elsewhere.
    assert_eq!(
        bench.run(&["import", "out.opml"]).well(),
        "0 feeds imported, 3 subscribed already or twice in the file\n"
    );
    assert_eq!(bench.feeds_toml(), before);
    let other = Bench::new();
    fs::write(other.path("out.opml"), &text).expect("written");
    assert_eq!(
        other.run(&["import", "out.opml"]).well(),
        "3 feeds imported\n"
    );
    assert_eq!(other.feeds_toml(), before.replace("me:secret@", ""));
    assert!(bench.server.requests().is_empty());
}

#[test]
fn removing_keeps_comments_and_says_what_was_not_there() {
    let bench = Bench::new();
    let list = "# mine\n\n[[feed]]\nurl = \"https://a.example/\" # a\n\n# the others\n[[feed]]\nurl = \"https://b.example/\"\n";
    fs::write(bench.path("config/feeds.toml"), list).expect("written");
    let ended = bench.run(&["remove", "A.example#x", "https://c.example/"]);
    assert_eq!(ended.code, 2);
    assert_eq!(ended.out, "unsubscribed from https://a.example/\n");
    assert_eq!(
        ended.err,
        "tidings: https://c.example/ is not subscribed; `tidings feeds` lists what is\n"
    );
    assert_eq!(
        bench.feeds_toml(),
        "# mine\n\n# the others\n[[feed]]\nurl = \"https://b.example/\"\n"
    );
}

#[cfg(unix)]
#[test]
fn a_warning_about_the_list_is_told_once() {
    let bench = Bench::new();
    let a = bench.feed("/a", "A", 1);
    let b = bench.feed("/b", "B", 1);
    bench.run(&["add", &a]).well();
    let list = format!("{}\n[[feed]]\nurl = \"{a}\"\n", bench.feeds_toml());
    std::fs::write(bench.path("config/feeds.toml"), list).expect("written");
    let ended = bench.run(&["add", &b]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert_eq!(ended.err.matches("is ignored").count(), 1, "{}", ended.err);
}

#[test]
fn a_list_goes_to_no_place_that_is_not_there() {
    let bench = Bench::new();
    let ended = bench.run(&["export", "/no/such/folder/list.opml"]);
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(
        ended
            .err
            .contains("/no/such/folder/list.opml cannot be written")
    );
}

#[test]
fn a_managed_list_is_not_touched_and_the_lines_are_given() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    let url = bench.feed("/a", "A", 1);
    let path = bench.path("config/feeds.toml");
    fs::write(&path, "# managed\n").expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("set");
    let ended = bench.run(&["add", &url]);
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(
        ended.err.ends_with(&format!(
            "add these lines where it is managed:\n\n[[feed]]\nurl = \"{url}\"\n"
        )),
        "{}",
        ended.err
    );
    assert_eq!(bench.feeds_toml(), "# managed\n");
}

#[test]
fn a_broken_list_is_an_error_of_the_configuration_everywhere() {
    let bench = Bench::new();
    fs::write(
        bench.path("config/feeds.toml"),
        "[[feed]]\nurl = \"https://a.example\"\ntilte = \"A\"\n",
    )
    .expect("written");
    for arguments in [
        &["feeds"][..],
        &["entries", "--json"],
        &["add", "https://b.example"],
        &["remove", "https://a.example"],
        &["mark", "read", "all"],
        &["--refresh-only"],
        &["stats"],
    ] {
        let ended = bench.run(arguments);
        assert_eq!(ended.code, 2, "{arguments:?}: {}", ended.err);
        assert!(
            ended.err.ends_with(
                "feeds.toml:3: unknown key \"tilte\" in [[feed]]; the nearest valid key is title\n"
            ),
            "{arguments:?}: {}",
            ended.err
        );
        assert_eq!(ended.out, "", "{arguments:?}");
    }
}

#[test]
fn a_second_line_that_nobody_reads_ends_a_listing_quietly() {
    let bench = Bench::new();
    bench
        .run(&["add", &bench.feed("/big", "Big", 3_000)])
        .well();
    let mut child = bench
        .command(&["entries", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    drop(child.stdout.take());
    let ended = Ended::of(child.wait_with_output().expect("it ends"));
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
}
