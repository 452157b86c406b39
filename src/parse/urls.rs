//! newsboat's `urls`: one feed a line, tags behind it, `~title`, `!` for hidden (muted here), comments; what is no address is reported.

use std::collections::HashSet;

use super::links::is_web;
use super::{Imported, Skipped};
use crate::article::sanitize;
use crate::model::Subscription;

/// Reads a whole file. Nothing in it is dropped silently: a line that is no feed's address is in `skipped` with its reason.
pub fn read(text: &str) -> Imported {
    let mut imported = Imported::default();
    for (at, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let words = words(line);
        let Some((first, rest)) = words.split_first() else {
            continue;
        };
        if let Some(made) = made_by_a_command(first, rest) {
            imported.noted.push(Skipped {
                line: at + 1,
                text: sanitize::line(first),
                why: "runs a command of yours at every poll".to_owned(),
            });
            imported.subscriptions.push(made);
            continue;
        }
        match why_not(first) {
            Some(why) => imported.skipped.push(Skipped {
                line: at + 1,
                text: sanitize::line(line),
                why: why.to_owned(),
            }),
            None => imported.subscriptions.push(subscription(first, rest)),
        }
    }
    imported
}

fn why_not(first: &str) -> Option<&'static str> {
    let is = |scheme: &str| {
        first
            .get(..scheme.len())
            .is_some_and(|s| s.eq_ignore_ascii_case(scheme))
    };
    if is("query:") {
        Some("a query feed; `tidings import --newsboat` makes a list of it")
    } else if is("exec:") {
        Some("it names no command")
    } else if is("filter:") {
        Some("it is no command and web address, like filter:~/bin/tidy:https://example.org/feed")
    } else if is_file(first) || is_web(first) {
        None
    } else {
        Some("not a web address")
    }
}

/// A path of this machine.
fn is_file(text: &str) -> bool {
    let path = text
        .get(..5)
        .filter(|scheme| scheme.eq_ignore_ascii_case("file:"))
        .map_or("", |_| text[5..].trim_start_matches("//"));
    path.starts_with('/') || path.starts_with("~/")
}

/// What a shell would read in a line that newsboat hands to one.
const SHELL: [char; 12] = ['|', '&', ';', '<', '>', '$', '`', '*', '?', '(', ')', '\n'];

/// `exec:COMMAND` and `filter:COMMAND:URL`. Newsboat runs both through a shell; here only a line that needs one is.
fn made_by_a_command(first: &str, rest: &[String]) -> Option<Subscription> {
    let (command, url) = if let Some(line) = first.strip_prefix("exec:") {
        (line.trim(), None)
    } else {
        let rest = first.strip_prefix("filter:")?;
        let at = [":http://", ":https://"]
            .iter()
            .filter_map(|mark| rest.find(mark))
            .min()?;
        (rest[..at].trim(), Some(&rest[at + 1..]))
    };
    if command.is_empty() || command.chars().any(char::is_control) {
        return None;
    }
    let shell = command.contains(SHELL);
    let whole = format!("exec:{command}");
    let made = subscription(url.unwrap_or("").trim(), rest);
    Some(match url {
        None => Subscription {
            url: whole,
            shell,
            ..made
        },
        Some(_) => Subscription {
            filter: if shell {
                vec![command.to_owned()]
            } else {
                command.split_whitespace().map(str::to_owned).collect()
            },
            shell,
            ..made
        },
    })
}

fn subscription(url: &str, words: &[String]) -> Subscription {
    let mut subscription = Subscription {
        url: url.split('#').next().unwrap_or(url).to_owned(),
        ..Subscription::default()
    };
    let mut seen = HashSet::new();
    for word in words {
        if let Some(title) = word.strip_prefix('~') {
            let title = sanitize::line(title);
            subscription.title = (!title.is_empty()).then_some(title);
            continue;
        }
        // `!` hides the feed in newsboat, but in lists of queries; `!tag` hides it and tags it.
        let hidden = word.strip_prefix('!');
        subscription.mute |= hidden.is_some();
        let tag = sanitize::line(hidden.unwrap_or(word));
        if !tag.is_empty() && seen.insert(tag.clone()) {
            subscription.tags.push(tag);
        }
    }
    subscription
}

/// The feed that the first word of a line is: its address, or the command that makes it. `None` where it is neither.
pub fn feed(first: &str) -> Option<Subscription> {
    let plain = || why_not(first).is_none().then(|| subscription(first, &[]));
    made_by_a_command(first, &[]).or_else(plain)
}

/// A list that newsboat makes of a filter expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryFeed {
    /// From 1.
    pub line: usize,
    /// What it is called.
    pub name: String,
    /// In newsboat's language.
    pub expression: String,
}

/// The lines `query:NAME:EXPRESSION`; `read` leaves them out. A title behind them (`~title`) counts more than the name.
pub fn queries(text: &str) -> Vec<QueryFeed> {
    let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    let query = |(at, line): (usize, &str)| {
        let words = words(line);
        let (first, rest) = words.split_first()?;
        let (name, expression) = first.strip_prefix("query:")?.split_once(':')?;
        let title = rest.iter().find_map(|word| word.strip_prefix('~'));
        Some(QueryFeed {
            line: at + 1,
            name: sanitize::line(title.unwrap_or(name)),
            expression: expression.to_owned(),
        })
    };
    lines.filter_map(query).collect()
}

/// Words of a line: blanks part them, quotes hold them together, `\` keeps the next character, `#` in front of a word ends all.
pub fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut chars = line.chars().peekable();
    loop {
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        match chars.peek() {
            None | Some('#') => return words,
            Some(_) => {}
        }
        let quoted = chars.next_if_eq(&'"').is_some();
        let mut word = String::new();
        while let Some(c) = chars.next() {
            match c {
                '\\' if quoted => word.extend(chars.next()),
                '"' if quoted => break,
                c if c.is_whitespace() && !quoted => break,
                c => word.push(c),
            }
        }
        words.push(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feeds_keep_their_title_and_tags() {
        let imported = read(
            "# comment\n\nhttps://a.example/feed tech \"big news\" ~Mine\n\
             https://b.example/x \"~Two \\\"words\\\"\" !hidden ! tech tech # note\n\
             \"https://c.example/a b\"\n",
        );
        let got: Vec<_> = imported
            .subscriptions
            .iter()
            .map(|s| (s.url.as_str(), s.title.as_deref(), s.tags.join(",")))
            .collect();
        assert_eq!(
            got,
            [
                (
                    "https://a.example/feed",
                    Some("Mine"),
                    "tech,big news".to_owned()
                ),
                (
                    "https://b.example/x",
                    Some("Two \"words\""),
                    "hidden,tech".to_owned()
                ),
                ("https://c.example/a b", None, String::new()),
            ]
        );
        assert!(imported.skipped.is_empty());
        let muted: Vec<bool> = imported.subscriptions.iter().map(|s| s.mute).collect();
        assert_eq!(muted, [false, true, false]);
    }

    #[test]
    fn what_is_no_address_is_reported_with_its_line() {
        let imported =
            read("query:Unread:unread = \"yes\"\nexec: tag\nfilter:~/f:x\nnonsense\u{1b}\n");
        assert!(imported.subscriptions.is_empty());
        let lines: Vec<_> = imported
            .skipped
            .iter()
            .map(|s| (s.line, s.text.as_str()))
            .collect();
        assert_eq!(
            lines,
            [
                (1, "query:Unread:unread = \"yes\""),
                (2, "exec: tag"),
                (3, "filter:~/f:x"),
                (4, "nonsense"),
            ]
        );
        assert!(imported.skipped.iter().all(|s| !s.why.is_empty()));
    }

    #[test]
    fn commands_and_files_become_sources_and_commands_are_told() {
        let imported = read(
            "\"exec:~/bin/x.sh a\" tag\nfilter:~/f:https://a.example/ \"~Mine\"\n\"exec:a | b\"\nfile:///tmp/x.xml\n",
        );
        let got: Vec<_> = imported
            .subscriptions
            .iter()
            .map(|s| {
                (
                    s.url.as_str(),
                    s.filter.join(","),
                    s.shell,
                    s.title.as_deref(),
                )
            })
            .collect();
        assert_eq!(
            got,
            [
                ("exec:~/bin/x.sh a", String::new(), false, None),
                ("https://a.example/", "~/f".to_owned(), false, Some("Mine")),
                ("exec:a | b", String::new(), true, None),
                ("file:///tmp/x.xml", String::new(), false, None),
            ]
        );
        let noted: Vec<_> = imported.noted.iter().map(|n| n.line).collect();
        assert_eq!(noted, [1, 2, 3]);
        assert!(imported.skipped.is_empty());
    }
}
