//! The rows of `backfills` and `archive_pages`.

use serde::{Deserialize, Serialize};

use super::{Record, record};
use crate::model::{Backfill, Timestamp, Way, WayEnd};

/// `backfills`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BackfillV1 {
    pub way: WayV1,
    pub next: Option<String>,
    pub pass: u32,
    pub head_at: Option<i64>,
    pub at: Option<i64>,
    pub pages: u32,
    pub entries: u64,
    pub bytes: u64,
    pub last_hash: [u8; 32],
    pub end: Option<EndV1>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum WayV1 {
    Unknown,
    Archive,
    Paged,
    Param(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum EndV1 {
    Whole,
    NoPages,
    Loop,
    Same,
    Elsewhere,
    Disallowed,
    Limits,
    TooMany,
}

/// `archive_pages`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PageV1 {
    pub pass: u32,
    pub at: i64,
}

record!(BackfillV1, "backfills");
record!(PageV1, "archive_pages");

/// Model and disk have the same names.
macro_rules! ends {
    ($($name:ident)*) => {
        impl From<WayEnd> for EndV1 {
            fn from(end: WayEnd) -> Self {
                match end { $(WayEnd::$name => Self::$name,)* }
            }
        }

        impl From<EndV1> for WayEnd {
            fn from(end: EndV1) -> Self {
                match end { $(EndV1::$name => Self::$name,)* }
            }
        }
    };
}

ends!(Whole NoPages Loop Same Elsewhere Disallowed Limits TooMany);

impl From<&Backfill> for BackfillV1 {
    fn from(place: &Backfill) -> Self {
        Self {
            way: match &place.way {
                Way::Unknown => WayV1::Unknown,
                Way::Archive => WayV1::Archive,
                Way::Paged => WayV1::Paged,
                Way::Param(param) => WayV1::Param(param.clone()),
            },
            next: place.next.clone(),
            pass: place.pass,
            head_at: place.head_at.map(|at| at.0),
            at: place.at.map(|at| at.0),
            pages: place.pages,
            entries: place.entries,
            bytes: place.bytes,
            last_hash: place.last_hash,
            end: place.end.map(EndV1::from),
        }
    }
}

impl BackfillV1 {
    pub(crate) fn model(self) -> Backfill {
        Backfill {
            way: match self.way {
                WayV1::Unknown => Way::Unknown,
                WayV1::Archive => Way::Archive,
                WayV1::Paged => Way::Paged,
                WayV1::Param(param) => Way::Param(param),
            },
            next: self.next,
            pass: self.pass,
            head_at: self.head_at.map(Timestamp),
            at: self.at.map(Timestamp),
            pages: self.pages,
            entries: self.entries,
            bytes: self.bytes,
            last_hash: self.last_hash,
            end: self.end.map(WayEnd::from),
        }
    }
}
