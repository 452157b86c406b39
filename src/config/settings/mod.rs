//! `config.toml` into `Settings`: one row a key, with its range; one file a table.

mod http;
pub(super) mod keep;
mod order;
mod own;
mod poll;
mod push;
#[cfg(test)]
mod tests;
mod top;

use std::path::Path;
use std::time::Duration;

use toml_edit::{Item, TableLike};

use super::bound;
use super::error::ConfigError;
use super::reader::{Key, Page, Section, closest, place, read_table};
use crate::model::Settings;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);
const WEEK: Duration = Duration::from_secs(7 * 86_400);

/// Reads `config.toml`. `file` is for the sentences only. Warnings are whole sentences.
pub fn settings(text: &str, file: &Path) -> Result<(Settings, Vec<String>), ConfigError> {
    let page = Page::new(text, file);
    let read = read(&page)?;
    page.whole(read)
}

/// What of `config.toml` could be read, everything that is wrong with it in the order of the file, and the warnings.
pub fn settings_faults(text: &str, file: &Path) -> (Settings, Vec<ConfigError>, Vec<String>) {
    let page = Page::new(text, file);
    match read(&page) {
        Ok((settings, warnings)) => (settings, page.faults(), warnings),
        Err(broken) => (Settings::default(), vec![broken], Vec::new()),
    }
}

/// Reads what can be read; what cannot is left with the page. Only broken TOML ends it.
fn read(page: &Page<'_>) -> Result<(Settings, Vec<String>), ConfigError> {
    let document = page.parse()?;
    let root = document.as_table();
    let mut settings = Settings::default();
    let mut warnings = Vec::new();
    page.note(read_table(
        page,
        Section(""),
        root,
        top::KEYS,
        &mut settings.ui,
        |wrong| nearest("", wrong),
        &mut warnings,
    ));
    let clean = page.faulty();
    if let Some(table) = section(page, root, "poll") {
        page.note(read_table(
            page,
            Section("poll"),
            table,
            poll::KEYS,
            &mut settings.poll,
            |wrong| nearest("poll", wrong),
            &mut warnings,
        ));
    }
    if let Some(table) = section(page, root, "http") {
        page.note(read_table(
            page,
            Section("http"),
            table,
            http::KEYS,
            &mut settings.http,
            |wrong| nearest("http", wrong),
            &mut warnings,
        ));
    }
    // Bounds against bounds, keys against keys: only where each is what its user wrote.
    if page.faulty() == clean {
        order::check(page, root, &settings);
    }
    if let Some(table) = section(page, root, "keep")
        && let Some(keep) = page.note(keep::read(page, table, &mut warnings))
    {
        settings.keep = keep;
    }
    if let Some(table) = section(page, root, "push") {
        settings.push = push::read(page, root, table, &mut warnings);
    }
    let clean = page.faulty();
    if let Some(table) = section(page, root, "keys") {
        settings.ui.keys = super::keys::read(page, table);
    }
    settings.ui.macros = bound::macros(page, root);
    settings.ui.externals = bound::externals(page, root);
    settings.ui.shares = bound::shares(page, root);
    if page.faulty() == clean {
        super::conflicts::check(page, root, &settings.ui);
    }
    settings.ui.smart = own::smart(page, root, &mut warnings);
    settings.rules = own::rules(page, root, &mut warnings);
    Ok((settings, warnings))
}

/// The line of a key in its table (`""`: outside of any), from 1, for mistakes that only another room can see, such as a
/// theme that is not there; 0 when it is not there.
pub fn line_of(text: &str, section: &str, key: &str) -> usize {
    let page = Page::new(text, Path::new(""));
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

/// The table `name`, or a fault where something else stands there.
fn section<'a>(
    page: &Page<'_>,
    root: &'a toml_edit::Table,
    name: &'static str,
) -> Option<&'a dyn TableLike> {
    let item = root.get(name)?;
    let table = item.as_table_like();
    if table.is_none() {
        let message = format!("{name} must be a table; begin it with a line [{name}]");
        page.fault(page.error(place(root, name, item), name.to_owned(), message));
    }
    table
}

/// Every valid key whose feature exists, with its table.
pub(super) fn all_keys() -> impl Iterator<Item = (&'static str, &'static str)> {
    fn names<T>(keys: &'static [Key<T>]) -> impl Iterator<Item = &'static str> {
        keys.iter().filter(|key| key.landed).map(|key| key.name)
    }
    let top = names(top::KEYS).map(|name| ("", name));
    let poll = names(poll::KEYS).map(|name| ("poll", name));
    let http = names(http::KEYS).map(|name| ("http", name));
    let keep = keep::names().map(|name| ("keep", name));
    let push = names(push::KEYS).map(|name| ("push", name));
    top.chain(poll).chain(http).chain(keep).chain(push)
}

/// The valid key that an unknown one most likely means: the same name in another table, else the most alike, its own table
/// preferred.
fn nearest(section: &str, wrong: &str) -> Option<String> {
    let show = |section: &str, name: &str| match (section, name) {
        ("", "smart" | "rule" | "macro" | "command" | "share") => format!("[[{name}]]"),
        ("", "poll" | "http" | "keep" | "keys" | "push") => format!("[{name}]"),
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
