//! A page of HTML or text into rows of styled runs. Knows no terminal and no colours: rows are plain data, styles are names.
//!
//! [`document`] reads an entry's body once into blocks; [`layout`] sets these blocks for a width, as often as the
//! width changes. Work and memory are bounded whatever a feed sends: bytes, open tags, links, images and rows have limits.

mod breaks;
mod build;
mod classes;
mod document;
mod filter;
mod graphemes;
mod html;
mod inline;
mod layout;
mod links;
mod media;
mod page;
pub mod sanitize;
mod style;
mod table;
mod tags;
mod text;

pub use document::{
    Block, Cell, Definition, Document, Image, Item, Link, List, MediaKind, Numbering, Span, Table,
    document,
};
pub use layout::{Options, layout, layout_with};
pub use page::{Page, Row, Run, plain};
pub use style::{Kind, Style, Traits};
pub use text::{minutes, summary};
