//! Feeds: what the user subscribed, what is known of it, and the row that shows it.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::delta::{ChangeFiles, Delta};
use super::keep::Keep;
use super::outcome::{Counters, LastAnswer};
use super::poll_state::{Moved, Off, PermanentMove};
use super::push::PushRow;
use super::roster::Followed;
use super::schedule::Schedule;
use super::time::Timestamp;
use super::validators::ValidatorsChoice;

/// A feed for ever: the URL may change under it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct FeedId(pub u32);

/// What an address gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SourceKind {
    /// Entries, in whatever format of feeds.
    #[default]
    Feed,
    /// Other feeds to follow: a list in OPML.
    List,
    /// Pages of a site: a sitemap, or an index of sitemaps.
    Sitemap,
}

/// One `[[feed]]` or `[[list]]` of `feeds.toml`, or a feed that a list names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Subscription {
    /// What its address gives.
    pub kind: SourceKind,
    /// The URL as given, fragment dropped; userinfo included. Or `file:PATH`, or `exec:COMMAND LINE`.
    pub url: String,
    /// The user's own title.
    pub title: Option<String>,
    /// Tags, `a/b` for nesting.
    pub tags: Vec<String>,
    /// The user's own interval; at least 30 minutes, at most 7 days.
    pub every: Option<Duration>,
    /// How this feed is asked.
    pub http: FeedHttp,
    /// A command of the user's, as words, that every new body goes through; empty for none.
    pub filter: Vec<String>,
    /// A shell reads the command of `exec:` or `filter`.
    pub shell: bool,
    /// How much of it is kept, as far as it differs from what is kept of its tags and of all feeds.
    pub keep: Keep,
    /// An opened entry shows the article of its own page.
    pub full_text: bool,
    /// It stands neither in All nor in its count.
    pub mute: bool,
    /// Somebody is to be told of its new entries, or not; else its tags decide.
    pub notify: Option<bool>,
    /// It is asked for what is newer than a cursor (R77).
    pub delta: Option<Delta>,
    /// Files beside it that say what changed on a day.
    pub changes: Option<ChangeFiles>,
    /// Pages of this sitemap that are wanted, by the beginnings of their paths, or patterns with `*`; empty for all.
    pub paths: Vec<String>,
    /// Feeds of this list that are not followed, by URL.
    pub except: Vec<String>,
    /// The list that names it, where the user did not write it himself.
    pub followed: Option<Box<Followed>>,
}

/// What a person changes of a subscription where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Retune {
    /// It is muted, or heard again.
    Mute(bool),
    /// Its tags, all of them.
    Tags(Vec<String>),
}

/// The per-feed HTTP settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedHttp {
    /// Which validators are sent (R5).
    pub validators: ValidatorsChoice,
    /// Ask for deltas with `A-IM: feed` (R76).
    pub a_im: bool,
    /// A redirect from https to http is followed (R57).
    pub allow_http: bool,
    /// File whose first line is `user:password`.
    pub auth_file: Option<PathBuf>,
    /// Name of an environment variable that holds `user:password`.
    pub auth_env: Option<String>,
    /// Replaces the `User-Agent`.
    pub user_agent: Option<String>,
    /// Sent besides, in order; only to the configured origin.
    pub headers: Vec<(String, String)>,
}

impl Default for FeedHttp {
    fn default() -> Self {
        Self {
            validators: ValidatorsChoice::Auto,
            a_im: true,
            allow_http: false,
            auth_file: None,
            auth_env: None,
            user_agent: None,
            headers: Vec::new(),
        }
    }
}

/// What the store knows of a feed besides its polling.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Feed {
    /// The feed.
    pub id: FeedId,
    /// The URL as in `feeds.toml`.
    pub url: String,
    /// The title the feed gives itself, or the user's own where `feeds.toml` has one.
    pub title: String,
    /// The page the feed belongs to.
    pub site: Option<String>,
    /// The hubs it names; recorded, never called (R78).
    pub hubs: Vec<String>,
    /// Tags of the subscription.
    pub tags: Vec<String>,
    /// Place in `feeds.toml`, from 0.
    pub position: u32,
    /// When it left `feeds.toml`; `None` while subscribed.
    pub removed: Option<Timestamp>,
}

/// A feed as lists, the status pane, `feeds --json` and `stats --json` show it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FeedRow {
    /// The feed.
    pub feed: Feed,
    /// Lower-case host and port.
    pub host: String,
    /// Entries stored.
    pub total: u64,
    /// Of them unread.
    pub unread: u64,
    /// Of them starred.
    pub starred: u64,
    /// What its polls cost and saved.
    pub counters: Counters,
    /// When it is asked next, and why then.
    pub schedule: Schedule,
    /// The last request or deferral.
    pub last: Option<LastAnswer>,
    /// Validators of the URL that answered last: raw bytes of `ETag` and `Last-Modified`; `mode` says which are sent.
    pub validators: super::validators::Validators,
    /// Which of them are sent at present.
    pub mode: ValidatorsChoice,
    /// Its host is held until then.
    pub hold_until: Option<Timestamp>,
    /// An opened entry shows the article of its own page, as `feeds.toml` wants it. The store does not know it.
    pub full_text: bool,
    /// It stands neither in All nor in its count, as `feeds.toml` wants it. The store does not know it.
    pub mute: bool,
    /// What its address gives, as `feeds.toml` says. The store does not know it.
    pub kind: SourceKind,
    /// The list that names it, where the user did not write it himself. The store does not know it.
    pub followed: Option<Box<Followed>>,
    /// How its hub pushes it, where it names one and pushes are set up; filled in by the engine.
    pub push: Option<Box<PushRow>>,
    /// Polling is off, and why.
    pub off: Option<Off>,
    /// It moved for good and is asked elsewhere than feeds.toml says: `from` stands there, `to` is asked (R53).
    /// Userinfo included. `Command::AdoptMove` writes it into feeds.toml, `Command::UndoMove` takes it back.
    pub moved: Option<Moved>,
    /// A permanent redirect that is seen but not believed yet (R53).
    pub moving: Option<PermanentMove>,
    /// Every move that was believed, oldest first, and those taken back.
    pub moves: Vec<Moved>,
}
