//! The query language: a line of text into an `Expr`, and whether an entry matches it. Pure; touches no store.
//!
//! One language for the search line, `entries`, `mark`, smart feeds and rules:
//!
//! ```text
//! query  = all { "or" all }
//! all    = one { ["and"] one }                 side by side is and
//! one    = "not" one | "(" query ")" | term
//! term   = word | "a phrase" | /pattern/       in title, author, feed title or text
//!        | title:… body:… author:… feed:… link:…   there alone; the value is a word, a phrase or a pattern
//!        | tag:a/b | key:HEX | has:enclosure
//!        | unread | starred | edited | is:unread is:read is:starred is:edited is:hidden
//!        | age:<7d | age:>7d | date:2026-11-30 date:2026-11 date:2026 date:A..B date:<A date:>A date:today date:yesterday
//! ```
//! Letters match without regard to case, anywhere in a word: that is how Chinese and Japanese are found too. `tag:a` names a tag
//! of the feed or one of the user's own on the entry, or one below it. Hidden entries match only where the query says `is:hidden`; whoever asks has to see to that.

mod complete;
mod expr;
mod fold;
mod help;
mod lex;
mod needle;
mod parse;
mod plain;
mod print;
mod rules;
mod term;
#[cfg(test)]
mod tests;

pub use complete::{Names, complete};
pub use expr::{Expr, Facts, FeedFacts, Field, Flag, MarkFacts, Term};
pub use help::HELP;
pub use needle::{Needle, Pattern};
pub use parse::parse;
pub use plain::plain;
pub use rules::{Ruled, RuledMarks, Rules, rule_key};
pub use term::{date_text as day_text, day};

/// Prefixes, in the order in which they are told.
const PREFIXES: [&str; 11] = [
    "title", "body", "author", "feed", "tag", "link", "key", "is", "has", "age", "date",
];

/// What was typed cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct QueryError {
    /// Of the character where it goes wrong, from 1.
    pub column: usize,
    /// What is wrong and what would be right, a clause.
    pub message: String,
}

/// Folds a text as words of queries are folded: what an index of words has to hold.
pub fn folded(text: &str) -> String {
    fold::fold(text)
}
