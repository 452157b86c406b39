//! Any bytes are a feed or an error, the same twice; no key occurs twice, nothing in it steers a terminal, and the same
//! document once more brings nothing.
#![no_main]

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic;

use libfuzzer_sys::fuzz_target;
use tidings::article::sanitize::is_forbidden;
use tidings::parse::{self, KnownEntry};

thread_local! {
    /// The panics of this run: where, and what they said.
    static CAUGHT: RefCell<Vec<(String, String)>> = const { RefCell::new(Vec::new()) };
    /// The places that were told.
    static TOLD: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
}

/// The library's own hook ends the process at any panic, but what panics inside `feed_rs` is caught by the product:
/// only a panic that reaches the target is a finding, and ends the process there, as it may not unwind further.
fn forgive_what_is_caught() {
    let _ = panic::take_hook();
    panic::set_hook(Box::new(|info| {
        let place = info
            .location()
            .map_or_else(String::new, ToString::to_string);
        CAUGHT.with_borrow_mut(|caught| caught.push((place, info.to_string())));
    }));
}

/// Tells each place once, with the first input that led there.
fn tell_what_was_caught(data: &[u8]) {
    for (place, panic) in CAUGHT.take() {
        if TOLD.with_borrow_mut(|told| told.insert(place)) {
            eprintln!("caught: {panic}\n  of \"{}\"", data.escape_ascii());
        }
    }
}

fn clean(text: &str) {
    assert!(
        !text
            .chars()
            .any(|c| is_forbidden(c) && !matches!(c, '\n' | '\t')),
        "{text:?}"
    );
}

fn line(text: &str) {
    assert!(!text.chars().any(is_forbidden), "{text:?}");
}

fn holds(data: &[u8]) {
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
    parsed
        .site
        .iter()
        .chain(&parsed.hubs)
        .for_each(|url| line(url));
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
        .map(|entry| {
            Some(KnownEntry {
                content_hash: Some(entry.content_hash),
            })
        })
        .collect();
    let changes = parse::change(parsed.entries, &known, &BTreeMap::new());
    assert!(changes.new.is_empty() && changes.edited.is_empty());
}

fuzz_target!(init: forgive_what_is_caught(), |data: &[u8]| {
    let held = panic::catch_unwind(|| holds(data));
    if held.is_err() {
        CAUGHT.with_borrow(|caught| eprintln!("{}", caught.last().map_or("", |(_, panic)| panic)));
        std::process::abort();
    }
    tell_what_was_caught(data);
});
