//! Whose turn it is on a host with more feeds than its hourly budget has room for (R72): whoever waits longest.

use crate::model::{FeedId, Timestamp};
use crate::poll;
use crate::store::{Store, StoreError};

/// An hour, in seconds.
const HOUR: i64 = 3_600;

/// The budget of a host with so many feeds can be spent by the schedule alone: each may be due twice an hour. A budget of 0
/// is none.
pub fn is_crowded(feeds: usize, budget: u32) -> bool {
    budget > 0 && feeds.saturating_mul(2) > usize::try_from(budget).unwrap_or(usize::MAX)
}

/// Puts the due `feeds` of `crowded` hosts into the order of their waiting; all others stay where they are.
pub fn in_turn(
    store: &Store,
    feeds: &mut [FeedId],
    crowded: impl Fn(&FeedId) -> bool,
) -> Result<(), StoreError> {
    let places: Vec<usize> = (0..feeds.len()).filter(|at| crowded(&feeds[*at])).collect();
    let mut waiting = Vec::with_capacity(places.len());
    for at in &places {
        let row = store.row(feeds[*at])?;
        let since = row.map(|row| poll::waits_since(&row.schedule));
        waiting.push((since.unwrap_or_default(), feeds[*at]));
    }
    crate::model::arrange(&mut waiting, |a, b| a.0.cmp(&b.0));
    for (at, (_, feed)) in places.into_iter().zip(waiting) {
        feeds[at] = feed;
    }
    Ok(())
}

/// How many feeds of a host already come back in the hour from `until` on; `here` says which are its.
pub fn waiting(
    store: &Store,
    until: Timestamp,
    here: impl Fn(&FeedId) -> bool,
) -> Result<u32, StoreError> {
    let due = store.due(until.plus(HOUR))?;
    let count = due
        .iter()
        .filter(|(at, feed)| *at >= until && here(feed))
        .count();
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r72_a_host_is_crowded_when_its_feeds_can_spend_the_budget() {
        assert!(!is_crowded(30, 60));
        assert!(is_crowded(31, 60));
        assert!(!is_crowded(500, 0), "no budget");
    }
}
