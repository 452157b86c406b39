//! What polling came to: the totals in a line, and a bar a day.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::model::Counters;

use super::super::super::columns;
use super::super::super::model::Model;
use super::super::super::say;
use super::super::super::theme::Tone;
use super::super::paint::put;

/// `1,234 answers · 1,074 unchanged (304) 87 % · 12 MB loaded · 340 MB saved · 3 errors`.
pub fn totals(model: &Model, sum: &Counters, area: Rect, buf: &mut Buffer) {
    let mut x = area.x;
    for (nth, (text, tone)) in parts(sum, area.width >= 90).into_iter().enumerate() {
        let gap = if nth == 0 { 0 } else { 3 };
        let needs = columns::width(&text) as u16 + gap;
        if x + needs > area.right() {
            break;
        }
        if nth > 0 {
            x = put(buf, area, x, area.y, " · ", model.theme.style(Tone::Dim));
        }
        let style = model.theme.style(tone);
        x = put(buf, area, x, area.y, text.trim_end(), style);
    }
}

fn parts(sum: &Counters, wide: bool) -> Vec<(String, Tone)> {
    let answers = sum.ok200 + sum.not_modified304;
    let mut parts = Vec::new();
    if answers == 0 {
        parts.push(("no answers yet".to_owned(), Tone::Dim));
    } else {
        let share = sum.hit_rate().map(say::percent).unwrap_or_default();
        let hits = say::count(sum.not_modified304);
        parts.push((say::many(answers, "answer", "answers"), Tone::Text));
        parts.push((
            if wide {
                format!("{hits} unchanged (304) {share}")
            } else {
                format!("{share} by 304")
            },
            Tone::Good,
        ));
        if wide {
            parts.push((format!("{} loaded", say::bytes(sum.bytes)), Tone::Text));
        }
        parts.push((format!("{} saved", say::bytes(sum.bytes_saved)), Tone::Good));
    }
    if sum.identical200 > 0 {
        let identical = say::count(sum.identical200);
        parts.push((format!("{identical} identical (200)"), Tone::Warn));
    }
    if sum.errors > 0 {
        parts.push((say::many(sum.errors, "error", "errors"), Tone::Error));
    }
    parts
}

/// One line of bars.
struct Line {
    name: &'static str,
    tone: Tone,
    of: fn(&Counters) -> u64,
    /// The same scale as the first line.
    shared: bool,
    text: fn(u64) -> String,
}

const LINES: [Line; 3] = [
    Line {
        name: "304",
        tone: Tone::Good,
        of: |counters| counters.not_modified304,
        shared: true,
        text: say::count,
    },
    Line {
        name: "200",
        tone: Tone::Text,
        of: |counters| counters.ok200,
        shared: true,
        text: say::count,
    },
    Line {
        name: "saved",
        tone: Tone::Accent,
        of: |counters| counters.bytes_saved,
        shared: false,
        text: say::bytes,
    },
];

/// Columns for the names before the bars, and for the sums behind them.
const NAMES: u16 = 6;
const SUMS: u16 = 22;

/// A column a day, today at the right: 304s and 200s on one scale, the bytes saved on their own.
pub fn days(model: &Model, days: &[(u32, Counters)], area: Rect, buf: &mut Buffer) {
    if area.height < 2 || area.width < NAMES + SUMS + 2 {
        return;
    }
    let width = usize::from(area.width - NAMES - SUMS);
    // Days before the first poll say nothing; a fortnight is always there.
    let first = days.iter().position(|(_, c)| *c != Counters::default());
    let first = first
        .unwrap_or(days.len())
        .min(days.len().saturating_sub(14));
    let shown = &days[first.max(days.len().saturating_sub(width))..];
    if shown.is_empty() {
        return;
    }
    let most = |of: fn(&Counters) -> u64| shown.iter().map(|(_, c)| of(c)).max().unwrap_or(0);
    let answers = most(|counters| counters.not_modified304.max(counters.ok200));
    for (y, line) in (area.top()..area.bottom()).zip(&LINES) {
        let style = model.theme.style(line.tone);
        put(buf, area, area.x, y, line.name, style);
        let most = if line.shared { answers } else { most(line.of) };
        let mut x = area.x + NAMES;
        for (_, counters) in shown {
            let (mark, tone) = bar((line.of)(counters), most, line.tone);
            x = put(buf, area, x, y, mark, model.theme.style(tone));
        }
        let sum = (line.text)(shown.iter().map(|(_, c)| (line.of)(c)).sum());
        x = put(buf, area, x + 1, y, &sum, model.theme.style(Tone::Text));
        if y == area.top() {
            let span = format!(" in {}", say::many(shown.len() as u64, "day", "days"));
            put(buf, area, x, y, &span, model.theme.style(Tone::Dim));
        }
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
