//! Any HTML is set in any width: no row is wider, and nothing in one steers a terminal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tidings::article::{self, sanitize::is_forbidden};
use tidings::model::{EntryBody, Markup};

fuzz_target!(|text: &str| {
    for markup in [Markup::Html, Markup::Text] {
        let document = article::document(&EntryBody {
            text: text.to_owned(),
            markup,
            base: Some("https://a.example/".into()),
            ..EntryBody::default()
        });
        for width in [1, 8, 40, 200] {
            for row in article::layout(&document, width).rows {
                assert!(
                    width < 8 || row.width() <= usize::from(width),
                    "{:?}",
                    row.text()
                );
                assert!(!row.text().chars().any(is_forbidden), "{:?}", row.text());
            }
        }
    }
});
