//! Looks at the list of feeds and the store while a reader is open, once a tick, one look at a file's record each.

use std::path::Path;

use crate::files;

use super::ground::{Found, Seen};
use super::protocol::{Event, FailureKind, LIST_BROKEN, STORE_LOST, Ticket};
use super::run::Engine;

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
