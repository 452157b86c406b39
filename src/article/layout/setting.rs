//! Rows under construction: indents, bars, gaps.

use unicode_width::UnicodeWidthStr;

use super::super::document::Span;
use super::super::page::{Row, Run};
use super::super::style::{Kind, Style, Traits};
use super::super::walk::length;
use super::breaks;

/// Rows of a page; what comes after is left out and said so.
const MAX_ROWS: usize = 300_000;
/// Columns that an indent leaves to the text, on pages that have as many.
const LEAST_ROOM: usize = 12;

/// How a page is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Columns; 0 counts as 1.
    pub width: u16,
    /// `[1]` after the words of a link.
    pub numbers: bool,
    /// The list of links at the end.
    pub references: bool,
    /// `#` before headings, for where there is no other way to show them.
    pub heading_marks: bool,
}

impl Options {
    /// Numbers and references, no heading marks.
    pub const fn of(width: u16) -> Self {
        Self {
            width,
            numbers: true,
            references: true,
            heading_marks: false,
        }
    }
}

/// What stands left of a text: on its first row a mark, then blanks or a bar.
struct Indent {
    first: Option<Run>,
    rest: Option<Run>,
    width: usize,
}

/// Rows under construction.
pub struct Setting<'o> {
    /// How they are set.
    pub options: &'o Options,
    /// The rows so far.
    pub rows: Vec<Row>,
    /// The place in the document, in bytes of text.
    pub at: usize,
    /// The limit of rows is reached; the rest is left out.
    pub full: bool,
    width: usize,
    /// Rows at most.
    pub limit: usize,
    indents: Vec<Indent>,
    taken: usize,
    /// A blank row is due before the next one, within that many indents.
    gap: Option<usize>,
    /// Quotations around the next row.
    pub quotes: usize,
    /// Lists with bullets around the next row.
    pub bullets: usize,
}

impl<'o> Setting<'o> {
    /// No rows yet; `at` is the place in the document.
    pub fn new(options: &'o Options, width: usize, at: usize) -> Self {
        Self {
            options,
            rows: Vec::new(),
            at,
            full: false,
            width,
            limit: MAX_ROWS,
            indents: Vec::new(),
            taken: 0,
            gap: None,
            quotes: 0,
            bullets: 0,
        }
    }

    /// Columns that text has here.
    pub fn room(&self) -> usize {
        self.width.saturating_sub(self.taken).max(1)
    }

    /// Asks for a blank row before the next row.
    pub fn gap_here(&mut self) {
        let depth = self.indents.len();
        self.gap = Some(self.gap.map_or(depth, |before| before.min(depth)));
    }

    /// Sets running text.
    pub fn text(&mut self, spans: &[Span]) {
        self.text_after(0, spans);
    }

    /// Sets running text whose first `lead` bytes are not the document's: they move no place.
    pub fn text_after(&mut self, lead: usize, spans: &[Span]) {
        let room = self.room();
        let mut used = self.used();
        if used > 0 && used + LEAST_ROOM.min(room / 2) >= room {
            self.settle();
            used = 0;
        }
        let base = self.at;
        let numbers = self.options.numbers;
        breaks::lines(spans, room, used, numbers, |runs, at| {
            self.row(runs, base + at.saturating_sub(lead));
        });
        self.at += length(spans) - lead;
    }

    /// Moves the text to the right, where there is room for it; the mark is set in any case.
    pub fn indent(&mut self, first: Option<Run>, rest: Option<Run>, width: usize) {
        let least = LEAST_ROOM.min(self.width / 2).max(1);
        let indent = if self.taken + width + least <= self.width {
            Indent { first, rest, width }
        } else {
            Indent {
                first,
                rest: None,
                width: 0,
            }
        };
        self.taken += indent.width;
        self.indents.push(indent);
    }

    /// Moves the text back.
    pub fn outdent(&mut self) {
        if let Some(indent) = self.indents.pop() {
            self.taken -= indent.width;
        }
    }

    /// Columns of the next row that waiting marks take beyond their indents.
    fn used(&self) -> usize {
        self.indents
            .iter()
            .filter_map(|indent| Some((indent.first.as_ref()?, indent.width)))
            .map(|(first, width)| first.text.width().saturating_sub(width))
            .sum()
    }

    /// Sets marks that have no indent on a row of their own, or drops them where even that is too narrow.
    pub fn settle(&mut self) {
        let used = self.used();
        if used == 0 {
            return;
        }
        if used <= self.room() {
            self.row(Vec::new(), self.at);
        }
        for indent in &mut self.indents {
            if indent.width == 0 {
                indent.first = None;
            }
        }
    }

    /// Adds a row, behind the indents.
    pub fn row(&mut self, mut runs: Vec<Run>, at: usize) {
        if self.rows.len() >= self.limit {
            self.full = true;
            return;
        }
        if let Some(depth) = self.gap.take()
            && !self.rows.is_empty()
        {
            let mut blank = Vec::new();
            for indent in &self.indents[..depth.min(self.indents.len())] {
                indent.fill(&mut blank);
            }
            trim(&mut blank);
            self.rows.push(Row { runs: blank, at });
        }
        if self.quotes > 0 {
            for run in &mut runs {
                run.style.traits |= Traits::QUOTED;
            }
        }
        let mut all = Vec::with_capacity(self.indents.len() + runs.len());
        for indent in &mut self.indents {
            match indent.first.take() {
                Some(first) => {
                    let pad = indent.width.saturating_sub(first.text.width());
                    push(&mut all, first);
                    if pad > 0 {
                        push(&mut all, run(&" ".repeat(pad), Kind::Text));
                    }
                }
                None => indent.fill(&mut all),
            }
        }
        for one in runs {
            push(&mut all, one);
        }
        trim(&mut all);
        self.rows.push(Row { runs: all, at });
    }
}

impl Indent {
    fn fill(&self, into: &mut Vec<Run>) {
        match &self.rest {
            Some(rest) => push(into, rest.clone()),
            None if self.width > 0 => push(into, run(&" ".repeat(self.width), Kind::Text)),
            None => {}
        }
    }
}

/// A run of that kind.
pub fn run(text: &str, kind: Kind) -> Run {
    Run {
        text: text.to_owned(),
        style: Style::of(kind),
    }
}

fn push(into: &mut Vec<Run>, run: Run) {
    match into.last_mut() {
        Some(last) if last.style == run.style => last.text.push_str(&run.text),
        _ => into.push(run),
    }
}

/// Drops blanks at the end of a row.
fn trim(runs: &mut Vec<Run>) {
    while let Some(last) = runs.last_mut() {
        last.text.truncate(last.text.trim_end_matches(' ').len());
        if !last.text.is_empty() {
            break;
        }
        runs.pop();
    }
}
