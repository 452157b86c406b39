//! One feed of `feeds.toml` under another URL: only the text between the quotes changes, every other byte stays.

use std::ops::Range;
use std::path::Path;

use toml_edit::{Item, TableLike, Value};

use super::error::ConfigError;
use super::identity::normalise;
use super::reader::Page;
use super::subscriptions::subscriptions;

/// `text` with the URL of the feed `from` changed to `to`. `None`: the file holds no such feed.
pub fn readdress(text: &str, from: &str, to: &str) -> Result<Option<String>, ConfigError> {
    subscriptions(text, Path::new(""))?;
    let page = Page::new(text, Path::new(""));
    let document = page.parse()?;
    let Some(place) = document.get("feed").and_then(|feeds| place(feeds, from)) else {
        return Ok(None);
    };
    let value = Value::from(to).to_string();
    let changed = format!(
        "{}{}{}",
        &text[..place.start],
        value.trim(),
        &text[place.end..]
    );
    subscriptions(&changed, Path::new(""))?;
    Ok(Some(changed))
}

/// Where the URL of that feed stands, quotes included.
fn place(feeds: &Item, url: &str) -> Option<Range<usize>> {
    let wanted = identity(url);
    let in_table = |table: &dyn TableLike| {
        let value = table.get("url")?;
        let same = value.as_str().is_some_and(|url| identity(url) == wanted);
        same.then(|| value.span()).flatten()
    };
    match feeds {
        Item::ArrayOfTables(tables) => tables.iter().find_map(|table| in_table(table)),
        Item::Value(Value::Array(list)) => list
            .iter()
            .find_map(|value| in_table(value.as_inline_table()?)),
        _ => None,
    }
}

/// What two URLs of one subscription share; the text itself where it is no URL.
fn identity(url: &str) -> String {
    normalise(url).unwrap_or_else(|_| url.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINE: &str = r#"# mine
[[feed]]   # first
url   = 'https://a.org/feed'   # official
tags  = [ "x", ] # why

[[feed]]
title = "b"
url = "b.org/"
[feed.headers]
X-A = "https://a.org/feed"
"#;

    #[test]
    fn only_the_url_changes() {
        let changed =
            readdress(MINE, "https://A.org/feed", "https://c.org/x?a=\"b\"").expect("valid");
        let wanted = MINE.replacen("'https://a.org/feed'", "'https://c.org/x?a=\"b\"'", 1);
        assert_eq!(changed, Some(wanted));
        let changed = readdress(MINE, "https://b.org", "https://d.org/").expect("valid");
        assert_eq!(
            changed,
            Some(MINE.replace("\"b.org/\"", "\"https://d.org/\""))
        );
    }

    #[test]
    fn a_list_of_inline_tables_stays_one() {
        let text = "feed = [{ url = \"a.org\" }, # a\r\n  { url = \"b.org\", tags = [] }]\r\n";
        let changed = readdress(text, "https://b.org/", "https://c.org/").expect("valid");
        assert_eq!(
            changed,
            Some(text.replace("\"b.org\"", "\"https://c.org/\""))
        );
    }

    #[test]
    fn a_feed_that_is_not_there_and_a_broken_file_change_nothing() {
        assert_eq!(
            readdress(MINE, "https://x.org/", "https://c.org/"),
            Ok(None)
        );
        assert_eq!(readdress("", "https://x.org/", "https://c.org/"), Ok(None));
        assert!(readdress("feed = 1", "https://x.org/", "https://c.org/").is_err());
    }
}
