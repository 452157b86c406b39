//! Keys: who has the keyboard, which action a key means, and the named function that does it.

use crossterm::event::KeyCode;

use super::super::keys::{Action, Key, Place};
use super::super::model::{Model, Overlay, Screen};
use super::super::msg::Effect;
use super::super::panes::Pane;
use super::super::view;
use super::marking::{self, Side};
use super::typed::{self, Typing};
use super::{
    add, command, counts, entries, feeds, handing, help, jump, macros, older, prompt, reading,
    requests, share, sharing, status, tagging, tending, texts, twins,
};

/// Keys that are remembered while rows are on their way.
const AHEAD: usize = 32;

/// A key was pressed.
pub fn key(model: &mut Model, key: Key, out: &mut Vec<Effect>) {
    model.message = None;
    model.doing.clear();
    model.done = 0;
    let ahead = std::mem::take(&mut model.entries.ahead);
    match &model.overlay {
        Overlay::Help(page) | Overlay::Messages(page) if page.typing => help::key(model, key),
        Overlay::None | Overlay::Help(_) | Overlay::Messages(_) => match typed::key(model, key) {
            Typing::Done(action, count) => {
                if needs_rows(model, action) {
                    model.entries.ahead = ahead;
                }
                press(model, action, count, out);
            }
            Typing::Open => model.entries.ahead = ahead,
            Typing::Nothing => {}
        },
        Overlay::Search(..) => prompt::search_key(model, key, out),
        Overlay::Filter(..) => status::filter_key(model, key),
        Overlay::Command(_) => prompt::command_key(model, key, out),
        Overlay::Jump(_) => jump::key(model, key, out),
        Overlay::Twins(_) => twins::key(model, key, out),
        Overlay::Pipe(_) => handing::pipe_key(model, key, out),
        Overlay::Tend(_) => tending::key(model, key, out),
        Overlay::Tag(_) => tagging::key(model, key, out),
        Overlay::Links(_) => prompt::links_key(model, key, out),
        Overlay::Add(_) => add::key(model, key, out),
        Overlay::Confirm(..) => confirm_key(model, key, out),
    }
}

/// The list that was turned to has its rows: what was pressed for them meanwhile is done, as if it were pressed now.
pub fn catch_up(model: &mut Model, out: &mut Vec<Effect>) {
    if model.entries.is_loaded() {
        for (action, count) in std::mem::take(&mut model.entries.ahead) {
            press(model, action, count, out);
        }
    }
}

/// Does an action, or remembers it while the rows that it means, or the entry that is looked for, are on their way.
pub fn press(model: &mut Model, action: Action, count: Option<u32>, out: &mut Vec<Effect>) {
    if needs_rows(model, action) {
        if model.entries.ahead.len() < AHEAD {
            model.entries.ahead.push((action, count));
        }
    } else {
        counts::act(model, action, count, out);
    }
}

/// The action means an entry of a list whose rows are still on their way.
pub fn needs_rows(model: &Model, action: Action) -> bool {
    let here = matches!(model.overlay, Overlay::None) && model.screen == Screen::Reader;
    if !here || !model.entries.is_awaited() {
        return false;
    }
    let in_list = matches!(
        action,
        Action::Down
            | Action::Up
            | Action::HalfPageDown
            | Action::HalfPageUp
            | Action::PageDown
            | Action::PageUp
            | Action::First
            | Action::Last
            | Action::Open
            | Action::Advance
            | Action::ToggleRead
            | Action::Star
            | Action::Tag
            | Action::MarkAboveRead
            | Action::MarkBelowRead
    );
    let anywhere = matches!(
        action,
        Action::NextUnread | Action::PreviousUnread | Action::NextEntry | Action::PreviousEntry
    );
    match model.focus {
        Pane::Feeds => false,
        Pane::Entries => in_list || anywhere,
        Pane::Article => anywhere,
    }
}

/// The action means the text of the opened entry.
const fn needs_article(action: Action) -> bool {
    matches!(
        action,
        Action::Links
            | Action::FullText
            | Action::FullTextAgain
            | Action::Changes
            | Action::Editor
            | Action::Pipe
    )
}

/// The entry that was opened is there: what was pressed for it meanwhile is done.
pub fn after_opening(model: &mut Model, out: &mut Vec<Effect>) {
    for action in std::mem::take(&mut model.then) {
        act(model, action, out);
    }
}

/// Does what the action means where the keyboard is. Also the way of the command line.
pub fn act(model: &mut Model, action: Action, out: &mut Vec<Effect>) {
    if model.opening.is_some() && needs_article(action) {
        // Its text is on its way: keys mean it already.
        if model.then.len() < AHEAD {
            model.then.push(action);
        }
        return;
    }
    match action {
        Action::Down => step(model, 1, out),
        Action::Up => step(model, -1, out),
        Action::HalfPageDown => page(model, 1, 2, out),
        Action::HalfPageUp => page(model, -1, 2, out),
        Action::PageDown => page(model, 1, 1, out),
        Action::PageUp => page(model, -1, 1, out),
        Action::First => first(model, out),
        Action::Last => last(model, out),
        Action::Left => left(model),
        Action::Right => right(model),
        Action::NextPane => next_pane(model, 1),
        Action::PreviousPane => next_pane(model, -1),
        Action::Open => open(model, out),
        Action::Advance => reading::advance(model, out),
        Action::NextUnread => reading::next_unread(model, true, out),
        Action::PreviousUnread => reading::next_unread(model, false, out),
        Action::NextEntry => reading::beside(model, 1, out),
        Action::PreviousEntry => reading::beside(model, -1, out),
        Action::Links => reading::hint_links(model),
        Action::Browser => reading::browse(model, out),
        Action::Copy => reading::copy(model, out),
        Action::FullText => texts::full_text(model, out),
        Action::FullTextAgain => texts::again(model, out),
        Action::Changes => texts::changes(model),
        Action::Play => handing::play(model, out),
        Action::Editor => handing::editor(model, out),
        Action::Pipe => handing::pipe(model),
        Action::Zen => reading::zen(model),
        Action::ToggleRead => entries::toggle_read(model, out),
        Action::Star => entries::toggle_star(model, out),
        Action::MarkAllRead => marking::all_read(model, out),
        Action::MarkAboveRead => marking::side_read(model, Side::Above, out),
        Action::MarkBelowRead => marking::side_read(model, Side::Below, out),
        Action::Mute => tending::mute(model, out),
        Action::Retag => tending::begin(model),
        Action::Unsubscribe => command::run(model, "remove", out),
        Action::Tag => tagging::begin(model, out),
        Action::Undo => marking::undo(model, out),
        Action::Redo => marking::redo(model, out),
        Action::UnreadOnly => entries::toggle_unread_only(model, out),
        Action::Twins => twins::begin(model),
        Action::Group => entries::toggle_group(model),
        Action::Sort => sort(model, out),
        Action::Search if model.overlay.top().is_some() => help::search(model),
        Action::Search if model.screen == Screen::Status => status::filter(model),
        Action::Search => prompt::search(model, out),
        Action::Jump => jump::begin(model),
        Action::Fold => fold(model, out),
        Action::FoldAll => fold_all(model, out),
        Action::Refresh => feeds::refresh(model, out),
        Action::RefreshAll => feeds::refresh_all(model, crate::model::Pace::Manual, out),
        Action::Add => add::open(model, ""),
        Action::Status => status::toggle(model, out),
        Action::Invert => status::invert(model),
        Action::Ledger => status::ledger(model, out),
        Action::Entries => entries_of(model, out),
        Action::Lift => requests::lift(model),
        Action::Enable => requests::enable(model),
        Action::FetchWhole => requests::fetch_whole(model),
        Action::Older => older::older(model, out),
        Action::AdoptMove => requests::adopt_move(model, out),
        Action::UndoMove => requests::undo_move(model, out),
        Action::Command => prompt::command(model, out),
        Action::Theme => next_theme(model),
        Action::Messages => help::messages(model),
        Action::Help => help::toggle(model),
        Action::Back => back(model, out),
        Action::Redraw => out.push(Effect::Redraw),
        Action::Suspend => out.push(Effect::Suspend),
        Action::Quit => quit(model, out),
        Action::Macro(nth) => macros::begin(model, nth),
        Action::Share => share::choose(model, out),
        Action::ShareTo(nth) => share::begin(model, nth, out),
        Action::External(nth) => sharing::begin(model, nth, out),
    }
}

/// Moves whatever has the keyboard by some rows.
pub fn step(model: &mut Model, rows: isize, out: &mut Vec<Effect>) {
    if let Some(top) = model.overlay.top() {
        *top = top.saturating_add_signed(rows);
        return;
    }
    match model.screen {
        Screen::Status => status::step(model, rows),
        Screen::Reader => match model.focus {
            Pane::Feeds => feeds::step(model, rows, out),
            Pane::Entries => model.entries.step(rows),
            Pane::Article => reading::scroll(model, rows),
        },
    }
}

/// Moves by a page, or the `part`th of one.
pub fn page(model: &mut Model, direction: isize, part: usize, out: &mut Vec<Effect>) {
    let height = match (&model.overlay, model.screen) {
        (Overlay::Help(_) | Overlay::Messages(_), _) => view::text_size(model).1,
        (_, Screen::Status) => status::height(model),
        (_, Screen::Reader) => match model.focus {
            Pane::Article => super::article_height(model),
            focus => {
                let panes = model.panes();
                let pane = if focus == Pane::Feeds {
                    panes.feeds
                } else {
                    panes.entries
                };
                usize::from(pane.unwrap_or_default().height.saturating_sub(2))
            }
        },
    };
    // A line of the old page stays for the eye.
    let lines = (height / part)
        .saturating_sub(usize::from(part == 1))
        .max(1);
    let rows = lines_to_rows(model, direction.saturating_mul(lines as isize));
    step(model, rows, out);
}

/// So many lines of what has the keyboard are so many rows: headings are lines as well.
fn lines_to_rows(model: &Model, lines: isize) -> isize {
    let in_list = model.place() == Place::Entries;
    let days = model.panes().entries.and_then(|pane| model.days(pane));
    if !in_list || days.is_none() {
        return lines;
    }
    let (at, down) = (model.entries.at, lines > 0);
    let rows = model
        .entries
        .lines(days)
        .page(at, lines.unsigned_abs(), down);
    rows as isize * lines.signum()
}

fn first(model: &mut Model, out: &mut Vec<Effect>) {
    match (model.overlay.top(), model.screen, model.focus) {
        (Some(top), ..) => *top = 0,
        (None, Screen::Reader, Pane::Entries) => entries::first(model, out),
        _ => step(model, isize::MIN / 2, out),
    }
}

fn last(model: &mut Model, out: &mut Vec<Effect>) {
    match (model.overlay.top(), model.screen, model.focus) {
        (Some(top), ..) => *top = usize::MAX,
        (None, Screen::Reader, Pane::Entries) => entries::last(model, out),
        _ => step(model, isize::MAX / 2, out),
    }
}

fn left(model: &mut Model) {
    match (model.screen, model.focus) {
        (Screen::Status, _) => status::sort_beside(model, -1),
        (Screen::Reader, Pane::Feeds) => model.feeds.fold_or_ascend(),
        (Screen::Reader, Pane::Entries) => model.focus = Pane::Feeds,
        (Screen::Reader, Pane::Article) => model.focus = Pane::Entries,
    }
}

fn right(model: &mut Model) {
    match (model.screen, model.focus) {
        (Screen::Status, _) => status::sort_beside(model, 1),
        (Screen::Reader, Pane::Feeds) => model.focus = Pane::Entries,
        (Screen::Reader, _) if model.article.is_some() => model.focus = Pane::Article,
        (Screen::Reader, _) => {}
    }
}

fn next_pane(model: &mut Model, steps: isize) {
    if model.screen == Screen::Status {
        status::turn(model, steps);
        return;
    }
    let mut panes = vec![Pane::Feeds, Pane::Entries];
    if model.article.is_some() {
        panes.push(Pane::Article);
    }
    let at = panes.iter().position(|pane| *pane == model.focus);
    let next = (at.unwrap_or(0) as isize + steps).rem_euclid(panes.len() as isize);
    model.focus = panes[next as usize];
}

fn open(model: &mut Model, out: &mut Vec<Effect>) {
    match (&model.overlay, model.screen) {
        (Overlay::Help(_) | Overlay::Messages(_), _) => model.overlay = Overlay::None,
        (_, Screen::Status) => status::open(model),
        (_, Screen::Reader) => match model.focus {
            Pane::Feeds => model.focus = Pane::Entries,
            Pane::Entries => reading::open_current(model, out),
            Pane::Article => {}
        },
    }
}

/// The list of the feed that the keyboard is at.
fn entries_of(model: &mut Model, out: &mut Vec<Effect>) {
    match model.screen {
        Screen::Status => status::entries(model, out),
        Screen::Reader => model.focus = Pane::Entries,
    }
}

fn sort(model: &mut Model, out: &mut Vec<Effect>) {
    match model.screen {
        Screen::Status => status::sort_beside(model, 1),
        Screen::Reader => entries::next_order(model, out),
    }
}

fn fold(model: &mut Model, out: &mut Vec<Effect>) {
    model.feeds.fold();
    feeds::chosen(model, out);
}

fn fold_all(model: &mut Model, out: &mut Vec<Effect>) {
    model.feeds.fold_all();
    feeds::chosen(model, out);
}

fn next_theme(model: &mut Model) {
    let next = model.themes.after(&model.theme.name);
    set_theme(model, &next);
}

/// Changes the theme.
pub fn set_theme(model: &mut Model, name: &str) {
    match model.themes.get(name) {
        Ok(theme) => {
            model.say(format!("theme {name}"));
            model.theme = theme;
        }
        Err(error) => model.fail(error.to_string()),
    }
}

/// One step back: what lies on top is closed.
fn back(model: &mut Model, out: &mut Vec<Effect>) {
    match (&model.overlay, model.screen, model.focus) {
        (Overlay::Help(_) | Overlay::Messages(_), ..) => help::back(model),
        (_, Screen::Status, _) => status::back(model),
        (_, Screen::Reader, Pane::Article) if model.zen => model.zen = false,
        (_, Screen::Reader, Pane::Article) => reading::close(model, out),
        (_, Screen::Reader, Pane::Entries) if !model.entries.spec.query.is_empty() => {
            entries::show(model, String::new(), super::Goal::Top, out);
        }
        (_, Screen::Reader, Pane::Entries) if model.article.is_some() => reading::close(model, out),
        (_, Screen::Reader, Pane::Entries) => model.focus = Pane::Feeds,
        (_, Screen::Reader, Pane::Feeds) => {}
    }
}

/// Closes what lies over the reader; from the reader itself it is the end.
fn quit(model: &mut Model, out: &mut Vec<Effect>) {
    match (&model.overlay, model.screen) {
        (Overlay::Help(_) | Overlay::Messages(_), _) => model.overlay = Overlay::None,
        (_, Screen::Status) => status::back(model),
        (_, Screen::Reader) => {
            reading::leave(model, out);
            out.push(Effect::Quit);
        }
    }
}

fn confirm_key(model: &mut Model, key: Key, out: &mut Vec<Effect>) {
    let yes = matches!(key.code, KeyCode::Char('y' | 'Y') | KeyCode::Enter);
    if let Overlay::Confirm(_, command) = std::mem::take(&mut model.overlay)
        && yes
    {
        requests::confirmed(model, command, out);
    }
}
