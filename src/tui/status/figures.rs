//! The lines of the status tables: what a cell says, and which line comes before which.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::model::{
    Counters, FeedId, FeedRow, HostKey, HostState, LastAnswer, Outcome, Schedule, Timestamp,
    natural,
};

use super::super::say::{self, Zone};
use super::super::theme::Tone;
use super::columns::Column;

/// One line of the table: a feed, or all feeds of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figures {
    /// Title of the feed, or the host.
    pub name: String,
    /// What a key on the line means.
    pub subject: Subject,
    /// How many feeds it stands for.
    pub feeds: u32,
    /// What its polls cost and saved.
    pub counters: Counters,
    /// The last request or deferral.
    pub last: Option<LastAnswer>,
    /// The next poll.
    pub schedule: Schedule,
    /// What the next request carries.
    pub sends: &'static str,
    /// Its host is held until then.
    pub hold_until: Option<Timestamp>,
    /// Something is wrong.
    pub trouble: Option<say::Trouble>,
}

/// What a line is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A feed.
    Feed(FeedId),
    /// A host.
    Host(HostKey),
}

impl Figures {
    /// The line of a feed.
    pub fn of_feed(row: &FeedRow, now: Timestamp) -> Self {
        Self {
            name: say::name(row),
            subject: Subject::Feed(row.feed.id),
            feeds: 1,
            counters: row.counters,
            last: row.last.clone(),
            schedule: row.schedule,
            sends: say::validators(row),
            hold_until: row.hold_until,
            trouble: say::trouble(row, now),
        }
    }

    fn add(&mut self, row: &FeedRow) {
        self.feeds += 1;
        self.counters.add(&row.counters);
        self.hold_until = self.hold_until.max(row.hold_until);
        let sooner = |other: Timestamp| self.schedule.next.is_none_or(|next| other < next);
        if row.schedule.next.is_some_and(sooner) {
            self.schedule = row.schedule;
        }
    }

    /// The hold, where it is not over.
    pub fn held(&self, now: Timestamp) -> Option<Timestamp> {
        self.hold_until.filter(|until| *until > now)
    }

    /// What a cell says, and in which tone.
    pub fn cell(&self, column: Column, now: Timestamp, zone: Zone) -> (String, Tone) {
        let counters = &self.counters;
        let figure = |number: u64, tone| match number {
            0 => ("·".to_owned(), Tone::Dim),
            n => (n.to_string(), tone),
        };
        let size = |number: u64, tone| match number {
            0 => ("·".to_owned(), Tone::Dim),
            n => (say::bytes(n), tone),
        };
        let none = || (String::new(), Tone::Dim);
        match column {
            Column::Name => (self.name.clone(), Tone::Text),
            Column::Feeds => figure(u64::from(self.feeds), Tone::Text),
            Column::NotModified => figure(counters.not_modified304, Tone::Good),
            Column::Ok => figure(counters.ok200, Tone::Text),
            Column::Identical => figure(counters.identical200, Tone::Warn),
            Column::Errors => figure(counters.errors, Tone::Error),
            Column::HitRate => counters.hit_rate().map_or_else(none, |share| {
                (say::percent(share).replace(' ', ""), Tone::Text)
            }),
            Column::Bytes => size(counters.bytes, Tone::Dim),
            Column::Saved => size(counters.bytes_saved, Tone::Good),
            Column::Last => self
                .last
                .as_ref()
                .map_or_else(none, |answer| last(answer, now)),
            Column::Next => self
                .schedule
                .next
                .map_or_else(none, |next| (say::moment(next, now, zone), Tone::Text)),
            Column::Countdown => self
                .schedule
                .next
                .map_or_else(none, |next| (say::countdown(next, now), Tone::Accent)),
            Column::Rule => (
                self.schedule.why.to_string(),
                self.trouble.map_or(Tone::Dim, say::Trouble::tone),
            ),
            Column::Sends if self.schedule.next.is_none() => none(),
            Column::Sends => (
                self.sends.to_owned(),
                if self.sends == "none" {
                    Tone::Warn
                } else {
                    Tone::Dim
                },
            ),
            Column::Hold => self
                .held(now)
                .map_or_else(none, |until| (say::moment(until, now, zone), Tone::Warn)),
        }
    }

    /// Which of two comes first by this column.
    pub fn compare(&self, other: &Self, column: Column) -> Ordering {
        let (a, b) = (&self.counters, &other.counters);
        // Feeds that are never asked again come after all others.
        let next = |figures: &Self| figures.schedule.next.unwrap_or(Timestamp(i64::MAX));
        match column {
            Column::Name => natural(&self.name).cmp(&natural(&other.name)),
            Column::Feeds => self.feeds.cmp(&other.feeds),
            Column::NotModified => a.not_modified304.cmp(&b.not_modified304),
            Column::Ok => a.ok200.cmp(&b.ok200),
            Column::Identical => a.identical200.cmp(&b.identical200),
            Column::Errors => a.errors.cmp(&b.errors),
            Column::HitRate => {
                let share = |c: &Counters| c.hit_rate().unwrap_or(-1.0);
                share(a).total_cmp(&share(b))
            }
            Column::Bytes => a.bytes.cmp(&b.bytes),
            Column::Saved => a.bytes_saved.cmp(&b.bytes_saved),
            Column::Last => {
                let at = |figures: &Self| figures.last.as_ref().map(|last| last.at);
                at(self).cmp(&at(other))
            }
            Column::Next | Column::Countdown => next(self).cmp(&next(other)),
            Column::Rule => self
                .schedule
                .why
                .to_string()
                .cmp(&other.schedule.why.to_string()),
            Column::Sends => self.sends.cmp(other.sends),
            Column::Hold => self.hold_until.cmp(&other.hold_until),
        }
    }
}

fn last(last: &LastAnswer, now: Timestamp) -> (String, Tone) {
    let age = say::age(last.at, now);
    match (last.status, &last.outcome) {
        (Some(304), _) => (format!("304 {age}"), Tone::Good),
        (Some(code @ 200..=299), _) => (format!("{code} {age}"), Tone::Text),
        (Some(code), Outcome::Deferred { .. }) => (format!("{code} {age}"), Tone::Warn),
        (Some(code), _) => (format!("{code} {age}"), Tone::Error),
        // Nothing was sent: the host is held, or another rule said no.
        (None, Outcome::Deferred { .. }) => (format!("wait {age}"), Tone::Warn),
        (None, _) => (format!("--- {age}"), Tone::Error),
    }
}

impl say::Trouble {
    /// How loudly it is said.
    pub const fn tone(self) -> Tone {
        match self {
            Self::Failing | Self::Off => Tone::Error,
            Self::Held => Tone::Warn,
        }
    }

    /// Its mark before the feed's name.
    pub const fn mark(self) -> &'static str {
        match self {
            Self::Failing => "!",
            Self::Off => "×",
            Self::Held => "‖",
        }
    }
}

/// A line a host, its feeds added up.
pub fn by_host(
    rows: &[FeedRow],
    states: &BTreeMap<HostKey, HostState>,
    now: Timestamp,
) -> Vec<Figures> {
    let mut hosts = BTreeMap::<&str, Figures>::new();
    for row in rows {
        if let Some(figures) = hosts.get_mut(row.host.as_str()) {
            figures.add(row);
            continue;
        }
        let mut figures = Figures::of_feed(row, now);
        row.host.clone_into(&mut figures.name);
        let key = HostKey(row.host.clone());
        let state = states.get(&key).and_then(|state| state.hold_until);
        figures.hold_until = figures.hold_until.max(state);
        figures.subject = Subject::Host(key);
        hosts.insert(&row.host, figures);
    }
    hosts.into_values().collect()
}
