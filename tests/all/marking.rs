//! Marks of many entries at once, and the way back and forth.

use tidings::engine::protocol::Command;
use tidings::model::{Mark, Part};
use tidings::tui::{Effect, Key, Model, Msg, update};

use super::desk::Desk;

fn key(model: &mut Model, text: &str) -> Vec<Effect> {
    update(model, Msg::Key(Key::parse(text).expect("a key")))
}

fn message(model: &Model) -> &str {
    model.message.as_ref().map_or("", |message| &message.text)
}

fn opened() -> (Desk, Model) {
    let mut desk = Desk::with(60);
    let model = desk.reader((120, 40), "dark");
    (desk, model)
}

#[test]
fn what_stands_above_or_below_is_marked_and_the_cursor_s_entry_is_not() {
    let (mut desk, mut model) = opened();
    desk.press(&mut model, "j j j {");
    let read: Vec<bool> = model.entries.heads.iter().map(|h| !h.unread).collect();
    assert_eq!(&read[..3], [true; 3]);
    let (was, after) = (read[3], read[4..].to_vec());
    desk.press(&mut model, "}");
    let read: Vec<bool> = model.entries.heads.iter().map(|h| !h.unread).collect();
    assert_eq!(read[3], was, "the entry under the cursor stays as it is");
    assert!(after.contains(&false), "some were unread");
    assert!(read[4..].iter().all(|read| *read));
    let message = message(&model);
    assert!(message.contains("u takes it back"), "{message}");
    desk.type_in(&mut model, ":read above");
    let effects = key(&mut model, "Enter");
    let [Effect::Send(Command::MarkAll { part, .. })] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    assert!(matches!(part, Part::Above(..)));
}

#[test]
fn what_is_older_than_an_age_is_marked_within_what_is_shown() {
    let (mut desk, mut model) = opened();
    desk.press(&mut model, "/");
    desk.type_in(&mut model, "rust or cargo");
    desk.press(&mut model, "Enter");
    desk.type_in(&mut model, ":read-older 7d");
    let effects = key(&mut model, "Enter");
    let marked = effects.iter().find_map(|effect| match effect {
        Effect::Send(Command::MarkAll {
            spec, part, mark, ..
        }) => Some((spec, part, mark)),
        _ => None,
    });
    let (spec, part, mark) = marked.expect("a mark");
    assert_eq!(spec.query, "(rust or cargo) age:>7d");
    assert_eq!((*part, *mark), (Part::All, Mark::Read(true)));
    for wrong in ["", "x", "7d or unread"] {
        desk.type_in(&mut model, &format!(":read-older {wrong}"));
        assert!(key(&mut model, "Enter").is_empty());
        assert_eq!(message(&model), "say how old, like: read-older 7d");
    }
}

#[test]
fn control_r_does_again_what_u_took_back() {
    let (_, mut model) = opened();
    let effects = key(&mut model, "^r");
    assert!(matches!(
        effects.as_slice(),
        [Effect::Send(Command::Redo { .. })]
    ));
}
