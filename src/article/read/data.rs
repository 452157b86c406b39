//! Which tables hold data, and which only place things on a page.

use super::super::document::{Block, Span, Table};
use super::super::walk::cell_length;

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

/// Whether code is only the numbers of the lines beside it.
pub fn is_gutter(spans: &[Span]) -> bool {
    spans
        .iter()
        .flat_map(|span| span.text.chars())
        .all(|c| c.is_ascii_digit() || c.is_whitespace())
}
