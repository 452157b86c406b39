//! Records: what a row holds, over as many pages as it takes.

use super::error::{SqliteError, damaged};
use super::pages::{Pages, varint, word};
use super::tree::Cell;

/// No row is read that is larger.
const LARGEST: u64 = 64 << 20;

/// How texts are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
}

impl Encoding {
    /// As the header says. 0 is a database without a table.
    pub fn read(number: u32) -> Result<Self, SqliteError> {
        match number {
            0 | 1 => Ok(Self::Utf8),
            2 => Ok(Self::Utf16Le),
            3 => Ok(Self::Utf16Be),
            _ => Err(damaged(1, "an encoding that does not exist")),
        }
    }

    fn text(self, bytes: &[u8]) -> String {
        let units = |of: fn([u8; 2]) -> u16| {
            let pairs = bytes.chunks_exact(2).map(|pair| of([pair[0], pair[1]]));
            let chars = char::decode_utf16(pairs);
            chars
                .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect()
        };
        match self {
            Self::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
            Self::Utf16Le => units(u16::from_le_bytes),
            Self::Utf16Be => units(u16::from_be_bytes),
        }
    }
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// A whole number.
    Int(i64),
    /// Another number.
    Real(f64),
    /// Text; what is no character of its encoding is U+FFFD.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl Value {
    /// As text; numbers are written out, nothing is empty.
    pub fn text(self) -> String {
        match self {
            Self::Null => String::new(),
            Self::Int(number) => number.to_string(),
            Self::Real(number) => number.to_string(),
            Self::Text(text) => text,
            Self::Blob(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        }
    }

    /// As a whole number; 0 where it is none.
    pub fn int(&self) -> i64 {
        match self {
            Self::Int(number) => *number,
            Self::Real(number) => *number as i64,
            Self::Text(text) => text.trim().parse().unwrap_or(0),
            Self::Null | Self::Blob(_) => 0,
        }
    }
}

/// Reads records.
pub(super) struct Record;

impl Record {
    /// The values of `columns`; of the record no more is read than these need.
    pub fn read(
        pages: &Pages,
        encoding: Encoding,
        cell: &Cell<'_>,
        columns: &[usize],
    ) -> Result<Vec<Value>, SqliteError> {
        if cell.length > LARGEST {
            return Err(SqliteError::TooLarge(cell.length));
        }
        let cut = || damaged(cell.page, "a record is cut off");
        if cell.length > pages.bytes() {
            return Err(damaged(cell.page, "a record is longer than the file"));
        }
        let mut payload = Payload::new(pages, cell)?;
        // The length of the head takes at most nine bytes.
        payload.fill(9)?;
        let mut at = 0;
        let head = varint(&payload.bytes, &mut at).ok_or_else(cut)?;
        let head = usize::try_from(head)
            .ok()
            .filter(|head| *head as u64 <= cell.length)
            .ok_or_else(cut)?;
        payload.fill(head)?;
        let last = columns.iter().max().copied().unwrap_or(0);
        let mut spans = Vec::new();
        let mut from = head;
        while at < head && spans.len() <= last {
            let kind = varint(&payload.bytes[..head], &mut at).ok_or_else(cut)?;
            let to = from.checked_add(width(kind)).ok_or_else(cut)?;
            if to as u64 > cell.length {
                return Err(cut());
            }
            spans.push((kind, from, to));
            from = to;
        }
        payload.fill(from)?;
        let value = |column: &usize| match spans.get(*column) {
            None => Value::Null,
            Some(&(kind, from, to)) => value(encoding, kind, &payload.bytes[from..to]),
        };
        Ok(columns.iter().map(value).collect())
    }
}

/// A record as far as it was read.
struct Payload<'a> {
    pages: &'a Pages,
    bytes: Vec<u8>,
    length: usize,
    /// The next overflow page; 0 after the last.
    next: u32,
}

impl<'a> Payload<'a> {
    /// What lies in the leaf: all of it, or a part with the number of the page that goes on.
    fn new(pages: &'a Pages, cell: &Cell<'_>) -> Result<Self, SqliteError> {
        let cut = || damaged(cell.page, "a record is cut off");
        let length = cell.length as usize;
        let most = pages.usable - 35;
        let local = if length <= most {
            length
        } else {
            let least = (pages.usable - 12) * 32 / 255 - 23;
            let fit = least + (length - least) % (pages.usable - 4);
            if fit <= most { fit } else { least }
        };
        let bytes = cell.local.get(..local).ok_or_else(cut)?.to_vec();
        let next = if local < length {
            let four = cell.local.get(local..local + 4).ok_or_else(cut)?;
            word(four, 0)
        } else {
            0
        };
        Ok(Self {
            pages,
            bytes,
            length,
            next,
        })
    }

    /// Goes on until `wanted` bytes are there, or all. The chain cannot go in circles: each page brings the record nearer to
    /// its end.
    fn fill(&mut self, wanted: usize) -> Result<(), SqliteError> {
        while self.bytes.len() < wanted.min(self.length) {
            let page = self.pages.page(self.next)?;
            let rest = (self.length - self.bytes.len()).min(self.pages.usable - 4);
            self.bytes.extend_from_slice(&page[4..4 + rest]);
            self.next = word(&page, 0);
        }
        Ok(())
    }
}

/// How many bytes a value of that kind has.
fn width(kind: u64) -> usize {
    match kind {
        0 | 8..=11 => 0,
        1..=4 => kind as usize,
        5 => 6,
        6 | 7 => 8,
        _ => usize::try_from((kind - 12) / 2).unwrap_or(usize::MAX),
    }
}

fn value(encoding: Encoding, kind: u64, bytes: &[u8]) -> Value {
    match kind {
        1..=6 => Value::Int(int(bytes)),
        7 => Value::Real(f64::from_bits(int(bytes) as u64)),
        8 => Value::Int(0),
        9 => Value::Int(1),
        0 | 10 | 11 => Value::Null,
        _ if kind.is_multiple_of(2) => Value::Blob(bytes.to_vec()),
        _ => Value::Text(encoding.text(bytes)),
    }
}

/// Two's complement, the most significant byte first.
fn int(bytes: &[u8]) -> i64 {
    let begin = match bytes.first() {
        Some(first) if first & 0x80 != 0 => -1,
        _ => 0,
    };
    bytes
        .iter()
        .fold(begin, |number, byte| (number << 8) | i64::from(*byte))
}
