//! The command line as it is typed.

use super::manual::*;
use super::*;

fn read(line: &str) -> Result<Cli, Usage> {
    let words = line.split_whitespace().map(OsString::from);
    parse(std::iter::once(OsString::from("tidings")).chain(words))
}

fn mistake(line: &str) -> String {
    let error = read(line).expect_err(line);
    assert_eq!(error.exit_code(), 2, "{line}");
    error
        .to_string()
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn the_definition_is_sound() {
    command().debug_assert();
}

#[test]
fn global_options_stand_before_and_after_a_command() {
    for line in [
        "--config-dir c --data-dir d --state-dir s -v --color never feeds --json",
        "feeds --json --config-dir c --data-dir d --state-dir s -v --color never",
        "--config-dir c feeds --data-dir d --json --state-dir s --verbose --color=never",
    ] {
        let cli = read(line).expect(line);
        let globals = Globals {
            config_dir: Some("c".into()),
            data_dir: Some("d".into()),
            state_dir: Some("s".into()),
            verbose: 1,
            color: Color::Never,
        };
        assert_eq!(cli.globals, globals, "{line}");
        assert_eq!(
            cli.command,
            Some(Command::Feeds(Feeds {
                json: true,
                ..Feeds::default()
            })),
            "{line}"
        );
    }
}

#[test]
fn the_run_without_the_reader_takes_urls_and_its_flags() {
    let cli = read("--refresh-only --force --json --dry-run https://a.org b.org --data-dir d")
        .expect("valid");
    let refresh = Refresh {
        refresh_only: true,
        force: true,
        json: true,
        dry_run: true,
        textfile: None,
        urls: vec!["https://a.org".to_owned(), "b.org".to_owned()],
    };
    assert_eq!(cli.refresh, refresh);
    assert_eq!(read("").expect("the reader").refresh, Refresh::default());
}

#[test]
fn every_command_of_the_interface_is_read() {
    for line in [
        "demo",
        "demo --refresh-only",
        "demo --refresh-only --json",
        "add https://a.org",
        "add a.org b.org --tag x --tag y/z --first",
        "add a.org --title T --all --guess",
        "remove a.org b.org",
        "import subs.opml",
        "import -",
        "import --state marks.json",
        "export",
        "export subs.opml",
        "export --state marks.json",
        "feeds",
        "feeds --moved --json",
        "feeds --moved --adopt all",
        "feeds --moved --adopt a.org --adopt b.org",
        "feeds --moved --undo a.org",
        "entries --json --limit 5 unread feed:lwn age:<7d",
        "mark read all",
        "mark unstarred feed:lwn words",
        "undo",
        "rules",
        "rules --json",
        "rules test feed:lwn unread",
        "rules test --json words",
        "stats",
        "stats --json a.org",
        "stats --by-host --json",
        "stats --by-day --days 7 a.org",
        "stats --openmetrics",
        "explain a.org",
        "explain --json --last 50 a.org",
        "refetch a.org",
        "refetch --yes --json a.org",
        "probe a.org",
        "probe --json https://a.org/feed",
        "probe --parse a.org",
        "probe --parse --json -",
        "lift example.org:443",
        "enable a.org",
        "completions zsh",
        "man",
    ] {
        assert!(read(line).is_ok(), "{line}: {:?}", read(line).err());
    }
}

#[test]
fn a_mistake_is_said_and_ends_with_2() {
    for (line, first) in [
        (
            "--nonsense",
            "error: unexpected argument '--nonsense' found",
        ),
        (
            "--json",
            "error: the following required arguments were not provided:",
        ),
        (
            "feds",
            "error: unrecognized subcommand 'feds'; did you mean 'feeds'?",
        ),
        (
            "qqq",
            "error: unrecognized subcommand 'qqq'; `tidings --help` lists the commands",
        ),
        (
            "https://a.org",
            "error: 'https://a.org' is no command; to subscribe to it write `tidings add https://a.org`, to poll it `tidings --refresh-only https://a.org`",
        ),
        (
            "--refresh-only feeds",
            "error: --refresh-only and its URLs stand without a command; for the demo write `tidings demo --refresh-only`",
        ),
        (
            "add a b --title t",
            "error: --title fits one URL only; add the feeds one by one",
        ),
        (
            "add",
            "error: the following required arguments were not provided:",
        ),
        (
            "add a --first --all",
            "error: the argument '--first' cannot be used with '--all'",
        ),
        (
            "import",
            "error: the following required arguments were not provided:",
        ),
        (
            "import a --state b",
            "error: the argument '[FILE|-]' cannot be used with '--state <FILE>'",
        ),
        (
            "mark read",
            "error: the following required arguments were not provided:",
        ),
        ("mark seen all", "error: invalid value 'seen' for '<MARK>'"),
        (
            "entries --limit x",
            "error: invalid value 'x' for '--limit <N>': invalid digit found in string",
        ),
        (
            "completions csh",
            "error: invalid value 'csh' for '<SHELL>'",
        ),
        (
            "feeds --color blue",
            "error: invalid value 'blue' for '--color <WHEN>'",
        ),
    ] {
        assert_eq!(mistake(line), first);
    }
}

#[test]
fn help_and_version_end_with_0_on_every_level() {
    let command = Cli::command();
    let names = command.get_subcommands().map(clap::Command::get_name);
    for line in ["--help", "-h", "--version", "-V"]
        .into_iter()
        .map(str::to_owned)
        .chain(names.flat_map(|name| [format!("{name} --help"), format!("help {name}")]))
    {
        assert_eq!(read(&line).expect_err("prints").exit_code(), 0, "{line}");
    }
}

#[test]
fn the_manual_holds_every_command_and_flag() {
    let mut page = Vec::new();
    man(&mut page).expect("a vector takes it");
    let page = String::from_utf8(page).expect("text").replace('\\', "");
    let command = command();
    for sub in command.get_subcommands() {
        assert!(
            page.contains(&format!(".SS \"tidings {}\"", sub.get_name())),
            "{page}"
        );
        for arg in sub.get_arguments().filter_map(clap::Arg::get_long) {
            assert!(page.contains(&format!("--{arg}")), "{arg}");
        }
    }
    for line in ["TIDINGS_DATA_DIR", "EXIT STATUS", "feeds.toml"] {
        assert!(page.contains(line), "{line}");
    }
    // Once among the options, once with its variable: not again in every command.
    assert_eq!(page.matches("--config-dir").count(), 2, "{page}");
}

#[test]
fn colours_are_chosen_before_the_line_is_read() {
    for (line, choice) in [
        ("tidings feeds", ColorChoice::Auto),
        ("tidings --color always --help", ColorChoice::Always),
        ("tidings --help --color=never", ColorChoice::Never),
        ("tidings entries -- --color=never", ColorChoice::Auto),
    ] {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        assert_eq!(color_of(&words), choice, "{line}");
    }
}
