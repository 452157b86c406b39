//! The columns of the status tables: which there are, which fit, how wide they are.

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Column {
    /// Title of the feed, or the host.
    Name,
    /// How many feeds a host has.
    Feeds,
    /// Answers 304.
    NotModified,
    /// Answers 200.
    Ok,
    /// Answers 200 with the same content.
    Identical,
    /// Polls that failed.
    Errors,
    /// Share of answers that were 304.
    HitRate,
    /// Body bytes on the wire.
    Bytes,
    /// Body bytes that 304s saved.
    Saved,
    /// Status and age of the last answer.
    Last,
    /// When it is asked next.
    #[default]
    Next,
    /// How long until then.
    Countdown,
    /// The rule that set it.
    Rule,
    /// Validators that the next request carries.
    Sends,
    /// Until when its host is held.
    Hold,
}

/// How a column is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Which.
    pub column: Column,
    /// Its heading.
    pub title: &'static str,
    /// Its least width.
    pub width: u16,
    /// Columns are given up from the highest number on, where they do not all fit.
    pub rank: u8,
    /// Figures are pushed to the right.
    pub right: bool,
}

const fn look(column: Column, title: &'static str, width: u16, rank: u8, right: bool) -> Look {
    Look {
        column,
        title,
        width,
        rank,
        right,
    }
}

/// The columns of the table by feed, from the left.
pub const BY_FEED: &[Look] = &[
    look(Column::Name, "feed", 14, 0, false),
    look(Column::NotModified, "304", 5, 1, true),
    look(Column::Ok, "200", 5, 2, true),
    look(Column::Identical, "ident", 5, 9, true),
    look(Column::Errors, "err", 3, 6, true),
    look(Column::HitRate, "hit", 4, 5, true),
    look(Column::Bytes, "bytes", 6, 11, true),
    look(Column::Saved, "saved", 6, 10, true),
    look(Column::Last, "last", 10, 8, false),
    look(Column::Next, "next", 9, 3, true),
    look(Column::Countdown, "in", 9, 4, true),
    look(Column::Rule, "rule", 14, 7, false),
    look(Column::Sends, "sends", 5, 12, false),
    look(Column::Hold, "hold", 9, 13, false),
];

/// The columns of the table by host.
pub const BY_HOST: &[Look] = &[
    look(Column::Name, "host", 14, 0, false),
    look(Column::Feeds, "feeds", 5, 5, true),
    look(Column::NotModified, "304", 6, 1, true),
    look(Column::Ok, "200", 6, 2, true),
    look(Column::Identical, "ident", 5, 9, true),
    look(Column::Errors, "err", 4, 6, true),
    look(Column::HitRate, "hit", 5, 7, true),
    look(Column::Bytes, "bytes", 7, 11, true),
    look(Column::Saved, "saved", 7, 10, true),
    look(Column::Next, "next", 9, 3, true),
    look(Column::Countdown, "in", 9, 4, true),
    look(Column::Hold, "hold", 9, 8, false),
];

/// What the lines of a table would like to have, found when they are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wants {
    /// Columns of the longest name.
    pub name: u16,
    /// Columns of the longest rule.
    pub rule: u16,
    /// Some line is held.
    pub held: bool,
}

/// A name has at least so many columns where there are not more for all.
const NAME_LEAST: u16 = 14;

/// From this rank on a column has to leave names their room.
const NICE_TO_HAVE: u8 = 7;

/// What names get, if they are so long, before columns that are nice to have.
const NAME_FIRST: u16 = 28;

/// What a name gets at most.
const NAME_MOST: u16 = 60;

/// Chooses the columns that fit into `width`, with one blank between them, and shares out what is left over: names first.
/// The column that `sorted` names is always there.
pub fn fitting(looks: &[Look], width: u16, sorted: Column, wants: Wants) -> Vec<Look> {
    let mut kept: Vec<Look> = looks.to_vec();
    kept.retain(|look| wants.held || look.column != Column::Hold || look.column == sorted);
    let needs = |kept: &[Look]| {
        let widths: u16 = kept.iter().map(|look| look.width).sum();
        widths + kept.len().saturating_sub(1) as u16
    };
    let droppable = |look: &Look| look.rank > 0 && look.column != sorted;
    let first = wants.name.clamp(NAME_LEAST, NAME_FIRST) - NAME_LEAST;
    while kept.len() > 1 {
        let worst = (0..kept.len())
            .filter(|at| droppable(&kept[*at]))
            .max_by_key(|at| kept[*at].rank);
        let Some(at) = worst else { break };
        let first = if kept[at].rank >= NICE_TO_HAVE {
            first
        } else {
            0
        };
        if needs(&kept) + first <= width {
            break;
        }
        kept.remove(at);
    }
    let mut over = width.saturating_sub(needs(&kept));
    for (column, wanted) in [
        (Column::Name, wants.name.min(NAME_MOST)),
        (Column::Rule, wants.rule),
    ] {
        if let Some(look) = kept.iter_mut().find(|look| look.column == column) {
            let more = wanted.saturating_sub(look.width).min(over);
            look.width += more;
            over -= more;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Wants = Wants {
        name: 40,
        rule: 40,
        held: true,
    };

    fn name_width(kept: &[Look]) -> u16 {
        kept[0].width
    }

    #[test]
    fn the_important_columns_fit_into_50_and_the_sorted_one_always() {
        let titles = |width| -> Vec<&str> {
            let kept = fitting(BY_FEED, width, Column::Next, LONG);
            kept.iter().map(|look| look.title).collect()
        };
        assert_eq!(titles(48), ["feed", "304", "200", "next", "in"]);
        assert_eq!(titles(200).len(), BY_FEED.len());
        for width in 0..200 {
            let kept = fitting(BY_FEED, width, Column::Sends, LONG);
            let used: u16 = kept.iter().map(|look| look.width + 1).sum();
            assert!(used <= width + 1 || kept.len() <= 2, "{width}");
            assert!(kept.iter().any(|look| look.column == Column::Sends));
        }
    }

    #[test]
    fn names_come_before_columns_that_are_nice_to_have() {
        let kept = fitting(BY_FEED, 116, Column::Next, LONG);
        assert!(name_width(&kept) >= NAME_FIRST, "{kept:?}");
        // Where names are short, there is room for more columns, and no name has more than it needs.
        let short = Wants {
            name: 12,
            rule: 20,
            held: false,
        };
        let more = fitting(BY_FEED, 116, Column::Next, short);
        assert!(more.len() > kept.len() && name_width(&more) == NAME_LEAST);
        let wide = fitting(BY_FEED, 200, Column::Next, LONG);
        assert_eq!(name_width(&wide), 40);
    }

    #[test]
    fn nobody_held_needs_no_column() {
        let nobody = Wants {
            held: false,
            ..LONG
        };
        let has_hold = |sorted| {
            let kept = fitting(BY_FEED, 200, sorted, nobody);
            kept.iter().any(|look| look.column == Column::Hold)
        };
        assert!(!has_hold(Column::Next) && has_hold(Column::Hold));
    }
}
