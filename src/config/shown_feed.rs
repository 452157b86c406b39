//! Every setting of one feed as it is in force: what stands in feeds.toml, what holds of all feeds, and what is not set.

use std::path::Path;

use serde_json::Value as Json;
use toml_edit::TableLike;

use super::error::ConfigError;
use super::identity::normalise;
use super::reader::{Page, place};
use super::shown::{Setting, json_of};
use super::subscriptions::{FEED, LIST, feed, feed_list, subscriptions, tables};
use super::url::masked;
use crate::model::{SourceKind, Subscription};

/// Flags that are off where nothing is said.
const FLAGS: [&str; 5] = ["shell", "a_im", "allow_http", "full_text", "mute"];

/// Reads a feed, or a list of feeds.
type Reading =
    fn(&Page<'_>, usize, &dyn TableLike, &mut Vec<String>) -> Result<Subscription, ConfigError>;

/// The feed that was meant.
#[derive(Debug, Clone, PartialEq)]
pub enum ShownFeed {
    /// No feed has this address, and none has it in its address or its own title.
    None,
    /// Several have; their addresses.
    Several(Vec<String>),
    /// It, and its settings in the order in which they are documented.
    One(Box<Subscription>, Vec<Setting>),
}

/// The settings of the feed that `sought` names: its address, or a part of it or of its own title.
///
/// # Errors
/// The first thing that is wrong with `text`.
pub fn shown_feed(text: &str, file: &Path, sought: &str) -> Result<ShownFeed, ConfigError> {
    let page = Page::new(text, file);
    // What is wrong anywhere is said first.
    subscriptions(text, file)?;
    let document = page.parse()?;
    let root = document.as_table();
    let mut feeds = Vec::new();
    for (name, read) in [("feed", feed as Reading), ("list", feed_list)] {
        let all = root.get(name).map(|item| tables(&page, root, name, item));
        for (at, table) in all.transpose()?.unwrap_or_default() {
            feeds.push((read(&page, at, table, &mut Vec::new())?, table));
        }
    }
    let exact = feeds
        .iter()
        .position(|(feed, _)| identity(&feed.url) == identity(sought));
    let meant: Vec<usize> = match exact {
        Some(at) => vec![at],
        None => (0..feeds.len())
            .filter(|at| has(&feeds[*at].0, sought))
            .collect(),
    };
    Ok(match meant[..] {
        [] => ShownFeed::None,
        [at] => {
            let (feed, table) = feeds.swap_remove(at);
            let (name, keys) = match feed.kind {
                SourceKind::List => ("list", LIST),
                SourceKind::Feed | SourceKind::Sitemap => ("feed", FEED),
            };
            let settings = keys.iter().map(|key| row(&page, table, (name, key.name)));
            ShownFeed::One(Box::new(feed), settings.collect())
        }
        _ => ShownFeed::Several(meant.iter().map(|at| masked(&feeds[*at].0.url)).collect()),
    })
}

fn identity(url: &str) -> String {
    normalise(url).unwrap_or_else(|_| url.to_owned())
}

fn has(feed: &Subscription, sought: &str) -> bool {
    let sought = sought.to_lowercase();
    let title = feed.title.as_deref().unwrap_or_default();
    [masked(&feed.url).as_str(), title]
        .iter()
        .any(|text| text.to_lowercase().contains(&sought))
}

fn row(page: &Page<'_>, table: &dyn TableLike, (of, key): (&str, &str)) -> Setting {
    let found = table.get(key);
    let default = || match key {
        "validators" => Some(Json::from("auto")),
        _ => FLAGS.contains(&key).then_some(Json::from(false)),
    };
    Setting {
        table: of.to_owned(),
        nth: 0,
        key: key.to_owned(),
        value: match (key, found) {
            (_, None) => default(),
            // Headers are where tokens stand.
            ("headers", Some(item)) => json_of(item).map(hidden),
            (_, Some(item)) => json_of(item),
        },
        line: found.map_or(0, |item| page.line(place(table, key, item))),
    }
}

/// The names of a table, and nothing of what they stand for.
fn hidden(value: Json) -> Json {
    match value {
        Json::Object(members) => {
            let hidden = members
                .into_iter()
                .map(|(name, _)| (name, Json::from("***")));
            Json::Object(hidden.collect())
        }
        _ => Json::from("***"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "[[feed]]\nurl = \"https://me:pw@a.example/feed\"\ntitle = \"Mine\"\nheaders = { X-Token = \"abc\" }\n\
        [[feed]]\nexec = [\"make\", \"b\"]\nmute = true\n[[feed]]\nurl = \"a.example/other\"\n";

    fn shown(sought: &str) -> ShownFeed {
        shown_feed(LIST, Path::new("/c/feeds.toml"), sought).expect("valid")
    }

    fn row_of(sought: &str, key: &str) -> (Option<Json>, usize) {
        let ShownFeed::One(_, rows) = shown(sought) else {
            panic!("{sought} is no feed");
        };
        let row = rows.into_iter().find(|row| row.key == key);
        row.map(|row| (row.value, row.line))
            .expect("a key of feeds")
    }

    #[test]
    fn a_feed_is_named_by_its_address_or_a_part_of_its_name() {
        let address = Some(Json::from("https://***@a.example/feed"));
        assert_eq!(row_of("https://me:pw@a.example/feed", "url"), (address, 2));
        assert_eq!(row_of("mine", "title").1, 3);
        assert_eq!(row_of("make b", "mute"), (Some(true.into()), 7));
        assert_eq!(row_of("other", "mute"), (Some(false.into()), 0));
        assert_eq!(row_of("other", "every"), (None, 0));
        assert_eq!(shown("nothing"), ShownFeed::None);
        assert!(matches!(shown("a.example"), ShownFeed::Several(urls) if urls.len() == 2));
        let list = "[[list]]\nopml = \"l.example/x\"\nmute = true\n";
        let found = shown_feed(list, Path::new("x"), "l.example").expect("valid");
        assert!(
            matches!(found, ShownFeed::One(_, rows) if rows[0].table == "list" && rows[0].key == "opml")
        );
        assert!(shown_feed("[[feed]]\n", Path::new("x"), "a").is_err());
    }

    #[test]
    fn no_password_and_no_token_is_shown() {
        let rows = format!("{:?}", shown("mine"));
        let rows = rows.split("Setting").skip(1).collect::<String>();
        assert!(!rows.contains("pw") && !rows.contains("abc"), "{rows}");
        assert!(rows.contains("X-Token"));
    }
}
