//! The inside of one element, wherever it ends, and the ways to read it.

use std::borrow::Cow;

use super::super::references::{Entities, decode};
use super::super::tokens::{Tag, Token, Tokens};

/// An element read to its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaf<'a> {
    pub tag: Tag<'a>,
    /// Everything between its tags, as written.
    pub raw: &'a str,
    /// It holds tags: markup that nobody escaped.
    pub has_tags: bool,
    /// Its end was there, or another element began that cannot be inside.
    pub closed: bool,
    /// It ended with its own end tag.
    pub own_end: bool,
}

/// How an element may end besides its own end tag.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ends<'n> {
    /// Qualified names of the elements around: their end tags end it too.
    pub around: &'n [&'n str],
    /// A tag of these names begins something new: it ends every element.
    pub items: &'n [String],
    /// It holds a line of text, never an element of its own name or a field of an entry.
    pub short: bool,
}

impl<'a> Leaf<'a> {
    /// Reads from after `tag`. What ends it from outside is left to be read again.
    pub fn read(tokens: &mut Tokens<'a>, tag: Tag<'a>, ends: Ends<'_>) -> Self {
        let start = tokens.pos();
        let mut leaf = Self {
            tag,
            raw: "",
            has_tags: false,
            closed: true,
            own_end: true,
        };
        if tag.empty {
            return leaf;
        }
        let mut nested = 0_usize;
        loop {
            let next = tokens.next();
            let at = tokens.began();
            let outside = match next {
                None => {
                    leaf.closed = false;
                    leaf.own_end = false;
                    leaf.raw = &tokens.source()[start..];
                    return leaf;
                }
                Some(Token::Start(inner)) => {
                    nested += usize::from(inner.name == tag.name && !inner.empty);
                    leaf.begins_outside(inner, ends)
                }
                Some(Token::End(name)) if same(name, tag.name) => {
                    if nested == 0 {
                        leaf.raw = &tokens.source()[start..at];
                        return leaf;
                    }
                    nested -= 1;
                    false
                }
                Some(Token::End(name)) => {
                    leaf.has_tags = true;
                    ends.around.contains(&name)
                }
                Some(_) => false,
            };
            if outside {
                tokens.seek(at);
                leaf.own_end = false;
                leaf.raw = &tokens.source()[start..at];
                return leaf;
            }
        }
    }

    fn begins_outside(&mut self, inner: Tag<'a>, ends: Ends<'_>) -> bool {
        if ends.items.iter().any(|name| name == inner.name) {
            return true;
        }
        if ends.short && (inner.name == self.tag.name || is_field(inner.name)) {
            return true;
        }
        self.has_tags = true;
        false
    }

    /// As a line of plain text: references resolved, tags left out.
    pub fn plain(&self, entities: &Entities) -> Cow<'a, str> {
        if let Some(text) = self.single(entities) {
            return text;
        }
        let mut out = String::new();
        for token in Tokens::new(self.raw) {
            match token {
                Token::Text(text) => out.push_str(&decode(text, entities)),
                Token::CData(text) => out.push_str(text),
                _ => {}
            }
        }
        Cow::Owned(out)
    }

    /// As what was escaped in it: HTML source. Unescaped markup is its own source.
    pub fn markup(&self, entities: &Entities) -> Cow<'a, str> {
        if !self.has_tags {
            return self.plain(entities);
        }
        if memchr::memmem::find(self.raw.as_bytes(), b"<!").is_none()
            && memchr::memmem::find(self.raw.as_bytes(), b"<?").is_none()
        {
            return Cow::Borrowed(self.raw);
        }
        let mut out = String::with_capacity(self.raw.len());
        let mut tokens = Tokens::new(self.raw);
        while let Some(token) = tokens.next() {
            match token {
                Token::CData(text) | Token::Text(text) => out.push_str(text),
                Token::Start(_) | Token::End(_) => {
                    out.push_str(&self.raw[tokens.began()..tokens.pos()]);
                }
                Token::Doctype(_) => {}
            }
        }
        Cow::Owned(out)
    }

    /// The common cases without a copy: only text, or one CDATA section with blanks around it.
    fn single(&self, entities: &Entities) -> Option<Cow<'a, str>> {
        if memchr::memchr(b'<', self.raw.as_bytes()).is_none() {
            return Some(decode(self.raw, entities));
        }
        let inside = self.raw.trim().strip_prefix("<![CDATA[")?;
        let end = memchr::memmem::find(inside.as_bytes(), b"]]>");
        match end {
            Some(end) if end + 3 == inside.len() => Some(Cow::Borrowed(&inside[..end])),
            None => Some(Cow::Borrowed(inside.strip_suffix("]]").unwrap_or(inside))),
            Some(_) => None,
        }
    }
}

fn same(a: &str, b: &str) -> bool {
    a == b || a.eq_ignore_ascii_case(b)
}

/// Names that begin a new field of an entry, never a part of a line of text.
fn is_field(name: &str) -> bool {
    const FIELDS: &[&str] = &[
        "link",
        "guid",
        "pubDate",
        "description",
        "title",
        "category",
        "enclosure",
        "comments",
        "author",
        "id",
        "updated",
        "published",
        "content:encoded",
        "dc:date",
        "dc:creator",
        "content",
        "language",
        "generator",
    ];
    FIELDS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(src: &str, short: bool) -> (Leaf<'_>, usize) {
        let mut tokens = Tokens::new(src);
        let Some(Token::Start(tag)) = tokens.next() else {
            panic!("a start tag");
        };
        let ends = Ends {
            around: &["item", "channel", "rss"],
            items: &["item".to_owned()],
            short,
        };
        let leaf = Leaf::read(&mut tokens, tag, ends);
        (leaf, tokens.pos())
    }

    #[test]
    fn an_element_ends_at_its_tag_or_where_it_must() {
        for (src, raw, closed) in [
            ("<t>a &amp; <b>b</b></t>x", "a &amp; <b>b</b>", true),
            ("<t>a <b>b</item>", "a <b>b", true),
            ("<t>a<item><t>b</t>", "a", true),
            ("<t>a <t>b</t> c</t>x", "a <t>b</t> c", true),
            ("<t>a", "a", false),
            ("<t/>a", "", true),
        ] {
            let (leaf, _) = read(src, false);
            assert_eq!((leaf.raw, leaf.closed), (raw, closed), "{src}");
        }
        assert_eq!(read("<title>a<link>b</link>", true).0.raw, "a");
        assert_eq!(read("<title>a<title><link>", true).0.raw, "a");
    }

    #[test]
    fn it_is_read_as_text_or_as_markup() {
        let own = Entities::default();
        for (src, plain, markup) in [
            ("<t>R &amp;amp; D</t>", "R &amp; D", "R &amp; D"),
            ("<t>1 < 2 & 3</t>", "1 < 2 & 3", "1 < 2 & 3"),
            ("<t> <![CDATA[a]]> </t>", "a", "a"),
            ("<t><![CDATA[a]]>b<![CDATA[c]]></t>", "abc", "abc"),
            ("<t>a <b>R &amp; D</b></t>", "a R & D", "a <b>R &amp; D</b>"),
            ("<t>a<!-- x --> b</t>", "a b", "a b"),
            ("<t>a<!-- > --><b>c</b></t>", "ac", "a<b>c</b>"),
            ("<t><![CDATA[open", "open", "open"),
            ("<t><![CDATA[a]]</t>", "a", "a"),
        ] {
            let (leaf, _) = read(src, false);
            assert_eq!(leaf.plain(&own), plain, "{src}");
            assert_eq!(leaf.markup(&own), markup, "{src}");
        }
    }
}
