//! `config.toml` edited: a list or a rule of the user's own is added; every other byte stays.

use std::path::Path;

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, Value};

use super::error::ConfigError;
use super::reader::Page;
use super::settings::settings;
use crate::model::{Rule, RuleAct, SmartFeed};
use crate::query;

/// `text` with this list at its end; one of the same name gets its query instead.
pub fn add_smart(text: &str, smart: &SmartFeed) -> Result<String, ConfigError> {
    let mut document = document(text)?;
    let known = document
        .get_mut("smart")
        .and_then(Item::as_array_of_tables_mut)
        .and_then(|tables| {
            let mut tables = tables.iter_mut();
            tables.find(|table| table.get("name").and_then(Item::as_str) == Some(&smart.name))
        });
    if let Some(Item::Value(query)) = known.and_then(|table| table.get_mut("query")) {
        let decor = query.decor().clone();
        *query = Value::from(smart.query.as_str());
        *query.decor_mut() = decor;
        return checked(&document.to_string());
    }
    let mut table = Table::new();
    table.insert("name", toml_edit::value(smart.name.as_str()));
    table.insert("query", toml_edit::value(smart.query.as_str()));
    push(&mut document, "smart", table)
}

/// `text` with this rule at its end.
pub fn add_rule(text: &str, rule: &Rule) -> Result<String, ConfigError> {
    let mut document = document(text)?;
    let mut table = Table::new();
    table.insert("when", toml_edit::value(rule.when.as_str()));
    let acts: Array = rule.acts.iter().map(RuleAct::name).collect();
    table.insert(
        "do",
        match rule.acts.as_slice() {
            [one] => toml_edit::value(one.name()),
            _ => toml_edit::value(acts),
        },
    );
    if !rule.run.is_empty() {
        let words: Array = rule.run.iter().map(String::as_str).collect();
        table.insert("run", toml_edit::value(words));
    }
    if let Some(until) = rule.until {
        table.insert("until", toml_edit::value(query::day_text(until)));
    }
    push(&mut document, "rule", table)
}

pub(super) fn document(text: &str) -> Result<DocumentMut, ConfigError> {
    let page = Page::new(text, Path::new(""));
    // For the sentence and the line; a document to be changed knows neither.
    page.parse()?;
    settings(text, Path::new(""))?;
    text.parse::<DocumentMut>()
        .map_err(|error| page.error(0, String::new(), error.message().to_owned()))
}

pub(super) fn push(
    document: &mut DocumentMut,
    name: &str,
    mut table: Table,
) -> Result<String, ConfigError> {
    // What stands behind the last table, comments mostly, stays before the new one.
    let trailing = document.trailing().as_str().unwrap_or_default().to_owned();
    let empty = document.as_table().is_empty() && trailing.trim().is_empty();
    let list = document
        .entry(name)
        .or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    if let Some(array) = list.as_array_mut() {
        array.push(table.into_inline_table());
        return checked(&document.to_string());
    }
    let blank = if empty || trailing.ends_with("\n\n") {
        ""
    } else {
        "\n"
    };
    table.decor_mut().set_prefix(format!("{trailing}{blank}"));
    if let Some(tables) = list.as_array_of_tables_mut() {
        let place = tables.len();
        tables.push(table);
        // At the end of the file, whatever stands between it and its like.
        if let Some(table) = tables.get_mut(place) {
            table.set_position(Some(isize::MAX));
        }
        document.set_trailing("");
    }
    checked(&document.to_string())
}

fn checked(text: &str) -> Result<String, ConfigError> {
    settings(text, Path::new(""))?;
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINE: &str = "# mine\ntheme = \"light\" # bright\n\n[[smart]]\nname = \"Rust\"\nquery = \"rust\" # all of it\n\n[poll]\nbase = \"2h\"\n# the end\n";

    fn smart(name: &str, query: &str) -> SmartFeed {
        SmartFeed {
            name: name.to_owned(),
            query: query.to_owned(),
        }
    }

    #[test]
    fn a_list_is_added_at_the_end_and_every_comment_stays() {
        assert_eq!(
            add_smart("", &smart("A b", "x \"y z\"")).expect("valid"),
            "[[smart]]\nname = \"A b\"\nquery = 'x \"y z\"'\n"
        );
        assert_eq!(
            add_smart(MINE, &smart("New", "tag:x")).expect("valid"),
            format!("{MINE}\n[[smart]]\nname = \"New\"\nquery = \"tag:x\"\n")
        );
        assert_eq!(
            add_smart(MINE, &smart("Rust", "title:rust")).expect("valid"),
            MINE.replace("\"rust\" #", "\"title:rust\" #")
        );
    }

    #[test]
    fn a_rule_is_added_at_the_end() {
        let rule = Rule {
            when: "title:sponsored".to_owned(),
            acts: vec![RuleAct::Hide, RuleAct::Run],
            run: vec!["logger".to_owned(), "x y".to_owned()],
            until: query::day("2027-06-30"),
        };
        let text = add_rule(MINE, &rule).expect("valid");
        assert_eq!(
            text,
            format!(
                "{MINE}\n[[rule]]\nwhen = \"title:sponsored\"\ndo = [\"hide\", \"run\"]\nrun = [\"logger\", \"x y\"]\nuntil = \"2027-06-30\"\n"
            )
        );
        let (read, _) = settings(&text, Path::new("")).expect("valid");
        assert_eq!(read.rules, [rule]);
    }

    #[test]
    fn a_broken_file_is_not_edited() {
        assert!(add_smart("theme = ", &smart("a", "b")).is_err());
        assert!(add_smart("", &smart("a", "b (")).is_err());
    }
}
