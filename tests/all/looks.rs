//! How the screens look: what stands where, and in which style, in each of the three themes.

use std::fmt::Write;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use tidings::tui::{Model, Msg, draw, start, update};

use super::desk::{Desk, reader};

const SIZE: (u16, u16) = (80, 24);
const THEMES: [&str; 3] = ["dark", "light", "plain"];

/// Each row as text, below it a letter for the style of every column where one is not the most common; the letters at the end.
fn painted(model: &Model) -> (String, Vec<Style>) {
    let mut buf = Buffer::empty(Rect::new(0, 0, model.size.0, model.size.1));
    draw(model, &mut buf);
    let ground = buf[(0, 0)].style();
    let mut styles: Vec<Style> = Vec::new();
    let mut out = String::new();
    for y in 0..buf.area.height {
        let (mut text, mut looks) = (String::new(), String::new());
        let mut x = 0;
        while x < buf.area.width {
            let cell = &buf[(x, y)];
            let width = unicode_width::UnicodeWidthStr::width(cell.symbol()).max(1) as u16;
            text.push_str(cell.symbol());
            let style = Style {
                bg: cell.style().bg,
                ..cell.style()
            };
            let letter = if style == ground || (cell.symbol() == " " && is_invisible(style, ground))
            {
                ' '
            } else {
                let at = styles.iter().position(|known| *known == style);
                let at = at.unwrap_or_else(|| {
                    styles.push(style);
                    styles.len() - 1
                });
                char::from(b'a' + at as u8)
            };
            (0..width).for_each(|_| looks.push(letter));
            x += width;
        }
        for line in [text, looks] {
            if !line.trim().is_empty() {
                let _ = writeln!(out, "{}", line.trim_end());
            }
        }
    }
    for (at, style) in styles.iter().enumerate() {
        let _ = writeln!(out, "{}: {}", char::from(b'a' + at as u8), told(*style));
    }
    (out, styles)
}

/// A blank shows only its ground and what is drawn through it.
fn is_invisible(style: Style, ground: Style) -> bool {
    style.bg == ground.bg
        && !style
            .add_modifier
            .intersects(ratatui::style::Modifier::REVERSED)
}

fn told(style: Style) -> String {
    let colour = |colour: Option<ratatui::style::Color>| colour.map(|colour| colour.to_string());
    let fg = colour(style.fg).filter(|name| name != "Reset");
    let bg = colour(style.bg)
        .filter(|name| name != "Reset")
        .map(|name| format!("on {name}"));
    let marks = style
        .add_modifier
        .iter_names()
        .map(|(name, _)| name.to_lowercase());
    let words: Vec<String> = fg.into_iter().chain(bg).chain(marks).collect();
    if words.is_empty() {
        "as it is".to_owned()
    } else {
        words.join(" ")
    }
}

/// One snapshot a theme, after the keys were pressed.
fn look(name: &str, keys: &str) {
    for theme in THEMES {
        let mut desk = Desk::with(60);
        let link = desk.entries[0].head.link.clone();
        desk.entries[7].head.link = link;
        let mut model = reader(SIZE, theme);
        model.settings.fold_twins = true;
        let effects = start(&mut model);
        desk.settle(&mut model, effects);
        desk.press(&mut model, keys);
        if name == "messages" {
            model.fail("feeds.toml could not be read: line 12");
            model.say("asked 10 feeds");
            update(&mut model, Msg::Resized(SIZE.0, SIZE.1));
        }
        let (screen, styles) = painted(&model);
        if theme == "plain" {
            let coloured = |style: &Style| {
                told(*style).contains("on ")
                    || style
                        .fg
                        .is_some_and(|fg| fg != ratatui::style::Color::Reset)
            };
            assert!(
                !styles.iter().any(coloured),
                "plain has no colours: {screen}"
            );
        }
        insta::assert_snapshot!(format!("{name}-{theme}"), screen);
    }
}

#[test]
fn the_list_and_the_tree() {
    look("list", "j j");
    look("days", "V j m j *");
    look("tree", "h j j j");
}

#[test]
fn an_article_and_its_links() {
    look("article", "Enter");
    look("hints", "Enter f 1");
    look("zen", "Enter z");
}

#[test]
fn what_is_found() {
    look("search", "/ r u s t");
    look("mistake", "/ ( r");
}

#[test]
fn what_lies_over_the_reader() {
    look("help", "?");
    look("messages", "M");
    look("jump", "^p r");
    look("twins", "O");
    look("add", "a e x . o r g Enter");
    look("confirm", ": r e m o v e Enter");
    look("command", ": r e Tab");
}

#[test]
fn the_tables() {
    look("status", "s j");
    look("hosts", "s Tab");
    look("ledger", "s Enter");
}
