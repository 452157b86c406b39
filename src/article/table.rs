//! Tables: which of them hold data, how wide their columns are, and what becomes of those that do not fit.

use super::breaks::measure;
use super::document::{Block, Cell, Span, Table};
use super::inline::words_of;
use super::layout::{Setting, length, run};
use super::page::{Row, Run};
use super::sanitize::beginning;
use super::style::{Kind, Style};
use super::text::each_text;

/// Blank columns between two columns.
const GAP: usize = 2;
/// A longer word does not keep a table from being set: it is broken.
const LONG_WORD: usize = 16;
/// More columns are never set side by side.
const MAX_COLUMNS: usize = 64;
/// Bytes of a head that stand before each value of a folded table.
const MAX_KEY: usize = 80;
/// Bytes of a cell above which a table without heads is taken for the layout of a page.
const LONG_CELL: usize = 400;

/// Whether a table holds data. One that only places things on a page, as newsletters do, is better read from top to bottom.
pub fn holds_data(table: &Table) -> bool {
    let columns = table.rows.iter().map(Vec::len).max().unwrap_or(0);
    if columns < 2 {
        return false;
    }
    let cells = || table.rows.iter().flatten();
    if cells().any(|cell| !cell.blocks.iter().all(fits_cell)) {
        return false;
    }
    let headed = table.heads > 0 || !table.caption.is_empty() || cells().any(|cell| cell.head);
    if headed && table.rows.len() > 1 {
        return true;
    }
    let filled = cells().filter(|cell| !cell.blocks.is_empty()).count();
    table.rows.len() > 1
        && filled * 2 > table.rows.len() * columns
        && cells().all(|cell| cell.blocks.len() <= 2 && cell_length(cell) <= LONG_CELL)
}

fn fits_cell(block: &Block) -> bool {
    match block {
        Block::Paragraph(_) | Block::Code(_) => true,
        Block::List(list) => list
            .items
            .iter()
            .all(|item| item.blocks.iter().all(fits_cell)),
        _ => false,
    }
}

fn cell_length(cell: &Cell) -> usize {
    let mut bytes = 0;
    each_text(&cell.blocks, &mut |spans| bytes += length(spans));
    bytes
}

/// Whether code is only the numbers of the lines beside it.
pub fn is_gutter(spans: &[Span]) -> bool {
    spans
        .iter()
        .flat_map(|span| span.text.chars())
        .all(|c| c.is_ascii_digit() || c.is_whitespace())
}

/// A cell at its place in the grid.
struct Place<'t> {
    column: usize,
    columns: usize,
    cell: &'t Cell,
}

/// What a column asks for.
#[derive(Debug, Clone, Copy, Default)]
struct Wish {
    natural: usize,
    least: usize,
    /// Every cell of the body is a number.
    numeric: bool,
}

/// Cells at their places, or `None` when there are too many columns to set side by side.
fn grid(table: &Table) -> Option<(Vec<Vec<Place<'_>>>, usize)> {
    let covered = |row: &[Cell]| {
        row.iter()
            .map(|cell| usize::from(cell.columns))
            .sum::<usize>()
    };
    // A lone cell often claims more columns than there are.
    let columns = table
        .rows
        .iter()
        .filter(|row| row.len() > 1)
        .map(|row| covered(row))
        .max()?;
    if columns > MAX_COLUMNS {
        return None;
    }
    let mut hanging = vec![0_u16; columns];
    let mut rows = Vec::with_capacity(table.rows.len());
    for cells in &table.rows {
        let mut places = Vec::with_capacity(cells.len());
        let mut next = 0;
        let mut below: Vec<u16> = hanging.iter().map(|rows| rows.saturating_sub(1)).collect();
        for cell in cells {
            while hanging.get(next).is_some_and(|rows| *rows > 0) {
                next += 1;
            }
            if next >= columns {
                // A cell pushed out by those that hang from above: the table is not what it says.
                return None;
            }
            let wide = usize::from(cell.columns).min(columns - next);
            for rows in &mut below[next..next + wide] {
                *rows = cell.rows - 1;
            }
            places.push(Place {
                column: next,
                columns: wide,
                cell,
            });
            next += wide;
        }
        hanging = below;
        rows.push(places);
    }
    Some((rows, columns))
}

fn wishes(rows: &[Vec<Place>], columns: usize, heads: usize, numbers: bool) -> Vec<Wish> {
    let mut wishes = vec![
        Wish {
            numeric: true,
            ..Wish::default()
        };
        columns
    ];
    for (at, row) in rows.iter().enumerate() {
        for place in row.iter().filter(|place| place.columns == 1) {
            let wish = &mut wishes[place.column];
            let (natural, least) = measure_cell(place.cell, numbers);
            wish.natural = wish.natural.max(natural);
            wish.least = wish.least.max(least.min(LONG_WORD));
            wish.numeric &= at < heads || place.cell.blocks.is_empty() || is_number(place.cell);
        }
    }
    for place in rows.iter().flatten().filter(|place| place.columns > 1) {
        let (natural, _) = measure_cell(place.cell, numbers);
        let part = &mut wishes[place.column..place.column + place.columns];
        let given: usize =
            part.iter().map(|wish| wish.natural).sum::<usize>() + GAP * (place.columns - 1);
        if let Some(last) = part.last_mut() {
            last.natural += natural.saturating_sub(given);
        }
    }
    for wish in &mut wishes {
        wish.least = wish.least.clamp(1, wish.natural.max(1));
        wish.natural = wish.natural.max(1);
    }
    wishes
}

fn measure_cell(cell: &Cell, numbers: bool) -> (usize, usize) {
    let (mut natural, mut least) = (0, 0);
    for block in &cell.blocks {
        let indent = if matches!(block, Block::Paragraph(_)) {
            0
        } else {
            4
        };
        each_text(std::slice::from_ref(block), &mut |spans| {
            let (line, word) = measure(spans, numbers);
            natural = natural.max(line + indent);
            least = least.max(word + indent);
        });
    }
    (natural, least)
}

fn is_number(cell: &Cell) -> bool {
    let [Block::Paragraph(spans)] = cell.blocks.as_slice() else {
        return false;
    };
    let words = words_of(spans);
    words.len() <= 20
        && words.contains(|c: char| c.is_ascii_digit())
        && words.chars().all(|c| {
            c.is_ascii_digit()
                || matches!(
                    c,
                    '.' | ',' | '%' | '+' | '-' | '−' | ' ' | '\u{a0}' | '$' | '€' | '£'
                )
        })
}

/// Shares `room` columns out: what asks for less than its share gets what it asks for, the rest is shared alike.
/// `None` when not even the longest words fit.
fn share(wishes: &[Wish], room: usize) -> Option<Vec<usize>> {
    let mut left = room.checked_sub(GAP * (wishes.len() - 1))?;
    if wishes.iter().map(|wish| wish.least).sum::<usize>() > left {
        return None;
    }
    let mut widths = vec![0; wishes.len()];
    let mut open: Vec<usize> = (0..wishes.len()).collect();
    while !open.is_empty() {
        let fair = left / open.len();
        let needy = open.iter().any(|&at| wishes[at].least > fair);
        let settled = |at: usize| {
            if needy {
                wishes[at].least > fair
            } else {
                wishes[at].natural <= fair
            }
        };
        let before = open.len();
        for &at in open.iter().filter(|&&at| settled(at)) {
            widths[at] = if needy {
                wishes[at].least
            } else {
                wishes[at].natural
            };
            left -= widths[at];
        }
        open.retain(|&at| !settled(at));
        if open.len() == before {
            let extra = left % before;
            for (nth, &at) in open.iter().enumerate() {
                widths[at] = fair + usize::from(nth < extra);
            }
            break;
        }
    }
    Some(widths)
}

impl Setting<'_> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(natural: usize, least: usize) -> Wish {
        Wish {
            natural,
            least,
            numeric: false,
        }
    }

    #[test]
    fn columns_get_what_they_ask_for_or_a_fair_share() {
        type Case<'a> = (&'a [Wish], usize, Option<&'a [usize]>);
        let cases: &[Case] = &[
            (&[wish(5, 5), wish(10, 3)], 80, Some(&[5, 10])),
            (&[wish(5, 5), wish(100, 10)], 40, Some(&[5, 33])),
            (&[wish(100, 10), wish(100, 10)], 42, Some(&[20, 20])),
            (
                &[wish(50, 16), wish(10, 3), wish(90, 3)],
                34,
                Some(&[16, 7, 7]),
            ),
            (&[wish(50, 16), wish(50, 16)], 33, None),
        ];
        for (wishes, room, wanted) in cases {
            assert_eq!(share(wishes, *room).as_deref(), *wanted);
        }
    }
}
