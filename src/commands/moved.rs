//! `tidings feeds --moved`: addresses that redirect for good, and the new one into feeds.toml on request (R53).

use std::io::Write;

use serde::Serialize;

use super::ask::{Asking, find};
use super::explained::MoveLine;
use super::say::{count, local, name, say, shown};
use super::{Context, Failure, exit, json};
use crate::cli::Feeds;
use crate::config;
use crate::engine::{Command, Event};
use crate::model::{FeedRow, Timestamp};

/// One member of `feeds --moved --json`. The keys are an interface: they may gain members, never change.
#[derive(Debug, Serialize)]
struct Line<'a> {
    url: String,
    title: &'a str,
    state: &'static str,
    url_now: Option<String>,
    since: Option<String>,
    seen: Option<u32>,
    moves: Vec<MoveLine>,
}

/// Where a feed stands with its address.
#[derive(Debug, PartialEq, Eq)]
enum Stand<'a> {
    /// feeds.toml has the old address, another is asked.
    Moved { to: &'a str, at: Timestamp },
    /// A permanent redirect that is not believed yet.
    Moving {
        to: &'a str,
        seen: u32,
        since: Timestamp,
    },
    /// It moved once: feeds.toml has the address that is asked.
    Settled,
}

impl<'a> Stand<'a> {
    /// `None`: it never moved.
    fn of(row: &'a FeedRow) -> Option<Self> {
        if let Some(moved) = &row.moved {
            return Some(Self::Moved {
                to: &moved.to,
                at: moved.at,
            });
        }
        if let Some(moving) = &row.moving {
            return Some(Self::Moving {
                to: &moving.target,
                seen: moving.seen,
                since: moving.since,
            });
        }
        (!row.moves.is_empty()).then_some(Self::Settled)
    }
}

impl<'a> Line<'a> {
    fn of(row: &'a FeedRow, stand: &Stand<'a>) -> Self {
        let (state, to, since, seen) = match stand {
            Stand::Moved { to, at } => ("moved", Some(to), Some(at), None),
            Stand::Moving { to, seen, since } => ("moving", Some(to), Some(since), Some(*seen)),
            Stand::Settled => ("settled", None, None, None),
        };
        Self {
            url: shown(&row.feed.url),
            title: &row.feed.title,
            state,
            url_now: to.map(|to| shown(to)),
            since: since.map(|since| since.rfc3339()),
            seen,
            moves: row.moves.iter().map(MoveLine::of).collect(),
        }
    }
}

/// Lists what moved; adopts moves, or takes them back.
pub(super) fn moved(wanted: &Feeds, context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    let mut asking = Asking::start(context)?;
    let rows = asking.feeds()?;
    if !wanted.adopt.is_empty() {
        for row in meant(&rows, &wanted.adopt)? {
            adopt(&mut asking, row, out)?;
        }
    } else if !wanted.undo.is_empty() {
        for url in &wanted.undo {
            undo(&mut asking, find(&rows, url)?, out)?;
        }
    } else {
        list(&rows, wanted.json, out)?;
    }
    asking.end();
    Ok(exit::WELL)
}

/// The feeds whose move is to be adopted: those named, or all that moved.
fn meant<'a>(rows: &'a [FeedRow], words: &[String]) -> Result<Vec<&'a FeedRow>, Failure> {
    if words.iter().any(|word| word == "all") {
        let moved: Vec<&FeedRow> = rows.iter().filter(|row| row.moved.is_some()).collect();
        if moved.is_empty() {
            say("no feed has moved: feeds.toml is as it should be");
        }
        return Ok(moved);
    }
    words.iter().map(|url| find(rows, url)).collect()
}

fn adopt(asking: &mut Asking, row: &FeedRow, out: &mut dyn Write) -> Result<(), Failure> {
    let feed = row.feed.id;
    let (from, to, warning) = asking.ask(
        |ticket| Command::AdoptMove { feed, ticket },
        |event, of| match event {
            Event::MoveAdopted {
                ticket,
                from,
                to,
                warning,
                ..
            } if ticket == of => Some((from, to, warning)),
            _ => None,
        },
    )?;
    writeln!(out, "{} is now {} in feeds.toml", shown(&from), shown(&to))?;
    if let Some(warning) = warning {
        say(&warning);
    }
    Ok(())
}

fn undo(asking: &mut Asking, row: &FeedRow, out: &mut dyn Write) -> Result<(), Failure> {
    let feed = row.feed.id;
    let (from, to) = asking.ask(
        |ticket| Command::UndoMove { feed, ticket },
        |event, of| match event {
            Event::MoveUndone {
                ticket, from, to, ..
            } if ticket == of => Some((from, to)),
            _ => None,
        },
    )?;
    writeln!(
        out,
        "{} is asked again, and a move to {} is not believed any more",
        shown(&to),
        shown(&from)
    )?;
    Ok(())
}

fn list(rows: &[FeedRow], as_json: bool, out: &mut dyn Write) -> std::io::Result<()> {
    let stands = rows.iter().filter_map(|row| Some((row, Stand::of(row)?)));
    if as_json {
        let mut array = json::Array::begin(out)?;
        for (row, stand) in stands {
            array.push(&Line::of(row, &stand))?;
        }
        return array.end();
    }
    let (mut told, mut waiting) = (0, 0);
    for (row, stand) in stands {
        print(row, &stand, out)?;
        told += 1;
        waiting += u64::from(matches!(stand, Stand::Moved { .. }));
    }
    if told == 0 {
        say("no feed has moved");
    } else if waiting > 0 {
        let feeds = count(waiting, "feed", "feeds");
        say(&format!(
            "{feeds} asked elsewhere than feeds.toml says; `tidings feeds --moved --adopt URL` (or `all`) writes the new address into it"
        ));
    }
    Ok(())
}

fn print(row: &FeedRow, stand: &Stand<'_>, out: &mut dyn Write) -> std::io::Result<()> {
    let url = shown(&row.feed.url);
    writeln!(out, "{}", name(&row.feed.title, &row.feed.url))?;
    writeln!(out, "  in feeds.toml  {url}")?;
    match stand {
        Stand::Moved { to, at } => {
            writeln!(out, "  asked at       {}, since {}", shown(to), local(*at))?;
        }
        Stand::Moving { to, seen, since } => writeln!(
            out,
            "  redirects to   {}, seen {} since {}; not believed yet",
            shown(to),
            count(u64::from(*seen), "time", "times"),
            local(*since)
        )?,
        Stand::Settled => {}
    }
    for moved in &row.moves {
        let what = if moved.undone {
            "taken back"
        } else if is_same(&moved.to, &row.feed.url) {
            "adopted"
        } else {
            "moved"
        };
        writeln!(
            out,
            "  {what:<15}{} → {}, {}",
            shown(&moved.from),
            shown(&moved.to),
            local(moved.at)
        )?;
    }
    Ok(())
}

fn is_same(one: &str, other: &str) -> bool {
    config::normalise(one).ok() == config::normalise(other).ok()
}
