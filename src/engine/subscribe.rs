//! Subscribing and unsubscribing: feeds.toml is the only list, and a feed is asked once over `add` and its first poll (R1).

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::config::{self, ConfigError, Local};
use crate::fetch::Reuse;
use crate::files;
use crate::model::{
    ErrorKind, Feed, FeedId, HostKey, HostState, Pace, PollError, PollReport, PollState,
    Subscription,
};
use crate::parse::{self, Candidate, Odd, OddKind, ParseError};
use crate::poll::{self, Verdict};
use crate::store::PollInput;

use super::batch::STARTS_FOR;
use super::clock;
use super::flight::{self, Flown, Landed, Radio};
use super::preview;
use super::protocol::{AddResult, Event, FailureKind, NAMES_NONE, Pick, Ticket};
use super::refresh::{Bar, Fetched, Inner, Job, Pass, Shared, Toll, ask, poll_error};

/// Why `add` takes no command: a link that is handed to it must not run anything.
const BY_HAND: &str = "a command is never added by `add`; write it into feeds.toml yourself";

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
    fn refused(url: &str, why: impl Into<String>) -> Self {
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

/// Subscribes to a feed or to the feeds of a page, or shows what is there.
pub async fn add(shared: Arc<Shared>, wish: Wish, radio: Radio) -> Flown {
    let result = add_steps(&shared, &wish, &radio).await;
    told(&shared, wish.ticket, result)
}

/// What there is to tell when an `add` has ended.
pub(super) fn told(shared: &Shared, ticket: Ticket, result: Result<AddResult, Stop>) -> Flown {
    let event = match result {
        Ok(result) | Err(Stop::Result(result)) => Event::Added { ticket, result },
        Err(Stop::Failed { what, why, kind }) => Event::Failed {
            ticket,
            what: what.to_owned(),
            why,
            kind,
        },
    };
    let mut events = Vec::new();
    if let Event::Added {
        result: AddResult::Subscribed { .. } | AddResult::Queued { .. },
        ..
    } = &event
    {
        if let Ok(rows) = shared.store.feeds() {
            events.push(Event::Feeds {
                ticket: Ticket(0),
                rows,
            });
        }
        events.push(Event::Changed);
    }
    events.push(event);
    Flown::Told(events)
}

pub(super) async fn add_steps(
    shared: &Arc<Shared>,
    wish: &Wish,
    radio: &Radio,
) -> Result<AddResult, Stop> {
    let given = &wish.subscription.url;
    let url =
        config::clean_source(given).map_err(|error| Stop::refused(given, error.to_string()))?;
    if let Some(Local::Exec(_)) = config::local(&url) {
        return Err(Stop::refused(&url, BY_HAND));
    }
    if let Some(feed) = shared.store.feed_id(&url).map_err(Stop::store)? {
        return already(shared, feed, &wish.subscription, radio).await;
    }
    // The address itself may tell where the feeds are: then the page is not asked at all.
    let known = parse::known(&url);
    match known.as_slice() {
        [] => add_asked(shared, wish, url, radio).await,
        [only] => {
            let url = config::clean_url(&only.url)
                .map_err(|error| Stop::refused(given, error.to_string()))?;
            match shared.store.feed_id(&url).map_err(Stop::store)? {
                Some(feed) => already(shared, feed, &wish.subscription, radio).await,
                None => add_asked(shared, wish, url, radio).await,
            }
        }
        _ => from_page(shared, wish, known, String::new(), radio).await,
    }
}

/// Asks for what is at `url`: a feed, or a page that names some.
async fn add_asked(
    shared: &Arc<Shared>,
    wish: &Wish,
    url: String,
    radio: &Radio,
) -> Result<AddResult, Stop> {
    let subscription = Subscription {
        url: url.clone(),
        ..wish.subscription.clone()
    };
    let show = wish.pick == Pick::Show;
    let Some(pass) = gate(shared, &url, radio).await else {
        if show {
            let why = "another tidings was polling and did not finish in time".to_owned();
            return Ok(preview::show_unasked(
                shared,
                wish.ticket,
                subscription,
                why,
            ));
        }
        subscribe(shared, &subscription, radio).await?;
        return Ok(AddResult::Queued { url });
    };
    // Another tidings may have subscribed to it, and asked it, while this one waited for its turn.
    if let Some(feed) = shared.store.feed_id(&url).map_err(Stop::store)? {
        drop(pass);
        return already(shared, feed, &wish.subscription, radio).await;
    }
    if let Some(until) = poll::held(&pass.state, clock::now(), &shared.settings.poll) {
        if show {
            let why = format!("its host asked to be left alone until {}", until.rfc3339());
            return Ok(preview::show_unasked(
                shared,
                wish.ticket,
                subscription,
                why,
            ));
        }
        let feed = subscribe(shared, &subscription, radio).await?;
        let job = job_of(shared, feed, subscription)?;
        let deferral = flight::defer(shared, &job, pass, Bar::Held(until), radio);
        let report = committed(shared, deferral).await?;
        return Ok(AddResult::Subscribed {
            reports: vec![report],
        });
    }
    let fetched = ask(shared, &stranger(shared, &subscription), pass, &radio.inner).await;
    match look(&fetched, &url) {
        Look::Feed | Look::TryLater if show => {
            Ok(preview::show(shared, wish.ticket, subscription, fetched))
        }
        Look::Feed | Look::TryLater => {
            let report = take(shared, subscription, fetched, radio).await?;
            Ok(AddResult::Subscribed {
                reports: vec![report],
            })
        }
        Look::No(why) => Err(Stop::refused(&url, why)),
        Look::Page(why) => {
            let candidates = candidates_of(&fetched);
            drop(fetched);
            from_page(shared, wish, candidates, why, radio).await
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
    let subscription = Subscription {
        url: row.feed.url.clone(),
        ..wish.clone()
    };
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

/// What an answer to `add` is good for.
enum Look {
    /// A feed.
    Feed,
    /// Perhaps a feed: the schedule will find out.
    TryLater,
    /// Not a feed, but it may name some.
    Page(String),
    /// Nothing to subscribe to.
    No(String),
}

fn look(fetched: &Fetched, asked: &str) -> Look {
    if fetched.barred.is_some() {
        return Look::TryLater;
    }
    let answer = match &fetched.end {
        Ok(answer) => answer,
        Err(error) => return look_at_error(error),
    };
    let named = |error: &PollError| parse::named(answer, asked, error, false);
    let local = config::local(asked).is_some();
    match poll::judge(answer, false) {
        Verdict::Throttled | Verdict::NotModified | Verdict::Redirect => Look::TryLater,
        Verdict::Gone => Look::No("the server says that it is gone for good (410)".to_owned()),
        Verdict::Failed(error) => match answer.status {
            304 | 401 | 403 | 500..=599 => Look::TryLater,
            _ => Look::No(named(&error).to_string()),
        },
        Verdict::Parse => {
            let content_type = answer.headers.text("content-type");
            match parse::parse(&answer.body.bytes, content_type.as_deref(), &answer.url) {
                Ok(_) => Look::Feed,
                Err(error @ (ParseError::Html(_) | ParseError::NotAFeed(_)))
                    if !local && may_name_feeds(parse::odd(answer, asked)) =>
                {
                    Look::Page(named(&poll_error(&error)).to_string())
                }
                Err(error) => Look::No(named(&poll_error(&error)).to_string()),
            }
        }
    }
}

/// The links of a page that stands in the way are not those of the site.
fn may_name_feeds(odd: Option<Odd>) -> bool {
    odd.is_none_or(|odd| {
        matches!(
            odd.kind,
            OddKind::Login | OddKind::Consent | OddKind::Placeholder
        )
    })
}

fn look_at_error(error: &PollError) -> Look {
    match error.kind {
        ErrorKind::Url
        | ErrorKind::TooLarge
        | ErrorKind::Credentials
        | ErrorKind::Headers
        | ErrorKind::File => Look::No(error.to_string()),
        _ => Look::TryLater,
    }
}

fn candidates_of(fetched: &Fetched) -> Vec<Candidate> {
    fetched.end.as_ref().map_or_else(
        |_| Vec::new(),
        |answer| {
            let content_type = answer.headers.text("content-type");
            parse::discover(&answer.body.bytes, content_type.as_deref(), &answer.url)
        },
    )
}

async fn from_page(
    shared: &Arc<Shared>,
    wish: &Wish,
    mut candidates: Vec<Candidate>,
    why: String,
    radio: &Radio,
) -> Result<AddResult, Stop> {
    let url = &wish.subscription.url;
    if candidates.is_empty() && wish.guess {
        return guess(shared, wish, radio).await;
    }
    match (candidates.len(), wish.pick) {
        (0, _) => Err(Stop::refused(url, format!("{why}, and {NAMES_NONE}"))),
        (1, Pick::Show) => show_only(shared, wish, &candidates[0].url, radio).await,
        (1, _) | (_, Pick::First) => {
            candidates.truncate(1);
            take_all(shared, wish, candidates, radio).await
        }
        (_, Pick::All) => take_all(shared, wish, candidates, radio).await,
        (_, Pick::Ask | Pick::Show) => Ok(AddResult::Several { candidates }),
    }
}

/// Shows the only feed that a page names.
async fn show_only(
    shared: &Arc<Shared>,
    wish: &Wish,
    url: &str,
    radio: &Radio,
) -> Result<AddResult, Stop> {
    let url = config::clean_url(url).map_err(|error| Stop::refused(url, error.to_string()))?;
    if let Some(feed) = shared.store.feed_id(&url).map_err(Stop::store)? {
        return already(shared, feed, &wish.subscription, radio).await;
    }
    let subscription = Subscription {
        url: url.clone(),
        ..wish.subscription.clone()
    };
    let Some(pass) = gate(shared, &url, radio).await else {
        let why = "another tidings was polling and did not finish in time".to_owned();
        return Ok(preview::show_unasked(
            shared,
            wish.ticket,
            subscription,
            why,
        ));
    };
    if let Some(until) = poll::held(&pass.state, clock::now(), &shared.settings.poll) {
        let why = format!("its host asked to be left alone until {}", until.rfc3339());
        return Ok(preview::show_unasked(
            shared,
            wish.ticket,
            subscription,
            why,
        ));
    }
    let fetched = ask(shared, &stranger(shared, &subscription), pass, &radio.inner).await;
    match look(&fetched, &url) {
        Look::Feed | Look::TryLater => {
            Ok(preview::show(shared, wish.ticket, subscription, fetched))
        }
        Look::No(why) | Look::Page(why) => Err(Stop::refused(&url, why)),
    }
}

/// Tries the well-known paths once each, spaced like any request, and takes the first feed.
async fn guess(shared: &Arc<Shared>, wish: &Wish, radio: &Radio) -> Result<AddResult, Stop> {
    let url = &wish.subscription.url;
    let base = config::clean_url(url).map_err(|error| Stop::refused(url, error.to_string()))?;
    for path in parse::well_known(&base) {
        let subscription = Subscription {
            url: path.clone(),
            ..wish.subscription.clone()
        };
        let Some(pass) = gate(shared, &path, radio).await else {
            break;
        };
        if poll::held(&pass.state, clock::now(), &shared.settings.poll).is_some() {
            break;
        }
        let fetched = ask(shared, &stranger(shared, &subscription), pass, &radio.inner).await;
        if matches!(look(&fetched, &path), Look::Feed) {
            let report = take(shared, subscription, fetched, radio).await?;
            return Ok(AddResult::Subscribed {
                reports: vec![report],
            });
        }
    }
    Err(Stop::refused(
        url,
        "no feed was found at the well-known paths either",
    ))
}

/// Subscribes to the feeds of a page and asks each once.
async fn take_all(
    shared: &Arc<Shared>,
    wish: &Wish,
    candidates: Vec<Candidate>,
    radio: &Radio,
) -> Result<AddResult, Stop> {
    let mut reports = Vec::new();
    let mut known = None;
    for candidate in candidates {
        let Ok(url) = config::clean_url(&candidate.url) else {
            continue;
        };
        if shared.store.feed_id(&url).map_err(Stop::store)?.is_some() {
            known = Some(url);
            continue;
        }
        let subscription = Subscription {
            url: url.clone(),
            ..wish.subscription.clone()
        };
        let feed = subscribe(shared, &subscription, radio).await?;
        let Some(pass) = gate(shared, &url, radio).await else {
            return Ok(AddResult::Queued { url });
        };
        let job = job_of(shared, feed, subscription)?;
        if job.input.state.last.is_some() {
            // Another tidings has asked it while this one waited (R1).
            known = Some(url);
            continue;
        }
        let held = poll::held(&pass.state, clock::now(), &shared.settings.poll);
        let landed = if let Some(until) = held {
            flight::defer(shared, &job, pass, Bar::Held(until), radio)
        } else {
            let fetched = ask(shared, &job, pass, &radio.inner).await;
            flight::finish(shared, job, fetched, radio)
                .await
                .map_err(Stop::store)?
        };
        reports.push(committed(shared, landed).await?);
    }
    match known {
        Some(url) if reports.is_empty() => Ok(AddResult::Already {
            url,
            revived: false,
        }),
        _ => Ok(AddResult::Subscribed { reports }),
    }
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
        subscription: subscription.clone(),
        pace: Pace::Manual,
        deadline: Instant::now() + shared.settings.http.total_timeout + STARTS_FOR,
        reuse: Reuse::Alone,
    }
}

fn job_of(shared: &Shared, feed: FeedId, subscription: Subscription) -> Result<Job, Stop> {
    let input = shared
        .store
        .poll_input(feed)
        .map_err(Stop::store)?
        .ok_or_else(|| Stop::store("the feed was not found after it was stored"))?;
    Ok(Job {
        input,
        subscription,
        pace: Pace::Manual,
        deadline: Instant::now() + shared.settings.http.total_timeout + STARTS_FOR,
        reuse: Reuse::Alone,
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
    committed(shared, landed.map_err(Stop::store)?).await
}

/// Waits until a poll is on disk.
async fn committed(shared: &Shared, landed: Landed) -> Result<PollReport, Stop> {
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
    let (reply, done) = oneshot::channel();
    let _ = inner.send(Inner::Reload { reply });
    done.await
        .map_err(|_| Stop::store("tidings is stopping"))?
        .map_err(Stop::store)
}

/// Subscribes to many without asking anyone.
pub async fn import(
    shared: Arc<Shared>,
    subscriptions: Vec<Subscription>,
    ticket: Ticket,
    inner: mpsc::UnboundedSender<Inner>,
) -> Flown {
    let mut seen = std::collections::HashSet::new();
    let mut fresh = Vec::new();
    let mut duplicates = 0;
    let known = shared.store.feed_ids(&subscriptions).unwrap_or_default();
    for (at, subscription) in subscriptions.into_iter().enumerate() {
        let subscribed = known.get(at).is_some_and(Option::is_some);
        let fresh_here =
            config::normalise(&subscription.url).is_ok_and(|identity| seen.insert(identity));
        if fresh_here && !subscribed {
            fresh.push(subscription);
        } else {
            duplicates += 1;
        }
    }
    let added = fresh.len();
    let edited = if fresh.is_empty() {
        Ok(())
    } else {
        edit(&shared, move |text| config::add(text, &fresh), &inner).await
    };
    Flown::Told(vec![match edited {
        Ok(()) => Event::Imported {
            ticket,
            added,
            duplicates,
        },
        Err(stop) => failed(stop, ticket),
    }])
}

/// Unsubscribes.
pub async fn remove(
    shared: Arc<Shared>,
    urls: Vec<String>,
    ticket: Ticket,
    inner: mpsc::UnboundedSender<Inner>,
) -> Flown {
    let mut removed = Vec::new();
    let mut unknown = Vec::new();
    for url in urls {
        let row = config::clean_source(&url)
            .ok()
            .and_then(|clean| shared.store.feed_id(&clean).ok().flatten())
            .and_then(|feed| shared.store.row(feed).ok().flatten());
        match row {
            Some(row) => removed.push(row.feed.url),
            None => unknown.push(url),
        }
    }
    let edited = if removed.is_empty() {
        Ok(())
    } else {
        let gone = removed.clone();
        edit(&shared, move |text| config::remove(text, &gone), &inner).await
    };
    match edited {
        Ok(()) => {
            let mut events = Vec::new();
            if let Ok(rows) = shared.store.feeds() {
                events.push(Event::Feeds {
                    ticket: Ticket(0),
                    rows,
                });
                events.push(Event::Changed);
            }
            events.push(Event::Removed {
                ticket,
                removed,
                unknown,
            });
            Flown::Told(events)
        }
        Err(stop) => Flown::Told(vec![failed(stop, ticket)]),
    }
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
