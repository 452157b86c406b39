//! Tags of the user's own on entries: typed, set and taken away.

use crossterm::event::KeyCode;

use crate::config;
use crate::engine::protocol::{Command, Ticket};
use crate::model::{EntryHead, EntryId};

use super::super::keys::Key;
use super::super::model::{Model, Overlay, Prompt, Telling};
use super::super::msg::Effect;
use super::super::tagging::Tagging;
use super::prompt::edit;
use super::send;

/// Begins a tag for the entry that is meant.
pub fn begin(model: &mut Model, out: &mut Vec<Effect>) {
    let Some(head) = meant(model) else { return };
    let asked = model.ticket();
    let mut tagging = Tagging {
        prompt: Prompt::default(),
        known: head.tags.clone(),
        head,
        asked,
    };
    let rows = &model.feeds.rows;
    tagging.learn(rows.iter().flat_map(|row| row.feed.tags.clone()));
    model.overlay = Overlay::Tag(Box::new(tagging));
    send(out, Command::ListTags { ticket: asked });
}

fn meant(model: &mut Model) -> Option<EntryHead> {
    let head = model.subject().or_else(|| model.entries.current()).cloned();
    if head.is_none() {
        model.say("no entry here");
    }
    head
}

/// Asks for the tags that entries have: a query is about to be typed, and `Tab` offers them.
pub fn ask(model: &mut Model, out: &mut Vec<Effect>) {
    let ticket = model.ticket();
    send(out, Command::ListTags { ticket });
}

/// The tags that entries have.
pub fn came(model: &mut Model, ticket: Ticket, tags: Vec<String>) {
    model.own_tags.clone_from(&tags);
    if let Overlay::Tag(tagging) = &mut model.overlay
        && tagging.asked == ticket
    {
        tagging.learn(tags);
    }
}

/// A key while a tag is typed.
pub fn key(model: &mut Model, key: Key, out: &mut Vec<Effect>) {
    let Overlay::Tag(tagging) = &mut model.overlay else {
        return;
    };
    match key.code {
        KeyCode::Enter => {
            let tag = tagging.prompt.input.value().to_owned();
            let head = tagging.head.clone();
            model.overlay = Overlay::None;
            if !tag.trim().is_empty() {
                tag_entry(model, &head, &tag, None, out);
            }
        }
        KeyCode::Esc => model.overlay = Overlay::None,
        KeyCode::Tab => tagging.complete(1),
        KeyCode::BackTab => tagging.complete(-1),
        _ => {
            if edit(&mut tagging.prompt.input, key) {
                tagging.prompt.offers = None;
            }
        }
    }
}

/// `:tag NAME`; without a name it is asked for.
pub fn set(model: &mut Model, tag: &str, out: &mut Vec<Effect>) {
    if tag.is_empty() {
        begin(model, out);
    } else if let Some(head) = meant(model) {
        tag_entry(model, &head, tag, Some(true), out);
    }
}

/// `:untag NAME`.
pub fn unset(model: &mut Model, tag: &str, out: &mut Vec<Effect>) {
    if let Some(head) = meant(model) {
        tag_entry(model, &head, tag, Some(false), out);
    }
}

/// Sets a tag or takes it away; without a wish it is turned.
fn tag_entry(
    model: &mut Model,
    head: &EntryHead,
    tag: &str,
    wish: Option<bool>,
    out: &mut Vec<Effect>,
) {
    let Some(tag) = config::clean_tag(tag) else {
        model.fail("say which tag: a name, or a/b for one below another");
        return;
    };
    let has = head.tags.contains(&tag);
    let set = wish.unwrap_or(!has);
    if set == has {
        model.say(if set {
            format!("it has the tag {tag} already")
        } else {
            format!("it has no tag {tag}")
        });
        return;
    }
    turn(model, head.id, &tag, set);
    let ticket = model.ticket();
    model.telling.push((ticket, Telling::Tagged(set)));
    send(
        out,
        Command::Tag {
            ids: vec![head.id],
            tag,
            set,
            ticket,
        },
    );
}

/// Shows it at once, wherever the entry is on the screen.
fn turn(model: &mut Model, id: EntryId, tag: &str, set: bool) {
    let row = model
        .entries
        .index(id)
        .map(|at| &mut model.entries.heads[at]);
    let opened = model.article.as_mut().map(|article| &mut article.head);
    for head in row.into_iter().chain(opened).filter(|head| head.id == id) {
        head.tags.retain(|known| known != tag);
        if set {
            head.tags.push(tag.to_owned());
            head.tags.sort();
        }
    }
}
