//! Opening entries, moving through them, and what an opened one can do.

use crate::engine::protocol::Command;
use crate::model::{EntryHead, Mark};

use super::super::model::{Hint, Model, Overlay, Screen};
use super::super::msg::Effect;
use super::super::panes::Pane;
use super::super::tree::Choice;
use super::{article_height, entries, feeds, send};

/// Opens the entry under the cursor.
pub fn open_current(model: &mut Model, out: &mut Vec<Effect>) {
    if let Some(head) = model.entries.current().cloned() {
        open(model, &head, out);
    }
}

/// Opens an entry: its text comes with `Opened`, and it counts as read from now on.
pub fn open(model: &mut Model, head: &EntryHead, out: &mut Vec<Effect>) {
    let shown = model
        .article
        .as_ref()
        .is_some_and(|article| article.head.id == head.id);
    if shown {
        model.opening = None;
        model.focus = Pane::Article;
    } else {
        let ticket = model.ticket();
        model.then.clear();
        model.opening = Some((ticket, head.id));
        send(
            out,
            Command::Open {
                id: head.id,
                ticket,
            },
        );
    }
    entries::mark(model, head, Mark::Read(true), out);
}

/// The article is about to give way: where reading stopped is remembered.
pub fn leave(model: &mut Model, out: &mut Vec<Effect>) {
    let height = article_height(model);
    let Some(article) = &model.article else {
        return;
    };
    if let Some(place) = article.place(height) {
        let id = article.head.id;
        model.places.insert(id, place);
        send(out, Command::Place { id, place });
    }
}

/// Closes the article.
pub fn close(model: &mut Model, out: &mut Vec<Effect>) {
    leave(model, out);
    model.article = None;
    model.opening = None;
    model.then.clear();
    if model.focus == Pane::Article {
        model.focus = Pane::Entries;
    }
}

/// Scrolls the article.
pub fn scroll(model: &mut Model, rows: isize) {
    let height = article_height(model);
    if let Some(article) = &mut model.article {
        article.scroll(rows, height);
    }
}

/// The space bar: on through the article, then the next unread one.
pub fn advance(model: &mut Model, out: &mut Vec<Effect>) {
    let height = article_height(model);
    let current = model.entries.current().map(|head| head.id);
    let in_list = model.focus != Pane::Article;
    if let Some(article) = &mut model.article {
        let meant = !in_list || current == Some(article.head.id);
        let page = height.saturating_sub(1).max(1);
        if meant && article.scroll(page as isize, height) {
            return;
        }
    }
    let unread = model.entries.current();
    let unread = unread.filter(|head| model.entries.is_unread(head)).cloned();
    match unread {
        Some(head) if in_list => open(model, &head, out),
        _ => find_unread(model, true, true, out),
    }
}

/// The next unread entry, or the one before. From the article it is opened, in the list it is gone to.
pub fn next_unread(model: &mut Model, forward: bool, out: &mut Vec<Effect>) {
    let open = model.focus == Pane::Article;
    if model.focus == Pane::Feeds {
        model.focus = Pane::Entries;
    }
    find_unread(model, forward, open, out);
}

/// To the next unread entry, which is not opened: another is meant.
pub fn pass_unread(model: &mut Model, forward: bool, out: &mut Vec<Effect>) {
    find_unread(model, forward, false, out);
}

fn find_unread(model: &mut Model, forward: bool, open_it: bool, out: &mut Vec<Effect>) {
    if let Ok(Some(at)) = model.entries.next_unread(forward) {
        model.entries.go(at);
        if open_it {
            open_current(model, out);
        }
        return;
    }
    // Nothing more among the loaded rows: the rest of the list and all other feeds are the store's to search.
    let ticket = model.ticket();
    model.finding = Some((ticket, open_it));
    let from = model.entries.current().map(|head| (head.sort, head.no));
    send(
        out,
        Command::FindUnread {
            from,
            spec: model.entries.spec.clone(),
            forward,
            ticket,
        },
    );
}

/// An unread entry was found, or there is none.
pub fn found(model: &mut Model, head: Option<EntryHead>, open_it: bool, out: &mut Vec<Effect>) {
    if let Some(head) = head {
        entries::go_to(model, &head, open_it, out);
    } else {
        model.entries.ahead.clear();
        model.say("nothing is unread");
    }
}

/// Opens the entry beside the cursor.
pub fn beside(model: &mut Model, rows: isize, out: &mut Vec<Effect>) {
    let before = model.entries.at;
    model.entries.step(rows);
    if model.entries.at != before || model.article.is_none() {
        open_current(model, out);
    }
}

/// Asks for the number of a link.
pub fn hint_links(model: &mut Model) {
    match &model.article {
        Some(article) if article.targets.is_empty() => model.say("this article has no links"),
        Some(_) => model.overlay = Overlay::Links(Hint::default()),
        None => model.say("open an entry first; then f follows its links"),
    }
}

/// The URL that the keyboard is at: of an entry, a feed's page, a feed.
fn url_here(model: &Model) -> Option<String> {
    if let Some(head) = model.subject() {
        return head.link.clone();
    }
    if model.screen == Screen::Reader && !matches!(model.feeds.choice(), Choice::Feed(_)) {
        return None;
    }
    let id = *feeds::meant(model).first()?;
    let feed = &model.feeds.row(id)?.feed;
    feed.site.clone().or_else(|| Some(feed.url.clone()))
}

/// Opens the link in the browser.
pub fn browse(model: &mut Model, out: &mut Vec<Effect>) {
    match url_here(model) {
        Some(url) => open_url(model, &url, out),
        None => model.say("no link here"),
    }
}

/// Opens a URL, where it is one that a browser may be given.
pub fn open_url(model: &mut Model, url: &str, out: &mut Vec<Effect>) {
    if is_safe(url) {
        model.say(format!("opening {url}"));
        out.push(Effect::OpenUrl(url.to_owned()));
    } else {
        model.fail(format!(
            "not opened, only http, https and mailto are: {url}"
        ));
    }
}

/// Web pages and mail addresses; nothing that runs, reads files or breaks a line.
pub fn is_safe(url: &str) -> bool {
    let scheme = url
        .split(':')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    matches!(scheme.as_str(), "http" | "https" | "mailto")
        && url.len() > scheme.len() + 1
        && !url
            .chars()
            .any(|c| c.is_whitespace() || crate::article::sanitize::is_forbidden(c))
}

/// Copies the link.
pub fn copy(model: &mut Model, out: &mut Vec<Effect>) {
    match url_here(model) {
        Some(url) => copy_url(model, &url, out),
        None => model.say("no link here"),
    }
}

/// Copies a URL.
pub fn copy_url(model: &mut Model, url: &str, out: &mut Vec<Effect>) {
    let url = crate::article::sanitize::line(url);
    model.say(format!("copied {url}"));
    out.push(Effect::Copy(url));
}

/// The article alone, or all panes again.
pub fn zen(model: &mut Model) {
    if model.is_zen() {
        model.zen = false;
    } else if model.article.is_some() {
        model.zen = true;
        model.focus = Pane::Article;
    } else {
        model.say("open an entry first; then z gives it the screen");
    }
}
