//! `tidings rules`, `tidings rules test`.

use std::io::Write;

use serde::Serialize;

use super::ask::Asking;
use super::entries::list;
use super::json;
use super::say::{local, say};
use super::table::{Side, Table};
use super::{Context, Failure, exit, marks};
use crate::cli::{Rules, RulesAct};
use crate::engine::{Command, Event, RuleRow};
use crate::model::{ListSpec, RuleAct, Timestamp};
use crate::query::day_text;

/// Entries that a rule is tried on.
const TRIED: &str = "age:<30d";

/// One member of `rules --json`. The keys are an interface: they may gain members, never change.
#[derive(Debug, Serialize)]
struct Line<'a> {
    when: &'a str,
    #[serde(rename = "do")]
    acts: Vec<String>,
    run: &'a [String],
    until: Option<String>,
    hits: u64,
    last: Option<String>,
}

impl<'a> Line<'a> {
    fn of(row: &'a RuleRow) -> Self {
        Self {
            when: &row.rule.when,
            acts: row.rule.acts.iter().map(RuleAct::name).collect(),
            run: &row.rule.run,
            until: row.rule.until.map(day_text),
            hits: row.hits,
            last: row.last.map(Timestamp::rfc3339),
        }
    }
}

/// Lists the rules, or what one would have found.
pub(super) fn rules(wanted: &Rules, context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    match &wanted.act {
        Some(RulesAct::Test { query }) => test(&query.join(" "), wanted.json, context, out),
        None => show(wanted.json, context, out),
    }
}

fn show(as_json: bool, context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    let mut asking = Asking::start(context)?;
    let rows = asking.ask(
        |ticket| Command::ListRules { ticket },
        |event, ticket| match event {
            Event::Rules { ticket: of, rules } if of == ticket => Some(rules),
            _ => None,
        },
    )?;
    asking.end();
    if as_json {
        let mut array = json::Array::begin(out)?;
        for row in &rows {
            array.push(&Line::of(row))?;
        }
        array.end()?;
        return Ok(exit::WELL);
    }
    if rows.is_empty() {
        say("there are no rules; write [[rule]] tables into config.toml, or :rule in the reader");
        return Ok(exit::WELL);
    }
    let mut table = Table::new(&[
        ("HITS", Side::Right),
        ("LAST", Side::Left),
        ("DO", Side::Left),
        ("UNTIL", Side::Left),
        ("WHEN", Side::Left),
    ]);
    for row in &rows {
        let acts: Vec<String> = row.rule.acts.iter().map(RuleAct::name).collect();
        table.push(&[
            row.hits.to_string(),
            row.last.map_or_else(|| "-".to_owned(), local),
            acts.join(", "),
            row.rule.until.map_or_else(|| "-".to_owned(), day_text),
            row.rule.when.clone(),
        ]);
    }
    table.write(out)?;
    Ok(exit::WELL)
}

fn test(query: &str, as_json: bool, context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    marks::check(query)?;
    let spec = ListSpec {
        query: query.to_owned(),
        within: TRIED.to_owned(),
        ..ListSpec::default()
    };
    list(&spec, usize::MAX, as_json, context, out)
}
