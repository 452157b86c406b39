//! Commands about rules: `rules`, `rules test`.

use clap::{Args, Subcommand};

/// `rules`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
pub struct Rules {
    /// Print a JSON array
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do with them; list them without one.
    #[command(subcommand)]
    pub act: Option<RulesAct>,
}

/// What is done with rules.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum RulesAct {
    /// List the entries of the last 30 days that a rule with this query would have found; nothing is changed
    Test {
        /// As in `when = "…"`
        #[arg(required = true, value_name = "QUERY")]
        query: Vec<String>,
    },
}
