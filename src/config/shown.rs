//! Every setting as it is in force, and where it comes from: the sample has all defaults, the user's file what is different.

use std::path::Path;

use serde_json::Value as Json;
use toml_edit::{Document, Item, TableLike, Value};

use super::SAMPLE_CONFIG;
use super::conflicts;
use super::error::ConfigError;
use super::reader::{Page, place};
use super::settings::{all_keys, settings};
use super::url::masked;

/// One setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Its table; empty outside of any. Of lists of tables `macro`, `command`, `share`, `smart`, `rule`.
    pub table: String,
    /// Which of the tables of that name, from 1; 0 where there can be one only.
    pub nth: usize,
    /// Its name.
    pub key: String,
    /// What it is; `None` where nothing is set and nothing is the default.
    pub value: Option<Json>,
    /// The line of the user's file, from 1; 0 for a default.
    pub line: usize,
}

/// Tables that come several times, in the order in which they are shown.
const LISTS: [&str; 5] = ["macro", "command", "share", "smart", "rule"];

/// Tables that are shown by themselves, not as keys of the top.
const TABLES: [&str; 5] = ["keys", "poll", "http", "keep", "push"];

/// All settings that `text` leaves in force, in the order of the sample; the user's own tables last.
///
/// # Errors
/// The first thing that is wrong with `text`.
pub fn shown(text: &str, file: &Path) -> Result<Vec<Setting>, ConfigError> {
    let page = Page::new(text, file);
    let (read, _) = settings(text, file)?;
    let own = page.parse()?;
    let sample = Page::new(SAMPLE_CONFIG, file);
    let sample = sample.parse()?;
    let mut all = Vec::new();
    for (table, key) in all_keys() {
        let is_table = match table {
            "" => LISTS.contains(&key) || TABLES.contains(&key),
            table => (table, key) == ("keep", "tags"),
        };
        if !is_table {
            all.push(setting(&page, &own, &sample, table, key));
        }
    }
    all.extend(limits(&page, &own));
    for (name, keys, is_own) in conflicts::effective(&page, &read.ui)? {
        let line = own.get("keys").and_then(Item::as_table_like);
        let line = line.and_then(|table| Some(page.line(place(table, &name, table.get(&name)?))));
        all.push(Setting {
            table: "keys".to_owned(),
            nth: 0,
            value: Some(Json::from(keys)),
            line: line.filter(|_| is_own).unwrap_or(0),
            key: name,
        });
    }
    for name in LISTS {
        all.extend(list(&page, &own, name));
    }
    Ok(all)
}

fn setting(
    page: &Page<'_>,
    own: &Document<&str>,
    sample: &Document<&str>,
    table: &str,
    key: &str,
) -> Setting {
    let found = table_of(own, table).and_then(|table| Some((table, table.get(key)?)));
    let default = || table_of(sample, table)?.get(key);
    Setting {
        table: table.to_owned(),
        nth: 0,
        key: key.to_owned(),
        value: found
            .map(|(_, item)| item)
            .or_else(default)
            .and_then(json_of),
        line: found.map_or(0, |(table, item)| page.line(place(table, key, item))),
    }
}

fn table_of<'a>(document: &'a Document<&str>, name: &str) -> Option<&'a dyn TableLike> {
    match name {
        "" => Some(document.as_table()),
        name => document.as_table().get(name)?.as_table_like(),
    }
}

/// `[keep.tags.TAG]`: only the user has any.
fn limits(page: &Page<'_>, own: &Document<&str>) -> Vec<Setting> {
    let tags = table_of(own, "keep").and_then(|keep| keep.get("tags")?.as_table_like());
    let mut all = Vec::new();
    for (tag, item) in tags.into_iter().flat_map(TableLike::iter) {
        if let Some(table) = item.as_table_like() {
            let name = format!("keep.tags.{}", Json::from(tag));
            all.extend(rows(page, table, &name, 0));
        }
    }
    all
}

/// The tables `[[name]]`.
fn list(page: &Page<'_>, own: &Document<&str>, name: &str) -> Vec<Setting> {
    let Some(item) = own.as_table().get(name) else {
        return Vec::new();
    };
    let tables: Vec<&dyn TableLike> = match (item.as_array_of_tables(), item.as_array()) {
        (Some(tables), _) => tables.iter().map(|table| table as &dyn TableLike).collect(),
        (None, Some(array)) => {
            let tables = array.iter().filter_map(Value::as_inline_table);
            tables.map(|table| table as &dyn TableLike).collect()
        }
        (None, None) => Vec::new(),
    };
    let numbered = tables.into_iter().zip(1..);
    numbered
        .flat_map(|(table, nth)| rows(page, table, name, nth))
        .collect()
}

fn rows(page: &Page<'_>, table: &dyn TableLike, name: &str, nth: usize) -> Vec<Setting> {
    let row = |(key, item): (&str, &Item)| Setting {
        table: name.to_owned(),
        nth,
        key: key.to_owned(),
        value: json_of(item),
        line: page.line(place(table, key, item)),
    };
    table.iter().map(row).collect()
}

/// A value of TOML as one of JSON; dates are their text.
pub(super) fn json_of(item: &Item) -> Option<Json> {
    item.as_value().map(value_of)
}

fn value_of(value: &Value) -> Json {
    match value {
        // A proxy may have a password in its address.
        Value::String(text) if text.value().contains("://") => Json::from(masked(text.value())),
        Value::String(text) => Json::from(text.value().as_str()),
        Value::Integer(number) => Json::from(*number.value()),
        Value::Float(number) => Json::from(*number.value()),
        Value::Boolean(flag) => Json::from(*flag.value()),
        Value::Datetime(date) => Json::from(date.value().to_string()),
        Value::Array(array) => array.iter().map(value_of).collect(),
        Value::InlineTable(table) => {
            let members = table
                .iter()
                .map(|(key, value)| (key.to_owned(), value_of(value)));
            Json::Object(members.collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Setting> {
        shown(text, Path::new("/c/config.toml")).expect("valid")
    }

    fn one<'a>(all: &'a [Setting], table: &str, key: &str) -> &'a Setting {
        let found = all.iter().find(|row| row.table == table && row.key == key);
        found.unwrap_or_else(|| panic!("[{table}] {key}: {all:#?}"))
    }

    #[test]
    fn a_default_has_no_line_and_what_the_user_wrote_has_its_own() {
        let all = read("theme = \"light\"\n[poll]\nbase = '2h'\n[keys]\nstar = \"m\"\n");
        let theme = one(&all, "", "theme");
        assert_eq!((theme.value.clone(), theme.line), (Some("light".into()), 1));
        assert_eq!(one(&all, "", "mouse").line, 0);
        assert!(one(&all, "", "mouse").value.is_some());
        let base = one(&all, "poll", "base");
        assert_eq!((base.value.clone(), base.line), (Some("2h".into()), 3));
        assert_eq!(one(&all, "http", "proxy").value, None, "nothing is set");
        let all_of = read("[http]\nproxy = \"http://me:secret@localhost:1\"\n");
        let proxy = one(&all_of, "http", "proxy").value.clone();
        assert_eq!(proxy, Some("http://***@localhost:1".into()));
        assert!(
            !all.iter()
                .any(|row| row.table.is_empty() && row.key == "poll")
        );
        // A key that the user gave away is missed where it was.
        let star = one(&all, "keys", "star");
        assert_eq!((star.value.clone(), star.line), (Some(vec!["m"].into()), 5));
        let taken = one(&all, "keys", "toggle-read");
        assert_eq!(
            (taken.value.clone(), taken.line),
            (Some(Json::Array(vec![])), 0)
        );
    }

    #[test]
    fn tables_of_the_users_own_come_last_with_their_numbers() {
        let text = "[[rule]]\nwhen = \"a\"\ndo = \"read\"\nuntil = 2027-01-01\n[[rule]]\nwhen = \"b\"\ndo = [\"star\"]\n\
                    [keep.tags.\"a b\"]\nage = \"3d\"\n[[macro]]\nkey = \"Q\"\ndo = [\"down\"]\n";
        let all = read(text);
        let rules: Vec<(usize, &str, usize)> = all
            .iter()
            .filter(|row| row.table == "rule")
            .map(|row| (row.nth, row.key.as_str(), row.line))
            .collect();
        assert_eq!(
            rules,
            [
                (1, "when", 2),
                (1, "do", 3),
                (1, "until", 4),
                (2, "when", 6),
                (2, "do", 7)
            ]
        );
        assert_eq!(one(&all, "rule", "until").value, Some("2027-01-01".into()));
        assert_eq!(one(&all, "keep.tags.\"a b\"", "age").line, 9);
        assert_eq!(one(&all, "macro", "do").value, Some(vec!["down"].into()));
    }

    #[test]
    fn what_is_broken_is_not_shown() {
        assert!(shown("theme = 3", Path::new("c")).is_err());
    }
}
