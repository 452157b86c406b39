//! Any page names some feeds: addresses that may be asked, titles that may be shown, none twice.
#![no_main]

use std::collections::HashSet;

use libfuzzer_sys::fuzz_target;
use tidings::article::sanitize::is_forbidden;
use tidings::parse;

const BASES: [&str; 4] = [
    "https://a.example/blog/",
    "https://www.youtube.com/@someone",
    "https://github.com/a/b",
    "https://www.reddit.com/r/rust",
];

fuzz_target!(|data: &[u8]| {
    let Some((first, page)) = data.split_first() else {
        return;
    };
    let base = BASES[usize::from(*first) % BASES.len()];
    let found = parse::discover(page, Some("text/html"), base);
    let mut seen = HashSet::new();
    for candidate in &found {
        assert!(candidate.url.starts_with("http://") || candidate.url.starts_with("https://"));
        for text in [&candidate.url, &candidate.title, &candidate.kind] {
            assert!(!text.chars().any(is_forbidden), "{candidate:?}");
        }
        assert!(seen.insert(&candidate.url));
    }
});
