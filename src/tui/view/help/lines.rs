//! What the help says: made from the key table, the table of commands and the query language's own rows.

use super::super::super::columns;
use super::super::super::keys::{Binding, Place};
use super::super::super::model::{Help, Model, Screen, Topic};
use super::super::super::panes::Pane;
use super::super::super::update::{commands, is_about};
use crate::query;

/// Columns for the keys.
pub const KEYS: usize = 14;

/// Columns for the examples of the query language.
const EXAMPLES: usize = 22;

/// A line of the help.
#[derive(Debug)]
pub enum Line {
    /// Between groups.
    Blank,
    /// What stands above a group.
    Group(String),
    /// Left, right, and whether it holds where the help was called.
    Row(String, String, bool),
}

/// The keys of lines that are typed.
const TYPING: &[(&str, &str)] = &[
    ("Enter", "done"),
    ("Esc", "drop what was typed"),
    ("Tab S-Tab", "next completion, the one before"),
    ("Up Down", "lines typed before that begin so"),
    ("^w ^u ^k", "erase a word, the line, to the end"),
    ("^a ^e", "to the beginning, to the end"),
];

/// Lines under construction.
struct Page {
    lines: Vec<Line>,
    /// Columns for the left part, and for the right one.
    left: usize,
    room: usize,
    /// Words that a row must have, lower case.
    sought: Vec<String>,
    /// A heading that waits for its first row.
    group: Option<String>,
}

impl Page {
    fn new(left: usize, width: u16, sought: &str) -> Self {
        Self {
            lines: Vec::new(),
            left,
            room: usize::from(width).saturating_sub(left + 4).max(8),
            sought: sought
                .to_lowercase()
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
            group: None,
        }
    }

    fn group(&mut self, name: &str) {
        self.group = Some(name.to_owned());
    }

    /// `name` is searched too, and shown where something is searched for.
    fn row(&mut self, left: &str, right: &str, name: &str, here: bool) {
        let mut right = right.to_owned();
        if !self.sought.is_empty() {
            let all = format!("{left} {right} {name}").to_lowercase();
            if !self.sought.iter().all(|word| all.contains(word.as_str())) {
                return;
            }
            if !name.is_empty() {
                right = format!("{right} · :{name}");
            }
        }
        if let Some(group) = self.group.take() {
            if !self.lines.is_empty() {
                self.lines.push(Line::Blank);
            }
            self.lines.push(Line::Group(group));
        }
        let mut left = columns::cut(left, self.left).into_owned();
        for text in columns::fold(&right, self.room, 4) {
            self.lines
                .push(Line::Row(std::mem::take(&mut left), text, here));
        }
    }
}

/// The lines of a page, and the columns of their left part.
pub fn lines(model: &Model, help: &Help, width: u16) -> (Vec<Line>, usize) {
    let sought = help.sought.input.value();
    let left = match help.topic {
        Topic::Query if width > 60 => EXAMPLES,
        Topic::About(_) => 2,
        Topic::Query => KEYS + 2,
        Topic::Keys => KEYS,
    };
    let mut page = Page::new(left, width, sought);
    match &help.topic {
        Topic::Keys => keys(model, &mut page),
        Topic::Query => queries(&mut page),
        Topic::About(text) => about(model, text, &mut page),
    }
    if page.lines.is_empty() && !sought.is_empty() {
        let none = format!("nothing here has “{sought}”");
        page.lines.push(Line::Row(String::new(), none, false));
    }
    (page.lines, left)
}

/// Where the help was called.
const fn place(model: &Model) -> Place {
    match (model.screen, model.focus) {
        (Screen::Status, _) => Place::Status,
        (Screen::Reader, Pane::Feeds) => Place::Feeds,
        (Screen::Reader, Pane::Entries) => Place::Entries,
        (Screen::Reader, Pane::Article) => Place::Article,
    }
}

/// A place as a person knows it.
const fn called(place: Place) -> &'static str {
    match place {
        Place::Feeds => "feeds",
        Place::Entries => "entries",
        Place::Article => "article",
        Place::Status => "status",
        Place::Text => "help and messages",
    }
}

fn places(binding: &Binding) -> String {
    let names: Vec<&str> = binding.places.iter().map(|place| called(*place)).collect();
    if names.is_empty() {
        return "everywhere".to_owned();
    }
    format!("in {}", names.join(", "))
}

fn keys(model: &Model, page: &mut Page) {
    let place = place(model);
    let (here, elsewhere): (Vec<&Binding>, Vec<&Binding>) = model
        .keymap
        .bindings()
        .iter()
        .partition(|b| b.holds_in(place));
    let mut group = "";
    for binding in here {
        if binding.group != group {
            page.group(&binding.group);
            group = &binding.group;
        }
        page.row(&binding.keys_text(), &binding.help, &binding.name, true);
    }
    page.group("Commands");
    for command in commands() {
        page.row(&format!(":{}", command.name), command.help, "", true);
    }
    let all = "every action is a command too, by its name: :help KEY says it";
    page.row(":ACTION", all, "", true);
    page.row(":NUMBER", "to that row", "", true);
    page.row(
        ":help query",
        "the language of searches, lists and rules",
        "",
        true,
    );
    page.group("While typing");
    for (key, help) in TYPING {
        page.row(key, help, "", true);
    }
    page.group("Elsewhere");
    for binding in elsewhere {
        let help = format!("{}: {}", places(binding), binding.help);
        page.row(&binding.keys_text(), &help, &binding.name, false);
    }
}

fn queries(page: &mut Page) {
    page.group("For /, lists, rules, `entries` and `mark`");
    for (example, help) in query::HELP {
        page.row(example, help, "", true);
    }
}

fn about(model: &Model, text: &str, page: &mut Page) {
    for binding in model.keymap.bindings().iter().filter(|b| is_about(b, text)) {
        let keys = binding.keys_text();
        page.group(if keys.is_empty() { "no key" } else { &keys });
        page.row("", &binding.help, "", true);
        let name = &binding.name;
        page.row("", &format!(":{name} · {}", places(binding)), "", true);
        if binding.group != "Your own" {
            let texts: Vec<String> = binding
                .keys
                .iter()
                .map(|keys| format!("\"{}\"", keys.written()))
                .collect();
            let line = format!("in config.toml: [keys] {name} = [{}]", texts.join(", "));
            page.row("", &line, "", false);
        }
    }
    for command in commands().iter().filter(|row| row.name == text) {
        page.group(&format!(":{}", command.name));
        page.row("", command.help, "", true);
        if let Some(takes) = command.takes.told() {
            page.row("", &takes, "", false);
        }
    }
}
