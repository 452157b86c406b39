//! From text in any dialect of feed to small well-formed Atom documents, each of a few entries.
//!
//! It always runs: what goes wrong in a feed mostly goes wrong silently, and the step costs little, since what no reader
//! uses never reaches the parser. One target dialect means one set of rules behind it.

mod bodies;
mod draft;
mod json;
mod leaf;
mod loose;
mod names;
mod xml;

use draft::Draft;
pub(super) use draft::{Aside, Chunk};

use super::Wishes;
use super::links::Base;
use super::paging::Paging;
use crate::article::sanitize::beginning;

/// The feed's own fields.
#[derive(Debug, Default)]
pub(super) struct Head<'a> {
    draft: Draft<'a>,
    /// Hubs it names.
    pub hubs: Vec<String>,
    /// What it calls its own address.
    pub own: Option<String>,
    /// What it asks of a poller.
    pub wishes: Wishes,
    /// Its older documents.
    pub paging: Paging,
}

/// What is left of a document when its entries have been handed on.
#[derive(Debug, Default)]
pub(super) struct Repaired {
    /// The head as a document of its own, without entries.
    pub head: Chunk,
    /// Hubs it names.
    pub hubs: Vec<String>,
    /// What it calls its own address.
    pub own: Option<String>,
    /// What it asks of a poller.
    pub wishes: Wishes,
    /// Its older documents.
    pub paging: Paging,
    /// What had to be repaired, a short name each.
    pub repairs: Vec<&'static str>,
    /// It ended before its root did.
    pub cut: bool,
    /// Entries begun in it.
    pub items: usize,
}

/// How many entries of a document are kept: nobody reads more, and they would be many times the document in memory. In
/// feeds it is met only where an entry has less than a title and an address.
pub(super) fn most(text: &str) -> usize {
    const LEAST: usize = 128;
    (text.len() / LEAST).max(10_000)
}

/// How many entries a document seems to have: a guess by their end tags, at most what is kept.
pub(super) fn expected(text: &str) -> usize {
    let bytes = text.as_bytes();
    let ends = |name: &str| {
        let places = memchr::memmem::find_iter(bytes, name.as_bytes());
        let tag = |at: usize| {
            bytes[..at]
                .iter()
                .rev()
                .take(16)
                .position(|b| *b == b'<')
                .map(|back| at - back)
        };
        places
            .filter(|at| tag(*at).is_some_and(|name| bytes.get(name) == Some(&b'/')))
            .count()
    };
    let entries = if json_in(text).is_some() {
        memchr::memmem::find_iter(bytes, "\"id\"").count()
    } else {
        // Nearly every document has the one or the other: no need to search it twice.
        Some(ends("item>"))
            .filter(|items| *items > 0)
            .unwrap_or_else(|| ends("entry>"))
    };
    entries.min(most(text))
}

/// The JSON in a document: from its brace on, where blanks precede it or, in a JSON Feed, a comment or a call (JSONP).
pub(super) fn json_in(text: &str) -> Option<&str> {
    const NEAR: usize = 1024;
    let text = text.trim_start();
    if text.starts_with('{') {
        return Some(text);
    }
    let near = beginning(text, NEAR);
    let at = near.find(['{', '<'])?;
    let feed = near.contains("jsonfeed.org/version") && text[at..].starts_with('{');
    feed.then(|| &text[at..])
}

/// Repairs a document; entries go to `sink`, in order. `None`: there is no feed in it.
pub(super) fn repair(
    text: &str,
    base: &Base,
    sink: &mut dyn FnMut(&mut Chunk),
) -> Option<Repaired> {
    let outcome = match json_in(text) {
        Some(json) => json::read(json, base, sink)?,
        None => xml::read(text, base, sink)?,
    };
    let mut head = Chunk::default();
    head.head(&outcome.head.draft);
    Some(Repaired {
        head,
        hubs: outcome.head.hubs,
        own: outcome.head.own,
        wishes: outcome.head.wishes,
        paging: outcome.head.paging,
        repairs: outcome.repairs,
        cut: outcome.cut,
        items: outcome.items,
    })
}
