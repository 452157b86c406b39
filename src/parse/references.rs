//! Character references and other ways to write characters: `&amp;`, `&#146;`, `&nbsp;`, a document's own entities, base64.

use std::borrow::Cow;
use std::cell::Cell;

use memchr::memchr;

/// Entities that a document declares for itself: name and replacement, already resolved once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entities {
    known: Vec<(String, String)>,
    /// Bytes they have grown the text by.
    spent: Cell<usize>,
}

impl Entities {
    /// More declarations, or longer ones, are ignored: nobody needs them, and they never nest.
    const COUNT: usize = 64;
    const LENGTH: usize = 1024;
    /// All uses together; beyond it they vanish.
    const TOTAL: usize = 1024 * 1024;

    /// Reads `<!ENTITY name "text">` out of a DOCTYPE.
    pub fn declare(&mut self, doctype: &str) {
        for part in doctype.split("<!ENTITY").skip(1) {
            let part = part.trim_start();
            let end = part.find(char::is_whitespace).unwrap_or(part.len());
            let (name, rest) = part.split_at(end);
            let rest = rest.trim_start();
            let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
                continue;
            };
            let Some(len) = rest[1..].find(quote) else {
                continue;
            };
            if self.known.len() < Self::COUNT && len <= Self::LENGTH {
                let text = decode(&rest[1..=len], &Self::default()).into_owned();
                self.known.push((name.to_owned(), text));
            }
        }
    }

    fn get(&self, name: &str) -> Option<&str> {
        let (_, text) = self.known.iter().find(|(n, _)| n == name)?;
        self.spent.set(self.spent.get().saturating_add(text.len()));
        Some(if self.spent.get() > Self::TOTAL {
            ""
        } else {
            text
        })
    }
}

/// Resolves references once: the five of XML, numbers, the document's own, those of HTML. A bare `&` stays.
pub(crate) fn decode<'a>(raw: &'a str, entities: &Entities) -> Cow<'a, str> {
    let bytes = raw.as_bytes();
    let Some(mut amp) = memchr(b'&', bytes) else {
        return Cow::Borrowed(raw);
    };
    let mut out = String::with_capacity(raw.len());
    let mut done = 0;
    loop {
        out.push_str(&raw[done..amp]);
        done = amp + reference(&raw[amp..], entities, &mut out);
        match memchr(b'&', &bytes[done..]) {
            Some(next) => amp = done + next,
            None => break,
        }
    }
    out.push_str(&raw[done..]);
    Cow::Owned(out)
}

/// Appends what the reference at the start of `raw` means; gives the bytes it took, 1 for a bare `&`.
fn reference(raw: &str, entities: &Entities, out: &mut String) -> usize {
    let window = &raw.as_bytes()[1..raw.len().min(40)];
    let len = window
        .iter()
        .position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'#' | b'_' | b'-' | b'.')));
    let closed = len.filter(|&l| l > 0 && window[l] == b';');
    let Some(len) = closed else {
        out.push('&');
        return 1;
    };
    let name = &raw[1..=len];
    let took = len + 2;
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => number.parse(),
        };
        if let Ok(code) = code {
            if let Some(c) = character(code) {
                out.push(c);
            }
            return took;
        }
        out.push('&');
        return 1;
    }
    match name {
        "lt" => out.push('<'),
        "gt" => out.push('>'),
        "amp" => out.push('&'),
        "quot" => out.push('"'),
        "apos" => out.push('\''),
        _ => {
            if let Some(text) = entities.get(name) {
                out.push_str(text);
                return took;
            }
            let whole = &raw[..took];
            let text = htmlize::unescape(whole);
            if text == whole {
                out.push('&');
                return 1;
            }
            out.push_str(&text);
        }
    }
    took
}

/// Numbers 128 to 159 are meant in windows-1252, as browsers read them; what is no character gives none.
fn character(code: u32) -> Option<char> {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž',
        '\u{8f}', '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}',
        'ž', 'Ÿ',
    ];
    if (128..160).contains(&code) {
        return HIGH.get(code as usize - 128).copied();
    }
    char::from_u32(code).filter(|&c| c != '\0')
}

/// Four characters into three bytes; white space is skipped, another foreign character ends it.
pub(crate) fn base64(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held) = (0_u32, 0);
    for byte in text.bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b if b.is_ascii_whitespace() => continue,
            _ => break,
        };
        bits = bits << 6 | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_once() {
        let mut own = Entities::default();
        own.declare("rss [<!ENTITY co \"Acme &#38; Sons\"><!ENTITY big SYSTEM \"x\">]");
        for (raw, want) in [
            ("a &amp;lt; b", "a &lt; b"),
            ("AT&T & co; &co;", "AT&T & co; Acme & Sons"),
            ("caf&eacute;&nbsp;&hellip;", "café\u{a0}…"),
            ("&#146;&#x27;&#0;&#xD800;", "’'"),
            ("?a=1&copy=2&b", "?a=1&copy=2&b"),
            ("&nosuch; &#xyz;", "&nosuch; &#xyz;"),
        ] {
            assert_eq!(decode(raw, &own), want, "{raw}");
        }
    }

    #[test]
    fn base64_is_read_with_white_space() {
        assert_eq!(base64("SGVs\n bG8="), b"Hello");
        assert_eq!(base64(""), b"");
    }
}
