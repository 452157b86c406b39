//! How each block is set.

use unicode_width::UnicodeWidthStr;

use super::super::document::{Block, Cell, Definition, List, Numbering, Span, Table};
use super::super::page::{Row, Run};
use super::super::sanitize::beginning;
use super::super::style::{Kind, Style};
use super::super::walk::{cell_length, each_text, length, words_of};
use super::code::code_lines;
use super::columns::{GAP, MAX_COLUMNS, Place, Wish, grid, share, wishes};
use super::numeral::numeral;
use super::setting::{Setting, run};

/// Bytes of a head that stand before each value of a folded table.
const MAX_KEY: usize = 80;

impl Setting<'_> {
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
        code_lines(spans, self.room(), |runs, at| self.row(runs, base + at));
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

    /// Sets a table: side by side where that fits, else as lines of `key: value`.
    pub fn table(&mut self, table: &Table) {
        self.settle();
        if !table.caption.is_empty() {
            self.text(&table.caption);
        }
        if let Some((rows, columns)) = grid(table) {
            let wishes = wishes(&rows, columns, table.heads, self.options.numbers);
            if let Some(widths) = share(&wishes, self.room()) {
                return self.columns(table, &rows, &wishes, &widths);
            }
        }
        self.fold(table);
    }

    fn columns(&mut self, table: &Table, rows: &[Vec<Place>], wishes: &[Wish], widths: &[usize]) {
        let wraps = wishes
            .iter()
            .zip(widths)
            .any(|(wish, width)| wish.natural > *width);
        let airy = wraps
            || rows
                .iter()
                .flatten()
                .any(|place| place.cell.blocks.len() > 1);
        for (at, row) in rows.iter().enumerate() {
            if self.full {
                return;
            }
            if at > table.heads && airy {
                self.gap_here();
            }
            self.table_row(row, wishes, widths, at < table.heads);
            if at + 1 == table.heads && rows.len() > table.heads {
                let lines: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                self.row(
                    vec![run(&lines.join(&" ".repeat(GAP)), Kind::Rule)],
                    self.at,
                );
            }
        }
    }

    fn table_row(&mut self, row: &[Place], wishes: &[Wish], widths: &[usize], head: bool) {
        let begin = self.at;
        let mut cells: Vec<(usize, usize, bool, Vec<Row>)> = Vec::with_capacity(row.len());
        for place in row {
            let left: usize = widths[..place.column].iter().map(|width| width + GAP).sum();
            let part = &widths[place.column..place.column + place.columns];
            let width = part.iter().sum::<usize>() + GAP * (place.columns - 1);
            let mut cell = Setting::new(self.options, width, self.at);
            cell.blocks(&place.cell.blocks, false);
            self.at = cell.at;
            let right = place.columns == 1 && wishes[place.column].numeric;
            let mut rows = cell.rows;
            if head || place.cell.head {
                entitle(&mut rows);
            }
            cells.push((left, width, right, rows));
        }
        let height = cells.iter().map(|(.., rows)| rows.len()).max().unwrap_or(0);
        for line in 0..height {
            let mut runs = Vec::new();
            let mut filled = 0;
            for (left, width, right, rows) in &mut cells {
                let Some(row) = rows.get_mut(line).filter(|row| !row.runs.is_empty()) else {
                    continue;
                };
                let columns = row.width();
                let from = *left
                    + if *right {
                        width.saturating_sub(columns)
                    } else {
                        0
                    };
                if from > filled {
                    runs.push(run(&" ".repeat(from - filled), Kind::Text));
                }
                filled = from + columns;
                runs.append(&mut row.runs);
            }
            self.row(runs, begin);
        }
    }

    /// One line per cell, `head: value`; a blank row after each row of the table.
    fn fold(&mut self, table: &Table) {
        let keys: Vec<String> = table.rows[..table.heads.min(1)]
            .iter()
            .flatten()
            .flat_map(|cell| {
                std::iter::repeat_n(key(cell), usize::from(cell.columns).min(MAX_COLUMNS))
            })
            .collect();
        // The heads stand before the values and not by themselves; their place is counted all the same.
        let heads = table.rows[..table.heads.min(1)].iter().flatten();
        self.at += heads.map(cell_length).sum::<usize>();
        for (at, cells) in table.rows.iter().skip(table.heads.min(1)).enumerate() {
            if self.full {
                return;
            }
            if at > 0 || !table.caption.is_empty() {
                self.gap_here();
            }
            let mut column = 0;
            for (nth, cell) in cells.iter().enumerate() {
                let key = keys.get(column).filter(|key| !key.is_empty());
                column += usize::from(cell.columns);
                if !cell.blocks.is_empty() {
                    self.folded(key, cell, nth);
                }
            }
        }
    }

    fn folded(&mut self, key: Option<&String>, cell: &Cell, nth: usize) {
        let mut lead = Vec::new();
        if let Some(key) = key {
            lead.push(Span {
                text: format!("{key}: "),
                style: Style::of(Kind::Term),
            });
        }
        // Without heads the first cell names the row and the others stand below it.
        let below = key.is_none() && nth > 0;
        if below {
            self.indent(None, None, 2);
        }
        let added = length(&lead);
        let mut rest = cell.blocks.as_slice();
        if let [Block::Paragraph(spans), more @ ..] = rest {
            lead.extend(spans.iter().cloned());
            rest = more;
        }
        if !lead.is_empty() {
            self.text_after(added, &lead);
        }
        if !rest.is_empty() {
            self.indent(None, None, 2);
            self.blocks(rest, true);
            self.outdent();
        }
        if below {
            self.outdent();
        }
    }
}

/// The words of a head, short enough to stand before every value.
fn key(cell: &Cell) -> String {
    let mut words = String::new();
    each_text(&cell.blocks, &mut |spans| {
        if words.len() <= MAX_KEY {
            for span in spans.iter().filter(|span| span.style.kind != Kind::Number) {
                words.push_str(&words_of(std::slice::from_ref(span)));
            }
        }
    });
    beginning(&words, MAX_KEY)
        .trim()
        .trim_end_matches(':')
        .to_owned()
}

fn entitle(rows: &mut [Row]) {
    let runs: &mut dyn Iterator<Item = &mut Run> =
        &mut rows.iter_mut().flat_map(|row| &mut row.runs);
    for run in runs.filter(|run| run.style.kind == Kind::Text) {
        run.style.kind = Kind::TableHead;
    }
}
