//! A poll from the first byte sent to the commit: what is decided is carried out and told here.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use crate::model::{
    Early, ErrorKind, FeedRow, Keep, Memory, Outcome, Pace, PollReport, SourceKind, Timestamp,
};
use crate::poll::{self, Conclusion};
use crate::store::{self, Packed, PackedExchanges, PollCommit, Withdrawn};

use super::ask::ask;
use super::audit;
use super::clock;
use super::digest::{Digest, digest};
use super::job::{Fetched, Job};
use super::older_runs::Run;
use super::pass::{Bar, Inner, Landing, Pass};
use super::protocol::{Event, Ticket};
use super::rules::{self, Deed};
use super::shared::Shared;

/// How a task of the engine ended.
pub enum Flown {
    /// A poll needs the network no longer.
    Landed(Box<Landed>),
    /// There are other things to tell.
    Told(Vec<Event>),
    /// A step of a run over older pages, and the next one, where there is one.
    Followed(Vec<Event>, Option<Box<Run>>),
    /// It could not be carried out.
    Failed {
        /// What could not be done.
        what: String,
        /// Why.
        why: String,
    },
}

impl Flown {
    /// The list as it is now, then what came of it.
    pub fn with_list(shared: &Shared, event: Event) -> Self {
        let rows = shared.store.feeds().ok();
        let ticket = Ticket(0);
        let list = rows.map(|rows| Event::Feeds { ticket, rows });
        Self::Told(list.into_iter().chain([Event::Changed, event]).collect())
    }
}

/// A report that lacks only the row as it is after the commit: what is kept of a poll that waits for the disk.
pub struct Draft {
    url: String,
    kind: SourceKind,
    url_now: Option<String>,
    status: Option<u16>,
    outcome: Outcome,
    warning: Option<String>,
    bytes: u64,
    took: Duration,
    early: Option<Early>,
    /// What rules have to be done for new entries once they are on disk.
    pub deeds: Vec<Deed>,
    /// A list names other feeds than before: what changed, in words.
    pub news: Option<String>,
}

impl Draft {
    /// The report.
    pub fn with(self, mut row: FeedRow) -> PollReport {
        row.kind = self.kind;
        PollReport {
            feed: row.feed.id,
            url: self.url,
            url_now: self.url_now,
            status: self.status,
            outcome: self.outcome,
            warning: self.warning,
            bytes: self.bytes,
            took: self.took,
            early: self.early,
            pushed: false,
            row,
        }
    }
}

/// A poll that needs the network no longer, and is not handed to the writer yet. Its task does not do that: a task can be
/// broken off, and what is stored must be told.
pub struct Landed {
    /// What to write.
    pub commit: PollCommit,
    /// What to tell.
    pub draft: Draft,
    /// The lane of the last host. Who waits for the disk keeps it until then: whoever is next there must find what was
    /// stored (R1).
    pub pass: Pass,
}

impl Landed {
    /// Waits for the disk alone, then reports.
    pub async fn store(self, shared: &Shared) -> Result<PollReport, String> {
        let reply = shared.writer.poll(self.commit);
        // Nobody else's poll need wait with it.
        drop(shared.writer.flush());
        let written = reply.await;
        self.pass.leave_written();
        match written {
            Ok(Ok(row)) => Ok(self.draft.with(row)),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("the store is closed".to_owned()),
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

/// Asks, judges, and makes up what is to be written.
pub async fn poll(shared: Arc<Shared>, job: Job, pass: Pass, radio: Radio) -> Flown {
    let fetched = ask(&shared, &job, pass, &radio.inner).await;
    match finish(&shared, job, fetched, &radio).await {
        Ok(landed) => Flown::Landed(Box::new(landed)),
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
    mut fetched: Fetched,
    radio: &Radio,
) -> Result<Landed, String> {
    let offline = doubt(&fetched, radio).await;
    if !fetched.has_body() {
        // Nothing to parse: a decision is cheaper than the way to a worker and back.
        let digest = digest(shared, &job, &mut fetched, offline);
        return land(shared, &job, fetched, digest, offline.is_some(), radio);
    }
    let permit = Arc::clone(&shared.parsing).acquire_owned().await;
    let room = Arc::clone(shared);
    let channel = radio.clone();
    let worked = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let digest = digest(&room, &job, &mut fetched, offline);
        land(&room, &job, fetched, digest, offline.is_some(), &channel)
    });
    match worked.await {
        Ok(landed) => landed,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(error) => Err(error.to_string()),
    }
}

/// A host that gives no answer raises the question whether this machine is offline (R44).
async fn doubt(fetched: &Fetched, radio: &Radio) -> Option<Timestamp> {
    let error = fetched.end.as_ref().err()?;
    if fetched.barred.is_some() || !poll::says_offline(error.kind) {
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

/// Nobody waits for what a hub announces.
const fn by_a_person(pace: Pace) -> bool {
    !matches!(pace, Pace::Scheduled | Pace::Push)
}

/// The time that the schedule had set, where a person did not wait for it.
fn early(job: &Job, fetched: &Fetched) -> Option<Early> {
    let state = &job.input.state;
    let sent = fetched.barred.is_none() && by_a_person(job.pace);
    let next = state.schedule.next.filter(|next| *next > fetched.at);
    // A first poll has no time to wait for.
    let next = next.filter(|_| sent && state.last.is_some())?;
    Some(Early {
        next,
        conditional: !fetched.sent.is_empty(),
    })
}

/// Leaves the host's lane and makes up what the commit holds, compressed.
fn land(
    shared: &Shared,
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
    let last = fetched.exchanges.last().map(|exchange| exchange.status);
    let status = fetched
        .end
        .as_ref()
        .map_or(last, |answer| Some(answer.status))
        .filter(|status| *status != 0 && fetched.barred.is_none());
    if fetched.may_leave_a_body() {
        let host = fetched.pass.host().clone();
        let _ = radio.inner.send(Inner::StrayBody { host });
    }
    let told = status.filter(|status| *status != 403 || !digest.guarded);
    // A file says nothing about the network.
    let answered = !silent && !offline && !job.is_local();
    radio.landed(&fetched.pass, told, answered);
    let early = early(job, &fetched);
    let title = digest.about.as_ref().map(|about| about.title.as_str());
    let title = title.filter(|title| !title.is_empty());
    let mut judged = rules::judge(shared, job, title, &digest.changes.new);
    let mut entries = store::pack(digest.changes).map_err(|error| error.to_string())?;
    judged.mark(&mut entries);
    let conclusion = digest.conclusion;
    // What was known when a lane was left for another that never came is old.
    let host =
        (fetched.pass.holds()).then(|| (fetched.pass.host().clone(), conclusion.host.clone()));
    let turn = fetched.pass.turn;
    let mut pass = fetched.pass;
    pass.learn(conclusion.host);
    let draft = Draft {
        url: job.subscription.url.clone(),
        kind: job.subscription.kind,
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
        early,
        deeds: judged.deeds,
        news: digest.news,
    };
    let commit = PollCommit {
        keep: shared.settings.keep_of(&job.subscription),
        feed: job.input.feed.id,
        at: clock::now(),
        state: conclusion.state,
        host,
        turn,
        validators: conclusion.validators,
        about: digest.about,
        entries,
        audit,
        exchanges: PackedExchanges::pack(&fetched.exchanges).map_err(|error| error.to_string())?,
        delta: conclusion.delta,
        cursor: digest.cursor,
        withdrawn: digest.withdrawn,
        memory: digest.memory,
    };
    Ok(Landed {
        commit,
        draft,
        pass,
    })
}

/// A feed whose host may not be asked: recorded, not sent (R39, R72).
pub fn defer(shared: &Shared, job: &Job, pass: Pass, bar: Bar, radio: &Radio) -> Landed {
    let conclusion = bar.conclude(&job.known(&pass.state, &shared.settings, clock::now()));
    unsent(job, pass, conclusion, radio)
}

/// Records what was concluded without a request.
pub fn unsent(job: &Job, pass: Pass, conclusion: Conclusion, radio: &Radio) -> Landed {
    let now = clock::now();
    radio.landed(&pass, None, false);
    let audit = audit::deferral(
        now,
        &job.subscription.url,
        job.pace,
        &conclusion.state.schedule,
    );
    let draft = Draft {
        url: job.subscription.url.clone(),
        kind: job.subscription.kind,
        url_now: None,
        status: None,
        outcome: conclusion.outcome,
        warning: conclusion.warning,
        bytes: 0,
        took: Duration::ZERO,
        early: None,
        deeds: Vec::new(),
        news: None,
    };
    let commit = PollCommit {
        keep: Keep::default(),
        feed: job.input.feed.id,
        at: now,
        state: conclusion.state,
        host: None,
        turn: 0,
        validators: conclusion.validators,
        about: None,
        entries: Packed::default(),
        audit,
        exchanges: PackedExchanges::default(),
        delta: conclusion.delta,
        cursor: None,
        withdrawn: Withdrawn::default(),
        memory: Memory::Nothing,
    };
    Landed {
        commit,
        draft,
        pass,
    }
}
