//! Sources on this machine as answers, and filters over answers: what `source` gives becomes what the rest of a poll knows.

use tokio::time::Instant;

use crate::config::{self, Local};
use crate::model::{
    Answer, Body, ErrorKind, Exchange, HeaderList, PollError, Subscription, Validators,
};
use crate::poll;
use crate::source::{self, Limits};

use super::clock;
use super::job::{Fetched, Job};
use super::shared::Shared;

/// Asks the file or the command that is subscribed. Its answer has a status, 200 or 304, for the same decisions to hold; nothing
/// went over a wire.
pub async fn ask(shared: &Shared, job: &Job, local: Local, fetched: &mut Fetched) {
    let url = &job.subscription.url;
    let answer = match local {
        Local::File(path) => {
            let known = job.known(&fetched.pass.state, &shared.settings, clock::now());
            fetched.sent = poll::validators_for(url, job.pace, &known);
            saved(shared, job, path, fetched.sent.clone()).await
        }
        Local::Exec(line) => made(shared, job, &line).await,
    };
    fetched.exchanges.push(Exchange {
        at: clock::now(),
        url: config::masked(url),
        status: answer.as_ref().map_or(0, |answer| answer.status),
        sent: HeaderList::default(),
        received: HeaderList::default(),
        error: answer.as_ref().err().map(ToString::to_string),
    });
    fetched.end = answer.map(Box::new);
}

async fn saved(
    shared: &Shared,
    job: &Job,
    path: String,
    sent: Validators,
) -> Result<Answer, PollError> {
    let path = source::path_of(&path, &shared.locations.config_dir);
    let url = job.subscription.url.clone();
    let limits = limits(shared, job);
    // A disk, or a network behind it, may take its time.
    tokio::task::spawn_blocking(move || source::read(&path, &url, &sent, limits, clock::now()))
        .await
        .map_err(|error| PollError::new(ErrorKind::File, error.to_string()))?
}

async fn made(shared: &Shared, job: &Job, line: &str) -> Result<Answer, PollError> {
    let words = if job.subscription.shell {
        shell(line)
    } else {
        config::words(line).map_err(|why| PollError::new(ErrorKind::Command, why))?
    };
    let began = Instant::now();
    let folder = &shared.locations.config_dir;
    let bytes = source::run(&words, folder, None, limits(shared, job)).await?;
    Ok(Answer {
        url: job.subscription.url.clone(),
        status: 200,
        sent: HeaderList::default(),
        headers: HeaderList::default(),
        body: Body { bytes, wire: 0 },
        at: clock::now(),
        took: began.elapsed(),
    })
}

/// Sends a new body through the user's filter. The request stays conditional: the validators are those of the address.
pub async fn filter(shared: &Shared, job: &Job, fetched: &mut Fetched) {
    let Some(words) = filter_of(&job.subscription) else {
        return;
    };
    let Ok(answer) = &mut fetched.end else {
        return;
    };
    if !matches!(answer.status, 200 | 203 | 226) {
        return;
    }
    let input = std::mem::take(&mut answer.body.bytes);
    let folder = &shared.locations.config_dir;
    match source::run(&words, folder, Some(input), limits(shared, job)).await {
        Ok(bytes) => {
            answer.body.bytes = bytes;
            // What it says of the body was true before the filter.
            let others = answer
                .headers
                .iter()
                .filter(|(name, _)| *name != "content-type");
            answer.headers = others.collect();
        }
        Err(error) => {
            fetched.wire = answer.body.wire;
            fetched.end = Err(error);
        }
    }
}

fn filter_of(subscription: &Subscription) -> Option<Vec<String>> {
    let words = &subscription.filter;
    match (words.is_empty(), subscription.shell) {
        (true, _) => None,
        (false, true) => Some(shell(&words.join(" "))),
        (false, false) => Some(words.clone()),
    }
}

fn shell(line: &str) -> Vec<String> {
    ["sh", "-c", line].map(str::to_owned).to_vec()
}

/// A command may take as long as a request, and never longer than the whole poll.
fn limits(shared: &Shared, job: &Job) -> Limits {
    let http = &shared.settings.http;
    let left = job.deadline.saturating_duration_since(Instant::now());
    Limits {
        time: http.total_timeout.min(left),
        bytes: http.max_body,
    }
}
