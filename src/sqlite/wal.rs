//! What was committed into a `-wal` file and not yet written into the database.

use std::collections::HashMap;
use std::io;

use super::error::SqliteError;
use super::pages::{ReadAt, word};

const HEADER: usize = 32;
const FRAME: usize = 24;

/// The committed frames.
#[derive(Debug)]
pub(super) struct Wal {
    file: Box<dyn ReadAt>,
    /// Page to the place of its newest committed content.
    places: HashMap<u32, u64>,
    /// Of the database, after the last commit.
    pages: u32,
    /// When it was read.
    size: u64,
    header: [u8; HEADER],
}

/// The running checksum; the file says whether its words are read in one order of bytes or the other.
struct Sum {
    big: bool,
    now: (u32, u32),
}

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        for pair in bytes.chunks_exact(8) {
            let read = |at: usize| {
                let word = word(pair, at);
                if self.big { word } else { word.swap_bytes() }
            };
            let (mut a, mut b) = self.now;
            a = a.wrapping_add(read(0)).wrapping_add(b);
            b = b.wrapping_add(read(4)).wrapping_add(a);
            self.now = (a, b);
        }
    }
}

impl Wal {
    /// Reads frames up to the first that does not belong to them: a later one was never finished. `None`: nothing is committed.
    pub fn read(file: Box<dyn ReadAt>, page_size: usize) -> Result<Option<Self>, SqliteError> {
        let size = file.size()?;
        let mut header = [0; HEADER];
        if size < HEADER as u64 {
            return Ok(None);
        }
        file.exact(&mut header, 0)?;
        let big = match word(&header, 0) {
            0x377f_0682 => false,
            0x377f_0683 => true,
            _ => return Ok(None),
        };
        let mut sum = Sum { big, now: (0, 0) };
        sum.add(&header[..24]);
        if sum.now != (word(&header, 24), word(&header, 28))
            || word(&header, 8) as usize != page_size
        {
            return Ok(None);
        }
        let salts = [word(&header, 16), word(&header, 20)];
        let mut wal = Self {
            file,
            places: HashMap::new(),
            pages: 0,
            size,
            header,
        };
        wal.frames(page_size, salts, &mut sum)?;
        Ok((wal.pages > 0).then_some(wal))
    }

    fn frames(&mut self, size: usize, salts: [u32; 2], sum: &mut Sum) -> Result<(), SqliteError> {
        let mut frame = vec![0; FRAME + size];
        let mut pending: Vec<(u32, u64)> = Vec::new();
        let mut at = HEADER as u64;
        while at + frame.len() as u64 <= self.size {
            self.file.exact(&mut frame, at)?;
            let (head, page) = frame.split_at(FRAME);
            sum.add(&head[..8]);
            sum.add(page);
            let is_of_it = [word(head, 8), word(head, 12)] == salts
                && sum.now == (word(head, 16), word(head, 20));
            if !is_of_it {
                break;
            }
            pending.push((word(head, 0), at + FRAME as u64));
            let pages = word(head, 4);
            if pages > 0 {
                self.places.extend(pending.drain(..));
                self.pages = pages;
            }
            at += frame.len() as u64;
        }
        Ok(())
    }

    /// How many pages the database has.
    pub const fn pages(&self) -> u32 {
        self.pages
    }

    /// The content of a page; false: it is that of the file.
    pub fn page(&self, number: u32, into: &mut [u8]) -> io::Result<bool> {
        let Some(place) = self.places.get(&number) else {
            return Ok(false);
        };
        self.file.exact(into, *place)?;
        Ok(true)
    }

    /// Nothing was appended, and it was not begun anew.
    pub fn is_unchanged(&self) -> bool {
        let mut header = [0; HEADER];
        self.file.size().is_ok_and(|size| size == self.size)
            && self.file.exact(&mut header, 0).is_ok()
            && header == self.header
    }
}
