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

/// The feed's own fields.
#[derive(Debug, Default)]
pub(super) struct Head<'a> {
    draft: Draft<'a>,
    /// Hubs it names.
    pub hubs: Vec<String>,
    /// What it asks of a poller.
    pub wishes: Wishes,
}

/// What is left of a document when its entries have been handed on.
#[derive(Debug, Default)]
pub(super) struct Repaired {
    /// The head as a document of its own, without entries.
    pub head: Chunk,
    /// Hubs it names.
    pub hubs: Vec<String>,
    /// What it asks of a poller.
    pub wishes: Wishes,
    /// What had to be repaired, a short name each.
    pub repairs: Vec<&'static str>,
    /// It ended before its root did.
    pub cut: bool,
    /// Entries begun in it.
    pub items: usize,
}

/// How many entries a document seems to have: a guess by their end tags, kept so low that room for them is never more
/// than three times the document.
pub(super) fn expected(text: &str) -> usize {
    const LEAST: usize = 128;
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
    let entries = if text.trim_start().starts_with('{') {
        memchr::memmem::find_iter(bytes, "\"id\"").count()
    } else {
        ends("item>").max(ends("entry>"))
    };
    entries.min(text.len() / LEAST)
}

/// Repairs a document; entries go to `sink`, in order. `None`: there is no feed in it.
pub(super) fn repair(
    text: &str,
    base: &Base,
    sink: &mut dyn FnMut(&mut Chunk),
) -> Option<Repaired> {
    let outcome = if text.trim_start().starts_with('{') {
        json::read(text, base, sink)?
    } else {
        xml::read(text, base, sink)?
    };
    let mut head = Chunk::default();
    head.head(&outcome.head.draft);
    Some(Repaired {
        head,
        hubs: outcome.head.hubs,
        wishes: outcome.head.wishes,
        repairs: outcome.repairs,
        cut: outcome.cut,
        items: outcome.items,
    })
}
