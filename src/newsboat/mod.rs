//! What newsboat's files say, in the terms of this house: its filter language, its `config`, and the rows of its cache. Pure.
//!
//! What has no counterpart is left with the reason, never dropped.

mod articles;
mod binds;
mod colours;
mod filter;
mod given;
mod lines;
mod programs;
mod settings;
mod strange;
mod terms;
#[cfg(test)]
mod tests;

pub use articles::{Article, COLUMNS};
pub use filter::{FilterError, query_of};
pub use lines::{Line, lines, plain, without_login};
pub use settings::{Mapping, map};

use crate::config::Wanted;

/// Something of newsboat's that found no place, or one with a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// File and line, as they are shown.
    pub place: String,
    /// The line, clean and without secrets.
    pub text: String,
    /// A clause: why, and what to do instead.
    pub why: String,
}

/// Something that is to stand in config.toml, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// File and line, as they are shown.
    pub place: String,
    /// The line, clean and without secrets.
    pub text: String,
    /// It.
    pub wanted: Wanted,
}
