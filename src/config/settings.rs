//! `config.toml` into `Settings`: one row a key, with its range.

use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use toml_edit::{Item, TableLike};

use super::error::ConfigError;
use super::reader::{Given, Key, Page, Section, anything, closest, place, read_table, span_text};
use crate::model::{HttpSettings, Hyperlinks, PollSettings, Settings, ThemeChoice, UiSettings};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);
const WEEK: Duration = Duration::from_secs(7 * 86_400);

/// What an interval of polling may be.
const INTERVAL: RangeInclusive<Duration> = MINUTE..=WEEK;
/// What a time-out may be.
const TIMEOUT: RangeInclusive<Duration> = SECOND..=Duration::from_secs(600);

/// `[poll]`.
const POLL: &[Key<PollSettings>] = &[
    Key::new("base", |s, v| set(&mut s.base, v.duration(INTERVAL))),
    Key::new("min", |s, v| set(&mut s.min, v.duration(INTERVAL))),
    Key::new("active_max", |s, v| {
        set(&mut s.active_max, v.duration(INTERVAL))
    }),
    Key::new("max", |s, v| set(&mut s.max, v.duration(INTERVAL))),
    Key::new("jitter_percent", |s, v| {
        set(&mut s.jitter_percent, v.count(0..=50))
    }),
    Key::new("jitter_max", |s, v| {
        set(&mut s.jitter_max, v.duration(Duration::ZERO..=DAY))
    }),
    Key::new("hint_max", |s, v| {
        set(&mut s.hint_max, v.duration(Duration::ZERO..=WEEK))
    }),
    Key::new("error_first", |s, v| {
        set(&mut s.error_first, v.duration(INTERVAL))
    }),
    Key::new("error_max", |s, v| {
        set(&mut s.error_max, v.duration(INTERVAL))
    }),
    Key::new("hold_first", |s, v| {
        set(&mut s.hold_first, v.duration(INTERVAL))
    }),
    Key::new("hold_max", |s, v| {
        set(&mut s.hold_max, v.duration(INTERVAL))
    }),
    Key::new("hold_min", |s, v| {
        set(&mut s.hold_min, v.duration(INTERVAL))
    }),
    Key::new("retry_after_max", |s, v| {
        set(&mut s.retry_after_max, v.duration(HOUR..=WEEK * 8))
    }),
    Key::new("debounce", |s, v| {
        set(&mut s.debounce, v.duration(Duration::ZERO..=HOUR))
    }),
    Key::new("byte_budget", |s, v| {
        set(&mut s.byte_budget, v.size(1024..=1 << 40))
    }),
    Key::new("move_after", |s, v| {
        set(&mut s.move_after, v.count(2..=1_000))
    }),
    Key::new("move_min_age", |s, v| {
        set(&mut s.move_min_age, v.duration(Duration::ZERO..=DAY * 365))
    }),
    Key::new("useless_after", |s, v| {
        set(&mut s.useless_after, v.count(2..=1_000))
    }),
    Key::new("retry_validators_after", |s, v| {
        set(&mut s.retry_validators_after, v.count(1..=1_000))
    }),
    Key::new("lock_wait", |s, v| {
        set(&mut s.lock_wait, v.duration(Duration::ZERO..=HOUR))
    }),
];

/// `[http]`.
const HTTP: &[Key<HttpSettings>] = &[
    Key::new("host_gap", |s, v| {
        set(&mut s.host_gap, v.duration(Duration::ZERO..=MINUTE * 10))
    }),
    Key::new("connections", |s, v| {
        set(&mut s.connections, v.count(1..=512).map(|n| n as usize))
    }),
    Key::new("host_budget", |s, v| {
        set(&mut s.host_budget, v.count(0..=1_000_000))
    }),
    Key::new("respect_crawl_delay", |s, v| {
        set(&mut s.respect_crawl_delay, v.flag())
    }),
    Key::new("max_body", |s, v| {
        set(&mut s.max_body, v.size(64 << 10..=1 << 30))
    }),
    Key::new("connect_timeout", |s, v| {
        set(&mut s.connect_timeout, v.duration(TIMEOUT))
    }),
    Key::new("first_byte_timeout", |s, v| {
        set(&mut s.first_byte_timeout, v.duration(TIMEOUT))
    }),
    Key::new("read_timeout", |s, v| {
        set(&mut s.read_timeout, v.duration(TIMEOUT))
    }),
    Key::new("total_timeout", |s, v| {
        set(&mut s.total_timeout, v.duration(SECOND..=HOUR))
    }),
    Key::new("ca_file", |s, v| set(&mut s.ca_file, v.path().map(Some))),
    Key::new("contact", |s, v| set(&mut s.contact, contact(v).map(Some))),
    Key::new("proxy", |s, v| set(&mut s.proxy, proxy(v).map(Some))),
];

/// Outside of any table. Tables stand here with their names; they are read apart.
const TOP: &[Key<UiSettings>] = &[
    Key::new("theme", |s, v| set(&mut s.theme, theme(v))),
    Key::new("mouse", |s, v| set(&mut s.mouse, v.flag())),
    Key::new("measure", |s, v| {
        set(&mut s.measure, v.count(20..=1_000).map(|n| n as u16))
    }),
    Key::new("browser", |s, v| set(&mut s.browser, command(v))),
    Key::new("player", |s, v| set(&mut s.player, command(v))),
    Key::new("player_terminal", |s, v| {
        set(&mut s.player_terminal, v.flag())
    }),
    Key::new("editor", |s, v| set(&mut s.editor, command(v))),
    Key::new("hyperlinks", |s, v| set(&mut s.hyperlinks, hyperlinks(v))),
    Key::new("keys", anything),
    Key::new("poll", anything),
    Key::new("http", anything),
    Key::later("rules", anything),
    Key::later("push", anything),
];

/// Reads `config.toml`. `file` is for the sentences only. Warnings are whole sentences.
pub fn settings(text: &str, file: &Path) -> Result<(Settings, Vec<String>), ConfigError> {
    let page = Page { text, file };
    let document = page.parse()?;
    let root = document.as_table();
    let mut settings = Settings::default();
    let mut warnings = Vec::new();
    read_table(
        &page,
        Section(""),
        root,
        TOP,
        &mut settings.ui,
        |wrong| nearest("", wrong),
        &mut warnings,
    )?;
    if let Some(table) = section(&page, root, "poll")? {
        read_table(
            &page,
            Section("poll"),
            table,
            POLL,
            &mut settings.poll,
            |wrong| nearest("poll", wrong),
            &mut warnings,
        )?;
    }
    if let Some(table) = section(&page, root, "http")? {
        read_table(
            &page,
            Section("http"),
            table,
            HTTP,
            &mut settings.http,
            |wrong| nearest("http", wrong),
            &mut warnings,
        )?;
    }
    if let Some(table) = section(&page, root, "keys")? {
        settings.ui.keys = super::keys::read(&page, table)?;
    }
    check_order(&page, root, &settings)?;
    Ok((settings, warnings))
}

/// The line of a key in its table (`""`: outside of any), from 1, for mistakes that only another room can see, such as a
/// theme that is not there; 0 when it is not there.
pub fn line_of(text: &str, section: &str, key: &str) -> usize {
    let page = Page {
        text,
        file: Path::new(""),
    };
    let Ok(document) = page.parse() else {
        return 0;
    };
    let table = match section {
        "" => Some(document.as_table() as &dyn TableLike),
        section => document.get(section).and_then(Item::as_table_like),
    };
    let found = table.and_then(|table| Some(place(table, key, table.get(key)?)));
    found.map_or(0, |at| page.line(at))
}

fn set<V>(into: &mut V, value: Result<V, String>) -> Result<(), String> {
    *into = value?;
    Ok(())
}

/// The table `name`, or an error where something else stands there.
fn section<'a>(
    page: &Page<'_>,
    root: &'a toml_edit::Table,
    name: &'static str,
) -> Result<Option<&'a dyn TableLike>, ConfigError> {
    let Some(item) = root.get(name) else {
        return Ok(None);
    };
    item.as_table_like().map(Some).ok_or_else(|| {
        page.error(
            place(root, name, item),
            name.to_owned(),
            format!("{name} must be a table; begin it with a line [{name}]"),
        )
    })
}

/// Every valid key with its table.
fn all_keys() -> impl Iterator<Item = (&'static str, &'static str)> {
    let top = TOP.iter().map(|key| ("", key.name));
    let poll = POLL.iter().map(|key| ("poll", key.name));
    let http = HTTP.iter().map(|key| ("http", key.name));
    top.chain(poll).chain(http)
}

/// The valid key that an unknown one most likely means: the same name in another table, else the most alike, its own table
/// preferred.
fn nearest(section: &str, wrong: &str) -> Option<String> {
    let show = |section: &str, name: &str| match (section, name) {
        ("", "poll" | "http" | "keys") => format!("[{name}]"),
        ("", name) => name.to_owned(),
        (section, name) => format!("{name} in [{section}]"),
    };
    if let Some((home, name)) = all_keys().find(|(_, name)| *name == wrong) {
        return Some(show(home, name));
    }
    let own = closest(
        wrong,
        all_keys()
            .filter(|(s, _)| *s == section)
            .map(|(_, name)| name),
    );
    let other = all_keys()
        .filter_map(|(s, name)| {
            closest(wrong, std::iter::once(name)).map(|(score, _)| (score, s, name))
        })
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match (own, other) {
        // Another table must look much better than the one the user was in.
        (Some((own, _)), Some((score, home, name))) if score > own + 0.1 => Some(show(home, name)),
        (Some((_, name)), _) => Some(show(section, name)),
        (None, other) => other.map(|(_, home, name)| show(home, name)),
    }
}

/// Bounds that must not cross.
fn check_order(
    page: &Page<'_>,
    root: &toml_edit::Table,
    settings: &Settings,
) -> Result<(), ConfigError> {
    let poll = &settings.poll;
    let http = &settings.http;
    let pairs = [
        ("poll", "min", poll.min, "active_max", poll.active_max),
        ("poll", "active_max", poll.active_max, "max", poll.max),
        ("poll", "base", poll.base, "max", poll.max),
        (
            "poll",
            "error_first",
            poll.error_first,
            "error_max",
            poll.error_max,
        ),
        ("poll", "hold_min", poll.hold_min, "hold_max", poll.hold_max),
        (
            "poll",
            "hold_first",
            poll.hold_first,
            "hold_max",
            poll.hold_max,
        ),
        (
            "http",
            "connect_timeout",
            http.connect_timeout,
            "total_timeout",
            http.total_timeout,
        ),
    ];
    for (table, small, least, large, most) in pairs {
        if least > most {
            let at = [large, small]
                .iter()
                .find_map(|name| {
                    let table = root.get(table)?.as_table_like()?;
                    Some(place(table, name, table.get(name)?))
                })
                .unwrap_or(0);
            let message = format!(
                "[{table}] {small} ({}) is longer than {large} ({}); set both so that {small} is the shorter one",
                span_text(least),
                span_text(most)
            );
            return Err(page.error(at, Section(table).key(small), message));
        }
    }
    Ok(())
}

fn theme(given: Given<'_>) -> Result<ThemeChoice, String> {
    let name = given.text()?;
    if name.contains(['/', '\\']) || name.starts_with('.') {
        return given
            .wrong("must be the name of a theme, such as \"dark\", without a path or an ending");
    }
    Ok(ThemeChoice(name))
}

fn hyperlinks(given: Given<'_>) -> Result<Hyperlinks, String> {
    match given.text()?.as_str() {
        "auto" => Ok(Hyperlinks::Auto),
        "always" => Ok(Hyperlinks::Always),
        "never" => Ok(Hyperlinks::Never),
        _ => given.wrong("must be \"auto\", \"always\" or \"never\""),
    }
}

/// A program with its arguments: a list, or one text cut at blanks.
fn command(given: Given<'_>) -> Result<Vec<String>, String> {
    if given.0.as_str().is_some() {
        return Ok(given
            .text()?
            .split_whitespace()
            .map(str::to_owned)
            .collect());
    }
    given.list()
}

fn contact(given: Given<'_>) -> Result<String, String> {
    let contact = given.text()?;
    let known = ["https://", "http://", "mailto:"]
        .iter()
        .any(|scheme| contact.starts_with(scheme) && contact.len() > scheme.len());
    let clean = contact
        .bytes()
        .all(|b| b.is_ascii_graphic() && !b"()\\;".contains(&b));
    if known && clean {
        Ok(contact)
    } else {
        given.wrong("must begin with https:// or mailto: and hold no blanks or brackets")
    }
}

fn proxy(given: Given<'_>) -> Result<String, String> {
    let proxy = given.text()?;
    if proxy == "none" {
        return Ok(proxy);
    }
    let known = url::Url::parse(&proxy).is_ok_and(|url| {
        ["http", "https", "socks4", "socks4a", "socks5", "socks5h"].contains(&url.scheme())
            && url.has_host()
    });
    if known {
        Ok(proxy)
    } else {
        // The value may hold a password: it is not shown.
        Err("must be \"none\" or a URL such as \"http://localhost:3128\" or \"socks5h://localhost:1080\"".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SAMPLE_CONFIG;

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
        for (section, name, landed) in TOP
            .iter()
            .map(|key| ("", key.name, key.landed))
            .chain(POLL.iter().map(|key| ("poll", key.name, key.landed)))
            .chain(HTTP.iter().map(|key| ("http", key.name, key.landed)))
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
        let (_, warnings) =
            read("[push]\nlisten = 10\n[[rules]]\nx = 1\n[[rules]]\nx = 2\n").expect("valid");
        assert_eq!(
            warnings,
            [
                "/c/config.toml:1: push is accepted, but has no effect yet",
                "/c/config.toml:3: rules is accepted, but has no effect yet",
            ]
        );
    }
}
