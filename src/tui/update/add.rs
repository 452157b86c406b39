//! The dialog that adds a feed: an address, one request, and a choice where a page has several feeds.

use crossterm::event::KeyCode;

use crate::engine::protocol::{AddResult, Command, NAMES_NONE, Pick, Ticket};
use crate::model::{Outcome, Subscription};

use super::super::keys::Key;
use super::super::model::{AddDialog, AddStep, Model, Overlay, Prompt};
use super::super::msg::Effect;
use super::super::say;
use super::{prompt, send};

/// Opens the dialog; `text` stands in its line.
pub fn open(model: &mut Model, text: &str) {
    model.overlay = Overlay::Add(AddDialog {
        prompt: Prompt::with(text),
        step: AddStep::Typing,
    });
}

/// `:add`, with or without an address.
pub fn from_command(model: &mut Model, text: &str, out: &mut Vec<Effect>) {
    open(model, text);
    if !text.is_empty() {
        ask(model, out);
    }
}

/// A key in the dialog.
pub fn key(model: &mut Model, key: Key, out: &mut Vec<Effect>) {
    let Overlay::Add(dialog) = &mut model.overlay else {
        return;
    };
    match &mut dialog.step {
        AddStep::Typing => match key.code {
            KeyCode::Enter => ask(model, out),
            KeyCode::Esc => model.overlay = Overlay::None,
            _ => {
                if prompt::edit(&mut dialog.prompt.input, key) {
                    dialog.prompt.problem = None;
                }
            }
        },
        // What was asked is asked; its answer is dropped when it comes.
        AddStep::Asking(_) => {
            if key.code == KeyCode::Esc {
                model.overlay = Overlay::None;
            }
        }
        AddStep::Seen { of, .. } => {
            let of = *of;
            match key.code {
                KeyCode::Enter | KeyCode::Char('y') => confirm(model, of, out),
                // Back to the address, as it was typed.
                KeyCode::Backspace | KeyCode::Char('e') => {
                    dialog.step = AddStep::Typing;
                    send(out, Command::Leave { of });
                }
                KeyCode::Esc | KeyCode::Char('q' | 'n') => {
                    model.overlay = Overlay::None;
                    send(out, Command::Leave { of });
                }
                _ => {}
            }
        }
        AddStep::Choosing { candidates, at } => {
            let last = candidates.len().saturating_sub(1);
            match key.code {
                KeyCode::Char('j') | KeyCode::Down => *at = (*at + 1).min(last),
                KeyCode::Char('k') | KeyCode::Up => *at = at.saturating_sub(1),
                KeyCode::Char('g') | KeyCode::Home => *at = 0,
                KeyCode::Char('G') | KeyCode::End => *at = last,
                KeyCode::Char(' ') => {
                    if let Some((_, taken)) = candidates.get_mut(*at) {
                        *taken = !*taken;
                    }
                }
                KeyCode::Enter => take(model, out),
                KeyCode::Esc | KeyCode::Char('q') => model.overlay = Overlay::None,
                _ => {}
            }
        }
    }
}

fn ask(model: &mut Model, out: &mut Vec<Effect>) {
    let ticket = model.ticket();
    let Overlay::Add(dialog) = &mut model.overlay else {
        return;
    };
    let url = dialog.prompt.input.value().trim().to_owned();
    if url.is_empty() {
        dialog.prompt.problem = Some("type or paste the address of a feed or of a page".to_owned());
        return;
    }
    dialog.prompt.problem = None;
    dialog.step = AddStep::Asking(ticket);
    send(out, add(url, Pick::Show, ticket));
}

/// The feed that is shown is subscribed, by the answer that is here already.
fn confirm(model: &mut Model, of: Ticket, out: &mut Vec<Effect>) {
    let ticket = model.ticket();
    if let Overlay::Add(dialog) = &mut model.overlay {
        dialog.step = AddStep::Asking(ticket);
    }
    send(out, Command::Take { of, ticket });
}

fn add(url: String, pick: Pick, ticket: Ticket) -> Command {
    Command::Add {
        subscription: Box::new(Subscription {
            url,
            ..Subscription::default()
        }),
        pick,
        guess: false,
        ticket,
    }
}

/// Subscribes to the feeds that were ticked, or to the one under the cursor.
fn take(model: &mut Model, out: &mut Vec<Effect>) {
    let Overlay::Add(AddDialog {
        step: AddStep::Choosing { candidates, at },
        ..
    }) = std::mem::take(&mut model.overlay)
    else {
        return;
    };
    let any = candidates.iter().filter(|(_, taken)| *taken).count();
    if any <= 1 {
        let chosen = candidates
            .iter()
            .position(|(_, taken)| *taken)
            .unwrap_or(at);
        if let Some((candidate, _)) = candidates.into_iter().nth(chosen) {
            look_at(model, candidate.url, out);
        }
        return;
    }
    for (candidate, taken) in candidates {
        if taken {
            let ticket = model.ticket();
            model.say(format!("adding {}", say::address(&candidate.url)));
            send(out, add(candidate.url, Pick::Ask, ticket));
        }
    }
}

/// The one that was chosen is shown before it is subscribed.
fn look_at(model: &mut Model, url: String, out: &mut Vec<Effect>) {
    let ticket = model.ticket();
    model.overlay = Overlay::Add(AddDialog {
        prompt: Prompt::with(&url),
        step: AddStep::Asking(ticket),
    });
    send(out, add(url, Pick::Show, ticket));
}

/// The answer: the dialog goes on, or the bottom line tells.
pub fn answered(model: &mut Model, ticket: Ticket, result: AddResult, out: &mut Vec<Effect>) {
    let waiting = matches!(
        &model.overlay,
        Overlay::Add(AddDialog { step: AddStep::Asking(asked), .. }) if *asked == ticket
    );
    match result {
        AddResult::Several { candidates } if waiting => {
            let candidates = candidates.into_iter().map(|c| (c, false)).collect();
            set_step(model, AddStep::Choosing { candidates, at: 0 });
        }
        AddResult::Several { candidates } => {
            let count = say::many(candidates.len() as u64, "feed", "feeds");
            model.fail(format!(
                "the page has {count}; add one of them by its own address"
            ));
        }
        AddResult::Seen(preview) if waiting => {
            set_step(
                model,
                AddStep::Seen {
                    preview,
                    of: ticket,
                },
            );
        }
        // The dialog was closed meanwhile: nothing is left of it.
        AddResult::Seen(_) => send(out, Command::Leave { of: ticket }),
        AddResult::Refused { mut why, .. } if waiting => {
            if why.ends_with(NAMES_NONE) {
                why.push_str("; give the address of the feed itself");
            }
            refuse(model, why);
        }
        AddResult::Refused { url, why } => {
            model.fail(format!("{} was not added: {why}", say::address(&url)));
        }
        other => {
            if waiting {
                model.overlay = Overlay::None;
            }
            tell(model, &other);
        }
    }
}

fn tell(model: &mut Model, result: &AddResult) {
    match result {
        AddResult::Already { url, revived: true } => {
            model.say(format!("{} is asked again", say::address(url)));
        }
        AddResult::Already { url, .. } => {
            model.say(format!("{} was there already", say::address(url)));
        }
        AddResult::Queued { url } => model.say(format!(
            "added {}; another tidings is polling, it is asked after that",
            say::address(url)
        )),
        AddResult::Subscribed { reports } => {
            for report in reports {
                let name = say::name(&report.row);
                match &report.outcome {
                    Outcome::Failed(error) => {
                        model.fail(format!("added {name}, but it did not answer: {error}"));
                    }
                    outcome => model.say(format!("added {name} · {}", say::outcome(outcome))),
                }
            }
        }
        AddResult::Several { .. } | AddResult::Refused { .. } | AddResult::Seen(_) => {}
    }
}

/// The command itself failed. True when the dialog waited for it.
pub fn failed(model: &mut Model, ticket: Ticket, text: &str) -> bool {
    let waiting = matches!(
        &model.overlay,
        Overlay::Add(AddDialog { step: AddStep::Asking(asked), .. }) if *asked == ticket
    );
    if waiting {
        refuse(model, text.to_owned());
    }
    waiting
}

/// Back to the line, with what is wrong with it.
fn refuse(model: &mut Model, why: String) {
    set_step(model, AddStep::Typing);
    if let Overlay::Add(dialog) = &mut model.overlay {
        dialog.prompt.problem = Some(why);
    }
}

fn set_step(model: &mut Model, step: AddStep) {
    if let Overlay::Add(dialog) = &mut model.overlay {
        dialog.step = step;
    }
}
