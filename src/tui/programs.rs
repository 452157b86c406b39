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
