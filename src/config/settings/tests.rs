//! What `config.toml` may hold, and what is said of a slip.

use super::*;
use crate::config::SAMPLE_CONFIG;
use crate::model::{Group, HttpSettings, Hyperlinks, PollSettings, ThemeChoice, UiSettings};

fn read(text: &str) -> Result<(Settings, Vec<String>), ConfigError> {
    settings(text, Path::new("/c/config.toml"))
}

fn sentence(text: &str) -> String {
    match read(text) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn an_empty_file_gives_the_defaults() {
    assert_eq!(read(""), Ok((Settings::default(), Vec::new())));
}

#[test]
fn the_sample_is_the_defaults() {
    assert_eq!(
        read(SAMPLE_CONFIG).map(|(settings, _)| settings),
        Ok(Settings::default())
    );
}

/// Values that have no default that can be written stand in the sample as comments: `# proxy = "none"`.
fn sample_uncommented() -> String {
    SAMPLE_CONFIG
        .lines()
        .map(|line| line.strip_prefix("#= ").unwrap_or(line))
        .fold(String::new(), |text, line| text + line + "\n")
}

#[test]
fn the_sample_holds_every_key_whose_feature_exists_and_no_other() {
    let text = sample_uncommented();
    let (_, warnings) = read(&text).expect("the sample is valid with its examples");
    assert_eq!(warnings, Vec::<String>::new());
    let document = toml_edit::Document::parse(text.as_str()).expect("valid");
    for (section, name, landed) in top::KEYS
        .iter()
        .map(|key| ("", key.name, key.landed))
        .chain(poll::KEYS.iter().map(|key| ("poll", key.name, key.landed)))
        .chain(http::KEYS.iter().map(|key| ("http", key.name, key.landed)))
        .chain(keep::names().map(|name| ("keep", name, true)))
    {
        let table = match section {
            "" => Some(document.as_table()),
            section => document.as_table().get(section).and_then(Item::as_table),
        };
        assert_eq!(
            table.is_some_and(|t| t.contains_key(name)),
            landed,
            "[{section}] {name}"
        );
    }
}

#[test]
fn every_key_is_read() {
    let (given, warnings) = read(
        r#"
        theme = "light"
        mouse = false
        measure = 66
        browser = "firefox --new-tab"
        keys.next-unread = ["n", "^n"]
        keys.quit = "Q"
        [poll]
        base = "2h"
        min = "45m"
        active_max = "4h"
        max = "2d"
        jitter_percent = 5
        jitter_max = "10m"
        hint_max = "12h"
        error_first = "1h"
        error_max = "2d"
        hold_first = "2h"
        hold_max = "2d"
        hold_min = "1h"
        retry_after_max = "14d"
        debounce = "5s"
        move_after = 7
        move_min_age = "1d"
        byte_budget = "2MiB"
        useless_after = 20
        retry_validators_after = 5
        lock_wait = "10s"
        [http]
        host_gap = "500ms"
        connections = 8
        max_body = "4MiB"
        connect_timeout = "5s"
        first_byte_timeout = "6s"
        read_timeout = "7s"
        total_timeout = "2m"
        ca_file = "ca.pem"
        contact = "mailto:me@example.org"
        proxy = "socks5h://localhost:1080"
        "#,
    )
    .expect("valid");
    assert_eq!(warnings, Vec::<String>::new());
    let minutes = |n: u32| MINUTE * n;
    let poll = PollSettings {
        base: HOUR * 2,
        min: minutes(45),
        active_max: HOUR * 4,
        max: DAY * 2,
        jitter_percent: 5,
        jitter_max: minutes(10),
        hint_max: HOUR * 12,
        error_first: HOUR,
        error_max: DAY * 2,
        hold_first: HOUR * 2,
        hold_max: DAY * 2,
        hold_min: HOUR,
        retry_after_max: DAY * 14,
        debounce: SECOND * 5,
        move_after: 7,
        move_min_age: DAY,
        byte_budget: 2 << 20,
        useless_after: 20,
        retry_validators_after: 5,
        lock_wait: SECOND * 10,
    };
    assert_eq!(given.poll, poll);
    let http = HttpSettings {
        host_gap: Duration::from_millis(500),
        connections: 8,
        max_body: 4 << 20,
        connect_timeout: SECOND * 5,
        first_byte_timeout: SECOND * 6,
        read_timeout: SECOND * 7,
        total_timeout: minutes(2),
        ca_file: Some("ca.pem".into()),
        contact: Some("mailto:me@example.org".to_owned()),
        proxy: Some("socks5h://localhost:1080".to_owned()),
        ..HttpSettings::default()
    };
    assert_eq!(given.http, http);
    let texts = |list: &[&str]| list.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
    let ui = UiSettings {
        theme: ThemeChoice("light".to_owned()),
        mouse: false,
        measure: 66,
        browser: texts(&["firefox", "--new-tab"]),
        keys: vec![
            ("next-unread".to_owned(), texts(&["n", "^n"])),
            ("quit".to_owned(), texts(&["Q"])),
        ],
        ..UiSettings::default()
    };
    assert_eq!(given.ui, ui);
}

#[test]
fn the_programs_of_the_user_are_words_or_a_line_of_them() {
    let (given, _) = read(
        "player = [\"mpv\", \"--no-video\"]\nplayer_terminal = true\neditor = \"vim -R\"\nhyperlinks = \"never\"\n",
    )
    .expect("valid");
    assert_eq!(given.ui.player, ["mpv", "--no-video"]);
    assert!(given.ui.player_terminal);
    assert_eq!(given.ui.editor, ["vim", "-R"]);
    assert_eq!(given.ui.hyperlinks, Hyperlinks::Never);
    assert_eq!(
        sentence("hyperlinks = true"),
        "/c/config.toml:1: hyperlinks = true must be text in quotes"
    );
}

#[test]
fn stories_are_folded_where_it_is_wanted() {
    let (given, _) = read("fold_twins = true\n").expect("valid");
    assert!(given.ui.fold_twins && !UiSettings::default().fold_twins);
}

#[test]
fn whoever_is_told_of_new_entries_is_a_program_and_tags() {
    let (given, _) =
        read("notifier = \"say -v Anna {title}\"\nnotify_tags = [\"news\"]\n").expect("valid");
    assert_eq!(given.ui.notifier, ["say", "-v", "Anna", "{title}"]);
    assert_eq!(given.ui.notify_tags, ["news"]);
}

#[test]
fn lists_are_parted_by_days_or_by_nothing() {
    let (given, _) = read("group = \"day\"\n").expect("valid");
    assert_eq!(given.ui.group, Group::Day);
    assert_eq!(UiSettings::default().group, Group::None);
    assert_eq!(
        sentence("group = \"week\""),
        "/c/config.toml:1: group = \"week\" must be \"none\" or \"day\""
    );
}

#[test]
fn what_is_wrong_is_said_with_file_line_key_and_the_nearest_valid_key() {
    for (text, expected) in [
        (
            "[http]\nhost_gab = \"1s\"",
            "/c/config.toml:2: unknown key \"host_gab\" in [http]; the nearest valid key is host_gap in [http]",
        ),
        (
            "host_gap = \"1s\"",
            "/c/config.toml:1: unknown key \"host_gap\"; the nearest valid key is host_gap in [http]",
        ),
        (
            "[poll]\nhost-gap = \"1s\"",
            "/c/config.toml:2: unknown key \"host-gap\" in [poll]; the nearest valid key is host_gap in [http]",
        ),
        (
            "\n[htpp]\nx = 1",
            "/c/config.toml:2: unknown key \"htpp\"; the nearest valid key is [http]",
        ),
        (
            "tehme = \"dark\"",
            "/c/config.toml:1: unknown key \"tehme\"; the nearest valid key is theme",
        ),
        (
            "[poll]\nbase = 60",
            "/c/config.toml:2: [poll] base = 60 is not a duration; write it like \"90s\", \"30m\", \"6h\" or \"7d\"",
        ),
        (
            "[poll]\nbase = \"1 moon\"",
            "/c/config.toml:2: [poll] base = \"1 moon\" is not a duration; write it like \"90s\", \"30m\", \"6h\" or \"7d\"",
        ),
        (
            "[poll]\nbase = \"8d\"",
            "/c/config.toml:2: [poll] base = \"8d\" is out of range; it must be between 1m and 7d",
        ),
        (
            "[poll]\nmax = \"4h\"",
            "/c/config.toml:2: [poll] active_max (6h) is longer than max (4h); set both so that active_max is the shorter one",
        ),
        (
            "[http]\nmax_body = 16",
            "/c/config.toml:2: [http] max_body = 16 is not a size; write it like \"512KiB\" or \"16MiB\"",
        ),
        (
            "[http]\nmax_body = \"16\"",
            "/c/config.toml:2: [http] max_body = \"16\" is out of range; it must be between 64KiB and 1GiB",
        ),
        (
            "[http]\nconnections = \"8\"",
            "/c/config.toml:2: [http] connections = \"8\" is not a whole number without quotes",
        ),
        (
            "[http]\nconnections = 0",
            "/c/config.toml:2: [http] connections = 0 is out of range; it must be between 1 and 512",
        ),
        (
            "[http]\ncontact = \"me\"",
            "/c/config.toml:2: [http] contact = \"me\" must begin with https:// or mailto: and hold no blanks or brackets",
        ),
        (
            "mouse = \"yes\"",
            "/c/config.toml:1: mouse = \"yes\" must be true or false, without quotes",
        ),
        (
            "http = 1",
            "/c/config.toml:1: http must be a table; begin it with a line [http]",
        ),
        (
            "theme = \"../dark\"",
            "/c/config.toml:1: theme = \"../dark\" must be the name of a theme, such as \"dark\", without a path or an ending",
        ),
        (
            "[keys]\nquit = 1",
            "/c/config.toml:2: [keys] quit = 1 must be a list of texts, like [\"a\", \"b\"]",
        ),
        (
            "theme = \"a\"\ntheme = \"b\"",
            "/c/config.toml:2: this is not valid TOML: duplicate key at \"theme\"",
        ),
        (
            "theme = dark",
            "/c/config.toml:1: this is not valid TOML: string values must be quoted, expected literal string at \"dark\"",
        ),
        (
            "\"\\u001b[31m\" = 1",
            "/c/config.toml:1: unknown key \"[31m\"; the nearest valid key is theme",
        ),
        (
            "[http]\nproxy = \"ftp://u:secret@h\"",
            "/c/config.toml:2: [http] proxy must be \"none\" or a URL such as \"http://localhost:3128\" or \"socks5h://localhost:1080\"",
        ),
    ] {
        assert_eq!(sentence(text), expected);
    }
}

#[test]
fn what_is_wrong_in_keys_is_said_before_the_reader_is_opened() {
    for (text, expected) in [
        (
            "[keys]\nquit = \"q\"\nmark_al_read = \"C\"",
            "/c/config.toml:3: unknown key \"mark_al_read\" in [keys]; the nearest valid key is mark-all-read",
        ),
        (
            "[keys]\nquit = [\n  \"q\",\n  \"Entr\",\n]",
            "/c/config.toml:4: [keys] quit = \"Entr\" is no key; write one character, or a name such as Enter, Space or F5, with ^ or A- before it; the nearest valid key is Enter",
        ),
        (
            "[keys]\nquit = \"ctrl-x\"",
            "/c/config.toml:2: [keys] quit = \"ctrl-x\" is no key; write one character, or a name such as Enter, Space or F5, with ^ or A- before it",
        ),
    ] {
        assert_eq!(sentence(text), expected);
    }
}

#[test]
fn the_line_of_a_key_is_found_for_those_who_check_more() {
    let text = "# mine\n[keys]\nquit = \"q\"\n\"a b\" = [\n]\n";
    assert_eq!(line_of(text, "keys", "quit"), 3);
    assert_eq!(line_of(text, "keys", "a b"), 4);
    assert_eq!(line_of(text, "keys", "x"), 0);
    assert_eq!(line_of("mouse = true\ntheme = \"x\"", "", "theme"), 2);
    assert_eq!(line_of("[", "keys", "x"), 0);
}

#[test]
fn a_key_whose_feature_is_to_come_is_accepted_with_one_warning() {
    let (_, warnings) = read("images = true\n").expect("valid");
    assert_eq!(
        warnings,
        ["/c/config.toml:1: images is accepted, but has no effect yet",]
    );
}

#[test]
fn hubs_need_an_address_to_reach_and_one_to_listen_at() {
    let (given, _) =
        read("[push]\ncallback = \"https://me.example/push?k=1\"\nlisten = \"127.0.0.1:8930\"\n")
            .expect("valid");
    let push = given.push.expect("set up");
    assert_eq!(push.callback, "https://me.example/push?k=1");
    assert_eq!(push.listen.port(), 8930);
    assert_eq!(read("[push]\n").expect("valid").0.push, None);
    for (text, expected) in [
        (
            "[push]\ncallback = \"https://me.example\"",
            "/c/config.toml:1: listen is missing: the address where tidings waits for hubs, such as listen = \"127.0.0.1:8930\"",
        ),
        (
            "[push]\nlisten = \"[::1]:80\"",
            "/c/config.toml:1: callback is missing: the address that hubs are told, such as callback = \"https://me.example/push\"",
        ),
        (
            "[push]\ncallback = \"http://me.example\"\nlisten = \"[::1]:80\"",
            "/c/config.toml:2: [push] callback = \"http://me.example\" must be the https:// address that hubs reach, without a login, such as \"https://me.example/push\"",
        ),
        (
            "[push]\ncallback = \"http://localhost/x\"\nlisten = \"8930\"",
            "/c/config.toml:3: [push] listen = \"8930\" must be an address of this machine and a port, such as \"127.0.0.1:8930\"",
        ),
    ] {
        assert_eq!(read(text).expect_err(text).to_string(), expected);
    }
}

#[test]
fn keys_that_belong_together_are_read_and_their_conflicts_name_both() {
    let (given, _) = read("[keys]\nfirst = \"g g\"\nrefresh = [\", r\", \"r\"]\n").expect("valid");
    assert_eq!(given.ui.keys[1].1, [", r", "r"]);
    for (text, expected) in [
        (
            "[keys]\nstar = \"g s\"",
            "/c/config.toml:2: the key \"g\" of first is the beginning of \"g s\" of star, which could never be typed; give one of them another",
        ),
        (
            "[keys]\nfirst = \"g g\"\nstar = [\"g\"]",
            "/c/config.toml:3: the key \"g\" of star is the beginning of \"g g\" of first, which could never be typed; give one of them another",
        ),
        (
            "[keys]\nstar = \"m\"\nbrowser = \"m\"",
            "/c/config.toml:3: the key \"m\" is given to star and to browser; give one of them another",
        ),
        (
            "[keys]\nstar = \"gg\"",
            "/c/config.toml:2: [keys] star = \"gg\" is no key; write one character, or a name such as Enter, Space or F5, with ^ or A- before it; the nearest valid key is g g",
        ),
        (
            "[[macro]]\nname = \"on\"\nkey = \"Q\"\ndo = [\"down\"]\n[[command]]\nkey = \"Q x\"\nrun = [\"x\"]",
            "/c/config.toml:6: the key \"Q\" of the macro \"on\" is the beginning of \"Q x\" of the command \"x\", which could never be typed; give one of them another",
        ),
    ] {
        assert_eq!(sentence(text), expected);
    }
    // A key that is taken from a built-in action, and one in another place.
    assert!(read("[keys]\nstar = \"m\"\nfold = \"s\"").is_ok());
}

#[test]
fn macros_and_commands_are_read_and_their_slips_are_said() {
    use crate::model::{External, Handed, Macro, Step};
    let (given, _) = read(
        "[[macro]]\nkey = \"Q\"\nname = \"on\"\ndo = [\n  \"toggle-read\",\n  \":sort title\",\n]\n\
         [[command]]\nkey = [\"B\", \", b\"]\nrun = [\"p\", \"{url}\"]\nstdin = \"json\"\nterminal = true\n",
    )
    .expect("valid");
    let step = |text: &str, line| Step {
        text: text.to_owned(),
        line,
    };
    assert_eq!(
        given.ui.macros,
        [Macro {
            name: "on".to_owned(),
            keys: vec!["Q".to_owned()],
            steps: vec![step("toggle-read", 5), step(":sort title", 6)],
        }]
    );
    assert_eq!(
        given.ui.externals,
        [External {
            name: "p".to_owned(),
            keys: vec!["B".to_owned(), ", b".to_owned()],
            run: vec!["p".to_owned(), "{url}".to_owned()],
            stdin: Handed::Json,
            terminal: true,
        }]
    );
    for (text, expected) in [
        (
            "[[macro]]\nkeys = \"Q\"\ndo = [\"down\"]",
            "/c/config.toml:2: unknown key \"keys\" in [[macro]]; the nearest valid key is key",
        ),
        (
            "[[macro]]\nkey = \"Q\"",
            "/c/config.toml:1: this macro does nothing; add a line do = [\"toggle-read\", \"next-unread\"]",
        ),
        (
            "[[command]]\nkey = \"B\"",
            "/c/config.toml:1: this command runs nothing; add a line run = [\"program\", \"{url}\"]",
        ),
        (
            "[[command]]\nrun = \"p {url}\"",
            "/c/config.toml:2: [[command]] run = \"p {url}\" must be a list of the program and its arguments, like [\"program\", \"{url}\"]",
        ),
        (
            "[[command]]\nrun = [\"p\"]\nstdin = \"xml\"",
            "/c/config.toml:3: [[command]] stdin = \"xml\" is not one of \"none\", \"text\", \"html\", \"json\"",
        ),
        (
            "[[share]]\nname = \"x\"",
            "/c/config.toml:1: this [[share]] has no url; write name = \"Mail\" and url = \"mailto:?subject={title}&body={url}\"",
        ),
        (
            "[[share]]\nname = \"x\"\nurl = \"file:///{url}\"",
            "/c/config.toml:3: [[share]] url = \"file:///{url}\" must begin with https://, http:// or mailto:",
        ),
        (
            "[[share]]\nname = \"x\"\nurl = \"https://a.{title}/\"",
            "/c/config.toml:3: [[share]] url = \"https://a.{title}/\" must name where it leads before {url}",
        ),
        (
            "[[share]]\nname = \"x\"\nurl = \"https://a.org/\"",
            "/c/config.toml:3: [[share]] url = \"https://a.org/\" has no place for the entry; write {url} or {title} into it",
        ),
        (
            "[macro]\nkey = \"B\"",
            "/c/config.toml:1: macro must be a list of tables; begin each with a line [[macro]]",
        ),
    ] {
        assert_eq!(sentence(text), expected);
    }
}

#[test]
fn lists_and_rules_are_read_and_a_slip_is_named_with_its_column() {
    let (given, warnings) = read(
        "[[smart]]\nname = \"Long\"\nquery = \"tag:essays\"\n[[rule]]\nwhen = \"title:ad\"\ndo = \"hide\"\nuntil = 2026-12-31\n\
         [[rule]]\nwhen = \"a\"\ndo = [\"star\", \"run\"]\nrun = [\"x\"]\n",
    )
    .expect("valid");
    assert_eq!(warnings, Vec::<String>::new());
    assert_eq!(given.ui.smart.len(), 1);
    assert_eq!(given.rules.len(), 2);
    assert_eq!(given.rules[0].until, crate::query::day("2026-12-31"));
    for (text, expected) in [
        (
            "[[smart]]\nname = \"a\"\nquery = \"rust fed:x\"",
            "/c/config.toml:3: column 15: [smart] query: unknown prefix fed:, did you mean feed:? (quote the word to search for it as text)",
        ),
        (
            "[[smart]]\nname = \"a\"",
            "/c/config.toml:2: this [[smart]] has no query",
        ),
        (
            "smart = 1",
            "/c/config.toml:1: smart must be a list of tables; begin each with a line [[smart]]",
        ),
        (
            "[[smart]]\nname = \"a\"\nquery = \"b\"\n[[smart]]\nname = \"a\"\nquery = \"b\"",
            "/c/config.toml:5: [smart] name = \"a\" stands here twice; give this one another",
        ),
        (
            "[[smart]]\nnome = \"a\"",
            "/c/config.toml:2: unknown key \"nome\" in [smart]; the nearest valid key is name in [[smart]]",
        ),
        (
            "[[rule]]\nwhen = \"a (\"\ndo = \"read\"",
            "/c/config.toml:2: column 12: [rule] when: a term is missing here, e.g. title:rust",
        ),
        (
            "[[rule]]\nwhen = \"a\"\ndo = \"delete\"",
            "/c/config.toml:3: [rule] do does not know \"delete\"; it is one of read, hide, star, notify, run, tag: and a tag, or a list of them",
        ),
        (
            "[[rule]]\nwhen = \"a\"\ndo = \"run\"",
            "/c/config.toml:3: [rule] do = \"run\" needs the command beside it: run = [\"program\", \"argument\"]",
        ),
        (
            "[[rule]]\nwhen = \"a\"\ndo = \"read\"\nuntil = \"soon\"",
            "/c/config.toml:4: [rule] until = \"soon\" is no day; write it like \"2026-12-31\"",
        ),
        (
            "[[rules]]\nx = 1",
            "/c/config.toml:1: unknown key \"rules\"; the nearest valid key is [[rule]]",
        ),
    ] {
        assert_eq!(sentence(text), expected);
    }
}
