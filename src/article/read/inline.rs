//! Text on its way into a paragraph: white space folded as HTML asks, control characters dropped.

use unicode_width::UnicodeWidthChar;

use super::super::document::Span;
use super::super::sanitize::Sieve;
use super::super::style::{Kind, Style};

/// Tab stops in code, columns.
const TAB: usize = 4;
/// Spans being gathered.
#[derive(Debug, Default)]
pub struct Inline {
    spans: Vec<Span>,
    /// A space is due before the next word, in this style.
    space: Option<Style>,
    /// A space came before the first word.
    led: bool,
    /// Column of the last line of code.
    column: usize,
    sieve: Sieve,
    /// The last character was a break opportunity.
    chance: bool,
}

impl Inline {
    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The spans so far.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Adds text; white space folds to single blanks.
    pub fn push(&mut self, text: &str, style: Style) {
        let mut words = String::with_capacity(text.len());
        let mut blank = false;
        for c in text.chars() {
            if c.is_ascii_whitespace() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{85}') {
                blank = true;
            } else if self.passes(c) {
                if blank {
                    if words.is_empty() {
                        self.put_space(style);
                    } else {
                        words.push(' ');
                    }
                    blank = false;
                }
                words.push(c);
            }
        }
        self.put(&words, style);
        if blank {
            self.put_space(style);
        }
    }

    /// Adds a mark right behind the last word, before a space that is due.
    pub fn stick(&mut self, mark: &str, style: Style) {
        let space = self.space.take();
        self.put(mark, style);
        self.space = space;
    }

    /// Adds text as it is: spaces and line ends count, tabs become spaces.
    pub fn push_raw(&mut self, text: &str, style: Style) {
        let mut out = String::with_capacity(text.len());
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\r' if chars.peek() == Some(&'\n') => {}
                '\n' | '\r' | '\u{2028}' | '\u{2029}' | '\u{85}' => {
                    out.push('\n');
                    self.column = 0;
                }
                '\t' => {
                    let blanks = TAB - self.column % TAB;
                    out.extend(std::iter::repeat_n(' ', blanks));
                    self.column += blanks;
                }
                c if self.passes(c) => {
                    self.column += c.width().unwrap_or(0);
                    out.push(c);
                }
                _ => {}
            }
        }
        self.put(&out, style);
    }

    /// Ends the line. Nothing at the start of a text.
    pub fn line_break(&mut self, style: Style) {
        self.space = None;
        self.column = 0;
        if !self.spans.is_empty() {
            self.put("\n", style);
        }
    }

    /// Whether the last thing written ended the line.
    pub fn at_line_start(&self) -> bool {
        self.spans
            .last()
            .is_none_or(|last| last.text.ends_with('\n'))
    }

    /// Adds what another gathered, with the spaces at its ends.
    pub fn append(&mut self, other: Self) {
        if other.led {
            self.put_space(Style::default());
        }
        for span in other.spans {
            self.put(&span.text, span.style);
        }
        if let Some(style) = other.space {
            self.put_space(style);
        }
    }

    /// The paragraph: no blanks or breaks at its ends, empty when nothing in it can be seen.
    pub fn take(&mut self) -> Vec<Span> {
        let mut spans = std::mem::take(self).spans;
        while let Some(last) = spans.last_mut() {
            let kept = last.text.trim_end_matches([' ', '\n']).len();
            last.text.truncate(kept);
            if kept > 0 {
                break;
            }
            spans.pop();
        }
        let seen = spans.iter().any(|span| span.text.chars().any(is_seen));
        if seen { spans } else { Vec::new() }
    }

    /// The code: blank lines at its ends dropped, spaces kept.
    pub fn take_code(&mut self) -> Vec<Span> {
        let mut spans = std::mem::take(self).spans;
        while let Some(last) = spans.last_mut() {
            let kept = last.text.trim_end().len();
            last.text.truncate(kept);
            if kept > 0 {
                break;
            }
            spans.pop();
        }
        while let Some(first) = spans.first_mut() {
            let blank = first.text.len() - first.text.trim_start().len();
            let lines = first.text[..blank].rfind('\n').map_or(0, |at| at + 1);
            first.text.drain(..lines);
            if !first.text.is_empty() {
                break;
            }
            spans.remove(0);
        }
        spans
    }

    /// Break opportunities stay until lines are broken. A mark behind one has no letter: once the opportunity is
    /// dropped it would change the width of the letter before.
    fn passes(&mut self, c: char) -> bool {
        if matches!(c, '\u{ad}' | '\u{200b}') {
            self.chance = true;
            return true;
        }
        if self.chance && !c.is_ascii() && c.width() == Some(0) {
            return false;
        }
        let passes = self.sieve.passes(c);
        self.chance &= !passes;
        passes
    }

    fn put_space(&mut self, style: Style) {
        if self.spans.is_empty() {
            self.led = true;
        } else if !self.at_line_start() {
            self.space = Some(style);
        }
    }

    fn put(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        if let Some(space) = self.space.take() {
            // A blank between two styles belongs to what both share: no underlined blank after a link.
            let before = self.spans.last().map_or(style, |last| last.style);
            self.write(" ", space.shared(before).shared(style));
        }
        // A mark belongs to the letter before it, whatever the markup says: the width of both is one.
        let loose = if self.at_line_start() || text.is_ascii() {
            0
        } else {
            text.char_indices()
                .find(|(_, c)| c.width() != Some(0) || matches!(c, '\u{ad}' | '\u{200b}'))
                .map_or(text.len(), |(at, _)| at)
        };
        if loose > 0
            && let Some(last) = self.spans.last_mut()
        {
            last.text.push_str(&text[..loose]);
        }
        if loose < text.len() {
            self.write(&text[loose..], style);
        }
    }

    fn write(&mut self, text: &str, style: Style) {
        match self.spans.last_mut() {
            Some(last) if last.style == style && !matches!(style.kind, Kind::Image(_)) => {
                last.text.push_str(text);
            }
            _ => self.spans.push(Span {
                text: text.to_owned(),
                style,
            }),
        }
    }
}

/// Whether a character leaves something on the screen.
fn is_seen(c: char) -> bool {
    !c.is_whitespace()
        && !matches!(
            c,
            '\u{ad}' | '\u{200b}'
                ..='\u{200d}'
                    | '\u{34f}'
                    | '\u{115f}'
                    | '\u{1160}'
                    | '\u{2800}'
                    | '\u{3164}'
                    | '\u{fe0f}'
                    | '\u{ffa0}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::article::sanitize::MAX_MARKS;
    use crate::article::style::Traits;
    use crate::article::walk::words_of;

    fn folded(parts: &[&str]) -> String {
        let mut inline = Inline::default();
        for part in parts {
            inline.push(part, Style::default());
        }
        words_of(&inline.take())
    }

    #[test]
    fn white_space_folds_across_elements() {
        assert_eq!(folded(&[" a ", " b\n\t", "c "]), "a b c");
        assert_eq!(folded(&["a", "b"]), "ab");
        assert_eq!(folded(&["\u{a0}", " \u{200b}"]), "");
        assert_eq!(folded(&["a\u{a0}\u{a0}b"]), "a\u{a0}\u{a0}b");
    }

    #[test]
    fn a_blank_between_styles_has_neither() {
        let mut inline = Inline::default();
        let strong = Style::default().with(Traits::STRONG);
        inline.push("a ", strong);
        inline.push("b", Style::default());
        let spans = inline.take();
        assert_eq!(spans[0].text, "a");
        assert_eq!(spans[1].text, " b");
    }

    #[test]
    fn a_number_stands_before_the_blank_that_is_due() {
        let mut inline = Inline::default();
        inline.push("a ", Style::default());
        inline.stick("[1]", Style::of(Kind::Number));
        inline.push("b", Style::default());
        assert_eq!(words_of(&inline.take()), "a[1] b");
    }

    #[test]
    fn a_mark_joins_the_letter_before_it() {
        let mut inline = Inline::default();
        inline.push("e", Style::default());
        inline.push("\u{301}x", Style::default().with(Traits::STRONG));
        let spans = inline.take();
        assert_eq!(
            (spans[0].text.as_str(), spans[1].text.as_str()),
            ("e\u{301}", "x")
        );
    }

    #[test]
    fn a_mark_behind_a_soft_hyphen_is_dropped() {
        let mut inline = Inline::default();
        inline.push("1\u{ad}", Style::default());
        inline.push("\u{9b}\u{fe0f}\u{200d}a\u{301}", Style::default());
        assert_eq!(inline.take()[0].text, "1\u{ad}a\u{301}");
    }

    #[test]
    fn a_tower_of_marks_is_cut() {
        let text = format!("a{}b", "\u{301}".repeat(100));
        assert_eq!(folded(&[&text]).chars().count(), 2 + MAX_MARKS);
    }

    #[test]
    fn code_keeps_spaces_and_sets_tabs() {
        let mut inline = Inline::default();
        inline.push_raw("\n\n  a\tb\r\n\tc\n\n", Style::default());
        assert_eq!(words_of(&inline.take_code()), "  a b     c");
    }
}
