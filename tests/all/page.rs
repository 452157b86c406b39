//! The page of an article, as a person reads it: its head, its links, and what can be done with it.

use tidings::engine::protocol::Command;
use tidings::model::{Enclosure, EntryBody, Former, FullText};
use tidings::tui::{Effect, Hands, Key, Model, Msg, Overlay, Program, Stage, update};

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

fn full_article() -> FullText {
    FullText {
        url: "https://example.org/60/an-article.html".to_owned(),
        text: "<p>The whole article, as its page has it.</p><p><a href='/more'>More</a></p>"
            .to_owned(),
        at: super::desk::NOW,
    }
}

#[test]
fn the_full_text_comes_on_w_and_goes_on_w() {
    let mut desk = Desk::with(60);
    desk.pages = Ok(full_article());
    let mut model = opened(&mut desk, (120, 40), "dark");
    desk.press(&mut model, "w");
    let screen = text(&model);
    assert!(
        screen.contains("The whole article, as its page has it."),
        "{screen}"
    );
    assert!(
        screen.contains("extracted from the page at example.org/60/an-article.html"),
        "{screen}"
    );
    assert!(
        screen.contains("[1] https://example.org/more"),
        "relative to the page: {screen}"
    );
    assert!(!screen.contains("The Rust team"), "{screen}");
    desk.press(&mut model, "w");
    assert!(text(&model).contains("The Rust team"));
    let asked = |desk: &Desk| {
        let asks = desk.commands.iter();
        asks.filter(|command| matches!(command, Command::FullText { .. }))
            .count()
    };
    desk.press(&mut model, "w w w");
    assert_eq!(asked(&desk), 1, "what is at hand is not asked for again");
    desk.press(&mut model, "W");
    assert_eq!(asked(&desk), 2);
}

#[test]
fn without_a_full_text_the_feeds_own_stays_and_it_is_said_why() {
    let mut desk = Desk::with(60);
    desk.pages = Err("the server says 404".to_owned());
    let mut model = opened(&mut desk, (120, 40), "dark");
    desk.press(&mut model, "w");
    assert_eq!(
        message(&model),
        "the full text could not be fetched, the feed's own stays: the server says 404"
    );
    assert!(text(&model).contains("The Rust team"));
}

#[test]
fn a_feed_that_wants_full_texts_gets_them_when_an_entry_is_opened() {
    let mut desk = Desk::with(60);
    desk.pages = Ok(full_article());
    desk.feeds[0].full_text = true;
    let model = opened(&mut desk, (120, 40), "dark");
    assert!(text(&model).contains("The whole article"));
    // What was fetched before is shown at once.
    let id = desk.entries[0].head.id;
    desk.kept.entry(id).or_default().full = Some(full_article());
    desk.pages = Err("not asked".to_owned());
    let model = opened(&mut desk, (120, 40), "dark");
    assert!(text(&model).contains("The whole article"));
}

#[test]
fn screens_of_the_full_text() {
    for (theme, size) in [
        ("dark", (120, 40)),
        ("light", (80, 24)),
        ("plain", (50, 15)),
    ] {
        let mut desk = Desk::with(60);
        desk.pages = Ok(full_article());
        let mut model = opened(&mut desk, size, theme);
        desk.press(&mut model, "w");
        insta::assert_snapshot!(format!("full-text-{}x{}", size.0, size.1), text(&model));
    }
}

/// A desk whose first entry was edited.
fn edited() -> Desk {
    let mut desk = Desk::with(60);
    let first = &mut desk.entries[0];
    first.head.edited = true;
    "<p>The team is glad to announce version 1.99.</p><p>Nothing else.</p><p>New words.</p>"
        .clone_into(&mut first.body.text);
    let former = Former {
        title: "Announcing Rust".to_owned(),
        body: EntryBody {
            text: "<p>The team is happy to announce version 1.98.</p><p>Nothing else.</p>"
                .to_owned(),
            ..EntryBody::default()
        },
    };
    desk.kept.entry(first.head.id).or_default().former = Some(former);
    desk
}

#[test]
fn what_an_edit_changed_is_shown_and_goes_again() {
    for size in SIZES {
        let mut desk = edited();
        let mut model = opened(&mut desk, size, "dark");
        desk.press(&mut model, "d");
        insta::assert_snapshot!(format!("changes-{}x{}", size.0, size.1), text(&model));
        desk.press(&mut model, "d");
        assert!(text(&model).contains("glad to announce version 1.99."));
    }
    let mut desk = edited();
    desk.kept.clear();
    let mut model = opened(&mut desk, (120, 40), "dark");
    desk.press(&mut model, "d");
    assert_eq!(
        message(&model),
        "what this entry said before its edit is not kept"
    );
    desk.press(&mut model, "J d");
    assert_eq!(message(&model), "this entry was not edited since it came");
}

#[test]
fn the_place_in_a_long_article_is_remembered() {
    let mut desk = Desk::with(60);
    let paragraphs: Vec<String> = (0..200).map(|n| format!("<p>Paragraph {n}.</p>")).collect();
    desk.entries[0].body.text = paragraphs.concat();
    let id = desk.entries[0].head.id;
    let first_row = |model: &Model| {
        let article = text(model);
        article
            .lines()
            .find(|line| line.contains("Paragraph"))
            .map(str::to_owned)
    };
    let number = |row: Option<String>| {
        row.and_then(|row| {
            Some(
                row.split_once("Paragraph ")?
                    .1
                    .split('.')
                    .next()?
                    .to_owned(),
            )
        })
    };
    let mut model = opened(&mut desk, (120, 40), "dark");
    desk.press(&mut model, "Space Space Space");
    let there = first_row(&model);
    assert!(
        there
            .as_ref()
            .is_some_and(|row| !row.contains("Paragraph 0.")),
        "{there:?}"
    );
    desk.press(&mut model, "J K");
    assert_eq!(
        number(first_row(&model)),
        number(there.clone()),
        "in this session"
    );
    // Another width, after a restart: the same paragraph is at the top.
    desk.press(&mut model, "q");
    assert!(desk.kept[&id].place > 0);
    let again = opened(&mut desk, (80, 24), "dark");
    assert_eq!(number(first_row(&again)), number(there));
    // Read to the end, it begins anew.
    let mut model = opened(&mut desk, (120, 40), "dark");
    desk.press(&mut model, "G q");
    assert_eq!(desk.kept[&id].place, 0);
}

#[test]
fn what_is_pressed_for_an_entry_on_its_way_is_done_when_it_is_there() {
    let mut desk = Desk::with(60);
    desk.pages = Ok(full_article());
    let mut model = desk.reader((120, 40), "dark");
    let effects = update(&mut model, Msg::Key(Key::parse("Enter").expect("a key")));
    let early = update(&mut model, Msg::Key(Key::parse("w").expect("a key")));
    assert!(early.is_empty(), "{early:?}");
    desk.settle(&mut model, effects);
    assert!(text(&model).contains("The whole article, as its page has it."));
}
