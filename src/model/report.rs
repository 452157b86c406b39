//! A poll as a front end hears of it.

use std::time::Duration;

use super::feed::{FeedId, FeedRow};
use super::outcome::Outcome;

/// What a front end learns of one poll, after its commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PollReport {
    /// The feed.
    pub feed: FeedId,
    /// The URL as in feeds.toml.
    pub url: String,
    /// The URL that answered, when it is another.
    pub url_now: Option<String>,
    /// Status of the last answer.
    pub status: Option<u16>,
    /// How it ended.
    pub outcome: Outcome,
    /// Worth telling though the poll went well; `truncated` stands for itself in JSON (R13).
    pub warning: Option<String>,
    /// Body bytes on the wire.
    pub bytes: u64,
    /// From start to commit.
    pub took: Duration,
    /// The feed's row as it is after the poll.
    pub row: FeedRow,
}

impl PollReport {
    /// The warning as a sentence for a person.
    pub fn warning_text(&self) -> Option<&str> {
        self.warning.as_deref().map(|warning| match warning {
            "truncated" => "the feed is cut off; its whole entries are kept",
            other => other,
        })
    }
}
