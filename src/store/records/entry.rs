//! Records of entries, and of what was said of them.

use serde::{Deserialize, Serialize};

use super::super::error::StoreError;
use super::{Record, record, time};
use crate::model::{
    Enclosure, EntryBody, EntryHead, EntryId, EntryKey, FeedId, Mark, Markup, Timestamp,
};

/// `heads`. Borrows from the page it lies in: a scan with a filter copies only what passes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HeadV1<'a> {
    pub feed: u32,
    pub key: [u8; 16],
    pub guid: &'a str,
    pub title: &'a str,
    #[serde(borrow)]
    pub link: LinkV1<'a>,
    pub author: &'a str,
    pub published: Option<i64>,
    pub updated: Option<i64>,
    pub first_seen: i64,
    pub sort: i64,
    pub edited: bool,
    #[serde(borrow)]
    pub enclosures: Vec<EnclosureV1<'a>>,
    pub body: Place,
}

record!(HeadV1<'a>, "heads");

/// Very often the guid is the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum LinkV1<'a> {
    None,
    Guid,
    Own(&'a str),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EnclosureV1<'a> {
    pub url: &'a str,
    pub media_type: &'a str,
    pub length: Option<u64>,
    pub duration: Option<u64>,
}

/// Where a body lies: bytes `at..at + len` of the unpacked block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Place {
    pub block: u64,
    pub at: u32,
    pub len: u32,
}

impl<'a> HeadV1<'a> {
    pub(crate) fn link(&self) -> Option<&'a str> {
        match self.link {
            LinkV1::None => None,
            LinkV1::Guid => Some(self.guid),
            LinkV1::Own(link) => Some(link),
        }
    }

    /// The entry with these marks: unread, starred, hidden.
    pub(crate) fn model(
        &self,
        no: u64,
        (unread, starred, hidden): (bool, bool, bool),
    ) -> EntryHead {
        EntryHead {
            id: EntryId {
                feed: FeedId(self.feed),
                key: EntryKey(self.key),
            },
            no,
            guid: self.guid.to_owned(),
            title: self.title.to_owned(),
            link: self.link().map(str::to_owned),
            author: self.author.to_owned(),
            published: time(self.published),
            updated: time(self.updated),
            first_seen: Timestamp(self.first_seen),
            sort: Timestamp(self.sort),
            edited: self.edited,
            enclosures: self
                .enclosures
                .iter()
                .map(|enclosure| Enclosure {
                    url: enclosure.url.to_owned(),
                    media_type: enclosure.media_type.to_owned(),
                    length: enclosure.length,
                    duration: enclosure.duration,
                })
                .collect(),
            unread,
            starred,
            hidden,
            withdrawn: false,
            tags: Vec::new(),
        }
    }
}

/// A body inside its block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BodyV1<'a> {
    pub text: &'a str,
    pub markup: Markup,
    pub base: Option<&'a str>,
    pub comments: Option<&'a str>,
    #[serde(borrow)]
    pub categories: Vec<&'a str>,
}

/// With the picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BodyV2<'a> {
    pub text: &'a str,
    pub markup: Markup,
    pub base: Option<&'a str>,
    pub comments: Option<&'a str>,
    #[serde(borrow)]
    pub categories: Vec<&'a str>,
    pub image: Option<&'a str>,
}

impl<'a> Record<'a> for BodyV2<'a> {
    const VERSION: u8 = 2;
    const TABLE: &'static str = "bodies";

    fn read(version: u8, bytes: &'a [u8]) -> Option<postcard::Result<Self>> {
        match version {
            1 => Some(postcard::from_bytes::<BodyV1<'a>>(bytes).map(Self::from)),
            2 => Some(postcard::from_bytes(bytes)),
            _ => None,
        }
    }
}

/// Every body of an unpacked block: they lie end to end.
pub(crate) fn each_body<'a>(
    mut block: &'a [u8],
    mut each: impl FnMut(&BodyV2<'a>),
) -> Result<(), StoreError> {
    while let Some((version, rest)) = block.split_first() {
        let read = match version {
            1 => postcard::take_from_bytes::<BodyV1<'a>>(rest)
                .map(|(body, rest)| (body.into(), rest)),
            2 => postcard::take_from_bytes::<BodyV2<'a>>(rest),
            _ => return Err(StoreError::damaged(format!("bodies: version {version}"))),
        };
        let (body, rest) = read.map_err(|error| StoreError::damaged(format!("bodies: {error}")))?;
        each(&body);
        block = rest;
    }
    Ok(())
}

impl<'a> From<BodyV1<'a>> for BodyV2<'a> {
    fn from(old: BodyV1<'a>) -> Self {
        Self {
            text: old.text,
            markup: old.markup,
            base: old.base,
            comments: old.comments,
            categories: old.categories,
            image: None,
        }
    }
}

impl<'a> From<&'a EntryBody> for BodyV2<'a> {
    fn from(body: &'a EntryBody) -> Self {
        Self {
            text: &body.text,
            markup: body.markup,
            base: body.base.as_deref(),
            comments: body.comments.as_deref(),
            categories: body.categories.iter().map(String::as_str).collect(),
            image: body.image.as_deref(),
        }
    }
}

impl BodyV2<'_> {
    pub(crate) fn model(&self) -> EntryBody {
        EntryBody {
            text: self.text.to_owned(),
            markup: self.markup,
            base: self.base.map(Into::into),
            comments: self.comments.map(str::to_owned),
            categories: self.categories.iter().map(|&c| c.to_owned()).collect(),
            image: self.image.map(str::to_owned),
        }
    }
}

/// `full_texts`: the text is packed as a block of bodies is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct FullTextV1 {
    pub url: String,
    pub at: i64,
    pub etag: Option<Vec<u8>>,
    pub last_modified: Option<Vec<u8>>,
    pub packed: Vec<u8>,
}

record!(FullTextV1, "full_texts");

/// `formers`: the title, and where the body lies.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct FormerV1<'a> {
    pub title: &'a str,
    pub body: Place,
}

record!(FormerV1<'a>, "formers");

/// `undo`: what one act said of which entries; only those whose mark it changed. Numbers ascend, each the
/// difference to the one before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct ActV1 {
    pub said: Vec<(Mark, Vec<u64>)>,
}

/// `list_acts`: feeds.toml before and after a change that a person made here, packed as blocks of bodies are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct ListActV1 {
    pub before: Vec<u8>,
    pub after: Vec<u8>,
}

record!(ListActV1, "list_acts");

/// With tags that were set (or taken away) on which entries.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct ActV2 {
    pub said: Vec<(Mark, Vec<u64>)>,
    pub tagged: Vec<(String, bool, Vec<u64>)>,
}

impl From<ActV1> for ActV2 {
    fn from(ActV1 { said }: ActV1) -> Self {
        Self {
            said,
            tagged: Vec::new(),
        }
    }
}

impl<'a> Record<'a> for ActV2 {
    const VERSION: u8 = 2;
    const TABLE: &'static str = "undo";

    fn read(version: u8, bytes: &'a [u8]) -> Option<postcard::Result<Self>> {
        match version {
            1 => Some(postcard::from_bytes::<ActV1>(bytes).map(Self::from)),
            2 => Some(postcard::from_bytes(bytes)),
            _ => None,
        }
    }
}
