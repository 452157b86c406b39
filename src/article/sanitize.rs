//! No byte from a feed steers a terminal: control, bidi and invisible characters end here.

/// A character that may not reach a terminal, a title, a clipboard or an argument.
/// C0, DEL, C1, bidi controls and overrides, zero-width marks that reorder, BOM, interlinear marks, tags.
pub const fn is_forbidden(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{1f}'
        | '\u{7f}'..='\u{9f}'
        | '\u{61c}'
        | '\u{200b}'
        | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

/// The longest beginning of `text` that has at most `bytes` bytes and ends between two characters.
pub fn beginning(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// One line: white space folded to single blanks and trimmed, forbidden characters dropped.
pub fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    for c in text.chars() {
        if c.is_whitespace() {
            blank = !out.is_empty();
        } else if !is_forbidden(c) {
            if blank {
                out.push(' ');
                blank = false;
            }
            out.push(c);
        }
    }
    out
}

/// Text of several lines: line feeds and tabs stay, CR LF and CR become line feeds, forbidden characters are dropped.
pub fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    out.push('\n');
                }
            }
            '\n' | '\t' => out.push(c),
            '\u{2028}' | '\u{2029}' => out.push('\n'),
            c if is_forbidden(c) => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_no_control_and_folds_white_space() {
        assert_eq!(line("  a\u{1b}[31mb \n\t c\u{202e}d\u{9b}e "), "a[31mb cde");
        assert_eq!(line("\u{feff}x\u{200b}y"), "xy");
    }

    #[test]
    fn a_joiner_inside_an_emoji_stays() {
        assert_eq!(line("👨\u{200d}👩"), "👨\u{200d}👩");
    }

    #[test]
    fn text_keeps_lines_and_tabs() {
        assert_eq!(text("a\r\nb\rc\td\u{7}"), "a\nb\nc\td");
    }
}
