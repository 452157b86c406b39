//! Lists of feeds that are followed: what an answer makes of one, and how its feeds come to stand beside those that the user
//! wrote himself. The store keeps what a list said; feeds.toml is the user's own.

use std::collections::HashSet;

use sha2::{Digest as _, Sha256};

use crate::config;
use crate::fetch::is_private_host;
use crate::model::{
    Answer, ErrorKind, FeedId, Followed, Listed, Memory, PollError, Roster, SourceKind,
    Subscription, Timestamp,
};
use crate::parse;
use crate::poll;
use crate::store::{About, PollInput, Store, StoreError};

use super::job::Job;
use super::reading::poll_error;

/// What an answer of a list came to.
pub struct Found {
    /// How many of its feeds are added, parked, dropped or called otherwise.
    pub changes: u32,
    /// The same in words; empty for none.
    pub words: String,
    /// To be stored.
    pub memory: Memory,
    /// What the list says of itself.
    pub about: About,
    /// Over all that it says.
    pub hash: [u8; 32],
    /// What a person should know of it.
    pub warning: Option<String>,
}

/// What is remembered of a source that is more than one document, before it is asked. One of which nothing is known is asked
/// without validators: a 304 would say that it is the same as nothing.
pub fn recall(
    store: &Store,
    subscription: &Subscription,
    input: &mut PollInput,
) -> Result<Memory, StoreError> {
    let known = match subscription.kind {
        SourceKind::Feed => return Ok(Memory::Nothing),
        SourceKind::List => {
            let roster = store.roster(input.feed.id)?;
            roster.map(|roster| Memory::Roster(Box::new(roster)))
        }
        SourceKind::Sitemap => {
            let site = store.site(input.feed.id)?;
            // The validators of an index's files are remembered with them.
            for file in site.iter().flat_map(|site| &site.files) {
                if !file.validators.is_empty() {
                    let pair = (file.url.clone(), file.validators.clone());
                    input.validators.push(pair);
                }
            }
            site.map(|site| Memory::Site(Box::new(site)))
        }
    };
    if known.is_none() {
        input.validators.clear();
        (input.state.body_hash, input.state.entries_hash) = (None, None);
    }
    Ok(known.unwrap_or_default())
}

/// The list says that it is the same: feeds that it does not name are so much longer absent. What is to be stored, and what
/// it changed, in words.
pub fn unchanged(job: &Job, now: Timestamp) -> (Memory, String) {
    let Memory::Roster(before) = &job.memory else {
        return (Memory::Nothing, String::new());
    };
    if before.feeds.iter().all(|feed| feed.absent.is_none()) {
        return (Memory::Nothing, String::new());
    }
    let revised = poll::revise(before, None, every(job), now);
    let words = revised.words();
    (Memory::Roster(Box::new(revised.roster)), words)
}

fn every(job: &Job) -> u32 {
    let every = job.subscription.every.unwrap_or_default();
    u32::try_from(every.as_secs()).unwrap_or(u32::MAX)
}

/// Reads a list that has changed.
pub fn read(job: &Job, answer: &Answer, now: Timestamp) -> Result<Found, PollError> {
    let content_type = answer.headers.text("content-type");
    let read = parse::list(&answer.body.bytes, content_type.as_deref());
    let parse::List { title, feeds, more } = read.map_err(|error| {
        let before = job.input.state.full_decoded > 0;
        refused(answer, &job.subscription.url, &error, before)
    })?;
    let named = feeds.len();
    let feeds = listed(feeds, is_private_host(&job.subscription.url));
    let before = match &job.memory {
        Memory::Roster(roster) => Roster::clone(roster),
        _ => Roster::default(),
    };
    let hash = hash_of(&feeds);
    let mut warnings = Vec::new();
    if named == 0 {
        warnings.push("the list is empty: its feeds are parked".to_owned());
    }
    if named > feeds.len() {
        let left_out = named - feeds.len();
        warnings.push(format!(
            "{left_out} of its addresses are not followed: named twice, or not on the public network"
        ));
    }
    if more > 0 {
        let most = parse::LIST_MAX;
        warnings.push(format!(
            "only its first {most} feeds are followed, {more} are not"
        ));
    }
    let revised = poll::revise(&before, Some(&feeds), every(job), now);
    Ok(Found {
        changes: revised.changes(),
        words: revised.words(),
        memory: Memory::Roster(Box::new(revised.roster)),
        about: About {
            title,
            ..About::default()
        },
        hash,
        warning: Some(warnings.join("; ")).filter(|text| !text.is_empty()),
    })
}

/// What stands there instead of a list; its feeds are followed as before.
pub fn refused(answer: &Answer, asked: &str, error: &parse::ParseError, before: bool) -> PollError {
    let error = poll_error(error);
    if parse::odd(answer, asked).is_some() {
        return parse::named(answer, asked, &error, before);
    }
    let found = match error.kind {
        ErrorKind::NotAFeed if !error.detail.is_empty() => format!(", found {}", error.detail),
        _ => String::new(),
    };
    match error.kind {
        ErrorKind::NotAFeed => PollError::new(
            error.kind,
            format!("a list of feeds (OPML) was expected{found}"),
        ),
        ErrorKind::Truncated => PollError::new(
            error.kind,
            "the list has no end; its feeds are followed as before",
        ),
        _ => error,
    }
}

/// The feeds of a list as they are followed: each once, at a web address, no private one where the list is not private
/// itself, and nothing of it that runs a program or reads a file.
fn listed(feeds: Vec<Subscription>, private_ok: bool) -> Vec<Listed> {
    let mut seen = HashSet::new();
    let mut listed = Vec::with_capacity(feeds.len());
    for feed in feeds {
        let Ok(url) = config::clean_url(&feed.url) else {
            continue;
        };
        let Ok(identity) = config::normalise(&url) else {
            continue;
        };
        if (!private_ok && is_private_host(&url)) || !seen.insert(identity) {
            continue;
        }
        listed.push(Listed {
            url,
            title: feed.title,
            tags: feed
                .tags
                .iter()
                .filter_map(|tag| config::clean_tag(tag))
                .collect(),
            absent: None,
        });
    }
    listed
}

fn hash_of(feeds: &[Listed]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for feed in feeds {
        let title = feed.title.as_deref().unwrap_or_default();
        for text in [feed.url.as_str(), title]
            .into_iter()
            .chain(feed.tags.iter().map(String::as_str))
        {
            hash.update(text.len().to_le_bytes());
            hash.update(text);
        }
        hash.update(b"\n");
    }
    hash.finalize().into()
}

/// The user's own feeds and lists in their order, behind each list the feeds that it names. What the user wrote himself is
/// never altered by a list, and a feed of several lists is that of the first which names it now.
pub fn with_lists(store: &Store, own: Vec<Subscription>) -> Result<Vec<Subscription>, StoreError> {
    if own.iter().all(|feed| feed.kind != SourceKind::List) {
        return Ok(own);
    }
    let mut rosters = Vec::new();
    for list in own.iter().filter(|feed| feed.kind == SourceKind::List) {
        rosters.push(match store.feed_id(&list.url)? {
            Some(feed) => Known {
                name: name_of(store, feed, list)?,
                roster: store.roster(feed)?.unwrap_or_default(),
            },
            None => Known::default(),
        });
    }
    Ok(merged(own, rosters))
}

/// What is known of a list.
#[derive(Default)]
struct Known {
    name: String,
    roster: Roster,
}

/// What the user calls the list, else what it calls itself, else its address.
fn name_of(store: &Store, feed: FeedId, list: &Subscription) -> Result<String, StoreError> {
    if let Some(title) = &list.title {
        return Ok(title.clone());
    }
    let row = store.row(feed)?;
    let title = row
        .map(|row| row.feed.title)
        .filter(|title| !title.is_empty());
    Ok(title.unwrap_or_else(|| config::masked(&list.url)))
}

/// The same, with what is known of each list in the order of the lists.
fn merged(own: Vec<Subscription>, rosters: Vec<Known>) -> Vec<Subscription> {
    let identity = |url: &str| config::normalise(url).unwrap_or_else(|_| url.to_owned());
    let mut seen: HashSet<String> = own.iter().map(|feed| identity(&feed.url)).collect();
    // What one list has parked another may name.
    let mut named: HashSet<String> = HashSet::new();
    for feed in rosters.iter().flat_map(|known| &known.roster.feeds) {
        if feed.absent.is_none() {
            named.insert(identity(&feed.url));
        }
    }
    let mut all = Vec::with_capacity(own.len() + named.len());
    let mut rosters = rosters.into_iter();
    for feed in own {
        if feed.kind != SourceKind::List {
            all.push(feed);
            continue;
        }
        let except: HashSet<String> = feed.except.iter().map(|url| identity(url)).collect();
        let Known { name, roster } = rosters.next().unwrap_or_default();
        let list = feed.clone();
        all.push(feed);
        for listed in roster.feeds {
            let identity = identity(&listed.url);
            let elsewhere = listed.absent.is_some() && named.contains(&identity);
            if !except.contains(&identity) && !elsewhere && seen.insert(identity) {
                all.push(followed(&list, &name, listed));
            }
        }
    }
    all
}

/// The folders of a list are branches of the list's first tag.
fn placed(tags: &[String], folders: Vec<String>) -> Vec<String> {
    let Some((first, others)) = tags.split_first() else {
        return folders;
    };
    let mut placed: Vec<String> = Vec::new();
    for folder in folders {
        let tag = if folder == *first {
            folder
        } else {
            format!("{first}/{folder}")
        };
        if !placed.contains(&tag) {
            placed.push(tag);
        }
    }
    if placed.is_empty() {
        placed.push(first.clone());
    }
    placed.extend_from_slice(others);
    placed
}

/// A feed as its list has it: what the list's table says of all its feeds holds for it, and no secret of the list's.
fn followed(list: &Subscription, name: &str, listed: Listed) -> Subscription {
    let tags = placed(&list.tags, listed.tags);
    Subscription {
        url: listed.url,
        title: listed.title,
        tags,
        keep: list.keep,
        full_text: list.full_text,
        mute: list.mute,
        followed: Some(Box::new(Followed {
            list: list.url.clone(),
            name: name.to_owned(),
            parked: listed.absent.map(poll::parked),
        })),
        ..Subscription::default()
    }
}

/// Which of these feeds lists name, or would name without the user: pairs of the list's URL and the feed's.
pub fn of_lists(
    store: &Store,
    mut own: Vec<Subscription>,
    urls: &[String],
) -> Result<Vec<(String, String)>, StoreError> {
    own.retain(|feed| !urls.contains(&feed.url));
    let all = with_lists(store, own)?;
    let named = all.into_iter().filter_map(|feed| {
        let followed = feed.followed?;
        urls.contains(&feed.url)
            .then_some((followed.list, feed.url))
    });
    Ok(named.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Absence;

    fn feed(url: &str) -> Subscription {
        Subscription {
            url: url.to_owned(),
            ..Subscription::default()
        }
    }

    fn list(url: &str) -> Subscription {
        Subscription {
            kind: SourceKind::List,
            tags: vec!["team".to_owned()],
            mute: true,
            except: vec!["https://x.example/not".to_owned()],
            ..feed(url)
        }
    }

    fn named(url: &str) -> Listed {
        Listed {
            url: url.to_owned(),
            title: Some("as listed".to_owned()),
            tags: vec!["a/b".to_owned(), "team".to_owned()],
            absent: None,
        }
    }

    #[test]
    fn the_feeds_of_a_list_stand_behind_it_and_change_nothing_of_the_users_own() {
        let own = vec![
            list("https://l.example/1"),
            feed("https://own.example/f"),
            list("https://l.example/2"),
        ];
        let first = Roster {
            feeds: vec![
                named("https://OWN.example/f"),
                named("https://x.example/not"),
                named("https://b.example/"),
                Listed {
                    absent: Some(Absence {
                        since: Timestamp(5),
                        secs: 86_400,
                    }),
                    ..named("https://c.example/")
                },
                Listed {
                    absent: Some(Absence::default()),
                    ..named("https://d.example/")
                },
            ],
            ..Roster::default()
        };
        let second = Roster {
            feeds: vec![named("https://b.example/"), named("https://d.example/")],
            ..Roster::default()
        };
        let known = |roster| Known {
            roster,
            ..Known::default()
        };
        let all = merged(own.clone(), vec![known(first), known(second)]);
        let urls: Vec<&str> = all.iter().map(|feed| feed.url.as_str()).collect();
        assert_eq!(
            urls,
            [
                "https://l.example/1",
                "https://b.example/",
                "https://c.example/",
                "https://own.example/f",
                "https://l.example/2",
                "https://d.example/",
            ]
        );
        assert_eq!(all[3], own[1]);
        let b = &all[1];
        assert_eq!((b.tags.join(" ").as_str(), b.mute), ("team/a/b team", true));
        let parked = all[2]
            .followed
            .as_ref()
            .and_then(|followed| followed.parked);
        assert_eq!(
            parked.map(|parked| (parked.since, parked.left)),
            Some((Timestamp(5), 6 * 86_400))
        );
    }

    #[test]
    fn a_public_list_names_no_address_of_a_private_network_nor_a_program() {
        let feeds = || {
            [
                "https://a.example/f#x",
                "https://A.example/f",
                "http://127.0.0.1/x",
                "http://192.168.0.1/x",
                "exec:rm",
                "file:/etc/passwd",
            ]
            .map(feed)
            .to_vec()
        };
        let urls =
            |listed: Vec<Listed>| listed.into_iter().map(|feed| feed.url).collect::<Vec<_>>();
        assert_eq!(urls(listed(feeds(), false)), ["https://a.example/f"]);
        assert_eq!(urls(listed(feeds(), true)).len(), 3);
    }
}
