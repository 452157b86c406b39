//! `[[smart]]` and `[[rule]]`: lists and rules of the user's own.

use toml_edit::{Item, TableLike};

use super::super::error::ConfigError;
use super::super::reader::{Given, Key, Page, Section, closest, place, read_table};
use super::super::subscriptions::clean_tag;
use super::set;
use crate::article::sanitize;
use crate::model::{Rule, RuleAct, SmartFeed};
use crate::query;

const SMART: &[Key<SmartFeed>] = &[
    Key::new("name", |s, v| set(&mut s.name, v.text())),
    Key::new("query", |s, v| set(&mut s.query, v.text())),
];

const RULE: &[Key<Rule>] = &[
    Key::new("when", |s, v| set(&mut s.when, v.text())),
    Key::new("do", |s, v| set(&mut s.acts, acts(v))),
    Key::new("run", |s, v| set(&mut s.run, v.list())),
    Key::new("until", |s, v| set(&mut s.until, day(v).map(Some))),
];

/// The lists, in the order of the file.
pub(super) fn smart(
    page: &Page<'_>,
    root: &toml_edit::Table,
    warnings: &mut Vec<String>,
) -> Vec<SmartFeed> {
    let mut found: Vec<SmartFeed> = Vec::new();
    for table in page.note(tables(page, root, "smart")).unwrap_or_default() {
        let Some(smart) = page.note(a_list(page, table, warnings)) else {
            continue;
        };
        if found.iter().any(|known| known.name == smart.name) {
            let at = table
                .get("name")
                .map_or(0, |item| place(table, "name", item));
            let message = format!(
                "[smart] name = \"{}\" stands here twice; give this one another",
                smart.name
            );
            page.fault(page.error(at, Section("smart").key("name"), message));
        }
        found.push(smart);
    }
    found
}

fn a_list(
    page: &Page<'_>,
    table: &dyn TableLike,
    warnings: &mut Vec<String>,
) -> Result<SmartFeed, ConfigError> {
    let mut smart = SmartFeed::default();
    let near = |wrong: &str| near(SMART, "smart", wrong);
    let section = Section("smart");
    read_table(page, section, table, SMART, &mut smart, near, warnings)?;
    needs(page, table, "smart", &["name", "query"])?;
    check_query(page, table, "smart", "query", &smart.query)?;
    Ok(smart)
}

/// The rules, in the order of the file.
pub(super) fn rules(
    page: &Page<'_>,
    root: &toml_edit::Table,
    warnings: &mut Vec<String>,
) -> Vec<Rule> {
    let tables = page.note(tables(page, root, "rule")).unwrap_or_default();
    let mut read = |table| page.note(a_rule(page, table, warnings));
    tables.into_iter().filter_map(&mut read).collect()
}

fn a_rule(
    page: &Page<'_>,
    table: &dyn TableLike,
    warnings: &mut Vec<String>,
) -> Result<Rule, ConfigError> {
    let mut rule = Rule::default();
    let near = |wrong: &str| near(RULE, "rule", wrong);
    read_table(
        page,
        Section("rule"),
        table,
        RULE,
        &mut rule,
        near,
        warnings,
    )?;
    needs(page, table, "rule", &["when", "do"])?;
    check_query(page, table, "rule", "when", &rule.when)?;
    let runs = rule.acts.contains(&RuleAct::Run);
    if runs == rule.run.is_empty() {
        let (key, message) = if runs {
            (
                "do",
                "[rule] do = \"run\" needs the command beside it: run = [\"program\", \"argument\"]",
            )
        } else {
            (
                "run",
                "[rule] run stands here, but is not done; write do = \"run\"",
            )
        };
        let at = table.get(key).map_or(0, |item| place(table, key, item));
        return Err(page.error(at, Section("rule").key(key), message.to_owned()));
    }
    Ok(rule)
}

fn near<T>(keys: &[Key<T>], section: &str, wrong: &str) -> Option<String> {
    let (_, name) = closest(wrong, keys.iter().map(|key| key.name))?;
    Some(format!("{name} in [[{section}]]"))
}

/// The tables of that name, written as `[[name]]` or as a list of inline tables.
fn tables<'a>(
    page: &Page<'_>,
    root: &'a toml_edit::Table,
    name: &'static str,
) -> Result<Vec<&'a dyn TableLike>, ConfigError> {
    let Some(item) = root.get(name) else {
        return Ok(Vec::new());
    };
    if let Some(tables) = item.as_array_of_tables() {
        return Ok(tables.iter().map(|table| table as &dyn TableLike).collect());
    }
    let inline = item.as_array().map(|array| {
        let tables = array.iter().map(|value| {
            let table = value.as_inline_table();
            table.map(|table| table as &dyn TableLike)
        });
        tables.collect::<Option<Vec<_>>>()
    });
    inline.flatten().ok_or_else(|| {
        let message = format!("{name} must be a list of tables; begin each with a line [[{name}]]");
        page.error(place(root, name, item), name.to_owned(), message)
    })
}

/// A table without what it cannot do without.
fn needs(
    page: &Page<'_>,
    table: &dyn TableLike,
    section: &'static str,
    names: &[&str],
) -> Result<(), ConfigError> {
    let Some(missing) = names.iter().find(|name| !table.contains_key(name)) else {
        return Ok(());
    };
    let first = table.iter().next();
    let at = first.map_or(0, |(name, item)| place(table, name, item));
    let message = format!("this [[{section}]] has no {missing}");
    Err(page.error(at, Section(section).key(missing), message))
}

/// A query that cannot be read, with the column in the file where it goes wrong.
fn check_query(
    page: &Page<'_>,
    table: &dyn TableLike,
    section: &'static str,
    key: &str,
    text: &str,
) -> Result<(), ConfigError> {
    let Err(error) = query::parse(text) else {
        return Ok(());
    };
    let at = table
        .get(key)
        .and_then(Item::span)
        .map_or(0, |span| span.start);
    let line = page.text.get(..at).unwrap_or_default();
    let before = line.rsplit('\n').next().unwrap_or_default().chars().count();
    // As it stands there, without escapes: then the columns of the file can be counted.
    let plain = page
        .text
        .get(at + 1..)
        .is_some_and(|rest| rest.starts_with(text));
    let place = if plain {
        format!("column {}", before + 1 + error.column)
    } else {
        format!("column {} of the query", error.column)
    };
    let message = format!(
        "{place}: [{section}] {key}: {}",
        sanitize::line(&error.message)
    );
    Err(page.error(at, Section(section).key(key), message))
}

/// One act, or a list of them.
fn acts(given: Given<'_>) -> Result<Vec<RuleAct>, String> {
    let names = if given.0.as_str().is_some() {
        vec![given.text()?]
    } else {
        given.list()?
    };
    if names.is_empty() {
        return given.wrong("must name what is done");
    }
    let known = RuleAct::ALL.map(|(_, name)| name);
    let act = |name: &String| {
        let act = match RuleAct::named(name) {
            Some(RuleAct::Tag(tag)) => clean_tag(&tag).map(RuleAct::Tag),
            act => act,
        };
        act.ok_or_else(|| {
            format!(
                "does not know \"{}\"; it is one of {}, tag: and a tag, or a list of them",
                sanitize::line(name),
                known.join(", ")
            )
        })
    };
    names.iter().map(act).collect()
}

/// A day: `"2026-12-31"`, or a date of TOML.
fn day(given: Given<'_>) -> Result<i64, String> {
    let text = match given.0.as_datetime() {
        Some(date) => date.to_string(),
        None => given.0.as_str().unwrap_or_default().trim().to_owned(),
    };
    match query::day(&text) {
        Some(day) => Ok(day),
        None => given.wrong("is no day; write it like \"2026-12-31\""),
    }
}
