//! What makes two entries the same, decided for a whole feed at once.
//!
//! Key = SHA-256 over a scheme byte and a clue, cut to 128 bits: the same on every machine, for every order of entries.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

use super::links::untracked;
use crate::model::{EntryKey, Incoming};

/// What a key was made from; part of the hash, so the numbers never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Guid = 1,
    Link = 2,
    TitleAndDate = 3,
    Content = 4,
    /// The clue and the link repeat within the document: the title was added.
    Repeated = 5,
    /// They repeat too: date and content were added.
    Again = 6,
    /// The clue repeats within the document: the link was added.
    Linked = 7,
}

/// Gives every entry its key, and drops what is in the document twice with nothing to tell it apart.
pub(crate) fn decide(entries: &mut Vec<Incoming>) {
    for entry in entries.iter_mut() {
        entry.key = first(entry);
    }
    if let Some(twice) = repeated(entries) {
        let mut seen = HashSet::new();
        // Before the others are told apart: its twin costs an entry neither its place nor its key.
        entries.retain(|e| {
            !twice.contains(&e.key) || forms(e).last().is_none_or(|form| seen.insert(*form))
        });
    }
    for narrower in [linked, titled, full] {
        let Some(twice) = repeated(entries) else {
            return;
        };
        for entry in entries.iter_mut().filter(|e| twice.contains(&e.key)) {
            entry.key = narrower(entry.key, entry);
        }
    }
}

/// Every key that the entry could have, from the widest to the narrowest: which one it is depends on what else is in
/// the document.
pub(crate) fn forms(entry: &Incoming) -> [EntryKey; 4] {
    let guid = first(entry);
    let link = linked(guid, entry);
    let title = titled(link, entry);
    [guid, link, title, full(title, entry)]
}

fn linked(wide: EntryKey, entry: &Incoming) -> EntryKey {
    let link = entry.link.as_deref().map(untracked).unwrap_or_default();
    key(Scheme::Linked, &[&wide.0, link.as_bytes()])
}

fn titled(wide: EntryKey, entry: &Incoming) -> EntryKey {
    key(
        Scheme::Repeated,
        &[&wide.0, normal(&entry.title).as_bytes()],
    )
}

fn full(wide: EntryKey, entry: &Incoming) -> EntryKey {
    let date = entry.published.map_or(i64::MIN, |at| at.0).to_le_bytes();
    key(Scheme::Again, &[&wide.0, &date, &entry.content_hash])
}

/// The keys that occur more than once; mostly there are none.
fn repeated(entries: &[Incoming]) -> Option<HashSet<EntryKey>> {
    let mut keys: Vec<EntryKey> = entries.iter().map(|entry| entry.key).collect();
    keys.sort_unstable();
    let pairs = keys.windows(2).filter(|pair| pair[0] == pair[1]);
    let twice: HashSet<EntryKey> = pairs.map(|pair| pair[0]).collect();
    (!twice.is_empty()).then_some(twice)
}

pub(super) fn first(entry: &Incoming) -> EntryKey {
    if !entry.guid.is_empty() {
        return key(Scheme::Guid, &[entry.guid.as_bytes()]);
    }
    if let Some(link) = &entry.link {
        return key(Scheme::Link, &[untracked(link).as_bytes()]);
    }
    let title = normal(&entry.title);
    if !title.is_empty() {
        let date = entry.published.map_or(i64::MIN, |at| at.0);
        return key(
            Scheme::TitleAndDate,
            &[title.as_bytes(), &date.to_le_bytes()],
        );
    }
    key(Scheme::Content, &[&entry.content_hash])
}

fn key(scheme: Scheme, parts: &[&[u8]]) -> EntryKey {
    let mut hash = Sha256::new();
    hash.update([scheme as u8]);
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let digest = hash.finalize();
    let mut key = [0; 16];
    key.copy_from_slice(&digest[..16]);
    EntryKey(key)
}

/// A title without what an editor changes in passing: case, white space, punctuation.
pub(crate) fn normal(title: &str) -> String {
    let folded = title.chars().filter(|c| c.is_alphanumeric());
    folded.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EntryBody, Timestamp};

    fn entry(guid: &str, link: &str, title: &str) -> Incoming {
        let mut content_hash = [0; 32];
        content_hash[0] = title.len() as u8;
        Incoming {
            key: EntryKey([0; 16]),
            guid: guid.to_owned(),
            title: title.to_owned(),
            link: (!link.is_empty()).then(|| link.to_owned()),
            author: String::new(),
            published: Some(Timestamp(1)),
            updated: None,
            enclosures: Vec::new(),
            body: EntryBody::default(),
            content_hash,
        }
    }

    fn keys(mut entries: Vec<Incoming>) -> Vec<EntryKey> {
        decide(&mut entries);
        entries.iter().map(|entry| entry.key).collect()
    }

    #[test]
    fn the_guid_decides_then_the_link_then_title_and_date_then_the_content() {
        for (one, other, same) in [
            (
                entry("a", "http://x/1", "One"),
                entry("a", "http://x/2", "Two"),
                true,
            ),
            (
                entry("a", "http://x/1", "One"),
                entry("b", "http://x/1", "One"),
                false,
            ),
            (
                entry("", "http://x/1?utm_source=a", "One"),
                entry("", "http://x/1", "Edited"),
                true,
            ),
            (entry("", "", "One: two!"), entry("", "", "one TWO"), true),
            (entry("", "", ""), entry("", "", ""), true),
            (
                entry("", "http://x/1", ""),
                entry("http://x/1", "", ""),
                false,
            ),
        ] {
            assert_eq!(
                keys(vec![one.clone()]) == keys(vec![other.clone()]),
                same,
                "{one:?} {other:?}"
            );
        }
    }

    #[test]
    fn a_guid_that_repeats_is_no_guid_and_all_are_kept() {
        let all = vec![
            entry("same", "http://x/1", "One"),
            entry("same", "http://x/2", "Two"),
            entry("own", "", ""),
        ];
        let first = keys(all.clone());
        assert_eq!(first.len(), 3);
        assert_ne!(first[0], first[1]);
        let mut reordered = all;
        reordered.reverse();
        let mut again = keys(reordered);
        again.reverse();
        assert_eq!(first, again);
    }

    #[test]
    fn what_is_there_twice_in_every_respect_is_there_once() {
        let twice = vec![
            entry("a", "http://x/1", "One"),
            entry("a", "http://x/1", "One"),
        ];
        assert_eq!(keys(twice), keys(vec![entry("a", "http://x/1", "One")]));
    }
}
