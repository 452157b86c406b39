//! Tables for people: columns as wide as their widest cell on a terminal, wide characters counted as two.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use crate::article::sanitize;

/// On which side a column's cells stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// Rows of cells under headings.
pub(super) struct Table {
    columns: Vec<(&'static str, Side)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table of these columns.
    pub fn new(columns: &[(&'static str, Side)]) -> Self {
        Self {
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row, one cell a column.
    pub fn push(&mut self, cells: &[String]) {
        let clean = cells.iter().map(|cell| sanitize::line(cell)).collect();
        self.rows.push(clean);
    }

    /// Writes headings and rows; nothing for a table without rows.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let headings: Vec<String> = self
            .columns
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect();
        let lines = std::iter::once(&headings).chain(&self.rows);
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|at| lines.clone().map(|row| row[at].width()).max().unwrap_or(0))
            .collect();
        for row in lines {
            let mut line = String::new();
            for ((cell, width), (_, side)) in row.iter().zip(&widths).zip(&self.columns) {
                let gap = " ".repeat(width - cell.width());
                match side {
                    Side::Left => line.extend([cell, gap.as_str()]),
                    Side::Right => line.extend([gap.as_str(), cell]),
                }
                line.push_str("  ");
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// `text` cut to `width` columns, with `…` where something is missing.
pub(super) fn fit(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut cut = String::new();
    for c in text.chars() {
        let longer = format!("{cut}{c}");
        if longer.width() + 1 > width {
            break;
        }
        cut = longer;
    }
    cut.push('…');
    cut
}

/// `text` cut or filled to exactly `width` columns.
pub(super) fn fill(text: &str, width: usize) -> String {
    let mut cell = fit(text, width);
    cell.push_str(&" ".repeat(width.saturating_sub(cell.width())));
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_they_look() {
        let mut table = Table::new(&[
            ("TITLE", Side::Left),
            ("N", Side::Right),
            ("URL", Side::Left),
        ]);
        table.push(&["日本語".to_owned(), "7".to_owned(), "a".to_owned()]);
        table.push(&["e\u{301}té".to_owned(), "123".to_owned(), String::new()]);
        table.push(&["x\u{1b}[2J\ny".to_owned(), "1".to_owned(), "b".to_owned()]);
        let mut out = Vec::new();
        table.write(&mut out).expect("a vector takes it");
        let text = String::from_utf8(out).expect("text");
        assert_eq!(
            text,
            "TITLE     N  URL\n日本語    7  a\ne\u{301}té     123\nx[2J y    1  b\n"
        );
    }

    #[test]
    fn a_text_is_cut_by_columns_and_never_inside_a_wide_character() {
        for (text, width, cut) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
        ] {
            assert_eq!(fit(text, width), cut);
        }
        assert_eq!(fill("日本語", 4), "日… ");
        assert_eq!(fill("a", 3), "a  ");
    }
}
