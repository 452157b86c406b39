//! Elements: what each of them begins.

use scraper::{Node, node::Element};

use super::super::document::{Block, Cell, List, MediaKind, Numbering, Table};
use super::super::sanitize;
use super::super::style::{Style, Traits};
use super::build::{Builder, MAX_SPAN, Use, What};
use super::inline::Inline;
use super::links::Target;
use super::media;

/// What is done when an element ends.
pub enum Leave {
    /// Nothing.
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

/// A sound or a film that is open.
pub struct Media {
    /// Which of them.
    pub kind: MediaKind,
    /// Where it is.
    pub url: Option<String>,
    /// What it is called.
    pub title: String,
}

/// Reads elements into a builder.
pub struct Reader {
    /// What was read.
    pub builder: Builder,
    /// A sound or a film is open: only its sources count.
    pub media: Option<Media>,
}

impl Reader {
    /// Reads on behind what `builder` holds.
    pub const fn new(builder: Builder) -> Self {
        Self {
            builder,
            media: None,
        }
    }

    /// Begins a node. True when its children are to be read.
    pub fn enter(&mut self, node: &Node, leaves: &mut Vec<Leave>) -> bool {
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

    /// Writes words that stand for an element.
    pub fn say(&mut self, words: &str) {
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
}

/// Left out when read aloud: ornaments, and what stands there a second time.
fn is_for_eyes(element: &Element) -> bool {
    element.attr("aria-hidden") == Some("true")
}

fn span(value: Option<&str>) -> u16 {
    value
        .and_then(|v| v.trim().parse::<u16>().ok())
        .unwrap_or(1)
        .clamp(1, MAX_SPAN)
}
