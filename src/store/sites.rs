//! What is remembered of sitemaps; a table apart, for few feeds are any.

use redb::{TableDefinition, TableError};

use super::Store;
use super::error::StoreError;
use super::records::{SiteV1, decode, encode_into, seen_bytes};
use super::transaction::Writing;
use crate::model::{FeedId, Site};

/// By feed.
const SITES: TableDefinition<'static, u32, &'static [u8]> = TableDefinition::new("sites");

impl Store {
    /// What is remembered of a sitemap; `None` where it was never read.
    pub fn site(&self, feed: FeedId) -> Result<Option<Site>, StoreError> {
        self.read(|txn| {
            let table = match txn.open_table(SITES) {
                Err(TableError::TableDoesNotExist(_)) => return Ok(None),
                table => table?,
            };
            let row = table.get(feed.0)?;
            row.map(|row| Ok(decode::<SiteV1<'_>>(row.value())?.model()))
                .transpose()
        })
    }
}

/// Committed with the entries that its pages became.
pub(super) fn put(writing: &Writing<'_>, feed: u32, site: &Site) -> Result<(), StoreError> {
    let seen = seen_bytes(site);
    let mut bytes = Vec::new();
    encode_into(&SiteV1::of(site, &seen), &mut bytes)?;
    writing.extra(SITES)?.insert(feed, bytes.as_slice())?;
    Ok(())
}

/// Takes what is remembered of a sitemap.
pub(super) fn forget(writing: &Writing<'_>, feed: u32) -> Result<(), StoreError> {
    writing.extra(SITES)?.remove(feed)?;
    Ok(())
}
