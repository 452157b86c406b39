//! Macros of the user's: steps one after the other, each when what the one before asked for is there.

use crate::article::sanitize;
use crate::model::UiSettings;

use super::super::keys::Keymap;
use super::super::model::{Model, Overlay};
use super::super::msg::Effect;
use super::super::theme::Themes;
use super::command;

/// Steps that one key may lead to. A macro that names itself would go on for ever.
const STEPS: usize = 1_000;

/// Begins a macro: its steps come before those that wait already.
pub fn begin(model: &mut Model, nth: usize) {
    let Some(one) = model.settings.macros.get(nth) else {
        return;
    };
    if model.done + model.doing.len() + one.steps.len() > STEPS {
        let text = format!(
            "the macro \"{}\" was stopped after too many steps; does it run itself?",
            one.name
        );
        model.doing.clear();
        model.fail(text);
        return;
    }
    for step in one.steps.iter().rev() {
        model.doing.push_front(step.text.clone());
    }
}

/// Does the next step, if nothing is awaited. False when there was nothing to do.
pub fn go_on(model: &mut Model, out: &mut Vec<Effect>) -> bool {
    let awaited = model.opening.is_some()
        || model.finding.is_some()
        || model.handing.is_some()
        || model.entries.is_awaited();
    if awaited || model.doing.is_empty() {
        return false;
    }
    // A step that failed, or that asks for something, is the last one.
    let failed = model.message.as_ref().is_some_and(|said| said.error);
    let asks = !matches!(
        model.overlay,
        Overlay::None | Overlay::Help(_) | Overlay::Messages(_)
    );
    if failed || asks {
        model.doing.clear();
        return false;
    }
    if let Some(step) = model.doing.pop_front() {
        model.done += 1;
        command::run_step(model, step.trim(), out);
    }
    true
}

/// The command line of a step.
fn line(step: &str) -> &str {
    step.strip_prefix(':').unwrap_or(step).trim()
}

/// What is wrong with the steps, each with its line in `config.toml`.
pub fn check(settings: &UiSettings, keymap: &Keymap, themes: &Themes) -> Vec<(usize, String)> {
    let mut wrong = Vec::new();
    for one in &settings.macros {
        for step in &one.steps {
            let is_action = keymap.named(step.text.trim()).is_some();
            if let Err(why) = command::check(line(&step.text), keymap, themes)
                && !is_action
            {
                let text = sanitize::line(&step.text);
                let name = sanitize::line(&one.name);
                let message = format!("[[macro]] \"{name}\": the step \"{text}\": {why}");
                wrong.push((step.line, message));
            }
        }
    }
    wrong
}
