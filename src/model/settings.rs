//! What the user can set, with its defaults. Text becomes these in `config`; nothing reads them from a global.

use std::path::PathBuf;
use std::time::Duration;

use super::feed::Subscription;
use super::keep::{Keep, KeepSettings};
use super::own::{External, Macro, Share};
use super::push::PushSettings;
use super::rule::{Rule, SmartFeed};

const fn minutes(n: u64) -> Duration {
    Duration::from_secs(n * 60)
}

const fn hours(n: u64) -> Duration {
    minutes(n * 60)
}

const fn days(n: u64) -> Duration {
    hours(n * 24)
}

/// Where this user's files lie. Found by `paths`, named by everybody else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locations {
    /// `config.toml`, `feeds.toml`, `themes/`.
    pub config_dir: PathBuf,
    /// `tidings.redb`, `poll.lock`.
    pub data_dir: PathBuf,
    /// `tidings.log`.
    pub state_dir: PathBuf,
}

/// All of `config.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// `[poll]`.
    pub poll: PollSettings,
    /// `[http]`.
    pub http: HttpSettings,
    /// `[keep]`.
    pub keep: KeepSettings,
    /// The reader's look and keys.
    pub ui: UiSettings,
    /// `[[rule]]`.
    pub rules: Vec<Rule>,
    /// `[push]`.
    pub push: Option<PushSettings>,
}

impl Settings {
    /// How much is kept of a feed.
    #[must_use]
    pub fn keep_of(&self, feed: &Subscription) -> Keep {
        self.keep.of(feed.keep, &feed.tags)
    }
}

/// `[poll]`: the policy numbers of the schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PollSettings {
    /// Interval of a feed whose rhythm is not known (B).
    pub base: Duration,
    /// No scheduled interval is shorter (MIN).
    pub min: Duration,
    /// Cap of the interval of a feed that is alive.
    pub active_max: Duration,
    /// Cap of the interval of a dormant feed, at most 7 days (MAX).
    pub max: Duration,
    /// Jitter: at most this share of the interval, in percent (R29).
    pub jitter_percent: u32,
    /// Jitter: at most this (R29).
    pub jitter_max: Duration,
    /// Cap of any bound from headers or the feed (R31, R41, R43).
    pub hint_max: Duration,
    /// First back-off after an error (R44).
    pub error_first: Duration,
    /// Cap of the back-off (R44).
    pub error_max: Duration,
    /// First hold after a 429 without `Retry-After` (R38).
    pub hold_first: Duration,
    /// Its cap (R38).
    pub hold_max: Duration,
    /// No hold is shorter (R38).
    pub hold_min: Duration,
    /// Cap of `Retry-After` (R40).
    pub retry_after_max: Duration,
    /// A manual refresh of the same feed within this is not sent again (R46).
    pub debounce: Duration,
    /// Body bytes a day that a feed without usable validators may cost (R30).
    pub byte_budget: u64,
    /// Polls with the same permanent redirect before it is believed (R53).
    pub move_after: u32,
    /// And at least this long (R53).
    pub move_min_age: Duration,
    /// Identical answers before validators are given up (R19).
    pub useless_after: u32,
    /// Plain polls before validators are tried again (R21).
    pub retry_validators_after: u32,
    /// How long a run waits for another tidings that is polling.
    pub lock_wait: Duration,
}

impl Default for PollSettings {
    fn default() -> Self {
        Self {
            base: minutes(60),
            min: minutes(30),
            active_max: hours(6),
            max: hours(24),
            jitter_percent: 10,
            jitter_max: minutes(30),
            hint_max: hours(24),
            error_first: minutes(30),
            error_max: hours(24),
            hold_first: hours(1),
            hold_max: hours(24),
            hold_min: minutes(30),
            retry_after_max: days(7),
            debounce: Duration::from_secs(60),
            byte_budget: 1024 * 1024,
            move_after: 5,
            move_min_age: Duration::ZERO,
            useless_after: 10,
            retry_validators_after: 10,
            lock_wait: Duration::from_secs(90),
        }
    }
}

/// `[http]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSettings {
    /// Between two starts on one host (R71).
    pub host_gap: Duration,
    /// Requests in flight over all hosts (R71).
    pub connections: usize,
    /// Requests an hour on one host; 0 for no limit (R72).
    pub host_budget: u32,
    /// Read `Crawl-delay` on hosts with several feeds (R73).
    pub respect_crawl_delay: bool,
    /// Decoded bytes of one body (R68).
    pub max_body: u64,
    /// To connect (R70).
    pub connect_timeout: Duration,
    /// To the first byte of the answer (R70).
    pub first_byte_timeout: Duration,
    /// Between two reads (R70).
    pub read_timeout: Duration,
    /// The whole request (R70).
    pub total_timeout: Duration,
    /// More certificates to trust, PEM.
    pub ca_file: Option<PathBuf>,
    /// Where a publisher can reach the user: `https://…` or `mailto:…` (R59).
    pub contact: Option<String>,
    /// A proxy instead of the environment's; `none` for none at all.
    pub proxy: Option<String>,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            host_gap: Duration::from_secs(1),
            connections: 64,
            host_budget: 60,
            respect_crawl_delay: true,
            max_body: 16 * 1024 * 1024,
            connect_timeout: Duration::from_secs(10),
            first_byte_timeout: Duration::from_secs(20),
            read_timeout: Duration::from_secs(20),
            total_timeout: Duration::from_secs(60),
            ca_file: None,
            contact: None,
            proxy: None,
        }
    }
}

/// How the reader looks and which keys it has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "settings that do not hang on each other"
)]
pub struct UiSettings {
    /// The theme.
    pub theme: ThemeChoice,
    /// Mouse clicks and wheel.
    pub mouse: bool,
    /// Columns of a line of text in an article.
    pub measure: u16,
    /// Argument vector that opens a URL; empty for the system's own way.
    pub browser: Vec<String>,
    /// Argument vector that plays or downloads what is attached to an entry; empty for none.
    pub player: Vec<String>,
    /// The player gets the terminal until it ends.
    pub player_terminal: bool,
    /// Argument vector that shows an article as text; empty for what the environment names.
    pub editor: Vec<String>,
    /// Whether links of an article are links of the terminal (OSC 8).
    pub hyperlinks: Hyperlinks,
    /// What parts the rows of a list.
    pub group: Group,
    /// A story that several feeds tell stands once.
    pub fold_twins: bool,
    /// The title of the terminal says how much is unread.
    pub title: bool,
    /// Argument vector of the program that is told of new entries; empty for the desktop's.
    pub notifier: Vec<String>,
    /// Tags whose feeds' new entries are told of.
    pub notify_tags: Vec<String>,
    /// `[keys]`: action to keys, over the built-in table.
    pub keys: Vec<(String, Vec<String>)>,
    /// `[[macro]]`.
    pub macros: Vec<Macro>,
    /// `[[command]]`.
    pub externals: Vec<External>,
    /// `[[share]]`.
    pub shares: Vec<Share>,
    /// `[[smart]]`: lists of the user's own.
    pub smart: Vec<SmartFeed>,
}

impl Default for UiSettings {
    fn default() -> Self {
        Self {
            theme: ThemeChoice::default(),
            mouse: true,
            measure: 80,
            browser: Vec::new(),
            player: Vec::new(),
            player_terminal: false,
            editor: Vec::new(),
            hyperlinks: Hyperlinks::default(),
            group: Group::default(),
            fold_twins: false,
            title: false,
            notifier: Vec::new(),
            notify_tags: Vec::new(),
            keys: Vec::new(),
            macros: Vec::new(),
            externals: Vec::new(),
            shares: Vec::new(),
            smart: Vec::new(),
        }
    }
}

/// A theme by name: `dark`, `light`, `plain`, or a file in the config dir's `themes/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThemeChoice(pub String);

impl Default for ThemeChoice {
    fn default() -> Self {
        Self("dark".to_owned())
    }
}

/// Whether links of an article are links of the terminal, to be clicked there (OSC 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hyperlinks {
    /// Where the terminal is known to have them.
    #[default]
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// What parts the rows of a list that is in the order of its dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Group {
    /// Nothing.
    #[default]
    None,
    /// A heading for each day, as the clock on the wall counts days.
    Day,
}
