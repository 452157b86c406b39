//! JSON that is safe on a terminal: what steers one is written as an escape, so that no value changes.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;

use crate::article::sanitize;

/// One value as one line of JSON, without a line end.
pub(super) fn line(value: &impl Serialize) -> String {
    // Structs of strings, numbers and lists always serialise.
    let text = serde_json::to_string(value).unwrap_or_default();
    if !text.chars().any(sanitize::is_forbidden) {
        return text;
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if sanitize::is_forbidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing into a string cannot fail.
                let _ = write!(safe, "\\u{unit:04x}");
            }
        } else {
            safe.push(c);
        }
    }
    safe
}

/// An array that is written as it grows, one member a line.
pub(super) struct Array<'a> {
    out: &'a mut dyn Write,
    empty: bool,
}

impl<'a> Array<'a> {
    /// Begins it.
    pub fn begin(out: &'a mut dyn Write) -> io::Result<Self> {
        out.write_all(b"[")?;
        Ok(Self { out, empty: true })
    }

    /// Writes a member.
    pub fn push(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.out
            .write_all(if self.empty { b"\n" } else { b",\n" })?;
        self.empty = false;
        self.out.write_all(line(value).as_bytes())
    }

    /// Ends it.
    pub fn end(self) -> io::Result<()> {
        self.out
            .write_all(if self.empty { b"]\n" } else { b"\n]\n" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_escaped_and_read_back_the_same() {
        let text = "a\u{1b}[31m\u{7f}\u{9b}\u{202e}\u{e0041}\u{feff}\u{1f600}\"\\ü";
        let line = line(&text);
        assert!(!line.chars().any(sanitize::is_forbidden), "{line}");
        assert_eq!(
            serde_json::from_str::<String>(&line).ok().as_deref(),
            Some(text)
        );
    }

    #[test]
    fn an_array_grows_member_by_member() {
        let written = |values: &[u8]| {
            let mut out = Vec::new();
            let mut array = Array::begin(&mut out).expect("a vector takes it");
            for value in values {
                array.push(value).expect("a vector takes it");
            }
            array.end().expect("a vector takes it");
            String::from_utf8(out).expect("text")
        };
        assert_eq!(written(&[]), "[]\n");
        assert_eq!(written(&[1, 2]), "[\n1,\n2\n]\n");
    }
}
