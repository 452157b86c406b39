//! What is kept between runs: feeds, entries, marks, validators, schedules. The only room that knows redb.
//!
//! **Reading** (`Store`) takes a read transaction per question and never waits for a writer. **Writing** (`Writer`) is
//! a handle to one thread; every act is answered after its commit, which is on disk by then (durability immediate, two
//! phases, two fsyncs). Polls share commits: see `writer`.
//!
//! **Several processes** have the file open at once. Everything that is counted is read, changed and written inside
//! one transaction; next numbers lie in `meta` and are taken there. What wins when two write about the same thing:
//!
//! - *Polling records* (schedule, hashes, validators, host state) are written whole, by whoever holds the poll lock.
//! - *`enable`* changes what the record says at that moment. A feed that is off is not being polled by anyone, so no
//!   poll can be under way that would undo it.
//! - *`lift`* may come while another process polls that host. It notes which hold it lifted; a poll that began under
//!   that hold cannot bring it back (`HostV2::conclude`), a hold set after it is a new one and wins.
//! - *A start* (`HostNote::Started`) wins over the start that a poll carries, unless the poll's is later.
//! - *Polls that wait* for their group are seen by nobody yet. Whoever polls several feeds of one host in a run carries
//!   the host's record from one to the next in memory.
//! - *Unsubscribing* during a poll: the poll's entries and validators are kept, but nothing becomes due.
//! - *Subscriptions at hubs* are written by the process that listens for hubs. What a hub delivers is merged into what is there
//!   then; of the polling record it touches the places in the ring alone.
//! - *Marks* touch the entry's mark alone; the last one wins. Two `undo` at once take back two different acts.

mod adopt;
mod agreed;
mod audit;
mod blocks;
mod by_slot;
mod codes;
mod connect;
mod cursors;
mod entries;
mod error;
mod feeds;
mod filter;
mod formers;
mod hits;
mod holds;
mod identity;
mod index;
mod kept;
mod ledger;
mod letters;
mod list;
mod mailbox;
mod marks;
mod migrate;
mod moves;
mod offline;
mod older;
mod open;
mod order;
mod own_tags;
mod pack;
mod poll;
mod prune;
mod pushes;
mod recall;
mod reconcile;
mod records;
mod rosters;
mod rows;
mod salvage;
mod search;
mod sites;
mod tables;
#[cfg(test)]
mod tests;
mod texts;
mod titles;
mod transaction;
mod twins;
mod undo;
mod walk;
mod withdrawn;
mod words;
mod work;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use redb::{Database, ReadTransaction, ReadableDatabase};

pub use adopt::{Adoption, adoption};
pub use error::StoreError;
pub use feeds::{PollInput, Snapshot};
pub use index::IndexPart;
pub use letters::{Reply, Told, Written};
pub use marks::{ListAct, Marked};
pub use moves::Twin;
pub use older::OlderCommit;
pub use open::Opened;
pub use pack::{Packed, pack};
pub use poll::{About, HostNote, PackedExchanges, PollCommit};
pub use prune::Take;
pub use pushes::Delivered;
pub use reconcile::Reconciled;
pub use search::{Pace, Waiting};
pub use withdrawn::Withdrawn;
pub use writer::Writer;

use transaction::guarded;

/// The store, for reading. A clone is another handle to the same one; any thread may ask.
#[derive(Debug, Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

/// What the readers and the writer have in common.
#[derive(Debug)]
pub(crate) struct Shared {
    path: PathBuf,
    /// `None` while the writer opens the file again after an error, and after the end. Readers take a clone of the
    /// `Arc` and let the lock go; only the writer swaps it.
    database: RwLock<Option<Arc<Database>>>,
    /// The change counter when the store was opened.
    since: AtomicU64,
    /// Commits of this process since then.
    own: AtomicU64,
    /// The order by title, when it was asked for.
    titles: titles::TitleCache,
    /// What was found by words last.
    found: search::FoundCache,
}

impl Shared {
    fn database(&self) -> Result<Arc<Database>, StoreError> {
        // A poisoned lock means that a thread panicked while it swapped an Option: the Option is whole.
        let database = match self.database.read() {
            Ok(guard) => guard.clone(),
            Err(poisoned) => poisoned.into_inner().clone(),
        };
        database.ok_or_else(|| self.absence())
    }

    /// Why there is no database: a closed store, or one that was found damaged and waits for the next start.
    fn absence(&self) -> StoreError {
        if connect::is_suspect(&self.path) {
            StoreError::damaged("its pages contradict each other").at(&self.path)
        } else {
            StoreError::Closed
        }
    }

    fn swap(&self, database: Option<Database>) {
        let database = database.map(Arc::new);
        match self.database.write() {
            Ok(mut guard) => *guard = database,
            Err(poisoned) => *poisoned.into_inner() = database,
        }
    }
}

impl Store {
    /// Runs `ask` over one snapshot.
    fn read<T>(
        &self,
        ask: impl FnOnce(&ReadTransaction) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let database = self.shared.database()?;
        guarded(|| ask(&database.begin_read()?)).map_err(|error| {
            if matches!(error, StoreError::Damaged { .. }) {
                connect::suspect(self.path());
            }
            error.at(self.path())
        })
    }

    /// The state of this moment, for many questions about polls.
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        self.read(Snapshot::new)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// The change counter: it grows with every commit of any process.
    pub fn generation(&self) -> Result<u64, StoreError> {
        self.read(|txn| tables::read_changes(&txn.open_table(tables::META)?))
    }

    /// How many commits other processes have made since this one opened the store. Another figure than the last
    /// time: what is shown may be old.
    pub fn foreign_commits(&self) -> Result<u64, StoreError> {
        let own = self.shared.own.load(Ordering::Acquire);
        let since = self.shared.since.load(Ordering::Acquire);
        Ok(self.generation()?.saturating_sub(since + own))
    }
}
