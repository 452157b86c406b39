//! Keys and macros of newsboat's in the terms of the key table: `bind-key`, `bind`, `macro`.

use super::programs::program;
use crate::config::KeyText;
use crate::model::{External, Handed, Macro, Step};

/// Operations of newsboat's and the action that does the same.
const OPERATIONS: &[(&str, &str)] = &[
    ("open", "open"),
    ("quit", "quit"),
    ("hard-quit", "quit"),
    ("reload", "refresh"),
    ("reload-all", "refresh-all"),
    ("mark-feed-read", "mark-all-read"),
    ("mark-all-above-as-read", "mark-above-read"),
    ("next-unread", "next-unread"),
    ("prev-unread", "previous-unread"),
    ("next", "next-entry"),
    ("prev", "previous-entry"),
    ("open-in-browser", "browser"),
    ("open-in-browser-noninteractively", "browser"),
    ("help", "help"),
    ("toggle-article-read", "toggle-read"),
    ("toggle-show-read-feeds", "unread-only"),
    ("show-urls", "links"),
    ("open-search", "search"),
    ("set-filter", "search"),
    ("set-tag", "jump"),
    ("select-tag", "jump"),
    ("enqueue", "play"),
    ("redraw", "redraw"),
    ("cmdline", "command"),
    ("bookmark", "share"),
    ("edit-flags", "tag"),
    ("pipe-to", "pipe"),
    ("sort", "sort"),
    ("up", "up"),
    ("down", "down"),
    ("pageup", "page-up"),
    ("pagedown", "page-down"),
    ("halfpageup", "half-page-up"),
    ("halfpagedown", "half-page-down"),
    ("home", "first"),
    ("end", "last"),
    ("switch-focus", "next-pane"),
];

/// The action that does what an operation does in a dialog.
pub(super) fn action(operation: &str, dialog: &str) -> Option<&'static str> {
    let in_list = matches!(dialog, "feedlist" | "articlelist" | "urlview" | "help");
    match operation {
        "next" if in_list => return Some("down"),
        "prev" if in_list => return Some("up"),
        _ => {}
    }
    let mut operations = OPERATIONS.iter();
    operations
        .find(|(name, _)| *name == operation)
        .map(|(_, action)| *action)
}

/// A key of newsboat's as `[keys]` writes it.
pub(super) fn key(text: &str) -> Option<String> {
    let named = match text {
        "ENTER" => "Enter",
        "SPACE" | " " => "Space",
        "TAB" => "Tab",
        "BACKTAB" | "STAB" => "S-Tab",
        "ESC" => "Esc",
        "BACKSPACE" | "BS" => "Backspace",
        "DEL" | "DELETE" | "DC" => "Delete",
        "IC" | "INSERT" => "Insert",
        "UP" => "Up",
        "DOWN" => "Down",
        "LEFT" => "Left",
        "RIGHT" => "Right",
        "HOME" => "Home",
        "END" => "End",
        "PPAGE" | "PAGEUP" => "PageUp",
        "NPAGE" | "PAGEDOWN" => "PageDown",
        _ => "",
    };
    if !named.is_empty() {
        return Some(named.to_owned());
    }
    let text = match text.strip_prefix('^').or(text.strip_prefix("C-")) {
        Some(letter) if letter.chars().count() == 1 => format!("^{}", letter.to_lowercase()),
        _ => text.to_owned(),
    };
    // Two characters in a row would be no key.
    KeyText::parse(&text).map(|_| text)
}

/// Keys pressed one after the other, as `bind` writes them: `gg`, `<C-r>x`, `^R`.
pub(super) fn sequence(text: &str) -> Option<String> {
    let mut keys = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((name, after)) = rest.strip_prefix('<').and_then(|r| r.split_once('>')) {
            keys.push(key(name)?);
            rest = after;
        } else {
            let length = match rest.strip_prefix('^').and_then(|r| r.chars().next()) {
                Some(letter) => 1 + letter.len_utf8(),
                None => c.len_utf8(),
            };
            keys.push(key(&rest[..length])?);
            rest = &rest[length..];
        }
    }
    (!keys.is_empty()).then(|| keys.join(" "))
}

/// What a macro becomes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Made {
    /// Actions one after the other.
    Macro(Macro),
    /// A program that gets the entry: `set browser …` and then `open-in-browser`, or `pipe-to …`.
    Command(External),
}

/// Operations one after the other, with `;` between and a description after `--`.
pub(super) fn made(keys: Vec<String>, words: &[String], dialog: &str) -> Result<Made, String> {
    let (words, name) = match words.iter().position(|word| word == "--") {
        Some(at) => (&words[..at], words.get(at + 1).cloned()),
        None => (words, None),
    };
    let mut steps: Vec<Vec<&str>> = vec![Vec::new()];
    for word in words {
        let (word, ends) = match word.strip_suffix(';') {
            Some(word) => (word, true),
            None => (word.as_str(), false),
        };
        if let Some(step) = steps.last_mut()
            && !word.is_empty()
        {
            step.push(word);
        }
        if ends {
            steps.push(Vec::new());
        }
    }
    steps.retain(|step| !step.is_empty());
    if let Some(command) = command(&steps) {
        return command.map(|one| {
            Made::Command(External {
                keys,
                name: name.unwrap_or(one.name),
                ..one
            })
        });
    }
    let mut actions = Vec::new();
    for step in &steps {
        match (step.as_slice(), action(step[0], dialog)) {
            ([_], Some(action)) => actions.push(action),
            // In newsboat an entry opened in the browser may be read then; here one is marked by a step.
            (["open-in-browser-and-mark-read"], _) => actions.extend(["browser", "toggle-read"]),
            _ => return Err(format!("`{}` has no counterpart", step.join(" "))),
        }
    }
    if actions.is_empty() {
        return Err("it does nothing".to_owned());
    }
    let steps = actions.into_iter().map(|action| Step {
        text: action.to_owned(),
        line: 0,
    });
    Ok(Made::Macro(Macro {
        name: name.unwrap_or_default(),
        keys,
        steps: steps.collect(),
    }))
}

/// The program of a macro that lends another browser to one entry, or pipes it. `None`: it is no such macro.
fn command(steps: &[Vec<&str>]) -> Option<Result<External, String>> {
    let browser = steps.iter().find_map(|step| match step.as_slice() {
        ["set", "browser", line @ ..] => Some(line.join(" ")),
        [one] => one.strip_prefix("set browser ").map(str::to_owned),
        _ => None,
    });
    let opens = steps
        .iter()
        .any(|step| step[0].starts_with("open-in-browser"));
    let pipe = steps.iter().find_map(|step| match step.as_slice() {
        ["pipe-to", line @ ..] if !line.is_empty() => Some(line.join(" ")),
        _ => None,
    });
    let (line, stdin) = match (browser, pipe) {
        (Some(line), _) if opens => (line, Handed::Nothing),
        (Some(_), _) => {
            return Some(Err(
                "it sets another browser and does not open it".to_owned()
            ));
        }
        (None, Some(line)) => (line, Handed::Text),
        (None, None) => return None,
    };
    let others = steps.iter().find(|step| {
        !matches!(step[0], "set" | "pipe-to")
            && !step[0].starts_with("set browser ")
            && !step[0].starts_with("open-in-browser")
    });
    if let Some(other) = others {
        return Some(Err(format!(
            "it runs a program and does something besides: `{}`",
            other.join(" ")
        )));
    }
    let line = line.trim().trim_matches('"');
    let Some(program) = program(line, "%u") else {
        return Some(Err("it names no program".to_owned()));
    };
    let run = if stdin == Handed::Text {
        // What it reads comes on its standard input, not as an argument.
        program.open("{}")
    } else {
        program.filled("{url}")
    };
    Some(Ok(External {
        name: program.name(),
        keys: Vec::new(),
        run,
        stdin,
        terminal: program.in_terminal,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_written_as_the_key_table_writes_it() {
        for (text, expected) in [
            ("j", Some("j")),
            ("^R", Some("^r")),
            ("ENTER", Some("Enter")),
            ("NPAGE", Some("PageDown")),
            ("F5", Some("F5")),
            ("SPACE", Some("Space")),
            ("NOSUCH", None),
            ("", None),
        ] {
            assert_eq!(key(text).as_deref(), expected, "{text}");
        }
        assert_eq!(sequence("gg").as_deref(), Some("g g"));
        assert_eq!(sequence("<C-r>x<ENTER>").as_deref(), Some("^r x Enter"));
        assert_eq!(sequence("^Ra").as_deref(), Some("^r a"));
        assert_eq!(sequence(""), None);
    }

    #[test]
    fn every_operation_leads_to_an_action_that_exists() {
        let rows = crate::config::key_table().expect("the built-in table");
        for (operation, action) in OPERATIONS {
            assert!(
                rows.iter().any(|row| row.name == *action),
                "{operation}: {action}"
            );
        }
    }

    fn make(line: &str) -> Result<Made, String> {
        let words = crate::parse::urls::words(line);
        made(vec![", x".to_owned()], &words, "")
    }

    #[test]
    fn a_macro_becomes_steps_or_a_program() {
        let Ok(Made::Macro(one)) = make("toggle-article-read ; next-unread -- \"on\"") else {
            panic!("a macro");
        };
        let steps: Vec<_> = one.steps.iter().map(|step| step.text.as_str()).collect();
        assert_eq!(steps, ["toggle-read", "next-unread"]);
        assert_eq!(one.name, "on");
        for (line, run, terminal, stdin) in [
            (
                "set browser \"mpv --fs %u\" ; open-in-browser ; set browser firefox",
                "mpv|--fs|{url}",
                false,
                Handed::Nothing,
            ),
            (
                "set browser lynx; open-in-browser-and-mark-read",
                "lynx|{url}",
                true,
                Handed::Nothing,
            ),
            (
                "set browser \"echo %u | wl-copy\" ; open-in-browser",
                "sh|-c|echo \"$1\" | wl-copy|sh|{url}",
                false,
                Handed::Nothing,
            ),
            ("pipe-to \"less -R\"", "less|-R", false, Handed::Text),
        ] {
            let Ok(Made::Command(one)) = make(line) else {
                panic!("{line}");
            };
            assert_eq!(one.run.join("|"), run, "{line}");
            assert_eq!((one.terminal, one.stdin), (terminal, stdin), "{line}");
        }
        assert!(make("delete-all-articles").is_err());
        assert!(make("set browser x").is_err());
        assert!(make("").is_err());
        assert!(make("set browser x ; open-in-browser ; reload-all").is_err());
    }
}
