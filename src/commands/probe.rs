//! `tidings probe`: how well a server does conditional requests, and the setting that would serve better.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::ask::Asking;
use super::figures::bytes_as_text;
use super::say::{bytes, count, local, shown};
use super::{Context, Failure, exit, json};
use crate::article::sanitize;
use crate::cli;
use crate::config;
use crate::engine::{Command, Event};
use crate::model::{Honour, ProbeEnd, ProbeReport, Shot, Timestamp, Validators, ValidatorsChoice};

/// The object of `probe --json`. The keys are an interface: they may gain members, never change.
#[derive(Debug, Serialize)]
struct Line<'a> {
    url: String,
    subscribed: bool,
    requests: Vec<ShotLine<'a>>,
    end: &'static str,
    end_text: Option<String>,
    until: Option<String>,
    redirect: Option<String>,
    verdict: &'static str,
    gives: Pair,
    honours: Honours,
    changes_each_time: Pair,
    altered: &'a [String],
    fresh_seconds: Option<u32>,
    compresses: Option<&'a str>,
    text: &'a [String],
    suggest: Option<&'static str>,
    feeds_toml: Option<String>,
}

#[derive(Debug, Serialize)]
struct Pair {
    etag: Option<bool>,
    last_modified: Option<bool>,
}

#[derive(Debug, Serialize)]
struct Honours {
    both: Option<bool>,
    etag: Option<bool>,
    last_modified: Option<bool>,
}

#[derive(Debug, Serialize)]
struct ShotLine<'a> {
    at: String,
    url: String,
    sent: &'static str,
    status: Option<u16>,
    etag: Option<String>,
    last_modified: Option<String>,
    freshness: &'a [String],
    coding: Option<&'a str>,
    between: &'a [String],
    bytes: u64,
    decoded: u64,
    ms: u32,
    error: Option<String>,
}

impl<'a> Line<'a> {
    fn of(report: &'a ProbeReport) -> Self {
        let verdict = &report.verdict;
        let (end, until) = match &report.end {
            ProbeEnd::Done => ("done", None),
            ProbeEnd::Held(until) => ("held", Some(*until)),
            ProbeEnd::Spent(until) => ("budget", Some(*until)),
            ProbeEnd::Redirect(_) => ("redirect", None),
            ProbeEnd::Failed(_) => ("error", None),
        };
        Self {
            url: shown(&report.url),
            subscribed: report.subscribed,
            requests: report.shots.iter().map(shot_line).collect(),
            end,
            end_text: ending(report),
            until: until.map(Timestamp::rfc3339),
            redirect: match &report.end {
                ProbeEnd::Redirect(to) => Some(shown(to)),
                _ => None,
            },
            verdict: verdict.grade.word(),
            gives: Pair {
                etag: verdict.gives_etag,
                last_modified: verdict.gives_date,
            },
            honours: Honours {
                both: truth(verdict.both),
                etag: truth(verdict.etag),
                last_modified: truth(verdict.date),
            },
            changes_each_time: Pair {
                etag: verdict.etag_moves,
                last_modified: verdict.date_moves,
            },
            altered: &verdict.altered,
            fresh_seconds: verdict.fresh_secs,
            compresses: verdict.coding.as_deref(),
            text: &verdict.sentences,
            suggest: verdict.setting.map(ValidatorsChoice::word),
            feeds_toml: lines_to_paste(report),
        }
    }
}

fn shot_line(shot: &Shot) -> ShotLine<'_> {
    ShotLine {
        at: shot.at.rfc3339(),
        url: shown(&shot.url),
        sent: sent(&shot.sent),
        status: Some(shot.status).filter(|status| *status != 0),
        etag: shot.got.etag.as_deref().map(bytes_as_text),
        last_modified: shot.got.last_modified.as_deref().map(bytes_as_text),
        freshness: &shot.freshness,
        coding: shot.coding.as_deref(),
        between: &shot.between,
        bytes: shot.wire,
        decoded: shot.decoded,
        ms: shot.ms,
        error: shot.error.as_deref().map(sanitize::line),
    }
}

const fn truth(honour: Honour) -> Option<bool> {
    match honour {
        Honour::Yes => Some(true),
        Honour::No => Some(false),
        Honour::Unknown => None,
    }
}

const fn sent(pair: &Validators) -> &'static str {
    match (&pair.etag, &pair.last_modified) {
        (Some(_), Some(_)) => "both",
        (Some(_), None) => "etag",
        (None, Some(_)) => "last-modified",
        (None, None) => "none",
    }
}

/// Probes a server, and prints what it did and what that means.
pub(super) fn probe(
    wanted: &cli::Probe,
    context: &Context,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    if is_no_server(&wanted.url) {
        let source = shown(&wanted.url);
        return Err(Failure::usage(format!(
            "{source} has no server that could be probed; `tidings probe --parse {source}` shows how it is read as a feed"
        )));
    }
    let mut asking = Asking::start(context)?;
    let url = wanted.url.clone();
    let report = asking.ask(
        |ticket| Command::Probe { url, ticket },
        |event, ticket| match event {
            Event::Probed { ticket: of, report } if of == ticket => Some(report),
            _ => None,
        },
    )?;
    asking.end();
    if wanted.json {
        writeln!(out, "{}", json::line(&Line::of(&report)))?;
    } else {
        print(&report, out)?;
    }
    Ok(match report.end {
        ProbeEnd::Failed(_) => exit::FEED,
        _ => exit::WELL,
    })
}

/// A file that is there, or standard input.
fn is_no_server(source: &str) -> bool {
    source == "-" || config::local(source).is_some() || Path::new(source).is_file()
}

fn print(report: &ProbeReport, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", shown(&report.url))?;
    for (at, shot) in report.shots.iter().enumerate() {
        writeln!(out, "  {}  {}", at + 1, sanitize::line(&told(shot)))?;
        for line in shot.freshness.iter().chain(&shot.between) {
            writeln!(out, "       {}", sanitize::line(line))?;
        }
    }
    if let Some(text) = ending(report) {
        writeln!(out, "{text}")?;
    }
    if !report.shots.is_empty() {
        for sentence in &report.verdict.sentences {
            writeln!(out, "{}", sanitize::line(sentence))?;
        }
    }
    if let Some(lines) = lines_to_paste(report) {
        let place = if report.subscribed {
            "below the url of this feed in feeds.toml"
        } else {
            "into feeds.toml, if you subscribe to it"
        };
        writeln!(out, "This would serve better; put it {place}:\n{lines}")?;
    }
    Ok(())
}

/// One request in a line: `304  both: no body, 12 ms, ETag "1"`.
fn told(shot: &Shot) -> String {
    let status = match shot.status {
        0 => "  -".to_owned(),
        status => status.to_string(),
    };
    let asked = match sent(&shot.sent) {
        "none" => "plain".to_owned(),
        "both" => "with ETag and Last-Modified".to_owned(),
        "etag" => "with the ETag alone".to_owned(),
        _ => "with Last-Modified alone".to_owned(),
    };
    let mut parts = vec![format!("{status} asked {asked}")];
    if let Some(error) = &shot.error {
        parts.push(format!("error: {error}"));
    }
    if let Some(location) = &shot.location {
        parts.push(format!("to {}", shown(location)));
    }
    if shot.decoded > 0 {
        let packed = shot
            .coding
            .as_deref()
            .map_or_else(String::new, |coding| format!(" of {coding}"));
        parts.push(format!("{}{packed}", bytes(shot.wire)));
    }
    if let Some(etag) = &shot.got.etag {
        parts.push(format!("ETag {}", bytes_as_text(etag)));
    }
    if let Some(date) = &shot.got.last_modified {
        parts.push(format!("Last-Modified {}", bytes_as_text(date)));
    }
    parts.push(format!("{} ms", shot.ms));
    parts.join(", ")
}

/// Why there were no more requests, where that is not plain to see.
fn ending(report: &ProbeReport) -> Option<String> {
    let sent = match report.shots.len() {
        0 => "nothing was sent".to_owned(),
        n => format!("stopped after {}", count(n as u64, "request", "requests")),
    };
    match &report.end {
        ProbeEnd::Done => None,
        ProbeEnd::Held(until) => Some(format!(
            "The host asks to be left alone until {}: {sent}.",
            local(*until)
        )),
        ProbeEnd::Spent(until) => Some(format!(
            "The hourly budget of the host is spent until {}: {sent}.",
            local(*until)
        )),
        ProbeEnd::Redirect(to) => {
            let to = shown(to);
            Some(format!(
                "It redirects, and one plain request is all that a probe may send; `tidings probe {to}` asks there."
            ))
        }
        ProbeEnd::Failed(why) => Some(format!(
            "It went no further, {sent}: {}.",
            sanitize::line(why)
        )),
    }
}

/// What to write into feeds.toml.
fn lines_to_paste(report: &ProbeReport) -> Option<String> {
    let choice = report.verdict.setting?.word();
    let line = format!("validators = \"{choice}\"");
    Some(if report.subscribed {
        line
    } else {
        format!("[[feed]]\nurl = \"{}\"\n{line}", shown(&report.url))
    })
}
