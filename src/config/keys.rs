//! Tables of the reader's look as text: its keys (`assets/keys.toml`) and its themes (`themes/NAME.toml`).

use serde::Deserialize;

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
#[error("{file}: {message}")]
pub struct TableError {
    /// The file as the user knows it.
    pub file: String,
    /// What is wrong, where.
    pub message: String,
}

impl TableError {
    fn new(file: &str, error: &toml_edit::de::Error) -> Self {
        Self {
            file: file.to_owned(),
            message: error.to_string().trim_end().to_owned(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyTable {
    action: Vec<KeyRow>,
}

/// The rows of a key table, in the order of the file. `file` is named in the error.
pub fn keys(text: &str, file: &str) -> Result<Vec<KeyRow>, TableError> {
    toml_edit::de::from_str::<KeyTable>(text)
        .map(|table| table.action)
        .map_err(|error| TableError::new(file, &error))
}

/// The lines of a theme: a name and how it looks (`bold cyan`, `on 236`), sorted by name.
pub fn theme(text: &str, file: &str) -> Result<Vec<(String, String)>, TableError> {
    toml_edit::de::from_str::<std::collections::BTreeMap<String, String>>(text)
        .map(|table| table.into_iter().collect())
        .map_err(|error| TableError::new(file, &error))
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
        let rows = keys(text, "keys.toml").expect("readable");
        assert_eq!(rows[0].name, "down");
        assert!(rows[0].places.is_empty());
        assert_eq!(rows[1].places, ["feeds"]);
    }

    #[test]
    fn an_unreadable_table_names_its_file_and_line() {
        let error = keys("[[action]]\nname = 3\n", "keys.toml").expect_err("no text");
        assert!(error.to_string().starts_with("keys.toml: "), "{error}");
        assert!(error.to_string().contains("line 2"), "{error}");
    }

    #[test]
    fn a_theme_is_a_table_of_words() {
        let lines = theme("text = \"\"\naccent = \"bold cyan\"\n", "dark.toml").expect("readable");
        assert_eq!(lines[0], ("accent".to_owned(), "bold cyan".to_owned()));
        assert!(theme("text = 3", "dark.toml").is_err());
    }
}
