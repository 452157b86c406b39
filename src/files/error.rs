//! What goes wrong with files, as sentences.

use std::io;
use std::path::{Path, PathBuf};

use crate::config::ConfigError;
use crate::model::reason;

/// A file could not be read, understood or written.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// The text is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// It cannot be read.
    #[error("{} cannot be read: {}; check that it is a file and that you may read it", path.display(), reason(source))]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is not UTF-8.
    #[error("{}:{line}: this is not UTF-8; save the file as UTF-8", path.display())]
    Encoding {
        /// The file.
        path: PathBuf,
        /// The first line that is not, from 1.
        line: usize,
    },
    /// It cannot be written.
    #[error("{} cannot be written: {}; nothing was changed", path.display(), reason(source))]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The list of feeds is kept by somebody else, e.g. a system that manages the configuration.
    #[error("{} is read-only; {what}:\n\n{lines}", path.display())]
    ReadOnly {
        /// The file, symbolic links resolved.
        path: PathBuf,
        /// What to do with the lines, a clause.
        what: &'static str,
        /// Exactly the lines to paste in or to take out.
        lines: String,
    },
    /// Another tidings has been editing for too long.
    #[error("another tidings is editing {}; try again in a moment", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
}

impl FilesError {
    /// The exit code of the command line.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Config(_) | Self::Read { .. } | Self::Encoding { .. } | Self::ReadOnly { .. } => {
                2
            }
            Self::Busy { .. } => 75,
            Self::Write { .. } => 70,
        }
    }

    pub(super) fn write(path: &Path) -> impl Fn(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Write {
            path: path.clone(),
            source,
        }
    }
}
