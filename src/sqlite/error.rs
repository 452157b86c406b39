//! Why a database cannot be read.

use std::io;

/// Why a database cannot be read. The sentences are clauses: what file it is, its reader knows.
#[derive(Debug, thiserror::Error)]
pub enum SqliteError {
    /// Of the system.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Another kind of file.
    #[error("it is no SQLite database")]
    NotADatabase,
    /// A journal beside it says that a transaction broke off.
    #[error(
        "its program is writing into it, or broke off while it did (there is a -journal file); start that program once, quit it, and try again"
    )]
    Unfinished,
    /// A feature that is not read here.
    #[error("it needs {0}, which tidings does not read")]
    Unsupported(&'static str),
    /// The bytes contradict each other.
    #[error("page {page} is damaged: {why}")]
    Damaged {
        /// From 1.
        page: u32,
        /// A clause.
        why: &'static str,
    },
    /// A row of more than 64 MiB.
    #[error("a row has {0} bytes, more than tidings reads")]
    TooLarge(u64),
}

pub(super) const fn damaged(page: u32, why: &'static str) -> SqliteError {
    SqliteError::Damaged { page, why }
}
