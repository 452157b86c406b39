//! The command line. A command is a row of data; every action of the key table is one as well.

use crate::engine::protocol::Command;
use crate::model::{Group, Mark, Order, Pace};

use super::super::keys::{Action, Keymap};
use super::super::model::{Model, Overlay, Prompt, Screen};
use super::super::msg::Effect;
use super::super::panes::Pane;
use super::super::say;
use super::super::theme::Themes;
use super::super::tree::Choice;
use super::marking::{self, Side};
use super::{
    action, add, counts, entries, feeds, help, prompt, share, smart, tagging, tending, typed,
};

/// What may follow a command's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// Any text.
    Text,
    /// A query, perhaps with something before it.
    Query,
    /// The name of a theme.
    Theme,
    /// What the help is about.
    Topic,
    /// What an entry can be handed to.
    Target,
    /// One of these.
    Word(&'static [&'static str]),
}

impl Takes {
    /// For the help; `None` where nothing can be said.
    pub fn told(self) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Text => Some("takes text".to_owned()),
            Self::Query => Some("takes a query; :help query".to_owned()),
            Self::Theme => Some("takes the name of a theme".to_owned()),
            Self::Target => Some("takes the name of a [[share]] or a [[command]]".to_owned()),
            Self::Topic => Some("takes query, a key, or the name of a command".to_owned()),
            Self::Word(words) => Some(format!("takes {}", words.join(", "))),
        }
    }
}

/// A command that is no action.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// What may follow.
    pub takes: Takes,
    /// What it does, for the help.
    pub help: &'static str,
    run: fn(&mut Model, &str, &mut Vec<Effect>),
}

const fn row(
    name: &'static str,
    takes: Takes,
    help: &'static str,
    run: fn(&mut Model, &str, &mut Vec<Effect>),
) -> Row {
    Row {
        name,
        takes,
        help,
        run,
    }
}

const ORDERS: &[(&str, Order)] = &[
    ("date", Order::Newest),
    ("newest", Order::Newest),
    ("oldest", Order::Oldest),
    ("title", Order::Title),
    ("feed", Order::Feed),
];

/// The commands.
pub const ROWS: &[Row] = &[
    row(
        "refresh",
        Takes::Word(&["all"]),
        "ask this feed now, or all",
        |model, text, out| match text {
            "all" => feeds::refresh_all(model, Pace::Manual, out),
            _ => feeds::refresh(model, out),
        },
    ),
    row(
        "refresh!",
        Takes::Nothing,
        "ask all feeds now, also those asked a moment ago",
        |model, _, out| feeds::refresh_all(model, Pace::Force, out),
    ),
    row(
        "add",
        Takes::Text,
        "add a feed: its address or its page",
        |model, text, out| {
            add::from_command(model, text, out);
        },
    ),
    row(
        "remove",
        Takes::Nothing,
        "unsubscribe from this feed",
        remove,
    ),
    row(
        "read",
        Takes::Word(&["all", "above", "below"]),
        "mark the entry, all shown, or those above or below it, read",
        |model, text, out| match text {
            "all" => marking::all_read(model, out),
            "above" => marking::side_read(model, Side::Above, out),
            "below" => marking::side_read(model, Side::Below, out),
            _ => mark(model, true, out),
        },
    ),
    row(
        "read-older",
        Takes::Text,
        "mark what is shown and older than an age, like 7d, read",
        marking::older_read,
    ),
    row(
        "unread",
        Takes::Nothing,
        "mark the entry unread",
        |model, _, out| mark(model, false, out),
    ),
    row(
        "tags",
        Takes::Text,
        "the tags of the feed in feeds.toml, with commas between them",
        tending::tags,
    ),
    row(
        "rename-tag",
        Takes::Text,
        "another name for the tag under the cursor; with none its feeds lose it",
        tending::rename_tag,
    ),
    row(
        "tag",
        Takes::Text,
        "give the entry a tag of your own",
        tagging::set,
    ),
    row(
        "untag",
        Takes::Text,
        "take a tag of yours from the entry",
        tagging::unset,
    ),
    row(
        "sort",
        Takes::Word(&["date", "newest", "oldest", "title", "feed"]),
        "the order of the list",
        sort,
    ),
    row(
        "group",
        Takes::Word(&["day", "none"]),
        "headings in a list that is sorted by date",
        |model, text, _| match text {
            "day" => entries::set_group(model, Group::Day),
            "none" => entries::set_group(model, Group::None),
            _ => entries::toggle_group(model),
        },
    ),
    row(
        "filter",
        Takes::Word(&["all", "unread"]),
        "which entries are listed",
        filter,
    ),
    row(
        "search",
        Takes::Query,
        "search in what is shown",
        |model, text, out| {
            super::prompt::look_for(model, text.to_owned(), out);
        },
    ),
    row(
        "smart",
        Takes::Query,
        "keep a search as a list above the feeds: its name, and a query or what is shown",
        smart::save,
    ),
    row(
        "rule",
        Takes::Query,
        "a rule for new entries: read, hide, star, notify or tag:x, and a query or what is shown",
        smart::rule,
    ),
    row(
        "theme",
        Takes::Theme,
        "change the theme",
        |model, text, out| {
            if text.is_empty() {
                action::act(model, Action::Theme, out);
            } else {
                action::set_theme(model, text);
            }
        },
    ),
    row(
        "help",
        Takes::Topic,
        "the keys; of `query` its language, of a key or a command what it does",
        help::about,
    ),
    row(
        "share",
        Takes::Target,
        "hand the entry to a share target or a command of config.toml",
        share::to,
    ),
    row("q", Takes::Nothing, "quit", |_, _, out| {
        out.push(Effect::Quit);
    }),
    row("quit", Takes::Nothing, "quit", |_, _, out| {
        out.push(Effect::Quit);
    }),
];

/// Runs a line.
pub fn run(model: &mut Model, line: &str, out: &mut Vec<Effect>) {
    if let Err(why) = check(line, &model.keymap, &model.themes) {
        model.fail(why);
        return;
    }
    let (name, rest) = parted(line);
    let own = || {
        model
            .keymap
            .named(line)
            .or_else(|| model.keymap.named(name))
    };
    if let Some(row) = ROWS.iter().find(|row| row.name == name) {
        (row.run)(model, rest, out);
    } else if let Some(row) = number(line) {
        counts::act(model, Action::First, Some(row), out);
    } else if let Some(action) = own() {
        action::act(model, action, out);
    }
}

/// Runs a step of a macro: a command line after a colon, else the name of an action before that of a command.
pub fn run_step(model: &mut Model, step: &str, out: &mut Vec<Effect>) {
    match step.strip_prefix(':') {
        Some(line) => run(model, line.trim(), out),
        None => match model.keymap.named(step) {
            Some(action) => action::act(model, action, out),
            None => run(model, step, out),
        },
    }
}

/// The number of a row, from 1.
fn number(line: &str) -> Option<u32> {
    line.parse()
        .ok()
        .filter(|row| (1..=typed::MOST).contains(row))
}

/// The name of a command, and what follows it.
fn parted(line: &str) -> (&str, &str) {
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (name, rest.trim())
}

fn unknown(name: &str, keymap: &Keymap) -> String {
    let nearest = names(keymap)
        .into_iter()
        .min_by_key(|known| strsim::damerau_levenshtein(known, name));
    let nearest = nearest.unwrap_or_else(|| "help".to_owned());
    format!("there is no command `{name}`; the nearest is `{nearest}`")
}

/// Whether a line can be run, as far as that is known before: a clause that says what is wrong.
pub fn check(line: &str, keymap: &Keymap, themes: &Themes) -> Result<(), String> {
    let (name, rest) = parted(line);
    let Some(row) = ROWS.iter().find(|row| row.name == name) else {
        return match (keymap.named(line), keymap.named(name)) {
            (Some(_), _) => Ok(()),
            (None, Some(_)) => Err(format!("`{name}` takes nothing, and gets `{rest}`")),
            (None, None) if number(line).is_some() => Ok(()),
            (None, None) => Err(unknown(name, keymap)),
        };
    };
    let known: Vec<&str> = match row.takes {
        Takes::Word(words) => words.to_vec(),
        Takes::Theme => themes.names(),
        Takes::Target => keymap.targets(),
        Takes::Nothing if !rest.is_empty() => {
            return Err(format!("`{name}` takes nothing, and gets `{rest}`"));
        }
        Takes::Nothing | Takes::Text | Takes::Query | Takes::Topic => return Ok(()),
    };
    if rest.is_empty() || known.contains(&rest) {
        return Ok(());
    }
    Err(format!("`{name}` takes {}, not `{rest}`", known.join(", ")))
}

/// What a candidate of the command line does, for the list of them.
pub fn told<'a>(line: &str, keymap: &'a Keymap) -> &'a str {
    let row = |name: &str| ROWS.iter().find(|row| row.name == name);
    let binding = |name: &str| keymap.bindings().iter().find(|b| b.name == name);
    let help = |name: &str| match (row(name), binding(name)) {
        (Some(row), _) => Some(row.help),
        (None, Some(binding)) => Some(binding.help.as_str()),
        (None, None) => None,
    };
    let (name, rest) = parted(line);
    // `share NAME` and `help NAME` are about what they name.
    let about = ["share", "help"].contains(&name).then(|| help(rest));
    about.flatten().or_else(|| help(line)).unwrap_or_default()
}

/// Every name there is, commands first.
pub fn names(keymap: &Keymap) -> Vec<String> {
    let rows = ROWS.iter().map(|row| row.name.to_owned());
    let actions = keymap.bindings().iter().map(|b| b.name.clone());
    let mut names: Vec<String> = rows.chain(actions).collect();
    names.sort();
    names.dedup();
    names
}

/// What can stand in the place of the last word of `line`.
fn offers(model: &Model, line: &str) -> Vec<String> {
    let Some((name, begun)) = line.split_once(char::is_whitespace) else {
        let mut fitting = names(&model.keymap);
        fitting.retain(|known| known.starts_with(line));
        return fitting;
    };
    let begun = begun.trim_start();
    let words: Vec<String> = match ROWS
        .iter()
        .find(|row| row.name == name)
        .map(|row| row.takes)
    {
        Some(Takes::Query) => {
            let lines = prompt::completions(model, begun);
            return lines
                .into_iter()
                .map(|line| format!("{name} {line}"))
                .collect();
        }
        Some(Takes::Word(words)) => words.iter().map(|word| (*word).to_owned()).collect(),
        Some(Takes::Target) => model
            .keymap
            .targets()
            .into_iter()
            .map(str::to_owned)
            .collect(),
        Some(Takes::Topic) => help::topics(&model.keymap),
        Some(Takes::Theme) => model
            .themes
            .names()
            .iter()
            .map(|n| (*n).to_owned())
            .collect(),
        _ => Vec::new(),
    };
    let fitting = words.into_iter().filter(|word| word.starts_with(begun));
    fitting.map(|word| format!("{name} {word}")).collect()
}

/// Tab: the next line that begins with what was typed.
pub fn complete(model: &mut Model, steps: isize) {
    let Overlay::Command(prompt) = &model.overlay else {
        return;
    };
    let (lines, at) = match &prompt.offers {
        Some((lines, at)) => {
            let next = (*at as isize + steps).rem_euclid(lines.len().max(1) as isize);
            (lines.clone(), next as usize)
        }
        None => (offers(model, prompt.input.value()), 0),
    };
    let Some(line) = lines.get(at) else { return };
    model.overlay = Overlay::Command(Prompt {
        offers: Some((lines.clone(), at)),
        ..Prompt::with(line)
    });
}

fn mark(model: &mut Model, read: bool, out: &mut Vec<Effect>) {
    let head = model.subject().or_else(|| model.entries.current()).cloned();
    match head {
        Some(head) => entries::mark(model, &head, Mark::Read(read), out),
        None => model.say("no entry here"),
    }
}

fn sort(model: &mut Model, text: &str, out: &mut Vec<Effect>) {
    match ORDERS.iter().find(|(name, _)| *name == text) {
        Some((_, order)) => entries::set_order(model, *order, out),
        None => model.fail("sort newest, oldest, title or feed"),
    }
}

fn filter(model: &mut Model, text: &str, out: &mut Vec<Effect>) {
    match text {
        "all" => entries::set_unread_only(model, false, out),
        "unread" => entries::set_unread_only(model, true, out),
        _ => model.fail("filter all, or filter unread"),
    }
}

fn remove(model: &mut Model, _: &str, _: &mut Vec<Effect>) {
    let in_tree = model.screen == Screen::Reader && model.focus == Pane::Feeds;
    let of_tag = in_tree && matches!(model.feeds.choice(), Choice::Tag(_));
    // One feed, and none that merely comes first: nobody means it who stands on All.
    let row = match feeds::meant(model)[..] {
        [id] if !of_tag => model.feeds.row(id),
        _ => None,
    };
    let Some(row) = row else {
        model.say("go to a feed first");
        return;
    };
    let question = format!(
        "unsubscribe from {}? Its entries stay, and u takes it back. y/n",
        say::name(row)
    );
    let urls = vec![row.feed.url.clone()];
    let ticket = model.ticket();
    model.overlay = Overlay::Confirm(question, Command::Remove { urls, ticket });
}
