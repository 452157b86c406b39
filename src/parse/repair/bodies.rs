//! How the inside of an element is meant: literal text, HTML, a name, a length of time.

use std::borrow::Cow;

use super::super::references::{Entities, base64, decode};
use super::super::tokens::{Token, Tokens};
use super::draft::Text;
use super::leaf::Leaf;
use super::names::Ns;

/// A title or text. Atom says how it is written; RSS always means HTML.
pub(crate) fn read<'a>(leaf: &Leaf<'a>, atom: bool, ns: Ns, entities: &Entities) -> Text<'a> {
    if atom {
        return atom_text(leaf, entities);
    }
    let text = unwrapped(leaf.markup(entities));
    // iTunes and Media RSS write plain text, and HTML when nobody looks.
    let plain = matches!(ns, Ns::Itunes | Ns::Media) && !leaf.has_tags && !looks_like_html(&text);
    Text {
        source: text,
        html: !plain,
        base: None,
    }
}

/// Without the marks of a CDATA section that is escaped, or inside of another: both are meant as one.
fn unwrapped(text: Cow<'_, str>) -> Cow<'_, str> {
    const MARKS: [(&str, &str); 2] = [("<![CDATA[", "]]>"), ("&lt;![CDATA[", "]]&gt;")];
    let whole = text.trim();
    let inside = MARKS
        .iter()
        .find_map(|(open, close)| whole.strip_prefix(open)?.strip_suffix(close));
    match inside {
        Some(inside) => Cow::Owned(inside.to_owned()),
        None => text,
    }
}

fn looks_like_html(text: &str) -> bool {
    text.contains("</") || text.contains("<br") || text.contains("<p>") || text.contains("/>")
}

/// The ways Atom 1.0 and 0.3 write a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writing {
    Literal,
    Escaped,
    Inline,
    Base64,
    /// A picture or a sound: no text.
    Binary,
}

fn writing(leaf: &Leaf<'_>) -> Writing {
    let lower = |name| leaf.tag.raw(name).unwrap_or("").trim().to_ascii_lowercase();
    let (kind, mode) = (lower("type"), lower("mode"));
    let html = kind.contains("html");
    match (mode.as_str(), kind.as_str()) {
        (_, kind) if is_binary(kind) => Writing::Binary,
        ("base64", _) => Writing::Base64,
        ("escaped", _) if html => Writing::Escaped,
        ("escaped", _) => Writing::Literal,
        (_, kind) if kind.contains("xhtml") || kind.ends_with("+xml") || kind.ends_with("/xml") => {
            Writing::Inline
        }
        ("xml", _) if html => Writing::Inline,
        _ if html => Writing::Escaped,
        _ if leaf.has_tags => Writing::Inline,
        (_, "" | "text" | "plain") => Writing::Literal,
        (_, kind) if kind.starts_with("text/") || !kind.contains('/') => Writing::Literal,
        _ if looks_like_base64(leaf.raw) => Writing::Base64,
        _ => Writing::Literal,
    }
}

fn is_binary(kind: &str) -> bool {
    let pictures = kind.starts_with("image/") && !kind.contains("svg");
    pictures || kind.starts_with("audio/") || kind.starts_with("video/")
}

fn looks_like_base64(raw: &str) -> bool {
    let raw = raw.trim();
    let letter =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'\r' | b'\n' | b' ');
    raw.len() >= 16 && raw.bytes().all(letter)
}

fn atom_text<'a>(leaf: &Leaf<'a>, entities: &Entities) -> Text<'a> {
    let html_type = leaf
        .tag
        .raw("type")
        .is_some_and(|t| t.to_ascii_lowercase().contains("html"));
    let (text, html) = match writing(leaf) {
        Writing::Literal => (leaf.plain(entities), false),
        Writing::Escaped => (unwrapped(leaf.markup(entities)), true),
        Writing::Inline => (inline(leaf, entities), true),
        Writing::Binary => (Cow::Borrowed(""), false),
        Writing::Base64 => {
            let bytes = base64(&leaf.plain(entities));
            let text = String::from_utf8_lossy(&bytes).into_owned();
            (Cow::Owned(text), html_type)
        }
    };
    Text {
        source: text,
        html,
        base: None,
    }
}

/// Markup written as elements is its own source, but for what should have been `type="html"`.
fn inline<'a>(leaf: &Leaf<'a>, entities: &Entities) -> Cow<'a, str> {
    if leaf.has_tags {
        return unprefixed(leaf.markup(entities));
    }
    let escaped = leaf.raw.contains("&lt;") || leaf.raw.contains("<![CDATA[");
    if escaped {
        return leaf.plain(entities);
    }
    Cow::Borrowed(leaf.raw)
}

/// `<xhtml:div>` without its prefix.
fn unprefixed(text: Cow<'_, str>) -> Cow<'_, str> {
    let Some(Token::Start(first)) = Tokens::new(text.trim_start()).next() else {
        return text;
    };
    let Some((prefix, _)) = first.name.split_once(':') else {
        return text;
    };
    let (open, close) = (format!("<{prefix}:"), format!("</{prefix}:"));
    Cow::Owned(text.replace(&open, "<").replace(&close, "</"))
}

/// `Ann`, from `<name>Ann</name>`, `ann@a.example (Ann)`, `Ann <ann@a.example>` or an address alone.
pub(crate) fn author(leaf: &Leaf<'_>, entities: &Entities) -> String {
    if leaf.has_tags {
        let mut best = (3, String::new());
        let mut within = 3;
        for token in Tokens::new(leaf.raw) {
            match token {
                Token::Start(tag) => {
                    let local = tag.name.rsplit(':').next().unwrap_or(tag.name);
                    within = match local.to_ascii_lowercase().as_str() {
                        "name" => 0,
                        "email" => 1,
                        "uri" | "url" => 2,
                        _ => 3,
                    };
                }
                Token::End(_) => within = 3,
                Token::Text(text) if within < best.0 && !text.trim().is_empty() => {
                    best = (within, decode(text.trim(), entities).into_owned());
                }
                Token::CData(text) if within < best.0 && !text.trim().is_empty() => {
                    best = (within, text.trim().to_owned());
                }
                _ => {}
            }
        }
        if best.0 < 3 {
            return best.1;
        }
    }
    person(leaf.plain(entities).trim()).to_owned()
}

fn person(text: &str) -> &str {
    if let Some((mail, rest)) = text.split_once('(')
        && mail.contains('@')
        && let Some(name) = rest.trim_end().strip_suffix(')')
        && !name.trim().is_empty()
    {
        return name.trim();
    }
    if let Some((name, mail)) = text.split_once('<')
        && mail.contains('@')
        && !name.trim().is_empty()
    {
        return name.trim().trim_matches('"');
    }
    text
}

/// `3600`, `60:00`, `1:00:00`, `12.5` in seconds.
pub(crate) fn seconds(text: &str) -> Option<u64> {
    let mut total: u64 = 0;
    for (at, part) in text.trim().split(':').enumerate() {
        let whole = part.split_once('.').map_or(part, |(whole, _)| whole);
        let number: u64 = whole.trim().parse().ok()?;
        total = total.checked_mul(60)?.checked_add(number)?;
        if at > 2 {
            return None;
        }
    }
    // A month of sound is a mistake, and a number of that size no use.
    (total < 3_000_000).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::super::leaf::Ends;
    use super::*;

    fn leaf(src: &str) -> Leaf<'_> {
        let mut tokens = Tokens::new(src);
        let Some(Token::Start(tag)) = tokens.next() else {
            panic!("a start tag");
        };
        let ends = Ends {
            around: &[],
            items: &[],
            short: false,
        };
        Leaf::read(&mut tokens, tag, ends)
    }

    #[test]
    fn atom_says_how_its_text_is_written() {
        for (src, want, html) in [
            ("<t>a &lt;b&gt;</t>", "a <b>", false),
            ("<t type='text'>a &amp;amp; b</t>", "a &amp; b", false),
            ("<t type='html'>a &lt;b&gt;</t>", "a <b>", true),
            (
                "<t type='text/html; charset=utf-8'><![CDATA[<i>a</i>]]></t>",
                "<i>a</i>",
                true,
            ),
            (
                "<t type='xhtml'><div>a &amp; b</div></t>",
                "<div>a &amp; b</div>",
                true,
            ),
            (
                "<t type='xhtml'><x:div>a<x:br/></x:div></t>",
                "<div>a<br/></div>",
                true,
            ),
            ("<t type='xhtml'>&lt;p&gt;a</t>", "<p>a", true),
            (
                "<t mode='escaped' type='text/html'>&lt;p&gt;</t>",
                "<p>",
                true,
            ),
            ("<t mode='escaped'>&lt;p&gt;</t>", "<p>", false),
            (
                "<t mode='xml' type='text/html'><p>a</p></t>",
                "<p>a</p>",
                true,
            ),
            (
                "<t mode='base64' type='text/plain'>SGVsbG8=</t>",
                "Hello",
                false,
            ),
            ("<t>a <b>c</b></t>", "a <b>c</b>", true),
            (
                "<t type='image/png'>iVBORw0KGgoAAAANSUhEUg==</t>",
                "",
                false,
            ),
            ("<t type='html'>&lt;![CDATA[&lt;p>a]]&gt;</t>", "<p>a", true),
        ] {
            let got = read(&leaf(src), true, Ns::Atom, &Entities::default());
            assert_eq!((got.source.as_ref(), got.html), (want, html), "{src}");
        }
    }

    #[test]
    fn a_person_is_a_name() {
        for (src, want) in [
            ("<a>Ann</a>", "Ann"),
            ("<a>ann@a.example (Ann B)</a>", "Ann B"),
            ("<a>Ann B &lt;ann@a.example&gt;</a>", "Ann B"),
            ("<a>ann@a.example</a>", "ann@a.example"),
            (
                "<a><uri>x</uri><email>e</email><name>Ann &amp; B</name></a>",
                "Ann & B",
            ),
            ("<a><email>e@x</email></a>", "e@x"),
            ("<a> </a>", ""),
        ] {
            assert_eq!(author(&leaf(src), &Entities::default()), want, "{src}");
        }
    }

    #[test]
    fn a_duration_is_seconds() {
        for (text, want) in [
            ("3600", Some(3600)),
            ("12:34", Some(754)),
            ("1:02:03", Some(3723)),
            (" 12.5 ", Some(12)),
            ("1:1:1:1", None),
            ("99999999999999999999", None),
            ("about an hour", None),
        ] {
            assert_eq!(seconds(text), want, "{text}");
        }
    }
}
