//! The last line: what is typed, what went wrong, how far a refresh is, what comes next.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::super::columns;
use super::super::keys::{Action, shown};
use super::super::model::{Hint, LinkAct, Model, Overlay, Prompt, Screen, Typed};
use super::super::say;
use super::super::status::Tab;
use super::super::theme::Tone;
use super::paint::{fill, put, put_right};
use super::{offers, pending};

/// Lines that an error or a question may cover.
const FULL_LINES: usize = 4;

/// Paints the line. Returns where the cursor is while something is typed.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) -> Option<Position> {
    match &model.overlay {
        Overlay::Search(prompt, _) | Overlay::Filter(prompt, _) => {
            typed(model, "/", prompt, area, buf)
        }
        Overlay::Command(prompt) => typed(model, ":", prompt, area, buf),
        Overlay::Pipe(prompt) => typed(model, "| ", prompt, area, buf),
        Overlay::Tend(tending) => typed(model, tending.sign(), &tending.prompt, area, buf),
        Overlay::Tag(tagging) => typed(model, &tagging.sign(), &tagging.prompt, area, buf),
        Overlay::Help(page) | Overlay::Messages(page) if page.typing => {
            typed(model, "/", &page.sought, area, buf)
        }
        Overlay::Links(hint) => link(model, hint, area, buf),
        Overlay::Confirm(question, _) => {
            in_full(model, question, Tone::Warn, area, buf);
            None
        }
        _ => {
            told(model, area, buf);
            pending::draw(model, area, buf);
            let (typed, end) = (typed_keys(model), area.right().saturating_sub(1));
            let style = model.theme.style(Tone::Accent);
            put_right(buf, area, end, area.y, &typed, style);
            None
        }
    }
}

/// A count and keys that have not come to their end: `12`, `3g…`.
fn typed_keys(model: &Model) -> String {
    let Typed { count, keys } = &model.typed;
    let count = count.map(|count| count.to_string()).unwrap_or_default();
    match keys.as_slice() {
        [] if count.is_empty() => count,
        [] => format!(" {count}"),
        keys => format!(" {count}{}…", shown(keys)),
    }
}

/// A line that is typed, scrolled so that the cursor is in it.
fn typed(
    model: &Model,
    sign: &str,
    prompt: &Prompt,
    area: Rect,
    buf: &mut Buffer,
) -> Option<Position> {
    let theme = &model.theme;
    offers::draw(model, prompt, area, buf);
    let x = put(buf, area, area.x, area.y, sign, theme.style(Tone::Accent));
    let field = Rect {
        x,
        width: area.right().saturating_sub(x),
        ..area
    };
    let cursor = input(model, prompt, field, buf);
    let note = match (&prompt.problem, &prompt.offers) {
        (Some(problem), _) => Some((problem.clone(), Tone::Warn)),
        (None, Some((lines, at))) if lines.len() > 1 => {
            Some((format!("{}/{}  Tab: next", at + 1, lines.len()), Tone::Dim))
        }
        _ => None,
    };
    if let Some((note, tone)) = note {
        let used = columns::width(prompt.input.value()) as u16 + x + 3;
        let room = usize::from(area.right().saturating_sub(used));
        let note = columns::cut(&note, room);
        put_right(buf, area, area.right(), area.y, &note, theme.style(tone));
    }
    cursor
}

/// The text of a prompt in its field. Returns where the cursor is.
pub fn input(model: &Model, prompt: &Prompt, field: Rect, buf: &mut Buffer) -> Option<Position> {
    if field.is_empty() {
        return None;
    }
    let value = prompt.input.value();
    let before: String = value.chars().take(prompt.input.cursor()).collect();
    let at = columns::width(&before);
    let room = usize::from(field.width) - 1;
    // Graphemes are dropped from the left until the cursor fits.
    let hidden = at.saturating_sub(room);
    let skip = (0..=before.len())
        .filter(|end| before.is_char_boundary(*end))
        .find(|end| columns::width(&before[..*end]) >= hidden)
        .unwrap_or(before.len());
    put(
        buf,
        field,
        field.x,
        field.y,
        &value[skip..],
        model.theme.style(Tone::Text),
    );
    let column = columns::width(&before[skip..]).min(room) as u16;
    Some(Position::new(field.x + column, field.y))
}

fn link(model: &Model, hint: &Hint, area: Rect, buf: &mut Buffer) -> Option<Position> {
    let theme = &model.theme;
    let x = put(
        buf,
        area,
        area.x,
        area.y,
        match hint.act {
            LinkAct::Open => " open link ",
            LinkAct::Copy => " copy link ",
            LinkAct::Add => " add the feed of link ",
            LinkAct::Play => " play number ",
        },
        theme.style(Tone::Accent),
    );
    let number = hint.typed.as_str();
    let x = put(buf, area, x, area.y, number, theme.style(Tone::Text));
    let article = model.article.as_ref()?;
    let exact = number
        .parse()
        .ok()
        .and_then(|number| article.target(number));
    let note = match exact {
        Some(url) => format!("  {url} · Enter"),
        None => match article.targets.last() {
            Some(last) => {
                let others = match hint.act {
                    LinkAct::Open => "y copies · a adds as feed",
                    LinkAct::Copy => "o opens · a adds as feed",
                    LinkAct::Add | LinkAct::Play => "o opens · y copies",
                };
                format!("  1 to {} · {others}", last.number)
            }
            None => String::new(),
        },
    };
    let room = usize::from(area.right().saturating_sub(x));
    put(
        buf,
        area,
        x,
        area.y,
        &columns::cut(&note, room),
        theme.style(Tone::Dim),
    );
    (x < area.right()).then(|| Position::new(x, area.y))
}

/// What there is to tell, the most urgent first.
fn told(model: &Model, area: Rect, buf: &mut Buffer) {
    if let Some(message) = &model.message
        && message.error
    {
        in_full(model, &message.text, Tone::Error, area, buf);
        return;
    }
    if let (None, Some(message)) = (model.progress.text(model.now), &model.message)
        && columns::width(&message.text) + 2 > usize::from(area.width)
    {
        in_full(model, &message.text, Tone::Text, area, buf);
        return;
    }
    let left = match (model.progress.text(model.now), &model.message) {
        (Some(progress), _) if !model.greets() => (progress, Tone::Text),
        (_, Some(message)) => (message.text.clone(), Tone::Text),
        (_, None) => (idle(model), Tone::Dim),
    };
    // Hints give way to what there is to say.
    let used = columns::width(&left.0) + 4;
    let end = area.right().saturating_sub(1);
    if typed_keys(model).is_empty() {
        let hints = hints(model, usize::from(area.width).saturating_sub(used));
        put_right(buf, area, end, area.y, &hints, model.theme.style(Tone::Dim));
    }
    say_it(model, &left.0, left.1, area, buf);
}

fn say_it(model: &Model, text: &str, tone: Tone, area: Rect, buf: &mut Buffer) {
    let text = columns::cut(text, usize::from(area.width).saturating_sub(2));
    put(
        buf,
        area,
        area.x + 1,
        area.y,
        &text,
        model.theme.style(tone),
    );
}

/// A sentence or a question is read to its end: it takes more lines where one is not enough.
fn in_full(model: &Model, text: &str, tone: Tone, area: Rect, buf: &mut Buffer) {
    let width = usize::from(area.width).saturating_sub(2);
    let lines = columns::fold(text, width, FULL_LINES.min(usize::from(buf.area.height)));
    let first = area.bottom().saturating_sub(lines.len() as u16);
    let place = Rect {
        y: first,
        height: area.bottom() - first,
        ..area
    };
    fill(buf, place, model.theme.style(tone));
    for (y, line) in (place.top()..).zip(&lines) {
        put(buf, place, place.x + 1, y, line, model.theme.style(tone));
    }
}

/// What is said when there is nothing to say: trouble of the feed under the cursor, else what comes next.
fn idle(model: &Model) -> String {
    if model.screen == Screen::Reader && model.focus == super::super::panes::Pane::Feeds {
        let choice = model.feeds.choice();
        if let super::super::tree::Choice::Feed(id) = choice
            && let Some(row) = model.feeds.row(id)
        {
            let next = || {
                let next = row.schedule.next?;
                let when = say::moment(next, model.now, model.zone);
                Some(format!("next poll {when} · {}", row.schedule.why))
            };
            let muted = || {
                row.mute
                    .then(|| "muted: not in All; :mute hears it again".to_owned())
            };
            return say::trouble_text(row, model.now, model.zone)
                .or_else(|| say::listed(row))
                .or_else(muted)
                .or_else(next)
                .unwrap_or_default();
        }
    }
    let rows = model.feeds.rows.iter();
    let ahead = rows.filter_map(|row| row.schedule.next);
    match ahead.filter(|next| *next > model.now).min() {
        Some(next) => format!("next poll {}", say::moment(next, model.now, model.zone)),
        None => String::new(),
    }
}

/// What is of use in the status pane: the more special first, for they are left out first.
fn status_hints(model: &Model) -> &'static [(Action, &'static str)] {
    let status = &model.status;
    match status.tab {
        Tab::Log => &[
            (Action::Refresh, "ask now"),
            (Action::Entries, "entries"),
            (Action::NextPane, "feeds"),
            (Action::Back, "back"),
        ],
        _ if status.table().lines.is_empty() => &[(Action::Back, "back")],
        Tab::Hosts => &[
            (Action::Right, "sort"),
            (Action::Invert, "turn round"),
            (Action::Search, "filter"),
            (Action::Open, "its feeds"),
            (Action::NextPane, "log"),
            (Action::Back, "back"),
        ],
        Tab::Feeds => &[
            (Action::Right, "sort"),
            (Action::Invert, "turn round"),
            (Action::Search, "filter"),
            (Action::Entries, "entries"),
            (Action::Open, "log"),
            (Action::NextPane, "hosts"),
            (Action::Back, "back"),
        ],
    }
}

/// `? help  s status`, or what is of use here, as far as there is room.
fn hints(model: &Model, room: usize) -> String {
    let actions: &[(Action, &str)] = match (&model.overlay, model.screen) {
        (Overlay::Help(_) | Overlay::Messages(_), _) => {
            &[(Action::Search, "search"), (Action::Back, "close")]
        }
        (Overlay::Twins(_), _) => &[(Action::Open, "open"), (Action::Back, "close")],
        (_, Screen::Status) => status_hints(model),
        _ => &[(Action::Help, "help"), (Action::Status, "status")],
    };
    let hint = |(action, text): &(Action, &str)| {
        model
            .keymap
            .hint(*action)
            .map(|key| format!("{key} {text}"))
    };
    let mut hints: Vec<String> = actions.iter().filter_map(hint).collect();
    while !hints.is_empty() && columns::width(&hints.join("  ")) > room {
        hints.remove(0);
    }
    hints.join("  ")
}
