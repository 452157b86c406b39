//! Any bytes are a feed or an error, the same twice; no key occurs twice, nothing in it steers a terminal, and the same
//! document once more brings nothing.
#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use tidings::article::sanitize::is_forbidden;
use tidings::parse::{self, KnownEntry};

fn clean(text: &str) {
    assert!(!text.chars().any(|c| is_forbidden(c) && !matches!(c, '\n' | '\t')), "{text:?}");
}

fn line(text: &str) {
    assert!(!text.chars().any(is_forbidden), "{text:?}");
}

fuzz_target!(|data: &[u8]| {
    let read = |bytes| parse::parse(bytes, Some("text/xml"), "https://a.example/feed");
    let parsed = match read(data) {
        Ok(parsed) => parsed,
        Err(error) => {
            line(&error.to_string());
            return;
        }
    };
    assert_eq!(Ok(&parsed), read(data).as_ref());
    line(&parsed.title);
    parsed.site.iter().chain(&parsed.hubs).for_each(|url| line(url));
    let mut keys: Vec<_> = parsed.entries.iter().map(|entry| entry.key).collect();
    for entry in &parsed.entries {
        line(&entry.guid);
        line(&entry.title);
        line(&entry.author);
        line(entry.link.as_deref().unwrap_or(""));
        line(entry.body.comments.as_deref().unwrap_or(""));
        entry.body.categories.iter().for_each(|name| line(name));
        for enclosure in &entry.enclosures {
            line(&enclosure.url);
            line(&enclosure.media_type);
        }
        clean(&entry.body.text);
    }
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), parsed.entries.len());
    let known: Vec<_> = parsed
        .entries
        .iter()
        .map(|entry| Some(KnownEntry { content_hash: Some(entry.content_hash) }))
        .collect();
    let changes = parse::change(parsed.entries, &known, &BTreeMap::new());
    assert!(changes.new.is_empty() && changes.edited.is_empty());
});
