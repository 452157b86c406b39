//! Commands about subscriptions: `add`, `import`, `export`, `feeds`, and the demo.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum, ValueHint};

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
    /// What the addresses give, where that is no feed
    #[arg(long, value_name = "KIND", conflicts_with_all = ["first", "all", "guess"])]
    pub kind: Option<AddKind>,
    /// Files beside the feed that say what changed on a day, by an address with {date} in it
    #[arg(long, value_name = "PATTERN", conflicts_with = "kind")]
    pub changes: Option<String>,
    /// Of a sitemap, only pages whose path begins so, or with * fits so; may be given more than once
    #[arg(long = "path", value_name = "PATH", action = ArgAction::Append, requires = "kind")]
    pub paths: Vec<String>,
}

/// What `add` is given besides feeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AddKind {
    /// A list of feeds (OPML), whose feeds are followed as it changes
    List,
    /// A sitemap, or an index of sitemaps: pages of a site that has no feed
    Sitemap,
}

/// `import`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Import {
    /// The file; - for standard input
    #[arg(value_name = "FILE|-", value_hint = ValueHint::FilePath, required_unless_present_any = ["state", "newsboat"], conflicts_with_all = ["state", "newsboat"])]
    pub file: Option<PathBuf>,
    /// Take over marks from this file (- for standard input)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub state: Option<PathBuf>,
    /// Take over newsboat's feeds, articles, marks and what of its settings has a place here; DIR holds its files
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, num_args = 0..=1, conflicts_with = "state")]
    pub newsboat: Option<Option<PathBuf>>,
    /// With --newsboat: show what that would do, and write nothing
    #[arg(long, requires = "newsboat")]
    pub dry_run: bool,
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
