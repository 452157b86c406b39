//! The rows of `sites`.

use serde::{Deserialize, Serialize};

use super::{Record, record, seconds, time};
use crate::model::{Site, SiteFile, Timestamp, Validators};

/// `sites`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SiteV1<'a> {
    pub begun: i64,
    #[serde(borrow)]
    pub files: Vec<SiteFileV1<'a>>,
    /// Marks of pages, eight bytes each, the lowest first.
    #[serde(borrow, serialize_with = "super::at_once")]
    pub seen: &'a [u8],
}

/// A file of an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SiteFileV1<'a> {
    pub url: &'a str,
    pub changed: Option<i64>,
    pub applied: Option<i64>,
    pub since: i64,
    pub asked: Option<i64>,
    pub due: bool,
    pub read: bool,
    #[serde(borrow)]
    pub etag: Option<&'a [u8]>,
    #[serde(borrow)]
    pub last_modified: Option<&'a [u8]>,
}

record!(SiteV1<'a>, "sites");

/// The bytes of `SiteV1::seen`.
pub(crate) fn seen_bytes(site: &Site) -> Vec<u8> {
    site.seen
        .iter()
        .flat_map(|mark| mark.to_le_bytes())
        .collect()
}

impl<'a> SiteV1<'a> {
    /// With the bytes of what was seen.
    pub(crate) fn of(site: &'a Site, seen: &'a [u8]) -> Self {
        let file = |file: &'a SiteFile| SiteFileV1 {
            url: &file.url,
            changed: seconds(file.changed),
            applied: seconds(file.applied),
            since: file.since.0,
            asked: seconds(file.asked),
            due: file.due,
            read: file.read,
            etag: file.validators.etag.as_deref(),
            last_modified: file.validators.last_modified.as_deref(),
        };
        Self {
            begun: site.begun.0,
            files: site.files.iter().map(file).collect(),
            seen,
        }
    }

    pub(crate) fn model(&self) -> Site {
        let file = |file: &SiteFileV1<'_>| SiteFile {
            url: file.url.to_owned(),
            changed: time(file.changed),
            applied: time(file.applied),
            since: Timestamp(file.since),
            asked: time(file.asked),
            due: file.due,
            read: file.read,
            validators: Validators {
                etag: file.etag.map(<[u8]>::to_vec),
                last_modified: file.last_modified.map(<[u8]>::to_vec),
            },
        };
        let (marks, _) = self.seen.as_chunks::<8>();
        Site {
            begun: Timestamp(self.begun),
            files: self.files.iter().map(file).collect(),
            seen: marks.iter().map(|mark| u64::from_le_bytes(*mark)).collect(),
        }
    }
}
