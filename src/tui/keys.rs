//! The key table: which key does what where. Actions are rows of data; nothing here acts.

mod map;
mod press;
#[cfg(test)]
mod tests;

pub use map::{Binding, Keymap, KeysError, Meaning};
pub use press::{Key, Keys, shown};

/// What a key can do. What it means in detail is decided by the pane that has the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(
    missing_docs,
    reason = "the table in assets/keys.toml says what each does"
)]
pub enum Action {
    Down,
    Up,
    HalfPageDown,
    HalfPageUp,
    PageDown,
    PageUp,
    First,
    Last,
    Left,
    Right,
    NextPane,
    PreviousPane,
    Open,
    Advance,
    NextUnread,
    PreviousUnread,
    NextEntry,
    PreviousEntry,
    Links,
    Browser,
    Copy,
    Play,
    Editor,
    Pipe,
    FullText,
    FullTextAgain,
    Changes,
    Zen,
    ToggleRead,
    Star,
    MarkAllRead,
    MarkAboveRead,
    MarkBelowRead,
    Tag,
    Mute,
    Retag,
    Unsubscribe,
    Undo,
    Redo,
    Twins,
    UnreadOnly,
    Group,
    Sort,
    Search,
    Jump,
    Fold,
    FoldAll,
    Refresh,
    RefreshAll,
    Add,
    Status,
    Invert,
    Ledger,
    Entries,
    Lift,
    Enable,
    FetchWhole,
    /// Older pages of the feed.
    Older,
    AdoptMove,
    UndoMove,
    Share,
    Command,
    Theme,
    Messages,
    Help,
    Back,
    Redraw,
    Suspend,
    Quit,
    /// The macro of that number in `config.toml`.
    Macro(usize),
    /// The command of that number in `config.toml`.
    External(usize),
    /// The share target of that number in `config.toml`.
    ShareTo(usize),
}

/// The names under which the table and the command line know the actions.
const NAMES: &[(&str, Action)] = &[
    ("down", Action::Down),
    ("up", Action::Up),
    ("half-page-down", Action::HalfPageDown),
    ("half-page-up", Action::HalfPageUp),
    ("page-down", Action::PageDown),
    ("page-up", Action::PageUp),
    ("first", Action::First),
    ("last", Action::Last),
    ("left", Action::Left),
    ("right", Action::Right),
    ("next-pane", Action::NextPane),
    ("previous-pane", Action::PreviousPane),
    ("open", Action::Open),
    ("advance", Action::Advance),
    ("next-unread", Action::NextUnread),
    ("previous-unread", Action::PreviousUnread),
    ("next-entry", Action::NextEntry),
    ("previous-entry", Action::PreviousEntry),
    ("links", Action::Links),
    ("browser", Action::Browser),
    ("copy", Action::Copy),
    ("play", Action::Play),
    ("editor", Action::Editor),
    ("pipe", Action::Pipe),
    ("full-text", Action::FullText),
    ("full-text-again", Action::FullTextAgain),
    ("changes", Action::Changes),
    ("zen", Action::Zen),
    ("toggle-read", Action::ToggleRead),
    ("star", Action::Star),
    ("mark-all-read", Action::MarkAllRead),
    ("mark-above-read", Action::MarkAboveRead),
    ("mark-below-read", Action::MarkBelowRead),
    ("tag", Action::Tag),
    ("mute", Action::Mute),
    ("retag", Action::Retag),
    ("unsubscribe", Action::Unsubscribe),
    ("undo", Action::Undo),
    ("redo", Action::Redo),
    ("twins", Action::Twins),
    ("unread-only", Action::UnreadOnly),
    ("group", Action::Group),
    ("sort", Action::Sort),
    ("search", Action::Search),
    ("jump", Action::Jump),
    ("fold", Action::Fold),
    ("fold-all", Action::FoldAll),
    ("refresh", Action::Refresh),
    ("refresh-all", Action::RefreshAll),
    ("add", Action::Add),
    ("status", Action::Status),
    ("invert", Action::Invert),
    ("ledger", Action::Ledger),
    ("entries", Action::Entries),
    ("lift", Action::Lift),
    ("enable", Action::Enable),
    ("fetch-whole", Action::FetchWhole),
    ("older", Action::Older),
    ("adopt-move", Action::AdoptMove),
    ("undo-move", Action::UndoMove),
    ("share", Action::Share),
    ("command", Action::Command),
    ("theme", Action::Theme),
    ("messages", Action::Messages),
    ("help", Action::Help),
    ("back", Action::Back),
    ("redraw", Action::Redraw),
    ("suspend", Action::Suspend),
    ("quit", Action::Quit),
];

impl Action {
    /// The action of that name.
    pub fn named(name: &str) -> Option<Self> {
        NAMES
            .iter()
            .find_map(|(known, action)| (*known == name).then_some(*action))
    }
}

/// Where a key was pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// The feed pane.
    Feeds,
    /// The entry list.
    Entries,
    /// The article.
    Article,
    /// The status pane and the ledger.
    Status,
    /// A page of text: help, messages.
    Text,
}

const PLACES: &[(&str, Place)] = &[
    ("feeds", Place::Feeds),
    ("entries", Place::Entries),
    ("article", Place::Article),
    ("status", Place::Status),
    ("text", Place::Text),
];
