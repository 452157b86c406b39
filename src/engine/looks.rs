//! config.toml and the themes as they were seen last, and whether one was saved since.

use crate::files::{self, Watch, WatchFolder};
use crate::model::Locations;

/// Ticks after which a config.toml that went is taken for removed: an editor that replaces it takes less than one.
const GRACE: u8 = 2;

/// What is watched, and how long a change still waits.
#[derive(Debug)]
pub(super) struct Looks {
    settings: Watch,
    themes: WatchFolder,
    /// Ticks until the last change is believed; `None` while there is none.
    waiting: Option<u8>,
}

impl Looks {
    /// Takes the files as they are now for seen.
    pub(super) fn new(locations: &Locations) -> Self {
        Self {
            settings: Watch::new(files::config_path(locations)),
            themes: WatchFolder::new(files::themes_path(locations)),
            waiting: None,
        }
    }

    /// Something is to be read again: it changed, and whoever wrote it is done.
    pub(super) fn changed(&mut self) -> bool {
        let settings = self.settings.changed();
        if self.themes.changed() || settings {
            // What was written a moment ago may be half of it.
            self.waiting = Some(if settings && !self.settings.is_there() {
                GRACE
            } else {
                u8::from(self.settings.is_fresh() || self.themes.is_fresh())
            });
        } else {
            self.waiting = self.waiting.map(|ticks| ticks.saturating_sub(1));
        }
        self.waiting.take_if(|ticks| *ticks == 0).is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    use super::*;

    fn home() -> (tempfile::TempDir, Locations) {
        let dir = tempfile::tempdir().expect("a folder");
        let locations = Locations {
            config_dir: dir.path().to_owned(),
            data_dir: dir.path().to_owned(),
            state_dir: dir.path().to_owned(),
        };
        (dir, locations)
    }

    /// A file that was written a while ago.
    fn old(path: &std::path::Path, text: &str) {
        fs::write(path, text).expect("written");
        let then = SystemTime::now() - Duration::from_secs(60);
        let file = File::options().write(true).open(path).expect("there");
        file.set_modified(then).expect("set");
    }

    #[test]
    fn a_change_is_believed_at_once_when_it_is_done_and_a_tick_later_when_it_is_fresh() {
        let (_dir, locations) = home();
        let path = files::config_path(&locations);
        let mut looks = Looks::new(&locations);
        assert!(!looks.changed());
        old(&path, "mouse = true");
        assert!(looks.changed());
        assert!(!looks.changed(), "once");
        let soon = SystemTime::now() + Duration::from_secs(60);
        fs::write(&path, "mouse = false").expect("written");
        let file = File::options().write(true).open(&path).expect("there");
        file.set_modified(soon).expect("set");
        assert!(!looks.changed(), "perhaps half of it");
        assert!(looks.changed());
        assert!(!looks.changed());
    }

    #[test]
    fn a_file_that_is_replaced_is_not_taken_for_removed() {
        let (_dir, locations) = home();
        let path = files::config_path(&locations);
        old(&path, "mouse = true");
        let mut looks = Looks::new(&locations);
        fs::remove_file(&path).expect("removed");
        assert!(!looks.changed());
        old(&path, "mouse = false");
        assert!(looks.changed(), "it is back, and another");
        fs::remove_file(&path).expect("removed");
        assert_eq!(
            [looks.changed(), looks.changed(), looks.changed()],
            [false, false, true]
        );
    }

    #[test]
    fn a_theme_that_comes_changes_or_goes_is_seen() {
        let (_dir, locations) = home();
        let mut looks = Looks::new(&locations);
        let themes = files::themes_path(&locations);
        fs::create_dir(&themes).expect("made");
        let night = themes.join("night.toml");
        old(&night, "text = \"red\"");
        assert!(looks.changed());
        old(&night, "text = \"blue\" ");
        assert!(looks.changed());
        fs::remove_file(&night).expect("removed");
        assert!(looks.changed());
        assert!(!looks.changed());
    }
}
