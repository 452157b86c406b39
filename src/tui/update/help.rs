//! The help: opened on a topic, searched, closed; and the messages, which are searched as it is.

use crossterm::event::KeyCode;

use super::super::keys::{Binding, Key, Keymap, Keys, shown};
use super::super::model::{Help, Model, Overlay, Prompt, Topic};
use super::super::msg::Effect;
use super::command;
use super::prompt::{Typed, typed};

/// Opens the keys, or closes the help.
pub fn toggle(model: &mut Model) {
    model.overlay = match model.overlay {
        Overlay::Help(_) => Overlay::None,
        _ => Overlay::Help(Help::default()),
    };
}

/// Opens the help on what `text` names: nothing for all keys, `query`, a key, an action or a command.
pub fn about(model: &mut Model, text: &str, _: &mut Vec<Effect>) {
    let named = text.strip_prefix(':').filter(|rest| !rest.is_empty());
    let named = named.unwrap_or(text);
    let topic = match named {
        "" | "keys" => Topic::Keys,
        "query" => Topic::Query,
        _ if knows(&model.keymap, named) => Topic::About(named.to_owned()),
        _ => {
            let known = topics(&model.keymap);
            let far = |known: &&String| strsim::damerau_levenshtein(known, named);
            let nearest = known.iter().min_by_key(far).map_or("keys", String::as_str);
            model.fail(format!(
                "there is no key and no command `{named}`; the nearest is `{nearest}`, and :help shows all"
            ));
            return;
        }
    };
    model.overlay = Overlay::Help(Help::about(topic));
}

/// What `:help` can be about.
pub fn topics(keymap: &Keymap) -> Vec<String> {
    let mut topics = vec!["keys".to_owned(), "query".to_owned()];
    topics.extend(command::names(keymap));
    topics
}

fn knows(keymap: &Keymap, text: &str) -> bool {
    command::ROWS.iter().any(|row| row.name == text)
        || keymap.bindings().iter().any(|b| is_about(b, text))
}

/// A binding is the one of that name, or has that key.
pub fn is_about(binding: &Binding, text: &str) -> bool {
    let asked = Keys::parse(text);
    let has = |keys: &Keys| Some(keys) == asked.as_ref() || shown(keys.keys()) == text;
    binding.name == text || binding.keys.iter().any(has)
}

/// Opens the messages, the newest in sight.
pub fn messages(model: &mut Model) {
    model.overlay = Overlay::Messages(Help {
        top: usize::MAX,
        ..Help::default()
    });
}

/// Where a page begins of which another part is to be seen: messages stand with the newest last.
const fn beginning(overlay: &Overlay) -> usize {
    match overlay {
        Overlay::Messages(_) => usize::MAX,
        _ => 0,
    }
}

/// Begins to search in the help, or in the messages.
pub fn search(model: &mut Model) {
    let top = beginning(&model.overlay);
    if let Some(page) = model.overlay.page() {
        page.typing = true;
        page.sought = Prompt::default();
        page.top = top;
    }
}

/// A key while that is typed. What is found is shown with every letter.
pub fn key(model: &mut Model, key: Key) {
    let top = beginning(&model.overlay);
    let Some(help) = model.overlay.page() else {
        return;
    };
    match key.code {
        KeyCode::Backspace if help.sought.input.value().is_empty() => help.typing = false,
        KeyCode::Down => help.top = help.top.saturating_add(1),
        KeyCode::Up => help.top = help.top.saturating_sub(1),
        _ => match typed(&mut help.sought.input, key) {
            Typed::Done => help.typing = false,
            Typed::Dropped => {
                help.typing = false;
                help.sought = Prompt::default();
                help.top = top;
            }
            Typed::Changed => help.top = top,
            Typed::Nothing => {}
        },
    }
}

/// One step back: first what was searched for is dropped, then the page is closed.
pub fn back(model: &mut Model) {
    let top = beginning(&model.overlay);
    match model.overlay.page() {
        Some(page) if !page.sought.input.value().is_empty() => {
            page.sought = Prompt::default();
            page.top = top;
        }
        _ => model.overlay = Overlay::None,
    }
}
