//! Marks of many entries at once: all that is shown, what stands above or below the cursor, what is older than an age;
//! and the way back and forth between them.

use crate::engine::protocol::Command;
use crate::model::{ListSpec, Mark, Part};
use crate::query;

use super::super::model::{Model, Telling};
use super::super::msg::Effect;
use super::entries::take_over;
use super::send;

/// Which side of the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Towards the first row.
    Above,
    /// Towards the last row.
    Below,
}

/// Marks everything that the list shows as read.
pub fn all_read(model: &mut Model, out: &mut Vec<Effect>) {
    let rows = 0..model.entries.heads.len();
    let spec = model.entries.spec.clone();
    read(model, spec, Part::All, rows, out);
}

/// Marks what stands on that side of the cursor as read; the entry under the cursor stays as it is.
pub fn side_read(model: &mut Model, side: Side, out: &mut Vec<Effect>) {
    let Some(head) = model.entries.current() else {
        model.say("no entry here");
        return;
    };
    let (sort, no) = (head.sort, head.no);
    let at = model.entries.at;
    let (part, rows) = match side {
        Side::Above => (Part::Above(sort, no), 0..at),
        Side::Below => (Part::Below(sort, no), at + 1..model.entries.heads.len()),
    };
    let spec = model.entries.spec.clone();
    read(model, spec, part, rows, out);
}

/// Marks those entries of the list that are older than an age, `7d`, as read.
pub fn older_read(model: &mut Model, age: &str, out: &mut Vec<Effect>) {
    let older = format!("age:>{age}");
    if age.contains(char::is_whitespace) || query::parse(&older).is_err() {
        model.fail("say how old, like: read-older 7d");
        return;
    }
    let shown = &model.entries.spec;
    let query = if shown.query.is_empty() {
        older
    } else {
        format!("({}) {older}", shown.query)
    };
    let spec = ListSpec {
        query,
        ..shown.clone()
    };
    // Which rows are so old is for the store to say.
    model.entries.outdate();
    read(model, spec, Part::All, 0..0, out);
}

/// Marks a part of a list as read: the loaded `rows` at once on the screen, the rest where it is stored.
fn read(
    model: &mut Model,
    spec: ListSpec,
    part: Part,
    rows: std::ops::Range<usize>,
    out: &mut Vec<Effect>,
) {
    let shown: Vec<_> = model
        .entries
        .heads
        .get(rows)
        .unwrap_or_default()
        .iter()
        .flat_map(|head| std::iter::once(head).chain(model.entries.twins(head.id)))
        .filter(|head| head.unread)
        .map(|head| (head.id, true, head.starred))
        .collect();
    take_over(model, &shown);
    let ticket = model.ticket();
    let ids = shown.into_iter().map(|(id, ..)| id).collect();
    model.marks.sent(ticket, ids, Mark::Read(true));
    model.telling.push((ticket, Telling::AllRead));
    send(
        out,
        Command::MarkAll {
            spec,
            part,
            mark: Mark::Read(true),
            ticket,
        },
    );
}

/// Takes the last mark back.
pub fn undo(model: &mut Model, out: &mut Vec<Effect>) {
    let ticket = model.ticket();
    model.telling.push((ticket, Telling::Undone));
    send(out, Command::Undo { ticket });
}

/// Does again what was taken back last.
pub fn redo(model: &mut Model, out: &mut Vec<Effect>) {
    let ticket = model.ticket();
    model.telling.push((ticket, Telling::Redone));
    send(out, Command::Redo { ticket });
}
