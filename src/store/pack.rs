//! Bodies into compressed blocks, before the writer sees them. Runs on any thread.
//!
//! The bodies of one poll are much alike (the same markup, the same signature), so they are compressed together, in
//! blocks of at most 64 KiB: opening one entry unpacks at most that much, unless it is larger itself.

use std::cell::RefCell;
use std::io;

use super::codes::{HIDDEN, READ, STARRED};
use super::error::{PACKING, StoreError};
use super::records::{BodyV2, encode_into};
use crate::model::{Enclosure, EntryKey, Incoming, Timestamp};
use crate::parse::Changes;
use crate::query::RuledMarks;

/// zstd's own default: 230 MB/s and a factor of 2.8 over prose in HTML, packed together. Level 1 would make it 350 MB/s
/// and 2.6: a cold start of 1,000 feeds is 90 ms of CPU apart, the file 8 % for good.
const LEVEL: i32 = 3;
/// Unpacked size after which a block is closed.
const BLOCK: usize = 64 * 1024;
/// No block unpacks to more: a damaged length must not ask for all memory.
const MAX_UNPACKED: usize = 1 << 28;

const RAW: u8 = 0;
const ZSTD: u8 = 1;
/// Codec byte and unpacked length.
const HEADER: usize = 5;

/// What a poll brought, ready to be stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Packed {
    pub(super) new: Vec<PackedEntry>,
    pub(super) edited: Vec<PackedEntry>,
    /// With the key that each was stored under before.
    pub(super) moved: Vec<(EntryKey, PackedEntry)>,
    pub(super) blocks: Vec<Block>,
    /// The rules that found a new entry, as their hits are counted; each as often as it found one.
    pub(super) hits: Vec<String>,
}

impl Packed {
    /// Nothing was brought.
    pub const fn is_empty(&self) -> bool {
        self.new.is_empty() && self.edited.is_empty() && self.moved.is_empty()
    }

    /// All of it, each entry with the key that it was stored under before where that was another.
    pub(super) fn all(&self) -> impl Iterator<Item = (Option<EntryKey>, &PackedEntry)> {
        let plain = self.new.iter().chain(&self.edited);
        let moved = self
            .moved
            .iter()
            .map(|(former, entry)| (Some(*former), entry));
        plain.map(|entry| (None, entry)).chain(moved)
    }

    /// Gives the new entries the marks and tags that rules decided, in their order, and notes which rules found something.
    pub fn begin_with(
        &mut self,
        marks: impl Iterator<Item = (RuledMarks, Vec<String>)>,
        hits: Vec<String>,
    ) {
        self.hits = hits;
        for (entry, (marks, tags)) in self.new.iter_mut().zip(marks) {
            entry.tags = tags;
            entry.bits = u8::from(marks.read) * READ
                + u8::from(marks.starred) * STARRED
                + u8::from(marks.hidden) * HIDDEN;
        }
    }

    /// The new entries arrive as read.
    pub fn begin_read(&mut self) {
        for entry in &mut self.new {
            entry.bits |= READ;
        }
    }

    /// Roughly the bytes it occupies while it waits for its commit.
    pub fn bytes(&self) -> usize {
        let entries = self.new.len() + self.edited.len() + self.moved.len();
        let blocks: usize = self.blocks.iter().map(|block| block.packed.len()).sum();
        entries * 512 + blocks
    }
}

/// Bodies compressed together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub packed: Vec<u8>,
    /// Entries whose body lies in it.
    pub uses: u32,
}

/// An entry whose body went into a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackedEntry {
    pub key: EntryKey,
    pub guid: String,
    pub title: String,
    pub link: Option<String>,
    pub author: String,
    pub published: Option<Timestamp>,
    pub updated: Option<Timestamp>,
    pub enclosures: Vec<Enclosure>,
    pub content_hash: [u8; 32],
    /// The marks it begins with, if it is new.
    pub bits: u8,
    /// The tags it begins with, if it is new.
    pub tags: Vec<String>,
    /// Index in `Packed::blocks`.
    pub block: usize,
    pub at: u32,
    pub len: u32,
}

/// A compressor and its buffers, used again from poll to poll.
struct Packer {
    zstd: zstd::bulk::Compressor<'static>,
    raw: Vec<u8>,
    body: Vec<u8>,
    uses: u32,
}

thread_local! {
    // A compressor's tables cost more to make than to fill, and no two threads may share one.
    static PACKER: RefCell<Option<Packer>> = const { RefCell::new(None) };
}

/// Compresses the bodies of what one poll brought. To be called before the writer, where a core is free; each thread
/// keeps one compressor.
pub fn pack(changes: Changes) -> Result<Packed, StoreError> {
    if changes.new.is_empty() && changes.edited.is_empty() && changes.moved.is_empty() {
        return Ok(Packed::default());
    }
    PACKER.with_borrow_mut(|slot| {
        let packer = match slot {
            Some(packer) => packer,
            None => slot.insert(Packer::new().map_err(|e| StoreError::io(PACKING, e))?),
        };
        packer.pack(changes)
    })
}

impl Packer {
    fn new() -> io::Result<Self> {
        Ok(Self {
            zstd: zstd::bulk::Compressor::new(LEVEL)?,
            raw: Vec::new(),
            body: Vec::new(),
            uses: 0,
        })
    }

    fn pack(&mut self, changes: Changes) -> Result<Packed, StoreError> {
        let mut blocks = Vec::new();
        self.raw.clear();
        self.uses = 0;
        let new = self.add_all(changes.new, &mut blocks)?;
        let edited = self.add_all(changes.edited, &mut blocks)?;
        let moved = changes.moved.into_iter();
        let moved = moved
            .map(|(former, entry)| Ok((former, self.add(entry, &mut blocks)?)))
            .collect::<Result<_, StoreError>>()?;
        self.close(&mut blocks)?;
        // A huge feed must not leave its buffer behind for good.
        self.raw.shrink_to(2 * BLOCK);
        self.body.shrink_to(2 * BLOCK);
        Ok(Packed {
            hits: Vec::new(),
            new,
            edited,
            moved,
            blocks,
        })
    }

    fn add_all(
        &mut self,
        entries: Vec<Incoming>,
        blocks: &mut Vec<Block>,
    ) -> Result<Vec<PackedEntry>, StoreError> {
        entries
            .into_iter()
            .map(|entry| self.add(entry, blocks))
            .collect()
    }

    fn add(&mut self, entry: Incoming, blocks: &mut Vec<Block>) -> Result<PackedEntry, StoreError> {
        encode_into(&BodyV2::from(&entry.body), &mut self.body)?;
        if !self.raw.is_empty() && self.raw.len() + self.body.len() > BLOCK {
            self.close(blocks)?;
        }
        let at = self.raw.len() as u32;
        self.raw.extend_from_slice(&self.body);
        self.uses += 1;
        Ok(PackedEntry {
            key: entry.key,
            guid: entry.guid,
            title: entry.title,
            link: entry.link,
            author: entry.author,
            published: entry.published,
            updated: entry.updated,
            enclosures: entry.enclosures,
            content_hash: entry.content_hash,
            bits: 0,
            tags: Vec::new(),
            block: blocks.len(),
            at,
            len: self.body.len() as u32,
        })
    }

    /// Compresses what was gathered into a block of its own.
    fn close(&mut self, blocks: &mut Vec<Block>) -> Result<(), StoreError> {
        if self.raw.is_empty() {
            return Ok(());
        }
        let packed = seal(&mut self.zstd, &self.raw)?;
        blocks.push(Block {
            packed,
            uses: std::mem::take(&mut self.uses),
        });
        self.raw.clear();
        Ok(())
    }
}

/// A text as a block of its own.
pub(super) fn squeeze(raw: &[u8]) -> Result<Vec<u8>, StoreError> {
    let failed = |error| StoreError::io(PACKING, error);
    let mut zstd = zstd::bulk::Compressor::new(LEVEL).map_err(failed)?;
    seal(&mut zstd, raw)
}

/// Codec byte, length, data.
fn seal(zstd: &mut zstd::bulk::Compressor<'_>, raw: &[u8]) -> Result<Vec<u8>, StoreError> {
    let length = u32::try_from(raw.len())
        .ok()
        .filter(|&length| length as usize <= MAX_UNPACKED)
        .ok_or_else(|| StoreError::io(PACKING, io::Error::from(io::ErrorKind::FileTooLarge)))?;
    let squeezed = zstd
        .compress(raw)
        .map_err(|error| StoreError::io(PACKING, error))?;
    let (codec, data) = if squeezed.len() < raw.len() {
        (ZSTD, squeezed.as_slice())
    } else {
        (RAW, raw)
    };
    let mut packed = Vec::with_capacity(HEADER + data.len());
    packed.push(codec);
    packed.extend_from_slice(&length.to_le_bytes());
    packed.extend_from_slice(data);
    Ok(packed)
}

/// The bodies of a block, end to end.
pub(super) fn unpack(block: &[u8]) -> Result<Vec<u8>, StoreError> {
    let damaged = |why: &str| StoreError::damaged(format!("bodies: {why}"));
    let (header, data) = block
        .split_first_chunk::<HEADER>()
        .ok_or_else(|| damaged("too short"))?;
    let [codec, a, b, c, d] = *header;
    let length = u32::from_le_bytes([a, b, c, d]) as usize;
    match codec {
        RAW => Ok(data.to_vec()),
        ZSTD if length <= MAX_UNPACKED => {
            zstd::bulk::decompress(data, length).map_err(|error| damaged(&error.to_string()))
        }
        ZSTD => Err(damaged("a length that cannot be")),
        _ => Err(damaged("an unknown codec")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EntryBody;
    use crate::store::records::decode;

    fn incoming(text: String) -> Incoming {
        Incoming {
            key: EntryKey([7; 16]),
            guid: String::new(),
            title: String::new(),
            link: None,
            author: String::new(),
            published: None,
            updated: None,
            enclosures: Vec::new(),
            body: EntryBody {
                text,
                ..EntryBody::default()
            },
            content_hash: [0; 32],
        }
    }

    fn pack_new(new: Vec<Incoming>) -> Result<Packed, StoreError> {
        pack(Changes {
            new,
            ..Changes::default()
        })
    }

    fn text_of(packed: &Packed, entry: &PackedEntry) -> String {
        let raw = unpack(&packed.blocks[entry.block].packed).expect("a whole block");
        let body = &raw[entry.at as usize..(entry.at + entry.len) as usize];
        decode::<BodyV2>(body).expect("a body").text.to_owned()
    }

    #[test]
    fn bodies_come_out_as_they_went_in() {
        let texts: Vec<String> = [0, 1, 100, 40_000, 40_000, 200_000, 5]
            .iter()
            .enumerate()
            .map(|(at, &length)| format!("{at} <p>text</p>").repeat(length))
            .collect();
        let packed = pack(Changes {
            new: texts[..4].iter().cloned().map(incoming).collect(),
            edited: texts[4..].iter().cloned().map(incoming).collect(),
            ..Changes::default()
        })
        .expect("packed");
        let out: Vec<String> = packed
            .new
            .iter()
            .chain(&packed.edited)
            .map(|entry| text_of(&packed, entry))
            .collect();
        assert_eq!(out, texts);
        let uses: u32 = packed.blocks.iter().map(|block| block.uses).sum();
        assert_eq!(uses, 7);
    }

    #[test]
    fn small_bodies_share_a_block_and_large_ones_do_not() {
        let small = pack_new(
            (0..20)
                .map(|n| incoming(format!("{n}").repeat(500)))
                .collect(),
        )
        .expect("packed");
        assert_eq!(small.blocks.len(), 1);
        let large = pack_new(
            (0..3)
                .map(|n| incoming(format!("{n}").repeat(50_000)))
                .collect(),
        )
        .expect("packed");
        assert_eq!(large.blocks.len(), 3);
    }

    #[test]
    fn noise_is_kept_as_it_is() {
        let noise: String = (0..60_u32)
            .map(|n| char::from(33 + (n.wrapping_mul(2_654_435_761) >> 25) as u8 % 90))
            .collect();
        let packed = pack_new(vec![incoming(noise.clone())]).expect("packed");
        assert_eq!(packed.blocks[0].packed[0], RAW);
        assert_eq!(text_of(&packed, &packed.new[0]), noise);
    }

    #[test]
    fn a_damaged_block_is_an_error_and_no_panic() {
        let packed = pack_new(vec![incoming("abc".repeat(5000))]).expect("packed");
        let whole = &packed.blocks[0].packed;
        let mut huge = whole.clone();
        huge[1..5].copy_from_slice(&u32::MAX.to_le_bytes());
        let mut codec = whole.clone();
        codec[0] = 9;
        for block in [
            &[][..],
            &whole[..3],
            &whole[..whole.len() - 2],
            &huge,
            &codec,
        ] {
            assert!(matches!(unpack(block), Err(StoreError::Damaged { .. })));
        }
    }
}
