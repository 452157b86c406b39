//! A file of the user's as it is read: offsets into lines, and everything that is wrong with it.

use std::cell::RefCell;
use std::path::Path;

use toml_edit::Document;

use super::error::ConfigError;
use crate::article::sanitize;
use crate::model::arrange;

/// A file's text with its name: turns offsets into lines.
pub(super) struct Page<'a> {
    pub text: &'a str,
    pub file: &'a Path,
    /// What is wrong with it, as far as it was read: one slip does not hide the next.
    faults: RefCell<Vec<ConfigError>>,
}

impl<'a> Page<'a> {
    pub const fn new(text: &'a str, file: &'a Path) -> Self {
        Self {
            text,
            file,
            faults: RefCell::new(Vec::new()),
        }
    }

    /// Keeps what is wrong and goes on.
    pub fn fault(&self, error: ConfigError) {
        self.faults.borrow_mut().push(error);
    }

    /// What came of a part, where it could be read.
    pub fn note<T>(&self, part: Result<T, ConfigError>) -> Option<T> {
        part.map_err(|error| self.fault(error)).ok()
    }

    /// How many faults there are up to now: whether a part was read whole.
    pub fn faulty(&self) -> usize {
        self.faults.borrow().len()
    }

    /// All of them, in the order of the file.
    pub fn faults(&self) -> Vec<ConfigError> {
        let mut faults = self.faults.take();
        arrange(&mut faults, |a, b| a.line.cmp(&b.line));
        faults
    }

    /// What was read, if nothing is wrong; else the first fault.
    pub fn whole<T>(&self, read: T) -> Result<T, ConfigError> {
        match self.faults().into_iter().next() {
            Some(first) => Err(first),
            None => Ok(read),
        }
    }

    pub fn parse(&self) -> Result<Document<&'a str>, ConfigError> {
        Document::parse(self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let word = error
                .span()
                .and_then(|span| self.text.get(span))
                .map(sanitize::line)
                .filter(|word| !word.is_empty() && word.len() <= 40);
            let what = sanitize::line(error.message());
            self.error(
                at,
                String::new(),
                match word {
                    Some(word) => format!("this is not valid TOML: {what} at \"{word}\""),
                    None => format!("this is not valid TOML: {what}"),
                },
            )
        })
    }

    /// The line of a byte offset, from 1.
    pub fn line(&self, at: usize) -> usize {
        let upto = self.text.as_bytes().get(..at).unwrap_or_default();
        1 + memchr::memchr_iter(b'\n', upto).count()
    }

    pub fn error(&self, at: usize, key: String, message: String) -> ConfigError {
        ConfigError {
            file: self.file.to_owned(),
            line: self.line(at),
            key,
            message,
            nearest: None,
        }
    }

    /// One warning about a line.
    pub fn warning(&self, at: usize, message: &str) -> String {
        format!("{}:{}: {message}", self.file.display(), self.line(at))
    }
}
