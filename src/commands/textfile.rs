//! The ledger in a file for the textfile collector of `node_exporter`: written beside it and renamed, so that nobody ever
//! reads half a page.

use std::path::Path;

use super::ask::Asking;
use super::figures::hosts;
use super::openmetrics::{self, Dialect};
use super::say::now;
use super::{Context, Failure};
use crate::files::{self, FilesError};
use crate::model::FeedRow;

/// Reads the ledger and writes the page.
pub fn write_textfile(path: &Path, context: &Context) -> Result<(), Failure> {
    let mut asking = Asking::start(context)?;
    let rows = asking.feeds()?;
    asking.end();
    Ok(publish(path, &rows)?)
}

/// Writes the page of these feeds.
pub(super) fn publish(path: &Path, rows: &[FeedRow]) -> Result<(), FilesError> {
    let mut page = Vec::with_capacity(64 * 1024);
    // A vector takes all that is written.
    let _ = openmetrics::write(
        rows,
        Some(&hosts(rows)),
        now(),
        Dialect::Prometheus,
        &mut page,
    );
    files::publish(path, &page)
}
