//! The list of entries: which one is shown, in which order, and the marks.

use crate::engine::protocol::{Command, Ticket};
use crate::model::{EntryHead, EntryId, Group, Mark, Order};

use super::super::list::{Arrival, Goal};
use super::super::model::Model;
use super::super::msg::Effect;
use super::super::tree::Choice;
use super::{feeds, reading, send};

/// Turns to the list that the choices mean, narrowed by `query`.
pub fn show(model: &mut Model, query: String, goal: Goal, out: &mut Vec<Effect>) {
    let spec = model.spec(query);
    model.entries.turn_to(spec);
    ask(model, goal, out);
}

fn ask(model: &mut Model, goal: Goal, out: &mut Vec<Effect>) {
    let ticket = model.ticket();
    let command = model.entries.ask(goal, ticket);
    send(out, command);
}

/// Asks for the rows around the cursor again.
pub fn reload(model: &mut Model, out: &mut Vec<Effect>) {
    ask(model, Goal::Keep, out);
}

/// Rows arrived.
pub fn arrived(model: &mut Model, ticket: Ticket, arrival: Arrival, out: &mut Vec<Effect>) {
    if arrival != Arrival::Old {
        lay_over(model, ticket);
    }
    if let Arrival::Missing(head) = arrival {
        // What was looked for is not in this list: its feed has it, whatever the filter says.
        let choice = Choice::Feed(head.id.feed);
        if model.feeds.choice() == choice && model.entries.spec.query.is_empty() {
            return;
        }
        feeds::choose(model, &choice, Goal::Entry(head), out);
    }
}

/// Marks that are newer than the rows that came stay on the screen.
fn lay_over(model: &mut Model, asked: Ticket) {
    let newer = model.marks.newer(asked, model.entries.entries());
    model.marks.forget_told();
    take_over(model, &newer);
    // What is shown of an opened entry is no older than its row.
    if let Some(article) = &mut model.article
        && let Some(row) = model
            .entries
            .entries()
            .find(|row| row.id == article.head.id)
    {
        (article.head.unread, article.head.starred) = (row.unread, row.starred);
    }
}

/// To the first row.
pub fn first(model: &mut Model, out: &mut Vec<Effect>) {
    if !model.entries.go_first() {
        ask(model, Goal::Top, out);
    }
}

/// To the last row.
pub fn last(model: &mut Model, out: &mut Vec<Effect>) {
    if !model.entries.go_last() {
        ask(model, Goal::Bottom, out);
    }
}

/// To the row of this number, from 0.
pub fn row(model: &mut Model, row: usize, out: &mut Vec<Effect>) {
    if !model.entries.go_row(row) {
        ask(model, Goal::Row(row), out);
    }
}

/// So many rows on, or back.
pub fn far(model: &mut Model, rows: isize, out: &mut Vec<Effect>) {
    if !model.entries.go_far(rows) {
        ask(model, Goal::Away(rows), out);
    }
}

/// The next order: newest, oldest, title, feed.
pub fn next_order(model: &mut Model, out: &mut Vec<Effect>) {
    let next = match model.order {
        Order::Newest => Order::Oldest,
        Order::Oldest => Order::Title,
        Order::Title => Order::Feed,
        Order::Feed => Order::Newest,
    };
    set_order(model, next, out);
}

/// What an order is called.
pub const fn order_name(order: Order) -> &'static str {
    match order {
        Order::Newest => "newest first",
        Order::Oldest => "oldest first",
        Order::Title => "by title",
        Order::Feed => "by feed",
    }
}

/// Sorts the list; the cursor stays on its entry.
pub fn set_order(model: &mut Model, order: Order, out: &mut Vec<Effect>) {
    model.order = order;
    model.say(order_name(order));
    show_again(model, out);
}

/// Headings for days, or none.
pub fn toggle_group(model: &mut Model) {
    let group = match model.group {
        Group::None => Group::Day,
        Group::Day => Group::None,
    };
    set_group(model, group);
}

/// The same, said which.
pub fn set_group(model: &mut Model, group: Group) {
    model.group = group;
    let by_date = matches!(model.order, Order::Newest | Order::Oldest);
    model.say(match group {
        Group::None => "no headings",
        Group::Day if by_date => "a heading for each day",
        Group::Day => "a heading for each day, where the list is sorted by date (:sort newest)",
    });
}

/// All entries, or only unread ones.
pub fn toggle_unread_only(model: &mut Model, out: &mut Vec<Effect>) {
    let unread_only = !model.unread_only;
    set_unread_only(model, unread_only, out);
}

/// The same, said which.
pub fn set_unread_only(model: &mut Model, unread_only: bool, out: &mut Vec<Effect>) {
    model.unread_only = unread_only;
    model.say(if unread_only {
        "unread entries only"
    } else {
        "all entries"
    });
    show_again(model, out);
}

/// The feeds of a tag are named one by one in the list's scope: another list when they changed, but the same place.
pub fn follow_scope(model: &mut Model, out: &mut Vec<Effect>) {
    let spec = &model.entries.spec;
    let muted = model.feeds.muted() != spec.muted;
    let folds = spec.fold_twins != model.settings.fold_twins;
    if muted || folds || model.feeds.scope() != spec.scope || model.feeds.within() != spec.within {
        show_again(model, out);
    }
}

fn show_again(model: &mut Model, out: &mut Vec<Effect>) {
    let query = model.entries.spec.query.clone();
    let fits = |head: &&EntryHead| head.unread || !model.unread_only;
    let goal = match model.entries.current().filter(fits) {
        Some(head) => Goal::Entry(Box::new(head.clone())),
        None => Goal::Top,
    };
    show(model, query, goal, out);
}

/// Read becomes unread, unread becomes read.
pub fn toggle_read(model: &mut Model, out: &mut Vec<Effect>) {
    if let Some(head) = model.subject().cloned() {
        let unread = model.entries.is_unread(&head);
        mark(model, &head, Mark::Read(unread), out);
    }
}

/// Sets or takes away the star.
pub fn toggle_star(model: &mut Model, out: &mut Vec<Effect>) {
    if let Some(head) = model.subject().cloned() {
        mark(model, &head, Mark::Starred(!head.starred), out);
    }
}

/// Marks one entry: on the screen at once, in the store as soon as it can. A story that is read is read in every feed.
pub fn mark(model: &mut Model, head: &EntryHead, mark: Mark, out: &mut Vec<Effect>) {
    let mut changed = Vec::new();
    let story = match mark {
        Mark::Read(true) => model.entries.story(head.id),
        _ => Vec::new(),
    };
    let others = story.into_iter().filter(|other| other.id != head.id);
    for entry in std::iter::once(head).chain(others) {
        let (mut read, mut starred) = (!entry.unread, entry.starred);
        match mark {
            Mark::Read(value) => read = value,
            Mark::Starred(value) => starred = value,
        }
        if (read, starred) != (!entry.unread, entry.starred) {
            changed.push((entry.id, read, starred));
            if let Some(row) = model.feeds.row_mut(entry.id.feed) {
                shift(&mut row.unread, entry.unread, !read);
                shift(&mut row.starred, entry.starred, starred);
            }
        }
    }
    if changed.is_empty() {
        return;
    }
    take_over(model, &changed);
    let ticket = model.ticket();
    let ids: Vec<EntryId> = changed.into_iter().map(|(id, ..)| id).collect();
    model.marks.sent(ticket, ids.clone(), mark);
    send(out, Command::Mark { ids, mark, ticket });
}

fn shift(count: &mut u64, was: bool, is: bool) {
    match (was, is) {
        (false, true) => *count += 1,
        (true, false) => *count = count.saturating_sub(1),
        _ => {}
    }
}

/// Shows marks as they are now, wherever their entries are on the screen.
pub fn take_over(model: &mut Model, changed: &[(EntryId, bool, bool)]) {
    model.entries.mark(changed);
    if let Some(article) = &mut model.article {
        set_marks(&mut article.head, changed);
    }
}

/// Marks are in the store. Those that were made after them still count more.
pub fn marks_written(model: &mut Model, ticket: Ticket, changed: &[(EntryId, bool, bool)]) {
    model.marks.drop_ticket(ticket);
    take_over(model, changed);
    let opened = model.article.iter().map(|article| &article.head);
    let shown = model.entries.entries().chain(opened);
    let newer = model.marks.unanswered(shown);
    take_over(model, &newer);
    if model.entries.is_asking() {
        model.marks.told(model.last_ticket(), changed);
    }
}

/// Gives a row that is not in the list its marks.
pub fn set_marks(head: &mut EntryHead, changed: &[(EntryId, bool, bool)]) {
    if let Some((_, read, starred)) = changed.iter().find(|(id, ..)| *id == head.id) {
        head.unread = !read;
        head.starred = *starred;
    }
}

/// Goes to an entry of whatever list, and opens it where that is wanted.
pub fn go_to(model: &mut Model, head: &EntryHead, open: bool, out: &mut Vec<Effect>) {
    if let Some(at) = model.entries.place(head.id) {
        model.entries.go(at);
    } else if covers(model, head) {
        ask(model, Goal::Entry(Box::new(head.clone())), out);
    } else {
        let choice = Choice::Feed(head.id.feed);
        feeds::choose(model, &choice, Goal::Entry(Box::new(head.clone())), out);
    }
    if open {
        reading::open(model, head, out);
    }
}

/// The list that is shown has this entry, as far as its scope says.
fn covers(model: &Model, head: &EntryHead) -> bool {
    use crate::model::ListScope;
    let spec = &model.entries.spec;
    match &spec.scope {
        ListScope::All => !spec.mutes(head.id.feed),
        ListScope::Starred => head.starred,
        ListScope::Feed(id) => *id == head.id.feed,
        ListScope::Feeds(ids) => ids.contains(&head.id.feed),
    }
}
