//! The ladder from an older layout of the tables to this one, rung by rung.
//!
//! Records evolve by their version byte and need no rung. A rung is for a table or a plain value that changes: it
//! rewrites what it must inside one transaction. The file is copied first, and nobody else may have it open.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use redb::{Database, WriteTransaction};

use super::by_slot;
use super::connect::{Opener, beside};
use super::error::StoreError;
use super::tables::{META, SCHEMA, read_schema, write_schema};
use super::transaction::{PATIENCE, begin, guarded};
use crate::model::Timestamp;

/// One step of the ladder.
pub(super) struct Rung {
    /// It leads from this schema to the next.
    pub from: u32,
    /// What it rewrites.
    pub climb: fn(&WriteTransaction) -> Result<(), StoreError>,
}

/// Every rung there is, from the lowest.
pub(super) const LADDER: &[Rung] = &[Rung {
    from: 1,
    climb: by_slot::climb,
}];

/// Brings the store up to this program's layout; the sentence for the user.
pub(super) fn migrate(
    opener: &Opener,
    ladder: &[Rung],
    found: u32,
    now: Timestamp,
) -> Result<String, StoreError> {
    let database = opener.connect_alone()?;
    let copy = copy_of(opener, found, now).map_err(|e| StoreError::io("copy", e))?;
    climb(&database, ladder)?;
    Ok(format!(
        "the store was brought from format {found} to {SCHEMA}; the former one is kept as {}",
        copy.display()
    ))
}

fn copy_of(opener: &Opener, found: u32, now: Timestamp) -> io::Result<PathBuf> {
    let copy = beside(&opener.path, &format!("format-{found}"), now);
    fs::copy(&opener.path, &copy)?;
    File::open(&copy)?.sync_all()?;
    Ok(copy)
}

/// All rungs in one transaction: a crash leaves the old layout, whole.
pub(super) fn climb(database: &Database, ladder: &[Rung]) -> Result<(), StoreError> {
    guarded(|| {
        let txn = begin(database, PATIENCE)?;
        let mut schema = read_schema(&txn.open_table(META)?)?.unwrap_or(0);
        while schema < SCHEMA {
            let rung = ladder
                .iter()
                .find(|rung| rung.from == schema)
                .ok_or_else(|| StoreError::damaged(format!("meta: schema {schema}")))?;
            (rung.climb)(&txn)?;
            schema += 1;
        }
        write_schema(&mut txn.open_table(META)?, schema)?;
        Ok(txn.commit()?)
    })
}
