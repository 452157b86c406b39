//! What the user makes of keys: actions in a row, and programs that are handed an entry.

/// `[[macro]]`: actions and commands, one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Macro {
    /// Its name, for the help and the command line.
    pub name: String,
    /// Its keys, as they are written.
    pub keys: Vec<String>,
    /// What is done.
    pub steps: Vec<Step>,
}

/// One step of a macro.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Step {
    /// The name of an action, or a command line after `:`.
    pub text: String,
    /// The line of `config.toml` that it stands in, from 1.
    pub line: usize,
}

/// `[[command]]`: a program that is handed an entry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct External {
    /// Its name, for the help and the command line.
    pub name: String,
    /// Its keys, as they are written.
    pub keys: Vec<String>,
    /// The program and its arguments; `{url}`, `{title}`, `{feed}` and `{file}` stand for what the entry has.
    pub run: Vec<String>,
    /// What stands on its standard input.
    pub stdin: Handed,
    /// It has the terminal until it ends.
    pub terminal: bool,
}

/// `[[share]]`: a page or a mail that an entry is handed to by its address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Share {
    /// Its name, for the help and the command line.
    pub name: String,
    /// Its keys, as they are written.
    pub keys: Vec<String>,
    /// An address of the web or of mail; `{url}`, `{title}` and `{feed}` stand for what the entry has.
    pub url: String,
}

/// The form in which an entry is handed to a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Handed {
    /// Not at all.
    #[default]
    Nothing,
    /// As the reader sets it, without colours.
    Text,
    /// As the feed has it.
    Html,
    /// All that is known of it, one JSON object.
    Json,
}
