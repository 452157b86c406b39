//! A feed shown before it is subscribed: one request, kept as the first poll; a no leaves nothing.

use tempfile::TempDir;
use tidings::config;
use tidings::engine::protocol::{AddResult, Command, Event, Pick, Preview, Ticket};
use tidings::engine::{self, Client, Mode, Options};
use tidings::model::{FeedRow, Locations, Outcome, Subscription, Timestamp};
use tidings::tui::{Effect, Msg, update};

use super::desk::Desk;
use super::screens::text;
use crate::support::{Reply, Server};

const FEED: &str = "<rss version='2.0'><channel><title>Sheds &amp; Roofs\u{1b}[2J</title>\
    <item><guid>1</guid><title>Old</title><pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate></item>\
    <item><guid>2</guid><title>New\u{202e} roof</title><pubDate>Tue, 06 Jan 2026 10:00:00 GMT</pubDate></item>\
    <item><guid>3</guid><title>From tomorrow</title><pubDate>Tue, 06 Jan 2099 10:00:00 GMT</pubDate></item></channel></rss>";

struct House {
    home: TempDir,
    server: Server,
    client: Client,
}

impl House {
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a directory");
        let locations = Locations {
            config_dir: home.path().join("config"),
            data_dir: home.path().join("data"),
            state_dir: home.path().join("state"),
        };
        let (settings, _) =
            config::settings("[http]\nhost_gap = \"0s\"\n", std::path::Path::new("c"))
                .expect("valid");
        let (client, _) = engine::start(Options {
            locations,
            settings,
            mode: Mode::Reader,
        })
        .expect("it starts");
        Self {
            home,
            server: Server::start(),
            client,
        }
    }

    fn until<T>(&mut self, mut take: impl FnMut(Event) -> Option<T>) -> T {
        loop {
            let event = self.client.recv_blocking().expect("it runs");
            if let Event::Failed { what, why, .. } = &event {
                panic!("{what}: {why}");
            }
            if let Some(found) = take(event) {
                return found;
            }
        }
    }

    fn ask(&mut self, command: impl FnOnce(Ticket) -> Command) -> (Ticket, AddResult) {
        let ticket = self.client.ticket();
        self.client.send(command(ticket));
        let result = self.until(|event| match event {
            Event::Added { ticket: of, result } if of == ticket => Some(result),
            _ => None,
        });
        (ticket, result)
    }

    fn look(&mut self, path: &str) -> (Ticket, AddResult) {
        let url = self.server.url(path);
        self.ask(|ticket| Command::Add {
            subscription: Box::new(Subscription {
                url,
                ..Subscription::default()
            }),
            pick: Pick::Show,
            guess: false,
            ticket,
        })
    }

    fn seen(&mut self, path: &str) -> (Ticket, Preview) {
        match self.look(path) {
            (of, AddResult::Seen(preview)) => (of, *preview),
            (_, other) => panic!("{other:?}"),
        }
    }

    fn feeds(&mut self) -> Vec<FeedRow> {
        let ticket = self.client.ticket();
        self.client.send(Command::ListFeeds { ticket });
        self.until(|event| match event {
            Event::Feeds { ticket: of, rows } if of == ticket => Some(rows),
            _ => None,
        })
    }
}

#[test]
fn r01_the_answer_that_was_shown_is_the_first_poll() {
    let mut house = House::new();
    let fresh = Reply::ok(FEED)
        .header("ETag", "\"1\"")
        .header("Last-Modified", "Tue, 06 Jan 2026 10:00:00 GMT");
    house
        .server
        .script("/feed", vec![fresh, Reply::not_modified()]);
    let (of, preview) = house.seen("/feed");
    assert_eq!(
        (preview.title.as_str(), preview.kind, preview.entries),
        ("Sheds & Roofs[2J", "RSS", 3)
    );
    let newest = preview.newest.clone().expect("a newest");
    assert_eq!(newest.title, "New roof", "not the one from tomorrow");
    assert_eq!(
        newest.at.map(Timestamp::rfc3339).as_deref(),
        Some("2026-01-06T10:00:00Z")
    );
    assert_eq!(preview.validators.etag.as_deref(), Some(&b"\"1\""[..]));
    assert!(preview.validators.last_modified.is_some() && preview.trouble.is_none());
    assert!(house.feeds().is_empty(), "nothing is subscribed yet");
    let (_, result) = house.ask(|ticket| Command::Take { of, ticket });
    let AddResult::Subscribed { reports } = result else {
        panic!("{result:?}")
    };
    assert_eq!(reports[0].outcome, Outcome::Changed { new: 3, updated: 0 });
    assert_eq!(house.feeds()[0].total, 3);
    assert_eq!(
        house.server.requests().len(),
        1,
        "one request for all of it"
    );
    // Its validators are known from then on.
    let ticket = house.client.ticket();
    let feed = reports[0].feed;
    house.client.send(Command::Refresh {
        scope: engine::Scope::Feeds(vec![feed]),
        pace: tidings::model::Pace::Force,
        ticket,
    });
    house.until(|event| {
        matches!(event, Event::RefreshDone { ticket: of, .. } if of == ticket).then_some(())
    });
    let last = house.server.requests().pop().expect("asked");
    assert_eq!(last.text("if-none-match").as_deref(), Some("\"1\""));
    assert_eq!(house.server.requests().len(), 2);
}

#[test]
fn a_no_leaves_nothing() {
    let mut house = House::new();
    house.server.serve("/feed", Reply::ok(FEED));
    let (of, _) = house.seen("/feed");
    house.client.send(Command::Leave { of });
    assert!(house.feeds().is_empty());
    let ticket = house.client.ticket();
    house.client.send(Command::Take { of, ticket });
    let why = loop {
        match house.client.recv_blocking().expect("it runs") {
            Event::Failed { why, .. } => break why,
            Event::Added { result, .. } => panic!("{result:?}"),
            _ => {}
        }
    };
    assert!(why.contains("add it again"), "{why}");
    assert!(!house.home.path().join("config/feeds.toml").exists());
}

#[test]
fn a_page_with_one_feed_shows_the_feed_and_one_with_several_lists_them() {
    let mut house = House::new();
    let link = |path: &str| format!("<link rel=alternate type=application/rss+xml href='{path}'>");
    house
        .server
        .serve("/one", Reply::ok(format!("<html>{}", link("/feed"))));
    house.server.serve(
        "/two",
        Reply::ok(format!("<html>{}{}", link("/a"), link("/b"))),
    );
    house.server.serve("/feed", Reply::ok(FEED));
    let (of, preview) = house.seen("/one");
    assert!(preview.url.ends_with("/feed"));
    house.ask(|ticket| Command::Take { of, ticket });
    assert!(house.feeds()[0].feed.url.ends_with("/feed"));
    assert_eq!(house.server.requests().len(), 2, "the page and the feed");
    assert!(
        matches!(house.look("/two").1, AddResult::Several { candidates } if candidates.len() == 2)
    );
    assert!(matches!(house.look("/feed").1, AddResult::Already { .. }));
    assert_eq!(house.server.requests().len(), 3);
}

#[test]
fn what_cannot_be_had_now_is_shown_and_can_be_subscribed_all_the_same() {
    let mut house = House::new();
    house
        .server
        .serve("/feed", Reply::new(403).header("CF-Mitigated", "challenge"));
    let (of, preview) = house.seen("/feed");
    let trouble = preview.trouble.expect("a trouble");
    assert!(trouble.contains("a Cloudflare challenge"), "{trouble}");
    let (_, result) = house.ask(|ticket| Command::Take { of, ticket });
    assert!(
        matches!(result, AddResult::Subscribed { reports } if matches!(reports[0].outcome, Outcome::Failed(_)))
    );
    assert_eq!(house.server.requests().len(), 1);
    // What is no feed is refused, and nothing is kept.
    house.server.serve("/gone", Reply::new(404));
    assert!(matches!(house.look("/gone").1, AddResult::Refused { .. }));
    assert_eq!(house.feeds().len(), 1);
}

#[test]
fn r36_who_asks_to_wait_when_looked_at_is_left_alone_also_after_a_no() {
    let mut house = House::new();
    let wait = Reply::new(429).header("Retry-After", "7200");
    house.server.serve("/feed", wait);
    let (of, preview) = house.seen("/feed");
    assert!(
        preview
            .trouble
            .is_some_and(|why| why.contains("asks to wait"))
    );
    house.client.send(Command::Leave { of });
    let (of, preview) = house.seen("/feed");
    assert!(
        preview
            .trouble
            .is_some_and(|why| why.contains("asked to be left alone until"))
    );
    assert_eq!(
        house.server.requests().len(),
        1,
        "the second look asked nobody"
    );
    let (_, result) = house.ask(|ticket| Command::Take { of, ticket });
    assert!(
        matches!(result, AddResult::Subscribed { reports } if matches!(reports[0].outcome, Outcome::Deferred { .. }))
    );
    assert_eq!(house.server.requests().len(), 1);
}

#[test]
fn the_dialog_shows_what_it_is_and_asks() {
    let preview = Preview {
        url: "https://shed.example/feed.xml".to_owned(),
        url_now: None,
        title: "Sheds & Roofs".to_owned(),
        kind: "Atom",
        entries: 42,
        newest: Some(engine::Newest {
            title: "How to keep the rain out of a shed that has seen better days".to_owned(),
            at: Some(super::desk::NOW.plus(-7200)),
        }),
        bytes: 48_211,
        ..Preview::default()
    };
    for size in [(120, 40), (80, 24), (50, 15)] {
        let mut desk = Desk::with(60);
        let mut model = desk.reader(size, "dark");
        desk.press(&mut model, "a");
        update(&mut model, Msg::Paste("shed.example".to_owned()));
        let enter = Msg::Key(tidings::tui::Key::parse("Enter").expect("a key"));
        let effects = update(&mut model, enter.clone());
        let Some(Effect::Send(Command::Add {
            pick: Pick::Show,
            ticket,
            ..
        })) = effects.first()
        else {
            panic!("{effects:?}")
        };
        let of = *ticket;
        let seen = Event::Added {
            ticket: of,
            result: AddResult::Seen(Box::new(preview.clone())),
        };
        update(&mut model, Msg::Engine(seen.clone()));
        insta::assert_snapshot!(format!("preview-{}x{}", size.0, size.1), text(&model));
        // e goes back to what was typed, Esc leaves, Enter takes; an answer that nobody waits for is left.
        let mut again = Desk::with(60);
        for (key, left) in [("e", true), ("Esc", true), ("Enter", false)] {
            let mut model = model_with(&mut again, size, &seen, of);
            let effects = update(
                &mut model,
                Msg::Key(tidings::tui::Key::parse(key).expect("a key")),
            );
            match effects.first() {
                Some(Effect::Send(Command::Leave { of: id })) => {
                    assert!(left && *id == of, "{key}");
                }
                Some(Effect::Send(Command::Take { of: id, .. })) => {
                    assert!(!left && *id == of, "{key}");
                }
                other => panic!("{key}: {other:?}"),
            }
            if key == "e" {
                assert!(text(&model).contains("shed.example"));
            }
        }
        update(
            &mut model,
            Msg::Key(tidings::tui::Key::parse("Esc").expect("a key")),
        );
        let effects = update(&mut model, Msg::Engine(seen));
        assert!(
            matches!(&effects[..], [Effect::Send(Command::Leave { .. })]),
            "{effects:?}"
        );
    }
}

fn model_with(desk: &mut Desk, size: (u16, u16), seen: &Event, of: Ticket) -> tidings::tui::Model {
    let mut model = desk.reader(size, "dark");
    desk.press(&mut model, "a");
    update(&mut model, Msg::Paste("shed.example".to_owned()));
    let effects = update(
        &mut model,
        Msg::Key(tidings::tui::Key::parse("Enter").expect("a key")),
    );
    assert!(
        matches!(effects.first(), Some(Effect::Send(Command::Add { ticket, .. })) if *ticket == of)
    );
    update(&mut model, Msg::Engine(seen.clone()));
    model
}
