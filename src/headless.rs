//! `--refresh-only`: the same engine, with stdout for a screen.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};

use crate::article::sanitize;
use crate::config;
use crate::engine::{Client, Command, Event, FailureKind, Planned, Scope, Summary, Ticket};
use crate::model::{Early, FeedId, FeedRow, Outcome, Pace, PollReport, Timestamp, bytes};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

/// What to refresh, and how to tell.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// These feeds only; empty for all.
    pub urls: Vec<String>,
    /// Whether due or not.
    pub force: bool,
    /// One JSON object a feed instead of text.
    pub json: bool,
    /// Say what would be polled, send nothing.
    pub dry_run: bool,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// All polls ended; the summary says how.
    Done(Summary),
    /// A URL that is not subscribed, or a configuration that cannot be used.
    Usage(String),
    /// Another tidings is polling, or the store is busy: try again later.
    Busy(String),
    /// The engine failed.
    Internal(String),
    /// Ctrl-C or a signal; what had finished is on disk and was told.
    Interrupted,
}

impl Ending {
    /// The exit code of the command line.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Done(summary) if summary.busy => 75,
            Self::Done(summary) if summary.undone > 0 => 70,
            Self::Done(summary) if summary.failed > 0 => 1,
            Self::Done(_) => 0,
            Self::Usage(_) => 2,
            Self::Busy(_) => 75,
            Self::Internal(_) => 70,
            Self::Interrupted => 130,
        }
    }
}

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
    at.datetime()
        .with_timezone(&chrono::Local)
        .format("%Y-%m-%d %H:%M")
        .to_string()
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
    line.push_str(": ");
    match &report.outcome {
        Outcome::NotModified => line.push_str("unchanged (304)"),
        Outcome::Unchanged => line.push_str("identical (200)"),
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
fn summary_line(summary: &Summary) -> String {
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
fn idle_line(rows: &[FeedRow]) -> String {
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

/// Refreshes, telling every feed as it finishes. `out` is stdout; everything else goes to stderr.
pub fn run(client: Client, request: &Request, out: &mut dyn Write) -> (Ending, Client) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return (Ending::Internal(error.to_string()), client),
    };
    let mut session = Session {
        client,
        request,
        out,
        bar: progress_bar(request),
        printed: false,
        out_error: None,
        idle: None,
    };
    let ending = runtime.block_on(session.run());
    session.bar.finish_and_clear();
    (ending, session.client)
}

fn progress_bar(request: &Request) -> ProgressBar {
    if request.dry_run || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} feeds {msg}") {
        bar.set_style(style.progress_chars("━╸─"));
    }
    bar
}

struct Session<'a> {
    client: Client,
    request: &'a Request,
    out: &'a mut dyn Write,
    bar: ProgressBar,
    /// Lines were written that are not flushed yet.
    printed: bool,
    /// Standard output cannot be written any more.
    out_error: Option<io::Error>,
    /// Nothing was due: asked which feeds there are, to say when the next one is.
    idle: Option<Ticket>,
}

impl Session<'_> {
    async fn run(&mut self) -> Ending {
        let scope = match self.scope().await {
            Ok(scope) => scope,
            Err(ending) => return ending,
        };
        let pace = if self.request.force {
            Pace::Force
        } else {
            Pace::Scheduled
        };
        let ticket = self.client.ticket();
        self.client.send(if self.request.dry_run {
            Command::Plan {
                scope,
                pace,
                ticket,
            }
        } else {
            Command::Refresh {
                scope,
                pace,
                ticket,
            }
        });
        self.until_done(ticket).await
    }

    /// Names become feeds; a name that is not subscribed is an error before anything is sent.
    async fn scope(&mut self) -> Result<Scope, Ending> {
        if self.request.urls.is_empty() {
            return Ok(if self.request.force {
                Scope::All
            } else {
                Scope::Due
            });
        }
        let ticket = self.client.ticket();
        self.client.send(Command::ListFeeds { ticket });
        let mut known = HashMap::<String, FeedId>::new();
        while let Some(event) = self.client.recv().await {
            match event {
                Event::Feeds { ticket: of, rows } if of == ticket => {
                    for row in rows {
                        if let Ok(identity) = config::normalise(&row.feed.url) {
                            known.insert(identity, row.feed.id);
                        }
                    }
                    break;
                }
                Event::Failed { what, why, .. } => {
                    return Err(Ending::Internal(format!("{what}: {why}")));
                }
                _ => {}
            }
        }
        let mut feeds = Vec::new();
        for url in &self.request.urls {
            let feed = config::normalise(url).ok().and_then(|u| known.get(&u));
            match feed {
                Some(feed) => feeds.push(*feed),
                None => {
                    return Err(Ending::Usage(format!(
                        "{} is not subscribed; `tidings feeds` lists what is",
                        sanitize::line(&config::masked(url))
                    )));
                }
            }
        }
        Ok(Scope::Feeds(feeds))
    }

    async fn until_done(&mut self, ticket: Ticket) -> Ending {
        let mut signals = match Signals::new() {
            Ok(signals) => signals,
            Err(error) => return Ending::Internal(format!("no signal handler: {error}")),
        };
        let mut interrupted = false;
        loop {
            let event = if let Some(event) = self.client.try_recv() {
                Some(event)
            } else {
                self.flush();
                tokio::select! {
                    event = self.client.recv() => event,
                    () = signals.recv() => {
                        self.stop(&mut interrupted);
                        continue;
                    }
                }
            };
            let Some(event) = event else {
                return Ending::Interrupted;
            };
            if let Some(ending) = self.event(event, ticket, interrupted) {
                self.flush();
                return match (&self.out_error, ending) {
                    (Some(_), Ending::Done(_)) => self.stopped(),
                    (_, ending) => ending,
                };
            }
            if self.out_error.is_some() && !interrupted {
                self.stop(&mut interrupted);
            }
        }
    }

    /// The first signal ends the run cleanly, the second at once.
    fn stop(&self, interrupted: &mut bool) {
        if *interrupted {
            std::process::exit(130);
        }
        *interrupted = true;
        self.client.send(Command::Shutdown);
    }

    fn event(&mut self, event: Event, ticket: Ticket, interrupted: bool) -> Option<Ending> {
        match event {
            Event::RefreshStarted { feeds, .. } => self.bar.inc_length(feeds as u64),
            Event::Polled(report) => {
                self.bar.inc(1);
                self.tell(&report);
            }
            Event::RefreshDone {
                ticket: of,
                summary,
            } if of == ticket && !interrupted => {
                return self.done(summary);
            }
            Event::Feeds { ticket: of, rows } if self.idle == Some(of) => {
                self.print(&idle_line(&rows));
                return Some(Ending::Done(Summary::default()));
            }
            Event::Planned { ticket: of, plans } if of == ticket => {
                self.tell_plans(&plans);
                return Some(Ending::Done(Summary::default()));
            }
            Event::Waiting => self.say("another tidings is polling; waiting for it to finish"),
            Event::Offline { until } => self.say(&format!(
                "this machine seems to be offline; the next try is at {}",
                local(until)
            )),
            Event::Notice(text) => self.say(&text),
            Event::Failed {
                ticket: of,
                what,
                why,
                kind,
            } => {
                let text = format!("{what}: {why}");
                match kind {
                    FailureKind::Usage => return Some(Ending::Usage(text)),
                    FailureKind::Busy => return Some(Ending::Busy(text)),
                    FailureKind::Internal if of == ticket => return Some(Ending::Internal(text)),
                    FailureKind::Internal => self.say(&text),
                }
            }
            Event::Stopped => return Some(self.stopped()),
            _ => {}
        }
        None
    }

    /// The engine ended before the run did: by a signal, or because nobody reads what is printed.
    fn stopped(&self) -> Ending {
        match &self.out_error {
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                Ending::Done(Summary::default())
            }
            Some(error) => Ending::Internal(format!(
                "standard output cannot be written: {error}; what was polled is stored"
            )),
            None => Ending::Interrupted,
        }
    }

    fn done(&mut self, summary: Summary) -> Option<Ending> {
        if summary.busy {
            let text = "another tidings was polling and did not finish in time; try again later";
            return Some(Ending::Busy(text.to_owned()));
        }
        if !self.request.json {
            if summary == Summary::default() {
                let ticket = self.client.ticket();
                self.idle = Some(ticket);
                self.client.send(Command::ListFeeds { ticket });
                return None;
            }
            let line = summary_line(&summary);
            self.print(&line);
        }
        Some(Ending::Done(summary))
    }

    fn tell(&mut self, report: &PollReport) {
        if report.outcome == Outcome::Gone && report.status.is_none() {
            // Neither polled nor deferred: no line of results. Who named it wants to know why.
            if !self.request.urls.is_empty() {
                let url = config::masked(&report.url);
                let why = report.row.schedule.why;
                self.say(&format!(
                    "{url} is not polled any more ({why}); `tidings enable {url}` polls it again"
                ));
            }
            return;
        }
        let line = if self.request.json {
            // A struct of strings and numbers always serialises.
            line_of(report, true)
        } else {
            text_line(report)
        };
        self.print(&line);
    }

    fn tell_plans(&mut self, plans: &[Planned]) {
        for plan in plans {
            let line = if self.request.json {
                serde_json::json!({
                    "url": plan.url,
                    "ask": plan.ask,
                    "conditional": plan.conditional,
                    "next_poll": plan.next.map(Timestamp::rfc3339),
                    "why": plan.why,
                })
                .to_string()
            } else {
                plan_line(plan)
            };
            self.print(&line);
        }
        if !self.request.json {
            let asked = plans.iter().filter(|plan| plan.ask).count();
            self.print(&format!(
                "{asked} of {} feeds would be polled; nothing was sent",
                plans.len()
            ));
        }
    }

    /// A line on stdout. A reader that went away ends the run, quietly.
    fn print(&mut self, line: &str) {
        if self.out_error.is_some() {
            return;
        }
        self.out_error = writeln!(self.out, "{line}").err();
        self.printed = true;
    }

    /// What was printed goes out: after the last event that has come, so that a commit's lines go together.
    fn flush(&mut self) {
        if self.out_error.is_none() && self.printed {
            // The bar makes room when the lines really go out: on a terminal both are on one screen.
            self.out_error = self.bar.suspend(|| self.out.flush()).err();
            self.printed = false;
        }
    }

    fn say(&self, text: &str) {
        let text = sanitize::line(text);
        self.bar.suspend(|| {
            // Nothing is left to tell it to when stderr is gone.
            let _ = writeln!(io::stderr(), "tidings: {text}");
        });
    }
}

fn plan_line(plan: &Planned) -> String {
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

/// What asks a run to end.
#[cfg(unix)]
struct Signals([tokio::signal::unix::Signal; 3]);

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self([
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        ]))
    }

    async fn recv(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

/// What asks a run to end.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn recv(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
