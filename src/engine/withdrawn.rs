//! What a complete feed lists no longer (RFC 5005 §2, R81).

use crate::model::{EntryKey, FeedId};
use crate::parse::{Changes, Parsed};
use crate::poll;
use crate::store::{StoreError, Withdrawn};

use super::shared::Shared;

/// The keys of a feed that says that it is complete, and was read as it is: nothing of it was mended, cut or left out.
pub fn listed(parsed: &Parsed) -> Option<Vec<EntryKey>> {
    let whole = parsed.paging.complete && !parsed.truncated && parsed.repairs.is_empty();
    whole.then(|| parsed.entries.iter().map(|entry| entry.key).collect())
}

/// What is withdrawn with it, or brought back; and what a person should know of it. Entries that only changed their guid are
/// listed still.
pub fn withdrawn(
    shared: &Shared,
    feed: FeedId,
    mut listed: Vec<EntryKey>,
    changes: &Changes,
) -> Result<(Withdrawn, Option<String>), StoreError> {
    let count = listed.len();
    listed.extend(changes.moved.iter().map(|(former, _)| *former));
    let (mut found, had) = shared.store.withdrawn(feed, &listed)?;
    let gone = found.gone.len();
    if gone == 0 || poll::is_withdrawal(count, had, gone) {
        return Ok((found, None));
    }
    found.gone.clear();
    let warning = format!(
        "it says that it is complete, and lists {gone} of the {had} entries that it had no longer: taken for a mistake, nothing is \
         marked as withdrawn"
    );
    Ok((found, Some(warning)))
}
