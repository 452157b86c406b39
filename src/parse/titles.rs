//! Titles: HTML brought down to one clean line.

use std::borrow::Cow;

use super::tokens::{Token, Tokens};
use crate::article::sanitize;
use crate::model::{EntryBody, Markup};

/// Elements that titles are decorated with; anything else in angle brackets is what the author wrote.
const TAGS: &[&str] = &[
    "a",
    "abbr",
    "acronym",
    "address",
    "article",
    "aside",
    "b",
    "bdi",
    "bdo",
    "big",
    "blink",
    "blockquote",
    "br",
    "center",
    "cite",
    "code",
    "dd",
    "del",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "figure",
    "font",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "label",
    "li",
    "link",
    "main",
    "mark",
    "meta",
    "nobr",
    "object",
    "ol",
    "p",
    "param",
    "picture",
    "pre",
    "q",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "script",
    "section",
    "small",
    "source",
    "span",
    "strike",
    "strong",
    "style",
    "sub",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "time",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
    "video",
    "audio",
    "wbr",
];

/// One line of an HTML title: tags out, references resolved until nothing changes, at most twice.
/// Tags that appear only then were escaped twice by mistake when they come in pairs; one alone is spoken of.
pub(crate) fn html(source: &str) -> String {
    let mut text = unescape(strip(source));
    if has_reference(&text) {
        text = Cow::Owned(unescape(text).into_owned());
    }
    if paired(&text) {
        text = Cow::Owned(strip(&text).into_owned());
    }
    literal(&text)
}

/// A known element is opened and closed in it.
fn paired(text: &str) -> bool {
    if !text.contains("</") {
        return false;
    }
    let mut open = Vec::new();
    for token in Tokens::new(text) {
        match token {
            Token::Start(tag) if known(tag.name) && open.len() < 16 => open.push(tag.name),
            Token::End(name) if open.contains(&name) => return true,
            _ => {}
        }
    }
    false
}

/// One line of a literal title.
pub(crate) fn literal(text: &str) -> String {
    // A vertical tab or form feed counts as white space to Unicode; in a feed it is noise inside a word.
    let noise = |c: char| matches!(c, '\u{b}' | '\u{c}' | '\u{85}');
    if text.contains(noise) {
        return sanitize::line(&text.replace(noise, ""));
    }
    sanitize::line(text)
}

/// A title is made of at most so many characters of the text.
const BEGINNING: usize = 100;

/// So much of a text is looked at for its first words.
const LOOKED_AT: usize = 8 << 10;

/// The first words of an entry's text: what stands for its title where it has none. Empty when the text has no words.
pub fn beginning(body: &EntryBody) -> String {
    let mut ends = (0..=LOOKED_AT.min(body.text.len())).rev();
    let cut = ends.find(|at| body.text.is_char_boundary(*at)).unwrap_or(0);
    let line = match body.markup {
        Markup::Html => html(&body.text[..cut]),
        Markup::Text => literal(&body.text[..cut]),
    };
    let Some((end, _)) = line.char_indices().nth(BEGINNING) else {
        return line;
    };
    let head = &line[..end];
    // A script without blanks is cut where it stands.
    let words = head.rfind(' ').filter(|at| *at > end / 2).unwrap_or(end);
    format!("{}…", head[..words].trim_end())
}

fn has_reference(text: &str) -> bool {
    text.split_once('&')
        .is_some_and(|(_, rest)| rest.contains(';'))
}

fn unescape(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains('&') {
        return text;
    }
    Cow::Owned(htmlize::unescape(text.as_ref()).into_owned())
}

/// Without known tags and comments; text and unknown tags stay as they are.
fn strip(source: &str) -> Cow<'_, str> {
    if !source.contains('<') {
        return Cow::Borrowed(source);
    }
    let mut out = String::with_capacity(source.len());
    let mut tokens = Tokens::new(source);
    while let Some(token) = tokens.next() {
        match token {
            Token::Text(text) | Token::CData(text) => out.push_str(text),
            Token::Start(tag) if known(tag.name) => {
                // Their inside is never to be read.
                if tag.name.eq_ignore_ascii_case("script") || tag.name.eq_ignore_ascii_case("style")
                {
                    tokens.skip_raw(tag.name);
                } else if breaks(tag.name) {
                    out.push(' ');
                }
            }
            Token::End(name) if known(name) => {
                if breaks(name) {
                    out.push(' ');
                }
            }
            Token::Start(_) | Token::End(_) => {
                out.push_str(&source[tokens.began()..tokens.pos()]);
            }
            Token::Doctype(_) => {}
        }
    }
    Cow::Owned(out)
}

fn known(name: &str) -> bool {
    TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(name))
}

fn breaks(name: &str) -> bool {
    ["br", "p", "div", "li", "tr", "h1", "h2", "h3"]
        .iter()
        .any(|tag| tag.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_words_stand_for_a_title() {
        let body = |text: &str, markup| EntryBody {
            text: text.to_owned(),
            markup,
            ..EntryBody::default()
        };
        let long = "word ".repeat(40);
        let wide = "字".repeat(300);
        for (text, markup, want) in [
            (
                "<p>Hello <b>you</b> &amp; me</p>",
                Markup::Html,
                "Hello you & me".to_owned(),
            ),
            ("a <b>\n c", Markup::Text, "a <b> c".to_owned()),
            (
                "<script>x()</script><img src=a>",
                Markup::Html,
                String::new(),
            ),
            ("", Markup::Html, String::new()),
            (
                long.as_str(),
                Markup::Text,
                format!("{}…", "word ".repeat(19) + "word"),
            ),
            (
                wide.as_str(),
                Markup::Html,
                format!("{}…", "字".repeat(100)),
            ),
        ] {
            assert_eq!(beginning(&body(text, markup)), want, "{text}");
        }
    }

    #[test]
    fn tags_go_and_what_only_looks_like_one_stays() {
        for (source, want) in [
            ("<b>Bold</b> move", "Bold move"),
            ("AT&amp;T &lt;b&gt;x", "AT&T <b>x"),
            ("an &lt;i&gt;odd&lt;/i&gt; one", "an odd one"),
            ("Q&amp;amp;A", "Q&A"),
            ("I <3 you", "I <3 you"),
            ("1 < 2 & 3 > 2", "1 < 2 & 3 > 2"),
            ("Vec<T> and <Unknown>", "Vec<T> and <Unknown>"),
            ("one<br/>two", "one two"),
            ("a <script>alert(1)</script>b", "a b"),
            ("caf&eacute;&nbsp;&#8212; x", "café — x"),
            ("a\n  b\u{1b}[31m &#27;c", "a b[31m c"),
            ("&amp;amp;amp; x", "&amp; x"),
        ] {
            assert_eq!(html(source), want, "{source}");
        }
        assert_eq!(literal("use <br> here"), "use <br> here");
    }
}
