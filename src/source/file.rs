//! A saved feed: read when its time or size has changed, like a 304 otherwise.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use crate::model::{Answer, Body, ErrorKind, HeaderList, PollError, Timestamp, Validators, reason};

use super::{Limits, too_large};

/// Reads the file at `path`, which is subscribed as `url`. The answer is that of a server that sends an `ETag` made of size and
/// time: 304 where `sent` names it, else 200 with the content. Nothing is on a wire.
///
/// # Errors
/// No such file, not a plain file, not readable, or too large.
pub fn read(
    path: &Path,
    url: &str,
    sent: &Validators,
    limits: Limits,
    now: Timestamp,
) -> Result<Answer, PollError> {
    let shown = path.display().to_string();
    let failed = |why: String| PollError::new(ErrorKind::File, format!("{shown}: {why}"));
    let unreadable = |error: std::io::Error| failed(reason(&error));
    // Looked at before it is opened: a pipe would wait for its other end.
    let about = std::fs::metadata(path).map_err(unreadable)?;
    if !about.is_file() {
        return Err(failed("it is no plain file".to_owned()));
    }
    let changed = about.modified().map_err(unreadable)?;
    let since = changed.duration_since(UNIX_EPOCH).unwrap_or_default();
    let etag = format!("\"{:x}-{:x}\"", about.len(), since.as_nanos()).into_bytes();
    let same = sent.etag.as_ref() == Some(&etag);
    let mut bytes = Vec::new();
    if !same {
        let file = File::open(path).map_err(unreadable)?;
        file.take(limits.bytes.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        if bytes.len() as u64 > limits.bytes {
            return Err(PollError::new(ErrorKind::TooLarge, too_large(limits)));
        }
    }
    Ok(Answer {
        url: url.to_owned(),
        status: if same { 304 } else { 200 },
        sent: HeaderList::default(),
        headers: HeaderList::from_iter([("etag", etag)]),
        body: Body { bytes, wire: 0 },
        at: now,
        took: Duration::ZERO,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        time: Duration::from_secs(5),
        bytes: 1000,
    };

    fn answer(path: &Path, sent: &Validators) -> Result<Answer, String> {
        read(path, "file:x", sent, LIMITS, Timestamp(0)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_file_is_read_when_its_time_or_size_has_changed() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("feed.xml");
        std::fs::write(&path, "one").expect("written");
        let first = answer(&path, &Validators::default()).expect("read");
        assert_eq!(
            (first.status, first.body.bytes.as_slice()),
            (200, &b"one"[..])
        );
        let known = Validators {
            etag: first.headers.get("etag").map(<[u8]>::to_vec),
            last_modified: None,
        };
        let second = answer(&path, &known).expect("known");
        assert_eq!((second.status, second.body.bytes.len()), (304, 0));
        std::fs::write(&path, "three").expect("written");
        assert_eq!(answer(&path, &known).expect("read").status, 200);
    }

    #[test]
    fn what_cannot_be_read_is_said_with_its_path() {
        let dir = tempfile::tempdir().expect("a directory");
        let nothing = Validators::default();
        let missing = answer(&dir.path().join("no.xml"), &nothing).expect_err("missing");
        assert!(missing.contains("no.xml"), "{missing}");
        let folder = answer(dir.path(), &nothing).expect_err("a folder");
        assert!(folder.contains("no plain file"), "{folder}");
        let large = dir.path().join("large");
        std::fs::write(&large, vec![b'x'; 1001]).expect("written");
        let error = answer(&large, &nothing).expect_err("too large");
        assert!(error.contains("more than 1000 bytes"), "{error}");
    }
}
