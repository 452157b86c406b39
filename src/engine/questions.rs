//! Commands that only read: answered from the blocking pool, so that the loop never waits.

use std::sync::Arc;

use crate::fetch::Reuse;
use crate::model::{FeedId, Memory, Pace, Why};
use crate::poll::{self, Plan};
use crate::store::{Store, StoreError};

use super::clock;
use super::explain::explain;
use super::flight::Flown;
use super::job::Job;
use super::pass::Bar;
use super::protocol::{Command, Event, Planned, Scope, Ticket};
use super::push;
use super::run::Engine;
use super::trouble::Trouble;

impl Engine {
    /// Commands that only read.
    pub(super) fn question(&mut self, command: Command) {
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
                    let entry = store.opened(id)?.map(Box::new);
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
            Command::ListTags { ticket } => self.list_tags(ticket),
            Command::ListPushes { ticket } => {
                let listens = self.pushes.listens();
                self.read(
                    ticket,
                    "the subscriptions could not be read",
                    move |store| {
                        let rows = push::list::rows(store, clock::now())?;
                        Ok(Event::Pushes {
                            ticket,
                            rows,
                            listens,
                        })
                    },
                );
            }
            Command::Explain { feed, ticket } => self.explain(feed, ticket),
            Command::ListBackfills { ticket } => {
                self.read(ticket, "the ledger could not be read", move |store| {
                    let places = store.backfills()?;
                    Ok(Event::Backfills { ticket, places })
                });
            }
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

    /// What a refresh would do, without sending anything.
    pub(super) fn plan(&mut self, scope: &Scope, pace: Pace, ticket: Ticket) {
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
            cursor: None,
            memory: Memory::Nothing,
            pushed: None,
            stays: false,
        };
        let known = job.known(&host, &self.shared.settings, clock::now());
        let why = job.input.state.schedule.why.to_string();
        let (ask, next, why) = match poll::plan(pace, &known) {
            Plan::Ask if let Some(twin) = self.twin(&job) => {
                (false, twin.next, Why::Twin.to_string())
            }
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
