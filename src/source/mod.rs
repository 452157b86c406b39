//! Feeds that no server gives: files of this machine, and commands of the user's. The only room that starts a program for a feed.
//!
//! What runs comes from the user's own feeds.toml alone; who calls sees to that. A command is a list of words, no shell reads
//! them. It has a group of its own, a time and a size; at the limit the whole group is killed.

mod command;
mod file;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use command::run;
pub use file::read;

/// What a source may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// From the start of a command to its end.
    pub time: Duration,
    /// Bytes of output, or of a file.
    pub bytes: u64,
}

/// A path of the user's: `~/` is the home directory, a relative one lies in `folder`.
pub fn path_of(text: &str, folder: &Path) -> PathBuf {
    match (text.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) if !home.as_os_str().is_empty() => home.join(rest),
        _ => folder.join(text),
    }
}

fn too_large(limits: Limits) -> String {
    format!(
        "more than {} bytes; `max_body` under [http] in config.toml allows more",
        limits.bytes
    )
}
