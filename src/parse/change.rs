//! What of a poll the store does not have yet.

use super::{Changes, KnownEntry};
use crate::model::Incoming;

/// Splits `incoming` into new and edited entries; `known` says in the same order what the store has.
/// An entry that was pruned is known: it comes back neither as new nor as edited.
pub fn change(incoming: Vec<Incoming>, known: &[Option<KnownEntry>]) -> Changes {
    let mut changes = Changes::default();
    for (at, entry) in incoming.into_iter().enumerate() {
        match known.get(at).copied().flatten() {
            None => changes.new.push(entry),
            Some(KnownEntry {
                content_hash: Some(hash),
            }) if hash != entry.content_hash => {
                changes.edited.push(entry);
            }
            Some(_) => {}
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EntryBody, EntryKey};

    fn entry(hash: u8) -> Incoming {
        Incoming {
            key: EntryKey([hash; 16]),
            guid: String::new(),
            title: String::new(),
            link: None,
            author: String::new(),
            published: None,
            updated: None,
            enclosures: Vec::new(),
            body: EntryBody::default(),
            content_hash: [hash; 32],
        }
    }

    #[test]
    fn new_edited_known_and_pruned_are_told_apart() {
        let stored = |hash: Option<u8>| {
            Some(KnownEntry {
                content_hash: hash.map(|h| [h; 32]),
            })
        };
        let known = [None, stored(Some(2)), stored(Some(9)), stored(None)];
        let changes = change(vec![entry(1), entry(2), entry(3), entry(4)], &known);
        assert_eq!(changes.new, [entry(1)]);
        assert_eq!(changes.edited, [entry(3)]);
    }

    #[test]
    fn a_shorter_list_of_known_means_new() {
        assert_eq!(change(vec![entry(1)], &[]).new.len(), 1);
    }
}
