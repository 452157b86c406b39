//! The first screen of somebody who has no feeds yet.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::columns;
use super::super::keys::Action;
use super::super::model::Model;
use super::super::panes::inside;
use super::super::theme::Tone;
use super::paint::{frame, put};

/// Columns for what is to be typed.
const LEFT: u16 = 24;

/// Paints the page.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    frame(model, buf, area, "tidings", true);
    let area = inside(area);
    let key = |action| {
        model
            .keymap
            .hint(action)
            .map_or_else(String::new, |key| key.to_string())
    };
    let rows = [
        (
            key(Action::Add),
            "add a feed: its address, or any page of its site",
        ),
        (
            "tidings import FILE".to_owned(),
            "bring your feeds: OPML, or newsboat's urls",
        ),
        (
            "tidings demo".to_owned(),
            "look around first, without network",
        ),
        (key(Action::Help), "all keys"),
        (key(Action::Quit), "quit"),
    ];
    let wide = area.width > LEFT + 30;
    let left = if wide {
        (area.width - LEFT - 50.min(area.width - LEFT)) / 2
    } else {
        1
    };
    let x = area.x + left;
    let mut y = area.y + area.height / 4;
    let heading = "Nothing to read yet: you have no feeds.";
    put(buf, area, x, y, heading, model.theme.style(Tone::Heading));
    y += 2;
    for (typed, text) in rows {
        let after = put(buf, area, x, y, &typed, model.theme.style(Tone::Accent));
        let style = model.theme.style(Tone::Text);
        if wide {
            put(buf, area, x + LEFT, y, text, style);
        } else {
            let room = usize::from(area.right().saturating_sub(after + 2));
            put(buf, area, after + 2, y, &columns::cut(text, room), style);
        }
        y += 1;
    }
    y += 1;
    let note = "Your feeds live in feeds.toml, a text file that is yours to edit.";
    let note = columns::cut(note, usize::from(area.right().saturating_sub(x)));
    put(buf, area, x, y, &note, model.theme.style(Tone::Dim));
}
