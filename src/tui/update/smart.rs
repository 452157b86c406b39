//! Lists and rules of the user's own: counted, saved, tried.

use crate::engine::protocol::{Command, Own, Ticket};
use crate::model::{ListSpec, Rule, RuleAct, SmartFeed};
use crate::query::{self, Expr};

use super::super::model::{Model, Overlay};
use super::super::msg::Effect;
use super::super::say;
use super::super::tree::Choice;
use super::{prompt, send};

/// Seconds between two counts while feeds are asked.
const BUSY: i64 = 5;

/// Entries that a rule is tried on.
const TRIED: &str = "age:<30d";

/// Asks for the counts where they may be old.
pub fn settle(model: &mut Model, out: &mut Vec<Effect>) {
    let questions = &model.questions;
    // While feeds come in, a count is old as soon as it is made.
    let pause = if model.feeds.polling.is_empty() {
        1
    } else {
        BUSY
    };
    let due =
        questions.wants() && model.now.since(questions.at) >= pause && model.entries.is_loaded();
    if !due || model.feeds.smart.is_empty() {
        return;
    }
    let specs = model
        .feeds
        .smart
        .iter()
        .map(super::super::smart::Smart::counted)
        .collect();
    let ticket = model.ticket();
    model.questions.stale = false;
    model.questions.asked = Some(ticket);
    model.questions.at = model.now;
    send(out, Command::Count { specs, ticket });
}

/// Counts came.
pub fn counted(model: &mut Model, ticket: Ticket, counts: &[u64]) {
    if model.questions.asked == Some(ticket) {
        model.questions.asked = None;
        for (smart, count) in model.feeds.smart.iter_mut().zip(counts) {
            smart.unread = *count;
        }
        return;
    }
    if let Some((asked, rule)) = model.questions.rule.take() {
        if asked == ticket {
            confirm(model, rule, counts.first().copied().unwrap_or_default());
        } else {
            model.questions.rule = Some((asked, rule));
        }
    }
}

/// The question with this ticket failed.
pub fn failed(model: &mut Model, ticket: Ticket) {
    let questions = &mut model.questions;
    if questions.asked == Some(ticket) {
        questions.asked = None;
    }
    questions.rule.take_if(|(asked, _)| *asked == ticket);
}

/// `:smart NAME [QUERY]`: keeps a query as a list; without one, what is shown.
pub fn save(model: &mut Model, text: &str, out: &mut Vec<Effect>) {
    let Some((name, query)) = name_and_rest(text) else {
        model.fail("give the list a name: smart NAME, or smart \"A NAME\" QUERY");
        return;
    };
    let expr = if query.is_empty() {
        shown(model)
    } else {
        query::parse(query).map_err(|error| error.to_string())
    };
    let query = match expr {
        Err(problem) => return model.fail(format!("this query is not understood: {problem}")),
        Ok(expr) if expr.is_empty() => {
            return model
                .fail("there is no search to keep; write one behind the name, or search first");
        }
        Ok(_) if !query.is_empty() => query.to_owned(),
        Ok(expr) => expr.to_string(),
    };
    let ticket = model.ticket();
    let own = Own::Smart(SmartFeed { name, query });
    send(out, Command::Keep { own, ticket });
}

/// The first word, or what stands in quotes, and what follows.
fn name_and_rest(text: &str) -> Option<(String, &str)> {
    let text = text.trim();
    let (name, rest) = match text.strip_prefix('"') {
        Some(inside) => inside.split_once('"')?,
        None => text.split_once(char::is_whitespace).unwrap_or((text, "")),
    };
    let name = name.trim();
    (!name.is_empty()).then(|| (name.to_owned(), rest.trim()))
}

/// What the list that is shown would be as a query.
fn shown(model: &Model) -> Result<Expr, String> {
    let place = match model.feeds.choice() {
        Choice::All => String::new(),
        Choice::Starred => "starred".to_owned(),
        Choice::Tag(path) => format!("tag:{}", quoted(&path)),
        Choice::Feed(id) => {
            let url = model.feeds.row(id).map(|row| row.feed.url.clone());
            format!("feed:{}", quoted(&url.unwrap_or_default()))
        }
        Choice::Smart(_) => model.feeds.within(),
    };
    let mut parts = Vec::new();
    for text in [place.as_str(), &model.entries.spec.query] {
        parts.push(query::parse(text).map_err(|error| error.to_string())?);
    }
    Ok(Expr::all(parts))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// `:rule ACT[,ACT] [QUERY]`: shows what the rule would have found in the last 30 days, and asks whether it is meant.
pub fn rule(model: &mut Model, text: &str, out: &mut Vec<Effect>) {
    let (acts, query) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let known: Option<Vec<RuleAct>> = acts.split(',').map(RuleAct::named).collect();
    let acts = match known {
        Some(acts) if acts.contains(&RuleAct::Run) => {
            return model.fail("a rule that runs a command is written into config.toml by hand");
        }
        Some(acts) => acts,
        None => {
            return model.fail(
                "say what the rule does: rule read, hide, star, notify or tag:NAME, and a query",
            );
        }
    };
    let query = match query.trim() {
        "" => model.entries.spec.query.clone(),
        query => query.to_owned(),
    };
    if query.is_empty() {
        return model
            .fail("there is no search to make a rule of; write a query behind what it does");
    }
    if let Err(problem) = query::parse(&query) {
        return model.fail(format!("this query is not understood: {problem}"));
    }
    let ticket = model.ticket();
    let specs = vec![ListSpec {
        query: query.clone(),
        within: TRIED.to_owned(),
        ..ListSpec::default()
    }];
    let rule = Rule {
        when: query.clone(),
        acts,
        ..Rule::default()
    };
    model.questions.rule = Some((ticket, rule));
    send(out, Command::Count { specs, ticket });
    prompt::look_for(model, query, out);
}

fn confirm(model: &mut Model, rule: Rule, found: u64) {
    let acts: Vec<String> = rule.acts.iter().map(RuleAct::name).collect();
    let question = format!(
        "{} new entries that match “{}”? Of the last 30 days {}. y/n",
        acts.join(" and "),
        rule.when,
        match found {
            0 => "it would have found none".to_owned(),
            n => format!("it would have found {}", say::many(n, "entry", "entries")),
        }
    );
    let ticket = model.ticket();
    let own = Own::Rule(rule);
    model.overlay = Overlay::Confirm(question, Command::Keep { own, ticket });
}

/// A list or a rule is in config.toml.
pub fn kept(model: &mut Model, own: Own) {
    match own {
        Own::Smart(feed) => {
            let name = feed.name.clone();
            model.feeds.keep_smart(feed);
            model.questions.stale = true;
            model.say(format!(
                "{name} stands above the feeds now, and in config.toml"
            ));
        }
        Own::Rule(_) => {
            model.say("the rule is in config.toml and holds for what comes from now on");
        }
    }
}
