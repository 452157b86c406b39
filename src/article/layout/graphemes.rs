//! Graphemes of a text, and where a line may end between two of them.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Stands where a wide character has no room.
const NO_ROOM: &str = "?";

/// What a grapheme does to the breaks beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Letters and all that follows no other rule.
    Plain,
    /// Ideographs, kana, emoji: breaks on both sides.
    Wide,
    /// No break after it.
    Open,
    /// The same, full width: a break before it.
    OpenWide,
    /// No break before it.
    Close,
    /// The same, full width: a break after it.
    CloseWide,
    /// A break after it, before a letter.
    Hyphen,
    /// A break after it.
    Dash,
    /// No break on either side.
    Glue,
}

/// What stands at a place of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// A blank that may end a line.
    Space,
    /// A forced break.
    Newline,
    /// A break that shows nothing when it is not used; `true` shows a hyphen when it is.
    Chance(bool),
    /// Something that is shown.
    Glyph(Class),
}

/// Whether a token is several ASCII letters or digits, each a column of its own: they may be divided.
pub fn is_word(text: &str) -> bool {
    text.len() > 1 && text.as_bytes()[0].is_ascii_alphanumeric() && text.is_ascii()
}

/// What is shown for a grapheme on lines of `width` columns, and its columns.
pub fn shown(text: &str, width: usize) -> (&str, usize) {
    if text.len() == 1 {
        return (text, 1);
    }
    if text == "\u{a0}" {
        return (" ", 1);
    }
    let columns = text.width();
    if columns > width {
        (NO_ROOM, 1)
    } else {
        (text, columns)
    }
}

/// Graphemes of a text with what each does. ASCII letters and digits in a row come as one token: most text is made of them.
pub struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    /// Those of `text`.
    pub const fn of(text: &'a str) -> Self {
        Self { text, at: 0 }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = (&'a str, Token);

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        let first = *bytes.get(self.at)?;
        // Between two ASCII characters there is always a boundary.
        let alone = first.is_ascii() && bytes.get(self.at + 1).is_none_or(u8::is_ascii);
        let text = if alone {
            let mut end = self.at + 1;
            if first.is_ascii_alphanumeric() {
                while bytes.get(end).is_some_and(u8::is_ascii_alphanumeric) {
                    end += 1;
                }
                // A mark may follow the last one.
                if bytes.get(end).is_some_and(|next| !next.is_ascii()) && end > self.at + 1 {
                    end -= 1;
                }
            }
            &self.text[self.at..end]
        } else {
            self.text[self.at..].graphemes(true).next()?
        };
        self.at += text.len();
        let token = if alone { ascii(first) } else { token(text) };
        Some((text, token))
    }
}

const fn ascii(byte: u8) -> Token {
    match byte {
        b' ' => Token::Space,
        b'\n' => Token::Newline,
        b'(' | b'[' | b'{' => Token::Glyph(Class::Open),
        b')' | b']' | b'}' | b',' | b'.' | b';' | b':' | b'!' | b'?' | b'%' => {
            Token::Glyph(Class::Close)
        }
        b'-' => Token::Glyph(Class::Hyphen),
        b'"' | b'\'' => Token::Glyph(Class::Glue),
        _ => Token::Glyph(Class::Plain),
    }
}

fn token(text: &str) -> Token {
    let first = text.chars().next().unwrap_or(' ');
    let class = match first {
        '\u{ad}' => return Token::Chance(true),
        '\u{200b}' => return Token::Chance(false),
        '\u{a0}' | '\u{202f}' | '\u{2007}' => Class::Glue,
        c if c.is_ascii() => return ascii(c as u8),
        c if c.is_whitespace() => return Token::Space,
        '‐' => Class::Hyphen,
        '–' | '—' | '―' => Class::Dash,
        '“' | '‘' | '«' | '‹' | '„' | '‚' | '¿' | '¡' => Class::Open,
        '”' | '’' | '»' | '›' | '…' | '‥' | '′' | '″' | '°' | '‰' => Class::Close,
        '（' | '［' | '｛' | '〈' | '《' | '「' | '『' | '【' | '〔' | '〖' | '〘' | '〝'
        | '￥' | '＄' => Class::OpenWide,
        c if never_starts(c) => Class::CloseWide,
        // Hangul is written with spaces between words.
        '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7ff}' => Class::Plain,
        _ if text.width() >= 2 => Class::Wide,
        _ => Class::Plain,
    };
    Token::Glyph(class)
}

/// Characters that no line of Chinese or Japanese begins with.
fn never_starts(c: char) -> bool {
    matches!(c,
        '、' | '。' | '，' | '．' | '・' | '：' | '；' | '？' | '！' | '）' | '］' | '｝' | '〉' | '》' | '」' | '』' | '】'
        | '〕' | '〗' | '〙' | '〟' | '々' | 'ゝ' | 'ゞ' | 'ヽ' | 'ヾ' | 'ー' | '〜' | '～' | '％' | '℃' | '゛' | '゜'
        | 'ぁ' | 'ぃ' | 'ぅ' | 'ぇ' | 'ぉ' | 'っ' | 'ゃ' | 'ゅ' | 'ょ' | 'ゎ' | 'ゕ' | 'ゖ'
        | 'ァ' | 'ィ' | 'ゥ' | 'ェ' | 'ォ' | 'ッ' | 'ャ' | 'ュ' | 'ョ' | 'ヮ' | 'ヵ' | 'ヶ'
        | '\u{ff61}'..='\u{ff65}' | '\u{ff67}'..='\u{ff70}' | '\u{ff9e}' | '\u{ff9f}')
}

/// Whether a line may end between two graphemes. `words`: hyphens divide here.
pub fn allowed(before: Class, next: Class, text: &str, words: bool) -> bool {
    use Class::{Close, CloseWide, Dash, Glue, Hyphen, Open, OpenWide, Plain, Wide};
    match (before, next) {
        (Glue | Open | OpenWide, _) | (_, Glue | Close | CloseWide) => false,
        (Wide | CloseWide, _) | (_, Wide | OpenWide) | (Dash, Plain | Open) => true,
        (Hyphen, Plain) => words && text.chars().next().is_some_and(char::is_alphabetic),
        _ => false,
    }
}
