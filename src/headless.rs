//! `--refresh-only`: the same engine, with stdout for a screen.

mod lines;
mod signals;

use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::article::sanitize;
use crate::config;
use crate::engine::{Client, Command, Event, FailureKind, Planned, Scope, Summary, Ticket};
use crate::model::{FeedId, Outcome, Pace, PollReport, Timestamp};

pub use lines::{NO_FEEDS, idle_line, line_of, local};
use lines::{plan_line, summary_line};
pub use signals::Signals;

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
        offline: false,
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
    /// It was told that this machine is offline.
    offline: bool,
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
            Event::Offline { until } => {
                self.offline = true;
                self.say(&format!(
                    "this machine seems to be offline; the next try is at {}",
                    local(until)
                ));
            }
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
            if summary == Summary::default() && self.offline {
                // Why nobody was asked has been said.
                return Some(Ending::Done(summary));
            }
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
        let line = line_of(report, self.request.json);
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
