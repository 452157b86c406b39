//! What one word, phrase, pattern or prefix with its value asks for.

use std::time::Duration;

use chrono::{Datelike, NaiveDate};

use super::expr::{Field, Flag, Term};
use super::fold::fold;
use super::lex::Word;
use super::needle::{Needle, Pattern};
use super::{PREFIXES, QueryError};
use crate::model::EntryKey;

/// A suggestion at most this many slips away.
const NEAR: usize = 2;

/// What `is:` knows.
pub(super) const FLAGS: &[(&str, Flag)] = &[
    ("unread", Flag::Unread),
    ("read", Flag::Read),
    ("starred", Flag::Starred),
    ("edited", Flag::Edited),
    ("hidden", Flag::Hidden),
    ("withdrawn", Flag::Withdrawn),
];

/// What `date:` knows besides dates, as days ago.
pub(super) const DAYS: &[(&str, i64)] = &[("today", 0), ("yesterday", 1)];

/// The prefixes that look into a part of an entry.
const FIELDS: &[(&str, Field)] = &[
    ("title", Field::Title),
    ("body", Field::Body),
    ("author", Field::Author),
    ("feed", Field::Feed),
    ("link", Field::Link),
];

/// Flags that need no prefix.
const fn bare(flag: Flag) -> bool {
    matches!(flag, Flag::Unread | Flag::Starred | Flag::Edited)
}

/// The flag that a word without a prefix is.
pub(super) fn flag_of(word: &str) -> Option<Flag> {
    let mut flags = FLAGS.iter().filter(|(_, flag)| bare(*flag));
    flags.find(|(name, _)| *name == word).map(|(_, flag)| *flag)
}

/// How a flag is written.
pub(super) fn flag_text(flag: Flag) -> String {
    let name = FLAGS.iter().find(|(_, of)| *of == flag);
    let name = name.map_or("", |(name, _)| name);
    if bare(flag) {
        name.to_owned()
    } else {
        format!("is:{name}")
    }
}

/// The prefix of a field.
pub(super) fn prefix_of(field: Field) -> &'static str {
    FIELDS
        .iter()
        .find(|(_, of)| *of == field)
        .map_or("", |(name, _)| name)
}

/// Reads one word.
pub(super) fn read(word: &Word) -> Result<Term, QueryError> {
    let wrong = |message: String| QueryError {
        column: word.column,
        message,
    };
    let needle = |text: &str| {
        if word.pattern {
            Pattern::read(text).map(Needle::Pattern)
        } else {
            Ok(Needle::text(text))
        }
    };
    let Some(prefix) = word.prefix.as_deref() else {
        if let (false, false, Some(flag)) = (word.quoted, word.pattern, flag_of(&word.text)) {
            return Ok(Term::Is(flag));
        }
        let needle = needle(&word.text).map_err(wrong)?;
        return Ok(Term::Text(Field::Anywhere, needle));
    };
    let value = if word.pattern {
        &word.text
    } else {
        word.text.trim()
    };
    let field = FIELDS.iter().find(|(name, _)| *name == prefix);
    let known = PREFIXES.contains(&prefix);
    if known && value.is_empty() {
        let example = example(prefix);
        return Err(wrong(format!("{prefix}: needs a value, e.g. {example}")));
    }
    if let Some((_, field)) = field {
        let needle = needle(value).map_err(wrong)?;
        return Ok(Term::Text(*field, needle));
    }
    if known && word.pattern {
        return Err(wrong(format!(
            "{prefix}: takes no pattern; title:, body:, author:, feed: and link: do"
        )));
    }
    valued(prefix, value).map_err(wrong)
}

/// A prefix that is no part of an entry.
fn valued(prefix: &str, value: &str) -> Result<Term, String> {
    match prefix {
        "tag" => match value.trim_end_matches('/') {
            "" => Err("tag: needs a value, e.g. tag:tech/rust".to_owned()),
            tag => Ok(Term::Tag(fold(tag))),
        },
        "key" => EntryKey::from_hex(value)
            .map(Term::Key)
            .ok_or_else(|| "key: needs 32 hex digits".to_owned()),
        "is" => FLAGS
            .iter()
            .find(|(name, _)| value.eq_ignore_ascii_case(name))
            .map(|(_, flag)| Term::Is(*flag))
            .ok_or_else(|| choice("is", value, FLAGS.iter().map(|(name, _)| *name))),
        "has" if value.eq_ignore_ascii_case("enclosure") => Ok(Term::HasEnclosure),
        "has" => Err(choice("has", value, std::iter::once("enclosure"))),
        "age" => age(value),
        "date" => date(value),
        _ => Err(unknown(prefix)),
    }
}

fn example(prefix: &str) -> &'static str {
    match prefix {
        "title" => "title:rust",
        "body" => "body:\"memory safety\"",
        "author" => "author:ada",
        "feed" => "feed:lwn",
        "link" => "link:example.org",
        "tag" => "tag:tech/rust",
        "key" => "key: and 32 hex digits",
        "is" => "is:hidden",
        "has" => "has:enclosure",
        "date" => "date:2026-11",
        _ => "age:<7d",
    }
}

/// A value that must be one of a few words.
fn choice(prefix: &str, value: &str, known: impl Iterator<Item = &'static str> + Clone) -> String {
    let nearest = known
        .clone()
        .map(|word| (strsim::damerau_levenshtein(word, value), word))
        .min();
    match nearest {
        Some((slips, word)) if slips <= NEAR => {
            format!("{prefix}: does not know `{value}`; did you mean {prefix}:{word}?")
        }
        _ => {
            let known: Vec<String> = known.map(|word| format!("{prefix}:{word}")).collect();
            format!(
                "{prefix}: does not know `{value}`; known are {}",
                known.join(", ")
            )
        }
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
    humantime::parse_duration(span)
        .map(|span| side(Duration::from_secs(span.as_secs())))
        .map_err(|_| {
            format!("age: cannot read the duration `{span}`; write it like 90m, 12h, 7d or 2w")
        })
}

/// `2026`, `2026-11`, `2026-11-30`, `A..B`, `<A`, `>A`, `today`, `yesterday`.
fn date(value: &str) -> Result<Term, String> {
    if let Some((_, ago)) = DAYS
        .iter()
        .find(|(name, _)| value.eq_ignore_ascii_case(name))
    {
        return Ok(Term::DayAgo(*ago));
    }
    let wrong = || {
        format!(
            "date: cannot read `{value}`; write it like 2026, 2026-11, 2026-11-30, 2026-11-01..2026-11-15, today or yesterday"
        )
    };
    let days = |text: &str| days_of(text).ok_or_else(wrong);
    if let Some(day) = value.strip_prefix('<') {
        return Ok(Term::Days(None, Some(days(day)?.0)));
    }
    if let Some(day) = value.strip_prefix('>') {
        return Ok(Term::Days(Some(days(day)?.1), None));
    }
    let Some((first, last)) = value.split_once("..") else {
        let (from, until) = days(value)?;
        return Ok(Term::Days(Some(from), Some(until)));
    };
    let from = match first {
        "" => None,
        first => Some(days(first)?.0),
    };
    let until = match last {
        "" => None,
        last => Some(days(last)?.1),
    };
    match (from, until) {
        (None, None) => Err(wrong()),
        (Some(from), Some(until)) if from >= until => {
            Err(format!("date: `{value}` ends before it begins"))
        }
        (from, until) => Ok(Term::Days(from, until)),
    }
}

/// The first day of a year, month or day, and the one after its last.
fn days_of(text: &str) -> Option<(i64, i64)> {
    let mut parts = text.split('-').map(|part| {
        let digits = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| part.parse::<u32>().ok()).flatten()
    });
    let year = i32::try_from(parts.next()??)
        .ok()
        .filter(|y| (1..=9_998).contains(y))?;
    let (month, day) = (parts.next(), parts.next());
    if parts.next().is_some() {
        return None;
    }
    let (first, after) = match (month, day) {
        (None, _) => (
            NaiveDate::from_ymd_opt(year, 1, 1)?,
            NaiveDate::from_ymd_opt(year + 1, 1, 1)?,
        ),
        (Some(month), None) => {
            let first = NaiveDate::from_ymd_opt(year, month?, 1)?;
            (first, first.checked_add_months(chrono::Months::new(1))?)
        }
        (Some(month), Some(day)) => {
            let first = NaiveDate::from_ymd_opt(year, month?, day?)?;
            (first, first.succ_opt()?)
        }
    };
    Some((number(first), number(after)))
}

/// The day that `2026-11-30` names, counted from 1970-01-01.
pub fn day(text: &str) -> Option<i64> {
    let (first, after) = days_of(text)?;
    (after - first == 1).then_some(first)
}

/// Days since 1970-01-01.
fn number(date: NaiveDate) -> i64 {
    i64::from(date.num_days_from_ce()) - 719_163
}

/// The date of a day counted from 1970-01-01.
pub fn date_text(day: i64) -> String {
    let days = i32::try_from(day.saturating_add(719_163)).unwrap_or(i32::MAX);
    NaiveDate::from_num_days_from_ce_opt(days)
        .unwrap_or_default()
        .format("%Y-%m-%d")
        .to_string()
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
