//! The dialog that goes to a feed by a part of its name.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::super::columns;
use super::super::jump::Jump;
use super::super::list::scrolled;
use super::super::model::Model;
use super::super::theme::Tone;
use super::super::tree::Choice;
use super::bottom;
use super::paint::{dialog, put, put_right, select};

/// Columns and rows of the dialog, where there is room.
const SIZE: (u16, u16) = (56, 18);

/// Paints it. Returns where the cursor is.
pub fn draw(model: &Model, jump: &Jump, area: Rect, buf: &mut Buffer) -> Option<Position> {
    let inside = dialog(model, buf, area, SIZE, "Go to");
    let theme = &model.theme;
    let x = put(
        buf,
        inside,
        inside.x + 1,
        inside.y,
        "> ",
        theme.style(Tone::Accent),
    );
    let field = Rect {
        x,
        width: inside.right().saturating_sub(x),
        height: inside.height.min(1),
        ..inside
    };
    let cursor = bottom::input(model, &jump.prompt, field, buf);
    let rows = Rect {
        y: inside.y.saturating_add(1),
        height: inside.height.saturating_sub(1),
        ..inside
    };
    if jump.found.is_empty() {
        put(
            buf,
            rows,
            rows.x + 1,
            rows.y,
            "nothing has such a name",
            theme.style(Tone::Dim),
        );
    }
    let top = scrolled(0, jump.at, jump.found.len(), usize::from(rows.height));
    let shown = jump.found.iter().enumerate().skip(top);
    for (y, (at, (choice, name))) in (rows.top()..rows.bottom()).zip(shown) {
        let row = Rect {
            y,
            height: 1,
            ..rows
        };
        let kind = match choice {
            Choice::Tag(_) => "tag",
            Choice::Smart(_) => "list",
            _ => "",
        };
        let end = put_right(
            buf,
            row,
            row.right().saturating_sub(1),
            y,
            kind,
            theme.style(Tone::Dim),
        );
        let room = usize::from(end.saturating_sub(row.x + 2));
        put(
            buf,
            row,
            row.x + 1,
            y,
            &columns::cut(name, room),
            theme.style(Tone::Text),
        );
        if at == jump.at {
            select(model, buf, row, true);
        }
    }
    cursor
}
