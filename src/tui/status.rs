//! The status pane's data: its tables, their order, and the log of one feed.

mod columns;
mod figures;
mod ledger;

use std::collections::BTreeMap;

use crate::engine::protocol::Ticket;
use crate::model::{Counters, FeedRow, HostKey, HostState, Timestamp};

use super::list::scrolled;
use figures::by_host;

pub use columns::{Column, Look, fitting};
pub use figures::{Figures, Subject};
pub use ledger::Ledger;

use columns::{BY_FEED, BY_HOST, Wants};

/// How many days the sparkline asks for.
pub const DAYS: u32 = 60;

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
    /// What the lines would like to have of the width.
    pub wants: Wants,
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
        self.wants = wants(&self.lines, now);
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

fn wants(lines: &[Figures], now: Timestamp) -> Wants {
    let longest = |width: fn(&Figures) -> usize| lines.iter().map(width).max().unwrap_or(0);
    // The mark of a trouble stands before the name.
    let name =
        longest(|line| super::columns::width(&line.name) + 2 * usize::from(line.trouble.is_some()));
    let rule = longest(|line| super::columns::width(&line.schedule.why.to_string()));
    Wants {
        name: u16::try_from(name).unwrap_or(u16::MAX),
        rule: u16::try_from(rule).unwrap_or(u16::MAX),
        held: lines.iter().any(|line| line.held(now).is_some()),
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Feed, FeedId, Schedule};

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
}
