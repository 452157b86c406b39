//! Commands about the configuration: `config check`, `config show`.

use clap::{Args, Subcommand};

/// `config`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Config {
    /// Print a JSON array
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do with it.
    #[command(subcommand)]
    pub act: ConfigAct,
}

/// What is done with the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub enum ConfigAct {
    /// Name everything that is wrong with config.toml, feeds.toml and the themes; exit with 2 if anything is
    Check,
    /// List every setting in force, and where it comes from
    Show,
}
