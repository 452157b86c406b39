//! `add`: what is at an address, and whether it is subscribed, with one request (R1); and the yes to a feed that was shown.

mod look;
mod page;

use std::sync::Arc;

use crate::config::{self, Local};
use crate::model::{SourceKind, Subscription};
use crate::parse;
use crate::poll;

use super::ask::ask;
use super::clock;
use super::flight::{self, Flown, Radio};
use super::pass::Bar;
use super::preview;
use super::protocol::{AddResult, Event, FailureKind, Pick, Ticket};
use super::shared::Shared;
use super::shelf::Kept;
use super::subscribe::{Stop, Wish, already, committed, gate, job_of, stranger, subscribe, take};
use look::{Look, candidates_of, look, look_for_list, look_for_sitemap};
use page::from_page;

/// Why `add` takes no command: a link that is handed to it must not run anything.
const BY_HAND: &str = "a command is never added by `add`; write it into feeds.toml yourself";

/// Subscribes to a feed or to the feeds of a page, or shows what is there.
pub async fn add(shared: Arc<Shared>, wish: Wish, radio: Radio) -> Flown {
    let result = add_steps(&shared, &wish, &radio).await;
    told(&shared, wish.ticket, result)
}

/// What there is to tell when an `add` has ended.
fn told(shared: &Shared, ticket: Ticket, result: Result<AddResult, Stop>) -> Flown {
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

async fn add_steps(shared: &Arc<Shared>, wish: &Wish, radio: &Radio) -> Result<AddResult, Stop> {
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
    let known = match wish.subscription.kind {
        SourceKind::Feed => parse::known(&url),
        SourceKind::List | SourceKind::Sitemap => Vec::new(),
    };
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
    let look = match subscription.kind {
        SourceKind::Feed => look(&fetched, &url),
        SourceKind::List => look_for_list(&fetched, &url),
        SourceKind::Sitemap => look_for_sitemap(&fetched, &url),
    };
    match look {
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

/// Subscribes to what was shown with the ticket `of`; nothing is asked again.
pub async fn confirm(shared: Arc<Shared>, of: Ticket, ticket: Ticket, radio: Radio) -> Flown {
    let result = match shared.kept.take(of) {
        Some(kept) => confirmed(&shared, kept, ticket, &radio).await,
        None => Err(Stop::Failed {
            what: "the feed could not be added",
            why: "what was shown is not kept any more; add it again".to_owned(),
            kind: FailureKind::Internal,
        }),
    };
    told(&shared, ticket, result)
}

async fn confirmed(
    shared: &Arc<Shared>,
    kept: Kept,
    ticket: Ticket,
    radio: &Radio,
) -> Result<AddResult, Stop> {
    let Kept {
        subscription,
        fetched,
        ..
    } = kept;
    let Some(mut fetched) = fetched else {
        let wish = Wish {
            subscription,
            pick: Pick::Ask,
            guess: false,
            ticket,
        };
        return add_steps(shared, &wish, radio).await;
    };
    // The lane of its host, and the poll lock: nobody else may poll it between the list and the commit.
    let Some(pass) = gate(shared, &subscription.url, radio).await else {
        subscribe(shared, &subscription, radio).await?;
        return Ok(AddResult::Queued {
            url: subscription.url,
        });
    };
    if let Some(feed) = shared
        .store
        .feed_id(&subscription.url)
        .map_err(Stop::store)?
    {
        drop(pass);
        return already(shared, feed, &subscription, radio).await;
    }
    fetched.pass = pass;
    let report = take(shared, subscription, fetched, radio).await?;
    Ok(AddResult::Subscribed {
        reports: vec![report],
    })
}
