//! The rows of `cursors`.

use serde::{Deserialize, Serialize};

use super::{Record, record};
use crate::model::{Cursor, Timestamp};

/// `cursors`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CursorV1 {
    pub whole_at: i64,
    pub newest: Option<i64>,
    pub token: Option<String>,
    pub refused_until: Option<i64>,
}

record!(CursorV1, "cursors");

impl From<&Cursor> for CursorV1 {
    fn from(cursor: &Cursor) -> Self {
        Self {
            whole_at: cursor.whole_at.0,
            newest: cursor.newest.map(|at| at.0),
            token: cursor.token.clone(),
            refused_until: cursor.refused_until.map(|at| at.0),
        }
    }
}

impl CursorV1 {
    pub(crate) fn model(self) -> Cursor {
        Cursor {
            whole_at: Timestamp(self.whole_at),
            newest: self.newest.map(Timestamp),
            token: self.token,
            refused_until: self.refused_until.map(Timestamp),
        }
    }
}
