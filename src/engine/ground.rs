//! Whether what must lie on the disk lies there: the file that was opened as the store, and the list of feeds.

use std::path::Path;

use crate::files::{self, FileId};

/// Whether the file that was opened as the store is still the one that is found under its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Ground {
    /// The file that was opened; `None` where the system does not tell files apart.
    opened: Option<FileId>,
    /// Where it is.
    pub(super) found: Found,
}

/// What lies where the store was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Found {
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
    pub(super) fn look(&mut self, now: Option<FileId>) -> Option<Found> {
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
    pub(super) const fn look(&mut self, is_there: bool) -> Seen {
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
pub(super) enum Seen {
    /// It is where it should be.
    There,
    /// It is not, and that is nothing new or may be over in a moment.
    Away,
    /// It has been away for so long that it is to be told.
    Missed,
    /// It was missed, and is there again.
    Back,
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
