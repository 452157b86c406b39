//! Plain text to blocks.

use super::super::document::Document;
use super::super::sanitize;
use super::build::Builder;
use super::close::finish;
use super::filter::MAX_BYTES;

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
    finish(builder, kept < text.len())
}

#[cfg(test)]
mod tests {
    use super::super::super::{Document, Row, layout};

    #[test]
    fn plain_text_keeps_its_lines_and_links_its_urls() {
        let document = Document::from("one\n  two https://a.example/x.\n\n\nthree");
        assert_eq!(document.blocks.len(), 2);
        assert_eq!(document.links[0].url, "https://a.example/x");
        let page = layout(&document, 40);
        let rows: Vec<String> = page.rows.iter().map(Row::text).collect();
        assert_eq!(
            rows[..4],
            ["one", "  two https://a.example/x[1].", "", "three"]
        );
    }
}
