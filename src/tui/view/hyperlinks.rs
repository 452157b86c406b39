//! Which cells of the screen lead somewhere: the links of the article, for terminals that can follow them.

use std::sync::Arc;

use ratatui::buffer::Buffer;

use super::super::columns;
use super::super::model::{Model, Screen};
use super::super::panes::text_area;

/// Longer URLs are no links of the terminal.
const LONGEST: usize = 2083;

/// Cells of one row that lead to the same place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hyperlink {
    /// The first column.
    pub x: u16,
    /// The column behind the last.
    pub end: u16,
    /// The row.
    pub y: u16,
    /// Where it leads: http, https or mailto, printable ASCII alone.
    pub url: Arc<str>,
}

/// The links that can be seen on the screen painted into `buf`, from top to bottom. What lies over them hides them.
pub fn hyperlinks(model: &Model, buf: &Buffer) -> Vec<Hyperlink> {
    let mut found = Vec::new();
    let panes = model.panes();
    let (Some(pane), Some(article), Screen::Reader) = (panes.article, &model.article, model.screen)
    else {
        return found;
    };
    let text = text_area(pane, model.is_zen(), model.settings.measure).intersection(buf.area);
    let rows = article.rows.iter().skip(article.top);
    for (y, row) in (text.top()..text.bottom()).zip(rows) {
        let mut x = text.x;
        for run in &row.runs {
            let end = x.saturating_add(columns::width(&run.text) as u16);
            if let Some(number) = run.style.link
                && end <= text.right()
                && let Some(url) = article.target(number)
                && is_followed(url)
                && shows(buf, x, y, end, &run.text)
            {
                found.push(Hyperlink {
                    x,
                    end,
                    y,
                    url: url.into(),
                });
            }
            x = end;
        }
    }
    found
}

/// What a terminal may be told: nothing that runs or reads files, and no byte that ends the sequence.
fn is_followed(url: &str) -> bool {
    let known = ["https://", "http://", "mailto:"];
    url.len() <= LONGEST
        && known.iter().any(|scheme| url.starts_with(scheme))
        && url.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The cells show that text: nothing was painted over it.
fn shows(buf: &Buffer, x: u16, y: u16, end: u16, text: &str) -> bool {
    let mut rest = text;
    let mut at = x;
    while at < end {
        let symbol = buf[(at, y)].symbol();
        let Some(after) = rest.strip_prefix(symbol) else {
            return false;
        };
        rest = after;
        at += columns::width(symbol).max(1) as u16;
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_safe_is_told_to_a_terminal() {
        for (url, expected) in [
            ("https://a.example/?q=a;b", true),
            ("http://a.example/", true),
            ("mailto:me@a.example", true),
            ("ftp://a.example/", false),
            ("javascript:alert(1)", false),
            ("file:///etc/passwd", false),
            ("https://a.example/\u{1b}\\", false),
            ("https://a.example/\u{7}", false),
            ("https://a.example/a b", false),
            ("https://a.example/é", false),
        ] {
            assert_eq!(is_followed(url), expected, "{url:?}");
        }
        assert!(!is_followed(&format!(
            "https://a.example/{}",
            "x".repeat(3_000)
        )));
    }
}
