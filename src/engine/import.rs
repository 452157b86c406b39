//! Many subscriptions at once: an import, and unsubscribing.

use std::path::Path;
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::config;
use crate::model::{Adopted, Subscription};
use crate::store::{self, StoreError};

use super::clock;
use super::flight::Flown;
use super::lists;
use super::pass::Inner;
use super::protocol::{Event, Ticket};
use super::retune::edit_noted;
use super::shared::Shared;
use super::subscribe::{edit, failed};
use super::trouble::Trouble;

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

/// Stores entries that another reader kept.
pub async fn adopt(
    shared: Arc<Shared>,
    feed: (String, String),
    entries: Vec<Adopted>,
    ticket: Ticket,
) -> Flown {
    Flown::Told(vec![match adopted(&shared, feed, entries).await {
        Ok((added, known)) => Event::Adopted {
            ticket,
            added,
            known,
        },
        Err(error) => Trouble::store("the entries could not be stored", &error).event(ticket),
    }])
}

async fn adopted(
    shared: &Arc<Shared>,
    (url, title): (String, String),
    entries: Vec<Adopted>,
) -> Result<(u64, u64), StoreError> {
    let Some(feed) = shared.store.feed_id(&url)? else {
        // It left feeds.toml while its entries were read.
        return Ok((0, 0));
    };
    let at = clock::now();
    let packing = tokio::task::spawn_blocking(move || store::adoption(feed, title, at, entries));
    let adoption = packing.await.map_err(|_| StoreError::Closed)??;
    shared
        .writer
        .adopt(adoption)
        .await
        .map_err(|_| StoreError::Closed)?
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
        let of = Arc::clone(&shared);
        let change = move |text: &str| {
            let (own, _) = config::subscriptions(text, Path::new(""))?;
            // Where the store cannot be read, the list's feeds stay.
            let theirs = lists::of_lists(&of.store, own, &gone).unwrap_or_default();
            config::except(&config::remove(text, &gone)?, &theirs)
        };
        edit_noted(&shared, change, &inner).await
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
