//! A page that is no feed: the feeds it names, shown or taken, or those at the well-known paths of its site.

use std::sync::Arc;

use crate::config;
use crate::engine::ask::ask;
use crate::engine::clock;
use crate::engine::flight::{self, Radio};
use crate::engine::pass::Bar;
use crate::engine::preview;
use crate::engine::protocol::{AddResult, NAMES_NONE, Pick};
use crate::engine::shared::Shared;
use crate::engine::subscribe::{
    Stop, Wish, already, committed, gate, job_of, stranger, subscribe, take,
};
use crate::model::Subscription;
use crate::parse::{self, Candidate};
use crate::poll;

use super::look::{Look, look};

/// What to do with `candidates`, as the user wished; `why` the page itself is no feed.
pub async fn from_page(
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
