//! A poll as a front end hears of it.

use std::time::Duration;

use super::feed::{FeedId, FeedRow};
use super::outcome::{LastAnswer, Outcome};
use super::time::Timestamp;

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
    /// A person had it asked before its time (R46).
    pub early: Option<Early>,
    /// A hub brought it: nothing was asked (R79).
    pub pushed: bool,
    /// The feed's row as it is after the poll.
    pub row: FeedRow,
}

/// A poll before its time: inside of what the interval, the server's freshness or a back-off would have it wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Early {
    /// The time that the schedule had set.
    pub next: Timestamp,
    /// It carried a validator all the same.
    pub conditional: bool,
}

impl PollReport {
    /// Nothing was sent because the feed was asked a moment ago, by whomever: its row still tells of that request.
    /// Of a feed that has to wait for another reason the row tells that.
    pub fn is_debounced(&self) -> bool {
        let deferred = matches!(self.outcome, Outcome::Deferred { .. }) && self.status.is_none();
        let asked = |last: &LastAnswer| {
            last.status.is_some() || !matches!(last.outcome, Outcome::Deferred { .. })
        };
        deferred && self.row.last.as_ref().is_some_and(asked)
    }

    /// The warning as a sentence for a person.
    pub fn warning_text(&self) -> Option<&str> {
        self.warning.as_deref().map(|warning| match warning {
            "truncated" => "the feed is cut off; its whole entries are kept",
            other => other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ErrorKind, PollError};

    #[test]
    fn only_a_request_a_moment_ago_makes_a_feed_debounced() {
        let deferred = Outcome::Deferred {
            until: Timestamp(60),
        };
        let report = |status, outcome: &Outcome, last: Option<(Option<u16>, Outcome)>| PollReport {
            feed: FeedId(1),
            url: String::new(),
            url_now: None,
            status,
            outcome: outcome.clone(),
            warning: None,
            bytes: 0,
            took: Duration::ZERO,
            early: None,
            pushed: false,
            row: FeedRow {
                last: last.map(|(status, outcome)| LastAnswer {
                    at: Timestamp(0),
                    status,
                    outcome,
                }),
                ..FeedRow::default()
            },
        };
        let held = Some((None, deferred.clone()));
        let timeout = Outcome::Failed(PollError::new(ErrorKind::Timeout, ""));
        for (expected, report) in [
            (
                true,
                report(None, &deferred, Some((Some(304), Outcome::NotModified))),
            ),
            (true, report(None, &deferred, Some((None, timeout)))),
            (false, report(None, &deferred, held)),
            (
                false,
                report(Some(429), &deferred, Some((Some(429), deferred.clone()))),
            ),
            (
                false,
                report(
                    Some(304),
                    &Outcome::NotModified,
                    Some((Some(304), Outcome::NotModified)),
                ),
            ),
            (false, report(None, &deferred, None)),
        ] {
            assert_eq!(report.is_debounced(), expected, "{report:?}");
        }
    }
}
