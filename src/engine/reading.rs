//! What reading a body needs besides the body, and what its errors are called.

use url::Url;

use crate::model::{ErrorKind, PollError};
use crate::parse::ParseError;

/// A parse error as the outcome of a poll.
pub fn poll_error(error: &ParseError) -> PollError {
    // What stands in the document is quoted: it is no sentence of ours.
    let quoted = |line: &str| match line {
        "" => String::new(),
        line => format!("“{line}”"),
    };
    match error {
        ParseError::Empty => PollError::new(ErrorKind::Empty, ""),
        ParseError::Html(line) => PollError::new(ErrorKind::Html, quoted(line)),
        ParseError::NotAFeed(line) => PollError::new(ErrorKind::NotAFeed, quoted(line)),
        ParseError::Truncated => PollError::new(ErrorKind::Truncated, ""),
        ParseError::Unreadable(why) => PollError::new(ErrorKind::NotAFeed, why),
    }
}

/// The URL without a user's name and password: what a feed links to, relative to itself, is shown, opened and copied.
pub fn without_login(url: &str) -> String {
    match Url::parse(url) {
        Ok(mut plain) if !plain.username().is_empty() || plain.password().is_some() => {
            // An http URL always takes these.
            let _ = plain.set_username("");
            let _ = plain.set_password(None);
            plain.into()
        }
        _ => url.to_owned(),
    }
}
