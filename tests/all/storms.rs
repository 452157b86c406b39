//! Whatever is pressed, however late the engine answers, on a screen of whatever size: nothing panics, and cursors
//! stand on rows.

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tidings::engine::protocol::Event;
use tidings::tui::{Effect, Key, Model, Mouse, MouseKind, Msg, draw, start, update};

use super::desk::{Desk, reader};

const KEYS: &[&str] = &[
    "j",
    "k",
    "g",
    "G",
    "^d",
    "^u",
    "h",
    "l",
    "Tab",
    "S-Tab",
    "Enter",
    "n",
    "N",
    "Space",
    "r",
    "R",
    "m",
    "A",
    "u",
    "*",
    "o",
    "y",
    "f",
    "/",
    ":",
    "a",
    "s",
    "t",
    "z",
    "?",
    "Esc",
    "v",
    "V",
    "O",
    "S",
    "x",
    "X",
    "I",
    "J",
    "K",
    "M",
    "L",
    "E",
    "1",
    "2",
    "e",
    "日",
    "Backspace",
    "Left",
    "Right",
    "Up",
    "Down",
    "Home",
    "End",
    "PageDown",
    "PageUp",
    "q",
    "Delete",
    "^w",
    "^l",
];

#[derive(Debug, Clone)]
enum Act {
    Press(usize),
    Click(u16, u16),
    Wheel(u16, u16, bool),
    Resize(u16, u16),
    Paste(String),
    /// The engine answers so many commands, from the oldest or the newest.
    Answer(usize, bool),
    Changed,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        12 => (0..KEYS.len()).prop_map(Act::Press),
        2 => (0_u16..130, 0_u16..45).prop_map(|(x, y)| Act::Click(x, y)),
        1 => (0_u16..130, 0_u16..45, any::<bool>()).prop_map(|(x, y, down)| Act::Wheel(x, y, down)),
        2 => (0_u16..140, 0_u16..50).prop_map(|(w, h)| Act::Resize(w, h)),
        1 => "\\PC{0,12}".prop_map(Act::Paste),
        6 => (1_usize..5, any::<bool>()).prop_map(|(n, old)| Act::Answer(n, old)),
        1 => Just(Act::Changed),
    ]
}

fn check(model: &Model) {
    let on_a_row = |at: usize, len: usize| at == 0 || at < len;
    assert!(on_a_row(model.feeds.at, model.feeds.lines.len()));
    assert!(on_a_row(model.entries.at, model.entries.heads.len()));
    for table in [&model.status.feeds, &model.status.hosts] {
        assert!(on_a_row(table.at, table.lines.len()));
    }
    if let Some(log) = &model.status.ledger {
        assert!(on_a_row(log.at, log.records.len()));
    }
    assert!(model.entries.heads.len() <= 2048, "a window, not the list");
    if let Some(article) = &model.article {
        assert!(on_a_row(article.top, article.rows.len()));
    }
    let mut buf = Buffer::empty(Rect::new(0, 0, model.size.0, model.size.1));
    if let Some(at) = draw(model, &mut buf) {
        assert!(buf.area.contains(at), "the cursor is on the screen");
    }
}

fn storm(acts: Vec<Act>, entries: u64) {
    let mut desk = Desk::with(entries);
    // Stories of several feeds, some of them far from each other.
    for at in (7..desk.entries.len()).step_by(11) {
        let link = desk.entries[at - 7].head.link.clone();
        desk.entries[at].head.link = link;
    }
    let mut model = reader((120, 40), "dark");
    model.settings.fold_twins = entries.is_multiple_of(2);
    let mut waiting = Vec::new();
    let mut keep = |effects: Vec<Effect>| {
        for effect in effects {
            if let Effect::Send(command) = effect {
                waiting.push(command);
            }
        }
        std::mem::take(&mut waiting)
    };
    let mut sent = keep(start(&mut model));
    for act in acts {
        let messages = match act {
            Act::Press(at) => vec![Msg::Key(Key::parse(KEYS[at]).expect("a key"))],
            Act::Click(x, y) => vec![Msg::Mouse(Mouse {
                x,
                y,
                kind: MouseKind::Click,
            })],
            Act::Wheel(x, y, down) => {
                let kind = if down {
                    MouseKind::WheelDown
                } else {
                    MouseKind::WheelUp
                };
                vec![Msg::Mouse(Mouse { x, y, kind })]
            }
            Act::Resize(width, height) => vec![Msg::Resized(width, height)],
            Act::Paste(text) => vec![Msg::Paste(text)],
            Act::Changed => vec![Msg::Engine(Event::Changed)],
            Act::Answer(count, oldest) => {
                let mut events = Vec::new();
                for _ in 0..count.min(sent.len()) {
                    let at = if oldest { 0 } else { sent.len() - 1 };
                    let command = sent.remove(at);
                    events.extend(desk.answer(command).into_iter().map(Msg::Engine));
                }
                events
            }
        };
        for msg in messages {
            sent.extend(keep(update(&mut model, msg)));
            check(&model);
        }
    }
    // Everything that was asked is answered in the end, and then nobody waits any more.
    let rest = sent.into_iter().map(Effect::Send).collect();
    desk.settle(&mut model, rest);
    assert!(!model.entries.is_asking(), "no question is left open");
    check(&model);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_storm_of_keys_breaks_the_reader(acts in prop::collection::vec(act(), 1..80), many in any::<bool>()) {
        storm(acts, if many { 1500 } else { 7 });
    }
}

#[test]
fn every_screen_can_be_drawn_at_every_size() {
    for keys in [
        "",
        "h",
        "Enter",
        "Enter z",
        "s",
        "s Tab",
        "s Tab Tab",
        "s Enter",
        "s /",
        "?",
        "M",
        "a",
        "/",
        ":",
        "Enter f",
    ] {
        let mut desk = Desk::with(30);
        let mut model = desk.reader((120, 40), "plain");
        desk.press(&mut model, keys);
        for width in (0..12).chain([20, 59, 60, 99, 100, 300]) {
            for height in (0..8).chain([13, 14, 22, 100]) {
                update(&mut model, Msg::Resized(width, height));
                check(&model);
            }
        }
    }
}

#[test]
fn a_reader_without_feeds_takes_every_key() {
    let mut desk = Desk::empty();
    let mut model = desk.reader((80, 24), "dark");
    for key in KEYS {
        desk.press(&mut model, key);
        check(&model);
    }
}
