//! Tags as text: where they begin and end, and what their attributes say.

use memchr::{memchr, memmem};

use super::super::sanitize::beginning;

/// Longer attribute values are left out.
pub const MAX_VALUE: usize = 4096;

/// Attributes that are read later.
pub const ATTRIBUTES: &[&str] = &[
    "alt",
    "aria-hidden",
    "class",
    "colspan",
    "data-lazy-src",
    "data-original",
    "data-src",
    "height",
    "href",
    "id",
    "reversed",
    "role",
    "rowspan",
    "src",
    "srcset",
    "start",
    "title",
    "type",
    "value",
    "width",
];

/// One attribute as written.
pub struct Attribute<'a> {
    /// Its name, in any case.
    pub name: &'a str,
    /// Its value; character references are not resolved.
    pub value: &'a str,
}

/// Reads markup from front to back.
pub struct Tags<'a> {
    /// All of it.
    pub input: &'a str,
    /// The next byte to be read.
    pub at: usize,
    /// End marks known not to come any more, so that they are looked for once.
    endless: Vec<&'static str>,
}

impl<'a> Tags<'a> {
    /// Nothing is read yet.
    pub const fn new(input: &'a str) -> Self {
        Self {
            input,
            at: 0,
            endless: Vec::new(),
        }
    }

    /// Goes on after the next `>`.
    pub fn skip_past_bracket(&mut self) {
        let rest = &self.input.as_bytes()[self.at..];
        self.at += memchr(b'>', rest).map_or(rest.len(), |end| end + 1);
    }

    /// Where `mark` comes next, in lower case or as written; remembers when it does not.
    pub fn find(&mut self, mark: &'static str, from: usize) -> Option<usize> {
        if self.endless.contains(&mark) {
            return None;
        }
        let rest = self.input.as_bytes().get(from..)?;
        let found = memmem::find(rest, mark.as_bytes()).map(|at| from + at);
        if found.is_none() {
            self.endless.push(mark);
        }
        found
    }

    /// Where the end tag of `name` begins, whatever its case.
    pub fn find_end_tag(&mut self, name: &'static str) -> Option<usize> {
        if self.endless.contains(&name) {
            return None;
        }
        let bytes = self.input.as_bytes();
        let mut from = self.at;
        while let Some(at) = memmem::find(&bytes[from..], b"</") {
            let begin = from + at;
            let word = &bytes[begin + 2..];
            if word
                .get(..name.len())
                .is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()))
                && !word.get(name.len()).is_some_and(u8::is_ascii_alphanumeric)
            {
                return Some(begin);
            }
            from = begin + 2;
        }
        self.endless.push(name);
        None
    }

    /// The name that begins here.
    pub fn tag_name(&mut self) -> &'a [u8] {
        let bytes = &self.input.as_bytes()[self.at..];
        let end = bytes
            .iter()
            .position(|c| c.is_ascii_whitespace() || matches!(c, b'/' | b'>'))
            .unwrap_or(bytes.len());
        self.at += end;
        &bytes[..end]
    }

    /// The attributes up to `>`; `None` when the input ends before. The flag says `/>`.
    pub fn attributes(&mut self) -> Option<(Vec<Attribute<'a>>, bool)> {
        let bytes = self.input.as_bytes();
        let mut found: Vec<Attribute<'a>> = Vec::new();
        let mut closed = false;
        loop {
            match *bytes.get(self.at)? {
                b'>' => {
                    self.at += 1;
                    return Some((found, closed));
                }
                b'/' => {
                    closed = true;
                    self.at += 1;
                }
                c if c.is_ascii_whitespace() => self.at += 1,
                _ => {
                    closed = false;
                    let one = self.attribute()?;
                    let wanted = ATTRIBUTES
                        .iter()
                        .chain(&["data", "hidden", "style", "alttext"])
                        .any(|name| name.eq_ignore_ascii_case(one.name));
                    // The first of a name counts; there are so few names that looking is cheap.
                    if wanted && !found.iter().any(|a| a.name.eq_ignore_ascii_case(one.name)) {
                        found.push(one);
                    }
                }
            }
        }
    }

    fn attribute(&mut self) -> Option<Attribute<'a>> {
        let bytes = self.input.as_bytes();
        let begin = self.at;
        self.at += 1;
        while !matches!(*bytes.get(self.at)?, b'=' | b'>' | b'/')
            && !bytes[self.at].is_ascii_whitespace()
        {
            self.at += 1;
        }
        let name = &self.input[begin..self.at];
        let mut after = self.at;
        while bytes.get(after)?.is_ascii_whitespace() {
            after += 1;
        }
        if bytes[after] != b'=' {
            return Some(Attribute { name, value: "" });
        }
        self.at = after + 1;
        while bytes.get(self.at)?.is_ascii_whitespace() {
            self.at += 1;
        }
        let value = if matches!(bytes[self.at], b'"' | b'\'') {
            self.quoted(bytes[self.at])?
        } else {
            let begin = self.at;
            while *bytes.get(self.at)? != b'>' && !bytes[self.at].is_ascii_whitespace() {
                self.at += 1;
            }
            &self.input[begin..self.at]
        };
        Some(Attribute { name, value })
    }

    fn quoted(&mut self, quote: u8) -> Option<&'a str> {
        let bytes = self.input.as_bytes();
        let begin = self.at + 1;
        if let Some(length) = memchr(quote, &bytes[begin..]) {
            self.at = begin + length + 1;
            return Some(&self.input[begin..begin + length]);
        }
        // A quote that is never closed would swallow the rest of the page: it ends with the tag.
        self.at = begin + memchr(b'>', &bytes[begin..])?;
        Some(&self.input[begin..self.at])
    }
}

/// Whether an attribute takes its element off the page: preview lines of newsletters, tracking frames.
pub fn hides(one: &Attribute) -> bool {
    if one.name.eq_ignore_ascii_case("hidden") {
        return !one.value.eq_ignore_ascii_case("until-found");
    }
    if !one.name.eq_ignore_ascii_case("style") {
        return false;
    }
    let style: String = beginning(one.value, MAX_VALUE)
        .chars()
        .filter(|c| !c.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect();
    let rules: Vec<&str> = style
        .split(';')
        .map(|rule| rule.trim_end_matches("!important"))
        .collect();
    let says = |rule: &str| rules.contains(&rule);
    // Not font-size:0, opacity:0 or mso-hide: newsletters and scripts put them around what is read.
    says("display:none")
        || says("visibility:hidden")
        || says("overflow:hidden") && (says("max-height:0") || says("max-height:0px"))
}

/// A formula as one line: its TeX source, else its description, else its symbols.
pub fn formula(inside: &str, attributes: &[Attribute]) -> String {
    if let Some(begin) = inside.find("<annotation")
        && let Some(open) = inside[begin..].find('>')
        && let Some(end) = inside[begin + open..].find("</annotation")
    {
        return inside[begin + open + 1..begin + open + end].replace('<', "&lt;");
    }
    let described = attributes
        .iter()
        .find(|one| one.name.eq_ignore_ascii_case("alttext"));
    if let Some(one) = described {
        return one.value.replace('<', "&lt;");
    }
    let mut symbols = String::with_capacity(inside.len());
    let mut depth = false;
    for c in inside.chars() {
        match c {
            '<' => depth = true,
            '>' if depth => {
                depth = false;
                symbols.push(' ');
            }
            c if !depth => symbols.push(c),
            _ => {}
        }
    }
    symbols.split_whitespace().collect::<Vec<_>>().join(" ")
}
