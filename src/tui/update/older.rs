//! Older pages of a feed: asked for, told as they come, stopped by the same key (R81).

use crate::engine::protocol::{Command, Event, Ticket};
use crate::model::{BackfillRun, BackfillWish, FeedId};

use super::super::model::Model;
use super::super::msg::Effect;
use super::super::say;
use super::{feeds, send};

/// Fetches older pages of the feed that is meant; where they are being fetched, that ends.
pub fn older(model: &mut Model, out: &mut Vec<Effect>) {
    let [feed] = feeds::meant(model)[..] else {
        model.say("go to one feed or entry first; then this fetches its older pages");
        return;
    };
    if let Some(at) = model.older.iter().position(|(_, of)| *of == feed) {
        model.older.swap_remove(at);
        send(out, Command::StopBackfill { feed });
        model.say(format!("{}: stopping after this page", name(model, feed)));
        return;
    }
    let ticket = model.ticket();
    model.older.push((ticket, feed));
    model.say(format!(
        "{}: looking for older pages … again stops",
        name(model, feed)
    ));
    let wish = BackfillWish::default();
    send(out, Command::Backfill { feed, wish, ticket });
}

/// What becomes of it.
pub fn told(model: &mut Model, event: Event) {
    match event {
        Event::BackfillPage { feed, run, .. } => page(model, feed, &run),
        Event::Backfilled { ticket, feed, run } => done(model, ticket, feed, &run),
        _ => {}
    }
}

/// A page is on disk.
fn page(model: &mut Model, feed: FeedId, run: &BackfillRun) {
    let text = format!(
        "{}: page {} of at most {}, {}",
        name(model, feed),
        run.pages,
        run.most,
        entries(run)
    );
    model.say(text);
}

/// The run is over.
fn done(model: &mut Model, ticket: Ticket, feed: FeedId, run: &BackfillRun) {
    model.older.retain(|(asked, _)| *asked != ticket);
    let name = name(model, feed);
    let found = if run.pages == 0 {
        String::new()
    } else {
        let pages = say::many(u64::from(run.pages), "older page", "older pages");
        format!("{pages}, {}; ", entries(run))
    };
    match (&run.trouble, run.place.end) {
        (Some(why), _) => model.fail(format!("{name}: {found}{why}")),
        (None, Some(end)) => model.say(format!("{name}: {found}{end}")),
        (None, None) => model.say(format!(
            "{name}: {found}there are more, the same key goes on"
        )),
    }
}

/// It did not begin.
pub fn failed(model: &mut Model, ticket: Ticket) {
    model.older.retain(|(asked, _)| *asked != ticket);
}

fn entries(run: &BackfillRun) -> String {
    let entries = say::many(run.entries, "entry", "entries");
    format!("{entries} more, as read")
}

fn name(model: &Model, feed: FeedId) -> String {
    let row = model.feeds.row(feed);
    row.map_or_else(String::new, say::name)
}
