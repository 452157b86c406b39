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
fn keys_mean_the_entry_that_is_being_opened_before_its_text_has_come() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "Enter");
    let before = model.entries.heads[0].id;
    let mut effects = update(&mut model, key("n"));
    let opening = model.entries.current().expect("a row").id;
    assert_ne!(opening, before);
    effects.extend(update(&mut model, key("m")));
    desk.settle(&mut model, effects);
    let unread = |id| {
        let at = model.entries.index(id).expect("shown");
        model.entries.heads[at].unread
    };
    assert!(unread(opening), "m made it unread again");
    assert!(!unread(before), "what was shown until then is as it was");
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

/// Asks for the rows again; what the store says now is the answer that arrives whenever the test lets it.
fn page_under_way(desk: &mut Desk, model: &mut Model) -> Vec<Event> {
    let mut effects = update(model, Msg::Engine(Event::Changed));
    match (effects.pop(), effects.is_empty()) {
        (Some(Effect::Send(list @ Command::ListEntries { .. })), true) => desk.answer(list),
        other => panic!("{other:?}"),
    }
}

fn arrive(model: &mut Model, events: Vec<Event>) -> Vec<Effect> {
    let messages = events.into_iter().map(Msg::Engine);
    messages.flat_map(|event| update(model, event)).collect()
}

#[test]
fn rows_read_before_a_mark_do_not_take_it_back() {
    let (mut desk, mut model) = desk();
    let stale = page_under_way(&mut desk, &mut model);
    let mut effects = update(&mut model, key("m"));
    effects.extend(update(&mut model, key("*")));
    effects.extend(arrive(&mut model, stale));
    let shown = |model: &Model| {
        let head = &model.entries.heads[0];
        (head.unread, head.starred)
    };
    assert_eq!(shown(&model), (false, false), "before the marks' answers");
    // The key means what is seen.
    effects.extend(update(&mut model, key("*")));
    assert_eq!(shown(&model), (false, true));
    desk.settle(&mut model, effects);
    assert_eq!(shown(&model), (false, true));
    assert!(desk.entries[0].head.starred);

    // The same with rows that come after the mark's answer.
    let stale = page_under_way(&mut desk, &mut model);
    let effects = update(&mut model, key("*"));
    desk.settle(&mut model, effects);
    arrive(&mut model, stale);
    assert_eq!(shown(&model), (false, false));
    // Later rows are believed.
    desk.entries[0].head.starred = true;
    let effects = update(&mut model, Msg::Engine(Event::Changed));
    desk.settle(&mut model, effects);
    assert_eq!(shown(&model), (false, true));
}

#[test]
fn the_answer_to_a_mark_does_not_take_a_later_one_back() {
    let (mut desk, mut model) = desk();
    let first = update(&mut model, key("*"));
    let second = update(&mut model, key("*"));
    desk.settle(&mut model, first);
    assert!(model.entries.heads[0].starred, "the second is on its way");
    desk.settle(&mut model, second);
    assert!(model.entries.heads[0].starred);
}

#[test]
fn rows_read_before_all_was_marked_do_not_take_it_back() {
    let (mut desk, mut model) = desk();
    let stale = page_under_way(&mut desk, &mut model);
    let effects = update(&mut model, key("A"));
    arrive(&mut model, stale);
    assert!(model.entries.heads.iter().all(|head| !head.unread));
    desk.settle(&mut model, effects);
    assert!(model.entries.heads.iter().all(|head| !head.unread));
}

#[test]
fn an_entry_read_from_the_store_before_a_mark_does_not_take_it_back() {
    let (mut desk, mut model) = desk();
    let mut effects = update(&mut model, key("Enter"));
    let Some(Effect::Send(open @ Command::Open { .. })) = effects.first().cloned() else {
        panic!("{effects:?}")
    };
    let stale = desk.answer(open);
    effects.extend(update(&mut model, key("*")));
    arrive(&mut model, stale);
    let marks = |model: &Model| {
        let head = &model.article.as_ref().expect("opened").head;
        (head.unread, head.starred)
    };
    assert_eq!(marks(&model), (false, false));
    desk.settle(&mut model, effects);
    assert_eq!(marks(&model), (false, false));
}

#[test]
fn a_mark_that_failed_lies_over_nothing() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "Enter");
    let stale = page_under_way(&mut desk, &mut model);
    let effects = update(&mut model, key("*"));
    let Some(Effect::Send(Command::Mark { ticket, .. })) = effects.first() else {
        panic!("{effects:?}")
    };
    arrive(&mut model, stale);
    let failed = Event::Failed {
        ticket: *ticket,
        what: "the mark could not be written".to_owned(),
        why: String::new(),
        kind: FailureKind::Internal,
    };
    let effects = update(&mut model, Msg::Engine(failed));
    desk.settle(&mut model, effects);
    assert!(model.entries.heads[0].starred, "as the store has it");
    let article = model.article.as_ref().expect("opened");
    assert!(article.head.starred, "and so has the article");
}

/// Presses keys without letting anything answer.
fn press_at_once(model: &mut Model, keys: &str) -> Vec<Effect> {
    let keys = keys.split_whitespace();
    keys.flat_map(|text| update(model, key(text))).collect()
}

#[test]
fn keys_pressed_before_the_rows_have_come_mean_the_rows_that_come() {
    for (keys, opened) in [
        ("l Enter", true),
        ("Enter Enter", true),
        ("l j j Enter", true),
        ("l j j k Enter", true),
        ("l G k Enter", true),
        ("l J", true),
        ("l n Enter", true),
        // Any other key takes them back.
        ("l Enter ?", false),
        ("l Enter Left", false),
        ("l Enter h j l", false),
    ] {
        let (mut slow_desk, mut slow) = desk();
        slow_desk.press(&mut slow, "h g j j j");
        let mut fast = slow.clone();
        let mut fast_desk = slow_desk.clone();
        let entries = slow.entries.heads.clone();

        let mut effects = press_at_once(&mut fast, "k");
        assert_eq!(fast.entries.current(), None, "still on its way");
        effects.extend(press_at_once(&mut fast, keys));
        fast_desk.settle(&mut fast, effects);
        let shown = fast.article.as_ref().map(|article| article.head.id);
        assert_eq!(shown.is_some(), opened, "{keys}");
        if opened {
            slow_desk.press(&mut slow, "k");
            assert_ne!(slow.entries.heads, entries, "another list");
            slow_desk.press(&mut slow, keys);
            let meant = slow.article.as_ref().map(|article| article.head.id);
            assert_eq!(
                shown, meant,
                "{keys}: as with an engine that answers at once"
            );
            assert_eq!(fast.entries.at, slow.entries.at, "{keys}");
        }
    }
}

#[test]
fn enter_after_the_last_row_was_asked_for_opens_the_last() {
    let mut desk = Desk::with(900);
    let mut model = desk.reader(SIZE, "dark");
    let effects = press_at_once(&mut model, "G Enter");
    desk.settle(&mut model, effects);
    let article = model.article.as_ref().expect("opened");
    assert_eq!(
        Some(article.head.id),
        desk.entries.last().map(|entry| entry.head.id)
    );
}

#[test]
fn marks_pressed_before_the_rows_have_come_are_made_once() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "h g j j j");
    let mut effects = press_at_once(&mut model, "k l *");
    let sent = |effects: &[Effect]| {
        let mark = |e: &&Effect| matches!(e, Effect::Send(Command::Mark { .. }));
        effects.iter().filter(mark).count()
    };
    assert_eq!(sent(&effects), 0);
    let list = effects.pop();
    assert!(effects.is_empty());
    let Some(Effect::Send(list @ Command::ListEntries { .. })) = list else {
        panic!("{list:?}")
    };
    let page = desk.answer(list);
    let effects = arrive(&mut model, page);
    assert_eq!(sent(&effects), 1);
    desk.settle(&mut model, effects);
    let effects = update(&mut model, Msg::Engine(Event::Changed));
    assert_eq!(sent(&effects), 0);
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
        early: None,
        pushed: false,
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
            early: 8,
            early_plain: 1,
            ..Summary::default()
        },
    };
    update(&mut model, Msg::Engine(done));
    assert_eq!(
        message(&model),
        "asked 9 feeds · 9 unchanged (304) · 8 before their time, 1 of them without validators"
    );
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
        early: None,
        pushed: false,
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
    for line in 0..model.status.feeds.lines.len() {
        let held = model.status.feeds.lines[line].held(model.now).is_some();
        let before = lifts(&desk);
        desk.press(&mut model, "L");
        assert_eq!(lifts(&desk), before, "not without a yes");
        if held {
            desk.press(&mut model, "y");
        }
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
        early: None,
        pushed: false,
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
