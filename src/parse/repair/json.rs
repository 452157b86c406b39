//! JSON Feed 1.0 and 1.1 as it is written: numbers for ids, strings for authors, missing keys, `null` anywhere.

use std::borrow::Cow;

use serde_json::Value;

use super::super::links::Base;
use super::Head;
use super::draft::{Chunk, Draft, DraftLink, Text};
use super::xml::Outcome;

/// Reads a JSON Feed; `None` when it is not JSON, or JSON of another kind.
pub(super) fn read(
    text: &str,
    base: &Base,
    sink: &mut dyn FnMut(&mut Chunk),
) -> Option<Outcome<'static>> {
    // Trailing garbage after the object is ignored, as behind XML.
    let mut stream = serde_json::Deserializer::from_str(text.trim_start()).into_iter::<Value>();
    let value = stream.next()?.ok()?;
    let known = string(&value, "version").is_some_and(|v| v.contains("jsonfeed.org"));
    let items = match value.get("items") {
        Some(Value::Array(items)) => items.as_slice(),
        _ if known => &[],
        _ => return None,
    };
    let mut out = Outcome {
        head: head(&value, base),
        items: items.len(),
        ..Outcome::default()
    };
    if !known {
        out.repairs.push("JSON without a version");
    }
    let mut chunk = Chunk::default();
    for item in items {
        let draft = entry(item, base, &out.head.draft);
        chunk.entry(&draft);
        if chunk.is_full() {
            sink(&mut chunk);
            chunk.clear();
        }
    }
    if chunk.len() > 0 {
        sink(&mut chunk);
    }
    Some(out)
}

/// A string, or a number written as one; blanks around it gone, none when empty.
fn string(value: &Value, key: &str) -> Option<String> {
    let text = match value.get(key)? {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

fn literal(text: String) -> Text<'static> {
    Text {
        source: Cow::Owned(text),
        ..Text::default()
    }
}

fn html(text: String, base: &Base) -> Text<'static> {
    Text {
        source: Cow::Owned(text),
        html: true,
        base: base.text().map(str::to_owned),
    }
}

fn link(base: &Base, href: Option<String>) -> Option<DraftLink<'static>> {
    let href = base.resolve(&href?)?;
    Some(DraftLink {
        href,
        ..DraftLink::default()
    })
}

fn author(value: &Value) -> Option<String> {
    let listed = value.get("authors").and_then(Value::as_array);
    let first = listed
        .and_then(|authors| authors.first())
        .or_else(|| value.get("author"))?;
    match first {
        Value::String(name) => Some(name.trim().to_owned()),
        object => string(object, "name"),
    }
    .filter(|name| !name.is_empty())
}

fn head(value: &Value, base: &Base) -> Head<'static> {
    let mut draft = Draft::default();
    if let Some(title) = string(value, "title") {
        draft.title.offer(0, literal(title));
    }
    if let Some(site) = link(base, string(value, "home_page_url")) {
        draft.link.offer(0, site);
    }
    if let Some(name) = author(value) {
        draft.author.offer(0, name);
    }
    let hubs = value.get("hubs").and_then(Value::as_array);
    let hubs = hubs.into_iter().flatten();
    Head {
        draft,
        hubs: hubs
            .filter_map(|hub| base.resolve(&string(hub, "url")?))
            .collect(),
        ..Head::default()
    }
}

fn entry(item: &Value, base: &Base, head: &Draft<'_>) -> Draft<'static> {
    let mut draft = Draft {
        id: Cow::Owned(string(item, "id").unwrap_or_default()),
        id_links: true,
        ..Draft::default()
    };
    if let Some(title) = string(item, "title") {
        draft.title.offer(0, literal(title));
    }
    for (rank, href) in [
        string(item, "url"),
        string(item, "external_url"),
        Some(draft.id.to_string()),
    ]
    .into_iter()
    .enumerate()
    {
        // An id is an address only when it is a whole one.
        let whole = rank < 2 || href.as_ref().is_some_and(|h| h.starts_with("http"));
        if whole && let Some(link) = link(base, href) {
            draft.link.offer(rank as u8, link);
        }
    }
    if let Some(text) = string(item, "content_html") {
        draft.content.offer(0, html(text, base));
    }
    if let Some(text) = string(item, "content_text") {
        draft.content.offer(1, literal(text));
    }
    if let Some(text) = string(item, "summary") {
        draft.summary.offer(0, literal(text));
    }
    if let Some(date) = string(item, "date_published") {
        draft.published.push((0, Cow::Owned(date)));
    }
    if let Some(date) = string(item, "date_modified") {
        draft.updated.push((0, Cow::Owned(date)));
    }
    if let Some(name) = author(item).or_else(|| head.author.get().cloned()) {
        draft.author.offer(0, name);
    }
    if let Some(Value::Array(tags)) = item.get("tags") {
        let named = tags.iter().filter_map(Value::as_str);
        draft.categories = named
            .take(64)
            .map(|tag| Cow::Owned(tag.to_owned()))
            .collect();
    }
    if let Some(Value::Array(attachments)) = item.get("attachments") {
        draft.media = attachments
            .iter()
            .filter_map(|a| attachment(a, base))
            .collect();
    }
    draft
}

fn attachment(value: &Value, base: &Base) -> Option<DraftLink<'static>> {
    let number = |key| {
        let value = value.get(key)?;
        let text = value.as_str().and_then(|text| text.trim().parse().ok());
        value
            .as_u64()
            .or_else(|| value.as_f64().map(|n| n as u64))
            .or(text)
    };
    Some(DraftLink {
        href: base.resolve(&string(value, "url")?)?,
        kind: Cow::Owned(string(value, "mime_type").unwrap_or_default()),
        length: number("size_in_bytes"),
        duration: number("duration_in_seconds").filter(|seconds| *seconds < 3_000_000),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(text: &str) -> Option<(String, usize)> {
        let mut all = String::new();
        let base = Base::new("https://a.example/feed.json");
        let out = read(text, &base, &mut |chunk| all.push_str(chunk.document()))?;
        Some((all, out.items))
    }

    #[test]
    fn sloppy_items_are_read() {
        let (text, items) = collect(
            r#"{"items":[{"id":7,"url":null,"external_url":"/x","author":"Ann","tags":null,"title":false,
               "attachments":[{"url":"a.mp3","size_in_bytes":"12"}]}]} trailing"#,
        )
        .expect("a feed");
        assert_eq!(items, 1);
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
    fn json_of_another_kind_is_no_feed() {
        assert_eq!(collect("{\"error\": 1}"), None);
        assert_eq!(collect("{broken"), None);
        let empty = collect("{\"version\": \"https://jsonfeed.org/version/1\"}");
        assert_eq!(empty.map(|(_, items)| items), Some(0));
    }
}
