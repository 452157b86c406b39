//! Codes of the plain values: the bits of a mark, and what a row of `keys` stands for.

use super::error::StoreError;

/// Bit of `marks`: read.
pub(super) const READ: u8 = 1;
/// Bit of `marks`: starred.
pub(super) const STARRED: u8 = 2;
/// Bit of `marks`: hidden by a rule; always read as well, so that no list of unread entries has it.
pub(super) const HIDDEN: u8 = 4;
/// Bit of `marks`: a complete feed lists it no longer.
pub(super) const WITHDRAWN: u8 = 8;

/// The content hash, in `keys`, of an entry that was taken over from another reader and that its feed has not brought yet.
pub(super) const UNSEEN: [u8; 32] = [0; 32];

/// What a row of `keys` stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Head and body are stored.
    Stored,
    /// It was, and was pruned: it must not return as new.
    Pruned,
    /// A mark was imported before the entry was ever seen.
    Awaited,
}

impl State {
    pub(super) const fn code(self) -> u8 {
        match self {
            Self::Stored => 0,
            Self::Pruned => 1,
            Self::Awaited => 2,
        }
    }

    pub(super) fn read(code: u8) -> Result<Self, StoreError> {
        match code {
            0 => Ok(Self::Stored),
            1 => Ok(Self::Pruned),
            2 => Ok(Self::Awaited),
            _ => Err(StoreError::damaged(format!("keys: state {code}"))),
        }
    }
}
