//! Pushes by hubs (WebSub, R78, R79): who listens, who is subscribed where, what is asked of hubs and when. `push` decides; here
//! it is carried out. Of several processes one listens, the one that has the push lock, and it alone writes subscriptions.

pub mod calls;
pub mod delivery;
pub mod hub;
pub mod list;
pub mod state;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use ring::rand::{SecureRandom, SystemRandom};
use tokio::time::Instant;

use crate::callback::Listener;
use crate::config;
use crate::files::PushLock;
use crate::model::{FeedId, FeedRow, Pace, PushRow, PushSettings, Timestamp};
use crate::push::{self, Act, Agreed, Found, HubAnswer, Push};
use crate::store::{PackedExchanges, StoreError};

use self::state::{Listening, Sub};
use super::Mode;
use super::clock;
use super::offline::Reach;
use super::protocol::{Event, Ticket};
use super::run::Engine;

/// Requests to hubs under way at once, over all hubs.
const ASKING: usize = 16;
/// How soon it is looked again whether nobody listens any more.
const LISTEN_AGAIN: Duration = Duration::from_secs(5);
/// The same after the address could not be had.
const BIND_AGAIN: Duration = Duration::from_secs(60);
/// A topic is not polled again because of a ping within this, in seconds: pings that prove nothing cost no more than that.
const PING_GAP: i64 = 60;
/// While nobody listened deliveries were lost: who was not polled within this is, in seconds.
const MISSED: i64 = 3600;
/// While this machine is offline hubs are left alone for so long, in seconds.
const OFFLINE: i64 = 60;

impl Engine {
    /// Before the first round of a command: whether somebody listens. A reader and `watch` listen themselves, if they can.
    pub(super) fn look_for_listener(&mut self) {
        if self.shared.settings.push.is_some() && self.mode == Mode::OneShot {
            let free = PushLock::try_acquire(&self.shared.locations);
            self.pushes.elsewhere = matches!(free, Ok(None));
        }
    }

    /// Once a second while a reader is open, or `watch` runs.
    pub(super) async fn tick_pushes(&mut self) {
        let Some(settings) = self.shared.settings.push.clone() else {
            return;
        };
        if self.pushes.listening.is_none() && Instant::now() >= self.pushes.again {
            self.listen(&settings).await;
        }
        let now = clock::now();
        if self.pushes.listening.is_some() && (now >= self.pushes.due || self.clock_jumped) {
            self.see_to_pushes(&settings, now);
        }
    }

    /// Opens the door, unless another process has.
    async fn listen(&mut self, settings: &PushSettings) {
        self.pushes.again = Instant::now() + LISTEN_AGAIN;
        let lock = match PushLock::try_acquire(&self.shared.locations) {
            Ok(Some(lock)) => lock,
            Ok(None) => {
                self.pushes.elsewhere = true;
                return;
            }
            Err(error) => return self.deaf(settings, &error.to_string()),
        };
        self.pushes.elsewhere = false;
        let (door, calls) = match Listener::bind(settings.listen).await {
            Ok(opened) => opened,
            Err(error) => return self.deaf(settings, &error.to_string()),
        };
        match self.recall_pushes() {
            Ok(()) => {}
            Err(error) => return self.deaf(settings, &error.to_string()),
        }
        self.pushes.told = false;
        tracing::info!(address = %door.address(), "listening for hubs");
        self.say_push(format!("listening for hubs at {}", door.address()));
        self.pushes.listening = Some(Listening {
            calls,
            _door: door,
            _lock: lock,
        });
        self.agree_with_all();
    }

    fn deaf(&mut self, settings: &PushSettings, why: &str) {
        self.pushes.again = Instant::now() + BIND_AGAIN;
        if !std::mem::replace(&mut self.pushes.told, true) {
            let listen = settings.listen;
            let why = format!(
                "{listen}: {why}; feeds are polled as without hubs, and it is tried again every minute"
            );
            self.fail(Ticket(0), "tidings cannot listen for hubs", why);
        }
    }

    /// The subscriptions as they were left. What was under way then is asked again; what was pushed meanwhile was lost.
    fn recall_pushes(&mut self) -> Result<(), StoreError> {
        let now = clock::now();
        let store = &self.shared.store;
        let mut subs = HashMap::new();
        let mut by_feed = HashMap::new();
        for (feed, mut push) in store.pushes()? {
            push.pending = None;
            if push.is_active(now) {
                let last = store.row(feed)?.and_then(|row| row.last);
                push.owed |= last.is_none_or(|last| now.since(last.at) > MISSED);
            }
            if push.leaving.is_none() {
                by_feed.insert(feed, push.path.clone());
            }
            let sub = Sub {
                feed,
                push,
                asking: false,
            };
            subs.insert(sub.push.path.clone(), sub);
        }
        self.pushes.subs = subs;
        self.pushes.by_feed = by_feed;
        self.pushes.due = now;
        Ok(())
    }

    /// Holds what every feed says of its hubs against what is subscribed; feeds that are gone are unsubscribed.
    pub(super) fn agree_with_all(&mut self) {
        if self.pushes.listening.is_none() {
            return;
        }
        let found = self.shared.store.feeds().and_then(|rows| {
            let topics: HashMap<_, _> = self.shared.store.topics()?.into_iter().collect();
            Ok((rows, topics))
        });
        let (rows, topics) = match found {
            Ok(found) => found,
            Err(error) => {
                let what = "the hubs of feeds could not be read";
                return self.fail(Ticket(0), what, error.to_string());
            }
        };
        for row in &rows {
            let topic = topics.get(&row.feed.id).cloned();
            self.agree(row.feed.id, found_of(row, topic).as_ref());
        }
        let gone = self.pushes.by_feed.keys().copied();
        let gone: Vec<_> = gone.filter(|feed| !self.feeds.contains_key(feed)).collect();
        for feed in gone {
            self.agree(feed, None);
        }
    }

    /// A poll of this feed is on disk.
    pub(super) fn agree_with(&mut self, row: &FeedRow) {
        if self.pushes.listening.is_none() {
            return;
        }
        let feed = row.feed.id;
        let path = self.pushes.by_feed.get(&feed).cloned();
        if row.feed.hubs.is_empty() && path.is_none() {
            return;
        }
        // What was owed is paid, or put off by the schedule like any other poll.
        if let Some(path) = path
            && let Some(sub) = self.pushes.subs.get_mut(&path)
            && sub.push.owed
        {
            sub.push.owed = false;
            let push = sub.push.clone();
            drop(self.shared.writer.push(feed, path, Some(push)));
        }
        let topic = self.shared.store.topic(feed).ok().flatten();
        self.agree(feed, found_of(row, topic).as_ref());
    }

    fn agree(&mut self, feed: FeedId, found: Option<&Found>) {
        let found = found.filter(|_| self.feeds.contains_key(&feed));
        let now = clock::now();
        let path = self.pushes.by_feed.get(&feed).cloned();
        let there = path.as_ref().and_then(|path| self.pushes.subs.get(path));
        let there = there.map(|sub| &sub.push);
        if there.is_none() && found.is_none() {
            return;
        }
        // Without chance nothing could be kept from guessing.
        let mut chance = [0; 48];
        if SystemRandom::new().fill(&mut chance).is_err() {
            return;
        }
        match push::agree(there, found, &chance, now) {
            Agreed::Same => return,
            Agreed::Goes(push) => self.keep_push(feed, *push),
            Agreed::Ends(left, begun) => {
                self.pushes.by_feed.remove(&feed);
                match left {
                    Some(left) => self.keep_push(feed, *left),
                    None => self.forget_push(path.as_deref().unwrap_or_default()),
                }
                if let Some(begun) = begun {
                    self.keep_push(feed, *begun);
                }
            }
        }
        self.pushes.hurry(now);
    }

    /// In memory and on disk.
    fn keep_push(&mut self, feed: FeedId, push: Push) {
        let path = push.path.clone();
        if push.leaving.is_none() {
            self.pushes.by_feed.insert(feed, path.clone());
        }
        let writer = &self.shared.writer;
        // A commit that fails leaves what was there: the next start asks the hub again.
        drop(writer.push(feed, path.clone(), Some(push.clone())));
        let asking = self.pushes.subs.get(&path).is_some_and(|sub| sub.asking);
        self.pushes.subs.insert(path, Sub { feed, push, asking });
    }

    fn forget_push(&mut self, path: &str) {
        if let Some(sub) = self.pushes.subs.remove(path) {
            drop(self.shared.writer.push(sub.feed, path.to_owned(), None));
        }
    }

    /// Everything that subscriptions want by now.
    fn see_to_pushes(&mut self, settings: &PushSettings, now: Timestamp) {
        self.pushes.due = Timestamp(i64::MAX);
        if self.doubt.reach(now, Instant::now()) != Reach::All {
            self.pushes.hurry(now.plus(OFFLINE));
            return;
        }
        let paths: Vec<String> = self.pushes.subs.keys().cloned().collect();
        for path in paths {
            self.pay(&path, now);
            let Some(sub) = self.pushes.subs.get(&path).filter(|sub| !sub.asking) else {
                continue;
            };
            let (feed, before) = (sub.feed, sub.push.clone());
            let (push, act) = push::next(before.clone(), &settings.callback, now);
            match act {
                Act::Rest(at) => {
                    self.pushes.hurry(at);
                    if push != before {
                        self.keep_push(feed, push);
                    }
                }
                Act::Forget => self.forget_push(&path),
                // As soon as another is done. A hub of hundreds of feeds must not keep the poll lock: what was begun ends first,
                // and others have their turn.
                Act::Ask(_) if self.pushes.asking >= ASKING || self.is_overdue() => {
                    self.pushes.hurry(now.plus(1));
                }
                Act::Ask(mode) => self.ask_hub(feed, push, mode),
            }
        }
    }

    /// The batch under way starts nothing any more.
    fn is_overdue(&self) -> bool {
        self.batch.is_held() && !self.batch.may_start(Instant::now())
    }

    fn ask_hub(&mut self, feed: FeedId, push: Push, mode: push::Mode) {
        // Also of one that was removed: its hub is where it was.
        let row = self.shared.store.row(feed).ok().flatten();
        let feed_url = row.map_or_else(String::new, |row| row.feed.url);
        let path = push.path.clone();
        let writer = &self.shared.writer;
        // Before the request leaves: a hub may verify before it answers.
        let stored = writer.push(feed, path.clone(), Some(push.clone()));
        let sub = Sub {
            feed,
            push: push.clone(),
            asking: true,
        };
        self.pushes.subs.insert(path, sub);
        self.pushes.asking += 1;
        let shared = Arc::clone(&self.shared);
        let wish = hub::Wish {
            push,
            mode,
            feed_url,
        };
        self.launch(None, |radio| hub::ask(shared, wish, stored, radio));
    }

    /// A hub has answered, or not.
    pub(super) fn hub_answered(
        &mut self,
        path: &str,
        answer: &HubAnswer,
        exchanges: PackedExchanges,
    ) {
        let now = clock::now();
        self.pushes.hurry(now);
        self.pushes.asking = self.pushes.asking.saturating_sub(1);
        let Some(sub) = self.pushes.subs.get_mut(path) else {
            return;
        };
        sub.asking = false;
        let (feed, hub) = (sub.feed, sub.push.hub().to_owned());
        let push = push::answered(sub.push.clone(), answer, now);
        let said = match answer.status {
            Some(status) => format!("{} answered {status}", config::masked(&hub)),
            None => format!("{} did not answer", config::masked(&hub)),
        };
        self.keep_push(feed, push);
        drop(self.shared.writer.probed(feed, Vec::new(), exchanges));
        self.say_push(said);
    }

    /// Polls a topic of which a hub said that there is news, at most once a minute.
    fn pay(&mut self, path: &str, now: Timestamp) {
        let Some(sub) = self.pushes.subs.get(path).filter(|sub| sub.push.owed) else {
            return;
        };
        let feed = sub.feed;
        if self.book.wanted.contains_key(&feed) || !self.feeds.contains_key(&feed) {
            return;
        }
        let row = self.shared.store.row(feed).ok().flatten();
        let last = row.and_then(|row| row.last).map(|last| last.at);
        match last.filter(|last| (0..PING_GAP).contains(&now.since(*last))) {
            Some(last) => self.pushes.hurry(last.plus(PING_GAP)),
            None => self.want(feed, Pace::Push, None),
        }
    }

    /// What is on the network is dropped: those hubs are asked again.
    pub(super) fn halt_pushes(&mut self) {
        for sub in self.pushes.subs.values_mut().filter(|sub| sub.asking) {
            sub.asking = false;
            sub.push.pending = None;
        }
        self.pushes.asking = 0;
        self.pushes.due = Timestamp(0);
    }

    /// Until when a hub can be relied upon to push this feed: its lease, while somebody listens.
    pub(super) fn relied(&self, feed: FeedId, hubs: &[String]) -> Option<Timestamp> {
        if hubs.is_empty() || self.shared.settings.push.is_none() || !self.pushes.listens() {
            return None;
        }
        let now = clock::now();
        if self.pushes.listening.is_some() {
            let path = self.pushes.by_feed.get(&feed)?;
            return push::relied_until(&self.pushes.subs.get(path)?.push, now);
        }
        let known = self.shared.store.pushes_of(feed).ok()?;
        let until = known
            .iter()
            .filter_map(|push| push::relied_until(push, now));
        until.max()
    }

    /// How the hub of a feed pushes it; `None` where it names none, or pushes are not set up.
    pub(super) fn push_row(&self, row: &FeedRow) -> Option<Box<PushRow>> {
        let feed = &row.feed;
        if feed.hubs.is_empty() || self.shared.settings.push.is_none() {
            return None;
        }
        let now = clock::now();
        if self.pushes.listening.is_none() {
            return list::row(&self.shared.store, feed, now).ok().map(Box::new);
        }
        let path = self.pushes.by_feed.get(&feed.id);
        let sub = path.and_then(|path| self.pushes.subs.get(path));
        let push = sub.map(|sub| &sub.push);
        Some(Box::new(list::named(feed, push, now)))
    }

    /// A line in the log of `watch`.
    fn say_push(&self, text: String) {
        if self.mode == Mode::Watch {
            self.tell(Event::Push { text });
        }
    }
}

/// What a feed says of its hubs; one that was read before topics were kept is its own topic.
fn found_of(row: &FeedRow, topic: Option<String>) -> Option<Found> {
    (!row.feed.hubs.is_empty()).then(|| Found {
        topic: topic.unwrap_or_else(|| row.feed.url.clone()),
        hubs: row.feed.hubs.clone(),
    })
}
