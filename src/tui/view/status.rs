//! How polling goes: tabs for feeds, hosts and the log of one feed; totals, the last days as bars, a table, the line
//! under the cursor in full.

mod bars;
mod detail;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::model::Counters;

use super::super::columns;
use super::super::model::Model;
use super::super::panes::inside;
use super::super::say;
use super::super::status::{Column, Figures, Ledger, Look, Tab, fitting};
use super::super::theme::Tone;
use super::ledger;
use super::paint::{frame, put, put_right, rule, select, title_area};

/// The parts of the pane.
#[derive(Debug, Clone, Copy, Default)]
struct Parts {
    totals: Rect,
    days: Rect,
    header: Rect,
    rows: Rect,
    /// A line above it included.
    detail: Rect,
}

/// Takes parts off an area from above.
struct Cake(Rect);

impl Cake {
    fn take(&mut self, height: u16) -> Rect {
        let height = height.min(self.0.height);
        let part = Rect { height, ..self.0 };
        self.0.y += height;
        self.0.height -= height;
        part
    }
}

/// Lines of bars that an area of this height has room for, and the blank one below them.
const fn days_height(height: u16) -> (u16, u16) {
    match height {
        0..14 => (0, 0),
        14..20 => (2, 1),
        _ => (3, 1),
    }
}

fn padded(body: Rect) -> Rect {
    let area = inside(body);
    Rect {
        x: area.x + 1.min(area.width),
        width: area.width.saturating_sub(2),
        ..area
    }
}

fn parts(body: Rect) -> Parts {
    let area = padded(body);
    let mut cake = Cake(area);
    let (days, blank) = days_height(area.height);
    let detail = match area.height {
        0..18 => 0,
        18..30 => 6,
        _ => 9,
    };
    let totals = cake.take(1);
    let days = cake.take(days);
    cake.take(blank);
    let header = cake.take(1);
    let rows = cake.take(cake.0.height.saturating_sub(detail));
    Parts {
        totals,
        days,
        header,
        rows,
        detail: cake.0,
    }
}

/// The parts of the log: totals, bars, requests with their header, headers with a line above them.
fn log_parts(ledger: &Ledger, body: Rect) -> (Rect, Rect, Rect, Rect) {
    let area = padded(body);
    let mut cake = Cake(area);
    let (days, blank) = match area.height {
        0..20 => (0, 0),
        height => days_height(height),
    };
    let totals = cake.take(1);
    let days = cake.take(days);
    cake.take(blank);
    let wanted = ledger.records.len().min(200) as u16 + 1;
    let list = wanted.min((cake.0.height * 2 / 5).max(3));
    let list = cake.take(list);
    (totals, days, list, cake.0)
}

/// The header and the rows of the table or of the log, for the mouse.
pub fn areas(model: &Model) -> (Rect, Rect) {
    let body = model.panes().body;
    match model.status.log() {
        Some(ledger) => {
            let mut cake = Cake(log_parts(ledger, body).2);
            cake.take(1);
            (Rect::default(), cake.0)
        }
        None => (parts(body).header, parts(body).rows),
    }
}

/// Rows of the table or of the log that fit on the screen.
pub fn rows(model: &Model) -> usize {
    usize::from(areas(model).1.height)
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

/// The tab whose name is at this place.
pub fn tab_at(model: &Model, at: Position) -> Option<Tab> {
    let edge = title_area(model.panes().body);
    let spans = tab_spans(edge);
    let hit = |(_, x, width): &(Tab, u16, u16)| (*x..x + width).contains(&at.x);
    let found = spans.into_iter().find(hit).filter(|_| at.y == edge.y);
    found.map(|(tab, ..)| tab)
}

/// The tabs in the upper border: where each begins, and its columns.
fn tab_spans(edge: Rect) -> [(Tab, u16, u16); 3] {
    let mut x = edge.x + TITLE.len() as u16 + 3;
    Tab::ALL.map(|tab| {
        let width = tab.name().len() as u16 + 2;
        let from = x;
        x += width;
        (tab, from, width)
    })
}

const TITLE: &str = "Status";

fn columns_of(model: &Model, width: u16) -> Vec<Look> {
    let table = model.status.table();
    fitting(model.status.looks(), width, table.sort, table.wants)
}

/// Paints the pane.
pub fn draw(model: &Model, body: Rect, buf: &mut Buffer) {
    frame(model, buf, body, TITLE, true);
    tabs(model, body, buf);
    match model.status.log() {
        Some(ledger) => log(model, ledger, body, buf),
        None => table(model, body, buf),
    }
}

fn table(model: &Model, body: Rect, buf: &mut Buffer) {
    let parts = parts(body);
    let mut sum = Counters::default();
    for row in &model.feeds.rows {
        sum.add(&row.counters);
    }
    bars::totals(model, &sum, parts.totals, buf);
    bars::days(model, &model.status.days, parts.days, buf);
    let looks = columns_of(model, parts.header.width);
    header(model, &looks, parts.header, buf);
    let table = model.status.table();
    let lines = table.lines.iter().enumerate().skip(table.top);
    for (y, (at, line)) in (parts.rows.top()..parts.rows.bottom()).zip(lines) {
        let row = Rect {
            y,
            height: 1,
            ..parts.rows
        };
        draw_line(model, line, &looks, row, buf);
        if at == table.at {
            select(model, buf, row, true);
        }
    }
    if table.lines.is_empty() && table.all > 0 {
        let style = model.theme.style(Tone::Dim);
        let text = format!("nothing here has “{}”", table.filter);
        put(buf, parts.rows, parts.rows.x, parts.rows.y, &text, style);
    }
    if let Some(line) = table.current().filter(|_| !parts.detail.is_empty()) {
        rule(model, buf, body, parts.detail.y);
        let mut cake = Cake(parts.detail);
        cake.take(1);
        detail::draw(model, line, cake.0, buf);
    }
}

fn log(model: &Model, log: &Ledger, body: Rect, buf: &mut Buffer) {
    let (totals, days, list, mut below) = log_parts(log, body);
    if let Some(row) = model.feeds.row(log.feed) {
        bars::totals(model, &row.counters, totals, buf);
    }
    bars::days(model, &log.days, days, buf);
    ledger::requests(model, log, list, buf);
    if below.height > 1 && !log.records.is_empty() {
        rule(model, buf, body, below.y);
        below.y += 1;
        below.height -= 1;
        ledger::exchanges(model, log, below, buf);
    }
}

/// The names of the tabs, and what the present one is about: the feed of the log, the filter of a table.
fn tabs(model: &Model, body: Rect, buf: &mut Buffer) {
    let edge = title_area(body);
    let mut end = edge.x;
    for (tab, x, _) in tab_spans(edge) {
        let tone = if tab == model.status.tab {
            Tone::Title
        } else {
            Tone::Dim
        };
        let name = format!(" {} ", tab.name());
        end = put(buf, edge, x, edge.y, &name, model.theme.style(tone));
    }
    let table = model.status.table();
    let (text, tone) = match model.status.log() {
        Some(log) => match model.feeds.row(log.feed) {
            Some(row) => (say::name(row), Tone::Text),
            None => return,
        },
        None if table.filter.is_empty() => return,
        None => (
            format!("/{} · {} of {}", table.filter, table.lines.len(), table.all),
            Tone::Match,
        ),
    };
    let room = usize::from(edge.right().saturating_sub(end + 4));
    if room > 4 {
        let text = format!(" {} ", columns::cut(&text, room));
        put(buf, edge, end + 1, edge.y, &text, model.theme.style(tone));
    }
}

fn header(model: &Model, looks: &[Look], area: Rect, buf: &mut Buffer) {
    let mut x = area.x;
    for look in looks {
        let sorted = look.column == model.status.table().sort;
        let tone = if sorted { Tone::Title } else { Tone::Dim };
        let style = model.theme.style(tone);
        let arrow = if model.status.table().descending {
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
