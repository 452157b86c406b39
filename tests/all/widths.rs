//! No row is wider than its pane, whatever characters feeds, tags and messages are made of.

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tidings::tui::{Model, Msg, draw, start, update};
use unicode_width::UnicodeWidthStr;

use super::desk::{Desk, reader};

/// Wide, without width, joined, combining, turned round, and plain.
const PIECES: &[&str] = &[
    "a",
    "Zo",
    " ",
    "  ",
    "é",
    "e\u{301}\u{323}\u{307}",
    "字",
    "全角ＡＢ",
    "ｶﾅ",
    "한글",
    "👨‍👩‍👧‍👦",
    "🇯🇵",
    "❤️",
    "☀\u{fe0f}",
    "①",
    "\u{200b}",
    "\u{200d}",
    "\u{feff}",
    "\u{ad}",
    "כתב",
    "بحث",
    "ไม้",
    "นี้",
    "किं",
    "\u{3000}",
    "﷽",
    "…",
    "—",
    "\u{1f3fb}",
    "\u{e0101}",
    "\u{1160}",
];

fn name() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

/// The cells of a row from `from` fill it exactly to `to`: no character reaches over its edge.
fn fills(buf: &Buffer, y: u16, from: u16, to: u16) -> bool {
    let mut x = from;
    while x < to {
        x += buf[(x, y)].symbol().width().max(1) as u16;
    }
    x == to
}

/// Every row of the screen, and of every pane that lies open, ends where it should; its sides stand.
fn check(model: &Model, open: bool) {
    let area = Rect::new(0, 0, model.size.0, model.size.1);
    let mut buf = Buffer::empty(area);
    draw(model, &mut buf);
    for y in 0..area.height {
        assert!(fills(&buf, y, 0, area.width), "row {y} of {:?}", model.size);
    }
    let panes = model.panes();
    let shown = [
        panes.feeds,
        panes.entries,
        panes.article.filter(|_| !model.zen),
    ];
    for pane in shown.into_iter().flatten().filter(|_| open) {
        let pane = pane.intersection(area);
        if pane.width < 3 || pane.height < 3 {
            continue;
        }
        // A long error or question lies over the lowest rows, as over the whole width.
        let covered = if model.message.is_some() { 4 } else { 0 };
        for y in pane.top() + 1..(pane.bottom() - 1).min(area.height.saturating_sub(1 + covered)) {
            let (left, right) = (pane.left(), pane.right() - 1);
            for x in [left, right] {
                let side = buf[(x, y)].symbol();
                assert!(
                    "│├┤┼┌└┐┘".contains(side) && !side.is_empty(),
                    "{side:?} at {x},{y} is no side"
                );
            }
            assert!(
                fills(&buf, y, left + 1, right),
                "row {y} of a pane of {:?}",
                model.size
            );
        }
    }
}

#[derive(Debug, Clone)]
struct Names {
    titles: Vec<String>,
    feeds: Vec<String>,
    tags: Vec<String>,
    query: String,
}

fn names() -> impl Strategy<Value = Names> {
    (
        prop::collection::vec(name(), 12),
        prop::collection::vec(name(), 11),
        prop::collection::vec(name(), 4),
        name(),
    )
        .prop_map(|(titles, feeds, tags, query)| Names {
            titles,
            feeds,
            tags,
            query,
        })
}

/// A desk whose entries, feeds and tags have these names, and a reader that folds and groups.
fn named(names: &Names, size: (u16, u16)) -> (Desk, Model) {
    let mut desk = Desk::with(40);
    for (entry, title) in desk.entries.iter_mut().zip(names.titles.iter().cycle()) {
        entry.head.title.clone_from(title);
        entry.head.author.clone_from(title);
        entry.head.tags = vec![title.clone()];
        entry.body.text =
            format!("<h1>{title}</h1><p>{title} {title}</p><pre>{title}</pre><ul><li>{title}</ul>");
    }
    for (row, title) in desk.feeds.iter_mut().zip(names.feeds.iter().cycle()) {
        row.feed.title.clone_from(title);
        row.feed.tags.clone_from(&names.tags);
    }
    let mut model = reader(size, "dark");
    model.settings.fold_twins = true;
    let effects = start(&mut model);
    desk.settle(&mut model, effects);
    (desk, model)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_row_is_wider_than_its_pane(names in names(), width in 1_u16..140, height in 1_u16..45) {
        let (mut desk, mut model) = named(&names, (width, height));
        check(&model, true);
        for (keys, open) in [
            ("V j j", true), ("Enter", true), ("O", false), ("Esc z", true), ("Esc Esc", true), ("h j j", true), ("s", false),
            ("Enter", false), ("Esc q", true), ("?", false), ("q ^p", false), ("Esc T", true), ("Esc a", false), ("Esc f", true),
        ] {
            desk.press(&mut model, keys);
            check(&model, open && matches!(model.screen, tidings::tui::Screen::Reader));
        }
        desk.press(&mut model, "Esc Esc /");
        let effects = update(&mut model, Msg::Paste(names.query.clone()));
        desk.settle(&mut model, effects);
        check(&model, true);
        desk.press(&mut model, "Esc : t a g Space");
        let effects = update(&mut model, Msg::Paste(names.query.clone()));
        desk.settle(&mut model, effects);
        check(&model, false);
        desk.press(&mut model, "Esc");
        model.say(names.query.clone());
        check(&model, true);
        model.fail(names.titles.concat());
        check(&model, false);
        desk.press(&mut model, "M");
        check(&model, false);
    }
}
