//! `backfill`.

use clap::{Args, ValueHint};

/// `backfill`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Backfill {
    /// The feed, as in feeds.toml
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub url: Option<String>,
    /// How many pages at most
    #[arg(long, value_name = "N", default_value_t = 10, requires = "url", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub pages: u32,
    /// Where the feed names no older pages: the parameter that takes the number of a page
    #[arg(long, value_name = "NAME", requires = "url", value_parser = param)]
    pub param: Option<String>,
    /// The entries arrive unread
    #[arg(long, requires = "url")]
    pub unread: bool,
    /// Begin anew, and ask for every page again
    #[arg(long, requires = "url")]
    pub again: bool,
    /// Print a JSON object; without a feed an array
    #[arg(long)]
    pub json: bool,
}

/// The name of a query parameter.
fn param(text: &str) -> Result<String, String> {
    let fits = !text.is_empty() && text.len() <= 64 && !text.contains(char::is_control);
    fits.then(|| text.to_owned())
        .ok_or_else(|| "the name of a parameter, as paged or page".to_owned())
}
