//! The query of a list, applied to one entry. The only file of the store that reads queries.

use super::codes::{HIDDEN, READ, STARRED, WITHDRAWN};
use super::error::StoreError;
use super::records::HeadV1;
use crate::model::{EntryKey, Moment, Timestamp};
use crate::query::{self, Expr, FeedFacts, MarkFacts, Needle};

/// What a query may ask of an entry's feed.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    pub title: String,
    pub url: String,
    pub tags: Vec<String>,
}

impl Facts {
    pub(super) fn lent(&self) -> FeedFacts<'_> {
        FeedFacts {
            title: &self.title,
            url: &self.url,
            tags: &self.tags,
        }
    }
}

/// A query that was read.
#[derive(Debug)]
pub(super) struct Filter {
    expr: Expr,
    moment: Moment,
    span: (Timestamp, Timestamp),
}

impl Filter {
    /// Reads the queries, which must hold both; `None` when they ask for nothing.
    pub(super) fn read(
        query: &str,
        within: &str,
        moment: Moment,
    ) -> Result<Option<Self>, StoreError> {
        let read =
            |text: &str| query::parse(text).map_err(|error| StoreError::Query(error.to_string()));
        let expr = Expr::all(vec![read(within)?, read(query)?]);
        let span = expr.span(moment);
        Ok((!expr.is_empty()).then_some(Self { expr, moment, span }))
    }

    /// Every entry that passes is unread: the list of unread entries is enough to look through.
    pub(super) fn unread_only(&self) -> bool {
        self.expr.unread_only()
    }

    /// Every entry that passes is starred.
    pub(super) fn starred_only(&self) -> bool {
        self.expr.starred_only()
    }

    /// Hidden entries are asked about.
    pub(super) fn names_hidden(&self) -> bool {
        self.expr.names_hidden()
    }

    /// It asks for words: what passes may be rare, and heads or texts have to be read to know.
    pub(super) fn names_text(&self) -> bool {
        self.expr.names_text()
    }

    /// Tags that people set on entries are asked about.
    pub(super) fn names_tags(&self) -> bool {
        self.expr.names_tags()
    }

    /// What it asks of texts.
    pub(super) fn needles(&self) -> impl Iterator<Item = &Needle> {
        self.expr.body_needles()
    }

    /// What passes does so until heads are written: it hangs neither on marks nor on the time.
    pub(super) fn is_lasting(&self) -> bool {
        self.expr.is_lasting()
    }

    /// An entry of this date can pass.
    pub(super) fn may_be_of(&self, sort: i64) -> bool {
        (self.span.0..=self.span.1).contains(&Timestamp(sort))
    }

    /// Whether an entry passes, as far as that can be told; without `bits` its marks are not known.
    pub(super) fn judge(
        &self,
        head: &HeadV1<'_>,
        bits: Option<u8>,
        tags: &[String],
        feed: &Facts,
        body: &mut dyn FnMut(&Needle) -> Option<bool>,
    ) -> Option<bool> {
        let facts = query::Facts {
            title: head.title,
            author: head.author,
            link: head.link().unwrap_or_default(),
            key: EntryKey(head.key),
            sort: Timestamp(head.sort),
            edited: head.edited,
            enclosed: !head.enclosures.is_empty(),
            marks: bits.map(|bits| MarkFacts {
                unread: bits & READ == 0,
                starred: bits & STARRED != 0,
                hidden: bits & HIDDEN != 0,
                withdrawn: bits & WITHDRAWN != 0,
            }),
            tags,
            feed: feed.lent(),
        };
        self.expr.judge(&facts, self.moment, body)
    }
}
