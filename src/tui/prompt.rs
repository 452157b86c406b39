//! What is being typed, and what helps with it: a line, a count before keys, the help, the welcome. Plain data.

use tui_input::Input;

use super::keys::Key;

/// A line that is being typed.
#[derive(Debug, Clone, Default)]
pub struct Prompt {
    /// The text and the cursor in it.
    pub input: Input,
    /// What is wrong with it so far.
    pub problem: Option<String>,
    /// Place in the history, counted from its end; 0 for the line itself.
    pub back: usize,
    /// What was typed before the history was looked through: lines that begin with it are recalled.
    pub begun: String,
    /// What Tab offers: the candidates, and which of them stands in the line.
    pub offers: Option<(Vec<String>, usize)>,
}

impl Prompt {
    /// A prompt that begins with `text`.
    pub fn with(text: &str) -> Self {
        Self {
            input: Input::new(text.to_owned()),
            ..Self::default()
        }
    }

    /// Offers these lines instead of the one that stands there; of none it stays.
    pub fn offer(&mut self, lines: Vec<String>) {
        self.show(lines, 0);
    }

    /// Shows the line so many steps further among those offered.
    pub fn turn(&mut self, steps: isize) {
        if let Some((lines, at)) = self.offers.take() {
            let next = (at as isize + steps).rem_euclid(lines.len().max(1) as isize);
            self.show(lines, next as usize);
        }
    }

    fn show(&mut self, lines: Vec<String>, at: usize) {
        if let Some(line) = lines.get(at).cloned() {
            *self = Self {
                offers: Some((lines, at)),
                ..Self::with(&line)
            };
        }
    }
}

/// Keys that have not come to their end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Typed {
    /// How many times, or which row.
    pub count: Option<u32>,
    /// The keys after it.
    pub keys: Vec<Key>,
}

/// A page of text as it lies over the screen: the help, or the messages.
#[derive(Debug, Clone, Default)]
pub struct Help {
    /// First line shown.
    pub top: usize,
    /// What it is about.
    pub topic: Topic,
    /// What is searched for in it.
    pub sought: Prompt,
    /// That is being typed.
    pub typing: bool,
}

impl Help {
    /// The page about something, from its top.
    pub fn about(topic: Topic) -> Self {
        Self {
            topic,
            ..Self::default()
        }
    }
}

/// What the help is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Topic {
    /// All keys and commands, those that work here first.
    #[default]
    Keys,
    /// The query language.
    Query,
    /// One key, action or command, as it was asked for.
    About(String),
}

/// Whether somebody has opened the reader here before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Visit {
    /// Nobody has, and nobody was greeted yet.
    First,
    /// Nobody had before this session.
    Greeted,
    /// Somebody has.
    #[default]
    Again,
}
