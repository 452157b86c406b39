//! Which elements are known, and how an open one behaves when others open and close (HTML standard, §13.2.6).

/// How an element nests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Has no content and no end tag.
    Void,
    /// Closed by the adoption agency: may overlap others.
    Formatting,
    /// Any other inline element.
    Inline,
    /// Closes an open paragraph.
    Block,
    /// A part of a table.
    TablePart,
    /// Dropped with all that it holds.
    Dropped,
}

/// The elements that mean something here. All others are dissolved: their tags go, their text stays.
const KNOWN: &[(&str, Class)] = &[
    ("a", Class::Formatting),
    ("address", Class::Block),
    ("article", Class::Block),
    ("aside", Class::Block),
    ("audio", Class::Inline),
    ("b", Class::Formatting),
    ("blockquote", Class::Block),
    ("br", Class::Void),
    ("button", Class::Dropped),
    ("caption", Class::TablePart),
    ("center", Class::Block),
    ("cite", Class::Inline),
    ("code", Class::Formatting),
    ("dd", Class::Block),
    ("del", Class::Inline),
    ("details", Class::Block),
    ("dfn", Class::Inline),
    ("dialog", Class::Block),
    ("dir", Class::Block),
    ("div", Class::Block),
    ("dl", Class::Block),
    ("dt", Class::Block),
    ("em", Class::Formatting),
    ("embed", Class::Void),
    ("fieldset", Class::Block),
    ("figcaption", Class::Block),
    ("figure", Class::Block),
    ("footer", Class::Block),
    ("h1", Class::Block),
    ("h2", Class::Block),
    ("h3", Class::Block),
    ("h4", Class::Block),
    ("h5", Class::Block),
    ("h6", Class::Block),
    ("header", Class::Block),
    ("hgroup", Class::Block),
    ("hr", Class::Void),
    ("i", Class::Formatting),
    ("iframe", Class::Void),
    ("img", Class::Void),
    ("ins", Class::Inline),
    ("kbd", Class::Inline),
    ("li", Class::Block),
    ("listing", Class::Block),
    ("main", Class::Block),
    ("mark", Class::Inline),
    ("math", Class::Dropped),
    ("menu", Class::Block),
    ("nav", Class::Block),
    ("noembed", Class::Dropped),
    ("noframes", Class::Dropped),
    ("object", Class::Void),
    ("ol", Class::Block),
    ("p", Class::Block),
    ("picture", Class::Inline),
    ("pre", Class::Block),
    ("q", Class::Inline),
    ("rp", Class::Inline),
    ("rt", Class::Inline),
    ("ruby", Class::Inline),
    ("s", Class::Formatting),
    ("samp", Class::Inline),
    ("script", Class::Dropped),
    ("section", Class::Block),
    ("select", Class::Dropped),
    ("source", Class::Void),
    ("span", Class::Inline),
    ("strike", Class::Formatting),
    ("strong", Class::Formatting),
    ("style", Class::Dropped),
    ("sub", Class::Inline),
    ("summary", Class::Block),
    ("sup", Class::Inline),
    ("svg", Class::Dropped),
    ("table", Class::Block),
    ("tbody", Class::TablePart),
    ("td", Class::TablePart),
    ("textarea", Class::Dropped),
    ("tfoot", Class::TablePart),
    ("th", Class::TablePart),
    ("thead", Class::TablePart),
    ("title", Class::Dropped),
    ("tr", Class::TablePart),
    ("tt", Class::Formatting),
    ("u", Class::Formatting),
    ("ul", Class::Block),
    ("var", Class::Inline),
    ("video", Class::Inline),
    ("wbr", Class::Void),
    ("xmp", Class::Block),
];

/// The longest name in the table.
const LONGEST: usize = 10;

/// The element of that name, in any case.
pub fn known(name: &[u8]) -> Option<(&'static str, Class)> {
    let name = match name {
        // XHTML in a feed, copied with the prefix that it has there.
        [b'h', b':', rest @ ..]
        | [b'h', b't', b'm', b'l', b':', rest @ ..]
        | [b'x', b'h', b't', b'm', b'l', b':', rest @ ..] => rest,
        name => name,
    };
    if name.len() > LONGEST {
        return None;
    }
    let mut lower = [0; LONGEST];
    let lower = &mut lower[..name.len()];
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    KNOWN
        .binary_search_by(|(known, _)| known.as_bytes().cmp(lower))
        .ok()
        .map(|at| KNOWN[at])
}

/// A heading, h1 to h6.
pub fn is_heading(name: &str) -> bool {
    matches!(name.as_bytes(), [b'h', b'1'..=b'6'])
}

/// Ends the search for an open element: what is outside a cell cannot be closed from inside.
pub fn is_wall(name: &str) -> bool {
    matches!(name, "table" | "td" | "th" | "caption")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_found_in_any_case() {
        assert!(KNOWN.is_sorted_by(|a, b| a.0 < b.0));
        assert!(KNOWN.iter().all(|(name, _)| name.len() <= LONGEST));
        assert_eq!(known(b"BlockQuote"), Some(("blockquote", Class::Block)));
        assert_eq!(known(b"xhtml:p"), known(b"p"));
        assert_eq!(known(b"blink"), None);
        assert_eq!(known(b""), None);
        assert_eq!(known(&[b'a'; 1000]), None);
    }
}
