//! `tidings refetch`: an unconditional fetch, which is an act of its own and has to be confirmed (R46).

use std::io::{self, BufRead, IsTerminal, Write};

use super::ask::{Asking, find};
use super::say::{away, bytes, local, name, now, say, shown};
use super::{Context, Failure, exit};
use crate::article::sanitize;
use crate::cli::Refetch;
use crate::engine::{Command, Event, Scope};
use crate::headless;
use crate::model::{Explanation, FeedId, Outcome, Pace, PollReport, Timestamp, human};

/// Asks for the whole feed once, without validators; holds and the space between requests are kept.
pub(super) fn refetch(
    wanted: &Refetch,
    context: &Context,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    let mut asking = Asking::start(context)?;
    let rows = asking.feeds()?;
    let feed = find(&rows, &wanted.url)?.feed.id;
    let found = explained(&mut asking, feed)?;
    if found.row.off.is_some() {
        let url = shown(&found.row.feed.url);
        return Err(Failure::usage(format!(
            "{url} is not polled any more; `tidings enable {url}` polls it again"
        )));
    }
    let cost = cost(&found, now());
    if found.hold.is_none() && !wanted.yes && !is_meant(&found, &cost)? {
        say("nothing was sent");
        return Ok(exit::WELL);
    }
    let report = fetch(&mut asking, feed)?;
    asking.end();
    writeln!(out, "{}", headless::line_of(&report, wanted.json))?;
    if report.status.is_some() {
        say(&cost);
    } else if let Outcome::Deferred { until } = report.outcome {
        say(&format!(
            "nothing was fetched; say it again after {}",
            local(until)
        ));
    }
    Ok(match report.outcome {
        Outcome::Failed(_) => exit::FEED,
        _ => exit::WELL,
    })
}

fn explained(asking: &mut Asking, feed: FeedId) -> Result<Explanation, Failure> {
    let found = asking.ask(
        |ticket| Command::Explain { feed, ticket },
        |event, ticket| match event {
            Event::Explained {
                ticket: of,
                explanation,
            } if of == ticket => Some(explanation),
            _ => None,
        },
    )?;
    found.map(|found| *found).ok_or_else(|| {
        Failure::usage("the feed is not subscribed any more; `tidings feeds` lists what is")
    })
}

/// One poll at the pace that carries no validators.
fn fetch(asking: &mut Asking, feed: FeedId) -> Result<PollReport, Failure> {
    let mut report = None;
    let summary = asking.ask(
        |ticket| Command::Refresh {
            scope: Scope::Feeds(vec![feed]),
            pace: Pace::Plain,
            ticket,
        },
        |event, ticket| match event {
            Event::Polled(polled) => {
                report = Some(*polled);
                None
            }
            Event::RefreshDone {
                ticket: of,
                summary,
            } if of == ticket => Some(summary),
            _ => None,
        },
    )?;
    report.ok_or_else(|| {
        if summary.busy {
            Failure {
                sentence: "another tidings was polling and did not finish in time; try again later"
                    .to_owned(),
                code: exit::LATER,
            }
        } else {
            Failure::internal("the feed was not fetched; the log may say why")
        }
    })
}

/// What it costs, and what the byte budget says of it (R30).
fn cost(found: &Explanation, now: Timestamp) -> String {
    if found.full_wire == 0 {
        return "the size of this feed is not known".to_owned();
    }
    let whole = found
        .records
        .iter()
        .find(|record| record.status == 200 && record.wire > 0);
    let last = whole.map_or_else(String::new, |record| {
        format!(
            ", and the last whole copy came {} ({})",
            local(record.at),
            away(record.at, now)
        )
    });
    format!(
        "a whole copy is {}; the byte budget has room for one every {}{last}",
        bytes(found.full_wire),
        human(found.plain_every)
    )
}

/// Asks the person, on the terminal.
fn is_meant(found: &Explanation, cost: &str) -> Result<bool, Failure> {
    let feed = name(&found.row.feed.title, &found.row.feed.url);
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        let url = shown(&found.row.feed.url);
        return Err(Failure::usage(format!(
            "{feed} would be fetched whole without asking whether it has changed ({cost}); say --yes if you mean it, or ask first: \
             `tidings --refresh-only --force {url}`"
        )));
    }
    let question = format!("tidings: fetch all of {feed} again ({cost})? [y/N]");
    let mut err = io::stderr();
    // Nobody answers who cannot read the question.
    err.write_all(sanitize::line(&question).as_bytes())
        .and_then(|()| err.write_all(b" "))
        .and_then(|()| err.flush())?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
