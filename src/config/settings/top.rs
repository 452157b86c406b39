//! What stands outside of any table: how the reader looks.

use super::super::reader::{Given, Key, anything};
use super::set;
use crate::model::{Group, Hyperlinks, ThemeChoice, UiSettings};

/// Outside of any table. Tables stand here with their names; they are read apart.
pub(super) const KEYS: &[Key<UiSettings>] = &[
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
    Key::new("group", |s, v| set(&mut s.group, group(v))),
    Key::new("fold_twins", |s, v| set(&mut s.fold_twins, v.flag())),
    Key::new("notifier", |s, v| set(&mut s.notifier, command(v))),
    Key::new("notify_tags", |s, v| set(&mut s.notify_tags, v.list())),
    Key::new("title", |s, v| set(&mut s.title, v.flag())),
    Key::new("keys", anything),
    Key::new("poll", anything),
    Key::new("http", anything),
    Key::new("smart", anything),
    Key::new("rule", anything),
    Key::new("keep", anything),
    Key::new("macro", anything),
    Key::new("command", anything),
    Key::new("share", anything),
    Key::new("push", anything),
    Key::later("images", anything),
];

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

fn group(given: Given<'_>) -> Result<Group, String> {
    match given.text()?.as_str() {
        "none" => Ok(Group::None),
        "day" => Ok(Group::Day),
        _ => given.wrong("must be \"none\" or \"day\""),
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
