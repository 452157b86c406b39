//! What Tab offers for a line that is typed: a list above it, the one that stands in the line marked.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::columns;
use super::super::list::scrolled;
use super::super::model::{Model, Prompt};
use super::super::theme::Tone;
use super::super::update::told;
use super::paint::{fill, put, select};

/// Rows at most.
const ROWS: usize = 8;

/// Paints them above `line`, the row that is typed in.
pub fn draw(model: &Model, prompt: &Prompt, line: Rect, buf: &mut Buffer) {
    let Some((lines, at)) = prompt.offers.as_ref().filter(|(lines, _)| lines.len() > 1) else {
        return;
    };
    let room = usize::from(line.y.saturating_sub(buf.area.y));
    let height = lines.len().min(ROWS).min(room);
    let start = word_start(lines);
    let names: Vec<&str> = lines.iter().map(|line| &line[start..]).collect();
    let width = names.iter().map(|name| columns::width(name)).max();
    let width = width.unwrap_or(0).min(40);
    let top = scrolled(0, *at, lines.len(), height);
    let first = line.y - height as u16;
    let shown = lines.iter().zip(&names).enumerate().skip(top);
    for (y, (nth, (whole, name))) in (first..line.y).zip(shown) {
        let row = Rect {
            y,
            height: 1,
            ..line
        };
        fill(buf, row, model.theme.style(Tone::Text));
        let name = columns::cut(name, width);
        put(
            buf,
            row,
            row.x + 2,
            y,
            &name,
            model.theme.style(Tone::Accent),
        );
        let x = row.x + 4 + width as u16;
        let help = told(whole, &model.keymap);
        let help = columns::cut(help, usize::from(row.right().saturating_sub(x + 1)));
        put(buf, row, x, y, &help, model.theme.style(Tone::Dim));
        if nth == *at {
            select(model, buf, row, true);
        }
    }
}

/// Where candidates begin to differ, at the beginning of a word; what stands in quotes is one word.
fn word_start(lines: &[String]) -> usize {
    let Some((first, others)) = lines.split_first() else {
        return 0;
    };
    let (mut quoted, mut start) = (false, 0);
    for (at, c) in first.char_indices() {
        let end = at + c.len_utf8();
        if !others.iter().all(|line| line.starts_with(&first[..end])) {
            break;
        }
        quoted ^= c == '"';
        if c.is_whitespace() && !quoted {
            start = end;
        }
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_candidates_share_is_not_shown_again() {
        for (lines, start) in [
            (&["sort date", "sort newest"][..], 5),
            (&["read", "refresh"][..], 0),
            (&["share Mail", "share Page of mine"][..], 6),
            (&["unread feed:\"a b\"", "unread feed:\"a c\""][..], 7),
            (&["é a", "é b"][..], 3),
            (&[][..], 0),
        ] {
            let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            assert_eq!(word_start(&lines), start, "{lines:?}");
        }
    }
}
