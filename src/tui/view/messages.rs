//! What the bottom line said, newest last.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::columns;
use super::super::model::Model;
use super::super::panes::inside;
use super::super::say;
use super::super::theme::Tone;
use super::paint::{frame, put};

/// Columns for the time.
const TIME: usize = 10;

/// Paints the page from its line `top` on.
pub fn draw(model: &Model, top: usize, area: Rect, buf: &mut Buffer) {
    frame(model, buf, area, "Messages", true);
    let area = inside(area);
    let lines = lines(model, area.width);
    if lines.is_empty() {
        let style = model.theme.style(Tone::Dim);
        put(buf, area, area.x + 1, area.y, "nothing was said yet", style);
    }
    for (y, (time, text, tone)) in (area.top()..area.bottom()).zip(lines.iter().skip(top)) {
        put(buf, area, area.x + 1, y, time, model.theme.style(Tone::Dim));
        let x = area.x + 1 + TIME as u16;
        put(buf, area, x, y, text, model.theme.style(*tone));
    }
}

/// How many lines the page has.
pub fn height(model: &Model, area: Rect) -> usize {
    lines(model, inside(area).width).len()
}

fn lines(model: &Model, width: u16) -> Vec<(String, String, Tone)> {
    let room = usize::from(width).saturating_sub(TIME + 2).max(8);
    let mut lines = Vec::new();
    for message in &model.log {
        let tone = if message.error {
            Tone::Error
        } else {
            Tone::Text
        };
        let mut time = say::moment(message.at, model.now, model.zone);
        for text in columns::fold(&message.text, room, 6) {
            lines.push((std::mem::take(&mut time), text, tone));
        }
    }
    lines
}
