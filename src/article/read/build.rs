//! Blocks under construction: a stack of open containers, each with the paragraph that is being written in it.

use super::super::document::{Block, Cell, Definition, List, Numbering, Span, Table};
use super::super::style::{Kind, Style, Traits};
use super::inline::Inline;
use super::links::{Targets, urls};

/// Containers within one another; deeper ones are dissolved, for there is no width left to show them.
const MAX_NEST: usize = 40;
/// Columns that a cell may claim to cover.
pub const MAX_SPAN: u16 = 1000;

/// What a line of text is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// A heading of that level.
    Heading(u8),
    /// A term of a definition list.
    Term,
    /// Words below a figure.
    FigureCaption,
    /// Words above a table.
    TableCaption,
    /// The visible line of a folded part.
    Summary,
}

/// An open container.
#[derive(Debug)]
pub enum What {
    /// The page.
    Root,
    /// A quotation.
    Quote,
    /// A list: the next number and the step to the one after it.
    List(List, i64, i64),
    /// A list item and its number.
    Item(i64),
    /// A definition list.
    Definitions(Vec<Definition>),
    /// The explanation of a term.
    Meaning,
    /// A table.
    Table {
        /// Its rows so far.
        table: Table,
        /// It says of itself that it only places things on the page.
        layout: bool,
        /// Its `thead` is open.
        in_head: bool,
    },
    /// A row.
    Row(Vec<Cell>),
    /// A cell, its blocks still in the frame.
    Cell(Cell),
    /// A figure and its caption.
    Figure(Vec<Span>),
    /// A folded part and its summary.
    Details(Vec<Span>),
    /// One line of text, breaks allowed.
    Line(Use),
    /// Code.
    Code,
}

/// An open container with what is in it.
pub(super) struct Frame {
    /// What it is.
    pub(super) what: What,
    /// Its finished parts.
    pub(super) blocks: Vec<Block>,
    /// The text being written in it.
    pub(super) inline: Inline,
}

/// Gathers blocks, links and pictures.
pub struct Builder {
    /// Links and pictures so far.
    pub targets: Targets,
    /// The style of what is written next.
    pub style: Style,
    /// Bytes of text written: tells whether an element held anything.
    pub written: usize,
    /// Open containers, outermost first.
    pub(super) frames: Vec<Frame>,
}

impl Builder {
    /// An empty page; relative links are resolved against `base`.
    pub fn new(base: Option<&str>) -> Self {
        Self {
            targets: Targets::new(base),
            style: Style::default(),
            written: 0,
            frames: vec![Frame::new(What::Root)],
        }
    }

    /// The innermost frame.
    pub(super) fn top(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::new(What::Root));
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// The innermost container.
    pub fn holder(&mut self) -> &mut What {
        &mut self.top().what
    }

    /// The text being written.
    pub fn inline(&mut self) -> &mut Inline {
        &mut self.top().inline
    }

    /// Whether spaces and line ends count here.
    pub fn in_code(&self) -> bool {
        self.frames
            .iter()
            .any(|frame| matches!(frame.what, What::Code))
    }

    /// Opens a container. False when there are too many: the caller writes into the one that is open.
    pub fn push(&mut self, what: What) -> bool {
        if self.frames.len() >= MAX_NEST {
            self.flush();
            return false;
        }
        if !matches!(self.top().what, What::Line(_)) {
            self.flush();
        }
        self.frames.push(Frame::new(what));
        true
    }

    /// Adds running text. URLs in it become links unless it is in one.
    pub fn text(&mut self, text: &str) {
        let style = self.style;
        let code = self.in_code();
        let plain = code || style.link.is_some() || style.traits.has(Traits::CODE);
        let found = if plain { Vec::new() } else { urls(text) };
        let mut from = 0;
        for at in found {
            self.write(&text[from..at.start], style, code);
            self.text_link(&text[at.clone()], style);
            from = at.end;
        }
        self.write(&text[from..], style, code);
    }

    fn text_link(&mut self, url: &str, style: Style) {
        let number = match self.targets.resolve(url) {
            super::links::Target::Url(target) => self.targets.number(&target),
            _ => None,
        };
        self.write(
            url,
            Style {
                link: number,
                ..style
            },
            false,
        );
        if let Some(number) = number {
            self.targets.name(number, url);
            self.number(number);
        }
    }

    fn write(&mut self, text: &str, mut style: Style, code: bool) {
        let visible = text.trim_ascii().len();
        self.written += visible;
        if visible == 0 {
            // Blanks alone lead nowhere: the link around them may be taken back.
            style.link = None;
        }
        if code {
            self.inline().push_raw(text, style);
        } else {
            self.inline().push(text, style);
        }
    }

    /// Writes words that the page does not hold as text: quotation marks, placeholders.
    pub fn say(&mut self, words: &str, style: Style) {
        self.written += words.len();
        self.inline().push(words, style);
    }

    /// Writes a link's number after the words that lead there.
    pub fn number(&mut self, number: u32) {
        let style = Style {
            kind: Kind::Number,
            traits: Traits::NONE,
            link: Some(number),
        };
        let mark = format!("[{number}]");
        if self.in_code() {
            return;
        }
        let top = self.top();
        if top.inline.is_empty()
            && let Some(spans) = top.blocks.last_mut().and_then(last_words)
            && spans
                .last()
                .is_some_and(|last| last.style.link == Some(number))
        {
            // The link held whole blocks: its number follows their last word.
            spans.push(Span { text: mark, style });
        } else {
            top.inline.stick(&mark, style);
        }
    }

    /// Ends the line; two breaks end the paragraph.
    pub fn line_break(&mut self) {
        let style = Style {
            link: None,
            ..self.style
        };
        if self.in_code() {
            self.inline().push_raw("\n", style);
        } else if self.top().inline.at_line_start() && !matches!(self.top().what, What::Line(_)) {
            self.flush();
        } else if !self.top().inline.at_line_start() {
            self.inline().line_break(style);
        }
    }

    /// Ends the paragraph that is being written.
    pub fn flush(&mut self) {
        let top = self.top();
        match top.what {
            What::Line(_) => {
                if !top.inline.at_line_start() {
                    top.inline.line_break(Style::default());
                }
            }
            What::Code => {
                if !top.inline.at_line_start() {
                    top.inline.push_raw("\n", Style::default());
                }
            }
            _ => {
                let spans = top.inline.take();
                if !spans.is_empty() {
                    top.blocks.push(Block::Paragraph(spans));
                }
            }
        }
    }

    /// Adds a finished block.
    pub fn block(&mut self, block: Block) {
        self.flush();
        self.top().blocks.push(block);
    }

    /// An item without a list around it continues the list before it.
    pub fn join_lists(&mut self) {
        let blocks = &mut self.top().blocks;
        if let [.., Block::List(_), Block::List(_)] = blocks.as_slice()
            && let Some(Block::List(mut newer)) = blocks.pop()
            && let Some(Block::List(list)) = blocks.last_mut()
        {
            list.items.append(&mut newer.items);
        }
    }

    /// Opens a list item; makes a list for it where there is none. Gives the containers opened.
    pub fn push_item(&mut self, value: Option<i64>) -> usize {
        let mut opened = 0;
        if !matches!(self.holder(), What::List(..)) {
            opened += usize::from(self.push(What::List(List::default(), 1, 1)));
        }
        let mut number = 0;
        if let What::List(_, next, step) = self.holder() {
            number = value.unwrap_or(*next);
            *next = number.saturating_add(*step);
        }
        opened + usize::from(self.push(What::Item(number)))
    }

    /// Opens a list whose items count from `start` on.
    pub fn push_list(&mut self, numbering: Numbering, start: i64, step: i64) -> bool {
        let list = List {
            numbering,
            items: Vec::new(),
        };
        self.push(What::List(list, start, step))
    }
}

impl Frame {
    fn new(what: What) -> Self {
        Self {
            what,
            blocks: Vec::new(),
            inline: Inline::default(),
        }
    }
}

/// The spans that end a block.
fn last_words(block: &mut Block) -> Option<&mut Vec<Span>> {
    match block {
        Block::Heading(_, spans) | Block::Paragraph(spans) => Some(spans),
        Block::Quote(blocks) | Block::Details { blocks, .. } => {
            blocks.last_mut().and_then(last_words)
        }
        Block::List(list) => list
            .items
            .last_mut()
            .and_then(|item| item.blocks.last_mut())
            .and_then(last_words),
        Block::Figure { caption, .. } => Some(caption),
        _ => None,
    }
}
