//! One write transaction: begun with patience, checked against the schema, counted.

use std::thread;
use std::time::{Duration, Instant};

use redb::{Database, Key, Table, TableDefinition, Value, WriteTransaction};

use super::error::StoreError;
use super::tables::{Numbers, SCHEMA, Tables, read_schema};
use crate::model::caught;

/// How long another process's transaction is waited for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 2 } else { 5 });

/// A write transaction with all tables open.
pub(crate) struct Writing<'t> {
    txn: &'t WriteTransaction,
    pub(crate) tables: Tables<'t>,
    pub(crate) numbers: Numbers,
    before: Numbers,
    changed: bool,
    /// For encoding, used again.
    pub(crate) buffer: Vec<u8>,
}

impl<'t> Writing<'t> {
    fn open(txn: &'t WriteTransaction) -> Result<Self, StoreError> {
        let tables = Tables::open(txn)?;
        // Another program may have changed the layout between two of our transactions.
        if read_schema(&tables.meta)? != Some(SCHEMA) {
            return Err(StoreError::Stale);
        }
        let numbers = Numbers::read(&tables.meta)?;
        Ok(Self {
            txn,
            tables,
            numbers,
            before: numbers,
            changed: false,
            buffer: Vec::with_capacity(1024),
        })
    }

    /// A table that stands apart from the others: few transactions need it.
    pub(crate) fn extra<K: Key + 'static, V: Value + 'static>(
        &self,
        table: TableDefinition<'_, K, V>,
    ) -> Result<Table<'t, K, V>, StoreError> {
        Ok(self.txn.open_table(table)?)
    }

    /// Something was written: without this word the transaction is dropped, and costs no fsync.
    pub(crate) const fn touch(&mut self) {
        self.changed = true;
    }

    fn finish(mut self) -> Result<bool, StoreError> {
        if self.changed {
            self.numbers.changes += 1;
            self.numbers.write(&mut self.tables.meta, &self.before)?;
        }
        Ok(self.changed)
    }
}

/// Runs `act` in one write transaction. True beside its answer: something was committed.
pub(crate) fn write<T>(
    database: &Database,
    act: impl FnOnce(&mut Writing<'_>) -> Result<T, StoreError>,
) -> Result<(T, bool), StoreError> {
    guarded(|| {
        let txn = begin(database, PATIENCE)?;
        let mut writing = Writing::open(&txn)?;
        let answer = act(&mut writing)?;
        let changed = writing.finish()?;
        if changed {
            txn.commit()?;
        } else {
            txn.abort()?;
        }
        Ok((answer, changed))
    })
}

/// Begins a write transaction, waiting for another process at most `patience`.
pub(crate) fn begin(
    database: &Database,
    patience: Duration,
) -> Result<WriteTransaction, StoreError> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        match database.try_begin_write() {
            Err(redb::TransactionError::WouldBlock) if start.elapsed() < patience => {
                // redb can wait itself, but not for a bounded time.
                thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(20));
            }
            begun => return Ok(begun?),
        }
    }
}

/// redb may panic over a file that something else has damaged (it says so itself): an error like any other.
pub(crate) fn guarded<T>(act: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    // The words of the panic are in the log; to a person they say nothing.
    caught(act).unwrap_or_else(|_| Err(StoreError::damaged("its pages contradict each other")))
}
