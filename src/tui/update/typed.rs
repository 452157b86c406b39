//! Keys as they are typed: a count before them, several that belong together, and what is dropped.

use crossterm::event::KeyCode;

use super::super::keys::{Action, Key, Meaning, shown};
use super::super::model::Model;

/// No count is larger: more is a slip, and rows are loaded up to it.
pub const MOST: u32 = 9_999;

/// What came of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typing {
    /// An action, so many times.
    Done(Action, Option<u32>),
    /// More is to follow.
    Open,
    /// Nothing, or what was begun is dropped.
    Nothing,
}

/// Takes in one key. What was begun is dropped by `Esc` and by a key that does not go on with it.
pub fn key(model: &mut Model, key: Key) -> Typing {
    let place = model.place();
    let mut typed = std::mem::take(&mut model.typed);
    let begun = typed.count.is_some() || !typed.keys.is_empty();
    if begun && key == Key::plain(KeyCode::Esc) {
        return Typing::Nothing;
    }
    if typed.keys.is_empty()
        && let Some(digit) = digit(key)
        && match typed.count {
            Some(_) => true,
            None => digit > 0 && model.keymap.meaning(place, &[key]) == Meaning::Nothing,
        }
    {
        let count = typed.count.unwrap_or(0) * 10 + digit;
        typed.count = Some(count).filter(|count| *count <= MOST).or(typed.count);
        model.typed = typed;
        return Typing::Open;
    }
    typed.keys.push(key);
    match model.keymap.meaning(place, &typed.keys) {
        Meaning::Done(action) => Typing::Done(action, typed.count),
        Meaning::Begun => {
            model.typed = typed;
            Typing::Open
        }
        Meaning::Nothing => {
            if typed.keys.len() > 1 {
                model.say(format!("{} means nothing here", shown(&typed.keys)));
            }
            Typing::Nothing
        }
    }
}

fn digit(key: Key) -> Option<u32> {
    match key {
        Key {
            code: KeyCode::Char(c),
            control: false,
            alt: false,
        } => c.to_digit(10),
        _ => None,
    }
}
