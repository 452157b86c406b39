//! Keys as the terminal reports them and as a person writes them.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::config::{KeyName, KeyText};

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

pub(super) const SPECIAL: &[(&str, KeyCode)] = &[
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

/// Keys to be pressed one after the other; most are a single one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Keys(pub(super) Vec<Key>);

impl Keys {
    /// Reads keys parted by blanks: `j`, `g g`, `, r`.
    pub fn parse(text: &str) -> Option<Self> {
        let keys: Option<Vec<Key>> = text.split_whitespace().map(Key::parse).collect();
        keys.filter(|keys| !keys.is_empty()).map(Self)
    }

    /// As they are written in config.toml, with blanks between.
    pub fn written(&self) -> String {
        let texts: Vec<String> = self.0.iter().map(Key::to_string).collect();
        texts.join(" ")
    }

    /// The keys.
    pub fn keys(&self) -> &[Key] {
        &self.0
    }
}

impl fmt::Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(&self.0))
    }
}

/// Keys as a person reads them: characters side by side (`gg`), names with a blank between (`g Enter`).
pub fn shown(keys: &[Key]) -> String {
    let texts: Vec<String> = keys.iter().map(Key::to_string).collect();
    let named = texts.iter().any(|text| text.chars().count() > 1);
    texts.join(if named { " " } else { "" })
}
