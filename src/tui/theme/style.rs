//! Words of a theme into a style, and a style into what the terminal can show.

use ratatui::style::{Color, Modifier, Style};

use super::{Colours, Tone};

/// The style that the words describe, or the word that is none.
pub fn words_to_style(words: &str) -> Result<Style, String> {
    let mut style = Style::new();
    let mut ground = false;
    for word in words.split_whitespace() {
        if word == "on" {
            ground = true;
        } else if let Some(modifier) = modifier(word) {
            style = style.add_modifier(modifier);
        } else {
            let colour = colour(word).ok_or_else(|| word.to_owned())?;
            style = if ground {
                style.bg(colour)
            } else {
                style.fg(colour)
            };
            ground = false;
        }
    }
    if ground {
        return Err("on".to_owned());
    }
    Ok(style)
}

fn modifier(word: &str) -> Option<Modifier> {
    Some(match word {
        "bold" => Modifier::BOLD,
        "dim" => Modifier::DIM,
        "italic" => Modifier::ITALIC,
        "underline" => Modifier::UNDERLINED,
        "reverse" => Modifier::REVERSED,
        "crossed" => Modifier::CROSSED_OUT,
        _ => return None,
    })
}

/// The sixteen, in the order of their numbers.
const ANSI: [(&str, Color); 16] = [
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("white", Color::Gray),
    ("bright-black", Color::DarkGray),
    ("bright-red", Color::LightRed),
    ("bright-green", Color::LightGreen),
    ("bright-yellow", Color::LightYellow),
    ("bright-blue", Color::LightBlue),
    ("bright-magenta", Color::LightMagenta),
    ("bright-cyan", Color::LightCyan),
    ("bright-white", Color::White),
];

fn colour(word: &str) -> Option<Color> {
    if let Some((_, colour)) = ANSI.iter().find(|(name, _)| *name == word) {
        return Some(*colour);
    }
    if let Some(hex) = word.strip_prefix('#') {
        if hex.len() != 6 || !hex.is_ascii() {
            return None;
        }
        let part = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).ok();
        return Some(Color::Rgb(part(0)?, part(2)?, part(4)?));
    }
    word.parse().ok().map(Color::Indexed)
}

/// Brings a style down to what the terminal can show. A ground that would vanish becomes reverse video,
/// so that the cursor is never lost.
pub fn reduce(style: Style, colours: Colours, tone: Tone) -> Style {
    match colours {
        Colours::All => style,
        Colours::Palette => Style {
            fg: style.fg.map(to_palette),
            bg: style.bg.map(to_palette),
            ..style
        },
        Colours::Sixteen => {
            let cursor = matches!(tone, Tone::Selected | Tone::SelectedAway);
            let named = |c: Color| !matches!(c, Color::Indexed(_) | Color::Rgb(..));
            if cursor && style.bg.is_some_and(|c| !named(c)) {
                let mark = if tone == Tone::Selected {
                    Modifier::REVERSED
                } else {
                    Modifier::UNDERLINED
                };
                return Style::new().add_modifier(mark);
            }
            Style {
                fg: style.fg.map(to_sixteen),
                bg: style.bg.map(to_sixteen),
                ..style
            }
        }
        Colours::None => Style {
            fg: None,
            bg: None,
            ..style
        },
    }
}

fn to_palette(colour: Color) -> Color {
    let Color::Rgb(r, g, b) = colour else {
        return colour;
    };
    if r == g && g == b && (8..=238).contains(&r) {
        return Color::Indexed(232 + (r - 8) / 10);
    }
    let step = |v: u8| match v {
        0..48 => 0,
        48..115 => 1,
        _ => (v - 35) / 40,
    };
    Color::Indexed(16 + 36 * step(r) + 6 * step(g) + step(b))
}

/// The nearest of the sixteen.
pub fn to_sixteen(colour: Color) -> Color {
    let (r, g, b) = match colour {
        Color::Rgb(r, g, b) => (r, g, b),
        Color::Indexed(n @ 0..16) => return ANSI[usize::from(n)].1,
        Color::Indexed(n @ 16..232) => {
            let level = |v: u8| if v == 0 { 0 } else { 55 + v * 40 };
            let n = n - 16;
            (level(n / 36), level(n / 6 % 6), level(n % 6))
        }
        Color::Indexed(n) => {
            let grey = 8 + (n - 232) * 10;
            (grey, grey, grey)
        }
        named => return named,
    };
    let top = r.max(g).max(b);
    if top.abs_diff(r.min(g).min(b)) < 32 {
        let greys = [Color::Black, Color::DarkGray, Color::Gray, Color::White];
        return greys[usize::from(top / 64)];
    }
    let bit = |v: u8, bit: usize| if v > top / 2 { bit } else { 0 };
    let bright = if top > 215 { 8 } else { 0 };
    ANSI[bit(r, 1) + bit(g, 2) + bit(b, 4) + bright].1
}
