//! Plain text to blocks; and a body as a number or a line: words, minutes, a summary.

use crate::model::{EntryBody, Markup};

use super::build::Builder;
use super::document::{Block, Document, Span, document};
use super::filter::MAX_BYTES;
use super::inline::words_of;
use super::sanitize;
use super::style::Kind;

/// Words a minute that a practised reader reads.
const PACE: usize = 230;

/// Reads plain text behind what `builder` holds: line ends stay, a blank line ends a paragraph, leading blanks stay,
/// URLs are links.
pub fn read(text: &str, mut builder: Builder) -> Document {
    let kept = sanitize::beginning(text, MAX_BYTES).len();
    let clean = sanitize::text(&text[..kept]);
    for line in clean.split('\n') {
        let line = line.trim_end();
        if line.is_empty() {
            builder.flush();
            continue;
        }
        if !builder.inline().is_empty() {
            builder.line_break();
        }
        // Blanks that align something would fold; these do not.
        let words = line.trim_start_matches([' ', '\t']);
        let indent: String = line[..line.len() - words.len()]
            .chars()
            .map(|c| {
                if c == '\t' {
                    "\u{a0}\u{a0}\u{a0}\u{a0}"
                } else {
                    "\u{a0}"
                }
            })
            .collect();
        let kept = if words.contains("  ") {
            words.replace("  ", "\u{a0} ")
        } else {
            words.to_owned()
        };
        builder.text(&(indent + &kept));
    }
    builder.finish(kept < text.len())
}

/// Visits every text of the blocks, in the order of the page.
pub fn each_text(blocks: &[Block], visit: &mut impl FnMut(&[Span])) {
    for block in blocks {
        match block {
            Block::Heading(_, spans) | Block::Paragraph(spans) | Block::Code(spans) => visit(spans),
            Block::List(list) => list
                .items
                .iter()
                .for_each(|item| each_text(&item.blocks, visit)),
            Block::Quote(blocks) => each_text(blocks, visit),
            Block::Table(table) => {
                visit(&table.caption);
                for cell in table.rows.iter().flatten() {
                    each_text(&cell.blocks, visit);
                }
            }
            Block::Definitions(list) => {
                for one in list {
                    one.terms.iter().for_each(|term| visit(term));
                    each_text(&one.blocks, visit);
                }
            }
            Block::Figure { blocks, caption } => {
                each_text(blocks, visit);
                visit(caption);
            }
            Block::Details { summary, blocks } => {
                visit(summary);
                each_text(blocks, visit);
            }
            Block::Rule => {}
        }
    }
}

/// Words of the blocks.
pub fn words(blocks: &[Block]) -> usize {
    let (mut words, mut ideographs) = (0, 0);
    each_text(blocks, &mut |spans| {
        let mut inside = false;
        for c in spans.iter().flat_map(|span| span.text.chars()) {
            let ideograph = matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
            ideographs += usize::from(ideograph);
            let letter = c.is_alphanumeric() && !ideograph;
            words += usize::from(letter && !inside);
            inside = letter || inside && matches!(c, '\'' | '’' | '-' | '.' | ',' | '_' | '\u{ad}');
        }
    });
    words + ideographs.div_ceil(2)
}

/// Minutes that reading a document takes, rounded up; 0 when it holds no words.
pub fn minutes(document: &Document) -> usize {
    document.words().div_ceil(PACE)
}

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

/// A body of plain text, for tests and for what has no markup.
impl From<&str> for Document {
    fn from(text: &str) -> Self {
        document(&EntryBody {
            text: text.to_owned(),
            markup: Markup::Text,
            ..EntryBody::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn plain_text_keeps_its_lines_and_links_its_urls() {
        let document = Document::from("one\n  two https://a.example/x.\n\n\nthree");
        assert_eq!(document.blocks.len(), 2);
        assert_eq!(document.links[0].url, "https://a.example/x");
        let page = crate::article::layout(&document, 40);
        let rows: Vec<String> = page.rows.iter().map(crate::article::Row::text).collect();
        assert_eq!(
            rows[..4],
            ["one", "  two https://a.example/x[1].", "", "three"]
        );
    }
}
