//! Records of the audit ring.

use serde::{Deserialize, Serialize};

use super::{Record, record, seconds, time};
use crate::model::{AuditRecord, OutcomeCode, Pace, Timestamp, Why};

/// `audit`: at most 120 bytes.
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
