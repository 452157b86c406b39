//! What of a poll the store does not have yet.

use std::collections::BTreeMap;

use super::titles::beginning;
use super::{Changes, KnownEntry};
use crate::model::{EntryKey, Incoming};

/// Splits `incoming` into new, edited and moved entries; `known` says in the same order what the store has, `former` by
/// the place in it which unknown ones are old ones (`recognise`).
/// An entry that was pruned is known: it comes back neither as new nor as edited. An entry without a title gets the
/// first words of its text for one; its identity and its hash, decided before, know nothing of that.
pub fn change(
    incoming: Vec<Incoming>,
    known: &[Option<KnownEntry>],
    former: &BTreeMap<usize, EntryKey>,
) -> Changes {
    let mut changes = Changes::default();
    for (at, entry) in incoming.into_iter().enumerate() {
        match known.get(at).copied().flatten() {
            None => match former.get(&at) {
                Some(key) => changes.moved.push((*key, named(entry))),
                None => changes.new.push(named(entry)),
            },
            Some(KnownEntry {
                content_hash: Some(hash),
            }) if hash != entry.content_hash => {
                changes.edited.push(named(entry));
            }
            Some(_) => {}
        }
    }
    changes
}

fn named(mut entry: Incoming) -> Incoming {
    if entry.title.is_empty() {
        entry.title = beginning(&entry.body);
    }
    entry
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
        let known = [None, stored(Some(2)), stored(Some(9)), stored(None), None];
        let all = vec![entry(1), entry(2), entry(3), entry(4), entry(5)];
        let former = BTreeMap::from([(4, EntryKey([7; 16]))]);
        let changes = change(all, &known, &former);
        assert_eq!(changes.new, [entry(1)]);
        assert_eq!(changes.moved, [(EntryKey([7; 16]), entry(5))]);
        assert_eq!(changes.edited, [entry(3)]);
    }

    #[test]
    fn an_entry_without_a_title_is_called_by_its_first_words() {
        let mut untitled = entry(1);
        untitled.body.text = "<p>Just a <b>note</b></p>".to_owned();
        let mut titled = untitled.clone();
        titled.title = "A title".to_owned();
        let changes = change(vec![untitled, titled], &[], &BTreeMap::new());
        let called: Vec<_> = changes.new.iter().map(|e| e.title.as_str()).collect();
        assert_eq!(called, ["Just a note", "A title"]);
        assert_eq!(changes.new[0].content_hash, [1; 32]);
    }

    #[test]
    fn a_shorter_list_of_known_means_new() {
        assert_eq!(change(vec![entry(1)], &[], &BTreeMap::new()).new.len(), 1);
    }
}
