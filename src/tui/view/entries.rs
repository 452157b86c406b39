//! The list of entries: one line each.

use chrono::NaiveDate;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::model::{EntryHead, ListScope, Order};

use super::super::columns;
use super::super::list::Line;
use super::super::model::Model;
use super::super::panes::{Pane, inside};
use super::super::say;
use super::super::theme::Tone;
use super::super::tree::Choice;
use super::paint::{foot_area, frame, highlight, put, put_right, select, title_area};
use crate::query::Field;

/// From this width on the feed of an entry is named beside it.
const NAMES: u16 = 56;

/// Columns of an age.
const AGE: u16 = 6;

/// Paints the pane.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let focus = model.focus == Pane::Entries;
    header(model, area, focus, buf);
    let inner = inside(area);
    if model.entries.heads.is_empty() {
        empty(model, inner, buf);
    }
    let names = inner.width >= NAMES && !matches!(model.entries.spec.scope, ListScope::Feed(_));
    let lines = model.entries.lines(model.days(area));
    let shown = lines.shown(model.entries.top, usize::from(inner.height));
    let needles = model.entries.looked_for.needles_in(Field::Title);
    for (y, line) in (inner.top()..inner.bottom()).zip(shown) {
        let row = Rect {
            y,
            height: 1,
            ..inner
        };
        let at = match line {
            Line::Row(at) => at,
            Line::Day(at) => {
                day(model, lines.day(at), row, buf);
                continue;
            }
        };
        let head = &model.entries.heads[at];
        let title = draw_line(model, head, names, row, buf);
        if at == model.entries.at {
            select(model, buf, row, focus);
        }
        // Over the cursor's row as over any other.
        highlight(buf, title, &needles, model.theme.style(Tone::Match));
    }
    footer(model, area, buf);
}

/// The heading of a day.
fn day(model: &Model, day: Option<NaiveDate>, row: Rect, buf: &mut Buffer) {
    let Some(day) = day else { return };
    let today = (model.zone)(model.now).date();
    let text = say::day(day, today);
    let text = columns::cut(&text, usize::from(row.width).saturating_sub(2));
    let style = model.theme.style(Tone::Text);
    put(buf, row, row.x + 1, row.y, &text, style);
}

/// `rust-lang blog ── 3 unread`.
fn header(model: &Model, area: Rect, focus: bool, buf: &mut Buffer) {
    let line = model.feeds.current();
    let mut title = line.map_or_else(|| "All".to_owned(), |line| model.feeds.label(line));
    let query = &model.entries.spec.query;
    if !query.is_empty() {
        title = format!("“{query}” in {title}");
    }
    let edge = title_area(area);
    let room = usize::from(edge.width).saturating_sub(16).max(12);
    let title = columns::cut(&title, room);
    let x = frame(model, buf, area, &title, focus);
    let unread = match line {
        Some(line) if line.choice != Choice::Starred => model.feeds.count(line),
        _ => 0,
    };
    let text = match (query.is_empty(), model.entries.total) {
        (true, _) if unread > 0 => Some(format!(" {} unread ", say::count(unread))),
        (false, Some(found)) if found > 0 => Some(format!(" {} found ", say::count(found))),
        _ => None,
    };
    if let Some(text) = text {
        put(
            buf,
            edge,
            x + 2,
            edge.y,
            &text,
            model.theme.style(Tone::Dim),
        );
    }
}

/// What is unusual about the list, at the foot: its order, its filter.
fn footer(model: &Model, area: Rect, buf: &mut Buffer) {
    let mut parts = Vec::new();
    if model.entries.searching {
        parts.push("searching …");
    }
    if model.unread_only {
        parts.push("unread only");
    }
    match model.order {
        Order::Newest => {}
        Order::Oldest => parts.push("oldest first"),
        Order::Title => parts.push("by title"),
        Order::Feed => parts.push("by feed"),
    }
    if parts.is_empty() || area.height < 4 {
        return;
    }
    let edge = foot_area(area);
    let text = format!(" {} ", parts.join(" · "));
    let text = columns::cut(&text, usize::from(edge.width));
    let style = model.theme.style(Tone::Dim);
    put_right(
        buf,
        edge,
        edge.right().saturating_sub(1),
        edge.y,
        &text,
        style,
    );
}

/// Why there is nothing to see.
fn empty(model: &Model, area: Rect, buf: &mut Buffer) {
    let text = if !model.entries.is_loaded() || model.entries.searching {
        ""
    } else if !model.entries.spec.query.is_empty() {
        "nothing found"
    } else if model.unread_only {
        "nothing unread here · v shows all"
    } else {
        "nothing here yet · r asks now"
    };
    let style = model.theme.style(Tone::Dim);
    put(buf, area, area.x.saturating_add(1), area.y, text, style);
}

/// One entry; where its title stands.
fn draw_line(model: &Model, head: &EntryHead, names: bool, row: Rect, buf: &mut Buffer) -> Rect {
    let theme = &model.theme;
    let open = model
        .article
        .as_ref()
        .is_some_and(|article| article.head.id == head.id);
    let unread = model.entries.is_unread(head);
    let (mark, tone) = match (unread, open) {
        (true, _) => ("●", Tone::Accent),
        (false, true) => ("›", Tone::Accent),
        (false, false) => (" ", Tone::Dim),
    };
    put(buf, row, row.x + 1, row.y, mark, theme.style(tone));

    let star = row.right().saturating_sub(2);
    if head.starred {
        put(buf, row, star, row.y, "★", theme.style(Tone::Star));
    }
    let mut end = star.saturating_sub(1);
    if row.width >= 30 {
        let age = columns::right(&say::age(head.sort, model.now), usize::from(AGE));
        end = put_right(buf, row, end, row.y, &age, theme.style(Tone::Dim)).saturating_sub(1);
    }
    if names {
        let width = (row.width / 5).clamp(12, 20);
        let feed = model
            .feeds
            .row(head.id.feed)
            .map(say::name)
            .unwrap_or_default();
        let feed = columns::left(&feed, usize::from(width));
        let from = end.saturating_sub(width);
        put(buf, row, from, row.y, &feed, theme.style(Tone::Dim));
        end = from.saturating_sub(2);
    }
    let twins = model.entries.twins(head.id).len();
    if twins > 0 {
        // As many other feeds tell it.
        let text = format!("+{twins}");
        end = put_right(buf, row, end, row.y, &text, theme.style(Tone::Dim)).saturating_sub(1);
    }
    let x = row.x + 3;
    let title = if head.title.is_empty() {
        "(no title)"
    } else {
        &head.title
    };
    let title = columns::cut(title, usize::from(end.saturating_sub(x)));
    let tone = if unread { Tone::Unread } else { Tone::Read };
    let after = put(buf, row, x, row.y, &title, theme.style(tone));
    Rect {
        x,
        width: after.saturating_sub(x),
        ..row
    }
}
