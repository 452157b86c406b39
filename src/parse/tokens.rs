//! A tokenizer that never fails: whatever is not markup is text. One pass, no tree, no recursion,
//! so neither depth nor length of hostile input costs more than its bytes.

mod tag;

use memchr::{memchr, memmem, memrchr};

pub(crate) use tag::Tag;
use tag::{name_at, tag_end};

/// One piece of a document, borrowed from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// `<name attrs>` or `<name attrs/>`.
    Start(Tag<'a>),
    /// `</name>`, the name as written.
    End(&'a str),
    /// Character data, references unresolved; also every `<` that opens no tag.
    Text(&'a str),
    /// The inside of a CDATA section.
    CData(&'a str),
    /// The inside of `<!DOCTYPE …>`, internal subset included.
    Doctype(&'a str),
}

/// The document and the place in it.
#[derive(Debug, Clone)]
pub(crate) struct Tokens<'a> {
    src: &'a str,
    pos: usize,
    /// Where the last token began.
    began: usize,
    cut: bool,
    /// Where the last `>` is: behind it no tag can end, and nobody need search again.
    last_end: usize,
    /// From where on no comment, and no CDATA section, ends any more: nobody need search again.
    endless: [usize; 2],
    doctype_seen: bool,
}

impl<'a> Tokens<'a> {
    /// From the first byte.
    pub fn new(src: &'a str) -> Self {
        Self {
            src,
            pos: 0,
            began: 0,
            cut: false,
            last_end: memrchr(b'>', src.as_bytes()).unwrap_or(0),
            endless: [usize::MAX; 2],
            doctype_seen: false,
        }
    }

    /// The byte that the next token starts at.
    pub const fn pos(&self) -> usize {
        self.pos
    }

    /// The byte that the last token began at.
    pub const fn began(&self) -> usize {
        self.began
    }

    /// Goes back to a place that `pos` named, or forward to another character boundary.
    pub const fn seek(&mut self, pos: usize) {
        self.pos = pos;
    }

    /// The document.
    pub const fn source(&self) -> &'a str {
        self.src
    }

    /// A section, comment or tag was still open when the document ended.
    pub const fn is_cut(&self) -> bool {
        self.cut
    }

    /// Goes on after the next `</name`, in any case: for `script`, `style` and others whose inside is no markup.
    pub fn skip_raw(&mut self, name: &str) {
        let bytes = self.src.as_bytes();
        let mut at = self.pos;
        while let Some(found) = memmem::find(&bytes[at..], b"</") {
            at += found + 2;
            let end = at + name.len();
            if bytes
                .get(at..end)
                .is_some_and(|n| n.eq_ignore_ascii_case(name.as_bytes()))
            {
                self.pos = at - 2;
                return;
            }
        }
        self.pos = self.src.len();
    }

    /// Until `close`; the rest of the document when it never comes.
    fn until(&mut self, from: usize, close: &str) -> &'a str {
        let rest = &self.src[from..];
        if let Some(len) = memmem::find(rest.as_bytes(), close.as_bytes()) {
            self.pos = from + len + close.len();
            &rest[..len]
        } else {
            self.cut = true;
            self.pos = self.src.len();
            rest
        }
    }

    /// Where the next `close` is; `which` of the two that are searched for.
    fn find_end(&mut self, which: usize, from: usize, close: &str) -> Option<usize> {
        if from >= self.endless[which] {
            return None;
        }
        let found = memmem::find(&self.src.as_bytes()[from..], close.as_bytes());
        if found.is_none() {
            self.endless[which] = from;
        }
        found.map(|len| from + len)
    }

    /// The inside of a CDATA section. One that never ends has perhaps lost the last character of its end.
    fn section(&mut self, from: usize) -> &'a str {
        let rest = &self.src[from..];
        if let Some(end) = self.find_end(1, from, "]]>") {
            self.pos = end + 3;
            return &self.src[from..end];
        }
        if let Some(len) = memmem::find(rest.as_bytes(), b"]]<") {
            self.pos = from + len + 2;
            return &rest[..len];
        }
        self.cut = true;
        self.pos = self.src.len();
        rest
    }

    /// Markup at `pos`, which holds `<`. `Ok(None)` is a comment or instruction; `Err` is no markup.
    fn markup(&mut self) -> Result<Option<Token<'a>>, NoMarkup> {
        let at = self.pos;
        let rest = &self.src[at..];
        if let Some(after) = rest.strip_prefix("<!") {
            if after.starts_with("--") {
                // A comment that never ends hides nothing: what follows may be a whole feed.
                let end = self.find_end(0, at + 4, "-->").ok_or(NoMarkup)?;
                self.pos = end + 3;
                return Ok(None);
            }
            if starts_with_ignore_case(after, "[CDATA[") {
                return Ok(Some(Token::CData(self.section(at + 9))));
            }
            if starts_with_ignore_case(after, "DOCTYPE") && !self.doctype_seen {
                self.doctype_seen = true;
                return Ok(Some(Token::Doctype(self.doctype(at + 9))));
            }
            if after.starts_with(|c: char| c.is_ascii_alphabetic()) {
                self.until(at + 2, ">");
                return Ok(None);
            }
            return Err(NoMarkup);
        }
        if rest.starts_with("<?") {
            self.until(at + 2, ">");
            return Ok(None);
        }
        if let Some(after) = rest.strip_prefix("</") {
            return self.end_tag(at, after).map(Some);
        }
        self.start_tag(at).map(Some)
    }

    fn end_tag(&mut self, at: usize, after: &'a str) -> Result<Token<'a>, NoMarkup> {
        let name = name_at(after).ok_or(NoMarkup)?;
        let tail = &after[name.len()..];
        let close = tail.bytes().position(|b| matches!(b, b'>' | b'<'));
        self.pos = match close {
            Some(len) if tail.as_bytes()[len] == b'>' => at + 2 + name.len() + len + 1,
            Some(len) => at + 2 + name.len() + len,
            None => {
                self.cut = true;
                self.src.len()
            }
        };
        Ok(Token::End(name))
    }

    fn start_tag(&mut self, at: usize) -> Result<Token<'a>, NoMarkup> {
        if at >= self.last_end {
            return Err(NoMarkup);
        }
        let name = name_at(&self.src[at + 1..]).ok_or(NoMarkup)?;
        let from = at + 1 + name.len();
        let end = tag_end(self.src.as_bytes(), from).ok_or(NoMarkup)?;
        self.pos = end + 1;
        let attrs = &self.src[from..end];
        let empty = attrs.ends_with('/');
        Ok(Token::Start(Tag { name, attrs, empty }))
    }

    fn doctype(&mut self, from: usize) -> &'a str {
        let rest = &self.src[from..];
        let end = memchr(b'>', rest.as_bytes());
        let subset = memchr(b'[', rest.as_bytes());
        match (end, subset) {
            (Some(end), Some(subset)) if subset < end => {
                let close = rest[subset..]
                    .find(']')
                    .and_then(|c| rest[subset + c..].find('>').map(|g| subset + c + g));
                let close = close.unwrap_or(end);
                self.pos = from + close + 1;
                &rest[..close]
            }
            (Some(end), _) => {
                self.pos = from + end + 1;
                &rest[..end]
            }
            (None, _) => {
                self.cut = true;
                self.pos = self.src.len();
                rest
            }
        }
    }

    fn text(&mut self, from: usize) -> Token<'a> {
        let rest = &self.src.as_bytes()[from..];
        let end = memchr(b'<', rest).map_or(self.src.len(), |len| from + len);
        let text = &self.src[self.pos..end];
        self.pos = end;
        Token::Text(text)
    }
}

/// A `<` that opens nothing.
struct NoMarkup;

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        while self.pos < self.src.len() {
            let at = self.pos;
            self.began = at;
            if self.src.as_bytes()[at] != b'<' {
                return Some(self.text(at));
            }
            match self.markup() {
                Ok(Some(token)) => return Some(token),
                Ok(None) => {}
                Err(NoMarkup) => return Some(self.text(at + 1)),
            }
        }
        None
    }
}

fn starts_with_ignore_case(text: &str, prefix: &str) -> bool {
    text.as_bytes()
        .get(..prefix.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(src: &str) -> Vec<String> {
        Tokens::new(src)
            .map(|token| match token {
                Token::Start(t) if t.empty => format!("<{}/>", t.name),
                Token::Start(t) => format!("<{}>", t.name),
                Token::End(n) => format!("</{n}>"),
                Token::Text(t) => format!("t:{t}"),
                Token::CData(t) => format!("c:{t}"),
                Token::Doctype(t) => format!("d:{t}"),
            })
            .collect()
    }

    #[test]
    fn what_is_no_markup_is_text() {
        for (src, want) in [
            (
                "<a>1 < 2 <= 3</a>",
                vec!["<a>", "t:1 ", "t:< 2 ", "t:<= 3", "</a>"],
            ),
            ("a <b and c</t>", vec!["t:a ", "t:<b and c", "</t>"]),
            ("<a b='>'>x", vec!["<a>", "t:x"]),
            ("<a b=\"x>y</a>", vec!["<a>", "t:y", "</a>"]),
            ("<a\n b = c/>", vec!["<a/>"]),
            ("<!-- <b> --><c/><?x y?>", vec!["<c/>"]),
            ("<![CDATA[<x>]]>&", vec!["c:<x>", "t:&"]),
            ("<![CDATA[open", vec!["c:open"]),
            ("<![CDATA[a]]</t><b/>", vec!["c:a", "</t>", "<b/>"]),
            ("<!-- open <b/>", vec!["t:<!-- open ", "<b/>"]),
            ("<!-- a --><!-- open <b/>", vec!["t:<!-- open ", "<b/>"]),
            ("</a<b>", vec!["</a>", "<b>"]),
            ("<3 <", vec!["t:<3 ", "t:<"]),
            (
                "<!DOCTYPE r [<!ENTITY a \"b\">]><r/>",
                vec!["d: r [<!ENTITY a \"b\">]", "<r/>"],
            ),
        ] {
            assert_eq!(show(src), want, "{src}");
        }
    }

    #[test]
    fn raw_text_ends_at_its_own_tag() {
        let mut tokens = Tokens::new("<script>a</b></SCRIPT>x");
        tokens.next();
        tokens.skip_raw("script");
        assert_eq!(tokens.next(), Some(Token::End("SCRIPT")));
    }
}
