//! `tidings mark`, `tidings undo` and `tidings redo`.

use std::io::Write;

use super::ask::Asking;
use super::say::count;
use super::{Context, Failure, exit};
use crate::cli::MarkWord;
use crate::config::clean_tag;
use crate::engine::{Command, Event, Ticket};
use crate::model::{ListSpec, Mark, Part};
use crate::query;

/// Marks the entries of a query and says how many changed.
pub(super) fn mark(
    word: MarkWord,
    words: &[String],
    context: &Context,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    let (mark, done) = match word {
        MarkWord::Read => (Mark::Read(true), "marked read"),
        MarkWord::Unread => (Mark::Read(false), "marked unread"),
        MarkWord::Starred => (Mark::Starred(true), "starred"),
        MarkWord::Unstarred => (Mark::Starred(false), "unstarred"),
    };
    let spec = ListSpec {
        query: query_of(words)?,
        ..ListSpec::default()
    };
    let mut asking = Asking::start(context)?;
    let changed = asking.ask(
        |ticket| Command::MarkAll {
            spec,
            part: Part::All,
            mark,
            ticket,
        },
        marked,
    )?;
    asking.end();
    writeln!(out, "{} {done}", count(changed, "entry", "entries"))?;
    Ok(exit::WELL)
}

/// Sets a tag on the entries of a query, or takes it away, and says how many changed.
pub(super) fn tag(
    tag: &str,
    remove: bool,
    words: &[String],
    context: &Context,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    let tag = clean_tag(tag)
        .ok_or_else(|| Failure::usage("the tag is empty; write it like later, or a/b"))?;
    let spec = ListSpec {
        query: query_of(words)?,
        ..ListSpec::default()
    };
    let mut asking = Asking::start(context)?;
    let changed = asking.ask(
        |ticket| Command::TagAll {
            spec,
            tag: tag.clone(),
            set: !remove,
            ticket,
        },
        marked,
    )?;
    asking.end();
    let what = if remove { "without" } else { "tagged" };
    writeln!(out, "{} {what} {tag}", count(changed, "entry", "entries"))?;
    Ok(exit::WELL)
}

/// Takes the last mark, or the last change of feeds.toml, back and says what changed.
pub(super) fn undo(context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    let mut asking = Asking::start(context)?;
    let changed = asking.ask(
        |ticket| Command::Undo { ticket },
        |event, ticket| match event {
            Event::ListUndone { ticket: of } if of == ticket => Some(None),
            event => marked(event, ticket).map(Some),
        },
    )?;
    asking.end();
    match changed {
        None => writeln!(out, "feeds.toml is as before")?,
        Some(0) => writeln!(out, "nothing to undo")?,
        Some(n) => writeln!(out, "{} as before", count(n, "entry", "entries"))?,
    }
    Ok(exit::WELL)
}

/// Does again what `undo` took back, and says how many entries changed.
pub(super) fn redo(context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    let mut asking = Asking::start(context)?;
    let changed = asking.ask(|ticket| Command::Redo { ticket }, marked)?;
    asking.end();
    match changed {
        0 => writeln!(out, "nothing to do again")?,
        n => writeln!(out, "{} marked again", count(n, "entry", "entries"))?,
    }
    Ok(exit::WELL)
}

/// The count of `Marked`.
#[expect(clippy::needless_pass_by_value, reason = "the shape of every answer")]
pub(super) fn marked(event: Event, ticket: Ticket) -> Option<u64> {
    match event {
        Event::Marked {
            ticket: of, count, ..
        } if of == ticket => Some(count),
        _ => None,
    }
}

/// Reads a query before the engine does: a mistake in it is the user's.
pub(super) fn check(text: &str) -> Result<query::Expr, Failure> {
    query::parse(text)
        .map_err(|error| Failure::usage(format!("the query {text} cannot be read: {error}")))
}

/// The query of the words; empty for `all` alone. Words that say nothing are refused: they would mark everything.
fn query_of(words: &[String]) -> Result<String, Failure> {
    if let [word] = words
        && word == "all"
    {
        return Ok(String::new());
    }
    let text = words.join(" ");
    if check(&text)?.is_empty() {
        return Err(Failure::usage(
            "the query is empty; write `all` to mark every entry",
        ));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_every_entry_and_nothing_is_none() {
        let words = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        assert_eq!(query_of(&words(&["all"])), Ok(String::new()));
        assert_eq!(query_of(&words(&["all", "x"])), Ok("all x".to_owned()));
        for empty in [words(&[""]), words(&[" ", ""])] {
            assert_eq!(
                query_of(&empty).map_err(|failure| failure.code),
                Err(exit::USAGE)
            );
        }
    }
}
