//! A body into blocks. Data flows one way: `filter` makes markup harmless, `html` walks the parser's tree, `reader` and `leaving`
//! say what an element means, `build` and `close` gather blocks.

mod build;
mod classes;
mod close;
mod data;
mod filter;
mod html;
mod inline;
mod leaving;
mod links;
mod media;
mod reader;
mod scripts;
mod tags;
mod text;

use crate::model::{EntryBody, Markup};

use super::document::Document;
use build::Builder;
pub use filter::filter_page as harmless;

/// Reads a body into blocks. Any text gives a document; what cannot be understood is shown as text. The picture that
/// stands for the entry comes first, unless the text shows it.
pub fn document(body: &EntryBody) -> Document {
    let mut builder = Builder::new(body.base.as_deref());
    if let Some(url) = body.image.as_deref().filter(|url| !shows(&body.text, url)) {
        media::head(&mut builder, url);
    }
    match body.markup {
        Markup::Text => text::read(&body.text, builder),
        // Plain text that claims to be HTML: its line ends are all the structure it has.
        Markup::Html if !body.text.contains('<') && body.text.trim().contains('\n') => {
            text::read(&htmlize::unescape(body.text.as_str()), builder)
        }
        Markup::Html => html::read(&body.text, builder),
    }
}

/// The text holds this address, whatever its scheme, its parameters (sizes mostly) and how its `&` is written.
fn shows(text: &str, url: &str) -> bool {
    let place = url.split_once("://").map_or(url, |(_, place)| place);
    let file = place.split(['?', '#']).next().unwrap_or(place);
    let telling = file.trim_end_matches('/').contains('/');
    if telling && file.len() > 16 {
        return text.contains(file);
    }
    text.contains(place) || text.contains(&place.replace('&', "&amp;"))
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
