//! What stands on each line of the list where a day has its heading. The rows stay what they are: headings are lines of
//! the screen only, so the cursor, counts and marks never meet one.
//!
//! The first line is always the heading of the day of the first row, so that a screen in the middle of a long day says
//! which day it is. Everything here looks at a screenful of rows, however many are loaded.

use chrono::NaiveDate;

use crate::model::EntryHead;

use super::super::say::Zone;
use super::{SCROLL_OFF, scrolled};

/// A line of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// The heading of the day of the row at this index.
    Day(usize),
    /// The row at this index.
    Row(usize),
}

/// Rows, and the zone whose days part them; without a zone nothing does.
#[derive(Clone, Copy)]
pub struct Lines<'a> {
    heads: &'a [EntryHead],
    zone: Option<Zone>,
}

impl<'a> Lines<'a> {
    /// The lines of these rows.
    pub const fn new(heads: &'a [EntryHead], zone: Option<Zone>) -> Self {
        Self { heads, zone }
    }

    /// The day of a row, where days part the rows.
    pub fn day(self, at: usize) -> Option<NaiveDate> {
        let head = self.heads.get(at)?;
        self.zone.map(|zone| zone(head.sort).date())
    }

    /// Another day begins with this row.
    fn begins(self, at: usize) -> bool {
        at > 0 && self.zone.is_some() && self.day(at) != self.day(at - 1)
    }

    /// The lines of a screen of `height` whose first row is `top`.
    pub fn shown(self, top: usize, height: usize) -> Vec<Line> {
        let mut lines = Vec::with_capacity(height);
        for at in top..self.heads.len() {
            if lines.len() >= height {
                break;
            }
            if self.zone.is_some() && (at == top || self.begins(at)) {
                lines.push(Line::Day(at));
            }
            lines.push(Line::Row(at));
        }
        lines.truncate(height);
        // A day without a row under it says nothing.
        if matches!(lines.last(), Some(Line::Day(_))) {
            lines.pop();
        }
        lines
    }

    /// The lowest first row with which the row at `last` is still on a screen of `height`.
    fn reach(self, last: usize, height: usize) -> usize {
        let mut top = last;
        let mut used = 2;
        while top > 0 {
            used += 1 + usize::from(self.begins(top));
            if used > height {
                break;
            }
            top -= 1;
        }
        top
    }

    /// The first row to show so that the row at `at` is on a screen of `height`, moved as little as possible.
    pub fn top(self, top: usize, at: usize, height: usize) -> usize {
        let last = self.heads.len().saturating_sub(1);
        if self.zone.is_none() || height < 2 {
            return scrolled(top, at, self.heads.len(), height);
        }
        let off = SCROLL_OFF.min((height - 1) / 2);
        let lowest = self.reach((at + off).min(last), height);
        let highest = at.saturating_sub(off);
        top.clamp(lowest.min(highest), highest)
            .min(self.reach(last, height))
            .max(self.reach(at, height))
    }

    /// How many rows on (`down`) or back a page of so many lines goes from the row at `at`; at least one.
    pub fn page(self, at: usize, lines: usize, down: bool) -> usize {
        if self.zone.is_none() {
            return lines;
        }
        let (mut used, mut rows) = (0, 0);
        loop {
            // The line that parts the row from the one before it lies between the two.
            let (next, parted) = if down {
                (at + rows + 1, at + rows + 1)
            } else {
                match at.checked_sub(rows + 1) {
                    Some(next) => (next, next + 1),
                    None => break,
                }
            };
            used += 1 + usize::from(self.begins(parted));
            if next >= self.heads.len() || used > lines {
                break;
            }
            rows += 1;
        }
        rows.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::head;
    use super::*;
    use crate::model::Timestamp;
    use crate::tui::say::utc;

    const DAY: i64 = 86_400;

    /// Rows of the given days, one each.
    fn rows(days: &[i64]) -> Vec<EntryHead> {
        let rows = days.iter().enumerate();
        rows.map(|(no, day)| EntryHead {
            sort: Timestamp(day * DAY + 100),
            ..head(no as u64)
        })
        .collect()
    }

    fn written(lines: &[Line]) -> String {
        let words = lines.iter().map(|line| match line {
            Line::Day(at) => format!("[{at}]"),
            Line::Row(at) => at.to_string(),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_day_stands_over_its_rows_and_on_the_first_line() {
        let heads = rows(&[9, 9, 8, 8, 8, 7]);
        let lines = Lines::new(&heads, Some(utc));
        assert_eq!(written(&lines.shown(0, 20)), "[0] 0 1 [2] 2 3 4 [5] 5");
        assert_eq!(written(&lines.shown(3, 20)), "[3] 3 4 [5] 5");
        // No heading alone at the foot.
        assert_eq!(written(&lines.shown(3, 4)), "[3] 3 4");
        let plain = Lines::new(&heads, None);
        assert_eq!(written(&plain.shown(3, 20)), "3 4 5");
        assert_eq!(written(&Lines::new(&[], Some(utc)).shown(0, 5)), "");
    }

    #[test]
    fn the_cursor_is_on_the_screen_whatever_the_days_are() {
        let cases: &[&[i64]] = &[
            &[1; 60],
            &(0..60).collect::<Vec<_>>(),
            &(0..60).map(|at| at / 3).collect::<Vec<_>>(),
            &(0..60)
                .map(|at| if at < 30 { 0 } else { at })
                .collect::<Vec<_>>(),
        ];
        for days in cases {
            let heads = rows(days);
            for zone in [None, Some(utc as Zone)] {
                let lines = Lines::new(&heads, zone);
                for height in 2..30 {
                    for (top, at) in [(0, 0), (0, 5), (0, 59), (59, 0), (30, 29), (10, 40)] {
                        let top = lines.top(top, at, height);
                        let shown = lines.shown(top, height);
                        let why = format!("{at} from {top}, {height} lines: {}", written(&shown));
                        assert!(shown.contains(&Line::Row(at)), "{why}");
                        // The screen is full, but for a heading that has no room for its row.
                        assert!(shown.len() + 1 >= height.min(heads.len()), "{why}");
                        // Nothing moves by itself.
                        assert_eq!(lines.top(top, at, height), top, "{why}");
                    }
                }
            }
        }
    }

    #[test]
    fn rows_around_the_cursor_stay_in_sight() {
        let heads = rows(&(0..60).map(|at| at / 4).collect::<Vec<_>>());
        let lines = Lines::new(&heads, Some(utc));
        let mut top = 0;
        for at in 0..60 {
            top = lines.top(top, at, 12);
            let shown = lines.shown(top, 12);
            for row in at.saturating_sub(2)..=(at + 2).min(59) {
                assert!(shown.contains(&Line::Row(row)), "{row} beside {at}");
            }
        }
    }

    #[test]
    fn a_page_passes_over_no_row() {
        let heads = rows(&(0..90).map(|at| at / 2).collect::<Vec<_>>());
        let lines = Lines::new(&heads, Some(utc));
        let (mut at, mut top, mut seen) = (0, 0, 0);
        for _ in 0..20 {
            let shown = lines.shown(top, 11);
            let rows = shown.iter().filter_map(|line| match line {
                Line::Row(at) => Some(*at),
                Line::Day(_) => None,
            });
            let rows: Vec<usize> = rows.collect();
            assert!(rows[0] <= seen, "{rows:?} leave out what follows {seen}");
            seen = rows[rows.len() - 1] + 1;
            at = (at + lines.page(at, 10, true)).min(89);
            top = lines.top(top, at, 11);
        }
        assert_eq!(seen, 90);
        assert_eq!(lines.page(89, 10, false), 7);
        assert_eq!(lines.page(0, 10, false), 1);
        assert_eq!(Lines::new(&heads, None).page(5, 10, true), 10);
    }
}
