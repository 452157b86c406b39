//! The elements of a feed and its entries, each by what it means.

use std::borrow::Cow;

use super::super::super::hints;
use super::super::super::links::{Base, is_web};
use super::super::super::references::decode;
use super::super::super::tokens::{Tag, Token, Tokens};
use super::super::bodies;
use super::super::draft::{Draft, DraftLink, Ranked, Text};
use super::super::names::{Field, Ns};
use super::{Xml, trimmed};

/// Elements without an end that are looked into, an entry: each costs reading the entry once more.
const STRAYS_MAX: u32 = 16;

/// More attachments of one entry are not kept.
const ATTACHED_MAX: usize = 64;

/// More hubs are not kept.
const HUBS_MAX: usize = 8;

impl<'a> Xml<'a, '_> {
    fn base_of(&self, tag: &Tag<'_>) -> Base {
        let here = self.item.as_ref().map_or(&self.base, |item| &item.base);
        here.inside(tag.raw("xml:base"))
    }

    /// The entry's, or the feed's outside one.
    fn draft(&mut self) -> &mut Draft<'a> {
        match &mut self.item {
            Some(item) => &mut item.draft,
            None => &mut self.out.head.draft,
        }
    }

    /// Reads an element that means `field`.
    pub(super) fn field(&mut self, ns: Ns, field: Field, tag: Tag<'a>) {
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
            Field::Image => self.image(tag),
            Field::Author(rank) => self.author(rank, tag),
            Field::Category => self.category(tag),
            Field::SkipHours | Field::SkipDays => self.skips(field, tag),
            Field::Complete => {
                self.out.head.paging.complete |= self.item.is_none();
                self.skip(tag);
            }
            _ => self.line(field, tag),
        }
    }

    /// Passes over an element with all it holds; one that never ends is taken for a stray tag, a few times an entry.
    pub(super) fn skip(&mut self, tag: Tag<'a>) {
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
            text.base = self.base_of(&tag).text().cloned();
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
        if !leaf.closed {
            return;
        }
        let named = self.attribute(&tag, "href");
        let plain = named.is_none() && tag.raw("rel").is_none();
        let address = named.unwrap_or_else(|| match self.behind(&tag) {
            Some(text) => Cow::Borrowed(text),
            None => leaf.plain(&self.entities),
        });
        let Some(href) = base.resolve(&address) else {
            return;
        };
        if plain {
            let rank = if ns == Ns::Core { 0 } else { 3 };
            let link = DraftLink {
                href,
                ..DraftLink::default()
            };
            self.draft().link.replace(rank, link);
        } else {
            self.atom_link(ns, &tag, href);
        }
    }

    /// The address behind `<link/>`: what a program for web pages makes of an RSS link.
    fn behind(&self, tag: &Tag<'a>) -> Option<&'a str> {
        let mut tokens = self.tokens.clone();
        match tokens.next().filter(|_| tag.empty)? {
            Token::Text(text) => Some(text.trim()).filter(|text| is_web(text)),
            _ => None,
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
            "hub" if !inside && self.out.head.hubs.len() < HUBS_MAX => {
                self.out.head.hubs.push(href);
            }
            "self" if !inside => {
                self.out.head.own.get_or_insert(href);
            }
            _ if !inside && self.out.head.paging.link(rel, &href) => {}
            "enclosure" if inside => {
                let link = DraftLink {
                    href,
                    kind,
                    length,
                    ..DraftLink::default()
                };
                self.attach(link);
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
                self.draft().link.replace(rank, link);
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
        self.attach(link);
    }

    fn image(&mut self, tag: Tag<'a>) {
        let base = self.base_of(&tag);
        let leaf = self.leaf(tag, true);
        let named = self
            .attribute(&tag, "url")
            .or_else(|| self.attribute(&tag, "href"));
        let address = named.unwrap_or_else(|| leaf.plain(&self.entities));
        let inside = self.item.is_some();
        if let Some(href) = base.resolve(&address).filter(|_| leaf.closed && inside) {
            self.draft().image.get_or_insert(href);
        }
    }

    fn attach(&mut self, link: DraftLink<'a>) {
        let media = &mut self.draft().media;
        if media.len() < ATTACHED_MAX && !media.iter().any(|known| known.href == link.href) {
            media.push(link);
        }
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
        self.attach(link);
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
}
