//! A poll from the first byte sent to the commit: what `refresh` decides is carried out and told here.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use crate::model::{ErrorKind, FeedRow, Outcome, PollReport, Timestamp};
use crate::poll;
use crate::store::{self, Packed, PollCommit, Reply};

use super::audit;
use super::clock;
use super::protocol::Event;
use super::refresh::{Digest, Fetched, Inner, Job, Landing, Pass, Shared, ask, digest};

/// How a task of the engine ended.
pub enum Flown {
    /// A poll is on its way to the disk.
    Landed(Box<Committing>),
    /// There are other things to tell.
    Told(Vec<Event>),
    /// It could not be carried out.
    Failed {
        /// What could not be done.
        what: String,
        /// Why.
        why: String,
    },
}

/// A poll that waits for its commit, and holds no more than the report will need.
pub struct Committing {
    draft: Draft,
    reply: Reply<FeedRow>,
}

impl Committing {
    /// Waits for the disk, then reports.
    pub async fn wait(self) -> Result<PollReport, String> {
        match self.reply.await {
            Ok(Ok(row)) => Ok(self.draft.with(row)),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("the store is closed".to_owned()),
        }
    }
}

/// A report that lacks only the row as it is after the commit.
struct Draft {
    url: String,
    url_now: Option<String>,
    status: Option<u16>,
    outcome: Outcome,
    warning: Option<String>,
    bytes: u64,
    took: Duration,
}

impl Draft {
    fn with(self, row: FeedRow) -> PollReport {
        PollReport {
            feed: row.feed.id,
            url: self.url,
            url_now: self.url_now,
            status: self.status,
            outcome: self.outcome,
            warning: self.warning,
            bytes: self.bytes,
            took: self.took,
            row,
        }
    }
}

/// A poll that needs the network no longer.
struct Landed {
    commit: PollCommit,
    draft: Draft,
}

impl Landed {
    /// Hands the writer what it has to write. From here on the poll is told, whatever happens to its task.
    fn hand_over(self, shared: &Shared) -> Committing {
        let reply = shared.writer.poll(self.commit);
        Committing {
            draft: self.draft,
            reply,
        }
    }
}

/// The messages of one flight to the loop.
#[derive(Clone)]
pub struct Radio {
    /// The flight.
    pub flight: u64,
    /// To the loop.
    pub inner: mpsc::UnboundedSender<Inner>,
}

impl Radio {
    fn landed(&self, pass: &Pass, status: Option<u16>, answered: bool) {
        let _ = self.inner.send(Inner::Landed(Landing {
            flight: self.flight,
            host: pass.host().clone(),
            status,
            answered,
        }));
    }
}

/// Asks, judges, and sends what it came to on its way to the disk.
pub async fn poll(shared: Arc<Shared>, job: Job, pass: Pass, radio: Radio) -> Flown {
    let fetched = ask(&shared, &job, pass, &radio.inner).await;
    flown(finish(&shared, job, fetched, &radio).await)
}

fn flown(landed: Result<Committing, String>) -> Flown {
    match landed {
        Ok(committing) => Flown::Landed(Box::new(committing)),
        Err(why) => Flown::Failed {
            what: "a poll could not be stored".to_owned(),
            why,
        },
    }
}

/// From an answer to its commit: also for the answer that `add` already has (R1).
pub async fn finish(
    shared: &Arc<Shared>,
    job: Job,
    fetched: Fetched,
    radio: &Radio,
) -> Result<Committing, String> {
    let offline = doubt(&fetched, radio).await;
    if !fetched.has_body() {
        // Nothing to parse: a decision is cheaper than the way to a worker and back.
        let digest = digest(shared, &job, &fetched, offline);
        return land(&job, fetched, digest, offline.is_some(), radio)
            .map(|landed| landed.hand_over(shared));
    }
    let permit = Arc::clone(&shared.parsing).acquire_owned().await;
    let room = Arc::clone(shared);
    let channel = radio.clone();
    let worked = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let digest = digest(&room, &job, &fetched, offline);
        land(&job, fetched, digest, offline.is_some(), &channel)
    });
    match worked.await {
        // Not on the worker: a poll that is broken off while it works there must not be stored without being told.
        Ok(landed) => landed.map(|landed| landed.hand_over(shared)),
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(error) => Err(error.to_string()),
    }
}

/// A host that gives no answer raises the question whether this machine is offline (R44).
async fn doubt(fetched: &Fetched, radio: &Radio) -> Option<Timestamp> {
    let error = fetched.end.as_ref().err()?;
    if fetched.held.is_some() || !poll::says_offline(error.kind) {
        return None;
    }
    let (reply, verdict) = oneshot::channel();
    let _ = radio.inner.send(Inner::Unanswered {
        failure: (fetched.pass.host().clone(), error.kind),
        reply,
    });
    // Only now: the loop decides as soon as nobody is on the network, and must know of this failure by then.
    radio.landed(&fetched.pass, None, false);
    verdict.await.unwrap_or(None)
}

/// Leaves the host's lane and makes up what the commit holds, compressed.
fn land(
    job: &Job,
    fetched: Fetched,
    digest: Digest,
    offline: bool,
    radio: &Radio,
) -> Result<Landed, String> {
    let audit = audit::record(&fetched, &digest, job.pace);
    let silent = matches!(
        fetched.end.as_ref().map_err(|error| error.kind),
        Err(ErrorKind::Dns | ErrorKind::Unreachable | ErrorKind::Timeout | ErrorKind::Credentials)
    );
    let status = fetched
        .exchanges
        .last()
        .map(|exchange| exchange.status)
        .filter(|status| *status != 0 && fetched.held.is_none());
    if fetched.may_leave_a_body() {
        let host = fetched.pass.host().clone();
        let _ = radio.inner.send(Inner::StrayBody { host });
    }
    radio.landed(&fetched.pass, status, !silent && !offline);
    let conclusion = digest.conclusion;
    // What was known when a lane was left for another that never came is old.
    let host =
        (fetched.pass.holds()).then(|| (fetched.pass.host().clone(), conclusion.host.clone()));
    fetched.pass.leave_with(conclusion.host);
    let draft = Draft {
        url: job.subscription.url.clone(),
        url_now: fetched
            .end
            .ok()
            .map(|answer| answer.url)
            .filter(|_| !fetched.hops.is_empty()),
        status,
        outcome: conclusion.outcome,
        warning: conclusion.warning,
        bytes: conclusion.delta.bytes,
        took: Duration::from_millis(u64::from(fetched.ms)),
    };
    let commit = PollCommit {
        feed: job.input.feed.id,
        at: clock::now(),
        state: conclusion.state,
        host,
        validators: conclusion.validators,
        about: digest.about,
        entries: store::pack(digest.changes).map_err(|error| error.to_string())?,
        audit,
        exchanges: fetched.exchanges,
        delta: conclusion.delta,
    };
    Ok(Landed { commit, draft })
}

/// A feed whose host is held: recorded, not sent (R39).
pub fn defer(
    shared: &Shared,
    job: &Job,
    pass: Pass,
    until: Timestamp,
    radio: &Radio,
) -> Committing {
    let now = clock::now();
    let conclusion = poll::defer(until, &job.known(&pass.state, &shared.settings, now));
    radio.landed(&pass, None, false);
    drop(pass);
    let audit = audit::deferral(
        now,
        &job.subscription.url,
        job.pace,
        &conclusion.state.schedule,
    );
    let draft = Draft {
        url: job.subscription.url.clone(),
        url_now: None,
        status: None,
        outcome: conclusion.outcome,
        warning: conclusion.warning,
        bytes: 0,
        took: Duration::ZERO,
    };
    let reply = shared.writer.poll(PollCommit {
        feed: job.input.feed.id,
        at: now,
        state: conclusion.state,
        host: None,
        validators: conclusion.validators,
        about: None,
        entries: Packed::default(),
        audit,
        exchanges: Vec::new(),
        delta: conclusion.delta,
    });
    Committing { draft, reply }
}
