//! The only door to `feed_rs`: small well-formed documents in, entries out, whatever happens inside.

use std::sync::Arc;

use feed_rs::model;
use feed_rs::parser::{Builder, Parser};
use sha2::{Digest, Sha256};

use super::links::Base;
use super::repair::{Aside, Chunk};
use super::text::clean;
use super::titles;
use crate::article::sanitize;
use crate::model::{Enclosure, EntryBody, EntryKey, Incoming, Markup, caught};

/// Reads chunks; keeps the parser between them.
pub(super) struct Reader {
    parser: Parser,
    /// Where bodies resolve their links that name no base.
    base: Option<Arc<str>>,
    /// Entries that the parser gave up on.
    pub lost: usize,
    /// More entries are not kept.
    most: usize,
    /// There were more.
    pub over: bool,
}

fn parser() -> Parser {
    Builder::new()
        .sanitize_content(false)
        // No random ids, ever: an entry without one gets none here, and its key later.
        .id_generator(|_, _, _| String::new())
        .build()
}

impl Reader {
    /// With what the feed's links are resolved against, and how many entries are kept.
    pub fn new(base: &Base, most: usize) -> Self {
        Self {
            parser: parser(),
            base: base.text().cloned(),
            lost: 0,
            most,
            over: false,
        }
    }

    fn parse(&mut self, document: &str) -> Option<model::Feed> {
        let parser = &self.parser;
        let parsed = caught(|| parser.parse(document.as_bytes()));
        if let Ok(result) = parsed {
            return result.ok();
        }
        // A panic leaves the parser between two entries.
        self.parser = self::parser();
        None
    }

    /// The entries of a chunk; of a chunk that fails, those that can be read alone.
    pub fn entries(&mut self, chunk: &mut Chunk, into: &mut Vec<Incoming>) {
        if into.len() >= self.most {
            self.over = true;
            return;
        }
        let wanted = chunk.len();
        let kept = wanted.min(self.most - into.len());
        if into.capacity() - into.len() < kept {
            // Grown by an eighth, not doubled: of many small entries half the memory would be room.
            into.reserve_exact(kept.max(into.len() / 8));
        }
        let whole = self.parse(chunk.document());
        if let Some(feed) = whole.filter(|feed| feed.entries.len() == wanted) {
            for (index, entry) in feed.entries.into_iter().enumerate() {
                self.keep(entry, chunk.aside(index), into);
            }
            return;
        }
        for index in 0..wanted {
            let alone = self.parse(&chunk.single(index));
            match alone.and_then(|feed| feed.entries.into_iter().next()) {
                Some(entry) => self.keep(entry, chunk.aside(index), into),
                None => self.lost += 1,
            }
        }
    }

    /// Takes an entry, while there is room. A blank one that repeats costs none: it is dropped in the end in any case.
    fn keep(&mut self, entry: model::Entry, aside: Aside, into: &mut Vec<Incoming>) {
        if into.len() >= self.most {
            self.over = true;
            return;
        }
        let blank = aside.unread.is_some();
        let entry = self.incoming(entry, aside);
        let hash = entry.content_hash;
        if !blank || into.last().is_none_or(|last| last.content_hash != hash) {
            into.push(entry);
        }
    }

    /// Title and site of a feed's head.
    pub fn head(&mut self, chunk: &mut Chunk) -> (String, Option<String>) {
        let Some(feed) = self.parse(chunk.document()) else {
            return (String::new(), None);
        };
        let site = feed.links.into_iter().next().map(|link| link.href);
        (feed.title.as_ref().map(title).unwrap_or_default(), site)
    }

    fn incoming(&self, entry: model::Entry, aside: Aside) -> Incoming {
        let mut link = None;
        let mut comments = None;
        for candidate in entry.links {
            match candidate.rel.as_deref() {
                Some("comments") => comments = Some(candidate.href),
                _ => link = link.or(Some(candidate.href)),
            }
        }
        let text = clean(aside.text);
        // Plain words have no links that would need it.
        let base = aside.base.or_else(|| self.base.clone());
        let base = base.filter(|_| text.contains('<'));
        let mut incoming = Incoming {
            key: EntryKey([0; 16]),
            guid: exact(clean(entry.id).trim().replace(['\n', '\t'], " ")),
            title: exact(entry.title.as_ref().map(title).unwrap_or_default()),
            link: link.map(exact),
            author: exact(author(entry.authors)),
            published: aside.published,
            updated: aside.updated,
            enclosures: few(entry.media.into_iter().filter_map(enclosure)),
            body: EntryBody {
                base,
                text,
                markup: aside.markup,
                image: aside.image,
                comments,
                categories: few(entry.categories.iter().filter_map(category)),
            },
            content_hash: [0; 32],
        };
        incoming.content_hash = content_hash(&incoming, aside.unread.as_ref());
        incoming
    }
}

/// Without room to grow: a feed may have a million of them.
fn exact(mut text: String) -> String {
    text.shrink_to_fit();
    text
}

fn few<T>(some: impl Iterator<Item = T>) -> Vec<T> {
    let mut some: Vec<T> = some.collect();
    some.shrink_to_fit();
    some
}

fn markup(subtype: &str) -> Markup {
    if subtype == "html" {
        Markup::Html
    } else {
        Markup::Text
    }
}

fn title(text: &model::Text) -> String {
    match markup(text.content_type.subty().as_str()) {
        Markup::Html => titles::html(&text.content),
        Markup::Text => titles::literal(&text.content),
    }
}

fn author(people: Vec<model::Person>) -> String {
    let name = people.into_iter().find_map(|person| person.name);
    sanitize::line(&name.unwrap_or_default())
}

fn category(category: &model::Category) -> Option<String> {
    let name = titles::html(&category.term);
    (!name.is_empty()).then_some(name)
}

fn enclosure(media: model::MediaObject) -> Option<Enclosure> {
    let content = media.content.into_iter().next()?;
    Some(Enclosure {
        url: content.url?.into(),
        media_type: content
            .content_type
            .map(|kind| kind.to_string())
            .unwrap_or_default(),
        length: content.size,
        duration: content.duration.map(|span| span.as_secs()),
    })
}

/// Over what a person sees, so that an edit without a date is an edit (R18).
fn content_hash(entry: &Incoming, unread: Option<&[u8; 32]>) -> [u8; 32] {
    let mut hash = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    part(entry.guid.as_bytes());
    part(entry.link.as_deref().unwrap_or("").as_bytes());
    part(entry.title.as_bytes());
    part(entry.body.text.as_bytes());
    part(&entry.updated.map_or(i64::MIN, |at| at.0).to_le_bytes());
    for enclosure in &entry.enclosures {
        part(enclosure.url.as_bytes());
        part(enclosure.media_type.as_bytes());
        part(&enclosure.length.unwrap_or(0).to_le_bytes());
    }
    // What holds nothing of this is told apart by what nobody reads.
    if let Some(source) = unread {
        part(source);
    }
    hash.finalize().into()
}
