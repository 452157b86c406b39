//! The query of a list, applied to one entry. The only file of the store that speaks to `query`.

use super::error::StoreError;
use crate::model::{EntryHead, Timestamp};
use crate::query::{self, Expr, FeedFacts};

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
    expr: Expr,
    now: Timestamp,
}

impl Filter {
    /// Reads `query`; `None` when it asks for nothing.
    pub(super) fn read(query: &str, now: Timestamp) -> Result<Option<Self>, StoreError> {
        let expr = query::parse(query).map_err(|error| StoreError::Query(error.to_string()))?;
        Ok((!expr.is_empty()).then_some(Self { expr, now }))
    }

    /// Every entry that passes is unread: the list of unread entries is enough to look through.
    pub(super) fn unread_only(&self) -> bool {
        self.expr.unread_only()
    }

    /// Every entry that passes is starred.
    pub(super) fn starred_only(&self) -> bool {
        self.expr.starred_only()
    }

    pub(super) fn passes(&self, head: &EntryHead, feed: &Facts) -> bool {
        let facts = FeedFacts {
            title: &feed.title,
            url: &feed.url,
            tags: &feed.tags,
        };
        self.expr.matches(head, &facts, self.now)
    }
}
