//! The commands: one question to the engine or one edit of the user's files each, and its answer on standard output.

mod ask;
mod backfill;
mod configuration;
mod days;
mod demo;
mod entries;
mod explain;
mod explained;
mod feeds;
mod figures;
mod inspect;
mod json;
mod lift;
mod marks;
mod moved;
mod newsboat;
mod openmetrics;
mod probe;
mod prune;
mod push;
mod reader;
mod refetch;
mod rules;
mod saved;
mod say;
mod service;
mod state;
mod stats;
mod subscribe;
mod table;
mod textfile;
mod transfer;
mod watch;

use std::io::{self, Write};

use crate::cli::{self, Command};
use crate::files::{self, FilesError};
use crate::model::{Locations, Settings};

pub use ask::start_failure;
pub use configuration::configuration;
pub use demo::demo;
pub use reader::{need_terminal, reader};
pub use textfile::write_textfile;

/// Exit codes (PRODUCT).
pub mod exit {
    /// All is well.
    pub const WELL: u8 = 0;
    /// The outcome of some feed was an error.
    pub const FEED: u8 = 1;
    /// Usage or configuration.
    pub const USAGE: u8 = 2;
    /// Internal.
    pub const INTERNAL: u8 = 70;
    /// Try again later.
    pub const LATER: u8 = 75;
}

/// What every command needs.
#[derive(Debug, Clone)]
pub struct Context {
    /// Where the files lie.
    pub locations: Locations,
    /// The user's settings.
    pub settings: Settings,
}

/// A command that could not do its work: one sentence for standard error and an exit code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{sentence}")]
pub struct Failure {
    /// What could not be done, to what, why, and what to do next. Empty: nothing is to be said.
    pub sentence: String,
    /// The exit code.
    pub code: u8,
}

impl Failure {
    /// A mistake of the user.
    pub fn usage(sentence: impl Into<String>) -> Self {
        Self {
            sentence: sentence.into(),
            code: exit::USAGE,
        }
    }

    /// Something that should not have happened.
    pub fn internal(sentence: impl Into<String>) -> Self {
        Self {
            sentence: sentence.into(),
            code: exit::INTERNAL,
        }
    }
}

impl From<FilesError> for Failure {
    fn from(error: FilesError) -> Self {
        Self {
            code: error.exit_code(),
            sentence: error.to_string(),
        }
    }
}

/// Only standard output fails this way. Whoever reads it may stop early, as `head` does: that is no failure.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self {
                sentence: String::new(),
                code: exit::WELL,
            };
        }
        let why = files::reason(&error);
        Self::internal(format!("standard output cannot be written: {why}"))
    }
}

/// Runs a command and gives its exit code. `demo`, `config`, `completions` and `man` need no context and are not run here.
pub fn run(command: &Command, context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    let code = match command {
        Command::Add(add) => subscribe::add(add, context, out),
        Command::Remove { urls } => subscribe::remove(urls, context, out),
        Command::Import(wanted) if wanted.newsboat.is_some() => {
            let dir = wanted.newsboat.as_ref().and_then(Option::as_deref);
            newsboat::import(wanted, dir, context, out)
        }
        Command::Import(import) => transfer::import(import, context, out),
        Command::Export(export) => transfer::export(export, context, out),
        Command::Feeds(wanted) if wanted.moved => moved::moved(wanted, context, out),
        Command::Feeds(wanted) => feeds::feeds(wanted.json, context, out),
        Command::Entries(wanted) => entries::entries(wanted, context, out),
        Command::Mark { mark, query } => marks::mark(*mark, query, context, out),
        Command::Rules(wanted) => rules::rules(wanted, context, out),
        Command::Prune(wanted) => prune::prune(*wanted, context, out),
        Command::Push(wanted) => push::push(wanted, context, out),
        Command::Tag { tag, remove, query } => marks::tag(tag, *remove, query, context, out),
        Command::Undo => marks::undo(context, out),
        Command::Redo => marks::redo(context, out),
        Command::Stats(stats) => stats::stats(stats, context, out),
        Command::Probe(wanted) if wanted.parse => inspect::inspect(wanted, context, out),
        Command::Explain(wanted) => explain::explain(wanted, context, out),
        Command::Probe(wanted) => probe::probe(wanted, context, out),
        Command::Refetch(wanted) => refetch::refetch(wanted, context, out),
        Command::Backfill(wanted) => backfill::backfill(wanted, context, out),
        Command::Watch(wanted) => watch::watch(wanted, context, out),
        Command::Lift { host } => lift::lift(host, context, out),
        Command::Enable { url } => lift::enable(url, context, out),
        Command::Demo(_) | Command::Completions { .. } | Command::Man | Command::Config(_) => {
            Ok(exit::WELL)
        }
    }?;
    out.flush()?;
    Ok(code)
}

/// Prints the completions of a shell.
pub fn completions(shell: cli::Shell, out: &mut dyn Write) -> Result<u8, Failure> {
    cli::completions(shell, out)?;
    out.flush()?;
    Ok(exit::WELL)
}

/// Prints the manual page.
pub fn man(out: &mut dyn Write) -> Result<u8, Failure> {
    cli::man(out)?;
    out.flush()?;
    Ok(exit::WELL)
}
