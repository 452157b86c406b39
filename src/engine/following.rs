//! A list on the web changed: its feeds are followed from now on.

use std::collections::HashSet;

use crate::config;
use crate::model::{FeedId, Pace, PollReport, Retune};

use super::protocol::{Event, FailureKind, Ticket};
use super::run::Engine;

impl Engine {
    /// A list changed: its feeds are followed from now on, and asked in the same run, before the list's own end is told.
    pub(super) async fn relisted(&mut self, report: PollReport, words: &str) {
        let before: HashSet<FeedId> = self.feeds.keys().copied().collect();
        match self.reload().await {
            Ok(()) => self.changed(),
            Err(trouble) => self.tell(trouble.event(Ticket(0))),
        }
        let wanted = self.book.wanted.get(&report.feed);
        let tickets = wanted.map_or_else(Vec::new, |wanted| wanted.tickets.clone());
        let fresh = self
            .feeds
            .iter()
            .filter(|(id, feed)| !before.contains(id) && feed.subscription.followed.is_some());
        let fresh: Vec<FeedId> = fresh.map(|(id, _)| *id).collect();
        for feed in fresh {
            if tickets.is_empty() {
                self.want(feed, Pace::Scheduled, None);
            }
            for ticket in &tickets {
                if let Some(run) = self.book.runs.get_mut(ticket) {
                    run.left.insert(feed);
                }
                self.want(feed, Pace::Scheduled, Some(*ticket));
            }
        }
        let name = match report.row.feed.title.as_str() {
            "" => config::masked(&report.url),
            title => title.to_owned(),
        };
        self.tell(Event::Notice(format!("{name}: {words}")));
        self.polled(report);
        self.tell_finished();
    }

    /// Changes of feeds that the user wrote himself; what a list names is changed where the list stands. `None`: no other
    /// feeds are meant, and it has been said.
    pub(super) fn of_own(
        &self,
        changes: Vec<(FeedId, Retune)>,
        ticket: Ticket,
    ) -> Option<Vec<(FeedId, Retune)>> {
        let is_own = |(feed, _): &(FeedId, Retune)| {
            let known = self.feeds.get(feed);
            known.is_none_or(|known| known.subscription.followed.is_none())
        };
        let (own, theirs): (Vec<_>, Vec<_>) = changes.into_iter().partition(is_own);
        if theirs.is_empty() {
            return Some(own);
        }
        let why = format!(
            "{} of them named by a list: tags and mute of its [[list]] in feeds.toml hold for all its feeds",
            theirs.len()
        );
        if own.is_empty() {
            self.tell(Event::Failed {
                ticket,
                what: "nothing was changed".to_owned(),
                why,
                kind: FailureKind::Usage,
            });
            return None;
        }
        self.tell(Event::Notice(why));
        Some(own)
    }
}
