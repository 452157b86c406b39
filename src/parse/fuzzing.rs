//! The steps of `parse` one by one, for the fuzz targets in `tests/fuzz` alone: built only under `--cfg fuzzing`.

use chrono::{DateTime, Utc};

use super::links::Base;
use super::{dates, decode, repair};

/// Bytes to text.
pub fn decode(bytes: &[u8], content_type: Option<&str>) -> String {
    decode::decode(bytes, content_type).text.into_owned()
}

/// Text to the small documents that `feed_rs` reads, with the number of entries of each; `None` where no feed is found.
pub fn repair(text: &str, base: &str) -> Option<Vec<(usize, String)>> {
    let mut documents = Vec::new();
    repair::repair(text, &Base::new(base), &mut |chunk| {
        documents.push((chunk.len(), chunk.document().to_owned()));
    })?;
    Some(documents)
}

/// A feed's date.
pub fn date(text: &str) -> Option<DateTime<Utc>> {
    dates::parse(text)
}
