//! The configuration: checked and shown by the real binary, read again by an open reader, remembered between sessions.

use std::fs;

use serde_json::Value;
use tidings::engine::protocol::{Event, NewSettings};
use tidings::model::{SmartFeed, Step, UiSettings};
use tidings::tui::{Model, Msg, update};

use super::commands::Bench;
use super::desk::Desk;
use super::screens::text;

fn write(bench: &Bench, file: &str, text: &str) {
    let path = bench.path(file);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, text).expect("written");
}

#[test]
fn check_names_every_fault_of_every_file_with_its_line_and_the_nearest_key() {
    let bench = Bench::new();
    write(
        &bench,
        "config/config.toml",
        "thme = \"dark\"\nmeasure = 5\n[poll]\nbase = \"10s\"\n[keys]\nstrar = \"x\"\n[[rule]]\nwhen = \"a\"\ndo = \"delete\"\n\
         [[smart]]\nname = \"x\"\n[keep.tags]\na = 3\n",
    );
    write(
        &bench,
        "config/feeds.toml",
        "[[feed]]\nurl = \"ftp://x\"\ntag = [\"a\"]\n[[feed]]\ntitle = \"x\"\n",
    );
    write(
        &bench,
        "config/themes/night.toml",
        "text = \"blod\"\nacent = \"red\"\n",
    );
    let ended = bench.run(&["config", "check"]);
    assert_eq!(ended.code, 2, "{}", ended.out);
    let dir = bench.path("config").display().to_string();
    let said: Vec<String> = ended
        .out
        .lines()
        .map(|line| line.replace(&dir, ""))
        .collect();
    assert_eq!(
        said,
        [
            "/config.toml:1: unknown key \"thme\"; the nearest valid key is theme",
            "/config.toml:2: measure = 5 is out of range; it must be between 20 and 1000",
            "/config.toml:4: [poll] base = \"10s\" is out of range; it must be between 1m and 7d",
            "/config.toml:6: unknown key \"strar\" in [keys]; the nearest valid key is star",
            "/config.toml:9: [rule] do does not know \"delete\"; it is one of read, hide, star, notify, run, tag: and a tag, or a list of them",
            "/config.toml:11: this [[smart]] has no query",
            "/config.toml:13: [keep.tags] must be a table with age, entries or size; begin it with a line [keep.tags.TAG]",
            "/feeds.toml:2: [[feed]] url \"ftp://x\" begins with \"ftp:\"; only http and https can be polled",
            "/feeds.toml:3: unknown key \"tag\" in [[feed]]; the nearest valid key is tags",
            "/feeds.toml:4: this feed has no url; add a line url = \"https://…\"",
            "/themes/night.toml:1: `blod` of `text` is no colour and no style",
            "/themes/night.toml:2: there is no `acent` in a theme; the nearest is `accent`",
        ]
    );
    assert_eq!(ended.err, "tidings: 12 faults\n");
    // Every other command says the first of them.
    let ended = bench.run(&["feeds"]);
    assert_eq!(ended.code, 2);
    assert!(
        ended.err.contains("config.toml:1: unknown key"),
        "{}",
        ended.err
    );
}

#[test]
fn the_settings_of_one_feed_are_shown_with_what_holds_of_it_besides() {
    let bench = Bench::new();
    write(
        &bench,
        "config/feeds.toml",
        "[[feed]]\nurl = \"https://me:pw@a.example/feed\"\ntags = [\"news/a\"]\nmute = true\n\
         headers = { X-Token = \"secret\" }\n[[feed]]\nurl = \"https://b.example/feed\"\n",
    );
    write(
        &bench,
        "config/config.toml",
        "notify_tags = [\"news\"]\n[keep]\nage = \"30d\"\n",
    );
    let out = bench.run(&["config", "show", "a.example"]).well();
    for part in [
        "url = \"https://***@a.example/feed\"",
        "# line 2",
        "mute = true",
        "full_text = false",
        "# default",
        "# every",
        "# not set",
        "# [keep] of config.toml",
        "# its new entries are told",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert!(!out.contains("secret") && !out.contains("pw@"), "{out}");
    let json = bench.run(&["config", "show", "b.example", "--json"]).json();
    let mute = json
        .as_array()
        .expect("rows")
        .iter()
        .find(|row| row["key"] == "mute");
    assert_eq!(mute.map(|row| &row["from"]), Some(&"default".into()));
    let feeds = bench.run(&["feeds", "--json"]).json();
    assert_eq!(
        (&feeds[0]["mute"], &feeds[1]["mute"]),
        (&true.into(), &false.into())
    );
    for (words, why) in [
        (&["config", "show", "example"][..], "name one of them"),
        (&["config", "show", "c.example"], "has no feed c.example"),
        (
            &["config", "check", "a.example"],
            "only `config show` takes a feed",
        ),
    ] {
        let ended = bench.run(words);
        assert_eq!(ended.code, 2);
        assert!(ended.err.contains(why), "{}", ended.err);
    }
}

#[test]
fn what_only_the_reader_can_know_is_checked_too() {
    let bench = Bench::new();
    write(
        &bench,
        "config/config.toml",
        "theme = \"nigth\"\n[[macro]]\nkey = \"Q\"\ndo = [\n  \"star\",\n  \"toggle-red\",\n]\n",
    );
    let ended = bench.run(&["config", "check", "--json"]);
    assert_eq!(ended.code, 2);
    let faults: Value = serde_json::from_str(&ended.out).expect("JSON");
    assert_eq!(faults[0]["line"], 1);
    assert_eq!(faults[0]["warning"], false);
    assert_eq!(
        faults[0]["message"],
        "theme: there is no theme `nigth`; there are dark, light, plain"
    );
    assert_eq!(faults[1]["line"], 6, "the line of the step: {faults}");
    assert!(
        faults[1]["message"]
            .as_str()
            .expect("text")
            .contains("toggle-read"),
        "{faults}"
    );
}

#[test]
fn files_that_the_configuration_names_are_looked_at() {
    let bench = Bench::new();
    write(
        &bench,
        "config/config.toml",
        "measure = 5\n[http]\nca_file = \"nowhere.pem\"\n[[macro]]\nkey = \"Q\"\ndo = [\"starr\"]\n",
    );
    write(
        &bench,
        "config/feeds.toml",
        "[[feed]]\nurl = \"https://me:secret@a.example/\"\nauth_env = \"NO_SUCH_LOGIN\"\n",
    );
    let ended = bench.run(&["config", "check"]);
    assert_eq!(ended.code, 2);
    let lines: Vec<&str> = ended.out.lines().collect();
    for (line, parts) in lines.iter().zip([
        [":1: measure", "between"],
        [":3: [http] ca_file: ", "nowhere.pem"],
        [":6: [[macro]]", "`star`"],
        [
            "warning: ",
            "https://***@a.example/: the environment variable NO_SUCH_LOGIN is not set",
        ],
    ]) {
        assert!(
            parts.iter().all(|part| line.contains(part)),
            "{parts:?}: {line}"
        );
    }
    assert_eq!(lines.len(), 4, "{}", ended.out);
}

#[test]
fn a_configuration_that_is_well_is_said_to_be_and_a_missing_one_is_well() {
    let bench = Bench::new();
    assert!(
        bench
            .run(&["config", "check"])
            .well()
            .ends_with("config is well\n")
    );
    fs::remove_file(bench.path("config/config.toml")).expect("removed");
    assert!(
        bench
            .run(&["config", "check"])
            .well()
            .ends_with("config is well\n")
    );
    write(&bench, "config/config.toml", "images = true\n");
    let out = bench.run(&["config", "check"]).well();
    assert!(
        out.starts_with("warning: ") && out.contains("images is accepted"),
        "{out}"
    );
}

#[test]
fn show_says_of_every_setting_where_it_comes_from() {
    let bench = Bench::new();
    write(
        &bench,
        "config/config.toml",
        "measure = 72\n[http]\nproxy = \"http://me:secret@localhost:1\"\n[keys]\nstar = \"m\"\n",
    );
    let out = bench.run(&["config", "show"]).well();
    let line = |begins: &str| {
        let found = out.lines().find(|line| line.starts_with(begins));
        found.unwrap_or_else(|| panic!("{begins}: {out}"))
    };
    assert!(line("measure = 72 ").ends_with("# line 1"));
    assert!(line("theme = \"dark\" ").ends_with("# default"));
    assert!(line("# contact ").ends_with("# not set"));
    assert!(line("star = [\"m\"] ").ends_with("# line 5"));
    assert!(line("toggle-read = [] ").ends_with("# default"));
    assert!(!out.contains("secret"), "{out}");
    // What is shown can be read as it stands, and means the same.
    let file = bench.path("config/config.toml");
    fs::write(&file, out.replace("***@", "me@")).expect("written");
    bench.run(&["config", "check"]).well();
    let again = bench.run(&["config", "show", "--json"]).json();
    let measure = |row: &&Value| row["key"] == "measure";
    let rows = again.as_array().expect("rows");
    let measure = rows.iter().find(measure).expect("there");
    assert_eq!(
        (&measure["value"], &measure["from"]),
        (&72.into(), &"file".into())
    );
}

#[test]
fn a_broken_file_is_not_shown_and_the_way_on_is_said() {
    let bench = Bench::new();
    write(&bench, "config/config.toml", "theme = 3\n");
    let ended = bench.run(&["config", "show"]);
    assert_eq!(ended.code, 2);
    assert!(
        ended
            .err
            .contains("`tidings config check` names every fault"),
        "{}",
        ended.err
    );
}

fn came(model: &mut Model, desk: &mut Desk, read: Result<NewSettings, &str>) {
    let event = Event::Settings {
        path: "/c/config.toml".to_owned(),
        read: read.map(Box::new).map_err(str::to_owned),
    };
    let effects = update(model, Msg::Engine(event));
    desk.settle(model, effects);
}

fn new(ui: UiSettings) -> NewSettings {
    NewSettings {
        ui,
        themes: Vec::new(),
        later: Vec::new(),
        notices: Vec::new(),
    }
}

fn message(model: &Model) -> &str {
    model.message.as_ref().map_or("", |message| &message.text)
}

#[test]
fn settings_that_were_saved_hold_at_once_and_what_cannot_is_said() {
    let mut desk = Desk::with(60);
    let mut model = desk.reader((120, 40), "dark");
    let mut ui = model.settings.clone();
    "light".clone_into(&mut ui.theme.0);
    ui.keys = vec![("star".to_owned(), vec!["m".to_owned()])];
    ui.smart = vec![SmartFeed {
        name: "Long".to_owned(),
        query: "unread".to_owned(),
    }];
    ui.mouse = !ui.mouse;
    let later = NewSettings {
        later: vec!["[http]"],
        ..new(ui.clone())
    };
    came(&mut model, &mut desk, Ok(later));
    assert_eq!(
        message(&model),
        "the settings were read again; [http], mouse take effect at the next start"
    );
    assert_eq!(model.theme.name, "light");
    assert!(text(&model).contains("Long"), "{}", text(&model));
    assert_ne!(
        model.settings.mouse, ui.mouse,
        "the terminal knows the old one"
    );
    let starred = model.entries.current().expect("a row").starred;
    desk.press(&mut model, "m");
    assert_ne!(model.entries.current().expect("a row").starred, starred);
    // A theme that was chosen by key stays while the file names the same as before.
    desk.press(&mut model, "t");
    let chosen = model.theme.name.clone();
    ui.mouse = model.settings.mouse;
    ui.measure = 60;
    came(&mut model, &mut desk, Ok(new(ui)));
    assert_eq!(model.theme.name, chosen);
    assert_eq!(
        message(&model),
        format!("theme {chosen}"),
        "an answer is not talked over"
    );
    assert_eq!(
        model.log.back().expect("said").text,
        "the settings were read again"
    );
}

#[test]
fn a_broken_edit_is_said_and_everything_stays() {
    let mut desk = Desk::with(60);
    let mut model = desk.reader((120, 40), "dark");
    let before = model.settings.clone();
    came(
        &mut model,
        &mut desk,
        Err("/c/config.toml:3: unknown key \"x\""),
    );
    assert_eq!(
        message(&model),
        "/c/config.toml:3: unknown key \"x\"; what was in force stays"
    );
    let mut ui = before.clone();
    "nigth".clone_into(&mut ui.theme.0);
    ui.measure = 60;
    came(&mut model, &mut desk, Ok(new(ui)));
    assert!(
        message(&model).starts_with("there is no theme `nigth`"),
        "{}",
        message(&model)
    );
    let mut ui = before.clone();
    ui.macros = vec![tidings::model::Macro {
        name: "on".to_owned(),
        keys: vec!["Q".to_owned()],
        steps: vec![Step {
            text: "starr".to_owned(),
            line: 7,
        }],
    }];
    came(&mut model, &mut desk, Ok(new(ui)));
    assert!(
        message(&model).starts_with("/c/config.toml:7: [[macro]] \"on\""),
        "{}",
        message(&model)
    );
    assert_eq!(model.settings, before);
    assert_eq!(model.theme.name, "dark");
    let themed = NewSettings {
        themes: vec![("night".to_owned(), "acent = \"red\"".to_owned())],
        ..new(before.clone())
    };
    came(&mut model, &mut desk, Ok(themed));
    assert!(message(&model).starts_with("themes/night.toml:1: there is no `acent`"));
    // Mended to what is in force: that is said, and once.
    came(&mut model, &mut desk, Ok(new(before.clone())));
    assert_eq!(message(&model), "the settings were read again");
    desk.press(&mut model, "j");
    came(&mut model, &mut desk, Ok(new(before)));
    assert_eq!(message(&model), "");
}

#[test]
fn a_list_that_left_the_file_is_left_for_all() {
    let mut desk = Desk::with(60);
    let mut model = desk.reader((120, 40), "dark");
    let mut ui = model.settings.clone();
    let list = |query: &str| {
        vec![SmartFeed {
            name: "Long".to_owned(),
            query: query.to_owned(),
        }]
    };
    ui.smart = list("unread");
    came(&mut model, &mut desk, Ok(new(ui.clone())));
    desk.press(&mut model, "h j j");
    assert_eq!(model.entries.spec.within, "unread");
    ui.smart = list("starred");
    came(&mut model, &mut desk, Ok(new(ui.clone())));
    assert_eq!(model.entries.spec.within, "starred");
    ui.smart.clear();
    came(&mut model, &mut desk, Ok(new(ui)));
    assert_eq!(model.entries.spec.within, "");
}

#[cfg(unix)]
mod in_a_terminal {
    use crate::support::process::Home;
    use crate::support::terminal::Terminal;

    const SIZE: (u16, u16) = (110, 30);

    #[test]
    fn an_open_reader_reads_what_is_saved_again_and_keeps_the_good_when_it_is_broken() {
        let home = Home::new();
        home.write("config/feeds.toml", "");
        let mut terminal = Terminal::start(&home, &[], SIZE);
        terminal.sees("You have no feeds yet");
        let mine = "[keys]\nhelp = \"H\"\n[[smart]]\nname = \"Mine\"\nquery = \"unread\"\n";
        home.write("config/config.toml", mine);
        terminal.sees("the settings were read again");
        terminal.keys("H");
        terminal.sees("one row down");
        home.write("config/config.toml", "thme = \"dark\"\n");
        terminal.sees("unknown key \"thme\"");
        terminal.keys("\x1b");
        terminal.sees_no("one row down");
        terminal.keys("H");
        terminal.sees("one row down");
        terminal.keys("q");
        home.write(
            "config/config.toml",
            &format!("{mine}[http]\nconnections = 3\n"),
        );
        terminal.sees("[http] takes effect at the next start");
        // A theme of one's own, and then that theme alone.
        home.write("config/themes/night.toml", "text = \"blue\"\n");
        home.write("config/config.toml", "theme = \"night\"\n");
        let blue = |screen: &vt100::Screen| {
            let cell = screen.cell(1, 3);
            cell.is_some_and(|cell| cell.fgcolor() == vt100::Color::Idx(4))
        };
        terminal.wait("blue text", blue);
        home.write("config/themes/night.toml", "text = \"red\"\n");
        terminal.wait("another colour", |screen| !blue(screen));
        terminal.keys("q");
        assert_eq!(terminal.end(), 0);
    }

    #[test]
    fn lines_are_remembered_from_one_session_to_the_next_and_nobody_is_welcomed_twice() {
        let home = Home::new();
        home.write("config/feeds.toml", "");
        let mut terminal = Terminal::start(&home, &[], SIZE);
        terminal.sees("Welcome. You have no feeds yet");
        terminal.keys(":sort title\r");
        terminal.keys(":q\r");
        assert_eq!(terminal.end(), 0);
        let mut terminal = Terminal::start(&home, &[], SIZE);
        terminal.sees("You have no feeds.");
        terminal.keys(":\x1b[A\x1b[A");
        terminal.sees(":sort title");
        terminal.keys("\x03");
        terminal.sees_no(":sort title");
        terminal.keys("q");
        assert_eq!(terminal.end(), 0);
    }
}
