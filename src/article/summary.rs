//! A body as a line: its first words.

use crate::model::EntryBody;

use super::read::document;
use super::sanitize;
use super::style::Kind;
use super::walk::{each_text, words_of};

/// The first words of a body as one clean line of at most `limit` characters, `…` at the end where it goes on. Reads
/// only the beginning: cheap enough for every line of a list.
pub fn summary(body: &EntryBody, limit: usize) -> String {
    let most = limit.saturating_mul(8).clamp(2048, 65_536);
    let mut start = sanitize::beginning(&body.text, most).len();
    if start < body.text.len()
        && let Some(tag) = body.text[..start].rfind('<')
        && !body.text[tag..start].contains('>')
    {
        // Not into a tag.
        start = tag;
    }
    let part = EntryBody {
        text: body.text[..start].to_owned(),
        markup: body.markup,
        base: None,
        ..EntryBody::default()
    };
    let mut words = String::new();
    each_text(&document(&part).blocks, &mut |spans| {
        if words.chars().count() <= limit {
            if !words.is_empty() {
                words.push(' ');
            }
            for span in spans.iter().filter(|span| span.style.kind != Kind::Number) {
                words.push_str(&words_of(std::slice::from_ref(span)));
            }
        }
    });
    let words = sanitize::line(&words);
    if words.chars().count() <= limit && (start == body.text.len() || words.is_empty()) {
        return words;
    }
    let mut cut: String = words.chars().take(limit.saturating_sub(1)).collect();
    if limit > 0 {
        cut.truncate(cut.trim_end().len());
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::article::{Document, minutes};

    fn html(text: &str) -> EntryBody {
        EntryBody {
            text: text.to_owned(),
            ..EntryBody::default()
        }
    }

    #[test]
    fn words_are_counted_in_every_script() {
        let cases = [
            ("", 0),
            ("<p>one two, three</p><p>don't stop</p>", 5),
            ("日本語です", 3),
            ("<pre>a b</pre><ul><li>c</ul>", 3),
        ];
        for (text, wanted) in cases {
            assert_eq!(document(&html(text)).words(), wanted, "{text}");
        }
        let long = "word ".repeat(460);
        assert_eq!(minutes(&document(&html(&long))), 2);
        assert_eq!(minutes(&Document::default()), 0);
    }

    #[test]
    fn a_summary_is_one_line_of_the_first_words() {
        let cases = [
            ("<h1>Title</h1><p>and <b>text</b></p>", 80, "Title and text"),
            ("<p>one two three</p>", 8, "one two…"),
            ("<style>x{}</style>", 80, ""),
            ("a\u{1b}[31mb", 80, "a[31mb"),
            ("abc", 0, ""),
        ];
        for (text, limit, wanted) in cases {
            assert_eq!(summary(&html(text), limit), wanted, "{text}");
        }
        let long = summary(&html(&"<div>".repeat(1000)), 80);
        assert_eq!(long, "");
        assert_eq!(
            summary(&html(&"word ".repeat(10_000)), 20).chars().count(),
            20
        );
    }
}
