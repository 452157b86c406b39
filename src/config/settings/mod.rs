//! `config.toml` into `Settings`: one row a key, with its range; one file a table.

mod http;
pub(super) mod keep;
mod order;
mod own;
mod poll;
#[cfg(test)]
mod tests;
mod top;

use std::path::Path;
use std::time::Duration;

use toml_edit::{Item, TableLike};

use super::bound;
use super::error::ConfigError;
use super::reader::{Page, Section, closest, place, read_table};
use crate::model::Settings;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);
const WEEK: Duration = Duration::from_secs(7 * 86_400);

/// Reads `config.toml`. `file` is for the sentences only. Warnings are whole sentences.
pub fn settings(text: &str, file: &Path) -> Result<(Settings, Vec<String>), ConfigError> {
    let page = Page { text, file };
    let document = page.parse()?;
    let root = document.as_table();
    let mut settings = Settings::default();
    let mut warnings = Vec::new();
    read_table(
        &page,
        Section(""),
        root,
        top::KEYS,
        &mut settings.ui,
        |wrong| nearest("", wrong),
        &mut warnings,
    )?;
    if let Some(table) = section(&page, root, "poll")? {
        read_table(
            &page,
            Section("poll"),
            table,
            poll::KEYS,
            &mut settings.poll,
            |wrong| nearest("poll", wrong),
            &mut warnings,
        )?;
    }
    if let Some(table) = section(&page, root, "http")? {
        read_table(
            &page,
            Section("http"),
            table,
            http::KEYS,
            &mut settings.http,
            |wrong| nearest("http", wrong),
            &mut warnings,
        )?;
    }
    if let Some(table) = section(&page, root, "keep")? {
        settings.keep = keep::read(&page, table, &mut warnings)?;
    }
    if let Some(table) = section(&page, root, "keys")? {
        settings.ui.keys = super::keys::read(&page, table)?;
    }
    settings.ui.macros = bound::macros(&page, root)?;
    settings.ui.externals = bound::externals(&page, root)?;
    super::conflicts::check(&page, root, &settings.ui)?;
    settings.ui.smart = own::smart(&page, root, &mut warnings)?;
    settings.rules = own::rules(&page, root, &mut warnings)?;
    order::check(&page, root, &settings)?;
    Ok((settings, warnings))
}

/// The line of a key in its table (`""`: outside of any), from 1, for mistakes that only another room can see, such as a
/// theme that is not there; 0 when it is not there.
pub fn line_of(text: &str, section: &str, key: &str) -> usize {
    let page = Page {
        text,
        file: Path::new(""),
    };
    let Ok(document) = page.parse() else {
        return 0;
    };
    let table = match section {
        "" => Some(document.as_table() as &dyn TableLike),
        section => document.get(section).and_then(Item::as_table_like),
    };
    let found = table.and_then(|table| Some(place(table, key, table.get(key)?)));
    found.map_or(0, |at| page.line(at))
}

fn set<V>(into: &mut V, value: Result<V, String>) -> Result<(), String> {
    *into = value?;
    Ok(())
}

/// The table `name`, or an error where something else stands there.
fn section<'a>(
    page: &Page<'_>,
    root: &'a toml_edit::Table,
    name: &'static str,
) -> Result<Option<&'a dyn TableLike>, ConfigError> {
    let Some(item) = root.get(name) else {
        return Ok(None);
    };
    item.as_table_like().map(Some).ok_or_else(|| {
        page.error(
            place(root, name, item),
            name.to_owned(),
            format!("{name} must be a table; begin it with a line [{name}]"),
        )
    })
}

/// Every valid key with its table.
fn all_keys() -> impl Iterator<Item = (&'static str, &'static str)> {
    let top = top::KEYS.iter().map(|key| ("", key.name));
    let poll = poll::KEYS.iter().map(|key| ("poll", key.name));
    let http = http::KEYS.iter().map(|key| ("http", key.name));
    let keep = keep::names().map(|name| ("keep", name));
    top.chain(poll).chain(http).chain(keep)
}

/// The valid key that an unknown one most likely means: the same name in another table, else the most alike, its own table
/// preferred.
fn nearest(section: &str, wrong: &str) -> Option<String> {
    let show = |section: &str, name: &str| match (section, name) {
        ("", "smart" | "rule" | "macro" | "command") => format!("[[{name}]]"),
        ("", "poll" | "http" | "keep" | "keys") => format!("[{name}]"),
        ("", name) => name.to_owned(),
        (section, name) => format!("{name} in [{section}]"),
    };
    if let Some((home, name)) = all_keys().find(|(_, name)| *name == wrong) {
        return Some(show(home, name));
    }
    let own = closest(
        wrong,
        all_keys()
            .filter(|(s, _)| *s == section)
            .map(|(_, name)| name),
    );
    let other = all_keys()
        .filter_map(|(s, name)| {
            closest(wrong, std::iter::once(name)).map(|(score, _)| (score, s, name))
        })
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match (own, other) {
        // Another table must look much better than the one the user was in.
        (Some((own, _)), Some((score, home, name))) if score > own + 0.1 => Some(show(home, name)),
        (Some((_, name)), _) => Some(show(section, name)),
        (None, other) => other.map(|(_, home, name)| show(home, name)),
    }
}
