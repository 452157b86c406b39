//! The system's words, made part of a sentence.

use std::io;

/// Why the system refused, for the middle of a sentence: without the error number that `io::Error` adds.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    let mut text = text[..end].to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_stands_in_a_sentence() {
        for (error, text) in [
            (io::Error::other("Disk gone (os error 5)"), "disk gone"),
            (io::Error::other("no"), "no"),
            (io::Error::other(""), ""),
        ] {
            assert_eq!(reason(&error), text);
        }
    }
}
