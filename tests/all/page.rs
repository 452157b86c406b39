//! The page of an article, as a person reads it: its head, its links, and what can be done with it.

use tidings::model::Enclosure;
use tidings::tui::{Effect, Model, Overlay};

use super::desk::Desk;
use super::screens::text;

const SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (50, 15)];

/// A desk whose first entry has everything that an entry can have.
fn full() -> Desk {
    let mut desk = Desk::with(60);
    let first = &mut desk.entries[0];
    first.body.categories = ["Rust", "Releases", "Programming languages"]
        .map(str::to_owned)
        .to_vec();
    first.head.enclosures = vec![
        Enclosure {
            url: "https://media.example/episode.mp3".to_owned(),
            media_type: "audio/mpeg".to_owned(),
            length: Some(34_211_000),
            duration: Some(3125),
        },
        Enclosure {
            url: "https://media.example/notes.pdf".to_owned(),
            media_type: "application/pdf".to_owned(),
            ..Enclosure::default()
        },
    ];
    desk
}

fn opened(desk: &mut Desk, size: (u16, u16), theme: &str) -> Model {
    let mut model = desk.reader(size, theme);
    desk.press(&mut model, "Enter");
    model
}

#[test]
fn the_head_says_what_there_is_to_know_before_reading() {
    for size in SIZES {
        let mut desk = full();
        let model = opened(&mut desk, size, "dark");
        insta::assert_snapshot!(format!("head-{}x{}", size.0, size.1), text(&model));
    }
}

#[test]
fn what_is_attached_stands_below_the_text() {
    for size in SIZES {
        let mut desk = full();
        let mut model = opened(&mut desk, size, "dark");
        desk.press(&mut model, "G");
        insta::assert_snapshot!(format!("attached-{}x{}", size.0, size.1), text(&model));
    }
}

#[test]
fn a_link_is_opened_copied_or_added_by_its_number() {
    let url = "https://doc.rust-lang.org/stable/releases.html";
    let mut desk = Desk::with(60);
    let mut model = opened(&mut desk, (120, 40), "dark");
    desk.press(&mut model, "f y 2");
    assert_eq!(desk.world, [Effect::Copy(url.to_owned())]);
    desk.press(&mut model, "f y o 2");
    assert_eq!(desk.world[1..], [Effect::OpenUrl(url.to_owned())]);
    desk.press(&mut model, "f a 2");
    assert!(
        matches!(&model.overlay, Overlay::Add(dialog) if dialog.prompt.input.value() == url),
        "{:?}",
        model.overlay
    );
}

#[test]
fn the_hints_say_what_else_can_be_done() {
    for (keys, expected) in [
        ("f", "open link   1 to 3 · y copies · a adds as feed"),
        ("f y", "copy link   1 to 3 · o opens · a adds as feed"),
        ("f a", "add the feed of link   1 to 3 · o opens · y copies"),
    ] {
        let mut desk = Desk::with(60);
        let mut model = opened(&mut desk, (120, 40), "dark");
        desk.press(&mut model, keys);
        let screen = text(&model);
        assert!(screen.contains(expected), "{keys}: {screen}");
    }
}
