//! The tree of feeds tended: muted, renamed, moved, unsubscribed, in feeds.toml, and all of it taken back.

use std::fs;

use tidings::engine::{self, Client, Command, Event, Mode, Options, Ticket};
use tidings::model::{FeedId, FeedRow, Locations, Mark, Retune, Settings};
use tidings::tui::{Effect, Key, Model, Msg, update};

use super::desk::Desk;
use super::screens::text;
use crate::support::process::Home;

const LIST: &str = "# mine\n\n[[feed]] # first\nurl = \"https://a.example/feed\" # official\ntags = [\"tech/rust\", # why\n \"fun\"]\n\n\
# --- news ---\n[[feed]]\nurl = \"https://b.example/\"\ntags = [\"news\"]\n# the end\n";

fn home() -> Home {
    let home = Home::new();
    home.write("config/feeds.toml", LIST);
    home
}

fn engine(home: &Home) -> Client {
    let options = Options {
        locations: Locations {
            config_dir: home.path("config"),
            data_dir: home.path("data"),
            state_dir: home.path("state"),
        },
        settings: Settings::default(),
        mode: Mode::OneShot,
    };
    engine::start(options).expect("the engine starts").0
}

fn list(home: &Home) -> String {
    fs::read_to_string(home.path("config/feeds.toml")).expect("text")
}

/// Sends a command and gives what answers it.
fn ask(client: &mut Client, command: impl FnOnce(Ticket) -> Command) -> Event {
    let ticket = client.ticket();
    client.send(command(ticket));
    loop {
        let event = client.recv_blocking().expect("the engine is there");
        match &event {
            Event::Failed { .. } => return event,
            Event::Feeds { ticket: of, .. }
            | Event::Marked { ticket: of, .. }
            | Event::Retuned { ticket: of, .. }
            | Event::Removed { ticket: of, .. }
            | Event::ListUndone { ticket: of }
                if *of == ticket =>
            {
                return event;
            }
            _ => {}
        }
    }
}

fn rows(client: &mut Client) -> Vec<FeedRow> {
    match ask(client, |ticket| Command::ListFeeds { ticket }) {
        Event::Feeds { rows, .. } => rows,
        event => panic!("{event:?}"),
    }
}

fn undo(client: &mut Client) -> Event {
    ask(client, |ticket| Command::Undo { ticket })
}

fn retune(client: &mut Client, feed: FeedId, change: Retune) {
    let changes = vec![(feed, change)];
    let event = ask(client, |ticket| Command::Retune { changes, ticket });
    assert!(
        matches!(event, Event::Retuned { feeds: 1, .. }),
        "{event:?}"
    );
}

#[test]
fn feeds_are_muted_and_moved_and_the_file_comes_back_byte_for_byte_also_after_a_restart() {
    let home = home();
    let mut client = engine(&home);
    let feeds: Vec<FeedId> = rows(&mut client).iter().map(|row| row.feed.id).collect();
    retune(&mut client, feeds[0], Retune::Mute(true));
    let muted: Vec<bool> = rows(&mut client).iter().map(|row| row.mute).collect();
    assert_eq!(muted, [true, false]);
    let tags = vec!["tech/go".to_owned(), "fun".to_owned()];
    retune(&mut client, feeds[0], Retune::Tags(tags.clone()));
    assert_eq!(rows(&mut client)[0].feed.tags, tags);
    assert!(
        list(&home).contains("\"tech/go\", # why"),
        "{}",
        list(&home)
    );
    let urls = vec!["https://a.example/feed".to_owned()];
    let event = ask(&mut client, |ticket| Command::Remove { urls, ticket });
    assert!(matches!(event, Event::Removed { .. }), "{event:?}");
    assert_eq!(rows(&mut client).len(), 1);
    drop(client);
    let mut client = engine(&home);
    for left in (0..3).rev() {
        let event = undo(&mut client);
        assert!(matches!(event, Event::ListUndone { .. }), "{event:?}");
        assert_eq!(list(&home) == LIST, left == 0);
    }
    let back = rows(&mut client);
    assert_eq!((back.len(), back[0].feed.id), (2, feeds[0]));
    let event = undo(&mut client);
    assert!(matches!(event, Event::Marked { count: 0, .. }), "{event:?}");
}

#[test]
fn what_came_last_is_taken_back_first_and_an_edit_by_hand_is_never_undone() {
    let home = home();
    let mut client = engine(&home);
    let feed = rows(&mut client)[1].feed.id;
    retune(&mut client, feed, Retune::Mute(true));
    let edited = format!("{}# by hand\n", list(&home));
    home.write("config/feeds.toml", &edited);
    let ids = Vec::new();
    let mark = Mark::Read(true);
    let event = ask(&mut client, |ticket| Command::Mark { ids, mark, ticket });
    assert!(matches!(event, Event::Marked { .. }));
    let Event::Failed { what, why, .. } = undo(&mut client) else {
        panic!("the file was edited");
    };
    assert_eq!(
        what,
        "the last change of feeds.toml could not be taken back"
    );
    assert!(why.starts_with("it was edited since"), "{why}");
    assert_eq!(list(&home), edited);
}

#[test]
fn the_command_line_takes_an_unsubscription_back() {
    let home = home();
    home.run(&["remove", "https://b.example/"]);
    assert!(!list(&home).contains("b.example"));
    let ended = home.run(&["undo"]);
    assert_eq!(ended.out, "feeds.toml is as before\n", "{}", ended.err);
    assert_eq!(list(&home), LIST);
}

fn key(model: &mut Model, text: &str) -> Vec<Effect> {
    let mut effects = update(model, Msg::Key(Key::parse(text).expect("a key")));
    // The line itself is kept for the next session.
    effects.retain(|effect| !matches!(effect, Effect::Keep(_)));
    effects
}

fn changes(effects: &[Effect]) -> Vec<(FeedId, Retune)> {
    match effects {
        [Effect::Send(Command::Retune { changes, .. })] => changes.clone(),
        effects => panic!("{effects:?}"),
    }
}

#[test]
fn a_tag_is_muted_whole_and_renamed_with_all_below_it() {
    let mut desk = Desk::with(60);
    let mut model = desk.reader((120, 40), "dark");
    desk.press(&mut model, "h j j");
    let muted = changes(&key(&mut model, "Z"));
    assert!(muted.len() > 2, "{muted:?}");
    assert!(
        muted
            .iter()
            .all(|(_, change)| *change == Retune::Mute(true))
    );
    key(&mut model, "c");
    assert!(text(&model).contains("rename the tag to: tech"));
    desk.press(&mut model, "^u");
    desk.type_in(&mut model, "code");
    for (_, change) in changes(&key(&mut model, "Enter")) {
        let Retune::Tags(tags) = change else {
            panic!("{change:?}");
        };
        assert!(tags.iter().any(|tag| tag.starts_with("code")), "{tags:?}");
        assert!(tags.iter().all(|tag| !tag.starts_with("tech")), "{tags:?}");
    }
    key(&mut model, "Z");
    for row in &mut model.feeds.rows {
        row.mute = true;
    }
    let heard = changes(&key(&mut model, "Z"));
    assert!(
        heard
            .iter()
            .all(|(_, change)| *change == Retune::Mute(false))
    );
}

#[test]
fn the_tags_of_a_feed_are_typed_with_commas() {
    let mut desk = Desk::with(60);
    let mut model = desk.reader((120, 40), "dark");
    desk.press(&mut model, "h j j j j c");
    assert!(text(&model).contains("tags, with commas: tech/rust"));
    desk.type_in(&mut model, ", com");
    key(&mut model, "Tab");
    assert!(text(&model).contains("tech/rust, comics"));
    let Some((_, Retune::Tags(tags))) = changes(&key(&mut model, "Enter")).pop() else {
        panic!("tags");
    };
    assert_eq!(tags, ["tech/rust", "comics"]);
    desk.type_in(&mut model, ":tags tech/rust");
    assert!(key(&mut model, "Enter").is_empty(), "they are so");
    key(&mut model, "D");
    assert!(text(&model).contains("u takes it back. y/n"));
}

#[test]
fn nobody_unsubscribes_from_the_feed_that_merely_comes_first() {
    let mut desk = Desk::with(60);
    let mut model = desk.reader((120, 40), "dark");
    for keys in ["h g D", "j D", "j D"] {
        desk.press(&mut model, keys);
        let screen = text(&model);
        assert!(!screen.contains("y/n"), "{keys}: {screen}");
        assert!(screen.contains("go to a feed first"), "{keys}: {screen}");
    }
    desk.press(&mut model, "g l : r e m o v e Enter");
    assert!(text(&model).contains("unsubscribe from Rust Blog?"));
}
