//! Entries: the head that a list needs, the body that a page needs, and the marks that outlive both.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::feed::FeedId;
use super::time::Timestamp;

/// SHA-256 of a scheme byte and the identity clue, cut to 128 bits; the same on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EntryKey(pub [u8; 16]);

impl fmt::Display for EntryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl EntryKey {
    /// Reads the 32 hex digits that `Display` writes.
    pub fn from_hex(text: &str) -> Option<Self> {
        // `from_str_radix` would take a sign for a digit.
        if text.len() != 32 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let mut key = [0; 16];
        for (at, byte) in key.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(at * 2..at * 2 + 2)?, 16).ok()?;
        }
        Some(Self(key))
    }
}

/// An entry everywhere outside the store: the feed, and the key within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EntryId {
    /// The feed it came from.
    pub feed: FeedId,
    /// Its identity there.
    pub key: EntryKey,
}

/// Something attached to an entry: an episode, a picture, a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Enclosure {
    /// Absolute URL.
    pub url: String,
    /// Media type as sent, e.g. `audio/mpeg`; empty when unknown.
    pub media_type: String,
    /// Bytes, when stated.
    pub length: Option<u64>,
    /// Seconds, when stated (`itunes:duration`).
    pub duration: Option<u64>,
}

/// How a body's text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Markup {
    /// HTML or XHTML, to be laid out.
    #[default]
    Html,
    /// Plain text, white space kept.
    Text,
}

/// What an article page needs beyond the head.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EntryBody {
    /// Content, else summary, as sent but for control characters.
    pub text: String,
    /// How `text` is written.
    pub markup: Markup,
    /// What relative links in `text` are resolved against; the entries of a feed share it.
    pub base: Option<Arc<str>>,
    /// The page of comments.
    pub comments: Option<String>,
    /// Categories as the feed names them.
    pub categories: Vec<String>,
    /// The picture that stands for the entry: absolute URL.
    pub image: Option<String>,
}

/// An entry as one poll brought it, with its identity decided, before the store has seen it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoming {
    /// Identity within the feed (`parse::identify`).
    pub key: EntryKey,
    /// guid or id as sent, white space trimmed; empty when there was none.
    pub guid: String,
    /// One line, no control characters; empty when there was none.
    pub title: String,
    /// Absolute URL of the article.
    pub link: Option<String>,
    /// Name of the author; empty when unknown.
    pub author: String,
    /// The feed's own date (Atom: else updated); never clamped.
    pub published: Option<Timestamp>,
    /// The feed's own date of the last change.
    pub updated: Option<Timestamp>,
    /// What is attached.
    pub enclosures: Vec<Enclosure>,
    /// The page.
    pub body: EntryBody,
    /// SHA-256 over (guid, link, title, content, updated, enclosures): a change of it is an edit (R18).
    pub content_hash: [u8; 32],
}

/// What one line of a list needs, and what `entries --json` prints.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "marks that do not hang on each other"
)]
pub struct EntryHead {
    /// Feed and key.
    pub id: EntryId,
    /// The store's own number: breaks ties of `sort`, never leaves the process.
    pub no: u64,
    /// guid or id as sent.
    pub guid: String,
    /// One clean line.
    pub title: String,
    /// Absolute URL of the article.
    pub link: Option<String>,
    /// Name of the author; empty when unknown.
    pub author: String,
    /// The feed's own date.
    pub published: Option<Timestamp>,
    /// The feed's own date of the last change.
    pub updated: Option<Timestamp>,
    /// When tidings first saw it.
    pub first_seen: Timestamp,
    /// min(published, first seen), fixed when stored: the place in every list by date.
    pub sort: Timestamp,
    /// The text changed after it was first stored.
    pub edited: bool,
    /// What is attached.
    pub enclosures: Vec<Enclosure>,
    /// Not read yet.
    pub unread: bool,
    /// Starred.
    pub starred: bool,
    /// Hidden by a rule: it stands in no list that does not ask for it.
    pub hidden: bool,
    /// Its feed, which says that it is complete, lists it no longer.
    pub withdrawn: bool,
    /// Tags of the user's own, in the order of the alphabet; not those of its feed.
    pub tags: Vec<String>,
}

/// An opened entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The line.
    pub head: EntryHead,
    /// The page.
    pub body: EntryBody,
}

/// What is kept of an entry besides itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Kept {
    /// Where in its text reading stopped, in bytes of the document's text; 0 for its beginning.
    pub place: u32,
    /// The article of its page, where that was fetched.
    pub full: Option<FullText>,
    /// What it said before it was edited last.
    pub former: Option<Former>,
}

/// The article of an entry's own page, extracted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FullText {
    /// The URL that answered: what relative links are resolved against.
    pub url: String,
    /// HTML.
    pub text: String,
    /// When it was fetched.
    pub at: Timestamp,
}

/// What an entry said before it was edited.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Former {
    /// Its title.
    pub title: String,
    /// Its page.
    pub body: EntryBody,
}

/// What a person says about an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mark {
    /// Read, or unread again.
    Read(bool),
    /// Starred, or no longer.
    Starred(bool),
}

/// An entry that another reader kept, with what was said of it there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adopted {
    /// It, without a content hash: what the feed says of it later is no edit.
    pub entry: Incoming,
    /// Every key under which its feed may bring it, its own first.
    pub keys: Vec<EntryKey>,
    /// How it stood there.
    pub standing: Standing,
    /// Starred.
    pub starred: bool,
    /// Tags of the user's own.
    pub tags: Vec<String>,
}

/// How an entry stood in another reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Not read.
    Unread,
    /// Read.
    Read,
    /// Kept from sight by a rule: hidden here.
    Hidden,
    /// Thrown away: it is not stored, and does not come back as new.
    Gone,
}

/// A mark that travels: by feed URL and entry key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StateMark {
    /// As in feeds.toml.
    pub feed_url: String,
    /// 32 hex digits.
    pub key: String,
    /// Read.
    pub read: bool,
    /// Starred.
    pub starred: bool,
    /// Tags of the user's own.
    pub tags: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_written_and_read_as_32_hex_digits() {
        let key = EntryKey([0xab; 16]);
        assert_eq!(key.to_string(), "ab".repeat(16));
        assert_eq!(EntryKey::from_hex(&key.to_string()), Some(key));
        assert_eq!(EntryKey::from_hex("ab"), None);
        assert_eq!(EntryKey::from_hex(&"zz".repeat(16)), None);
        assert_eq!(EntryKey::from_hex(&"+a".repeat(16)), None);
    }
}
