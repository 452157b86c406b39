//! The tree tended: feeds and tags muted, renamed and moved, all of it in feeds.toml, all of it undone by `u`.

use crossterm::event::KeyCode;

use crate::config::clean_tag;
use crate::engine::protocol::Command;
use crate::model::{FeedId, Retune};

use super::super::keys::Key;
use super::super::model::{Model, Overlay, Prompt};
use super::super::msg::Effect;
use super::super::say;
use super::super::tending::{Tending, Whom, renamed};
use super::super::tree::Choice;
use super::prompt::edit;
use super::{feeds, send};

/// Mutes the feed, or all feeds of the tag; where all are muted they are heard again.
pub fn mute(model: &mut Model, out: &mut Vec<Effect>) {
    let ids = meant(model);
    if ids.is_empty() {
        model.say("go to a feed or a tag first");
        return;
    }
    let muted = |id: &FeedId| model.feeds.row(*id).is_some_and(|row| row.mute);
    let mute = !ids.iter().all(muted);
    let changes = ids.into_iter().map(|id| (id, Retune::Mute(mute)));
    change(model, changes.collect(), out);
}

/// The feeds of the line in the tree, where that is a feed or a tag; else the feed that is meant.
fn meant(model: &Model) -> Vec<FeedId> {
    match model.feeds.choice() {
        Choice::Feed(_) | Choice::Tag(_) => {
            let line = model.feeds.current();
            line.map(|line| model.feeds.ids(line)).unwrap_or_default()
        }
        _ if model.focus == super::super::panes::Pane::Feeds => Vec::new(),
        _ => feeds::meant(model),
    }
}

/// Begins other tags for the feed, or another name for the tag.
pub fn begin(model: &mut Model) {
    let whom = match model.feeds.choice() {
        Choice::Tag(path) => Some(Whom::Tag(path)),
        _ => meant(model).first().copied().map(Whom::Feed),
    };
    let (whom, text) = match whom {
        Some(Whom::Tag(path)) => (Whom::Tag(path.clone()), path),
        Some(Whom::Feed(id)) => {
            let tags = model.feeds.row(id).map(|row| row.feed.tags.join(", "));
            (Whom::Feed(id), tags.unwrap_or_default())
        }
        None => {
            model.say("go to a feed or a tag first");
            return;
        }
    };
    let rows = model.feeds.rows.iter();
    let mut known: Vec<String> = rows.flat_map(|row| row.feed.tags.clone()).collect();
    known.sort();
    known.dedup();
    model.overlay = Overlay::Tend(Box::new(Tending {
        prompt: Prompt::with(&text),
        whom,
        known,
    }));
}

/// A key while tags are typed.
pub fn key(model: &mut Model, key: Key, out: &mut Vec<Effect>) {
    let Overlay::Tend(tending) = &mut model.overlay else {
        return;
    };
    match key.code {
        KeyCode::Enter => {
            let (whom, text) = (
                tending.whom.clone(),
                tending.prompt.input.value().to_owned(),
            );
            model.overlay = Overlay::None;
            match whom {
                Whom::Feed(id) => retag(model, id, &text, out),
                Whom::Tag(path) => rename(model, &path, &text, out),
            }
        }
        KeyCode::Esc => model.overlay = Overlay::None,
        KeyCode::Tab => tending.complete(1),
        KeyCode::BackTab => tending.complete(-1),
        _ => {
            if edit(&mut tending.prompt.input, key) {
                tending.prompt.offers = None;
            }
        }
    }
}

/// `:tags a, b/c`: the tags of the feed.
pub fn tags(model: &mut Model, text: &str, out: &mut Vec<Effect>) {
    match meant(model).as_slice() {
        [id] => retag(model, *id, text, out),
        _ => model.say("go to a feed first"),
    }
}

/// `:rename-tag NEW`: another name for the tag under the cursor.
pub fn rename_tag(model: &mut Model, text: &str, out: &mut Vec<Effect>) {
    match model.feeds.choice() {
        Choice::Tag(path) => rename(model, &path, text, out),
        _ => model.say("go to a tag first"),
    }
}

fn retag(model: &mut Model, id: FeedId, text: &str, out: &mut Vec<Effect>) {
    let mut tags: Vec<String> = Vec::new();
    for tag in text.split(',').filter_map(clean_tag) {
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    let same = model.feeds.row(id).is_some_and(|row| row.feed.tags == tags);
    if same {
        model.say("its tags are as they were");
    } else {
        change(model, vec![(id, Retune::Tags(tags))], out);
    }
}

/// Renames a tag and the tags below it; without a name the feeds lose the tag.
fn rename(model: &mut Model, path: &str, text: &str, out: &mut Vec<Effect>) {
    let to = clean_tag(text);
    let rows = model.feeds.rows.iter();
    let changes: Vec<(FeedId, Retune)> = rows
        .filter_map(|row| {
            let tags = renamed(&row.feed.tags, path, to.as_deref());
            (tags != row.feed.tags).then_some((row.feed.id, Retune::Tags(tags)))
        })
        .collect();
    if changes.is_empty() {
        model.say("the tag has its name already");
    } else {
        change(model, changes, out);
    }
}

fn change(model: &mut Model, changes: Vec<(FeedId, Retune)>, out: &mut Vec<Effect>) {
    let ticket = model.ticket();
    send(out, Command::Retune { changes, ticket });
}

/// It is in feeds.toml.
pub fn done(model: &mut Model, feeds: usize) {
    let feeds = say::many(feeds as u64, "feed", "feeds");
    model.say(format!("changed {feeds} in feeds.toml · u takes it back"));
}
