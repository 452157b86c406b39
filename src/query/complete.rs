//! What can stand where the cursor is.

use super::PREFIXES;
use super::fold::fold;
use super::print::quoted;
use super::term::{DAYS, FLAGS};

/// The names that a query may use.
#[derive(Debug, Clone, Copy, Default)]
pub struct Names<'a> {
    /// Tags of feeds, whole paths.
    pub tags: &'a [String],
    /// Titles of feeds.
    pub feeds: &'a [String],
}

/// Ages that are offered.
const AGES: &[&str] = &["<1d", "<7d", "<30d", ">30d"];

/// Words that need no prefix.
const WORDS: &[&str] = &["unread", "starred", "edited", "not", "or", "and"];

/// The lines that `line` may become by completing the word at its end; the best first, `line` itself never among them.
pub fn complete(line: &str, names: Names<'_>) -> Vec<String> {
    let start = word_start(line);
    let (before, word) = line.split_at(start);
    let mut words = match word.split_once(':') {
        Some((prefix, value)) => values(&prefix.to_ascii_lowercase(), value, names),
        None if word.is_empty() || word.starts_with('"') => Vec::new(),
        None => beginnings(word),
    };
    words.retain(|found| found != word);
    words
        .into_iter()
        .map(|found| format!("{before}{found}"))
        .collect()
}

/// Where the last word begins: behind the last blank or bracket outside of quotes.
fn word_start(line: &str) -> usize {
    let mut quoted = false;
    let mut start = 0;
    for (at, c) in line.char_indices() {
        match c {
            '"' => quoted = !quoted,
            c if !quoted && (c.is_whitespace() || c == '(') => start = at + c.len_utf8(),
            _ => {}
        }
    }
    start
}

fn beginnings(word: &str) -> Vec<String> {
    let folded = fold(word);
    let prefixes = PREFIXES.iter().map(|prefix| format!("{prefix}:"));
    let words = WORDS.iter().map(|word| (*word).to_owned());
    let fixed = ["is:hidden", "has:enclosure"].map(str::to_owned);
    prefixes
        .chain(words)
        .chain(fixed)
        .filter(|known| known.starts_with(&folded))
        .collect()
}

fn values(prefix: &str, value: &str, names: Names<'_>) -> Vec<String> {
    let begun = fold(value.trim_matches('"'));
    let fitting = |known: &[String]| -> Vec<String> {
        let mut fit: Vec<(bool, &String)> = known
            .iter()
            .filter(|name| fold(name).contains(&begun))
            .map(|name| (!fold(name).starts_with(&begun), name))
            .collect();
        // What begins so stands before what merely holds it; both keep their order.
        crate::model::arrange(&mut fit, |a, b| a.0.cmp(&b.0));
        fit.into_iter().map(|(_, name)| quoted(name)).collect()
    };
    let fixed = |known: &mut dyn Iterator<Item = &str>| -> Vec<String> {
        known
            .filter(|word| word.starts_with(&begun))
            .map(str::to_owned)
            .collect()
    };
    let words = match prefix {
        "tag" => fitting(names.tags),
        "feed" => fitting(names.feeds),
        "is" => fixed(&mut FLAGS.iter().map(|(name, _)| *name)),
        "has" => fixed(&mut std::iter::once("enclosure")),
        "age" => fixed(&mut AGES.iter().copied()),
        "date" => fixed(&mut DAYS.iter().map(|(name, _)| *name)),
        _ => Vec::new(),
    };
    let lines = words.into_iter().map(|word| format!("{prefix}:{word}"));
    lines.collect()
}
