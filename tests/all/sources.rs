//! Feeds that no server gives, through the binary: saved ones, commands, filters, standard input.
#![cfg(unix)]

use std::fs;
use std::process::Stdio;

use crate::support::process::{Ended, Home, Process};
use crate::support::{Reply, Server};

fn feed(ids: &[&str]) -> String {
    let items = ids
        .iter()
        .map(|id| format!("<item><guid>{id}</guid><title>{id}</title></item>"))
        .collect::<Vec<_>>()
        .concat();
    format!("<rss version='2.0'><channel><title>Shed</title>{items}</channel></rss>")
}

/// `--refresh-only --force --json`: outcome, new and error of the only feed.
fn refresh(home: &Home) -> (String, u64, String) {
    let lines = home.run(&["--refresh-only", "--force", "--json"]).lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    let text = |key: &str| lines[0][key].as_str().unwrap_or_default().to_owned();
    let new = lines[0]["new"].as_u64().expect("a number");
    (text("outcome"), new, text("error"))
}

fn titles(home: &Home) -> Vec<String> {
    let json = home.run(&["entries", "--json"]).json();
    let entries = json.as_array().expect("an array").iter();
    let mut titles: Vec<_> = entries
        .map(|entry| entry["title"].as_str().expect("a title").to_owned())
        .collect();
    titles.sort();
    titles
}

#[test]
fn a_saved_feed_is_added_by_its_path_and_read_when_it_has_changed() {
    let home = Home::new();
    home.write("shed.xml", &feed(&["a", "b"]));
    let out = home.run(&["add", "./shed.xml"]).well();
    assert!(
        out.contains("subscribed to Shed (file:/") && out.ends_with(": 2 entries\n"),
        "{out}"
    );
    assert_eq!(refresh(&home).0, "not_modified");
    home.write("shed.xml", &feed(&["c", "a", "b"]));
    assert_eq!(refresh(&home), ("new".to_owned(), 1, String::new()));
    assert_eq!(titles(&home), ["a", "b", "c"]);
    fs::remove_file(home.path("shed.xml")).expect("removed");
    let (outcome, _, error) = refresh(&home);
    assert_eq!(outcome, "error");
    assert!(
        error.contains("the file cannot be read: ") && error.contains("shed.xml"),
        "{error}"
    );
    // It goes by the same name that it came by.
    let path = home.path("shed.xml");
    let url = format!("file:{}", path.canonicalize().unwrap_or(path).display());
    assert!(
        home.run(&["explain", &url])
            .well()
            .contains("the file cannot be read")
    );
    assert!(home.run(&["remove", &url]).well().contains("unsubscribed"));
}

#[test]
fn what_is_no_saved_feed_is_not_added() {
    let home = Home::new();
    home.write("page.html", "<html><title>Hi</title><link rel=alternate type=application/rss+xml href='exec:touch pwned'>");
    for (what, why) in [
        ("./page.html", "a web page, not a feed: “Hi”"),
        ("./no.xml", "the file cannot be read"),
        ("exec:touch pwned", "a command is never added by `add`"),
    ] {
        let ended = home.run(&["add", what]);
        assert!(matches!(ended.code, Some(1 | 2)), "{what}: {ended:?}");
        assert!(ended.err.contains(why), "{what}: {}", ended.err);
    }
    assert_eq!(home.run(&["feeds", "--json"]).well(), "[]\n");
    assert!(!home.path("pwned").exists() && !home.path("config/pwned").exists());
}

#[test]
fn a_command_is_a_feed_under_the_same_schedule_and_hashes() {
    let home = Home::new();
    home.write("config/one.xml", &feed(&["a"]));
    home.write(
        "config/feeds.toml",
        "[[feed]]\nexec = [\"cat\", \"one.xml\"]\ntitle = \"Mine\"\n",
    );
    assert_eq!(refresh(&home), ("new".to_owned(), 1, String::new()));
    assert_eq!(refresh(&home).0, "unchanged");
    home.write("config/one.xml", &feed(&["b", "a"]));
    assert_eq!(refresh(&home), ("new".to_owned(), 1, String::new()));
    assert_eq!(titles(&home), ["a", "b"]);
    let due = home.run(&["--refresh-only", "--json"]).lines();
    assert!(due.is_empty(), "it has a schedule: {due:?}");
    let list = home.run(&["feeds", "--json"]).json();
    assert_eq!(list[0]["url"], "exec:cat one.xml");
    assert_eq!(list[0]["title"], "Mine");
    let opml = home.run(&["export"]);
    assert!(
        !opml.out.contains("exec:") && opml.err.contains("left out"),
        "{opml:?}"
    );
}

#[test]
fn a_command_line_has_words_and_a_shell_only_where_it_is_asked_for() {
    for (list, outcome) in [
        ("url = \"exec:cat 'a b.xml'\"", "new"),
        ("url = \"exec:cat 'a b.xml' | cat\"", "error"),
        ("url = \"exec:cat 'a b.xml' | cat\"\nshell = true", "new"),
        ("url = \"exec:~/config/gen arg\"", "new"),
    ] {
        let home = Home::new();
        home.write("config/a b.xml", &feed(&["a"]));
        home.write(
            "config/gen",
            "#!/bin/sh\n[ \"$1\" = arg ] && cat 'a b.xml'\n",
        );
        let may_run = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        fs::set_permissions(home.path("config/gen"), may_run).expect("set");
        home.write("config/feeds.toml", &format!("[[feed]]\n{list}\n"));
        assert_eq!(refresh(&home).0, outcome, "{list}");
    }
}

#[test]
fn a_command_that_fails_says_its_first_line_and_keeps_what_was_there() {
    let home = Home::new();
    home.write(
        "config/gen.sh",
        &format!("cat <<'X'\n{}\nX\n", feed(&["a"])),
    );
    home.write(
        "config/feeds.toml",
        "[[feed]]\nexec = [\"sh\", \"gen.sh\"]\n",
    );
    assert_eq!(refresh(&home).0, "new");
    home.write(
        "config/gen.sh",
        "printf '\\n\\033[2Jno luck\\nmore' >&2\nexit 7\n",
    );
    let (outcome, _, error) = refresh(&home);
    assert_eq!(outcome, "error");
    assert_eq!(
        error,
        "the command failed: sh: it ended with code 7: “[2Jno luck”"
    );
    home.write("config/gen.sh", "echo no feed at all\n");
    assert!(refresh(&home).2.contains("not a feed: “no feed at all”"));
    assert_eq!(titles(&home), ["a"]);
}

#[test]
fn a_command_that_hangs_or_floods_is_ended() {
    for (script, error) in [
        (
            "sleep 600",
            "the command failed: sh: it did not end within 2s and was killed",
        ),
        (
            "exec yes",
            "the body is too large: more than 1048576 bytes; `max_body` under [http] in config.toml allows more",
        ),
    ] {
        let home = Home::new();
        home.write(
            "config/config.toml",
            "[http]\nconnect_timeout = \"1s\"\ntotal_timeout = \"2s\"\nmax_body = \"1MiB\"\n",
        );
        home.write("config/gen.sh", script);
        home.write(
            "config/feeds.toml",
            "[[feed]]\nexec = [\"sh\", \"gen.sh\"]\n",
        );
        assert_eq!(
            refresh(&home),
            ("error".to_owned(), 0, error.to_owned()),
            "{script}"
        );
    }
}

#[test]
fn a_filter_gets_the_body_and_the_request_stays_conditional() {
    let home = Home::new();
    let server = Server::start();
    server.script(
        "/page",
        vec![
            Reply::ok("title-a")
                .header("ETag", "\"1\"")
                .header("Content-Type", "text/html; charset=utf-16"),
            Reply::not_modified(),
            Reply::ok("title-b").header("ETag", "\"2\""),
            Reply::new(500),
        ],
    );
    home.write("config/tidy.sh", "read -r line || true\necho \"<rss><channel><title>T</title><item><guid>$line</guid><title>$line</title></item></channel></rss>\"\n");
    let url = server.url("/page");
    home.write(
        "config/feeds.toml",
        &format!("[[feed]]\nurl = \"{url}\"\nfilter = [\"sh\", \"tidy.sh\"]\n"),
    );
    assert_eq!(refresh(&home).0, "new");
    assert_eq!(refresh(&home).0, "not_modified");
    assert_eq!(refresh(&home).0, "new");
    assert!(refresh(&home).2.contains("500"));
    let sent: Vec<_> = server
        .requests()
        .iter()
        .map(|seen| seen.text("if-none-match"))
        .collect();
    let tag = |text: &str| Some(text.to_owned());
    assert_eq!(sent, [None, tag("\"1\""), tag("\"1\""), tag("\"2\"")]);
    assert!(
        server
            .requests()
            .iter()
            .all(|seen| seen.text("a-im").is_none())
    );
    assert_eq!(titles(&home), ["title-a", "title-b"]);
    let opml = home.run(&["export"]);
    let told = "1 feed with a filter: written without it";
    assert!(
        opml.out.contains(&url) && opml.err.contains(told),
        "{opml:?}"
    );
}

#[test]
fn a_filter_that_fails_keeps_the_validators_of_before() {
    let home = Home::new();
    let server = Server::start();
    server.script(
        "/feed",
        vec![
            Reply::ok(feed(&["a"])).header("ETag", "\"1\""),
            Reply::ok(feed(&["b"])).header("ETag", "\"2\""),
            Reply::ok(feed(&["b"])).header("ETag", "\"2\""),
        ],
    );
    home.write("config/tidy.sh", "exec cat\n");
    let url = server.url("/feed");
    home.write(
        "config/feeds.toml",
        &format!("[[feed]]\nurl = \"filter:sh tidy.sh:{url}\"\n"),
    );
    assert_eq!(refresh(&home).0, "new");
    home.write("config/tidy.sh", "echo broken >&2; exit 1\n");
    assert_eq!(
        refresh(&home).2,
        "the command failed: sh: it ended with code 1: “broken”"
    );
    home.write("config/tidy.sh", "exec cat\n");
    assert_eq!(refresh(&home).0, "new");
    let last = server.requests().pop().expect("asked");
    assert_eq!(last.text("if-none-match").as_deref(), Some("\"1\""));
    assert!(home.run(&["remove", &url]).well().contains("unsubscribed"));
}

fn add_from(home: &Home, text: &str, arguments: &[&str]) -> Ended {
    home.write("input", text);
    let mut command = home.command(arguments);
    command.stdin(Stdio::from(
        fs::File::open(home.path("input")).expect("there"),
    ));
    Process::start(command).end()
}

#[test]
fn a_feed_on_standard_input_is_kept_under_its_title_and_replaced_by_the_next() {
    let home = Home::new();
    let add = ["add", "-", "--title", "../Builds!", "--tag", "work"];
    let out = add_from(&home, &feed(&["a"]), &add).well();
    assert!(
        out.contains("subscribed to ../Builds! (file:") && out.contains("/data/saved/builds-"),
        "{out}"
    );
    let again = add_from(&home, &feed(&["b"]), &add);
    assert_eq!(again.out, "../Builds!: 1 entry new\n", "{}", again.err);
    assert_eq!(titles(&home), ["a", "b"]);
    let json = home.run(&["feeds", "--json"]).json();
    assert_eq!(json.as_array().expect("an array").len(), 1);
    for (text, arguments, why) in [
        (feed(&["c"]), &["add", "-"][..], "--title"),
        (
            "no feed".to_owned(),
            &add[..],
            "standard input holds no feed: not a feed: no feed; nothing was changed",
        ),
    ] {
        let ended = add_from(&home, &text, arguments);
        assert_eq!(ended.code, Some(2));
        assert!(ended.err.contains(why), "{}", ended.err);
    }
    assert_eq!(titles(&home), ["a", "b"]);
}

#[test]
fn commands_come_from_newsboat_s_list_with_a_word_and_never_from_opml() {
    let home = Home::new();
    home.write(
        "urls",
        "\"exec:cat one.xml\" tag\n\"filter:cat:https://a.example/feed\"\nquery:x:y\n",
    );
    let ended = home.run(&["import", "urls"]);
    assert!(
        ended.out.contains("2 feeds imported, 1 line left out"),
        "{ended:?}"
    );
    assert!(
        ended
            .err
            .contains("line 1 runs a command of yours at every poll: exec:cat one.xml"),
        "{}",
        ended.err
    );
    let list = fs::read_to_string(home.path("config/feeds.toml")).expect("written");
    assert!(
        list.contains("url = \"exec:cat one.xml\"") && list.contains("filter = [\"cat\"]"),
        "{list}"
    );

    let home = Home::new();
    home.write("list.opml", "<opml version='2.0'><body><outline xmlUrl='exec:touch pwned'/><outline xmlUrl='filter:touch:https://a.example/'/><outline xmlUrl='file:///etc/hosts'/><outline xmlUrl='https://b.example/' filter='touch x' exec='touch x'/></body></opml>");
    let ended = home.run(&["import", "list.opml"]);
    assert!(
        ended.out.contains("1 feed imported, 3 lines left out"),
        "{ended:?}"
    );
    let list = fs::read_to_string(home.path("config/feeds.toml")).expect("written");
    assert!(!list.contains("touch") && !list.contains("hosts"), "{list}");
}

#[test]
fn a_redirect_or_a_page_never_leads_to_a_file_or_a_command() {
    let home = Home::new();
    let server = Server::start();
    home.write("shed.xml", &feed(&["a"]));
    let to = |scheme: &str| format!("{scheme}{}", home.path("shed.xml").display());
    server.serve("/redirect", Reply::redirect(301, to("file:")));
    server.serve("/page", Reply::ok(format!("<html><link rel=alternate type=application/rss+xml href='{}'><link rel=alternate type=application/rss+xml href='exec:touch pwned'>", to("file://"))));
    let ended = home.run(&["add", &server.url("/redirect")]);
    assert!(
        ended.err.contains("only http and https are followed"),
        "{}",
        ended.err
    );
    let ended = home.run(&["add", &server.url("/page")]);
    assert!(ended.err.contains("it names no feed"), "{}", ended.err);
    assert_eq!(titles(&home), [""; 0]);
}
