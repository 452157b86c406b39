//! The feed pane: moving in it, and asking feeds now.

use crate::engine::protocol::{Command, Scope};
use crate::model::{FeedId, ListScope, Pace};

use super::super::list::Goal;
use super::super::model::{Model, Screen};
use super::super::msg::Effect;
use super::super::panes::Pane;
use super::super::status::Subject;
use super::super::tree::Choice;
use super::{entries, send};

/// Asks for the list of feeds.
pub fn ask(model: &mut Model, out: &mut Vec<Effect>) {
    let ticket = model.ticket();
    model.feeds.asked = ticket;
    send(out, Command::ListFeeds { ticket });
}

/// Moves the cursor; the list of entries follows.
pub fn step(model: &mut Model, lines: isize, out: &mut Vec<Effect>) {
    model.feeds.step(lines);
    chosen(model, out);
}

/// The cursor stands on another line, perhaps: its entries are shown.
pub fn chosen(model: &mut Model, out: &mut Vec<Effect>) {
    let spec = &model.entries.spec;
    if model.feeds.scope() != spec.scope || model.feeds.within() != spec.within {
        entries::show(model, String::new(), Goal::Top, out);
    }
}

/// Goes to the line of `choice` and shows its entries.
pub fn choose(model: &mut Model, choice: &Choice, goal: Goal, out: &mut Vec<Effect>) {
    if model.feeds.go_to(choice) {
        entries::show(model, String::new(), goal, out);
    }
}

/// Asks the feeds that the keyboard is at: those of the line, that of the entry.
pub fn refresh(model: &mut Model, out: &mut Vec<Effect>) {
    let ids = meant(model);
    if ids.is_empty() {
        model.say("no feed here to ask");
        return;
    }
    let count = ids.len();
    ask_now(model, Scope::Feeds(ids), count, Pace::Manual, out);
}

/// Asks all feeds.
pub fn refresh_all(model: &mut Model, pace: Pace, out: &mut Vec<Effect>) {
    let count = model
        .feeds
        .rows
        .iter()
        .filter(|row| row.off.is_none())
        .count();
    if count == 0 {
        model.say("there are no feeds to ask; a adds one");
        return;
    }
    ask_now(model, Scope::All, count, pace, out);
}

fn ask_now(model: &mut Model, scope: Scope, count: usize, pace: Pace, out: &mut Vec<Effect>) {
    let ticket = model.ticket();
    model.progress.ask(ticket, count, model.now);
    send(
        out,
        Command::Refresh {
            scope,
            pace,
            ticket,
        },
    );
}

/// The feeds that the keyboard is at.
pub fn meant(model: &Model) -> Vec<FeedId> {
    if model.screen == Screen::Status {
        return match model.status.subject() {
            Some(Subject::Feed(id)) => vec![id],
            Some(Subject::Host(key)) => {
                let rows = model.feeds.rows.iter().filter(|row| row.host == key.0);
                rows.map(|row| row.feed.id).collect()
            }
            None => Vec::new(),
        };
    }
    match (model.focus, &model.entries.spec.scope) {
        (Pane::Feeds, _) => {
            let line = model.feeds.current();
            line.map(|line| model.feeds.ids(line)).unwrap_or_default()
        }
        (_, ListScope::Feed(id)) => vec![*id],
        _ => model
            .subject()
            .map(|head| head.id.feed)
            .into_iter()
            .collect(),
    }
}
