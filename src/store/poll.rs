//! The commit of polls: everything that one poll learned, whole or not at all (R14), many polls in one transaction.

use std::collections::{BTreeMap, HashMap};

use redb::ReadableTable;

use super::audit::put_audit;
use super::cursors;
use super::entries::{self, Dated};
use super::error::StoreError;
use super::feeds::{Counts, counts_of, row_of, validators_of};
use super::hits;
use super::identity::identity;
use super::moves;
use super::pack::Packed;
use super::pushes;
use super::records::{
    CountersV1, ExchangeV2, FeedV1, HostV2, PollV1, ValidatorsV1, decode, encode_into,
};
use super::rosters;
use super::rows::{TARGET, put_due};
use super::sites;
use super::tables::EXCHANGE_RING;
use super::transaction::Writing;
use crate::model::{
    AuditRecord, Counters, Cursor, Exchange, FeedId, FeedRow, HostKey, HostState, Keep, Memory,
    PollState, Timestamp, Validators,
};

use super::prune::{Take, prune};
use super::withdrawn::{self, Withdrawn};
use crate::poll;

/// Everything that one poll of one feed leaves behind.
#[derive(Debug, Clone, PartialEq)]
pub struct PollCommit {
    /// The feed.
    pub feed: FeedId,
    /// When: the first-seen time of its new entries, and the day of its counters.
    pub at: Timestamp,
    /// The polling record as it is from now on; its counters include `delta`.
    pub state: PollState,
    /// The host that was asked last, and its record. The start time in it never goes backwards, and a hold lifted
    /// meanwhile stays lifted.
    pub host: Option<(HostKey, HostState)>,
    /// The turn of that host's lane. Polls come to the disk in any order; of a host the record of the latest turn stays.
    pub turn: u64,
    /// Validators by the URL that answered: stored, or with `None` forgotten.
    pub validators: Vec<(String, Option<Validators>)>,
    /// What the feed says of itself, when it was parsed.
    pub about: Option<About>,
    /// New and edited entries, from `pack`.
    pub entries: Packed,
    /// For the ring. A deferral equal to the record before it only raises that one's count.
    pub audit: AuditRecord,
    /// Requests with full headers, for the other ring; none when nothing was sent.
    pub exchanges: PackedExchanges,
    /// What this poll adds to the day's counters.
    pub delta: Counters,
    /// How much is kept of the feed: a poll that brings entries takes what is beyond it.
    pub keep: Keep,
    /// How far it is read from now on, of a feed that is asked for what is newer (R77).
    pub cursor: Option<Cursor>,
    /// What a complete feed lists no longer, or again.
    pub withdrawn: Withdrawn,
    /// What its address says from now on, of a source that is more than one document.
    pub memory: Memory,
}

/// What happens to a host besides polls.
#[derive(Debug, Clone, PartialEq)]
pub enum HostNote {
    /// A request starts.
    Started {
        /// When, in milliseconds since 1970.
        at_ms: i64,
        /// It counts against the host's budget (R72).
        counts: bool,
    },
    /// Its robots.txt was read (R73).
    Robots {
        /// The record with what came of that.
        state: Box<HostState>,
        /// The turn of the host's lane.
        turn: u64,
    },
    /// An answer that is no poll asked for patience: the record with the hold (R36).
    Held {
        /// The record.
        state: Box<HostState>,
        /// The turn of the host's lane.
        turn: u64,
    },
}

/// Exchanges as they are stored: a poll that waits for the disk holds a few hundred bytes of headers, not fifty strings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PackedExchanges(Vec<Box<[u8]>>);

impl PackedExchanges {
    /// Encodes.
    pub fn pack(exchanges: &[Exchange]) -> Result<Self, StoreError> {
        let mut buffer = Vec::with_capacity(1024);
        let packed = exchanges.iter().map(|exchange| {
            encode_into(&ExchangeV2::from(exchange), &mut buffer)?;
            Ok(buffer.as_slice().into())
        });
        Ok(Self(packed.collect::<Result<_, StoreError>>()?))
    }
}

/// What a feed says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct About {
    /// Its title; an empty one changes nothing.
    pub title: String,
    /// The page it belongs to.
    pub site: Option<String>,
    /// The hubs it names.
    pub hubs: Vec<String>,
    /// What they are to be asked for; `None` without hubs.
    pub topic: Option<String>,
}

impl PollCommit {
    /// Roughly the bytes it occupies while it waits.
    pub(super) fn bytes(&self) -> usize {
        let headers: usize = self.exchanges.0.iter().map(|packed| packed.len()).sum();
        1024 + headers + self.entries.bytes()
    }
}

/// What the polls of one transaction have in common, written once at the end: hosts, days, lists by date.
pub(super) struct Group<'a> {
    /// The latest turn of each host that is written, over all transactions.
    turns: &'a mut HashMap<String, u64>,
    hosts: BTreeMap<String, HostV2>,
    days: BTreeMap<(u32, u32), Counters>,
    dated: Vec<Dated>,
    hits: BTreeMap<String, (u64, i64)>,
    /// Feeds that grew and have limits, and when.
    grown: Vec<(FeedId, Keep, Timestamp)>,
}

impl<'a> Group<'a> {
    /// Nothing yet.
    pub(super) const fn new(turns: &'a mut HashMap<String, u64>) -> Self {
        Self {
            turns,
            hosts: BTreeMap::new(),
            days: BTreeMap::new(),
            dated: Vec::new(),
            hits: BTreeMap::new(),
            grown: Vec::new(),
        }
    }

    /// Nothing later is known of that host: what was concluded in an earlier turn is part of the later conclusion.
    fn is_latest(&mut self, host: &str, turn: u64) -> bool {
        match self.turns.get_mut(host) {
            Some(last) if turn < *last => false,
            Some(last) => {
                *last = turn;
                true
            }
            None => {
                self.turns.insert(host.to_owned(), turn);
                true
            }
        }
    }

    /// What is noted of a host besides polls.
    pub(super) fn note(
        &mut self,
        writing: &Writing<'_>,
        host: &HostKey,
        note: &HostNote,
    ) -> Result<(), StoreError> {
        match note {
            HostNote::Started { at_ms, counts } => {
                self.host_started(writing, host, *at_ms, *counts)?;
            }
            HostNote::Held { state, turn } => {
                let latest = self.is_latest(&host.0, *turn);
                let record = self.host(writing, &host.0)?;
                if latest {
                    record.conclude(state);
                }
            }
            HostNote::Robots { state, turn } => {
                let latest = self.is_latest(&host.0, *turn);
                let record = self.host(writing, &host.0)?;
                if latest {
                    record.conclude(state);
                }
                record.read_robots(state);
            }
        }
        Ok(())
    }

    /// A request to this host was started; one that counts is added to the hour's (R72). Written over whatever start is
    /// known: a start that lies in the future (a clock set back, R48) is thereby forgotten.
    fn host_started(
        &mut self,
        writing: &Writing<'_>,
        host: &HostKey,
        at_ms: i64,
        counts: bool,
    ) -> Result<(), StoreError> {
        let record = self.host(writing, &host.0)?;
        record.last_start_ms = at_ms;
        if counts {
            let now = Timestamp(at_ms.div_euclid(1_000));
            let (began, starts) =
                poll::spent(Timestamp(record.hour_began), record.hour_starts, now);
            (record.hour_began, record.hour_starts) = (began.0, starts);
        }
        Ok(())
    }

    fn host(&mut self, writing: &Writing<'_>, key: &str) -> Result<&mut HostV2, StoreError> {
        if !self.hosts.contains_key(key) {
            let known = match writing.tables.hosts.get(key)? {
                Some(row) => decode(row.value())?,
                None => HostV2::default(),
            };
            self.hosts.insert(key.to_owned(), known);
        }
        // Just put there.
        Ok(self.hosts.entry(key.to_owned()).or_default())
    }

    /// One poll. Unknown feed: nothing is written.
    pub(super) fn poll(
        &mut self,
        writing: &mut Writing<'_>,
        commit: &PollCommit,
    ) -> Result<FeedRow, StoreError> {
        let feed = commit.feed.0;
        let mut record: FeedV1 = match writing.tables.feeds.get(feed)? {
            Some(row) => decode(row.value())?,
            None => return Err(StoreError::UnknownFeed(commit.feed)),
        };
        writing.touch();
        let before: PollV1 = match writing.tables.polls.get(feed)? {
            Some(row) => decode(row.value())?,
            None => PollV1::default(),
        };
        let mut poll = before.with(&commit.state);
        entries::store(writing, feed, commit.at, &commit.entries, &mut self.dated)?;
        if !commit.entries.is_empty() && !commit.keep.is_all() {
            self.grown.push((commit.feed, commit.keep, commit.at));
        }
        put_validators(writing, feed, &commit.validators)?;
        put_about(writing, feed, &mut record, commit.about.as_ref())?;
        moves::put_host(writing, feed, &mut record, &commit.state)?;
        put_audit(writing, feed, &mut poll, &commit.audit)?;
        put_exchanges(writing, feed, &mut poll, &commit.exchanges)?;
        put_due(writing, feed, before.next, poll.next, &record)?;
        put_target(writing, feed, &before, &poll)?;
        if !commit.withdrawn.is_empty() {
            withdrawn::put(writing, &commit.withdrawn)?;
        }
        if let Some(cursor) = &commit.cursor {
            cursors::put(writing, feed, cursor)?;
        }
        match &commit.memory {
            Memory::Nothing => {}
            Memory::Roster(roster) => rosters::put(writing, feed, roster)?,
            Memory::Site(site) => sites::put(writing, feed, site)?,
        }
        encode_into(&poll, &mut writing.buffer)?;
        writing
            .tables
            .polls
            .insert(feed, writing.buffer.as_slice())?;
        if let Some((host, state)) = &commit.host
            && self.is_latest(&host.0, commit.turn)
        {
            self.host(writing, &host.0)?.conclude(state);
        }
        if commit.delta != Counters::default() {
            self.days
                .entry((commit.at.day(), feed))
                .or_default()
                .add(&commit.delta);
        }
        for rule in &commit.entries.hits {
            let hits = self.hits.entry(rule.clone()).or_default();
            *hits = (hits.0 + 1, commit.at.0);
        }
        let counts = counts_of(&writing.tables.counts, feed)?;
        let validators = validators_of(&writing.tables.validators, feed, &record, &poll)?;
        let hold_until = self.host(writing, &record.host)?.hold_until;
        Ok(row_of(
            commit.feed,
            &record,
            &poll,
            counts,
            validators,
            hold_until,
        ))
    }

    /// Writes what was gathered, and holds feeds that grew to their limits. Total, unread and starred of those that lost
    /// entries so.
    pub(super) fn finish(
        self,
        writing: &mut Writing<'_>,
    ) -> Result<Vec<(FeedId, Counts)>, StoreError> {
        for (key, host) in &self.hosts {
            if !key.is_empty() && *host != HostV2::default() {
                writing.touch();
                encode_into(host, &mut writing.buffer)?;
                let tables = &mut writing.tables;
                tables
                    .hosts
                    .insert(key.as_str(), writing.buffer.as_slice())?;
            }
        }
        for (key, delta) in &self.days {
            let mut sum = match writing.tables.days.get(key)? {
                Some(row) => decode::<CountersV1>(row.value())?.model(),
                None => Counters::default(),
            };
            sum.add(delta);
            encode_into(&CountersV1::from(&sum), &mut writing.buffer)?;
            writing.tables.days.insert(key, writing.buffer.as_slice())?;
        }
        hits::add(writing, &self.hits)?;
        entries::store_dated(writing, self.dated)?;
        let mut shrunk = Vec::new();
        for (feed, keep, at) in self.grown {
            // What is left over goes with the next poll, or by `prune`.
            let (pruned, _) = prune(writing, feed, Take::Beyond(keep), at)?;
            if pruned.entries > 0 {
                shrunk.push((feed, counts_of(&writing.tables.counts, feed.0)?));
            }
        }
        Ok(shrunk)
    }
}

fn put_validators(
    writing: &mut Writing<'_>,
    feed: u32,
    validators: &[(String, Option<Validators>)],
) -> Result<(), StoreError> {
    for (url, value) in validators {
        let key = (feed, url.as_str());
        match value.as_ref().filter(|value| !value.is_empty()) {
            Some(value) => {
                encode_into(&ValidatorsV1::from(value), &mut writing.buffer)?;
                let tables = &mut writing.tables;
                let known = tables.validators.get(key)?;
                // A 304 nearly always says what is known: its page need not be written again.
                if known.is_none_or(|known| known.value() != writing.buffer) {
                    tables.validators.insert(key, writing.buffer.as_slice())?;
                }
            }
            None => drop(writing.tables.validators.remove(key)?),
        }
    }
    Ok(())
}

fn put_about(
    writing: &mut Writing<'_>,
    feed: u32,
    record: &mut FeedV1,
    about: Option<&About>,
) -> Result<(), StoreError> {
    let Some(about) = about else {
        return Ok(());
    };
    // Here, at the first answer of a feed whose URL is new, its guids could say that it is a removed feed under a
    // new address: the place for dropping the provisional id and giving the URL to the old one.
    if about.topic.is_some() || !record.hubs.is_empty() {
        pushes::put_topic(writing, feed, about.topic.as_deref())?;
    }
    let titled = about.title.is_empty() || about.title == record.title;
    if titled && about.site == record.site && about.hubs == record.hubs {
        return Ok(());
    }
    if !about.title.is_empty() {
        record.title.clone_from(&about.title);
    }
    record.site.clone_from(&about.site);
    record.hubs.clone_from(&about.hubs);
    encode_into(record, &mut writing.buffer)?;
    writing
        .tables
        .feeds
        .insert(feed, writing.buffer.as_slice())?;
    Ok(())
}

/// Remembers where the feed's URL redirects for good: a person who writes that into feeds.toml means the same feed.
fn put_target(
    writing: &mut Writing<'_>,
    feed: u32,
    before: &PollV1,
    poll: &PollV1,
) -> Result<(), StoreError> {
    let known = before.moving.as_ref().map(|moving| &moving.target);
    if let Some(moving) = &poll.moving
        && Some(&moving.target) != known
    {
        let target = identity(&moving.target);
        writing
            .tables
            .aliases
            .insert((target.as_str(), feed), TARGET)?;
    }
    Ok(())
}

/// Ring by slot: what is overwritten needs no removal.
pub(super) const fn slot(written: u64, ring: u64) -> u32 {
    (written % ring) as u32
}

pub(super) fn put_exchanges(
    writing: &mut Writing<'_>,
    feed: u32,
    poll: &mut PollV1,
    exchanges: &PackedExchanges,
) -> Result<(), StoreError> {
    for exchange in &exchanges.0 {
        let key = (slot(poll.exchanges, EXCHANGE_RING), feed);
        writing.tables.exchanges.insert(key, &**exchange)?;
        poll.exchanges += 1;
    }
    Ok(())
}

/// Takes the whole ring of a feed.
pub(super) fn forget_exchanges(writing: &mut Writing<'_>, feed: u32) -> Result<(), StoreError> {
    for slot in 0..EXCHANGE_RING as u32 {
        writing.tables.exchanges.remove((slot, feed))?;
    }
    Ok(())
}
