//! A person at the reader: what happens when keys are pressed.

use tidings::engine::protocol::{
    AddResult, Command, Event, FailureKind, LIST_BROKEN, Scope, Summary, Ticket,
};
use tidings::model::{FeedId, ListScope, Mark, Outcome, Pace, PollReport};
use tidings::tui::{
    Effect, Key, Model, Mouse, MouseKind, Msg, Overlay, Pane, Screen, start, update,
};

use super::desk::{Desk, reader};
use super::screens::text;

const SIZE: (u16, u16) = (120, 40);

fn desk() -> (Desk, Model) {
    let mut desk = Desk::with(60);
    let model = desk.reader(SIZE, "dark");
    (desk, model)
}

fn key(text: &str) -> Msg {
    Msg::Key(Key::parse(text).expect("a key"))
}

fn message(model: &Model) -> &str {
    model.message.as_ref().map_or("", |message| &message.text)
}

fn title(model: &Model) -> &str {
    model.entries.current().map_or("", |head| &head.title)
}

fn unread(model: &Model) -> u64 {
    model.feeds.rows.iter().map(|row| row.unread).sum()
}

#[test]
fn the_start_asks_for_what_is_stored_and_for_nothing_else() {
    let mut model = reader(SIZE, "dark");
    let effects = start(&mut model);
    let sent: Vec<&Effect> = effects.iter().collect();
    assert!(
        matches!(
            sent[..],
            [
                Effect::Send(Command::ListFeeds { .. }),
                Effect::Send(Command::ListEntries { .. })
            ]
        ),
        "{sent:?}"
    );
}

#[test]
fn opening_an_entry_marks_it_read_at_once_and_counts_down() {
    let (mut desk, mut model) = desk();
    let before = unread(&model);
    let effects = update(&mut model, key("Enter"));
    assert!(
        !model.entries.heads[0].unread,
        "before the store has answered"
    );
    assert_eq!(unread(&model), before - 1);
    desk.settle(&mut model, effects);
    assert_eq!(model.focus, Pane::Article);
    assert_eq!(unread(&model), before - 1);
    assert!(!desk.entries[0].head.unread);
    assert!(desk.commands.iter().any(|command| matches!(
        command,
        Command::Mark {
            mark: Mark::Read(true),
            ..
        }
    )));
}

#[test]
fn opening_what_is_read_already_marks_nothing() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "j j Enter");
    assert!(
        !desk
            .commands
            .iter()
            .any(|c| matches!(c, Command::Mark { .. }))
    );
}

#[test]
fn next_unread_moves_in_the_list_and_opens_in_the_article() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "j n");
    assert_eq!(model.entries.at, 3, "the read one between is passed over");
    assert!(model.article.is_none());
    desk.press(&mut model, "Enter n");
    assert_eq!(model.entries.at, 4);
    let article = model.article.as_ref().expect("opened");
    assert_eq!(article.head.id, model.entries.heads[4].id);
    desk.press(&mut model, "N");
    assert_eq!(model.entries.at, 1);
}

#[test]
fn next_unread_goes_on_in_another_feed_when_this_one_is_done() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "h G k");
    assert_eq!(model.entries.spec.scope, ListScope::Feed(FeedId(9)));
    assert!(model.entries.heads.is_empty());
    desk.press(&mut model, "n");
    assert_eq!(title(&model), "Announcing Rust 1.99");
    assert_eq!(model.entries.spec.scope, ListScope::Feed(FeedId(1)));
}

#[test]
fn with_nothing_unread_the_reader_says_so() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "A n");
    assert_eq!(unread(&model), 0);
    assert_eq!(message(&model), "nothing is unread");
}

#[test]
fn the_space_bar_reads_everything() {
    let (mut desk, mut model) = desk();
    let mut opened = std::collections::BTreeSet::new();
    for _ in 0..400 {
        desk.press(&mut model, "Space");
        if let Some(article) = &model.article {
            opened.insert(article.head.id);
        }
    }
    assert_eq!(opened.len(), 40, "every unread entry, and no other");
    assert_eq!(unread(&model), 0);
}

#[test]
fn a_row_that_was_read_stays_in_the_unread_list_until_it_is_left() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "v");
    let rows = model.entries.heads.len();
    desk.press(&mut model, "Enter h");
    let effects = update(&mut model, Msg::Engine(Event::Changed));
    desk.settle(&mut model, effects);
    assert_eq!(model.entries.heads.len(), rows);
    desk.press(&mut model, "h j k l");
    assert_eq!(model.entries.heads.len(), rows - 1);
}

#[test]
fn new_entries_do_not_move_what_is_being_read() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "j j j Enter h");
    let on = model.entries.current().expect("a row").id;
    let mut newer = desk.entries[0].clone();
    newer.head.no = 1000;
    newer.head.id.key.0 = [9; 16];
    newer.head.sort = newer.head.sort.plus(60);
    desk.entries.insert(0, newer);
    let effects = update(&mut model, Msg::Engine(Event::Changed));
    desk.settle(&mut model, effects);
    assert_eq!(model.entries.current().map(|head| head.id), Some(on));
    assert_eq!(
        model.entries.at - model.entries.top,
        3,
        "on the same line of the screen"
    );
}

#[test]
fn stars_and_read_marks_are_toggled_where_the_cursor_is() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "j * m");
    assert!(desk.entries[1].head.starred);
    assert!(!desk.entries[1].head.unread);
    desk.press(&mut model, "m *");
    assert!(!desk.entries[1].head.starred);
    assert!(desk.entries[1].head.unread);
}

#[test]
fn a_mark_that_failed_is_shown_as_the_store_has_it() {
    let (mut desk, mut model) = desk();
    let effects = update(&mut model, key("*"));
    assert!(!model.entries.heads[0].starred, "it was starred");
    let Some(Effect::Send(Command::Mark { ticket, .. })) = effects.first() else {
        panic!("{effects:?}")
    };
    let failed = Event::Failed {
        ticket: *ticket,
        what: "the mark could not be written".to_owned(),
        why: "the disk is full".to_owned(),
        kind: FailureKind::Internal,
    };
    let effects = update(&mut model, Msg::Engine(failed));
    desk.settle(&mut model, effects);
    assert!(model.entries.heads[0].starred);
    assert!(message(&model).contains("the disk is full"));
}

#[test]
fn an_error_stays_until_a_key_is_pressed_and_can_be_read_again() {
    let (mut desk, mut model) = desk();
    let notice = Event::Failed {
        ticket: Ticket(0),
        what: "feeds.toml could not be read".to_owned(),
        why: "line 3".to_owned(),
        kind: FailureKind::Usage,
    };
    update(&mut model, Msg::Engine(notice));
    update(
        &mut model,
        Msg::Engine(Event::Notice("something else".to_owned())),
    );
    assert_eq!(message(&model), "feeds.toml could not be read: line 3");
    desk.press(&mut model, "j");
    assert_eq!(message(&model), "");
    desk.press(&mut model, ": m e s s a g e s Enter");
    assert!(text(&model).contains("something else"));
}

#[test]
fn refreshing_counts_up_and_reading_goes_on() {
    let (mut desk, mut model) = desk();
    let effects = update(&mut model, key("R"));
    let Some(Effect::Send(Command::Refresh {
        scope,
        pace,
        ticket,
    })) = effects.first().cloned()
    else {
        panic!("{effects:?}")
    };
    assert_eq!((scope, pace), (Scope::All, Pace::Manual));
    let row = desk.feeds[0].clone();
    update(
        &mut model,
        Msg::Engine(Event::PollStarted { feed: row.feed.id }),
    );
    let report = PollReport {
        feed: row.feed.id,
        url: row.feed.url.clone(),
        url_now: None,
        status: Some(304),
        outcome: Outcome::NotModified,
        warning: None,
        bytes: 0,
        took: std::time::Duration::from_millis(80),
        row,
    };
    update(&mut model, Msg::Engine(Event::Polled(Box::new(report))));
    assert!(text(&model).contains("refreshing 1/9 · 1 unchanged (304)"));
    desk.press(&mut model, "j Enter");
    assert!(model.article.is_some(), "reading goes on");
    let done = Event::RefreshDone {
        ticket,
        summary: Summary {
            not_modified: 9,
            ..Summary::default()
        },
    };
    update(&mut model, Msg::Engine(done));
    assert_eq!(message(&model), "asked 9 feeds · 9 unchanged (304)");
}

#[test]
fn refresh_means_the_feed_that_the_keyboard_is_at() {
    let (mut desk, mut model) = desk();
    let asked = |desk: &Desk| {
        let mut refreshes = desk
            .commands
            .iter()
            .rev()
            .filter_map(|command| match command {
                Command::Refresh {
                    scope: Scope::Feeds(ids),
                    ..
                } => Some(ids.clone()),
                _ => None,
            });
        refreshes.next().expect("a refresh")
    };
    desk.press(&mut model, "j r");
    assert_eq!(asked(&desk), [FeedId(2)], "that of the entry");
    desk.press(&mut model, "h j j r");
    assert_eq!(asked(&desk).len(), 4, "those of the tag");
    desk.press(&mut model, "s G r");
    assert_eq!(asked(&desk), [FeedId(9)], "that of the row");
}

#[test]
fn old_answers_are_dropped() {
    let (_, mut model) = desk();
    let effects = update(&mut model, key("h"));
    assert!(effects.is_empty());
    let first = update(&mut model, key("j"));
    let second = update(&mut model, key("j"));
    let (mut one, mut other) = (Desk::with(60), Desk::with(60));
    other.settle(&mut model, second);
    let shown = model.entries.heads.clone();
    one.settle(&mut model, first);
    assert_eq!(model.entries.heads, shown);
}

#[test]
fn a_search_follows_every_letter_and_escape_takes_it_back() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "/");
    desk.type_in(&mut model, "goals");
    assert_eq!(model.entries.heads.len(), 4);
    desk.press(&mut model, "Esc");
    assert_eq!(model.entries.heads.len(), 60);
    desk.press(&mut model, "/");
    desk.type_in(&mut model, "goals");
    desk.press(&mut model, "Enter Enter");
    assert!(model.article.is_some());
    desk.press(&mut model, "Esc Esc");
    assert_eq!(
        model.entries.spec.query, "",
        "escape closes the article, then the search"
    );
}

#[test]
fn a_query_that_is_not_understood_is_said_beside_it() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "/");
    desk.type_in(&mut model, "goals age:<");
    assert!(text(&model).contains("column 7"), "{}", text(&model));
    assert_eq!(message(&model), "", "not an error yet");
    assert_eq!(
        model.entries.spec.query, "goals age",
        "what was understood last"
    );
    desk.press(&mut model, "Enter");
    assert!(
        matches!(model.overlay, Overlay::Search(..)),
        "it can be mended"
    );
    desk.press(&mut model, "Esc");
    desk.press(&mut model, ":");
    desk.type_in(&mut model, "search age:<");
    desk.press(&mut model, "Enter");
    assert!(message(&model).starts_with("this search is not understood"));
}

#[test]
fn the_command_line_knows_commands_and_actions_and_the_nearest_of_a_slip() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, ":");
    desk.type_in(&mut model, "sort title");
    desk.press(&mut model, "Enter");
    assert!(text(&model).contains("by title"));
    desk.press(&mut model, ":");
    desk.type_in(&mut model, "thme light");
    desk.press(&mut model, "Enter");
    assert_eq!(
        message(&model),
        "there is no command `thme`; the nearest is `theme`"
    );
    desk.press(&mut model, ":");
    desk.type_in(&mut model, "status");
    desk.press(&mut model, "Enter");
    assert_eq!(model.screen, Screen::Status);
    desk.press(&mut model, "Esc : Up Up");
    assert!(text(&model).contains(":thme light"), "lines are remembered");
}

#[test]
fn a_command_is_completed_by_tab() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, ":");
    desk.type_in(&mut model, "theme li");
    desk.press(&mut model, "Tab Enter");
    assert_eq!(model.theme.name, "light");
}

#[test]
fn a_link_is_followed_by_its_number_and_only_to_safe_places() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "Enter f 2");
    assert_eq!(
        desk.world,
        [Effect::OpenUrl(
            "https://doc.rust-lang.org/stable/releases.html".to_owned()
        )]
    );
    desk.world.clear();
    desk.entries[1].head.link = Some("javascript:alert(1)".to_owned());
    let effects = update(&mut model, Msg::Engine(Event::Changed));
    desk.settle(&mut model, effects);
    desk.press(&mut model, "Esc j o");
    assert!(desk.world.is_empty());
    assert!(message(&model).starts_with("not opened"));
    desk.press(&mut model, "k y");
    assert!(matches!(&desk.world[..], [Effect::Copy(url)] if url.starts_with("https://")));
}

#[test]
fn a_page_with_several_feeds_lets_one_choose() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "a");
    let effects = update(&mut model, Msg::Paste("https://example.org/\n".to_owned()));
    assert!(effects.is_empty());
    desk.press(&mut model, "Enter");
    assert!(text(&model).contains("This page has several feeds"));
    desk.press(&mut model, "Space j j Space Enter");
    let added: Vec<&str> = desk
        .commands
        .iter()
        .filter_map(|command| match command {
            Command::Add { subscription, .. } => Some(subscription.url.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(
        added,
        [
            "https://example.org/",
            "https://example.org/feed.xml",
            "https://example.org/very/long/path/to/a/feed/of/nothing.json"
        ]
    );
}

#[test]
fn an_address_that_is_refused_can_be_mended() {
    let (_, mut model) = desk();
    update(&mut model, key("a"));
    update(&mut model, key("x"));
    let effects = update(&mut model, key("Enter"));
    let Some(Effect::Send(Command::Add { ticket, .. })) = effects.first() else {
        panic!("{effects:?}")
    };
    let refused = Event::Added {
        ticket: *ticket,
        result: AddResult::Refused {
            url: "x".to_owned(),
            why: "404: there is nothing".to_owned(),
        },
    };
    update(&mut model, Msg::Engine(refused));
    let screen = text(&model);
    assert!(screen.contains("404: there is nothing"), "{screen}");
    assert!(matches!(&model.overlay, Overlay::Add(add) if add.prompt.input.value() == "x"));
}

#[test]
fn unsubscribing_asks_first() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, ": r e m o v e Enter n");
    assert!(
        !desk
            .commands
            .iter()
            .any(|c| matches!(c, Command::Remove { .. }))
    );
    desk.press(&mut model, ": r e m o v e Enter y");
    assert!(matches!(desk.commands.last(), Some(Command::Remove { urls, .. }) if urls.len() == 1));
}

#[test]
fn the_wheel_moves_what_is_under_it_and_a_click_opens() {
    let (mut desk, mut model) = desk();
    let mouse = |x, y, kind| Msg::Mouse(Mouse { x, y, kind });
    update(&mut model, mouse(60, 10, MouseKind::WheelDown));
    assert_eq!(model.entries.at, 3);
    let effects = update(&mut model, mouse(60, 2, MouseKind::Click));
    desk.settle(&mut model, effects);
    assert_eq!(title(&model), "This Week in Rust 680");
    assert!(model.article.is_some());
    update(&mut model, mouse(60, 30, MouseKind::WheelDown));
    assert_eq!(model.article.as_ref().map(|article| article.top), Some(3));
    let effects = update(&mut model, mouse(3, 2, MouseKind::Click));
    desk.settle(&mut model, effects);
    assert_eq!(model.entries.spec.scope, ListScope::Starred);
}

#[test]
fn a_resize_never_loses_the_place() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "j j j Enter ^d");
    let on = model.entries.current().map(|head| head.id);
    let first = |model: &Model| {
        let article = model.article.as_ref().expect("open");
        article.rows[article.top].at
    };
    let place = first(&model);
    for size in [(80, 24), (50, 15), (1, 1), (200, 60), SIZE] {
        update(&mut model, Msg::Resized(size.0, size.1));
    }
    assert_eq!(model.entries.current().map(|head| head.id), on);
    assert!(first(&model).abs_diff(place) < 120, "near where it was");
}

#[test]
fn the_status_pane_updates_as_answers_arrive() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "s");
    let mut row = desk.feeds[0].clone();
    row.counters.not_modified304 = 813;
    let report = PollReport {
        feed: row.feed.id,
        url: row.feed.url.clone(),
        url_now: None,
        status: Some(304),
        outcome: Outcome::NotModified,
        warning: None,
        bytes: 0,
        took: std::time::Duration::ZERO,
        row,
    };
    update(&mut model, Msg::Engine(Event::Polled(Box::new(report))));
    assert!(text(&model).contains(" 813 "));
}

#[test]
fn q_closes_what_lies_on_top_and_then_quits() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "? q s Enter q q");
    assert_eq!(model.screen, Screen::Reader);
    assert!(desk.world.is_empty());
    desk.press(&mut model, "q");
    assert_eq!(desk.world, [Effect::Quit]);
}

#[test]
fn an_error_about_the_list_goes_with_its_cause() {
    let (mut desk, mut model) = desk();
    let broken = Event::Failed {
        ticket: Ticket(0),
        what: LIST_BROKEN.to_owned(),
        why: "feeds.toml:3: unknown key \"uri\"".to_owned(),
        kind: FailureKind::Usage,
    };
    let effects = update(&mut model, Msg::Engine(broken));
    desk.settle(&mut model, effects);
    assert!(message(&model).starts_with(LIST_BROKEN));
    let effects = update(&mut model, Msg::Engine(Event::ListRead));
    desk.settle(&mut model, effects);
    assert_eq!(message(&model), "feeds.toml is in use again");
    update(&mut model, Msg::Trouble("something else".to_owned()));
    update(&mut model, Msg::Engine(Event::ListRead));
    assert_eq!(message(&model), "something else", "of another kind");
}

#[test]
fn a_hold_that_is_none_is_not_ended() {
    let (mut desk, mut model) = desk();
    let lifts = |desk: &Desk| {
        let lift = |command: &&Command| matches!(command, Command::Lift { .. });
        desk.commands.iter().filter(lift).count()
    };
    let mut said = Vec::new();
    desk.press(&mut model, "s g");
    for line in 0..model.status.lines.len() {
        let held = model.status.lines[line].held(model.now).is_some();
        let before = lifts(&desk);
        desk.press(&mut model, "L");
        assert_eq!(lifts(&desk) - before, usize::from(held));
        said.push(message(&model).to_owned());
        desk.press(&mut model, "j");
    }
    assert!(said.iter().any(|text| text.ends_with("is not held")));
    assert!(
        said.iter().any(|text| text.ends_with("is over")),
        "{said:?}"
    );
}

#[test]
fn the_days_follow_every_poll_while_the_status_pane_is_open() {
    let (mut desk, mut model) = desk();
    let questions = |desk: &Desk| {
        let totals = |command: &&Command| matches!(command, Command::Totals { .. });
        desk.commands.iter().filter(totals).count()
    };
    desk.press(&mut model, "s");
    assert_eq!(questions(&desk), 1);
    let report = |row: &tidings::model::FeedRow| PollReport {
        feed: row.feed.id,
        url: row.feed.url.clone(),
        url_now: None,
        status: Some(304),
        outcome: Outcome::NotModified,
        warning: None,
        bytes: 0,
        took: std::time::Duration::ZERO,
        row: row.clone(),
    };
    let rows = desk.feeds.clone();
    // Answers that come in one breath are one question; it waits for the one under way.
    let polled = |row| Msg::Engine(Event::Polled(Box::new(report(row))));
    let first = update(&mut model, polled(&rows[0]));
    let second = update(&mut model, polled(&rows[1]));
    assert!(second.is_empty(), "{second:?}");
    desk.settle(&mut model, first);
    assert_eq!(questions(&desk), 3, "and one more for the second");
}

#[test]
fn a_long_sentence_is_read_to_its_end() {
    let mut desk = Desk::with(60);
    let mut model = desk.reader((50, 15), "dark");
    let sentence =
        "the store was damaged: it is kept under another name, and a new one was made; the end";
    update(&mut model, Msg::Engine(Event::Notice(sentence.to_owned())));
    let screen = text(&model);
    assert!(screen.contains("the end"), "{screen}");
    desk.press(&mut model, "j");
    assert!(!text(&model).contains("the end"), "until a key is pressed");
}
