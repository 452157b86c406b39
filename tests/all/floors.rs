//! The house keeps its floors: which room may name which, and the one room of each foreign crate.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A room, and the rooms it may name besides itself.
const ROOMS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("article", &["model"]),
    ("query", &["model"]),
    ("poll", &["model"]),
    ("push", &["model"]),
    ("parse", &["model", "article"]),
    // Queries in config.toml are read where they stand: a slip is named with its line.
    ("config", &["model", "article", "parse", "query"]),
    // Another reader's files in this house's terms: its filters are queries, its config settings, its articles entries.
    (
        "newsboat",
        &["model", "article", "query", "parse", "config"],
    ),
    (
        "store",
        &[
            "model", "article", "query", "poll", "push", "parse", "config",
        ],
    ),
    ("fetch", &["model", "article", "poll", "config"]),
    // Commands of the user's and saved feeds: what they say is cleaned like a feed's text.
    ("source", &["model", "article"]),
    ("files", &["model", "article", "config", "parse"]),
    // Knows bytes of a file format, and nothing of feeds.
    ("sqlite", &[]),
    ("serve", &["model"]),
    ("callback", &[]),
    (
        "engine",
        &[
            "model", "article", "query", "poll", "push", "parse", "config", "store", "fetch",
            "source", "files", "callback",
        ],
    ),
    (
        "tui",
        &[
            "model", "article", "query", "poll", "parse", "config", "engine",
        ],
    ),
    (
        "headless",
        &[
            "model", "article", "query", "poll", "parse", "config", "engine",
        ],
    ),
    ("log", &["model"]),
    ("paths", &["model"]),
    ("cli", &["model"]),
    (
        "commands",
        &[
            "model", "article", "query", "poll", "parse", "config", "engine", "files", "serve",
            "cli", "headless", "tui", "paths", "newsboat", "sqlite",
        ],
    ),
];

/// A foreign crate, and the only rooms that may name it.
const CRATES: &[(&str, &[&str])] = &[
    ("redb", &["store"]),
    ("zstd", &["store"]),
    ("postcard", &["store"]),
    ("reqwest", &["fetch"]),
    ("async_compression", &["fetch"]),
    // `fetch` reads the errors of hyper that reqwest hands through.
    ("hyper", &["fetch", "serve", "callback"]),
    ("rustls", &["fetch"]),
    // Chance that nobody can guess is drawn by the engine, and is an argument in `push`.
    ("ring", &["push", "engine"]),
    ("rustls_platform_verifier", &["fetch"]),
    ("feed_rs", &["parse"]),
    ("quick_xml", &["parse"]),
    ("encoding_rs", &["parse"]),
    ("scraper", &["article", "parse"]),
    ("dom_smoothie", &["article"]),
    ("similar", &["article"]),
    ("shlex", &["tui"]),
    ("ratatui", &["tui"]),
    ("crossterm", &["tui"]),
    ("tui_input", &["tui"]),
    ("nucleo_matcher", &["tui"]),
    ("regex", &["query"]),
    ("directories", &["paths"]),
    ("toml_edit", &["config"]),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("indicatif", &["headless"]),
    ("tracing_subscriber", &["log"]),
];

fn sources(dir: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("src can be read").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

/// The code of every room, comments removed. `lib.rs` and `main.rs` are the roof and belong to none.
fn rooms() -> BTreeMap<String, String> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut rooms = BTreeMap::<String, String>::new();
    for file in files {
        let inside = file.strip_prefix(&src).expect("below src");
        let first = inside.iter().next().expect("a name").to_string_lossy();
        let room = first.trim_end_matches(".rs").to_owned();
        if room == "lib" || room == "main" {
            continue;
        }
        let text = fs::read_to_string(&file).expect("source is text");
        let code = rooms.entry(room).or_default();
        for line in text.lines() {
            code.push_str(line.split("//").next().unwrap_or(""));
            code.push('\n');
        }
    }
    rooms
}

/// The names that follow `crate::` in `code`, groups included.
fn named_rooms(code: &str) -> Vec<String> {
    let mut named = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':' || c == '$') {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 1;
            let mut word = String::new();
            let mut fresh = true;
            for c in group.chars() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                if depth == 1 && (c.is_alphanumeric() || c == '_') && fresh {
                    word.push(c);
                } else if depth <= 1 {
                    if !word.is_empty() {
                        named.push(std::mem::take(&mut word));
                    }
                    fresh = c == ',' || (fresh && c.is_whitespace());
                }
                if depth == 0 {
                    break;
                }
            }
        } else {
            let word: String = rest
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            named.push(word);
        }
    }
    named
}

fn names_crate(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = &code[at + name.len()..];
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':' || c == '"')
            && after.starts_with("::")
    })
}

#[test]
fn every_room_names_only_rooms_below_it() {
    let mut wrong = Vec::new();
    for (room, code) in rooms() {
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            wrong.push(format!("{room} stands on no floor"));
            continue;
        };
        for named in named_rooms(&code) {
            if named != room && !allowed.contains(&named.as_str()) {
                wrong.push(format!("{room} names {named}"));
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_foreign_crate_has_its_room() {
    let mut wrong = Vec::new();
    for (room, code) in rooms() {
        for (name, homes) in CRATES {
            if names_crate(&code, name) && !homes.contains(&room.as_str()) {
                wrong.push(format!("{room} names {name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_reader_of_imports_sees_what_is_named() {
    assert_eq!(named_rooms("use crate::store::Store;"), ["store"]);
    assert_eq!(
        named_rooms("use crate::{model::{A, B}, poll, parse::change as c};"),
        ["model", "poll", "parse"]
    );
    assert_eq!(
        named_rooms("pub(crate) fn x() { crate::fetch::get() }"),
        ["fetch"]
    );
    assert!(names_crate("redb::Database", "redb"));
    assert!(!names_crate("my_redb::Database", "redb"));
}

/// The numbers that a test's name begins with: `r57_r58_a_location…` is of 57 and 58.
fn rules_of(name: &str) -> Vec<u32> {
    let mut words = name.split('_');
    let number = |word: &str| word.strip_prefix('r')?.parse().ok();
    std::iter::from_fn(|| words.next().and_then(number)).collect()
}

#[test]
fn every_rule_of_polling_stands_in_the_name_of_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    sources(&root.join("tests/all"), &mut files);
    let mut found = std::collections::BTreeSet::new();
    for file in files {
        let text = fs::read_to_string(file).expect("source is text");
        let tests = text.lines().filter_map(|line| {
            let line = line.trim_start();
            line.strip_prefix("async fn ")
                .or_else(|| line.strip_prefix("fn "))
        });
        found.extend(tests.flat_map(rules_of));
    }
    for script in fs::read_dir(root.join("tests/polls"))
        .expect("scenarios")
        .flatten()
    {
        found.extend(rules_of(&script.file_name().to_string_lossy()));
    }
    // Parameters of deltas and WebSub (R77 to R79) come later.
    let wanted = (1..=82).filter(|rule| !(77..=79).contains(rule));
    let missing: Vec<u32> = wanted.filter(|rule| !found.contains(rule)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
