//! How things look: names that the views use, and what a theme file makes of them.

mod style;

use ratatui::style::Style;

use crate::config::{self, TableError};
use style::{reduce, words_to_style};

const DARK: &str = include_str!("../../assets/themes/dark.toml");
const LIGHT: &str = include_str!("../../assets/themes/light.toml");
const PLAIN: &str = include_str!("../../assets/themes/plain.toml");

/// A name of a look. What each is for stands in `assets/themes/dark.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "assets/themes/dark.toml says what each is for")]
pub enum Tone {
    Text,
    Dim,
    Accent,
    Border,
    BorderFocus,
    Title,
    Selected,
    SelectedAway,
    Unread,
    Read,
    Star,
    Good,
    Warn,
    Error,
    Heading,
    Strong,
    Emphasis,
    Code,
    Quote,
    Link,
    Number,
    Image,
    Hint,
    Match,
}

const TONES: [(Tone, &str); 24] = [
    (Tone::Text, "text"),
    (Tone::Dim, "dim"),
    (Tone::Accent, "accent"),
    (Tone::Border, "border"),
    (Tone::BorderFocus, "border-focus"),
    (Tone::Title, "title"),
    (Tone::Selected, "selected"),
    (Tone::SelectedAway, "selected-away"),
    (Tone::Unread, "unread"),
    (Tone::Read, "read"),
    (Tone::Star, "star"),
    (Tone::Good, "good"),
    (Tone::Warn, "warn"),
    (Tone::Error, "error"),
    (Tone::Heading, "heading"),
    (Tone::Strong, "strong"),
    (Tone::Emphasis, "emphasis"),
    (Tone::Code, "code"),
    (Tone::Quote, "quote"),
    (Tone::Link, "link"),
    (Tone::Number, "number"),
    (Tone::Image, "image"),
    (Tone::Hint, "hint"),
    (Tone::Match, "match"),
];

/// How many colours the terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colours {
    /// None are wanted: every theme is `plain`.
    None,
    /// The sixteen of old: others are brought down to them.
    Sixteen,
    /// 256: `#rrggbb` is brought down to them.
    Palette,
    /// All of them.
    #[default]
    All,
}

impl Colours {
    /// What `TERM` and `COLORTERM` promise; a terminal that promises nothing is taken to have 256.
    pub fn promised(term: &str, colorterm: &str) -> Self {
        match (term, colorterm) {
            ("dumb" | "vt100" | "vt220", _) => Self::None,
            ("linux" | "ansi" | "cygwin" | "xterm-16color" | "screen.linux", _) => Self::Sixteen,
            (_, "truecolor" | "24bit") => Self::All,
            _ if term.ends_with("-direct") => Self::All,
            _ => Self::Palette,
        }
    }
}

/// Why a theme cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThemeError {
    /// The file is no table of words.
    #[error(transparent)]
    Table(#[from] TableError),
    /// No theme of that name.
    #[error("there is no theme `{name}`; there are {known}")]
    Unknown {
        /// As asked for.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// No such name in a theme.
    #[error("{file}:{line}: there is no `{name}` in a theme; the nearest is `{nearest}`")]
    Tone {
        /// The theme's file.
        file: String,
        /// Its line, from 1.
        line: usize,
        /// As written.
        name: String,
        /// The nearest one there is.
        nearest: String,
    },
    /// No such word.
    #[error("{file}:{line}: `{word}` of `{name}` is no colour and no style")]
    Word {
        /// The theme's file.
        file: String,
        /// Its line, from 1.
        line: usize,
        /// The line.
        name: String,
        /// The word.
        word: String,
    },
}

/// A theme ready for use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    /// Its name.
    pub name: String,
    styles: [Style; TONES.len()],
}

impl Theme {
    /// The look of that name.
    pub fn style(&self, tone: Tone) -> Style {
        self.styles[tone as usize]
    }

    /// Reads a theme file. Names it leaves out look as in `dark`.
    pub fn read(name: &str, text: &str, colours: Colours) -> Result<Self, ThemeError> {
        let mut styles = [Style::new(); TONES.len()];
        if name != "dark" && name != "plain" {
            styles = Self::read("dark", DARK, colours)?.styles;
        }
        for line in styled(name, text)? {
            let (tone, style) = line?;
            styles[tone as usize] = reduce(style, colours, tone);
        }
        Ok(Self {
            name: name.to_owned(),
            styles,
        })
    }

    /// Everything that is wrong with a theme file.
    pub fn faults(name: &str, text: &str) -> Vec<ThemeError> {
        match styled(name, text) {
            Ok(lines) => lines.into_iter().filter_map(Result::err).collect(),
            Err(error) => vec![error],
        }
    }
}

/// A line of a theme file: a style, or what is wrong with it.
type Line = Result<(Tone, Style), ThemeError>;

/// The lines of a theme file, where it is a table of words.
fn styled(name: &str, text: &str) -> Result<Vec<Line>, ThemeError> {
    let file = format!("themes/{name}.toml");
    let read = |(key, words): (String, String)| {
        let line = || config::line_of(text, "", &key);
        let Some((tone, _)) = TONES.iter().find(|(_, known)| *known == key) else {
            return Err(ThemeError::Tone {
                nearest: nearest(&key).to_owned(),
                file: file.clone(),
                line: line(),
                name: key,
            });
        };
        match words_to_style(&words) {
            Ok(style) => Ok((*tone, style)),
            Err(word) => Err(ThemeError::Word {
                file: file.clone(),
                line: line(),
                name: key,
                word,
            }),
        }
    };
    let rows = config::theme(text, &file)?;
    Ok(rows.into_iter().map(read).collect())
}

/// The themes there are: the built-in three, and the user's own as text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Themes {
    /// Name and text of the files in the user's `themes/`; one named like a built-in replaces it.
    pub own: Vec<(String, String)>,
    /// What the terminal can show.
    pub colours: Colours,
}

impl Themes {
    /// Names in the order in which the key goes through them.
    pub fn names(&self) -> Vec<&str> {
        let mut names = vec!["dark", "light", "plain"];
        for (name, _) in &self.own {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    /// The theme of that name. Without colours every name gives `plain`, under its own name.
    pub fn get(&self, name: &str) -> Result<Theme, ThemeError> {
        let own = self.own.iter().find(|(known, _)| known == name);
        let text = match (own, name) {
            (Some((_, text)), _) => text.as_str(),
            (None, "dark") => DARK,
            (None, "light") => LIGHT,
            (None, "plain") => PLAIN,
            _ => {
                return Err(ThemeError::Unknown {
                    name: name.to_owned(),
                    known: self.names().join(", "),
                });
            }
        };
        if self.colours == Colours::None {
            let mut theme = Theme::read("plain", PLAIN, self.colours)?;
            name.clone_into(&mut theme.name);
            return Ok(theme);
        }
        Theme::read(name, text, self.colours)
    }

    /// The name after `name`.
    pub fn after(&self, name: &str) -> String {
        let names = self.names();
        let at = names.iter().position(|known| *known == name);
        let next = at.map_or(0, |at| (at + 1) % names.len());
        names[next].to_owned()
    }
}

fn nearest(name: &str) -> &'static str {
    TONES
        .iter()
        .map(|(_, known)| *known)
        .min_by_key(|known| strsim::damerau_levenshtein(known, name))
        .unwrap_or("text")
}

#[cfg(test)]
mod tests {
    use ratatui::style::{Color, Modifier};

    use super::style::to_sixteen;
    use super::*;

    #[test]
    fn every_tone_stands_at_its_own_place_in_the_table() {
        for (at, (tone, _)) in TONES.iter().enumerate() {
            assert_eq!(*tone as usize, at, "{tone:?}");
        }
    }

    #[test]
    fn the_built_in_themes_name_every_tone() {
        for text in [DARK, LIGHT, PLAIN] {
            let lines = config::theme(text, "theme").expect("readable");
            assert_eq!(lines.len(), TONES.len());
        }
        for name in ["dark", "light", "plain"] {
            Themes::default().get(name).expect("usable");
        }
    }

    #[test]
    fn words_make_a_style() {
        assert_eq!(
            words_to_style("bold cyan on 236"),
            Ok(Style::new()
                .fg(Color::Cyan)
                .bg(Color::Indexed(236))
                .add_modifier(Modifier::BOLD))
        );
        assert_eq!(
            words_to_style("#ff8000"),
            Ok(Style::new().fg(Color::Rgb(255, 128, 0)))
        );
        for (words, word) in [("blod", "blod"), ("red on", "on"), ("#12345", "#12345")] {
            assert_eq!(words_to_style(words), Err(word.to_owned()));
        }
    }

    #[test]
    fn without_colours_no_theme_has_any() {
        let themes = Themes {
            own: vec![("mine".to_owned(), "text = \"red\"".to_owned())],
            colours: Colours::None,
        };
        for name in themes.names() {
            let theme = themes.get(name).expect("usable");
            assert!(
                theme
                    .styles
                    .iter()
                    .all(|s| s.fg.is_none() && s.bg.is_none())
            );
        }
    }

    #[test]
    fn sixteen_colours_keep_the_cursor_visible() {
        for name in ["dark", "light"] {
            let themes = Themes {
                own: Vec::new(),
                colours: Colours::Sixteen,
            };
            let theme = themes.get(name).expect("usable");
            let style = theme.style(Tone::Selected);
            assert!(style.add_modifier.contains(Modifier::REVERSED));
            assert!(theme.styles.iter().all(|s| {
                let old = |c: Option<Color>| !matches!(c, Some(Color::Indexed(_) | Color::Rgb(..)));
                old(s.fg) && old(s.bg)
            }));
        }
    }

    #[test]
    fn a_users_theme_stands_on_dark_and_says_what_is_wrong() {
        let own = Theme::read("mine", "accent = \"red\"", Colours::All).expect("usable");
        assert_eq!(own.style(Tone::Accent).fg, Some(Color::Red));
        assert_eq!(own.style(Tone::Star).fg, Some(Color::Yellow));
        let error = Theme::read("mine", "acent = \"red\"", Colours::All).expect_err("misspelt");
        assert!(error.to_string().contains("`accent`"), "{error}");
        let error = Theme::read("mine", "accent = \"rde\"", Colours::All).expect_err("misspelt");
        assert!(error.to_string().contains("`rde`"), "{error}");
    }

    #[test]
    fn a_terminal_is_taken_at_its_word() {
        for (term, colorterm, colours) in [
            ("xterm-256color", "", Colours::Palette),
            ("xterm-256color", "truecolor", Colours::All),
            ("linux", "", Colours::Sixteen),
            ("dumb", "", Colours::None),
        ] {
            assert_eq!(Colours::promised(term, colorterm), colours);
        }
    }

    #[test]
    fn bright_true_colours_come_down_to_their_kin() {
        for (from, to) in [
            (Color::Rgb(255, 0, 0), Color::LightRed),
            (Color::Rgb(0, 135, 0), Color::Green),
            (Color::Rgb(250, 250, 250), Color::White),
            (Color::Indexed(244), Color::Gray),
            (Color::Indexed(28), Color::Green),
            (Color::Cyan, Color::Cyan),
        ] {
            assert_eq!(to_sixteen(from), to, "{from:?}");
        }
    }
}
