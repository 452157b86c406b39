//! The help: made from the key table and the table of commands.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::columns;
use super::super::keys::Place;
use super::super::model::{Model, Screen};
use super::super::panes::{Pane, inside};
use super::super::theme::Tone;
use super::super::update::commands;
use super::paint::{foot_area, frame, put, put_right};

/// Columns for the keys.
const KEYS: usize = 14;

/// A line of the help: left, right, and whether it holds where the help was called.
enum Line {
    Blank,
    Group(String),
    Row(String, String, bool),
}

/// Paints the page from its line `top` on.
pub fn draw(model: &Model, top: usize, area: Rect, buf: &mut Buffer) {
    frame(model, buf, area, "Help", true);
    let area = inside(area);
    let lines = lines(model, area.width);
    for (y, line) in (area.top()..area.bottom()).zip(lines.iter().skip(top)) {
        draw_line(model, line, y, area, buf);
    }
    if lines.len() > usize::from(area.height) {
        let hidden = lines.len() - usize::from(area.height);
        let foot = foot_area(Rect {
            x: area.x.saturating_sub(1),
            width: area.width + 2,
            height: area.height + 1,
            ..area
        });
        let text = format!(" {} % ", top.min(hidden) * 100 / hidden);
        let end = foot.right().saturating_sub(1);
        put_right(buf, foot, end, foot.y, &text, model.theme.style(Tone::Dim));
    }
}

/// How many lines the page has.
pub fn height(model: &Model, area: Rect) -> usize {
    lines(model, inside(area).width).len()
}

fn draw_line(model: &Model, line: &Line, y: u16, area: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    match line {
        Line::Blank => {}
        Line::Group(name) => {
            put(buf, area, area.x + 1, y, name, theme.style(Tone::Heading));
        }
        Line::Row(left, right, here) => {
            let (key, text) = if *here {
                (Tone::Accent, Tone::Text)
            } else {
                (Tone::Dim, Tone::Dim)
            };
            put(buf, area, area.x + 2, y, left, theme.style(key));
            let x = area.x + 3 + KEYS as u16;
            put(buf, area, x, y, right, theme.style(text));
        }
    }
}

/// Where the help was called.
const fn place(model: &Model) -> Place {
    match (model.screen, model.focus) {
        (Screen::Status, _) => Place::Status,
        (Screen::Reader, Pane::Feeds) => Place::Feeds,
        (Screen::Reader, Pane::Entries) => Place::Entries,
        (Screen::Reader, Pane::Article) => Place::Article,
    }
}

fn lines(model: &Model, width: u16) -> Vec<Line> {
    let place = place(model);
    let room = usize::from(width).saturating_sub(KEYS + 4).max(8);
    let mut lines = Vec::new();
    let mut group = String::new();
    for binding in model.keymap.bindings() {
        if binding.group != group {
            start_group(&mut lines, &binding.group);
            group.clone_from(&binding.group);
        }
        let here = binding.places.is_empty() || binding.places.contains(&place);
        row(&mut lines, &binding.keys_text(), &binding.help, here, room);
    }
    start_group(&mut lines, "Commands");
    for command in commands() {
        let name = format!(":{}", command.name);
        row(&mut lines, &name, command.help, true, room);
    }
    let note = "every action above is a command too, by its name in keys.toml: `:mark-all-read`";
    row(&mut lines, ":NAME", note, true, room);
    start_group(&mut lines, "Search");
    for (word, help) in QUERY {
        row(&mut lines, word, help, true, room);
    }
    lines
}

const QUERY: &[(&str, &str)] = &[
    ("word “a b”", "in title, author or the feed's title"),
    ("feed:lwn", "of feeds whose title or address has it"),
    ("tag:tech", "of feeds with that tag, or one below it"),
    ("unread starred", "not read yet; starred"),
    ("age:<7d", "younger than that; > for older"),
];

fn start_group(lines: &mut Vec<Line>, name: &str) {
    if !lines.is_empty() {
        lines.push(Line::Blank);
    }
    lines.push(Line::Group(name.to_owned()));
}

fn row(lines: &mut Vec<Line>, left: &str, right: &str, here: bool, room: usize) {
    let left = columns::cut(left, KEYS).into_owned();
    for (nth, text) in columns::fold(right, room, 3).into_iter().enumerate() {
        let left = if nth == 0 {
            left.clone()
        } else {
            String::new()
        };
        lines.push(Line::Row(left, text, here));
    }
}
