//! Lines of newsboat's `config`: words, quotes, comments, and lines that go on in the next.

use crate::article::sanitize;
use crate::config;
use crate::parse::urls;

/// What a line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// File and number, as they are shown.
    pub place: String,
    /// Its words, at least one.
    pub words: Vec<String>,
    /// The whole, clean and without secrets.
    pub text: String,
}

impl Line {
    /// The word after the name, or nothing.
    pub fn word(&self, nth: usize) -> &str {
        self.words.get(nth).map_or("", String::as_str)
    }

    /// What is said of it when it finds no place.
    pub fn left(&self, why: impl Into<String>) -> super::Left {
        super::Left {
            place: self.place.clone(),
            text: self.text.clone(),
            why: why.into(),
        }
    }
}

/// The lines of a file that say something. `file` is how it is shown.
pub fn lines(text: &str, file: &str) -> Vec<Line> {
    let mut found = Vec::new();
    let mut whole = String::new();
    let mut begin = 0;
    for (at, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if whole.is_empty() {
            begin = at + 1;
        }
        let backslashes = line.chars().rev().take_while(|c| *c == '\\').count();
        if backslashes % 2 == 1 && !line.trim_start().starts_with('#') {
            whole.push_str(&line[..line.len() - 1]);
            continue;
        }
        whole.push_str(line);
        let words = urls::words(&whole);
        if !words.is_empty() {
            found.push(Line {
                place: format!("{file}:{begin}"),
                text: shown(&whole, &words),
                words,
            });
        }
        whole.clear();
    }
    found
}

/// What a person may see of a line: one that names a login or a password shows the name alone.
fn shown(line: &str, words: &[String]) -> String {
    let name = &words[0];
    let secret = ["password", "login", "auth", "token", "cookie"];
    if secret.iter().any(|part| name.contains(part)) {
        return format!("{} …", sanitize::line(name));
    }
    sanitize::line(&without_login(line.trim()))
}

/// A line with what an address in it says of a login as `***`.
pub fn without_login(line: &str) -> String {
    if line.contains("://") {
        config::masked(line)
    } else {
        line.to_owned()
    }
}

/// A path as newsboat writes it, with the home directory for `~/`.
pub fn plain(path: &str, home: &str) -> String {
    match path.strip_prefix("~/") {
        Some(rest) => format!("{}/{rest}", home.trim_end_matches('/')),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_words_with_its_place_and_may_go_on() {
        let text = "# a comment \\\nbrowser \"w3m %u\" # note\n\nmacro k open ; \\\n  reload\nttrss-password \"secret\"\nx \\\\\n";
        let found = lines(text, "config");
        let words: Vec<String> = found.iter().map(|line| line.words.join("|")).collect();
        assert_eq!(
            words,
            [
                "browser|w3m %u",
                "macro|k|open|;|reload",
                "ttrss-password|secret",
                "x|\\\\"
            ]
        );
        let places: Vec<&str> = found.iter().map(|line| line.place.as_str()).collect();
        assert_eq!(places, ["config:2", "config:4", "config:6", "config:7"]);
        assert_eq!(found[2].text, "ttrss-password …");
        let found = lines("proxy http://me:secret@localhost:1\n", "config");
        assert_eq!(found[0].text, "proxy http://***@localhost:1");
    }
}
