//! Commands of the user's (`[[command]]`): an entry as arguments, as a file or on standard input. No shell is in between.

use crate::engine::protocol::{Command, Ticket};
use crate::model::{Entry, EntryBody, EntryHead, External, Handed, Kept, Markup};

use super::super::model::Model;
use super::super::msg::Effect;
use super::super::programs::{Program, Stage, fill};
use super::super::{handed, say};
use super::{reading, send};

/// Hands the entry here to the command of that number: at once, or when its text has come.
pub fn begin(model: &mut Model, nth: usize, out: &mut Vec<Effect>) {
    let Some(command) = model.settings.externals.get(nth).cloned() else {
        return;
    };
    let Some(head) = model.subject().or_else(|| model.entries.current()).cloned() else {
        model.say(format!(
            "go to an entry first; then it is handed to \"{}\"",
            command.name
        ));
        return;
    };
    if let Err(why) = fits(&command, &head) {
        model.fail(why);
        return;
    }
    if command.stdin == Handed::Nothing && !names(&command, "{file}") {
        let body = EntryBody::default();
        run(model, &command, &Entry { head, body }, out);
        return;
    }
    let ticket = model.ticket();
    model.handing = Some((ticket, nth));
    send(
        out,
        Command::Open {
            id: head.id,
            ticket,
        },
    );
}

/// The text of an entry came. True if it was for a command: that gets the article of the page, where it was fetched.
pub fn opened(
    model: &mut Model,
    ticket: Ticket,
    entry: Option<&(Entry, Kept)>,
    out: &mut Vec<Effect>,
) -> bool {
    let Some((_, nth)) = model.handing.take_if(|(asked, _)| *asked == ticket) else {
        return false;
    };
    match (entry, model.settings.externals.get(nth).cloned()) {
        (Some((entry, kept)), Some(command)) => {
            let mut entry = entry.clone();
            if let Some(full) = &kept.full {
                entry.body.text.clone_from(&full.text);
                entry.body.base = Some(full.url.as_str().into());
                entry.body.markup = Markup::Html;
            }
            run(model, &command, &entry, out);
        }
        _ => model.say("this entry is no longer stored"),
    }
    true
}

fn names(command: &External, place: &str) -> bool {
    command.run.iter().skip(1).any(|word| word.contains(place))
}

/// Only addresses of the web and of mail are handed on.
fn fits(command: &External, head: &EntryHead) -> Result<(), String> {
    let url = match &head.link {
        _ if !names(command, "{url}") => return Ok(()),
        Some(url) => url,
        None => {
            let name = &command.name;
            return Err(format!("this entry has no link, and \"{name}\" needs one"));
        }
    };
    if reading::is_safe(url) {
        return Ok(());
    }
    Err(format!(
        "not handed on, only http, https and mailto are: {url}"
    ))
}

fn run(model: &mut Model, command: &External, entry: &Entry, out: &mut Vec<Effect>) {
    let row = model.feeds.row(entry.head.id.feed);
    let feed = row.map(say::name).unwrap_or_default();
    let address = row
        .map(|row| say::address(&row.feed.url))
        .unwrap_or_default();
    let form = match command.stdin {
        Handed::Nothing => Handed::Text,
        form => form,
    };
    let needed = command.stdin != Handed::Nothing || names(command, "{file}");
    let content = needed.then(|| {
        let page = handed::Page {
            entry,
            feed: &feed,
            address: &address,
            measure: model.settings.measure,
            zone: model.zone,
        };
        page.written(form)
    });
    let url = entry.head.link.clone().unwrap_or_default();
    let values = [
        ("{url}", url),
        ("{title}", entry.head.title.clone()),
        ("{feed}", feed),
    ];
    let (words, file) = fill(&command.run, &values, "{file}");
    let input = content.clone().filter(|_| command.stdin != Handed::Nothing);
    let hands = handed::hands(form, content.unwrap_or_default(), input, file);
    model.say(format!("handed to \"{}\"", command.name));
    out.push(Effect::Run(Program {
        words,
        hands,
        stage: if command.terminal {
            Stage::Terminal
        } else {
            Stage::Beside
        },
        named_by: "[[command]] in config.toml names it",
    }));
}
