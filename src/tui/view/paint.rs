//! Painting text and frames; nothing ever leaves its rectangle.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::symbols::merge::MergeStrategy;
use ratatui::widgets::{Block, Widget};

use super::super::columns;
use super::super::model::Model;
use super::super::theme::Tone;
use crate::query::Needle;

/// Paints `text` from column `x` of row `y`, at most to the right edge of `area`. Returns the column behind it.
pub fn put(buf: &mut Buffer, area: Rect, x: u16, y: u16, text: &str, style: Style) -> u16 {
    let area = area.intersection(buf.area);
    if y < area.top() || y >= area.bottom() || x < area.left() || x >= area.right() {
        return x;
    }
    let room = usize::from(area.right() - x);
    buf.set_stringn(x, y, text, room, style).0
}

/// Paints `text` so that it ends before column `end`. Returns the column at which it begins.
pub fn put_right(buf: &mut Buffer, area: Rect, end: u16, y: u16, text: &str, style: Style) -> u16 {
    let width = columns::width(text) as u16;
    let x = end.saturating_sub(width).max(area.left());
    put(buf, area, x, y, text, style);
    x
}

/// Blanks in that style.
pub fn fill(buf: &mut Buffer, area: Rect, style: Style) {
    let area = area.intersection(buf.area);
    for y in area.top()..area.bottom() {
        for x in area.left()..area.right() {
            let cell = &mut buf[(x, y)];
            cell.reset();
            cell.set_style(style);
        }
        // A wide character that reached into the area would be painted over its edge.
        if let Some(x) = area.left().checked_sub(1)
            && x >= buf.area.left()
            && columns::width(buf[(x, y)].symbol()) > 1
        {
            buf[(x, y)].set_symbol(" ");
        }
    }
}

/// Lays a style over what is painted already.
pub fn tint(buf: &mut Buffer, area: Rect, style: Style) {
    let area = area.intersection(buf.area);
    buf.set_style(area, style);
}

/// The row of the cursor, brighter in the pane that has the keyboard. What is dim elsewhere is readable on it.
pub fn select(model: &Model, buf: &mut Buffer, row: Rect, focus: bool) {
    let tone = if focus {
        Tone::Selected
    } else {
        Tone::SelectedAway
    };
    let dim = model.theme.style(Tone::Dim).fg;
    let row = row.intersection(buf.area);
    for x in row.left()..row.right() {
        let cell = &mut buf[(x, row.y)];
        if focus && dim.is_some() && cell.style().fg == dim {
            cell.set_fg(Color::Reset);
        }
    }
    tint(buf, row, model.theme.style(tone));
}

/// Lays a style over every place where one of `needles` is painted in `area`, row by row.
pub fn highlight(buf: &mut Buffer, area: Rect, needles: &[&Needle], style: Style) {
    let area = area.intersection(buf.area);
    if needles.is_empty() {
        return;
    }
    for y in area.top()..area.bottom() {
        let mut text = String::new();
        // The column that each byte was painted in, and how many it takes.
        let mut columns_of = Vec::new();
        let mut x = area.left();
        while x < area.right() {
            let symbol = buf[(x, y)].symbol();
            let width = (columns::width(symbol) as u16).max(1);
            columns_of.extend(std::iter::repeat_n((x, width), symbol.len()));
            text.push_str(symbol);
            x = x.saturating_add(width);
        }
        for range in needles.iter().flat_map(|needle| needle.places(&text)) {
            for (x, width) in columns_of.get(range).unwrap_or_default() {
                let place = Rect::new(*x, y, *width, 1);
                buf.set_style(place.intersection(area), style);
            }
        }
    }
}

/// A frame that grows together with its neighbours, and its title.
pub fn frame(model: &Model, buf: &mut Buffer, area: Rect, title: &str, focus: bool) -> u16 {
    let (line, name) = if focus {
        (Tone::BorderFocus, Tone::Title)
    } else {
        (Tone::Border, Tone::Dim)
    };
    Block::bordered()
        .merge_borders(MergeStrategy::Exact)
        .border_style(model.theme.style(line))
        .render(area.intersection(buf.area), buf);
    let edge = title_area(area);
    let title = columns::cut(title, usize::from(edge.width).saturating_sub(2));
    if title.is_empty() {
        return edge.x;
    }
    let text = format!(" {title} ");
    put(buf, edge, edge.x, edge.y, &text, model.theme.style(name))
}

/// The upper border without its corners.
pub fn title_area(area: Rect) -> Rect {
    Rect {
        x: area.x.saturating_add(1).min(area.right()),
        width: area.width.saturating_sub(2),
        height: area.height.min(1),
        ..area
    }
}

/// The lower border without its corners.
pub fn foot_area(area: Rect) -> Rect {
    Rect {
        y: area.bottom().saturating_sub(1),
        ..title_area(area)
    }
}

/// A box of `width` by `height` in the middle of `area`, emptied and framed.
pub fn dialog(model: &Model, buf: &mut Buffer, area: Rect, size: (u16, u16), title: &str) -> Rect {
    let (width, height) = (size.0.min(area.width), size.1.min(area.height));
    let place = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 3,
        width,
        height,
    };
    fill(buf, place, model.theme.style(Tone::Text));
    frame(model, buf, place, title, true);
    super::super::panes::inside(place)
}

/// A line across a frame, grown together with its sides.
pub fn rule(model: &Model, buf: &mut Buffer, body: Rect, y: u16) {
    let line = format!(
        "├{}┤",
        "─".repeat(usize::from(body.width).saturating_sub(2))
    );
    put(
        buf,
        body,
        body.x,
        y,
        &line,
        model.theme.style(Tone::BorderFocus),
    );
}
