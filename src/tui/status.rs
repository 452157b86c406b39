//! The status pane's data: its columns as rows of a table, its order, and the ledger of one feed.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::engine::protocol::Ticket;
use crate::model::{
    AuditRecord, Counters, Exchange, FeedId, FeedRow, HostKey, HostState, LastAnswer, Outcome,
    Schedule, Timestamp,
};

use super::list::scrolled;
use super::say::{self, Zone};
use super::theme::Tone;

/// How many days the sparkline asks for.
pub const DAYS: u32 = 60;

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Column {
    /// Title of the feed, or the host.
    Name,
    /// How many feeds a host has.
    Feeds,
    /// Answers 304.
    NotModified,
    /// Answers 200.
    Ok,
    /// Answers 200 with the same content.
    Identical,
    /// Polls that failed.
    Errors,
    /// Share of answers that were 304.
    HitRate,
    /// Body bytes on the wire.
    Bytes,
    /// Body bytes that 304s saved.
    Saved,
    /// Status and age of the last answer.
    Last,
    /// When it is asked next.
    #[default]
    Next,
    /// How long until then.
    Countdown,
    /// The rule that set it.
    Rule,
    /// Validators that the next request carries.
    Sends,
    /// Until when its host is held.
    Hold,
}

/// How a column is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Which.
    pub column: Column,
    /// Its heading.
    pub title: &'static str,
    /// Its least width.
    pub width: u16,
    /// Columns are given up from the highest number on, where they do not all fit.
    pub rank: u8,
    /// Figures are pushed to the right.
    pub right: bool,
    /// A width left over goes to columns that grow.
    pub grows: bool,
}

const fn look(column: Column, title: &'static str, width: u16, rank: u8, right: bool) -> Look {
    Look {
        column,
        title,
        width,
        rank,
        right,
        grows: matches!(column, Column::Name | Column::Rule),
    }
}

/// The columns of the table by feed, from the left.
pub const BY_FEED: &[Look] = &[
    look(Column::Name, "feed", 14, 0, false),
    look(Column::NotModified, "304", 5, 1, true),
    look(Column::Ok, "200", 5, 2, true),
    look(Column::Identical, "same", 4, 9, true),
    look(Column::Errors, "err", 3, 6, true),
    look(Column::HitRate, "hit", 4, 5, true),
    look(Column::Bytes, "bytes", 6, 11, true),
    look(Column::Saved, "saved", 6, 10, true),
    look(Column::Last, "last", 10, 8, false),
    look(Column::Next, "next", 9, 3, true),
    look(Column::Countdown, "in", 9, 4, true),
    look(Column::Rule, "rule", 14, 7, false),
    look(Column::Sends, "sends", 5, 12, false),
    look(Column::Hold, "hold", 9, 13, false),
];

/// The columns of the table by host.
pub const BY_HOST: &[Look] = &[
    look(Column::Name, "host", 18, 0, false),
    look(Column::Feeds, "feeds", 5, 5, true),
    look(Column::NotModified, "304", 6, 1, true),
    look(Column::Ok, "200", 6, 2, true),
    look(Column::Identical, "same", 5, 9, true),
    look(Column::Errors, "err", 4, 6, true),
    look(Column::HitRate, "hit", 5, 7, true),
    look(Column::Bytes, "bytes", 7, 11, true),
    look(Column::Saved, "saved", 7, 10, true),
    look(Column::Next, "next", 9, 3, true),
    look(Column::Countdown, "in", 9, 4, true),
    look(Column::Hold, "hold", 9, 8, false),
];

/// Chooses the columns that fit into `width`, with one blank between them, and shares out what is left over.
/// The column that `sorted` names is always there.
pub fn fitting(looks: &[Look], width: u16, sorted: Column) -> Vec<Look> {
    let mut kept: Vec<Look> = looks.to_vec();
    let needs = |kept: &[Look]| {
        let widths: u16 = kept.iter().map(|look| look.width).sum();
        widths + kept.len().saturating_sub(1) as u16
    };
    while kept.len() > 1 && needs(&kept) > width {
        let worst = kept
            .iter()
            .enumerate()
            .filter(|(_, look)| look.rank > 0 && look.column != sorted)
            .max_by_key(|(_, look)| look.rank);
        let Some((at, _)) = worst else { break };
        kept.remove(at);
    }
    let mut over = width.saturating_sub(needs(&kept));
    let growing: Vec<usize> = (0..kept.len()).filter(|at| kept[*at].grows).collect();
    for (nth, at) in growing.iter().enumerate() {
        let share = over / (growing.len() - nth) as u16;
        kept[*at].width += share;
        over -= share;
    }
    kept
}

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
    fn of_feed(row: &FeedRow, now: Timestamp) -> Self {
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

    fn compare(&self, other: &Self, column: Column) -> Ordering {
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

fn natural(name: &str) -> String {
    name.to_lowercase()
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

/// Which table is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tab {
    /// One line a feed.
    #[default]
    Feeds,
    /// One line a host.
    Hosts,
}

/// The status pane.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StatusPane {
    /// Which table.
    pub tab: Tab,
    /// The column it is sorted by.
    pub sort: Column,
    /// The largest first.
    pub descending: bool,
    /// The lines, sorted. Made anew when rows or order change while the pane is shown.
    pub lines: Vec<Figures>,
    /// Index in `lines` of the cursor.
    pub at: usize,
    /// First line on the screen.
    pub top: usize,
    /// Totals a day, oldest first.
    pub days: Vec<(u32, Counters)>,
    /// What is known of hosts.
    pub hosts: BTreeMap<HostKey, HostState>,
    /// The question for totals whose answer is still to come.
    pub asked: Option<Ticket>,
    /// Polls ended since it was asked.
    pub days_old: bool,
    /// `lines` are older than what they show.
    pub stale: bool,
    /// The ledger of a feed, over the table.
    pub ledger: Option<Ledger>,
}

impl StatusPane {
    /// The columns of the table that is shown.
    pub const fn looks(&self) -> &'static [Look] {
        match self.tab {
            Tab::Feeds => BY_FEED,
            Tab::Hosts => BY_HOST,
        }
    }

    /// The line under the cursor.
    pub fn current(&self) -> Option<&Figures> {
        self.lines.get(self.at)
    }

    /// Makes the lines anew from the feeds. The cursor stays on its subject.
    pub fn rebuild(&mut self, rows: &[FeedRow], now: Timestamp) {
        let was = self.current().map(|line| line.subject.clone());
        self.lines = match self.tab {
            Tab::Feeds => rows.iter().map(|row| Figures::of_feed(row, now)).collect(),
            Tab::Hosts => by_host(rows, &self.hosts, now),
        };
        let (sort, descending) = (self.sort, self.descending);
        self.lines.sort_by(|a, b| {
            let order = a.compare(b, sort);
            let order = if descending { order.reverse() } else { order };
            order.then_with(|| a.name.cmp(&b.name))
        });
        if let Some(at) = was.and_then(|was| self.lines.iter().position(|l| l.subject == was)) {
            self.at = at;
        }
        self.stale = false;
    }

    /// Sorts by the column `steps` to the right of the present one.
    pub fn sort_beside(&mut self, steps: isize) {
        let looks = self.looks();
        let at = looks.iter().position(|look| look.column == self.sort);
        let next = at.map_or(0, |at| {
            (at as isize + steps).rem_euclid(looks.len() as isize) as usize
        });
        self.sort_by(looks[next].column);
    }

    /// Sorts by `column`: figures with the largest first, names and times with the first first.
    /// The column it is sorted by already turns the order round.
    pub fn sort_by(&mut self, column: Column) {
        self.descending = if self.sort == column {
            !self.descending
        } else {
            !matches!(
                column,
                Column::Name | Column::Next | Column::Countdown | Column::Rule | Column::Sends
            )
        };
        self.sort = column;
        self.at = 0;
        self.top = 0;
        self.lines.clear();
        self.stale = true;
    }

    /// The other table.
    pub fn turn(&mut self) {
        self.tab = match self.tab {
            Tab::Feeds => Tab::Hosts,
            Tab::Hosts => Tab::Feeds,
        };
        if !self.looks().iter().any(|look| look.column == self.sort) {
            self.sort = Column::Next;
            self.descending = false;
        }
        self.at = 0;
        self.top = 0;
        self.lines.clear();
        self.stale = true;
    }

    /// Keeps the cursor on a line and the line on a screen of `height`.
    pub fn settle(&mut self, height: usize) {
        self.at = self.at.min(self.lines.len().saturating_sub(1));
        self.top = scrolled(self.top, self.at, self.lines.len(), height);
    }
}

fn by_host(
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

/// The last requests of one feed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ledger {
    /// The feed.
    pub feed: FeedId,
    /// The question for it.
    pub asked: Ticket,
    /// It was answered.
    pub loaded: bool,
    /// The ring, newest first.
    pub records: Vec<AuditRecord>,
    /// Full headers of the last answers.
    pub exchanges: Vec<Exchange>,
    /// Index in `records` of the cursor.
    pub at: usize,
    /// First record on the screen.
    pub top: usize,
}

impl Ledger {
    /// The exchanges that belong to the record under the cursor, oldest first: several where it was redirected.
    pub fn of_current(&self) -> Vec<&Exchange> {
        let Some(record) = self.records.get(self.at) else {
            return Vec::new();
        };
        let newer = self.at.checked_sub(1).map(|at| self.records[at].at);
        let mut found: Vec<&Exchange> = self
            .exchanges
            .iter()
            .filter(|exchange| {
                exchange.at >= record.at && newer.is_none_or(|newer| exchange.at < newer)
            })
            .collect();
        found.sort_by_key(|exchange| exchange.at);
        found
    }
}

#[cfg(test)]
mod tests {
    use crate::model::Feed;

    use super::*;

    fn row(id: u32, host: &str, hits: u64, next: i64) -> FeedRow {
        FeedRow {
            feed: Feed {
                id: FeedId(id),
                title: format!("feed {id}"),
                ..Feed::default()
            },
            host: host.to_owned(),
            counters: Counters {
                not_modified304: hits,
                ..Counters::default()
            },
            schedule: Schedule {
                next: (next > 0).then_some(Timestamp(next)),
                ..Schedule::default()
            },
            ..FeedRow::default()
        }
    }

    fn rows() -> Vec<FeedRow> {
        vec![
            row(1, "a:443", 5, 300),
            row(2, "b:443", 9, 100),
            row(3, "a:443", 1, 200),
            row(4, "c:443", 0, 0),
        ]
    }

    fn names(pane: &StatusPane) -> Vec<&str> {
        pane.lines.iter().map(|line| line.name.as_str()).collect()
    }

    #[test]
    fn the_next_poll_comes_first_and_what_is_never_asked_last() {
        let mut pane = StatusPane::default();
        pane.rebuild(&rows(), Timestamp(0));
        assert_eq!(names(&pane), ["feed 2", "feed 3", "feed 1", "feed 4"]);
    }

    #[test]
    fn a_column_sorts_the_largest_first_and_again_the_smallest() {
        let mut pane = StatusPane::default();
        pane.sort_by(Column::NotModified);
        pane.rebuild(&rows(), Timestamp(0));
        assert_eq!(names(&pane), ["feed 2", "feed 1", "feed 3", "feed 4"]);
        pane.sort_by(Column::NotModified);
        pane.rebuild(&rows(), Timestamp(0));
        assert_eq!(names(&pane), ["feed 4", "feed 3", "feed 1", "feed 2"]);
    }

    #[test]
    fn hosts_add_up_their_feeds() {
        let mut pane = StatusPane::default();
        pane.turn();
        pane.rebuild(&rows(), Timestamp(0));
        assert_eq!(names(&pane), ["b:443", "a:443", "c:443"]);
        let a = &pane.lines[1];
        assert_eq!((a.feeds, a.counters.not_modified304), (2, 6));
        assert_eq!(a.schedule.next, Some(Timestamp(200)));
    }

    #[test]
    fn the_cursor_stays_on_its_feed_while_answers_arrive() {
        let mut pane = StatusPane::default();
        pane.rebuild(&rows(), Timestamp(0));
        pane.at = 1;
        let mut later = rows();
        later[2].schedule.next = Some(Timestamp(900));
        pane.rebuild(&later, Timestamp(0));
        assert_eq!(
            pane.current().map(|line| line.name.as_str()),
            Some("feed 3")
        );
    }

    #[test]
    fn all_columns_fit_into_120_and_the_important_ones_into_50() {
        let fit = |width| fitting(BY_FEED, width, Column::Next);
        assert_eq!(fit(118).len(), BY_FEED.len());
        let titles: Vec<&str> = fit(48).iter().map(|look| look.title).collect();
        assert_eq!(titles, ["feed", "304", "200", "next", "in"]);
        for width in 0..200 {
            let kept = fitting(BY_FEED, width, Column::Sends);
            let used: u16 = kept.iter().map(|look| look.width + 1).sum();
            assert!(used <= width + 1 || kept.len() <= 2, "{width}");
            assert!(kept.iter().any(|look| look.column == Column::Sends));
        }
    }
}
