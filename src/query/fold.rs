//! Text compared without regard to case: Unicode lower-casing, letter by letter.

/// Lower case. Letter by letter, so that what matches does not hang on the neighbours: a final sigma is a sigma.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars()
        .flat_map(char::to_lowercase)
        .map(|c| if c == 'ς' { 'σ' } else { c })
        .collect()
}

/// `needle` is folded already. ASCII text, most of it, is searched in place.
pub(super) fn contains(text: &str, needle: &str) -> bool {
    if !text.is_ascii() {
        return fold(text).contains(needle);
    }
    let (text, needle) = (text.as_bytes(), needle.as_bytes());
    let Some((first, rest)) = needle.split_first() else {
        return true;
    };
    let upper = first.to_ascii_uppercase();
    let Some(last_start) = text.len().checked_sub(needle.len()) else {
        return false;
    };
    memchr::memchr2_iter(*first, upper, &text[..=last_start])
        .any(|at| text[at + 1..at + needle.len()].eq_ignore_ascii_case(rest))
}
