//! `tidings watch`: the engine without a screen, until it is told to stop. A line for everything that happens.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use tokio::time::Instant;

use super::ask::start_failure;
use super::say::now;
use super::service::{self, State};
use super::textfile::publish;
use super::{Context, Failure, exit};
use crate::article::sanitize;
use crate::cli::Watch;
use crate::engine::{self, Client, Command, Event, Mode, Options, Ticket};
use crate::headless::{Signals, idle_line, line_of, local};
use crate::model::{FeedRow, Outcome, PollReport};

/// A page for the collector is written at most so often: it is read four times a minute at most.
const PAGE_EVERY: Duration = Duration::from_secs(15);

/// Polls what is due until a signal comes. Code 0: what had finished is stored.
pub(super) fn watch(wanted: &Watch, context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    let options = Options {
        locations: context.locations.clone(),
        settings: context.settings.clone(),
        mode: Mode::Watch,
    };
    let (client, notices) = engine::start(options).map_err(|error| start_failure(&error))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut session = Session {
        client,
        out,
        json: wanted.json,
        page: wanted.textfile.clone().map(Page::new),
        asked: None,
        ready: false,
        beat: None,
    };
    let ended = runtime.block_on(session.run(&notices));
    session.client.shutdown();
    ended
}

struct Session<'a> {
    client: Client,
    out: &'a mut dyn Write,
    json: bool,
    page: Option<Page>,
    /// The list of feeds was asked for: to be ready, or to write the page.
    asked: Option<Ticket>,
    /// The list was there once.
    ready: bool,
    /// The engine was asked for a sign of life.
    beat: Option<Ticket>,
}

/// The file of `--textfile`.
struct Page {
    path: PathBuf,
    /// Something was counted since it was written.
    stale: bool,
    /// Not written before.
    next: Instant,
}

impl Page {
    fn new(path: PathBuf) -> Self {
        Self {
            path,
            stale: true,
            next: Instant::now(),
        }
    }
}

/// A line of `--json`. The keys are an interface: they may gain members, never change.
#[derive(Debug, Serialize)]
struct Line<'a> {
    event: &'a str,
    at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    feeds: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

impl<'a> Line<'a> {
    fn new(event: &'a str) -> Self {
        Self {
            event,
            at: now().rfc3339(),
            feeds: None,
            until: None,
            text: None,
        }
    }
}

impl Session<'_> {
    async fn run(&mut self, notices: &[String]) -> Result<u8, Failure> {
        let mut signals = Signals::new()
            .map_err(|error| Failure::internal(format!("no signal handler: {error}")))?;
        for notice in notices {
            self.say("notice", notice)?;
        }
        self.ask();
        let pulse = service::pulse();
        let mut heart = pulse.map(tokio::time::interval);
        let mut stopping = false;
        loop {
            while let Some(event) = self.client.try_recv() {
                if matches!(event, Event::Stopped) {
                    return self.stopped();
                }
                self.event(event)?;
            }
            self.out.flush()?;
            let page = self.page.as_ref().filter(|page| page.stale && self.ready);
            let page = page.map(|page| page.next);
            tokio::select! {
                event = self.client.recv() => match event {
                    Some(Event::Stopped) | None => return self.stopped(),
                    Some(event) => self.event(event)?,
                },
                () = signals.recv() => self.stop(&mut stopping)?,
                () = beat(heart.as_mut()) => self.feel_pulse(),
                () = until(page) => self.ask(),
            }
        }
    }

    fn stopped(&mut self) -> Result<u8, Failure> {
        self.tell(&Line::new("stopped"), "stopped")?;
        self.out.flush()?;
        Ok(exit::WELL)
    }

    /// The first signal ends it cleanly, the second at once.
    fn stop(&mut self, stopping: &mut bool) -> io::Result<()> {
        if *stopping {
            std::process::exit(130);
        }
        *stopping = true;
        service::tell(State::Stopping);
        self.client.send(Command::Shutdown);
        self.tell(
            &Line::new("stopping"),
            "stopping; what is on its way is finished or dropped",
        )
    }

    /// Asks for the list of feeds, once at a time.
    fn ask(&mut self) {
        if let Some(page) = &mut self.page {
            page.stale = false;
            page.next = Instant::now() + PAGE_EVERY;
        }
        let ticket = self.client.ticket();
        self.asked = Some(ticket);
        self.client.send(Command::ListFeeds { ticket });
    }

    /// Only an engine that answers is alive. One that owes an answer from before is not asked again, nor called alive.
    fn feel_pulse(&mut self) {
        if self.beat.is_none() {
            let ticket = self.client.ticket();
            self.beat = Some(ticket);
            self.client.send(Command::Count {
                specs: Vec::new(),
                ticket,
            });
        }
    }

    fn event(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Feeds { ticket, rows } if self.asked == Some(ticket) => self.listed(&rows),
            Event::Counted { ticket, .. } if self.beat == Some(ticket) => {
                self.beat = None;
                service::tell(State::Alive);
                Ok(())
            }
            Event::Polled(report) => self.polled(&report),
            Event::Changed => {
                self.soil();
                Ok(())
            }
            Event::ListRead => {
                self.soil();
                self.tell(
                    &Line::new("list"),
                    "feeds.toml was edited, and is in use now",
                )
            }
            Event::Waiting => self.tell(
                &Line::new("waiting"),
                "another tidings is polling; waiting for it to finish",
            ),
            Event::Offline { until } => {
                let line = Line {
                    until: Some(until.rfc3339()),
                    ..Line::new("offline")
                };
                let when = local(until);
                self.tell(
                    &line,
                    &format!("this machine seems to be offline; the next try is at {when}"),
                )
            }
            Event::Push { text } => {
                self.soil();
                self.say("push", &text)
            }
            Event::Noticed { text } | Event::Notice(text) => self.say("notice", &text),
            Event::Failed { what, why, .. } => self.say("error", &format!("{what}: {why}")),
            _ => Ok(()),
        }
    }

    /// Something was counted.
    fn soil(&mut self) {
        if let Some(page) = &mut self.page {
            page.stale = true;
        }
    }

    fn listed(&mut self, rows: &[FeedRow]) -> io::Result<()> {
        self.asked = None;
        let path = self.page.as_ref().map(|page| page.path.clone());
        if let Some(path) = path {
            self.write_page(&path, rows)?;
        }
        if self.ready {
            return Ok(());
        }
        self.ready = true;
        service::tell(State::Ready);
        let line = Line {
            feeds: Some(rows.len()),
            ..Line::new("ready")
        };
        let count = super::say::count(rows.len() as u64, "feed", "feeds");
        self.tell(&line, &format!("watching {count}; {}", idle_line(rows)))
    }

    fn write_page(&mut self, path: &Path, rows: &[FeedRow]) -> io::Result<()> {
        match publish(path, rows) {
            Ok(()) => Ok(()),
            // It is tried again with the next news.
            Err(error) => self.say("error", &error.to_string()),
        }
    }

    fn polled(&mut self, report: &PollReport) -> io::Result<()> {
        self.soil();
        if report.outcome == Outcome::Gone && report.status.is_none() {
            return Ok(());
        }
        let line = line_of(report, self.json);
        if !self.json {
            return writeln!(self.out, "{line}");
        }
        // The object of `--refresh-only --json`, with what tells it from the other lines in front.
        let rest = line.strip_prefix('{').unwrap_or(&line);
        let at = now().rfc3339();
        writeln!(self.out, "{{\"event\":\"polled\",\"at\":\"{at}\",{rest}")
    }

    fn say(&mut self, event: &str, text: &str) -> io::Result<()> {
        let text = sanitize::line(text);
        let line = Line {
            text: Some(&text),
            ..Line::new(event)
        };
        self.tell(&line, &text)
    }

    fn tell(&mut self, line: &Line<'_>, text: &str) -> io::Result<()> {
        if !self.json {
            return writeln!(self.out, "{text}");
        }
        // Strings and numbers always serialise.
        let line = serde_json::to_string(line).unwrap_or_default();
        writeln!(self.out, "{line}")
    }
}

async fn beat(heart: Option<&mut tokio::time::Interval>) {
    match heart {
        Some(heart) => {
            heart.tick().await;
        }
        None => std::future::pending().await,
    }
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
