//! Settings that were saved while the reader is open: taken over whole, or not at all.

use crate::engine::protocol::NewSettings;
use crate::model::UiSettings;

use super::super::keys::Keymap;
use super::super::model::{Model, Typed};
use super::super::msg::Effect;
use super::super::theme::{Theme, Themes};
use super::{entries, feeds, macros};

/// How a sentence about what cannot be used ends.
const STAYS: &str = "; what was in force stays";

/// What stands in the files now, or what is wrong with it: then everything stays as it was.
pub fn came(
    model: &mut Model,
    path: &str,
    read: Result<Box<NewSettings>, String>,
    out: &mut Vec<Effect>,
) {
    let new = match read {
        Ok(new) => *new,
        Err(why) => return refused(model, &why),
    };
    for notice in &new.notices {
        model.say(notice.clone());
    }
    let themes = Themes {
        own: new.themes,
        colours: model.themes.colours,
    };
    let (ui, later) = at_the_next_start(model, new.ui, new.later);
    let mended = std::mem::take(&mut model.unusable);
    if mended {
        // What it said is over.
        model.message.take_if(|said| said.text.ends_with(STAYS));
    }
    if ui == model.settings && themes == model.themes && later.is_empty() && !mended {
        return;
    }
    match usable(model, &ui, &themes, path) {
        Ok((keymap, theme)) => {
            (model.keymap, model.theme, model.themes) = (keymap, theme, themes);
            take_over(model, ui, out);
            told(model, &later);
        }
        Err(why) => refused(model, &why),
    }
}

fn refused(model: &mut Model, why: &str) {
    model.unusable = true;
    model.fail(format!("{why}{STAYS}"));
}

/// What the terminal was told at the start cannot be told again.
fn at_the_next_start(
    model: &Model,
    mut ui: UiSettings,
    mut later: Vec<&'static str>,
) -> (UiSettings, Vec<&'static str>) {
    let now = &model.settings;
    if ui.mouse != now.mouse {
        later.push("mouse");
        ui.mouse = now.mouse;
    }
    if ui.title != now.title {
        later.push("title");
        ui.title = now.title;
    }
    if ui.hyperlinks != now.hyperlinks {
        later.push("hyperlinks");
        ui.hyperlinks = now.hyperlinks;
    }
    (ui, later)
}

/// The keys and the theme, or a sentence that says what is wrong and where.
fn usable(
    model: &Model,
    ui: &UiSettings,
    themes: &Themes,
    path: &str,
) -> Result<(Keymap, Theme), String> {
    let keymap = Keymap::of(ui).map_err(|error| format!("{path}: {error}"))?;
    if let Some((line, message)) = macros::check(ui, &keymap, themes).into_iter().next() {
        return Err(format!("{path}:{line}: {message}"));
    }
    // Also of themes that are not in use: who edits one wants to know.
    let edited = themes
        .own
        .iter()
        .filter(|own| !model.themes.own.contains(own));
    let mut faults = edited.flat_map(|(name, text)| Theme::faults(name, text));
    if let Some(fault) = faults.next() {
        return Err(fault.to_string());
    }
    // A theme that was chosen by key stays until the file names another.
    let name = if ui.theme == model.settings.theme {
        &model.theme.name
    } else {
        &ui.theme.0
    };
    let theme = themes.get(name).map_err(|error| error.to_string())?;
    Ok((keymap, theme))
}

fn take_over(model: &mut Model, ui: UiSettings, out: &mut Vec<Effect>) {
    let choice = model.feeds.choice();
    let within = model.feeds.within();
    if ui.smart != model.settings.smart {
        model.feeds.replace_smart(&ui.smart);
        model.questions.stale = true;
    }
    // Numbers of macros and commands mean others now.
    model.typed = Typed::default();
    model.doing.clear();
    model.handing = None;
    if ui.group != model.settings.group {
        model.group = ui.group;
    }
    model.settings = ui;
    if model.feeds.choice() != choice || model.feeds.within() != within {
        feeds::chosen(model, out);
    } else {
        entries::follow_scope(model, out);
    }
}

fn told(model: &mut Model, later: &[&str]) {
    if later.is_empty() {
        model.mention("the settings were read again");
        return;
    }
    let verb = if later.len() == 1 { "takes" } else { "take" };
    let names = later.join(", ");
    model.say(format!(
        "the settings were read again; {names} {verb} effect at the next start"
    ));
}
