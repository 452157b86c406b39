//! What the bottom line said, newest last.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::columns;
use super::super::model::{Help, Message, Model};
use super::super::panes::inside;
use super::super::say;
use super::super::theme::Tone;
use super::paint::{frame, put};

/// Columns for the time.
const TIME: usize = 10;

/// Paints the page.
pub fn draw(model: &Model, page: &Help, area: Rect, buf: &mut Buffer) {
    let sought = page.sought.input.value();
    let title = match sought {
        "" => "Messages".to_owned(),
        sought => format!("Messages /{sought}"),
    };
    frame(model, buf, area, &title, true);
    let area = inside(area);
    let lines = lines(model, page, area.width);
    if lines.is_empty() {
        let style = model.theme.style(Tone::Dim);
        let text = if model.log.is_empty() {
            "nothing was said yet"
        } else {
            "nothing like this was said"
        };
        put(buf, area, area.x + 1, area.y, text, style);
    }
    for (y, (time, text, tone)) in (area.top()..area.bottom()).zip(lines.iter().skip(page.top)) {
        put(buf, area, area.x + 1, y, time, model.theme.style(Tone::Dim));
        let x = area.x + 1 + TIME as u16;
        put(buf, area, x, y, text, model.theme.style(*tone));
    }
}

/// How many lines the page has.
pub fn height(model: &Model, page: &Help, area: Rect) -> usize {
    lines(model, page, inside(area).width).len()
}

/// Every message that has all the words that are sought.
fn lines(model: &Model, page: &Help, width: u16) -> Vec<(String, String, Tone)> {
    let sought = page.sought.input.value().to_lowercase();
    let words: Vec<&str> = sought.split_whitespace().collect();
    let has_all = |message: &&Message| {
        let text = message.text.to_lowercase();
        words.iter().all(|word| text.contains(word))
    };
    let room = usize::from(width).saturating_sub(TIME + 2).max(8);
    let mut lines = Vec::new();
    for message in model.log.iter().filter(has_all) {
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
