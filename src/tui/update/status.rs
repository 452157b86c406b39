//! The status pane and the ledger.

use crate::engine::protocol::{Command, Ticket};
use crate::model::{AuditRecord, Counters, Exchange, FeedId, HostKey, HostState};

use super::super::model::{Model, Screen};
use super::super::msg::Effect;
use super::super::status::{DAYS, Ledger, Subject};
use super::super::view;
use super::{feeds, send};

/// Shows the status pane, or goes back to the reader.
pub fn toggle(model: &mut Model, out: &mut Vec<Effect>) {
    if model.screen == Screen::Status {
        model.screen = Screen::Reader;
        model.status.ledger = None;
        return;
    }
    model.screen = Screen::Status;
    model.status.stale = true;
    ask_totals(model, out);
}

/// One step back: from the ledger to the table, from the table to the reader.
pub fn back(model: &mut Model) {
    if model.status.ledger.take().is_none() {
        model.screen = Screen::Reader;
    }
}

fn ask_totals(model: &mut Model, out: &mut Vec<Effect>) {
    let ticket = model.ticket();
    model.status.asked = Some(ticket);
    model.status.days_old = false;
    send(out, Command::Totals { days: DAYS, ticket });
}

/// Polls ended since the days were asked for: asks again, unless an answer is still on its way.
pub fn refresh_totals(model: &mut Model, out: &mut Vec<Effect>) {
    if model.screen == Screen::Status && model.status.days_old && model.status.asked.is_none() {
        ask_totals(model, out);
    }
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
        model.status.hosts = hosts.into_iter().collect();
        model.status.stale = true;
    }
}

/// Moves the cursor of the table or of the ledger.
pub fn step(model: &mut Model, rows: isize) {
    if let Some(ledger) = &mut model.status.ledger {
        let last = ledger.records.len().saturating_sub(1);
        ledger.at = ledger.at.saturating_add_signed(rows).min(last);
    } else {
        let last = model.status.lines.len().saturating_sub(1);
        model.status.at = model.status.at.saturating_add_signed(rows).min(last);
    }
}

/// Lines of the table or of the ledger that are on the screen.
pub fn height(model: &Model) -> usize {
    view::status_rows(model)
}

/// Sorts by the column beside the present one.
pub fn sort_beside(model: &mut Model, steps: isize) {
    if model.status.ledger.is_none() {
        model.status.sort_beside(steps);
    }
}

/// Turns the order round.
pub fn invert(model: &mut Model) {
    if model.status.ledger.is_none() {
        let sort = model.status.sort;
        model.status.sort_by(sort);
    }
}

/// Feeds or hosts.
pub fn turn(model: &mut Model) {
    if model.status.ledger.is_none() {
        model.status.turn();
    }
}

/// Shows the ledger of the feed under the cursor; of a host, its feeds.
pub fn open_ledger(model: &mut Model, out: &mut Vec<Effect>) {
    if model.status.ledger.is_some() {
        return;
    }
    let Some(Subject::Feed(feed)) = model.status.current().map(|line| line.subject.clone()) else {
        model.say("a ledger belongs to a feed; Tab shows the feeds");
        return;
    };
    let ticket = model.ticket();
    model.status.ledger = Some(Ledger {
        feed,
        asked: ticket,
        ..Ledger::default()
    });
    send(out, Command::Ledger { feed, ticket });
}

/// A ledger arrived.
pub fn ledger_came(
    model: &mut Model,
    (ticket, feed): (Ticket, FeedId),
    records: Vec<AuditRecord>,
    exchanges: Vec<Exchange>,
) {
    if let Some(ledger) = &mut model.status.ledger
        && ledger.asked == ticket
        && ledger.feed == feed
    {
        ledger.records = records;
        ledger.exchanges = exchanges;
        ledger.loaded = true;
    }
}

/// Ends the hold of the host that the keyboard is at.
pub fn lift(model: &mut Model, out: &mut Vec<Effect>) {
    let ids = feeds::meant(model);
    let row = ids.first().and_then(|id| model.feeds.row(*id));
    let Some(host) = row.map(|row| HostKey(row.host.clone())) else {
        model.say("no feed here");
        return;
    };
    let held = row.and_then(|row| row.hold_until);
    if held.is_none_or(|until| until <= model.now) {
        model.say(format!("{} is not held", host.0));
        return;
    }
    let ticket = model.ticket();
    model.feeds.asked = ticket;
    model.say(format!("the hold of {} is over", host.0));
    send(out, Command::Lift { host, ticket });
}

/// Has a gone or dead feed asked again.
pub fn enable(model: &mut Model, out: &mut Vec<Effect>) {
    let ids = feeds::meant(model);
    let off = |id: &&FeedId| model.feeds.row(**id).is_some_and(|row| row.off.is_some());
    let Some(feed) = ids.iter().find(off).copied() else {
        model.say("polling is on here");
        return;
    };
    let ticket = model.ticket();
    model.feeds.asked = ticket;
    model.say("this feed is asked again");
    send(out, Command::Enable { feed, ticket });
}

/// Makes lines and places good.
pub fn settle(model: &mut Model) {
    if model.status.stale {
        model.status.rebuild(&model.feeds.rows, model.now);
    }
    let rows = view::status_rows(model);
    match &mut model.status.ledger {
        Some(ledger) => {
            let len = ledger.records.len();
            ledger.at = ledger.at.min(len.saturating_sub(1));
            ledger.top = super::super::list::scrolled(ledger.top, ledger.at, len, rows);
        }
        None => model.status.settle(rows),
    }
}
