//! What a count before a key means: so many rows, the row of that number, so many times.

use super::super::keys::Action;
use super::super::model::{Model, Overlay, Screen};
use super::super::msg::Effect;
use super::super::panes::Pane;
use super::{action, entries, reading};

/// Does `action`, `count` times where that means something.
pub fn act(model: &mut Model, action: Action, count: Option<u32>, out: &mut Vec<Effect>) {
    let Some(count) = count else {
        action::act(model, action, out);
        return;
    };
    let rows = count as isize;
    match action {
        Action::Down => far(model, rows, out),
        Action::Up => far(model, -rows, out),
        Action::HalfPageDown => action::page(model, rows, 2, out),
        Action::HalfPageUp => action::page(model, -rows, 2, out),
        Action::PageDown => action::page(model, rows, 1, out),
        Action::PageUp => action::page(model, -rows, 1, out),
        Action::First | Action::Last => row(model, count as usize - 1, out),
        Action::NextEntry => reading::beside(model, rows, out),
        Action::PreviousEntry => reading::beside(model, -rows, out),
        Action::NextUnread | Action::PreviousUnread => nth_unread(model, action, count, out),
        Action::Left
        | Action::Right
        | Action::NextPane
        | Action::PreviousPane
        | Action::Advance
        | Action::Undo
        | Action::Macro(_) => (0..count).for_each(|_| action::act(model, action, out)),
        _ => action::act(model, action, out),
    }
}

fn in_list(model: &Model) -> bool {
    matches!(model.overlay, Overlay::None)
        && model.screen == Screen::Reader
        && model.focus == Pane::Entries
}

/// By that many rows, also beyond those that are loaded.
fn far(model: &mut Model, rows: isize, out: &mut Vec<Effect>) {
    if in_list(model) {
        entries::far(model, rows, out);
    } else {
        action::step(model, rows, out);
    }
}

/// To the row of that number, from 0.
fn row(model: &mut Model, row: usize, out: &mut Vec<Effect>) {
    if in_list(model) {
        entries::row(model, row, out);
    } else {
        action::act(model, Action::First, out);
        action::step(model, row as isize, out);
    }
}

/// The unread entry of that number from here. Those between are passed over, not opened.
fn nth_unread(model: &mut Model, action: Action, count: u32, out: &mut Vec<Effect>) {
    let forward = action == Action::NextUnread;
    for left in (1..=count).rev() {
        if model.finding.is_some() || action::needs_rows(model, action) {
            model.entries.ahead.push((action, Some(left)));
            return;
        }
        if left == 1 {
            action::act(model, action, out);
        } else {
            reading::pass_unread(model, forward, out);
        }
    }
}
