//! The words of a page, for looking something up in them: HTML without its tags, entities resolved. Not for showing.

use std::borrow::Cow;

/// Elements that may stand inside of a word.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins",
    "kbd", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "tt", "u", "var",
    "wbr",
];

/// Elements whose content nobody reads.
const UNSEEN: &[&str] = &["script", "style"];

/// The longest reference that is looked for: `&CounterClockwiseContourIntegral;`.
const REFERENCE: usize = 33;

/// The text of HTML.
pub fn plain(html: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'<', b'&', html.as_bytes()).is_none() {
        return Cow::Borrowed(html);
    }
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = memchr::memchr2(b'<', b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = if rest.starts_with('&') {
            reference(rest, &mut out)
        } else {
            tag(rest, &mut out)
        };
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Passes a tag, a comment, and the content of what is not seen; a block parts words.
fn tag<'a>(text: &'a str, out: &mut String) -> &'a str {
    if let Some(comment) = text.strip_prefix("<!--") {
        return comment.find("-->").map_or("", |end| &comment[end + 3..]);
    }
    let inside = &text[1..];
    let name = inside.strip_prefix('/').unwrap_or(inside);
    let len = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let name = &name[..len];
    if len == 0 && !inside.starts_with(['!', '?', '/']) {
        // `a < b`.
        out.push('<');
        return inside;
    }
    let after = memchr::memchr(b'>', inside.as_bytes()).map_or("", |end| &inside[end + 1..]);
    if !INLINE.iter().any(|known| name.eq_ignore_ascii_case(known)) {
        out.push(' ');
    }
    let unseen = UNSEEN.iter().find(|known| name.eq_ignore_ascii_case(known));
    match unseen {
        Some(name) if !inside.starts_with('/') => past(after, name),
        _ => after,
    }
}

/// What follows the end tag of `name`.
fn past<'a>(text: &'a str, name: &str) -> &'a str {
    for at in memchr::memmem::find_iter(text.as_bytes(), b"</") {
        let rest = &text[at + 2..];
        let ends = rest
            .get(..name.len())
            .is_some_and(|word| word.eq_ignore_ascii_case(name));
        if ends {
            return memchr::memchr(b'>', rest.as_bytes()).map_or("", |end| &rest[end + 1..]);
        }
    }
    ""
}

/// Resolves a character reference; what is none is a mere `&`.
fn reference<'a>(text: &'a str, out: &mut String) -> &'a str {
    let end = text.bytes().take(REFERENCE).position(|byte| byte == b';');
    let Some(end) = end else {
        out.push('&');
        return &text[1..];
    };
    let (whole, rest) = text.split_at(end + 1);
    match whole {
        "&amp;" => out.push('&'),
        "&lt;" => out.push('<'),
        "&gt;" => out.push('>'),
        "&quot;" => out.push('"'),
        "&nbsp;" | "&#160;" => out.push(' '),
        other => out.push_str(&htmlize::unescape(other)),
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_page_is_read_without_its_tags() {
        for (html, text) in [
            ("plain", "plain"),
            ("<p>one</p><p>two</p>", " one  two "),
            (
                "un<b>believ</b>able <a href='x'>link</a>",
                "unbelievable link",
            ),
            ("a<br>b<BR/>c", "a b c"),
            ("x <!-- not <p> this --> y", "x  y"),
            ("<script>var a = '<p>';</script>b", " b"),
            ("<style>p { }", " "),
            ("1 < 2 &amp;&amp; 3 &gt; 2", "1 < 2 && 3 > 2"),
            (
                "caf&eacute; &#x4e2d;&#22269; &unknown; &",
                "café 中国 &unknown; &",
            ),
            ("a&nbsp;b", "a b"),
            ("<p", " "),
            ("<", "<"),
            ("&", "&"),
            ("é<é", "é<é"),
        ] {
            assert_eq!(plain(html), text, "{html}");
        }
    }
}
