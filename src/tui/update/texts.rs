//! The other texts of an opened entry: the article of its page, and what an edit changed.

use crate::engine::protocol::{Command, Ticket};
use crate::model::{EntryId, FullText};

use super::super::model::Model;
use super::super::msg::Effect;
use super::super::page::Text;
use super::super::say;
use super::send;

/// The article of the entry's page; the feed's own text where it is shown already.
pub fn full_text(model: &mut Model, out: &mut Vec<Effect>) {
    let Some(article) = &mut model.article else {
        model.say("open an entry first; then w fetches the article of its page");
        return;
    };
    if article.shown() == Text::Full {
        article.show(Text::Feed);
    } else if article.has_full() {
        article.show(Text::Full);
    } else {
        fetch(model, false, out);
    }
}

/// Asks for the page once more.
pub fn again(model: &mut Model, out: &mut Vec<Effect>) {
    if model.article.is_some() {
        fetch(model, true, out);
    } else {
        model.say("open an entry first; then W fetches its page once more");
    }
}

/// Asks for the page of the opened entry, once at a time.
pub fn fetch(model: &mut Model, again: bool, out: &mut Vec<Effect>) {
    let Some(head) = model.article.as_ref().map(|article| &article.head) else {
        return;
    };
    let id = head.id;
    if model.fetching.is_some_and(|(_, of)| of == id) {
        return;
    }
    let Some(link) = &head.link else {
        model.say("the feed names no page for this entry");
        return;
    };
    let text = format!("asking {} for the page …", say::address(link));
    let ticket = model.ticket();
    model.fetching = Some((ticket, id));
    model.say(text);
    send(out, Command::FullText { id, again, ticket });
}

/// An article came: shown where its entry is still open, else it is kept for the next time.
pub fn came(model: &mut Model, ticket: Ticket, id: EntryId, full: FullText) {
    if model.fetching.is_some_and(|(asked, _)| asked == ticket) {
        model.fetching = None;
    }
    if let Some(article) = &mut model.article
        && article.head.id == id
    {
        article.full_came(full);
        if model.message.as_ref().is_some_and(|said| !said.error) {
            model.message = None;
        }
    }
}

/// What the last edit changed, or the text again.
pub fn changes(model: &mut Model) {
    let Some(article) = &mut model.article else {
        model.say("open an entry first; then d shows what an edit changed");
        return;
    };
    if article.shown() == Text::Changes {
        article.show(Text::Feed);
    } else if !article.show(Text::Changes) {
        let text = if article.head.edited {
            "what this entry said before its edit is not kept"
        } else {
            "this entry was not edited since it came"
        };
        model.say(text);
    }
}
