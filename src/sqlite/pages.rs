//! The header of a database, and its pages, from the file or from its `-wal` file.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::error::{SqliteError, damaged};
use super::record::Encoding;
use super::wal::Wal;

/// The header of the first page.
pub(super) const HEADER: usize = 100;

const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// What a file begins with that holds a transaction to be rolled back.
const JOURNAL: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// Whatever can be read from any place.
pub(super) trait ReadAt: std::fmt::Debug + Send {
    /// Fills `into`, or fails.
    fn exact(&self, into: &mut [u8], at: u64) -> io::Result<()>;
    /// In bytes.
    fn size(&self) -> io::Result<u64>;
}

impl ReadAt for File {
    fn exact(&self, into: &mut [u8], at: u64) -> io::Result<()> {
        self.read_exact_at(into, at)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
}

/// A journal with a header has something to roll back; one that was zeroed or cut is done with.
pub(super) fn is_hot(journal: &dyn ReadAt) -> io::Result<bool> {
    let mut begin = [0; 8];
    Ok(journal.size()? >= 512 && journal.exact(&mut begin, 0).is_ok() && begin == JOURNAL)
}

/// The pages of a database.
#[derive(Debug)]
pub(super) struct Pages {
    file: Box<dyn ReadAt>,
    wal: Option<Wal>,
    /// Bytes of a page.
    size: usize,
    /// Bytes of a page without those that extensions reserve at its end.
    pub usable: usize,
    /// How many there are.
    pub count: u32,
    /// Grows with every transaction outside of a `-wal` file.
    changes: u32,
}

impl Pages {
    /// Reads the header.
    pub fn open(
        file: Box<dyn ReadAt>,
        wal: Option<Box<dyn ReadAt>>,
    ) -> Result<(Self, Encoding), SqliteError> {
        let whole = file.size()?;
        let (header, size, usable) = header(&*file, whole)?;
        let changes = word(&header, 24);
        let mut pages = Self {
            count: u32::try_from(whole / size as u64).unwrap_or(u32::MAX),
            file,
            wal: None,
            size,
            usable,
            changes,
        };
        // Only then the size in the header is kept up to date; a file cut off is noticed where a page is missing.
        if word(&header, 92) == changes && word(&header, 28) > 0 {
            pages.count = word(&header, 28);
        }
        if header[19] == 2
            && let Some(wal) = wal
            && let Some(wal) = Wal::read(wal, size)?
        {
            pages.count = wal.pages();
            pages.wal = Some(wal);
        }
        // A new database whose first transaction lies in the -wal file has its header there.
        let first = pages.page(1)?;
        Ok((pages, Encoding::read(word(&first, 56))?))
    }

    /// A page by its number, from 1.
    pub fn page(&self, number: u32) -> Result<Vec<u8>, SqliteError> {
        if number == 0 || number > self.count {
            return Err(damaged(number, "there is no such page"));
        }
        let mut page = vec![0; self.size];
        if let Some(wal) = &self.wal
            && wal.page(number, &mut page)?
        {
            return Ok(page);
        }
        let at = u64::from(number - 1) * self.size as u64;
        self.file
            .exact(&mut page, at)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => damaged(number, "the file ends before it"),
                _ => error.into(),
            })?;
        Ok(page)
    }

    /// What all of them can hold.
    pub const fn bytes(&self) -> u64 {
        self.count as u64 * self.usable as u64
    }

    /// The header says that nobody wrote, and nothing was appended to the `-wal` file.
    pub fn is_unchanged(&self) -> bool {
        let mut header = [0; HEADER];
        self.file.exact(&mut header, 0).is_ok()
            && word(&header, 24) == self.changes
            && self.wal.as_ref().is_none_or(Wal::is_unchanged)
    }
}

/// The header, with the bytes of a page and those of them that are used.
fn header(file: &dyn ReadAt, whole: u64) -> Result<([u8; HEADER], usize, usize), SqliteError> {
    let mut header = [0; HEADER];
    if whole < HEADER as u64 {
        return Err(SqliteError::NotADatabase);
    }
    file.exact(&mut header, 0)?;
    if !header.starts_with(MAGIC) {
        return Err(SqliteError::NotADatabase);
    }
    let size = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        size if size.is_power_of_two() && size >= 512 => usize::from(size),
        _ => return Err(damaged(1, "a size of pages that cannot be")),
    };
    let usable = size - usize::from(header[20]);
    if usable < 480 {
        return Err(damaged(1, "too little room in a page"));
    }
    if header[19] > 2 {
        return Err(SqliteError::Unsupported("a newer SQLite"));
    }
    Ok((header, size, usable))
}

/// A number of four bytes; 0 where the page ends before.
pub(super) fn word(bytes: &[u8], at: usize) -> u32 {
    bytes
        .get(at..at + 4)
        .and_then(|four| four.try_into().ok())
        .map_or(0, u32::from_be_bytes)
}

/// A number of two bytes; 0 where the page ends before.
pub(super) fn half(bytes: &[u8], at: usize) -> usize {
    bytes
        .get(at..at + 2)
        .and_then(|two| two.try_into().ok())
        .map_or(0, |two| usize::from(u16::from_be_bytes(two)))
}

/// A number of one to nine bytes at `at`, which moves behind it.
pub(super) fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value: u64 = 0;
    for nth in 0..9 {
        let byte = *bytes.get(*at)?;
        *at += 1;
        if nth == 8 {
            return Some((value << 8) | u64::from(byte));
        }
        value = (value << 7) | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
