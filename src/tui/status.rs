//! The status pane's data: its tabs, their tables, the log of one feed, and why a feed is asked when it is.

mod columns;
mod figures;
mod ledger;
mod table;

use std::collections::BTreeMap;

use crate::engine::protocol::Ticket;
use crate::model::{Counters, Explanation, FeedId, FeedRow, HostKey, HostState, Timestamp};

use figures::by_host;

pub use columns::{Column, Look, fitting};
pub use figures::{Figures, Subject};
pub use ledger::Ledger;
pub use table::Table;

use columns::{BY_FEED, BY_HOST};

/// How many days the bars show at most.
pub const DAYS: u32 = 60;

/// What the pane shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tab {
    /// One line a feed.
    #[default]
    Feeds,
    /// One line a host.
    Hosts,
    /// The log of one feed.
    Log,
}

impl Tab {
    /// All, in the order of the screen.
    pub const ALL: [Self; 3] = [Self::Feeds, Self::Hosts, Self::Log];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Feeds => "feeds",
            Self::Hosts => "hosts",
            Self::Log => "log",
        }
    }
}

/// Where the log was opened, and where the way back leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Origin {
    /// The table.
    #[default]
    Table,
    /// The reader.
    Reader,
}

/// Why a feed is asked when it is, as far as that is known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Explained {
    /// What the engine said last; its log is left out.
    pub known: Option<Box<Explanation>>,
    /// The question that is under way: one at a time, the next when it is answered.
    pub asked: Option<(Ticket, FeedId)>,
    /// The feed that was asked about last.
    pub answered: Option<FeedId>,
    /// Something happened since.
    pub stale: bool,
}

impl Explained {
    /// What is known of this feed.
    pub fn of(&self, feed: FeedId) -> Option<&Explanation> {
        let known = self.known.as_deref();
        known.filter(|known| known.row.feed.id == feed)
    }
}

/// The status pane.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StatusPane {
    /// What is shown.
    pub tab: Tab,
    /// The table by feed.
    pub feeds: Table,
    /// The table by host.
    pub hosts: Table,
    /// The log of a feed, once one was opened.
    pub ledger: Option<Ledger>,
    /// Where the log was opened.
    pub origin: Origin,
    /// Totals a day, oldest first.
    pub days: Vec<(u32, Counters)>,
    /// What is known of hosts.
    pub known_hosts: BTreeMap<HostKey, HostState>,
    /// The question for totals whose answer is still to come.
    pub asked: Option<Ticket>,
    /// Polls ended since it was asked.
    pub days_old: bool,
    /// Why the feed under the cursor is asked when it is.
    pub explained: Explained,
}

impl StatusPane {
    /// The columns of the table that is shown.
    pub const fn looks(&self) -> &'static [Look] {
        match self.tab {
            Tab::Hosts => BY_HOST,
            Tab::Feeds | Tab::Log => BY_FEED,
        }
    }

    /// The table that is shown, or lies below the log.
    pub const fn table(&self) -> &Table {
        match self.tab {
            Tab::Hosts => &self.hosts,
            Tab::Feeds | Tab::Log => &self.feeds,
        }
    }

    /// The same, to be changed.
    pub const fn table_mut(&mut self) -> &mut Table {
        match self.tab {
            Tab::Hosts => &mut self.hosts,
            Tab::Feeds | Tab::Log => &mut self.feeds,
        }
    }

    /// The log, where it is shown.
    pub fn log(&self) -> Option<&Ledger> {
        self.ledger.as_ref().filter(|_| self.tab == Tab::Log)
    }

    /// What a key means: the line under the cursor, or the feed of the log.
    pub fn subject(&self) -> Option<Subject> {
        match self.tab {
            Tab::Log => self.log().map(|ledger| Subject::Feed(ledger.feed)),
            _ => self.table().current().map(|line| line.subject.clone()),
        }
    }

    /// The feed that a key means, if it means one.
    pub fn feed(&self) -> Option<FeedId> {
        match self.subject() {
            Some(Subject::Feed(feed)) => Some(feed),
            _ => None,
        }
    }

    /// What the tables show may be old.
    pub const fn outdate(&mut self) {
        self.feeds.stale = true;
        self.hosts.stale = true;
        self.explained.stale = true;
    }

    /// Makes the lines of the table that is shown anew from the feeds.
    pub fn rebuild(&mut self, rows: &[FeedRow], now: Timestamp) {
        match self.tab {
            Tab::Feeds => {
                let lines = rows.iter().filter(|row| self.feeds.lets_pass(&words(row)));
                let lines = lines.map(|row| Figures::of_feed(row, now)).collect();
                self.feeds.fill(lines, rows.len(), now);
            }
            Tab::Hosts => {
                let mut lines = by_host(rows, &self.known_hosts, now);
                let all = lines.len();
                lines.retain(|line| self.hosts.lets_pass(&line.name));
                self.hosts.fill(lines, all, now);
            }
            Tab::Log => {}
        }
    }

    /// Sorts by the column `steps` to the right of the present one.
    pub fn sort_beside(&mut self, steps: isize) {
        let looks = self.looks();
        self.table_mut().sort_beside(looks, steps);
    }
}

/// What a filter looks for in a feed: its name, address, host and tags. The port of a host only where it is not the usual
/// one: `feed 4` is not every feed at `:443`.
fn words(row: &FeedRow) -> String {
    let host = row.host.trim_end_matches(":443").trim_end_matches(":80");
    let address = super::say::address(&row.feed.url);
    [
        row.feed.title.as_str(),
        address.as_str(),
        host,
        row.feed.tags.join(" ").as_str(),
    ]
    .join(" ")
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
        let lines = pane.table().lines.iter();
        lines.map(|line| line.name.as_str()).collect()
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
        pane.feeds.sort_by(Column::NotModified);
        pane.rebuild(&rows(), Timestamp(0));
        assert_eq!(names(&pane), ["feed 2", "feed 1", "feed 3", "feed 4"]);
        pane.feeds.sort_by(Column::NotModified);
        pane.rebuild(&rows(), Timestamp(0));
        assert_eq!(names(&pane), ["feed 4", "feed 3", "feed 1", "feed 2"]);
    }

    #[test]
    fn hosts_add_up_their_feeds() {
        let mut pane = StatusPane {
            tab: Tab::Hosts,
            ..StatusPane::default()
        };
        pane.rebuild(&rows(), Timestamp(0));
        assert_eq!(names(&pane), ["b:443", "a:443", "c:443"]);
        let a = &pane.hosts.lines[1];
        assert_eq!((a.feeds, a.counters.not_modified304), (2, 6));
        assert_eq!(a.schedule.next, Some(Timestamp(200)));
    }

    #[test]
    fn the_cursor_stays_on_its_feed_while_answers_arrive() {
        let mut pane = StatusPane::default();
        pane.rebuild(&rows(), Timestamp(0));
        pane.feeds.at = 1;
        let mut later = rows();
        later[2].schedule.next = Some(Timestamp(900));
        pane.rebuild(&later, Timestamp(0));
        assert_eq!(
            pane.feeds.current().map(|line| line.name.as_str()),
            Some("feed 3")
        );
    }

    #[test]
    fn a_filter_looks_into_names_addresses_hosts_and_tags() {
        let mut rows = rows();
        rows[3].host = "c:8080".to_owned();
        rows[0].feed.tags = vec!["tech/Rust".to_owned()];
        rows[1].feed.url = "https://me:secret@rusty.example/feed".to_owned();
        let mut pane = StatusPane::default();
        for (filter, left) in [
            ("rust", vec!["feed 2", "feed 1"]),
            ("FEED 3", vec!["feed 3"]),
            ("c:8080", vec!["feed 4"]),
            ("rust rusty", vec!["feed 2"]),
            ("secret", vec![]),
            ("", vec!["feed 2", "feed 3", "feed 1", "feed 4"]),
        ] {
            pane.feeds.set_filter(filter);
            pane.rebuild(&rows, Timestamp(0));
            assert_eq!(names(&pane), left, "{filter}");
            assert_eq!(pane.feeds.all, 4);
        }
    }
}
