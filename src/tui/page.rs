//! An opened entry: its head and text laid out for a width, and the place in it.

use crate::article::{self, Document, Kind, Row, Run, Style};
use crate::model::{Enclosure, Entry, EntryHead};
use crate::parse;

use super::columns;
use super::say::{self, Zone};

/// Links a `f` hint can name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Its number, as the article shows it.
    pub number: u32,
    /// Where it goes.
    pub url: String,
}

/// An entry on the screen.
#[derive(Debug, Clone, PartialEq)]
pub struct Article {
    /// Its line in the list.
    pub head: EntryHead,
    /// The feed it came from.
    pub feed: String,
    /// The rows of the whole page.
    pub rows: Vec<Row>,
    /// The links of the text, then what is attached.
    pub targets: Vec<Target>,
    /// First row on the screen.
    pub top: usize,
    document: Document,
    comments: Option<String>,
    /// The title is the beginning of the text: nobody reads it twice.
    named_by_text: bool,
    width: u16,
    titled: bool,
    /// Rows of title, feed and link, above the text.
    head_rows: usize,
    /// Where in the text each of its rows begins: the same at every width.
    text_at: Vec<usize>,
}

impl Article {
    /// An entry that was just opened, not laid out yet.
    pub fn new(entry: Entry, feed: String) -> Self {
        Self {
            document: article::document(&entry.body),
            named_by_text: !entry.head.title.is_empty()
                && entry.head.title == parse::beginning(&entry.body),
            comments: entry.body.comments,
            head: entry.head,
            feed,
            rows: Vec::new(),
            targets: Vec::new(),
            top: 0,
            width: 0,
            titled: false,
            head_rows: 0,
            text_at: Vec::new(),
        }
    }

    /// Lays the page out where the width is another. The first line on the screen stays there.
    /// `titled`: the frame shows the title in full already.
    pub fn lay_out(&mut self, width: u16, titled: bool, zone: Zone) {
        if (width, titled) == (self.width, self.titled) || width == 0 {
            return;
        }
        let page = article::layout(&self.document, width);
        let place = self.top.checked_sub(self.head_rows);
        let place = place.and_then(|at| self.text_at.get(at)).copied();
        let titled_above = titled || self.named_by_text;
        let mut rows = heading(
            &self.head,
            &self.feed,
            titled_above,
            usize::from(width),
            zone,
        );
        let links = page.links.iter().enumerate().map(|(at, link)| Target {
            number: at as u32 + 1,
            url: link.url.clone(),
        });
        self.targets = links.collect();
        self.head_rows = rows.len();
        if let Some(at) = place {
            self.top = self.head_rows + page.row_of(at);
        }
        self.text_at = page.rows.iter().map(|row| row.at).collect();
        rows.extend(page.rows);
        self.attach(&mut rows, usize::from(width));
        self.rows = rows;
        (self.width, self.titled) = (width, titled);
    }

    /// What is attached, and the page of comments, numbered on from the links of the text.
    fn attach(&mut self, rows: &mut Vec<Row>, width: usize) {
        let mut lines = Vec::new();
        for enclosure in &self.head.enclosures {
            lines.push((enclosure_text(enclosure), enclosure.url.clone()));
        }
        if let Some(url) = &self.comments {
            lines.push(("comments".to_owned(), url.clone()));
        }
        if !lines.is_empty() {
            rows.push(Row::default());
        }
        for (text, url) in lines {
            let number = self.targets.len() as u32 + 1;
            let label = format!("[{number}]");
            let left = width.saturating_sub(columns::width(&label) + 1);
            let text = format!("{text}  {}", say::address(&url));
            let style = Style {
                link: Some(number),
                ..Style::of(Kind::Reference)
            };
            rows.push(row(vec![
                run(
                    &columns::cut(&label, width),
                    Style {
                        kind: Kind::Number,
                        ..style
                    },
                ),
                run(if left > 0 { " " } else { "" }, Style::default()),
                run(&columns::cut(&text, left), style),
            ]));
            self.targets.push(Target { number, url });
        }
    }

    /// Moves the text by `rows` on a screen of `height`; false when it did not move.
    pub fn scroll(&mut self, rows: isize, height: usize) -> bool {
        let was = self.top;
        let last = self.rows.len().saturating_sub(height.max(1));
        self.top = self.top.saturating_add_signed(rows).min(last);
        self.top != was
    }

    /// The last row is on a screen of `height`.
    pub fn at_end(&self, height: usize) -> bool {
        self.top + height >= self.rows.len()
    }

    /// How far down the text is, in whole percent; `None` when all of it is on the screen.
    pub fn percent(&self, height: usize) -> Option<usize> {
        let hidden = self.rows.len().saturating_sub(height);
        (hidden > 0).then(|| self.top.min(hidden) * 100 / hidden)
    }

    /// The URL behind a number.
    pub fn target(&self, number: u32) -> Option<&str> {
        self.targets
            .iter()
            .find(|target| target.number == number)
            .map(|target| target.url.as_str())
    }
}

/// Title, then feed, author and date, then the link.
fn heading(head: &EntryHead, feed: &str, titled: bool, width: usize, zone: Zone) -> Vec<Row> {
    let title = if head.title.is_empty() {
        "(no title)"
    } else {
        head.title.as_str()
    };
    let lines = if titled { 0 } else { 6 };
    let mut rows: Vec<Row> = columns::fold(title, width, lines)
        .iter()
        .map(|line| row(vec![run(line, Style::of(Kind::Heading(1)))]))
        .collect();
    let date = say::date(head.published.unwrap_or(head.sort), zone);
    let edited = if head.edited { "edited since" } else { "" };
    for line in columns::join(&[feed, &head.author, &date, edited], " · ", width) {
        rows.push(row(vec![run(&line, Style::of(Kind::Note))]));
    }
    if let Some(link) = &head.link {
        let text = columns::cut(link, width);
        rows.push(row(vec![run(&text, Style::of(Kind::Reference))]));
    }
    rows.push(Row::default());
    rows
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
