//! The book of a run: who is wanted, who is in flight, which refresh waits for whom.

use std::collections::{HashMap, HashSet};

use tokio::task::{AbortHandle, Id};

use crate::model::{FeedId, HostKey, Outcome, Pace, PollReport, SourceKind};

use super::flight::Draft;
use super::protocol::{Summary, Ticket};
use super::robots::Errands;

/// A feed that is wanted: queued, or in flight.
pub(super) struct Wanted {
    pub(super) pace: Pace,
    pub(super) tickets: Vec<Ticket>,
    pub(super) flying: bool,
}

/// A refresh under way.
pub(super) struct Run {
    pub(super) left: HashSet<FeedId>,
    pub(super) summary: Summary,
}

/// A task that uses the network, or has done so.
pub(super) struct Flight {
    pub(super) number: u64,
    pub(super) feed: Option<FeedId>,
    /// The host whose robots.txt it reads.
    pub(super) errand: Option<HostKey>,
    pub(super) abort: AbortHandle,
    pub(super) landed: bool,
}

/// Wanted feeds, refreshes, flights, polls that wait for the disk.
#[derive(Default)]
pub(super) struct Book {
    pub(super) wanted: HashMap<FeedId, Wanted>,
    pub(super) runs: HashMap<Ticket, Run>,
    pub(super) flights: HashMap<Id, Flight>,
    pub(super) by_number: HashMap<u64, Id>,
    pub(super) numbers: u64,
    pub(super) airborne: usize,
    pub(super) errands: Errands,
    /// By the number that the writer was given.
    pub(super) committing: HashMap<u64, (FeedId, Draft)>,
}

impl Book {
    /// A number that nobody has.
    pub(super) const fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// Polls that still need the network.
    pub(super) const fn airborne(&self) -> usize {
        self.airborne
    }

    /// Breaks off whoever is on the network.
    pub(super) fn abort_airborne(&self) {
        for flight in self.flights.values() {
            if !flight.landed {
                flight.abort.abort();
            }
        }
    }

    /// A flight needs the network no longer.
    pub(super) fn land(&mut self, number: u64) {
        if let Some(flight) = self
            .by_number
            .get(&number)
            .and_then(|id| self.flights.get_mut(id))
            && !flight.landed
        {
            flight.landed = true;
            self.airborne -= 1;
        }
    }

    /// A task has ended.
    pub(super) fn end(&mut self, id: Id) -> Option<Flight> {
        let flight = self.flights.remove(&id)?;
        self.by_number.remove(&flight.number);
        if let Some(host) = &flight.errand {
            self.errands.end(host);
        }
        if !flight.landed {
            self.airborne -= 1;
        }
        Some(flight)
    }

    /// The feed is done with; `note` says how in the summaries of who waited for it.
    pub(super) fn settle_with(&mut self, feed: FeedId, note: impl Fn(&mut Summary)) {
        let tickets = self
            .wanted
            .remove(&feed)
            .map_or_else(Vec::new, |wanted| wanted.tickets);
        for ticket in &tickets {
            if let Some(run) = self.runs.get_mut(ticket) {
                run.left.remove(&feed);
                note(&mut run.summary);
            }
        }
    }

    /// Refreshes of which nobody is left, and nothing is left to read.
    pub(super) fn done(&mut self) -> Vec<(Ticket, Summary)> {
        if !self.errands.is_quiet() {
            return Vec::new();
        }
        self.runs
            .extract_if(|_, run| run.left.is_empty())
            .map(|(ticket, run)| (ticket, run.summary))
            .collect()
    }
}

impl Summary {
    /// Counts one report.
    pub(super) fn count(&mut self, report: &PollReport) {
        match &report.outcome {
            Outcome::NotModified => self.not_modified += 1,
            Outcome::Unchanged => self.unchanged += 1,
            Outcome::Changed { new, updated } => {
                self.changed += 1;
                // What changes of a list are feeds, not entries.
                if report.row.kind != SourceKind::List {
                    self.new += new;
                    self.updated += updated;
                }
            }
            Outcome::Deferred { until } => {
                self.deferred += 1;
                if report.is_debounced() {
                    self.debounced += 1;
                } else {
                    self.until = self.until.into_iter().chain([*until]).min();
                }
            }
            Outcome::Gone => self.gone += 1,
            Outcome::Failed(_) => self.failed += 1,
        }
        if let Some(early) = report.early {
            self.early += 1;
            self.early_plain += u32::from(!early.conditional);
        }
        self.bytes += report.bytes;
    }
}
