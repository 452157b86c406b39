//! What makes entries of several feeds the same story: the same link, or the same title within a day.
//!
//! Within one feed the publisher decides what is an entry, so two entries of one feed are never one story here.

use std::collections::HashMap;

use super::identity::normal;
use super::links::untracked;
use crate::model::{EntryHead, FeedId, Timestamp};

/// Letters and digits, in bytes, from which on a title says which story it is: `Weekly links` says nothing.
const TELLING: usize = 20;

/// A title means the same story within so many seconds.
const SOON: u64 = 86_400;

/// For each of these rows the earlier row whose story it tells again, if there is one. The first row of a story leads it.
pub fn leaders(rows: &[EntryHead]) -> Vec<Option<usize>> {
    let mut links: HashMap<String, usize> = HashMap::new();
    let mut titles: HashMap<String, usize> = HashMap::new();
    // The feeds of a story that more than one tells.
    let mut told: HashMap<usize, Vec<FeedId>> = HashMap::new();
    let mut leaders = Vec::with_capacity(rows.len());
    for (at, row) in rows.iter().enumerate() {
        let link = row.link.as_deref().and_then(page);
        let title = Some(normal(&row.title)).filter(|title| title.len() >= TELLING);
        let takes = |leader: &usize| {
            let own = rows[*leader].id.feed == row.id.feed;
            let twice = told
                .get(leader)
                .is_some_and(|feeds| feeds.contains(&row.id.feed));
            !own && !twice
        };
        let by_link = link.as_ref().and_then(|link| links.get(link)).copied();
        let by_title = title.as_ref().and_then(|title| titles.get(title)).copied();
        let by_title = by_title.filter(|leader| near(rows[*leader].sort, row.sort));
        let leader = by_link.filter(takes).or_else(|| by_title.filter(takes));
        if let Some(leader) = leader {
            told.entry(leader).or_default().push(row.id.feed);
        }
        leaders.push(leader);
        // What tells a story again may be told again under its own link or title.
        let story = leader.unwrap_or(at);
        for (known, clue) in [(&mut links, link), (&mut titles, title)] {
            if let Some(clue) = clue {
                if leader.is_some() {
                    known.entry(clue).or_insert(story);
                } else {
                    known.insert(clue, story);
                }
            }
        }
    }
    leaders
}

fn near(one: Timestamp, other: Timestamp) -> bool {
    one.0.abs_diff(other.0) <= SOON
}

/// A link without its scheme, what only says where a click came from, and a slash at its end. A host alone is no story.
fn page(link: &str) -> Option<String> {
    let link = untracked(link);
    let (_, rest) = link.split_once("://")?;
    let rest = rest.trim_end_matches('/');
    rest.contains(['/', '?']).then(|| rest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EntryId, EntryKey};

    fn row(feed: u32, link: &str, title: &str, sort: i64) -> EntryHead {
        EntryHead {
            id: EntryId {
                feed: FeedId(feed),
                key: EntryKey([0; 16]),
            },
            no: 0,
            guid: String::new(),
            title: title.to_owned(),
            link: Some(link.to_owned()).filter(|link| !link.is_empty()),
            author: String::new(),
            published: None,
            updated: None,
            first_seen: Timestamp(sort),
            sort: Timestamp(sort),
            edited: false,
            withdrawn: false,
            enclosures: Vec::new(),
            unread: true,
            starred: false,
            hidden: false,
            tags: Vec::new(),
        }
    }

    const LONG: &str = "Announcing the great release of the year";

    #[test]
    fn the_same_link_is_the_same_story_however_it_is_written() {
        let rows = [
            row(1, "https://a.example/post/?utm_source=rss", "One", 900_000),
            row(2, "http://a.example/post", "Another word for it", 0),
            row(3, "https://a.example/other", "Three", 0),
        ];
        assert_eq!(leaders(&rows), [None, Some(0), None]);
    }

    #[test]
    fn the_same_title_is_the_same_story_within_a_day() {
        let rows = [
            row(1, "https://a.example/1", LONG, 200_000),
            row(2, "https://b.example/2", &LONG.to_uppercase(), 150_000),
            row(3, "https://c.example/3", LONG, 100_000),
        ];
        assert_eq!(leaders(&rows), [None, Some(0), None]);
    }

    #[test]
    fn a_feed_tells_a_story_once() {
        let page = "https://a.example/log";
        let rows = [
            row(1, page, LONG, 3),
            row(1, page, LONG, 2),
            row(2, page, LONG, 1),
            row(2, page, LONG, 0),
        ];
        assert_eq!(leaders(&rows), [None, None, Some(1), None]);
    }

    #[test]
    fn what_says_too_little_joins_nothing() {
        let rows = [
            row(1, "https://a.example/", "Weekly links", 0),
            row(2, "https://a.example", "Weekly links", 0),
            row(3, "", "", 0),
            row(4, "", "", 0),
            row(5, "mailto:me@a.example", "", 0),
            row(6, "mailto:me@a.example", "", 0),
        ];
        assert_eq!(leaders(&rows), [None; 6]);
    }

    #[test]
    fn a_story_goes_on_under_another_name() {
        let rows = [
            row(1, "https://a.example/x", LONG, 0),
            row(
                2,
                "https://a.example/x",
                "Something else that is long enough",
                0,
            ),
            row(
                3,
                "https://c.example/y",
                "Something else that is long enough",
                0,
            ),
        ];
        assert_eq!(leaders(&rows), [None, Some(0), Some(0)]);
    }
}
