//! A page of HTML or text into rows of styled runs. Knows no terminal and no colours: rows are plain data, styles are names.
//!
//! [`document`] reads an entry's body once into blocks; [`layout`] sets these blocks for a width, as often as the
//! width changes. Work and memory are bounded whatever a feed sends: bytes, open tags, links, images and rows have limits.
//!
//! `read` (body → [`Document`]) and `layout` ([`Document`] → [`Page`]) know nothing of each other; what they share are the nouns
//! (`document`, `page`, `style`), the walks over them (`walk`) and [`sanitize`].

mod changes;
mod document;
mod extract;
mod layout;
mod page;
mod read;
pub mod sanitize;
mod style;
mod summary;
mod walk;

pub use changes::changes;
pub use document::{
    Block, Cell, Definition, Document, Image, Item, Link, List, MediaKind, Numbering, Span, Table,
};
pub use extract::extract;
pub use layout::{Options, layout, layout_with, plain};
pub use page::{Page, Row, Run};
pub use read::document;
pub use style::{Kind, Style, Traits};
pub use summary::summary;
pub use walk::minutes;
