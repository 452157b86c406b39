//! Walks over blocks: their texts, words, lengths.

use super::document::{Block, Cell, Document, Span};

/// Words a minute that a practised reader reads.
const PACE: usize = 230;

impl Document {
    /// Words of the text; every two characters of Chinese or Japanese count as one.
    pub fn words(&self) -> usize {
        words(&self.blocks)
    }
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

/// The words of spans, breaks as blanks, soft hyphens dropped.
pub fn words_of(spans: &[Span]) -> String {
    let mut out = String::new();
    for span in spans {
        out.extend(span.text.chars().filter_map(|c| match c {
            '\n' => Some(' '),
            '\u{ad}' | '\u{200b}' => None,
            c => Some(c),
        }));
    }
    out
}

/// Bytes of the spans' text.
pub fn length(spans: &[Span]) -> usize {
    spans.iter().map(|span| span.text.len()).sum()
}

/// Bytes of the text of a cell.
pub fn cell_length(cell: &Cell) -> usize {
    let mut bytes = 0;
    each_text(&cell.blocks, &mut |spans| bytes += length(spans));
    bytes
}

fn words(blocks: &[Block]) -> usize {
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
