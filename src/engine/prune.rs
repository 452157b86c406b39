//! Pruning by hand: every feed against its limits, and the feeds that left feeds.toml.

use std::sync::Arc;

use crate::model::{FeedId, Pruned};
use crate::store::{StoreError, Take};

use super::clock;
use super::flight::Flown;
use super::protocol::{Event, Ticket};
use super::run::Engine;
use super::shared::Shared;
use super::trouble::Trouble;

impl Engine {
    pub(super) fn prune(&mut self, dry_run: bool, ticket: Ticket) {
        let settings = &self.shared.settings;
        let mut wanted: Vec<(FeedId, Take)> = self
            .feeds
            .iter()
            .map(|(feed, known)| (*feed, Take::Beyond(settings.keep_of(&known.subscription))))
            .collect();
        crate::model::arrange(&mut wanted, |a, b| a.0.cmp(&b.0));
        let shared = Arc::clone(&self.shared);
        self.tasks.spawn(async move {
            let event = match pruned(&shared, wanted, dry_run).await {
                Ok(pruned) => Event::Pruned { ticket, pruned },
                Err(error) => Trouble::store("the store could not be pruned", &error).event(ticket),
            };
            Flown::Told(vec![event])
        });
    }
}

/// Feed after feed, and of each as much at a time as lets polls and marks through.
async fn pruned(
    shared: &Shared,
    mut wanted: Vec<(FeedId, Take)>,
    dry_run: bool,
) -> Result<Pruned, StoreError> {
    let removed = shared.store.removed_feeds()?;
    wanted.extend(removed.into_iter().map(|feed| (feed, Take::All)));
    let mut sum = Pruned::default();
    for (feed, take) in wanted {
        if matches!(take, Take::Beyond(keep) if keep.is_all()) {
            continue;
        }
        if dry_run {
            sum.add(shared.store.prunable(feed, take, clock::now())?);
            continue;
        }
        let mut of_feed = Pruned::default();
        loop {
            let reply = shared.writer.prune(feed, take, clock::now());
            let (pruned, more) = reply.await.map_err(|_| StoreError::Closed)??;
            of_feed.add(pruned);
            if !more {
                break;
            }
        }
        of_feed.feeds = of_feed.feeds.min(1);
        sum.add(of_feed);
    }
    Ok(sum)
}
