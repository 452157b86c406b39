//! The screen of somebody who has no feeds: what to do the first time, two lines afterwards.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::columns;
use super::super::keys::Action;
use super::super::model::{Model, Visit};
use super::super::panes::inside;
use super::super::theme::Tone;
use super::paint::{frame, put};

/// Columns for what is to be typed.
const LEFT: u16 = 24;

/// Paints the page.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    frame(model, buf, area, "tidings", true);
    let area = inside(area);
    if model.visit == Visit::Again {
        again(model, area, buf);
        return;
    }
    let key = |action| {
        model
            .keymap
            .hint(action)
            .map_or_else(String::new, ToString::to_string)
    };
    let rows = [
        (key(Action::Add), "add a feed, or a page that has one"),
        (
            "tidings import FILE".to_owned(),
            "bring your feeds: OPML, or --newsboat",
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
    let room = usize::from(area.right().saturating_sub(x + 1));
    let note = format!("Your list of feeds, a text file: {}", model.list);
    let note = columns::fold(&note, room, 3);
    // From the left: where a piece of text begins, and what it is.
    let mut lines: Vec<Vec<(u16, &str, Tone)>> = vec![
        vec![(
            0,
            "Welcome. You have no feeds yet: there are three ways to begin.",
            Tone::Heading,
        )],
        Vec::new(),
    ];
    for (typed, text) in &rows {
        let after = match columns::width(typed) as u16 + 2 {
            _ if wide => LEFT,
            after => after,
        };
        let typed = (0, typed.as_str(), Tone::Accent);
        if usize::from(after) + columns::width(text) <= room {
            lines.push(vec![typed, (after, text, Tone::Text)]);
        } else {
            lines.push(vec![typed]);
            lines.push(vec![(3, text, Tone::Text)]);
        }
    }
    lines.push(Vec::new());
    lines.extend(note.iter().map(|line| vec![(0, line.as_str(), Tone::Dim)]));
    let over = area.height.saturating_sub(lines.len() as u16);
    let top = area.y + over.min(area.height / 4);
    for (y, line) in (top..area.bottom()).zip(&lines) {
        for (from, text, tone) in line {
            let text = columns::cut(text, room.saturating_sub(usize::from(*from)));
            put(buf, area, x + from, y, &text, model.theme.style(*tone));
        }
    }
}

/// Who was here before needs no welcome.
fn again(model: &Model, area: Rect, buf: &mut Buffer) {
    let key = |action| model.keymap.hint(action).map(ToString::to_string);
    let add = key(Action::Add).unwrap_or_else(|| ":add".to_owned());
    let help = key(Action::Help).unwrap_or_else(|| ":help".to_owned());
    let lines = [
        ("You have no feeds.".to_owned(), Tone::Text),
        (format!("{add} adds one, {help} shows all keys"), Tone::Dim),
    ];
    for (y, (line, tone)) in (area.top()..area.bottom()).zip(&lines) {
        put(buf, area, area.x + 1, y, line, model.theme.style(*tone));
    }
}
