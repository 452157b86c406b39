//! Lines that are typed: the search, the command line, the number of a link.

use crossterm::event::KeyCode;
use tui_input::{Input, InputRequest};

use crate::article::sanitize;
use crate::config::masked;
use crate::query;

use super::super::keys::Key;
use super::super::list::Goal;
use super::super::model::{AddStep, Hint, LinkAct, Model, Overlay, Prompt};
use super::super::msg::Effect;
use super::super::panes::Pane;
use super::super::say;
use super::{add, command, entries, handing, jump, reading, tagging};

/// Begins a search; what was searched for stands in the line.
pub fn search(model: &mut Model, out: &mut Vec<Effect>) {
    tagging::ask(model, out);
    let before = model.entries.spec.query.clone();
    model.overlay = Overlay::Search(Prompt::with(&before), before);
}

/// Begins a command.
pub fn command(model: &mut Model, out: &mut Vec<Effect>) {
    tagging::ask(model, out);
    model.overlay = Overlay::Command(Prompt::default());
}

/// A key while a query is typed: the list follows every letter.
pub fn search_key(model: &mut Model, key: Key, out: &mut Vec<Effect>) {
    let Overlay::Search(prompt, before) = &mut model.overlay else {
        return;
    };
    match key.code {
        KeyCode::Enter if prompt.problem.is_some() => {}
        KeyCode::Enter => {
            model.overlay = Overlay::None;
            model.focus = Pane::Entries;
        }
        KeyCode::Esc => {
            let before = std::mem::take(before);
            model.overlay = Overlay::None;
            look_for(model, before, out);
        }
        KeyCode::Tab => complete_search(model, 1, out),
        KeyCode::BackTab => complete_search(model, -1, out),
        _ => {
            if edit(&mut prompt.input, key) {
                prompt.offers = None;
                let query = prompt.input.value().trim().to_owned();
                look_for(model, query, out);
            }
        }
    }
}

/// Tab in a search: the next line that what was typed may become.
fn complete_search(model: &mut Model, steps: isize, out: &mut Vec<Effect>) {
    let Overlay::Search(prompt, _) = &model.overlay else {
        return;
    };
    let (lines, at) = match &prompt.offers {
        Some((lines, at)) => {
            let next = (*at as isize + steps).rem_euclid(lines.len().max(1) as isize);
            (lines.clone(), next as usize)
        }
        None => (completions(model, prompt.input.value()), 0),
    };
    let Some(line) = lines.get(at).cloned() else {
        return;
    };
    if let Overlay::Search(prompt, _) = &mut model.overlay {
        *prompt = Prompt {
            offers: Some((lines, at)),
            ..Prompt::with(&line)
        };
    }
    look_for(model, line.trim().to_owned(), out);
}

/// What a query may become.
pub fn completions(model: &Model, line: &str) -> Vec<String> {
    let rows = &model.feeds.rows;
    let of_feeds = rows.iter().flat_map(|row| &row.feed.tags);
    let mut tags: Vec<String> = of_feeds.chain(&model.own_tags).cloned().collect();
    tags.sort();
    tags.dedup();
    let feeds: Vec<String> = rows.iter().map(say::name).collect();
    query::complete(
        line,
        query::Names {
            tags: &tags,
            feeds: &feeds,
        },
    )
}

/// Narrows the list to `query`. One that is not understood leaves the list as it is: while it is typed that is
/// said beside it, afterwards as an error.
pub fn look_for(model: &mut Model, query: String, out: &mut Vec<Effect>) {
    let problem = query::parse(&query).err().map(|error| error.to_string());
    match (&mut model.overlay, problem) {
        (Overlay::Search(prompt, _), problem) => {
            prompt.problem = problem;
            if prompt.problem.is_some() {
                return;
            }
        }
        (_, Some(problem)) => {
            model.fail(format!("this search is not understood: {problem}"));
            return;
        }
        (_, None) => {}
    }
    if query != model.entries.spec.query {
        entries::show(model, query, Goal::Top, out);
    }
}

/// What a key did to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typed {
    /// The line is done.
    Done,
    /// The line is dropped.
    Dropped,
    /// The text is another.
    Changed,
    /// Nothing, or the cursor alone moved.
    Nothing,
}

/// A key in a line that needs nothing but text.
pub fn typed(input: &mut Input, key: Key) -> Typed {
    match key.code {
        KeyCode::Enter => Typed::Done,
        KeyCode::Esc => Typed::Dropped,
        _ if edit(input, key) => Typed::Changed,
        _ => Typed::Nothing,
    }
}

/// A key while a command is typed.
pub fn command_key(model: &mut Model, key: Key, out: &mut Vec<Effect>) {
    let Overlay::Command(prompt) = &mut model.overlay else {
        return;
    };
    match key.code {
        KeyCode::Enter => {
            let line = prompt.input.value().trim().to_owned();
            model.overlay = Overlay::None;
            if !line.is_empty() {
                remember(model, &line, out);
                command::run(model, &line, out);
            }
        }
        KeyCode::Esc => model.overlay = Overlay::None,
        KeyCode::Char('c') if key.control => model.overlay = Overlay::None,
        KeyCode::Backspace if prompt.input.value().is_empty() => model.overlay = Overlay::None,
        KeyCode::Tab => command::complete(model, 1),
        KeyCode::BackTab => command::complete(model, -1),
        KeyCode::Up => recall(model, 1),
        KeyCode::Down => recall(model, -1),
        KeyCode::Char('p') if key.control => recall(model, 1),
        KeyCode::Char('n') if key.control => recall(model, -1),
        _ => {
            if edit(&mut prompt.input, key) {
                prompt.offers = None;
                prompt.back = 0;
            }
        }
    }
}

/// Keeps a line for `Up`, in this session and in later ones; never a password in the file.
fn remember(model: &mut Model, line: &str, out: &mut Vec<Effect>) {
    model.history.retain(|old| old != line);
    model.history.push(line.to_owned());
    let is_secret = |word: &str| word.contains('@') && masked(word) != word;
    if !line.split_whitespace().any(is_secret) {
        out.push(Effect::Keep(line.to_owned()));
    }
}

/// A line typed before that begins with what was typed, `steps` further back.
fn recall(model: &mut Model, steps: isize) {
    let Overlay::Command(prompt) = &mut model.overlay else {
        return;
    };
    if prompt.back == 0 {
        prompt.begun = prompt.input.value().to_owned();
    }
    let begun = std::mem::take(&mut prompt.begun);
    let fits = |line: &&String| line.starts_with(&begun) && **line != begun;
    let lines: Vec<&String> = model.history.iter().rev().filter(fits).collect();
    let back = prompt.back.saturating_add_signed(steps).min(lines.len());
    let line = match back {
        0 => &begun,
        back => lines[back - 1],
    };
    *prompt = Prompt {
        back,
        ..Prompt::with(line)
    };
    prompt.begun = begun;
}

/// A key while the number of a link is typed.
pub fn links_key(model: &mut Model, key: Key, out: &mut Vec<Effect>) {
    let Overlay::Links(Hint { typed, act }) = &mut model.overlay else {
        return;
    };
    match key.code {
        KeyCode::Char('o') => *act = LinkAct::Open,
        KeyCode::Char('y') => *act = LinkAct::Copy,
        KeyCode::Char('a') => *act = LinkAct::Add,
        KeyCode::Char(digit @ '0'..='9') if typed.len() < 6 => {
            typed.push(digit);
            follow_if_clear(model, out);
        }
        KeyCode::Backspace if !typed.is_empty() => {
            typed.pop();
        }
        KeyCode::Enter => {
            let number = typed.parse().unwrap_or(0);
            follow(model, number, out);
        }
        KeyCode::Char('j') | KeyCode::Down => reading::scroll(model, 1),
        KeyCode::Char('k') | KeyCode::Up => reading::scroll(model, -1),
        _ => model.overlay = Overlay::None,
    }
}

/// Follows the link as soon as no longer number begins with what was typed.
fn follow_if_clear(model: &mut Model, out: &mut Vec<Effect>) {
    let (Overlay::Links(Hint { typed, .. }), Some(article)) = (&model.overlay, &model.article)
    else {
        return;
    };
    let begins = |number: u32| number.to_string().starts_with(typed.as_str());
    let mut fitting = article
        .targets
        .iter()
        .filter(|target| begins(target.number));
    match (fitting.next(), fitting.next()) {
        (Some(target), None) => {
            let number = target.number;
            follow(model, number, out);
        }
        (Some(_), Some(_)) => {}
        (None, _) => {
            let text = format!("there is no link {typed}");
            model.overlay = Overlay::None;
            model.say(text);
        }
    }
}

fn follow(model: &mut Model, number: u32, out: &mut Vec<Effect>) {
    let act = match std::mem::take(&mut model.overlay) {
        Overlay::Links(hint) => hint.act,
        _ => LinkAct::Open,
    };
    let url = model
        .article
        .as_ref()
        .and_then(|article| article.target(number))
        .map(str::to_owned);
    match url {
        Some(url) => match act {
            LinkAct::Open => reading::open_url(model, &url, out),
            LinkAct::Copy => reading::copy_url(model, &url, out),
            LinkAct::Add => add::open(model, &url),
            LinkAct::Play => handing::play_url(model, &url, out),
        },
        None => model.say(format!("there is no link {number}")),
    }
}

/// Text was pasted: into the line that is being typed, and nowhere else.
pub fn paste(model: &mut Model, text: &str, out: &mut Vec<Effect>) {
    let text = sanitize::line(text);
    let insert = |input: &mut Input| {
        for c in text.chars() {
            input.handle(InputRequest::InsertChar(c));
        }
    };
    match &mut model.overlay {
        Overlay::Search(prompt, _) => {
            insert(&mut prompt.input);
            let query = prompt.input.value().trim().to_owned();
            look_for(model, query, out);
        }
        Overlay::Pipe(prompt) => insert(&mut prompt.input),
        Overlay::Tend(tending) => insert(&mut tending.prompt.input),
        Overlay::Tag(tagging) => insert(&mut tagging.prompt.input),
        Overlay::Help(help) | Overlay::Messages(help) if help.typing => {
            insert(&mut help.sought.input);
        }
        Overlay::Command(prompt) => {
            insert(&mut prompt.input);
            prompt.offers = None;
        }
        Overlay::Jump(jump) => {
            insert(&mut jump.prompt.input);
            jump::narrow(model);
        }
        Overlay::Add(dialog) if dialog.step == AddStep::Typing => insert(&mut dialog.prompt.input),
        _ => {}
    }
}

/// Edits a line. False when the key means nothing there.
pub fn edit(input: &mut Input, key: Key) -> bool {
    let request = match (key.code, key.control, key.alt) {
        (KeyCode::Char(c), false, false) => InputRequest::InsertChar(c),
        (KeyCode::Backspace, _, true) | (KeyCode::Char('w'), true, _) => {
            InputRequest::DeletePrevWord
        }
        (KeyCode::Backspace, ..) | (KeyCode::Char('h'), true, _) => InputRequest::DeletePrevChar,
        (KeyCode::Delete, ..) | (KeyCode::Char('d'), true, _) => InputRequest::DeleteNextChar,
        (KeyCode::Left, true, _) | (KeyCode::Char('b'), _, true) => InputRequest::GoToPrevWord,
        (KeyCode::Right, true, _) | (KeyCode::Char('f'), _, true) => InputRequest::GoToNextWord,
        (KeyCode::Left, ..) | (KeyCode::Char('b'), true, _) => InputRequest::GoToPrevChar,
        (KeyCode::Right, ..) | (KeyCode::Char('f'), true, _) => InputRequest::GoToNextChar,
        (KeyCode::Home, ..) | (KeyCode::Char('a'), true, _) => InputRequest::GoToStart,
        (KeyCode::End, ..) | (KeyCode::Char('e'), true, _) => InputRequest::GoToEnd,
        (KeyCode::Char('u'), true, _) => InputRequest::DeleteLine,
        (KeyCode::Char('k'), true, _) => InputRequest::DeleteTillEnd,
        _ => return false,
    };
    input.handle(request);
    true
}
