//! The file of the store: redb brought to open it, shared where the file system allows it, in bounded time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use redb::backends::FileBackend;
use redb::{ConcurrencyMode, Database, DatabaseError, StorageError};

use super::error::{STARTING, StoreError};
use super::tables::{SCHEMA, Tables, read_schema, write_schema};
use super::transaction::{PATIENCE, begin, guarded};
use crate::model::Timestamp;

/// How redb is brought to open a file: a test puts its own file system here.
type Connect =
    dyn Fn(&Path, usize, ConcurrencyMode) -> Result<Database, DatabaseError> + Send + Sync;

/// Opens the file, and opens it again after an error.
#[derive(Clone)]
pub(super) struct Opener {
    pub(super) path: PathBuf,
    cache_bytes: usize,
    connect: Arc<Connect>,
}

/// A database that was opened.
pub(super) struct Connected {
    pub database: Database,
    pub exclusive: bool,
}

impl Opener {
    pub(super) fn of_file(path: &Path, cache_bytes: usize) -> Self {
        Self::with(path, cache_bytes, Arc::new(connect_file))
    }

    pub(super) fn with(path: &Path, cache_bytes: usize, connect: Arc<Connect>) -> Self {
        Self {
            path: path.to_owned(),
            cache_bytes,
            connect,
        }
    }

    /// Opens the file in bounded time. redb waits without end for another process inside a transaction, so the
    /// opening has a thread of its own; one that comes too late is dropped there.
    pub(super) fn connect(&self) -> Result<Connected, StoreError> {
        let (done, answer) = sync_channel(1);
        let opener = self.clone();
        let deadline = Instant::now() + PATIENCE;
        thread::Builder::new()
            .name("store opening".to_owned())
            .spawn(move || {
                let connected = guarded(|| opener.connect_until(deadline));
                // Nobody waits any more: the database is closed again.
                let _ = done.send(connected);
            })
            .map_err(|error| StoreError::io(STARTING, error))?;
        match answer.recv_timeout(PATIENCE + Duration::from_millis(100)) {
            Ok(connected) => connected.map_err(|error| error.at(&self.path)),
            Err(RecvTimeoutError::Timeout) => Err(StoreError::Busy),
            Err(RecvTimeoutError::Disconnected) => Err(StoreError::Closed),
        }
    }

    fn connect_until(&self, deadline: Instant) -> Result<Connected, StoreError> {
        loop {
            let error = match self.connect_once(ConcurrencyMode::MultiWriter) {
                Ok(database) => {
                    return Ok(Connected {
                        database,
                        exclusive: false,
                    });
                }
                Err(Refusal::CannotShare) => match self.connect_exclusive() {
                    Ok(database) => {
                        return Ok(Connected {
                            database,
                            exclusive: true,
                        });
                    }
                    Err(error) => error,
                },
                Err(Refusal::Other(error)) => error,
            };
            // Somebody has it alone: for a migration, which is short, or because it cannot be shared.
            if !matches!(error, StoreError::Exclusive { .. }) || Instant::now() >= deadline {
                return Err(error);
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Opens the file for this process alone.
    pub(super) fn connect_alone(&self) -> Result<Database, StoreError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.connect_exclusive() {
                Err(StoreError::Exclusive { .. }) if Instant::now() < deadline => {
                    thread::sleep(Duration::from_millis(50));
                }
                connected => return connected,
            }
        }
    }

    /// redb goes on without any lock where the file system has none; then two processes would write over each other.
    fn connect_exclusive(&self) -> Result<Database, StoreError> {
        let file = open_file(&self.path).map_err(|error| StoreError::io("open", error))?;
        match file.try_lock() {
            Ok(()) => drop(file),
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Exclusive {
                    path: self.path.clone(),
                });
            }
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                return Err(StoreError::NoLocks {
                    path: self.path.clone(),
                });
            }
            Err(TryLockError::Error(error)) => return Err(StoreError::io("lock", error)),
        }
        match self.connect_once(ConcurrencyMode::ExclusiveWriter) {
            Ok(database) => Ok(database),
            Err(Refusal::Other(error)) => Err(error),
            Err(Refusal::CannotShare) => Err(StoreError::NoLocks {
                path: self.path.clone(),
            }),
        }
    }

    /// Gives the room that nothing uses any more back to the file system. Nobody else may have the store open. The sizes of
    /// the file before and after, in bytes.
    pub(super) fn compact(&self) -> Result<(u64, u64), StoreError> {
        let size = || {
            let about =
                fs::metadata(&self.path).map_err(|error| StoreError::io("look at", error))?;
            Ok::<u64, StoreError>(about.len())
        };
        let before = size()?;
        let mut database = self.connect_alone()?;
        guarded(|| {
            // Each round frees what the one before left in the way.
            while database.compact().map_err(StoreError::from)? {}
            Ok(())
        })?;
        drop(database);
        Ok((before, size()?))
    }

    fn connect_once(&self, mode: ConcurrencyMode) -> Result<Database, Refusal> {
        let opened = guarded(|| Ok((self.connect)(&self.path, self.cache_bytes, mode)));
        match opened.map_err(Refusal::Other)? {
            Ok(database) => Ok(database),
            Err(error) => Err(refusal(error)),
        }
    }

    pub(super) fn unsuspect(&self) {
        let _ = fs::remove_file(named(&self.path, "suspect"));
    }

    pub(super) fn suspected(&self) -> bool {
        self.path.exists() && is_suspect(&self.path)
    }
}

enum Refusal {
    /// The file system has no locks on ranges of bytes.
    CannotShare,
    Other(StoreError),
}

fn refusal(error: DatabaseError) -> Refusal {
    Refusal::Other(match error {
        DatabaseError::Storage(StorageError::Unsupported) => return Refusal::CannotShare,
        DatabaseError::Storage(StorageError::Io(error)) => match error.kind() {
            io::ErrorKind::Unsupported => return Refusal::CannotShare,
            // Not a redb file, or one that ends too early.
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
                StoreError::damaged(error.to_string())
            }
            _ => StoreError::io("open", error),
        },
        DatabaseError::UpgradeRequired(_) | DatabaseError::RepairAborted => {
            StoreError::damaged(error.to_string())
        }
        other => other.into(),
    })
}

fn connect_file(
    path: &Path,
    cache_bytes: usize,
    mode: ConcurrencyMode,
) -> Result<Database, DatabaseError> {
    Database::builder()
        .set_cache_size(cache_bytes)
        .set_concurrency_mode(mode)
        .create_with_backend(FileBackend::new(open_file(path)?)?)
}

/// The file for reading and writing; made where there is none, for the owner alone.
pub(super) fn open_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

/// Makes the tables. Another process may have done so a moment ago.
pub(super) fn initialise(database: &Database) -> Result<(), StoreError> {
    guarded(|| {
        let txn = begin(database, PATIENCE)?;
        {
            let mut tables = Tables::open(&txn)?;
            if read_schema(&tables.meta)?.is_some() {
                return Ok(());
            }
            write_schema(&mut tables.meta, SCHEMA)?;
        }
        Ok(txn.commit()?)
    })
}

/// Notes that the store at `path` could not be read: the next start looks through the whole file.
pub(super) fn suspect(path: &Path) {
    // Where even this cannot be written, the next start meets the damage itself.
    let _ = fs::write(named(path, "suspect"), "");
}

/// Whether somebody has noted so.
pub(super) fn is_suspect(path: &Path) -> bool {
    named(path, "suspect").exists()
}

/// `tidings.redb.WORD`.
pub(super) fn named(path: &Path, word: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{word}"));
    path.with_file_name(name)
}

/// `tidings.redb.WORD-YYYYMMDD-HHMMSS`, with a number behind where that is taken.
pub(super) fn beside(path: &Path, word: &str, now: Timestamp) -> PathBuf {
    let digits: String = now.rfc3339().chars().filter(char::is_ascii_digit).collect();
    let (day, time) = digits.split_at_checked(8).unwrap_or((&digits, ""));
    let name = format!("{word}-{day}-{time}");
    let first = named(path, &name);
    if !first.exists() {
        return first;
    }
    (2..10_000)
        .map(|n| named(path, &format!("{name}-{n}")))
        .find(|path| !path.exists())
        .unwrap_or(first)
}
