//! HTML made harmless before it is parsed. The parser needs time quadratic in the depth of open tags, in the
//! attributes of a tag and in the formatting elements left open; so all three are bounded here, and what nobody
//! reads (comments, scripts, styles, forms, drawings) is left out.

use memchr::{memchr, memmem};

use super::classes::{Class, is_heading, is_wall, known};
use super::sanitize::beginning;

/// Bytes of a body that are read.
pub const MAX_BYTES: usize = 2 * 1024 * 1024;
/// Tags that may be open at once; deeper ones are dissolved.
const MAX_DEPTH: usize = 512;
/// Steps through open tags before the allowed depth falls to `LOW_DEPTH`.
const MAX_STEPS: usize = 6_000_000;
/// The depth of pages that are made to cost time.
const LOW_DEPTH: usize = 48;
/// Longer attribute values are left out.
const MAX_VALUE: usize = 4096;

/// Attributes that are read later.
const ATTRIBUTES: &[&str] = &[
    "alt",
    "aria-hidden",
    "class",
    "colspan",
    "data-lazy-src",
    "data-original",
    "data-src",
    "height",
    "href",
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

/// Text that the parser reads in time linear in its length.
pub struct Filtered {
    /// Known elements and text.
    pub html: String,
    /// The input was longer than [`MAX_BYTES`].
    pub cut: bool,
}

/// Rewrites HTML so that a conforming parser builds the same tree of known elements from it, within bounds.
pub fn filter(html: &str) -> Filtered {
    let kept = beginning(html, MAX_BYTES).len();
    let mut filter = Filter {
        input: &html[..kept],
        at: 0,
        out: String::with_capacity(kept),
        open: Vec::new(),
        over: 0,
        steps: 0,
        endless: Vec::new(),
    };
    filter.run();
    Filtered {
        html: filter.out,
        cut: kept < html.len(),
    }
}

struct Filter<'a> {
    input: &'a str,
    at: usize,
    out: String,
    /// Open elements, outermost first.
    open: Vec<(&'static str, Class)>,
    /// Start tags dissolved for depth whose end tag has not come.
    over: usize,
    steps: usize,
    /// End marks known not to come any more, so that they are looked for once.
    endless: Vec<&'static str>,
}

/// One attribute as written.
struct Attribute<'a> {
    name: &'a str,
    value: &'a str,
}

impl<'a> Filter<'a> {
    fn run(&mut self) {
        while let Some(next) = memchr(b'<', &self.input.as_bytes()[self.at..]) {
            self.out.push_str(&self.input[self.at..self.at + next]);
            self.at += next;
            self.markup();
        }
        let rest = &self.input[self.at..];
        self.out.push_str(rest);
    }

    /// At a `<`: consumes what it opens.
    fn markup(&mut self) {
        let rest = &self.input.as_bytes()[self.at + 1..];
        match rest {
            [b'!', b'-', b'-', ..] => self.comment(),
            [b'/', c, ..] if c.is_ascii_alphabetic() => self.end_tag(),
            [b'!' | b'?' | b'/', ..] => self.skip_past_bracket(),
            [c, ..] if c.is_ascii_alphabetic() => self.start_tag(),
            _ => {
                self.out.push_str("&lt;");
                self.at += 1;
            }
        }
    }

    fn comment(&mut self) {
        // From the first dash on: `<!-->` is a whole comment.
        let from = self.at + 2;
        match self.find("-->", from) {
            Some(end) => self.at = end + 3,
            None => self.skip_past_bracket(),
        }
    }

    fn skip_past_bracket(&mut self) {
        let rest = &self.input.as_bytes()[self.at..];
        self.at += memchr(b'>', rest).map_or(rest.len(), |end| end + 1);
    }

    /// Where `mark` comes next, in lower case or as written; remembers when it does not.
    fn find(&mut self, mark: &'static str, from: usize) -> Option<usize> {
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
    fn find_end_tag(&mut self, name: &'static str) -> Option<usize> {
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

    fn tag_name(&mut self) -> &'a [u8] {
        let bytes = &self.input.as_bytes()[self.at..];
        let end = bytes
            .iter()
            .position(|c| c.is_ascii_whitespace() || matches!(c, b'/' | b'>'))
            .unwrap_or(bytes.len());
        self.at += end;
        &bytes[..end]
    }

    /// The attributes up to `>`; `None` when the input ends before. The flag says `/>`.
    fn attributes(&mut self) -> Option<(Vec<Attribute<'a>>, bool)> {
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

    fn start_tag(&mut self) {
        let begin = self.at;
        self.at += 1;
        let name = self.tag_name();
        let Some((attributes, closed)) = self.attributes() else {
            // The input ends inside the tag: a cut body. A lone `<word` at the end is text.
            if !self.input[begin..].contains(['=', '"']) {
                self.out.push_str("&lt;");
                self.out.push_str(&self.input[begin + 1..]);
            }
            self.at = self.input.len();
            return;
        };
        match known(name) {
            None => {}
            Some((name, Class::Dropped)) => self.drop_element(name, &attributes, closed),
            Some((name, class)) => self.open_element(name, class, &attributes, closed),
        }
    }

    /// Leaves out an element with its content. One that never ends loses only its tag.
    fn drop_element(&mut self, name: &'static str, attributes: &[Attribute], closed: bool) {
        if closed {
            return;
        }
        let Some(end) = self.find_end_tag(name) else {
            return;
        };
        if name == "math" {
            let inside = &self.input[self.at..end];
            self.out.push_str("<code>");
            self.out.push_str(&formula(inside, attributes));
            self.out.push_str("</code>");
        }
        self.at = end;
        self.skip_past_bracket();
    }

    fn open_element(
        &mut self,
        name: &'static str,
        class: Class,
        attributes: &[Attribute],
        closed: bool,
    ) {
        let name = match name {
            "object" | "iframe" => "embed",
            name => name,
        };
        if class == Class::Void {
            if name == "hr" {
                self.close_paragraph();
            }
            self.write_start(name, class, attributes);
            return;
        }
        let limit = if self.steps > MAX_STEPS {
            LOW_DEPTH
        } else {
            MAX_DEPTH
        };
        if self.open.len() >= limit {
            if !closed {
                self.over += 1;
            }
            if class != Class::Inline && class != Class::Formatting {
                self.out.push(' ');
            }
            return;
        }
        if !self.imply(name, class) {
            // A cell or row outside of any table: its words must not run together.
            self.out.push(' ');
            return;
        }
        self.write_start(name, class, attributes);
        if closed {
            self.write_end(name);
        } else {
            self.open.push((name, class));
        }
    }

    fn end_tag(&mut self) {
        self.at += 2;
        let name = self.tag_name();
        self.skip_past_bracket();
        let Some((name, class)) = known(name) else {
            return;
        };
        match class {
            Class::Void if name == "br" => self.out.push_str("<br>"),
            Class::Void | Class::Dropped => {}
            _ if self.over > 0 => self.over -= 1,
            _ => self.close(name, class),
        }
    }

    fn close(&mut self, name: &'static str, class: Class) {
        let found = match class {
            Class::Formatting => self.find_open(|open, _| open == name, |open, _| is_wall(open)),
            Class::Inline => self.find_open(
                |open, _| open == name,
                |_, class| matches!(class, Class::Block | Class::TablePart),
            ),
            Class::TablePart => self.find_open(|open, _| open == name, |open, _| open == "table"),
            _ if name == "table" => self.find_open(|open, _| open == name, |_, _| false),
            _ if name == "li" => self.find_open(
                |open, _| open == name,
                |open, _| is_wall(open) || matches!(open, "ol" | "ul"),
            ),
            _ if is_heading(name) => {
                self.find_open(|open, _| is_heading(open), |open, _| is_wall(open))
            }
            _ => self.find_open(|open, _| open == name, |open, _| is_wall(open)),
        };
        let Some(at) = found else {
            return;
        };
        let overlaps = class == Class::Formatting
            && self.open[at..]
                .iter()
                .any(|(_, class)| matches!(class, Class::Block | Class::TablePart));
        if overlaps {
            // The adoption agency: the block stays open, the formatting element does not.
            self.open.remove(at);
        } else {
            self.open.truncate(at);
        }
        self.write_end(name);
    }

    /// The innermost open element that `wanted` names, unless one that `wall` names is further in.
    fn find_open(
        &mut self,
        wanted: impl Fn(&'static str, Class) -> bool,
        wall: impl Fn(&'static str, Class) -> bool,
    ) -> Option<usize> {
        for (back, &(name, class)) in self.open.iter().rev().enumerate() {
            self.steps += 1;
            if wanted(name, class) {
                return Some(self.open.len() - 1 - back);
            }
            if wall(name, class) {
                return None;
            }
        }
        None
    }

    /// Closes what the start of `name` closes. False for a part of a table outside of one.
    fn imply(&mut self, name: &'static str, class: Class) -> bool {
        match name {
            "a" => self.close("a", Class::Formatting),
            "li" => self.close_item(&["li"]),
            "dd" | "dt" => self.close_item(&["dd", "dt"]),
            "td" | "th" => return self.clear_back_to(&["table", "tbody", "thead", "tfoot", "tr"]),
            "tr" => return self.clear_back_to(&["table", "tbody", "thead", "tfoot"]),
            "caption" | "tbody" | "thead" | "tfoot" => return self.clear_back_to(&["table"]),
            _ => {}
        }
        if class == Class::Block {
            self.close_paragraph();
            if is_heading(name) && self.open.last().is_some_and(|(open, _)| is_heading(open)) {
                self.open.pop();
            }
        }
        true
    }

    fn close_paragraph(&mut self) {
        if let Some(at) = self.find_open(|open, _| open == "p", |open, _| is_wall(open)) {
            self.open.truncate(at);
        }
    }

    fn close_item(&mut self, items: &[&str]) {
        let found = self.find_open(
            |open, _| items.contains(&open),
            |open, class| {
                matches!(class, Class::Block | Class::TablePart)
                    && !matches!(open, "address" | "div" | "p")
            },
        );
        if let Some(at) = found {
            self.open.truncate(at);
        }
    }

    fn clear_back_to(&mut self, context: &[&str]) -> bool {
        match self.find_open(|open, _| context.contains(&open), |_, _| false) {
            Some(at) => {
                self.open.truncate(at + 1);
                true
            }
            None => false,
        }
    }

    fn write_start(&mut self, name: &str, class: Class, attributes: &[Attribute]) {
        self.out.push('<');
        self.out.push_str(name);
        // Formatting elements are reopened by the parser and compared by their attributes: without any, three of a
        // name are the most that it keeps.
        if class != Class::Formatting || name == "a" {
            if attributes.iter().any(hides) {
                self.out.push_str(" hidden");
            }
            for one in attributes {
                self.write_attribute(name, one);
            }
        }
        self.out.push('>');
    }

    fn write_attribute(&mut self, element: &str, one: &Attribute) {
        let name = one.name.to_ascii_lowercase();
        let name = match name.as_str() {
            "data" if element == "embed" => "src",
            // Of a style only the size of a picture is of interest: a pixel that counts readers has one.
            "style" if element == "img" => "style",
            "class" if element != "img" => return,
            name if ATTRIBUTES.contains(&name) => name,
            _ => return,
        };
        let mut value = one.value.trim_ascii();
        if value
            .get(..5)
            .is_some_and(|s| s.eq_ignore_ascii_case("data:"))
        {
            value = "data:";
        }
        if value.len() > MAX_VALUE {
            return;
        }
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push_str("=\"");
        self.out.push_str(&value.replace('"', "&quot;"));
        self.out.push('"');
    }

    fn write_end(&mut self, name: &str) {
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
    }
}

/// Whether an attribute takes its element off the page: preview lines of newsletters, tracking frames.
fn hides(one: &Attribute) -> bool {
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
    style.split(';').any(|rule| {
        matches!(
            rule.trim_end_matches("!important"),
            "display:none"
                | "visibility:hidden"
                | "mso-hide:all"
                | "font-size:0"
                | "font-size:0px"
                | "max-height:0"
                | "max-height:0px"
                | "opacity:0"
        )
    })
}

/// A formula as one line: its TeX source, else its description, else its symbols.
fn formula(inside: &str, attributes: &[Attribute]) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_reads_is_left_out_and_the_rest_stays() {
        let cases = [
            ("a<!-- b -->c", "ac"),
            ("a<!-->c", "ac"),
            ("a<!-- b", "a"),
            ("<a href=\"u>x</a> y", "<a href=\"u\">x</a> y"),
            ("a<!-- b>c", "ac"),
            ("<script>if (a</b) x</script>y", "y"),
            ("<SCRIPT src=x></Script >y", "y"),
            ("<script src=x />y", "y"),
            ("<style>never closed", "never closed"),
            ("1 < 2 <3", "1 &lt; 2 &lt;3"),
            ("a <b", "a &lt;b"),
            ("a <b x=\"", "a "),
            ("<font color=red>x</font><blink>y</blink>", "xy"),
            ("<p class=a onclick='x()'>y</p>", "<p>y</p>"),
            ("<a href='a\"b' href=c>x</a>", "<a href=\"a&quot;b\">x</a>"),
            ("<b style=x>y</b>", "<b>y</b>"),
            ("<div style='Display : NONE'>y</div>", "<div hidden>y</div>"),
            ("<iframe src=u></iframe>z", "<embed src=\"u\">z"),
            (
                "<img src='data:image/png;base64,AAAA'>",
                "<img src=\"data:\">",
            ),
            ("<a name=x />y", "<a></a>y"),
            ("x<td>y</td>", "x y"),
            ("x</br>y", "x<br>y"),
            ("<math alttext='x^2'><mi>x</mi></math>", "<code>x^2</code>"),
            ("<math><mi>x</mi><mo>=</mo></math>", "<code>x =</code>"),
            (
                "<math><annotation e=t>\\a<b</annotation></math>",
                "<code>\\a&lt;b</code>",
            ),
        ];
        for (html, wanted) in cases {
            assert_eq!(filter(html).html, wanted, "{html}");
        }
    }

    #[test]
    fn depth_is_bounded_and_text_survives() {
        for unit in [
            "<div>",
            "<b><div></b>",
            "<ul><table><td></ul>",
            "<p><span>",
            "<li><ul>",
        ] {
            let html = filter(&format!("{}end", unit.repeat(20_000))).html;
            assert!(html.ends_with("end"));
            assert!(html.matches("<div>").count() <= MAX_DEPTH, "{unit}");
            assert!(html.matches("<ul>").count() <= MAX_DEPTH, "{unit}");
        }
    }

    #[test]
    fn end_tags_left_out_do_not_add_up() {
        for unit in [
            "<p>x",
            "<li>x",
            "<dt>x<dd>y",
            "<a href=x>y",
            "<b><p>x</b></p>",
            "<h2>x",
        ] {
            let html = filter(&unit.repeat(2_000)).html;
            assert_eq!(
                html.matches('x').count(),
                filter(unit).html.matches('x').count() * 2_000
            );
            assert!(!html.contains("  "), "{unit} was dissolved");
        }
    }

    #[test]
    fn a_body_over_the_limit_is_cut_at_a_character() {
        let filtered = filter(&"é".repeat(MAX_BYTES));
        assert!(filtered.cut && filtered.html.len() <= MAX_BYTES);
    }
}
