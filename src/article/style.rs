//! The names that a theme maps to colours: what a piece of text is, not how it looks.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

/// What a run of text is. One per run; [`Traits`] come on top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Kind {
    /// Running text.
    #[default]
    Text,
    /// A heading, 1 to 6.
    Heading(u8),
    /// A line of a code block.
    CodeBlock,
    /// A link's number, `[3]`.
    Number,
    /// A bullet or a number before a list item, the mark of a folded part.
    Marker,
    /// The bar beside quoted text.
    QuoteBar,
    /// The placeholder of an image; the index into `Page::images`.
    Image(u32),
    /// The placeholder of a video, a sound or an embedded page.
    Media,
    /// The words below a figure or above a table.
    Caption,
    /// A term that is being defined, the key of a folded table row.
    Term,
    /// A cell in the head of a table.
    TableHead,
    /// A horizontal line.
    Rule,
    /// A URL in the list of links at the end.
    Reference,
    /// Something tidings says about the page, not the author.
    Note,
}

/// A set of marks the author put on words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Traits(u8);

impl Traits {
    /// No mark.
    pub const NONE: Self = Self(0);
    /// Important words, as a rule bold.
    pub const STRONG: Self = Self(1);
    /// Stressed words, as a rule italic.
    pub const EMPHASIS: Self = Self(2);
    /// Inserted or underlined words.
    pub const UNDERLINE: Self = Self(4);
    /// Deleted words.
    pub const STRIKE: Self = Self(8);
    /// Code inside a line.
    pub const CODE: Self = Self(16);
    /// Words marked as with a pen.
    pub const MARK: Self = Self(32);
    /// Text of a quotation.
    pub const QUOTED: Self = Self(64);

    /// Whether all marks of `other` are set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether no mark is set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl BitOr for Traits {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Traits {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for Traits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [(Traits, &str); 7] = [
            (Traits::STRONG, "strong"),
            (Traits::EMPHASIS, "emphasis"),
            (Traits::UNDERLINE, "underline"),
            (Traits::STRIKE, "strike"),
            (Traits::CODE, "code"),
            (Traits::MARK, "mark"),
            (Traits::QUOTED, "quoted"),
        ];
        let set: Vec<&str> = NAMES
            .iter()
            .filter(|(one, _)| self.has(*one))
            .map(|(_, name)| *name)
            .collect();
        f.write_str(&set.join("+"))
    }
}

/// How a run is to be shown: what it is, the author's marks, and the link it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Style {
    /// What it is.
    pub kind: Kind,
    /// The author's marks.
    pub traits: Traits,
    /// The number of the link it is part of, from 1: `Page::link` gives the target.
    pub link: Option<u32>,
}

impl Style {
    /// A style of that kind alone.
    pub const fn of(kind: Kind) -> Self {
        Self {
            kind,
            traits: Traits::NONE,
            link: None,
        }
    }

    /// What two neighbours have in common: the style of a blank between them.
    #[must_use]
    pub fn shared(self, other: Self) -> Self {
        Self {
            kind: if self.kind == other.kind {
                self.kind
            } else {
                Kind::Text
            },
            traits: Traits(self.traits.0 & other.traits.0),
            link: self.link.filter(|_| self.link == other.link),
        }
    }

    /// The same with these marks added.
    #[must_use]
    pub fn with(mut self, traits: Traits) -> Self {
        self.traits |= traits;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_add_up_and_are_told_apart() {
        let both = Traits::STRONG | Traits::CODE;
        assert!(both.has(Traits::STRONG) && both.has(Traits::CODE) && !both.has(Traits::MARK));
        assert!(Traits::NONE.is_empty() && !both.is_empty());
        assert_eq!(format!("{both:?}"), "strong+code");
    }
}
