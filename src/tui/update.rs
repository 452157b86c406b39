//! One message in, the model changed, effects out. No clock, no waiting, no terminal.

mod action;
mod add;
mod command;
mod counts;
mod engine;
mod entries;
mod feeds;
mod handing;
mod help;
mod jump;
mod macros;
mod marking;
mod mouse;
mod older;
mod prompt;
mod reading;
mod requests;
mod settings;
mod share;
mod sharing;
mod smart;
mod status;
mod tagging;
mod tending;
mod texts;
mod twins;
mod typed;

use crate::engine::protocol::Command;

use crate::model::UiSettings;

use super::keys::{Binding, Keymap};
use super::list::Goal;
use super::model::{Model, Overlay, Screen};
use super::msg::{Effect, Msg};
use super::panes::{inside, text_area, title_fits};
use super::theme::{ThemeError, Themes};
use super::view;

/// The commands of the command line, for the help.
pub const fn commands() -> &'static [command::Row] {
    command::ROWS
}

/// What a candidate of the command line does.
pub fn told<'a>(line: &str, keymap: &'a Keymap) -> &'a str {
    command::told(line, keymap)
}

/// A line of the key table is the one that the help was asked about.
pub fn is_about(binding: &Binding, text: &str) -> bool {
    help::is_about(binding, text)
}

/// What only the reader can know to be wrong with the settings: the theme's name (no line), and steps of macros with their
/// lines in `config.toml`.
pub fn look_faults(settings: &UiSettings, themes: &Themes) -> Vec<(Option<usize>, String)> {
    let theme = match themes.get(&settings.theme.0) {
        // What is wrong inside of a theme file is that file's.
        Err(error @ ThemeError::Unknown { .. }) => Some((None, format!("theme: {error}"))),
        _ => None,
    };
    let steps = Keymap::of(settings).map(|keymap| macros::check(settings, &keymap, themes));
    let steps = steps.unwrap_or_default().into_iter();
    let steps = steps.map(|(line, message)| (Some(line), message));
    theme.into_iter().chain(steps).collect()
}

/// What is wrong with the steps of the user's macros, each with its line in `config.toml`.
pub fn check_macros(
    settings: &UiSettings,
    keymap: &Keymap,
    themes: &Themes,
) -> Vec<(usize, String)> {
    macros::check(settings, keymap, themes)
}

/// What to do before anything happened: show what is stored.
pub fn start(model: &mut Model) -> Vec<Effect> {
    let mut out = Vec::new();
    feeds::ask(model, &mut out);
    entries::show(model, String::new(), Goal::Top, &mut out);
    out
}

/// Takes in one message.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    update_all(model, [msg])
}

/// Takes in messages that arrived together; places and orders are made good once, at the end.
pub fn update_all(model: &mut Model, messages: impl IntoIterator<Item = Msg>) -> Vec<Effect> {
    let mut out = Vec::new();
    for msg in messages {
        match msg {
            Msg::Tick(now) => model.now = now,
            Msg::Key(key) => action::key(model, key, &mut out),
            Msg::Paste(text) => prompt::paste(model, &text, &mut out),
            Msg::Mouse(mouse) => mouse::event(model, mouse, &mut out),
            Msg::Resized(width, height) => model.size = (width, height),
            Msg::Engine(event) => engine::event(model, event, &mut out),
            Msg::Trouble(text) => model.fail(text),
        }
        // Keys that follow in the same breath count rows and pages: they need lists in order.
        settle(model, &mut out);
        while macros::go_on(model, &mut out) {
            settle(model, &mut out);
        }
    }
    out
}

/// Asks the engine.
fn send(out: &mut Vec<Effect>, command: Command) {
    out.push(Effect::Send(command));
}

/// Makes good what messages left behind: cursors on rows, rows on the screen, pages laid out, windows asked for.
fn settle(model: &mut Model, out: &mut Vec<Effect>) {
    let panes = model.panes();
    let rows = |pane: Option<ratatui::layout::Rect>| {
        pane.map_or(0, |pane| usize::from(inside(pane).height))
    };
    model.feeds.settle(rows(panes.feeds));
    let days = panes.entries.and_then(|pane| model.days(pane));
    model.entries.settle(rows(panes.entries), days);
    let zen = model.is_zen();
    if let (Some(pane), Some(article)) = (panes.article, model.article.as_mut()) {
        let area = text_area(pane, zen, model.settings.measure);
        let titled = !zen && title_fits(pane, &article.head);
        article.lay_out(area.width, titled, model.zone);
        article.scroll(0, usize::from(area.height));
    }
    if model.screen == Screen::Status {
        status::settle(model, out);
    }
    if matches!(model.overlay, Overlay::Help(_) | Overlay::Messages(_)) {
        let (lines, height) = view::text_size(model);
        if let Some(top) = model.overlay.top() {
            *top = (*top).min(lines.saturating_sub(height));
        }
    }
    if model.entries.wants() {
        entries::reload(model, out);
    }
    smart::settle(model, out);
}

/// Lines of the article pane that show text.
fn article_height(model: &Model) -> usize {
    let pane = model.panes().article.unwrap_or_default();
    let area = text_area(pane, model.is_zen(), model.settings.measure);
    usize::from(area.height)
}
