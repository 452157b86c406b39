//! What came of a command: a refresh, a plan, an `add`, a look at an answer.

use crate::model::{FeedId, PollReport, Rule, Timestamp, UiSettings, Validators};
use crate::parse::Candidate;

/// What a refresh added up to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// Feeds that ended, by outcome.
    pub not_modified: u32,
    /// Identical 200.
    pub unchanged: u32,
    /// Feeds with new or edited entries.
    pub changed: u32,
    /// Deferred.
    pub deferred: u32,
    /// Of those deferred: asked a moment ago, so not asked again now.
    pub debounced: u32,
    /// When the first of those that must wait may be asked.
    pub until: Option<Timestamp>,
    /// Asked before their time, at a person's word.
    pub early: u32,
    /// Of those: without a validator.
    pub early_plain: u32,
    /// Gone.
    pub gone: u32,
    /// Failed.
    pub failed: u32,
    /// Feeds that were wanted and came to nothing here: the store or the lock could not be used. `Failed` told why.
    pub undone: u32,
    /// Entries added.
    pub new: u32,
    /// Entries edited.
    pub updated: u32,
    /// Body bytes on the wire.
    pub bytes: u64,
    /// The engine could not poll at all: the poll lock was not had in time.
    pub busy: bool,
}

/// What a refresh would do with one feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// The feed.
    pub feed: FeedId,
    /// As in feeds.toml, userinfo masked.
    pub url: String,
    /// It would be asked now.
    pub ask: bool,
    /// It would carry a validator.
    pub conditional: bool,
    /// When it would be asked.
    pub next: Option<Timestamp>,
    /// Why, a clause for a person.
    pub why: String,
}

/// What came of `Add`.
#[derive(Debug, Clone, PartialEq)]
pub enum AddResult {
    /// It was there already; nothing was sent.
    Already {
        /// As in feeds.toml.
        url: String,
        /// It was gone or dead, and is polled again.
        revived: bool,
    },
    /// Subscribed; `report` is its first poll, whatever came of it.
    Subscribed {
        /// The first polls, one a feed.
        reports: Vec<PollReport>,
    },
    /// Subscribed, but another tidings was polling and did not finish in time: due at once.
    Queued {
        /// As in feeds.toml.
        url: String,
    },
    /// A page with several feeds: none was taken.
    Several {
        /// They.
        candidates: Vec<Candidate>,
    },
    /// Asked with `Pick::Show`, and not subscribed yet: `Take` or `Leave` it.
    Seen(Box<Preview>),
    /// Not subscribed.
    Refused {
        /// As given.
        url: String,
        /// Why, and what to do.
        why: String,
    },
}

/// How the reason ends when a page was read and names no feed: a front end says what to do then.
pub const NAMES_NONE: &str = "it names no feed";

/// A feed before it is subscribed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Preview {
    /// As it will stand in feeds.toml, userinfo masked.
    pub url: String,
    /// Where redirects led, userinfo masked.
    pub url_now: Option<String>,
    /// The feed's own title; one clean line, perhaps empty.
    pub title: String,
    /// `RSS`, `RSS 1.0`, `Atom`, `JSON Feed`; empty where it could not be read.
    pub kind: &'static str,
    /// Entries in it.
    pub entries: usize,
    /// The newest of them; the first where none has a date.
    pub newest: Option<Newest>,
    /// What the server sent to be asked with next time; raw bytes.
    pub validators: Validators,
    /// Decoded bytes of the body.
    pub bytes: u64,
    /// It was read, and something is worth knowing.
    pub warning: Option<String>,
    /// It could not be had now, and why: subscribed, it is tried again by its schedule.
    pub trouble: Option<String>,
}

/// An entry of a preview.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Newest {
    /// Its title, or the first words of its text; clean.
    pub title: String,
    /// Its date, where it has one that is not in the future.
    pub at: Option<Timestamp>,
}

/// An answer to be looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inspected {
    /// The URL that answered, userinfo masked.
    pub url: String,
    /// The status; `None` where nothing answered, and for a file or a command.
    pub status: Option<u16>,
    /// The header, as sent.
    pub content_type: Option<String>,
    /// The body, decoded from its transfer; of an error its beginning.
    pub bytes: Vec<u8>,
    /// Why it is no feed, before the body was read as one.
    pub error: Option<String>,
}

/// A rule with its hits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleRow {
    /// The rule.
    pub rule: Rule,
    /// How many entries it found.
    pub hits: u64,
    /// When last.
    pub last: Option<Timestamp>,
}

/// What a person sees of settings that were read again. The engine has taken over its own part.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSettings {
    /// Of the reader.
    pub ui: UiSettings,
    /// Name and text of the files in `themes/`.
    pub themes: Vec<(String, String)>,
    /// Tables that are others now and take effect at the next start, as `[http]`.
    pub later: Vec<&'static str>,
    /// Warnings, and files that could not be read: sentences.
    pub notices: Vec<String>,
}
