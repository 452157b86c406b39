//! An item of a JSON Feed and what hangs on it, of whatever type its members are.

use std::borrow::Cow;

use serde::de::{IgnoredAny, MapAccess};

use super::super::super::links::{Base, is_web};
use super::super::draft::{Draft, DraftLink, Text};
use super::super::loose::{Line, List, Object};

/// `{"name": "Ann"}`, or `"Ann"`.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Person<'a>(Line<'a>);

impl<'de> Object<'de> for Person<'de> {
    fn member<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let value = map.next_value()?;
        if key == "name" {
            self.0 = value;
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        self.0 = Line(Cow::Owned(text.to_owned()));
    }
}

impl List<Person<'_>> {
    pub(super) fn name(self) -> Option<String> {
        self.0.into_iter().find_map(|person| person.0.owned())
    }
}

/// An attachment, and a hub, which also is an address with a type.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Attachment<'a> {
    pub(super) url: Line<'a>,
    kind: Line<'a>,
    size: Line<'a>,
    duration: Line<'a>,
}

impl<'de> Object<'de> for Attachment<'de> {
    fn member<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let value = map.next_value()?;
        match key {
            "url" => self.url = value,
            "mime_type" => self.kind = value,
            "size_in_bytes" => self.size = value,
            "duration_in_seconds" => self.duration = value,
            _ => {}
        }
        Ok(())
    }
}

impl Attachment<'_> {
    fn link(self, base: &Base) -> Option<DraftLink<'static>> {
        Some(DraftLink {
            href: base.resolve(&self.url.0)?,
            length: self.size.number(),
            // A month of sound is a mistake.
            duration: self
                .duration
                .number()
                .filter(|seconds| *seconds < 3_000_000),
            kind: Cow::Owned(self.kind.owned().unwrap_or_default()),
        })
    }
}

/// A tag.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Tag(String);

impl<'de> Object<'de> for Tag {
    fn member<A: MapAccess<'de>>(&mut self, _: &str, map: &mut A) -> Result<(), A::Error> {
        map.next_value::<IgnoredAny>().map(|_| ())
    }

    fn text(&mut self, text: &str) {
        text.trim().clone_into(&mut self.0);
    }
}

/// An item.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Item<'a> {
    id: Line<'a>,
    url: Line<'a>,
    external_url: Line<'a>,
    title: Line<'a>,
    html: Line<'a>,
    text: Line<'a>,
    summary: Line<'a>,
    image: Line<'a>,
    banner: Line<'a>,
    published: Line<'a>,
    modified: Line<'a>,
    people: List<Person<'a>>,
    tags: List<Tag>,
    attachments: List<Attachment<'a>>,
}

impl<'de> Object<'de> for Item<'de> {
    fn member<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let place = match key {
            "id" => &mut self.id,
            "url" => &mut self.url,
            "external_url" => &mut self.external_url,
            "title" => &mut self.title,
            "content_html" => &mut self.html,
            "content_text" => &mut self.text,
            "summary" => &mut self.summary,
            "image" => &mut self.image,
            "banner_image" => &mut self.banner,
            "date_published" => &mut self.published,
            "date_modified" => &mut self.modified,
            "author" | "authors" => {
                self.people.0.append(&mut map.next_value::<List<_>>()?.0);
                return Ok(());
            }
            "tags" => {
                self.tags = map.next_value()?;
                return Ok(());
            }
            "attachments" => {
                self.attachments = map.next_value()?;
                return Ok(());
            }
            _ => return map.next_value::<IgnoredAny>().map(|_| ()),
        };
        *place = map.next_value()?;
        Ok(())
    }
}

impl Item<'_> {
    pub(super) fn draft(self, base: &Base, head: &Draft<'_>) -> Draft<'static> {
        let mut draft = Draft {
            id: Cow::Owned(self.id.owned().unwrap_or_default()),
            ..Draft::default()
        };
        // An id is an address only when it is a whole one.
        let whole = if is_web(&draft.id) {
            draft.id.as_ref()
        } else {
            ""
        };
        let addresses = [&self.url.0, &self.external_url.0, whole];
        if let Some(link) = addresses.iter().find_map(|address| link(base, address)) {
            draft.link.offer(0, link);
        }
        let images = [&self.image.0, &self.banner.0];
        draft.image = images.iter().find_map(|address| base.resolve(address));
        if let Some(title) = self.title.owned() {
            draft.title.offer(0, literal(title));
        }
        if let Some(text) = self.html.owned() {
            draft.content.offer(0, html(text, base));
        }
        if let Some(text) = self.text.owned() {
            draft.content.offer(1, literal(text));
        }
        if let Some(text) = self.summary.owned() {
            draft.summary.offer(0, literal(text));
        }
        draft
            .published
            .extend(self.published.owned().map(|date| (0, Cow::Owned(date))));
        draft
            .updated
            .extend(self.modified.owned().map(|date| (0, Cow::Owned(date))));
        if let Some(name) = self.people.name().or_else(|| head.author.get().cloned()) {
            draft.author.offer(0, name);
        }
        let named = self.tags.0.into_iter().filter(|tag| !tag.0.is_empty());
        draft.categories = named.map(|tag| Cow::Owned(tag.0)).collect();
        let attached = self.attachments.0.into_iter();
        draft.media = attached
            .filter_map(|attachment| attachment.link(base))
            .collect();
        draft
    }
}

pub(super) fn literal(text: String) -> Text<'static> {
    Text {
        source: Cow::Owned(text),
        ..Text::default()
    }
}

fn html(text: String, base: &Base) -> Text<'static> {
    Text {
        source: Cow::Owned(text),
        html: true,
        base: base.text().cloned(),
    }
}

pub(super) fn link(base: &Base, href: &str) -> Option<DraftLink<'static>> {
    Some(DraftLink {
        href: base.resolve(href)?,
        ..DraftLink::default()
    })
}
