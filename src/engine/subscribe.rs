//! One subscription: written into feeds.toml, the only list, and asked once over `add` and its first poll (R1).

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::config::{self, ConfigError};
use crate::fetch::Reuse;
use crate::files;
use crate::model::{
    Feed, FeedId, HostKey, HostState, Memory, Pace, PollReport, PollState, Subscription,
};
use crate::store::PollInput;

use super::ask::ask;
use super::batch::STARTS_FOR;
use super::clock;
use super::flight::{self, Landed, Radio};
use super::job::{Fetched, Job};
use super::lists;
use super::pass::{Inner, Pass, Toll};
use super::protocol::{AddResult, Event, FailureKind, Pick, Ticket};
use super::shared::Shared;

/// What `add` was asked for.
pub struct Wish {
    /// URL, title and tags as given.
    pub subscription: Subscription,
    /// What to do with a page that names several feeds.
    pub pick: Pick,
    /// Try well-known paths.
    pub guess: bool,
    /// Of the command.
    pub ticket: Ticket,
}

/// Why `add` ended before it had a result.
pub(super) enum Stop {
    /// A result all the same.
    Result(AddResult),
    /// feeds.toml or the store could not be written.
    Failed {
        what: &'static str,
        why: String,
        kind: FailureKind,
    },
}

impl Stop {
    pub(super) fn refused(url: &str, why: impl Into<String>) -> Self {
        Self::Result(AddResult::Refused {
            url: config::masked(url),
            why: why.into(),
        })
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "it stands where `map_err` hands the error over"
    )]
    pub(super) fn store(why: impl ToString) -> Self {
        Self::Failed {
            what: "the subscription could not be stored",
            why: why.to_string(),
            kind: FailureKind::Internal,
        }
    }
}

/// It is subscribed: nothing is sent, unless it was gone or dead and one request revives it (R49).
pub(super) async fn already(
    shared: &Arc<Shared>,
    feed: FeedId,
    wish: &Subscription,
    radio: &Radio,
) -> Result<AddResult, Stop> {
    let row = shared.store.row(feed).map_err(Stop::store)?;
    let Some(row) = row.filter(|row| row.off.is_some()) else {
        return Ok(AddResult::Already {
            url: wish.url.clone(),
            revived: false,
        });
    };
    let enabled = shared.writer.enable(feed, clock::now());
    drop(shared.writer.flush());
    enabled
        .await
        .map_err(|_| Stop::store("the store is closed"))?
        .map_err(Stop::store)?;
    // As feeds.toml has it: it may be a list, or a sitemap.
    let own = files::load_subscriptions(&shared.locations).map(|(own, _)| own);
    let own = own.unwrap_or_default().into_iter();
    let known = own.rev().find(|own| own.url == row.feed.url);
    let subscription = known.unwrap_or_else(|| Subscription {
        url: row.feed.url.clone(),
        ..wish.clone()
    });
    let Some(pass) = gate(shared, &subscription.url, radio).await else {
        return Ok(AddResult::Queued { url: row.feed.url });
    };
    let job = job_of(shared, feed, subscription)?;
    let fetched = ask(shared, &job, pass, &radio.inner).await;
    let landed = flight::finish(shared, job, fetched, radio).await;
    committed(shared, landed.map_err(Stop::store)?).await?;
    Ok(AddResult::Already {
        url: row.feed.url,
        revived: true,
    })
}

/// Waits for the turn of a host; `None` when another tidings did not finish in time.
pub(super) async fn gate(shared: &Shared, url: &str, radio: &Radio) -> Option<Pass> {
    let host = HostKey::of_str(url)?;
    let (reply, turn) = oneshot::channel();
    // What a person adds or revives is asked at once.
    let toll = Toll {
        pace: Pace::Manual,
        first: true,
    };
    let _ = radio.inner.send(Inner::Gate { host, toll, reply });
    // A command's patience with another tidings is the loop's affair: it drops the gate. Here it is added to what the
    // host's own lane may take, the distance between two starts and a request before this one.
    let http = &shared.settings.http;
    let patience = shared.settings.poll.lock_wait + http.host_gap + http.total_timeout;
    tokio::time::timeout(patience, turn).await.ok()?.ok()
}

/// A feed that is not subscribed yet.
pub(super) fn stranger(shared: &Shared, subscription: &Subscription) -> Job {
    Job {
        input: PollInput {
            feed: Feed {
                url: subscription.url.clone(),
                ..Feed::default()
            },
            state: PollState::default(),
            host_key: HostKey::of_str(&subscription.url).unwrap_or_else(|| HostKey(String::new())),
            host: HostState::default(),
            validators: Vec::new(),
        },
        subscription: Arc::new(subscription.clone()),
        pace: Pace::Manual,
        deadline: Instant::now() + shared.settings.http.total_timeout + STARTS_FOR,
        reuse: Reuse::Alone,
        cursor: None,
        memory: Memory::Nothing,
        pushed: None,
        stays: false,
    }
}

pub(super) fn job_of(
    shared: &Shared,
    feed: FeedId,
    subscription: Subscription,
) -> Result<Job, Stop> {
    let mut input = shared
        .store
        .poll_input(feed)
        .map_err(Stop::store)?
        .ok_or_else(|| Stop::store("the feed was not found after it was stored"))?;
    let memory = lists::recall(&shared.store, &subscription, &mut input).map_err(Stop::store)?;
    Ok(Job {
        input,
        subscription: Arc::new(subscription),
        pace: Pace::Manual,
        deadline: Instant::now() + shared.settings.http.total_timeout + STARTS_FOR,
        reuse: Reuse::Alone,
        cursor: None,
        memory,
        pushed: None,
        stays: false,
    })
}

/// Subscribes, and makes the answer at hand the first poll.
pub(super) async fn take(
    shared: &Arc<Shared>,
    subscription: Subscription,
    fetched: Fetched,
    radio: &Radio,
) -> Result<PollReport, Stop> {
    let feed = subscribe(shared, &subscription, radio).await?;
    let job = job_of(shared, feed, subscription)?;
    let landed = flight::finish(shared, job, fetched, radio).await;
    let landed = landed.map_err(Stop::store)?;
    let names_feeds = landed.draft.news.is_some();
    let report = committed(shared, landed).await?;
    if names_feeds {
        reload(&radio.inner).await?;
    }
    Ok(report)
}

/// Waits until a poll is on disk.
pub(super) async fn committed(shared: &Shared, landed: Landed) -> Result<PollReport, Stop> {
    landed.store(shared).await.map_err(Stop::store)
}

/// Writes the subscription into feeds.toml and waits until the store knows it.
pub(super) async fn subscribe(
    shared: &Arc<Shared>,
    subscription: &Subscription,
    radio: &Radio,
) -> Result<FeedId, Stop> {
    let added = vec![subscription.clone()];
    edit(shared, move |text| config::add(text, &added), &radio.inner).await?;
    shared
        .store
        .feed_id(&subscription.url)
        .map_err(Stop::store)?
        .ok_or_else(|| Stop::store("feeds.toml was edited by somebody else at the same time"))
}

/// Edits feeds.toml under its lock, then has the loop read it.
pub(super) async fn edit(
    shared: &Arc<Shared>,
    change: impl FnOnce(&str) -> Result<String, ConfigError> + Send + 'static,
    inner: &mpsc::UnboundedSender<Inner>,
) -> Result<(), Stop> {
    let locations = shared.locations.clone();
    let edited = tokio::task::spawn_blocking(move || files::edit_subscriptions(&locations, change));
    let refused = |why: String| Stop::Failed {
        what: "feeds.toml could not be edited",
        why,
        kind: FailureKind::Usage,
    };
    edited
        .await
        .map_err(|error| refused(error.to_string()))?
        .map_err(|error| refused(error.to_string()))?;
    reload(inner).await
}

/// Has the loop read the list of feeds again.
async fn reload(inner: &mpsc::UnboundedSender<Inner>) -> Result<(), Stop> {
    let (reply, done) = oneshot::channel();
    let _ = inner.send(Inner::Reload { reply });
    done.await
        .map_err(|_| Stop::store("tidings is stopping"))?
        .map_err(Stop::store)
}

pub(super) fn failed(stop: Stop, ticket: Ticket) -> Event {
    match stop {
        Stop::Failed { what, why, kind } => Event::Failed {
            ticket,
            what: what.to_owned(),
            why,
            kind,
        },
        Stop::Result(result) => Event::Added { ticket, result },
    }
}
