//! The help: its lines painted, in two columns where there is room.

mod lines;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::model::{Help, Model, Topic};
use super::super::panes::inside;
use super::super::theme::Tone;
use super::paint::{foot_area, frame, put, put_right};
use lines::{Line, lines};

/// From this width on the keys have two columns.
const TWO: u16 = 110;

/// Paints the page.
pub fn draw(model: &Model, help: &Help, area: Rect, buf: &mut Buffer) {
    frame(model, buf, area, &title(help), true);
    let foot = foot_area(area);
    let area = inside(area);
    let (columns, left) = columns_of(model, help, area.width);
    let width = area.width / columns.len() as u16;
    for (x, lines) in (area.x..).step_by(usize::from(width.max(1))).zip(&columns) {
        let column = Rect { x, width, ..area };
        for (y, line) in (area.top()..area.bottom()).zip(lines.iter().skip(help.top)) {
            draw_line(model, line, left, y, column, buf);
        }
    }
    let longest = columns.iter().map(Vec::len).max().unwrap_or(0);
    let hidden = longest.saturating_sub(usize::from(area.height));
    if let Some(percent) = (help.top.min(hidden) * 100).checked_div(hidden) {
        let text = format!(" {percent} % ");
        let end = foot.right().saturating_sub(1);
        put_right(buf, foot, end, foot.y, &text, model.theme.style(Tone::Dim));
    }
}

fn title(help: &Help) -> String {
    let about = match &help.topic {
        Topic::Keys => "Help".to_owned(),
        Topic::Query => "Help: queries".to_owned(),
        Topic::About(text) => format!("Help: {text}"),
    };
    match help.sought.input.value() {
        "" => about,
        sought => format!("{about} /{sought}"),
    }
}

/// How many lines the page has.
pub fn height(model: &Model, help: &Help, area: Rect) -> usize {
    let (columns, _) = columns_of(model, help, inside(area).width);
    columns.iter().map(Vec::len).max().unwrap_or(0)
}

/// The lines in one column, or in two of about the same length, parted between groups; and the columns of their left part.
fn columns_of(model: &Model, help: &Help, width: u16) -> (Vec<Vec<Line>>, usize) {
    if width < TWO || help.topic != Topic::Keys {
        let (lines, left) = lines(model, help, width);
        return (vec![lines], left);
    }
    let (mut left, keys) = lines(model, help, width / 2);
    let half = left.len().div_ceil(2);
    let groups = left.iter().enumerate();
    let starts = groups.filter(|(at, line)| *at > 0 && matches!(line, Line::Group(_)));
    let split = starts.map(|(at, _)| at).min_by_key(|at| at.abs_diff(half));
    let right = left.split_off(split.unwrap_or(left.len()));
    (vec![left, right], keys)
}

fn draw_line(model: &Model, line: &Line, keys: usize, y: u16, area: Rect, buf: &mut Buffer) {
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
            let x = area.x + 3 + keys as u16;
            put(buf, area, x, y, right, theme.style(text));
        }
    }
}
