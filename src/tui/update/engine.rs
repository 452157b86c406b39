//! What the engine says.

use crate::engine::protocol::{AddResult, Event, LIST_BROKEN, Ticket};
use crate::model::{Entry, EntryId, FeedId, FeedRow, Kept, Outcome, PollReport};

use super::super::model::{Model, Overlay, Telling, Visit};
use super::super::msg::Effect;
use super::super::page::{Article, Text};
use super::super::panes::Pane;
use super::super::tree::Choice;
use super::super::{list, say};
use super::{
    action, add, entries, feeds, older, reading, settings, sharing, smart, status, tagging,
    tending, texts,
};

/// Takes in one event.
pub fn event(model: &mut Model, event: Event, out: &mut Vec<Effect>) {
    match event {
        Event::Feeds { ticket, rows } => feeds_came(model, ticket, rows, out),
        Event::Entries { ticket, page } => {
            let arrival = model.entries.arrive(ticket, page);
            entries::arrived(model, ticket, arrival, out);
            action::catch_up(model, out);
        }
        Event::Counted { ticket, counts } => smart::counted(model, ticket, &counts),
        Event::Retuned { feeds, .. } => tending::done(model, feeds),
        Event::ListUndone { ticket } => {
            model.telling.retain(|(asked, _)| *asked != ticket);
            model.say("feeds.toml is as it was before");
        }
        Event::Tags { ticket, tags } => tagging::came(model, ticket, tags),
        Event::Kept { own, .. } => smart::kept(model, own),
        Event::Settings { path, read } => settings::came(model, &path, read, out),
        Event::Noticed { text } => model.mention(format!("★ {text}")),
        Event::Found { ticket, head } => found(model, ticket, head.map(|head| *head), out),
        Event::Opened { ticket, entry } => {
            if !sharing::opened(model, ticket, entry.as_deref(), out) {
                opened(model, ticket, entry.map(|entry| *entry), out);
            }
        }
        Event::FullText { ticket, id, full } => texts::came(model, ticket, id, *full),
        Event::Marked {
            ticket,
            changed,
            count,
            counts,
        } => marked(model, ticket, &changed, count, &counts),
        Event::PollStarted { feed } => poll_started(model, feed),
        Event::Polled(report) => polled(model, *report),
        Event::RefreshDone { ticket, summary } => {
            let (now, zone) = (model.now, model.zone);
            let when = |at| say::moment(at, now, zone);
            if let Some(text) = model.progress.finish(ticket, &summary, when) {
                model.say(text);
            }
        }
        Event::Added { ticket, result } => added(model, ticket, result, out),
        Event::Removed { removed, .. } => {
            let count = removed.len() as u64;
            model.say(format!(
                "unsubscribed {} · u takes it back",
                say::many(count, "feed", "feeds")
            ));
        }
        Event::Imported {
            added, duplicates, ..
        } => {
            let feeds = say::many(added as u64, "feed", "feeds");
            model.say(format!(
                "subscribed to {feeds} · {duplicates} were there already"
            ));
        }
        Event::Ledger {
            ticket,
            feed,
            records,
            exchanges,
        } => status::ledger_came(model, (ticket, feed), records, exchanges),
        Event::Totals {
            ticket,
            days,
            hosts,
        } => status::totals_came(model, ticket, days, hosts),
        Event::Days { ticket, days } => status::days_came(model, ticket, days),
        Event::Explained {
            ticket,
            explanation,
        } => status::explained_came(model, ticket, explanation),
        Event::Changed => {
            model.entries.outdate();
            model.questions.stale = true;
        }
        Event::Waiting => model.say("another tidings is polling; this one waits for it"),
        Event::Offline { until } => offline(model, until),
        Event::Notice(text) => model.say(text),
        Event::ListRead => list_read(model),
        Event::Failed {
            ticket, what, why, ..
        } => failed(model, ticket, &what, &why),
        Event::Stopped => out.push(Effect::Quit),
        Event::MoveAdopted { to, warning, .. } => move_adopted(model, &to, warning),
        Event::MoveUndone { to, .. } => {
            model.say(format!("asked at {} again", say::address(&to)));
        }
        // The rest answers commands of the command line, if it is not of older pages.
        event => older::told(model, event),
    }
}

fn feeds_came(model: &mut Model, ticket: Ticket, rows: Vec<FeedRow>, out: &mut Vec<Effect>) {
    if ticket != Ticket(0) && ticket < model.feeds.asked {
        return;
    }
    let choice = model.feeds.choice();
    if model.visit == Visit::First {
        model.visit = Visit::Greeted;
        if !rows.is_empty() && model.message.is_none() {
            model.greet();
        }
    }
    model.feeds.replace(rows);
    model.status.outdate();
    if let Some(id) = model.going_to
        && model.feeds.row(id).is_some()
    {
        model.going_to = None;
        feeds::choose(model, &Choice::Feed(id), list::Goal::Top, out);
    }
    if model.feeds.choice() == choice {
        entries::follow_scope(model, out);
    } else {
        feeds::chosen(model, out);
    }
}

fn found(
    model: &mut Model,
    ticket: Ticket,
    head: Option<crate::model::EntryHead>,
    out: &mut Vec<Effect>,
) {
    if let Some((asked, open)) = model.finding
        && asked == ticket
    {
        model.finding = None;
        let head = head.map(|mut head| {
            let newer = model.marks.newer(ticket, [&head]);
            entries::set_marks(&mut head, &newer);
            head
        });
        reading::found(model, head, open, out);
        action::catch_up(model, out);
    }
}

fn opened(model: &mut Model, ticket: Ticket, entry: Option<(Entry, Kept)>, out: &mut Vec<Effect>) {
    if model.opening.is_none_or(|(asked, _)| asked != ticket) {
        return;
    }
    model.opening = None;
    if entry.is_none() {
        model.then.clear();
    }
    let Some((mut entry, mut kept)) = entry else {
        model.say("this entry is no longer stored");
        return;
    };
    // The marks on the screen are newer than the answer: opening itself marks.
    if let Some(at) = model.entries.index(entry.head.id) {
        let shown = &model.entries.heads[at];
        entry.head.unread = shown.unread;
        entry.head.starred = shown.starred;
    } else {
        let newer = model.marks.newer(ticket, [&entry.head]);
        entries::set_marks(&mut entry.head, &newer);
        entry.head.unread = false;
    }
    reading::leave(model, out);
    if let Some(place) = model.places.get(&entry.head.id) {
        kept.place = *place;
    }
    let row = model.feeds.row(entry.head.id.feed);
    let (feed, in_full) = row.map_or((String::new(), false), |row| {
        (say::name(row), row.full_text)
    });
    let linked = entry.head.link.is_some();
    let id = entry.head.id;
    let story = model.entries.story(id).into_iter();
    let others = story.filter(|other| other.id != id);
    let others = others.filter_map(|other| model.feeds.row(other.id.feed).map(say::name));
    let also = others.collect();
    let mut article = Article::new(entry, kept, feed);
    article.also = also;
    model.article = Some(article);
    model.focus = Pane::Article;
    if in_full {
        show_in_full(model, linked, out);
    }
    action::after_opening(model, out);
}

/// The feed's entries are to be shown with the article of their page.
fn show_in_full(model: &mut Model, linked: bool, out: &mut Vec<Effect>) {
    let shown = model
        .article
        .as_mut()
        .is_some_and(|article| article.show(Text::Full));
    if !shown && linked {
        texts::fetch(model, false, out);
    }
}

fn marked(
    model: &mut Model,
    ticket: Ticket,
    changed: &[(EntryId, bool, bool)],
    count: u64,
    counts: &[(FeedId, u64, u64, u64)],
) {
    entries::marks_written(model, ticket, changed);
    model.questions.stale = true;
    if changed.is_empty() && count > 0 {
        model.entries.outdate();
    }
    for (id, total, unread, starred) in counts {
        if let Some(row) = model.feeds.row_mut(*id) {
            (row.total, row.unread, row.starred) = (*total, *unread, *starred);
        }
    }
    let Some(at) = model.telling.iter().position(|(asked, _)| *asked == ticket) else {
        return;
    };
    let (_, telling) = model.telling.remove(at);
    if telling != Telling::AllRead && count > 0 {
        // Entries that came back may belong into the list again.
        model.entries.outdate();
    }
    model.say(match (telling, count) {
        (Telling::AllRead, 0) => "everything here was read already".to_owned(),
        (Telling::AllRead, n) => {
            format!(
                "marked {} read · u takes it back",
                say::many(n, "entry", "entries")
            )
        }
        (Telling::Tagged(_), 0) => "its tags are as they were".to_owned(),
        (Telling::Tagged(true), _) => "tagged · u takes it back".to_owned(),
        (Telling::Tagged(false), _) => "the tag is gone · u takes it back".to_owned(),
        (Telling::Redone, 0) => "there is nothing to do again".to_owned(),
        (Telling::Redone, n) => {
            format!(
                "marked {} again · u takes it back",
                say::many(n, "entry", "entries")
            )
        }
        (Telling::Undone, 0) => "there is nothing to take back".to_owned(),
        (Telling::Undone, n) => {
            format!(
                "took back the marks of {} · ^r makes them again",
                say::many(n, "entry", "entries")
            )
        }
    });
}

fn poll_started(model: &mut Model, feed: FeedId) {
    model.feeds.polling.insert(feed);
    model.progress.start(model.now);
}

fn polled(model: &mut Model, report: PollReport) {
    model.feeds.polling.remove(&report.feed);
    if matches!(report.outcome, Outcome::Changed { .. }) {
        model.entries.outdate();
        model.questions.stale = true;
    }
    if let Some(warning) = report.warning_text() {
        let name = say::name(&report.row);
        model.mention(format!("{name}: {warning}"));
    }
    let debounced = report.is_debounced();
    model.feeds.update(report.row);
    let ahead = ahead(model);
    let over = model
        .progress
        .end(&report.outcome, debounced, ahead, model.now);
    status::outdate(model, report.feed);
    if over {
        let text = model.progress.result();
        model.mention(text);
    }
}

/// Feeds that are due and have not begun.
fn ahead(model: &Model) -> usize {
    let due = |row: &&FeedRow| {
        let held = row.hold_until.is_some_and(|until| until > model.now);
        let next = row.schedule.next.filter(|_| row.off.is_none() && !held);
        next.is_some_and(|next| next <= model.now) && !model.feeds.polling.contains(&row.feed.id)
    };
    model.feeds.rows.iter().filter(due).count()
}

fn move_adopted(model: &mut Model, to: &str, warning: Option<String>) {
    let mut text = format!("feeds.toml has {} now · u takes it back", say::address(to));
    if let Some(warning) = warning {
        text = format!("{text} · {warning}");
    }
    model.say(text);
}

fn added(model: &mut Model, ticket: Ticket, result: AddResult, out: &mut Vec<Effect>) {
    if let AddResult::Subscribed { reports } = &result
        && let Some(report) = reports.first()
    {
        model.going_to = Some(report.feed);
        feeds::ask(model, out);
    }
    add::answered(model, ticket, result, out);
}

fn offline(model: &mut Model, until: crate::model::Timestamp) {
    let next = say::moment(until, model.now, model.zone);
    model.fail(format!(
        "nothing answered: this machine seems to be offline; next try {next}"
    ));
}

/// The list is good again: the error that said otherwise goes without a key.
fn list_read(model: &mut Model) {
    let broken = |text: &str| text.starts_with(LIST_BROKEN);
    if let Some(message) = &model.message
        && message.error
        && broken(&message.text)
    {
        model.message = None;
        model.say("feeds.toml is in use again");
    }
}

fn failed(model: &mut Model, ticket: Ticket, what: &str, why: &str) {
    let text = if why.is_empty() {
        what.to_owned()
    } else {
        format!("{what}: {why}")
    };
    let mine = model.entries.failed(ticket);
    if mine {
        model.marks.forget_told();
    }
    if let (true, Overlay::Search(prompt, _)) = (mine, &mut model.overlay) {
        // A query that is still being typed is wrong most of the time: said beside it, not as an error.
        prompt.problem = Some(why.to_owned());
        return;
    }
    if add::failed(model, ticket, &text) {
        return;
    }
    older::failed(model, ticket);
    if model.opening.is_some_and(|(asked, _)| asked == ticket) {
        model.opening = None;
        model.then.clear();
    }
    if model.finding.is_some_and(|(asked, _)| asked == ticket) {
        model.finding = None;
    }
    model.handing.take_if(|(asked, _)| *asked == ticket);
    if model.fetching.is_some_and(|(asked, _)| asked == ticket) {
        model.fetching = None;
        // Nothing in the lists has anything to do with it.
        model.fail(text);
        return;
    }
    model.telling.retain(|(asked, _)| *asked != ticket);
    model.marks.drop_ticket(ticket);
    status::failed(model, ticket);
    model.progress.drop_ticket(ticket);
    smart::failed(model, ticket);
    // A mark that was shown at once may not have been written: the store says how it is.
    if !mine && ticket != Ticket(0) {
        model.entries.outdate();
    }
    model.fail(text);
}
