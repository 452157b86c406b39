//! The rows of `rosters`.

use serde::{Deserialize, Serialize};

use super::{Record, record};
use crate::model::{Absence, Listed, Roster, Timestamp};

/// `rosters`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RosterV1 {
    pub read_at: i64,
    pub feeds: Vec<ListedV1>,
}

/// A feed of a roster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ListedV1 {
    pub url: String,
    pub title: Option<String>,
    pub tags: Vec<String>,
    /// Since when it is absent, and for how many seconds it was seen to be.
    pub absent: Option<(i64, u32)>,
}

record!(RosterV1, "rosters");

impl From<&Roster> for RosterV1 {
    fn from(roster: &Roster) -> Self {
        let listed = |feed: &Listed| ListedV1 {
            url: feed.url.clone(),
            title: feed.title.clone(),
            tags: feed.tags.clone(),
            absent: feed.absent.map(|absent| (absent.since.0, absent.secs)),
        };
        Self {
            read_at: roster.read_at.0,
            feeds: roster.feeds.iter().map(listed).collect(),
        }
    }
}

impl RosterV1 {
    pub(crate) fn model(self) -> Roster {
        let listed = |feed: ListedV1| Listed {
            url: feed.url,
            title: feed.title,
            tags: feed.tags,
            absent: feed.absent.map(|(since, secs)| Absence {
                since: Timestamp(since),
                secs,
            }),
        };
        Roster {
            read_at: Timestamp(self.read_at),
            feeds: self.feeds.into_iter().map(listed).collect(),
        }
    }
}
