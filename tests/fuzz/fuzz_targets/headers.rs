//! Any header fields are judged: lines of `name: value`, the first line a status.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use tidings::model::{Answer, Body, HeaderList, Timestamp, Validators};
use tidings::poll;

const AT: Timestamp = Timestamp(1_796_000_000);

fuzz_target!(|data: &[u8]| {
    let mut lines = data.split(|b| *b == b'\n');
    let status = lines.next().and_then(|line| std::str::from_utf8(line).ok());
    let status = status.and_then(|s| s.trim().parse().ok()).unwrap_or(200);
    let fields = lines.filter_map(|line| {
        let at = line.iter().position(|b| *b == b':')?;
        let name = std::str::from_utf8(&line[..at]).ok()?.to_ascii_lowercase();
        Some((name, line[at + 1..].trim_ascii().to_vec()))
    });
    let headers = fields.collect::<HeaderList>();
    let pair = poll::validators(&headers);
    for value in [&pair.etag, &pair.last_modified].into_iter().flatten() {
        assert!(!value.is_empty() && value.len() <= Validators::MAX_BYTES);
    }
    let _ = poll::freshness(&headers, AT);
    let _ = poll::retry_after(&headers, AT);
    let answer = Answer {
        url: "https://a.example/feed".to_owned(),
        status,
        sent: HeaderList::default(),
        headers,
        body: Body::default(),
        at: AT,
        took: Duration::ZERO,
    };
    for conditional in [false, true] {
        let verdict = poll::judge(&answer, conditional);
        if verdict == poll::Verdict::Redirect
            && let Ok(hop) = poll::follow(&[], &answer, true)
        {
            assert!(hop.to.starts_with("http://") || hop.to.starts_with("https://"));
        }
    }
});
