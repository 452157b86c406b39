//! A line of text into tokens: words, phrases, `prefix:value`.

use super::{PREFIXES, QueryError};

/// One word, phrase, or prefix with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// Where it begins, in characters from 1.
    pub(super) column: usize,
    /// Lower case, without the colon.
    pub(super) prefix: Option<String>,
    /// The word, or the value behind the prefix; quotes and their escapes resolved.
    pub(super) text: String,
    /// The text, or part of it, stood in quotes: then it is no keyword.
    pub(super) quoted: bool,
}

/// Cuts at white space outside quotes. `\"` and `\\` stand for themselves inside quotes.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, QueryError> {
    let mut found = Vec::new();
    let mut chars = text.chars().enumerate().peekable();
    while let Some((at, c)) = chars.peek().copied() {
        if c.is_whitespace() {
            chars.next();
            continue;
        }
        let mut token = Token {
            column: at + 1,
            prefix: None,
            text: String::new(),
            quoted: false,
        };
        while let Some((at, c)) = chars.next_if(|(_, c)| !c.is_whitespace()) {
            match c {
                '"' => {
                    token.quoted = true;
                    phrase(&mut chars, at + 1, &mut token.text)?;
                }
                ':' if token.prefix.is_none()
                    && !token.quoted
                    && is_prefix(&token.text, chars.peek().map(|(_, next)| *next)) =>
                {
                    token.prefix = Some(std::mem::take(&mut token.text).to_ascii_lowercase());
                }
                c => token.text.push(c),
            }
        }
        // `""` asks for nothing.
        if token.prefix.is_some() || !token.text.is_empty() {
            found.push(token);
        }
    }
    Ok(found)
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
