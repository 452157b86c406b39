//! The key table: which key does what where. Actions are rows of data; nothing here acts.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::config::{self, KeyName, KeyRow, KeyText, TableError};

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
    UnreadOnly,
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
    AdoptMove,
    UndoMove,
    Command,
    Theme,
    Messages,
    Help,
    Back,
    Redraw,
    Suspend,
    Quit,
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
    ("unread-only", Action::UnreadOnly),
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
    ("adopt-move", Action::AdoptMove),
    ("undo-move", Action::UndoMove),
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

/// A key as the table writes it. Shift is part of the character, or of `S-Tab`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// The key itself.
    pub code: KeyCode,
    /// Control was held.
    pub control: bool,
    /// Alt was held.
    pub alt: bool,
}

const SPECIAL: &[(&str, KeyCode)] = &[
    ("Enter", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("S-Tab", KeyCode::BackTab),
    ("Tab", KeyCode::Tab),
    ("Space", KeyCode::Char(' ')),
    ("Backspace", KeyCode::Backspace),
    ("Delete", KeyCode::Delete),
    ("Insert", KeyCode::Insert),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PageUp", KeyCode::PageUp),
    ("PageDown", KeyCode::PageDown),
];

impl Key {
    /// A plain key.
    pub const fn plain(code: KeyCode) -> Self {
        Self {
            code,
            control: false,
            alt: false,
        }
    }

    /// What the terminal reported, Shift folded into the key.
    pub fn of(event: &KeyEvent) -> Self {
        let code = match event.code {
            KeyCode::Tab if event.modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
            code => code,
        };
        Self {
            code,
            control: event.modifiers.contains(KeyModifiers::CONTROL),
            // Escape twice in a breath arrives as Alt-Escape.
            alt: event.modifiers.contains(KeyModifiers::ALT) && code != KeyCode::Esc,
        }
    }

    /// Reads what `Display` writes: `j`, `G`, `^d`, `C-d`, `A-x`, `Space`, `F5`.
    pub fn parse(text: &str) -> Option<Self> {
        let KeyText { control, alt, name } = KeyText::parse(text)?;
        let code = match name {
            KeyName::Char(c) => KeyCode::Char(c),
            KeyName::F(number) => KeyCode::F(number),
            KeyName::Named(name) => SPECIAL
                .iter()
                .find_map(|(known, code)| (*known == name).then_some(*code))?,
        };
        Some(Self { code, control, alt })
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.alt {
            f.write_str("A-")?;
        }
        if self.control {
            f.write_str("^")?;
        }
        if let Some((name, _)) = SPECIAL.iter().find(|(_, code)| *code == self.code) {
            return f.write_str(name);
        }
        match self.code {
            KeyCode::Char(c) => write!(f, "{c}"),
            KeyCode::F(number) => write!(f, "F{number}"),
            _ => f.write_str("?"),
        }
    }
}

/// A line of the help: an action, its keys and what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The action.
    pub action: Action,
    /// Its name, also its command.
    pub name: String,
    /// Its keys.
    pub keys: Vec<Key>,
    /// What it does.
    pub help: String,
    /// The heading it stands under.
    pub group: String,
    /// Where it holds; empty for everywhere.
    pub places: Vec<Place>,
}

impl Binding {
    /// Its keys as the help shows them: `j Down`.
    pub fn keys_text(&self) -> String {
        let keys: Vec<String> = self.keys.iter().map(Key::to_string).collect();
        keys.join(" ")
    }

    fn holds_in(&self, place: Place) -> bool {
        self.places.is_empty() || self.places.contains(&place)
    }
}

/// Why the keys cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeysError {
    /// The table itself.
    #[error(transparent)]
    Table(#[from] TableError),
    /// No such action.
    #[error("[keys]: there is no action `{name}`")]
    Action {
        /// As written.
        name: String,
    },
    /// No such key.
    #[error("[keys]: `{key}` of `{name}` is no key")]
    Key {
        /// The action.
        name: String,
        /// As written.
        key: String,
    },
    /// No such place; only the built-in table names places.
    #[error("there is no place `{0}`")]
    Place(String),
}

/// All bindings, the user's laid over the built-in ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    bindings: Vec<Binding>,
}

impl Keymap {
    /// The built-in table with `overrides` (action, keys) over it. A key given to an action is taken from
    /// every other action in the places they share.
    pub fn new(overrides: &[(String, Vec<String>)]) -> Result<Self, KeysError> {
        let rows = config::key_table()?;
        let mut bindings = rows
            .into_iter()
            .map(binding)
            .collect::<Result<Vec<_>, _>>()?;
        for (name, texts) in overrides {
            let keys = texts
                .iter()
                .map(|text| parse_key(name, text))
                .collect::<Result<Vec<_>, _>>()?;
            let Some(at) = bindings.iter().position(|b| b.name == *name) else {
                return Err(KeysError::Action { name: name.clone() });
            };
            let places = bindings[at].places.clone();
            for other in &mut bindings {
                if overlap(&other.places, &places) {
                    other.keys.retain(|key| !keys.contains(key));
                }
            }
            bindings[at].keys = keys;
        }
        Ok(Self { bindings })
    }

    /// What `key` does in `place`. A row that names the place wins over one that holds everywhere.
    pub fn action(&self, place: Place, key: Key) -> Option<Action> {
        let mut found = self
            .bindings
            .iter()
            .filter(|b| b.holds_in(place) && b.keys.contains(&key));
        let first = found.next()?;
        let second = found.find(|b| !b.places.is_empty());
        Some(
            second
                .filter(|_| first.places.is_empty())
                .unwrap_or(first)
                .action,
        )
    }

    /// Every binding, in the table's order.
    pub fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// The first key of an action, for a hint.
    pub fn hint(&self, action: Action) -> Option<Key> {
        let binding = self.bindings.iter().find(|b| b.action == action)?;
        binding.keys.first().copied()
    }
}

fn binding(row: KeyRow) -> Result<Binding, KeysError> {
    let Some(action) = Action::named(&row.name) else {
        return Err(KeysError::Action { name: row.name });
    };
    let keys = row
        .keys
        .iter()
        .map(|text| parse_key(&row.name, text))
        .collect::<Result<_, _>>()?;
    let places = row
        .places
        .iter()
        .map(|name| {
            PLACES
                .iter()
                .find_map(|(known, place)| (known == name).then_some(*place))
                .ok_or_else(|| KeysError::Place(name.clone()))
        })
        .collect::<Result<_, _>>()?;
    Ok(Binding {
        action,
        name: row.name,
        keys,
        help: row.help,
        group: row.group,
        places,
    })
}

fn parse_key(name: &str, text: &str) -> Result<Key, KeysError> {
    Key::parse(text).ok_or_else(|| KeysError::Key {
        name: name.to_owned(),
        key: text.to_owned(),
    })
}

fn overlap(one: &[Place], other: &[Place]) -> bool {
    one.is_empty() || other.is_empty() || one.iter().any(|place| other.contains(place))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn built_in() -> Keymap {
        Keymap::new(&[]).expect("the built-in table is readable")
    }

    fn key(text: &str) -> Key {
        Key::parse(text).expect("a key")
    }

    #[test]
    fn the_table_names_every_action_once() {
        let keymap = built_in();
        let table: HashSet<Action> = keymap.bindings().iter().map(|b| b.action).collect();
        let names: HashSet<Action> = NAMES.iter().map(|(_, action)| *action).collect();
        assert_eq!(table, names);
        assert_eq!(keymap.bindings().len(), NAMES.len());
    }

    #[test]
    fn no_key_means_two_things_in_one_place() {
        let keymap = built_in();
        for (_, place) in PLACES {
            let mut seen = HashSet::new();
            for binding in keymap.bindings().iter().filter(|b| b.holds_in(*place)) {
                for key in &binding.keys {
                    assert!(seen.insert(*key), "{key} in {place:?}");
                }
            }
        }
    }

    #[test]
    fn a_key_is_read_as_it_is_written() {
        for text in [
            "j", "G", "^d", "Space", "Enter", "S-Tab", "F5", "A-x", "*", "^", "?",
        ] {
            assert_eq!(key(text).to_string(), text);
        }
        assert_eq!(key("C-d"), key("^d"));
        assert_eq!(key("space"), key("Space"));
        for text in ["", "jj", "F13", "Meta", "\u{1b}"] {
            assert_eq!(Key::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_users_key_is_taken_from_whoever_had_it() {
        let over = [("browser".to_owned(), vec!["m".to_owned()])];
        let keymap = Keymap::new(&over).expect("usable");
        assert_eq!(
            keymap.action(Place::Entries, key("m")),
            Some(Action::Browser)
        );
        assert_eq!(keymap.action(Place::Entries, key("o")), None);
    }

    #[test]
    fn what_is_no_action_and_no_key_is_refused() {
        for (name, key) in [("brwoser", "m"), ("browser", "Hyper")] {
            let over = [(name.to_owned(), vec![key.to_owned()])];
            assert!(Keymap::new(&over).is_err());
        }
    }

    #[test]
    fn every_name_of_a_key_is_a_key_of_the_terminal() {
        for (name, code) in SPECIAL {
            assert_eq!(key(name).code, *code);
        }
    }
}
