//! What the reader knows: plain data. `update` changes it, the views look at it.

mod said;

use std::collections::{HashMap, VecDeque};

use ratatui::layout::Rect;

use crate::engine::protocol::{Command, Preview, Ticket};
use crate::model::{EntryHead, EntryId, FeedId, Group, ListSpec, Order, Timestamp, UiSettings};
use crate::parse::Candidate;

use super::jump::Jump;
use super::keys::{Action, Keymap, KeysError, Place};
use super::list::EntryList;
use super::marks::Marks;
use super::page::Article;
use super::panes::{Pane, Panes, arrange, inside};
use super::progress::Progress;
pub use super::prompt::{Help, Prompt, Topic, Typed, Visit};
use super::say::Zone;
use super::smart::Questions;
use super::status::StatusPane;
use super::tagging::Tagging;
use super::tending::Tending;
use super::theme::{Theme, ThemeError, Themes};
use super::tree::FeedPane;
pub use said::Message;

/// Lines of the list of entries from which on days have headings there.
const LEAST_FOR_DAYS: u16 = 6;

/// Everything.
#[derive(Debug, Clone)]
pub struct Model {
    /// The time of the last message.
    pub now: Timestamp,
    /// Moments as the person at the screen sees them.
    pub zone: Zone,
    /// Where the list of feeds is, for the welcome.
    pub list: String,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// Measure, mouse, browser.
    pub settings: UiSettings,
    /// What keys do.
    pub keymap: Keymap,
    /// What stands in the user's files now cannot be used, and what was in force stays.
    pub unusable: bool,
    /// The themes there are.
    pub themes: Themes,
    /// The one in use.
    pub theme: Theme,
    /// What fills the screen.
    pub screen: Screen,
    /// What lies over it and has the keyboard.
    pub overlay: Overlay,
    /// The pane with the keyboard in the reader.
    pub focus: Pane,
    /// The article has the screen alone.
    pub zen: bool,
    /// The feeds.
    pub feeds: FeedPane,
    /// The entries of what is chosen in `feeds`.
    pub entries: EntryList,
    /// Only unread entries are listed.
    pub unread_only: bool,
    /// The order of lists.
    pub order: Order,
    /// What parts their rows.
    pub group: Group,
    /// The opened entry.
    pub article: Option<Article>,
    /// An entry on its way.
    pub opening: Option<(Ticket, EntryId)>,
    /// What was pressed for the entry on its way: done when it is there.
    pub then: Vec<Action>,
    /// A page that is being fetched for its article.
    pub fetching: Option<(Ticket, EntryId)>,
    /// Feeds whose older pages are being fetched.
    pub older: Vec<(Ticket, FeedId)>,
    /// Where reading stopped in this session, before the store knows it.
    pub places: HashMap<EntryId, u32>,
    /// An unread entry that is being looked for, and whether it is to be opened.
    pub finding: Option<(Ticket, bool)>,
    /// The status pane.
    pub status: StatusPane,
    /// Polls under way.
    pub progress: Progress,
    /// What the bottom line says until a key is pressed.
    pub message: Option<Message>,
    /// What it said before, oldest first.
    pub log: VecDeque<Message>,
    /// The command that an article was handed to last.
    pub piped: String,
    /// Lines typed at `:`, oldest first, those of earlier sessions too.
    pub history: Vec<String>,
    /// Whether somebody has opened the reader here before.
    pub visit: Visit,
    /// Keys that are typed: a count, and the beginning of keys that belong together.
    pub typed: Typed,
    /// Steps of a macro that are still to be done.
    pub doing: VecDeque<String>,
    /// Steps of macros that were done since the last key.
    pub done: usize,
    /// An entry that is fetched for the command of that number in `config.toml`.
    pub handing: Option<(Ticket, usize)>,
    /// Marks that rows may be older than.
    pub marks: Marks,
    /// Marks whose answer is to be told: the ticket, and what was done.
    pub telling: Vec<(Ticket, Telling)>,
    /// What is asked about lists and rules of the user's own.
    pub questions: Questions,
    /// Tags of the user's own that entries have, as far as they were asked for.
    pub own_tags: Vec<String>,
    /// A feed to go to as soon as it is in the list.
    pub going_to: Option<FeedId>,
    tickets: u64,
}

/// What fills the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Screen {
    /// Feeds, entries, article.
    #[default]
    Reader,
    /// The status pane, or the ledger over it.
    Status,
}

/// What lies over the screen.
#[derive(Debug, Clone, Default)]
pub enum Overlay {
    /// Nothing.
    #[default]
    None,
    /// The help.
    Help(Help),
    /// Earlier messages.
    Messages(Help),
    /// A query is being typed; the one before it.
    Search(Prompt, String),
    /// A filter of a table is being typed; the one before it.
    Filter(Prompt, String),
    /// A command is being typed.
    Command(Prompt),
    /// A feed is being gone to.
    Jump(Jump),
    /// The feeds that tell a story.
    Twins(Twins),
    /// A command for the article is being typed.
    Pipe(Prompt),
    /// Tags of a feed, or the name of a tag, are being typed.
    Tend(Box<Tending>),
    /// A tag for an entry is being typed.
    Tag(Box<Tagging>),
    /// The number of a link is being typed.
    Links(Hint),
    /// A feed is being added.
    Add(AddDialog),
    /// A question to be answered with y or n, and what y does.
    Confirm(String, Command),
}

impl Overlay {
    /// First line shown of a page of text.
    pub const fn top(&mut self) -> Option<&mut usize> {
        match self {
            Self::Help(page) | Self::Messages(page) => Some(&mut page.top),
            _ => None,
        }
    }

    /// The page of text that lies over the screen.
    pub const fn page(&mut self) -> Option<&mut Help> {
        match self {
            Self::Help(page) | Self::Messages(page) => Some(page),
            _ => None,
        }
    }
}

/// The number of a link, as far as it is typed, and what is to be done with that link.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hint {
    /// The digits.
    pub typed: String,
    /// What is done.
    pub act: LinkAct,
}

/// What is done with a link of an article.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinkAct {
    /// It is opened in the browser.
    #[default]
    Open,
    /// It is put on the clipboard.
    Copy,
    /// The feed there is added.
    Add,
    /// It is played.
    Play,
}

/// The feeds that tell a story.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Twins {
    /// Its entries, the one of the list first.
    pub heads: Vec<EntryHead>,
    /// The row of the cursor.
    pub at: usize,
}

/// The dialog that adds a feed.
#[derive(Debug, Clone, Default)]
pub struct AddDialog {
    /// The address.
    pub prompt: Prompt,
    /// Where it stands.
    pub step: AddStep,
}

/// Where adding a feed stands.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum AddStep {
    /// The address is being typed.
    #[default]
    Typing,
    /// It is being asked.
    Asking(Ticket),
    /// A feed answered: is it to be subscribed?
    Seen {
        /// What it is.
        preview: Box<Preview>,
        /// The ticket that its answer is kept under.
        of: Ticket,
    },
    /// The page has several feeds.
    Choosing {
        /// They, and whether each is taken.
        candidates: Vec<(Candidate, bool)>,
        /// The cursor.
        at: usize,
    },
}

/// What is said when marks were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Telling {
    /// All that was shown, or a part of it, was marked read.
    AllRead,
    /// Marks were taken back.
    Undone,
    /// They were made again.
    Redone,
    /// A tag was set, or taken away.
    Tagged(bool),
}

/// What a `Model` starts from.
#[derive(Debug, Clone)]
pub struct Start {
    /// The time.
    pub now: Timestamp,
    /// The zone of whoever looks.
    pub zone: Zone,
    /// Path of `feeds.toml`.
    pub list: String,
    /// Columns and rows.
    pub size: (u16, u16),
    /// `config.toml`.
    pub settings: UiSettings,
    /// The themes.
    pub themes: Themes,
    /// Whether somebody has opened the reader here before.
    pub visit: Visit,
    /// Lines typed at `:` in earlier sessions, oldest first.
    pub history: Vec<String>,
}

/// Why the reader cannot start: the user's keys or theme.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookError {
    /// `[keys]`.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// `theme`.
    #[error("theme: {0}")]
    Theme(#[from] ThemeError),
    /// A step of a `[[macro]]`.
    #[error("{message}")]
    Macro {
        /// Its line in `config.toml`.
        line: usize,
        /// What is wrong, and what would be right.
        message: String,
    },
}

impl Model {
    /// A reader that knows nothing yet.
    pub fn new(start: Start) -> Result<Self, LookError> {
        let keymap = Keymap::of(&start.settings)?;
        let theme = start.themes.get(&start.settings.theme.0)?;
        let feeds = FeedPane::with_smart(&start.settings.smart);
        Ok(Self {
            now: start.now,
            zone: start.zone,
            list: start.list,
            size: start.size,
            group: start.settings.group,
            settings: start.settings,
            keymap,
            unusable: false,
            themes: start.themes,
            theme,
            screen: Screen::default(),
            overlay: Overlay::default(),
            focus: Pane::default(),
            zen: false,
            feeds,
            entries: EntryList::default(),
            unread_only: false,
            order: Order::default(),
            article: None,
            opening: None,
            then: Vec::new(),
            fetching: None,
            older: Vec::new(),
            places: HashMap::new(),
            finding: None,
            status: StatusPane::default(),
            progress: Progress::default(),
            message: None,
            log: VecDeque::new(),
            piped: String::new(),
            history: start.history,
            visit: start.visit,
            typed: Typed::default(),
            doing: VecDeque::new(),
            done: 0,
            handing: None,
            marks: Marks::default(),
            telling: Vec::new(),
            questions: Questions::default(),
            own_tags: Vec::new(),
            going_to: None,
            tickets: 0,
        })
    }

    /// A ticket that was never used before.
    pub fn ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket(self.tickets)
    }

    /// The last ticket that was used.
    pub const fn last_ticket(&self) -> Ticket {
        Ticket(self.tickets)
    }

    /// Where the panes are.
    pub fn panes(&self) -> Panes {
        arrange(self.size, self.focus, self.article.is_some(), self.zen)
    }

    /// The article has the screen alone.
    pub fn is_zen(&self) -> bool {
        self.zen && self.article.is_some() && self.focus == Pane::Article
    }

    /// Where a key is pressed, for the key table.
    pub const fn place(&self) -> Place {
        match (&self.overlay, self.screen) {
            (Overlay::Help(_) | Overlay::Messages(_), _) => Place::Text,
            (_, Screen::Status) => Place::Status,
            (_, Screen::Reader) => match self.focus {
                Pane::Feeds => Place::Feeds,
                Pane::Entries => Place::Entries,
                Pane::Article => Place::Article,
            },
        }
    }

    /// The entry that a key means: the opened one where it has the keyboard, else the one under the cursor.
    pub fn subject(&self) -> Option<&EntryHead> {
        match (self.screen, self.focus) {
            (Screen::Status, _) | (Screen::Reader, Pane::Feeds) => None,
            (Screen::Reader, Pane::Article) => match self.opening {
                // Its text is on its way: keys mean it already, and not the article that is still shown.
                Some((_, id)) => self.entries.index(id).map(|at| &self.entries.heads[at]),
                None => self.article.as_ref().map(|article| &article.head),
            },
            (Screen::Reader, Pane::Entries) => self.entries.current(),
        }
    }

    /// The zone whose days have headings in the list of entries, where they have any: not in a pane so low that it would hold
    /// hardly more than they.
    pub fn days(&self, pane: Rect) -> Option<Zone> {
        let wanted = self.group == Group::Day && inside(pane).height >= LEAST_FOR_DAYS;
        wanted.then_some(self.zone)
    }

    /// The list that the choices made so far mean.
    pub fn spec(&self, query: String) -> ListSpec {
        ListSpec {
            scope: self.feeds.scope(),
            unread_only: self.unread_only,
            query,
            within: self.feeds.within(),
            order: self.order,
            muted: self.feeds.muted(),
            fold_twins: self.settings.fold_twins,
        }
    }
}
