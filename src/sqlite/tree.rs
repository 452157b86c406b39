//! Table b-trees: every leaf from left to right, or the one with a rowid.

use super::error::{SqliteError, damaged};
use super::pages::{HEADER, Pages, half, varint, word};

/// No tree of `SQLite` is deeper.
const DEEPEST: usize = 20;

const INTERIOR: u8 = 5;
const LEAF: u8 = 13;

/// A page of a tree.
pub(super) struct Node {
    bytes: Vec<u8>,
    number: u32,
    /// Where its header begins.
    begin: usize,
    cells: usize,
    is_leaf: bool,
}

impl Node {
    fn read(pages: &Pages, number: u32) -> Result<Self, SqliteError> {
        let mut bytes = pages.page(number)?;
        bytes.truncate(pages.usable);
        let begin = if number == 1 { HEADER } else { 0 };
        let is_leaf = match bytes[begin] {
            LEAF => true,
            INTERIOR => false,
            2 | 10 => return Err(SqliteError::Unsupported("a table without rowids")),
            _ => return Err(damaged(number, "no page of a table")),
        };
        let node = Self {
            cells: half(&bytes, begin + 3),
            bytes,
            number,
            begin,
            is_leaf,
        };
        let room = (node.bytes.len() - begin) / 2;
        if node.cells > room {
            return Err(damaged(number, "more cells than room"));
        }
        Ok(node)
    }

    /// Where a cell begins.
    fn cell(&self, nth: usize) -> Result<usize, SqliteError> {
        let head = if self.is_leaf { 8 } else { 12 };
        let at = half(&self.bytes, self.begin + head + 2 * nth);
        if at < self.begin + head || at >= self.bytes.len() {
            return Err(damaged(self.number, "a cell lies outside of it"));
        }
        Ok(at)
    }

    /// The child left of a cell's key; the last child comes after all cells.
    fn child(&self, nth: usize) -> Result<u32, SqliteError> {
        if nth == self.cells {
            return Ok(word(&self.bytes, self.begin + 8));
        }
        Ok(word(&self.bytes, self.cell(nth)?))
    }

    /// The rowid of a cell.
    fn key(&self, nth: usize) -> Result<i64, SqliteError> {
        let mut at = self.cell(nth)?;
        if self.is_leaf {
            varint(&self.bytes, &mut at);
        } else {
            at += 4;
        }
        let key = varint(&self.bytes, &mut at).ok_or(damaged(self.number, "a cell is cut off"))?;
        Ok(key as i64)
    }
}

/// A row as it lies in its leaf.
pub(super) struct Cell<'a> {
    /// Its number.
    pub rowid: i64,
    /// Bytes of the whole record.
    pub length: u64,
    /// From where the record begins to the end of the page.
    pub local: &'a [u8],
    /// Of the page.
    pub page: u32,
}

impl<'a> Cell<'a> {
    /// A cell of a leaf.
    pub fn leaf(node: &'a Node, nth: usize) -> Result<Self, SqliteError> {
        let cut = || damaged(node.number, "a cell is cut off");
        let mut at = node.cell(nth)?;
        let length = varint(&node.bytes, &mut at).ok_or_else(cut)?;
        let rowid = varint(&node.bytes, &mut at).ok_or_else(cut)?;
        Ok(Self {
            rowid: rowid as i64,
            length,
            local: &node.bytes[at..],
            page: node.number,
        })
    }
}

/// Every row, in the order of the rowids. A tree with more pages than the file has goes in circles.
pub(super) fn walk<E: From<SqliteError>>(
    pages: &Pages,
    root: u32,
    each: &mut dyn FnMut(Cell<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut visited: u32 = 0;
    let mut way: Vec<(Node, usize)> = Vec::new();
    let mut next = Some(root);
    loop {
        if let Some(number) = next.take() {
            visited += 1;
            if visited > pages.count || way.len() > DEEPEST {
                return Err(damaged(number, "its tree goes in circles").into());
            }
            let node = Node::read(pages, number)?;
            if node.is_leaf {
                for nth in 0..node.cells {
                    each(Cell::leaf(&node, nth)?)?;
                }
            } else {
                way.push((node, 0));
            }
        }
        let Some((node, nth)) = way.last_mut() else {
            return Ok(());
        };
        if *nth > node.cells {
            way.pop();
            continue;
        }
        next = Some(node.child(*nth)?);
        *nth += 1;
    }
}

/// The leaf and the place in it of a row; `None` where there is none of that number.
pub(super) fn find(
    pages: &Pages,
    root: u32,
    rowid: i64,
) -> Result<Option<(Node, usize)>, SqliteError> {
    let mut number = root;
    for _ in 0..=DEEPEST {
        let node = Node::read(pages, number)?;
        let (mut from, mut to) = (0, node.cells);
        while from < to {
            let middle = usize::midpoint(from, to);
            if node.key(middle)? < rowid {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        if node.is_leaf {
            let found = from < node.cells && node.key(from)? == rowid;
            return Ok(found.then_some((node, from)));
        }
        number = node.child(from)?;
    }
    Err(damaged(number, "its tree goes in circles"))
}
