//! What is wrong with the user's text, and where.

use std::fmt;
use std::path::{Path, PathBuf};

/// An unknown key, a bad value or broken TOML. `Display` is one sentence for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ConfigError {
    /// The file; empty where only the text is known.
    pub file: PathBuf,
    /// The line, from 1; 0 where no line can be named.
    pub line: usize,
    /// The key with its table, as in `[http] host_gap`; empty where the TOML itself is broken.
    pub key: String,
    /// What is wrong and what would be right.
    pub message: String,
    /// The valid key that comes closest to an unknown one.
    pub nearest: Option<String>,
}

impl ConfigError {
    /// The same error in `file`, where the text was edited without knowing where it lies.
    #[must_use]
    pub fn in_file(mut self, file: &Path) -> Self {
        if self.file.as_os_str().is_empty() {
            file.clone_into(&mut self.file);
        }
        self
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.as_os_str().is_empty() {
            write!(f, "{}:", self.file.display())?;
        }
        match (self.line, self.file.as_os_str().is_empty()) {
            (0, true) => {}
            (0, false) => f.write_str(" ")?,
            (line, true) => write!(f, "line {line}: ")?,
            (line, false) => write!(f, "{line}: ")?,
        }
        f.write_str(&self.message)?;
        if let Some(nearest) = &self.nearest {
            write!(f, "; the nearest valid key is {nearest}")?;
        }
        Ok(())
    }
}
