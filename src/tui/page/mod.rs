//! An opened entry: its head and text laid out for a width, and the place in it.

mod head;

use crate::article::{self, Document, Row};
use crate::model::{Entry, EntryHead};
use crate::parse;

use super::say::Zone;
use head::Head;

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
    /// Categories as the feed names them.
    categories: Vec<String>,
    /// What reading takes.
    minutes: usize,
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
        let document = article::document(&entry.body);
        Self {
            minutes: article::minutes(&document),
            document,
            named_by_text: !entry.head.title.is_empty()
                && entry.head.title == parse::beginning(&entry.body),
            comments: entry.body.comments,
            categories: entry.body.categories,
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
        let head = Head {
            entry: &self.head,
            feed: &self.feed,
            categories: &self.categories,
            minutes: self.minutes,
            titled: titled_above,
        };
        let mut rows = head.rows(usize::from(width), zone);
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
        let attached = head::attachments(&self.head.enclosures, self.comments.as_deref());
        head::attach(&attached, &mut rows, &mut self.targets, usize::from(width));
        self.rows = rows;
        (self.width, self.titled) = (width, titled);
    }

    /// All of it as plain text, for a file or another program.
    pub fn plain(&self, width: u16, zone: Zone) -> String {
        let head = Head {
            entry: &self.head,
            feed: &self.feed,
            categories: &self.categories,
            minutes: self.minutes,
            titled: false,
        };
        let mut text = String::from("# ");
        for row in head.rows(usize::from(width), zone) {
            text.push_str(&row.text());
            text.push('\n');
        }
        text.push_str(&article::plain(&self.document, width));
        for (what, url) in head::attachments(&self.head.enclosures, self.comments.as_deref()) {
            for part in ["\n", &what, "  ", &url, "\n"] {
                text.push_str(part);
            }
        }
        text
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
        let at = (number as usize).checked_sub(1)?;
        self.targets.get(at).map(|target| target.url.as_str())
    }
}
