//! Feeds of `feeds.toml` changed where they stand: muted, or under other tags. Comments and order stay.

use toml_edit::{Array, Item, TableLike, Value};

use super::edit::identity_of;
use super::error::ConfigError;
use super::identity::normalise;
use super::subscriptions::clean_tag;
use super::touch::touch;
use crate::model::Retune;

/// `text` with these feeds changed, named by URL as in the file or as normalised. A feed that is not there is passed over.
pub fn retune(text: &str, changes: &[(String, Retune)]) -> Result<String, ConfigError> {
    touch(text, &["feed", "list"], |table| {
        let identity = identity_of(table);
        let meant = |url: &str| normalise(url).unwrap_or_else(|_| url.to_owned()) == identity;
        for (_, change) in changes.iter().filter(|(url, _)| meant(url)) {
            change_table(table, change);
        }
    })
}

fn change_table(table: &mut dyn TableLike, change: &Retune) {
    match change {
        Retune::Mute(false) => drop(table.remove("mute")),
        Retune::Mute(true) => put(table, "mute", Value::from(true)),
        Retune::Tags(tags) => {
            if let Some(list) = table.get_mut("tags").and_then(Item::as_array_mut) {
                retag(list, tags);
            } else if !tags.is_empty() {
                let list: Array = tags.iter().map(String::as_str).collect();
                put(table, "tags", Value::Array(list));
            }
            let empty = |item: &Item| item.as_array().is_some_and(Array::is_empty);
            if table.get("tags").is_some_and(empty) {
                table.remove("tags");
            }
        }
    }
}

/// Sets a value; what stands around one that was there stays.
fn put(table: &mut dyn TableLike, name: &str, mut value: Value) {
    if let Some(Item::Value(old)) = table.get_mut(name) {
        *value.decor_mut() = old.decor().clone();
        *old = value;
    } else {
        table.insert(name, Item::Value(value));
    }
}

/// Makes a list hold these tags: what stays stands where it stood, one for one a new tag takes the place of one that goes.
fn retag(list: &mut Array, tags: &[String]) {
    let tag_of = |value: &Value| value.as_str().and_then(clean_tag).unwrap_or_default();
    let known: Vec<String> = list.iter().map(tag_of).collect();
    let mut fresh = tags.iter().filter(|tag| !known.contains(tag));
    let mut at = 0;
    while at < list.len() {
        if let Some(value) = list.get_mut(at)
            && !tags.contains(&tag_of(value))
        {
            let Some(tag) = fresh.next() else {
                list.remove(at);
                continue;
            };
            let decor = value.decor().clone();
            *value = Value::from(tag.as_str());
            *value.decor_mut() = decor;
        }
        at += 1;
    }
    for tag in fresh {
        list.push(tag.as_str());
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::subscriptions::subscriptions;

    const MINE: &str = r#"# mine
[[feed]]   # first
url   = "https://a.org/feed"   # official
tags  = [ "x", # why
  "tech/rust" ] # not
[feed.headers]
X-A = "1"

# the second
[[feed]]
url = "b.org"
mute = true # noisy
"#;

    fn tags(list: &[&str]) -> Retune {
        Retune::Tags(list.iter().map(|tag| (*tag).to_owned()).collect())
    }

    fn changed(text: &str, url: &str, change: Retune) -> String {
        retune(text, &[(url.to_owned(), change)]).expect("valid")
    }

    #[test]
    fn a_tag_takes_the_place_of_another_and_comments_stay() {
        assert_eq!(
            changed(MINE, "https://A.org/feed", tags(&["x", "tech/go"])),
            MINE.replace("tech/rust", "tech/go")
        );
        assert_eq!(
            changed(MINE, "https://b.org/", tags(&["new", "two"])),
            format!("{MINE}tags = [\"new\", \"two\"]\n")
        );
        let (read, _) = subscriptions(
            &changed(MINE, "https://a.org/feed", tags(&["one"])),
            Path::new(""),
        )
        .expect("valid");
        assert_eq!(read[0].tags, ["one"]);
        assert!(!changed(MINE, "https://a.org/feed", tags(&[])).contains("tags"));
    }

    #[test]
    fn a_feed_is_muted_and_heard_again() {
        let muted = changed(MINE, "https://a.org/feed", Retune::Mute(true));
        let (read, warnings) = subscriptions(&muted, Path::new("")).expect("valid");
        assert!(read.iter().all(|feed| feed.mute) && warnings.is_empty());
        assert!(muted.contains("# why") && muted.contains("# the second"));
        assert_eq!(
            changed(&muted, "https://a.org/feed", Retune::Mute(false)),
            MINE
        );
        assert_eq!(
            changed(MINE, "https://b.org/", Retune::Mute(false)),
            MINE.replace("mute = true # noisy\n", "")
        );
        assert_eq!(changed(MINE, "https://b.org/", Retune::Mute(true)), MINE);
    }

    #[test]
    fn inline_tables_and_other_line_ends_stay_what_they_are() {
        let text = "feed = [{ url = \"a.org\" }, # a\r\n  { url = \"b.org\", tags = [] }]\r\n";
        assert_eq!(
            changed(text, "https://b.org/", tags(&["x"])),
            text.replace("[] }", "[\"x\"] }")
        );
        let text = MINE.replace('\n', "\r\n");
        let muted = changed(&text, "https://a.org/feed", Retune::Mute(true));
        assert_eq!(muted.matches('\n').count(), muted.matches("\r\n").count());
    }

    #[test]
    fn a_feed_that_is_not_there_and_a_broken_file_change_nothing() {
        assert_eq!(changed(MINE, "https://x.org/", Retune::Mute(true)), MINE);
        assert_eq!(changed("", "https://x.org/", Retune::Mute(true)), "");
        assert!(retune("feed = 1", &[]).is_err());
    }
}
