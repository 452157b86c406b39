//! `tidings push`: which feeds hubs push, and how well.

use std::io::Write;

use serde::Serialize;

use super::ask::Asking;
use super::json;
use super::say::{local, now, say, shown};
use super::table::{Side, Table, fit};
use super::{Context, Failure, exit};
use crate::cli::Push;
use crate::engine::{Command, Event};
use crate::model::{PushRow, PushState, Timestamp, human};

/// One member of `push --json`. The keys are an interface: they may gain members, never change.
#[derive(Debug, Serialize)]
struct Line<'a> {
    url: String,
    title: &'a str,
    hub: String,
    topic: String,
    state: &'static str,
    lease_until: Option<String>,
    renewal: Option<String>,
    signed: bool,
    deliveries: u64,
    refused: u64,
    last_delivery: Option<String>,
    /// Seconds from the newest entry's own date to its coming, of the last delivery with entries.
    latency: Option<i64>,
    /// Why the hub does not push, in its own words; absent where it said nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

impl<'a> Line<'a> {
    fn of(row: &'a PushRow) -> Self {
        let (until, renewal) = match &row.state {
            PushState::Active { until, renew } => (Some(*until), Some(*renew)),
            PushState::Lapsed(until) => (Some(*until), None),
            _ => (None, None),
        };
        Self {
            url: shown(&row.url),
            title: &row.title,
            hub: shown(&row.hub),
            topic: shown(&row.topic),
            state: row.state.word(),
            lease_until: until.map(Timestamp::rfc3339),
            renewal: renewal.map(Timestamp::rfc3339),
            signed: row.signed,
            deliveries: row.deliveries,
            refused: row.refused,
            last_delivery: row.delivered.map(Timestamp::rfc3339),
            latency: row.latency,
            reason: match &row.state {
                PushState::Denied(_, reason) => Some(reason),
                _ => None,
            },
        }
    }
}

/// Lists them. Nothing is sent.
pub(super) fn push(wanted: &Push, context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    let mut asking = Asking::start(context)?;
    let (rows, listens) = asking.ask(
        |ticket| Command::ListPushes { ticket },
        |event, ticket| match event {
            Event::Pushes {
                ticket: of,
                rows,
                listens,
            } if of == ticket => Some((rows, listens)),
            _ => None,
        },
    )?;
    asking.end();
    if wanted.json {
        let mut array = json::Array::begin(out)?;
        for row in &rows {
            array.push(&Line::of(row))?;
        }
        array.end()?;
        return Ok(exit::WELL);
    }
    let mut table = Table::new(&[
        ("STATE", Side::Left),
        ("DELIVERIES", Side::Right),
        ("LAST", Side::Left),
        ("LATENCY", Side::Right),
        ("HUB", Side::Left),
        ("FEED", Side::Left),
    ]);
    let at = now();
    for row in &rows {
        table.push(&[
            state(&row.state, at),
            row.deliveries.to_string(),
            row.delivered.map_or_else(|| "-".to_owned(), local),
            row.latency.map_or_else(|| "-".to_owned(), span),
            fit(&shown(&row.hub), 40),
            shown(&row.url),
        ]);
    }
    table.write(out)?;
    match (&context.settings.push, rows.is_empty()) {
        (_, true) => say("no feed names a hub"),
        (None, _) => say(
            "pushes are not set up, and no hub is asked: [push] in config.toml needs callback and listen; feeds are polled",
        ),
        (Some(_), _) if !listens => say(
            "nobody listens for hubs: `tidings watch` does, and an open reader; feeds are polled meanwhile",
        ),
        (Some(_), _) => {}
    }
    Ok(exit::WELL)
}

/// Seconds for a person.
pub(super) fn span(secs: i64) -> String {
    human(u32::try_from(secs.max(0)).unwrap_or(u32::MAX))
}

/// How a subscription stands, in a few words.
pub(super) fn state(state: &PushState, now: Timestamp) -> String {
    match state {
        PushState::Off => "not asked".to_owned(),
        PushState::Waiting(None) => "to be asked".to_owned(),
        PushState::Waiting(Some(at)) => format!("asked again in {}", span(at.since(now))),
        PushState::Pending(at) => format!("asked {} ago", span(now.since(*at))),
        PushState::Active { until, .. } => format!("pushes, {} left", span(until.since(now))),
        PushState::Denied(_, reason) if reason.is_empty() => "refused".to_owned(),
        PushState::Denied(_, reason) => format!("refused: {reason}"),
        PushState::Lapsed(at) => format!("lapsed {} ago", span(now.since(*at))),
        PushState::Leaving => "being left".to_owned(),
    }
}
