//! The status pane: its tabs, its tables, the log of a feed, and the way between a feed and its log.

use crate::engine::protocol::{Command, Ticket};
use crate::model::{AuditRecord, Counters, Exchange, Explanation, FeedId, HostKey, HostState};

use super::super::keys::Key;
use super::super::list::{Goal, scrolled};
use super::super::model::{Model, Overlay, Prompt, Screen};
use super::super::msg::Effect;
use super::super::panes::Pane;
use super::super::status::{DAYS, Ledger, Origin, Subject, Tab};
use super::super::tree::Choice;
use super::super::view;
use super::{feeds, prompt, send};

/// Shows the status pane, or goes back to the reader.
pub fn toggle(model: &mut Model, out: &mut Vec<Effect>) {
    if model.screen == Screen::Status {
        model.screen = Screen::Reader;
        return;
    }
    enter(model, Tab::Feeds, out);
}

fn enter(model: &mut Model, tab: Tab, out: &mut Vec<Effect>) {
    model.screen = Screen::Status;
    model.status.tab = tab;
    model.status.outdate();
    ask_totals(model, out);
}

/// One step back: from the log to where it was opened, from a filter to all lines, from the tables to the reader.
pub fn back(model: &mut Model) {
    match model.status.tab {
        Tab::Log if model.status.origin == Origin::Reader => model.screen = Screen::Reader,
        Tab::Log => show_tab(model, Tab::Feeds),
        _ if !model.status.table().filter.is_empty() => model.status.table_mut().set_filter(""),
        _ => model.screen = Screen::Reader,
    }
}

/// The tab beside the present one.
pub fn turn(model: &mut Model, steps: isize) {
    let at = Tab::ALL.iter().position(|tab| *tab == model.status.tab);
    let next = (at.unwrap_or(0) as isize + steps).rem_euclid(Tab::ALL.len() as isize);
    go(model, Tab::ALL[next as usize]);
}

/// Turns to a tab.
pub fn go(model: &mut Model, tab: Tab) {
    // From the table of feeds the log is that of the line; from that of hosts, the one that was open.
    let feed = match (model.status.tab, &model.status.ledger) {
        (Tab::Hosts, Some(ledger)) => Some(ledger.feed),
        _ => model
            .status
            .feeds
            .current()
            .and_then(|line| feed_of(&line.subject)),
    };
    match (tab, feed) {
        (Tab::Log, Some(feed)) => show_log(model, feed, Origin::Table),
        (Tab::Log, None) => show_tab(model, Tab::Feeds),
        (tab, _) => show_tab(model, tab),
    }
}

const fn feed_of(subject: &Subject) -> Option<FeedId> {
    match subject {
        Subject::Feed(feed) => Some(*feed),
        Subject::Host(_) => None,
    }
}

fn show_tab(model: &mut Model, tab: Tab) {
    model.status.tab = tab;
    model.status.table_mut().stale = true;
}

fn show_log(model: &mut Model, feed: FeedId, origin: Origin) {
    model.status.tab = Tab::Log;
    model.status.origin = origin;
    if model
        .status
        .ledger
        .as_ref()
        .is_none_or(|ledger| ledger.feed != feed)
    {
        model.status.ledger = Some(Ledger::new(feed));
    }
}

/// The log of the feed that the keyboard is at, and from there back.
pub fn ledger(model: &mut Model, out: &mut Vec<Effect>) {
    if model.screen == Screen::Status && model.status.tab == Tab::Log {
        back(model);
        return;
    }
    let ids = feeds::meant(model);
    let [feed] = ids[..] else {
        model.say("go to a feed or an entry first; then this shows the log of its requests");
        return;
    };
    let origin = match model.screen {
        Screen::Status => Origin::Table,
        Screen::Reader => Origin::Reader,
    };
    if origin == Origin::Reader {
        enter(model, Tab::Log, out);
    }
    show_log(model, feed, origin);
}

/// Of a feed its log; of a host its feeds.
pub fn open(model: &mut Model) {
    match model.status.subject() {
        Some(Subject::Feed(feed)) if model.status.tab != Tab::Log => {
            show_log(model, feed, Origin::Table);
        }
        Some(Subject::Host(host)) => {
            model.status.feeds.set_filter(&host.0);
            show_tab(model, Tab::Feeds);
        }
        _ => {}
    }
}

/// The entries of the feed that the keyboard is at, in the reader.
pub fn entries(model: &mut Model, out: &mut Vec<Effect>) {
    let Some(feed) = model.status.feed() else {
        model.say("Enter shows the feeds of this host");
        return;
    };
    model.screen = Screen::Reader;
    model.focus = Pane::Entries;
    feeds::choose(model, &Choice::Feed(feed), Goal::Top, out);
}

/// Begins a filter; the one in use stands in the line.
pub fn filter(model: &mut Model) {
    if model.status.tab == Tab::Log {
        model.say("the log has no filter; Esc leads back to the tables");
        return;
    }
    let before = model.status.table().filter.clone();
    model.overlay = Overlay::Filter(Prompt::with(&before), before);
}

/// A key while a filter is typed: the table follows every letter.
pub fn filter_key(model: &mut Model, key: Key) {
    let Overlay::Filter(prompt, before) = &mut model.overlay else {
        return;
    };
    match prompt::typed(&mut prompt.input, key) {
        prompt::Typed::Done => model.overlay = Overlay::None,
        prompt::Typed::Dropped => {
            let before = std::mem::take(before);
            model.overlay = Overlay::None;
            model.status.table_mut().set_filter(&before);
        }
        prompt::Typed::Changed => {
            let text = prompt.input.value().trim().to_owned();
            model.status.table_mut().set_filter(&text);
        }
        prompt::Typed::Nothing => {}
    }
}

fn ask_totals(model: &mut Model, out: &mut Vec<Effect>) {
    let ticket = model.ticket();
    model.status.asked = Some(ticket);
    model.status.days_old = false;
    send(out, Command::Totals { days: DAYS, ticket });
}

/// Totals arrived.
pub fn totals_came(
    model: &mut Model,
    ticket: Ticket,
    days: Vec<(u32, Counters)>,
    hosts: Vec<(HostKey, HostState)>,
) {
    if model.status.asked == Some(ticket) {
        model.status.asked = None;
        model.status.days = days;
        model.status.known_hosts = hosts.into_iter().collect();
        model.status.hosts.stale = true;
    }
}

/// The days of a feed arrived.
pub fn days_came(model: &mut Model, ticket: Ticket, days: Vec<(u32, Counters)>) {
    if let Some(ledger) = &mut model.status.ledger
        && ledger.asked_days == Some(ticket)
    {
        ledger.asked_days = None;
        ledger.days = days;
    }
}

/// A ring arrived.
pub fn ledger_came(
    model: &mut Model,
    (ticket, feed): (Ticket, FeedId),
    records: Vec<AuditRecord>,
    exchanges: Vec<Exchange>,
) {
    if let Some(ledger) = &mut model.status.ledger
        && ledger.asked == Some(ticket)
        && ledger.feed == feed
    {
        ledger.asked = None;
        ledger.fill(records, exchanges);
    }
}

/// The engine explained a feed.
pub fn explained_came(model: &mut Model, ticket: Ticket, explanation: Option<Box<Explanation>>) {
    let explained = &mut model.status.explained;
    if explained.asked.is_some_and(|(asked, _)| asked == ticket) {
        explained.answered = explained.asked.take().map(|(_, feed)| feed);
        explained.known = explanation.map(|mut known| {
            // The log has its own question.
            known.records = Vec::new();
            known.exchanges = Vec::new();
            known
        });
    }
}

/// A question of the pane failed.
pub fn failed(model: &mut Model, ticket: Ticket) {
    let status = &mut model.status;
    if status.asked == Some(ticket) {
        status.asked = None;
    }
    if status
        .explained
        .asked
        .is_some_and(|(asked, _)| asked == ticket)
    {
        status.explained.answered = status.explained.asked.take().map(|(_, feed)| feed);
    }
    if let Some(ledger) = &mut status.ledger {
        ledger.asked = ledger.asked.filter(|asked| *asked != ticket);
        ledger.asked_days = ledger.asked_days.filter(|asked| *asked != ticket);
    }
}

/// A feed was asked: what is known of it is old.
pub fn outdate(model: &mut Model, feed: FeedId) {
    model.status.outdate();
    model.status.days_old = true;
    if let Some(ledger) = &mut model.status.ledger
        && ledger.feed == feed
    {
        ledger.stale = true;
    }
}

/// Moves the cursor to a line of the screen.
pub fn go_line(model: &mut Model, line: usize) {
    match (model.status.tab, &mut model.status.ledger) {
        (Tab::Log, Some(ledger)) if ledger.top + line < ledger.records.len() => {
            ledger.at = ledger.top + line;
        }
        (Tab::Log, _) => {}
        _ => {
            let table = model.status.table_mut();
            if table.top + line < table.lines.len() {
                table.at = table.top + line;
            }
        }
    }
}

/// Moves the cursor of the table or of the log.
pub fn step(model: &mut Model, rows: isize) {
    match (model.status.tab, &mut model.status.ledger) {
        (Tab::Log, Some(ledger)) => ledger.step(rows),
        _ => model.status.table_mut().step(rows),
    }
}

/// Lines of the table or of the log that are on the screen.
pub fn height(model: &Model) -> usize {
    view::status_rows(model)
}

/// Sorts by the column beside the present one.
pub fn sort_beside(model: &mut Model, steps: isize) {
    if model.status.tab != Tab::Log {
        model.status.sort_beside(steps);
    }
}

/// Turns the order round.
pub fn invert(model: &mut Model) {
    if model.status.tab != Tab::Log {
        let table = model.status.table_mut();
        table.sort_by(table.sort);
    }
}

/// Makes lines and places good, and asks for what is not known yet. One question of a kind at a time.
pub fn settle(model: &mut Model, out: &mut Vec<Effect>) {
    if model.status.days_old && model.status.asked.is_none() {
        ask_totals(model, out);
    }
    if model.status.table().stale && model.status.tab != Tab::Log {
        model.status.rebuild(&model.feeds.rows, model.now);
    }
    let rows = view::status_rows(model);
    match (model.status.tab, &mut model.status.ledger) {
        (Tab::Log, Some(ledger)) => {
            let len = ledger.records.len();
            ledger.at = ledger.at.min(len.saturating_sub(1));
            ledger.top = scrolled(ledger.top, ledger.at, len, rows);
            ask_log(model, out);
        }
        _ => model.status.table_mut().settle(rows),
    }
    explain(model, out);
}

fn ask_log(model: &mut Model, out: &mut Vec<Effect>) {
    let due =
        |ledger: &Ledger| ledger.stale && ledger.asked.is_none() && ledger.asked_days.is_none();
    let Some(feed) = model
        .status
        .ledger
        .as_ref()
        .filter(|l| due(l))
        .map(|l| l.feed)
    else {
        return;
    };
    let (ticket, days) = (model.ticket(), model.ticket());
    if let Some(ledger) = &mut model.status.ledger {
        ledger.stale = false;
        ledger.asked = Some(ticket);
        ledger.asked_days = Some(days);
    }
    send(out, Command::Ledger { feed, ticket });
    let feed = Some(feed);
    send(
        out,
        Command::Days {
            feed,
            days: DAYS,
            ticket: days,
        },
    );
}

/// Asks why the feed under the cursor is asked when it is.
fn explain(model: &mut Model, out: &mut Vec<Effect>) {
    let Some(feed) = model.status.feed() else {
        return;
    };
    let explained = &model.status.explained;
    let known = explained.answered == Some(feed) && !explained.stale;
    if known || explained.asked.is_some() {
        return;
    }
    let ticket = model.ticket();
    model.status.explained.asked = Some((ticket, feed));
    model.status.explained.stale = false;
    send(out, Command::Explain { feed, ticket });
}
