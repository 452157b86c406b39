//! Commands about entries: `entries`, `mark`.

use clap::{Args, ValueEnum};

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

/// `prune`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args)]
pub struct Prune {
    /// Say what would go, and take nothing: what went is not brought back by undo
    #[arg(long)]
    pub dry_run: bool,
    /// Then give the room in the store's file back; no other tidings may run meanwhile
    #[arg(long, conflicts_with = "dry_run")]
    pub compact: bool,
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
