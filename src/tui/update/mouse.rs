//! The mouse: a click goes where it points, the wheel moves what is under it.

use ratatui::layout::{Position, Rect};

use super::super::list::Line;
use super::super::model::{Model, Overlay, Screen};
use super::super::msg::{Effect, Mouse, MouseKind};
use super::super::panes::{Pane, inside};
use super::super::tree::Choice;
use super::super::view;
use super::{action, feeds, reading, status};

/// Rows that one notch of the wheel moves.
const NOTCH: isize = 3;

/// Something was done with the mouse.
pub fn event(model: &mut Model, mouse: Mouse, out: &mut Vec<Effect>) {
    let at = Position::new(mouse.x, mouse.y);
    model.entries.ahead.clear();
    match (&model.overlay, model.screen) {
        (Overlay::None, Screen::Reader) => reader(model, mouse.kind, at, out),
        (Overlay::None, Screen::Status) => status_pane(model, mouse.kind, at, out),
        (Overlay::Help(_) | Overlay::Messages(_), _) => match mouse.kind {
            MouseKind::WheelDown => action::step(model, NOTCH, out),
            MouseKind::WheelUp => action::step(model, -NOTCH, out),
            MouseKind::Click => model.overlay = Overlay::None,
        },
        _ => {}
    }
}

/// The row inside of `pane` at `at`, counted from its first.
fn row_at(pane: Option<Rect>, at: Position) -> Option<usize> {
    let inside = inside(pane?);
    inside.contains(at).then(|| usize::from(at.y - inside.y))
}

fn reader(model: &mut Model, kind: MouseKind, at: Position, out: &mut Vec<Effect>) {
    let panes = model.panes();
    let over = |pane: Option<Rect>| pane.is_some_and(|pane| pane.contains(at));
    match kind {
        MouseKind::Click => {
            model.message = None;
            if let Some(row) = row_at(panes.feeds, at) {
                click_feed(model, row, out);
            } else if let Some(row) = row_at(panes.entries, at) {
                click_entry(model, row, out);
            } else if over(panes.article) {
                model.focus = Pane::Article;
            }
        }
        MouseKind::WheelDown | MouseKind::WheelUp => {
            let rows = if kind == MouseKind::WheelDown {
                NOTCH
            } else {
                -NOTCH
            };
            // The article lies below the list and shares its border: it is asked first.
            if over(panes.article) {
                reading::scroll(model, rows);
            } else if over(panes.entries) {
                model.entries.step(rows);
            } else if over(panes.feeds) {
                feeds::step(model, rows, out);
            }
        }
    }
}

fn click_feed(model: &mut Model, row: usize, out: &mut Vec<Effect>) {
    let line = model.feeds.top + row;
    if line >= model.feeds.lines.len() {
        return;
    }
    let again = model.feeds.at == line && model.focus == Pane::Feeds;
    model.feeds.at = line;
    model.focus = Pane::Feeds;
    if again && matches!(model.feeds.choice(), Choice::Tag(_)) {
        model.feeds.fold();
    }
    feeds::chosen(model, out);
}

fn click_entry(model: &mut Model, row: usize, out: &mut Vec<Effect>) {
    let pane = model.panes().entries.unwrap_or_default();
    let lines = model.entries.lines(model.days(pane));
    let line = lines.shown(model.entries.top, row + 1).get(row).copied();
    model.focus = Pane::Entries;
    if let Some(Line::Row(at)) = line
        && model.entries.current().is_some()
    {
        model.entries.go(at);
        reading::open_current(model, out);
    }
}

fn click_status(model: &mut Model, at: Position) {
    if let Some(tab) = view::status_tab(model, at) {
        status::go(model, tab);
        return;
    }
    let (header, rows) = view::status_areas(model);
    if rows.contains(at) {
        status::go_line(model, usize::from(at.y - rows.y));
    } else if header.contains(at)
        && let Some(column) = view::status_column(model, at.x)
    {
        model.status.table_mut().sort_by(column);
    }
}

fn status_pane(model: &mut Model, kind: MouseKind, at: Position, out: &mut Vec<Effect>) {
    match kind {
        MouseKind::WheelDown => action::step(model, NOTCH, out),
        MouseKind::WheelUp => action::step(model, -NOTCH, out),
        MouseKind::Click => {
            model.message = None;
            click_status(model, at);
        }
    }
}
