//! The list of feeds as the loop knows it: read from feeds.toml, agreed on with the store.

use std::sync::Arc;

use crate::model::Subscription;

use super::protocol::{Event, FailureKind, LIST_BROKEN, Ticket};
use super::run::{Engine, Subscribed};
use super::trouble::Trouble;
use super::{clock, lists};

impl Engine {
    pub(super) async fn reload_and_tell(&mut self) {
        match self.reload().await {
            Ok(()) => {
                self.tell(Event::ListRead);
                self.changed();
            }
            Err(trouble) => self.tell(trouble.event(Ticket(0))),
        }
    }

    /// Reads feeds.toml and makes the store agree with it. A broken file changes nothing.
    pub(super) async fn reload(&mut self) -> Result<(), Trouble> {
        self.watch.changed();
        self.read_list().await?;
        self.catch_up().await
    }

    /// The list that was just stored may have been old by then: another tidings edited the file and stored the new one
    /// first, and its feeds were taken for removed. Whoever stores a list looks at the file once more afterwards.
    pub(super) async fn catch_up(&mut self) -> Result<(), Trouble> {
        while self.watch.is_there() && self.watch.changed() {
            self.read_list().await?;
        }
        Ok(())
    }

    async fn read_list(&mut self) -> Result<(), Trouble> {
        let (subscriptions, warnings) = crate::files::load_subscriptions(&self.shared.locations)
            .map_err(|error| Trouble {
                what: LIST_BROKEN,
                why: error.to_string(),
                kind: FailureKind::Usage,
            })?;
        if subscriptions.is_empty() && !self.watch.is_there() {
            // It went while it was read: a list that is not there is no empty list.
            return Ok(());
        }
        for warning in warnings {
            self.tell(Event::Notice(warning));
        }
        self.adopt(subscriptions).await
    }

    /// Makes the store agree with `own`, and with what the lists among them name.
    pub(super) async fn adopt(&mut self, own: Vec<Subscription>) -> Result<(), Trouble> {
        let what = "the list of feeds could not be stored";
        let (store, now) = (&self.shared.store, clock::now());
        let subscriptions =
            lists::with_lists(store, own).map_err(|error| Trouble::store(what, &error))?;
        let agrees = store.agrees_with(&subscriptions, now);
        if !agrees.map_err(|error| Trouble::store(what, &error))? {
            let reconciled = self.shared.writer.reconcile(subscriptions.clone(), now);
            match reconciled.await {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => return Err(Trouble::store(what, &error)),
                Err(_) => {
                    return Err(Trouble {
                        what,
                        why: "the store is closed".to_owned(),
                        kind: FailureKind::Internal,
                    });
                }
            }
        }
        let lanes = store
            .lanes(&subscriptions)
            .map_err(|error| Trouble::store(what, &error))?;
        self.feeds = subscriptions
            .into_iter()
            .zip(lanes)
            .filter_map(|(subscription, lane)| {
                // What has no host cannot be asked.
                let (id, host) = lane.filter(|(_, host)| !host.0.is_empty())?;
                let subscription = Arc::new(subscription);
                Some((id, Subscribed { subscription, host }))
            })
            .collect();
        self.by_host.clear();
        for subscribed in self.feeds.values() {
            *self.by_host.entry(subscribed.host.clone()).or_default() += 1;
        }
        self.agree_with_all();
        Ok(())
    }

    /// Tells the front end that what it shows may be old.
    pub(super) fn changed(&mut self) {
        self.list_feeds(Ticket(0));
        self.tell(Event::Changed);
    }
}
