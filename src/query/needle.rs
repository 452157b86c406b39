//! What is looked for in a text: words as they are, or a pattern.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

use super::fold::{contains, find_all, fold};

/// A compiled pattern takes no more than this.
const PATTERN_BYTES: usize = 1 << 20;

/// A text or a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Needle {
    /// Letters in a row, folded.
    Text(String),
    /// `/…/`.
    Pattern(Pattern),
}

/// A regular expression that was read; letters match without regard to case unless it says `(?-i)`.
#[derive(Debug, Clone)]
pub struct Pattern {
    source: String,
    regex: Regex,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Pattern {}

impl Pattern {
    /// Reads it; what is wrong as a clause.
    pub(super) fn read(source: &str) -> Result<Self, String> {
        let built = RegexBuilder::new(source)
            .case_insensitive(true)
            .size_limit(PATTERN_BYTES)
            .dfa_size_limit(PATTERN_BYTES)
            .nest_limit(50)
            .build();
        match built {
            Ok(regex) => Ok(Self {
                source: source.to_owned(),
                regex,
            }),
            Err(regex::Error::CompiledTooBig(_)) => {
                Err("this regular expression is too large".to_owned())
            }
            Err(error) => {
                let text = error.to_string();
                let last = text.lines().last().unwrap_or_default();
                let why = last.trim_start_matches("error: ");
                Err(format!("this regular expression cannot be read: {why}"))
            }
        }
    }

    /// As it was typed, without the slashes around it.
    pub fn source(&self) -> &str {
        &self.source
    }
}

impl Needle {
    /// Of letters as typed.
    pub(super) fn text(text: &str) -> Self {
        Self::Text(fold(text))
    }

    /// It stands somewhere in `text`.
    pub fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Text(needle) => contains(text, needle),
            Self::Pattern(pattern) => pattern.regex.is_match(text),
        }
    }

    /// Every place in `text` where it stands, as byte ranges in order.
    pub fn places(&self, text: &str) -> Vec<Range<usize>> {
        match self {
            Self::Text(needle) => find_all(text, needle),
            Self::Pattern(pattern) => {
                let found = pattern.regex.find_iter(text).map(|found| found.range());
                found.filter(|range| !range.is_empty()).collect()
            }
        }
    }
}
