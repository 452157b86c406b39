//! Programs of the user's: which words are run, and what they are handed. No shell ever reads them.

/// A program to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The program and its arguments; empty for what the environment names to show a text.
    pub words: Vec<String>,
    /// What it is handed.
    pub hands: Hands,
    /// Where it runs.
    pub stage: Stage,
    /// How a person names another one, a clause: `player` in config.toml names it.
    pub named_by: &'static str,
}

/// What a program is handed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hands {
    /// Its arguments alone.
    Nothing,
    /// A text on its standard input.
    Input(String),
    /// A text in a file of its own, whose path is the last argument. The file goes when the program has ended.
    File(String),
    /// A text in a file of its own, whose path stands where its arguments want it, and perhaps its standard input.
    Placed {
        /// The text.
        file: String,
        /// How the name of the file ends.
        ending: &'static str,
        /// Word and byte in it where the path is put, the last place first.
        at: Vec<(usize, usize)>,
        /// What stands on its standard input.
        input: Option<String>,
    },
}

/// Where a program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It has the terminal until it ends.
    Terminal,
    /// The same, and what it wrote stays to be read until Enter.
    TerminalToRead,
    /// Beside the reader, without the terminal; it outlives the reader.
    Beside,
}

/// The words to run: `%u` (`%s` in `$BROWSER`) stands for the URL, else it comes last.
pub fn with_url(command: &[String], url: &str) -> Vec<String> {
    let place = |word: &String| word.contains("%u") || word.contains("%s");
    let placed = command.iter().skip(1).any(place);
    let mut words: Vec<String> = command.iter().take(1).cloned().collect();
    let arguments = command.iter().skip(1);
    // In one step: a URL may hold the placeholder itself.
    words.extend(
        arguments.map(|word| match word.find("%u").or(word.find("%s")) {
            Some(at) => format!("{}{url}{}", &word[..at], &word[at + 2..]),
            None => word.clone(),
        }),
    );
    if !placed {
        words.push(url.to_owned());
    }
    words
}

/// The words with `values` in their places, each within one word, and the places of `file`, the last one first. The program
/// itself is no place. What is put in is never looked at again, and never makes an option of a word: a blank is put before it.
pub fn fill(
    command: &[String],
    values: &[(&str, String)],
    file: &str,
) -> (Vec<String>, Vec<(usize, usize)>) {
    let mut at = Vec::new();
    let mut words: Vec<String> = command.iter().take(1).cloned().collect();
    for word in command.iter().skip(1) {
        let mut rest = word.as_str();
        let mut filled = String::new();
        while let Some(brace) = rest.find('{') {
            filled.push_str(&rest[..brace]);
            rest = &rest[brace..];
            if let Some((name, value)) = values.iter().find(|(name, _)| rest.starts_with(name)) {
                if filled.is_empty() && value.starts_with('-') {
                    filled.push(' ');
                }
                filled.push_str(value);
                rest = &rest[name.len()..];
            } else if let Some(after) = rest.strip_prefix(file) {
                at.push((words.len(), filled.len()));
                rest = after;
            } else {
                filled.push('{');
                rest = &rest[1..];
            }
        }
        filled.push_str(rest);
        words.push(filled);
    }
    at.reverse();
    (words, at)
}

/// A line of words, quoted as for a shell; `None` where a quote is not closed.
pub fn words(line: &str) -> Option<Vec<String>> {
    shlex::split(line)
}

/// The commands of `$BROWSER`, the first choice first: parted by colons, their words by blanks.
pub fn candidates(variable: &str) -> Vec<Vec<String>> {
    variable
        .split(':')
        .map(|command| command.split_whitespace().map(str::to_owned).collect())
        .filter(|command: &Vec<String>| !command.is_empty())
        .collect()
}

/// What shows a text where the settings name nothing, by the variables of the environment.
pub fn editor(variable: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let named = ["VISUAL", "EDITOR", "PAGER"].iter().find_map(|name| {
        let words = words(&variable(name)?)?;
        (!words.is_empty()).then_some(words)
    });
    named.unwrap_or_else(|| vec!["less".to_owned()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_names_commands_in_order() {
        let found = candidates("firefox --new-tab %s::w3m");
        assert_eq!(found, [vec!["firefox", "--new-tab", "%s"], vec!["w3m"]]);
        assert!(candidates(" : ").is_empty());
    }

    #[test]
    fn the_url_takes_its_place_or_the_end_and_is_one_word() {
        let url = "https://a.example/%s?%u=a b;$(x)`y`";
        for (command, expected) in [
            (vec!["b"], vec!["b", url]),
            (vec!["b", "-n", "%u"], vec!["b", "-n", url]),
            (
                vec!["b", "x=%s", "-n"],
                vec!["b", "x=https://a.example/%s?%u=a b;$(x)`y`", "-n"],
            ),
        ] {
            let command: Vec<String> = command.into_iter().map(str::to_owned).collect();
            assert_eq!(with_url(&command, url), expected);
        }
    }

    #[test]
    fn what_is_put_in_stays_one_word_and_is_not_read_again() {
        let command = [
            "p",
            "-t",
            "{title}",
            "--url={url}",
            "{file}:{file}",
            "{x} {",
        ];
        let command = command.map(str::to_owned);
        let values = [
            ("{url}", "https://a.example/?{title}&$(x)".to_owned()),
            ("{title}", "--exec {file} 'a b' {url}".to_owned()),
        ];
        let (words, at) = fill(&command, &values, "{file}");
        assert_eq!(
            words,
            [
                "p",
                "-t",
                " --exec {file} 'a b' {url}",
                "--url=https://a.example/?{title}&$(x)",
                ":",
                "{x} {",
            ]
        );
        assert_eq!(at, [(4, 1), (4, 0)]);
    }

    #[test]
    fn a_line_is_cut_as_a_shell_would_and_nothing_else_is_done_to_it() {
        assert_eq!(
            words("grep -i 'a b' \"$HOME\" *.txt | wc"),
            Some(
                ["grep", "-i", "a b", "$HOME", "*.txt", "|", "wc"]
                    .map(str::to_owned)
                    .to_vec()
            )
        );
        assert_eq!(words("grep 'a"), None);
        assert_eq!(words("  "), Some(Vec::new()));
    }

    #[test]
    fn the_environment_names_what_shows_a_text() {
        let with = |pairs: &'static [(&str, &str)]| {
            editor(|name| {
                let found = pairs.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(
            with(&[("EDITOR", "vim -R"), ("PAGER", "less")]),
            ["vim", "-R"]
        );
        assert_eq!(with(&[("VISUAL", ""), ("PAGER", "most")]), ["most"]);
        assert_eq!(with(&[]), ["less"]);
    }
}
