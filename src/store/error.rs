//! What can go wrong with the store, as sentences.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::{FeedId, reason};

/// Why the store could not do what it was asked. Every value says what to do next; all of them can be
/// cloned, for one failed commit answers many questions.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The file was written by a later version. Nothing was changed.
    #[error(
        "the store was written by a newer tidings (its format is {found}, this one knows {known}): \
         use that version, or another --data-dir"
    )]
    Newer {
        /// Schema number of the file.
        found: u32,
        /// Schema number of this program.
        known: u32,
    },
    /// Another process kept the store locked for longer than five seconds.
    #[error("the store is busy: another tidings is writing; try again in a moment")]
    Busy,
    /// Another process has the store for itself: this file system cannot share it, or it is being migrated.
    #[error(
        "the store {} is used by another tidings, and cannot be shared here: close that one first",
        path.display()
    )]
    Exclusive {
        /// The store.
        path: PathBuf,
    },
    /// The file system cannot lock files at all: two processes would destroy each other's work.
    #[error(
        "the store {} lies on a file system without file locks: choose another with --data-dir",
        path.display()
    )]
    NoLocks {
        /// The store.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("could not {what} the store {}: {}{}", path.display(), reason(source), advice(what, source))]
    Io {
        /// `open`, `read`, `write`.
        what: &'static str,
        /// The store.
        path: PathBuf,
        /// The system's words.
        source: Arc<io::Error>,
    },
    /// A mark could not be written now. It is kept in memory and written once the store can be.
    #[error(
        "the mark is not saved yet, and will be as soon as the store {} can be written: {}{}",
        path.display(), reason(source), advice("write", source)
    )]
    Unsaved {
        /// The store.
        path: PathBuf,
        /// The system's words.
        source: Arc<io::Error>,
    },
    /// The file's content makes no sense. The next start sets it aside and saves what can be read.
    #[error(
        "the store {} is damaged ({detail}): start tidings again to have it set aside and rebuilt",
        path.display()
    )]
    Damaged {
        /// The store.
        path: PathBuf,
        /// What was found.
        detail: String,
    },
    /// Another, newer tidings changed the layout while this one had it open. Nothing was written.
    #[error("another version of tidings has changed the store's layout: restart this one")]
    Stale,
    /// No feed has this number.
    #[error("no such feed in the store: {}", .0.0)]
    UnknownFeed(FeedId),
    /// The query of a list cannot be read.
    #[error("the query cannot be read: {0}")]
    Query(String),
    /// The store was closed, or is being opened again after an error.
    #[error("the store is closed")]
    Closed,
}

/// `what` of an error of compressing entries.
pub(super) const PACKING: &str = "pack for";
/// `what` of an error of starting the store's threads.
pub(super) const STARTING: &str = "start a thread for";

impl StoreError {
    /// Trying again later helps: exit code 75.
    pub const fn is_busy(&self) -> bool {
        matches!(self, Self::Busy | Self::Exclusive { .. })
    }

    /// The operating system or the file itself failed: the database must be opened again.
    pub(super) const fn breaks_the_store(&self) -> bool {
        matches!(self, Self::Io { .. } | Self::Damaged { .. } | Self::Closed)
    }

    /// The same error with the store's path, where it has none yet.
    #[must_use]
    pub(super) fn at(mut self, store: &Path) -> Self {
        if let Self::Io { path, .. }
        | Self::Damaged { path, .. }
        | Self::Exclusive { path }
        | Self::NoLocks { path }
        | Self::Unsaved { path, .. } = &mut self
            && path.as_os_str().is_empty()
        {
            store.clone_into(path);
        }
        self
    }

    pub(super) fn damaged(detail: impl Into<String>) -> Self {
        Self::Damaged {
            path: PathBuf::new(),
            detail: detail.into(),
        }
    }

    pub(super) fn io(what: &'static str, source: io::Error) -> Self {
        Self::Io {
            what,
            path: PathBuf::new(),
            source: Arc::new(source),
        }
    }
}

impl From<redb::Error> for StoreError {
    fn from(error: redb::Error) -> Self {
        match error {
            redb::Error::Io(source) => Self::io("use", source),
            redb::Error::PreviousIo | redb::Error::Unsupported | redb::Error::Backend(_) => {
                Self::io("use", io::Error::other(error.to_string()))
            }
            redb::Error::DatabaseClosed => Self::Closed,
            redb::Error::WouldBlock => Self::Busy,
            redb::Error::DatabaseAlreadyOpen | redb::Error::LockProtocolMismatch => {
                Self::Exclusive {
                    path: PathBuf::new(),
                }
            }
            // Corrupted, wrong table types, a value that cannot be: none of them is this program's own file.
            other => Self::damaged(other.to_string()),
        }
    }
}

/// What to do when the system refused: the end of a sentence.
fn advice(what: &str, source: &io::Error) -> &'static str {
    match source.kind() {
        // Neither is a matter of files.
        _ if [PACKING, STARTING].contains(&what) => "",
        io::ErrorKind::StorageFull | io::ErrorKind::FileTooLarge | io::ErrorKind::QuotaExceeded => {
            "; free space on that file system, or move the data to another and name it with --data-dir"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; check that you may write there, or choose another place with --data-dir"
        }
        _ => "; check that disk, or choose another place with --data-dir",
    }
}

macro_rules! from_redb {
    ($($error:ident),*) => {$(
        impl From<redb::$error> for StoreError {
            fn from(error: redb::$error) -> Self {
                redb::Error::from(error).into()
            }
        }
    )*};
}

from_redb!(
    StorageError,
    TableError,
    TransactionError,
    CommitError,
    DatabaseError
);

impl From<redb::CompactionError> for StoreError {
    fn from(error: redb::CompactionError) -> Self {
        match error {
            redb::CompactionError::Storage(error) => error.into(),
            // Somebody reads or writes: nobody may meanwhile.
            _ => Self::Busy,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_is_a_sentence_with_the_path_where_there_is_one() {
        let store = Path::new("/data/tidings.redb");
        for (error, says) in [
            (StoreError::Newer { found: 9, known: 1 }, "newer tidings"),
            (
                StoreError::damaged("x"),
                "/data/tidings.redb is damaged (x)",
            ),
            (
                StoreError::io("open", io::Error::other("no")),
                "could not open the store /data/tidings.redb: no",
            ),
            (redb::StorageError::PreviousIo.into(), "/data/tidings.redb"),
            (
                StoreError::io("use", io::ErrorKind::FileTooLarge.into()),
                "file too large; free space on that file system, or move",
            ),
            (
                StoreError::io("open", io::ErrorKind::PermissionDenied.into()),
                "permission denied; check that you may write there, or choose another place with --data-dir",
            ),
            (
                StoreError::Unsaved {
                    path: PathBuf::new(),
                    source: Arc::new(io::ErrorKind::StorageFull.into()),
                },
                "/data/tidings.redb can be written: no storage space; free space on that",
            ),
            (
                StoreError::io("use", io::Error::from_raw_os_error(5)),
                "; check that disk, or choose another place with --data-dir",
            ),
        ] {
            let said = error.at(store).to_string();
            assert!(said.contains(says), "{said}");
            assert!(!said.contains("os error"), "{said}");
        }
    }

    #[test]
    fn only_waiting_helps_against_a_busy_store() {
        assert!(StoreError::Busy.is_busy());
        assert!(StoreError::from(redb::DatabaseError::DatabaseAlreadyOpen).is_busy());
        assert!(!StoreError::Closed.is_busy());
    }
}
