//! The page of an article, as a person reads it: its head, its links, and what can be done with it.

use tidings::model::Enclosure;
use tidings::tui::{Effect, Hands, Model, Overlay, Program, Stage};

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

fn enclosed(url: &str) -> Desk {
    let mut desk = Desk::with(60);
    desk.entries[0].head.enclosures = vec![Enclosure {
        url: url.to_owned(),
        ..Enclosure::default()
    }];
    desk
}

fn programs(desk: &Desk) -> Vec<Program> {
    let runs = desk.world.iter().filter_map(|effect| match effect {
        Effect::Run(program) => Some(program.clone()),
        _ => None,
    });
    runs.collect()
}

#[test]
fn what_is_attached_is_one_argument_of_the_users_player() {
    let url = "https://media.example/a;rm%20-rf%20~?b=$(id)&c=`id`.mp3";
    let mut desk = enclosed(url);
    let mut model = desk.reader((120, 40), "dark");
    model.settings.player = ["mpv", "--", "%u"].map(str::to_owned).to_vec();
    desk.press(&mut model, "e");
    let run = programs(&desk);
    assert_eq!(run.len(), 1);
    assert_eq!(run[0].words, ["mpv", "--", url]);
    assert_eq!(
        (&run[0].hands, run[0].stage),
        (&Hands::Nothing, Stage::Beside)
    );
    model.settings.player_terminal = true;
    desk.press(&mut model, "e");
    assert_eq!(programs(&desk)[1].stage, Stage::Terminal);
}

#[test]
fn nothing_but_web_addresses_is_handed_to_a_player() {
    for url in [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "--script=/tmp/x",
        "https://a.example/\nx",
        "https://a.example/\u{1b}[31m",
    ] {
        let mut desk = enclosed(url);
        let mut model = desk.reader((120, 40), "dark");
        model.settings.player = vec!["mpv".to_owned()];
        desk.press(&mut model, "e");
        assert!(programs(&desk).is_empty(), "{url:?}");
        assert!(
            message(&model).starts_with("not played"),
            "{}",
            message(&model)
        );
    }
}

#[test]
fn without_a_player_it_is_said_how_to_name_one() {
    let mut desk = enclosed("https://media.example/a.mp3");
    let mut model = desk.reader((120, 40), "dark");
    desk.press(&mut model, "e");
    assert!(
        message(&model).contains("player = [\"mpv\""),
        "{}",
        message(&model)
    );
    desk.press(&mut model, "j e");
    assert_eq!(message(&model), "nothing is attached to this entry");
}

#[test]
fn of_several_attachments_one_is_chosen_by_its_number() {
    let mut desk = full();
    let mut model = opened(&mut desk, (120, 40), "dark");
    model.settings.player = vec!["mpv".to_owned()];
    desk.press(&mut model, "e 4");
    assert_eq!(
        programs(&desk)[0].words,
        ["mpv", "https://media.example/notes.pdf"]
    );
}

#[test]
fn the_article_goes_to_an_editor_as_text() {
    let mut desk = full();
    let mut model = opened(&mut desk, (120, 40), "dark");
    desk.press(&mut model, "E");
    let run = programs(&desk);
    let Hands::File(text) = &run[0].hands else {
        panic!("{run:?}");
    };
    assert!(run[0].words.is_empty(), "the environment names it");
    assert!(
        text.starts_with("# Announcing Rust 1.99\nRust Blog · The Release Team"),
        "{text}"
    );
    assert!(text.contains("[1] https://rustup.rs/"), "{text}");
    assert!(
        text.contains("comments  https://lobste.rs/s/abcdef"),
        "{text}"
    );
}

#[test]
fn the_article_is_piped_to_a_command_without_a_shell() {
    let mut desk = full();
    let mut model = opened(&mut desk, (120, 40), "dark");
    desk.press(&mut model, "|");
    desk.type_in(&mut model, "grep 'a b");
    desk.press(&mut model, "Enter");
    assert!(text(&model).contains("a quote is not closed"));
    desk.type_in(&mut model, "' $HOME");
    desk.press(&mut model, "Enter");
    let run = programs(&desk);
    assert_eq!(run[0].words, ["grep", "a b", "$HOME"]);
    assert_eq!(run[0].stage, Stage::TerminalToRead);
    assert!(matches!(&run[0].hands, Hands::Input(text) if text.contains("The Rust team")));
    desk.press(&mut model, "|");
    assert!(
        text(&model).contains("| grep 'a b' $HOME"),
        "the last one stands there"
    );
}

fn message(model: &Model) -> &str {
    model.message.as_ref().map_or("", |message| &message.text)
}
