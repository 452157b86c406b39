//! Command lines of newsboat's, which go through a shell there, as argument vectors.

/// What only a shell understands.
const SHELL: [char; 14] = [
    '|', '&', ';', '<', '>', '$', '`', '*', '?', '(', ')', '\'', '"', '\\',
];

/// Browsers that draw into the terminal.
const IN_TERMINAL: [&str; 7] = [
    "lynx", "w3m", "links", "links2", "elinks", "browsh", "carbonyl",
];

/// A program, and how it wants to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    /// The program and its arguments, `{}` for the address.
    pub words: Vec<String>,
    /// It draws into the terminal.
    pub in_terminal: bool,
}

/// The argument vector of a command line in which `hole` (`%u`, `%f`) stands for something, which otherwise comes last. What
/// needs a shell is handed to one, the address as an argument and never as a part of the line. `None` where nothing is named.
pub(super) fn program(line: &str, hole: &str) -> Option<Program> {
    // A trailing `&` only means that nobody waits.
    let line = line.trim().trim_end_matches('&').trim_end();
    let line = line
        .strip_suffix(">/dev/null 2>&1")
        .unwrap_or(line)
        .trim_end();
    let quoted = [format!("'{hole}'"), format!("\"{hole}\""), hole.to_owned()];
    let bare = quoted
        .iter()
        .fold(line.to_owned(), |line, form| line.replace(form, hole));
    let name = bare.split_whitespace().next()?.to_owned();
    let name = name.rsplit('/').next().unwrap_or(&name);
    let in_terminal = IN_TERMINAL.contains(&name);
    let in_home = |word: &str| word.starts_with("~/");
    if bare.contains(SHELL) || bare.split_whitespace().any(in_home) {
        let line = if bare.contains(hole) {
            bare.replace(hole, "\"$1\"")
        } else {
            format!("{bare} \"$1\"")
        };
        let words = ["sh", "-c", &line, "sh", "{}"].map(str::to_owned).to_vec();
        return Some(Program { words, in_terminal });
    }
    let mut words: Vec<String> = bare.split_whitespace().map(str::to_owned).collect();
    if bare.contains(hole) {
        for word in &mut words {
            *word = word.replace(hole, "{}");
        }
    } else {
        words.push("{}".to_owned());
    }
    Some(Program { words, in_terminal })
}

impl Program {
    /// With `hole` where the address stands.
    pub fn filled(&self, hole: &str) -> Vec<String> {
        let words = self.words.iter();
        words.map(|word| word.replace("{}", hole)).collect()
    }

    /// Without the place for the address, where that comes last in any case.
    pub fn open(&self, hole: &str) -> Vec<String> {
        let mut words = self.filled(hole);
        if words.last().is_some_and(|last| last == hole) {
            words.pop();
        }
        words
    }

    /// What a person calls it.
    pub fn name(&self) -> String {
        let line = match self.words.as_slice() {
            [sh, c, line, ..] if sh == "sh" && c == "-c" => line.as_str(),
            [first, ..] => first.as_str(),
            [] => "",
        };
        let first = line.split_whitespace().next().unwrap_or_default();
        first.rsplit('/').next().unwrap_or(first).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_becomes_words_and_only_what_needs_a_shell_gets_one() {
        for (line, words, in_terminal) in [
            ("firefox", "firefox|{}", false),
            ("w3m %u", "w3m|{}", true),
            ("/usr/bin/lynx", "/usr/bin/lynx|{}", true),
            ("mpv --volume=50 '%u' &", "mpv|--volume=50|{}", false),
            ("xdg-open %u >/dev/null 2>&1 &", "xdg-open|{}", false),
            ("b --url=%u -x", "b|--url={}|-x", false),
            (
                "echo \"%u\" | wl-copy",
                "sh|-c|echo \"$1\" | wl-copy|sh|{}",
                false,
            ),
            ("~/bin/x", "sh|-c|~/bin/x \"$1\"|sh|{}", false),
            ("cd ~ && dl", "sh|-c|cd ~ && dl \"$1\"|sh|{}", false),
        ] {
            let program = program(line, "%u").expect(line);
            assert_eq!(program.words.join("|"), words, "{line}");
            assert_eq!(program.in_terminal, in_terminal, "{line}");
        }
        assert_eq!(program(" & ", "%u"), None);
        let one = program("echo %u | wl-copy", "%u").expect("one");
        assert_eq!(one.name(), "echo");
        assert_eq!(
            program("a/b -x", "%u").map(|p| p.open("%u")),
            Some(vec!["a/b".to_owned(), "-x".to_owned()])
        );
    }
}
