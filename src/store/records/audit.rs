//! Records of the audit ring, and the rows that hold them.

use serde::{Deserialize, Serialize};

use super::{Record, decode, record, seconds, time};
use crate::model::{AuditRecord, OutcomeCode, Pace, Timestamp, Why};
use crate::store::error::{PACKING, StoreError};

/// One record: at most 120 bytes. In stores of before a row of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AuditV1 {
    pub at: i64,
    pub times: u32,
    pub status: u16,
    pub hops: Vec<u16>,
    pub url_hash: u32,
    pub sent_etag: u32,
    pub sent_date: u32,
    pub got_etag: u32,
    pub got_date: u32,
    pub wire: u64,
    pub decoded: u64,
    pub ms: u32,
    pub new: u32,
    pub updated: u32,
    pub outcome: OutcomeCode,
    pub next: Option<i64>,
    pub why: Why,
    pub pace: Pace,
}

record!(AuditV1, "audit");

impl From<&AuditRecord> for AuditV1 {
    fn from(record: &AuditRecord) -> Self {
        Self {
            at: record.at.0,
            times: record.times,
            status: record.status,
            hops: record.hops.clone(),
            url_hash: record.url_hash,
            sent_etag: record.sent_etag,
            sent_date: record.sent_date,
            got_etag: record.got_etag,
            got_date: record.got_date,
            wire: record.wire,
            decoded: record.decoded,
            ms: record.ms,
            new: record.new,
            updated: record.updated,
            outcome: record.outcome,
            next: seconds(record.next),
            why: record.why,
            pace: record.pace,
        }
    }
}

impl AuditV1 {
    pub(crate) fn model(self) -> AuditRecord {
        AuditRecord {
            at: Timestamp(self.at),
            times: self.times,
            status: self.status,
            hops: self.hops,
            url_hash: self.url_hash,
            sent_etag: self.sent_etag,
            sent_date: self.sent_date,
            got_etag: self.got_etag,
            got_date: self.got_date,
            wire: self.wire,
            decoded: self.decoded,
            ms: self.ms,
            new: self.new,
            updated: self.updated,
            outcome: self.outcome,
            next: time(self.next),
            why: self.why,
            pace: self.pace,
        }
    }
}

/// The version byte of a row that holds a block of records.
const VERSION: u8 = 2;
const OPEN: u8 = 0;
const ZSTD: u8 = 1;
/// zstd's own default, as for bodies.
const LEVEL: i32 = 3;
/// No block unpacks to more: a damaged one must not ask for all memory.
const MAX_UNPACKED: usize = 16 * 1024;

/// `audit`: a block. Version byte, codec byte, then `AuditV1` after `AuditV1`, oldest first: as they are, or by zstd.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AuditRow(Vec<u8>);

impl Default for AuditRow {
    fn default() -> Self {
        Self(vec![VERSION, OPEN])
    }
}

impl AuditRow {
    /// An open block; `None` for any other row.
    pub(crate) fn open(bytes: &[u8]) -> Option<Self> {
        bytes
            .starts_with(&[VERSION, OPEN])
            .then(|| Self(bytes.to_vec()))
    }

    /// Puts a record at the end.
    pub(crate) fn push(&mut self, record: &AuditV1) -> Result<(), StoreError> {
        self.0 = postcard::to_extend(record, std::mem::take(&mut self.0)).map_err(damaged)?;
        Ok(())
    }

    /// Compresses it: nothing more will be put there.
    pub(crate) fn close(&mut self) -> Result<(), StoreError> {
        let packed = zstd::bulk::compress(&self.0[2..], LEVEL);
        let packed = packed.map_err(|error| StoreError::io(PACKING, error))?;
        if packed.len() + 2 < self.0.len() {
            self.0.truncate(1);
            self.0.push(ZSTD);
            self.0.extend_from_slice(&packed);
        }
        Ok(())
    }

    /// What is stored.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The records of a row of any version, oldest first.
    pub(crate) fn read(bytes: &[u8]) -> Result<Vec<AuditV1>, StoreError> {
        match bytes {
            [VERSION, OPEN, records @ ..] => all(records),
            [VERSION, ZSTD, packed @ ..] => {
                all(&zstd::bulk::decompress(packed, MAX_UNPACKED).map_err(damaged)?)
            }
            [VERSION, ..] => Err(damaged("an unknown codec")),
            [later, ..] if *later > VERSION => Err(StoreError::Newer {
                found: u32::from(*later),
                known: u32::from(VERSION),
            }),
            single => Ok(vec![decode(single)?]),
        }
    }
}

fn all(mut bytes: &[u8]) -> Result<Vec<AuditV1>, StoreError> {
    let mut records = Vec::new();
    while !bytes.is_empty() {
        let (record, rest) = postcard::take_from_bytes(bytes).map_err(damaged)?;
        records.push(record);
        bytes = rest;
    }
    Ok(records)
}

fn damaged(why: impl std::fmt::Display) -> StoreError {
    StoreError::damaged(format!("audit: {why}"))
}
