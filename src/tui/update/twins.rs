//! The feeds that tell the story under the cursor, where lists show it once.

use crossterm::event::KeyCode;

use super::super::keys::Key;
use super::super::model::{Model, Overlay, Twins};
use super::super::msg::Effect;
use super::entries;

/// Shows them.
pub fn begin(model: &mut Model) {
    let Some(id) = model.subject().map(|head| head.id) else {
        model.say("no entry here");
        return;
    };
    let heads: Vec<_> = model.entries.story(id).into_iter().cloned().collect();
    if heads.is_empty() {
        model.say(if model.settings.fold_twins {
            "no other feed of this list tells this story"
        } else {
            "with fold_twins = true in config.toml a story that several feeds tell stands once"
        });
        return;
    }
    let at = heads.iter().position(|head| head.id == id).unwrap_or(0);
    model.overlay = Overlay::Twins(Twins { heads, at });
}

/// A key in the dialog.
pub fn key(model: &mut Model, key: Key, out: &mut Vec<Effect>) {
    let Overlay::Twins(twins) = &mut model.overlay else {
        return;
    };
    let last = twins.heads.len().saturating_sub(1);
    match (key.code, key.control) {
        (KeyCode::Esc | KeyCode::Char('q' | 'O'), false) => model.overlay = Overlay::None,
        (KeyCode::Down | KeyCode::Tab | KeyCode::Char('j'), _) | (KeyCode::Char('n'), true) => {
            twins.at = (twins.at + 1).min(last);
        }
        (KeyCode::Up | KeyCode::BackTab | KeyCode::Char('k'), _) | (KeyCode::Char('p'), true) => {
            twins.at = twins.at.saturating_sub(1);
        }
        (KeyCode::Enter, _) => open(model, out),
        _ => {}
    }
}

fn open(model: &mut Model, out: &mut Vec<Effect>) {
    let Overlay::Twins(twins) = std::mem::take(&mut model.overlay) else {
        return;
    };
    if let Some(head) = twins.heads.get(twins.at) {
        entries::go_to(model, head, true, out);
    }
}
