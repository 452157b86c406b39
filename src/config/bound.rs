//! `[[macro]]`, `[[command]]` and `[[share]]`: what the user makes of keys. Whether the steps of a macro exist is the reader's to say.

use toml_edit::{Item, TableLike, Value};

use super::error::ConfigError;
use super::keys::key_texts;
use super::reader::{Given, Key, Page, Section, anything, closest, place, read_table};
use crate::model::{External, Handed, Macro, Share, Step};

const MACRO: Section = Section("[macro]");
const COMMAND: Section = Section("[command]");
const SHARE: Section = Section("[share]");

/// In `[[macro]]`. What needs lines is read apart.
const MACRO_KEYS: &[Key<Macro>] = &[
    Key::new("name", |s, v| set(&mut s.name, v.text())),
    Key::new("key", anything),
    Key::new("do", anything),
];

/// In `[[command]]`.
const COMMAND_KEYS: &[Key<External>] = &[
    Key::new("name", |s, v| set(&mut s.name, v.text())),
    Key::new("key", anything),
    Key::new("run", |s, v| set(&mut s.run, program(v))),
    Key::new("stdin", |s, v| set(&mut s.stdin, handed(v))),
    Key::new("terminal", |s, v| set(&mut s.terminal, v.flag())),
];

/// In `[[share]]`.
const SHARE_KEYS: &[Key<Share>] = &[
    Key::new("name", |s, v| set(&mut s.name, v.text())),
    Key::new("key", anything),
    Key::new("url", |s, v| set(&mut s.url, target(v))),
];

fn set<V>(into: &mut V, value: Result<V, String>) -> Result<(), String> {
    *into = value?;
    Ok(())
}

/// Reads every `[[macro]]`.
pub(super) fn macros(page: &Page<'_>, root: &dyn TableLike) -> Vec<Macro> {
    let tables = page.note(tables(page, root, "macro")).unwrap_or_default();
    let read = |(at, table)| page.note(a_macro(page, at, table));
    tables.into_iter().filter_map(read).collect()
}

fn a_macro(page: &Page<'_>, at: usize, table: &dyn TableLike) -> Result<Macro, ConfigError> {
    let mut one = Macro::default();
    let near = |wrong: &str| nearest(wrong, MACRO_KEYS.iter().map(|key| key.name));
    let mut warnings = Vec::new();
    read_table(
        page,
        MACRO,
        table,
        MACRO_KEYS,
        &mut one,
        near,
        &mut warnings,
    )?;
    one.keys = keys(page, MACRO, table)?;
    one.steps = steps(page, table)?;
    if one.name.is_empty() {
        // Not by its steps: it would be one of them.
        let key = one.keys.first().map_or("", String::as_str);
        let name = format!("macro {key}");
        name.trim_end().clone_into(&mut one.name);
    }
    if one.steps.is_empty() {
        let message = "this macro does nothing; add a line do = [\"toggle-read\", \"next-unread\"]";
        return Err(page.error(at, MACRO.key("do"), message.to_owned()));
    }
    Ok(one)
}

/// Reads every `[[command]]`.
pub(super) fn externals(page: &Page<'_>, root: &dyn TableLike) -> Vec<External> {
    let tables = page.note(tables(page, root, "command")).unwrap_or_default();
    let read = |(at, table)| page.note(external(page, at, table));
    tables.into_iter().filter_map(read).collect()
}

fn external(page: &Page<'_>, at: usize, table: &dyn TableLike) -> Result<External, ConfigError> {
    let mut one = External::default();
    let near = |wrong: &str| nearest(wrong, COMMAND_KEYS.iter().map(|key| key.name));
    let mut warnings = Vec::new();
    read_table(
        page,
        COMMAND,
        table,
        COMMAND_KEYS,
        &mut one,
        near,
        &mut warnings,
    )?;
    one.keys = keys(page, COMMAND, table)?;
    if one.run.is_empty() {
        let message = "this command runs nothing; add a line run = [\"program\", \"{url}\"]";
        return Err(page.error(at, COMMAND.key("run"), message.to_owned()));
    }
    if one.name.is_empty() {
        one.name.clone_from(&one.run[0]);
    }
    Ok(one)
}

/// Reads every `[[share]]`.
pub(super) fn shares(page: &Page<'_>, root: &dyn TableLike) -> Vec<Share> {
    let tables = page.note(tables(page, root, "share")).unwrap_or_default();
    let read = |(at, table)| page.note(share(page, at, table));
    tables.into_iter().filter_map(read).collect()
}

fn share(page: &Page<'_>, at: usize, table: &dyn TableLike) -> Result<Share, ConfigError> {
    let mut one = Share::default();
    let near = |wrong: &str| nearest(wrong, SHARE_KEYS.iter().map(|key| key.name));
    let mut warnings = Vec::new();
    read_table(
        page,
        SHARE,
        table,
        SHARE_KEYS,
        &mut one,
        near,
        &mut warnings,
    )?;
    one.keys = keys(page, SHARE, table)?;
    for (name, value) in [("name", &one.name), ("url", &one.url)] {
        if value.is_empty() {
            let message = format!(
                "this [[share]] has no {name}; write name = \"Mail\" and url = \"mailto:?subject={{title}}&body={{url}}\""
            );
            return Err(page.error(at, SHARE.key(name), message));
        }
    }
    Ok(one)
}

/// An address of the web or of mail that has a place for the entry. Its beginning is the user's own: no entry decides where it
/// leads.
fn target(given: Given<'_>) -> Result<String, String> {
    let url = given.text()?;
    let rest = ["https://", "http://", "mailto:"]
        .iter()
        .find_map(|scheme| url.strip_prefix(scheme));
    let led = |rest: &str| match rest.find('{') {
        Some(0) => false,
        Some(brace) => url.starts_with("mailto:") || rest[..brace].contains(['/', '?', '#']),
        None => true,
    };
    match rest {
        Some(rest) if !led(rest) => given.wrong("must name where it leads before {url}"),
        Some(_) if url.contains(char::is_whitespace) => {
            given.wrong("must not hold blanks; write %20")
        }
        Some(rest) if rest.contains("{url}") || rest.contains("{title}") => Ok(url),
        Some(_) => given.wrong("has no place for the entry; write {url} or {title} into it"),
        None => given.wrong("must begin with https://, http:// or mailto:"),
    }
}

fn nearest(wrong: &str, names: impl Iterator<Item = &'static str>) -> Option<String> {
    closest(wrong, names).map(|(_, name)| name.to_owned())
}

/// The tables `[[name]]`, each with the offset of its beginning.
fn tables<'a>(
    page: &Page<'_>,
    root: &'a dyn TableLike,
    name: &str,
) -> Result<Vec<(usize, &'a dyn TableLike)>, ConfigError> {
    let Some(item) = root.get(name) else {
        return Ok(Vec::new());
    };
    let start = place(root, name, item);
    let Some(array) = item.as_array_of_tables() else {
        let message = format!("{name} must be a list of tables; begin each with a line [[{name}]]");
        return Err(page.error(start, name.to_owned(), message));
    };
    let one = |table: &'a toml_edit::Table| {
        let at = table.span().map_or(start, |span| span.start);
        (at, table as &dyn TableLike)
    };
    Ok(array.iter().map(one).collect())
}

fn keys(
    page: &Page<'_>,
    section: Section,
    table: &dyn TableLike,
) -> Result<Vec<String>, ConfigError> {
    match table.get("key") {
        Some(item) => key_texts(page, &section.key("key"), place(table, "key", item), item),
        None => Ok(Vec::new()),
    }
}

fn steps(page: &Page<'_>, table: &dyn TableLike) -> Result<Vec<Step>, ConfigError> {
    let Some(item) = table.get("do") else {
        return Ok(Vec::new());
    };
    let at = place(table, "do", item);
    let key = MACRO.key("do");
    let wrong = |why| page.error(at, key.clone(), format!("{key} {why}"));
    let texts = Given(item).list().map_err(wrong)?;
    let spans = item.as_array().into_iter().flatten().map(Value::span);
    let step = |(text, span): (String, Option<std::ops::Range<usize>>)| Step {
        text,
        line: page.line(span.map_or(at, |span| span.start)),
    };
    Ok(texts.into_iter().zip(spans).map(step).collect())
}

/// A program with its arguments. A line of words would leave open what a blank in a title does: a list it is.
fn program(given: Given<'_>) -> Result<Vec<String>, String> {
    if given.0.as_array().is_none() {
        return given.wrong(
            "must be a list of the program and its arguments, like [\"program\", \"{url}\"]",
        );
    }
    given.list()
}

fn handed(given: Given<'_>) -> Result<Handed, String> {
    match given.word(&["none", "text", "html", "json"])? {
        "text" => Ok(Handed::Text),
        "html" => Ok(Handed::Html),
        "json" => Ok(Handed::Json),
        _ => Ok(Handed::Nothing),
    }
}

/// Where the `nth` table `[[name]]` stands in the text, for sentences about its keys.
pub(super) fn key_place(root: &dyn TableLike, name: &str, nth: usize) -> usize {
    let table = root.get(name).and_then(Item::as_array_of_tables);
    let table = table.and_then(|tables| tables.get(nth));
    let found = table.and_then(|table| Some(place(table, "key", table.get("key")?)));
    found.unwrap_or(0)
}
