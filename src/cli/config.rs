//! Commands about the configuration: `config check`, `config show`.

use clap::{Args, ValueEnum};

/// `config`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Config {
    /// What to do with it
    #[arg(value_enum, value_name = "check|show")]
    pub act: ConfigAct,
    /// With show: of this feed, its address or a part of it or of its title in feeds.toml
    #[arg(value_name = "FEED")]
    pub feed: Option<String>,
    /// Print a JSON array
    #[arg(long)]
    pub json: bool,
}

/// What is done with the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ConfigAct {
    /// Name everything that is wrong with config.toml, feeds.toml and the themes; exit with 2 if anything is
    Check,
    /// List every setting in force, and where it comes from
    Show,
}
