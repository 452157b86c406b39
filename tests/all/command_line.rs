//! The command line: completion, history, every action by its name; the help and `:messages`.

use std::collections::HashSet;

use tidings::engine::protocol::Command;
use tidings::tui::{Effect, Model, Overlay, Topic};

use super::desk::Desk;
use super::screens::text;

const SIZE: (u16, u16) = (120, 40);

fn desk() -> (Desk, Model) {
    let mut desk = Desk::with(60);
    let model = desk.reader(SIZE, "dark");
    (desk, model)
}

fn line(model: &Model) -> String {
    match &model.overlay {
        Overlay::Command(prompt) => prompt.input.value().to_owned(),
        _ => String::new(),
    }
}

fn message(model: &Model) -> &str {
    model.message.as_ref().map_or("", |message| &message.text)
}

fn run(desk: &mut Desk, model: &mut Model, line: &str) {
    desk.press(model, ":");
    desk.type_in(model, line);
    desk.press(model, "Enter");
}

fn row(model: &Model, y: usize) -> String {
    text(model).lines().nth(y).unwrap_or_default().to_owned()
}

#[test]
fn tab_goes_round_the_candidates_and_shows_them_with_what_they_do() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, ": s o");
    assert!(
        row(&model, 38).starts_with('└'),
        "nothing is offered unasked"
    );
    desk.press(&mut model, "Tab");
    assert_eq!(line(&model), "sort");
    desk.press(&mut model, "Space Tab");
    assert_eq!(line(&model), "sort date");
    assert!(row(&model, 34).starts_with("  date"), "{}", text(&model));
    desk.press(&mut model, "Tab Tab");
    assert_eq!(line(&model), "sort oldest");
    desk.press(&mut model, "S-Tab");
    assert_eq!(line(&model), "sort newest");
    desk.press(&mut model, "Esc : m Tab");
    assert!(text(&model).contains("mark everything shown read"));
    // A letter more is a new word.
    desk.press(&mut model, "Esc : r e Tab");
    let first = line(&model);
    desk.press(&mut model, "Backspace");
    assert!(line(&model).len() < first.len());
    assert!(row(&model, 38).starts_with('└'), "the list is gone");
}

#[test]
fn up_and_down_go_through_what_begins_so_and_come_back_to_what_was_typed() {
    let (mut desk, mut model) = desk();
    model.history = ["sort title", "theme light", "sort feed"]
        .map(str::to_owned)
        .to_vec();
    desk.press(&mut model, ": Up");
    assert_eq!(line(&model), "sort feed");
    desk.press(&mut model, "Up");
    assert_eq!(line(&model), "theme light");
    desk.press(&mut model, "Down Down");
    assert_eq!(line(&model), "");
    desk.press(&mut model, "s o Up");
    assert_eq!(line(&model), "sort feed");
    desk.press(&mut model, "Up Up Up");
    assert_eq!(line(&model), "sort title", "the oldest stays");
    desk.press(&mut model, "Down Down");
    assert_eq!(line(&model), "so");
}

#[test]
fn a_line_is_kept_for_the_next_session_but_no_password() {
    let (mut desk, mut model) = desk();
    let kept = |desk: &Desk| -> Vec<String> {
        let kept = desk.world.iter().filter_map(|effect| match effect {
            Effect::Keep(line) => Some(line.clone()),
            _ => None,
        });
        kept.collect()
    };
    run(&mut desk, &mut model, "theme light");
    run(
        &mut desk,
        &mut model,
        "add https://me:secret@example.org/feed",
    );
    desk.press(&mut model, "Esc");
    assert_eq!(kept(&desk), ["theme light"]);
    assert_eq!(model.history.len(), 2, "Up has both");
}

#[test]
fn every_action_is_a_command_by_its_name() {
    let (_, model) = desk();
    let mut names = HashSet::new();
    for binding in model.keymap.bindings() {
        assert!(names.insert(binding.name.clone()));
        let (mut desk, mut model) = desk();
        run(&mut desk, &mut model, &binding.name);
        let said = message(&model).to_owned();
        assert!(
            !said.contains("there is no command"),
            "{}: {said}",
            binding.name
        );
        assert!(!said.contains("takes nothing"), "{}: {said}", binding.name);
    }
}

#[test]
fn what_an_action_cannot_take_and_what_is_no_command_is_said() {
    let (mut desk, mut model) = desk();
    run(&mut desk, &mut model, "star 3");
    assert_eq!(message(&model), "`star` takes nothing, and gets `3`");
    run(&mut desk, &mut model, "starr");
    assert_eq!(
        message(&model),
        "there is no command `starr`; the nearest is `star`"
    );
    run(&mut desk, &mut model, "sort size");
    assert_eq!(
        message(&model),
        "`sort` takes date, newest, oldest, title, feed, not `size`"
    );
}

#[test]
fn refresh_asks_the_feed_here_and_all_only_when_it_is_said() {
    let asked = |line: &str| {
        let (mut desk, mut model) = desk();
        desk.press(&mut model, "h j j j j j");
        desk.commands.clear();
        run(&mut desk, &mut model, line);
        let command = desk
            .commands
            .into_iter()
            .find(|c| matches!(c, Command::Refresh { .. }));
        format!("{command:?}")
    };
    assert_ne!(asked("refresh"), asked("refresh all"));
    assert_eq!(asked("refresh all"), asked("refresh-all"));
}

#[test]
fn a_number_is_a_row() {
    let (mut desk, mut model) = desk();
    run(&mut desk, &mut model, "20");
    assert_eq!(model.entries.at, 19);
}

#[test]
fn the_help_shows_what_works_here_before_the_rest() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "h ? / f o l d");
    let screen = text(&model);
    assert!(screen.contains(" fold or unfold a tag · :fold"), "{screen}");
    assert!(!screen.contains("in feeds: fold"), "{screen}");
    desk.press(&mut model, "Esc Esc s ? / f o l d");
    let screen = text(&model);
    assert!(
        screen.contains("in feeds: fold or unfold a tag"),
        "{screen}"
    );
    assert!(screen.contains("Elsewhere"), "{screen}");
}

#[test]
fn the_help_is_searched_with_every_letter_and_esc_goes_back_step_by_step() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "? / s t a r");
    let screen = text(&model);
    assert!(
        screen.contains("star, or take the star away · :star"),
        "{screen}"
    );
    assert!(!screen.contains("one row down"), "{screen}");
    desk.press(&mut model, "Enter j");
    assert!(matches!(model.overlay, Overlay::Help(_)));
    desk.press(&mut model, "Esc");
    assert!(text(&model).contains("one row down"), "all again");
    desk.press(&mut model, "Esc");
    assert!(matches!(model.overlay, Overlay::None));
    desk.press(&mut model, "? / z z z z");
    assert!(text(&model).contains("nothing here has “zzzz”"));
}

#[test]
fn help_about_a_key_says_what_it_does_in_every_place() {
    let (mut desk, mut model) = desk();
    run(&mut desk, &mut model, "help e");
    let screen = text(&model);
    for part in [
        "play or download what is attached",
        ":play · in entries, article",
        "in config.toml: [keys] play = [\"e\"]",
        "the entries of this feed",
        ":entries · in status",
    ] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    run(&mut desk, &mut model, "help sort");
    assert!(text(&model).contains("takes date, newest, oldest, title, feed"));
    run(&mut desk, &mut model, "help query");
    let about = |model: &Model| match &model.overlay {
        Overlay::Help(help) => Some(help.topic.clone()),
        _ => None,
    };
    assert_eq!(about(&model), Some(Topic::Query));
    desk.press(&mut model, "Esc");
    run(&mut desk, &mut model, "help qeury");
    assert_eq!(
        message(&model),
        "there is no key and no command `qeury`; the nearest is `query`, and :help shows all"
    );
}

#[test]
fn the_query_language_fits_one_screen_of_80x24() {
    let mut desk = Desk::with(60);
    let mut model = desk.reader((80, 24), "dark");
    run(&mut desk, &mut model, "help query");
    let screen = text(&model);
    for (example, _) in tidings::query::HELP.iter().filter(|(e, _)| e.len() < 20) {
        assert!(screen.contains(example), "{example}: {screen}");
    }
}

#[test]
fn errors_stay_in_messages_however_much_is_said_after_them() {
    let (mut desk, mut model) = desk();
    for n in 0..250 {
        model.fail(format!("trouble {n}"));
        model.say(format!("news {n}"));
        model.say("more");
    }
    run(&mut desk, &mut model, "messages");
    let errors = model.log.iter().filter(|said| said.error).count();
    assert_eq!(errors, 250);
    assert_eq!(model.log.len(), 450);
    desk.press(&mut model, "g");
    assert!(text(&model).contains("trouble 0"), "{}", text(&model));
}

#[test]
fn messages_are_searched_as_the_help_is() {
    let (mut desk, mut model) = desk();
    for n in 0..60 {
        model.fail(format!("trouble {n} with the host"));
        model.say(format!("asked {n} feeds"));
    }
    desk.press(&mut model, "M / H o s t Space 4");
    let screen = text(&model);
    assert!(screen.contains("Messages /Host 4"), "{screen}");
    assert!(screen.contains("trouble 14 with the host") && screen.contains("trouble 54"));
    assert!(!screen.contains("trouble 15") && !screen.contains("asked"));
    desk.press(&mut model, "x");
    assert!(text(&model).contains("nothing like this was said"));
    desk.press(&mut model, "^h Enter Esc");
    assert!(text(&model).contains("asked 59 feeds"), "{}", text(&model));
    desk.press(&mut model, "Esc");
    assert!(!text(&model).contains("Messages"));
}

#[test]
fn who_comes_the_first_time_is_greeted_once() {
    let mut desk = Desk::with(60);
    let mut model = super::desk::reader(SIZE, "dark");
    model.visit = tidings::tui::Visit::First;
    let effects = tidings::tui::start(&mut model);
    desk.settle(&mut model, effects);
    assert!(message(&model).starts_with("welcome: ? shows the keys"));
    // What merely informs does not take its place.
    model.say("asked 10 feeds");
    assert!(message(&model).starts_with("welcome: ? shows the keys"));
    desk.press(&mut model, "j");
    assert_eq!(message(&model), "");
}
