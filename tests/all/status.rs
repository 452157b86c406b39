//! The status pane by keys: tabs, filter, the way between a feed and its log, and what may be done to polling.

use tidings::engine::protocol::{Command, Scope};
use tidings::model::{FeedId, Outcome, Pace, PollReport};
use tidings::tui::{Model, Msg, Pane, Screen, update};

use super::desk::Desk;
use super::screens::text;

fn desk() -> (Desk, Model) {
    let mut desk = Desk::with(60);
    let model = desk.reader((120, 40), "dark");
    (desk, model)
}

fn message(model: &Model) -> &str {
    model.message.as_ref().map_or("", |said| said.text.as_str())
}

/// The last command that was sent.
fn sent(desk: &Desk) -> &Command {
    desk.commands.last().expect("a command")
}

#[test]
fn tabs_are_turned_in_a_circle_and_keep_their_places() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "s j j");
    let feed = model.status.feed();
    desk.press(&mut model, "Tab j Tab");
    assert_eq!(model.status.feed(), feed, "the log of the line");
    assert!(text(&model).contains("GET https://***@"), "its headers");
    desk.press(&mut model, "Tab");
    assert_eq!(model.status.feed(), feed, "the line is where it was");
    desk.press(&mut model, "S-Tab S-Tab");
    assert_eq!(model.status.hosts.at, 1);
}

#[test]
fn a_filter_narrows_while_it_is_typed_and_esc_takes_it_back_in_two_steps() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "s /");
    desk.type_in(&mut model, "rust");
    assert_eq!(model.status.feeds.lines.len(), 2);
    assert!(text(&model).contains("/rust · 2 of 10"));
    desk.press(&mut model, "Enter j");
    assert_eq!(model.status.feeds.at, 1, "keys move again");
    desk.press(&mut model, "/ x Esc");
    assert_eq!(model.status.feeds.filter, "rust", "the one before");
    desk.press(&mut model, "Esc");
    assert_eq!(model.status.feeds.lines.len(), 10);
    assert_eq!(model.screen, Screen::Status);
    desk.press(&mut model, "Esc");
    assert_eq!(model.screen, Screen::Reader);
}

#[test]
fn from_an_entry_to_the_log_of_its_feed_and_back_and_from_there_to_its_entries() {
    let (mut desk, mut model) = desk();
    let feed = model.entries.current().expect("an entry").id.feed;
    desk.press(&mut model, "i");
    assert_eq!(
        (model.screen, model.status.feed()),
        (Screen::Status, Some(feed))
    );
    desk.press(&mut model, "i");
    assert_eq!(model.screen, Screen::Reader);
    desk.press(&mut model, "i Esc");
    assert_eq!(model.screen, Screen::Reader, "Esc leads back the same way");
    desk.press(&mut model, "i e");
    assert_eq!((model.screen, model.focus), (Screen::Reader, Pane::Entries));
    let feeds: Vec<FeedId> = model
        .entries
        .heads
        .iter()
        .map(|head| head.id.feed)
        .collect();
    assert!(!feeds.is_empty() && feeds.iter().all(|id| *id == feed));
    desk.press(&mut model, "i");
    assert_eq!(
        model.status.feed(),
        Some(feed),
        "and from the list to its log"
    );
    // From the tables the way back leads to the tables.
    desk.press(&mut model, "i s Enter Esc");
    assert_eq!(model.screen, Screen::Status);
}

#[test]
fn a_tag_has_no_log_of_its_own() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "h g i");
    assert_eq!(model.screen, Screen::Reader);
    assert!(message(&model).starts_with("go to a feed or an entry first"));
}

#[test]
fn a_host_opens_to_its_feeds() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "s Tab");
    let host = model.status.hosts.current().expect("a host").name.clone();
    desk.press(&mut model, "Enter");
    assert_eq!(model.status.feeds.filter, host);
    assert_eq!(model.status.feeds.lines.len(), 1);
}

#[test]
fn the_rule_that_decided_stands_among_all_that_were_weighed() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "s /");
    desk.type_in(&mut model, "rust blog");
    desk.press(&mut model, "Enter");
    let screen = text(&model);
    let line = screen
        .lines()
        .find(|line| line.contains("weighed"))
        .expect("the line");
    assert!(
        line.contains("base 1 h · max-age 1 h · ttl 30 min"),
        "{line}"
    );
    assert!(line.contains("▸ unchanged ×14 2 h"), "{line}");
}

#[test]
fn the_wish_of_a_publisher_is_said_with_what_is_done() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "s");
    let mut said = Vec::new();
    for _ in 0..40 {
        let screen = text(&model);
        let wish = screen.lines().find(|line| line.contains("wish "));
        said.extend(wish.map(str::to_owned));
        desk.press(&mut model, "j");
    }
    for part in [
        "the server said 410: it is gone: not asked any more; its entries stay",
        "its host wants to be left alone, 52 min more: none of the host's feeds is asked before",
        "the server says that nothing new comes for 1 h: not asked before",
    ] {
        assert!(
            said.iter().any(|line| line.contains(part)),
            "{part}\n{said:#?}"
        );
    }
}

#[test]
fn the_cursor_asks_for_one_explanation_at_a_time() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "s");
    let explains = |effects: &[tidings::tui::Effect]| {
        let explain = |effect: &&tidings::tui::Effect| {
            matches!(effect, tidings::tui::Effect::Send(Command::Explain { .. }))
        };
        effects.iter().filter(explain).count()
    };
    let down = || Msg::Key(tidings::tui::Key::parse("j").expect("a key"));
    let first = update(&mut model, down());
    let second = update(&mut model, down());
    assert_eq!((explains(&first), explains(&second)), (1, 0));
    desk.settle(&mut model, first);
    let feed = model.status.feed().expect("a feed");
    assert!(
        model.status.explained.of(feed).is_some(),
        "that of the last line"
    );
}

#[test]
fn the_log_follows_an_answer_and_the_cursor_stays_on_its_request() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "s Enter j");
    let feed = model.status.feed().expect("a feed");
    let ledger = model.status.ledger.clone().expect("a log");
    let (at, was) = (ledger.at, ledger.records[ledger.at].at);
    let row = model.feeds.row(feed).expect("a row").clone();
    let report = PollReport {
        feed,
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
    desk.commands.clear();
    let polled = tidings::engine::protocol::Event::Polled(Box::new(report));
    let effects = update(&mut model, Msg::Engine(polled));
    desk.settle(&mut model, effects);
    let asked = |command: &&Command| matches!(command, Command::Ledger { .. });
    assert_eq!(desk.commands.iter().filter(asked).count(), 1);
    let mut ledger = model.status.ledger.clone().expect("a log");
    assert_eq!((ledger.at, ledger.records[ledger.at].at), (at, was));
    // Two newer ones above it.
    let mut records = ledger.records.clone();
    for newer in 1..=2 {
        let mut record = records[0].clone();
        record.at = record.at.plus(newer * 60);
        records.insert(0, record);
    }
    ledger.fill(records, Vec::new());
    assert_eq!((ledger.at, ledger.records[ledger.at].at), (at + 2, was));
}

#[test]
fn r46_a_fetch_without_validators_is_an_act_of_its_own_that_is_asked_for() {
    let (mut desk, mut model) = desk();
    let feed = model.entries.current().expect("an entry").id.feed;
    desk.commands.clear();
    desk.press(&mut model, "F n");
    assert!(desk.commands.is_empty(), "no is no");
    desk.press(&mut model, "F");
    assert!(text(&model).contains("whole, without validators?"));
    desk.press(&mut model, "y");
    assert!(matches!(
        &desk.commands[0],
        Command::Refresh { scope: Scope::Feeds(ids), pace: Pace::Plain, .. } if *ids == [feed]
    ));
}

#[test]
fn r46_a_refresh_before_its_time_says_so() {
    let (mut desk, mut model) = desk();
    desk.press(&mut model, "s /");
    desk.type_in(&mut model, "rust blog");
    desk.press(&mut model, "Enter r");
    assert!(matches!(
        sent(&desk),
        Command::Refresh {
            pace: Pace::Manual,
            ..
        }
    ));
    assert!(
        message(&model).ends_with("1 before their time, conditionally"),
        "{}",
        message(&model)
    );
}

#[test]
fn r47_a_hold_ends_and_a_gone_feed_comes_back_only_after_a_yes() {
    let (mut desk, mut model) = desk();
    for (filter, key, question) in [
        ("busy", "L", "End that hold?"),
        ("gone", "E", "Ask it again?"),
    ] {
        desk.press(&mut model, "s /");
        desk.type_in(&mut model, filter);
        desk.commands.clear();
        desk.press(&mut model, &format!("Enter {key}"));
        assert!(text(&model).contains(question), "{}", text(&model));
        let acts = |desk: &Desk| {
            let act = |command: &&Command| {
                matches!(command, Command::Lift { .. } | Command::Enable { .. })
            };
            desk.commands.iter().filter(act).count()
        };
        desk.press(&mut model, "n");
        assert_eq!(acts(&desk), 0);
        desk.press(&mut model, &format!("{key} y"));
        assert_eq!(acts(&desk), 1);
        desk.press(&mut model, "Esc s");
    }
    // A hold is not pierced by a fetch either.
    desk.press(&mut model, "s /");
    desk.type_in(&mut model, "busy");
    desk.press(&mut model, "Enter F");
    assert!(
        message(&model).contains("asked to wait until 14:49"),
        "{}",
        message(&model)
    );
}

#[test]
fn r53_a_move_is_shown_written_down_on_request_and_taken_back() {
    let mut desk = Desk::with(60);
    desk.moves(6, "https://www.xkcd.example/new/atom.xml");
    let mut model = desk.reader((120, 40), "dark");
    desk.press(&mut model, "s /");
    desk.type_in(&mut model, "xkcd");
    desk.press(&mut model, "Enter");
    let screen = text(&model);
    assert!(screen.contains("→ xkcd.com"), "{screen}");
    assert!(
        screen.contains("to www.xkcd.example/new/atom.xml, since Fri 13:57"),
        "{screen}"
    );
    desk.press(&mut model, "W");
    assert_eq!(
        message(&model),
        "feeds.toml has www.xkcd.example/new/atom.xml now · u takes it back"
    );
    desk.press(&mut model, "u");
    assert_eq!(message(&model), "asked at xkcd.com:443/feed.xml again");
    desk.press(&mut model, "u");
    assert_eq!(message(&model), "no move of this feed to take back");
    desk.press(&mut model, "W");
    assert_eq!(message(&model), "this feed has not moved for good");
}
