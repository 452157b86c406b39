//! `tidings entries`.

use std::collections::HashMap;
use std::io::Write;

use serde::Serialize;

use super::ask::Asking;
use super::json;
use super::say::{local, name, shown};
use super::table::fill;
use super::{Context, Failure, exit, marks};
use crate::article::sanitize;
use crate::cli::Entries;
use crate::engine::{Command, Event};
use crate::model::{
    Anchor, Enclosure, EntriesPage, EntryHead, FeedId, FeedRow, ListSpec, Timestamp, Window,
};

/// Rows asked for at a time: all entries are never in memory at once.
const WINDOW: usize = 2_000;

/// Columns of the feed's name.
const FEED_COLUMNS: usize = 24;

/// One member of `entries --json`. The keys are an interface: they may gain members, never change.
#[derive(Debug, Serialize)]
struct Line<'a> {
    feed_url: &'a str,
    id: &'a str,
    key: String,
    title: &'a str,
    link: Option<&'a str>,
    published: Option<String>,
    updated: Option<String>,
    first_seen: String,
    unread: bool,
    starred: bool,
    /// Its feed, which says that it is complete, lists it no longer; absent where that is not so.
    #[serde(skip_serializing_if = "is_not")]
    withdrawn: bool,
    author: &'a str,
    enclosures: Vec<Attached<'a>>,
    tags: &'a [String],
}

/// One of `enclosures`.
#[derive(Debug, Serialize)]
struct Attached<'a> {
    url: &'a str,
    #[serde(rename = "type")]
    media_type: &'a str,
    length: Option<u64>,
    duration: Option<u64>,
}

impl<'a> Attached<'a> {
    fn of(enclosure: &'a Enclosure) -> Self {
        Self {
            url: &enclosure.url,
            media_type: &enclosure.media_type,
            length: enclosure.length,
            duration: enclosure.duration,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
const fn is_not(flag: &bool) -> bool {
    !*flag
}

impl<'a> Line<'a> {
    fn of(head: &'a EntryHead, feed_url: &'a str) -> Self {
        Self {
            feed_url,
            id: &head.guid,
            key: head.id.key.to_string(),
            title: &head.title,
            link: head.link.as_deref(),
            published: head.published.map(Timestamp::rfc3339),
            updated: head.updated.map(Timestamp::rfc3339),
            first_seen: head.first_seen.rfc3339(),
            unread: head.unread,
            starred: head.starred,
            withdrawn: head.withdrawn,
            author: &head.author,
            enclosures: head.enclosures.iter().map(Attached::of).collect(),
            tags: &head.tags,
        }
    }
}

/// What is shown of a feed beside its entries.
struct Known {
    url: String,
    name: String,
}

/// Lists entries, newest first.
pub(super) fn entries(
    wanted: &Entries,
    context: &Context,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    let query = wanted.query.join(" ");
    marks::check(&query)?;
    let spec = ListSpec {
        query,
        ..ListSpec::default()
    };
    let limit = wanted.limit.unwrap_or(usize::MAX);
    list(&spec, limit, wanted.json, context, out)
}

/// Prints the entries of a list.
pub(super) fn list(
    spec: &ListSpec,
    limit: usize,
    as_json: bool,
    context: &Context,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    let mut asking = Asking::start(context)?;
    let feeds: HashMap<FeedId, Known> = asking.feeds()?.iter().map(known).collect();
    let none = Known {
        url: String::new(),
        name: String::new(),
    };
    let feed_of = |head: &EntryHead| feeds.get(&head.id.feed).unwrap_or(&none);
    if as_json {
        let mut array = json::Array::begin(out)?;
        walk(&mut asking, spec, limit, |head| {
            Ok(array.push(&Line::of(head, &feed_of(head).url))?)
        })?;
        array.end()?;
    } else {
        walk(&mut asking, spec, limit, |head| {
            Ok(writeln!(out, "{}", text_line(head, &feed_of(head).name))?)
        })?;
    }
    asking.end();
    Ok(exit::WELL)
}

fn known(row: &FeedRow) -> (FeedId, Known) {
    let feed = &row.feed;
    let known = Known {
        url: shown(&feed.url),
        name: name(&feed.title, &feed.url),
    };
    (feed.id, known)
}

fn text_line(head: &EntryHead, feed: &str) -> String {
    let title = sanitize::line(&head.title);
    let link = head.link.as_deref().map(shown).unwrap_or_default();
    let title = match (title.is_empty(), link.is_empty()) {
        (false, _) => title.as_str(),
        (true, false) => link.as_str(),
        (true, true) => "(no title)",
    };
    let unread = if head.unread { "●" } else { " " };
    let star = if head.starred { "★" } else { " " };
    let feed = fill(feed, FEED_COLUMNS);
    format!("{unread}{star} {}  {feed}  {title}", local(head.sort))
}

/// Gives every entry of a list to `each`, window after window, at most `limit`.
fn walk(
    asking: &mut Asking,
    spec: &ListSpec,
    limit: usize,
    mut each: impl FnMut(&EntryHead) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut last: Option<(Timestamp, u64)> = None;
    let mut left = limit;
    while left > 0 {
        let page = page(asking, spec, last, WINDOW.min(left))?;
        let more = page.more_after;
        // The window begins with the entry it hangs on, if that is still there; entries come newest first.
        let fresh = |head: &&EntryHead| last.is_none_or(|last| (head.sort, head.no) < last);
        let mut newest = None;
        for head in page.heads.iter().filter(fresh).take(left) {
            each(head)?;
            left -= 1;
            newest = Some((head.sort, head.no));
        }
        if newest.is_none() || !more {
            return Ok(());
        }
        last = newest;
    }
    Ok(())
}

fn page(
    asking: &mut Asking,
    spec: &ListSpec,
    last: Option<(Timestamp, u64)>,
    rows: usize,
) -> Result<EntriesPage, Failure> {
    let window = match last {
        None => Window {
            anchor: Anchor::Top,
            before: 0,
            after: rows,
        },
        Some((sort, no)) => Window {
            anchor: Anchor::At { sort, no },
            before: 0,
            after: rows + 1,
        },
    };
    asking.ask(
        |ticket| Command::ListEntries {
            spec: spec.clone(),
            window,
            ticket,
        },
        |event, ticket| match event {
            Event::Entries { ticket: of, page } if of == ticket => Some(page),
            _ => None,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EntryId, EntryKey};

    fn head() -> EntryHead {
        EntryHead {
            id: EntryId {
                feed: FeedId(1),
                key: EntryKey([0xab; 16]),
            },
            no: 7,
            guid: "urn:1\u{9b}".to_owned(),
            title: "One".to_owned(),
            link: None,
            author: String::new(),
            published: None,
            updated: Some(Timestamp(0)),
            first_seen: Timestamp(60),
            sort: Timestamp(60),
            edited: false,
            enclosures: vec![Enclosure {
                url: "https://a.org/1.mp3".to_owned(),
                media_type: "audio/mpeg".to_owned(),
                length: Some(5),
                duration: None,
            }],
            unread: true,
            starred: false,
            hidden: false,
            withdrawn: false,
            tags: vec!["later".to_owned()],
        }
    }

    #[test]
    fn the_keys_of_an_entry_are_the_interface() {
        insta::assert_snapshot!(
            json::line(&Line::of(&head(), "https://***@a.org")),
            @r#"{"feed_url":"https://***@a.org","id":"urn:1\u009b","key":"abababababababababababababababab","title":"One","link":null,"published":null,"updated":"1970-01-01T00:00:00Z","first_seen":"1970-01-01T00:01:00Z","unread":true,"starred":false,"author":"","enclosures":[{"url":"https://a.org/1.mp3","type":"audio/mpeg","length":5,"duration":null}],"tags":["later"]}"#
        );
    }

    #[test]
    fn a_line_of_text_shows_marks_and_keeps_its_columns() {
        let line = text_line(
            &EntryHead {
                starred: true,
                title: "x\u{1b}[2Jy".to_owned(),
                ..head()
            },
            "日本語の新聞の長い名前です",
        );
        assert!(line.starts_with("●★ 19"), "{line}");
        assert!(line.ends_with("日本語の新聞の長い名前…   x[2Jy"), "{line}");
    }
}
