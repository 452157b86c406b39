//! A delivery from the body to what is stored of it: believed or not, read, compared with what is known.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::callback::{Body, Reply};
use crate::config;
use crate::model::{
    AuditRecord, FeedId, FeedRow, Keep, Outcome, OutcomeCode, Pace, PollReport, Timestamp,
};
use crate::parse;
use crate::push::{self, Delivery, Push};
use crate::store::{self, Packed};

use super::super::audit;
use super::super::clock;
use super::super::digest;
use super::super::job::Job;
use super::super::reading;
use super::super::rules::{self, Deed};
use super::super::shared::Shared;

/// A delivery as it came in.
pub struct Letter {
    /// The path of the callback.
    pub path: String,
    /// `X-Hub-Signature`.
    pub signature: Option<Vec<u8>>,
    /// `Content-Type`.
    pub content_type: Option<Vec<u8>>,
    /// What was sent.
    pub body: Body,
    /// The answer.
    pub reply: oneshot::Sender<Reply>,
}

/// How far it is believed, and what it brought.
pub struct Judged {
    /// It.
    pub letter: Letter,
    /// The judgement.
    pub delivery: Delivery,
    /// What was read of one that is believed; a clause that says what it is instead of the feed.
    pub news: Option<Result<News, String>>,
    /// How long that took.
    pub took: Duration,
}

/// What a delivery brought.
pub struct News {
    /// New and edited entries.
    pub entries: Packed,
    /// How many are new.
    pub new: u32,
    /// How many are edited.
    pub updated: u32,
    /// The newest date among all its entries.
    pub newest: Option<Timestamp>,
    /// For the ring.
    pub audit: AuditRecord,
    /// How much is kept of the feed.
    pub keep: Keep,
    /// The feed's URL, as in feeds.toml.
    pub url: String,
    /// What rules have to be done once it is on disk.
    pub deeds: Vec<Deed>,
}

/// A delivery on disk.
pub struct Stored {
    /// The feed.
    pub feed: FeedId,
    /// Its URL, as in feeds.toml.
    pub url: String,
    /// Entries that are new.
    pub new: u32,
    /// Entries that are edited.
    pub updated: u32,
    /// Bytes of the body.
    pub bytes: u64,
    /// How long it took to read.
    pub took: Duration,
    /// What rules have to be done.
    pub deeds: Vec<Deed>,
}

impl Stored {
    /// The report, and what is to be done besides.
    pub fn report(self, row: FeedRow) -> (PollReport, Vec<Deed>) {
        let outcome = match (self.new, self.updated) {
            (0, 0) => Outcome::Unchanged,
            (new, updated) => Outcome::Changed { new, updated },
        };
        let report = PollReport {
            feed: self.feed,
            url: self.url,
            url_now: None,
            status: None,
            outcome,
            warning: None,
            bytes: self.bytes,
            took: self.took,
            early: None,
            pushed: true,
            row,
        };
        (report, self.deeds)
    }
}

/// Judges and reads. Codes of signatures and feeds take time: that happens where polls are read, two at once. `None`: the
/// reader broke off, and the hub tries again.
pub async fn judge(shared: Arc<Shared>, job: Job, push: Push, letter: Letter) -> Option<Judged> {
    let permit = Arc::clone(&shared.parsing).acquire_owned().await.ok()?;
    let judged = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let began = Instant::now();
        let now = clock::now();
        let signature = letter.signature.as_deref();
        let delivery = push::deliver(&push, signature, &letter.body, now);
        let believed = matches!(delivery, Delivery::Fat { .. });
        let news = believed.then(|| read(&shared, &job, &push, &letter));
        Judged {
            letter,
            delivery,
            news,
            took: began.elapsed(),
        }
    });
    judged.await.ok()
}

/// Reads the body as a part of the feed.
fn read(shared: &Shared, job: &Job, push: &Push, letter: &Letter) -> Result<News, String> {
    let content_type = letter.content_type.as_deref();
    let content_type = content_type.map(|text| String::from_utf8_lossy(text).into_owned());
    let parsed = parse::parse(&letter.body, content_type.as_deref(), &push.topic)
        .map_err(|error| reading::poll_error(&error).to_string())?;
    if let Some(own) = &parsed.own
        && !is_of(own, push, job)
    {
        return Err(format!("another feed, {}", config::masked(own)));
    }
    let newest = parsed.entries.iter();
    let newest = newest.filter_map(|entry| entry.updated.max(entry.published));
    let newest = newest.max();
    let title = parsed.title.clone();
    let changes =
        digest::changes(shared, job, parsed.entries).map_err(|error| error.to_string())?;
    let counts = (
        changes.new.len() as u32,
        (changes.edited.len() + changes.moved.len()) as u32,
    );
    let title = Some(title.as_str()).filter(|title| !title.is_empty());
    let mut judged = rules::judge(shared, job, title, &changes.new);
    let mut entries = store::pack(changes).map_err(|error| error.to_string())?;
    judged.mark(&mut entries);
    let bytes = letter.body.len() as u64;
    Ok(News {
        entries,
        new: counts.0,
        updated: counts.1,
        newest,
        audit: record(job, bytes, counts),
        keep: shared.settings.keep_of(&job.subscription),
        url: job.subscription.url.clone(),
        deeds: judged.deeds,
    })
}

/// What the body calls its own address is the topic, or the feed. A hub that serves many may mix them up.
fn is_of(own: &str, push: &Push, job: &Job) -> bool {
    let own = identity(own);
    let known = [
        push.topic.as_str(),
        &job.subscription.url,
        crate::poll::address(&job.input.state, &job.subscription.url),
    ];
    known.iter().any(|known| identity(known) == own)
}

fn identity(url: &str) -> String {
    config::normalise(url).unwrap_or_else(|_| url.to_owned())
}

/// Nothing was asked: the schedule stands in it as it was.
fn record(job: &Job, bytes: u64, (new, updated): (u32, u32)) -> AuditRecord {
    let outcome = if new + updated > 0 {
        OutcomeCode::Changed
    } else {
        OutcomeCode::Unchanged
    };
    let schedule = &job.input.state.schedule;
    AuditRecord {
        wire: bytes,
        decoded: bytes,
        new,
        updated,
        outcome,
        ..audit::deferral(clock::now(), &job.subscription.url, Pace::Push, schedule)
    }
}
