//! Text compared without regard to case: Unicode lower-casing, letter by letter.

use std::ops::Range;

/// Lower case. Letter by letter, so that what matches does not hang on the neighbours: a final sigma is a sigma.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().flat_map(folded).collect()
}

fn folded(c: char) -> impl Iterator<Item = char> {
    c.to_lowercase().map(|c| if c == 'ς' { 'σ' } else { c })
}

/// `needle` is folded already. A needle of ASCII, most of them, is looked for in place.
pub(super) fn contains(text: &str, needle: &str) -> bool {
    if needle.is_ascii() {
        return ascii_at(text.as_bytes(), needle.as_bytes()).is_some();
    }
    if text.is_ascii() {
        return false;
    }
    memchr::memmem::find(fold(text).as_bytes(), needle.as_bytes()).is_some()
}

/// How seldom a letter stands in a text; what is no letter of English is seldom enough.
const fn seldom(byte: u8) -> usize {
    let common = b" etaoinsrhldcumfpgwybvkxjqz";
    let mut at = 0;
    while at < common.len() {
        if common[at] == byte {
            return at;
        }
        at += 1;
    }
    common.len()
}

/// Where `needle`, in lower case, stands first. Its rarest letter is looked for, the rest compared there.
fn ascii_at(text: &[u8], needle: &[u8]) -> Option<usize> {
    let Some((at, rarest)) = needle
        .iter()
        .copied()
        .enumerate()
        .max_by_key(|(_, byte)| seldom(*byte))
    else {
        return Some(0);
    };
    let last = text.len().checked_sub(needle.len())?;
    let window = &text[at..=last + at];
    memchr::memchr2_iter(rarest, rarest.to_ascii_uppercase(), window)
        .find(|start| text[*start..*start + needle.len()].eq_ignore_ascii_case(needle))
}

/// Where `needle`, folded, stands in `text`: byte ranges of `text`, in order, none over another.
pub(super) fn find_all(text: &str, needle: &str) -> Vec<Range<usize>> {
    if needle.is_empty() {
        return Vec::new();
    }
    // Where each byte of the folded text came from; one letter may become several.
    let mut folded_text = String::with_capacity(text.len());
    let mut from = Vec::with_capacity(text.len() + 1);
    for (at, c) in text.char_indices() {
        let before = folded_text.len();
        folded_text.extend(folded(c));
        from.extend(std::iter::repeat_n(at, folded_text.len() - before));
    }
    from.push(text.len());
    let finder = memchr::memmem::find_iter(folded_text.as_bytes(), needle.as_bytes());
    finder
        .map(|at| {
            let start = from[at];
            let mut end = at + needle.len();
            // A match that ends within what one letter became covers that letter.
            while end < folded_text.len() && from[end] == from[end - 1] {
                end += 1;
            }
            start..from[end]
        })
        .collect()
}
