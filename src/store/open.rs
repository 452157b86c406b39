//! Opening: shared where the file system allows it, in bounded time, whatever lies there.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use redb::backends::FileBackend;
use redb::{ConcurrencyMode, Database, DatabaseError, ReadableDatabase, StorageError};

use super::error::{STARTING, StoreError};
use super::migrate::{self, LADDER};
use super::salvage;
use super::search::FoundCache;
use super::tables::{META, Numbers, SCHEMA, Tables, read_changes, read_schema, write_schema};
use super::titles::TitleCache;
use super::transaction::{PATIENCE, begin, guarded};
use super::writer::{self, Writer};
use super::{Shared, Store};
use crate::model::Timestamp;

/// redb's cache while a store is compacted, in bytes.
const COMPACTING: usize = 32 * 1024 * 1024;

/// A store that was opened.
#[derive(Debug)]
pub struct Opened {
    /// For reading.
    pub store: Store,
    /// For writing.
    pub writer: Writer,
    /// This file system cannot share the store: no other process can open it meanwhile.
    pub exclusive: bool,
    /// What the user should be told: a sentence each.
    pub notices: Vec<String>,
}

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

/// What lies in a file that redb can open.
enum Found {
    /// Nothing yet.
    Fresh,
    /// A store of this layout.
    Current,
    /// A store of an older one.
    Older(u32),
}

impl Store {
    /// Opens the store at `path`, and makes it where there is none. `cache_bytes` is what redb may keep of the file in
    /// memory. Waits at most 5 s for another process.
    ///
    /// A damaged file is set aside, what can be read of it is saved, and a notice says so. A store of an older layout
    /// is copied and brought up to date. A store of a newer one is `StoreError::Newer`, untouched.
    pub fn open(path: &Path, cache_bytes: usize, now: Timestamp) -> Result<Opened, StoreError> {
        Opener::of_file(path, cache_bytes).open(now)
    }

    /// Makes the file of a store that nobody has open as small as what it holds. Its sizes before and after, in bytes.
    pub fn compact(path: &Path) -> Result<(u64, u64), StoreError> {
        let opener = Opener::of_file(path, COMPACTING);
        opener.compact().map_err(|error| error.at(path))
    }
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

    pub(super) fn open(self, now: Timestamp) -> Result<Opened, StoreError> {
        let mut notices = Vec::new();
        let connected = self
            .settle(now, &mut notices)
            .map_err(|error| error.at(&self.path))?;
        if connected.exclusive {
            notices.push(format!(
                "the file system of {} cannot share a file between programs: no second tidings can use the store meanwhile",
                self.path.display()
            ));
        }
        let since = generation(&connected.database).map_err(|error| error.at(&self.path))?;
        let shared = Arc::new(Shared {
            path: self.path.clone(),
            database: RwLock::new(Some(Arc::new(connected.database))),
            since: AtomicU64::new(since),
            own: AtomicU64::new(0),
            titles: TitleCache::default(),
            found: FoundCache::default(),
        });
        let writer =
            writer::start(shared.clone(), self).map_err(|error| StoreError::io(STARTING, error))?;
        Ok(Opened {
            store: Store { shared },
            writer,
            exclusive: connected.exclusive,
            notices,
        })
    }

    /// Connects to a store that is whole and of this layout, whatever it takes.
    fn settle(&self, now: Timestamp, notices: &mut Vec<String>) -> Result<Connected, StoreError> {
        salvage::resume(&self.path)?;
        if self.suspected() {
            match salvage::rebuild(self, "it could not be read the last time", now) {
                Ok(notice) => notices.extend(notice),
                // Others are at work with it: so it may not be that bad.
                Err(StoreError::Exclusive { .. } | StoreError::Busy) => {}
                Err(error) => return Err(error),
            }
        }
        // Once to set a damaged file aside, once to bring it up to date, once for somebody else doing the same.
        for _ in 0..3 {
            let found = self.connect().and_then(|connected| {
                let found = inspect(&connected.database)?;
                Ok((connected, found))
            });
            match found {
                Ok((connected, Found::Current)) => return Ok(connected),
                Ok((connected, Found::Fresh)) => {
                    initialise(&connected.database)?;
                    return Ok(connected);
                }
                Ok((connected, Found::Older(schema))) => {
                    drop(connected);
                    notices.push(migrate::migrate(self, LADDER, schema, now)?);
                }
                Err(StoreError::Damaged { detail, .. }) => {
                    notices.extend(salvage::rebuild(self, &detail, now)?);
                }
                Err(error) => return Err(error),
            }
        }
        Err(StoreError::damaged("it does not get better"))
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

    fn suspected(&self) -> bool {
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

fn inspect(database: &Database) -> Result<Found, StoreError> {
    guarded(|| {
        let txn = database.begin_read()?;
        let meta = match txn.open_table(META) {
            Err(redb::TableError::TableDoesNotExist(_)) => {
                return match txn.list_tables()?.next() {
                    None => Ok(Found::Fresh),
                    Some(_) => Err(StoreError::damaged("it is not a store of tidings")),
                };
            }
            meta => meta?,
        };
        match read_schema(&meta)? {
            Some(SCHEMA) => {
                // Whoever cannot read these cannot go on.
                Numbers::read(&meta)?;
                Ok(Found::Current)
            }
            Some(found) if found > SCHEMA => Err(StoreError::Newer {
                found,
                known: SCHEMA,
            }),
            Some(found) => Ok(Found::Older(found)),
            None => Err(StoreError::damaged("it says no format")),
        }
    })
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

fn generation(database: &Database) -> Result<u64, StoreError> {
    guarded(|| read_changes(&database.begin_read()?.open_table(META)?))
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
