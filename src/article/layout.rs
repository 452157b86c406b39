//! Blocks to rows: indents, gaps, bullets, bars. Line breaking is in `breaks`, tables in `table`.

use unicode_width::UnicodeWidthStr;

use super::breaks;
use super::document::{Block, Definition, Document, List, Numbering, Span};
use super::page::{Page, Row, Run};
use super::style::{Kind, Style, Traits};

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

/// Sets a document for so many columns, links numbered and listed at the end.
pub fn layout(document: &Document, width: u16) -> Page {
    layout_with(document, &Options::of(width))
}

/// Sets a document as the options say. Never fails; no row is wider than the width.
pub fn layout_with(document: &Document, options: &Options) -> Page {
    let mut setting = Setting::new(options, usize::from(options.width.max(1)), 0);
    setting.blocks(&document.blocks, false);
    if options.numbers && options.references {
        setting.references(document);
    }
    if document.cut || setting.full {
        setting.full = false;
        setting.gap_here();
        let note = Span {
            text: "… The rest is too long to be shown here.".to_owned(),
            style: Style::of(Kind::Note),
        };
        setting.limit = usize::MAX;
        setting.text(&[note]);
    }
    Page {
        rows: setting.rows,
        links: document.links.clone(),
        images: document.images.clone(),
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
    limit: usize,
    indents: Vec<Indent>,
    taken: usize,
    /// A blank row is due before the next one, within that many indents.
    gap: Option<usize>,
    quotes: usize,
    bullets: usize,
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

    /// Sets blocks below one another, with a blank row between them unless `tight`.
    pub fn blocks(&mut self, blocks: &[Block], tight: bool) {
        for (at, block) in blocks.iter().enumerate() {
            if self.full {
                return;
            }
            if at > 0 && !tight {
                self.gap_here();
            }
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading(level, spans) => self.heading(*level, spans),
            Block::Paragraph(spans) => self.text(spans),
            Block::List(list) => self.list(list),
            Block::Quote(blocks) => {
                self.indent(None, Some(run("│ ", Kind::QuoteBar)), 2);
                self.quotes += 1;
                self.blocks(blocks, false);
                self.quotes -= 1;
                self.outdent();
            }
            Block::Code(spans) => self.code(spans),
            Block::Table(table) => self.table(table),
            Block::Definitions(list) => self.definitions(list),
            Block::Figure { blocks, caption } => {
                self.blocks(blocks, false);
                self.text(caption);
            }
            Block::Details { summary, blocks } => {
                self.indent(Some(run("▾ ", Kind::Marker)), None, 2);
                self.text(summary);
                self.gap_here();
                self.blocks(blocks, false);
                self.outdent();
            }
            Block::Rule => {
                self.settle();
                let line = "─".repeat(self.room());
                self.row(vec![run(&line, Kind::Rule)], self.at);
            }
        }
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

    fn heading(&mut self, level: u8, spans: &[Span]) {
        if !self.options.heading_marks {
            return self.text(spans);
        }
        let mark = format!("{} ", "#".repeat(usize::from(level)));
        let width = mark.len();
        self.indent(Some(run(&mark, Kind::Heading(level))), None, width);
        self.text(spans);
        self.outdent();
    }

    fn code(&mut self, spans: &[Span]) {
        self.indent(None, None, 2);
        self.settle();
        let base = self.at;
        breaks::code_lines(spans, self.room(), |runs, at| self.row(runs, base + at));
        self.at += length(spans);
        self.outdent();
    }

    fn list(&mut self, list: &List) {
        const BULLETS: [&str; 3] = ["•", "◦", "▪"];
        let loose = list.items.iter().any(|item| {
            let parts = item
                .blocks
                .iter()
                .filter(|block| !matches!(block, Block::List(_)));
            parts.count() > 1
        });
        let bullet = BULLETS[self.bullets % BULLETS.len()];
        let marks: Vec<String> = list
            .items
            .iter()
            .map(|item| match list.numbering {
                Numbering::Bullet => bullet.to_owned(),
                numbering => format!("{}.", numeral(numbering, item.number)),
            })
            .collect();
        let widest = marks.iter().map(|mark| mark.width()).max().unwrap_or(0);
        let step = usize::from(list.numbering == Numbering::Bullet);
        self.bullets += step;
        for (at, (item, mark)) in list.items.iter().zip(marks).enumerate() {
            if self.full {
                break;
            }
            if at > 0 && loose {
                self.gap_here();
            }
            let pad = " ".repeat(widest - mark.width());
            self.indent(
                Some(run(&format!("{pad}{mark} "), Kind::Marker)),
                None,
                widest + 1,
            );
            self.blocks(&item.blocks, !loose);
            self.outdent();
        }
        self.bullets -= step;
    }

    fn definitions(&mut self, list: &[Definition]) {
        let loose = list.iter().any(|one| one.blocks.len() > 1);
        for (at, one) in list.iter().enumerate() {
            if self.full {
                return;
            }
            if at > 0 && loose {
                self.gap_here();
            }
            for term in &one.terms {
                self.text(term);
            }
            self.indent(None, None, 4);
            self.blocks(&one.blocks, !loose);
            self.outdent();
        }
    }

    fn references(&mut self, document: &Document) {
        let widest = document.links.len().to_string().len() + 3;
        for (at, link) in document.links.iter().enumerate() {
            if self.full {
                return;
            }
            if at == 0 {
                self.gap_here();
            }
            let number = at as u32 + 1;
            let style = |kind| Style {
                link: Some(number),
                ..Style::of(kind)
            };
            let mark = Run {
                text: format!("{:>widest$}", format!("[{number}] ")),
                style: style(Kind::Number),
            };
            self.indent(Some(mark), None, widest);
            self.text(&[Span {
                text: link.url.clone(),
                style: style(Kind::Reference),
            }]);
            self.outdent();
        }
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

/// Bytes of the spans' text.
pub fn length(spans: &[Span]) -> usize {
    spans.iter().map(|span| span.text.len()).sum()
}

fn numeral(numbering: Numbering, number: i64) -> String {
    match numbering {
        Numbering::Bullet | Numbering::Decimal => number.to_string(),
        Numbering::Lower => letters(number).unwrap_or_else(|| number.to_string()),
        Numbering::Upper => {
            letters(number).map_or_else(|| number.to_string(), |l| l.to_uppercase())
        }
        Numbering::LowerRoman => roman(number).unwrap_or_else(|| number.to_string()),
        Numbering::UpperRoman => {
            roman(number).map_or_else(|| number.to_string(), |r| r.to_uppercase())
        }
    }
}

fn letters(mut number: i64) -> Option<String> {
    if number < 1 {
        return None;
    }
    let mut out = Vec::new();
    while number > 0 {
        number -= 1;
        out.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
    }
    Some(out.into_iter().rev().collect())
}

fn roman(mut number: i64) -> Option<String> {
    const SIGNS: [(i64, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    if !(1..4000).contains(&number) {
        return None;
    }
    let mut out = String::new();
    for (value, sign) in SIGNS {
        while number >= value {
            out.push_str(sign);
            number -= value;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_list_asks() {
        let cases = [
            (Numbering::Decimal, -3, "-3"),
            (Numbering::Lower, 1, "a"),
            (Numbering::Lower, 28, "ab"),
            (Numbering::Upper, 0, "0"),
            (Numbering::LowerRoman, 1994, "mcmxciv"),
            (Numbering::UpperRoman, 4000, "4000"),
        ];
        for (numbering, number, wanted) in cases {
            assert_eq!(numeral(numbering, number), wanted);
        }
        assert!(letters(i64::MAX).is_some());
    }
}
