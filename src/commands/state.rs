//! Marks on the way to another machine: by feed URL and entry key, one a line, so that two exports can be compared.

use std::collections::HashMap;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::json;
use super::say::shown;
use crate::config;
use crate::model::{EntryKey, StateMark, Subscription};

/// The form that this version writes and reads.
const FORM: u32 = 1;

/// The whole file.
#[derive(Debug, Deserialize)]
struct State {
    tidings_state: u32,
    marks: Vec<Line>,
}

/// One mark. The keys are an interface: they may gain members, never change.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    feed_url: String,
    key: String,
    #[serde(default)]
    read: bool,
    #[serde(default)]
    starred: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
}

/// Writes marks. Userinfo of a URL is masked: `unmask` finds the feed all the same.
pub(super) fn write(marks: &[StateMark], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{{\"tidings_state\":{FORM},\"marks\":[")?;
    for (at, mark) in marks.iter().enumerate() {
        let line = json::line(&Line {
            feed_url: shown(&mark.feed_url),
            key: mark.key.clone(),
            read: mark.read,
            starred: mark.starred,
            tags: mark.tags.clone(),
        });
        let comma = if at + 1 < marks.len() { "," } else { "" };
        writeln!(out, "{line}{comma}")?;
    }
    out.write_all(b"]}\n")
}

/// Reads marks, or says why not.
pub(super) fn read(text: &str) -> Result<Vec<StateMark>, String> {
    let state: State = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| format!("this is not what `tidings export --state` writes: {error}"))?;
    if state.tidings_state != FORM {
        return Err(format!(
            "it has form {}, and this tidings knows form {FORM}; update tidings",
            state.tidings_state
        ));
    }
    state
        .marks
        .into_iter()
        .map(|line| match EntryKey::from_hex(&line.key) {
            Some(_) => Ok(StateMark {
                feed_url: line.feed_url,
                key: line.key,
                read: line.read,
                starred: line.starred,
                tags: line.tags,
            }),
            None => Err(format!(
                "\"{}\" is no entry key: 32 hex digits are needed",
                shown(&line.key)
            )),
        })
        .collect()
}

/// Gives marks of feeds with a login in their URL the URL of feeds.toml back.
pub(super) fn unmask(marks: Vec<StateMark>, feeds: &[Subscription]) -> Vec<StateMark> {
    let hidden =
        |url: &str| config::masked(&config::normalise(url).unwrap_or_else(|_| url.to_owned()));
    let real: HashMap<String, &str> = feeds
        .iter()
        .filter(|feed| config::masked(&feed.url) != feed.url)
        .map(|feed| (hidden(&feed.url), feed.url.as_str()))
        .collect();
    marks
        .into_iter()
        .map(|mark| match real.get(&hidden(&mark.feed_url)) {
            Some(url) => StateMark {
                feed_url: (*url).to_owned(),
                ..mark
            },
            None => mark,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(url: &str, read: bool) -> StateMark {
        StateMark {
            feed_url: url.to_owned(),
            key: "ab".repeat(16),
            read,
            starred: !read,
            tags: if read {
                Vec::new()
            } else {
                vec!["later".to_owned()]
            },
        }
    }

    #[test]
    fn marks_come_back_as_they_went_and_a_login_is_filled_in_again() {
        let marks = vec![
            mark("https://u:p@a.org/x", true),
            mark("https://b.org/", false),
        ];
        let mut text = Vec::new();
        write(&marks, &mut text).expect("a vector takes it");
        let text = String::from_utf8(text).expect("text");
        insta::assert_snapshot!(text, @r#"
        {"tidings_state":1,"marks":[
        {"feed_url":"https://***@a.org/x","key":"abababababababababababababababab","read":true,"starred":false},
        {"feed_url":"https://b.org/","key":"abababababababababababababababab","read":false,"starred":true,"tags":["later"]}
        ]}
        "#);
        let feeds = [Subscription {
            url: "https://u:p@a.org/x".to_owned(),
            ..Subscription::default()
        }];
        assert_eq!(read(&text).map(|marks| unmask(marks, &feeds)), Ok(marks));
    }

    #[test]
    fn no_marks_are_a_file_too() {
        let mut text = Vec::new();
        write(&[], &mut text).expect("a vector takes it");
        assert_eq!(read(&String::from_utf8_lossy(&text)), Ok(Vec::new()));
    }

    #[test]
    fn what_is_no_such_file_is_refused() {
        for (text, begin) in [
            (
                "<opml/>",
                "this is not what `tidings export --state` writes: ",
            ),
            (
                "{\"tidings_state\":2,\"marks\":[]}",
                "it has form 2, and this tidings knows form 1",
            ),
            (
                "{\"tidings_state\":1,\"marks\":[{\"feed_url\":\"x\",\"key\":\"1\"}]}",
                "\"1\" is no entry key",
            ),
        ] {
            let why = read(text).expect_err(text);
            assert!(why.starts_with(begin), "{why}");
        }
    }
}
