//! What becomes of the feeds of a list that is followed: added, parked when the list does not name them any more, taken back,
//! dropped.

use std::collections::HashMap;

use crate::model::{Absence, Listed, Parked, Roster, Timestamp};

/// A feed is dropped when its list was seen to be without it for so long, in seconds.
pub const DROPPED_AFTER: u32 = 7 * 86_400;
/// Of the time between two good answers of a list at most so much counts, in seconds, where the user asks for it no seldomer:
/// in the rest of it the list may have named the feed, or a clock was set.
const LONGEST_STEP: i64 = 86_400;

/// A list after an answer, and what the answer changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Revised {
    /// The list from now on.
    pub roster: Roster,
    /// Feeds that it names for the first time.
    pub added: u32,
    /// Feeds that it does not name any more, since now.
    pub parked: u32,
    /// Parked feeds that it names again.
    pub back: u32,
    /// Feeds that were parked for long enough.
    pub dropped: u32,
    /// Feeds that it calls otherwise, or puts elsewhere.
    pub renamed: u32,
}

impl Revised {
    /// How many feeds it changed.
    pub const fn changes(&self) -> u32 {
        self.added + self.parked + self.back + self.dropped + self.renamed
    }

    /// What it changed, for a person; empty where nothing.
    pub fn words(&self) -> String {
        let parts = [
            (self.added, "added"),
            (self.back, "taken back"),
            (self.parked, "parked: the list does not name them any more"),
            (self.dropped, "dropped after seven days"),
            (self.renamed, "under another name or folder"),
        ];
        let said = parts.iter().filter(|(count, _)| *count > 0);
        let said: Vec<String> = said
            .map(|(count, what)| match count {
                1 => format!("1 feed {}", what.replace("them", "it")),
                many => format!("{many} feeds {what}"),
            })
            .collect();
        said.join(", ")
    }
}

/// A good answer of a list at `now`: `named` are the feeds that it names, `None` where it says that nothing has changed.
/// `every` is the user's own interval for the list, in seconds, 0 for none.
pub fn revise(before: &Roster, named: Option<&[Listed]>, every: u32, now: Timestamp) -> Revised {
    let longest = LONGEST_STEP.max(i64::from(every));
    let step = now.since(before.read_at).clamp(0, longest);
    let step = u32::try_from(step).unwrap_or(0);
    let mut revised = Revised::default();
    revised.roster.read_at = now;
    let mut known: HashMap<&str, &Listed> = HashMap::new();
    for feed in &before.feeds {
        known.insert(&feed.url, feed);
    }
    let kept = |feed: &&Listed| named.is_none() && feed.absent.is_none();
    let mut feeds: Vec<Listed> = before.feeds.iter().filter(kept).cloned().collect();
    for feed in named.into_iter().flatten() {
        match known.remove(feed.url.as_str()) {
            None => revised.added += 1,
            Some(old) if old.absent.is_some() => revised.back += 1,
            Some(old) => revised.renamed += u32::from(old != feed),
        }
        feeds.push(feed.clone());
    }
    for old in &before.feeds {
        let is_named = old.absent.is_none() && named.is_none();
        if is_named || !known.contains_key(old.url.as_str()) {
            continue;
        }
        let absent = match old.absent {
            Some(absent) => Absence {
                secs: absent.secs.saturating_add(step),
                ..absent
            },
            None => Absence {
                since: now,
                secs: 0,
            },
        };
        revised.parked += u32::from(old.absent.is_none());
        if absent.secs >= DROPPED_AFTER {
            revised.dropped += 1;
            continue;
        }
        feeds.push(Listed {
            absent: Some(absent),
            ..old.clone()
        });
    }
    revised.roster.feeds = feeds;
    revised
}

/// How a parked feed is told.
pub fn parked(absent: Absence) -> Parked {
    Parked {
        since: absent.since,
        left: DROPPED_AFTER.saturating_sub(absent.secs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_796_000_000);
    const DAY: i64 = 86_400;

    fn named(urls: &[&str]) -> Vec<Listed> {
        let feed = |url: &&str| Listed {
            url: (*url).to_owned(),
            ..Listed::default()
        };
        urls.iter().map(feed).collect()
    }

    fn read(before: &Roster, urls: &[&str], day: i64) -> Revised {
        revise(before, Some(&named(urls)), 0, NOW.plus(day * DAY))
    }

    fn urls(revised: &Revised) -> Vec<&str> {
        let feeds = revised.roster.feeds.iter();
        feeds.map(|feed| feed.url.as_str()).collect()
    }

    #[test]
    fn a_feed_that_a_list_does_not_name_is_parked_and_dropped_after_seven_days() {
        let mut list = read(&Roster::default(), &["a", "b", "c"], 0);
        assert_eq!((list.added, list.changes()), (3, 3));
        list = read(&list.roster, &["a"], 1);
        assert_eq!((list.parked, urls(&list)), (2, vec!["a", "b", "c"]));
        for day in 2..8 {
            let unchanged = revise(&list.roster, None, 0, NOW.plus(day * DAY));
            assert_eq!((unchanged.changes(), urls(&unchanged)), (0, urls(&list)));
            list = unchanged;
        }
        let back = read(&list.roster, &["b", "a"], 7);
        assert_eq!(
            (back.back, back.dropped, urls(&back)),
            (1, 0, vec!["b", "a", "c"])
        );
        let gone = read(&back.roster, &["b", "a"], 8);
        assert_eq!((gone.dropped, urls(&gone)), (1, vec!["b", "a"]));
        assert_eq!(gone.words(), "1 feed dropped after seven days");
    }

    #[test]
    fn a_list_that_is_empty_for_an_hour_loses_nothing() {
        let full = read(&Roster::default(), &["a", "b"], 0);
        let empty = revise(&full.roster, Some(&[]), 0, NOW.plus(3_600));
        assert_eq!((empty.parked, urls(&empty)), (2, vec!["a", "b"]));
        let again = revise(&empty.roster, Some(&named(&["a", "b"])), 0, NOW.plus(7_200));
        assert_eq!((again.back, &again.roster.feeds), (2, &full.roster.feeds));
    }

    #[test]
    fn time_in_which_the_list_could_not_be_read_does_not_count_nor_does_a_clock_that_jumps() {
        let full = read(&Roster::default(), &["a"], 0);
        let empty = read(&full.roster, &[], 1);
        let later = read(&empty.roster, &[], 40);
        let absent = later.roster.feeds[0].absent.expect("parked");
        assert_eq!((later.dropped, absent.secs), (0, 86_400));
        assert_eq!(parked(absent).left, 6 * 86_400);
        let set_back = read(&later.roster, &[], -300);
        assert_eq!(
            set_back.roster.feeds[0].absent.expect("parked").secs,
            86_400
        );
        let weekly = revise(&empty.roster, None, DROPPED_AFTER, NOW.plus(8 * DAY));
        assert_eq!((weekly.dropped, urls(&weekly)), (1, vec![]));
    }

    #[test]
    fn what_a_list_calls_a_feed_and_where_it_puts_it_may_change() {
        let before = read(&Roster::default(), &["a", "b"], 0);
        let mut other = named(&["b", "a"]);
        other[1].title = Some("A".to_owned());
        let after = revise(&before.roster, Some(&other), 0, NOW);
        assert_eq!((after.renamed, after.changes()), (1, 1));
        assert_eq!(after.words(), "1 feed under another name or folder");
    }
}
