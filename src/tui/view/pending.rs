//! What may follow keys that were begun: a list above the bottom line.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::columns;
use super::super::model::Model;
use super::super::theme::Tone;
use super::paint::{fill, put};

/// Rows at most.
const ROWS: usize = 8;

/// Paints it above `line`, while keys are begun.
pub fn draw(model: &Model, line: Rect, buf: &mut Buffer) {
    if model.typed.keys.is_empty() {
        return;
    }
    let follow = model.keymap.following(model.place(), &model.typed.keys);
    let room = usize::from(line.y.saturating_sub(buf.area.y));
    let height = follow.len().min(ROWS).min(room);
    let width = follow.iter().map(|(keys, _)| columns::width(keys)).max();
    let width = width.unwrap_or(0).min(20);
    let theme = &model.theme;
    for (y, (nth, (keys, help))) in (line.y - height as u16..line.y).zip(follow.iter().enumerate())
    {
        let row = Rect {
            y,
            height: 1,
            ..line
        };
        fill(buf, row, theme.style(Tone::Text));
        let more = follow.len() - nth;
        if nth + 1 == height && more > 1 {
            let text = format!("… and {more} more");
            put(buf, row, row.x + 2, y, &text, theme.style(Tone::Dim));
            break;
        }
        let keys = columns::cut(keys, width);
        put(buf, row, row.x + 2, y, &keys, theme.style(Tone::Accent));
        let x = row.x + 4 + width as u16;
        let help = columns::cut(help, usize::from(row.right().saturating_sub(x + 1)));
        put(buf, row, x, y, &help, theme.style(Tone::Dim));
    }
}
