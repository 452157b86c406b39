//! HTML made harmless before it is parsed. The parser needs time quadratic in the depth of open tags, in the
//! attributes of a tag and in the formatting elements left open; so all three are bounded here, and what nobody
//! reads (comments, scripts, styles, forms, drawings) is left out.

use memchr::memchr;

use super::super::sanitize::beginning;
use super::classes::{Class, is_heading, is_wall, known};
use super::tags::{ATTRIBUTES, Attribute, MAX_VALUE, Tags, formula, hides};

/// Bytes of a body that are read.
pub const MAX_BYTES: usize = 2 * 1024 * 1024;
/// Bytes of a web page that are read: most of them are scripts.
const MAX_PAGE: usize = 8 * 1024 * 1024;
/// Tags that may be open at once; deeper ones are dissolved.
const MAX_DEPTH: usize = 512;
/// Steps through open tags before the allowed depth falls to `LOW_DEPTH`.
const MAX_STEPS: usize = 6_000_000;
/// The depth of pages that are made to cost time.
const LOW_DEPTH: usize = 48;
/// Text that the parser reads in time linear in its length.
pub struct Filtered {
    /// Known elements and text.
    pub html: String,
    /// The input was longer than [`MAX_BYTES`].
    pub cut: bool,
}

/// Rewrites HTML so that a conforming parser builds the same tree of known elements from it, within bounds.
pub fn filter(html: &str) -> Filtered {
    rewrite(html, MAX_BYTES, false)
}

/// The same of a whole web page, with the names that its author gave elements: they tell what is its article.
pub fn filter_page(html: &str) -> String {
    let mut page = rewrite(html, MAX_PAGE, true).html;
    page.truncate(beginning(&page, MAX_BYTES).len());
    page
}

fn rewrite(html: &str, limit: usize, names: bool) -> Filtered {
    let kept = beginning(html, limit).len();
    let mut filter = Filter {
        tags: Tags::new(&html[..kept]),
        out: String::with_capacity(kept),
        open: Vec::new(),
        over: 0,
        steps: 0,
        names,
    };
    filter.run();
    Filtered {
        html: filter.out,
        cut: kept < html.len(),
    }
}

struct Filter<'a> {
    tags: Tags<'a>,
    out: String,
    /// Open elements, outermost first.
    open: Vec<(&'static str, Class)>,
    /// Start tags dissolved for depth whose end tag has not come.
    over: usize,
    steps: usize,
    /// Classes and ids stay.
    names: bool,
}

impl Filter<'_> {
    fn run(&mut self) {
        while let Some(next) = memchr(b'<', &self.tags.input.as_bytes()[self.tags.at..]) {
            self.out
                .push_str(&self.tags.input[self.tags.at..self.tags.at + next]);
            self.tags.at += next;
            self.markup();
        }
        let rest = &self.tags.input[self.tags.at..];
        self.out.push_str(rest);
    }

    /// At a `<`: consumes what it opens.
    fn markup(&mut self) {
        let rest = &self.tags.input.as_bytes()[self.tags.at + 1..];
        match rest {
            [b'!', b'-', b'-', ..] => self.comment(),
            [b'/', c, ..] if c.is_ascii_alphabetic() => self.end_tag(),
            [b'!' | b'?' | b'/', ..] => self.tags.skip_past_bracket(),
            [c, ..] if c.is_ascii_alphabetic() => self.start_tag(),
            _ => {
                self.out.push_str("&lt;");
                self.tags.at += 1;
            }
        }
    }

    fn comment(&mut self) {
        // From the first dash on: `<!-->` is a whole comment.
        let from = self.tags.at + 2;
        match self.tags.find("-->", from) {
            Some(end) => self.tags.at = end + 3,
            None => self.tags.skip_past_bracket(),
        }
    }

    fn start_tag(&mut self) {
        let begin = self.tags.at;
        self.tags.at += 1;
        let name = self.tags.tag_name();
        let Some((attributes, closed)) = self.tags.attributes() else {
            // The input ends inside the tag: a cut body. A lone `<word` at the end is text.
            if !self.tags.input[begin..].contains(['=', '"']) {
                self.out.push_str("&lt;");
                self.out.push_str(&self.tags.input[begin + 1..]);
            }
            self.tags.at = self.tags.input.len();
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
        let Some(end) = self.tags.find_end_tag(name) else {
            return;
        };
        if name == "math" {
            let inside = &self.tags.input[self.tags.at..end];
            self.out.push_str("<code>");
            self.out.push_str(&formula(inside, attributes));
            self.out.push_str("</code>");
        }
        self.tags.at = end;
        self.tags.skip_past_bracket();
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
        self.tags.at += 2;
        let name = self.tags.tag_name();
        self.tags.skip_past_bracket();
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
            "class" if element != "img" && !self.names => return,
            "id" if !self.names => return,
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
