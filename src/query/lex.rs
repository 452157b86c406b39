//! A line of text into tokens: words, phrases, patterns, `prefix:value`, and the brackets around them.

use std::iter::{Enumerate, Peekable};
use std::str::Chars;

use super::{PREFIXES, QueryError};

/// What stands in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// `(`, and its column.
    Open(usize),
    /// `)`, and its column.
    Close(usize),
    /// Anything else.
    Word(Word),
}

/// One word, phrase or pattern, or a prefix with its value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Word {
    /// Where it begins, in characters from 1.
    pub(super) column: usize,
    /// Lower case, without the colon.
    pub(super) prefix: Option<String>,
    /// The word, or the value behind the prefix; quotes, slashes and their escapes resolved.
    pub(super) text: String,
    /// The text, or part of it, stood in quotes: then it is no keyword.
    pub(super) quoted: bool,
    /// It stood between slashes.
    pub(super) pattern: bool,
}

type Line<'a> = Peekable<Enumerate<Chars<'a>>>;

/// Cuts at white space and brackets outside of quotes. `\"` and `\\` stand for themselves inside quotes, `\/` between slashes.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, QueryError> {
    let mut found = Vec::new();
    let mut line = text.chars().enumerate().peekable();
    while let Some((at, c)) = line.peek().copied() {
        match c {
            c if c.is_whitespace() => drop(line.next()),
            '(' => {
                line.next();
                found.push(Token::Open(at + 1));
            }
            ')' => {
                line.next();
                found.push(Token::Close(at + 1));
            }
            _ => {
                let word = word(&mut line, at + 1)?;
                // `""` asks for nothing.
                if word.prefix.is_some() || !word.text.is_empty() {
                    found.push(Token::Word(word));
                }
            }
        }
    }
    Ok(found)
}

/// One word, up to white space or a bracket that is not its own: `fn(x)` is one.
fn word(line: &mut Line<'_>, column: usize) -> Result<Word, QueryError> {
    let mut word = Word {
        column,
        ..Word::default()
    };
    if let Some(source) = pattern(line) {
        word.text = source;
        word.pattern = true;
        return Ok(word);
    }
    if line.peek().is_some_and(|(_, c)| *c == '/') {
        return Err(QueryError {
            column,
            message: "the pattern that opens here is never closed; it ends with / and a blank. To look for the text, put it in quotes".to_owned(),
        });
    }
    let mut depth = 0_usize;
    while let Some((at, c)) = line.peek().copied() {
        match c {
            c if c.is_whitespace() => break,
            ')' if depth == 0 => break,
            '(' if word.prefix.is_none() && !word.quoted && is_keyword(&word.text) => break,
            '"' => {
                line.next();
                word.quoted = true;
                phrase(line, at + 1, &mut word.text)?;
                continue;
            }
            _ => drop(line.next()),
        }
        match c {
            ':' if word.prefix.is_none()
                && !word.quoted
                && is_prefix(&word.text, line.peek().map(|(_, next)| *next)) =>
            {
                word.prefix = Some(std::mem::take(&mut word.text).to_ascii_lowercase());
                if let Some(source) = pattern(line) {
                    word.text = source;
                    word.pattern = true;
                    return Ok(word);
                }
            }
            '(' => {
                depth += 1;
                word.text.push(c);
            }
            ')' => {
                depth -= 1;
                word.text.push(c);
            }
            c => word.text.push(c),
        }
    }
    Ok(word)
}

/// A word that joins others.
pub(super) fn is_keyword(word: &str) -> bool {
    matches!(word, "and" | "or" | "not" | "AND" | "OR" | "NOT")
}

/// Letters before a colon are a prefix; `10:30` and `https://…` are words, `feed:/blog` is not.
fn is_prefix(word: &str, next: Option<char>) -> bool {
    !word.is_empty()
        && word.chars().all(|c| c.is_ascii_alphabetic())
        && (next != Some('/')
            || PREFIXES
                .iter()
                .any(|known| word.eq_ignore_ascii_case(known)))
}

/// The pattern that begins here; nothing is taken where none is. It ends with a slash and a blank, a bracket or the end.
fn pattern(line: &mut Line<'_>) -> Option<String> {
    let mut ahead = line.clone();
    ahead.next_if(|(_, c)| *c == '/')?;
    let mut source = String::new();
    while let Some((_, c)) = ahead.next() {
        match c {
            '\\' => match ahead.next()? {
                (_, '/') => source.push('/'),
                (_, other) => source.extend(['\\', other]),
            },
            '/' => {
                let ends = ahead
                    .peek()
                    .is_none_or(|(_, next)| next.is_whitespace() || *next == ')');
                if ends && !source.is_empty() {
                    *line = ahead;
                    return Some(source);
                }
                // `//host/path` is text.
                if source.is_empty() {
                    return None;
                }
                source.push('/');
            }
            c => source.push(c),
        }
    }
    None
}

/// The rest of a phrase up to its closing quote.
fn phrase(
    chars: &mut impl Iterator<Item = (usize, char)>,
    column: usize,
    into: &mut String,
) -> Result<(), QueryError> {
    while let Some((_, c)) = chars.next() {
        match c {
            '"' => return Ok(()),
            '\\' => match chars.next() {
                Some((_, escaped @ ('"' | '\\'))) => into.push(escaped),
                Some((_, other)) => into.extend(['\\', other]),
                None => into.push('\\'),
            },
            c => into.push(c),
        }
    }
    Err(QueryError {
        column,
        message: "the quote that opens here is never closed".to_owned(),
    })
}
