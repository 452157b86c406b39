//! The store follows feeds.toml: one transaction makes it hold exactly the feeds of the file.
//!
//! Numbers are stable. A URL edited by hand keeps its feed's number where it can be known that it is the same feed:
//! its identity was the feed's before, or was its permanent target (`aliases`); or it stands where a feed has
//! vanished, between the same neighbours, with the same title of the user's or the same host and tags. The third
//! sign, the guids of its first answer, comes with that answer (see `poll::put_about`).

use std::collections::{HashMap, HashSet};

use redb::ReadableTable;

use super::agreed;
use super::audit::forget_audit;
use super::cursors;
use super::error::StoreError;
use super::identity::identity;
use super::moves::is_known_move;
use super::older;
use super::poll::forget_exchanges;
use super::pushes;
use super::records::{FeedV1, PollV1, decode};
use super::rosters;
use super::rows::{host_of, put, put_due, put_poll};
use super::sites;
use super::transaction::Writing;
use crate::model::{FeedId, Subscription, Timestamp, Why};
use crate::poll;

/// What became of the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reconciled {
    /// Never seen before; due at once.
    pub added: Vec<FeedId>,
    /// No longer in the file; entries and marks stay.
    pub removed: Vec<FeedId>,
    /// Removed earlier, and back with everything that was known of them.
    pub revived: Vec<FeedId>,
    /// The same feed under another URL; due at once, unless it was asked there already (R53).
    pub moved: Vec<FeedId>,
}

/// How long a removed feed's schedule, validators and audit are kept.
const KEPT: i64 = 90 * 86_400;

/// Kind of alias: a URL that the feed had before.
const FORMER: u8 = 1;
/// Everything known of feeds, while the list is compared.
struct Known {
    records: HashMap<u32, FeedV1>,
    /// Identity of every feed in the store, subscribed ones over removed ones.
    by_identity: HashMap<String, u32>,
    /// Numbers of the feeds subscribed before, in their old order.
    before: Vec<u32>,
}

/// Makes the subscriptions of the store those of `list`.
pub(super) fn reconcile(
    writing: &mut Writing<'_>,
    list: &[Subscription],
    now: Timestamp,
) -> Result<Reconciled, StoreError> {
    let known = Known::read(writing)?;
    let mut done = Reconciled::default();
    let whole = list;
    let list = unique(list);
    let ids = known.recognise(writing, &list)?;
    let kept: HashSet<u32> = ids.iter().flatten().copied().collect();
    for &id in known.before.iter().filter(|id| !kept.contains(id)) {
        remove(writing, id, known.record(id)?.clone(), now)?;
        done.removed.push(FeedId(id));
    }
    for (position, ((identity, subscription), id)) in list.iter().zip(ids).enumerate() {
        let wanted = Wanted {
            identity,
            subscription,
            position: position as u32,
        };
        match id {
            None => done.added.push(add(writing, &wanted, now)?),
            Some(id) => update(writing, id, known.record(id)?, &wanted, now, &mut done)?,
        }
    }
    forget(writing, &kept, now)?;
    agreed::note(writing, whole, now)?;
    Ok(done)
}

/// One line of the file.
struct Wanted<'a> {
    identity: &'a str,
    subscription: &'a Subscription,
    position: u32,
}

/// The list without repetitions: of one identity the first counts.
fn unique(list: &[Subscription]) -> Vec<(String, &Subscription)> {
    let mut seen = HashSet::new();
    list.iter()
        .map(|subscription| (identity(&subscription.url), subscription))
        .filter(|(identity, _)| seen.insert(identity.clone()))
        .collect()
}

impl Known {
    fn read(writing: &Writing<'_>) -> Result<Self, StoreError> {
        let mut records = HashMap::new();
        let mut by_identity = HashMap::new();
        for row in writing.tables.feeds.iter()? {
            let (id, value) = row?;
            let record: FeedV1 = decode(value.value())?;
            let key = identity(&record.url);
            if record.removed.is_none() {
                by_identity.insert(key, id.value());
            } else {
                by_identity.entry(key).or_insert_with(|| id.value());
            }
            records.insert(id.value(), record);
        }
        let mut before: Vec<(u32, u32)> = records
            .iter()
            .filter(|(_, record)| record.removed.is_none())
            .map(|(id, record)| (record.position, *id))
            .collect();
        crate::model::arrange(&mut before, Ord::cmp);
        Ok(Self {
            records,
            by_identity,
            before: before.into_iter().map(|(_, id)| id).collect(),
        })
    }

    fn record(&self, id: u32) -> Result<&FeedV1, StoreError> {
        self.records
            .get(&id)
            .ok_or(StoreError::UnknownFeed(FeedId(id)))
    }

    fn is_removed(&self, id: u32) -> bool {
        self.records
            .get(&id)
            .is_some_and(|record| record.removed.is_some())
    }

    /// The number of each feed of the list, where it has one.
    fn recognise(
        &self,
        writing: &Writing<'_>,
        list: &[(String, &Subscription)],
    ) -> Result<Vec<Option<u32>>, StoreError> {
        let mut ids: Vec<Option<u32>> = list
            .iter()
            .map(|(identity, _)| self.by_identity.get(identity).copied())
            .collect();
        let mut taken: HashSet<u32> = ids.iter().flatten().copied().collect();
        // A feed that vanishes where its new address appears goes on there, whoever had that address long ago.
        for (id, (identity, _)) in ids.iter_mut().zip(list) {
            if id.is_some_and(|id| self.is_removed(id))
                && let Some(heir) = self.by_alias(writing, identity, &taken)?
                && !self.is_removed(heir)
            {
                taken.insert(heir);
                *id = Some(heir);
            }
        }
        for (id, (identity, _)) in ids.iter_mut().zip(list).filter(|(id, _)| id.is_none()) {
            *id = self.by_alias(writing, identity, &taken)?;
            taken.extend(*id);
        }
        if ids.contains(&None) {
            self.by_place(list, &mut ids, &taken);
        }
        Ok(ids)
    }

    /// A feed that had this URL once, or was sent there for good.
    fn by_alias(
        &self,
        writing: &Writing<'_>,
        identity: &str,
        taken: &HashSet<u32>,
    ) -> Result<Option<u32>, StoreError> {
        for row in writing
            .tables
            .aliases
            .range((identity, 0)..=(identity, u32::MAX))?
        {
            let (_, id) = row?.0.value();
            if self.records.contains_key(&id) && !taken.contains(&id) {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// A feed that vanished where a new one stands, after the same neighbour. Within such a gap the feeds are paired
    /// in their order.
    fn by_place(
        &self,
        list: &[(String, &Subscription)],
        ids: &mut [Option<u32>],
        taken: &HashSet<u32>,
    ) {
        let mut gaps: HashMap<Option<u32>, Vec<u32>> = HashMap::new();
        let mut neighbour = None;
        for &id in &self.before {
            if taken.contains(&id) {
                neighbour = Some(id);
            } else {
                gaps.entry(neighbour).or_default().push(id);
            }
        }
        let mut neighbour = None;
        for (id, (_, subscription)) in ids.iter_mut().zip(list) {
            if id.is_some() {
                neighbour = *id;
                continue;
            }
            let Some(gap) = gaps.get_mut(&neighbour) else {
                continue;
            };
            let found = gap.iter().position(|old| {
                self.records
                    .get(old)
                    .is_some_and(|r| resembles(r, subscription))
            });
            *id = found.map(|at| gap.remove(at));
        }
    }
}

/// The same title of the user's; or, where the titles do not contradict, the same host and tags.
fn resembles(record: &FeedV1, subscription: &Subscription) -> bool {
    if let (Some(old), Some(new)) = (&record.own_title, &subscription.title) {
        return old == new;
    }
    let host = host_of(&subscription.url);
    // From http to https is the commonest edit of all: the port says nothing.
    !host.is_empty()
        && without_port(&host) == without_port(&host_of(&record.url))
        && record.tags == subscription.tags
}

fn without_port(host: &str) -> &str {
    host.rsplit_once(':').map_or(host, |(name, _)| name)
}

fn poll_record(writing: &Writing<'_>, id: u32) -> Result<PollV1, StoreError> {
    match writing.tables.polls.get(id)? {
        Some(row) => decode(row.value()),
        None => Ok(PollV1::default()),
    }
}

/// The feed is due at once, whatever its schedule was; errors and death are forgotten.
fn due_now(
    writing: &mut Writing<'_>,
    id: u32,
    record: &FeedV1,
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut poll = poll_record(writing, id)?;
    let before = poll.next;
    poll.next = Some(now.0);
    poll.set_at = now.0;
    poll.why = Why::First;
    poll.failures = 0;
    poll.off = None;
    put_due(writing, id, before, poll.next, record)?;
    put_poll(writing, id, &poll)
}

fn add(
    writing: &mut Writing<'_>,
    wanted: &Wanted<'_>,
    now: Timestamp,
) -> Result<FeedId, StoreError> {
    let id = u32::try_from(writing.numbers.next_feed)
        .map_err(|_| StoreError::damaged("feeds: no number is left"))?;
    writing.numbers.next_feed += 1;
    let record = FeedV1 {
        url: wanted.subscription.url.clone(),
        host: host_of(&wanted.subscription.url),
        own_title: wanted.subscription.title.clone(),
        tags: wanted.subscription.tags.clone(),
        position: wanted.position,
        added: now.0,
        ..FeedV1::default()
    };
    put(writing, id, &record)?;
    writing.tables.feed_by_url.insert(wanted.identity, id)?;
    writing.tables.counts.insert(id, (0, 0, 0))?;
    due_now(writing, id, &record, now)?;
    super::marks::arrive(writing, wanted.identity, id)?;
    Ok(FeedId(id))
}

fn update(
    writing: &mut Writing<'_>,
    id: u32,
    old: &FeedV1,
    wanted: &Wanted<'_>,
    now: Timestamp,
    done: &mut Reconciled,
) -> Result<(), StoreError> {
    let mut record = FeedV1 {
        url: wanted.subscription.url.clone(),
        own_title: wanted.subscription.title.clone(),
        tags: wanted.subscription.tags.clone(),
        position: wanted.position,
        removed: None,
        ..old.clone()
    };
    let before = identity(&old.url);
    let moved = before != wanted.identity;
    let mut known_move = false;
    if moved {
        let state = poll_record(writing, id)?.model();
        known_move = state.off.is_none()
            && old.removed.is_none()
            && is_known_move(&state, &old.url, &record.url);
        record.host = host_of(poll::address(&state, &record.url));
        record.history.push((now.0, old.url.clone()));
        writing
            .tables
            .aliases
            .insert((before.as_str(), id), FORMER)?;
        if old.removed.is_none() {
            writing.tables.feed_by_url.remove(before.as_str())?;
        }
        done.moved.push(FeedId(id));
    }
    if record != *old {
        put(writing, id, &record)?;
    }
    if moved || old.removed.is_some() {
        writing.tables.feed_by_url.insert(wanted.identity, id)?;
        writing.tables.removed.remove(id)?;
    }
    if moved && !known_move {
        return due_now(writing, id, &record, now);
    }
    if old.removed.is_some() {
        done.revived.push(FeedId(id));
        revive(writing, id, &record, now)?;
    }
    Ok(())
}

/// A removed feed is back: its schedule goes on where it was, unless it was forgotten or the feed was off.
fn revive(
    writing: &mut Writing<'_>,
    id: u32,
    record: &FeedV1,
    now: Timestamp,
) -> Result<(), StoreError> {
    let poll = poll_record(writing, id)?;
    if poll.next.is_none() {
        return due_now(writing, id, record, now);
    }
    put_due(writing, id, None, poll.next, record)
}

fn remove(
    writing: &mut Writing<'_>,
    id: u32,
    mut record: FeedV1,
    now: Timestamp,
) -> Result<(), StoreError> {
    let key = identity(&record.url);
    let owner = writing
        .tables
        .feed_by_url
        .get(key.as_str())?
        .map(|id| id.value());
    if owner == Some(id) {
        writing.tables.feed_by_url.remove(key.as_str())?;
    }
    record.removed = Some(now.0);
    put(writing, id, &record)?;
    writing.tables.removed.insert(id, now.0)?;
    let next = poll_record(writing, id)?.next;
    put_due(writing, id, next, None, &record)
}

/// What is kept of feeds that left long ago goes; the record itself and the marks stay as long as entries do, which
/// only `prune` may take.
fn forget(
    writing: &mut Writing<'_>,
    kept: &HashSet<u32>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut old = Vec::new();
    for row in writing.tables.removed.iter()? {
        let (id, since) = row?;
        if now.0.saturating_sub(since.value()) > KEPT && !kept.contains(&id.value()) {
            old.push(id.value());
        }
    }
    for id in old {
        let had_poll = writing.tables.polls.remove(id)?.is_some();
        let counts = writing
            .tables
            .counts
            .get(id)?
            .map_or((0, 0, 0), |c| c.value());
        if had_poll {
            writing.touch();
            forget_polling(writing, id)?;
        }
        if counts.0 == 0 {
            writing.touch();
            forget_feed(writing, id)?;
        }
    }
    Ok(())
}

fn forget_polling(writing: &mut Writing<'_>, id: u32) -> Result<(), StoreError> {
    let urls = (id, "")..(id.saturating_add(1), "");
    writing.tables.validators.retain_in(urls, |_, _| false)?;
    cursors::forget(writing, id)?;
    rosters::forget(writing, id)?;
    sites::forget(writing, id)?;
    pushes::put_topic(writing, id, None)?;
    older::forget(writing, id)?;
    forget_audit(writing, id)?;
    forget_exchanges(writing, id)
}

fn forget_feed(writing: &mut Writing<'_>, id: u32) -> Result<(), StoreError> {
    let tables = &mut writing.tables;
    tables.aliases.retain(|(_, of), _| of != id)?;
    let keys = (id, &[0; 16])..=(id, &[255; 16]);
    let mut entries = Vec::new();
    for row in tables.keys.range(keys.clone())? {
        entries.push(row?.1.value().0);
    }
    for no in entries {
        tables.marks.remove(no)?;
    }
    tables.keys.retain_in(keys, |_, _| false)?;
    tables.counts.remove(id)?;
    tables.removed.remove(id)?;
    tables.feeds.remove(id)?;
    Ok(())
}
