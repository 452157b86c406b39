//! What a person may do to polling: end a hold, ask a gone feed again, fetch one whole, write a new address down.
//! What cannot be taken back is asked for first.

use crate::engine::protocol::{Command, Scope};
use crate::model::{FeedId, FeedRow, HostKey, Pace};

use super::super::model::{Model, Overlay};
use super::super::msg::Effect;
use super::super::say;
use super::{feeds, send};

/// The feed that the keyboard is at.
fn row(model: &Model) -> Option<&FeedRow> {
    feeds::meant(model)
        .first()
        .and_then(|id| model.feeds.row(*id))
}

/// Offers to end the hold of the host that the keyboard is at.
pub fn lift(model: &mut Model) {
    let Some(row) = row(model) else {
        model.say("no feed here");
        return;
    };
    let host = row.host.clone();
    match row.hold_until.filter(|until| *until > model.now) {
        None => model.say(format!("{host} is not held")),
        Some(until) => {
            let left = say::countdown(until, model.now);
            let question = format!(
                "{host} asked to wait for another {left}. End that hold? If it asks again, it lasts twice as long. y/n"
            );
            let ticket = model.ticket();
            let host = HostKey(host);
            model.overlay = Overlay::Confirm(question, Command::Lift { host, ticket });
        }
    }
}

/// Offers to ask a gone or dead feed again.
pub fn enable(model: &mut Model) {
    let ids = feeds::meant(model);
    let off = |id: &FeedId| model.feeds.row(*id).filter(|row| row.off.is_some());
    let Some(row) = ids.iter().find_map(off) else {
        model.say("polling is on here");
        return;
    };
    let (feed, name) = (row.feed.id, say::name(row));
    let question = format!("{name}: {}. Ask it again? y/n", row.schedule.why);
    let ticket = model.ticket();
    model.overlay = Overlay::Confirm(question, Command::Enable { feed, ticket });
}

/// Offers to fetch a feed whole, without validators (R46).
pub fn fetch_whole(model: &mut Model) {
    let ids = feeds::meant(model);
    let [feed] = ids[..] else {
        model.say("go to one feed or entry first; then this fetches it whole");
        return;
    };
    let Some(row) = model.feeds.row(feed) else {
        return;
    };
    if say::trouble(row, model.now) == Some(say::Trouble::Held)
        && let Some(text) = say::trouble_text(row, model.now, model.zone)
    {
        model.say(text);
        return;
    }
    let size = row.counters.bytes.checked_div(row.counters.ok200);
    let size = size.map_or_else(String::new, |size| format!(", about {}", say::bytes(size)));
    let question = format!(
        "fetch {} whole, without validators? Its server sends everything again{size}. y/n",
        say::name(row)
    );
    let ticket = model.ticket();
    model.overlay = Overlay::Confirm(
        question,
        Command::Refresh {
            scope: Scope::Feeds(vec![feed]),
            pace: Pace::Plain,
            ticket,
        },
    );
}

/// A question was answered with yes.
pub fn confirmed(model: &mut Model, command: Command, out: &mut Vec<Effect>) {
    match &command {
        Command::Lift { host, ticket } => {
            model.feeds.asked = *ticket;
            model.say(format!("the hold of {} is over", host.0));
        }
        Command::Enable { ticket, .. } => {
            model.feeds.asked = *ticket;
            model.say("this feed is asked again");
        }
        Command::Refresh { ticket, .. } => {
            model.progress.ask(*ticket, 1, model.now);
        }
        _ => {}
    }
    send(out, command);
}

/// Writes the new address of a moved feed into feeds.toml (R53).
pub fn adopt_move(model: &mut Model, out: &mut Vec<Effect>) {
    let Some(feed) = row(model)
        .filter(|row| row.moved.is_some())
        .map(|row| row.feed.id)
    else {
        model.say("this feed has not moved for good");
        return;
    };
    let ticket = model.ticket();
    send(out, Command::AdoptMove { feed, ticket });
}

/// Takes a move back, whether it was written down or not (R53).
pub fn undo_move(model: &mut Model, out: &mut Vec<Effect>) {
    let taken = row(model).filter(|row| row.moves.iter().any(|step| !step.undone));
    let Some(feed) = taken.map(|row| row.feed.id) else {
        model.say("no move of this feed to take back");
        return;
    };
    let ticket = model.ticket();
    send(out, Command::UndoMove { feed, ticket });
}
