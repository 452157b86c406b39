//! A list of feeds that is followed: a remote OPML file. Unlike an import it must be whole, for what it does not name is parked.

use super::references::{self, Entities};
use super::tokens::{Token, Tokens};
use super::{ParseError, decode, opml, stranger};
use crate::article::sanitize;
use crate::model::Subscription;

/// A list has no more feeds than that; those beyond are not followed.
pub const LIST_MAX: usize = 2_000;

/// What a list says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct List {
    /// Its own title, one clean line; may be empty.
    pub title: String,
    /// Its feeds in its order. Addresses are web addresses; what is none is left out.
    pub feeds: Vec<Subscription>,
    /// How many more it names than are followed.
    pub more: usize,
}

/// Reads a list. One that is cut is refused.
pub fn list(bytes: &[u8], content_type: Option<&str>) -> Result<List, ParseError> {
    let decoded = decode::decode(bytes, content_type);
    let text = decoded.text.as_ref();
    let mut feeds = match opml::read(text) {
        Ok(found) => found.subscriptions,
        Err(opml::ImportError::Empty) => return Err(ParseError::Empty),
        Err(opml::ImportError::NotOpml(line)) => {
            let seen = stranger::look(text);
            return Err(if seen.html {
                ParseError::Html(seen.line)
            } else {
                ParseError::NotAFeed(line)
            });
        }
    };
    if !is_closed(text) {
        return Err(ParseError::Truncated);
    }
    let more = feeds.len().saturating_sub(LIST_MAX);
    feeds.truncate(LIST_MAX);
    let title = title(text);
    Ok(List { title, feeds, more })
}

/// The text of the first `title`.
fn title(text: &str) -> String {
    let mut inside = false;
    for token in Tokens::new(text) {
        match token {
            Token::Start(tag) if tag.name.eq_ignore_ascii_case("outline") => break,
            Token::Start(tag) => inside = tag.name.eq_ignore_ascii_case("title"),
            Token::End(_) => inside = false,
            Token::Text(piece) | Token::CData(piece) if inside => {
                return sanitize::line(&references::decode(piece, &Entities::default()));
            }
            _ => {}
        }
    }
    String::new()
}

/// It is whole: its last tag is there.
fn is_closed(text: &str) -> bool {
    let end = text.rfind("</").map(|at| &text[at + 2..]);
    end.and_then(|end| end.get(..4))
        .is_some_and(|name| name.eq_ignore_ascii_case("opml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<List, ParseError> {
        list(text.as_bytes(), None)
    }

    #[test]
    fn a_list_has_a_title_and_feeds_in_folders() {
        let text = "<opml version='2.0'><head><title>The &amp; team</title></head><body><outline text='a'>\
            <outline text='One' xmlUrl='https://a.example/f#x'/></outline>\
            <outline type='include' url='https://b.example/x.opml'/></body></opml>\n";
        let found = read(text).expect("a list");
        assert_eq!((found.title.as_str(), found.more), ("The & team", 0));
        let feed = &found.feeds[0];
        assert_eq!(
            (feed.url.as_str(), feed.tags.join(" ").as_str()),
            ("https://a.example/f", "a")
        );
        assert_eq!(found.feeds.len(), 1);
    }

    #[test]
    fn a_list_that_is_cut_or_none_is_refused_and_an_empty_one_is_not() {
        let cut = "<opml><body><outline xmlUrl='https://a.example/f'/></body>";
        assert_eq!(read(cut), Err(ParseError::Truncated));
        assert_eq!(read(" \n"), Err(ParseError::Empty));
        let page = "<!doctype html><html><title>Sign in</title><p>x</html>";
        assert_eq!(read(page), Err(ParseError::Html("Sign in".to_owned())));
        assert!(matches!(read("<rss></rss>"), Err(ParseError::NotAFeed(_))));
        let empty = read("<opml><head/><body></body></opml>").expect("a list");
        assert_eq!(empty, List::default());
    }

    #[test]
    fn a_list_has_an_end() {
        let one = |at: usize| format!("<outline xmlUrl='https://a.example/{at}'/>");
        let many: String = (0..LIST_MAX + 5).map(one).collect();
        let found = read(&format!("<opml><body>{many}</body></opml>")).expect("a list");
        assert_eq!((found.feeds.len(), found.more), (LIST_MAX, 5));
    }
}
