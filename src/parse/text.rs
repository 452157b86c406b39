//! Text of several lines made fit for a terminal: what `article::sanitize::text` gives, without a copy where nothing
//! has to go, which is nearly always.

use crate::article::sanitize;

/// `sanitize::text`, giving the same string back when it is clean.
pub(crate) fn clean(text: String) -> String {
    let Some(mut at) = next(&text, 0) else {
        return text;
    };
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    loop {
        out.push_str(&text[done..at]);
        let rest = &text[at..];
        let end = rest
            .char_indices()
            .find(|(_, c)| !changes(*c))
            .map_or(text.len(), |(len, _)| at + len);
        // The line feed after a CR belongs to it.
        let end = end + usize::from(text[at..end].ends_with('\r') && text[end..].starts_with('\n'));
        out.push_str(&sanitize::text(&text[at..end]));
        done = end;
        match next(&text, done) {
            Some(found) => at = found,
            None => break,
        }
    }
    out.push_str(&text[done..]);
    out
}

/// A character that does not stay as it is.
const fn changes(c: char) -> bool {
    sanitize::is_forbidden(c) && !matches!(c, '\n' | '\t')
}

/// C0 but line feed and tab, DEL, and the first bytes of every forbidden character beyond ASCII.
const fn is_suspect(byte: u8) -> bool {
    (byte < 0x20 && byte != b'\n' && byte != b'\t')
        || matches!(byte, 0x7f | 0xc2 | 0xd8 | 0xe2 | 0xef | 0xf3)
}

/// Where the next character that changes is, from a character boundary on.
fn next(text: &str, from: usize) -> Option<usize> {
    const BLOCK: usize = 64;
    let bytes = text.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        // Block by block without a branch, which the compiler turns into wide instructions.
        if let Some(block) = bytes.get(at..at + BLOCK)
            && !block.iter().fold(false, |hit, b| hit | is_suspect(*b))
        {
            at += BLOCK;
            continue;
        }
        let end = bytes.len().min(at + BLOCK);
        let found = bytes[at..end].iter().position(|b| is_suspect(*b));
        let Some(found) = found else {
            at = end;
            continue;
        };
        let place = at + found;
        let c = text[place..].chars().next()?;
        if changes(c) {
            return Some(place);
        }
        at = place + c.len_utf8();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_text_is_what_sanitize_makes_of_it() {
        let long = format!("{}\u{1b}[0m{}", "é日本“x” ".repeat(40), "y".repeat(300));
        for text in [
            "plain\n\ttext",
            "a\u{1b}[0m\r\nb\rc\r\r\nd\r",
            "“quoted” é \u{202e}x",
            "\u{feff}a\u{9b}b",
            "日本\u{200b}語\u{2028}x",
            "\u{61c}a\u{e0001}",
            "👨\u{200d}👩",
            "",
            &long,
        ] {
            assert_eq!(clean(text.to_owned()), sanitize::text(text), "{text:?}");
        }
    }
}
