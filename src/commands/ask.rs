//! Questions to the engine, one at a time, and its answers.

use super::say::say;
use super::{Context, Failure, exit};
use crate::config;
use crate::engine::{self, Client, Event, FailureKind, Mode, Options, StartError, Ticket};
use crate::model::{FeedRow, Subscription};

/// A conversation with the engine.
pub(super) struct Asking {
    client: Client,
    /// What was said already: the list that is read again gives the same warnings again.
    said: Vec<String>,
}

impl Asking {
    /// Starts the engine for one command.
    pub fn start(context: &Context) -> Result<Self, Failure> {
        let options = Options {
            locations: context.locations.clone(),
            settings: context.settings.clone(),
            mode: Mode::OneShot,
        };
        let (client, notices) = engine::start(options).map_err(|error| start_failure(&error))?;
        for notice in &notices {
            say(notice);
        }
        Ok(Self {
            client,
            said: notices,
        })
    }

    /// Sends the command that `question` makes of a new ticket, and waits for the event that `answer` takes.
    pub fn ask<T>(
        &mut self,
        question: impl FnOnce(Ticket) -> engine::Command,
        mut answer: impl FnMut(Event, Ticket) -> Option<T>,
    ) -> Result<T, Failure> {
        let ticket = self.client.ticket();
        self.client.send(question(ticket));
        while let Some(event) = self.client.recv_blocking() {
            match event {
                Event::Failed {
                    ticket: of,
                    what,
                    why,
                    kind,
                } => {
                    let sentence = format!("{what}: {why}");
                    if of == ticket {
                        return Err(failure(sentence, kind));
                    }
                    say(&sentence);
                }
                Event::Waiting => say("another tidings is polling; waiting for it to finish"),
                Event::Notice(text) if self.said.contains(&text) => {}
                Event::Notice(text) => {
                    say(&text);
                    self.said.push(text);
                }
                Event::Stopped => break,
                event => {
                    if let Some(found) = answer(event, ticket) {
                        return Ok(found);
                    }
                }
            }
        }
        Err(Failure::internal(
            "the engine stopped before it answered; the log may say why",
        ))
    }

    /// Every subscribed feed, in the order of feeds.toml.
    pub fn feeds(&mut self) -> Result<Vec<FeedRow>, Failure> {
        self.ask(
            |ticket| engine::Command::ListFeeds { ticket },
            |event, ticket| match event {
                Event::Feeds { ticket: of, rows } if of == ticket => Some(rows),
                _ => None,
            },
        )
    }

    /// The engine, for somebody who listens to it otherwise.
    pub fn into_client(self) -> Client {
        self.client
    }

    /// Subscribes to these; how many were added, and how many were there already.
    pub fn import(&mut self, subscriptions: Vec<Subscription>) -> Result<(usize, usize), Failure> {
        self.ask(
            |ticket| engine::Command::Import {
                subscriptions,
                ticket,
            },
            |event, ticket| match event {
                Event::Imported {
                    ticket: of,
                    added,
                    duplicates,
                } if of == ticket => Some((added, duplicates)),
                _ => None,
            },
        )
    }

    /// Ends the engine and waits until everything is on disk.
    pub fn end(self) {
        self.client.shutdown();
    }
}

/// The row of a feed by its URL, however it is written.
pub(super) fn find<'a>(rows: &'a [FeedRow], url: &str) -> Result<&'a FeedRow, Failure> {
    let identity = config::normalise(url).map_err(|error| Failure::usage(error.to_string()))?;
    rows.iter()
        .find(|row| config::normalise(&row.feed.url).is_ok_and(|known| known == identity))
        .ok_or_else(|| {
            let shown = config::masked(url);
            Failure::usage(format!(
                "{shown} is not subscribed; `tidings feeds` lists what is"
            ))
        })
}

fn failure(sentence: String, kind: FailureKind) -> Failure {
    let code = match kind {
        FailureKind::Usage => exit::USAGE,
        FailureKind::Busy => exit::LATER,
        FailureKind::Internal => exit::INTERNAL,
    };
    Failure { sentence, code }
}

/// The engine did not start: the sentence and the exit code.
pub fn start_failure(error: &StartError) -> Failure {
    let code = match error {
        StartError::Files(error) => error.exit_code(),
        StartError::Fetch(_) => exit::USAGE,
        StartError::Store(error) if error.is_busy() => exit::LATER,
        _ => exit::INTERNAL,
    };
    Failure {
        sentence: error.to_string(),
        code,
    }
}
