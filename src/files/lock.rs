//! Locks between processes: who polls, and who edits.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::error::FilesError;
use super::write::make_private;
use crate::model::Locations;

/// How long an edit waits for another one.
const EDIT_WAIT: Duration = Duration::from_secs(10);

/// Held while polls run (R66). Dropping it lets the next process poll; so does the end of the process, however it ends.
#[derive(Debug)]
pub struct PollLock {
    // Closing the file gives the lock back.
    _file: File,
}

impl PollLock {
    /// Takes `poll.lock` in the data directory; `None` while another process has it. On a file system without locks every
    /// process gets it: there the store is exclusive and a second process does not come this far.
    pub fn try_acquire(locations: &Locations) -> Result<Option<Self>, FilesError> {
        let path = locations.data_dir.join("poll.lock");
        let file = open(&path, &locations.data_dir)?;
        Ok(try_lock(&file)
            .map_err(FilesError::write(&path))?
            .then_some(Self { _file: file }))
    }
}

/// Held by the process that listens for hubs of WebSub, as long as it does.
#[derive(Debug)]
pub struct PushLock {
    _file: File,
}

impl PushLock {
    /// Takes `push.lock` in the data directory; `None` while another process has it. Without locks every process gets it: the
    /// address that is listened at decides then.
    pub fn try_acquire(locations: &Locations) -> Result<Option<Self>, FilesError> {
        let path = locations.data_dir.join("push.lock");
        let file = open(&path, &locations.data_dir)?;
        Ok(try_lock(&file)
            .map_err(FilesError::write(&path))?
            .then_some(Self { _file: file }))
    }
}

/// Held while `feeds.toml` is read, edited and replaced.
#[derive(Debug)]
pub(super) struct EditLock {
    _file: File,
}

impl EditLock {
    /// Waits for `feeds.lock` in the data directory: the configuration directory may be read-only.
    pub(super) fn acquire(locations: &Locations, edited: &Path) -> Result<Self, FilesError> {
        let path = locations.data_dir.join("feeds.lock");
        let file = open(&path, &locations.data_dir)?;
        let began = Instant::now();
        while !try_lock(&file).map_err(FilesError::write(&path))? {
            if began.elapsed() > EDIT_WAIT {
                return Err(FilesError::Busy {
                    path: edited.to_owned(),
                });
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(Self { _file: file })
    }
}

fn open(path: &Path, dir: &Path) -> Result<File, FilesError> {
    make_private(dir)?;
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(FilesError::write(path))
}

/// Whether the lock was had. A file system that knows no locks grants it.
fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) if knows_no_locks(&error) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn knows_no_locks(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported || is_no_lock_code(error)
}

#[cfg(unix)]
fn is_no_lock_code(error: &io::Error) -> bool {
    use rustix::io::Errno;
    [Errno::NOLCK, Errno::OPNOTSUPP, Errno::NOSYS]
        .iter()
        .any(|code| error.raw_os_error() == Some(code.raw_os_error()))
}

#[cfg(not(unix))]
fn is_no_lock_code(_: &io::Error) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_polls_at_a_time_and_dropping_the_lock_lets_the_next() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let locations = Locations {
            config_dir: dir.path().join("config"),
            data_dir: dir.path().join("data"),
            state_dir: dir.path().join("state"),
        };
        let first = PollLock::try_acquire(&locations)
            .expect("no error")
            .expect("free");
        assert!(
            PollLock::try_acquire(&locations)
                .expect("no error")
                .is_none()
        );
        drop(first);
        assert!(
            PollLock::try_acquire(&locations)
                .expect("no error")
                .is_some()
        );
    }
}
