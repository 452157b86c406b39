//! What a run prints: a line a feed, for a person or as JSON, and how it ended.

use std::fmt::Write as _;

use chrono::{Datelike, Timelike};
use serde::Serialize;

use crate::article::sanitize;
use crate::config;
use crate::engine::{Planned, Summary};
use crate::model::{Early, FeedRow, Outcome, PollReport, SourceKind, Timestamp, bytes};

/// One line of `--json`. The keys are an interface: they may gain members, never change.
#[derive(Debug, Serialize)]
struct Line<'a> {
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url_now: Option<String>,
    status: Option<u16>,
    outcome: &'a str,
    new: u32,
    updated: u32,
    bytes: u64,
    /// A hub brought it; absent where the feed was asked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pushed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    early: Option<EarlyLine>,
    next_poll: Option<String>,
    why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<&'a str>,
    error: Option<String>,
}

/// It was asked before its time (R46).
#[derive(Debug, Serialize)]
struct EarlyLine {
    due: String,
    conditional: bool,
}

impl<'a> Line<'a> {
    fn of(report: &'a PollReport) -> Self {
        Self {
            url: config::masked(&report.url),
            url_now: report.url_now.as_deref().map(config::masked),
            status: report.status,
            outcome: report.outcome.word(),
            new: report.outcome.new_entries(),
            updated: report.outcome.updated_entries(),
            bytes: report.bytes,
            pushed: report.pushed,
            early: report.early.map(|early| EarlyLine {
                due: early.next.rfc3339(),
                conditional: early.conditional,
            }),
            next_poll: report.row.schedule.next.map(Timestamp::rfc3339),
            why: report.row.schedule.why.to_string(),
            warning: report.warning.as_deref(),
            error: match &report.outcome {
                Outcome::Failed(error) => Some(sanitize::line(&error.to_string())),
                _ => None,
            },
        }
    }
}

/// A moment on the user's clock: `2026-11-30 14:05`.
pub fn local(at: Timestamp) -> String {
    let at = at.datetime().with_timezone(&chrono::Local).naive_local();
    format!(
        "{}-{:02}-{:02} {:02}:{:02}",
        at.year(),
        at.month(),
        at.day(),
        at.hour(),
        at.minute()
    )
}

/// A report as `--refresh-only` prints it, without a line end.
pub fn line_of(report: &PollReport, json: bool) -> String {
    if json {
        // Strings and numbers always serialise.
        let line = serde_json::to_string(&Line::of(report)).unwrap_or_default();
        return line;
    }
    text_line(report)
}

/// A line of text for a person or a log.
fn text_line(report: &PollReport) -> String {
    let mut line = config::masked(&report.url);
    // A string takes all that is written.
    let _ = tell(report, &mut line);
    sanitize::line(&line)
}

/// What came of a poll, and when the next one is.
fn tell(report: &PollReport, line: &mut String) -> std::fmt::Result {
    line.push_str(if report.pushed { ": pushed, " } else { ": " });
    match &report.outcome {
        Outcome::Unchanged if report.pushed => line.push_str("nothing new"),
        Outcome::NotModified => line.push_str("unchanged (304)"),
        Outcome::Unchanged => line.push_str("identical (200)"),
        Outcome::Changed { updated, .. } if report.row.kind == SourceKind::List => {
            write!(line, "a list with {updated} of its feeds changed")?;
        }
        Outcome::Changed { new, updated: 0 } => write!(line, "{new} new")?,
        Outcome::Changed { new: 0, updated } => write!(line, "{updated} updated")?,
        Outcome::Changed { new, updated } => write!(line, "{new} new, {updated} updated")?,
        Outcome::Deferred { until } => {
            write!(
                line,
                "deferred until {}{}",
                local(*until),
                waits_for(report)
            )?;
        }
        Outcome::Gone => line.push_str("gone, not polled any more"),
        Outcome::Failed(error) => write!(line, "error: {error}")?,
    }
    if let Some(warning) = report.warning_text() {
        write!(line, " ({warning})")?;
    }
    if let Some(Early { next, conditional }) = report.early {
        let how = if conditional {
            "conditionally"
        } else {
            "without validators"
        };
        write!(line, ", asked before its time ({}), {how}", local(next))?;
    }
    if let Some(next) = report.row.schedule.next {
        write!(line, ", next {} ({})", local(next), report.row.schedule.why)?;
    }
    Ok(())
}

/// Why a feed is deferred, where the report tells.
fn waits_for(report: &PollReport) -> &'static str {
    if report.is_debounced() {
        " (asked a moment ago)"
    } else if report.row.hold_until.is_some() {
        " (its host asked to wait)"
    } else {
        ""
    }
}

/// The closing line.
pub fn summary_line(summary: &Summary) -> String {
    let unchanged = summary.not_modified + summary.unchanged;
    let mut parts = vec![
        format!("{} new", summary.new),
        format!("{} updated", summary.updated),
        format!("{unchanged} unchanged ({} by 304)", summary.not_modified),
    ];
    for (count, word) in [
        (summary.deferred, "deferred"),
        (summary.gone, "gone"),
        (summary.failed, "failed"),
        (summary.undone, "not done"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {word}"));
        }
    }
    parts.push(format!("{} received", bytes(summary.bytes)));
    parts.join(" · ")
}

/// What a newcomer is told.
pub const NO_FEEDS: &str =
    "no feeds yet; `tidings add URL` subscribes, `tidings import FILE` takes over a list";

/// Why nothing was asked.
pub fn idle_line(rows: &[FeedRow]) -> String {
    let polled = rows.iter().filter(|row| row.off.is_none());
    let next = polled.filter_map(|row| {
        row.schedule
            .next
            .map(|next| row.hold_until.map_or(next, |hold| hold.max(next)))
    });
    match next.min() {
        _ if rows.is_empty() => NO_FEEDS.to_owned(),
        Some(next) => format!("nothing is due before {}", local(next)),
        None => "no feed is polled any more; `tidings feeds` lists them".to_owned(),
    }
}

/// What a refresh would do with one feed.
pub fn plan_line(plan: &Planned) -> String {
    let how = if plan.conditional {
        "conditionally"
    } else {
        "plain"
    };
    let what = match (plan.ask, plan.next) {
        (true, _) => format!("would be polled now, {how}"),
        (false, Some(next)) => format!("not before {}", local(next)),
        (false, None) => "not polled any more".to_owned(),
    };
    sanitize::line(&format!("{}: {what} ({})", plan.url, plan.why))
}
