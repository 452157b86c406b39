//! The query of a list, applied to one entry. The only file of the store that speaks to `query`.

use super::error::StoreError;
use crate::model::{EntryHead, Timestamp};

/// What a query may ask of an entry's feed.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    pub title: String,
    pub url: String,
    pub tags: Vec<String>,
}

/// A query that was read.
#[derive(Debug)]
pub(super) struct Filter {
    words: Vec<String>,
    now: Timestamp,
}

impl Filter {
    /// Reads `query`; `None` when it asks for nothing.
    pub(super) fn read(query: &str, now: Timestamp) -> Result<Option<Self>, StoreError> {
        if query.matches('"').count() % 2 == 1 {
            return Err(StoreError::Query("a quote is not closed".to_owned()));
        }
        let query = query.replace('"', " ");
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        Ok((!words.is_empty()).then_some(Self { words, now }))
    }

    /// Every entry that passes is unread: the list of unread entries is enough to look through.
    pub(super) fn unread_only(&self) -> bool {
        self.words.iter().any(|word| word == "unread")
    }

    /// Every entry that passes is starred.
    pub(super) fn starred_only(&self) -> bool {
        self.words.iter().any(|word| word == "starred")
    }

    pub(super) fn passes(&self, head: &EntryHead, feed: &Facts) -> bool {
        self.words.iter().all(|word| match word.as_str() {
            "unread" => head.unread,
            "starred" => head.starred,
            word => {
                head.first_seen <= self.now
                    && [&head.title, &head.author, &feed.title, &feed.url]
                        .into_iter()
                        .chain(&feed.tags)
                        .any(|text| text.to_lowercase().contains(word))
            }
        })
    }
}
