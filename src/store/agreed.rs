//! Which list of subscriptions the store agrees with: a start with the same list as the last time writes nothing, waits for
//! no other process and compares no feed.

use redb::{ReadableTable as _, ReadableTableMetadata as _};
use sha2::{Digest, Sha256};

use super::Store;
use super::error::StoreError;
use super::tables::{FEED_BY_URL, META};
use super::transaction::Writing;
use crate::model::{Subscription, Timestamp};

/// The row of `meta`.
const ROW: &str = "list";

/// What the store keeps of a list, and the day: removed feeds are forgotten after 90 days, so the list is gone through
/// once a day though it is the same.
fn fingerprint(list: &[Subscription], now: Timestamp) -> [u8; 32] {
    fn put(hash: &mut Sha256, text: &str) {
        hash.update(text.len().to_le_bytes());
        hash.update(text);
    }
    let mut hash = Sha256::new();
    put(&mut hash, env!("CARGO_PKG_VERSION"));
    hash.update(now.day().to_le_bytes());
    for subscription in list {
        put(&mut hash, &subscription.url);
        hash.update([u8::from(subscription.title.is_some())]);
        put(&mut hash, subscription.title.as_deref().unwrap_or_default());
        hash.update(subscription.tags.len().to_le_bytes());
        for tag in &subscription.tags {
            put(&mut hash, tag);
        }
    }
    hash.finalize().into()
}

impl Store {
    /// The store was made to agree with this very list, today.
    pub fn agrees_with(&self, list: &[Subscription], now: Timestamp) -> Result<bool, StoreError> {
        self.read(|txn| {
            let meta = txn.open_table(META)?;
            let known = meta.get(ROW)?;
            let same = known.is_some_and(|known| known.value() == fingerprint(list, now));
            // Every list without repetitions has as many feeds as lines; another goes the long way.
            Ok(same && txn.open_table(FEED_BY_URL)?.len()? == list.len() as u64)
        })
    }
}

/// Notes that the store agrees with `list` from now on.
pub(super) fn note(
    writing: &mut Writing<'_>,
    list: &[Subscription],
    now: Timestamp,
) -> Result<(), StoreError> {
    let new = fingerprint(list, now);
    let meta = &mut writing.tables.meta;
    if meta.get(ROW)?.is_none_or(|known| known.value() != new) {
        meta.insert(ROW, new.as_slice())?;
        writing.touch();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_another_when_anything_that_is_stored_of_it_differs() {
        let now = Timestamp(1_000_000);
        let feed = |url: &str, title: Option<&str>, tags: &[&str]| Subscription {
            url: url.to_owned(),
            title: title.map(str::to_owned),
            tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
            ..Subscription::default()
        };
        let lists = [
            vec![],
            vec![feed("http://a/", None, &[])],
            vec![feed("http://a/", Some(""), &[])],
            vec![feed("http://a/", Some("b"), &[])],
            vec![feed("http://a/", None, &["b"])],
            vec![feed("http://a/", None, &["b", "c"])],
            vec![feed("http://a/", None, &["c", "b"])],
            vec![feed("http://a/", None, &["bc"])],
            vec![feed("http://a/", None, &[]), feed("http://b/", None, &[])],
            vec![feed("http://b/", None, &[]), feed("http://a/", None, &[])],
        ];
        let mut seen: Vec<_> = lists.iter().map(|list| fingerprint(list, now)).collect();
        seen.push(fingerprint(&lists[1], now.plus(86_400)));
        let all = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), all);
        assert_eq!(
            fingerprint(&lists[1], now),
            fingerprint(&lists[1], now.plus(1))
        );
    }
}
