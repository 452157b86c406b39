//! No byte from a feed steers a terminal: control, bidi and invisible characters end here.

use unicode_width::UnicodeWidthChar;

/// Marks without width that may follow one another; no script needs more, and towers of them break screens.
pub const MAX_MARKS: usize = 8;

/// A character that may not reach a terminal, a title, a clipboard or an argument: C0, DEL, C1, soft hyphen, bidi
/// controls and overrides, invisible marks, separators of lines, BOM, interlinear marks, tags. Joiners (U+200C,
/// U+200D) and variation selectors stay: emoji, Persian and Indic scripts need them.
pub const fn is_forbidden(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{1f}'
        | '\u{7f}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e007f}')
}

/// Drops what is forbidden, and marks that no letter can carry.
#[derive(Debug, Default)]
pub struct Sieve {
    marks: usize,
}

impl Sieve {
    /// Whether the next character of a text may stay.
    pub fn passes(&mut self, c: char) -> bool {
        if c.is_ascii() {
            self.marks = 0;
        } else if c.width() == Some(0) {
            self.marks += 1;
        } else {
            self.marks = 0;
        }
        self.marks <= MAX_MARKS && !is_forbidden(c)
    }
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
    if is_plain(text) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut sieve = Sieve::default();
    let mut blank = false;
    for c in text.chars() {
        if c.is_whitespace() {
            blank = !out.is_empty();
        } else if sieve.passes(c) {
            if blank {
                out.push(' ');
                blank = false;
            }
            out.push(c);
        }
    }
    out
}

/// A line at first sight: printable ASCII without a blank at an end or beside another.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let blank = |at: Option<&u8>| at == Some(&b' ');
    !blank(bytes.first())
        && !blank(bytes.last())
        && bytes.iter().all(|b| (b' '..0x7F).contains(b))
        && !text.contains("  ")
}

/// Text of several lines: line feeds and tabs stay, every other end of a line becomes a line feed, forbidden
/// characters are dropped.
pub fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut sieve = Sieve::default();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\n' | '\t' => out.push(c),
            c if sieve.passes(c) => out.push(c),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First and last of every range that may not pass, with its name.
    const FORBIDDEN: &[(u32, u32, &str)] = &[
        (0x00, 0x1f, "C0"),
        (0x7f, 0x7f, "DEL"),
        (0x80, 0x9f, "C1"),
        (0xad, 0xad, "soft hyphen"),
        (0x61c, 0x61c, "Arabic letter mark"),
        (0x180e, 0x180e, "Mongolian vowel separator"),
        (0x200b, 0x200b, "zero-width space"),
        (0x200e, 0x200f, "left-to-right and right-to-left marks"),
        (0x2028, 0x2029, "line and paragraph separators"),
        (0x202a, 0x202e, "bidi embeddings and overrides"),
        (0x2060, 0x2064, "word joiner, invisible operators"),
        (0x2066, 0x2069, "bidi isolates"),
        (0x206a, 0x206f, "deprecated format characters"),
        (0xfeff, 0xfeff, "byte order mark"),
        (0xfff9, 0xfffb, "interlinear annotation"),
        (0x1bca0, 0x1bca3, "shorthand format controls"),
        (0x1d173, 0x1d17a, "musical format controls"),
        (0xe0001, 0xe0001, "language tag"),
        (0xe0020, 0xe007f, "tags"),
    ];

    #[test]
    fn every_range_of_steering_characters_is_forbidden() {
        for (first, last, name) in FORBIDDEN {
            for c in (*first..=*last).filter_map(char::from_u32) {
                assert!(is_forbidden(c), "{name}: U+{:04X}", u32::from(c));
                let around = format!("a{c}b");
                assert!(!line(&around).contains(c), "{name} in a line");
                let kept = matches!(c, '\n' | '\t');
                assert_eq!(text(&around).contains(c), kept, "{name} in a text");
            }
        }
    }

    #[test]
    fn no_control_character_of_unicode_passes() {
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            assert!(!c.is_control() || is_forbidden(c), "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn what_scripts_need_passes() {
        let cases = [
            "👨\u{200d}👩",
            "می\u{200c}خواهم",
            "❤\u{fe0f}",
            "e\u{301}",
            "葛\u{e0100}",
            "क्\u{200d}ष",
            "שָׁלוֹם",
            "ﷺ",
            "🏴",
            "\u{fffd}",
        ];
        for case in cases {
            assert_eq!(line(case), case);
            assert_eq!(text(case), case);
        }
    }

    #[test]
    fn a_line_holds_no_control_and_folds_white_space() {
        let cases = [
            ("  a\u{1b}[31mb \n\t c\u{202e}d\u{9b}e ", "a[31mb cde"),
            ("\u{feff}x\u{200b}y", "xy"),
            ("a\r\nb\u{85}c\u{2028}d\u{a0}e\u{3000}f", "a b c d e f"),
            ("\u{1b}]0;title\u{7}x\u{1b}\\", "]0;titlex\\"),
            ("a \u{200b} b", "a b"),
            ("", ""),
            (" \t", ""),
        ];
        for (given, wanted) in cases {
            assert_eq!(line(given), wanted, "{given:?}");
        }
    }

    #[test]
    fn text_keeps_lines_and_tabs() {
        assert_eq!(text("a\r\nb\rc\td\u{7}"), "a\nb\nc\td");
        assert_eq!(text("a\u{b}b\u{c}c\u{85}d\u{2029}e\r"), "a\nb\nc\nd\ne\n");
    }

    #[test]
    fn a_tower_of_marks_is_cut() {
        let tower = format!("a{}b", "\u{301}".repeat(500));
        assert_eq!(line(&tower).chars().count(), 2 + MAX_MARKS);
        assert_eq!(text(&tower).chars().count(), 2 + MAX_MARKS);
    }

    #[test]
    fn a_beginning_ends_between_characters() {
        assert_eq!(beginning("aé", 2), "a");
        assert_eq!(beginning("aé", 3), "aé");
        assert_eq!(beginning("é", 0), "");
    }
}
