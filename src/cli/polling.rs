//! Commands about polling: `stats`, `explain`, `probe`, `refetch`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

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

/// `push`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Push {
    /// Print a JSON array
    #[arg(long)]
    pub json: bool,
}

/// `watch`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Watch {
    /// Print one JSON object per event and line
    #[arg(long)]
    pub json: bool,
    /// Keep the ledger in this file, for the textfile collector of node_exporter
    #[expect(clippy::doc_markdown, reason = "help is no Markdown")]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub textfile: Option<PathBuf>,
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
