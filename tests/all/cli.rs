//! The binary itself, as far as it needs neither network nor engine: help, usage, configuration, completions, manual.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A home of its own for one test.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary directory"))
    }

    fn config(&self, name: &str, text: &str) -> &Self {
        let dir = self.0.path().join("config");
        fs::create_dir_all(&dir).expect("made");
        fs::write(dir.join(name), text).expect("written");
        self
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidings"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.0.path())
            .env("LC_ALL", "C")
            .env("TIDINGS_CONFIG_DIR", self.0.path().join("config"))
            .env("TIDINGS_DATA_DIR", self.0.path().join("data"))
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the binary runs")
    }
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("it was not killed")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// Standard error with the home's path as `HOME`.
fn stderr(home: &Home, output: &Output) -> String {
    let path = home.0.path().to_string_lossy().into_owned();
    String::from_utf8(output.stderr.clone())
        .expect("text")
        .replace(&path, "HOME")
}

#[test]
fn help_and_version_go_to_standard_output_and_end_with_0() {
    let home = Home::new();
    for (arguments, part) in [
        (&["--version"][..], "tidings "),
        (&["-V"], "tidings "),
        (&["--help"], "Exit codes:"),
        (&["--help"], "130 Ended by a signal"),
        (&["-h"], "Usage: tidings"),
        (&["help", "entries"], "QUERY is words"),
        (&["add", "--help"], "--guess"),
        (&["import", "--help"], "newsboat"),
        (&["mark", "--help"], "unstarred"),
        (&["demo", "--help"], "no network"),
        (&["completions", "--help"], "zsh"),
    ] {
        let output = home.run(arguments);
        assert_eq!(code(&output), 0, "{arguments:?}");
        assert!(
            stdout(&output).contains(part),
            "{arguments:?}: {}",
            stdout(&output)
        );
        assert_eq!(stderr(&home, &output), "", "{arguments:?}");
    }
}

#[test]
fn wrong_usage_goes_to_standard_error_and_ends_with_2() {
    let home = Home::new();
    for (arguments, part) in [
        (&["--nonsense"][..], "unexpected argument '--nonsense'"),
        (&["feds"], "did you mean 'feeds'?"),
        (&["https://a.org/feed"], "tidings add https://a.org/feed"),
        (&["--force"], "--refresh-only"),
        (&["entries", "--limit", "many"], "invalid value 'many'"),
        (&["add"], "<URL>"),
        (
            &["add", "ftp://a.org/x"],
            "only http and https can be polled",
        ),
        (&["add", "a.org", "--tag", "/"], "--tag needs a word"),
        (&["add", "a.org", "--title", " "], "--title needs a title"),
        (&["mark", "read", ""], "write `all` to mark every entry"),
        (&["import", "no-such-file"], "no-such-file cannot be read"),
        (
            &["import", "--state", "no-such-file"],
            "no-such-file cannot be read",
        ),
        (&["import", "-"], "standard input holds no feeds"),
    ] {
        let output = home.run(arguments);
        assert_eq!(
            code(&output),
            2,
            "{arguments:?}: {}",
            stderr(&home, &output)
        );
        let text = stderr(&home, &output);
        assert!(text.contains(part), "{arguments:?}: {text}");
        assert_eq!(stdout(&output), "", "{arguments:?}");
    }
}

#[test]
fn a_mistake_in_the_settings_names_file_line_key_and_the_nearest_valid_key() {
    let home = Home::new();
    home.config(
        "config.toml",
        "theme = \"dark\"\n\n[http]\nhostgap = \"1s\"\n",
    );
    for arguments in [
        &["feeds"][..],
        &["entries", "--json"],
        &["--refresh-only"],
        &["add", "https://a.org"],
        &["export"],
        &[],
    ] {
        let output = home.run(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert_eq!(
            stderr(&home, &output),
            "tidings: HOME/config/config.toml:4: unknown key \"hostgap\" in [http]; the nearest valid key is host_gap in [http]\n",
            "{arguments:?}"
        );
    }
}

#[test]
fn a_mistake_in_the_list_of_feeds_names_file_line_and_key() {
    let home = Home::new();
    home.config(
        "feeds.toml",
        "[[feed]]\nurl = \"https://a.org\"\nevery = \"1m\"\n",
    );
    let output = home.run(&["export"]);
    assert_eq!(code(&output), 2);
    assert_eq!(
        stderr(&home, &output),
        "tidings: HOME/config/feeds.toml:3: [[feed]] every = \"1m\" is out of range; it must be between 30m and 7d\n"
    );
}

#[test]
fn settings_that_cannot_be_read_are_an_error_of_the_configuration() {
    let home = Home::new();
    home.config("config.toml", "");
    let path = home.0.path().join("config/config.toml");
    fs::write(&path, b"theme = \"\xff\"").expect("written");
    let output = home.run(&["feeds"]);
    assert_eq!(code(&output), 2);
    assert_eq!(
        stderr(&home, &output),
        "tidings: HOME/config/config.toml:1: this is not UTF-8; save the file as UTF-8\n"
    );
}

#[test]
fn a_flag_goes_before_a_variable() {
    let home = Home::new();
    let other = home.0.path().join("other");
    fs::create_dir_all(&other).expect("made");
    fs::write(other.join("config.toml"), "nonsense = 1\n").expect("written");
    let flag = other.to_string_lossy().into_owned();
    for arguments in [
        ["--config-dir", &flag, "feeds"],
        ["feeds", "--config-dir", &flag],
    ] {
        let output = home.run(&arguments);
        assert_eq!(code(&output), 2);
        let text = stderr(&home, &output);
        assert!(
            text.starts_with("tidings: HOME/other/config.toml:1: "),
            "{text}"
        );
    }
}

#[test]
fn the_reader_without_a_terminal_says_what_to_do() {
    let home = Home::new();
    for arguments in [&[][..], &["demo"]] {
        let output = home.run(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert_eq!(
            stderr(&home, &output),
            "tidings: the reader needs a terminal; without one use --refresh-only, or a command such as `tidings entries`\n"
        );
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn completions_and_the_manual_are_printed_whole() {
    let home = Home::new();
    for (arguments, part) in [
        (&["completions", "bash"][..], "_tidings()"),
        (&["completions", "zsh"], "#compdef tidings"),
        (&["completions", "fish"], "complete -c tidings"),
        (&["completions", "elvish"], "tidings"),
        (&["completions", "powershell"], "tidings"),
        (&["man"], ".TH tidings 1"),
    ] {
        let output = home.run(arguments);
        assert_eq!(code(&output), 0, "{arguments:?}");
        assert!(stdout(&output).contains(part), "{arguments:?}");
        assert!(output.stderr.is_empty());
    }
    assert!(
        !home.0.path().join("data").exists(),
        "nothing is made for them"
    );
}

#[test]
fn a_reader_that_goes_away_ends_the_output_quietly() {
    let home = Home::new();
    for arguments in [&["man"][..], &["completions", "bash"], &["--help"]] {
        let mut child = home
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        drop(child.stdout.take());
        let mut text = String::new();
        let mut pipe = child.stderr.take().expect("piped");
        pipe.read_to_string(&mut text).expect("text");
        let status = child.wait().expect("it ends");
        assert_eq!(
            (status.code(), text.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
}

#[test]
fn colours_are_used_only_when_they_are_wanted() {
    let home = Home::new();
    let coloured = |arguments: &[&str]| stdout(&home.run(arguments)).contains('\u{1b}');
    assert!(coloured(&["--help", "--color", "always"]));
    assert!(!coloured(&["--help", "--color", "never"]));
    assert!(!coloured(&["--help"]));
}

#[test]
fn an_export_without_feeds_is_a_file_and_needs_no_store() {
    let home = Home::new();
    let file = home.0.path().join("out.opml");
    let output = home.run(&["export", &file.to_string_lossy()]);
    assert_eq!(code(&output), 0, "{}", stderr(&home, &output));
    assert!(Path::new(&file).is_file());
}

#[test]
fn a_mistake_in_keys_is_the_error_of_any_command() {
    let home = Home::new();
    home.config("config.toml", "[keys]\nquit = \"q\"\nopne = \"o\"\n");
    let ran = home.run(&["feeds"]);
    assert_eq!(code(&ran), 2);
    assert_eq!(
        stderr(&home, &ran),
        "tidings: HOME/config/config.toml:3: unknown key \"opne\" in [keys]; the nearest valid key is open\n"
    );
}
