//! A page that is set: rows of runs, and what in it can be opened.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use unicode_width::UnicodeWidthStr;

use super::document::{Image, Link};
use super::style::{Kind, Style};

/// A piece of a row in one style. Holds no control character and is never empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Run {
    /// The characters.
    pub text: String,
    /// What they are.
    pub style: Style,
}

/// One line of the screen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// From left to right. Empty for a blank row.
    pub runs: Vec<Run>,
    /// The place in the document where it begins, in bytes of its text: the same at every width.
    pub at: usize,
}

impl Row {
    /// The characters of all runs.
    pub fn text(&self) -> String {
        self.runs.iter().map(|run| run.text.as_str()).collect()
    }

    /// Columns that it takes.
    pub fn width(&self) -> usize {
        self.runs.iter().map(|run| run.text.width()).sum()
    }
}

/// A document set for a width.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// From top to bottom; none is wider than the width asked for.
    pub rows: Vec<Row>,
    /// The targets; number 1 is at index 0.
    pub links: Arc<[Link]>,
    /// The pictures; `Kind::Image` holds the index.
    pub images: Arc<[Image]>,
}

impl Page {
    /// The link of that number, as `Style::link` has it.
    pub fn link(&self, number: u32) -> Option<&Link> {
        self.links.get((number as usize).checked_sub(1)?)
    }

    /// The row that shows the place `at` of the document, to keep it in view when the width changes.
    pub fn row_of(&self, at: usize) -> usize {
        self.rows
            .partition_point(|row| row.at <= at)
            .saturating_sub(1)
    }

    /// The numbers of the links that can be seen in `rows`, each once, from top to bottom.
    pub fn links_in(&self, rows: Range<usize>) -> Vec<u32> {
        let mut numbers = Vec::new();
        let mut seen = HashSet::new();
        let end = rows.end.min(self.rows.len());
        for run in self.rows[rows.start.min(end)..end]
            .iter()
            .flat_map(|row| &row.runs)
        {
            if let Some(number) = run.style.link
                && run.style.kind != Kind::Reference
                && seen.insert(number)
            {
                numbers.push(number);
            }
        }
        numbers
    }
}
