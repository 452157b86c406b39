//! What an entry says, as blocks: read once, laid out at any width.

use std::sync::Arc;

use super::style::Style;

/// A piece of text in one style. May hold line feeds (a forced break), soft hyphens and zero-width spaces (break
/// opportunities); no other control character.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    /// The words.
    pub text: String,
    /// What they are.
    pub style: Style,
}

/// A target and the words that lead to it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Link {
    /// Absolute URL of a scheme that a reader may open: no control characters, no `javascript:`.
    pub url: String,
    /// The words of the first place that links there; may be empty.
    pub text: String,
}

/// A picture that is shown as a placeholder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Image {
    /// Absolute URL; empty when the picture has none that could be fetched.
    pub url: String,
    /// The text in its place; may be empty.
    pub alt: String,
    /// The tool tip, where many comics hide their second joke; may be empty.
    pub title: String,
}

/// A table cell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cell {
    /// What it holds.
    pub blocks: Vec<Block>,
    /// A `th`.
    pub head: bool,
    /// Columns it covers, at least 1.
    pub columns: u16,
    /// Rows it covers, at least 1.
    pub rows: u16,
}

/// A table of data; tables that only place things on a page are dissolved into their blocks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// Words above it.
    pub caption: Vec<Span>,
    /// How many of the first rows are heads.
    pub heads: usize,
    /// Rows of cells; rows may differ in length.
    pub rows: Vec<Vec<Cell>>,
}

/// How list items are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Numbering {
    /// Bullets.
    #[default]
    Bullet,
    /// 1, 2, 3.
    Decimal,
    /// a, b, c.
    Lower,
    /// A, B, C.
    Upper,
    /// i, ii, iii.
    LowerRoman,
    /// I, II, III.
    UpperRoman,
}

/// One item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Item {
    /// Its number; without meaning for bullets.
    pub number: i64,
    /// What it holds.
    pub blocks: Vec<Block>,
}

/// A list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct List {
    /// How its items are marked.
    pub numbering: Numbering,
    /// The items.
    pub items: Vec<Item>,
}

/// A term or several, and what is said of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Definition {
    /// The terms.
    pub terms: Vec<Vec<Span>>,
    /// The explanation.
    pub blocks: Vec<Block>,
}

/// What is embedded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaKind {
    /// `audio`.
    Audio,
    /// `video`, or a page of a known video site.
    Video,
    /// `iframe`, `embed`, `object`.
    Page,
}

/// A part of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// A heading of level 1 to 6.
    Heading(u8, Vec<Span>),
    /// Running text.
    Paragraph(Vec<Span>),
    /// An ordered or unordered list.
    List(List),
    /// Quoted blocks.
    Quote(Vec<Block>),
    /// Text whose spaces and line ends count.
    Code(Vec<Span>),
    /// A table of data.
    Table(Table),
    /// A definition list.
    Definitions(Vec<Definition>),
    /// Something shown, and the words below it.
    Figure {
        /// What is shown.
        blocks: Vec<Block>,
        /// The words below it.
        caption: Vec<Span>,
    },
    /// A part the author folded; always shown open.
    Details {
        /// The line that stays visible.
        summary: Vec<Span>,
        /// The folded part.
        blocks: Vec<Block>,
    },
    /// A horizontal line.
    Rule,
}

/// An entry's body, read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    /// The page from top to bottom.
    pub blocks: Vec<Block>,
    /// Every target once, in the order of first sight; number 1 is at index 0.
    pub links: Arc<[Link]>,
    /// Every picture, in order.
    pub images: Arc<[Image]>,
    /// The body was larger than the limit and its rest was left out.
    pub cut: bool,
}

impl Document {
    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
}
