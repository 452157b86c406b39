//! `tidings backfill`: older pages of a feed (RFC 5005, R81), told as they come.

use std::io::Write;

use serde::Serialize;

use super::ask::{Asking, find};
use super::say::{bytes, count, local, name, now, say, shown};
use super::table::{Side, Table};
use super::{Context, Failure, exit, json};
use crate::article::sanitize;
use crate::cli;
use crate::engine::{Client, Command, Event, FailureKind, Ticket};
use crate::headless::Signals;
use crate::model::{Backfill, BackfillRun, BackfillWish, FeedId, FeedRow, Timestamp, Way, WayEnd};

/// Ended by a signal.
const SIGNAL: u8 = 130;

/// The object of `backfill --json`; without a feed an array of them. The keys are an interface: they may gain members, never
/// change.
#[derive(Debug, Serialize)]
struct Line<'a> {
    url: String,
    title: &'a str,
    /// Of this run; absent in the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunLine>,
    place: PlaceLine,
    error: Option<&'a str>,
}

/// How far the older pages of a feed were read; also in `explain --json`.
#[derive(Debug, Serialize)]
pub(super) struct PlaceLine {
    way: &'static str,
    pages: u32,
    entries: u64,
    bytes: u64,
    at: Option<String>,
    next: Option<String>,
    end: Option<&'static str>,
}

impl PlaceLine {
    /// The same of a place.
    pub fn of(place: &Backfill) -> Self {
        Self {
            way: match place.way {
                Way::Unknown => "unknown",
                Way::Archive => "prev-archive",
                Way::Paged => "next",
                Way::Param(_) => "param",
            },
            pages: place.pages,
            entries: place.entries,
            bytes: place.bytes,
            at: place.at.map(Timestamp::rfc3339),
            next: place.next.as_deref().map(shown),
            end: place.end.map(WayEnd::word),
        }
    }
}

#[derive(Debug, Serialize)]
struct RunLine {
    pages: u32,
    entries: u64,
    bytes: u64,
}

impl<'a> Line<'a> {
    fn of(row: &'a FeedRow, place: &Backfill, run: Option<&'a BackfillRun>) -> Self {
        Self {
            url: shown(&row.feed.url),
            title: &row.feed.title,
            run: run.map(|run| RunLine {
                pages: run.pages,
                entries: run.entries,
                bytes: run.bytes,
            }),
            place: PlaceLine::of(place),
            error: run.and_then(|run| run.trouble.as_deref()),
        }
    }
}

/// Fetches older pages of a feed, or lists how far those of all feeds were fetched.
pub(super) fn backfill(
    wanted: &cli::Backfill,
    context: &Context,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    let mut asking = Asking::start(context)?;
    let rows = asking.feeds()?;
    let Some(url) = &wanted.url else {
        let places = places(&mut asking)?;
        asking.end();
        return list(&rows, &places, wanted.json, out);
    };
    let row = find(&rows, url)?.clone();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut session = Session {
        client: asking.into_client(),
        feed: row.feed.id,
        last: BackfillRun::default(),
        quiet: wanted.json,
        interrupted: false,
    };
    let wish = BackfillWish {
        pages: wanted.pages,
        param: wanted.param.clone(),
        unread: wanted.unread,
        again: wanted.again,
    };
    let run = runtime.block_on(session.run(wish));
    session.client.shutdown();
    let run = run?;
    if wanted.json {
        writeln!(
            out,
            "{}",
            json::line(&Line::of(&row, &run.place, Some(&run)))
        )?;
    } else {
        writeln!(out, "{}", sentence(&row, &run))?;
    }
    Ok(match &run.trouble {
        _ if session.interrupted => SIGNAL,
        Some(_) => exit::FEED,
        None => exit::WELL,
    })
}

/// How far the older pages of all feeds were read.
pub(super) fn places(asking: &mut Asking) -> Result<Vec<(FeedId, Backfill)>, Failure> {
    asking.ask(
        |ticket| Command::ListBackfills { ticket },
        |event, ticket| match event {
            Event::Backfills { ticket: of, places } if of == ticket => Some(places),
            _ => None,
        },
    )
}

/// One run.
struct Session {
    client: Client,
    feed: FeedId,
    last: BackfillRun,
    /// Nothing is said of pages.
    quiet: bool,
    interrupted: bool,
}

impl Session {
    async fn run(&mut self, wish: BackfillWish) -> Result<BackfillRun, Failure> {
        let mut signals = Signals::new()
            .map_err(|error| Failure::internal(format!("no signal handler: {error}")))?;
        let ticket = self.client.ticket();
        let feed = self.feed;
        self.client.send(Command::Backfill { feed, wish, ticket });
        loop {
            tokio::select! {
                event = self.client.recv() => {
                    let Some(event) = event else { return Ok(self.stopped()) };
                    if let Some(run) = self.event(event, ticket)? {
                        return Ok(run);
                    }
                }
                () = signals.recv() => self.stop(),
            }
        }
    }

    /// The first signal ends it cleanly, the second at once.
    fn stop(&mut self) {
        if self.interrupted {
            std::process::exit(i32::from(SIGNAL));
        }
        self.interrupted = true;
        self.client.send(Command::Shutdown);
    }

    fn event(&mut self, event: Event, ticket: Ticket) -> Result<Option<BackfillRun>, Failure> {
        match event {
            Event::BackfillPage {
                ticket: of, run, ..
            } if of == ticket => {
                if !self.quiet {
                    progress(&run);
                }
                self.last = *run;
            }
            Event::Backfilled {
                ticket: of, run, ..
            } if of == ticket => return Ok(Some(*run)),
            Event::Waiting => say("another tidings is polling; waiting for it to finish"),
            Event::Notice(text) => say(&text),
            Event::Failed {
                ticket: of,
                what,
                why,
                kind,
            } if of == ticket => {
                let code = match kind {
                    FailureKind::Usage => exit::USAGE,
                    FailureKind::Busy => exit::LATER,
                    FailureKind::Internal => exit::INTERNAL,
                };
                let sentence = format!("{what}: {why}");
                return Err(Failure { sentence, code });
            }
            Event::Failed { what, why, .. } => say(&format!("{what}: {why}")),
            Event::Stopped => return Ok(Some(self.stopped())),
            _ => {}
        }
        Ok(None)
    }

    /// The engine ended before the run did.
    fn stopped(&self) -> BackfillRun {
        let mut run = self.last.clone();
        run.trouble = Some("stopped; the next run goes on from there".to_owned());
        run
    }
}

fn progress(run: &BackfillRun) {
    let page = run.page.as_deref().unwrap_or_default();
    say(&format!(
        "page {} of at most {}: {} so far; {page}",
        run.pages,
        run.most,
        count(run.entries, "new entry", "new entries")
    ));
}

fn sentence(row: &FeedRow, run: &BackfillRun) -> String {
    let name = name(&row.feed.title, &row.feed.url);
    let found = if run.pages == 0 {
        String::new()
    } else {
        format!(
            "{}, {}, {}; ",
            count(u64::from(run.pages), "older page", "older pages"),
            count(run.entries, "new entry", "new entries"),
            bytes(run.bytes)
        )
    };
    let then = match (&run.trouble, run.place.end) {
        (Some(why), _) => why.clone(),
        (None, Some(end)) => hint(end.to_string(), run),
        (None, None) => "there are more: the same command goes on from there".to_owned(),
    };
    sanitize::line(&format!("{name}: {found}{then}"))
}

/// What else a person may do where nothing was found.
fn hint(end: String, run: &BackfillRun) -> String {
    if run.place.way == Way::Unknown {
        return format!(
            "{end}; where its server has a parameter for them, name it: --param paged (WordPress)"
        );
    }
    if run.pages == 0 && run.place.pages > 0 && run.place.next.is_none() {
        let pages = count(u64::from(run.place.pages), "page was", "pages were");
        return format!("{pages} read before, and {end}; --again begins anew");
    }
    end
}

fn list(
    rows: &[FeedRow],
    places: &[(FeedId, Backfill)],
    as_json: bool,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    let of = |row: &FeedRow| places.iter().find(|(feed, _)| *feed == row.feed.id);
    let known = rows.iter().filter_map(|row| Some((row, &of(row)?.1)));
    if as_json {
        let mut array = json::Array::begin(out)?;
        for (row, place) in known {
            array.push(&Line::of(row, place, None))?;
        }
        array.end()?;
        return Ok(exit::WELL);
    }
    let mut table = Table::new(&[
        ("PAGES", Side::Right),
        ("ENTRIES", Side::Right),
        ("BYTES", Side::Right),
        ("LAST", Side::Left),
        ("FEED", Side::Left),
        ("", Side::Left),
    ]);
    let mut found = false;
    for (row, place) in known {
        found = true;
        let rest = match place.end {
            Some(end) => end.to_string(),
            None => "there are more".to_owned(),
        };
        table.push(&[
            place.pages.to_string(),
            place.entries.to_string(),
            bytes(place.bytes),
            place.at.or(place.head_at).map(local).unwrap_or_default(),
            name(&row.feed.title, &row.feed.url),
            rest,
        ]);
    }
    table.write(out)?;
    if !found {
        say("no older pages were fetched yet; `tidings backfill URL` fetches those of a feed");
    }
    Ok(exit::WELL)
}

/// What `explain` says of it.
pub(super) fn fact(place: &Backfill) -> String {
    let read = format!(
        "{} read, {} new, {}",
        count(u64::from(place.pages), "page", "pages"),
        count(place.entries, "entry", "entries"),
        bytes(place.bytes)
    );
    let at = place.at.or(place.head_at);
    let last = at.map_or_else(String::new, |at| {
        format!(", last {}", super::say::away(at, now()))
    });
    let rest = match (&place.next, place.end) {
        (Some(next), None) => format!("goes on at {}", shown(next)),
        (_, Some(end)) => end.to_string(),
        (None, None) => "not begun".to_owned(),
    };
    format!("{read}{last}; {rest}")
}
