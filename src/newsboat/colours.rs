//! `color` lines as a theme.

/// An element of newsboat's, and the name in a theme that it comes nearest.
const ELEMENTS: [(&str, &str); 7] = [
    ("listnormal", "read"),
    ("listnormal_unread", "unread"),
    ("listfocus", "selected"),
    ("article", "text"),
    ("info", "title"),
    ("title", "title"),
    ("hint-key", "accent"),
];

const COLOURS: [&str; 8] = [
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
];

/// The line of a theme that `color ELEMENT FG BG [ATTRIBUTE …]` makes, or why there is none.
pub(super) fn tone(words: &[String]) -> Result<(&'static str, String), &'static str> {
    let [_, element, foreground, background, attributes @ ..] = words else {
        return Err("it needs an element and two colours");
    };
    let tone = ELEMENTS.iter().find(|(of, _)| of == element);
    let Some((_, tone)) = tone else {
        return Err("a theme has no name for this; see themes/newsboat.toml and `t`");
    };
    let unknown = "a colour that no theme has";
    let mut look = Vec::new();
    for attribute in attributes {
        match attribute.as_str() {
            "bold" | "dim" | "underline" | "reverse" => look.push(attribute.clone()),
            "standout" => look.push("reverse".to_owned()),
            _ => {}
        }
    }
    for (name, ground) in [(foreground, ""), (background, "on ")] {
        // The terminal's own needs no word.
        if name != "default" {
            let colour = colour(name).ok_or(unknown)?;
            look.push(format!("{ground}{colour}"));
        }
    }
    Ok((tone, look.join(" ")))
}

/// As a theme writes it.
fn colour(name: &str) -> Option<String> {
    if COLOURS.contains(&name) {
        return Some(name.to_owned());
    }
    let number = name.strip_prefix("color")?.parse::<u8>().ok()?;
    Some(number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_line_is_a_line_of_a_theme() {
        let of = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            tone(&words)
        };
        assert_eq!(
            of("color listfocus black yellow bold"),
            Ok(("selected", "bold black on yellow".to_owned()))
        );
        assert_eq!(
            of("color listnormal_unread color215 default standout blink"),
            Ok(("unread", "reverse 215".to_owned()))
        );
        assert_eq!(
            of("color article default default"),
            Ok(("text", String::new()))
        );
        assert!(of("color background white black").is_err());
        assert!(of("color article pink default").is_err());
        assert!(of("color article color256 default").is_err());
        assert!(of("color article").is_err());
    }
}
