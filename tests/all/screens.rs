//! What is on the screen: every pane at three sizes, and what must hold whatever is pressed.

use std::fmt::Write;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tidings::tui::{Model, draw};

use super::desk::Desk;

const SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (50, 15)];

/// The screen as text, blanks at the end of lines cut.
pub fn text(model: &Model) -> String {
    let mut buf = Buffer::empty(Rect::new(0, 0, model.size.0, model.size.1));
    let cursor = draw(model, &mut buf);
    let mut out = String::new();
    for y in 0..buf.area.height {
        let mut line = String::new();
        let mut x = 0;
        while x < buf.area.width {
            let symbol = buf[(x, y)].symbol();
            line.push_str(symbol);
            x += unicode_width::UnicodeWidthStr::width(symbol).max(1) as u16;
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    if let Some(at) = cursor {
        let _ = writeln!(out, "cursor at {},{}", at.x, at.y);
    }
    out
}

/// One snapshot a size, after the keys were pressed.
fn snap(name: &str, desk: &Desk, keys: &str) {
    for size in SIZES {
        let mut desk = desk.clone();
        let mut model = desk.reader(size, "dark");
        desk.press(&mut model, keys);
        let (width, height) = size;
        insta::assert_snapshot!(format!("{name}-{width}x{height}"), text(&model));
    }
}

#[test]
fn the_reader_as_it_starts() {
    snap("start", &Desk::with(60), "");
}

#[test]
fn the_feeds() {
    snap("feeds", &Desk::with(60), "h j j x j j j j");
}

#[test]
fn an_opened_article() {
    snap("article", &Desk::with(60), "Enter");
}

#[test]
fn an_article_far_down_with_an_attachment() {
    snap("article-end", &Desk::with(60), "j j j j j Enter G");
}

#[test]
fn an_article_alone() {
    snap("zen", &Desk::with(60), "Enter z");
}

#[test]
fn links_with_their_hints() {
    snap("links", &Desk::with(60), "Enter f 1");
}

#[test]
fn days_in_the_list() {
    snap("days", &Desk::with(60), "V j j j j m j");
}

#[test]
fn unread_entries_by_title() {
    snap("unread", &Desk::with(60), "v S S j j m");
}

#[test]
fn the_status_pane() {
    snap("status", &Desk::with(60), "s j j");
}

#[test]
fn the_status_pane_by_host() {
    snap("hosts", &Desk::with(60), "s Tab l l");
}

#[test]
fn the_ledger_of_a_feed() {
    snap("ledger", &Desk::with(60), "s Enter j");
}

#[test]
fn a_filtered_table() {
    snap("filter", &Desk::with(60), "s / r u s t");
}

#[test]
fn a_feed_that_moved_and_one_that_is_held() {
    let mut desk = Desk::with(60);
    desk.moves(6, "https://www.xkcd.example/new/atom.xml");
    snap("moved", &desk, "s / x k c d Enter");
    snap("held", &desk, "s / b u s y Enter");
}

#[test]
fn a_question_before_a_hold_is_ended() {
    snap("lift", &Desk::with(60), "s / b u s y Enter L");
}

#[test]
fn the_help() {
    snap("help", &Desk::with(60), "?");
    snap("help-search", &Desk::with(60), "? / m a r k Space r e a d");
    snap(
        "help-query",
        &Desk::with(60),
        ": h e l p Space q u e r y Enter",
    );
    snap("help-about", &Desk::with(60), ": h e l p Space e Enter");
}

#[test]
fn a_search_that_is_being_typed() {
    snap("search", &Desk::with(60), "/ r u s t");
}

#[test]
fn a_command_that_is_completed() {
    snap("command", &Desk::with(60), ": r e Tab Tab");
}

#[test]
fn a_choice_of_feeds_to_add() {
    snap("add", &Desk::with(60), "a e x . o r g Enter j Space");
}

#[test]
fn a_question_before_something_that_cannot_be_taken_back() {
    snap("confirm", &Desk::with(60), ": r e m o v e Enter");
}

#[test]
fn the_welcome_and_what_stands_there_afterwards() {
    for (width, height) in SIZES {
        let mut model = Desk::empty().reader((width, height), "dark");
        model.visit = tidings::tui::Visit::Greeted;
        insta::assert_snapshot!(format!("welcome-{width}x{height}"), text(&model));
    }
    snap("no-feeds", &Desk::empty(), "");
}

#[test]
fn messages_and_a_long_error() {
    for size in SIZES {
        let mut desk = Desk::with(60);
        let mut model = desk.reader(size, "dark");
        model.say("asked 10 feeds · 8 unchanged (304) · 2 new · 1 error (s shows it)");
        model.fail("feeds.toml could not be read: line 12, `tgas` is no key of a feed; the nearest is `tags`. The list of before stays in use until it is mended.");
        let (width, height) = size;
        insta::assert_snapshot!(format!("error-{width}x{height}"), text(&model));
        desk.press(&mut model, "M");
        insta::assert_snapshot!(format!("messages-{width}x{height}"), text(&model));
    }
}
