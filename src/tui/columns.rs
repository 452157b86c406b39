//! Text in columns: measured, cut and folded by what a terminal shows, never by bytes or characters.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Columns that `text` takes on the screen.
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// `text` in at most `columns`; what was cut leaves an ellipsis. A wide character is never halved.
pub fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    if columns == 0 {
        return Cow::Borrowed("");
    }
    let mut kept = head(text, columns - 1).trim_end().to_owned();
    kept.push('…');
    Cow::Owned(kept)
}

/// The longest beginning of `text` that fits into `columns`.
pub fn head(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += UnicodeWidthStr::width(grapheme);
        if used > columns {
            return &text[..at];
        }
    }
    text
}

/// `text` cut to `columns` and filled up with blanks to exactly that.
pub fn left(text: &str, columns: usize) -> String {
    let mut out = cut(text, columns).into_owned();
    let used = width(&out);
    out.extend(std::iter::repeat_n(' ', columns.saturating_sub(used)));
    out
}

/// The same, pushed to the right edge.
pub fn right(text: &str, columns: usize) -> String {
    let kept = cut(text, columns);
    let mut out = " ".repeat(columns.saturating_sub(width(&kept)));
    out.push_str(&kept);
    out
}

/// `text` folded at blanks into lines of at most `columns`; a word longer than a line is broken.
/// Never more than `lines` of them: the last one is cut.
pub fn fold(text: &str, columns: usize, lines: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut out: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let mut word = word;
        let mut wide = width(word);
        if used > 0 && used + 1 + wide > columns {
            out.push(std::mem::take(&mut line));
            used = 0;
        }
        while wide > columns {
            let part = head(word, columns);
            // A single grapheme wider than the line: nothing can be done but drop it.
            if part.is_empty() {
                word = "";
                wide = 0;
                break;
            }
            out.push(part.to_owned());
            word = &word[part.len()..];
            wide = width(word);
        }
        if used > 0 && wide > 0 {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += wide;
    }
    if !line.is_empty() {
        out.push(line);
    }
    if lines == 0 {
        return Vec::new();
    }
    if out.len() > lines {
        let rest = out.split_off(lines.saturating_sub(1)).join(" ");
        out.push(cut(&rest, columns).into_owned());
    }
    out
}

/// `parts` joined by `between` into lines of at most `columns`, broken only between parts; empty parts are left out.
pub fn join(parts: &[&str], between: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        match lines.last_mut() {
            Some(line) if width(line) + width(between) + width(part) <= columns => {
                line.push_str(between);
                line.push_str(part);
            }
            _ => lines.push(cut(part, columns).into_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_is_cut_by_what_the_terminal_shows() {
        for (text, columns, cut_to) in [
            ("plain", 5, "plain"),
            ("plain", 4, "pla…"),
            ("plain", 1, "…"),
            ("plain", 0, ""),
            ("日本語", 6, "日本語"),
            ("日本語", 5, "日本…"),
            // The third character would need two columns; one is left empty rather than halved.
            ("日本語", 4, "日…"),
            ("e\u{301}te\u{301}", 3, "e\u{301}te\u{301}"),
            ("👨\u{200d}👩\u{200d}👧 ok", 4, "👨\u{200d}👩\u{200d}👧…"),
        ] {
            assert_eq!(cut(text, columns), cut_to, "{text} in {columns}");
        }
    }

    #[test]
    fn a_column_is_filled_to_its_width() {
        assert_eq!(left("日本", 6), "日本  ");
        assert_eq!(right("12", 5), "   12");
        assert_eq!(left("日本語", 4), "日… ");
    }

    #[test]
    fn long_text_is_folded_and_long_words_are_broken() {
        assert_eq!(fold("a bb ccc", 4, 9), ["a bb", "ccc"]);
        assert_eq!(fold("abcdefgh i", 3, 9), ["abc", "def", "gh", "i"]);
        assert_eq!(fold("one two three four", 5, 2), ["one", "two…"]);
        assert_eq!(fold("日", 1, 9), Vec::<String>::new());
    }

    #[test]
    fn parts_are_never_torn() {
        assert_eq!(join(&["ab", "", "cd", "ef"], " · ", 7), ["ab · cd", "ef"]);
        assert_eq!(join(&["abcdef"], " · ", 4), ["abc…"]);
    }

    proptest! {
        #[test]
        fn nothing_is_ever_wider_than_its_column(text in "\\PC{0,40}", columns in 0_usize..20) {
            prop_assert!(width(&cut(&text, columns)) <= columns);
            prop_assert_eq!(width(&left(&text, columns)), columns);
            for line in fold(&text, columns, 3) {
                prop_assert!(width(&line) <= columns.max(1));
            }
        }
    }
}
