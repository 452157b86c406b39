//! Keys against keys: none may be given twice, and none may be the beginning of another, where both hold.

use toml_edit::TableLike;

use super::bound;
use super::error::ConfigError;
use super::keys::{KeyRow, KeyText, key_table};
use super::reader::{Page, Section, place};
use crate::model::UiSettings;

/// Where the user's own keys hold.
const OWN_PLACES: [&str; 4] = ["feeds", "entries", "article", "status"];

/// One key with what it does.
struct Bound {
    what: String,
    keys: Vec<KeyText>,
    text: String,
    places: Vec<String>,
    /// Where the user wrote it; `None` for a built-in one.
    at: Option<usize>,
}

/// Checks what the user bound against itself and against the built-in keys that are left.
pub(super) fn check(page: &Page<'_>, root: &dyn TableLike, ui: &UiSettings) {
    let rows = key_table().map_err(|error| page.error(0, String::new(), error.to_string()));
    let Some(rows) = page.note(rows) else {
        return;
    };
    let mut bound = users(root, &rows, ui);
    let taken = |text: &Bound| {
        bound
            .iter()
            .any(|own| own.keys == text.keys && overlap(&own.places, &text.places))
    };
    let set = |row: &&KeyRow| !ui.keys.iter().any(|(name, _)| *name == row.name);
    let built_in: Vec<Bound> = rows
        .iter()
        .filter(set)
        .flat_map(|row| of(&row.name, &row.keys, &row.places, None))
        .filter(|key| !taken(key))
        .collect();
    bound.extend(built_in);
    // One fault a line: a key that begins many others is one thing to mend.
    let mut told = Vec::new();
    for (nth, one) in bound.iter().enumerate() {
        for other in bound.iter().skip(nth + 1) {
            if let Some((at, message)) = conflict(one, other)
                && !told.contains(&at)
            {
                told.push(at);
                page.fault(page.error(at, Section("keys").key(&one.what), message));
            }
        }
    }
}

/// Every action with the keys that are left to it, and whether the user gave it these.
pub(super) fn effective(
    page: &Page<'_>,
    ui: &UiSettings,
) -> Result<Vec<(String, Vec<String>, bool)>, ConfigError> {
    let rows = key_table().map_err(|error| page.error(0, String::new(), error.to_string()))?;
    let taken = users(&toml_edit::Table::new(), &rows, ui);
    let left = |row: &KeyRow| {
        if let Some((_, keys)) = ui.keys.iter().find(|(name, _)| *name == row.name) {
            return (row.name.clone(), keys.clone(), true);
        }
        let keys = of(&row.name, &row.keys, &row.places, None);
        let free = keys.into_iter().filter(|key| {
            let by = |own: &Bound| own.keys == key.keys && overlap(&own.places, &key.places);
            !taken.iter().any(by)
        });
        (row.name.clone(), free.map(|key| key.text).collect(), false)
    };
    Ok(rows.iter().map(left).collect())
}

/// What the user wrote: `[keys]`, then macros, then commands.
fn users(root: &dyn TableLike, rows: &[KeyRow], ui: &UiSettings) -> Vec<Bound> {
    let mut bound = Vec::new();
    let table = root.get("keys").and_then(toml_edit::Item::as_table_like);
    for (name, keys) in &ui.keys {
        let row = rows.iter().find(|row| row.name == *name);
        let places = row.map_or(&[][..], |row| &row.places);
        let at = table.and_then(|table| Some(place(table, name, table.get(name)?)));
        bound.extend(of(name, keys, places, Some(at.unwrap_or(0))));
    }
    let places = OWN_PLACES.map(str::to_owned);
    for (nth, one) in ui.macros.iter().enumerate() {
        let at = bound::key_place(root, "macro", nth);
        bound.extend(of(
            &format!("the macro \"{}\"", one.name),
            &one.keys,
            &places,
            Some(at),
        ));
    }
    for (nth, one) in ui.externals.iter().enumerate() {
        let at = bound::key_place(root, "command", nth);
        bound.extend(of(
            &format!("the command \"{}\"", one.name),
            &one.keys,
            &places,
            Some(at),
        ));
    }
    for (nth, one) in ui.shares.iter().enumerate() {
        let at = bound::key_place(root, "share", nth);
        let what = format!("the share target \"{}\"", one.name);
        bound.extend(of(&what, &one.keys, &places, Some(at)));
    }
    bound
}

fn of(what: &str, keys: &[String], places: &[String], at: Option<usize>) -> Vec<Bound> {
    let one = |text: &String| {
        Some(Bound {
            what: what.to_owned(),
            keys: KeyText::sequence(text)?,
            text: text.clone(),
            places: places.to_vec(),
            at,
        })
    };
    keys.iter().filter_map(one).collect()
}

fn overlap(one: &[String], other: &[String]) -> bool {
    one.is_empty() || other.is_empty() || one.iter().any(|place| other.contains(place))
}

/// What is wrong with the two, and where the user wrote the later of them.
fn conflict(one: &Bound, other: &Bound) -> Option<(usize, String)> {
    let at = one.at.max(other.at)?;
    if one.what == other.what && one.keys == other.keys {
        return None;
    }
    let (short, long) = if one.keys.len() <= other.keys.len() {
        (one, other)
    } else {
        (other, one)
    };
    if !long.keys.starts_with(&short.keys) || !overlap(&one.places, &other.places) {
        return None;
    }
    let message = if long.keys.len() == short.keys.len() {
        format!(
            "the key \"{}\" is given to {} and to {}; give one of them another",
            one.text, one.what, other.what
        )
    } else {
        format!(
            "the key \"{}\" of {} is the beginning of \"{}\" of {}, which could never be typed; give one of them another",
            short.text, short.what, long.text, long.what
        )
    };
    Some((at, message))
}
