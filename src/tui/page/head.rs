//! What stands above the text of an entry, and what is attached below it.

use crate::article::{Kind, Row, Run, Style};
use crate::model::{Enclosure, EntryHead};

use super::super::columns;
use super::super::say::{self, Zone};
use super::Target;

/// Lines that categories may take.
const CATEGORY_LINES: usize = 2;

/// What the lines above the text are made of.
pub struct Head<'a> {
    /// The line of the list.
    pub entry: &'a EntryHead,
    /// The feed's name.
    pub feed: &'a str,
    /// Other feeds that tell it.
    pub also: &'a [String],
    /// What the feed files it under.
    pub categories: &'a [String],
    /// Minutes that reading takes; 0 says nothing.
    pub minutes: usize,
    /// The title is to be read elsewhere already.
    pub titled: bool,
    /// What is said of the text, in parts, where it is not the feed's own.
    pub text: Vec<String>,
}

impl Head<'_> {
    /// Title; feed, author, date and reading time; categories; what is attached; the link; a blank row.
    pub fn rows(&self, width: usize, zone: Zone) -> Vec<Row> {
        let head = self.entry;
        let title = if head.title.is_empty() {
            "(no title)"
        } else {
            head.title.as_str()
        };
        let lines = if self.titled { 0 } else { 6 };
        let mut rows: Vec<Row> = columns::fold(title, width, lines)
            .iter()
            .map(|line| row(vec![run(line, Style::of(Kind::Heading(1)))]))
            .collect();
        let date = say::date(head.published.unwrap_or(head.sort), zone);
        let reading = match self.minutes {
            0 => String::new(),
            minutes => format!("{minutes} min"),
        };
        let edited = if head.edited { "edited since" } else { "" };
        let withdrawn = if head.withdrawn {
            "withdrawn by its publisher"
        } else {
            ""
        };
        let parts = [self.feed, &head.author, &date, &reading, edited, withdrawn];
        for line in columns::join(&parts, " · ", width) {
            rows.push(note(&line));
        }
        if !self.also.is_empty() {
            let text = format!("also in {}", self.also.join(", "));
            let lines = columns::fold(&text, width, CATEGORY_LINES);
            rows.extend(lines.iter().map(|line| note(line)));
        }
        if !self.categories.is_empty() {
            let text = format!("in {}", self.categories.join(", "));
            let lines = columns::fold(&text, width, CATEGORY_LINES);
            rows.extend(lines.iter().map(|line| note(line)));
        }
        if !head.tags.is_empty() {
            let text = format!("tagged {}", head.tags.join(", "));
            let lines = columns::fold(&text, width, CATEGORY_LINES);
            rows.extend(lines.iter().map(|line| note(line)));
        }
        if let Some(first) = head.enclosures.first() {
            let more = match head.enclosures.len() - 1 {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let text = format!("▸ {}{more}", enclosure_text(first));
            let style = Style::of(Kind::Media);
            rows.push(row(vec![run(&columns::cut(&text, width), style)]));
        }
        if let Some(link) = &head.link {
            let text = columns::cut(link, width);
            rows.push(row(vec![run(&text, Style::of(Kind::Reference))]));
        }
        let said: Vec<&str> = self.text.iter().map(String::as_str).collect();
        if !said.is_empty() {
            let lines = columns::join(&said, " · ", width);
            rows.extend(
                lines
                    .iter()
                    .map(|line| row(vec![run(line, Style::of(Kind::Caption))])),
            );
        }
        rows.push(Row::default());
        rows
    }
}

/// What is said of an article that was fetched from its page.
pub fn full_text(url: &str) -> Vec<String> {
    vec![
        format!("extracted from the page at {}", say::address(url)),
        "w shows the feed's own text".to_owned(),
    ]
}

/// What is said of the changes of an edit.
pub fn changes(before: &str, now: &str, none: bool) -> Vec<String> {
    let mut parts = Vec::new();
    if before != now {
        parts.push(format!("the title was “{before}”"));
    }
    parts.push(if none {
        "the words of the text are as they were".to_owned()
    } else {
        "[struck] words went, underlined ones came".to_owned()
    });
    parts.push("d leads back".to_owned());
    parts
}

/// Enclosures and the page of comments, each with its URL.
pub fn attachments(enclosures: &[Enclosure], comments: Option<&str>) -> Vec<(String, String)> {
    let enclosures = enclosures
        .iter()
        .map(|enclosure| (enclosure_text(enclosure), enclosure.url.clone()));
    let comments = comments.map(|url| ("comments".to_owned(), url.to_owned()));
    enclosures.chain(comments).collect()
}

/// Lists what is attached, numbered on from the links of the text.
pub fn attach(
    lines: &[(String, String)],
    rows: &mut Vec<Row>,
    targets: &mut Vec<Target>,
    width: usize,
) {
    if !lines.is_empty() {
        rows.push(Row::default());
    }
    for (text, url) in lines {
        let number = targets.len() as u32 + 1;
        let label = format!("[{number}]");
        let left = width.saturating_sub(columns::width(&label) + 1);
        let text = format!("{text}  {}", say::address(url));
        let style = Style {
            link: Some(number),
            ..Style::of(Kind::Reference)
        };
        let mark = Style {
            kind: Kind::Number,
            ..style
        };
        rows.push(row(vec![
            run(&columns::cut(&label, width), mark),
            run(if left > 0 { " " } else { "" }, Style::default()),
            run(&columns::cut(&text, left), style),
        ]));
        targets.push(Target {
            number,
            url: url.clone(),
        });
    }
}

fn note(text: &str) -> Row {
    row(vec![run(text, Style::of(Kind::Note))])
}

fn row(runs: Vec<Run>) -> Row {
    Row {
        runs,
        ..Row::default()
    }
}

fn run(text: &str, style: Style) -> Run {
    Run {
        text: text.to_owned(),
        style,
    }
}

/// `audio/mpeg · 34 MB · 52 m`.
fn enclosure_text(enclosure: &Enclosure) -> String {
    let kind = match enclosure.media_type.as_str() {
        "" => "attachment",
        kind => kind,
    };
    let mut parts = vec![kind.to_owned()];
    parts.extend(enclosure.length.filter(|n| *n > 0).map(say::bytes));
    parts.extend(
        enclosure
            .duration
            .filter(|n| *n > 0)
            .map(|n| say::span(n as i64)),
    );
    parts.join(" · ")
}
