//! OPML 1 and 2: lists of subscriptions from and for other readers. Folders are tags, `a/b` when nested.

use quick_xml::escape::escape;

use super::links::is_web;
use super::references::{Entities, decode};
use super::tokens::{Tag, Token, Tokens};
use super::{Imported, Skipped};
use crate::article::sanitize;
use crate::model::Subscription;

/// Folders deeper than this lend no name to the tag.
const DEEPEST: usize = 8;

/// Why a file is no list of subscriptions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// Nothing but white space.
    #[error("the file is empty")]
    Empty,
    /// No OPML in it; its first readable line.
    #[error("not an OPML file: {0}")]
    NotOpml(String),
}

/// Reads a list in any state that its feeds can be told from. What is no feed is in `skipped`.
pub fn read(text: &str) -> Result<Imported, ImportError> {
    if text.trim().is_empty() {
        return Err(ImportError::Empty);
    }
    let mut reader = Reader::default();
    let mut tokens = Tokens::new(text);
    let mut counted = 0;
    let mut opml = false;
    while let Some(token) = tokens.next() {
        match token {
            Token::Doctype(declared) => reader.entities.declare(declared),
            Token::Start(tag) if tag.name.eq_ignore_ascii_case("opml") => opml = true,
            Token::Start(tag) if tag.name.eq_ignore_ascii_case("outline") => {
                let began = tokens.began();
                reader.line += memchr::memchr_iter(b'\n', &text.as_bytes()[counted..began]).count();
                counted = began;
                opml = true;
                reader.outline(&tag);
            }
            Token::End(name) if name.eq_ignore_ascii_case("outline") => reader.close(),
            _ => {}
        }
    }
    if opml {
        return Ok(reader.imported);
    }
    let first = text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("");
    let shown: String = sanitize::line(first).chars().take(80).collect();
    Err(ImportError::NotOpml(shown))
}

#[derive(Default)]
struct Reader {
    imported: Imported,
    entities: Entities,
    /// Names of the outlines around; a feed's is empty.
    folders: Vec<String>,
    /// Outlines around that are too deep to be named.
    deeper: usize,
    /// Line breaks before the present outline.
    line: usize,
}

impl Reader {
    fn attribute(&self, tag: &Tag<'_>, name: &str) -> String {
        let raw = tag.raw(name).unwrap_or("");
        sanitize::line(&decode(raw, &self.entities))
    }

    fn outline(&mut self, tag: &Tag<'_>) {
        let mut name = self.attribute(tag, "text");
        if name.is_empty() {
            name = self.attribute(tag, "title");
        }
        let address = self.attribute(tag, "xmlUrl");
        if !address.is_empty() {
            self.feed(tag, &address);
            name.clear();
        } else if tag.empty {
            let link = self.attribute(tag, "url");
            let shown = if name.is_empty() { link } else { name.clone() };
            self.skip(shown, "an outline without the address of a feed");
        }
        if tag.empty {
            return;
        }
        if self.folders.len() < DEEPEST {
            self.folders.push(name);
        } else {
            self.deeper += 1;
        }
    }

    fn close(&mut self) {
        if self.deeper > 0 {
            self.deeper -= 1;
        } else {
            self.folders.pop();
        }
    }

    fn skip(&mut self, text: String, why: &str) {
        self.imported.skipped.push(Skipped {
            line: self.line + 1,
            text,
            why: why.to_owned(),
        });
    }

    fn feed(&mut self, tag: &Tag<'_>, address: &str) {
        let Some(url) = web_address(address) else {
            self.skip(address.to_owned(), "not a web address");
            return;
        };
        let titles = [self.attribute(tag, "title"), self.attribute(tag, "text")];
        let title = titles.into_iter().find(|title| !title.is_empty());
        let mut tags = Vec::new();
        let named: Vec<&str> = self
            .folders
            .iter()
            .map(String::as_str)
            .filter(|f| !f.is_empty())
            .collect();
        if !named.is_empty() {
            tags.push(named.join("/"));
        }
        for category in self.attribute(tag, "category").split(',') {
            let category = category.trim();
            let tag = plain(category.strip_prefix('/').unwrap_or(category));
            if !tag.is_empty() && !tags.contains(&tag) && tags.len() < 64 {
                tags.push(tag);
            }
        }
        self.imported.subscriptions.push(Subscription {
            // What `write` puts where there is no title.
            title: title.filter(|title| *title != url),
            url,
            tags,
            ..Subscription::default()
        });
    }
}

/// The address without its fragment; `feed:` is an old way to write `http:`.
fn web_address(address: &str) -> Option<String> {
    let is = |text: &str, scheme: &str| {
        text.get(..scheme.len())
            .is_some_and(|s| s.eq_ignore_ascii_case(scheme))
    };
    let mut url = address
        .split('#')
        .next()
        .unwrap_or(address)
        .trim()
        .to_owned();
    if is(&url, "feed://") {
        url.replace_range(..7, "http://");
    } else if is(&url, "feed:") {
        url.replace_range(..5, "");
    }
    is_web(&url).then_some(url)
}

/// A tag inside the comma-separated list: the comma, a leading slash and the mark itself are written as `%XX`.
fn coded(tag: &str) -> String {
    let mut out = String::with_capacity(tag.len());
    for (at, c) in tag.char_indices() {
        match c {
            ',' => out.push_str("%2C"),
            '%' => out.push_str("%25"),
            '/' if at == 0 => out.push_str("%2F"),
            c => out.push(c),
        }
    }
    out
}

fn plain(tag: &str) -> String {
    tag.replace("%2C", ",")
        .replace("%2F", "/")
        .replace("%25", "%")
}

/// Writes OPML 2.0 that `read` gives the same list back from: order, addresses, titles, tags.
pub fn write(subscriptions: &[Subscription]) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n  <head>\n    <title>Subscriptions</title>\n  </head>\n  <body>\n",
    );
    // A folder is opened for each run of feeds in it, so that the order survives.
    let mut open: Vec<&str> = Vec::new();
    for subscription in subscriptions {
        let path = folder(subscription);
        if path != open {
            close(&mut out, open.len());
            for (level, name) in path.iter().enumerate() {
                outline(&mut out, level, &[("text", name), ("title", name)], ">\n");
            }
            open = path;
        }
        feed(&mut out, subscription, open.len());
    }
    close(&mut out, open.len());
    out.push_str("  </body>\n</opml>\n");
    out
}

fn outline(out: &mut String, level: usize, attributes: &[(&str, &str)], end: &str) {
    out.push_str(&"  ".repeat(level + 2));
    out.push_str("<outline");
    for (name, value) in attributes {
        let value = escape(*value);
        out.extend([" ", name, "=\"", &value, "\""]);
    }
    out.push_str(end);
}

fn close(out: &mut String, levels: usize) {
    for level in (0..levels).rev() {
        out.push_str(&"  ".repeat(level + 2));
        out.push_str("</outline>\n");
    }
}

/// The first tag as a path of folders, where every part can be a folder's name.
fn folder(subscription: &Subscription) -> Vec<&str> {
    let Some(first) = subscription.tags.first() else {
        return Vec::new();
    };
    let path: Vec<&str> = first.split('/').collect();
    let usable = path
        .iter()
        .all(|part| !part.is_empty() && sanitize::line(part) == **part);
    if usable && path.len() <= DEEPEST {
        path
    } else {
        Vec::new()
    }
}

fn feed(out: &mut String, subscription: &Subscription, level: usize) {
    let title = subscription.title.as_deref().unwrap_or(&subscription.url);
    let mut attributes = vec![
        ("type", "rss"),
        ("text", title),
        ("title", title),
        ("xmlUrl", subscription.url.as_str()),
    ];
    // The folders say the first tag, unless it could not be folders.
    let tags: Vec<String> = subscription.tags.iter().map(|tag| coded(tag)).collect();
    let tags = if tags.len() > usize::from(level > 0) {
        tags.join(",")
    } else {
        String::new()
    };
    if !tags.is_empty() {
        attributes.push(("category", &tags));
    }
    outline(out, level, &attributes, "/>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subscription(url: &str, title: Option<&str>, tags: &[&str]) -> Subscription {
        Subscription {
            url: url.to_owned(),
            title: title.map(str::to_owned),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..Subscription::default()
        }
    }

    #[test]
    fn folders_become_tags_and_strangers_are_reported() {
        let imported = read(
            "<opml version='1.0'><body>\n<outline text='Tech &amp; more'><outline title=\"Rust\">\n\
             <outline type=\"rss\" text='Rust blog' xmlUrl='https://a.example/?a=1&b=2#x' category='/x/y,z'/>\n\
             </outline><outline text=B xmlurl=feed://b.example/rss></outline></outline>\n\
             <outline text='Only a page' type='link' url='https://c.example/'/>\n\
             <outline text='C' xmlUrl='gopher://c.example'/>",
        )
        .expect("a list");
        assert_eq!(
            imported.subscriptions,
            [
                subscription(
                    "https://a.example/?a=1&b=2",
                    Some("Rust blog"),
                    &["Tech & more/Rust", "x/y", "z"]
                ),
                subscription("http://b.example/rss", Some("B"), &["Tech & more"]),
            ]
        );
        let skipped: Vec<_> = imported
            .skipped
            .iter()
            .map(|s| (s.line, s.text.as_str()))
            .collect();
        assert_eq!(skipped, [(5, "Only a page"), (6, "gopher://c.example")]);
    }

    #[test]
    fn what_is_written_reads_as_the_same_list() {
        let list = vec![
            subscription(
                "https://a.example/?a=1&b=<2>\"",
                Some("A & <b> \"q\""),
                &["x/y", "two, three", "100%"],
            ),
            subscription("https://b.example/", None, &["x/y"]),
            subscription("https://c.example/", None, &[]),
            subscription(
                "https://d.example/",
                Some("https://d.example/x"),
                &["/odd//", "x/y"],
            ),
            subscription("https://e.example/", None, &["x/y"]),
        ];
        let text = write(&list);
        let back = read(&text).expect("a list");
        assert_eq!(back.subscriptions, list, "{text}");
        assert!(back.skipped.is_empty());
        assert_eq!(read(&write(&[])).expect("a list").subscriptions, []);
    }

    #[test]
    fn what_is_no_list_is_named() {
        assert_eq!(read(" \n"), Err(ImportError::Empty));
        assert_eq!(
            read("\nhello \u{1b}world"),
            Err(ImportError::NotOpml("hello world".to_owned()))
        );
    }

    #[test]
    fn depth_costs_nothing() {
        let mut text = "<outline text='x'>".repeat(50_000);
        text.push_str("<outline xmlUrl='http://a.example/'/>");
        let imported = read(&text).expect("a list");
        assert_eq!(imported.subscriptions[0].tags, ["x/x/x/x/x/x/x/x"]);
    }
}
