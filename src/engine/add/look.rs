//! What an answer to `add` is good for.

use crate::config;
use crate::engine::job::Fetched;
use crate::engine::lists;
use crate::engine::reading::poll_error;
use crate::model::{Answer, ErrorKind, PollError};
use crate::parse::{self, Candidate, Odd, OddKind, ParseError};
use crate::poll::{self, Verdict};

/// What an answer to `add` is good for.
pub enum Look {
    /// A feed.
    Feed,
    /// Perhaps a feed: the schedule will find out.
    TryLater,
    /// Not a feed, but it may name some.
    Page(String),
    /// Nothing to subscribe to.
    No(String),
}

/// Judges it, without a decision about a feed that is not there yet.
pub fn look(fetched: &Fetched, asked: &str) -> Look {
    if fetched.barred.is_some() {
        return Look::TryLater;
    }
    let answer = match &fetched.end {
        Ok(answer) => answer,
        Err(error) => return look_at_error(error),
    };
    let named = |error: &PollError| parse::named(answer, asked, error, false);
    let local = config::local(asked).is_some();
    match poll::judge(answer, false) {
        Verdict::Throttled | Verdict::NotModified | Verdict::Redirect => Look::TryLater,
        Verdict::Gone => Look::No("the server says that it is gone for good (410)".to_owned()),
        Verdict::Failed(error) => match answer.status {
            304 | 401 | 403 | 500..=599 => Look::TryLater,
            _ => Look::No(named(&error).to_string()),
        },
        Verdict::Parse => {
            let content_type = answer.headers.text("content-type");
            match parse::parse(&answer.body.bytes, content_type.as_deref(), &answer.url) {
                Ok(_) => Look::Feed,
                Err(error @ (ParseError::Html(_) | ParseError::NotAFeed(_)))
                    if !local && may_name_feeds(parse::odd(answer, asked)) =>
                {
                    Look::Page(named(&poll_error(&error)).to_string())
                }
                Err(error) => Look::No(named(&poll_error(&error)).to_string()),
            }
        }
    }
}

/// The same for what is to be a list of feeds.
pub fn look_for_list(fetched: &Fetched, asked: &str) -> Look {
    let is_body = |answer: &Answer| matches!(poll::judge(answer, false), Verdict::Parse);
    match &fetched.end {
        Ok(answer) if fetched.barred.is_none() && is_body(answer) => {
            let content_type = answer.headers.text("content-type");
            match parse::list(&answer.body.bytes, content_type.as_deref()) {
                Ok(_) => Look::Feed,
                Err(error) => Look::No(lists::refused(answer, asked, &error, false).to_string()),
            }
        }
        _ => look(fetched, asked),
    }
}

/// The same for what is to be a sitemap; its files have been asked for as well.
pub fn look_for_sitemap(fetched: &Fetched, asked: &str) -> Look {
    match &fetched.gathered {
        None => look(fetched, asked),
        Some(gathered) => match &gathered.refused {
            Some(error) => Look::No(error.to_string()),
            None if gathered.well => Look::Feed,
            None => Look::TryLater,
        },
    }
}

/// The links of a page that stands in the way are not those of the site.
fn may_name_feeds(odd: Option<Odd>) -> bool {
    odd.is_none_or(|odd| {
        matches!(
            odd.kind,
            OddKind::Login | OddKind::Consent | OddKind::Placeholder
        )
    })
}

fn look_at_error(error: &PollError) -> Look {
    match error.kind {
        ErrorKind::Url
        | ErrorKind::TooLarge
        | ErrorKind::Credentials
        | ErrorKind::Headers
        | ErrorKind::File => Look::No(error.to_string()),
        _ => Look::TryLater,
    }
}

/// Feeds that a page names.
pub fn candidates_of(fetched: &Fetched) -> Vec<Candidate> {
    fetched.end.as_ref().map_or_else(
        |_| Vec::new(),
        |answer| {
            let content_type = answer.headers.text("content-type");
            parse::discover(&answer.body.bytes, content_type.as_deref(), &answer.url)
        },
    )
}
