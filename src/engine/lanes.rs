//! Host lanes: one request in flight on a host, starts spaced, whoever is next (R71). Time is an argument.

use std::collections::{BTreeSet, HashMap, VecDeque};

use crate::fetch::Reuse;
use crate::model::{FeedId, HostKey, HostState, Timestamp};
use crate::poll;

/// What comes out of a lane when its turn has come.
#[derive(Debug, PartialEq, Eq)]
pub enum Turn<G> {
    /// A feed may be polled.
    Feed(FeedId),
    /// Somebody waits at the gate: the next hop of a redirect, or a first look at a feed.
    Gate(G),
}

struct Lane<G> {
    gates: VecDeque<G>,
    feeds: VecDeque<FeedId>,
    busy: bool,
    last_start_ms: i64,
    gap_ms: i64,
    /// The record as this run has it: holds are known here before they are on disk (R39).
    host: Option<HostState>,
    forbidden: usize,
    /// A connection to it is kept.
    warm: bool,
    /// Its connections are not used twice.
    distrusted: bool,
    /// Feeds sent home for its budget, and those that waited before them.
    deferred: u32,
    order: u64,
    ready_at: Option<i64>,
}

/// All lanes of a run.
pub struct Lanes<G> {
    by_host: HashMap<HostKey, Lane<G>>,
    /// Lanes with somebody waiting and nobody in flight, by the time of the next start.
    /// First those whose connection is open: it is used before another is opened.
    ready: [BTreeSet<(i64, u64, HostKey)>; 2],
    gap_ms: i64,
    orders: u64,
    turns: u64,
    /// The clock when it was looked at last.
    clock_ms: i64,
    waiting: usize,
    /// Of them gates.
    gates: usize,
}

impl<G> Lanes<G> {
    /// No lane yet; `gap_ms` between two starts on a host.
    pub fn new(gap_ms: i64) -> Self {
        Self {
            by_host: HashMap::new(),
            ready: [BTreeSet::new(), BTreeSet::new()],
            gap_ms,
            orders: 0,
            turns: 0,
            clock_ms: i64::MIN,
            waiting: 0,
            gates: 0,
        }
    }

    fn change(&mut self, host: &HostKey, act: impl FnOnce(&mut Lane<G>)) {
        if !self.by_host.contains_key(host) {
            self.orders += 1;
            let lane = Lane {
                gates: VecDeque::new(),
                feeds: VecDeque::new(),
                busy: false,
                last_start_ms: i64::MIN,
                gap_ms: self.gap_ms,
                host: None,
                forbidden: 0,
                warm: false,
                distrusted: false,
                deferred: 0,
                order: self.orders,
                ready_at: None,
            };
            self.by_host.insert(host.clone(), lane);
        }
        let Some(lane) = self.by_host.get_mut(host) else {
            return;
        };
        let before = (lane.ready_at, lane.warm);
        let (gates, feeds) = (lane.gates.len(), lane.feeds.len());
        act(lane);
        self.gates = self.gates + lane.gates.len() - gates;
        self.waiting = self.waiting + lane.gates.len() + lane.feeds.len() - gates - feeds;
        let waiting = !lane.gates.is_empty() || !lane.feeds.is_empty();
        lane.ready_at =
            (waiting && !lane.busy).then(|| lane.last_start_ms.saturating_add(lane.gap_ms));
        let after = (lane.ready_at, lane.warm);
        if before != after {
            let order = lane.order;
            if let (Some(at), warm) = before {
                self.ready[usize::from(!warm)].remove(&(at, order, host.clone()));
            }
            if let (Some(at), warm) = after {
                self.ready[usize::from(!warm)].insert((at, order, host.clone()));
            }
        }
    }

    /// The number of the turn that begins.
    pub const fn next_turn(&mut self) -> u64 {
        self.turns += 1;
        self.turns
    }

    /// Where the clock was set back, starts that lie in the future now count as now (R48).
    pub fn look_at_clock(&mut self, now_ms: i64) {
        let before = std::mem::replace(&mut self.clock_ms, now_ms);
        if now_ms >= before {
            return;
        }
        let late = |lane: &Lane<G>| lane.last_start_ms > now_ms;
        let hosts = self.by_host.iter().filter(|(_, lane)| late(lane));
        let hosts: Vec<HostKey> = hosts.map(|(host, _)| host.clone()).collect();
        for host in hosts {
            self.change(&host, |lane| {
                lane.last_start_ms = now_ms;
                if let Some(host) = &mut lane.host {
                    host.last_start_ms = host.last_start_ms.min(now_ms);
                }
            });
        }
    }

    /// A feed queues up behind the others of its host.
    pub fn push_feed(&mut self, host: &HostKey, feed: FeedId) {
        self.change(host, |lane| lane.feeds.push_back(feed));
    }

    /// A gate goes before all feeds: its request is already under way.
    pub fn push_gate(&mut self, host: &HostKey, gate: G) {
        self.change(host, |lane| lane.gates.push_back(gate));
    }

    /// The next one whose time has come. Its lane is taken until `leave`.
    pub fn take(&mut self, now_ms: i64) -> Option<(HostKey, Turn<G>)> {
        let first = |set: &BTreeSet<(i64, u64, HostKey)>| {
            set.first()
                .filter(|(at, _, _)| *at <= now_ms)
                .map(|(_, _, host)| host.clone())
        };
        let host = self.ready.iter().find_map(first)?;
        self.take_from(host)
    }

    /// The next gate whose time has come: where no more polls may start, those under way still end.
    pub fn take_gate(&mut self, now_ms: i64) -> Option<(HostKey, Turn<G>)> {
        let (at, _, host) = self.first_gate()?.clone();
        if at > now_ms {
            return None;
        }
        self.take_from(host)
    }

    fn first_gate(&self) -> Option<&(i64, u64, HostKey)> {
        if self.gates == 0 {
            return None;
        }
        let has_gate = |(_, _, host): &&(i64, u64, HostKey)| {
            self.by_host
                .get(host)
                .is_some_and(|lane| !lane.gates.is_empty())
        };
        self.ready
            .iter()
            .filter_map(|set| set.iter().find(has_gate))
            .min()
    }

    fn take_from(&mut self, host: HostKey) -> Option<(HostKey, Turn<G>)> {
        let mut turn = None;
        self.change(&host, |lane| {
            turn = match lane.gates.pop_front() {
                Some(gate) => Some(Turn::Gate(gate)),
                None => lane.feeds.pop_front().map(Turn::Feed),
            };
            lane.busy = turn.is_some();
        });
        turn.map(|turn| (host, turn))
    }

    /// The host's record in this run, loaded by `load` at first use. A start in the future on disk counts as now (R48).
    pub fn host(&mut self, host: &HostKey, load: impl FnOnce() -> HostState) -> HostState {
        let mut found = HostState::default();
        self.change(host, |lane| {
            let state = lane.host.get_or_insert_with(load);
            lane.gap_ms = lane.gap_ms.max(i64::from(state.crawl_delay_ms));
            found = state.clone();
        });
        found
    }

    /// When a start on `host` is allowed, given what the disk says of the last one.
    pub fn start_at(&self, host: &HostKey, now_ms: i64) -> i64 {
        self.by_host.get(host).map_or(now_ms, |lane| {
            let on_disk = lane.host.as_ref().map_or(0, |host| host.last_start_ms);
            let last = lane.last_start_ms.max(on_disk.min(now_ms));
            last.saturating_add(lane.gap_ms)
        })
    }

    /// Milliseconds between two starts on `host`.
    pub fn gap(&self, host: &HostKey) -> i64 {
        self.by_host
            .get(host)
            .map_or(self.gap_ms, |lane| lane.gap_ms)
    }

    /// Puts a turn back to the front: the disk says that its start would be too early. Frees the lane.
    pub fn put_back(&mut self, host: &HostKey, turn: Turn<G>, last_start_ms: i64) {
        self.change(host, |lane| {
            match turn {
                Turn::Feed(feed) => lane.feeds.push_front(feed),
                Turn::Gate(gate) => lane.gates.push_front(gate),
            }
            lane.last_start_ms = lane.last_start_ms.max(last_start_ms);
            // A start in the future counted as now, once: looked at anew, it would for ever be now (R48).
            if let Some(host) = &mut lane.host {
                host.last_start_ms = host.last_start_ms.min(lane.last_start_ms);
            }
            lane.busy = false;
        });
    }

    /// A request is sent now. `counts`: against the host's budget (R72).
    pub fn started(&mut self, host: &HostKey, now_ms: i64, counts: bool) {
        self.change(host, |lane| {
            lane.last_start_ms = now_ms;
            if let Some(host) = &mut lane.host {
                host.last_start_ms = now_ms;
                if counts {
                    let now = Timestamp(now_ms.div_euclid(1_000));
                    (host.hour_began, host.hour_starts) =
                        poll::spent(host.hour_began, host.hour_starts, now);
                }
            }
        });
    }

    /// A feed is sent home for the host's budget. How many were before it, the `waiting` of earlier runs included: they
    /// cannot all come back in one second, and come back in their order.
    pub fn count_deferred(&mut self, host: &HostKey, waiting: impl FnOnce() -> u32) -> u32 {
        let mut before = 0;
        self.change(host, |lane| {
            before = match lane.deferred {
                0 => waiting(),
                deferred => deferred,
            };
            lane.deferred = before.saturating_add(1);
        });
        before
    }

    /// The request ended, or was not sent after all. `state` is what is known of the host now.
    pub fn leave(&mut self, host: &HostKey, state: Option<HostState>) {
        self.change(host, |lane| {
            lane.busy = false;
            if let Some(mut state) = state {
                if let Some(known) = &lane.host {
                    state.last_start_ms = state.last_start_ms.max(known.last_start_ms);
                    // Starts are counted here and on disk, not by polls.
                    state.hour_began = known.hour_began;
                    state.hour_starts = known.hour_starts;
                }
                lane.host = Some(state);
            }
        });
    }

    /// Counts a 403 of the host in this run (R51).
    pub fn count_forbidden(&mut self, host: &HostKey) {
        self.change(host, |lane| lane.forbidden += 1);
    }

    /// How many there are in this run.
    pub fn forbidden(&self, host: &HostKey) -> usize {
        self.by_host.get(host).map_or(0, |lane| lane.forbidden)
    }

    /// No connection to this host is used twice in this run (R24).
    pub fn distrust(&mut self, host: &HostKey) {
        self.change(host, |lane| {
            lane.distrusted = true;
            lane.warm = false;
        });
    }

    /// What becomes of the connection of the request that starts now.
    pub fn reuse(&mut self, host: &HostKey) -> Reuse {
        let mut reuse = Reuse::Alone;
        self.change(host, |lane| {
            let more = !lane.distrusted && (!lane.feeds.is_empty() || !lane.gates.is_empty());
            reuse = match (more, lane.warm) {
                (true, _) => Reuse::Kept,
                (false, true) => Reuse::Last,
                (false, false) => Reuse::Alone,
            };
            lane.warm = more;
        });
        reuse
    }

    /// When the next start is allowed; `None` when nobody waits who could start.
    pub fn next_start(&self) -> Option<i64> {
        self.ready
            .iter()
            .filter_map(|set| set.first())
            .map(|(at, _, _)| *at)
            .min()
    }

    /// Likewise for those at a gate alone.
    pub fn next_gate(&self) -> Option<i64> {
        self.first_gate().map(|(at, _, _)| *at)
    }

    /// Somebody waits, be it behind a request in flight.
    pub const fn is_waiting(&self) -> bool {
        self.waiting > 0
    }

    /// Sends everybody home: nothing waits any more. Gates are dropped, feeds are given back.
    pub fn clear(&mut self) -> Vec<FeedId> {
        let mut feeds = Vec::new();
        for lane in self.by_host.values_mut() {
            feeds.extend(lane.feeds.drain(..));
            lane.gates.clear();
            lane.ready_at = None;
        }
        self.ready.iter_mut().for_each(BTreeSet::clear);
        self.waiting = 0;
        self.gates = 0;
        feeds
    }

    /// Forgets what was read of hosts: the next run reads it from disk again. Last starts in memory stay.
    pub fn forget_hosts(&mut self) {
        self.by_host.retain(|_, lane| {
            lane.host = None;
            lane.forbidden = 0;
            lane.deferred = 0;
            // Where somebody waits the place in line depends on it.
            lane.warm &= lane.ready_at.is_some();
            lane.distrusted = false;
            lane.gap_ms = self.gap_ms;
            lane.busy || lane.ready_at.is_some() || lane.last_start_ms > i64::MIN
        });
    }
}

#[cfg(test)]
mod tests;
