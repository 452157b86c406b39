//! The user's own themes: `themes/NAME.toml` in the config dir.

use std::fs;

use super::text::read;
use crate::model::{Locations, arrange};

/// Name and text of every theme, in order of the names; and a sentence for each file that could not be read.
pub fn load_themes(locations: &Locations) -> (Vec<(String, String)>, Vec<String>) {
    let (mut themes, mut unread) = (Vec::new(), Vec::new());
    let Ok(dir) = fs::read_dir(super::themes_path(locations)) else {
        // No such folder is the ordinary case.
        return (themes, unread);
    };
    for path in dir.flatten().map(|entry| entry.path()) {
        let is_toml = path
            .extension()
            .is_some_and(|extension| extension == "toml");
        let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) else {
            continue;
        };
        if !is_toml {
            continue;
        }
        match read(&path) {
            Ok(text) => themes.push((name.to_owned(), text)),
            Err(error) => unread.push(error.to_string()),
        }
    }
    arrange(&mut themes, Ord::cmp);
    (themes, unread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn themes_are_the_toml_files_of_their_folder() {
        let dir = tempfile::tempdir().expect("a folder");
        let locations = Locations {
            config_dir: dir.path().to_owned(),
            data_dir: dir.path().to_owned(),
            state_dir: dir.path().to_owned(),
        };
        assert_eq!(load_themes(&locations), (Vec::new(), Vec::new()));
        let themes = dir.path().join("themes");
        fs::create_dir(&themes).expect("a folder");
        fs::write(themes.join("night.toml"), "a = 1").expect("a file");
        fs::write(themes.join("notes.txt"), "").expect("a file");
        fs::write(themes.join("bad.toml"), b"\xff").expect("a file");
        let (found, unread) = load_themes(&locations);
        assert_eq!(found, [("night".to_owned(), "a = 1".to_owned())]);
        assert_eq!(unread.len(), 1, "{unread:?}");
    }
}
