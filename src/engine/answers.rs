//! What a command makes the engine do. What is written is waited for in a task of its own: the loop never does.

use std::sync::Arc;

use tokio::sync::oneshot::Receiver;

use crate::model::{EntryId, FeedId, HostKey, Subscription};
use crate::store::{Marked, StoreError};

use super::add;
use super::clock;
use super::flight::Flown;
use super::full_text;
use super::import;
use super::inspect;
use super::moves;
use super::probe;
use super::protocol::{Command, Event, FailureKind, Ticket};
use super::retune;
use super::run::{Engine, Halt};
use super::subscribe;
use super::trouble::{Trouble, closed};

impl Engine {
    /// Everything that waits, in order; of waiting `ListEntries` only the newest.
    pub(super) fn commands(&mut self, waiting: Vec<Command>) {
        let newest = waiting
            .iter()
            .rposition(|command| matches!(command, Command::ListEntries { .. }));
        for (at, command) in waiting.into_iter().enumerate() {
            if matches!(command, Command::ListEntries { .. }) && newest != Some(at) {
                continue;
            }
            self.command(command);
        }
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Refresh {
                scope,
                pace,
                ticket,
            } => {
                if self.ground.is_lost() {
                    self.refuse_lost(ticket, "nothing was asked");
                } else {
                    self.refresh(&scope, pace, Some(ticket));
                }
            }
            Command::Plan {
                scope,
                pace,
                ticket,
            } => self.plan(&scope, pace, ticket),
            Command::Add {
                subscription,
                pick,
                guess,
                ticket,
            } => self.add(subscribe::Wish {
                subscription: *subscription,
                pick,
                guess,
                ticket,
            }),
            Command::Take { of, ticket } => {
                let shared = Arc::clone(&self.shared);
                self.launch(None, |radio| add::confirm(shared, of, ticket, radio));
            }
            Command::Inspect { url, ticket } => self.inspect(&url, ticket),
            Command::Leave { of } => self.shared.kept.leave(of),
            Command::Place { id, place } => self.shared.writer.place(id, place),
            Command::FullText { id, again, ticket } => self.full_text(id, again, ticket),
            Command::Import {
                subscriptions,
                ticket,
            } => self.import(subscriptions, ticket),
            Command::Adopt {
                url,
                title,
                entries,
                ticket,
            } => {
                let shared = Arc::clone(&self.shared);
                let feed = (url, title);
                self.tasks
                    .spawn(import::adopt(shared, feed, entries, ticket));
            }
            Command::Remove { urls, ticket } => self.remove(urls, ticket),
            Command::Retune { changes, ticket } => {
                let Some(changes) = self.of_own(changes, ticket) else {
                    return;
                };
                let (shared, inner) = (Arc::clone(&self.shared), self.inner.clone());
                self.tasks
                    .spawn(retune::retune(shared, changes, ticket, inner));
            }
            Command::Mark { .. }
            | Command::MarkAll { .. }
            | Command::Tag { .. }
            | Command::TagAll { .. }
            | Command::Undo { .. }
            | Command::Redo { .. }
            | Command::ImportState { .. } => self.mark(command),
            Command::Lift { host, ticket } => self.lift(host, ticket),
            Command::Enable { feed, ticket } => self.enable(feed, ticket),
            Command::Backfill { feed, wish, ticket } => self.backfill(feed, wish, ticket),
            Command::StopBackfill { feed } => self.stop_backfill(feed),
            Command::Probe { url, ticket } => self.probe(&url, ticket),
            Command::AdoptMove { feed, ticket } => self.adopt_move(feed, ticket),
            Command::UndoMove { feed, ticket } => self.undo_move(feed, ticket),
            Command::Keep { own, ticket } => self.keep(own, ticket),
            Command::Prune { dry_run, ticket } => self.prune(dry_run, ticket),
            Command::Suspend => self.halt(Halt::Suspending),
            Command::Resume => self.resume(),
            Command::Shutdown => self.halt(Halt::Stopping),
            question => self.question(question),
        }
    }

    fn add(&mut self, wish: subscribe::Wish) {
        let shared = Arc::clone(&self.shared);
        self.launch(None, |radio| add::add(shared, wish, radio));
    }

    /// With the settings of the subscription, where there is one: its login, its headers, its filter.
    fn inspect(&mut self, url: &str, ticket: Ticket) {
        let feed = self.shared.store.feed_id(url).ok().flatten();
        let known = feed.and_then(|feed| self.feeds.get(&feed));
        let subscription = known.map_or_else(
            || Subscription {
                url: url.to_owned(),
                ..Subscription::default()
            },
            |subscribed| Subscription::clone(&subscribed.subscription),
        );
        let shared = Arc::clone(&self.shared);
        self.launch(None, |radio| {
            inspect::inspect(shared, subscription, ticket, radio)
        });
    }

    fn full_text(&mut self, id: EntryId, again: bool, ticket: Ticket) {
        let feed = self.feeds.get(&id.feed);
        let wish = full_text::Wish {
            id,
            again,
            feed_url: feed
                .map(|feed| feed.subscription.url.clone())
                .unwrap_or_default(),
            ticket,
        };
        let shared = Arc::clone(&self.shared);
        self.launch(None, |radio| full_text::full_text(shared, wish, radio));
    }

    fn import(&mut self, subscriptions: Vec<Subscription>, ticket: Ticket) {
        let (shared, inner) = (Arc::clone(&self.shared), self.inner.clone());
        self.tasks
            .spawn(import::import(shared, subscriptions, ticket, inner));
    }

    fn remove(&mut self, urls: Vec<String>, ticket: Ticket) {
        let (shared, inner) = (Arc::clone(&self.shared), self.inner.clone());
        self.tasks
            .spawn(import::remove(shared, urls, ticket, inner));
    }

    fn probe(&mut self, url: &str, ticket: Ticket) {
        let clean = match crate::config::clean_url(url) {
            Ok(clean) => clean,
            Err(error) => {
                return self.tell(Event::Failed {
                    ticket,
                    what: format!("{} cannot be probed", crate::config::masked(url)),
                    why: error.to_string(),
                    kind: FailureKind::Usage,
                });
            }
        };
        let feed = self.shared.store.feed_id(&clean).ok().flatten();
        let known = feed.and_then(|feed| self.feeds.get(&feed));
        let subscription = known.map_or_else(
            || Subscription {
                url: clean,
                ..Subscription::default()
            },
            |known| Subscription::clone(&known.subscription),
        );
        let wish = probe::Wish {
            feed: feed.filter(|feed| self.feeds.contains_key(feed)),
            subscription,
            ticket,
        };
        let shared = Arc::clone(&self.shared);
        self.launch(None, |radio| probe::probe(shared, wish, radio));
    }

    fn adopt_move(&mut self, feed: FeedId, ticket: Ticket) {
        let (shared, inner) = (Arc::clone(&self.shared), self.inner.clone());
        self.tasks.spawn(moves::adopt(shared, feed, ticket, inner));
    }

    fn undo_move(&mut self, feed: FeedId, ticket: Ticket) {
        let (shared, inner) = (Arc::clone(&self.shared), self.inner.clone());
        self.tasks.spawn(moves::undo(shared, feed, ticket, inner));
    }

    fn mark(&mut self, command: Command) {
        if self.ground.is_lost() {
            if let Command::Mark { ticket, .. }
            | Command::MarkAll { ticket, .. }
            | Command::ImportState { ticket, .. }
            | Command::Tag { ticket, .. }
            | Command::TagAll { ticket, .. }
            | Command::Undo { ticket }
            | Command::Redo { ticket } = command
            {
                self.refuse_lost(ticket, "the marks could not be stored");
            }
            return;
        }
        let writer = &self.shared.writer;
        let (ticket, marked) = match command {
            Command::Mark { ids, mark, ticket } => (ticket, writer.mark(ids, mark)),
            Command::MarkAll {
                spec,
                part,
                mark,
                ticket,
            } => {
                let moment = clock::moment();
                (ticket, writer.mark_part(spec, part, mark, moment))
            }
            Command::ImportState { marks, ticket } => (ticket, writer.import_marks(marks)),
            Command::Tag {
                ids,
                tag,
                set,
                ticket,
            } => (ticket, writer.tag(ids, tag, set)),
            Command::TagAll {
                spec,
                tag,
                set,
                ticket,
            } => (ticket, writer.tag_all(spec, tag, set, clock::moment())),
            Command::Undo { ticket } => (ticket, writer.undo()),
            Command::Redo { ticket } => (ticket, writer.redo()),
            _ => return,
        };
        self.told_marked(ticket, marked);
    }

    /// Tells marks when they are on disk.
    fn told_marked(&mut self, ticket: Ticket, marked: Receiver<Result<Marked, StoreError>>) {
        let (shared, inner) = (Arc::clone(&self.shared), self.inner.clone());
        self.tasks.spawn(async move {
            let event = match marked.await {
                Ok(Ok(Marked {
                    list: Some(list), ..
                })) => return retune::restore(shared, *list, ticket, inner).await,
                Ok(Ok(marked)) => Event::Marked {
                    ticket,
                    changed: marked.changed,
                    count: marked.count,
                    counts: marked.counts,
                },
                Ok(Err(error)) => {
                    Trouble::store("the marks could not be stored", &error).event(ticket)
                }
                Err(_) => closed("the marks could not be stored", ticket),
            };
            Flown::Told(vec![event])
        });
    }

    fn lift(&mut self, host: HostKey, ticket: Ticket) {
        let lifted = self.shared.writer.lift(host);
        self.told_feeds(ticket, "the hold could not be lifted", lifted);
    }

    fn enable(&mut self, feed: FeedId, ticket: Ticket) {
        let enabled = self.shared.writer.enable(feed, clock::now());
        self.told_feeds(ticket, "the feed could not be enabled", enabled);
    }

    fn told_feeds<T: Send + 'static>(
        &mut self,
        ticket: Ticket,
        what: &'static str,
        written: Receiver<Result<T, StoreError>>,
    ) {
        let store = self.shared.store.clone();
        self.tasks.spawn(async move {
            let event = match written.await {
                Ok(Ok(_)) => match store.feeds() {
                    Ok(rows) => Event::Feeds { ticket, rows },
                    Err(error) => Trouble::store(what, &error).event(ticket),
                },
                Ok(Err(error)) => Trouble::store(what, &error).event(ticket),
                Err(_) => closed(what, ticket),
            };
            Flown::Told(vec![event])
        });
    }
}
