//! How pushes stand, for a person.

use std::collections::HashMap;

use crate::model::{Feed, FeedId, PushRow, Timestamp};
use crate::push::{self, Push};
use crate::store::{Store, StoreError};

/// Every feed that names a hub, or is subscribed at one, in the order of feeds.toml; subscriptions that are being left at the
/// end.
pub fn rows(store: &Store, now: Timestamp) -> Result<Vec<PushRow>, StoreError> {
    let mut known: HashMap<FeedId, Vec<Push>> = HashMap::new();
    for (feed, push) in store.pushes()? {
        known.entry(feed).or_default().push(push);
    }
    let (mut rows, mut left) = (Vec::new(), Vec::new());
    for row in store.feeds()? {
        let feed = row.feed;
        let pushes = known.remove(&feed.id).unwrap_or_default();
        let (leaving, here): (Vec<_>, Vec<_>) =
            pushes.iter().partition(|push| push.leaving.is_some());
        if let Some(push) = here.first() {
            rows.push(named(&feed, Some(push), now));
        } else if !feed.hubs.is_empty() {
            rows.push(unsubscribed(store, &feed, now)?);
        }
        left.extend(leaving.iter().map(|push| named(&feed, Some(push), now)));
    }
    for (feed, pushes) in known {
        if let Some(gone) = store.row(feed)? {
            left.extend(pushes.iter().map(|push| named(&gone.feed, Some(push), now)));
        }
    }
    rows.append(&mut left);
    Ok(rows)
}

/// The same of one feed that names a hub.
pub fn row(store: &Store, feed: &Feed, now: Timestamp) -> Result<PushRow, StoreError> {
    let pushes = store.pushes_of(feed.id)?;
    match pushes.iter().find(|push| push.leaving.is_none()) {
        Some(push) => Ok(named(feed, Some(push), now)),
        None => unsubscribed(store, feed, now),
    }
}

fn unsubscribed(store: &Store, feed: &Feed, now: Timestamp) -> Result<PushRow, StoreError> {
    let mut row = named(feed, None, now);
    if let Some(topic) = store.topic(feed.id)? {
        row.topic = topic;
    }
    Ok(row)
}

/// The row of a feed and its subscription.
pub fn named(feed: &Feed, push: Option<&Push>, now: Timestamp) -> PushRow {
    let mut row = push::row(push, now);
    row.url.clone_from(&feed.url);
    row.title.clone_from(&feed.title);
    if push.is_none() {
        row.hub = feed.hubs.first().cloned().unwrap_or_default();
        row.topic.clone_from(&feed.url);
    }
    row
}
