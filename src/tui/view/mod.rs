//! The screen, one file per pane. A pane is a free function: it looks at the model and paints a rectangle.

mod add;
mod article;
mod bottom;
mod entries;
mod feeds;
mod help;
mod hyperlinks;
mod jump;
mod ledger;
mod messages;
mod offers;
mod paint;
mod pending;
mod status;
mod twins;
mod welcome;

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::model::{Model, Overlay, Screen};
use super::panes::Pane;
use super::say;
use super::tree::Choice;

pub use hyperlinks::{Hyperlink, hyperlinks};
pub use status::{
    areas as status_areas, column_at as status_column, rows as status_rows, tab_at as status_tab,
};

/// Paints everything into `buf`, which is as large as the screen. Returns where the cursor is, if it is shown.
pub fn draw(model: &Model, buf: &mut Buffer) -> Option<Position> {
    let screen = buf.area;
    if screen.is_empty() {
        return None;
    }
    paint::fill(buf, screen, model.theme.style(super::theme::Tone::Text));
    let panes = model.panes();
    let body = panes.body.intersection(screen);
    match &model.overlay {
        Overlay::Help(page) => help::draw(model, page, body, buf),
        Overlay::Messages(page) => messages::draw(model, page, body, buf),
        _ => match model.screen {
            Screen::Status => status::draw(model, body, buf),
            Screen::Reader => reader(model, body, buf),
        },
    }
    let cursor = match &model.overlay {
        Overlay::Add(dialog) => add::draw(model, dialog, body, buf),
        Overlay::Jump(jump) => jump::draw(model, jump, body, buf),
        Overlay::Twins(twins) => {
            twins::draw(model, twins, body, buf);
            None
        }
        _ => None,
    };
    bottom::draw(model, panes.bottom.intersection(screen), buf).or(cursor)
}

/// The title of the terminal: how much is unread, and nothing that a feed says.
pub fn title(model: &Model) -> String {
    let all = model
        .feeds
        .lines
        .iter()
        .find(|line| line.choice == Choice::All);
    match all.map_or(0, |line| model.feeds.count(line)) {
        0 => "tidings".to_owned(),
        unread => format!("tidings ({})", say::count(unread)),
    }
}

/// The three panes; the one with the keyboard last, so that its border lies on top.
fn reader(model: &Model, body: Rect, buf: &mut Buffer) {
    if model.feeds.loaded && model.feeds.rows.is_empty() && model.entries.heads.is_empty() {
        welcome::draw(model, body, buf);
        return;
    }
    let panes = model.panes();
    let others = [Pane::Feeds, Pane::Entries, Pane::Article].into_iter();
    let others = others.filter(|pane| *pane != model.focus);
    for pane in others.chain([model.focus]) {
        match pane {
            Pane::Feeds => panes.feeds.map(|area| feeds::draw(model, area, buf)),
            Pane::Entries => panes.entries.map(|area| entries::draw(model, area, buf)),
            Pane::Article => panes.article.map(|area| article::draw(model, area, buf)),
        };
    }
}

/// Lines of the page of text that lies over the screen, and lines of it that are shown.
pub fn text_size(model: &Model) -> (usize, usize) {
    let body = model.panes().body;
    let lines = match &model.overlay {
        Overlay::Help(page) => help::height(model, page, body),
        Overlay::Messages(page) => messages::height(model, page, body),
        _ => 0,
    };
    (lines, usize::from(super::panes::inside(body).height))
}

/// When the screen changes by itself: a countdown each second, an age each minute. `None` while nothing counts.
pub fn next_tick(model: &Model) -> Option<Duration> {
    if !matches!(model.overlay, Overlay::None) {
        return None;
    }
    match model.screen {
        Screen::Status => Some(Duration::from_secs(1)),
        Screen::Reader => {
            let panes = model.panes();
            let height = usize::from(panes.entries?.height);
            let rows = model
                .entries
                .heads
                .iter()
                .skip(model.entries.top)
                .take(height);
            let changes = rows.filter_map(|head| say::age_changes_in(head.sort, model.now));
            let midnight = model.days(panes.entries?);
            let midnight = midnight.map(|zone| say::day_changes_in(model.now, zone));
            let counts = model.questions.wants() && !model.feeds.smart.is_empty();
            let soon = counts.then_some(1);
            let next = changes
                .map(|after| after.max(1))
                .chain(soon)
                .chain(midnight)
                .min();
            next.map(Duration::from_secs)
        }
    }
}
