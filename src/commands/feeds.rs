//! `tidings feeds`.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use super::ask::Asking;
use super::json;
use super::say::{NO_FEEDS, count, local, name, say, shown};
use super::table::{Side, Table};
use super::{Context, Failure, exit};
use crate::model::{FeedRow, Off, Parked, SourceKind, Timestamp, human};

/// One member of `feeds --json`. The keys are an interface: they may gain members, never change.
#[derive(Debug, Serialize)]
struct Line<'a> {
    url: String,
    title: &'a str,
    tags: &'a [String],
    site: Option<&'a str>,
    total: u64,
    unread: u64,
    starred: u64,
    last_status: Option<u16>,
    next_poll: Option<String>,
    why: String,
    off: Option<&'static str>,
    mute: bool,
    /// `feed`; `list`: its address gives other feeds to follow; `sitemap`.
    kind: &'static str,
    /// The list that names it; absent for what stands in feeds.toml.
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<String>,
    /// Since when the list does not name it any more; absent while it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    parked: Option<String>,
}

impl<'a> Line<'a> {
    fn of(row: &'a FeedRow) -> Self {
        Self {
            url: shown(&row.feed.url),
            title: &row.feed.title,
            tags: &row.feed.tags,
            site: row.feed.site.as_deref(),
            total: row.total,
            unread: row.unread,
            starred: row.starred,
            last_status: row.last.as_ref().and_then(|last| last.status),
            next_poll: next_poll(row).map(Timestamp::rfc3339),
            why: row.schedule.why.to_string(),
            off: off(row),
            mute: row.mute,
            kind: kind(row),
            list: row.followed.as_ref().map(|followed| shown(&followed.list)),
            parked: parked(row).map(|parked| parked.since.rfc3339()),
        }
    }
}

/// When a feed is asked next: not while its host is held, never when polling is off.
pub(super) fn next_poll(row: &FeedRow) -> Option<Timestamp> {
    let next = row.schedule.next.filter(|_| row.off.is_none())?;
    Some(row.hold_until.map_or(next, |hold| hold.max(next)))
}

/// Why polling is off, in a word.
pub(super) fn off(row: &FeedRow) -> Option<&'static str> {
    row.off.map(|off| match off {
        Off::Gone => "gone",
        Off::Dead => "dead",
    })
}

const fn kind(row: &FeedRow) -> &'static str {
    match row.kind {
        SourceKind::Feed => "feed",
        SourceKind::List => "list",
        SourceKind::Sitemap => "sitemap",
    }
}

fn parked(row: &FeedRow) -> Option<Parked> {
    row.followed.as_ref()?.parked
}

/// What a row is besides a feed of the user's own: a list with its feeds, a feed that a list names, one that it does not
/// name any more.
fn origin(row: &FeedRow, rows: &[FeedRow]) -> String {
    if row.kind == SourceKind::List {
        let of = |other: &&FeedRow| {
            let followed = other.followed.as_ref();
            followed.is_some_and(|followed| followed.list == row.feed.url)
        };
        let feeds = rows.iter().filter(of).count();
        return format!("a list of {}", count(feeds as u64, "feed", "feeds"));
    }
    let Some(followed) = &row.followed else {
        return String::new();
    };
    let name = super::table::fit(&followed.name, 30);
    match followed.parked {
        None => format!("by {name}"),
        Some(parked) => format!(
            "parked: not in {name} since {}; dropped when that lasts {} longer",
            local(parked.since),
            human(parked.left)
        ),
    }
}

/// Lists the feeds in the order of feeds.toml.
pub(super) fn feeds(as_json: bool, context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    let mut asking = Asking::start(context)?;
    let rows = asking.feeds()?;
    asking.end();
    if as_json {
        let mut array = json::Array::begin(out)?;
        for row in &rows {
            array.push(&Line::of(row))?;
        }
        array.end()?;
        return Ok(exit::WELL);
    }
    table(&rows).write(out)?;
    say_total(&rows);
    Ok(exit::WELL)
}

fn table(rows: &[FeedRow]) -> Table {
    let mut columns = vec![
        ("UNREAD", Side::Right),
        ("TOTAL", Side::Right),
        ("TITLE", Side::Left),
        ("TAGS", Side::Left),
        ("NEXT POLL", Side::Left),
        ("URL", Side::Left),
    ];
    let lists = rows.iter().any(|row| row.kind == SourceKind::List);
    if lists {
        columns.push(("LIST", Side::Left));
    }
    let mut table = Table::new(&columns);
    for row in rows {
        let mut cells = vec![
            row.unread.to_string(),
            row.total.to_string(),
            super::table::fit(&name(&row.feed.title, &row.feed.url), 40),
            row.feed.tags.join(", "),
            next_poll(row).map_or_else(|| off(row).unwrap_or("-").to_owned(), local),
            shown(&row.feed.url),
        ];
        if lists {
            cells.push(origin(row, rows));
        }
        table.push(&cells);
    }
    table
}

fn say_total(rows: &[FeedRow]) {
    if rows.is_empty() {
        say(NO_FEEDS);
        return;
    }
    // A script that reads the table needs no closing line.
    if !io::stdout().is_terminal() {
        return;
    }
    let unread: u64 = rows.iter().map(|row| row.unread).sum();
    say(&format!(
        "{}, {} unread",
        count(rows.len() as u64, "feed", "feeds"),
        unread
    ));
}
