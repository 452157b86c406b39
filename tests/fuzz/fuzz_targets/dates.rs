//! Any text is a date or none, in a feed and in a header; a date has four digits of year or fewer where it is read at all.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tidings::parse::fuzzing::date;
use tidings::poll;

fuzz_target!(|text: &str| {
    if let Some(read) = date(text) {
        // What was read can be written and read again.
        let written = read.to_rfc3339();
        assert_eq!(date(&written), Some(read), "{written}");
    }
    let _ = poll::date(text.as_bytes());
});
