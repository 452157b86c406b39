//! A table of the status pane: its order, its filter, its cursor.

use crate::model::Timestamp;

use super::super::columns as width;
use super::super::list::scrolled;
use super::columns::{Column, Look, Wants};
use super::figures::Figures;

/// Lines, and the place in them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The column it is sorted by.
    pub sort: Column,
    /// The largest first.
    pub descending: bool,
    /// Words that a line must have, all of them; empty for every line.
    pub filter: String,
    /// The lines that pass, sorted. Made anew when feeds, order or filter change while the table is shown.
    pub lines: Vec<Figures>,
    /// How many there are without the filter.
    pub all: usize,
    /// What the lines would like to have of the width.
    pub wants: Wants,
    /// Index in `lines` of the cursor.
    pub at: usize,
    /// First line on the screen.
    pub top: usize,
    /// `lines` are older than what they show.
    pub stale: bool,
    /// The cursor goes to the first line with the next lines.
    rewind: bool,
}

impl Table {
    /// The line under the cursor.
    pub fn current(&self) -> Option<&Figures> {
        self.lines.get(self.at)
    }

    /// Every word of the filter stands in `text`.
    pub fn lets_pass(&self, text: &str) -> bool {
        if self.filter.is_empty() {
            return true;
        }
        let text = text.to_lowercase();
        let filter = self.filter.to_lowercase();
        filter.split_whitespace().all(|word| text.contains(word))
    }

    /// Filters from now on; the cursor stays on its line as long as that passes.
    pub fn set_filter(&mut self, filter: &str) {
        filter.clone_into(&mut self.filter);
        self.stale = true;
    }

    /// Takes new lines of `all` there are. The cursor stays on its subject.
    pub fn fill(&mut self, lines: Vec<Figures>, all: usize, now: Timestamp) {
        let was = self.current().map(|line| line.subject.clone());
        let (sort, descending) = (self.sort, self.descending);
        self.lines = lines;
        self.all = all;
        crate::model::arrange(&mut self.lines, |a, b| {
            let order = a.compare(b, sort);
            let order = if descending { order.reverse() } else { order };
            order.then_with(|| a.key.cmp(&b.key))
        });
        self.wants = wants(&self.lines, now);
        if std::mem::take(&mut self.rewind) {
            (self.at, self.top) = (0, 0);
        } else if let Some(at) =
            was.and_then(|was| self.lines.iter().position(|l| l.subject == was))
        {
            self.at = at;
        }
        self.stale = false;
    }

    /// Sorts by the column `steps` to the right of the present one.
    pub fn sort_beside(&mut self, looks: &[Look], steps: isize) {
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
        self.rewind = true;
        self.stale = true;
    }

    /// Moves the cursor.
    pub fn step(&mut self, rows: isize) {
        let last = self.lines.len().saturating_sub(1);
        self.at = self.at.saturating_add_signed(rows).min(last);
    }

    /// Keeps the cursor on a line and the line on a screen of `height`.
    pub fn settle(&mut self, height: usize) {
        self.at = self.at.min(self.lines.len().saturating_sub(1));
        self.top = scrolled(self.top, self.at, self.lines.len(), height);
    }
}

fn wants(lines: &[Figures], now: Timestamp) -> Wants {
    let longest = |width: fn(&Figures) -> usize| {
        let longest = lines.iter().map(width).max().unwrap_or(0);
        u16::try_from(longest).unwrap_or(u16::MAX)
    };
    Wants {
        // The mark of a trouble stands before the name.
        name: longest(|line| width::width(&line.name) + 2 * usize::from(line.trouble.is_some())),
        rule: longest(|line| width::width(&line.schedule.why.to_string())),
        held: lines.iter().any(|line| line.held(now).is_some()),
    }
}
