//! The feeds that tell a story.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::columns;
use super::super::list::scrolled;
use super::super::model::{Model, Twins};
use super::super::say;
use super::super::theme::Tone;
use super::paint::{dialog, put, put_right, select};

/// Columns of the dialog, where there is room.
const WIDTH: u16 = 64;

/// Columns of the name of a feed at most.
const NAME: usize = 24;

/// Rows of it at most.
const MOST: u16 = 16;

/// Paints it.
pub fn draw(model: &Model, twins: &Twins, area: Rect, buf: &mut Buffer) {
    let height = (twins.heads.len() as u16).saturating_add(2).min(MOST);
    let title = format!("{} feeds tell this", twins.heads.len());
    let rows = dialog(model, buf, area, (WIDTH, height), &title);
    let theme = &model.theme;
    let top = scrolled(0, twins.at, twins.heads.len(), usize::from(rows.height));
    let names = twins.heads.iter();
    let names = names.map(|head| model.feeds.row(head.id.feed).map(say::name));
    let names: Vec<String> = names.map(Option::unwrap_or_default).collect();
    let widest = names.iter().map(|name| columns::width(name)).max();
    let widest = widest
        .unwrap_or(0)
        .min(NAME)
        .min(usize::from(rows.width / 2));
    let shown = twins.heads.iter().zip(&names).enumerate().skip(top);
    for (y, (at, (head, name))) in (rows.top()..rows.bottom()).zip(shown) {
        let row = Rect {
            y,
            height: 1,
            ..rows
        };
        if head.unread {
            put(buf, row, row.x + 1, y, "●", theme.style(Tone::Accent));
        }
        let age = say::age(head.sort, model.now);
        let end = row.right().saturating_sub(1);
        let end = put_right(buf, row, end, y, &age, theme.style(Tone::Dim));
        let name = columns::left(name, widest);
        let after = put(buf, row, row.x + 3, y, &name, theme.style(Tone::Text));
        let x = after.saturating_add(2);
        let left = usize::from(end.saturating_sub(x + 1));
        put(
            buf,
            row,
            x,
            y,
            &columns::cut(&head.title, left),
            theme.style(Tone::Dim),
        );
        if at == twins.at {
            select(model, buf, row, true);
        }
    }
}
