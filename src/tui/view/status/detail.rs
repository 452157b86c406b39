//! All there is to say about the line under the cursor: when it is asked next, and what was weighed for that.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::model::{Bound, Explanation, FeedRow, Schedule, Why, Wish, human};

use super::super::super::columns;
use super::super::super::keys::Action;
use super::super::super::model::Model;
use super::super::super::say;
use super::super::super::status::{Figures, Subject};
use super::super::super::theme::Tone;
use super::super::paint::put;

/// A word of a line and its tone.
type Part = (String, Tone);

/// Lines under one name.
struct Fact {
    name: &'static str,
    parts: Vec<Part>,
}

impl Fact {
    fn new(name: &'static str, text: impl Into<String>, tone: Tone) -> Self {
        Self {
            name,
            parts: vec![(text.into(), tone)],
        }
    }

    fn and(mut self, text: impl Into<String>, tone: Tone) -> Self {
        self.parts.push((text.into(), tone));
        self
    }
}

/// Columns of the names.
const NAMES: u16 = 8;

/// Paints what is known of the line from the top of `area`.
pub fn draw(model: &Model, line: &Figures, area: Rect, buf: &mut Buffer) {
    let facts = match &line.subject {
        Subject::Feed(id) => match model.feeds.row(*id) {
            Some(row) => feed(model, row),
            None => return,
        },
        Subject::Host(_) => host(model, line),
    };
    let mut y = area.top();
    for fact in facts {
        if y >= area.bottom() {
            return;
        }
        let style = model.theme.style(Tone::Dim);
        put(buf, area, area.x, y, fact.name, style);
        let room = Rect {
            x: area.x + NAMES.min(area.width),
            y,
            width: area.width.saturating_sub(NAMES),
            height: area.bottom() - y,
        };
        y += flow(model, &fact.parts, room, buf).max(1);
    }
}

/// Paints parts with dots between them, on more lines where they do not fit on one. Returns the lines taken.
fn flow(model: &Model, parts: &[Part], area: Rect, buf: &mut Buffer) -> u16 {
    let (mut x, mut y) = (area.x, area.y);
    for (nth, (text, tone)) in parts.iter().enumerate() {
        let wide = columns::width(text) as u16;
        if nth > 0 {
            if x + 3 + wide > area.right() && y + 1 < area.bottom() {
                (x, y) = (area.x, y + 1);
            } else {
                x = put(buf, area, x, y, " · ", model.theme.style(Tone::Dim));
            }
        }
        let room = usize::from(area.right().saturating_sub(x));
        let text = columns::cut(text, room);
        x = put(buf, area, x, y, &text, model.theme.style(*tone));
    }
    y - area.y + 1
}

/// ` · L ends it`: what a key would do, as far as it has a key.
fn by_key(model: &Model, action: Action, does: &str) -> Option<Part> {
    let key = model.keymap.hint(action)?;
    Some((format!("{key} {does}"), Tone::Accent))
}

fn feed(model: &Model, row: &FeedRow) -> Vec<Fact> {
    let explanation = model.status.explained.of(row.feed.id);
    let mut facts = vec![Fact::new(
        "address",
        say::address(&row.feed.url),
        Tone::Text,
    )];
    facts.extend(moved(model, row));
    facts.push(next(model, row));
    facts.extend(explanation.and_then(|known| weighed(known, &row.schedule)));
    facts.extend(held(model, row, explanation));
    facts.push(last(model, row));
    facts.push(sends(row, explanation));
    facts.extend(wishes(model, row));
    facts.extend(pushed(model, row));
    facts
}

/// What its hub has delivered (R79).
fn pushed(model: &Model, row: &FeedRow) -> Option<Fact> {
    let push = row.push.as_deref()?;
    let last = push.delivered?;
    let mut text = format!(
        "{} by {}, the last {}",
        say::many(push.deliveries, "delivery", "deliveries"),
        say::address(&push.hub),
        say::moment(last, model.now, model.zone),
    );
    if let Some(latency) = push.latency {
        text += ", ";
        text += &say::span(latency);
        text += " after publication";
    }
    let fact = Fact::new("pushed", text, Tone::Text);
    Some(match push.refused {
        0 => fact,
        refused => fact.and(format!("{refused} refused"), Tone::Warn),
    })
}

/// What its publisher wants, and what is done about it.
fn wishes(model: &Model, row: &FeedRow) -> Option<Fact> {
    let wishes = row.wishes(model.now);
    let part = |wish: &Wish| (format!("{}: {}", wish.says, wish.does), Tone::Text);
    let parts: Vec<Part> = wishes.iter().map(part).collect();
    (!parts.is_empty()).then_some(Fact {
        name: "wish",
        parts,
    })
}

/// A permanent move: believed, or watched (R53).
fn moved(model: &Model, row: &FeedRow) -> Option<Fact> {
    if let Some(moved) = &row.moved {
        let since = say::moment(moved.at, model.now, model.zone);
        let to = say::address(&moved.to);
        let mut fact = Fact::new("moved", format!("to {to}, since {since}"), Tone::Warn);
        fact.parts.extend(by_key(
            model,
            Action::AdoptMove,
            "writes it into feeds.toml",
        ));
        fact.parts
            .extend(by_key(model, Action::UndoMove, "takes it back"));
        return Some(fact);
    }
    let moving = row.moving.as_ref()?;
    let times = say::many(u64::from(moving.seen), "time", "times");
    let text = format!(
        "to {}, seen {times}; not believed yet",
        say::address(&moving.target)
    );
    Some(Fact::new("moving", text, Tone::Dim))
}

fn next(model: &Model, row: &FeedRow) -> Fact {
    match row.schedule.next {
        Some(next) if next <= model.now => {
            Fact::new("next", "due", Tone::Accent).and(row.schedule.why.to_string(), Tone::Text)
        }
        Some(next) => {
            let at = say::moment(next, model.now, model.zone);
            let left = say::countdown(next, model.now);
            Fact::new("next", format!("{at}, in {left}"), Tone::Accent)
                .and(row.schedule.reason(), Tone::Text)
        }
        None => {
            let mut fact = Fact::new("next", row.schedule.why.to_string(), Tone::Error);
            fact.parts
                .extend(by_key(model, Action::Enable, "asks again"));
            fact
        }
    }
}

/// Every bound that was considered; the one that decided stands out, those another took the place of are dim.
fn weighed(known: &Explanation, schedule: &Schedule) -> Option<Fact> {
    let decided = |bound: &&Bound| bound.why == schedule.why;
    let longest = || {
        let binding = known.bounds.iter().filter(|bound| bound.binds);
        binding.max_by_key(|bound| bound.secs)
    };
    let winner = known.bounds.iter().find(decided).or_else(longest)?;
    let part = |bound: &Bound| {
        let text = bound_text(bound);
        match bound {
            bound if bound == winner => (format!("▸ {text}"), Tone::Accent),
            Bound { binds: true, .. } => (text, Tone::Text),
            _ => (text, Tone::Dim),
        }
    };
    Some(Fact {
        name: "weighed",
        parts: known.bounds.iter().map(part).collect(),
    })
}

fn bound_text(bound: &Bound) -> String {
    let secs = || human(u32::try_from(bound.secs.max(0)).unwrap_or(u32::MAX));
    match bound.why {
        Why::Streak { unchanged, .. } => format!("unchanged ×{unchanged} {}", secs()),
        Why::HostHold | Why::Skip | Why::Budget => format!("{} {}", say::rule(bound.why), secs()),
        why => say::rule(why),
    }
}

fn held(model: &Model, row: &FeedRow, explanation: Option<&Explanation>) -> Option<Fact> {
    let until = row.hold_until.filter(|until| *until > model.now)?;
    let at = say::moment(until, model.now, model.zone);
    let mut fact = Fact::new("held", format!("{} until {at}", row.host), Tone::Warn);
    if let Some(by) = explanation
        .and_then(|known| known.hold.as_ref())
        .and_then(|hold| hold.by.as_ref())
    {
        let when = say::moment(by.at, model.now, model.zone);
        let text = format!("{} from {} at {when}", by.status, say::address(&by.url));
        fact = fact.and(text, Tone::Text);
    }
    fact.parts.extend(by_key(model, Action::Lift, "ends it"));
    Some(fact)
}

fn last(model: &Model, row: &FeedRow) -> Fact {
    let Some(last) = &row.last else {
        return Fact::new("last", "never asked", Tone::Dim);
    };
    let tone = say::trouble(row, model.now).map_or(Tone::Text, say::Trouble::tone);
    let status = last
        .status
        .map_or_else(|| "no answer".to_owned(), |status| status.to_string());
    let age = match say::age(last.at, model.now) {
        age if age == "now" => age,
        age => format!("{age} ago"),
    };
    Fact::new("last", format!("{status}, {age}"), tone).and(say::outcome(&last.outcome), tone)
}

/// The validators of the next request, as the server gave them, and why those.
fn sends(row: &FeedRow, explanation: Option<&Explanation>) -> Fact {
    let text = |bytes: &[u8]| crate::article::sanitize::line(&String::from_utf8_lossy(bytes));
    let sent = match explanation {
        Some(known) => known.sends.clone(),
        None => row.mode.pick(&row.validators),
    };
    let mut parts = Vec::new();
    if let Some(etag) = &sent.etag {
        parts.push((format!("If-None-Match: {}", text(etag)), Tone::Text));
    }
    if let Some(date) = &sent.last_modified {
        parts.push((format!("If-Modified-Since: {}", text(date)), Tone::Text));
    }
    if parts.is_empty() {
        parts.push(("no validators".to_owned(), Tone::Warn));
    }
    let why = explanation.map(|known| known.validators_reason.to_string());
    let why = why.or_else(|| say::mode(row.mode).map(str::to_owned));
    parts.extend(why.map(|why| (why, Tone::Dim)));
    Fact {
        name: "sends",
        parts,
    }
}

fn host(model: &Model, line: &Figures) -> Vec<Fact> {
    let Subject::Host(key) = &line.subject else {
        return Vec::new();
    };
    let rows = model.feeds.rows.iter().filter(|row| row.host == key.0);
    let feeds = say::many(u64::from(line.feeds), "feed", "feeds");
    let mut facts = vec![Fact::new("host", key.0.clone(), Tone::Text).and(feeds, Tone::Text)];
    if let Some(until) = line.held(model.now) {
        let at = say::moment(until, model.now, model.zone);
        let left = say::countdown(until, model.now);
        let mut fact = Fact::new("held", format!("until {at}, {left} left"), Tone::Warn);
        fact.parts.extend(by_key(model, Action::Lift, "ends it"));
        facts.push(fact);
    }
    if let Some(state) = model.status.known_hosts.get(key) {
        if state.crawl_delay_ms > 0 {
            let delay = say::span(i64::from(state.crawl_delay_ms / 1000));
            let text = format!("{delay} between requests, as its robots.txt asks");
            facts.push(Fact::new("delay", text, Tone::Text));
        }
        if state.throttled > 0 {
            let text = say::many(u64::from(state.throttled), "answer", "answers");
            facts.push(Fact::new("429", format!("{text} in a row"), Tone::Warn));
        }
    }
    facts.push(Fact {
        name: "feeds",
        parts: rows
            .take(40)
            .map(|row| (say::name(row), Tone::Dim))
            .collect(),
    });
    facts
}
