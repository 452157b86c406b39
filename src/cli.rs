//! Every flag and subcommand, their help, completions and the manual page. The only room that knows `clap`.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{
    ArgAction, Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum,
    ValueHint,
};

pub use clap_complete::Shell;

/// Exit codes, as `--help` and the manual show them.
const EXIT_CODES: [(&str, &str); 6] = [
    (
        "0",
        "All is well: new, updated, unchanged, deferred or gone.",
    ),
    ("1", "The outcome of some feed was an error."),
    ("2", "Wrong usage, or a mistake in the configuration."),
    ("70", "Internal error."),
    (
        "75",
        "Try again later: another tidings is polling, or the store cannot be shared here.",
    ),
    ("130", "Ended by a signal; what was finished is stored."),
];

/// The three ways to start.
const USAGE: &str = "tidings [OPTIONS]\n       tidings [OPTIONS] --refresh-only [--force] [--json] [--dry-run] [URL]...\n       \
    tidings [OPTIONS] <COMMAND>";

/// The command line.
#[derive(Debug, Clone, PartialEq, Eq, Parser)]
#[command(
    name = "tidings",
    version,
    override_usage = USAGE,
    about = "A terminal feed reader that asks before it downloads",
    long_about = "A terminal feed reader (RSS, Atom, JSON Feed) that asks before it downloads.\n\n\
        Without a command it opens the reader. `tidings demo` shows it on built-in feeds, without network and set-up."
)]
pub struct Cli {
    /// The run without the reader.
    #[command(flatten)]
    pub refresh: Refresh,
    /// What holds for every command.
    #[command(flatten)]
    pub globals: Globals,
    /// The command; the reader without one.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What holds for every command, before it and after it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
#[command(next_help_heading = "Global options")]
pub struct Globals {
    /// `config.toml`, `feeds.toml`, `themes/`.
    #[arg(help = "Directory of config.toml, feeds.toml and themes [env: TIDINGS_CONFIG_DIR]")]
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub config_dir: Option<PathBuf>,
    /// The store.
    #[arg(help = "Directory of the store [env: TIDINGS_DATA_DIR]")]
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub data_dir: Option<PathBuf>,
    /// The log.
    #[arg(help = "Directory of the log [env: TIDINGS_STATE_DIR]")]
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub state_dir: Option<PathBuf>,
    /// Write more into the log; twice for every request
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,
    /// When to use colours.
    #[arg(help = "Colours: auto, always or never; auto obeys NO_COLOR and the terminal")]
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        hide_possible_values = true
    )]
    pub color: Color,
}

/// When colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// `--refresh-only` and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
#[command(next_help_heading = "Polling without the reader")]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub struct Refresh {
    /// Poll the feeds that are due, print a line for each and a summary, and exit
    #[arg(long)]
    pub refresh_only: bool,
    /// Poll all feeds (or the URLs given), due or not; still conditional, never through a hold
    #[arg(long, requires = "refresh_only")]
    pub force: bool,
    /// Print one JSON object per feed and line, as each finishes
    #[arg(long, requires = "refresh_only")]
    pub json: bool,
    /// Say what would be polled and why, and send nothing
    #[arg(long, requires = "refresh_only")]
    pub dry_run: bool,
    /// With --refresh-only: only these feeds
    #[arg(help_heading = "Polling without the reader", value_name = "URL", value_hint = ValueHint::Url)]
    pub urls: Vec<String>,
}

/// The commands.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Open the reader on built-in feeds: no network, no set-up, nothing kept
    #[command(
        long_about = "Open the reader on a built-in server with bundled feeds, in a temporary directory: no network, \
        no set-up, nothing kept. The feeds answer 200, 304, 301, 410, 503 and slowly, so that the status pane (s) has \
        something to show."
    )]
    Demo(Demo),
    /// Subscribe to feeds and fetch them once
    #[command(
        long_about = "Subscribe to feeds and fetch each once. The URL given is stored, whatever it redirects to; \
        without a scheme it means https. A web page is searched for its feeds: with one it is taken, with several they are \
        listed unless --first or --all is given. A feed that was given up (gone) is polled again."
    )]
    Add(Add),
    /// Unsubscribe; entries and marks stay
    Remove {
        /// The feeds, as in feeds.toml
        #[arg(required = true, value_name = "URL", value_hint = ValueHint::Url)]
        urls: Vec<String>,
    },
    /// Subscribe to the feeds of an OPML file or of a newsboat `urls` file
    #[command(
        long_about = "Subscribe to the feeds of an OPML file or of a newsboat urls file; which it is, is seen from its \
        content. Folders become tags. Nothing is fetched: the feeds are due at the next poll. With --state, marks that \
        `tidings export --state` wrote are taken over instead."
    )]
    Import(Import),
    /// Write the subscriptions as OPML 2.0
    #[command(
        long_about = "Write the subscriptions as OPML 2.0, to standard output without a file. With --state, write which \
        entries are read and starred, for another machine or a rebuilt store."
    )]
    Export(Export),
    /// List the feeds; with --moved those whose address has moved
    #[command(
        long_about = "List the feeds. With --moved only those whose address redirects for good: where feeds.toml says one \
        address and another is asked, since when, those that are only watched yet, and what was adopted or taken back before. \
        feeds.toml keeps the old address until you say otherwise: --adopt writes the new one into it, changing nothing but the \
        URL; entries, marks and schedule stay with the feed. --undo takes a move back, adopted or not: the former address is asked \
        again and that target is never believed again."
    )]
    Feeds(Feeds),
    /// List entries, newest first
    #[command(after_help = QUERY_HELP)]
    Entries(Entries),
    /// Mark entries read, unread, starred or unstarred
    #[command(after_help = QUERY_HELP)]
    Mark {
        /// What to mark them
        #[arg(value_enum)]
        mark: MarkWord,
        /// Which entries, or `all`
        #[arg(required = true, value_name = "QUERY|all")]
        query: Vec<String>,
    },
    /// Take the last mark back, also one of the reader
    Undo,
    /// Show what polling cost and saved, per feed, per host or per day
    #[command(
        long_about = "Show what polling cost and saved: answers 304 and 200, those with the same content as before, errors, \
        requests that had to wait, the share of 304s, bytes received and saved, per feed, per host or per day. With \
        --openmetrics as text that Prometheus and its kind read, for instance from a timer: \
        `tidings stats --openmetrics > /var/lib/node_exporter/tidings.prom`."
    )]
    Stats(Stats),
    /// Say when a feed is polled next, and which rule decided it
    #[command(
        long_about = "Say when a feed is polled next and which rule decided it; every bound that was considered, in the \
        letters of the formula: I the interval learned from the feed, every your own, V the byte budget of a feed without \
        usable validators, L what the publisher asks for, E the back-off after errors, H the hold of the host, skip hours and \
        days; which validators are sent and why; and the last requests."
    )]
    Explain(Explain),
    /// Say how well a server does conditional requests; with --parse how a feed is read
    #[command(
        long_about = "Ask a server how well it does conditional requests, and say which setting of the feed would serve better. At \
        most four requests, two seconds apart, at most one of them without validators: both validators, each alone, as far as \
        the server gives them. Of a subscribed feed the stored validators are used, and the requests stand in its ledger; nothing \
        else of it changes. A host that asked to be left alone is not asked, and a probe that is told to wait stops at once. Works \
        for any URL.\n\nWith --parse it shows how a feed is read instead: its charset and what told it, what had to be repaired, and \
        the entries as they would be stored. Of a file, or of standard input (-), nothing is sent; a URL is asked once, without \
        validators, and not while its host is held. Nothing is stored."
    )]
    Probe(Probe),
    /// Fetch a whole feed again without asking whether it has changed, once, if you insist
    #[command(
        long_about = "Fetch a whole feed again without asking whether it has changed: one request without validators, for a feed \
        that a server or a proxy garbled. A poll, even a forced one, asks first and costs the publisher next to nothing; this \
        costs the whole feed, and so has to be confirmed, or given --yes. A host that asked to be left alone is not asked, and the \
        space between two requests is kept."
    )]
    Refetch(Refetch),
    /// End the hold of a host that asked to be left alone
    Lift {
        /// The host, or the URL of one of its feeds
        #[arg(value_name = "HOST|URL", value_hint = ValueHint::Url)]
        host: String,
    },
    /// Poll a feed again that was given up as gone or dead
    Enable {
        /// The feed, as in feeds.toml
        #[arg(value_name = "URL", value_hint = ValueHint::Url)]
        url: String,
    },
    /// Print shell completions
    #[command(
        after_help = "Examples:\n  tidings completions bash > ~/.local/share/bash-completion/completions/tidings\n  \
        tidings completions fish > ~/.config/fish/completions/tidings.fish\n  \
        tidings completions zsh > ~/.zfunc/_tidings"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page (roff)
    #[command(after_help = "Example:\n  tidings man > ~/.local/share/man/man1/tidings.1")]
    Man,
}

/// The query language in short.
const QUERY_HELP: &str = "QUERY is words, \"quoted phrases\", feed:…, tag:…, key:…, unread, starred, age:<7d, age:>30d; an \
    entry must match all of them.";

/// `feeds`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
pub struct Feeds {
    /// Print a JSON array
    #[arg(long)]
    pub json: bool,
    /// Only feeds whose address has moved for good, or seems to
    #[arg(long)]
    pub moved: bool,
    /// Write the new address of this feed into feeds.toml, or of all that moved; may be given more than once
    #[arg(long, value_name = "URL|all", value_hint = ValueHint::Url, requires = "moved", conflicts_with_all = ["json", "undo"])]
    pub adopt: Vec<String>,
    /// Take the move of this feed back: its former address is asked again; may be given more than once
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, requires = "moved", conflicts_with = "json")]
    pub undo: Vec<String>,
}

/// `probe`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Probe {
    /// The feed, subscribed or not; with --parse also a file, or - for standard input
    #[arg(value_name = "URL|FILE|-", value_hint = ValueHint::AnyPath)]
    pub url: String,
    /// Read it, and show what was decoded, repaired and would be stored
    #[arg(long)]
    pub parse: bool,
    /// Print a JSON object
    #[arg(long)]
    pub json: bool,
}

/// `demo`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Demo {
    /// Poll twice without the reader, the second time by force, print both rounds, and exit
    #[arg(long)]
    pub refresh_only: bool,
    /// With --refresh-only: one JSON object per feed and line
    #[arg(long, requires = "refresh_only")]
    pub json: bool,
}

/// `add`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Add {
    /// Addresses of feeds, or of pages that name their feeds
    #[arg(required = true, value_name = "URL", value_hint = ValueHint::Url)]
    pub urls: Vec<String>,
    /// A tag for them; a/b is b inside of a; may be given more than once
    #[arg(long = "tag", value_name = "T", action = ArgAction::Append)]
    pub tags: Vec<String>,
    /// A title instead of the feed's own
    #[arg(long, value_name = "T")]
    pub title: Option<String>,
    /// Of a page with several feeds, take the first
    #[arg(long, conflicts_with = "all")]
    pub first: bool,
    /// Of a page with several feeds, take all
    #[arg(long)]
    pub all: bool,
    /// When a page names no feed, try the usual paths (/feed, /atom.xml …)
    #[arg(long)]
    pub guess: bool,
}

/// `import`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Import {
    /// The file; - for standard input
    #[arg(value_name = "FILE|-", value_hint = ValueHint::FilePath, required_unless_present = "state", conflicts_with = "state")]
    pub file: Option<PathBuf>,
    /// Take over marks from this file (- for standard input)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub state: Option<PathBuf>,
}

/// `export`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Export {
    /// The file; standard output without one
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "state")]
    pub file: Option<PathBuf>,
    /// Write marks into this file (- for standard output)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub state: Option<PathBuf>,
}

/// `entries`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Entries {
    /// Print a JSON array
    #[arg(long)]
    pub json: bool,
    /// At most this many
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Which entries; all without one
    #[arg(value_name = "QUERY")]
    pub query: Vec<String>,
}

/// `stats`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub struct Stats {
    /// Only this feed
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub url: Option<String>,
    /// Print a JSON array
    #[arg(long)]
    pub json: bool,
    /// One row per host instead of per feed
    #[arg(long, conflicts_with = "by_day")]
    pub by_host: bool,
    /// One row per day instead of per feed
    #[arg(long)]
    pub by_day: bool,
    /// With --by-day: so many days, today included
    #[arg(long, value_name = "N", default_value_t = 30, requires = "by_day", value_parser = clap::value_parser!(u32).range(1..=3660))]
    pub days: u32,
    /// The format of Prometheus and its kind.
    #[arg(help = "Print feeds and hosts in the format of OpenMetrics 1.0")]
    #[arg(long, conflicts_with_all = ["json", "by_host", "by_day"])]
    pub openmetrics: bool,
}

/// `explain`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Explain {
    /// The feed, as in feeds.toml
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub url: String,
    /// Print a JSON object
    #[arg(long)]
    pub json: bool,
    /// How many of the last requests to show, at most 1000
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub last: usize,
}

/// `refetch`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Refetch {
    /// The feed, as in feeds.toml
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub url: String,
    /// Do not ask whether it is meant
    #[arg(long)]
    pub yes: bool,
    /// Print a JSON object, like --refresh-only --json
    #[arg(long)]
    pub json: bool,
}

/// What `mark` says of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MarkWord {
    /// Read.
    Read,
    /// Unread again.
    Unread,
    /// Starred.
    Starred,
    /// No longer starred.
    Unstarred,
}

/// Reads the command line. For `--help`, `--version` and wrong usage the error prints itself and knows its exit code.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, Usage> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let mut command = command().color(color_of(&arguments));
    let cli = command
        .try_get_matches_from_mut(&arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches))
        .map_err(Usage)?;
    check(&cli).map_err(|(kind, message)| Usage(command.error(kind, message)))?;
    Ok(cli)
}

/// `--help`, `--version`, or a mistake in the command line.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Usage(clap::Error);

impl Usage {
    /// Prints help and version to standard output, a mistake to standard error. Nobody is told when that cannot be done.
    pub fn print(&self) {
        let _ = self.0.print();
    }

    /// 0 or 2.
    pub fn exit_code(&self) -> u8 {
        u8::try_from(self.0.exit_code()).unwrap_or(2)
    }
}

/// Writes the completions of a shell.
pub fn completions(shell: Shell, out: &mut dyn Write) -> io::Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command(), "tidings", &mut text);
    out.write_all(&text)
}

/// Writes the manual: one page, every command a part of it.
pub fn man(out: &mut dyn Write) -> io::Result<()> {
    let mut command = command();
    command.build();
    let page = clap_mangen::Man::new(command.clone());
    page.render_title(out)?;
    page.render_name_section(out)?;
    out.write_all(b".SH SYNOPSIS\n")?;
    for line in USAGE.lines() {
        writeln!(out, "{}\n.br", line.trim().replace('-', "\\-"))?;
    }
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    out.write_all(b".SH COMMANDS\n")?;
    for part in command
        .get_subcommands()
        .filter(|part| part.get_name() != "help")
    {
        man_part(part, out)?;
    }
    out.write_all(b".SH \"EXIT STATUS\"\n")?;
    for (code, meaning) in EXIT_CODES {
        writeln!(out, ".TP\n{code}\n{meaning}")?;
    }
    out.write_all(
        b".SH ENVIRONMENT\n.TP\nTIDINGS_CONFIG_DIR, TIDINGS_DATA_DIR, TIDINGS_STATE_DIR\n\
        Like \\-\\-config\\-dir, \\-\\-data\\-dir and \\-\\-state\\-dir.\n.TP\nNO_COLOR\nNo colours, when set.\n\
        .SH FILES\n.TP\nconfig.toml\nSettings, in the config directory.\n\
        .TP\nfeeds.toml\nThe subscriptions, in the config directory.\n\
        .TP\ntidings.redb\nEntries, marks and what polling learned, in the data directory.\n\
        .TP\ntidings.log\nThe log, in the state directory.\n",
    )
}

/// One command: what `clap_mangen` writes as a page, as a part of ours.
fn man_part(command: &clap::Command, out: &mut dyn Write) -> io::Result<()> {
    // The global options stand once, at the top of the page.
    let part = command.clone().mut_args(|arg| {
        if arg.is_global_set() {
            arg.hide(true)
        } else {
            arg
        }
    });
    let name = part.get_name().to_owned();
    let part = part
        .display_name(format!("tidings {name}"))
        .bin_name(format!("tidings {name}"));
    let options = part
        .get_arguments()
        .any(|arg| !arg.is_hide_set() && arg.get_id() != "help");
    let page = clap_mangen::Man::new(part);
    let mut text = Vec::new();
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    if options {
        page.render_options_section(&mut text)?;
    }
    writeln!(out, ".SS \"tidings {name}\"")?;
    for line in String::from_utf8_lossy(&text).lines() {
        match line.strip_prefix(".SH ") {
            Some("SYNOPSIS") => {}
            Some(_) => out.write_all(b".PP\n")?,
            // The lead of roff, once per rendered piece.
            None if line.starts_with(".ie") || line.starts_with(".el") => {}
            None => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}

fn command() -> clap::Command {
    let codes = EXIT_CODES
        .iter()
        .fold("Exit codes:\n".to_owned(), |text, (code, meaning)| {
            text + &format!("  {code:<3} {meaning}\n")
        });
    Cli::command().after_long_help(codes)
}

/// What clap cannot say by itself.
fn check(cli: &Cli) -> Result<(), (ErrorKind, String)> {
    let refresh = &cli.refresh;
    if cli.command.is_some() && (refresh.refresh_only || !refresh.urls.is_empty()) {
        let message = "--refresh-only and its URLs stand without a command; for the demo write `tidings demo --refresh-only`";
        return Err((ErrorKind::ArgumentConflict, message.to_owned()));
    }
    if let (false, Some(word)) = (refresh.refresh_only, refresh.urls.first()) {
        return Err((ErrorKind::InvalidSubcommand, unknown_command(word)));
    }
    if let Some(Command::Add(add)) = &cli.command
        && add.title.is_some()
        && add.urls.len() > 1
    {
        let message = "--title fits one URL only; add the feeds one by one";
        return Err((ErrorKind::ArgumentConflict, message.to_owned()));
    }
    Ok(())
}

/// A word where a command should stand.
fn unknown_command(word: &str) -> String {
    let word: String = word.chars().filter(|c| !c.is_control()).collect();
    if word.contains(['/', '.', ':']) {
        return format!(
            "'{word}' is no command; to subscribe to it write `tidings add {word}`, to poll it `tidings --refresh-only {word}`"
        );
    }
    let known = Cli::command();
    let nearest = known
        .get_subcommands()
        .map(|sub| (strsim::jaro_winkler(&word, sub.get_name()), sub.get_name()))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match nearest {
        Some((score, name)) if score > 0.7 => {
            format!("unrecognized subcommand '{word}'; did you mean '{name}'?")
        }
        _ => format!("unrecognized subcommand '{word}'; `tidings --help` lists the commands"),
    }
}

/// The choice of colours must be known before clap has read it: help is coloured too.
fn color_of(arguments: &[OsString]) -> ColorChoice {
    let mut choice = ColorChoice::Auto;
    let mut words = arguments.iter().filter_map(|word| word.to_str());
    while let Some(word) = words.next() {
        let value = match word {
            "--" => break,
            "--color" => words.next(),
            word => word.strip_prefix("--color="),
        };
        choice = match value {
            Some("always") => ColorChoice::Always,
            Some("never") => ColorChoice::Never,
            Some("auto") => ColorChoice::Auto,
            _ => choice,
        };
    }
    choice
}

#[cfg(test)]
mod tests {
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
}
