//! Raised and lowered text, and marks that lead to another place on the same page.

use super::super::document::Span;
use super::super::style::Style;
use super::inline::Inline;

/// Marks that only lead to another place on the page: a heading's anchor, a footnote's way back.
pub fn is_way_mark(words: &str) -> bool {
    matches!(
        words,
        "" | "#"
            | "##"
            | "¶"
            | "§"
            | "🔗"
            | "↩"
            | "↩︎"
            | "↩️"
            | "⤴"
            | "⏎"
            | "^"
            | "↑"
            | "⇑"
            | "[↩]"
            | "[return]"
    )
}

/// Raised or lowered text in characters of its own, where all of it has some; `^` before what has none.
pub fn scripted(script: &Inline, up: bool) -> Option<(String, Style)> {
    let [Span { text, style }] = script.spans() else {
        return None;
    };
    let bare = text.trim().trim_start_matches('[').trim_end_matches(']');
    if bare.is_empty() || bare.len() > 40 {
        return None;
    }
    if let Some(raised) = bare
        .chars()
        .map(|c| raise(c, up))
        .collect::<Option<String>>()
    {
        return Some((raised, *style));
    }
    let letters = bare.chars().count();
    // 1st, 2nd, TM, a lone asterisk: as they are.
    if bare.chars().any(char::is_whitespace) || letters > 2 {
        let mark = if up { "^" } else { "_" };
        return Some((format!("{mark}({bare})"), *style));
    }
    None
}

fn raise(c: char, up: bool) -> Option<char> {
    const UP: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ";
    const DOWN: &str = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙᵢ";
    let c = if c == '−' || c == '–' { '-' } else { c };
    let at = "0123456789+-=()ni".find(c)?;
    let row = if up { UP } else { DOWN };
    row.chars().nth(at)
}
