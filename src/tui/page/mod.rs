//! An opened entry: its head and text laid out for a width, and the place in it.

mod head;

use crate::article::{self, Document, Row};
use crate::model::{Entry, EntryBody, EntryHead, Former, FullText, Kept};
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

/// The texts that an entry can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Text {
    /// What the feed brought.
    #[default]
    Feed,
    /// The article of its own page.
    Full,
    /// What the last edit changed.
    Changes,
}

/// An entry on the screen.
#[derive(Debug, Clone, PartialEq)]
pub struct Article {
    /// Its line in the list.
    pub head: EntryHead,
    /// The feed it came from.
    pub feed: String,
    /// Other feeds that tell it.
    pub also: Vec<String>,
    /// The rows of the whole page.
    pub rows: Vec<Row>,
    /// The links of the text, then what is attached.
    pub targets: Vec<Target>,
    /// First row on the screen.
    pub top: usize,
    /// The text that is shown.
    document: Document,
    /// Which that is.
    shown: Text,
    /// What the feed brought.
    body: EntryBody,
    /// The article of its page, where that was fetched.
    full: Option<FullText>,
    /// What it said before it was edited.
    former: Option<Former>,
    /// The place that the store knows.
    stored: u32,
    /// A place to go to as soon as the page is laid out.
    going: Option<usize>,
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
    /// An entry that was just opened, not laid out yet, at the place where reading stopped the last time.
    pub fn new(entry: Entry, kept: Kept, feed: String) -> Self {
        let document = article::document(&entry.body);
        Self {
            minutes: article::minutes(&document),
            document,
            shown: Text::Feed,
            named_by_text: !entry.head.title.is_empty()
                && entry.head.title == parse::beginning(&entry.body),
            head: entry.head,
            body: entry.body,
            full: kept.full,
            former: kept.former,
            stored: kept.place,
            going: Some(kept.place as usize).filter(|place| *place > 0),
            feed,
            also: Vec::new(),
            rows: Vec::new(),
            targets: Vec::new(),
            top: 0,
            width: 0,
            titled: false,
            head_rows: 0,
            text_at: Vec::new(),
        }
    }

    /// Which text is shown.
    pub const fn shown(&self) -> Text {
        self.shown
    }

    /// The article of its page is at hand.
    pub const fn has_full(&self) -> bool {
        self.full.is_some()
    }

    /// The article of its page came.
    pub fn full_came(&mut self, full: FullText) {
        self.full = Some(full);
        self.show(Text::Full);
    }

    /// Shows another of its texts, from the top. False where there is none.
    pub fn show(&mut self, text: Text) -> bool {
        let document = match text {
            Text::Feed => article::document(&self.body),
            Text::Full => match &self.full {
                Some(full) => article::document(&self.full_body(full)),
                None => return false,
            },
            Text::Changes => match &self.former {
                Some(former) => {
                    let before = article::document(&former.body);
                    article::changes(&before, &article::document(&self.body))
                }
                None => return false,
            },
        };
        self.minutes = match text {
            Text::Changes => 0,
            Text::Feed | Text::Full => article::minutes(&document),
        };
        self.document = document;
        self.shown = text;
        (self.top, self.width, self.going) = (0, 0, None);
        true
    }

    /// As a body of its own; the picture that stands for the entry is the feed's.
    fn full_body(&self, full: &FullText) -> EntryBody {
        EntryBody {
            text: full.text.clone(),
            base: Some(full.url.as_str().into()),
            image: self.body.image.clone(),
            ..EntryBody::default()
        }
    }

    /// Where reading stopped, for the store: the text's own first row on the screen, in bytes of the text. `None` where the
    /// store knows it, or where another text than the feed's is shown.
    pub fn place(&self, height: usize) -> Option<u32> {
        if self.shown != Text::Feed || self.width == 0 {
            return None;
        }
        let read = self.at_end(height) || self.top <= self.head_rows;
        let place = if read {
            0
        } else {
            let row = self.top - self.head_rows;
            self.text_at.get(row).copied().unwrap_or(0) as u32
        };
        (place != self.stored).then_some(place)
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
        let place = self.going.take().or(place);
        let titled_above = titled || self.named_by_text;
        let mut rows = self.heading(titled_above).rows(usize::from(width), zone);
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
        let attached = head::attachments(&self.head.enclosures, self.body.comments.as_deref());
        head::attach(&attached, &mut rows, &mut self.targets, usize::from(width));
        self.rows = rows;
        (self.width, self.titled) = (width, titled);
    }

    fn heading(&self, titled: bool) -> Head<'_> {
        Head {
            entry: &self.head,
            feed: &self.feed,
            also: &self.also,
            categories: &self.body.categories,
            minutes: self.minutes,
            titled,
            text: match (self.shown, &self.full, &self.former) {
                (Text::Full, Some(full), _) => head::full_text(&full.url),
                (Text::Changes, _, Some(former)) => {
                    head::changes(&former.title, &self.head.title, self.document.is_empty())
                }
                _ => Vec::new(),
            },
        }
    }

    /// All of it as plain text, for a file or another program.
    pub fn plain(&self, width: u16, zone: Zone) -> String {
        let mut head = self.heading(false);
        // A key means nothing in a file.
        head.text.pop();
        let mut text = String::from("# ");
        for row in head.rows(usize::from(width), zone) {
            text.push_str(&row.text());
            text.push('\n');
        }
        text.push_str(&article::plain(&self.document, width));
        for (what, url) in head::attachments(&self.head.enclosures, self.body.comments.as_deref()) {
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
