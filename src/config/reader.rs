//! Tables of keys against tables of TOML: what may stand where, and a sentence for what may not.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use toml_edit::{Item, TableLike, Value};

use super::error::ConfigError;
pub(super) use super::page::Page;
use crate::article::sanitize;

/// One key that a table may hold.
pub(super) struct Key<T> {
    pub name: &'static str,
    /// Its feature exists. If not, the key is accepted with a warning.
    pub landed: bool,
    pub set: fn(&mut T, Given<'_>) -> Result<(), String>,
}

impl<T> Key<T> {
    /// A key whose feature exists.
    pub const fn new(name: &'static str, set: fn(&mut T, Given<'_>) -> Result<(), String>) -> Self {
        Self {
            name,
            landed: true,
            set,
        }
    }

    /// A key whose name is fixed and whose feature is still to come.
    pub const fn later(
        name: &'static str,
        set: fn(&mut T, Given<'_>) -> Result<(), String>,
    ) -> Self {
        Self {
            name,
            landed: false,
            set,
        }
    }
}

/// Accepts any value, for keys whose feature is still to come and for tables that are read apart.
#[expect(
    clippy::unnecessary_wraps,
    reason = "stands in a table of functions that can fail"
)]
pub(super) fn anything<T>(_: &mut T, _: Given<'_>) -> Result<(), String> {
    Ok(())
}

/// Where a table stands, as the user sees it.
#[derive(Clone, Copy)]
pub(super) struct Section(pub &'static str);

impl Section {
    /// `[http] host_gap`, or `theme` outside of any table.
    pub fn key(self, name: &str) -> String {
        let name = sanitize::line(name);
        match self.0 {
            "" => name,
            section => format!("[{section}] {name}"),
        }
    }

    /// ` in [http]`, or nothing.
    pub fn place(self) -> String {
        match self.0 {
            "" => String::new(),
            section => format!(" in [{section}]"),
        }
    }
}

/// Reads every key of `table` into `into`. The first fault is the answer; those after it are left with the page.
pub(super) fn read_table<T>(
    page: &Page<'_>,
    section: Section,
    table: &dyn TableLike,
    keys: &[Key<T>],
    into: &mut T,
    nearest: impl Fn(&str) -> Option<String>,
    warnings: &mut Vec<String>,
) -> Result<(), ConfigError> {
    let mut set = |name: &str, given: Given<'_>| {
        let key = keys.iter().find(|key| key.name == name)?;
        Some(((key.set)(into, given), key.landed))
    };
    read_rows(page, section, table, &mut set, &nearest, warnings)
}

/// What became of a key: whether its value fits, and whether its feature exists.
type Took = (Result<(), String>, bool);

/// The same for any table: one loop for all of them.
fn read_rows(
    page: &Page<'_>,
    section: Section,
    table: &dyn TableLike,
    set: &mut dyn FnMut(&str, Given<'_>) -> Option<Took>,
    nearest: &dyn Fn(&str) -> Option<String>,
    warnings: &mut Vec<String>,
) -> Result<(), ConfigError> {
    let mut first = Ok(());
    let mut fault = |error| match first {
        Ok(()) => first = Err(error),
        Err(_) => page.fault(error),
    };
    for (name, item) in table.iter() {
        let at = place(table, name, item);
        let Some((took, landed)) = set(name, Given(item)) else {
            let shown = sanitize::line(name);
            let message = format!("unknown key \"{shown}\"{}", section.place());
            fault(ConfigError {
                nearest: nearest(name),
                ..page.error(at, section.key(name), message)
            });
            continue;
        };
        if let Err(why) = took {
            let key = section.key(name);
            fault(page.error(at, key.clone(), format!("{key} {why}")));
        }
        if !landed {
            let message = format!("{} is accepted, but has no effect yet", section.key(name));
            // One warning a key: `notify = true` in every feed is one thing to know.
            if !warnings.iter().any(|warning| warning.ends_with(&message)) {
                warnings.push(page.warning(at, &message));
            }
        }
    }
    first
}

/// Where a key stands in the text.
pub(super) fn place(table: &dyn TableLike, name: &str, item: &Item) -> usize {
    table
        .key(name)
        .and_then(toml_edit::Key::span)
        .or_else(|| item.span())
        .map_or(0, |span| span.start)
}

/// The name in `names` that looks most like `wrong`.
pub(super) fn closest<'a>(
    wrong: &str,
    names: impl Iterator<Item = &'a str>,
) -> Option<(f64, &'a str)> {
    let wrong = wrong.to_lowercase().replace('-', "_");
    names
        .map(|name| (strsim::jaro_winkler(&wrong, name), name))
        .max_by(|a, b| a.0.total_cmp(&b.0))
}

/// A value as the user wrote it. Every method answers with what would have been right.
#[derive(Clone, Copy)]
pub(super) struct Given<'a>(pub &'a Item);

impl Given<'_> {
    /// The value for a sentence.
    fn shown(self) -> String {
        match self.0.as_value() {
            Some(Value::String(text)) => {
                let line = sanitize::line(text.value());
                let mut cut: String = line.chars().take(60).collect();
                if cut.len() < line.len() {
                    cut.push('…');
                }
                format!("= \"{cut}\"")
            }
            Some(Value::Integer(n)) => format!("= {}", n.value()),
            Some(Value::Float(x)) => format!("= {}", x.value()),
            Some(Value::Boolean(b)) => format!("= {}", b.value()),
            _ => format!("(a {})", self.0.type_name()),
        }
    }

    /// An error that begins with the value as written.
    pub fn wrong<V>(self, rather: &str) -> Result<V, String> {
        Err(format!("{} {rather}", self.shown()))
    }

    /// A duration between `least` and `most`, e.g. `"90m"`.
    pub fn duration(self, range: RangeInclusive<Duration>) -> Result<Duration, String> {
        let parsed = self
            .0
            .as_str()
            .and_then(|text| humantime::parse_duration(text.trim()).ok());
        match parsed {
            None => {
                self.wrong("is not a duration; write it like \"90s\", \"30m\", \"6h\" or \"7d\"")
            }
            Some(span) if range.contains(&span) => Ok(span),
            Some(_) => self.wrong(&format!(
                "is out of range; it must be between {} and {}",
                span_text(*range.start()),
                span_text(*range.end())
            )),
        }
    }

    /// Bytes, e.g. `"16MiB"`.
    pub fn size(self, range: RangeInclusive<u64>) -> Result<u64, String> {
        let parsed = self
            .0
            .as_str()
            .and_then(|text| text.trim().parse::<bytesize::ByteSize>().ok());
        match parsed {
            None => self.wrong("is not a size; write it like \"512KiB\" or \"16MiB\""),
            Some(size) if range.contains(&size.as_u64()) => Ok(size.as_u64()),
            Some(_) => self.wrong(&format!(
                "is out of range; it must be between {} and {}",
                size_text(*range.start()),
                size_text(*range.end())
            )),
        }
    }

    /// A whole number.
    pub fn count(self, range: RangeInclusive<u32>) -> Result<u32, String> {
        let parsed = self.0.as_integer();
        match parsed {
            None => self.wrong("is not a whole number without quotes"),
            Some(n) => match u32::try_from(n).ok().filter(|n| range.contains(n)) {
                Some(n) => Ok(n),
                None => self.wrong(&format!(
                    "is out of range; it must be between {} and {}",
                    range.start(),
                    range.end()
                )),
            },
        }
    }

    /// `true` or `false`.
    pub fn flag(self) -> Result<bool, String> {
        match self.0.as_bool() {
            Some(flag) => Ok(flag),
            None => self.wrong("must be true or false, without quotes"),
        }
    }

    /// Text of one line, trimmed, not empty.
    pub fn text(self) -> Result<String, String> {
        let Some(text) = self.0.as_str() else {
            return self.wrong("must be text in quotes");
        };
        let text = text.trim();
        if text.is_empty() {
            return self.wrong("must not be empty");
        }
        if text.chars().any(char::is_control) {
            return self.wrong("must not hold control characters or line breaks");
        }
        Ok(text.to_owned())
    }

    /// A path, not empty.
    pub fn path(self) -> Result<PathBuf, String> {
        self.text().map(PathBuf::from)
    }

    /// A list of texts.
    pub fn list(self) -> Result<Vec<String>, String> {
        let Some(array) = self.0.as_array() else {
            return self.wrong("must be a list of texts, like [\"a\", \"b\"]");
        };
        array
            .iter()
            .map(|value| match value.as_str().map(str::trim) {
                Some(text) if !text.is_empty() && !text.chars().any(char::is_control) => {
                    Ok(text.to_owned())
                }
                _ => Err("must hold only texts in quotes that are not empty".to_owned()),
            })
            .collect()
    }

    /// One of `words`.
    pub fn word<'w>(self, words: &[&'w str]) -> Result<&'w str, String> {
        let given = self.0.as_str().unwrap_or_default();
        if let Some(word) = words.iter().find(|word| **word == given) {
            return Ok(word);
        }
        let list = words
            .iter()
            .map(|word| format!("\"{word}\""))
            .collect::<Vec<_>>()
            .join(", ");
        self.wrong(&format!("is not one of {list}"))
    }
}

/// A duration in the form in which it can be written: `90s`, `30m`, `6h`, `7d`.
pub(super) fn span_text(span: Duration) -> String {
    let secs = span.as_secs();
    if span.subsec_nanos() != 0 {
        return humantime::format_duration(span).to_string();
    }
    match secs {
        0 => "0s".to_owned(),
        s if s.is_multiple_of(86_400) => format!("{}d", s / 86_400),
        s if s.is_multiple_of(3_600) => format!("{}h", s / 3_600),
        s if s.is_multiple_of(60) => format!("{}m", s / 60),
        s => format!("{s}s"),
    }
}

/// Bytes in the form in which they can be written: `512KiB`, `16MiB`.
fn size_text(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    UNITS
        .iter()
        .find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit))
        .map_or_else(
            || format!("{bytes}B"),
            |(unit, name)| format!("{}{name}", bytes / unit),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_written_in_the_unit_that_fits() {
        for (secs, text) in [
            (0, "0s"),
            (59, "59s"),
            (60, "1m"),
            (5_400, "90m"),
            (3_600, "1h"),
            (604_800, "7d"),
        ] {
            assert_eq!(span_text(Duration::from_secs(secs)), text);
        }
    }

    #[test]
    fn a_size_is_written_in_the_unit_that_fits() {
        for (bytes, text) in [
            (100, "100B"),
            (1024, "1KiB"),
            (16 << 20, "16MiB"),
            (1 << 30, "1GiB"),
        ] {
            assert_eq!(size_text(bytes), text);
        }
    }
}
