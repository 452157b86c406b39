//! Permanent moves and a person, through the engine's own door: adopted into feeds.toml, taken back, refused (R53).

use std::fs;

use tidings::engine::{self, Client, Command, Event, Mode, Options, Scope, Ticket};
use tidings::model::{FeedRow, Locations, Pace, Settings};

use crate::support::process::Home;
use crate::support::{Reply, Server};

/// An engine at home there, with no gap between requests.
fn engine(home: &Home) -> Client {
    let mut settings = Settings::default();
    settings.http.host_gap = std::time::Duration::ZERO;
    let options = Options {
        locations: Locations {
            config_dir: home.path("config"),
            data_dir: home.path("data"),
            state_dir: home.path("state"),
        },
        settings,
        mode: Mode::OneShot,
    };
    engine::start(options).expect("the engine starts").0
}

/// Sends a command and waits for the event that `take` wants, or for the sentence of the failure.
fn ask<T>(
    client: &mut Client,
    command: impl FnOnce(Ticket) -> Command,
    mut take: impl FnMut(Event) -> Option<T>,
) -> Result<T, String> {
    let ticket = client.ticket();
    client.send(command(ticket));
    loop {
        match client.recv_blocking().expect("the engine is there") {
            Event::Failed { what, why, .. } => return Err(format!("{what}: {why}")),
            event => {
                if let Some(found) = take(event) {
                    return Ok(found);
                }
            }
        }
    }
}

fn poll_all(client: &mut Client) {
    let refresh = |ticket| Command::Refresh {
        scope: Scope::All,
        pace: Pace::Force,
        ticket,
    };
    ask(client, refresh, |event| {
        matches!(event, Event::RefreshDone { .. }).then_some(())
    })
    .expect("polled");
}

fn rows(client: &mut Client) -> Vec<FeedRow> {
    let list = |ticket| Command::ListFeeds { ticket };
    ask(client, list, |event| match event {
        Event::Feeds { ticket, rows } if ticket != Ticket(0) => Some(rows),
        _ => None,
    })
    .expect("listed")
}

fn adopt(client: &mut Client, row: &FeedRow) -> Result<(String, String, Option<String>), String> {
    let feed = row.feed.id;
    let command = move |ticket| Command::AdoptMove { feed, ticket };
    ask(client, command, |event| match event {
        Event::MoveAdopted {
            from, to, warning, ..
        } => Some((from, to, warning)),
        _ => None,
    })
}

fn undo(client: &mut Client, row: &FeedRow) -> Result<(String, String), String> {
    let feed = row.feed.id;
    let command = move |ticket| Command::UndoMove { feed, ticket };
    ask(client, command, |event| match event {
        Event::MoveUndone { from, to, .. } => Some((from, to)),
        _ => None,
    })
}

const BODY: &str = "<rss version=\"2.0\"><channel><title>T</title><item><guid>1</guid><title>One</title></item></channel></rss>";

/// Two hosts; the first sends /old for good to /new of the second, which is a feed.
fn moving() -> (Home, Server, Server) {
    let (home, old, new) = (Home::new(), Server::start(), Server::start());
    old.serve("/old", Reply::redirect(301, new.url("/new")));
    let fresh = Reply::ok(BODY).header("ETag", "\"1\"");
    new.script("/new", vec![fresh, Reply::not_modified()]);
    (home, old, new)
}

fn list(home: &Home) -> String {
    fs::read_to_string(home.path("config/feeds.toml")).expect("text")
}

#[test]
fn r53_a_move_is_adopted_on_request_and_taken_back() {
    let (home, old, new) = moving();
    let (from, to) = (old.url("/old"), new.url("/new"));
    let text = format!("# mine\n[[feed]] # first\nurl = '{from}' # official\ntags = [\"x\"]\n");
    home.write("config/feeds.toml", &text);
    let mut client = engine(&home);
    for _ in 0..4 {
        poll_all(&mut client);
    }
    let row = rows(&mut client).remove(0);
    assert_eq!(row.moving.as_ref().map(|moving| moving.seen), Some(4));
    let refused = adopt(&mut client, &row).expect_err("not believed yet");
    assert!(
        refused.ends_with("has not moved, as far as is known"),
        "{refused}"
    );
    poll_all(&mut client);
    let believed = rows(&mut client).remove(0);
    assert_eq!(believed.moved.as_ref().map(|moved| &moved.to), Some(&to));
    assert_eq!(believed.host, new.address().to_string());
    assert_eq!(list(&home), text, "nothing behind the user's back");

    let adopted = adopt(&mut client, &believed).expect("adopted");
    assert_eq!(adopted, (from.clone(), to.clone(), None));
    assert_eq!(
        list(&home),
        text.replace(&format!("'{from}'"), &format!("\"{to}\""))
    );
    let after = rows(&mut client).remove(0);
    assert_eq!((&after.feed.url, &after.moved), (&to, &None));
    assert_eq!(
        (
            after.feed.id,
            after.total,
            after.schedule,
            after.validators.clone()
        ),
        (believed.feed.id, 1, believed.schedule, believed.validators)
    );
    old.forget();
    new.forget();
    poll_all(&mut client);
    assert_eq!(old.requests().len(), 0);
    assert!(new.requests()[0].is_conditional());

    let undone = undo(&mut client, &after).expect("taken back");
    assert_eq!(undone, (to.clone(), from.clone()));
    assert_eq!(
        list(&home),
        text.replace(&format!("'{from}'"), &format!("\"{from}\""))
    );
    for _ in 0..6 {
        poll_all(&mut client);
    }
    assert_eq!(
        old.requests().len(),
        6,
        "asked again, and never believed again"
    );
    let last = rows(&mut client).remove(0);
    assert_eq!(
        (last.feed.id, last.total, last.moved.clone()),
        (believed.feed.id, 1, None)
    );
    assert!(undo(&mut client, &last).is_err());
    client.shutdown();
}

#[test]
fn r53_a_move_that_feeds_toml_does_not_have_is_taken_back_in_the_store_alone() {
    let (home, old, new) = moving();
    home.subscribe(&[old.url("/old")]);
    let text = list(&home);
    let mut client = engine(&home);
    for _ in 0..5 {
        poll_all(&mut client);
    }
    let row = rows(&mut client).remove(0);
    let undone = undo(&mut client, &row).expect("taken back");
    assert_eq!(undone, (new.url("/new"), old.url("/old")));
    assert_eq!(list(&home), text);
    let row = rows(&mut client).remove(0);
    assert_eq!((row.moved, row.host), (None, old.address().to_string()));
    client.shutdown();
}

#[test]
fn r53_r65_a_target_that_is_subscribed_besides_is_not_adopted() {
    let (home, old, new) = moving();
    new.serve("/new", Reply::ok(BODY));
    home.subscribe(&[old.url("/old"), new.url("/new")]);
    let text = list(&home);
    let mut client = engine(&home);
    for _ in 0..5 {
        poll_all(&mut client);
    }
    let row = rows(&mut client).remove(0);
    let refused = adopt(&mut client, &row).expect_err("refused");
    assert!(
        refused.contains("is subscribed already; `tidings remove "),
        "{refused}"
    );
    assert_eq!(list(&home), text);
    client.shutdown();
}

#[test]
fn r53_r71_a_moved_feed_is_asked_in_the_lane_of_its_new_host() {
    let (home, old, new) = moving();
    new.serve("/other", Reply::new(429).header("Retry-After", "7200"));
    home.subscribe(&[old.url("/old")]);
    let mut client = engine(&home);
    for _ in 0..5 {
        poll_all(&mut client);
    }
    client.shutdown();
    home.subscribe(&[new.url("/other"), old.url("/old")]);
    let mut client = engine(&home);
    poll_all(&mut client);
    new.forget();
    poll_all(&mut client);
    let asked = new.requests().len() + old.requests_for("/other").len();
    assert_eq!(asked, 0, "the host is held for the moved feed too");
    let row = rows(&mut client).remove(1);
    assert!(row.hold_until.is_some());
    client.shutdown();
}

#[test]
fn r53_r61_a_warning_says_who_gets_the_secrets_from_now_on() {
    let (home, old, new) = moving();
    home.write("config/login", "me:secret\n");
    let text = format!(
        "[[feed]]\nurl = \"{}\"\nauth_file = \"login\"\n",
        old.url("/old")
    );
    home.write("config/feeds.toml", &text);
    let mut client = engine(&home);
    for _ in 0..5 {
        poll_all(&mut client);
    }
    let row = rows(&mut client).remove(0);
    let (_, _, warning) = adopt(&mut client, &row).expect("adopted");
    assert!(
        warning
            .expect("a warning")
            .starts_with("auth_file of this feed will be sent")
    );
    assert!(
        new.requests()
            .iter()
            .all(|seen| seen.header("authorization").is_none())
    );
    client.shutdown();
}

#[test]
fn r53_a_list_that_cannot_be_written_gives_the_line_to_change() {
    let (home, old, new) = moving();
    home.subscribe(&[old.url("/old")]);
    let path = home.path("config/feeds.toml");
    let mut client = engine(&home);
    for _ in 0..5 {
        poll_all(&mut client);
    }
    let mut mode = fs::metadata(&path).expect("there").permissions();
    mode.set_readonly(true);
    fs::set_permissions(&path, mode).expect("set");
    let row = rows(&mut client).remove(0);
    let refused = adopt(&mut client, &row).expect_err("read-only");
    let lines = format!(
        "\nurl = \"{}\"\nurl = \"{}\"",
        old.url("/old"),
        new.url("/new")
    );
    assert!(refused.ends_with(&lines), "{refused}");
    assert!(rows(&mut client).remove(0).moved.is_some());
    client.shutdown();
}
