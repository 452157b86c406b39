//! A start tag: its name, its attributes, its end.

use memchr::memchr;

/// A start tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tag<'a> {
    /// Qualified name as written.
    pub name: &'a str,
    /// Everything between the name and `>`.
    pub attrs: &'a str,
    /// Written as `<name/>`.
    pub empty: bool,
}

impl<'a> Tag<'a> {
    /// Name and raw value of each attribute, in order; a value may lack its quotes, or be missing.
    pub fn attributes(&self) -> Attributes<'a> {
        Attributes { rest: self.attrs }
    }

    /// The raw value of the first attribute of that name, in any case.
    pub fn raw(&self, name: &str) -> Option<&'a str> {
        self.attributes()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}

/// Iterates over `name="value"` pairs.
#[derive(Debug, Clone)]
pub(crate) struct Attributes<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let skip = |c: char| c.is_ascii_whitespace() || matches!(c, '/' | '"' | '\'' | '=');
        self.rest = self.rest.trim_start_matches(skip);
        if self.rest.is_empty() {
            return None;
        }
        let end = self
            .rest
            .find(|c: char| c.is_ascii_whitespace() || c == '=')
            .unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        let after = rest.trim_start();
        let Some(value) = after.strip_prefix('=') else {
            self.rest = rest;
            return Some((name, ""));
        };
        let value = value.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        if let Some(quote) = quote {
            let inside = &value[1..];
            let close = inside.find(quote).unwrap_or(inside.len());
            self.rest = inside.get(close + 1..).unwrap_or("");
            return Some((name, &inside[..close]));
        }
        let end = value
            .find(|c: char| c.is_ascii_whitespace())
            .unwrap_or(value.len());
        self.rest = &value[end..];
        Some((name, &value[..end]))
    }
}

/// The name that a tag starts with, or nothing: a letter, `_` or `:`, then no white space, `/`, `>`, `<` or quote.
pub(super) fn name_at(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let first = *bytes.first()?;
    if !(first.is_ascii_alphabetic() || first == b'_' || first == b':' || first >= 0x80) {
        return None;
    }
    let ends = |b: &u8| {
        b.is_ascii_whitespace() || matches!(b, b'/' | b'>' | b'<' | b'"' | b'\'' | b'=' | b'&')
    };
    let len = bytes.iter().position(ends).unwrap_or(bytes.len());
    Some(&text[..len])
}

/// Quotes beyond this number are not honoured: a bound for documents made to be read again and again.
const VALUES_MAX: usize = 64;

/// Where the `>` of a start tag is; nothing when a `<` or the end comes first.
/// A quoted value may hold `>`; one that runs into the next tag has lost its closing quote and ends with this tag.
pub(super) fn tag_end(bytes: &[u8], from: usize) -> Option<usize> {
    let (mut at, mut before, mut values) = (from, 0, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'>' => return Some(at),
            b'<' => return None,
            b'"' | b'\'' if before == b'=' => {
                values += 1;
                if values > VALUES_MAX {
                    return memchr(b'>', &bytes[at..]).map(|len| at + len);
                }
                let value = &bytes[at + 1..];
                let close = memchr(byte, value).unwrap_or(value.len());
                let value = &value[..close];
                if let Some(open) = memchr(b'<', value)
                    && let Some(end) = memchr(b'>', &value[..open])
                {
                    return Some(at + 1 + end);
                }
                at += 1 + close;
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_read_in_any_shape() {
        let tag = Tag {
            name: "a",
            attrs: " one=\"1\" two='2' three=3 four FIVE = \"5 5\"six=6/",
            empty: true,
        };
        let got: Vec<_> = tag.attributes().collect();
        assert_eq!(
            got,
            [
                ("one", "1"),
                ("two", "2"),
                ("three", "3"),
                ("four", ""),
                ("FIVE", "5 5"),
                ("six", "6/"),
            ]
        );
        assert_eq!(tag.raw("five"), Some("5 5"));
    }
}
