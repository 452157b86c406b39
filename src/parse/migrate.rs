//! The same entry under another guid: a feed that moved to https or to a new CMS changes all guids at once, and a guid that
//! begins to repeat, or ceases to, changes the key of its first bearer. Nobody wants to read these again.
//!
//! An entry is taken for a former one only where nothing else fits: its address or its title stands once in the document
//! and once in the store, and the former entry is not in the document itself.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

use super::identity::{self, normal};
use super::links::untracked;
use super::{KnownEntry, Remembered};
use crate::model::{EntryKey, Incoming, Timestamp};

/// From so many entries on, address and title together are believed against the date: a new CMS dates all entries anew,
/// while a page that appears daily under the same name is one entry.
const MANY: usize = 3;

/// So many entries of the store are compared with a document of `entries`: what has left the document for long can wait.
pub const fn recent_wanted(entries: usize) -> usize {
    200 + 2 * entries
}

/// Keys that unknown entries would have had if another guid had repeated, or not: the place in `incoming`, and the key.
/// To be looked up in the store before `recognise`. Empty when all are known.
pub fn relatives(incoming: &[Incoming], known: &[Option<KnownEntry>]) -> Vec<(usize, EntryKey)> {
    unknown(incoming, known)
        .flat_map(|(at, entry)| {
            identity::forms(entry)
                .into_iter()
                .filter(|form| *form != entry.key)
                .map(move |form| (at, form))
        })
        .collect()
}

/// Most of the document is unknown: it is worth comparing it with what the feed had.
pub fn is_upheaval(incoming: &[Incoming], known: &[Option<KnownEntry>]) -> bool {
    2 * unknown(incoming, known).count() > incoming.len()
}

/// The former key of each unknown entry that is an old one under a new key, by its place in `incoming`. `relatives` are those found
/// in the store, `recent` the feed's newest entries, empty unless `is_upheaval`.
pub fn recognise(
    incoming: &[Incoming],
    known: &[Option<KnownEntry>],
    relatives: &[(usize, Remembered)],
    recent: &[Remembered],
) -> BTreeMap<usize, EntryKey> {
    let here: HashSet<EntryKey> = incoming.iter().map(|entry| entry.key).collect();
    let mut former = BTreeMap::new();
    let mut taken = HashSet::new();
    for (at, old) in relatives {
        let Some(entry) = incoming.get(*at) else {
            continue;
        };
        if is_same(entry, old)
            && !here.contains(&old.key)
            && !former.contains_key(at)
            && taken.insert(old.key)
        {
            former.insert(*at, old.key);
        }
    }
    if recent.is_empty() {
        return former;
    }
    let new: Vec<_> = unknown(incoming, known)
        .filter(|(at, _)| !former.contains_key(at))
        .collect();
    let old: Vec<_> = recent
        .iter()
        .filter(|old| !here.contains(&old.key) && !taken.contains(&old.key))
        .collect();
    let matched = matches(incoming, &new, &old);
    if 2 * matched.len() >= new.len() {
        former.extend(matched);
    }
    former
}

/// The same guid and address; and where these alone did not tell it apart, the same title and date.
fn is_same(entry: &Incoming, old: &Remembered) -> bool {
    let depth = identity::forms(entry)
        .iter()
        .position(|form| *form == entry.key)
        .unwrap_or(0);
    entry.guid == old.guid
        && place(entry.link.as_deref()) == place(old.link.as_deref())
        && (depth < 2 || normal(&entry.title) == normal(&old.title))
        && (depth < 3 || entry.published == old.published)
}

fn unknown<'a>(
    incoming: &'a [Incoming],
    known: &'a [Option<KnownEntry>],
) -> impl Iterator<Item = (usize, &'a Incoming)> {
    incoming
        .iter()
        .enumerate()
        .filter(|(at, _)| known.get(*at).copied().flatten().is_none())
}

fn matches(
    incoming: &[Incoming],
    new: &[(usize, &Incoming)],
    old: &[&Remembered],
) -> BTreeMap<usize, EntryKey> {
    let address = |link: Option<&str>| place(link).filter(|place| !place.is_empty());
    let named = |title: &str, date: Option<Timestamp>| {
        let title = normal(title);
        date.filter(|_| !title.is_empty()).map(|date| (title, date))
    };
    let here_links = once(incoming.iter().map(|e| address(e.link.as_deref())));
    let here_titles = once(incoming.iter().map(|e| named(&e.title, e.published)));
    let links = once(old.iter().map(|o| address(o.link.as_deref())));
    let titles = once(old.iter().map(|o| named(&o.title, o.published)));
    let mut matched = BTreeMap::new();
    let mut taken = HashSet::new();
    for (at, entry) in new {
        let by_link = address(entry.link.as_deref())
            .filter(|link| here_links.contains_key(link))
            .and_then(|link| links.get(&link))
            .map(|place| old[*place])
            .filter(|old| agrees(entry, old, new.len() >= MANY));
        let by_name = || {
            named(&entry.title, entry.published)
                .filter(|name| here_titles.contains_key(name))
                .and_then(|name| titles.get(&name))
                .map(|place| old[*place])
        };
        if let Some(old) = by_link.or_else(by_name)
            && taken.insert(old.key)
        {
            matched.insert(*at, old.key);
        }
    }
    matched
}

/// Under the same address: the title or the date says that it is the same entry, and the other does not deny it, unless
/// many say so at once.
fn agrees(entry: &Incoming, old: &Remembered, many: bool) -> bool {
    let title = normal(&entry.title) == normal(&old.title);
    match (entry.published, old.published) {
        (Some(one), Some(other)) if one == other => true,
        (Some(_), Some(_)) => title && many,
        _ => title,
    }
}

/// Where each value that occurs once is.
fn once<T: Eq + Hash>(values: impl Iterator<Item = Option<T>>) -> HashMap<T, usize> {
    let mut places: HashMap<T, Option<usize>> = HashMap::new();
    for (at, value) in values.enumerate() {
        if let Some(value) = value {
            places
                .entry(value)
                .and_modify(|place| *place = None)
                .or_insert(Some(at));
        }
    }
    places
        .into_iter()
        .filter_map(|(value, place)| Some((value, place?)))
        .collect()
}

/// An address without what a move to https, to `www.` or away from it changes.
fn place(link: Option<&str>) -> Option<String> {
    let link = untracked(link?);
    let rest = link
        .split_once("://")
        .map_or(link.as_ref(), |(_, rest)| rest);
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    Some(rest.trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EntryBody;

    fn entry(guid: &str, link: &str, title: &str, date: i64) -> Incoming {
        Incoming {
            key: EntryKey([0; 16]),
            guid: guid.to_owned(),
            title: title.to_owned(),
            link: (!link.is_empty()).then(|| link.to_owned()),
            author: String::new(),
            published: (date != 0).then_some(Timestamp(date)),
            updated: None,
            enclosures: Vec::new(),
            body: EntryBody::default(),
            content_hash: [0; 32],
        }
    }

    fn decided(mut entries: Vec<Incoming>) -> Vec<Incoming> {
        identity::decide(&mut entries);
        entries
    }

    fn remembered(entry: &Incoming) -> Remembered {
        Remembered {
            key: entry.key,
            guid: entry.guid.clone(),
            link: entry.link.clone(),
            title: entry.title.clone(),
            published: entry.published,
        }
    }

    /// Which entries of `before` those of `after` are taken for.
    fn taken_for(before: &[Incoming], after: &[Incoming]) -> Vec<Option<usize>> {
        let stored: Vec<_> = before.iter().map(remembered).collect();
        let known: Vec<_> = after
            .iter()
            .map(|entry| {
                let there = stored.iter().any(|old| old.key == entry.key);
                there.then_some(KnownEntry {
                    content_hash: Some([0; 32]),
                })
            })
            .collect();
        let relatives: Vec<_> = relatives(after, &known)
            .into_iter()
            .filter_map(|(at, key)| {
                let old = stored.iter().find(|old| old.key == key)?;
                Some((at, old.clone()))
            })
            .collect();
        let upheaval = is_upheaval(after, &known);
        let recent = if upheaval { stored.as_slice() } else { &[] };
        let former = recognise(after, &known, &relatives, recent);
        (0..after.len())
            .map(|at| {
                let key = former.get(&at)?;
                before.iter().position(|old| old.key == *key)
            })
            .collect()
    }

    fn feed(scheme: &str, dates: i64) -> Vec<Incoming> {
        let entries = (0..4).map(|n| {
            entry(
                &format!("{scheme}://a.example/?p={n}"),
                &format!("{scheme}://a.example/{n}/"),
                &format!("Title {n}"),
                dates + n,
            )
        });
        decided(entries.collect())
    }

    #[test]
    fn a_move_to_https_brings_nothing_new() {
        let all = [Some(0), Some(1), Some(2), Some(3)];
        assert_eq!(taken_for(&feed("http", 9), &feed("https", 9)), all);
        // Also when the new system dates everything anew.
        assert_eq!(taken_for(&feed("http", 9), &feed("https", 900)), all);
    }

    #[test]
    fn a_new_cms_with_other_addresses_is_known_by_titles_and_dates() {
        let before = feed("http", 9);
        let mut after = before.clone();
        for (at, entry) in after.iter_mut().enumerate() {
            entry.guid = format!("urn:{at}");
            entry.link = Some(format!("http://b.example/new/{at}"));
        }
        after.insert(0, entry("urn:new", "http://b.example/new", "News", 99));
        let after = decided(after);
        let want = [None, Some(0), Some(1), Some(2), Some(3)];
        assert_eq!(taken_for(&before, &after), want);
    }

    #[test]
    fn a_window_that_moves_on_is_new() {
        let entries = |from: i64| -> Vec<Incoming> {
            decided(
                (from..from + 4)
                    .map(|n| entry(&n.to_string(), "http://a.example/", "Daily menu", n))
                    .collect(),
            )
        };
        assert_eq!(taken_for(&entries(1), &entries(5)), [None; 4]);
        // A page of one entry that always has the same address and name.
        let day = |n: i64| decided(vec![entry(&n.to_string(), "http://a.example/", "Menu", n)]);
        assert_eq!(taken_for(&day(1), &day(2)), [None]);
    }

    #[test]
    fn one_entry_with_anothers_address_is_new_where_the_rest_is_known() {
        let before = feed("http", 9);
        let mut after = before.clone();
        let mut again = before[1].clone();
        again.guid = "new".to_owned();
        after[1] = again;
        let want = [None, None, None, None];
        assert_eq!(taken_for(&before, &decided(after)), want);
    }

    #[test]
    fn a_guid_that_begins_to_repeat_or_ceases_to_makes_nothing_new() {
        let one = entry("same", "http://a.example/1", "One", 1);
        let two = entry("same", "http://a.example/2", "Two", 2);
        let third = entry("same", "http://a.example/2", "Three", 3);
        let alone = decided(vec![one.clone()]);
        let twins = decided(vec![two.clone(), one]);
        assert_ne!(alone[0].key, twins[1].key);
        assert_eq!(taken_for(&alone, &twins), [None, Some(0)]);
        assert_eq!(taken_for(&twins, &decided(vec![two.clone()])), [Some(0)]);
        let more = decided(vec![third, two]);
        assert_eq!(taken_for(&twins, &more), [None, Some(0)]);
    }

    #[test]
    fn addresses_are_compared_without_scheme_and_tracking() {
        for link in [
            "http://a.example/x",
            "https://www.a.example/x/",
            "https://a.example/x?utm_source=rss",
        ] {
            assert_eq!(place(Some(link)).as_deref(), Some("a.example/x"));
        }
        assert_eq!(place(None), None);
    }
}
