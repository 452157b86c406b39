//! HTML to blocks: which element means what.

use scraper::{Html, Node, node::Element};

use super::build::{Builder, MAX_SPAN, Use, What};
use super::document::{Block, Cell, Document, List, MediaKind, Numbering, Span, Table};
use super::filter::filter;
use super::inline::{Inline, words_of};
use super::links::Target;
use super::media;
use super::sanitize;
use super::style::{Style, Traits};

/// Reads HTML behind what `builder` holds.
pub fn read(html: &str, builder: Builder) -> Document {
    let filtered = filter(html);
    let tree = Html::parse_fragment(&filtered.html);
    let mut reader = Reader {
        builder,
        media: None,
    };
    let mut leaves = Vec::new();
    let root = *tree.root_element();
    let mut next = root.first_child();
    // By hand and not by recursion: depth costs no stack.
    'walk: while let Some(node) = next {
        if reader.enter(node.value(), &mut leaves)
            && let Some(child) = node.first_child()
        {
            next = Some(child);
            continue;
        }
        let mut at = node;
        loop {
            if let Some(leave) = leaves.pop() {
                reader.leave(leave);
            }
            if let Some(sibling) = at.next_sibling() {
                next = Some(sibling);
                break;
            }
            match at.parent() {
                Some(parent) if parent.id() != root.id() => at = parent,
                _ => break 'walk,
            }
        }
    }
    reader.builder.finish(filtered.cut)
}

/// What is done when an element ends.
enum Leave {
    Nothing,
    /// The paragraph ends.
    Flush,
    /// So many containers end.
    Pop(usize),
    /// The style around it returns.
    Style(Style),
    /// The same, and a list of one item joins the one before.
    Join(usize),
    /// A link ends: style before, number, whether it is new, bytes written before it.
    Link(Style, u32, bool, usize),
    /// A raised or lowered text ends; the text around it returns.
    Script(Inline, bool),
    /// A link within the page ends.
    Here(Inline),
    /// Words that follow the element.
    Say(&'static str),
    /// A sound or a film ends.
    Media,
    /// The head of a table ends.
    Head,
}

struct Media {
    kind: MediaKind,
    url: Option<String>,
    title: String,
}

struct Reader {
    builder: Builder,
    /// A sound or a film is open: only its sources count.
    media: Option<Media>,
}

impl Reader {
    /// Begins a node. True when its children are to be read.
    fn enter(&mut self, node: &Node, leaves: &mut Vec<Leave>) -> bool {
        let leave = match node {
            Node::Text(text) => {
                if self.media.is_none() && self.takes_text(text) {
                    self.builder.text(text);
                }
                Some(Leave::Nothing)
            }
            Node::Element(element) => self.element(element),
            _ => None,
        };
        let inside = leave.is_some();
        leaves.push(leave.unwrap_or(Leave::Nothing));
        inside
    }

    /// White space between the parts of lists and tables is not text.
    fn takes_text(&mut self, text: &str) -> bool {
        let between = matches!(
            self.builder.holder(),
            What::List(..) | What::Table { .. } | What::Row(_) | What::Definitions(_)
        );
        !between || !text.trim_ascii().is_empty()
    }

    /// Begins an element; `None` leaves out what it holds.
    fn element(&mut self, element: &Element) -> Option<Leave> {
        let name = element.name();
        if let Some(media) = &mut self.media {
            if name == "source" && media.url.is_none() {
                let target = element
                    .attr("src")
                    .map(|src| self.builder.targets.resolve(src));
                if let Some(Target::Url(url)) = target {
                    media.url = Some(url);
                }
            }
            return (name != "source").then_some(Leave::Nothing);
        }
        if element.attr("hidden").is_some() && name != "img" {
            return None;
        }
        if name == "span" && is_for_eyes(element) {
            return None;
        }
        self.inline_element(name, element)
            .or_else(|| self.void_element(name, element))
            .or_else(|| self.block_element(name, element))
            .or_else(|| self.table_element(name, element))
            .unwrap_or(Some(Leave::Nothing))
    }

    /// `Some(None)` leaves out the content.
    #[expect(
        clippy::option_option,
        reason = "no such element, or one whose content is left out"
    )]
    fn inline_element(&mut self, name: &str, element: &Element) -> Option<Option<Leave>> {
        let traits = match name {
            "a" => return Some(Some(self.anchor(element))),
            "b" | "strong" => Traits::STRONG,
            "i" | "em" | "cite" | "var" | "dfn" => Traits::EMPHASIS,
            "u" | "ins" => Traits::UNDERLINE,
            "s" | "strike" | "del" => Traits::STRIKE,
            "code" | "kbd" | "samp" | "tt" => Traits::CODE,
            "mark" => Traits::MARK,
            "sup" | "sub" => {
                let around = std::mem::take(self.builder.inline());
                return Some(Some(Leave::Script(around, name == "sup")));
            }
            "q" => {
                self.say("“");
                return Some(Some(Leave::Say("”")));
            }
            "rt" => {
                self.say("(");
                return Some(Some(Leave::Say(")")));
            }
            "rp" => return Some(None),
            _ => return None,
        };
        let before = self.builder.style;
        if !(traits == Traits::CODE && self.builder.in_code()) {
            self.builder.style.traits |= traits;
        }
        Some(Some(Leave::Style(before)))
    }

    #[expect(
        clippy::option_option,
        reason = "no such element, or one whose content is left out"
    )]
    fn void_element(&mut self, name: &str, element: &Element) -> Option<Option<Leave>> {
        match name {
            "br" => self.builder.line_break(),
            "wbr" => self.say("\u{200b}"),
            "hr" => self.rule(),
            "img" => media::image(&mut self.builder, element),
            "embed" => media::embed(&mut self.builder, element),
            "source" => {}
            "audio" | "video" => {
                let target = element
                    .attr("src")
                    .map(|src| self.builder.targets.resolve(src));
                self.media = Some(Media {
                    kind: if name == "audio" {
                        MediaKind::Audio
                    } else {
                        MediaKind::Video
                    },
                    url: match target {
                        Some(Target::Url(url)) => Some(url),
                        _ => None,
                    },
                    title: sanitize::line(element.attr("title").unwrap_or_default()),
                });
                return Some(Some(Leave::Media));
            }
            _ => return None,
        }
        Some(Some(Leave::Nothing))
    }

    #[expect(
        clippy::option_option,
        reason = "no such element, or one whose content is left out"
    )]
    fn block_element(&mut self, name: &str, element: &Element) -> Option<Option<Leave>> {
        let leave = match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = name.as_bytes()[1] - b'0';
                self.open(What::Line(Use::Heading(level)))
            }
            "blockquote" => self.open(What::Quote),
            "pre" | "listing" | "xmp" => self.open(What::Code),
            "ul" | "menu" | "dir" => self.open(What::List(List::default(), 1, 1)),
            "ol" => self.ordered(element),
            "li" => {
                let loose = !matches!(self.builder.holder(), What::List(..));
                let value = element.attr("value").and_then(|v| v.trim().parse().ok());
                let opened = self.builder.push_item(value);
                if loose {
                    Leave::Join(opened)
                } else {
                    Leave::Pop(opened)
                }
            }
            "dl" => self.open(What::Definitions(Vec::new())),
            "dt" => self.open(What::Line(Use::Term)),
            "dd" => self.open(What::Meaning),
            "figure" => self.open(What::Figure(Vec::new())),
            "figcaption" => self.open(What::Line(Use::FigureCaption)),
            "details" => self.open(What::Details(Vec::new())),
            "summary" => self.open(What::Line(Use::Summary)),
            "address" | "article" | "aside" | "center" | "dialog" | "div" | "fieldset"
            | "footer" | "header" | "hgroup" | "main" | "nav" | "p" | "section" => {
                self.builder.flush();
                Leave::Flush
            }
            _ => return None,
        };
        Some(Some(leave))
    }

    #[expect(
        clippy::option_option,
        reason = "no such element, or one whose content is left out"
    )]
    fn table_element(&mut self, name: &str, element: &Element) -> Option<Option<Leave>> {
        let in_code = self.builder.in_code();
        let leave = match name {
            "table" if in_code => Leave::Flush,
            "table" => {
                let layout = matches!(element.attr("role"), Some("presentation" | "none"));
                self.open(What::Table {
                    table: Table::default(),
                    layout,
                    in_head: false,
                })
            }
            "caption" => self.open(What::Line(Use::TableCaption)),
            "thead" => {
                if let What::Table { in_head, .. } = self.builder.holder() {
                    *in_head = true;
                }
                Leave::Head
            }
            "tr" if matches!(self.builder.holder(), What::Table { .. }) => {
                self.open(What::Row(Vec::new()))
            }
            "td" | "th" if matches!(self.builder.holder(), What::Row(_)) => {
                self.open(What::Cell(Cell {
                    blocks: Vec::new(),
                    head: name == "th",
                    columns: span(element.attr("colspan")),
                    rows: span(element.attr("rowspan")),
                }))
            }
            "td" | "th" if in_code => Leave::Say(" "),
            "tr" | "td" | "th" => {
                self.builder.flush();
                Leave::Flush
            }
            _ => return None,
        };
        Some(Some(leave))
    }

    fn open(&mut self, what: What) -> Leave {
        if self.builder.push(what) {
            Leave::Pop(1)
        } else {
            Leave::Flush
        }
    }

    fn say(&mut self, words: &str) {
        let style = self.builder.style;
        self.builder.say(words, style);
    }

    fn rule(&mut self) {
        if self.builder.in_code() {
            self.builder.flush();
        } else {
            self.builder.block(Block::Rule);
        }
    }

    fn ordered(&mut self, element: &Element) -> Leave {
        let numbering = match element.attr("type").map(str::trim) {
            Some("a") => Numbering::Lower,
            Some("A") => Numbering::Upper,
            Some("i") => Numbering::LowerRoman,
            Some("I") => Numbering::UpperRoman,
            _ => Numbering::Decimal,
        };
        let start = element
            .attr("start")
            .and_then(|v| v.trim().parse::<i64>().ok());
        let reversed = element.attr("reversed").is_some();
        // A reversed list counts down to 1: the first number is known when its last item is.
        let (start, step) = if reversed {
            (start.unwrap_or(i64::MIN), -1)
        } else {
            (start.unwrap_or(1), 1)
        };
        if self.builder.push_list(numbering, start, step) {
            Leave::Pop(1)
        } else {
            Leave::Flush
        }
    }

    fn anchor(&mut self, element: &Element) -> Leave {
        let before = self.builder.style;
        if is_for_eyes(element) {
            // As a rule the anchor of a heading; or a picture that leads where the title beside it leads.
            return Leave::Here(std::mem::take(self.builder.inline()));
        }
        match element
            .attr("href")
            .map(|href| self.builder.targets.resolve(href))
        {
            Some(Target::Url(url)) => {
                let count = self.builder.targets.count();
                let Some(number) = self.builder.targets.number(&url) else {
                    return Leave::Nothing;
                };
                self.builder.style.link = Some(number);
                let new = self.builder.targets.count() > count;
                Leave::Link(before, number, new, self.builder.written)
            }
            Some(Target::Here) => Leave::Here(std::mem::take(self.builder.inline())),
            _ => Leave::Nothing,
        }
    }

    /// Ends an element.
    fn leave(&mut self, leave: Leave) {
        match leave {
            Leave::Nothing => {}
            Leave::Flush => self.builder.flush(),
            Leave::Pop(times) => (0..times).for_each(|_| self.pop()),
            Leave::Join(times) => {
                (0..times).for_each(|_| self.pop());
                if times > 1 {
                    self.builder.join_lists();
                }
            }
            Leave::Style(before) => self.builder.style = before,
            Leave::Link(before, number, new, written) => {
                self.builder.style = before;
                if self.builder.written > written {
                    self.name(number);
                    self.builder.number(number);
                } else if new {
                    self.builder.targets.forget(number);
                }
            }
            Leave::Script(around, up) => {
                let mut script = std::mem::replace(self.builder.inline(), around);
                if let Some((words, style)) = scripted(&script, up) {
                    script = Inline::default();
                    script.push(&words, style);
                }
                self.builder.inline().append(script);
            }
            Leave::Here(around) => {
                let inside = std::mem::replace(self.builder.inline(), around);
                if !is_way_mark(words_of(inside.spans()).trim()) {
                    self.builder.inline().append(inside);
                }
            }
            Leave::Say(words) => self.say(words),
            Leave::Media => self.end_media(),
            Leave::Head => {
                if let What::Table { in_head, .. } = self.builder.holder() {
                    *in_head = false;
                }
            }
        }
    }

    fn pop(&mut self) {
        if let What::List(list, next, -1) = self.builder.holder() {
            renumber(list, *next);
        }
        self.builder.pop();
    }

    /// Gives a link the words that lead to it, where they are at hand.
    fn name(&mut self, number: u32) {
        let words: String = self
            .builder
            .inline()
            .spans()
            .iter()
            .rev()
            .take_while(|span| span.style.link == Some(number))
            .map(|span| span.text.as_str())
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect();
        let words = sanitize::line(&words);
        if !words.is_empty() {
            self.builder.targets.name(number, &words);
        }
    }

    fn end_media(&mut self) {
        if let Some(Media {
            kind,
            url: Some(url),
            title,
        }) = self.media.take()
        {
            media::show(&mut self.builder, kind, &url, &title);
        }
    }
}

/// Left out when read aloud: ornaments, and what stands there a second time.
fn is_for_eyes(element: &Element) -> bool {
    element.attr("aria-hidden") == Some("true")
}

/// Items of a reversed list without a start, counted down to 1.
fn renumber(list: &mut List, next: i64) {
    if next > i64::MIN + 1_000_000_000 {
        return;
    }
    let count = list.items.len() as i64;
    for (at, item) in list.items.iter_mut().enumerate() {
        item.number = count - at as i64;
    }
}

fn span(value: Option<&str>) -> u16 {
    value
        .and_then(|v| v.trim().parse::<u16>().ok())
        .unwrap_or(1)
        .clamp(1, MAX_SPAN)
}

/// Marks that only lead to another place on the page: a heading's anchor, a footnote's way back.
fn is_way_mark(words: &str) -> bool {
    matches!(
        words,
        "" | "#"
            | "##"
            | "¶"
            | "§"
            | "🔗"
            | "↩"
            | "↩︎"
            | "↩️"
            | "⤴"
            | "⏎"
            | "^"
            | "↑"
            | "⇑"
            | "[↩]"
            | "[return]"
    )
}

/// Raised or lowered text in characters of its own, where all of it has some; `^` before what has none.
fn scripted(script: &Inline, up: bool) -> Option<(String, Style)> {
    let [Span { text, style }] = script.spans() else {
        return None;
    };
    let bare = text.trim().trim_start_matches('[').trim_end_matches(']');
    if bare.is_empty() || bare.len() > 40 {
        return None;
    }
    if let Some(raised) = bare
        .chars()
        .map(|c| raise(c, up))
        .collect::<Option<String>>()
    {
        return Some((raised, *style));
    }
    let letters = bare.chars().count();
    // 1st, 2nd, TM, a lone asterisk: as they are.
    if bare.chars().any(char::is_whitespace) || letters > 2 {
        let mark = if up { "^" } else { "_" };
        return Some((format!("{mark}({bare})"), *style));
    }
    None
}

fn raise(c: char, up: bool) -> Option<char> {
    const UP: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ";
    const DOWN: &str = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙᵢ";
    let c = if c == '−' || c == '–' { '-' } else { c };
    let at = "0123456789+-=()ni".find(c)?;
    let row = if up { UP } else { DOWN };
    row.chars().nth(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::article::inline::words_of;
    use crate::article::text::each_text;

    fn depth(html: &str) -> usize {
        let tree = Html::parse_fragment(&filter(html).html);
        let mut deepest = 0;
        for node in tree.root_element().descendants() {
            deepest = deepest.max(node.ancestors().count());
        }
        deepest
    }

    #[test]
    fn the_parser_never_sees_a_deep_page() {
        let many = |unit: &str| unit.repeat(3_000);
        let marks = (0..3_000).fold(String::new(), |text, n| {
            text + &format!("<p><b a{n}=x><a href={n}>y</p>")
        });
        let pages = [
            many("<div>"),
            many("<b><div></b>"),
            many("<i><p></i>"),
            many("<ul><table><td></ul>"),
            many("<table><tr><td>"),
            many("<table><td><b>"),
            many("<span></p>"),
            many("<a href=x><div></a>"),
            many("<li><ul>"),
            many("<dl><dd><table>"),
            many("<h1><h2></h1><div>"),
            many("<figure></div><figcaption>"),
            many("<svg><p>"),
            many("<math><p>"),
            many("<template><td>"),
            many("<object><b>"),
            marks,
        ];
        for page in pages {
            let deepest = depth(&page);
            // Rows and bodies that the parser adds to tables, and formatting elements that it opens again.
            assert!(deepest <= 2_200, "{deepest}: {}", &page[..40]);
        }
    }

    #[test]
    fn text_of_any_element_is_read_once_and_in_order() {
        let cases = [
            ("<p>a<div>b</div>c", "a|b|c"),
            ("<ul>x<li>a<ul><li>b</ul></ul>", "a|b|x"),
            ("<li>a<li>b", "a|b"),
            ("<dl>x<dt>a<dd>b<dd>c</dl>", "a|b|c|x"),
            ("<h2><p>a<p>b</h2>", "a b"),
            ("<figure>a<figcaption><p>b</p></figcaption></figure>", "a|b"),
            ("<details>a<summary>b</summary>c</details>", "b|a|c"),
            ("<pre>a<div>b</div>c</pre>", "a b c"),
            (
                "<table><caption>c<tr><td>a<td>b<tr><td>d<td>e</table>",
                "c|a|b|d|e",
            ),
            ("<table><tr><td>a<h2>b</h2><td>c</table>", "a|b|c"),
            ("<ruby>漢<rt>かん</ruby>", "漢(かん)"),
            ("<q>a</q> <sup>2</sup>", "“a” ²"),
            ("<h1>a <a href=#a>#</a></h1>", "a"),
            ("<video>fallback</video>a", "a"),
            ("<p hidden>a</p><p>b", "b"),
            ("<h2>a<a href=/x aria-hidden=true>#</a></h2>", "a"),
            (
                "<a href=/x aria-hidden=true><img src=https://e.example/i alt=b></a>c",
                "[image: b][1]c",
            ),
            ("a<span aria-hidden=true>b</span>", "a"),
            ("<h:p>a</h:p>", "a"),
            ("a<br><br>b<br>c", "a|b c"),
        ];
        for (html, wanted) in cases {
            let mut parts = Vec::new();
            each_text(&read(html, Builder::new(None)).blocks, &mut |spans| {
                if !spans.is_empty() {
                    parts.push(words_of(spans));
                }
            });
            assert_eq!(parts.join("|"), wanted, "{html}");
        }
    }
}
