//! The opened entry.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style as Look};

use crate::article::{Kind, Style, Traits};

use super::super::columns;
use super::super::model::{Model, Overlay};
use super::super::page::Article;
use super::super::panes::{Pane, text_area, title_room};
use super::super::theme::{Theme, Tone};
use super::paint::{foot_area, frame, highlight, put, put_right, title_area};
use crate::query::Field;

/// Paints the pane.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let Some(article) = &model.article else {
        return;
    };
    let zen = model.is_zen();
    let text = text_area(area, zen, model.settings.measure);
    if !zen {
        border(model, article, area, usize::from(text.height), buf);
    }
    let hinting = match &model.overlay {
        Overlay::Links(hint) => Some(hint.typed.as_str()),
        _ => None,
    };
    let rows = article.rows.iter().skip(article.top);
    for (y, row) in (text.top()..text.bottom()).zip(rows) {
        let mut x = text.x;
        for run in &row.runs {
            let look = look(&model.theme, run.style, hinting);
            x = put(buf, text, x, y, &run.text, look);
        }
    }
    let needles = model.entries.looked_for.needles_in(Field::Body);
    highlight(buf, text, &needles, model.theme.style(Tone::Match));
}

fn border(model: &Model, article: &Article, area: Rect, height: usize, buf: &mut Buffer) {
    let focus = model.focus == Pane::Article;
    let edge = title_area(area);
    let title = columns::cut(&article.head.title, title_room(area, &article.head));
    let x = frame(model, buf, area, &title, focus);
    if article.head.starred {
        put(buf, edge, x, edge.y, "★ ", model.theme.style(Tone::Star));
    }
    if let Some(percent) = article.percent(height).filter(|_| area.height > 3) {
        let foot = foot_area(area);
        let place = format!(" {percent} % ");
        let style = model.theme.style(Tone::Dim);
        put_right(
            buf,
            foot,
            foot.right().saturating_sub(1),
            foot.y,
            &place,
            style,
        );
    }
}

/// How a run looks: what it is, then what the author marked.
fn look(theme: &Theme, style: Style, hinting: Option<&str>) -> Look {
    if let (Kind::Number, Some(typed), Some(number)) = (style.kind, hinting, style.link)
        && number.to_string().starts_with(typed)
    {
        return theme.style(Tone::Hint);
    }
    let tone = match style.kind {
        Kind::Heading(_) => Tone::Heading,
        Kind::CodeBlock => Tone::Code,
        Kind::Number | Kind::Marker => Tone::Number,
        Kind::Image(_) | Kind::Media => Tone::Image,
        Kind::Term | Kind::TableHead => Tone::Strong,
        Kind::QuoteBar | Kind::Rule | Kind::Reference | Kind::Note | Kind::Caption => Tone::Dim,
        Kind::Text => match style.link {
            Some(_) => Tone::Link,
            None => Tone::Text,
        },
    };
    let mut look = theme.style(tone);
    for (marks, tone) in [
        (Traits::QUOTED, Tone::Quote),
        (Traits::CODE, Tone::Code),
        (Traits::EMPHASIS, Tone::Emphasis),
        (Traits::STRONG, Tone::Strong),
        (Traits::MARK, Tone::Match),
    ] {
        if style.traits.has(marks) && (tone != Tone::Quote || style.kind == Kind::Text) {
            look = look.patch(theme.style(tone));
        }
    }
    if style.traits.has(Traits::UNDERLINE) {
        look = look.add_modifier(Modifier::UNDERLINED);
    }
    if style.traits.has(Traits::STRIKE) {
        look = look.add_modifier(Modifier::CROSSED_OUT);
    }
    look
}
