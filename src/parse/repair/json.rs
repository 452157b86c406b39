//! JSON Feed 1.0 and 1.1 as it is written: numbers for ids, strings for authors, missing keys, `null` anywhere.
//! Items are handed on one by one as they are read, so that a cut document gives its whole ones.

mod item;

use std::cell::RefCell;
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::super::links::Base;
use super::draft::Chunk;
use super::loose::{Line, List, Loose, mended};
use super::xml::Outcome;
use item::{Attachment, Item, Person, link, literal};

/// Reads a JSON Feed; `None` when it is not JSON, or JSON of another kind.
pub(super) fn read(
    text: &str,
    base: &Base,
    sink: &mut dyn FnMut(&mut Chunk),
) -> Option<Outcome<'static>> {
    let (mut reading, mut result) = attempt(text, base, sink, 0);
    if result.as_ref().is_err_and(serde_json::Error::is_syntax) {
        let done = reading.handed;
        let (again, better) = attempt(&mended(text), base, reading.sink, done);
        (reading, result) = (again, better);
        reading.out.repairs.push("broken JSON");
    }
    let known = reading.version.contains("jsonfeed.org");
    if let Err(error) = result {
        if !error.is_eof() || !(known || reading.has_items) {
            return None;
        }
        reading.out.cut = true;
        reading.out.repairs.push("cut off");
    }
    if !known && !reading.has_items {
        return None;
    }
    if !known {
        reading.out.repairs.push("JSON without a version");
    }
    if reading.chunk.len() > 0 {
        (reading.sink)(&mut reading.chunk);
    }
    Some(reading.out)
}

/// Reads once; the first `skip` items are handed on already.
fn attempt<'r>(
    text: &str,
    base: &'r Base,
    sink: &'r mut dyn FnMut(&mut Chunk),
    skip: usize,
) -> (Reading<'r>, serde_json::Result<()>) {
    let reading = RefCell::new(Reading {
        base,
        out: Outcome::default(),
        version: String::new(),
        has_items: false,
        chunk: Chunk::default(),
        skip,
        handed: skip,
        sink,
    });
    // What follows the object is ignored, as behind XML.
    let mut json = serde_json::Deserializer::from_str(text.trim_start());
    let result = Top(&reading).deserialize(&mut json);
    (reading.into_inner(), result)
}

/// The feed as far as it has been read.
struct Reading<'r> {
    base: &'r Base,
    out: Outcome<'static>,
    version: String,
    has_items: bool,
    chunk: Chunk,
    /// So many items were handed on by an attempt before this one.
    skip: usize,
    /// Items handed on so far.
    handed: usize,
    sink: &'r mut dyn FnMut(&mut Chunk),
}

impl Reading<'_> {
    fn item(&mut self, item: Item<'_>) {
        self.out.items += 1;
        if self.out.items <= self.skip {
            return;
        }
        // A number or `null` in the place of an item, or an object of another kind.
        if item == Item::default() {
            return;
        }
        let draft = item.draft(self.base, &self.out.head.draft);
        self.chunk.entry(draft);
        if self.chunk.is_full() {
            (self.sink)(&mut self.chunk);
            self.handed = self.out.items;
            self.chunk.clear();
        }
    }
}

/// The outermost object.
struct Top<'t, 'r>(&'t RefCell<Reading<'r>>);

impl<'de> DeserializeSeed<'de> for Top<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Top<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON Feed")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Line<'de>>()? {
            if key.0 == "items" {
                map.next_value_seed(Items(self.0))?;
                continue;
            }
            let mut reading = self.0.borrow_mut();
            let base = reading.base;
            match key.0.as_ref() {
                "version" => reading.version = map.next_value::<Line<'_>>()?.0.into_owned(),
                "title" => {
                    if let Some(title) = map.next_value::<Line<'_>>()?.owned() {
                        reading.out.head.draft.title.offer(0, literal(title));
                    }
                }
                "home_page_url" => {
                    let href = map.next_value::<Line<'_>>()?;
                    if let Some(site) = link(base, &href.0) {
                        reading.out.head.draft.link.offer(0, site);
                    }
                }
                "author" | "authors" => {
                    let people = map.next_value::<List<Person<'_>>>()?;
                    if let Some(name) = people.name() {
                        reading.out.head.draft.author.offer(0, name);
                    }
                }
                "feed_url" => {
                    let href = map.next_value::<Line<'_>>()?;
                    reading.out.head.own = base.resolve(&href.0);
                }
                "next_url" => {
                    let href = map.next_value::<Line<'_>>()?;
                    reading.out.head.paging.next = link(base, &href.0).map(|link| link.href);
                }
                "hubs" => {
                    let List(hubs) = map.next_value::<List<Attachment<'_>>>()?;
                    let urls = hubs.iter().filter_map(|hub| base.resolve(&hub.url.0));
                    reading.out.head.hubs.extend(urls);
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// The list of items.
struct Items<'t, 'r>(&'t RefCell<Reading<'r>>);

impl<'de> DeserializeSeed<'de> for Items<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Items<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        self.0.borrow_mut().has_items = true;
        while let Some(Loose(item)) = seq.next_element::<Loose<Item<'de>>>()? {
            self.0.borrow_mut().item(item);
        }
        Ok(())
    }

    /// One item alone is a list of it.
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let mut reading = self.0.borrow_mut();
        reading.has_items = true;
        let Loose(item) = Loose::deserialize(MapAccessDeserializer::new(map))?;
        reading.item(item);
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(text: &str) -> Option<(String, usize, bool)> {
        let mut all = String::new();
        let base = Base::new("https://a.example/feed.json");
        let out = read(text, &base, &mut |chunk| all.push_str(chunk.document()))?;
        Some((all, out.items, out.cut))
    }

    #[test]
    fn sloppy_items_are_read() {
        let (text, items, cut) = collect(
            r#"{"items":[{"id":7,"url":null,"external_url":"/x","author":"Ann","tags":null,"title":false,
               "attachments":[{"url":"a.mp3","size_in_bytes":"12"}]}, 5]} trailing"#,
        )
        .expect("a feed");
        assert_eq!((items, cut), (2, false));
        for part in [
            "<id><![CDATA[7]]></id>",
            "href=\"https://a.example/x\"",
            "<name><![CDATA[Ann]]></name>",
            "url=\"https://a.example/a.mp3\" fileSize=\"12\"",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn broken_json_is_mended() {
        let (text, items, cut) = collect(
            "{\"items\":[{\"id\":\"1\",\"title\":\"a\nb\\'c\",},{\"id\":\"2\",\"tags\":[\"x\",],},],}",
        )
        .expect("a feed");
        assert_eq!((items, cut), (2, false));
        assert!(text.contains("a\nb'c"), "{text}");
        let many: Vec<_> = (0..3000)
            .map(|n| format!("{{\"id\":\"id-{n}\",\"title\":\"some words for a title\"}},"))
            .collect();
        let many = many.concat();
        let (text, items, _) = collect(&format!("{{\"items\":[{many}]}}")).expect("a feed");
        assert_eq!(items, 3000);
        assert_eq!(text.matches("<entry>").count(), 3000);
    }

    #[test]
    fn one_item_alone_is_a_list_of_it() {
        let (text, items, _) = collect(r#"{"items":{"id":"1"}}"#).expect("a feed");
        assert_eq!((items, text.matches("<entry>").count()), (1, 1));
    }

    #[test]
    fn what_is_no_item_is_none() {
        let text = r#"{"items":[null, 5, "x", {"y": 1}, {"id": "1"}], "x": NaN}"#;
        let (text, ..) = collect(text).expect("a feed");
        assert_eq!(text.matches("<entry>").count(), 1);
    }

    #[test]
    fn a_cut_document_gives_its_whole_items() {
        let (text, items, cut) =
            collect(r#"{"items":[{"id":"1"},{"id":"2"},{"id":"3"#).expect("a feed");
        assert_eq!((items, cut), (2, true));
        assert!(text.contains("[2]"));
    }

    #[test]
    fn json_of_another_kind_is_no_feed() {
        assert_eq!(collect("{\"error\": 1}"), None);
        assert_eq!(collect("{broken"), None);
        assert_eq!(collect("{\"error\": "), None);
        let empty = collect("{\"version\": \"https://jsonfeed.org/version/1\", \"items\": null}");
        assert_eq!(empty.map(|(_, items, _)| items), Some(0));
    }
}
