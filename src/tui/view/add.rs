//! The dialog that adds a feed.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::engine::protocol::Preview;

use super::super::columns;
use super::super::model::{AddDialog, AddStep, Model};
use super::super::say;
use super::super::theme::Tone;
use super::bottom::input;
use super::paint::{dialog, put, select, tint};

/// Paints the dialog. Returns where the cursor is.
pub fn draw(model: &Model, add: &AddDialog, area: Rect, buf: &mut Buffer) -> Option<Position> {
    match &add.step {
        AddStep::Choosing { candidates, at } => {
            choice(model, candidates, *at, area, buf);
            None
        }
        AddStep::Seen { preview, .. } => {
            seen(model, preview, area, buf);
            None
        }
        AddStep::Typing => address(model, add, area, buf),
        AddStep::Asking(_) => {
            let place = dialog(model, buf, area, (76, 5), "Add a feed");
            let url = say::address(add.prompt.input.value());
            let text = format!("asking {url} …");
            let text = columns::cut(&text, usize::from(place.width.saturating_sub(2)));
            let y = place.y + 1;
            put(
                buf,
                place,
                place.x + 1,
                y,
                &text,
                model.theme.style(Tone::Dim),
            );
            None
        }
    }
}

fn address(model: &Model, add: &AddDialog, area: Rect, buf: &mut Buffer) -> Option<Position> {
    let width = 76.min(area.width);
    let room = usize::from(width.saturating_sub(4));
    let note = match &add.prompt.problem {
        Some(problem) => columns::fold(problem, room, 5),
        None => vec!["Enter asks it once · Esc closes".to_owned()],
    };
    let height = 5 + note.len() as u16;
    let place = dialog(model, buf, area, (width, height), "Add a feed");
    let style = model.theme.style(Tone::Dim);
    put(
        buf,
        place,
        place.x + 1,
        place.y,
        "Address of a feed, or of a page that has one:",
        style,
    );
    let field = Rect {
        x: place.x + 1,
        y: place.y + 1,
        width: place.width.saturating_sub(2),
        height: 1,
    }
    .intersection(place);
    tint(buf, field, model.theme.style(Tone::SelectedAway));
    let cursor = input(model, &add.prompt, field, buf);
    let tone = if add.prompt.problem.is_some() {
        Tone::Error
    } else {
        Tone::Dim
    };
    for (y, line) in (place.y + 3..).zip(&note) {
        put(buf, place, place.x + 1, y, line, model.theme.style(tone));
    }
    cursor
}

/// What a feed is, before it is subscribed.
fn seen(model: &Model, preview: &Preview, area: Rect, buf: &mut Buffer) {
    let width = 76.min(area.width);
    let room = usize::from(width.saturating_sub(4));
    let rows = facts(model, preview);
    let mut lines: Vec<(String, Tone)> = Vec::new();
    for (text, tone) in rows {
        let folded = columns::fold(&text, room, 3);
        lines.extend(folded.into_iter().map(|line| (line, tone)));
    }
    let height = (lines.len() as u16 + 4).min(area.height);
    let place = dialog(model, buf, area, (width, height), "Subscribe to this feed?");
    let shown = usize::from(place.height.saturating_sub(2));
    for (y, (line, tone)) in (place.y..).zip(lines.iter().take(shown)) {
        put(buf, place, place.x + 1, y, line, model.theme.style(*tone));
    }
    let y = place.bottom().saturating_sub(1);
    let note = columns::cut("Enter subscribes · e edits · Esc leaves it", room);
    put(
        buf,
        place,
        place.x + 1,
        y,
        &note,
        model.theme.style(Tone::Dim),
    );
}

fn facts(model: &Model, preview: &Preview) -> Vec<(String, Tone)> {
    let address = say::address(&preview.url);
    let name = if preview.title.is_empty() {
        address.clone()
    } else {
        preview.title.clone()
    };
    let mut rows = vec![(name, Tone::Title)];
    if !preview.title.is_empty() {
        rows.push((address, Tone::Dim));
    }
    if let Some(now) = &preview.url_now {
        rows.push((format!("redirects to {}", say::address(now)), Tone::Dim));
    }
    if let Some(trouble) = &preview.trouble {
        rows.push((trouble.clone(), Tone::Error));
        let later = "It can be subscribed all the same, and is asked again by its schedule.";
        rows.push((later.to_owned(), Tone::Dim));
        return rows;
    }
    rows.push((
        format!(
            "{} · {} · {}",
            preview.kind,
            say::many(preview.entries as u64, "entry", "entries"),
            crate::model::bytes(preview.bytes)
        ),
        Tone::Text,
    ));
    if let Some(newest) = &preview.newest {
        let age = newest.at.map_or_else(
            || ", without a date".to_owned(),
            |at| match say::age(at, model.now).as_str() {
                "now" => ", just now".to_owned(),
                age => format!(", {age} ago"),
            },
        );
        rows.push((format!("newest{age}: {}", newest.title), Tone::Text));
    }
    rows.push((validators(preview), Tone::Text));
    if let Some(warning) = &preview.warning {
        rows.push((warning.clone(), Tone::Error));
    }
    rows
}

/// What the server gave to ask with.
fn validators(preview: &Preview) -> String {
    if preview.url.starts_with("file:") {
        return "it is read again when the file has changed".to_owned();
    }
    let sent = &preview.validators;
    let names = match (&sent.etag, &sent.last_modified) {
        (Some(_), Some(_)) => "ETag and Last-Modified",
        (Some(_), None) => "ETag",
        (None, Some(_)) => "Last-Modified",
        (None, None) => {
            return "the server sent no validators: it has to send the whole feed each time"
                .to_owned();
        }
    };
    format!("the server sent {names}: what has not changed need not be sent again")
}

fn choice(
    model: &Model,
    candidates: &[(crate::parse::Candidate, bool)],
    at: usize,
    area: Rect,
    buf: &mut Buffer,
) {
    let theme = &model.theme;
    let wanted = candidates.len() as u16 + 4;
    let height = wanted.min(area.height);
    let place = dialog(
        model,
        buf,
        area,
        (76, height),
        "This page has several feeds",
    );
    let shown = usize::from(place.height.saturating_sub(2)).max(1);
    let top = at.saturating_sub(shown - 1);
    let rows = candidates.iter().enumerate().skip(top).take(shown);
    for (y, (nth, (candidate, taken))) in (place.y..place.bottom()).zip(rows) {
        let row = Rect {
            y,
            height: 1,
            ..place
        };
        let tick = if *taken { "✓" } else { " " };
        put(buf, row, row.x + 1, y, tick, theme.style(Tone::Accent));
        let address = say::address(&candidate.url);
        let title = if candidate.title.is_empty() {
            &address
        } else {
            &candidate.title
        };
        let half = usize::from(row.width / 2);
        put(
            buf,
            row,
            row.x + 3,
            y,
            &columns::cut(title, half.saturating_sub(4)),
            theme.style(Tone::Text),
        );
        let right = format!("{}  {address}", candidate.kind);
        let right = columns::cut(right.trim(), half.saturating_sub(1)).into_owned();
        put(
            buf,
            row,
            row.x + half as u16,
            y,
            &right,
            theme.style(Tone::Dim),
        );
        if nth == at {
            select(model, buf, row, true);
        }
    }
    let note = "Space ticks · Enter subscribes · Esc closes";
    let y = place.bottom().saturating_sub(1);
    put(buf, place, place.x + 1, y, note, theme.style(Tone::Dim));
}
