//! What must lie on the disk while a reader is open: the list of feeds and the store. Looked at once a tick, one look at a
//! file's record each.

use std::path::Path;

use crate::files::{self, FileId};

use super::protocol::{Event, FailureKind, LIST_BROKEN, STORE_LOST, Ticket};
use super::run::Engine;

/// Whether the file that was opened as the store is still the one that is found under its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Ground {
    /// The file that was opened; `None` where the system does not tell files apart.
    opened: Option<FileId>,
    /// Where it is.
    found: Found,
}

/// What lies where the store was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Found {
    /// The store.
    #[default]
    InPlace,
    /// Nothing.
    Deleted,
    /// Another file.
    Replaced,
}

impl Ground {
    /// The file that lies at `path` now is the one that was opened.
    pub(super) fn new(path: &Path) -> Self {
        Self {
            opened: files::identity(path),
            found: Found::InPlace,
        }
    }

    /// Takes in what lies there now; `Some` when that is news.
    fn look(&mut self, now: Option<FileId>) -> Option<Found> {
        let opened = self.opened?;
        let found = match now {
            None => Found::Deleted,
            Some(now) if now != opened => Found::Replaced,
            Some(_) => Found::InPlace,
        };
        let before = std::mem::replace(&mut self.found, found);
        (before != found).then_some(found)
    }

    /// What is written goes to a file that nobody will find again.
    pub(super) fn is_lost(&self) -> bool {
        self.found != Found::InPlace
    }
}

/// Ticks after which a list that is not there is missed: an editor that replaces it takes less than one.
const GRACE: u8 = 2;

/// How long the list has not been there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Absence(u8);

impl Absence {
    /// One more look.
    const fn look(&mut self, is_there: bool) -> Seen {
        let before = self.0;
        self.0 = if is_there {
            0
        } else {
            before.saturating_add(1)
        };
        match (before, self.0) {
            (GRACE.., 0) => Seen::Back,
            (_, 0) => Seen::There,
            (_, GRACE) => Seen::Missed,
            _ => Seen::Away,
        }
    }
}

/// What a look at the list finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// It is where it should be.
    There,
    /// It is not, and that is nothing new or may be over in a moment.
    Away,
    /// It has been away for so long that it is to be told.
    Missed,
    /// It was missed, and is there again.
    Back,
}

impl Engine {
    /// feeds.toml: read again when it changed, kept as it was known when it is gone.
    pub(super) async fn look_at_list(&mut self) {
        let is_there = self.feeds.is_empty() || self.watch.is_there();
        match self.absence.look(is_there) {
            Seen::Missed => self.tell(self.list_missed()),
            Seen::Back => self.reload_and_tell().await,
            Seen::There if self.watch.changed() => self.reload_and_tell().await,
            Seen::There | Seen::Away => {}
        }
    }

    fn list_missed(&self) -> Event {
        let path = files::feeds_path(&self.shared.locations);
        let path = path.display();
        Event::Failed {
            ticket: Ticket(0),
            what: LIST_BROKEN.to_owned(),
            why: format!(
                "{path} is gone; put it back, or make an empty one to unsubscribe from everything"
            ),
            kind: FailureKind::Usage,
        }
    }

    /// The store: told when its file is not where it was opened, and when it is back.
    pub(super) fn look_at_store(&mut self) {
        let path = self.shared.store.path().to_owned();
        match self.ground.look(files::identity(&path)) {
            None => {}
            Some(Found::InPlace) => {
                self.tell(Event::Notice("the store is back in its place".to_owned()));
            }
            Some(found) => self.fail(Ticket(0), STORE_LOST, lost(found, &path)),
        }
    }

    /// Answers a command that would write where nobody reads.
    pub(super) fn refuse_lost(&self, ticket: Ticket, what: &str) {
        let why = lost(self.ground.found, self.shared.store.path());
        self.fail(ticket, what, why);
    }
}

/// What happened, and what to do.
fn lost(found: Found, path: &Path) -> String {
    let path = path.display();
    let (happened, then) = match found {
        Found::Replaced => ("was replaced by another file", "tidings uses that one"),
        Found::InPlace | Found::Deleted => (
            "was deleted",
            "a new one is made from feeds.toml; put a copy back first to have the old marks",
        ),
    };
    format!(
        "{path} {happened} while it was open, and nothing is polled or marked any more; quit and start again: {then}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_is_replaced_is_not_missed_and_one_that_is_gone_is_told_once() {
        let mut absence = Absence::default();
        for (is_there, seen) in [
            (true, Seen::There),
            (false, Seen::Away),
            (true, Seen::There),
            (false, Seen::Away),
            (false, Seen::Missed),
            (false, Seen::Away),
            (true, Seen::Back),
            (true, Seen::There),
        ] {
            assert_eq!(absence.look(is_there), seen);
        }
    }

    #[test]
    fn a_store_that_is_gone_or_another_is_told_once_and_its_return_too() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("tidings.redb");
        let beside = dir.path().join("beside");
        std::fs::write(&path, "a").expect("written");
        let mut ground = Ground::new(&path);
        let mut look = || {
            let told = ground.look(files::identity(&path));
            (told, ground.is_lost())
        };
        assert_eq!(look(), (None, false));
        std::fs::rename(&path, &beside).expect("moved");
        assert_eq!(look(), (Some(Found::Deleted), true));
        assert_eq!(look(), (None, true));
        std::fs::write(&path, "b").expect("written");
        assert_eq!(look(), (Some(Found::Replaced), true));
        std::fs::rename(&beside, &path).expect("moved");
        assert_eq!(look(), (Some(Found::InPlace), false));
    }
}
