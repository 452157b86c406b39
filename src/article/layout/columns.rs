//! Columns of a table: cells at their places, what they ask for, and how the width is shared out.

use unicode_width::UnicodeWidthStr;

use super::super::document::{Block, Cell, Span, Table};
use super::super::style::Kind;
use super::super::walk::{each_text, words_of};
use super::graphemes::{Token, Tokens, allowed};

/// Blank columns between two columns.
pub const GAP: usize = 2;
/// A longer word does not keep a table from being set: it is broken.
const LONG_WORD: usize = 16;
/// More columns are never set side by side.
pub const MAX_COLUMNS: usize = 64;

/// A cell at its place in the grid.
pub struct Place<'t> {
    /// The first column.
    pub column: usize,
    /// How many.
    pub columns: usize,
    /// It.
    pub cell: &'t Cell,
}

/// What a column asks for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wish {
    /// Without a break.
    pub natural: usize,
    /// The longest word.
    pub least: usize,
    /// Every cell of the body is a number.
    pub numeric: bool,
}

/// Cells at their places, or `None` when there are too many columns to set side by side.
pub fn grid(table: &Table) -> Option<(Vec<Vec<Place<'_>>>, usize)> {
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

/// What every column asks for.
pub fn wishes(rows: &[Vec<Place>], columns: usize, heads: usize, numbers: bool) -> Vec<Wish> {
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
pub fn share(wishes: &[Wish], room: usize) -> Option<Vec<usize>> {
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

/// The widest line and the widest piece that no break may divide, in columns; what a table column asks for.
fn measure(spans: &[Span], numbers: bool) -> (usize, usize) {
    let (mut widest, mut longest) = (0, 0);
    let (mut line, mut word) = (0, 0);
    let mut before = None;
    for span in spans
        .iter()
        .filter(|s| numbers || s.style.kind != Kind::Number)
    {
        for (text, token) in Tokens::of(&span.text) {
            let width = text.width();
            match token {
                Token::Newline => {
                    line = 0;
                    word = 0;
                    before = None;
                }
                Token::Space => {
                    line += width;
                    word = 0;
                    before = None;
                }
                Token::Chance(_) => word = 0,
                Token::Glyph(class) => {
                    if before.is_some_and(|before| allowed(before, class, text, true)) {
                        word = 0;
                    }
                    before = Some(class);
                    line += width;
                    word += width;
                }
            }
            widest = widest.max(line);
            longest = longest.max(word);
        }
    }
    (widest, longest)
}

#[cfg(test)]
mod tests {
    use super::super::super::style::Style;
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

    #[test]
    fn columns_are_measured_by_lines_and_words() {
        let spans = [Span {
            text: "one three\nfive".to_owned(),
            style: Style::default(),
        }];
        assert_eq!(measure(&spans, true), (9, 5));
    }
}
