//! The query language: a line of text into an `Expr`, and whether an entry matches it. Pure; touches no store.
//!
//! Words and `"quoted phrases"` are looked for in title, author and feed title; `feed:` in the feed's title and URL; `tag:` names
//! a tag or one above it; `key:` is an entry's own; `unread` and `starred` are what they say; `age:<7d` is younger, `age:>7d`
//! older. All of them must hold. Letters match without regard to case.

mod fold;
mod lex;

use std::time::Duration;

use crate::model::{EntryHead, EntryKey, Timestamp};

use fold::{contains, fold};
use lex::{Token, tokens};

/// Prefixes, as they are suggested.
const PREFIXES: [&str; 4] = ["feed", "tag", "key", "age"];
/// A suggestion at most this many slips away.
const NEAR: usize = 2;

/// What was typed cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct QueryError {
    /// Of the character where it goes wrong, from 1.
    pub column: usize,
    /// What is wrong and what would be right, a clause.
    pub message: String,
}

/// A query: terms that must all hold. Empty matches everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Expr {
    terms: Vec<Term>,
}

/// One condition. Texts are folded already.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Term {
    Text(String),
    Feed(String),
    Tag(String),
    Key(EntryKey),
    Unread,
    Starred,
    Younger(Duration),
    Older(Duration),
}

/// What a query may ask of an entry's feed.
#[derive(Debug, Clone, Copy)]
pub struct FeedFacts<'a> {
    /// Its title.
    pub title: &'a str,
    /// Its URL as in feeds.toml.
    pub url: &'a str,
    /// Its tags, `a/b` for nesting.
    pub tags: &'a [String],
}

/// Reads a query. The empty text is the empty query.
pub fn parse(text: &str) -> Result<Expr, QueryError> {
    let terms = tokens(text)?.iter().map(term).collect::<Result<_, _>>()?;
    Ok(Expr { terms })
}

impl Expr {
    /// Every entry matches.
    pub const fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// All terms hold for this entry of this feed. `now` is what ages count from.
    pub fn matches(&self, head: &EntryHead, feed: &FeedFacts, now: Timestamp) -> bool {
        self.terms.iter().all(|term| term.holds(head, feed, now))
    }

    /// Only unread entries can match: the store need not look at others.
    pub fn unread_only(&self) -> bool {
        self.terms.contains(&Term::Unread)
    }

    /// Only starred entries can match.
    pub fn starred_only(&self) -> bool {
        self.terms.contains(&Term::Starred)
    }

    /// Only entries with this key can match.
    pub fn key(&self) -> Option<EntryKey> {
        self.terms.iter().find_map(|term| match term {
            Term::Key(key) => Some(*key),
            _ => None,
        })
    }

    /// Only entries whose sort time is later can match.
    pub fn since(&self, now: Timestamp) -> Option<Timestamp> {
        let bounds = self.terms.iter().filter_map(|term| match term {
            Term::Younger(span) => Some(before(now, *span)),
            _ => None,
        });
        bounds.max()
    }

    /// Only entries whose sort time is earlier can match.
    pub fn until(&self, now: Timestamp) -> Option<Timestamp> {
        let bounds = self.terms.iter().filter_map(|term| match term {
            Term::Older(span) => Some(before(now, *span)),
            _ => None,
        });
        bounds.min()
    }

    /// Entries of this feed can match: a feed that fails `feed:` or `tag:` need not be read at all.
    pub fn allows_feed(&self, feed: &FeedFacts) -> bool {
        self.terms.iter().all(|term| term.allows(feed))
    }
}

impl Term {
    fn holds(&self, head: &EntryHead, feed: &FeedFacts, now: Timestamp) -> bool {
        match self {
            Self::Text(text) => {
                contains(&head.title, text)
                    || contains(&head.author, text)
                    || contains(feed.title, text)
            }
            Self::Feed(_) | Self::Tag(_) => self.allows(feed),
            Self::Key(key) => head.id.key == *key,
            Self::Unread => head.unread,
            Self::Starred => head.starred,
            Self::Younger(span) => head.sort > before(now, *span),
            Self::Older(span) => head.sort < before(now, *span),
        }
    }

    fn allows(&self, feed: &FeedFacts) -> bool {
        match self {
            Self::Feed(text) => contains(feed.title, text) || contains(feed.url, text),
            Self::Tag(tag) => feed.tags.iter().any(|of| is_within(&fold(of), tag)),
            _ => true,
        }
    }
}

/// `a/b` is within `a` and within `a/b`, not within `a/bc`.
fn is_within(tag: &str, parent: &str) -> bool {
    tag.strip_prefix(parent)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn before(now: Timestamp, span: Duration) -> Timestamp {
    now.plus(-i64::try_from(span.as_secs()).unwrap_or(i64::MAX))
}

/// What one token asks for.
fn term(token: &Token) -> Result<Term, QueryError> {
    let wrong = |message: String| QueryError {
        column: token.column,
        message,
    };
    let Some(prefix) = &token.prefix else {
        return Ok(match (token.quoted, &*token.text) {
            (false, "unread") => Term::Unread,
            (false, "starred") => Term::Starred,
            _ => Term::Text(fold(&token.text)),
        });
    };
    let value = token.text.trim();
    if value.is_empty() {
        return Err(wrong(format!(
            "{prefix}: needs a value, e.g. {}",
            example(prefix)
        )));
    }
    match &**prefix {
        "feed" => Ok(Term::Feed(fold(value))),
        "tag" => Ok(Term::Tag(fold(value.trim_end_matches('/')))),
        "key" => EntryKey::from_hex(value)
            .map(Term::Key)
            .ok_or_else(|| wrong("key: needs 32 hex digits".to_owned())),
        "age" => age(value).map_err(wrong),
        _ => Err(wrong(unknown(prefix))),
    }
}

fn example(prefix: &str) -> &'static str {
    match prefix {
        "feed" => "feed:lwn",
        "tag" => "tag:tech/rust",
        "key" => "key: and 32 hex digits",
        _ => "age:<7d",
    }
}

fn age(value: &str) -> Result<Term, String> {
    let (side, span): (fn(Duration) -> Term, _) = if let Some(span) = value.strip_prefix('<') {
        (Term::Younger, span)
    } else if let Some(span) = value.strip_prefix('>') {
        (Term::Older, span)
    } else {
        return Err("age: needs < or >, e.g. age:<7d".to_owned());
    };
    humantime::parse_duration(span).map(side).map_err(|_| {
        format!("age: cannot read the duration `{span}`; write it like 90m, 12h, 7d or 2w")
    })
}

fn unknown(prefix: &str) -> String {
    let nearest = PREFIXES
        .iter()
        .map(|known| (strsim::damerau_levenshtein(known, prefix), known))
        .min()
        .filter(|(slips, known)| *slips <= NEAR && *slips < known.len());
    let known = match nearest {
        Some((_, known)) => format!("did you mean {known}:?"),
        None => format!("known are {}:", PREFIXES.join(":, ")),
    };
    format!("unknown prefix {prefix}:, {known} (quote the word to search for it as text)")
}

#[cfg(test)]
mod tests;
