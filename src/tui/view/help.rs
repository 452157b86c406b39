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

/// From this width on the help has two columns.
const TWO: u16 = 110;

/// Paints the page from its line `top` on.
pub fn draw(model: &Model, top: usize, area: Rect, buf: &mut Buffer) {
    frame(model, buf, area, "Help", true);
    let foot = foot_area(area);
    let area = inside(area);
    let columns = columns_of(model, area.width);
    let width = area.width / columns.len() as u16;
    for (x, lines) in (area.x..).step_by(usize::from(width.max(1))).zip(&columns) {
        let column = Rect { x, width, ..area };
        for (y, line) in (area.top()..area.bottom()).zip(lines.iter().skip(top)) {
            draw_line(model, line, y, column, buf);
        }
    }
    let longest = columns.iter().map(Vec::len).max().unwrap_or(0);
    let hidden = longest.saturating_sub(usize::from(area.height));
    if let Some(percent) = (top.min(hidden) * 100).checked_div(hidden) {
        let text = format!(" {percent} % ");
        let end = foot.right().saturating_sub(1);
        put_right(buf, foot, end, foot.y, &text, model.theme.style(Tone::Dim));
    }
}

/// How many lines the page has.
pub fn height(model: &Model, area: Rect) -> usize {
    let columns = columns_of(model, inside(area).width);
    columns.iter().map(Vec::len).max().unwrap_or(0)
}

/// The lines in one column, or in two of about the same length, parted between groups.
fn columns_of(model: &Model, width: u16) -> Vec<Vec<Line>> {
    if width < TWO {
        return vec![lines(model, width)];
    }
    let mut left = lines(model, width / 2);
    let half = left.len().div_ceil(2);
    let groups = left.iter().enumerate();
    let starts = groups.filter(|(_, line)| matches!(line, Line::Group(_)));
    let split = starts.map(|(at, _)| at).min_by_key(|at| at.abs_diff(half));
    let right = left.split_off(split.unwrap_or(half));
    vec![left, right]
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
