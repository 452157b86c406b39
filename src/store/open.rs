//! Opening the store, whatever lies there: nothing yet, an older layout, a newer one, damage.

use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, RwLock};

use redb::{Database, ReadableDatabase};

use super::connect::{Connected, Opener, initialise};
use super::error::{STARTING, StoreError};
use super::migrate::{self, LADDER};
use super::salvage;
use super::search::FoundCache;
use super::tables::{META, Numbers, SCHEMA, read_changes, read_schema};
use super::titles::TitleCache;
use super::transaction::guarded;
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

fn generation(database: &Database) -> Result<u64, StoreError> {
    guarded(|| read_changes(&database.begin_read()?.open_table(META)?))
}
