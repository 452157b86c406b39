//! Has a file changed? One look at its record, no thread, no notification.

use std::fs::{self, Metadata};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// What changes with a file's content: time of the last write to the nanosecond, size, and the inode that a rename replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Trace {
    written: Option<SystemTime>,
    size: u64,
    inode: u64,
}

/// Watches one file, symbolic links followed.
#[derive(Debug)]
pub struct Watch {
    path: PathBuf,
    seen: Option<Trace>,
}

impl Watch {
    /// Takes the file as it is now for seen. It need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let seen = look(&path);
        Self { path, seen }
    }

    /// Something lies at the path now.
    pub fn is_there(&self) -> bool {
        self.path.exists()
    }

    /// The file is another than at the last call. That it vanished is a change too.
    pub fn changed(&mut self) -> bool {
        let now = look(&self.path);
        let changed = now != self.seen;
        self.seen = now;
        changed
    }
}

/// What was written less than this ago may be half of it.
const FRESH: Duration = Duration::from_millis(200);

impl Trace {
    fn is_fresh(&self) -> bool {
        // A time that is still to come is a clock that was set.
        self.written
            .is_some_and(|at| at.elapsed().unwrap_or_default() < FRESH)
    }
}

impl Watch {
    /// It was written a moment ago, as seen at the last look.
    pub fn is_fresh(&self) -> bool {
        self.seen.as_ref().is_some_and(Trace::is_fresh)
    }
}

/// Watches the files of a folder, which need not exist.
#[derive(Debug)]
pub struct WatchFolder {
    path: PathBuf,
    seen: Vec<(PathBuf, Option<Trace>)>,
}

impl WatchFolder {
    /// Takes the files as they are now for seen.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let seen = look_into(&path);
        Self { path, seen }
    }

    /// A file came, went or is another than at the last call.
    pub fn changed(&mut self) -> bool {
        let now = look_into(&self.path);
        let changed = now != self.seen;
        self.seen = now;
        changed
    }

    /// One of them was written a moment ago, as seen at the last look.
    pub fn is_fresh(&self) -> bool {
        let mut traces = self.seen.iter().filter_map(|(_, trace)| trace.as_ref());
        traces.any(Trace::is_fresh)
    }
}

fn look_into(path: &std::path::Path) -> Vec<(PathBuf, Option<Trace>)> {
    let Ok(folder) = fs::read_dir(path) else {
        return Vec::new();
    };
    let paths = folder.flatten().map(|entry| entry.path());
    let mut seen: Vec<_> = paths.map(|path| (path.clone(), look(&path))).collect();
    crate::model::arrange(&mut seen, |a, b| a.0.cmp(&b.0));
    seen
}

/// A file by what it is, not by its name: device and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileId(u64, u64);

/// The file that lies at `path` now, symbolic links followed; `None` where nothing does, or the system does not tell.
#[cfg(unix)]
pub fn identity(path: &std::path::Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    let meta = fs::metadata(path).ok()?;
    Some(FileId(meta.dev(), meta.ino()))
}

/// The file that lies at `path` now, symbolic links followed; `None` where nothing does, or the system does not tell.
#[cfg(not(unix))]
pub fn identity(_: &std::path::Path) -> Option<FileId> {
    // An open file cannot be deleted there.
    None
}

fn look(path: &std::path::Path) -> Option<Trace> {
    let meta = fs::metadata(path).ok()?;
    Some(Trace {
        written: meta.modified().ok(),
        size: meta.len(),
        inode: inode(&meta),
    })
}

#[cfg(unix)]
fn inode(meta: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(meta)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_comes_changes_is_replaced_or_goes_is_noticed_once() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("feeds.toml");
        let mut watch = Watch::new(&path);
        assert!(!watch.changed(), "nothing there");
        fs::write(&path, "a").expect("written");
        assert!(watch.changed(), "came");
        assert!(!watch.changed(), "seen");
        fs::write(&path, "ab").expect("written");
        assert!(watch.changed(), "grew");
        let beside = dir.path().join("beside");
        fs::write(&beside, "cd").expect("written");
        fs::rename(&beside, &path).expect("renamed");
        assert!(watch.changed(), "replaced");
        fs::remove_file(&path).expect("removed");
        assert!(watch.changed(), "went");
        assert!(!watch.changed(), "seen");
    }
}
