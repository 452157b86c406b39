//! Tables of the reader's look as text: its keys (`assets/keys.toml`, `[keys]`) and its themes (`themes/NAME.toml`).

use serde::Deserialize;
use toml_edit::{Item, TableLike, Value};

use super::error::ConfigError;
use super::reader::{Given, Page, Section, place};
use crate::article::sanitize;

/// The built-in key table.
const TABLE: &str = include_str!("../../assets/keys.toml");

/// One row of the key table.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyRow {
    /// The action's name.
    pub name: String,
    /// Its keys, as they are written in `[keys]`.
    pub keys: Vec<String>,
    /// What it does, a clause for the help.
    pub help: String,
    /// The heading it stands under.
    pub group: String,
    /// The places in which it holds; empty for everywhere.
    #[serde(default, rename = "where")]
    pub places: Vec<String>,
}

/// A table that cannot be read: the file, and what is wrong with it, line included.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct TableError {
    /// The file as the user knows it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, where.
    pub message: String,
}

impl TableError {
    fn new(text: &str, file: &str, error: &toml_edit::de::Error) -> Self {
        let page = Page::new(text, std::path::Path::new(file));
        Self {
            file: file.to_owned(),
            line: page.line(error.span().map_or(0, |span| span.start)),
            message: sanitize::line(error.message()),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyTable {
    action: Vec<KeyRow>,
}

/// The rows of the built-in key table: every action there is, in the order of the help.
pub fn key_table() -> Result<Vec<KeyRow>, TableError> {
    rows(TABLE, "assets/keys.toml")
}

/// The rows of a key table, in the order of the file. `file` is named in the error.
fn rows(text: &str, file: &str) -> Result<Vec<KeyRow>, TableError> {
    toml_edit::de::from_str::<KeyTable>(text)
        .map(|table| table.action)
        .map_err(|error| TableError::new(text, file, &error))
}

/// What a key is called, with no terminal in mind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyName {
    /// A character; case counts.
    Char(char),
    /// One of `NAMED`.
    Named(&'static str),
    /// `F1` to `F12`.
    F(u8),
}

/// A key as `[keys]` and `assets/keys.toml` write it: `j`, `G`, `^d`, `C-d`, `A-x`, `Enter`, `F5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyText {
    /// `^` or `C-` stands before it.
    pub control: bool,
    /// `A-` stands before it.
    pub alt: bool,
    /// The key itself.
    pub name: KeyName,
}

/// Keys that have names; the case of a name does not count.
const NAMED: [&str; 16] = [
    "Enter",
    "Esc",
    "S-Tab",
    "Tab",
    "Space",
    "Backspace",
    "Delete",
    "Insert",
    "Up",
    "Down",
    "Left",
    "Right",
    "Home",
    "End",
    "PageUp",
    "PageDown",
];

impl KeyText {
    /// Reads keys that are pressed one after the other, parted by blanks; `None` where one of them is none.
    pub fn sequence(text: &str) -> Option<Vec<Self>> {
        let keys: Option<Vec<Self>> = text.split_whitespace().map(Self::parse).collect();
        keys.filter(|keys| !keys.is_empty())
    }

    /// Reads a key; `None` where it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text;
        let (mut control, mut alt) = (false, false);
        loop {
            let one = rest.chars().count() == 1;
            if let Some(after) = rest.strip_prefix("C-").filter(|a| !a.is_empty()) {
                (control, rest) = (true, after);
            } else if let Some(after) = rest.strip_prefix("A-").filter(|a| !a.is_empty()) {
                (alt, rest) = (true, after);
            } else if let Some(after) = rest.strip_prefix('^').filter(|_| !one) {
                (control, rest) = (true, after);
            } else {
                break;
            }
        }
        let mut chars = rest.chars();
        let name = match (chars.next(), chars.next()) {
            (Some(c), None) if !c.is_control() => KeyName::Char(c),
            _ => NAMED
                .iter()
                .find(|name| name.eq_ignore_ascii_case(rest))
                .map(|name| KeyName::Named(name))
                .or_else(|| {
                    let number = rest.strip_prefix(['F', 'f'])?.parse().ok()?;
                    (1..=12).contains(&number).then_some(KeyName::F(number))
                })?,
        };
        Some(Self { control, alt, name })
    }
}

/// The name of an action that `name` most likely means.
pub(super) fn nearest_action<'a>(name: &str, rows: &'a [KeyRow]) -> Option<&'a str> {
    let alike = |known: &&str| strsim::damerau_levenshtein(known, &name.replace('_', "-"));
    rows.iter().map(|row| row.name.as_str()).min_by_key(alike)
}

/// Reads `[keys]`: `action = "x"` or `action = ["x", "^x"]`, actions and keys checked.
pub(super) fn read(page: &Page<'_>, table: &dyn TableLike) -> Vec<(String, Vec<String>)> {
    let actions = key_table().map_err(|error| page.error(0, String::new(), error.to_string()));
    let Some(actions) = page.note(actions) else {
        return Vec::new();
    };
    let mut keys = Vec::new();
    for (name, item) in table.iter() {
        let at = place(table, name, item);
        let key = Section("keys").key(name);
        if !actions.iter().any(|row| row.name == name) {
            let message = format!("unknown key \"{}\" in [keys]", sanitize::line(name));
            page.fault(ConfigError {
                nearest: nearest_action(name, &actions).map(str::to_owned),
                ..page.error(at, key, message)
            });
            continue;
        }
        if let Some(texts) = page.note(key_texts(page, &key, at, item)) {
            keys.push((name.to_owned(), texts));
        }
    }
    keys
}

/// One key or a list of them, each a key or several with blanks between. `key` names the line in sentences, `at` is its place.
pub(super) fn key_texts(
    page: &Page<'_>,
    key: &str,
    at: usize,
    item: &Item,
) -> Result<Vec<String>, ConfigError> {
    let given = Given(item);
    let texts = match item {
        Item::Value(Value::String(_)) => given.text().map(|key| vec![key]),
        _ => given.list(),
    };
    let texts = texts.map_err(|why| page.error(at, key.to_owned(), format!("{key} {why}")))?;
    for (nth, text) in texts.iter().enumerate() {
        if KeyText::sequence(text).is_none() {
            let at = item.as_array().and_then(|array| array.get(nth)?.span());
            let at = at.or_else(|| item.span()).map_or(0, |span| span.start);
            return Err(no_key(page, at, key.to_owned(), text));
        }
    }
    Ok(texts)
}

fn no_key(page: &Page<'_>, at: usize, key: String, text: &str) -> ConfigError {
    let shown = sanitize::line(text);
    let message = format!(
        "{key} = \"{shown}\" is no key; write one character, or a name such as Enter, Space or F5, with ^ or A- before it"
    );
    let alike =
        |known: &&&str| strsim::damerau_levenshtein(&known.to_lowercase(), &text.to_lowercase());
    let nearest = NAMED
        .iter()
        .min_by_key(alike)
        .filter(|name| alike(name) <= 2);
    // `gg`: two keys without the blank between them.
    let letters: Vec<String> = text.chars().map(String::from).collect();
    let parted = (letters.len() == 2).then(|| letters.join(" "));
    ConfigError {
        nearest: parted.or(nearest.map(|name| (*name).to_owned())),
        ..page.error(at, key, message)
    }
}

/// The lines of a theme: a name and how it looks (`bold cyan`, `on 236`), sorted by name.
pub fn theme(text: &str, file: &str) -> Result<Vec<(String, String)>, TableError> {
    toml_edit::de::from_str::<std::collections::BTreeMap<String, String>>(text)
        .map(|table| table.into_iter().collect())
        .map_err(|error| TableError::new(text, file, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_with_and_without_places() {
        let text = r#"
            [[action]]
            name = "down"
            keys = ["j"]
            help = "one row down"
            group = "Move"

            [[action]]
            name = "fold"
            keys = []
            help = "fold"
            group = "List"
            where = ["feeds"]
        "#;
        let rows = rows(text, "keys.toml").expect("readable");
        assert_eq!(rows[0].name, "down");
        assert!(rows[0].places.is_empty());
        assert_eq!(rows[1].places, ["feeds"]);
    }

    #[test]
    fn an_unreadable_table_names_its_file_and_line() {
        let error = rows("[[action]]\nname = 3\n", "keys.toml").expect_err("no text");
        assert!(error.to_string().starts_with("keys.toml:2: "), "{error}");
    }

    #[test]
    fn a_theme_is_a_table_of_words() {
        let lines = theme("text = \"\"\naccent = \"bold cyan\"\n", "dark.toml").expect("readable");
        assert_eq!(lines[0], ("accent".to_owned(), "bold cyan".to_owned()));
        assert!(theme("text = 3", "dark.toml").is_err());
    }

    #[test]
    fn a_key_is_a_character_or_a_name_with_its_modifiers() {
        let named = |name| KeyText {
            control: false,
            alt: false,
            name,
        };
        for (text, key) in [
            ("j", named(KeyName::Char('j'))),
            ("^", named(KeyName::Char('^'))),
            ("enter", named(KeyName::Named("Enter"))),
            ("F12", named(KeyName::F(12))),
            (
                "^d",
                KeyText {
                    control: true,
                    ..named(KeyName::Char('d'))
                },
            ),
            (
                "A-C-Up",
                KeyText {
                    control: true,
                    alt: true,
                    name: KeyName::Named("Up"),
                },
            ),
        ] {
            assert_eq!(KeyText::parse(text), Some(key), "{text}");
        }
        for text in ["", "jj", "F13", "Meta", "\u{1b}", "C-"] {
            assert_eq!(KeyText::parse(text), None, "{text:?}");
        }
    }
}
