//! Where the panes are on a screen of a given size. Neighbours share their border.

use ratatui::layout::{Margin, Rect};

use crate::model::EntryHead;

use super::columns;

/// What has the keyboard in the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pane {
    /// The tree of tags and feeds.
    Feeds,
    /// The list of entries.
    #[default]
    Entries,
    /// The opened entry.
    Article,
}

/// From this width on there are three panes.
const WIDE: u16 = 100;

/// From this width on there are two.
const MEDIUM: u16 = 60;

/// A screen lower than this has no room for list and article above each other.
const HIGH: u16 = 14;

/// The places of the panes, borders included; `None` where a pane is not on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Panes {
    /// Tree of feeds.
    pub feeds: Option<Rect>,
    /// List of entries.
    pub entries: Option<Rect>,
    /// The opened entry.
    pub article: Option<Rect>,
    /// The last line.
    pub bottom: Rect,
    /// All above the last line.
    pub body: Rect,
}

/// Divides a screen. `article`: an entry is open; `zen`: it has the screen alone.
pub fn arrange(size: (u16, u16), focus: Pane, article: bool, zen: bool) -> Panes {
    let (width, height) = size;
    let body = Rect::new(0, 0, width, height.saturating_sub(1));
    let bottom = Rect::new(0, body.height, width, height.min(1));
    let mut panes = Panes {
        bottom,
        body,
        ..Panes::default()
    };
    let on_article = article && focus == Pane::Article;
    if on_article && (zen || width < MEDIUM) {
        panes.article = Some(body);
    } else if width < MEDIUM {
        match focus {
            Pane::Feeds => panes.feeds = Some(body),
            Pane::Entries | Pane::Article => panes.entries = Some(body),
        }
    } else if width < WIDE && on_article {
        stack(&mut panes, body, true, focus);
    } else {
        let left = (width / 4).clamp(22, 32);
        panes.feeds = Some(Rect::new(0, 0, left, body.height));
        let right = Rect::new(left - 1, 0, width - left + 1, body.height);
        stack(&mut panes, right, article && width >= WIDE, focus);
    }
    panes
}

/// The list above, the article below it; one of them alone where there is no room for both.
fn stack(panes: &mut Panes, area: Rect, article: bool, focus: Pane) {
    if !article {
        panes.entries = Some(area);
    } else if area.height < HIGH {
        match focus {
            Pane::Article => panes.article = Some(area),
            Pane::Feeds | Pane::Entries => panes.entries = Some(area),
        }
    } else {
        let above = (area.height * 3 / 10).clamp(6, 16);
        panes.entries = Some(Rect {
            height: above,
            ..area
        });
        panes.article = Some(Rect {
            y: area.y + above - 1,
            height: area.height - above + 1,
            ..area
        });
    }
}

/// The inside of a pane.
pub fn inside(pane: Rect) -> Rect {
    pane.inner(Margin::new(1, 1))
}

/// Columns of the upper border of an article that its title may take.
pub fn title_room(pane: Rect, head: &EntryHead) -> usize {
    let star = if head.starred { 6 } else { 3 };
    usize::from(pane.width.saturating_sub(2)).saturating_sub(star)
}

/// The border shows the whole title of an article.
pub fn title_fits(pane: Rect, head: &EntryHead) -> bool {
    !head.title.is_empty() && columns::width(&head.title) <= title_room(pane, head)
}

/// Where the text of the article stands: at most `measure` columns, centred in zen mode.
pub fn text_area(pane: Rect, zen: bool, measure: u16) -> Rect {
    let measure = measure.max(20);
    if zen {
        let width = pane.width.saturating_sub(2).min(measure);
        let x = pane.x + (pane.width.saturating_sub(width)) / 2;
        let room = u16::from(pane.height > 10);
        return Rect {
            x,
            width,
            y: pane.y + room,
            height: pane.height.saturating_sub(2 * room),
        };
    }
    let inside = inside(pane);
    let pad = if inside.width > 40 { 2 } else { 1 };
    let width = inside.width.saturating_sub(2 * pad).min(measure);
    Rect {
        x: inside.x + pad.min(inside.width),
        width,
        ..inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(panes: &Panes) -> (bool, bool, bool) {
        (
            panes.feeds.is_some(),
            panes.entries.is_some(),
            panes.article.is_some(),
        )
    }

    #[test]
    fn panes_give_way_as_the_screen_narrows() {
        for (size, focus, article, expected) in [
            ((120, 40), Pane::Entries, true, (true, true, true)),
            ((120, 40), Pane::Entries, false, (true, true, false)),
            ((120, 10), Pane::Article, true, (true, false, true)),
            ((80, 24), Pane::Entries, true, (true, true, false)),
            ((80, 24), Pane::Article, true, (false, true, true)),
            ((50, 15), Pane::Feeds, true, (true, false, false)),
            ((50, 15), Pane::Entries, true, (false, true, false)),
            ((50, 15), Pane::Article, true, (false, false, true)),
        ] {
            let panes = arrange(size, focus, article, false);
            assert_eq!(shown(&panes), expected, "{size:?} {focus:?}");
        }
    }

    #[test]
    fn panes_never_leave_the_screen() {
        for width in 0..140 {
            for height in 0..50 {
                for focus in [Pane::Feeds, Pane::Entries, Pane::Article] {
                    for zen in [false, true] {
                        let panes = arrange((width, height), focus, true, zen);
                        let screen = Rect::new(0, 0, width, height);
                        let all = [panes.feeds, panes.entries, panes.article];
                        for pane in all.into_iter().flatten().chain([panes.bottom]) {
                            assert_eq!(pane.intersection(screen), pane);
                            let text = text_area(pane, zen, 80);
                            assert!(text.is_empty() || text.intersection(pane) == text);
                        }
                    }
                }
            }
        }
    }
}
