//! What a command makes the engine do. Reads run on the blocking pool, writes wait for their commit there: the loop never does.

use std::sync::Arc;

use tokio::sync::oneshot::Receiver;

use crate::fetch::Reuse;
use crate::model::{FeedId, HostKey, Pace, Subscription, Why};
use crate::poll::{self, Plan};
use crate::store::{Marked, Store, StoreError};

use super::clock;
use super::explain::explain;
use super::flight::Flown;
use super::moves;
use super::probe;
use super::protocol::{Command, Event, FailureKind, LIST_BROKEN, Planned, Scope, Ticket};
use super::refresh::{Bar, Job};
use super::run::{Engine, Halt, Subscribed};
use super::subscribe;
use super::{inspect, preview};

/// Why something of the engine's own could not be done.
pub(super) struct Trouble {
    pub(super) what: &'static str,
    pub(super) why: String,
    pub(super) kind: FailureKind,
}

impl Trouble {
    pub(super) fn event(self, ticket: Ticket) -> Event {
        Event::Failed {
            ticket,
            what: self.what.to_owned(),
            why: self.why,
            kind: self.kind,
        }
    }

    pub(super) fn store(what: &'static str, error: &StoreError) -> Self {
        let kind = if error.is_busy() {
            FailureKind::Busy
        } else {
            FailureKind::Internal
        };
        Self {
            what,
            why: error.to_string(),
            kind,
        }
    }
}

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
                self.launch(None, |radio| preview::confirm(shared, of, ticket, radio));
            }
            Command::Inspect { url, ticket } => self.inspect(&url, ticket),
            Command::Leave { of } => self.shared.kept.leave(of),
            Command::Import {
                subscriptions,
                ticket,
            } => self.import(subscriptions, ticket),
            Command::Remove { urls, ticket } => self.remove(urls, ticket),
            Command::Mark { .. }
            | Command::MarkAll { .. }
            | Command::Undo { .. }
            | Command::ImportState { .. } => self.mark(command),
            Command::Lift { host, ticket } => self.lift(host, ticket),
            Command::Enable { feed, ticket } => self.enable(feed, ticket),
            Command::Probe { url, ticket } => self.probe(&url, ticket),
            Command::AdoptMove { feed, ticket } => self.adopt_move(feed, ticket),
            Command::UndoMove { feed, ticket } => self.undo_move(feed, ticket),
            Command::Keep { own, ticket } => self.keep(own, ticket),
            Command::Suspend => self.halt(Halt::Suspending),
            Command::Resume => self.resume(),
            Command::Shutdown => self.halt(Halt::Stopping),
            question => self.question(question),
        }
    }

    fn add(&mut self, wish: subscribe::Wish) {
        let shared = Arc::clone(&self.shared);
        self.launch(None, |radio| subscribe::add(shared, wish, radio));
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
            |subscribed| subscribed.subscription.clone(),
        );
        let shared = Arc::clone(&self.shared);
        self.launch(None, |radio| {
            inspect::inspect(shared, subscription, ticket, radio)
        });
    }

    fn import(&mut self, subscriptions: Vec<Subscription>, ticket: Ticket) {
        let (shared, inner) = (Arc::clone(&self.shared), self.inner.clone());
        self.tasks
            .spawn(subscribe::import(shared, subscriptions, ticket, inner));
    }

    fn remove(&mut self, urls: Vec<String>, ticket: Ticket) {
        let (shared, inner) = (Arc::clone(&self.shared), self.inner.clone());
        self.tasks
            .spawn(subscribe::remove(shared, urls, ticket, inner));
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
            |known| known.subscription.clone(),
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
            | Command::Undo { ticket } = command
            {
                self.refuse_lost(ticket, "the marks could not be stored");
            }
            return;
        }
        let writer = &self.shared.writer;
        let (ticket, marked) = match command {
            Command::Mark { ids, mark, ticket } => (ticket, writer.mark(ids, mark)),
            Command::MarkAll { spec, mark, ticket } => {
                (ticket, writer.mark_all(spec, mark, clock::moment()))
            }
            Command::ImportState { marks, ticket } => (ticket, writer.import_marks(marks)),
            Command::Undo { ticket } => (ticket, writer.undo()),
            _ => return,
        };
        self.told_marked(ticket, marked);
    }

    /// Commands that only read.
    fn question(&mut self, command: Command) {
        match command {
            Command::ListFeeds { ticket } => self.list_feeds(ticket),
            Command::ListEntries {
                spec,
                window,
                ticket,
            } => self.list_entries(spec, window, ticket),
            Command::FindUnread {
                from,
                spec,
                forward,
                ticket,
            } => self.read(ticket, "the entries could not be read", move |store| {
                let head = store.find_unread(from, &spec, forward, clock::moment())?;
                let head = head.map(Box::new);
                Ok(Event::Found { ticket, head })
            }),
            Command::Open { id, ticket } => {
                self.read(ticket, "the entry could not be read", move |store| {
                    let entry = store.entry(id)?.map(Box::new);
                    Ok(Event::Opened { ticket, entry })
                });
            }
            Command::ExportState { ticket } => {
                self.read(ticket, "the marks could not be read", move |store| {
                    let marks = store.export_marks()?;
                    Ok(Event::State { ticket, marks })
                });
            }
            Command::Ledger { feed, ticket } => {
                self.read(ticket, "the ledger could not be read", move |store| {
                    let (records, exchanges) = store.ledger(feed)?;
                    Ok(Event::Ledger {
                        ticket,
                        feed,
                        records,
                        exchanges,
                    })
                });
            }
            Command::Count { specs, ticket } => self.count(specs, ticket),
            Command::ListRules { ticket } => self.list_rules(ticket),
            Command::Explain { feed, ticket } => self.explain(feed, ticket),
            Command::Days { feed, days, ticket } => {
                self.read(ticket, "the totals could not be read", move |store| {
                    let days = back(days);
                    let days = match feed {
                        Some(feed) => store.days_of(feed, days)?,
                        None => store.days(days)?,
                    };
                    Ok(Event::Days { ticket, days })
                });
            }
            Command::Totals { days, ticket } => {
                self.read(ticket, "the totals could not be read", move |store| {
                    Ok(Event::Totals {
                        ticket,
                        days: store.days(back(days))?,
                        hosts: store.hosts()?,
                    })
                });
            }
            // Everything else changes something, and is carried out by `command`.
            _ => {}
        }
    }

    fn explain(&mut self, feed: FeedId, ticket: Ticket) {
        let shared = Arc::clone(&self.shared);
        let subscription = self
            .feeds
            .get(&feed)
            .map(|known| known.subscription.clone());
        self.read(ticket, "the ledger could not be read", move |store| {
            let found = match subscription {
                Some(subscription) => {
                    explain(store, feed, &subscription, &shared.settings, clock::now())?
                }
                None => None,
            };
            let explanation = found.map(Box::new);
            Ok(Event::Explained {
                ticket,
                explanation,
            })
        });
    }

    /// Reads on the blocking pool and tells what was found.
    pub(super) fn read(
        &mut self,
        ticket: Ticket,
        what: &'static str,
        read: impl FnOnce(&Store) -> Result<Event, StoreError> + Send + 'static,
    ) {
        let store = self.shared.store.clone();
        self.tasks.spawn_blocking(move || {
            let event =
                read(&store).unwrap_or_else(|error| Trouble::store(what, &error).event(ticket));
            Flown::Told(vec![event])
        });
    }

    /// Tells marks when they are on disk.
    fn told_marked(&mut self, ticket: Ticket, marked: Receiver<Result<Marked, StoreError>>) {
        self.tasks.spawn(async move {
            let event = match marked.await {
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

    /// What a refresh would do, without sending anything.
    fn plan(&mut self, scope: &Scope, pace: Pace, ticket: Ticket) {
        let scope = match scope {
            // A person who asks what would be polled wants to hear of the others too.
            Scope::Due => &Scope::All,
            other => other,
        };
        let event = match self.feeds_of(scope) {
            Ok(feeds) => Event::Planned {
                ticket,
                plans: feeds
                    .into_iter()
                    .filter_map(|feed| self.planned(feed, pace))
                    .collect(),
            },
            Err(error) => Trouble::store("the schedule could not be read", &error).event(ticket),
        };
        self.tell(event);
    }

    fn planned(&self, feed: FeedId, pace: Pace) -> Option<Planned> {
        let subscribed = self.feeds.get(&feed)?;
        let input = self.shared.store.poll_input(feed).ok().flatten()?;
        let host = input.host.clone();
        let job = Job {
            input,
            subscription: subscribed.subscription.clone(),
            pace,
            deadline: tokio::time::Instant::now(),
            reuse: Reuse::Alone,
        };
        let known = job.known(&host, &self.shared.settings, clock::now());
        let why = job.input.state.schedule.why.to_string();
        let (ask, next, why) = match poll::plan(pace, &known) {
            Plan::Ask => match Bar::of(&host, job.toll(), clock::now(), &self.shared.settings) {
                Some(Bar::Spent(until)) => (false, Some(until), Why::Budget.to_string()),
                _ => (true, Some(clock::now()), why),
            },
            Plan::NotDue { until, why } => (false, Some(until), why.to_string()),
            Plan::Held { until } => (false, Some(until), "its host is held".to_owned()),
            Plan::Debounced { until } => (false, Some(until), "asked a moment ago".to_owned()),
            Plan::Off(_) => (false, None, why),
        };
        let address = poll::address(&job.input.state, &subscribed.subscription.url);
        Some(Planned {
            feed,
            url: crate::config::masked(&subscribed.subscription.url),
            ask,
            conditional: !poll::validators_for(address, pace, &known).is_empty(),
            next,
            why,
        })
    }

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

    /// Makes the store agree with `subscriptions`.
    pub(super) async fn adopt(&mut self, subscriptions: Vec<Subscription>) -> Result<(), Trouble> {
        let what = "the list of feeds could not be stored";
        let (store, now) = (&self.shared.store, clock::now());
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
                Some((id, Subscribed { subscription, host }))
            })
            .collect();
        self.by_host.clear();
        for subscribed in self.feeds.values() {
            *self.by_host.entry(subscribed.host.clone()).or_default() += 1;
        }
        Ok(())
    }

    /// Tells the front end that what it shows may be old.
    pub(super) fn changed(&mut self) {
        self.list_feeds(Ticket(0));
        self.tell(Event::Changed);
    }

    pub(super) fn list_feeds(&mut self, ticket: Ticket) {
        self.read(ticket, "the feeds could not be read", move |store| {
            let rows = store.feeds()?;
            Ok(Event::Feeds { ticket, rows })
        });
    }
}

/// So many days, today the last.
fn back(days: u32) -> std::ops::RangeInclusive<u32> {
    let today = clock::now().day();
    today.saturating_sub(days.saturating_sub(1))..=today
}

fn closed(what: &str, ticket: Ticket) -> Event {
    Event::Failed {
        ticket,
        what: what.to_owned(),
        why: "the store is closed".to_owned(),
        kind: FailureKind::Internal,
    }
}
