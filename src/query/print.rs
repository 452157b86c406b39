//! A query as text that is read as the same query.

use std::fmt::{self, Display, Write};
use std::time::Duration;

use super::expr::{Expr, Field, Term};
use super::lex::is_keyword;
use super::needle::{Needle, Pattern};
use super::term::{DAYS, date_text, flag_of, flag_text, prefix_of};

/// How tightly something holds together: what is looser stands in brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tie {
    Any,
    All,
    One,
}

impl Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self, Tie::Any, f)
    }
}

fn write(expr: &Expr, around: Tie, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match expr {
        Expr::Term(term) => term.fmt(f),
        Expr::Not(part) => {
            f.write_str("not ")?;
            write(part, Tie::One, f)
        }
        Expr::All(parts) => list(parts, " ", Tie::All, around, f),
        Expr::Any(parts) => list(parts, " or ", Tie::Any, around, f),
    }
}

fn list(
    parts: &[Expr],
    joint: &str,
    own: Tie,
    around: Tie,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let brackets = around > own;
    if brackets {
        f.write_char('(')?;
    }
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            f.write_str(joint)?;
        }
        let within = if own == Tie::Any { Tie::All } else { Tie::One };
        write(part, within, f)?;
    }
    if brackets {
        f.write_char(')')?;
    }
    Ok(())
}

impl Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(field, needle) => {
                if *field != Field::Anywhere {
                    write!(f, "{}:", prefix_of(*field))?;
                }
                match needle {
                    Needle::Text(text) => f.write_str(&quoted(text)),
                    Needle::Pattern(pattern) => write_pattern(pattern, f),
                }
            }
            Self::Tag(tag) => write!(f, "tag:{}", quoted(tag)),
            Self::Key(key) => write!(f, "key:{key}"),
            Self::Is(flag) => f.write_str(&flag_text(*flag)),
            Self::HasEnclosure => f.write_str("has:enclosure"),
            Self::Younger(span) => write!(f, "age:<{}", span_text(*span)),
            Self::Older(span) => write!(f, "age:>{}", span_text(*span)),
            Self::DayAgo(ago) => {
                let name = DAYS.iter().find(|(_, of)| of == ago);
                write!(f, "date:{}", name.map_or("today", |(name, _)| name))
            }
            Self::Days(from, until) => write_days(*from, *until, f),
        }
    }
}

fn write_days(from: Option<i64>, until: Option<i64>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let last = until.map(|until| until - 1);
    f.write_str("date:")?;
    match (from, last) {
        (Some(from), Some(last)) if from == last => f.write_str(&date_text(from)),
        (from, last) => {
            let day = |day: Option<i64>| day.map(date_text).unwrap_or_default();
            write!(f, "{}..{}", day(from), day(last))
        }
    }
}

/// In the largest unit that leaves no rest.
fn span_text(span: Duration) -> String {
    let seconds = span.as_secs();
    let units = [(604_800, "w"), (86_400, "d"), (3_600, "h"), (60, "m")];
    let fit = units
        .iter()
        .find(|(unit, _)| seconds > 0 && seconds.is_multiple_of(*unit));
    fit.map_or_else(
        || format!("{seconds}s"),
        |(unit, name)| format!("{}{name}", seconds / unit),
    )
}

/// As a word where that is read as the same text, else in quotes.
pub(super) fn quoted(text: &str) -> String {
    let plain = !text.is_empty()
        && !is_keyword(text)
        && flag_of(text).is_none()
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '#' | '@' | '&'));
    let path = text.contains('/')
        && !text.starts_with('/')
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'));
    if plain || path {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

fn write_pattern(pattern: &Pattern, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_char('/')?;
    let mut chars = pattern.source().chars();
    while let Some(c) = chars.next() {
        match c {
            '/' => f.write_str("\\/")?,
            '\\' => {
                f.write_char(c)?;
                if let Some(next) = chars.next() {
                    f.write_char(next)?;
                }
            }
            c => f.write_char(c)?,
        }
    }
    f.write_char('/')
}
