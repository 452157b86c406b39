//! Marks of many entries at once, and the way back and forth.

use tidings::engine::protocol::{Command, Event};
use tidings::model::{Mark, Part};
use tidings::tui::{Effect, Key, Model, Msg, update};

use super::desk::Desk;
use super::screens::text;

fn key(model: &mut Model, text: &str) -> Vec<Effect> {
    let mut effects = update(model, Msg::Key(Key::parse(text).expect("a key")));
    // The line itself is kept for the next session.
    effects.retain(|effect| !matches!(effect, Effect::Keep(_)));
    effects
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

#[test]
fn a_tag_is_typed_completed_shown_and_taken_away_by_typing_it_again() {
    let (mut desk, mut model) = opened();
    let effects = key(&mut model, "T");
    let [Effect::Send(Command::ListTags { ticket })] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    let tags = vec!["later".to_owned(), "zebra".to_owned()];
    let ticket = *ticket;
    update(&mut model, Msg::Engine(Event::Tags { ticket, tags }));
    desk.type_in(&mut model, "la");
    key(&mut model, "Tab");
    assert!(text(&model).contains("tag: later"));
    let effects = key(&mut model, "Enter");
    let tagged = |effects: &[Effect]| match effects {
        [Effect::Send(Command::Tag { tag, set, ids, .. })] => {
            assert_eq!(ids.len(), 1);
            (tag.clone(), *set)
        }
        effects => panic!("{effects:?}"),
    };
    assert_eq!(tagged(&effects), ("later".to_owned(), true));
    desk.settle(&mut model, effects);
    assert_eq!(message(&model), "tagged · u takes it back");
    let head = model.entries.current().expect("an entry");
    assert_eq!(head.tags, ["later"]);
    desk.type_in(&mut model, ":tag later");
    assert!(key(&mut model, "Enter").is_empty());
    assert_eq!(message(&model), "it has the tag later already");
    key(&mut model, "T");
    let screen = text(&model);
    assert!(screen.contains("tag (now later):"), "{screen}");
    desk.type_in(&mut model, "later");
    let effects = key(&mut model, "Enter");
    assert_eq!(tagged(&effects), ("later".to_owned(), false));
    desk.settle(&mut model, effects);
    desk.type_in(&mut model, ":untag later");
    assert!(key(&mut model, "Enter").is_empty());
    assert_eq!(message(&model), "it has no tag later");
    desk.type_in(&mut model, ":tag  a // b ");
    assert_eq!(tagged(&key(&mut model, "Enter")), ("a/b".to_owned(), true));
}
