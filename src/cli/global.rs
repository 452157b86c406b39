//! What holds for every command, and the run without the reader.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum, ValueHint};

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
    /// Keep the ledger in this file, for the textfile collector of node_exporter
    #[expect(clippy::doc_markdown, reason = "help is no Markdown")]
    #[arg(long, requires = "refresh_only", conflicts_with = "dry_run", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub textfile: Option<PathBuf>,
    /// With --refresh-only: only these feeds
    #[arg(help_heading = "Polling without the reader", value_name = "URL", value_hint = ValueHint::Url)]
    pub urls: Vec<String>,
}
