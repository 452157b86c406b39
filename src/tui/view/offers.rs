//! What Tab offers for a line that is typed: a list above it, the one that stands in the line marked.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::columns;
use super::super::list::scrolled;
use super::super::model::{Model, Prompt};
use super::super::theme::Tone;
use super::super::update::told;
use super::paint::{fill, put, select};

/// Rows at most.
const ROWS: usize = 8;

/// Paints them above `line`, the row that is typed in.
pub fn draw(model: &Model, prompt: &Prompt, line: Rect, buf: &mut Buffer) {
    let Some((lines, at)) = prompt.offers.as_ref().filter(|(lines, _)| lines.len() > 1) else {
        return;
    };
    let room = usize::from(line.y.saturating_sub(buf.area.y));
    let height = lines.len().min(ROWS).min(room);
    let names: Vec<&str> = lines.iter().map(|line| last_word(line)).collect();
    let width = names.iter().map(|name| columns::width(name)).max();
    let width = width.unwrap_or(0).min(40);
    let top = scrolled(0, *at, lines.len(), height);
    let first = line.y - height as u16;
    let shown = lines.iter().zip(&names).enumerate().skip(top);
    for (y, (nth, (whole, name))) in (first..line.y).zip(shown) {
        let row = Rect {
            y,
            height: 1,
            ..line
        };
        fill(buf, row, model.theme.style(Tone::Text));
        let name = columns::cut(name, width);
        put(
            buf,
            row,
            row.x + 2,
            y,
            &name,
            model.theme.style(Tone::Accent),
        );
        let x = row.x + 4 + width as u16;
        let help = told(whole, &model.keymap);
        let help = columns::cut(help, usize::from(row.right().saturating_sub(x + 1)));
        put(buf, row, x, y, &help, model.theme.style(Tone::Dim));
        if nth == *at {
            select(model, buf, row, true);
        }
    }
}

/// Candidates differ in their last word alone; a quoted one is whole.
fn last_word(line: &str) -> &str {
    let mut quoted = false;
    let mut start = 0;
    for (at, c) in line.char_indices() {
        quoted ^= c == '"';
        if c.is_whitespace() && !quoted {
            start = at + c.len_utf8();
        }
    }
    &line[start..]
}
