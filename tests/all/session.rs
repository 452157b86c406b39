//! The reader in a terminal, and the world around it: a day's reading, a shell that stops it, a list edited beside it,
//! other processes at the same store.
#![cfg(unix)]

use std::fs;
use std::time::{Duration, Instant};

use crate::support::process::Home;
use crate::support::terminal::Terminal;
use crate::support::{Reply, Server};

const SIZE: (u16, u16) = (120, 40);
/// What should take a second or two is not asked for to the second: the machine may be busy.
const SOON: Duration = Duration::from_secs(10);
const CTRL_Z: &str = "\x1a";
const ESC: &str = "\x1b";

/// A home with feeds of two entries each, and their server.
fn house(paths: &[&str]) -> (Home, Server) {
    let (home, server) = (Home::new(), Server::start());
    for path in paths {
        serve(&server, path);
    }
    let urls: Vec<_> = paths.iter().map(|path| server.url(path)).collect();
    home.subscribe(&urls);
    (home, server)
}

/// Serves a feed, and 304 from the second time on.
fn serve(server: &Server, path: &str) {
    let etag = format!("\"{path}\"");
    let body = format!(
        "<rss version=\"2.0\"><channel><title>Feed {path}</title>\
        <item><guid>1</guid><title>First of {path}</title></item>\
        <item><guid>2</guid><title>Second of {path}</title></item></channel></rss>"
    );
    let fresh = Reply::ok(body).header("ETag", &etag);
    let known = Reply::not_modified().header("ETag", &etag);
    server.script(path, vec![fresh, known]);
}

/// Waits until a row of the feeds pane has that figure.
fn counts(terminal: &Terminal, name: &str, count: Option<u64>) {
    let name = format!("{name} ");
    terminal.wait(&format!("{name}{count:?}"), |screen| {
        let screen = screen.contents();
        let mut cells = screen.lines().filter_map(|row| row.split('│').nth(1));
        let cell = cells.find(|cell| cell.trim_start().starts_with(&name));
        cell.is_some_and(|cell| {
            let figure = cell.split_whitespace().last();
            figure.and_then(|figure| figure.parse().ok()) == count
        })
    });
}

#[test]
fn a_day_with_the_demo() {
    let home = Home::new();
    let mut terminal = Terminal::start(&home, &["demo"], SIZE);
    // Feeds appear as they are polled; the slow one and the gone one are the last.
    terminal.sees("Slow Reading           6");
    terminal.sees("Postcards in Many Scr… 8");
    terminal.sees("The Gone Gazette       ×");
    terminal.sees("Over Capacity          ‖");
    // Move, open, read, star, undo, next unread; in a feed that does not grow meanwhile.
    let feed = "The Conditional GET";
    terminal.keys("hg");
    terminal.after("jjjj", "The Conditional GET ── 8 unread");
    // The title is there before the list.
    terminal.sees_no("The room behind the shell");
    terminal.sees("A reading list");
    terminal.after("lj\r", "The Conditional GET · ");
    counts(&terminal, feed, Some(7));
    counts(&terminal, "Starred", None);
    terminal.keys("*");
    counts(&terminal, "Starred", Some(1));
    terminal.after("u", "took back the marks of 1 entry");
    counts(&terminal, "Starred", None);
    terminal.keys("n");
    counts(&terminal, feed, Some(6));

    // By hand: this feed, then all of them, and reading goes on meanwhile.
    terminal.after("r", "asked 1 feed");
    terminal.keys("m");
    counts(&terminal, feed, Some(7));
    terminal.after("R", "refreshing");
    terminal.keys("n");
    counts(&terminal, feed, Some(6));
    terminal.sees("must wait");
    terminal.sees("1 gone");
    terminal.after("s", "hosts  log");
    let row = terminal.row("Terminal Letters");
    let figures: Vec<_> = row.split_whitespace().skip(3).take(2).collect();
    assert_eq!(figures, ["1", "1"], "304s and 200s in {row}");
    assert!(
        row.contains("304 now") || row.contains("304 1 min"),
        "{row}"
    );
    for heading in ["next", "rule", "saved"] {
        assert!(terminal.row("feed ").contains(heading));
    }

    // Help, a command that is none, a dialog that is closed.
    terminal.after("?", "half a page down");
    terminal.keys(ESC);
    terminal.sees_no("half a page down");
    terminal.keys(ESC);
    terminal.sees_no("hosts  log");
    terminal.after(":nonsense\r", "nonsense");
    terminal.after("a", "Add a feed");
    terminal.after("http://x.example/", "│ http://x.example/");
    terminal.keys(ESC);
    terminal.sees_no("Add a feed");

    // Every size, and back to the place.
    let before = terminal.row("The Conditional GET ──");
    for (columns, rows) in [(50, 15), (80, 24), (1, 1), (120, 40)] {
        terminal.resize(columns, rows);
        if columns > 1 {
            terminal.wait("a frame of that size", |screen| {
                let text = screen.contents();
                let frame = text.lines().next().is_some_and(|line| {
                    line.starts_with('┌') && line.chars().count() == usize::from(columns)
                });
                frame && text.lines().count() == usize::from(rows)
            });
        }
    }
    assert_eq!(terminal.row("The Conditional GET ──"), before);
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
    terminal.is_given_back();
}

/// The binary below a shell that tells the terminal's settings before and afterwards.
fn below_a_shell(home: &Home) -> Terminal {
    let script = "stty -g > before; sh -c 'echo $$ > pid; exec \"$0\"' \"$0\"; code=$?; stty -g > after; echo \"code $code\"";
    Terminal::start_with(
        home,
        &["sh", "-c", script, env!("CARGO_BIN_EXE_tidings")],
        SIZE,
        &[],
    )
}

fn read(home: &Home, name: &str) -> String {
    fs::read_to_string(home.path(name))
        .expect("written")
        .trim()
        .to_owned()
}

fn signal(name: &str, pid: &str) {
    let sent = std::process::Command::new("kill")
        .args([name, pid])
        .status();
    assert!(sent.expect("kill").success());
}

#[test]
fn however_it_ends_the_terminal_is_as_before() {
    for how in ["q", "-TERM", "-HUP", "-INT"] {
        let home = Home::new();
        let mut terminal = below_a_shell(&home);
        terminal.sees("have no feeds yet");
        if how == "q" {
            terminal.keys("q");
        } else {
            signal(how, &read(&home, "pid"));
        }
        terminal.sees("code 0");
        terminal.is_given_back();
        assert_eq!(terminal.end(), 0);
        assert_eq!(read(&home, "before"), read(&home, "after"), "{how}");
    }
}

#[test]
fn a_window_that_is_closed_ends_the_reader() {
    let (home, _server) = house(&["/a"]);
    let mut terminal = Terminal::start(&home, &[], SIZE);
    terminal.sees("First of /a");
    terminal.close();
    terminal.end();
    assert_eq!(
        home.run(&["entries", "--json"])
            .json()
            .as_array()
            .map(Vec::len),
        Some(2)
    );
}

#[test]
fn ctrl_z_gives_the_shell_its_terminal_and_others_the_lock() {
    let (home, server) = house(&["/a"]);
    let script = "set -m; \"$0\"; echo \"stopped with $?\"; read line; fg >/dev/null; echo \"ended with $?\"";
    let words = ["sh", "-c", script, env!("CARGO_BIN_EXE_tidings")];
    let mut terminal = Terminal::start_with(&home, &words, SIZE, &[]);
    terminal.sees("First of /a");
    counts(&terminal, "All", Some(2));
    terminal.after(CTRL_Z, "stopped with 1");
    terminal.is_given_back();
    // Nothing is held meanwhile.
    assert_eq!(
        home.run(&["mark", "read", "all"]).well(),
        "2 entries marked read\n"
    );
    let end = home.run(&["--refresh-only", "--force"]);
    assert_eq!((end.code, end.err.as_str()), (Some(0), ""), "{}", end.out);
    terminal.keys("\n");
    terminal.wait("the reader again", |screen| {
        screen.alternate_screen() && screen.contents().contains("First of /a")
    });
    counts(&terminal, "All", None);
    terminal.after("?", "half a page down");
    terminal.keys(ESC);
    terminal.sees_no("half a page down");
    terminal.keys("q");
    terminal.sees("ended with 0");
    terminal.is_given_back();
    assert_eq!(server.requests_for("/a").len(), 2);
}

#[test]
fn a_reader_that_was_stopped_by_somebody_draws_its_screen_again() {
    let (home, _server) = house(&["/a"]);
    let mut terminal = Terminal::start(&home, &[], SIZE);
    terminal.sees("First of /a");
    let pid = terminal.pid().to_string();
    signal("-STOP", &pid);
    terminal.spoil();
    terminal.sees("spoiled");
    signal("-CONT", &pid);
    terminal.wait("the reader again", |screen| {
        let text = screen.contents();
        text.contains("First of /a") && !text.contains("spoiled") && screen.alternate_screen()
    });
    terminal.after("?", "half a page down");
    terminal.keys(ESC);
    terminal.sees_no("half a page down");
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
    terminal.is_given_back();
}

#[test]
fn a_list_edited_beside_the_reader_is_taken_over_and_a_broken_one_is_not() {
    let (home, server) = house(&["/a"]);
    let mut terminal = Terminal::start(&home, &[], SIZE);
    terminal.sees("First of /a");
    serve(&server, "/b");
    let began = Instant::now();
    home.subscribe(&[server.url("/a"), server.url("/b")]);
    // It is new, so it is due.
    terminal.sees("First of /b");
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());

    // A broken edit is told, and the good list stays.
    let good = fs::read_to_string(home.path("config/feeds.toml")).expect("read");
    home.write(
        "config/feeds.toml",
        &format!("{good}[[feed]]\nuri = \"x\"\n"),
    );
    terminal.sees("the last good list stays");
    assert!(terminal.text().contains("Feed /b"), "{}", terminal.text());
    terminal.after("g\r", "Second of /b ─");
    counts(&terminal, "All", Some(3));

    // Mended, with another title and one feed fewer.
    let list = format!(
        "[[feed]]\nurl = \"{}\"\ntitle = \"My own name\"\n",
        server.url("/b")
    );
    home.write("config/feeds.toml", &list);
    terminal.sees("My own name");
    terminal.sees_no("Feed /a");
    terminal.sees_no("the last good list stays");
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
    assert_eq!(
        server.requests_for("/b").len() + server.requests_for("/a").len(),
        2
    );
}

#[test]
fn what_another_process_does_shows_in_the_open_reader() {
    let (home, server) = house(&["/a"]);
    home.run(&["--refresh-only"]).well();
    let mut terminal = Terminal::start(&home, &[], SIZE);
    counts(&terminal, "All", Some(2));
    let began = Instant::now();
    home.run(&["mark", "read", "all"]).well();
    counts(&terminal, "All", None);
    home.run(&["mark", "starred", "\"First of\""]).well();
    counts(&terminal, "Starred", Some(1));
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    serve(&server, "/b");
    let url = server.url("/b");
    home.run(&["add", &url]).well();
    terminal.sees("Feed /b");
    counts(&terminal, "All", Some(2));
    home.run(&["remove", &url]).well();
    terminal.sees_no("Feed /b");
    // What is undone here was done there, the last thing first.
    terminal.after("u", "Feed /b");
    assert!(read(&home, "config/feeds.toml").contains(&url));
    terminal.after("u", "took back the marks of 1 entry");
    counts(&terminal, "Starred", None);
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
    assert_eq!(
        server.requests().len(),
        2,
        "the reader asked nothing by itself"
    );
}

#[test]
fn a_reader_and_a_timer_that_start_together_ask_once() {
    for _ in 0..3 {
        let (home, server) = house(&["/a", "/b", "/c"]);
        let mut terminal = Terminal::start(&home, &[], SIZE);
        let timer = home.start(&["--refresh-only"]);
        assert_eq!(timer.end().code, Some(0));
        counts(&terminal, "All", Some(6));
        terminal.keys("q");
        assert_eq!(terminal.end(), 0);
        for path in ["/a", "/b", "/c"] {
            assert_eq!(server.requests_for(path).len(), 1, "{path}");
        }
    }
}

/// The parameters of every SGR sequence that was written.
fn styles(raw: &[u8]) -> Vec<u16> {
    let text = String::from_utf8_lossy(raw);
    text.split("\x1b[")
        .filter_map(|rest| {
            let end = rest.find(|c: char| !(c.is_ascii_digit() || c == ';' || c == ':'))?;
            rest[end..].starts_with('m').then(|| rest[..end].to_owned())
        })
        .flat_map(|list| {
            let numbers = list.split([';', ':']).filter_map(|n| n.parse().ok());
            numbers.collect::<Vec<u16>>()
        })
        .collect()
}

#[test]
fn colours_are_left_out_where_they_are_not_wanted() {
    let binary = env!("CARGO_BIN_EXE_tidings");
    // Foregrounds and backgrounds; 39 and 49, the terminal's own, are none.
    let is_colour = |n: &u16| matches!(n, 30..=38 | 40..=48 | 58 | 90..=97 | 100..=107);
    let demo = [binary, "demo"];
    let plain = [binary, "demo", "--color", "never"];
    let always = [binary, "demo", "--color", "always"];
    let (no_color, rich) = (("NO_COLOR", "1"), ("COLORTERM", "truecolor"));
    let cases = [
        (&demo[..], &[rich][..], true),
        (&demo, &[no_color, rich], false),
        (&plain, &[], false),
        (&always, &[no_color], true),
    ];
    for (words, variables, coloured) in cases {
        let home = Home::new();
        let mut terminal = Terminal::start_with(&home, words, SIZE, variables);
        terminal.sees("Une carte de Marseille");
        terminal.after("jj\r", "http://127.0.0.1");
        terminal.after("s", "hosts  log");
        terminal.after("?", "half a page down");
        terminal.keys("q");
        terminal.sees_no("half a page down");
        terminal.keys("q");
        terminal.sees_no("hosts  log");
        terminal.keys("q");
        assert_eq!(terminal.end(), 0);
        let found = styles(&terminal.raw());
        assert_eq!(
            found.iter().any(is_colour),
            coloured,
            "{words:?} {variables:?}: {found:?}"
        );
    }
}

#[test]
fn what_was_searched_for_stands_out_in_the_row_of_the_cursor_too() {
    let home = Home::new();
    let words = [env!("CARGO_BIN_EXE_tidings"), "demo"];
    let mut terminal = Terminal::start_with(&home, &words, SIZE, &[]);
    terminal.sees("What a 304 says");
    terminal.after("/title:304\r", "“title:304” in All");
    let yellow = |screen: &vt100::Screen, text: &str| {
        let (rows, columns) = screen.size();
        (0..rows.get()).any(|row| {
            let cells: Vec<_> = (0..columns.get())
                .filter_map(|column| screen.cell(row, column))
                .collect();
            let line: String = cells.iter().map(|cell| cell.contents()).collect();
            let marked: String = cells
                .iter()
                .filter(|cell| cell.bgcolor() == vt100::Color::Idx(3))
                .map(|cell| cell.contents())
                .collect();
            line.contains(text) && marked == "304"
        })
    };
    for title in ["says, and what it saves", "Two hashes behind"] {
        terminal.wait("the matches marked", |screen| yellow(screen, title));
    }
}
