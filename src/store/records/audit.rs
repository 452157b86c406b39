//! Records of the two rings.

use serde::{Deserialize, Serialize};

use super::{Record, record, seconds, time};
use crate::model::{AuditRecord, Exchange, OutcomeCode, Pace, Timestamp, Why};

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

/// `exchanges`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExchangeV1<'a> {
    pub at: i64,
    pub url: &'a str,
    pub status: u16,
    #[serde(borrow)]
    pub sent: Vec<(&'a str, &'a [u8])>,
    #[serde(borrow)]
    pub received: Vec<(&'a str, &'a [u8])>,
    pub error: Option<&'a str>,
}

record!(ExchangeV1<'a>, "exchanges");

impl<'a> From<&'a Exchange> for ExchangeV1<'a> {
    fn from(exchange: &'a Exchange) -> Self {
        fn borrow(fields: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
            fields
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_slice()))
                .collect()
        }
        Self {
            at: exchange.at.0,
            url: &exchange.url,
            status: exchange.status,
            sent: borrow(&exchange.sent),
            received: borrow(&exchange.received),
            error: exchange.error.as_deref(),
        }
    }
}

impl ExchangeV1<'_> {
    pub(crate) fn model(&self) -> Exchange {
        fn own(fields: &[(&str, &[u8])]) -> Vec<(String, Vec<u8>)> {
            fields
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.to_vec()))
                .collect()
        }
        Exchange {
            at: Timestamp(self.at),
            url: self.url.to_owned(),
            status: self.status,
            sent: own(&self.sent),
            received: own(&self.received),
            error: self.error.map(str::to_owned),
        }
    }
}
