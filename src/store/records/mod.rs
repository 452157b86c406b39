//! What lies in the values: one version byte, then postcard; one struct per version, old ones still read.
//!
//! The structs are the disk's, not the model's: a field added to a noun must not change what lies in somebody's store.
//! A changed record gets a new struct and number here, and `read` turns the old one into it; nobody rewrites the rows.
//! Enums of the model are stored by the place of the variant: new ones go to the end, as a test below insists.

mod audit;
mod backfill;
mod cursor;
mod entry;
mod exchange;
mod feed;
mod host;
mod offline;
mod push;
mod roster;
mod site;
#[cfg(test)]
mod tests;

use serde::Serialize;

use super::error::StoreError;
use crate::model::Timestamp;

pub(crate) use audit::{AuditRow, AuditV1};
pub(crate) use backfill::{BackfillV1, PageV1};
pub(crate) use cursor::CursorV1;
pub(crate) use entry::{
    ActV2, BodyV2, EnclosureV1, FormerV1, FullTextV1, HeadV1, LinkV1, ListActV1, Place, each_body,
};
pub(crate) use exchange::ExchangeV2;
pub(crate) use feed::{CountersV1, FeedV1, PollV1, ValidatorsV1};
pub(crate) use host::HostV2;
pub(crate) use offline::OfflineV1;
pub(crate) use push::{PushV1, TopicV1};
#[cfg(test)]
pub(crate) use roster::ListedV1;
pub(crate) use roster::RosterV1;
#[cfg(test)]
pub(crate) use site::SiteFileV1;
pub(crate) use site::{SiteV1, seen_bytes};

/// Bytes in one piece. `serde` would hand them over one by one, to the same end.
fn at_once<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

/// A value of a table.
pub(crate) trait Record<'a>: Serialize + Sized {
    /// The version that is written.
    const VERSION: u8;
    /// The table, for the sentence when it cannot be read.
    const TABLE: &'static str;

    /// Reads any version up to `VERSION`; `None` for a version that never was.
    fn read(version: u8, bytes: &'a [u8]) -> Option<postcard::Result<Self>>;
}

/// Version byte and record, into a buffer that is used again; what it held is gone.
pub(crate) fn encode_into<'a, R: Record<'a>>(
    record: &R,
    bytes: &mut Vec<u8>,
) -> Result<(), StoreError> {
    bytes.clear();
    bytes.push(R::VERSION);
    *bytes = postcard::to_extend(record, std::mem::take(bytes))
        .map_err(|error| StoreError::damaged(format!("{}: {error}", R::TABLE)))?;
    Ok(())
}

/// What `encode` wrote, now or years ago.
pub(crate) fn decode<'a, R: Record<'a>>(bytes: &'a [u8]) -> Result<R, StoreError> {
    let failed = |why: String| StoreError::damaged(format!("{}: {why}", R::TABLE));
    let (version, rest) = bytes
        .split_first()
        .ok_or_else(|| failed("empty".to_owned()))?;
    if *version > R::VERSION {
        // Not damage: nothing is set aside, nothing is lost.
        return Err(StoreError::Newer {
            found: u32::from(*version),
            known: u32::from(R::VERSION),
        });
    }
    R::read(*version, rest)
        .ok_or_else(|| failed(format!("version {version}")))?
        .map_err(|error| failed(error.to_string()))
}

macro_rules! record {
    ($name:ident $(<$life:lifetime>)?, $table:literal) => {
        impl<'a> Record<'a> for $name $(<$life>)? {
            const VERSION: u8 = 1;
            const TABLE: &'static str = $table;

            fn read(version: u8, bytes: &'a [u8]) -> Option<postcard::Result<Self>> {
                (version == 1).then(|| postcard::from_bytes(bytes))
            }
        }
    };
}

use record;

const fn time(seconds: Option<i64>) -> Option<Timestamp> {
    match seconds {
        Some(seconds) => Some(Timestamp(seconds)),
        None => None,
    }
}

fn seconds(time: Option<Timestamp>) -> Option<i64> {
    time.map(|time| time.0)
}
