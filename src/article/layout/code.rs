//! Lines of code: every space and line end counts.

use unicode_width::UnicodeWidthStr;

use super::super::document::Span;
use super::super::page::Run;
use super::super::style::{Kind, Style};
use super::breaks::add;
use super::graphemes::{Token, Tokens, is_word, shown};

/// Breaks code into lines: every line end counts, longer lines go on below a mark.
pub fn code_lines<F: FnMut(Vec<Run>, usize)>(spans: &[Span], width: usize, emit: F) {
    let width = width.max(1);
    let mut coder = Coder {
        width,
        mark: if width >= 8 { "↪ " } else { "" },
        line: Vec::new(),
        filled: 0,
        begin: 0,
        emit,
    };
    let mut at = 0;
    for span in spans {
        let mut style = span.style;
        if style.kind == Kind::Text {
            style.kind = Kind::CodeBlock;
        }
        for (text, token) in Tokens::of(&span.text) {
            match token {
                Token::Newline => coder.end_line(at + text.len()),
                Token::Chance(_) => {}
                Token::Space | Token::Glyph(_) if is_word(text) => coder.word(text, style, at),
                Token::Space | Token::Glyph(_) => {
                    let (text, columns) = shown(text, width);
                    coder.put(text, columns, style, at);
                }
            }
            at += text.len();
        }
    }
    coder.end_line(at);
}

struct Coder<F> {
    width: usize,
    mark: &'static str,
    line: Vec<Run>,
    filled: usize,
    begin: usize,
    emit: F,
}

impl<F: FnMut(Vec<Run>, usize)> Coder<F> {
    fn word(&mut self, text: &str, style: Style, at: usize) {
        if self.filled + text.len() <= self.width {
            return self.put(text, text.len(), style, at);
        }
        for (nth, _) in text.char_indices() {
            self.put(&text[nth..=nth], 1, style, at + nth);
        }
    }

    fn put(&mut self, text: &str, columns: usize, style: Style, at: usize) {
        if self.filled + columns > self.width {
            self.end_line(at);
            if !self.mark.is_empty() {
                add(&mut self.line, self.mark, Style::of(Kind::Marker));
                self.filled = self.mark.width();
            }
        }
        add(&mut self.line, text, style);
        self.filled += columns;
    }

    fn end_line(&mut self, next: usize) {
        (self.emit)(std::mem::take(&mut self.line), self.begin);
        self.filled = 0;
        self.begin = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_of_code_goes_on_below_a_mark() {
        let spans = [Span {
            text: "let x = 12345;\n  y\n\nz".to_owned(),
            style: Style::default(),
        }];
        let mut out = Vec::new();
        code_lines(&spans, 10, |runs, _| {
            out.push(runs.iter().map(|run| run.text.as_str()).collect::<String>());
        });
        assert_eq!(out, ["let x = 12", "↪ 345;", "  y", "", "z"]);
    }
}
