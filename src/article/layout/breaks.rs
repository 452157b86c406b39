//! Line breaking by display width: between words, between ideographs (with the usual forbidden starts and ends of
//! a line), at soft hyphens; inside a word only when no line could hold it; never inside a grapheme.

use super::super::document::Span;
use super::super::page::Run;
use super::super::style::{Kind, Style, Traits};
use super::graphemes::{Class, Token, Tokens, allowed, is_word, shown};

/// Room on a line that is worth beginning a word in that fits no line.
const WORTHWHILE: usize = 16;

#[derive(Debug, Clone, Copy)]
struct Glyph<'a> {
    text: &'a str,
    width: usize,
    style: Style,
    at: usize,
}

/// Breaks spans into lines of at most `width` columns, the first of at most `width - used`. Each line goes to `emit`
/// with the offset, in bytes of the spans' text, at which it begins.
pub fn lines<F: FnMut(Vec<Run>, usize)>(
    spans: &[Span],
    width: usize,
    used: usize,
    numbers: bool,
    emit: F,
) {
    let mut setter = Setter {
        width: width.max(1),
        used,
        line: Vec::new(),
        line_width: 0,
        line_at: 0,
        gap: Vec::new(),
        word: Vec::new(),
        word_width: 0,
        before: None,
        hyphen: None,
        emit,
    };
    let mut at = 0;
    for span in spans {
        if numbers || span.style.kind != Kind::Number {
            setter.span(span, at);
        }
        at += span.text.len();
    }
    setter.commit();
    setter.end_line(at);
}

struct Setter<'a, F> {
    width: usize,
    /// Columns of the first line that are taken.
    used: usize,
    line: Vec<Run>,
    line_width: usize,
    line_at: usize,
    /// Blanks between the line and the word.
    gap: Vec<Glyph<'a>>,
    /// What cannot be divided, unless it fits no line.
    word: Vec<Glyph<'a>>,
    word_width: usize,
    before: Option<Class>,
    /// The line ends in a soft hyphen.
    hyphen: Option<Style>,
    emit: F,
}

impl<'a, F: FnMut(Vec<Run>, usize)> Setter<'a, F> {
    fn span(&mut self, span: &'a Span, base: usize) {
        let mut at = base;
        let mut sticky = span.style.kind == Kind::Number;
        for (text, token) in Tokens::of(&span.text) {
            match token {
                Token::Newline => {
                    self.commit();
                    self.end_line(at + text.len());
                    self.before = None;
                }
                Token::Space => {
                    self.commit();
                    let (text, width) = shown(text, self.width);
                    // More blanks than a line holds say nothing.
                    if self.gap.len() < self.width {
                        self.gap.push(Glyph {
                            text,
                            width,
                            style: span.style,
                            at,
                        });
                    }
                    self.before = None;
                }
                Token::Chance(hyphen) => {
                    self.commit();
                    self.hyphen = hyphen.then_some(span.style);
                }
                Token::Glyph(class) => {
                    let words = self.before == Some(Class::Hyphen)
                        && !span.style.traits.has(Traits::CODE)
                        && self.after_letter();
                    if !sticky
                        && self
                            .before
                            .is_some_and(|before| allowed(before, class, text, words))
                    {
                        self.commit();
                    }
                    sticky = false;
                    self.before = Some(class);
                    self.glyph(text, span.style, at);
                }
            }
            at += text.len();
        }
    }

    /// Whether the word goes on after a letter and a hyphen: `-x` is an option, not a compound.
    fn after_letter(&self) -> bool {
        let [word @ .., hyphen] = self.word.as_slice() else {
            return false;
        };
        // Not in the middle of a URL, where a hyphen at the end of a line would be taken for part of it.
        matches!(hyphen.text, "-" | "‐")
            && !word.iter().any(|g| g.text == "/")
            && word
                .iter()
                .rfind(|g| g.text != "-")
                .is_some_and(|g| g.text.chars().all(char::is_alphanumeric))
    }

    fn glyph(&mut self, text: &'a str, style: Style, at: usize) {
        if !is_word(text) {
            let (text, width) = shown(text, self.width);
            self.put(text, width, style, at);
        } else if self.word_width + text.len() <= self.width {
            self.put(text, text.len(), style, at);
        } else {
            for (nth, _) in text.char_indices() {
                self.put(&text[nth..=nth], 1, style, at + nth);
            }
        }
    }

    fn put(&mut self, text: &'a str, width: usize, style: Style, at: usize) {
        if self.word_width + width > self.width {
            self.divide();
            self.spill(width);
        }
        self.word.push(Glyph {
            text,
            width,
            style,
            at,
        });
        self.word_width += width;
    }

    /// Makes a glyph of each letter: the word is about to be broken anywhere.
    fn divide(&mut self) {
        let parts = self.word.iter().flat_map(|glyph| {
            let letters = if is_word(glyph.text) {
                glyph.text.len()
            } else {
                1
            };
            (0..letters).map(move |nth| {
                let text = if letters > 1 {
                    &glyph.text[nth..=nth]
                } else {
                    glyph.text
                };
                Glyph {
                    text,
                    width: if letters > 1 { 1 } else { glyph.width },
                    style: glyph.style,
                    at: glyph.at + nth,
                }
            })
        });
        self.word = parts.collect();
    }

    /// Sets the first part of a word that fits no line, so that `coming` more columns go into the rest.
    fn spill(&mut self, coming: usize) {
        let gap: usize = self.gap.iter().map(|g| g.width).sum();
        let taken = self.used + self.line_width + gap;
        let room = self.width.saturating_sub(taken);
        let blank = self.line.is_empty() && self.used == 0;
        if blank && gap == 0 || room >= WORTHWHILE.min(self.width.div_ceil(2)) {
            let cut = self.cut(room);
            if cut > 0 {
                self.place_gap();
                let rest = self.word.split_off(cut);
                self.place_word();
                self.word_width = rest.iter().map(|g| g.width).sum();
                self.word = rest;
            }
        } else {
            self.gap.clear();
        }
        let next = self.word.first().map_or(self.line_at, |g| g.at);
        self.hyphen = None;
        self.end_line(next);
        while self.word_width + coming > self.width && !self.word.is_empty() {
            let rest = self.word.split_off(self.cut(self.width));
            self.place_word();
            self.word_width = rest.iter().map(|g| g.width).sum();
            self.word = rest;
            let next = self.word.first().map_or(self.line_at, |g| g.at);
            self.end_line(next);
        }
    }

    /// How many glyphs of the word go into `room` columns, better after the punctuation of a URL.
    fn cut(&self, room: usize) -> usize {
        let mut filled = 0;
        let fits = self
            .word
            .iter()
            .take_while(|g| {
                filled += g.width;
                filled <= room
            })
            .count();
        let least = fits - fits / 3;
        (least.max(1)..=fits)
            .rev()
            .find(|&at| {
                matches!(self.word[at - 1].text, "/" | "?" | "&" | "=" | "_" | "#")
                    || self.word.get(at).is_some_and(|g| g.text == ".")
            })
            .unwrap_or(fits)
    }

    /// A break may follow: the word goes on the line, or on the next one.
    fn commit(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let gap: usize = self.gap.iter().map(|g| g.width).sum();
        if self.used + self.line_width + gap + self.word_width <= self.width {
            self.place_gap();
        } else {
            if !self.line.is_empty() || self.used > 0 {
                let next = self.word[0].at;
                if let Some(style) = self.hyphen.take()
                    && self.gap.is_empty()
                    && self.used + self.line_width < self.width
                {
                    add(&mut self.line, "-", style);
                }
                self.end_line(next);
            }
            self.gap.clear();
        }
        self.place_word();
    }

    fn place_gap(&mut self) {
        for glyph in std::mem::take(&mut self.gap) {
            add(&mut self.line, glyph.text, glyph.style);
            self.line_width += glyph.width;
        }
    }

    fn place_word(&mut self) {
        for glyph in &self.word {
            add(&mut self.line, glyph.text, glyph.style);
        }
        self.line_width += self.word_width;
        self.word.clear();
        self.word_width = 0;
        self.hyphen = None;
    }

    fn end_line(&mut self, next: usize) {
        (self.emit)(std::mem::take(&mut self.line), self.line_at);
        self.line_width = 0;
        self.line_at = next;
        self.used = 0;
        self.gap.clear();
    }
}

/// Adds text to a line, to its last run where that has the same style.
pub fn add(line: &mut Vec<Run>, text: &str, style: Style) {
    match line.last_mut() {
        Some(last) if last.style == style => last.text.push_str(text),
        _ => line.push(Run {
            text: text.to_owned(),
            style,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str, width: usize) -> Vec<String> {
        let spans = [Span {
            text: text.to_owned(),
            style: Style::default(),
        }];
        let mut out = Vec::new();
        lines(&spans, width, 0, true, |runs, _| {
            out.push(runs.iter().map(|run| run.text.as_str()).collect());
        });
        out
    }

    #[test]
    fn lines_break_where_a_reader_expects_it() {
        let cases: &[(&str, usize, &[&str])] = &[
            ("one two three", 7, &["one two", "three"]),
            ("one two", 3, &["one", "two"]),
            ("a b", 80, &["a b"]),
            ("one\ntwo", 80, &["one", "two"]),
            ("one\n\ntwo", 80, &["one", "", "two"]),
            ("well-known facts", 7, &["well-", "known", "facts"]),
            (
                "run -x or --long-x now",
                8,
                &["run -x", "or", "--long-x", "now"],
            ),
            ("covid-19 x", 7, &["covid-1", "9 x"]),
            ("a—b", 2, &["a—", "b"]),
            ("10\u{a0}km away", 6, &["10 km", "away"]),
            ("abcdefghij", 4, &["abcd", "efgh", "ij"]),
            ("super\u{ad}cali\u{ad}fragi", 80, &["supercalifragi"]),
            ("super\u{ad}cali\u{ad}fragi", 10, &["supercali-", "fragi"]),
            ("super\u{ad}cali", 5, &["super", "cali"]),
            ("aaa\u{200b}bbb", 4, &["aaa", "bbb"]),
            ("(ab) cd", 4, &["(ab)", "cd"]),
            ("日本語です。", 6, &["日本語", "です。"]),
            ("日本語。です", 6, &["日本", "語。で", "す"]),
            ("日本「語」", 6, &["日本", "「語」"]),
            ("ラーメン", 4, &["ラー", "メン"]),
            ("漢字と abc字", 6, &["漢字と", "abc字"]),
            ("안녕하세요 세계", 12, &["안녕하세요", "세계"]),
            ("👨‍👩‍👧👨‍👩‍👧", 3, &["👨‍👩‍👧", "👨‍👩‍👧"]),
            (
                "e\u{301}e\u{301}e\u{301}",
                2,
                &["e\u{301}e\u{301}", "e\u{301}"],
            ),
            ("字", 1, &["?"]),
            ("a (字", 2, &["a", "(", "字"]),
            ("שלום עולם", 5, &["שלום", "עולם"]),
            ("  indented", 80, &["  indented"]),
            ("", 5, &[""]),
        ];
        for (text, width, wanted) in cases {
            assert_eq!(set(text, *width), *wanted, "{text:?} at {width}");
        }
    }

    #[test]
    fn a_url_breaks_after_its_punctuation() {
        assert_eq!(
            set("https://example.org/a/long/path/name", 20),
            ["https://example.org/", "a/long/path/name"]
        );
        assert_eq!(
            set("a https://example.org/a/long/path/name", 30),
            ["a https://example.org/a/long/", "path/name"]
        );
    }

    #[test]
    fn offsets_tell_where_a_line_begins() {
        let spans = [Span {
            text: "one two three".to_owned(),
            style: Style::default(),
        }];
        let mut at = Vec::new();
        lines(&spans, 7, 0, true, |_, begin| at.push(begin));
        assert_eq!(at, [0, 8]);
    }
}
