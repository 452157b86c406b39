//! The tree of tags and feeds, with unread counts.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::model::{FeedId, SourceKind};

use super::super::columns;
use super::super::model::Model;
use super::super::panes::{Pane, inside};
use super::super::say;
use super::super::theme::Tone;
use super::super::tree::{Choice, Line};
use super::paint::{frame, put, put_right, select};

/// Paints the pane.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let focus = model.focus == Pane::Feeds;
    frame(model, buf, area, "Feeds", focus);
    let area = inside(area);
    let lines = model.feeds.lines.iter().enumerate().skip(model.feeds.top);
    for (y, (at, line)) in (area.top()..area.bottom()).zip(lines) {
        let row = Rect {
            y,
            height: 1,
            ..area
        };
        draw_line(model, line, row, buf);
        if at == model.feeds.at {
            select(model, buf, row, focus);
        }
    }
}

fn draw_line(model: &Model, line: &Line, row: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    let count = model.feeds.count(line);
    let mut end = row.right().saturating_sub(1);
    if count > 0 {
        let tone = match line.choice {
            Choice::Starred => Tone::Star,
            _ => Tone::Text,
        };
        end = put_right(buf, row, end, row.y, &count.to_string(), theme.style(tone));
        end = end.saturating_sub(1);
    }
    if let Some((mark, tone)) = mark(model, line) {
        end = put_right(buf, row, end, row.y, mark, theme.style(tone)).saturating_sub(1);
    }
    let mut x = row.x + 1 + line.depth.saturating_mul(2).min(row.width / 2);
    if let Choice::Tag(path) = &line.choice {
        let fold = if model.feeds.folded.contains(path) {
            "▸ "
        } else {
            "▾ "
        };
        x = put(buf, row, x, row.y, fold, theme.style(Tone::Dim));
    }
    let tone = match line.choice {
        Choice::Feed(id) if count == 0 || is_muted(model, id) => Tone::Read,
        Choice::Feed(_) => Tone::Text,
        _ => Tone::Strong,
    };
    let label = model.feeds.label(line);
    let label = columns::cut(&label, usize::from(end.saturating_sub(x)));
    put(buf, row, x, row.y, &label, theme.style(tone));
}

fn is_muted(model: &Model, id: FeedId) -> bool {
    model.feeds.row(id).is_some_and(|row| row.mute)
}

/// The mark of a feed that is being asked, or has trouble; of a folded tag, the worst of its feeds.
fn mark(model: &Model, line: &Line) -> Option<(&'static str, Tone)> {
    match &line.choice {
        Choice::Feed(id) if model.feeds.polling.contains(id) => Some(("↻", Tone::Accent)),
        Choice::Feed(id) => {
            let row = model.feeds.row(*id)?;
            match say::trouble(row, model.now) {
                Some(trouble) => Some((trouble.mark(), trouble.tone())),
                None if row.kind == SourceKind::List => Some(("≡", Tone::Dim)),
                None if row.followed.as_ref().is_some_and(|f| f.parked.is_some()) => {
                    Some(("…", Tone::Dim))
                }
                None => row.mute.then_some(("⊘", Tone::Dim)),
            }
        }
        _ => None,
    }
}
