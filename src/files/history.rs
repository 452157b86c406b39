//! What the reader remembers between sessions, in the state directory: lines of its command line, and that it was open once.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::error::FilesError;
use super::write::{make_private, write};
use crate::article::sanitize;
use crate::model::Locations;

/// Lines that are kept.
const LINES: usize = 500;

/// Bytes of a line that is kept.
const LONGEST: usize = 4_096;

/// Where the lines lie.
pub fn history_path(locations: &Locations) -> PathBuf {
    locations.state_dir.join("history")
}

/// The lines of earlier sessions, oldest first, each once: its last time. A file that cannot be read has none. One that has
/// grown to twice what is kept is cut.
pub fn history(path: &Path) -> Vec<String> {
    let bytes = fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let all: Vec<String> = text.lines().map(sanitize::line).collect();
    let mut lines: Vec<String> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for line in all.iter().rev() {
        if lines.len() < LINES && !line.is_empty() && seen.insert(line.as_str()) {
            lines.push(line.clone());
        }
    }
    lines.reverse();
    if all.len() >= 2 * LINES {
        // Another reader may lose its last line by this: nothing hangs on it.
        let _ = write(path, (lines.join("\n") + "\n").as_bytes());
    }
    lines
}

/// Adds a line at the end, whatever other readers do. The file is the owner's alone.
pub fn add_history(path: &Path, line: &str) -> Result<(), FilesError> {
    let line = sanitize::line(line);
    if line.is_empty() || line.len() > LONGEST {
        return Ok(());
    }
    if let Some(dir) = path.parent() {
        make_private(dir)?;
    }
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // In one piece: two readers must not mix their lines.
    let written = options
        .open(path)
        .and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    written.map_err(FilesError::write(path))
}

/// Nobody has opened the reader with this state directory before; true once. Where that cannot be kept nobody is greeted.
pub fn is_first(locations: &Locations) -> bool {
    let mark = locations.state_dir.join("welcomed");
    if mark.exists() || make_private(&locations.state_dir).is_err() {
        return false;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&mark).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kept_in_order_each_once_and_not_without_end() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("state/history");
        assert_eq!(history(&path), Vec::<String>::new());
        for n in 0..1_100 {
            add_history(&path, &format!("line {n}")).expect("written");
        }
        add_history(&path, "line 700").expect("written");
        add_history(&path, "with\u{1b}[2J\ncontrols").expect("written");
        let lines = history(&path);
        assert_eq!(lines.len(), LINES);
        assert_eq!(lines[LINES - 2], "line 700");
        assert!(!lines[LINES - 1].contains(char::is_control), "{lines:?}");
        assert_eq!(lines.iter().filter(|line| *line == "line 700").count(), 1);
        let text = fs::read_to_string(&path).expect("text");
        assert_eq!(text.lines().count(), LINES, "cut");
        assert_eq!(history(&path), lines);
    }

    #[test]
    fn a_reader_is_the_first_only_once() {
        let dir = tempfile::tempdir().expect("a folder");
        let locations = Locations {
            config_dir: dir.path().to_owned(),
            data_dir: dir.path().to_owned(),
            state_dir: dir.path().join("state"),
        };
        assert!(is_first(&locations));
        assert!(!is_first(&locations));
    }
}
