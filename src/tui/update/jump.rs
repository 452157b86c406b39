//! Going to a feed by a part of its name.

use crossterm::event::KeyCode;

use super::super::jump::{Jump, find};
use super::super::keys::Key;
use super::super::list::Goal;
use super::super::model::{Model, Overlay, Screen};
use super::super::msg::Effect;
use super::super::panes::Pane;
use super::{feeds, prompt};

/// Opens the dialog.
pub fn begin(model: &mut Model) {
    let found = find(model, "");
    model.overlay = Overlay::Jump(Jump {
        found,
        ..Jump::default()
    });
}

/// A key in it.
pub fn key(model: &mut Model, key: Key, out: &mut Vec<Effect>) {
    let Overlay::Jump(jump) = &mut model.overlay else {
        return;
    };
    let last = jump.found.len().saturating_sub(1);
    match (key.code, key.control) {
        (KeyCode::Esc, _) => model.overlay = Overlay::None,
        (KeyCode::Enter, _) => go(model, out),
        (KeyCode::Down | KeyCode::Tab, _) | (KeyCode::Char('n' | 'j'), true) => {
            jump.at = (jump.at + 1).min(last);
        }
        (KeyCode::Up | KeyCode::BackTab, _) | (KeyCode::Char('p' | 'k'), true) => {
            jump.at = jump.at.saturating_sub(1);
        }
        _ => {
            if prompt::edit(&mut jump.prompt.input, key) {
                narrow(model);
            }
        }
    }
}

/// What was typed is another text.
pub fn narrow(model: &mut Model) {
    let Overlay::Jump(jump) = &model.overlay else {
        return;
    };
    let found = find(model, jump.prompt.input.value());
    if let Overlay::Jump(jump) = &mut model.overlay {
        jump.found = found;
        jump.at = 0;
    }
}

fn go(model: &mut Model, out: &mut Vec<Effect>) {
    let Overlay::Jump(jump) = std::mem::take(&mut model.overlay) else {
        return;
    };
    let Some((choice, _)) = jump.found.get(jump.at) else {
        model.say("no feed has such a name");
        return;
    };
    model.screen = Screen::Reader;
    feeds::choose(model, choice, Goal::Top, out);
    model.focus = Pane::Entries;
}
