//! Containers that end: each is put into the one around it.

use super::super::document::{Block, Cell, Definition, Document, Item, List, Span, Table};
use super::super::style::Kind;
use super::build::{Builder, Frame, Use, What};
use super::data;

/// The page.
pub fn finish(mut builder: Builder, cut: bool) -> Document {
    while builder.frames.len() > 1 {
        builder.pop();
    }
    builder.flush();
    let blocks = builder
        .frames
        .pop()
        .map(|root| root.blocks)
        .unwrap_or_default();
    let (links, images) = builder.targets.finish();
    Document {
        blocks,
        links: links.into(),
        images: images.into(),
        cut,
    }
}

impl Builder {
    /// Closes the innermost container and puts it into the one around it.
    pub fn pop(&mut self) {
        if self.frames.len() < 2 {
            return;
        }
        if !matches!(self.top().what, What::Line(_) | What::Code) {
            self.flush();
        }
        let Some(Frame {
            what,
            mut blocks,
            mut inline,
        }) = self.frames.pop()
        else {
            return;
        };
        match what {
            What::Root => self.extend(blocks),
            What::Quote if !blocks.is_empty() => self.block(Block::Quote(blocks)),
            What::Quote => {}
            What::Code => self.close_code(inline.take_code(), blocks),
            What::Line(used) => self.close_line(used, inline.take(), blocks),
            What::Item(number) => self.close_item(number, blocks),
            What::List(list, ..) => self.close_list(list, blocks),
            What::Meaning => self.close_meaning(blocks),
            What::Definitions(list) => {
                if !list.is_empty() {
                    self.block(Block::Definitions(list));
                }
                self.extend(blocks);
            }
            What::Cell(mut cell) => {
                cell.blocks = blocks;
                match self.holder() {
                    What::Row(cells) => cells.push(cell),
                    _ => self.extend(cell.blocks),
                }
            }
            What::Row(cells) => self.close_row(cells, blocks),
            What::Table { table, layout, .. } => self.close_table(table, layout, blocks),
            What::Figure(caption) => match blocks.as_slice() {
                [] if caption.is_empty() => {}
                [] => self.block(Block::Paragraph(caption)),
                _ if caption.is_empty() => self.extend(blocks),
                _ => self.block(Block::Figure { blocks, caption }),
            },
            What::Details(summary) => {
                if summary.is_empty() {
                    self.extend(blocks);
                } else {
                    blocks.shrink_to_fit();
                    self.block(Block::Details { summary, blocks });
                }
            }
        }
    }

    fn extend(&mut self, blocks: Vec<Block>) {
        if !blocks.is_empty() {
            self.flush();
            self.top().blocks.extend(blocks);
        }
    }

    fn close_code(&mut self, spans: Vec<Span>, blocks: Vec<Block>) {
        if !spans.is_empty() {
            self.block(Block::Code(spans));
        }
        self.extend(blocks);
    }

    fn close_line(&mut self, used: Use, mut spans: Vec<Span>, blocks: Vec<Block>) {
        let kind = match used {
            Use::Heading(level) => Kind::Heading(level),
            Use::Term | Use::Summary => Kind::Term,
            Use::FigureCaption | Use::TableCaption => Kind::Caption,
        };
        for span in &mut spans {
            if span.style.kind == Kind::Text {
                span.style.kind = kind;
            }
        }
        if !spans.is_empty() {
            match (used, self.holder()) {
                (Use::Heading(level), _) => self.block(Block::Heading(level, spans)),
                (Use::Term, What::Definitions(list)) => add_term(list, spans),
                (Use::FigureCaption, What::Figure(caption)) if caption.is_empty() => {
                    *caption = spans;
                }
                (Use::TableCaption, What::Table { table, .. }) => table.caption = spans,
                (Use::Summary, What::Details(summary)) if summary.is_empty() => *summary = spans,
                _ => self.block(Block::Paragraph(spans)),
            }
        }
        self.extend(blocks);
    }

    fn close_item(&mut self, number: i64, blocks: Vec<Block>) {
        match self.holder() {
            What::List(list, ..) => {
                if !blocks.is_empty() {
                    list.items.push(Item { number, blocks });
                }
            }
            _ => self.extend(blocks),
        }
    }

    fn close_list(&mut self, mut closed: List, mut stray: Vec<Block>) {
        // Blocks of the list outside of any item, as a rule a nested list: they belong to the item before.
        if !stray.is_empty() {
            match closed.items.last_mut() {
                Some(item) => item.blocks.append(&mut stray),
                None => return self.extend(stray),
            }
        }
        if !closed.items.is_empty() {
            self.block(Block::List(closed));
        }
    }

    fn close_meaning(&mut self, mut blocks: Vec<Block>) {
        match self.holder() {
            What::Definitions(list) if !blocks.is_empty() => match list.last_mut() {
                Some(definition) => definition.blocks.append(&mut blocks),
                None => list.push(Definition {
                    terms: Vec::new(),
                    blocks,
                }),
            },
            What::Definitions(_) => {}
            _ => self.extend(blocks),
        }
    }

    fn close_row(&mut self, cells: Vec<Cell>, blocks: Vec<Block>) {
        if let What::Table { table, in_head, .. } = self.holder() {
            if cells.iter().any(|cell| !cell.blocks.is_empty()) {
                let head = *in_head || cells.iter().all(|cell| cell.head) && cells.len() > 1;
                if head && table.heads == table.rows.len() {
                    table.heads += 1;
                }
                table.rows.push(cells);
            }
        } else {
            for cell in cells {
                self.extend(cell.blocks);
            }
        }
        self.extend(blocks);
    }

    fn close_table(&mut self, table: Table, layout: bool, blocks: Vec<Block>) {
        self.extend(blocks);
        if !layout && data::holds_data(&table) {
            self.block(Block::Table(table));
            return;
        }
        if !table.caption.is_empty() {
            self.block(Block::Paragraph(table.caption));
        }
        for cell in table.rows.into_iter().flatten() {
            // Line numbers beside code.
            if !matches!(cell.blocks.as_slice(), [Block::Code(spans)] if data::is_gutter(spans)) {
                self.extend(cell.blocks);
            }
        }
    }
}

fn add_term(list: &mut Vec<Definition>, spans: Vec<Span>) {
    match list.last_mut() {
        Some(open) if open.blocks.is_empty() => open.terms.push(spans),
        _ => list.push(Definition {
            terms: vec![spans],
            blocks: Vec::new(),
        }),
    }
}
