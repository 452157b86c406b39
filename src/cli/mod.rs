//! Every flag and subcommand, their help, completions and the manual page. The only room that knows `clap`.

mod backfill;
mod command;
mod config;
mod entries;
mod feeds;
mod global;
mod manual;
mod polling;
mod rules;
#[cfg(test)]
mod tests;

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser};

pub use backfill::Backfill;
pub use clap_complete::Shell;
pub use command::Command;
pub use config::{Config, ConfigAct};
pub use entries::{Entries, MarkWord, Prune};
pub use feeds::{Add, AddKind, Demo, Export, Feeds, Import};
pub use global::{Color, Globals, Refresh};
pub use manual::{completions, man};
pub use polling::{Explain, Probe, Push, Refetch, Stats, Watch};
pub use rules::{Rules, RulesAct};

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
