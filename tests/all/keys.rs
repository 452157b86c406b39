//! Keys that belong together, counts before them, macros, and programs that get an entry.

use tidings::model::{External, Handed, Macro, Mark, Step};
use tidings::tui::{Effect, Hands, Key, Keymap, Model, Msg, Pane, Program, Stage, update};

use super::desk::Desk;
use super::screens::text;

const SIZE: (u16, u16) = (120, 40);

fn desk() -> (Desk, Model) {
    let mut desk = Desk::with(60);
    let model = desk.reader(SIZE, "dark");
    (desk, model)
}

fn message(model: &Model) -> &str {
    model.message.as_ref().map_or("", |message| &message.text)
}

fn last_line(model: &Model) -> String {
    text(model).lines().nth(39).unwrap_or_default().to_owned()
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

/// The reader with more keys.
fn bind(model: &mut Model, change: impl FnOnce(&mut tidings::model::UiSettings)) {
    change(&mut model.settings);
    model.keymap = Keymap::of(&model.settings).expect("usable keys");
}

fn programs(desk: &Desk) -> Vec<Program> {
    let programs = desk.world.iter().filter_map(|effect| match effect {
        Effect::Run(program) => Some(program.clone()),
        _ => None,
    });
    programs.collect()
}

#[test]
fn a_count_moves_by_rows_and_goes_to_a_row() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "1 0 j");
    assert_eq!(model.entries.at, 10);
    desk.press(&mut model, "3 k");
    assert_eq!(model.entries.at, 7);
    desk.press(&mut model, "5 0 G");
    assert_eq!(model.entries.at, 49);
    desk.press(&mut model, "2 g");
    assert_eq!(model.entries.at, 1);
    desk.press(&mut model, "h 3 j");
    let third = model.feeds.choice();
    desk.press(&mut model, "g j j j");
    assert_eq!(model.feeds.choice(), third);
}

#[test]
fn a_count_reaches_beyond_the_rows_that_are_loaded() {
    let mut desk = Desk::with(3_000);
    let mut model = desk.reader(SIZE, "dark");
    desk.press(&mut model, "1 5 0 0 j");
    let at = |model: &Model| {
        let id = model.entries.current().expect("a row").id;
        desk.entries.iter().position(|entry| entry.head.id == id)
    };
    assert_eq!(at(&model), Some(1_500));
    let mut same = desk.clone();
    same.press(&mut model, "2 0 0 1 G");
    assert_eq!(at(&model), Some(2_000));
    same.press(&mut model, "1 9 0 0 k");
    assert_eq!(at(&model), Some(100));
}

#[test]
fn a_count_before_next_unread_passes_the_ones_between_and_opens_none_of_them() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "Enter 3 n");
    assert_eq!(model.focus, Pane::Article);
    assert_eq!(model.entries.at, 4, "0 is read now, 2 was read before");
    let read = desk.commands.iter().filter(|command| {
        matches!(
            command,
            tidings::engine::protocol::Command::Mark {
                mark: Mark::Read(true),
                ..
            }
        )
    });
    assert_eq!(read.count(), 2, "the first and the last");
}

#[test]
fn what_is_typed_is_shown_until_it_means_something_or_is_dropped() {
    let (mut desk, mut model) = desk();
    bind(&mut model, |settings| {
        settings.keys = vec![("first".to_owned(), texts(&["g g"]))];
    });
    desk.press(&mut model, "1 2");
    assert!(
        last_line(&model).trim_end().ends_with(" 12"),
        "{}",
        last_line(&model)
    );
    desk.press(&mut model, "g");
    assert!(
        last_line(&model).trim_end().ends_with(" 12g…"),
        "{}",
        last_line(&model)
    );
    desk.press(&mut model, "Esc");
    assert!(
        last_line(&model).contains("? help"),
        "{}",
        last_line(&model)
    );
    assert_eq!(
        (model.entries.at, model.focus),
        (0, Pane::Entries),
        "Esc dropped it and did no more"
    );
    desk.press(&mut model, "1 2 g g");
    assert_eq!(model.entries.at, 11);
    desk.press(&mut model, "g j");
    assert_eq!(model.entries.at, 11, "the other key is dropped with it");
    assert_eq!(message(&model), "gj means nothing here");
    desk.press(&mut model, "j");
    assert_eq!(model.entries.at, 12);
}

#[test]
fn a_macro_does_its_steps_one_after_the_other() {
    let (mut desk, mut model) = desk();
    let step = |text: &str| Step {
        text: text.to_owned(),
        line: 1,
    };
    bind(&mut model, |settings| {
        settings.macros = vec![
            Macro {
                name: "on".to_owned(),
                keys: texts(&[", n"]),
                steps: ["toggle-read", "down", "open", ":sort title"]
                    .map(step)
                    .to_vec(),
            },
            Macro {
                name: "for ever".to_owned(),
                keys: texts(&["Q"]),
                steps: vec![step("down"), step(":for ever")],
            },
        ];
    });
    let (first, second) = (model.entries.heads[0].id, model.entries.heads[1].id);
    desk.press(&mut model, ", n");
    let of = |desk: &Desk, id| {
        let found = desk.entries.iter().find(|entry| entry.head.id == id);
        found.is_some_and(|entry| entry.head.unread)
    };
    assert!(!of(&desk, first) && !of(&desk, second));
    assert_eq!(
        model.article.as_ref().map(|article| article.head.id),
        Some(second)
    );
    assert_eq!(model.entries.spec.order, tidings::model::Order::Title);
    desk.press(&mut model, "Q");
    assert!(
        message(&model).ends_with("does it run itself?"),
        "it is stopped"
    );
}

#[test]
fn a_program_gets_the_entry_as_arguments_without_its_text() {
    let (mut desk, mut model) = desk();
    bind(&mut model, |settings| {
        settings.externals = vec![External {
            name: "later".to_owned(),
            keys: texts(&["B"]),
            run: texts(&["later", "{url}", "of {feed}: {title}"]),
            ..External::default()
        }];
    });
    desk.press(&mut model, "B");
    let [program] = &programs(&desk)[..] else {
        panic!("one program");
    };
    assert_eq!(
        program.words,
        [
            "later",
            "https://example.org/60/an-article.html",
            "of Rust Blog: Announcing Rust 1.99"
        ]
    );
    assert_eq!(
        (&program.hands, program.stage),
        (&Hands::Nothing, Stage::Beside)
    );
    assert!(model.article.is_none());
    // The ninth has no link.
    desk.press(&mut model, "8 j B");
    assert_eq!(programs(&desk).len(), 1);
    assert_eq!(
        message(&model),
        "this entry has no link, and \"later\" needs one"
    );
}

#[test]
fn a_program_gets_the_text_of_an_entry_that_is_not_open() {
    let (mut desk, mut model) = desk();
    for (stdin, begins) in [
        (Handed::Text, "# Announcing Rust 1.99"),
        (Handed::Html, "<p>The Rust team"),
        (Handed::Json, "{\"author\":"),
    ] {
        bind(&mut model, |settings| {
            settings.externals = vec![External {
                name: "read aloud".to_owned(),
                keys: texts(&["B"]),
                run: texts(&["aloud", "-f", "{file}"]),
                stdin,
                terminal: true,
            }];
        });
        desk.world.clear();
        desk.press(&mut model, "B");
        let [program] = &programs(&desk)[..] else {
            panic!("one program");
        };
        let Hands::Placed {
            file, at, input, ..
        } = &program.hands
        else {
            panic!("{:?}", program.hands);
        };
        assert!(file.starts_with(begins), "{file}");
        assert_eq!(input.as_ref(), Some(file));
        assert_eq!((&at[..], program.stage), (&[(2, 0)][..], Stage::Terminal));
        assert!(!file.contains("secret"), "no password leaves the house");
    }
    assert!(model.article.is_none(), "what is read stays as it is");
    let mut effects = update(&mut model, Msg::Key(Key::parse("h").expect("a key")));
    effects.extend(update(
        &mut model,
        Msg::Key(Key::parse("B").expect("a key")),
    ));
    desk.settle(&mut model, effects);
}

#[test]
fn an_entry_is_shared_by_name_by_key_or_by_choice_and_only_with_what_is_set() {
    use tidings::model::Share;
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "b");
    assert!(message(&model).starts_with("there is nothing to share with"));
    let share = |name: &str, url: &str, keys: &[&str]| Share {
        name: name.to_owned(),
        keys: texts(keys),
        url: url.to_owned(),
    };
    let opened = |desk: &Desk| -> Vec<String> {
        let opened = desk.world.iter().filter_map(|effect| match effect {
            Effect::OpenUrl(url) => Some(url.clone()),
            _ => None,
        });
        opened.collect()
    };
    bind(&mut model, |settings| {
        settings.shares = vec![share("Mail", "mailto:?subject={title}", &[", m"])];
    });
    desk.press(&mut model, "b");
    desk.press(&mut model, ", m");
    let mail = "mailto:?subject=Announcing%20Rust%201.99";
    assert_eq!(opened(&desk), [mail, mail], "one needs no question");
    bind(&mut model, |settings| {
        settings
            .shares
            .push(share("Page of mine", "https://s.example/?u={url}", &[]));
        settings.externals = vec![External {
            name: "keep".to_owned(),
            run: texts(&["keep", "{url}"]),
            ..External::default()
        }];
    });
    desk.press(&mut model, "b");
    let screen = text(&model);
    assert!(
        screen.contains("Mail") && screen.contains("keep"),
        "{screen}"
    );
    desk.press(&mut model, "Tab Enter");
    let last = opened(&desk).pop().expect("opened");
    assert!(
        last.starts_with("https://s.example/?u=https%3A%2F%2F"),
        "{last}"
    );
    desk.press(&mut model, ":");
    desk.type_in(&mut model, "share keep");
    desk.press(&mut model, "Enter");
    assert_eq!(programs(&desk).len(), 1);
    desk.press(&mut model, ":");
    desk.type_in(&mut model, "share fax");
    desk.press(&mut model, "Enter");
    assert_eq!(
        message(&model),
        "`share` takes Mail, Page of mine, keep, not `fax`"
    );
}

#[test]
fn what_may_follow_keys_that_were_begun_is_shown() {
    let (mut desk, mut model) = desk();
    bind(&mut model, |settings| {
        settings.keys = vec![
            ("first".to_owned(), texts(&[", g"])),
            ("fold".to_owned(), texts(&[", x"])),
        ];
        settings.externals = vec![External {
            name: "keep".to_owned(),
            keys: texts(&[", w Enter"]),
            run: texts(&["keep", "{url}"]),
            ..External::default()
        }];
    });
    desk.press(&mut model, ",");
    let screen = text(&model);
    assert!(screen.contains("\n  g        to the first row"), "{screen}");
    assert!(screen.contains("\n  w Enter  keep: keep {url}"), "{screen}");
    assert!(
        !screen.contains("fold or unfold a tag"),
        "not here: {screen}"
    );
    desk.press(&mut model, "w");
    let screen = text(&model);
    assert!(screen.contains("\n  Enter  keep: keep {url}"), "{screen}");
    assert!(!screen.contains("to the first row"), "{screen}");
    desk.press(&mut model, "Esc");
    assert!(!text(&model).contains("keep"), "{}", text(&model));
    // More than fit are counted.
    bind(&mut model, |settings| {
        settings.keys = ('a'..='k')
            .zip([
                "down", "up", "first", "last", "open", "links", "browser", "copy", "star", "undo",
                "sort",
            ])
            .map(|(key, name)| (name.to_owned(), texts(&[&format!(", {key}")])))
            .collect();
    });
    desk.press(&mut model, ",");
    assert!(text(&model).contains("… and 5 more"), "{}", text(&model));
}
