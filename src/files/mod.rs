//! The user's text files: read, watched, edited under a lock. What they mean is `config`'s; here is where they lie and how
//! they are written without ever being half there.

mod credentials;
mod error;
mod history;
mod lock;
mod text;
mod themes;
mod watch;
mod write;

pub use crate::model::reason;
pub use credentials::credentials;
pub use error::FilesError;
pub use history::{add_history, history, history_path, is_first};
pub use lock::{PollLock, PushLock};
pub use text::{edit_settings, edit_subscriptions, load_settings, load_subscriptions, read};
pub use themes::load_themes;
pub use watch::{FileId, Watch, WatchFolder, identity};
pub use write::{make_private, prepare, publish, write};

use std::path::{Path, PathBuf};

use crate::model::Locations;

/// Where `config.toml` lies.
pub fn config_path(locations: &Locations) -> PathBuf {
    locations.config_dir.join("config.toml")
}

/// Where the user's themes lie.
pub fn themes_path(locations: &Locations) -> PathBuf {
    locations.config_dir.join("themes")
}

/// Where `feeds.toml` lies.
pub fn feeds_path(locations: &Locations) -> PathBuf {
    locations.config_dir.join("feeds.toml")
}

/// A path of the user's: `~/` is the home directory, a relative one is beside `config.toml`.
pub fn resolve(path: &Path, locations: &Locations) -> PathBuf {
    match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) if !home.as_os_str().is_empty() => home.join(rest),
        _ => locations.config_dir.join(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_the_home_s_or_beside_the_configuration_or_absolute() {
        let locations = Locations {
            config_dir: "/c".into(),
            data_dir: "/d".into(),
            state_dir: "/s".into(),
        };
        assert_eq!(resolve(Path::new("a/b"), &locations), Path::new("/c/a/b"));
        assert_eq!(resolve(Path::new("/a/b"), &locations), Path::new("/a/b"));
        if let Some(home) = std::env::home_dir().filter(|home| !home.as_os_str().is_empty()) {
            let expected = home.join("a");
            assert_eq!(resolve(Path::new("~/a"), &locations), expected);
        }
    }
}
