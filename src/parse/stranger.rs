//! A document that holds no feed, told by name.

use super::ParseError;
use super::references::{Entities, decode};
use super::tokens::{Token, Tokens};
use crate::article::sanitize;

/// A longer line is cut.
const LINE_MAX: usize = 120;

/// What a document without a feed in it is, with the first line a person can read.
pub(super) fn name(text: &str) -> ParseError {
    let Look { html, line } = look(text);
    if html {
        ParseError::Html(line)
    } else {
        ParseError::NotAFeed(line)
    }
}

/// What a look at a document shows.
pub(super) struct Look {
    /// It is a web page.
    pub html: bool,
    /// Its title, else its first line, else its root: clean and short; empty where nothing can be read.
    pub line: String,
}

/// Looks at a document that holds no feed.
pub(super) fn look(text: &str) -> Look {
    let mut tokens = Tokens::new(text);
    let (mut html, mut title, mut first) = (false, String::new(), String::new());
    let (mut in_title, mut root) = (false, "");
    while let Some(token) = tokens.next() {
        match token {
            Token::Doctype(kind) => html |= kind.trim().to_ascii_lowercase().starts_with("html"),
            Token::Start(tag) if root.is_empty() && !is_page(tag.name) => root = tag.name,
            Token::Start(tag) => match tag.name.to_ascii_lowercase().as_str() {
                "title" => in_title = true,
                name @ ("script" | "style" | "noscript" | "svg") => tokens.skip_raw(name),
                name => html |= is_page(name),
            },
            Token::End(name) => in_title &= !name.eq_ignore_ascii_case("title"),
            Token::Text(piece) | Token::CData(piece) => {
                let line = sanitize::line(&decode(first_line(piece), &Entities::default()));
                let place = if in_title { &mut title } else { &mut first };
                if place.is_empty() {
                    shortened(&line, LINE_MAX).clone_into(place);
                }
            }
        }
        if !title.is_empty() && html {
            break;
        }
    }
    // It has a head and a body, and is no page.
    if root.eq_ignore_ascii_case("opml") {
        return Look {
            html: false,
            line: "OPML, a list of feeds; `tidings import` reads it once, `tidings add --kind list` follows it".to_owned(),
        };
    }
    let line = match (title.is_empty(), first.is_empty()) {
        (false, _) => title,
        (true, false) => first,
        (true, true) if root.is_empty() => first,
        (true, true) => sanitize::line(&format!("<{}>", shortened(root, LINE_MAX))),
    };
    Look { html, line }
}

/// An element that only pages have.
fn is_page(name: &str) -> bool {
    [
        "html", "head", "body", "meta", "title", "div", "p", "h1", "script", "style",
    ]
    .iter()
    .any(|page| page.eq_ignore_ascii_case(name))
}

/// The first line that is not blank, cut where nobody reads on.
fn first_line(text: &str) -> &str {
    let line = text.lines().find(|line| !line.trim().is_empty());
    shortened(line.unwrap_or(""), 400)
}

/// At most so many characters from the start.
fn shortened(text: &str, most: usize) -> &str {
    let end = text
        .char_indices()
        .nth(most)
        .map_or(text.len(), |(at, _)| at);
    &text[..end]
}
