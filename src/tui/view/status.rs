//! How polling goes: totals, the last days as sparklines, a table by feed or by host, the row under the cursor in full.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::model::{Counters, FeedRow};

use super::super::columns;
use super::super::model::Model;
use super::super::panes::inside;
use super::super::say;
use super::super::status::{Column, Figures, Look, Subject, Tab, fitting};
use super::super::theme::Tone;
use super::ledger;
use super::paint::{frame, put, put_right, select, title_area};

/// The parts of the pane.
#[derive(Debug, Clone, Copy, Default)]
struct Parts {
    totals: Rect,
    days: Rect,
    header: Rect,
    rows: Rect,
    detail: Rect,
}

/// Lines of the row under the cursor in full, a line above it included.
const DETAIL: u16 = 5;

fn parts(body: Rect) -> Parts {
    let area = inside(body);
    let area = Rect {
        x: area.x + 1.min(area.width),
        width: area.width.saturating_sub(2),
        ..area
    };
    let mut rest = area;
    let mut take = |height: u16| {
        let height = height.min(rest.height);
        let part = Rect { height, ..rest };
        rest.y += height;
        rest.height -= height;
        part
    };
    let days = if area.height >= 14 { 2 } else { 0 };
    let detail = if area.height >= 18 { DETAIL } else { 0 };
    let totals = take(1);
    let days = take(days);
    if area.height >= 14 {
        take(1);
    }
    let header = take(1);
    let rows = take(
        area.height
            .saturating_sub(header.bottom() - area.y + detail),
    );
    let detail = take(detail);
    Parts {
        totals,
        days,
        header,
        rows,
        detail,
    }
}

/// The header and the rows of the table, for the mouse.
pub fn areas(model: &Model) -> (Rect, Rect) {
    let parts = parts(model.panes().body);
    (parts.header, parts.rows)
}

/// Rows of the table, or of the ledger over it, that fit on the screen.
pub fn rows(model: &Model) -> usize {
    let body = model.panes().body;
    match &model.status.ledger {
        Some(ledger) => ledger::rows(ledger, body),
        None => usize::from(parts(body).rows.height),
    }
}

/// The column of the table at screen column `x`.
pub fn column_at(model: &Model, x: u16) -> Option<Column> {
    let header = parts(model.panes().body).header;
    let mut from = header.x;
    for look in columns_of(model, header.width) {
        if (from..from + look.width).contains(&x) {
            return Some(look.column);
        }
        from += look.width + 1;
    }
    None
}

fn columns_of(model: &Model, width: u16) -> Vec<Look> {
    let status = &model.status;
    fitting(status.looks(), width, status.sort, status.wants)
}

/// Paints the pane.
pub fn draw(model: &Model, body: Rect, buf: &mut Buffer) {
    if let Some(ledger) = &model.status.ledger {
        ledger::draw(model, ledger, body, buf);
        return;
    }
    let x = frame(model, buf, body, "Status", true);
    tabs(model, body, x, buf);
    let parts = parts(body);
    totals(model, parts.totals, buf);
    days(model, parts.days, buf);
    let looks = columns_of(model, parts.header.width);
    header(model, &looks, parts.header, buf);
    let lines = model.status.lines.iter().enumerate().skip(model.status.top);
    for (y, (at, line)) in (parts.rows.top()..parts.rows.bottom()).zip(lines) {
        let row = Rect {
            y,
            height: 1,
            ..parts.rows
        };
        draw_line(model, line, &looks, row, buf);
        if at == model.status.at {
            select(model, buf, row, true);
        }
    }
    if let Some(line) = model.status.current().filter(|_| !parts.detail.is_empty()) {
        detail(model, line, body, parts.detail, buf);
    }
}

fn tabs(model: &Model, body: Rect, x: u16, buf: &mut Buffer) {
    let edge = title_area(body);
    let mut x = x + 1;
    for (tab, name) in [(Tab::Feeds, " feeds "), (Tab::Hosts, " hosts ")] {
        let tone = if tab == model.status.tab {
            Tone::Title
        } else {
            Tone::Dim
        };
        x = put(buf, edge, x, edge.y, name, model.theme.style(tone));
    }
}

/// `1,234 answers · 1,074 not modified (304) 87 % · 12 MB loaded · 340 MB saved · 3 errors`.
fn totals(model: &Model, area: Rect, buf: &mut Buffer) {
    let mut sum = Counters::default();
    for row in &model.feeds.rows {
        sum.add(&row.counters);
    }
    let answers = sum.ok200 + sum.not_modified304;
    let share = sum.hit_rate().map(say::percent).unwrap_or_default();
    let wide = area.width >= 90;
    if answers == 0 {
        let text = match sum.errors {
            0 => "no answers yet".to_owned(),
            errors => format!("no answers yet · {}", say::many(errors, "error", "errors")),
        };
        put(
            buf,
            area,
            area.x,
            area.y,
            &text,
            model.theme.style(Tone::Dim),
        );
        return;
    }
    let mut parts = vec![
        (say::many(answers, "answer", "answers"), Tone::Text),
        if wide {
            let hits = say::count(sum.not_modified304);
            (format!("{hits} unchanged (304) {share}"), Tone::Good)
        } else {
            (format!("{share} by 304"), Tone::Good)
        },
        (format!("{} loaded", say::bytes(sum.bytes)), Tone::Text),
        (format!("{} saved", say::bytes(sum.bytes_saved)), Tone::Good),
    ];
    if !wide {
        parts.remove(2);
    }
    if sum.identical200 > 0 {
        parts.push((
            format!("{} identical (200)", say::count(sum.identical200)),
            Tone::Warn,
        ));
    }
    if sum.errors > 0 {
        parts.push((say::many(sum.errors, "error", "errors"), Tone::Error));
    }
    let mut x = area.x;
    for (nth, (text, tone)) in parts.into_iter().enumerate() {
        let gap = if nth == 0 { 0 } else { 3 };
        let needs = columns::width(&text) as u16 + gap;
        if x + needs > area.right() {
            break;
        }
        if nth > 0 {
            x = put(buf, area, x, area.y, " · ", model.theme.style(Tone::Dim));
        }
        x = put(
            buf,
            area,
            x,
            area.y,
            text.trim_end(),
            model.theme.style(tone),
        );
    }
}

/// One line for 304 and one for 200, a column a day, today at the right, both on one scale.
fn days(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.height < 2 || area.width < 30 {
        return;
    }
    let width = usize::from(area.width).saturating_sub(28).min(60);
    let days = &model.status.days;
    // Days before the first poll say nothing; a fortnight is always there.
    let first = days.iter().position(|(_, c)| *c != Counters::default());
    let first = first
        .unwrap_or(days.len())
        .min(days.len().saturating_sub(14));
    let shown = &days[first.max(days.len().saturating_sub(width))..];
    let both = |(_, counters): &(u32, Counters)| counters.not_modified304.max(counters.ok200);
    let most = shown.iter().map(both).max().unwrap_or(0);
    let hit: fn(&Counters) -> u64 = |counters| counters.not_modified304;
    let full: fn(&Counters) -> u64 = |counters| counters.ok200;
    let lines = [("304", hit, Tone::Good), ("200", full, Tone::Text)];
    for (y, (name, of, tone)) in (area.y..).zip(lines) {
        let style = model.theme.style(tone);
        let mut x = put(buf, area, area.x, y, name, style) + 1;
        for (_, counters) in shown {
            let (mark, tone) = bar(of(counters), most, tone);
            x = put(buf, area, x, y, mark, model.theme.style(tone));
        }
        let sum: u64 = shown.iter().map(|(_, counters)| of(counters)).sum();
        let text = format!(
            "{} in {}",
            say::count(sum),
            say::many(shown.len() as u64, "day", "days")
        );
        put(buf, area, x + 1, y, &text, model.theme.style(Tone::Dim));
    }
}

/// A bar of eight steps; something is never shown as nothing.
fn bar(value: u64, most: u64, tone: Tone) -> (&'static str, Tone) {
    const BARS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
    if value == 0 || most == 0 {
        return ("·", Tone::Dim);
    }
    let step = (value as f64 / most as f64 * 8.0).ceil() as usize;
    (BARS[step.clamp(1, 8) - 1], tone)
}

fn header(model: &Model, looks: &[Look], area: Rect, buf: &mut Buffer) {
    let mut x = area.x;
    for look in looks {
        let sorted = look.column == model.status.sort;
        let tone = if sorted { Tone::Title } else { Tone::Dim };
        let style = model.theme.style(tone);
        let arrow = if model.status.descending {
            "▾"
        } else {
            "▴"
        };
        if look.right {
            let from = put_right(buf, area, x + look.width, area.y, look.title, style);
            if sorted && from > area.x {
                put(buf, area, from - 1, area.y, arrow, style);
            }
        } else {
            let end = put(buf, area, x, area.y, look.title, style);
            if sorted {
                put(buf, area, end, area.y, arrow, style);
            }
        }
        x += look.width + 1;
    }
}

fn draw_line(model: &Model, line: &Figures, looks: &[Look], row: Rect, buf: &mut Buffer) {
    let mut x = row.x;
    for look in looks {
        let (mut text, tone) = line.cell(look.column, model.now, model.zone);
        let mut from = x;
        let mut width = usize::from(look.width);
        if look.column == Column::Name
            && let Some(trouble) = line.trouble
        {
            let style = model.theme.style(trouble.tone());
            from = put(buf, row, x, row.y, trouble.mark(), style) + 1;
            width = width.saturating_sub(2);
        }
        if look.column == Column::Rule && columns::width(&text) > width {
            text = say::rule(line.schedule.why);
        }
        text = if look.right {
            columns::right(&text, width)
        } else {
            columns::cut(&text, width).into_owned()
        };
        put(buf, row, from, row.y, &text, model.theme.style(tone));
        x += look.width + 1;
    }
}

/// All there is to say about the row under the cursor.
fn detail(model: &Model, line: &Figures, body: Rect, area: Rect, buf: &mut Buffer) {
    let dim = model.theme.style(Tone::Dim);
    let border = model.theme.style(Tone::BorderFocus);
    let rule = format!(
        "├{}┤",
        "─".repeat(usize::from(body.width).saturating_sub(2))
    );
    put(buf, body, body.x, area.y, &rule, border);
    let lines = match &line.subject {
        Subject::Feed(id) => match model.feeds.row(*id) {
            Some(row) => feed_lines(model, row),
            None => return,
        },
        Subject::Host(_) => host_lines(model, line),
    };
    for (y, (name, text, tone)) in (area.y + 1..area.bottom()).zip(lines) {
        put(buf, area, area.x, y, name, dim);
        let x = area.x + 8;
        let room = usize::from(area.right().saturating_sub(x));
        put(
            buf,
            area,
            x,
            y,
            &columns::cut(&text, room),
            model.theme.style(tone),
        );
    }
}

fn feed_lines(model: &Model, row: &FeedRow) -> Vec<(&'static str, String, Tone)> {
    let next = match row.schedule.next {
        Some(next) if next <= model.now => format!("due · {}", row.schedule.why),
        Some(next) => format!(
            "{}, in {} · {}",
            say::moment(next, model.now, model.zone),
            say::countdown(next, model.now),
            row.schedule.reason()
        ),
        None => row.schedule.why.to_string(),
    };
    let last = row.last.as_ref().map_or_else(
        || "never asked".to_owned(),
        |last| {
            let status = last
                .status
                .map_or_else(|| "no answer".to_owned(), |s| s.to_string());
            let age = say::age(last.at, model.now);
            format!("{status}, {age} ago · {}", say::outcome(&last.outcome))
        },
    );
    let trouble = say::trouble(row, model.now).map_or(Tone::Text, say::Trouble::tone);
    vec![
        ("address", say::address(&row.feed.url), Tone::Text),
        ("next", next, Tone::Text),
        ("last", last.replace("now ago", "now"), trouble),
        ("sends", sends(row), Tone::Text),
    ]
}

/// The validators of the next request, as the server gave them.
fn sends(row: &FeedRow) -> String {
    let text = |bytes: &[u8]| crate::article::sanitize::line(&String::from_utf8_lossy(bytes));
    let sent = row.mode.pick(&row.validators);
    let mut parts = Vec::new();
    parts.extend(
        sent.etag
            .map(|etag| format!("If-None-Match: {}", text(&etag))),
    );
    parts.extend(
        sent.last_modified
            .map(|date| format!("If-Modified-Since: {}", text(&date))),
    );
    if parts.is_empty() {
        parts.push(match row.counters.ok200 {
            0 => "no validators: none were given yet".to_owned(),
            _ => "no validators: the server gave none that can be used".to_owned(),
        });
    }
    parts.extend(say::mode(row.mode).map(str::to_owned));
    parts.join(" · ")
}

fn host_lines(model: &Model, line: &Figures) -> Vec<(&'static str, String, Tone)> {
    let Subject::Host(key) = &line.subject else {
        return Vec::new();
    };
    let feeds = say::many(u64::from(line.feeds), "feed", "feeds");
    let mut lines = vec![("host", format!("{} · {feeds}", key.0), Tone::Text)];
    if let Some(until) = line.held(model.now) {
        let text = format!(
            "until {}, {} left · L ends it",
            say::moment(until, model.now, model.zone),
            say::countdown(until, model.now)
        );
        lines.push(("held", text, Tone::Warn));
    }
    if let Some(state) = model.status.hosts.get(key) {
        if state.crawl_delay_ms > 0 {
            let text = say::span(i64::from(state.crawl_delay_ms / 1000));
            lines.push((
                "delay",
                format!("{text} between requests, as robots.txt asks"),
                Tone::Text,
            ));
        }
        if state.throttled > 0 {
            let text = say::many(u64::from(state.throttled), "answer", "answers");
            lines.push(("429", format!("{text} in a row"), Tone::Warn));
        }
    }
    lines
}
