//! What a terminal is known to have, by the variables it sets. Nothing is asked of it: an answer may never come.

/// Links (OSC 8): those that have them set one of these. The others ignore the sequence as a rule, but the console of Linux
/// and very old ones print it.
pub fn has_links(variable: impl Fn(&str) -> Option<String>) -> bool {
    let text = |name| variable(name).unwrap_or_default();
    let (term, program) = (text("TERM"), text("TERM_PROGRAM"));
    if term == "linux" || term == "dumb" || term.is_empty() {
        return false;
    }
    let programs = [
        "iTerm.app",
        "WezTerm",
        "ghostty",
        "vscode",
        "Hyper",
        "rio",
        "tmux",
        "mintty",
        "WarpTerminal",
    ];
    let terms = [
        "kitty",
        "foot",
        "alacritty",
        "ghostty",
        "contour",
        "wezterm",
        "rio",
    ];
    let marks = [
        "KITTY_WINDOW_ID",
        "WT_SESSION",
        "KONSOLE_VERSION",
        "ALACRITTY_WINDOW_ID",
        "WEZTERM_PANE",
    ];
    // VTE: GNOME Terminal, Tilix, Terminator and others; 0.50 was the first that had them.
    let vte = text("VTE_VERSION")
        .parse::<u32>()
        .is_ok_and(|version| version >= 5_000);
    vte || programs.contains(&program.as_str())
        || terms.iter().any(|name| term.contains(name))
        || marks.iter().any(|name| variable(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_for_terminals_that_have_them() {
        let with = |pairs: &'static [(&str, &str)]| {
            has_links(|name| {
                let found = pairs.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert!(with(&[("TERM", "xterm-kitty")]));
        assert!(with(&[("TERM", "xterm-256color"), ("VTE_VERSION", "7200")]));
        assert!(with(&[
            ("TERM", "xterm-256color"),
            ("TERM_PROGRAM", "WezTerm")
        ]));
        assert!(!with(&[
            ("TERM", "xterm-256color"),
            ("VTE_VERSION", "4800")
        ]));
        assert!(!with(&[("TERM", "xterm")]));
        assert!(!with(&[("TERM", "linux"), ("WT_SESSION", "1")]));
        assert!(!with(&[]));
    }
}
