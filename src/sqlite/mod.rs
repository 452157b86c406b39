//! `SQLite` files of other programs, read and never written: tables walked row by row, single rows found by their number.
//!
//! Of the file format (<https://www.sqlite.org/fileformat2.html>) this knows what a table with rowids needs: the header, table
//! b-trees, overflow pages, records, the three text encodings, columns added later, and the committed frames of a `-wal` file.
//! Indexes, tables without rowids and locks it does not know. Nothing is locked, because a program that is refused its own
//! lock may fail: `Database::is_unchanged` says whether somebody wrote meanwhile.
//!
//! A file is not trusted: every offset is checked, a walk visits no more pages than there are, a record is no longer than the file
//! and at most 64 MiB, and at any time a page of each level of one tree is in memory.

mod error;
mod pages;
mod record;
mod schema;
#[cfg(test)]
mod tests;
mod tree;
mod wal;

use std::fs::File;
use std::io;
use std::path::Path;

pub use error::SqliteError;
pub use record::Value;
pub use schema::Table;

use pages::{Pages, ReadAt};
use record::{Encoding, Record};

/// A database.
#[derive(Debug)]
pub struct Database {
    pages: Pages,
    encoding: Encoding,
    tables: Vec<Table>,
}

impl Database {
    /// Opens a file for reading. What lies in `FILE-wal` belongs to it; a transaction that broke off (`FILE-journal`) is an error:
    /// only the program that owns the file can roll it back.
    pub fn open(path: &Path) -> Result<Self, SqliteError> {
        let beside = |end: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(end);
            File::open(name)
        };
        if let Ok(journal) = beside("-journal")
            && pages::is_hot(&journal)?
        {
            return Err(SqliteError::Unfinished);
        }
        let wal = match beside("-wal") {
            Ok(file) => Some(Box::new(file) as Box<dyn ReadAt>),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error.into()),
        };
        Self::over(Box::new(File::open(path)?), wal)
    }

    /// The same of whatever can be read.
    fn over(file: Box<dyn ReadAt>, wal: Option<Box<dyn ReadAt>>) -> Result<Self, SqliteError> {
        let (pages, encoding) = Pages::open(file, wal)?;
        let mut database = Self {
            pages,
            encoding,
            tables: Vec::new(),
        };
        database.tables = schema::read(&database)?;
        Ok(database)
    }

    /// A table by its name, in any case of letters.
    pub fn table(&self, name: &str) -> Option<&Table> {
        let mut tables = self.tables.iter();
        tables.find(|table| table.name.eq_ignore_ascii_case(name))
    }

    /// Goes through a table in the order of its rowids. `each` gets the rowid and the values of `columns` (places in
    /// `Table::columns`); a value that the record does not have, as of a column added later, is `Null`.
    pub fn each<E: From<SqliteError>>(
        &self,
        table: &Table,
        columns: &[usize],
        mut each: impl FnMut(i64, Vec<Value>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.walk(table.root, &mut |cell| {
            let record = Record::read(&self.pages, self.encoding, &cell, columns);
            each(cell.rowid, table.values(columns, cell.rowid, record?))
        })
    }

    /// One row; `None` where there is none of that number.
    pub fn row(
        &self,
        table: &Table,
        rowid: i64,
        columns: &[usize],
    ) -> Result<Option<Vec<Value>>, SqliteError> {
        let Some((page, cell)) = tree::find(&self.pages, table.root, rowid)? else {
            return Ok(None);
        };
        let cell = tree::Cell::leaf(&page, cell)?;
        let record = Record::read(&self.pages, self.encoding, &cell, columns)?;
        Ok(Some(table.values(columns, rowid, record)))
    }

    fn walk<E: From<SqliteError>>(
        &self,
        root: u32,
        each: &mut dyn FnMut(tree::Cell<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        tree::walk(&self.pages, root, each)
    }

    /// Nobody wrote into the file since it was opened.
    pub fn is_unchanged(&self) -> bool {
        self.pages.is_unchanged()
    }
}
