//! Sources that are no web address: a file of this machine, a command of the user's. What they are, from their text; nothing is
//! opened or run here.

use super::url::{UrlError, clean_url, wrong};

/// A source on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Local {
    /// A saved feed: a path, `~/` and relative ones as they were written.
    File(String),
    /// A command line, not yet in words.
    Exec(String),
}

/// The local source that a subscription's `url` stands for; `None` for a web address.
pub fn local(url: &str) -> Option<Local> {
    if let Some(path) = url.strip_prefix("file:") {
        return Some(Local::File(path.to_owned()));
    }
    url.strip_prefix("exec:")
        .map(|line| Local::Exec(line.to_owned()))
}

/// The `url` of a subscription as it is stored: a web address as `clean_url` has it; `file:` with its path, also from
/// `file://` and from a path that begins with `/`, `./`, `../` or `~/`; `exec:` with its command line.
pub fn clean_source(text: &str) -> Result<String, UrlError> {
    let text = text.trim();
    let has = |scheme: &str| {
        text.get(..scheme.len())
            .filter(|start| start.eq_ignore_ascii_case(scheme))
            .map(|_| text[scheme.len()..].trim())
    };
    if text.chars().any(char::is_control) {
        return clean_url(text);
    }
    if let Some(line) = has("exec:") {
        return match words(line) {
            Ok(words) if words.is_empty() => Err(wrong(
                text,
                "names no command; write it like exec:~/bin/make-feed argument",
            )),
            Ok(_) => Ok(format!("exec:{line}")),
            Err(why) => Err(wrong(text, why)),
        };
    }
    if let Some(path) = has("file:") {
        return file(text, path);
    }
    if ["/", "./", "../", "~/"]
        .iter()
        .any(|start| text.starts_with(start))
    {
        return Ok(format!("file:{text}"));
    }
    clean_url(text)
}

fn file(given: &str, path: &str) -> Result<String, UrlError> {
    let no_path = || wrong(given, "names no file; write it like file:~/feeds/saved.xml");
    let Some(rest) = path.strip_prefix("//") else {
        return if path.is_empty() {
            Err(no_path())
        } else {
            Ok(format!("file:{path}"))
        };
    };
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    if !rest.starts_with('/') {
        return Err(wrong(
            given,
            "names a host; a file of this machine is written file:///path",
        ));
    }
    let url = url::Url::parse(&format!("file://{rest}")).map_err(|_| no_path())?;
    let path = url.to_file_path().map_err(|()| no_path())?;
    match path.to_str() {
        Some(path) if !path.chars().any(char::is_control) => Ok(format!("file:{path}")),
        _ => Err(no_path()),
    }
}

/// A command line in words: blanks part them, `'…'` and `"…"` hold them together, `\` keeps the next character outside of `'…'`.
/// Nothing else has a meaning: no variable, no pipe, no pattern.
pub fn words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_whitespace() => words.extend(word.take()),
            '\'' | '"' => {
                let into = word.get_or_insert_with(String::new);
                loop {
                    match chars.next() {
                        None => return Err(format!("holds a {c} that is not closed")),
                        Some(end) if end == c => break,
                        Some('\\') if c == '"' => into.extend(chars.next()),
                        Some(inside) => into.push(inside),
                    }
                }
            }
            '\\' => word.get_or_insert_with(String::new).extend(chars.next()),
            c => word.get_or_insert_with(String::new).push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

/// The line that `words` takes apart again.
pub fn line_of_words(words: &[String]) -> String {
    let quoted = |word: &String| {
        let plain = |c: char| !c.is_whitespace() && !matches!(c, '\'' | '"' | '\\');
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\"'\"'"))
        }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// newsboat's `filter:COMMAND:URL`: the command line and the address.
pub fn filter(text: &str) -> Option<(&str, &str)> {
    let rest = text.trim().strip_prefix("filter:")?;
    let at = [":http://", ":https://"]
        .iter()
        .filter_map(|mark| rest.find(mark))
        .min()?;
    Some((rest[..at].trim(), &rest[at + 1..])).filter(|(command, _)| !command.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_a_file_a_command_or_an_address() {
        for (given, stored) in [
            ("file:///home/me/a%20b.xml", "file:/home/me/a b.xml"),
            ("FILE:/tmp/x.xml", "file:/tmp/x.xml"),
            ("file://localhost/tmp/x.xml", "file:/tmp/x.xml"),
            ("file:~/feeds/x.xml", "file:~/feeds/x.xml"),
            (" ./x.xml ", "file:./x.xml"),
            ("~/x.xml", "file:~/x.xml"),
            ("/tmp/x.xml", "file:/tmp/x.xml"),
            ("exec: ~/bin/gen 'a b' ", "exec:~/bin/gen 'a b'"),
            ("example.org/x", "https://example.org/x"),
        ] {
            assert_eq!(clean_source(given).as_deref(), Ok(stored), "{given}");
            assert_eq!(clean_source(stored).as_deref(), Ok(stored), "{given} twice");
        }
    }

    #[test]
    fn what_is_none_is_refused_with_a_reason() {
        for (given, why) in [
            ("exec:", "names no command"),
            ("exec:  ", "names no command"),
            ("exec:a 'b", "not closed"),
            ("file:", "names no file"),
            ("file://server/share/x", "names a host"),
            ("exec:a\u{1b}[2J", "control character"),
            ("filter:x:https://a.org", "only http and https"),
        ] {
            let error = clean_source(given).expect_err(given).to_string();
            assert!(error.contains(why), "{given}: {error}");
        }
    }

    #[test]
    fn words_are_taken_apart_without_a_shell_and_put_together_again() {
        for (line, want) in [
            ("gen  a\tb", &["gen", "a", "b"][..]),
            (
                "gen 'a b' \"c \\\" $d\" e\\ f",
                &["gen", "a b", "c \" $d", "e f"],
            ),
            ("gen '' | rm *", &["gen", "", "|", "rm", "*"]),
            ("", &[]),
        ] {
            let got = words(line).expect("words");
            assert_eq!(got, want, "{line}");
            assert_eq!(words(&line_of_words(&got)), Ok(got), "{line}");
        }
        let odd = vec!["it's".to_owned(), "a\\b".to_owned(), "\"".to_owned()];
        assert_eq!(words(&line_of_words(&odd)), Ok(odd));
    }

    #[test]
    fn a_filter_of_newsboat_has_a_command_and_an_address() {
        assert_eq!(
            filter("filter:~/bin/f -x:https://a.org/feed:1"),
            Some(("~/bin/f -x", "https://a.org/feed:1"))
        );
        for wrong in [
            "filter:https://a.org",
            "filter::https://a.org",
            "filter:x",
            "https://a.org",
        ] {
            assert_eq!(filter(wrong), None, "{wrong}");
        }
    }
}
