//! `tidings prune`: what is beyond the limits goes, and the file shrinks if wanted.

use std::io::Write;

use super::ask::Asking;
use super::say::count;
use super::{Context, Failure, exit};
use crate::cli::Prune;
use crate::engine::{self, Command, Event, StartError, Ticket};
use crate::model::{Pruned, bytes};

/// Prunes, or says what would be pruned.
pub(super) fn prune(wanted: Prune, context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    let dry_run = wanted.dry_run;
    let mut asking = Asking::start(context)?;
    let removed = asking.ask(|ticket| Command::Prune { dry_run, ticket }, pruned)?;
    asking.end();
    writeln!(out, "{}", sentence(removed, dry_run))?;
    if wanted.compact {
        out.flush()?;
        let (before, after) = engine::compact(&context.locations)
            .map_err(|error| super::ask::start_failure(&StartError::Store(error)))?;
        writeln!(
            out,
            "the store has {} now, {} before",
            bytes(after),
            bytes(before)
        )?;
    }
    Ok(exit::WELL)
}

#[expect(clippy::needless_pass_by_value, reason = "the shape of every answer")]
fn pruned(event: Event, ticket: Ticket) -> Option<Pruned> {
    match event {
        Event::Pruned { ticket: of, pruned } if of == ticket => Some(pruned),
        _ => None,
    }
}

fn sentence(pruned: Pruned, dry_run: bool) -> String {
    if pruned.entries == 0 {
        return "nothing is beyond the limits of [keep] in config.toml".to_owned();
    }
    let entries = count(pruned.entries, "entry", "entries");
    let feeds = count(pruned.feeds, "feed", "feeds");
    let (what, after) = if dry_run {
        ("would go", "; undo would not bring them back")
    } else {
        ("went", "; undo does not bring them back")
    };
    format!(
        "{entries} of {feeds} {what}, {} of text{after}; starred ones stay",
        bytes(pruned.bytes)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_is_said_in_a_sentence() {
        let some = Pruned {
            feeds: 1,
            entries: 12,
            bytes: 34_000,
        };
        assert_eq!(
            sentence(some, true),
            "12 entries of 1 feed would go, 34 kB of text; undo would not bring them back; starred ones stay"
        );
        assert_eq!(
            sentence(some, false),
            "12 entries of 1 feed went, 34 kB of text; undo does not bring them back; starred ones stay"
        );
        assert_eq!(
            sentence(Pruned::default(), false),
            "nothing is beyond the limits of [keep] in config.toml"
        );
    }
}
