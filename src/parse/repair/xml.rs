//! Any dialect of XML feed, read tolerantly and collected into drafts.
//!
//! Only three levels are kept: the feed, an entry, an element. An element is read to wherever it ends, so neither
//! nesting nor missing end tags can hurt; what a reader does not use is skipped unread.

use std::borrow::Cow;

use super::super::hints::{self, Hints};
use super::super::links::Base;
use super::super::tokens::{Entities, Tag, Token, Tokens, decode};
use super::draft::{Chunk, Draft, DraftLink, Ranked, Text};
use super::leaf::{Ends, Leaf};
use super::names::{Field, Names, Ns, field};
use super::{Head, bodies};

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

/// Elements without an end that are looked into, an entry: each costs reading the entry once more.
const STRAYS_MAX: u32 = 16;

/// An entry being collected.
struct Item<'a> {
    draft: Draft<'a>,
    name: &'a str,
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
        let mut junk = false;
        while let Some(token) = self.tokens.next() {
            match token {
                Token::Doctype(text) => self.entities.declare(text),
                Token::Start(tag) => match local(tag.name).as_str() {
                    "rss" | "rdf" | "feed" | "channel" | "entry" | "item" => {
                        if junk {
                            self.repair("junk before the feed");
                        }
                        return Some(tag);
                    }
                    "html" | "head" | "body" => return None,
                    _ => junk = true,
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
            Field::Item => self.begin_item(&tag),
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
        self.item = Some(Item {
            draft,
            name: tag.name,
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
        if draft.link.is_empty()
            && draft.id_links
            && let Some(href) = self.base.resolve(&draft.id)
            && href.starts_with("http")
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
        self.chunk.entry(draft);
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
        let items: Vec<&str> = self.items.iter().map(String::as_str).collect();
        let ends = Ends {
            around: &around,
            items: &items,
            short,
        };
        Leaf::read(&mut self.tokens, tag, ends)
    }

    fn base_of(&self, tag: &Tag<'_>) -> Base {
        let here = self.item.as_ref().map_or(&self.base, |item| &item.base);
        here.inside(tag.raw("xml:base"))
    }

    fn draft(&mut self) -> &mut Draft<'a> {
        match &mut self.item {
            Some(item) => &mut item.draft,
            None => &mut self.out.head.draft,
        }
    }

    fn field(&mut self, ns: Ns, field: Field, tag: Tag<'a>) {
        match field {
            Field::Nothing | Field::Item | Field::Inside => {
                self.skip(tag);
            }
            Field::Title(rank) => self.body_field(ns, tag, true, rank, |draft| &mut draft.title),
            Field::Summary(rank) => {
                self.body_field(ns, tag, false, rank, |draft| &mut draft.summary);
            }
            Field::Content(rank) => {
                self.body_field(ns, tag, false, rank, |draft| &mut draft.content);
            }
            Field::Media => self.media(&tag),
            Field::Link => self.link(ns, tag),
            Field::Enclosure => self.enclosure(tag),
            Field::Author(rank) => self.author(rank, tag),
            Field::Category => self.category(tag),
            Field::SkipHours | Field::SkipDays => self.skips(field, tag),
            _ => self.line(field, tag),
        }
    }

    /// Passes over an element with all it holds; one that never ends is taken for a stray tag, a few times an entry.
    fn skip(&mut self, tag: Tag<'a>) {
        let after = self.tokens.pos();
        let leaf = self.leaf(tag, false);
        if !leaf.own_end && self.strays < STRAYS_MAX {
            self.strays += 1;
            self.tokens.seek(after);
        }
    }

    fn body_field(
        &mut self,
        ns: Ns,
        tag: Tag<'a>,
        short: bool,
        rank: u8,
        place: impl for<'d> FnOnce(&'d mut Draft<'a>) -> &'d mut Ranked<Text<'a>>,
    ) {
        let leaf = self.leaf(tag, short);
        // A cut title is not the title; a cut text is the beginning of the text.
        if short && !leaf.closed {
            return;
        }
        if leaf.has_tags && !self.atom {
            self.repair("unescaped markup");
        }
        let atom = ns == Ns::Atom || (self.atom && ns == Ns::Core);
        let mut text = bodies::read(&leaf, atom, ns, &self.entities);
        if text.source.trim().is_empty() {
            return;
        }
        if !short {
            text.base = self.base_of(&tag).text().map(str::to_owned);
        }
        place(self.draft()).offer(rank, text);
    }

    /// Fields that are one line of text.
    fn line(&mut self, field: Field, tag: Tag<'a>) {
        let leaf = self.leaf(tag, true);
        if !leaf.closed {
            return;
        }
        let text = trimmed(leaf.plain(&self.entities));
        if text.is_empty() {
            return;
        }
        let atom = self.atom;
        match field {
            Field::Id => {
                let permalink = tag
                    .raw("isPermaLink")
                    .is_none_or(|v| !v.eq_ignore_ascii_case("false"));
                let draft = self.draft();
                if draft.id.is_empty() || !atom {
                    draft.id = text;
                    draft.id_links = permalink;
                }
            }
            Field::Published(rank) => self.draft().published.push((rank, text)),
            Field::Updated(rank) => self.draft().updated.push((rank, text)),
            Field::Duration => self.draft().duration = bodies::seconds(&text),
            Field::Comments => {
                let href = self.base_of(&tag).resolve(&text);
                self.draft().comments = href;
            }
            Field::Ttl => self.hints.ttl = hints::ttl(&text),
            Field::UpdatePeriod => self.hints.period = hints::period(&text),
            Field::UpdateFrequency => self.hints.frequency = text.parse().unwrap_or(1),
            _ => {}
        }
    }

    fn skips(&mut self, field: Field, tag: Tag<'a>) {
        let leaf = self.leaf(tag, false);
        for token in Tokens::new(leaf.raw) {
            if let Token::Text(text) = token {
                match field {
                    Field::SkipHours => self.hints.hour(text),
                    _ => self.hints.day(text),
                }
            }
        }
    }

    fn attribute(&self, tag: &Tag<'a>, name: &str) -> Option<Cow<'a, str>> {
        tag.raw(name)
            .map(|value| trimmed(decode(value, &self.entities)))
            .filter(|value| !value.is_empty())
    }

    fn link(&mut self, ns: Ns, tag: Tag<'a>) {
        let base = self.base_of(&tag);
        let leaf = self.leaf(tag, true);
        if let Some(href) = self.attribute(&tag, "href") {
            if let Some(href) = base.resolve(&href) {
                self.atom_link(ns, &tag, href);
            }
            return;
        }
        if !leaf.closed {
            return;
        }
        if let Some(href) = base.resolve(&leaf.plain(&self.entities)) {
            let rank = if ns == Ns::Core { 0 } else { 3 };
            let link = DraftLink {
                href,
                ..DraftLink::default()
            };
            self.draft().link.offer(rank, link);
        }
    }

    fn atom_link(&mut self, ns: Ns, tag: &Tag<'a>, href: String) {
        let rel = self
            .attribute(tag, "rel")
            .unwrap_or_default()
            .to_ascii_lowercase();
        let rel = rel.rsplit('/').next().unwrap_or(&rel);
        let kind = self.attribute(tag, "type").unwrap_or_default();
        let length = self.attribute(tag, "length").and_then(|l| l.parse().ok());
        let page = kind.is_empty() || kind.contains("html");
        let inside = self.item.is_some();
        match rel {
            "hub" if !inside => self.out.head.hubs.push(href),
            "enclosure" if inside => {
                let link = DraftLink {
                    href,
                    kind,
                    length,
                    ..DraftLink::default()
                };
                self.draft().media.push(link);
            }
            "replies" if inside && page => {
                self.draft().comments.get_or_insert(href);
            }
            "" | "alternate" => {
                let own = u8::from(ns != Ns::Core && !self.atom);
                let rank = own + if page { 0 } else { 2 };
                let link = DraftLink {
                    href,
                    kind,
                    ..DraftLink::default()
                };
                self.draft().link.offer(rank, link);
            }
            _ => {}
        }
    }

    fn enclosure(&mut self, tag: Tag<'a>) {
        let base = self.base_of(&tag);
        let leaf = self.leaf(tag, true);
        let named = self
            .attribute(&tag, "url")
            .or_else(|| self.attribute(&tag, "href"));
        let address = named.unwrap_or_else(|| leaf.plain(&self.entities));
        let Some(href) = base.resolve(&address) else {
            return;
        };
        let link = DraftLink {
            href,
            kind: self.attribute(&tag, "type").unwrap_or_default(),
            length: self.attribute(&tag, "length").and_then(|l| l.parse().ok()),
            duration: None,
        };
        self.draft().media.push(link);
    }

    /// Its children are read as the entry's own: `media:group` and `media:content` are looked through.
    fn media(&mut self, tag: &Tag<'a>) {
        let Some(url) = self.attribute(tag, "url") else {
            return;
        };
        let Some(href) = self.base_of(tag).resolve(&url) else {
            return;
        };
        // WordPress attaches the author's face to every entry.
        if self.item.is_none() || href.contains("gravatar.com/") {
            return;
        }
        let kind = self
            .attribute(tag, "type")
            .or_else(|| self.attribute(tag, "medium"));
        let link = DraftLink {
            href,
            kind: kind.unwrap_or_default(),
            length: self.attribute(tag, "fileSize").and_then(|l| l.parse().ok()),
            duration: self
                .attribute(tag, "duration")
                .and_then(|d| bodies::seconds(&d)),
        };
        let draft = self.draft();
        if !draft.media.iter().any(|known| known.href == link.href) {
            draft.media.push(link);
        }
    }

    fn author(&mut self, rank: u8, tag: Tag<'a>) {
        let leaf = self.leaf(tag, false);
        if !leaf.closed {
            return;
        }
        let name = bodies::author(&leaf, &self.entities);
        if !name.is_empty() {
            self.draft().author.offer(rank, name);
        }
    }

    fn category(&mut self, tag: Tag<'a>) {
        let leaf = self.leaf(tag, true);
        let named = self
            .attribute(&tag, "label")
            .or_else(|| self.attribute(&tag, "term"));
        let term = named.unwrap_or_else(|| trimmed(leaf.plain(&self.entities)));
        let draft = self.draft();
        if leaf.closed && !term.is_empty() && draft.categories.len() < 64 {
            draft.categories.push(term);
        }
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
