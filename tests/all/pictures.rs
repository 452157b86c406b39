//! The pictures of the README: the demo on a real screen, drawn as SVG. They are made anew by
//! `cargo test --test all pictures -- --ignored`, and checked in.
#![cfg(unix)]

mod svg;

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::process::Home;
use crate::support::terminal::Terminal;

const SIZE: (u16, u16) = (104, 30);
/// Each by its name, with what is typed once the feeds are there, and what the screen shows then.
const PICTURES: [(&str, &[(&str, &str)]); 3] = [
    ("list", &[("jj", "58 unread")]),
    (
        "article",
        &[("/title:304\r", "Two hashes"), ("\r", "http://127.0.0.1")],
    ),
    ("status", &[("s", "hosts  log"), ("R", "before their time")]),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/pictures")
}

#[test]
#[ignore = "makes the pictures anew"]
fn they_are_made_from_the_demo() {
    fs::create_dir_all(folder()).expect("made");
    for (name, steps) in PICTURES {
        let home = Home::new();
        let words = [env!("CARGO_BIN_EXE_tidings"), "demo"];
        let mut terminal = Terminal::start_with(&home, &words, SIZE, &[("COLORTERM", "truecolor")]);
        terminal.sees("Une carte de Marseille");
        terminal.sees("The evening edition");
        for (keys, then) in steps {
            terminal.after(keys, then);
        }
        let picture = terminal.with_screen(|screen| svg::draw(screen, name));
        fs::write(folder().join(name).with_extension("svg"), picture).expect("written");
    }
}

#[test]
fn the_readme_shows_those_that_are_there() {
    let readme = include_str!("../../README.md");
    for (name, _) in PICTURES {
        let path = format!("assets/pictures/{name}.svg");
        assert!(readme.contains(&path), "{path} is not shown");
        let picture = fs::read_to_string(folder().join(name).with_extension("svg"));
        let picture = picture.unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
        assert!(!picture.contains("<script"), "{path} runs something");
    }
}
