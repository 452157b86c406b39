use std::collections::HashSet;

use super::press::SPECIAL;
use super::*;

fn built_in() -> Keymap {
    Keymap::new(&[]).expect("the built-in table is readable")
}

fn key(text: &str) -> Key {
    Key::parse(text).expect("a key")
}

#[test]
fn the_table_names_every_action_once() {
    let keymap = built_in();
    let table: HashSet<Action> = keymap.bindings().iter().map(|b| b.action).collect();
    let names: HashSet<Action> = NAMES.iter().map(|(_, action)| *action).collect();
    assert_eq!(table, names);
    assert_eq!(keymap.bindings().len(), NAMES.len());
}

#[test]
fn no_key_means_two_things_in_one_place() {
    let keymap = built_in();
    for (_, place) in PLACES {
        let mut seen = HashSet::new();
        for binding in keymap.bindings().iter().filter(|b| b.holds_in(*place)) {
            for key in &binding.keys {
                assert!(seen.insert(key.clone()), "{key} in {place:?}");
            }
        }
    }
}

#[test]
fn a_key_is_read_as_it_is_written() {
    for text in [
        "j", "G", "^d", "Space", "Enter", "S-Tab", "F5", "A-x", "*", "^", "?",
    ] {
        assert_eq!(key(text).to_string(), text);
    }
    assert_eq!(key("C-d"), key("^d"));
    assert_eq!(key("space"), key("Space"));
    for text in ["", "jj", "F13", "Meta", "\u{1b}"] {
        assert_eq!(Key::parse(text), None, "{text:?}");
    }
}

#[test]
fn a_users_key_is_taken_from_whoever_had_it() {
    let over = [("browser".to_owned(), vec!["m".to_owned()])];
    let keymap = Keymap::new(&over).expect("usable");
    let meaning = |text| keymap.meaning(Place::Entries, &[key(text)]);
    assert_eq!(meaning("m"), Meaning::Done(Action::Browser));
    assert_eq!(meaning("o"), Meaning::Nothing);
}

#[test]
fn keys_one_after_the_other_are_begun_and_done() {
    let over = [
        ("first".to_owned(), vec!["g g".to_owned()]),
        ("refresh".to_owned(), vec![", Enter".to_owned()]),
    ];
    let keymap = Keymap::new(&over).expect("usable");
    let meaning = |texts: &str| {
        let keys = Keys::parse(texts).expect("keys");
        keymap.meaning(Place::Feeds, keys.keys())
    };
    assert_eq!(meaning("g"), Meaning::Begun);
    assert_eq!(meaning("g g"), Meaning::Done(Action::First));
    assert_eq!(meaning("g x"), Meaning::Nothing);
    assert_eq!(meaning(", Enter"), Meaning::Done(Action::Refresh));
    let hint = |action| keymap.hint(action).map(Keys::to_string);
    assert_eq!(hint(Action::First).as_deref(), Some("gg"));
    assert_eq!(hint(Action::Refresh).as_deref(), Some(", Enter"));
}

#[test]
fn what_is_no_action_and_no_key_is_refused() {
    for (name, key) in [("brwoser", "m"), ("browser", "Hyper")] {
        let over = [(name.to_owned(), vec![key.to_owned()])];
        assert!(Keymap::new(&over).is_err());
    }
}

#[test]
fn every_name_of_a_key_is_a_key_of_the_terminal() {
    for (name, code) in SPECIAL {
        assert_eq!(key(name).code, *code);
    }
}
