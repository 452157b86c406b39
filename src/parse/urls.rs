//! newsboat's `urls`: one feed a line, tags behind it, `~title`, `!` for hidden, comments; what is no address is reported.

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
        Some("a query feed is not supported yet; a tag or a search may do")
    } else if is("exec:") {
        Some("a feed made by a command is not supported yet")
    } else if is("filter:") {
        Some("a feed changed by a command is not supported yet")
    } else if is("file:") {
        Some("a file on this machine is no subscription")
    } else if is_web(first) {
        None
    } else {
        Some("not a web address")
    }
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
        // `!` hides the feed in newsboat; `!tag` hides it and tags it.
        let tag = sanitize::line(word.strip_prefix('!').unwrap_or(word));
        if !tag.is_empty() && seen.insert(tag.clone()) {
            subscription.tags.push(tag);
        }
    }
    subscription
}

/// Words of a line: blanks part them, quotes hold them together, `\` keeps the next character, `#` in front of a word ends all.
fn words(line: &str) -> Vec<String> {
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
    }

    #[test]
    fn what_is_no_address_is_reported_with_its_line() {
        let imported = read(
            "query:Unread:unread = \"yes\"\n\"exec:~/bin/x.sh\" tag\nfilter:~/f:http://a.example/\nnonsense\u{1b}\n",
        );
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
                (2, "\"exec:~/bin/x.sh\" tag"),
                (3, "filter:~/f:http://a.example/"),
                (4, "nonsense"),
            ]
        );
        assert!(imported.skipped.iter().all(|s| !s.why.is_empty()));
    }
}
