//! `config.toml` edited: a setting is added where the user has none; what is set stays, and so does every comment.

use std::path::Path;

use toml_edit::{Array, DocumentMut, Item, Table, Value};

use super::error::ConfigError;
use super::own::{add_rule, add_smart, document, push};
use super::settings::settings;
use crate::model::{External, Handed, Macro, Rule, SmartFeed};

/// Something that is to stand in `config.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// A key of a table; `""` outside of any.
    Set {
        /// The table.
        table: &'static str,
        /// The key.
        key: String,
        /// What it is set to.
        value: Worth,
    },
    /// A list of the user's own.
    Smart(SmartFeed),
    /// A rule.
    Rule(Rule),
    /// Several things on a key.
    Macro(Macro),
    /// A program that gets the entry.
    Command(External),
}

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Worth {
    /// Text, durations included.
    Text(String),
    /// Yes or no.
    Flag(bool),
    /// A number.
    Count(u32),
    /// Several texts.
    List(Vec<String>),
}

/// What became of a wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Adoption {
    /// The text with it.
    Edited(String),
    /// It stands there already.
    Same,
    /// The user has set that key to something else, or has another list, macro or command of that name.
    Other,
}

/// `text` with what is wanted, where the user has said nothing about it.
///
/// # Errors
/// `text` is broken, or would be with it: a key that another one begins with, a value out of its range.
pub fn adopt(text: &str, wanted: &Wanted) -> Result<Adoption, ConfigError> {
    let mut document = document(text)?;
    if let Some(is_same) = has(text, &document, wanted)? {
        return Ok(if is_same {
            Adoption::Same
        } else {
            Adoption::Other
        });
    }
    let edited = match wanted {
        Wanted::Set { table, key, value } => {
            put(&mut document, table, key, value);
            apart(&document.to_string())
        }
        Wanted::Smart(smart) => add_smart(text, smart)?,
        Wanted::Rule(rule) => add_rule(text, rule)?,
        Wanted::Macro(one) => {
            let mut table = bound(&one.keys, &one.name);
            let steps = one.steps.iter().map(|step| step.text.clone());
            table.insert("do", list(&steps.collect::<Vec<_>>()));
            push(&mut document, "macro", table)?
        }
        Wanted::Command(one) => {
            let mut table = bound(&one.keys, &one.name);
            table.insert("run", list(&one.run));
            match one.stdin {
                Handed::Nothing => {}
                Handed::Text => drop(table.insert("stdin", toml_edit::value("text"))),
                Handed::Html => drop(table.insert("stdin", toml_edit::value("html"))),
                Handed::Json => drop(table.insert("stdin", toml_edit::value("json"))),
            }
            if one.terminal {
                table.insert("terminal", toml_edit::value(true));
            }
            push(&mut document, "command", table)?
        }
    };
    settings(&edited, Path::new(""))?;
    Ok(Adoption::Edited(edited))
}

/// How it is written in a file that has nothing else.
pub fn written(wanted: &Wanted) -> String {
    match adopt("", wanted) {
        Ok(Adoption::Edited(text)) => text,
        // Only what contradicts itself comes here; the file would refuse it too.
        Ok(Adoption::Same | Adoption::Other) | Err(_) => String::new(),
    }
}

/// The user has said something about it already: the same (true) or something else.
fn has(text: &str, document: &DocumentMut, wanted: &Wanted) -> Result<Option<bool>, ConfigError> {
    let (known, _) = settings(text, Path::new(""))?;
    Ok(match wanted {
        Wanted::Set { table, key, value } => {
            let table = match *table {
                "" => Some(document.as_table() as &dyn toml_edit::TableLike),
                table => document.get(table).and_then(Item::as_table_like),
            };
            let own = table.and_then(|table| table.get(key));
            own.map(|own| bare(own) == bare(&item(value)))
        }
        Wanted::Smart(smart) => {
            let own = known.ui.smart.iter().find(|own| own.name == smart.name);
            own.map(|own| own.query == smart.query)
        }
        Wanted::Rule(rule) => known
            .rules
            .iter()
            .any(|own| own.when == rule.when && own.acts == rule.acts)
            .then_some(true),
        Wanted::Macro(one) => {
            let own = known.ui.macros.iter().find(|own| own.name == one.name);
            let steps = |one: &Macro| -> Vec<String> {
                one.steps.iter().map(|step| step.text.clone()).collect()
            };
            own.map(|own| own.keys == one.keys && steps(own) == steps(one))
        }
        Wanted::Command(one) => {
            let own = known.ui.externals.iter().find(|own| own.name == one.name);
            own.map(|own| own == one)
        }
    })
}

/// A value without what stands around it.
fn bare(item: &Item) -> Option<String> {
    let mut value = item.as_value()?.clone();
    value.decor_mut().clear();
    if let Some(array) = value.as_array_mut() {
        array.fmt();
    }
    Some(value.to_string())
}

fn put(document: &mut DocumentMut, table: &str, key: &str, value: &Worth) {
    if table.is_empty() {
        document.insert(key, item(value));
        return;
    }
    let fresh = document.is_empty();
    let home = document.entry(table).or_insert_with(|| {
        let mut table = Table::new();
        if !fresh {
            table.decor_mut().set_prefix("\n");
        }
        Item::Table(table)
    });
    if let Some(home) = home.as_table_like_mut() {
        home.insert(key, item(value));
    }
}

/// `text` with a blank line before its first table, where a key of no table stands right above it.
fn apart(text: &str) -> String {
    let mut at = 0;
    let mut before = "";
    for line in text.split_inclusive('\n') {
        if line.starts_with('[') {
            let is_key = before.contains('=') && !before.starts_with('#');
            let blank = if is_key { "\n" } else { "" };
            return format!("{}{blank}{}", &text[..at], &text[at..]);
        }
        at += line.len();
        before = line;
    }
    text.to_owned()
}

fn item(value: &Worth) -> Item {
    match value {
        Worth::Text(text) => toml_edit::value(text.as_str()),
        Worth::Flag(flag) => toml_edit::value(*flag),
        Worth::Count(count) => toml_edit::value(i64::from(*count)),
        Worth::List(texts) => list(texts),
    }
}

fn list(texts: &[String]) -> Item {
    let array: Array = texts.iter().map(String::as_str).collect();
    Item::Value(Value::Array(array))
}

/// A table with its keys, where it has any, and its name.
fn bound(keys: &[String], name: &str) -> Table {
    let mut table = Table::new();
    match keys {
        [] => {}
        [key] => drop(table.insert("key", toml_edit::value(key.as_str()))),
        keys => drop(table.insert("key", list(keys))),
    }
    table.insert("name", toml_edit::value(name));
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{RuleAct, Step};

    const MINE: &str =
        "# mine\ntheme = \"light\" # bright\n\n[poll]\nbase = \"2h\" # often\n# the end\n";

    fn set(table: &'static str, key: &str, value: Worth) -> Wanted {
        Wanted::Set {
            table,
            key: key.to_owned(),
            value,
        }
    }

    #[test]
    fn what_is_not_set_is_added_in_its_table_and_comments_stay() {
        let wanted = [
            set("", "measure", Worth::Count(72)),
            set("", "theme", Worth::Text("dark".to_owned())),
            set("poll", "base", Worth::Text("1h".to_owned())),
            set("poll", "max", Worth::Text("12h".to_owned())),
            set("keep", "entries", Worth::Count(100)),
            set(
                "keys",
                "play",
                Worth::List(vec!["e".to_owned(), "P".to_owned()]),
            ),
        ];
        let mut text = MINE.to_owned();
        let mut set = Vec::new();
        for one in &wanted {
            let added = adopt(&text, one).expect("valid");
            set.push(added != Adoption::Other);
            if let Adoption::Edited(edited) = added {
                text = edited;
                assert_eq!(adopt(&text, one), Ok(Adoption::Same));
            }
        }
        assert_eq!(set, [true, false, false, true, true, true]);
        insta::assert_snapshot!(text, @r#"
        # mine
        theme = "light" # bright
        measure = 72

        [poll]
        base = "2h" # often
        max = "12h"

        [keep]
        entries = 100

        [keys]
        play = ["e", "P"]
        # the end
        "#);
    }

    #[test]
    fn tables_of_the_users_own_are_added_once() {
        let wanted = [
            Wanted::Smart(SmartFeed {
                name: "Unread".to_owned(),
                query: "unread".to_owned(),
            }),
            Wanted::Rule(Rule {
                when: "title:ad".to_owned(),
                acts: vec![RuleAct::Hide],
                ..Rule::default()
            }),
            Wanted::Macro(Macro {
                name: "on".to_owned(),
                keys: vec![", m".to_owned()],
                steps: vec![Step {
                    text: "toggle-read".to_owned(),
                    line: 0,
                }],
            }),
            Wanted::Command(External {
                name: "mpv".to_owned(),
                keys: vec![", v".to_owned()],
                run: vec!["mpv".to_owned(), "{url}".to_owned()],
                terminal: true,
                ..External::default()
            }),
        ];
        let mut text = String::new();
        for one in &wanted {
            let Ok(Adoption::Edited(edited)) = adopt(&text, one) else {
                panic!("{one:?}");
            };
            text = edited;
            assert_eq!(adopt(&text, one), Ok(Adoption::Same));
        }
        insta::assert_snapshot!(text, @r#"
        [[smart]]
        name = "Unread"
        query = "unread"

        [[rule]]
        when = "title:ad"
        do = "hide"

        [[macro]]
        key = ", m"
        name = "on"
        do = ["toggle-read"]

        [[command]]
        key = ", v"
        name = "mpv"
        run = ["mpv", "{url}"]
        terminal = true
        "#);
        assert_eq!(
            written(&wanted[0]),
            "[[smart]]\nname = \"Unread\"\nquery = \"unread\"\n"
        );
    }

    #[test]
    fn what_would_break_the_file_is_refused() {
        assert!(adopt("", &set("", "measure", Worth::Count(3))).is_err());
        let begins = set(
            "keys",
            "play",
            Worth::List(vec!["g".to_owned(), "g g".to_owned()]),
        );
        assert!(adopt("", &begins).is_err());
        assert!(adopt("theme = ", &set("", "measure", Worth::Count(80))).is_err());
    }
}
