//! The user's text, read and edited: `config.toml`, `feeds.toml`, and what a feed URL is. No I/O; the only room that knows
//! `toml_edit`.

mod adopt;
mod bound;
mod changes;
mod conflicts;
mod delta;
mod edit;
mod error;
mod except;
mod identity;
mod keys;
mod local;
mod own;
mod page;
mod readdress;
mod reader;
mod retune;
mod settings;
mod shown;
mod shown_feed;
mod sitemap;
mod subscriptions;
mod touch;
mod url;

pub use adopt::{Adoption, Wanted, Worth, adopt, written};
pub use changes::changes;
pub use edit::{add, remove};
pub use error::ConfigError;
pub use except::except;
pub use identity::normalise;
pub use keys::{KeyName, KeyRow, KeyText, TableError, key_table, theme};
pub use local::{Local, clean_source, filter, line_of_words, local, words};
pub use own::{add_rule, add_smart};
pub use readdress::readdress;
pub use retune::retune;
pub use settings::{line_of, settings, settings_faults};
pub use shown::{Setting, shown};
pub use shown_feed::{ShownFeed, shown_feed};
pub use subscriptions::{clean_tag, subscriptions, subscriptions_faults};
pub use url::{UrlError, clean_url, masked};

/// The sample `config.toml`: every key with its default.
pub const SAMPLE_CONFIG: &str = include_str!("../../assets/config.toml");

/// The sample `feeds.toml`: every key of a feed, explained.
pub const SAMPLE_FEEDS: &str = include_str!("../../assets/feeds.toml");
