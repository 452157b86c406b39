//! Any dialect of XML feed, read tolerantly and collected into drafts.
//!
//! Only three levels are kept: the feed, an entry, an element. An element is read to wherever it ends, so neither
//! nesting nor missing end tags can hurt; what a reader does not use is skipped unread.

mod fields;

use std::borrow::Cow;

use super::super::body_hash;
use super::super::hints::Hints;
use super::super::links::{Base, is_web};
use super::super::references::{Entities, decode};
use super::super::tokens::{Tag, Token, Tokens};
use super::Head;
use super::draft::{Chunk, Draft, DraftLink};
use super::leaf::{Ends, Leaf};
use super::names::{Field, Names, field};

/// What reading a document came to besides its entries.
#[derive(Debug, Default)]
pub(crate) struct Outcome<'a> {
    pub head: Head<'a>,
    pub repairs: Vec<&'static str>,
    /// The root's end never came.
    pub cut: bool,
    /// Entries begun, whether or not they could be kept.
    pub items: usize,
}

/// An entry being collected.
struct Item<'a> {
    draft: Draft<'a>,
    name: &'a str,
    /// Where its inside begins.
    start: usize,
    /// Bindings to forget with it.
    mark: usize,
    base: Base,
}

pub(crate) struct Xml<'a, 's> {
    tokens: Tokens<'a>,
    names: Names<'a>,
    entities: Entities,
    base: Base,
    /// Qualified names of root and channel.
    open: Vec<&'a str>,
    items: Vec<String>,
    atom: bool,
    out: Outcome<'a>,
    hints: Hints,
    item: Option<Item<'a>>,
    strays: u32,
    chunk: Chunk,
    sink: &'s mut dyn FnMut(&mut Chunk),
}

/// Reads `text` from its feed root on; `None` when it has none. Entries go to `sink` a chunk at a time.
pub(crate) fn read<'a>(
    text: &'a str,
    base: &Base,
    sink: &mut dyn FnMut(&mut Chunk),
) -> Option<Outcome<'a>> {
    let mut xml = Xml {
        tokens: Tokens::new(text),
        names: Names::default(),
        entities: Entities::default(),
        base: base.clone(),
        open: Vec::new(),
        items: Vec::new(),
        atom: false,
        out: Outcome::default(),
        hints: Hints::default(),
        item: None,
        strays: 0,
        chunk: Chunk::default(),
        sink,
    };
    let root = xml.find_root()?;
    xml.enter_root(&root);
    xml.body();
    Some(xml.end())
}

/// A local name in lower case, to be compared.
fn local(name: &str) -> String {
    let local = name.rsplit_once(':').map_or(name, |(_, local)| local);
    local.to_ascii_lowercase()
}

impl<'a> Xml<'a, '_> {
    /// Skips whatever precedes the feed: blanks, comments, warnings of a script. A page is no feed.
    fn find_root(&mut self) -> Option<Tag<'a>> {
        let (mut junk, mut strange) = (false, false);
        while let Some(token) = self.tokens.next() {
            match token {
                Token::Doctype(text) => self.entities.declare(text),
                Token::Start(tag) => match local(tag.name).as_str() {
                    // Inside another document only what says that it is a feed is one.
                    "feed" | "channel" | "entry" | "item"
                        if strange && !tag.attrs.contains("xmlns") => {}
                    "rss" | "rdf" | "feed" | "channel" | "entry" | "item" => {
                        if junk {
                            self.repair("junk before the feed");
                        }
                        return Some(tag);
                    }
                    // An envelope has a body too, with a prefix.
                    "html" | "head" | "body" if !tag.name.contains(':') => return None,
                    _ => (junk, strange) = (true, true),
                },
                Token::Text(text) => junk |= !text.trim().is_empty(),
                _ => junk = true,
            }
        }
        None
    }

    fn enter_root(&mut self, root: &Tag<'a>) {
        self.names.enter(root);
        self.base = self.base.inside(root.raw("xml:base"));
        let name = local(root.name);
        self.atom = matches!(name.as_str(), "feed" | "entry");
        let item = if self.atom { "entry" } else { "item" };
        self.items.push(item.to_owned());
        if let Some((prefix, _)) = root.name.rsplit_once(':') {
            self.items.push(format!("{prefix}:{item}"));
        }
        match name.as_str() {
            "rdf" => self.repair("RDF"),
            "rss" if !matches!(root.raw("version"), Some("2.0" | "0.91" | "0.92")) => {
                self.repair("odd RSS version");
            }
            "feed" if root.attrs.contains("purl.org/atom") => self.repair("Atom 0.3"),
            "feed" | "entry" if !root.attrs.contains("/2005/Atom") => {
                self.repair("no Atom namespace");
            }
            _ => {}
        }
        if name == item {
            self.begin_item(root);
        } else if !root.empty {
            self.open.push(root.name);
        }
    }

    fn repair(&mut self, what: &'static str) {
        if !self.out.repairs.contains(&what) {
            self.out.repairs.push(what);
        }
    }

    fn body(&mut self) {
        while let Some(token) = self.tokens.next() {
            match token {
                Token::Start(tag) => self.start(tag),
                Token::End(name) if self.finish(name) => return,
                _ => {}
            }
        }
        self.out.cut = !(self.open.is_empty() && self.item.is_none());
    }

    fn start(&mut self, tag: Tag<'a>) {
        let (ns, local) = self.names.resolve(&tag);
        match field(ns, local, self.atom) {
            Field::Item => self.item(tag, local),
            Field::Inside => {
                if self.item.is_none() && !tag.empty && self.open.len() < 8 {
                    self.names.enter(&tag);
                    self.base = self.base.inside(tag.raw("xml:base"));
                    self.open.push(tag.name);
                }
            }
            field => self.field(ns, field, tag),
        }
    }

    /// True when the feed is over.
    fn finish(&mut self, name: &str) -> bool {
        if self
            .item
            .as_ref()
            .is_some_and(|item| item.name.eq_ignore_ascii_case(name))
        {
            self.end_item();
            return self.open.is_empty();
        }
        let Some(at) = self
            .open
            .iter()
            .rposition(|open| open.eq_ignore_ascii_case(name))
        else {
            return false;
        };
        if self.item.is_some() {
            self.repair("missing end tag");
            self.end_item();
        }
        self.open.truncate(at);
        self.open.is_empty()
    }

    /// `item` in RSS, `entry` in Atom. The other's name begins an entry too, where none is open, and says how to read it.
    fn item(&mut self, tag: Tag<'a>, local: &str) {
        let atom = local.eq_ignore_ascii_case("entry");
        if atom != self.atom {
            if self.item.is_some() {
                self.skip(tag);
                return;
            }
            self.repair("entries of another format");
            self.atom = atom;
        }
        self.begin_item(&tag);
    }

    fn begin_item(&mut self, tag: &Tag<'a>) {
        if self.item.is_some() {
            self.repair("missing end tag");
            self.end_item();
        }
        self.out.items += 1;
        self.strays = 0;
        let mark = self.names.enter(tag);
        let mut draft = Draft::default();
        if !self.atom
            && let Some((_, about)) = tag.attributes().find(|(n, _)| local(n) == "about")
        {
            draft.id = trimmed(decode(about, &self.entities));
        }
        if !self.items.iter().any(|name| name == tag.name) && self.items.len() < 8 {
            self.items.push(tag.name.to_owned());
        }
        // The channel definition format, an ancestor of RSS, keeps its fields in attributes.
        if let Some(href) = tag.raw("href").and_then(|href| self.base.resolve(href)) {
            let link = DraftLink {
                href,
                ..DraftLink::default()
            };
            draft.link.offer(8, link);
        }
        if let Some(date) = tag.raw("lastmod") {
            draft.updated.push((8, Cow::Borrowed(date)));
        }
        self.item = Some(Item {
            draft,
            name: tag.name,
            start: self.tokens.pos(),
            mark,
            base: self.base.inside(tag.raw("xml:base")),
        });
        if tag.empty {
            self.end_item();
        }
    }

    fn end_item(&mut self) {
        let Some(mut item) = self.item.take() else {
            return;
        };
        self.names.leave(item.mark);
        let draft = &mut item.draft;
        if *draft == Draft::default() {
            let source = self.tokens.source().get(item.start..self.tokens.began());
            draft.unread = Some(body_hash(source.unwrap_or("").as_bytes()));
        }
        if draft.link.is_empty()
            && draft.id_links
            && is_web(&draft.id)
            && let Some(href) = self.base.resolve(&draft.id)
        {
            draft.link.offer(
                9,
                DraftLink {
                    href,
                    ..DraftLink::default()
                },
            );
        }
        if self.atom
            && let Some(name) = self.out.head.draft.author.get()
        {
            draft.author.offer(9, name.clone());
        }
        self.chunk.entry(item.draft);
        if self.chunk.is_full() {
            (self.sink)(&mut self.chunk);
            self.chunk.clear();
        }
    }

    /// Reads the element to its end.
    fn leaf(&mut self, tag: Tag<'a>, short: bool) -> Leaf<'a> {
        let mut around: [&str; 10] = [""; 10];
        let names = self
            .open
            .iter()
            .copied()
            .chain(self.item.as_ref().map(|i| i.name));
        for (to, name) in around.iter_mut().zip(names) {
            *to = name;
        }
        let ends = Ends {
            around: &around,
            items: &self.items,
            short,
        };
        Leaf::read(&mut self.tokens, tag, ends)
    }

    fn end(mut self) -> Outcome<'a> {
        self.out.cut |= self.tokens.is_cut() && self.item.is_some();
        if self.out.cut {
            self.repair("cut off");
            if self
                .item
                .as_ref()
                .is_some_and(|item| item.draft.is_recognisable())
            {
                self.end_item();
            }
        }
        if self.chunk.len() > 0 {
            (self.sink)(&mut self.chunk);
        }
        self.out.head.wishes = self.hints.wishes();
        self.out
    }
}

/// The same text without blanks around it.
fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) if text.trim().len() == text.len() => Cow::Owned(text),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}
