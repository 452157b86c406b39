//! The log of a feed: its last requests, and the headers that were sent and received.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::model::{AuditRecord, Exchange, HeaderList, OutcomeCode, Pace};

use super::super::columns;
use super::super::model::Model;
use super::super::say;
use super::super::status::Ledger;
use super::super::theme::Tone;
use super::paint::{put, put_right, select};

/// Paints the requests below their header; of a long log only what is on the screen is looked at.
pub fn requests(model: &Model, ledger: &Ledger, list: Rect, buf: &mut Buffer) {
    if ledger.records.is_empty() {
        let text = if ledger.loaded { "no request yet" } else { "" };
        put(
            buf,
            list,
            list.x,
            list.y,
            text,
            model.theme.style(Tone::Dim),
        );
        return;
    }
    header(model, list, buf);
    let records = ledger.records.iter().enumerate().skip(ledger.top);
    for (y, (at, record)) in (list.top() + 1..list.bottom()).zip(records) {
        let row = Rect {
            y,
            height: 1,
            ..list
        };
        draw_record(model, record, row, buf);
        if at == ledger.at {
            select(model, buf, row, true);
        }
    }
}

/// From this width on everything is said in full.
const WIDE: u16 = 90;

/// The columns: title, width, and whether figures are pushed to the right.
const COLUMNS: [(&str, u16, bool); 7] = [
    ("when", 18, false),
    ("status", 9, false),
    ("outcome", 13, false),
    ("bytes", 7, true),
    ("ms", 5, true),
    ("next", 9, true),
    ("rule", 0, false),
];

fn header(model: &Model, area: Rect, buf: &mut Buffer) {
    let titles = COLUMNS.map(|(title, ..)| (title.to_owned(), Tone::Dim));
    cells(model, titles, area, buf);
}

fn cells(model: &Model, cells: [(String, Tone); 7], row: Rect, buf: &mut Buffer) {
    let mut x = row.x;
    for ((text, tone), (title, width, right)) in cells.into_iter().zip(COLUMNS) {
        // How long it took gives way to why it is asked again.
        if title == "ms" && row.width < WIDE {
            continue;
        }
        // A column that is not there whole says nothing.
        let least = if width == 0 { 8 } else { width };
        if x + least > row.right() && x > row.x {
            break;
        }
        let width = if width == 0 {
            row.right().saturating_sub(x)
        } else {
            width
        };
        let room = width.min(row.right().saturating_sub(x));
        let text = columns::cut(&text, usize::from(room));
        let style = model.theme.style(tone);
        if right {
            put_right(buf, row, x + room, row.y, &text, style);
        } else {
            put(buf, row, x, row.y, &text, style);
        }
        x = x.saturating_add(width + 1);
    }
}

fn draw_record(model: &Model, record: &AuditRecord, row: Rect, buf: &mut Buffer) {
    let mut when = (model.zone)(record.at)
        .format("%-d %b %H:%M:%S")
        .to_string();
    if record.times > 1 {
        when = format!("{when} ×{}", record.times);
    }
    let (outcome, tone) = outcome(record);
    let next = record
        .next
        .map(|next| say::moment(next, record.at, model.zone))
        .unwrap_or_default();
    let pace = match record.pace {
        Pace::Scheduled => "",
        Pace::Manual => " · by hand",
        Pace::Force => " · forced",
        Pace::Plain => " · refetched",
        Pace::Probe => " · probed",
        Pace::Push => " · pushed",
        Pace::Older => " · older page",
    };
    let mut rule = format!("{}{pace}", record.why);
    if row.width < 110 {
        rule = format!("{}{pace}", say::rule(record.why));
    }
    cells(
        model,
        [
            (when, Tone::Text),
            (status(record), tone),
            (outcome, tone),
            (
                if record.wire == 0 {
                    "·".to_owned()
                } else {
                    say::bytes(record.wire)
                },
                Tone::Dim,
            ),
            (record.ms.to_string(), Tone::Dim),
            (next, Tone::Text),
            (rule, Tone::Dim),
        ],
        row,
        buf,
    );
}

/// `301→200`; `-` when nothing answered.
fn status(record: &AuditRecord) -> String {
    let mut parts: Vec<String> = record.hops.iter().map(u16::to_string).collect();
    parts.push(match record.status {
        0 => "-".to_owned(),
        status => status.to_string(),
    });
    parts.join("→")
}

fn outcome(record: &AuditRecord) -> (String, Tone) {
    match record.outcome {
        OutcomeCode::NotModified => ("unchanged".to_owned(), Tone::Good),
        OutcomeCode::Unchanged => ("identical".to_owned(), Tone::Warn),
        OutcomeCode::Changed if record.new > record.updated => {
            (format!("{} new", record.new), Tone::Text)
        }
        OutcomeCode::Changed => (format!("{} edited", record.updated), Tone::Text),
        OutcomeCode::Deferred => ("must wait".to_owned(), Tone::Warn),
        OutcomeCode::Gone => ("gone".to_owned(), Tone::Error),
        OutcomeCode::Failed(kind) => (kind.sentence().to_owned(), Tone::Error),
    }
}

/// Headers of the request under the cursor: sent beside received where there is room, else above.
pub fn exchanges(model: &Model, ledger: &Ledger, area: Rect, buf: &mut Buffer) {
    let found = ledger.of_current();
    let dim = model.theme.style(Tone::Dim);
    if found.is_empty() {
        let text = match ledger.records.get(ledger.at) {
            Some(record) if record.status == 0 && record.outcome == OutcomeCode::Deferred => {
                "nothing was sent: the host asked to wait, or it was asked a moment ago"
            }
            _ => "headers are kept of the last 20 answers",
        };
        put(buf, area, area.x, area.y, text, dim);
        return;
    }
    let mut rest = area;
    for exchange in found {
        let lines = exchange_lines(model, exchange, rest, buf);
        let used = (lines + 1).min(rest.height);
        rest.y += used;
        rest.height -= used;
    }
}

/// Paints one exchange from the top of `area`; returns the lines it took.
fn exchange_lines(model: &Model, exchange: &Exchange, area: Rect, buf: &mut Buffer) -> u16 {
    let theme = &model.theme;
    let url = columns::cut(&exchange.url, usize::from(area.width).saturating_sub(10)).into_owned();
    let x = put(buf, area, area.x, area.y, "GET ", theme.style(Tone::Strong));
    put(buf, area, x, area.y, &url, theme.style(Tone::Text));
    let status = match (&exchange.error, exchange.status) {
        (Some(error), 0) => error.clone(),
        (Some(error), status) => format!("{status} · {error}"),
        (None, status) => format!("received {status}"),
    };
    let two = area.width >= WIDE;
    let half = if two { area.width / 2 } else { area.width };
    let left = Rect {
        y: area.y.saturating_add(1).min(area.bottom()),
        width: half,
        height: area.height.saturating_sub(1),
        ..area
    };
    let sent = fields(model, "sent", &exchange.sent, left, buf);
    let right = if two {
        Rect {
            x: area.x + half,
            width: area.width - half,
            ..left
        }
    } else {
        let used = sent.min(left.height);
        Rect {
            y: left.y + used,
            height: left.height - used,
            ..left
        }
    };
    let received = fields(model, &status, &exchange.received, right, buf);
    1 + if two {
        sent.max(received)
    } else {
        sent + received
    }
}

/// A heading and one line a field; returns the lines they would take.
fn fields(model: &Model, heading: &str, fields: &HeaderList, area: Rect, buf: &mut Buffer) -> u16 {
    let theme = &model.theme;
    let room = usize::from(area.width).saturating_sub(2);
    let heading = columns::cut(heading, room);
    put(
        buf,
        area,
        area.x,
        area.y,
        &heading,
        theme.style(Tone::Heading),
    );
    for (y, (name, value)) in (area.y + 1..area.bottom()).zip(fields.iter()) {
        let name = crate::article::sanitize::line(name);
        let value = crate::article::sanitize::line(&String::from_utf8_lossy(value));
        let known = matches!(
            name.as_str(),
            "etag"
                | "last-modified"
                | "if-none-match"
                | "if-modified-since"
                | "retry-after"
                | "cache-control"
                | "expires"
        );
        let tone = if known { Tone::Accent } else { Tone::Dim };
        let x = put(
            buf,
            area,
            area.x,
            y,
            &format!("{name}: "),
            theme.style(tone),
        );
        let room = usize::from(area.right().saturating_sub(x + 1));
        put(
            buf,
            area,
            x,
            y,
            &columns::cut(&value, room),
            theme.style(Tone::Text),
        );
    }
    fields.iter().count() as u16 + 1
}
