//! Rows of newsboat's cache as entries with their marks.

use super::terms::flag_tag;
use crate::model::{Adopted, Standing, Timestamp};
use crate::parse::{self, Stored};

/// The columns of `rss_item` that an article is made of, in the order of `Article::of`. Those that an older newsboat does not
/// have are left out there.
pub const COLUMNS: [&str; 14] = [
    "guid",
    "title",
    "author",
    "url",
    "pubDate",
    "content",
    "unread",
    "enclosure_url",
    "enclosure_type",
    "flags",
    "deleted",
    "base",
    "content_mime_type",
    "feedurl",
];

/// A row of `rss_item`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Article {
    /// As text, in the order of `COLUMNS`; empty for a column that is not there.
    pub values: [String; COLUMNS.len()],
}

impl Article {
    /// The entry, with marks: a flagged one is starred and has a tag for each letter. `base` is what its links are resolved
    /// against where the row does not say.
    pub fn adopted(self, base: &str) -> Adopted {
        let [
            guid,
            title,
            author,
            link,
            date,
            text,
            unread,
            enclosure_url,
            enclosure_type,
            flags,
            deleted,
            own_base,
            mime,
            _,
        ] = self.values;
        let published = date.parse().ok().filter(|at| *at > 0).map(Timestamp);
        let (entry, keys) = parse::stored(Stored {
            guid,
            title,
            author,
            link,
            published,
            base: if own_base.is_empty() {
                base.to_owned()
            } else {
                own_base
            },
            text,
            is_html: mime != "text/plain",
            enclosure: (!enclosure_url.is_empty()).then_some((enclosure_url, enclosure_type)),
        });
        let mut letters: Vec<char> = flags.chars().filter(char::is_ascii_alphabetic).collect();
        letters.sort_unstable();
        letters.dedup();
        Adopted {
            entry,
            keys,
            standing: match (deleted.as_str(), unread.as_str()) {
                ("1", _) => Standing::Gone,
                (_, "1") => Standing::Unread,
                _ => Standing::Read,
            },
            starred: !letters.is_empty(),
            tags: letters.into_iter().map(flag_tag).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn article(values: [&str; COLUMNS.len()]) -> Article {
        Article {
            values: values.map(str::to_owned),
        }
    }

    #[test]
    fn flags_become_a_star_and_tags() {
        let adopted = article([
            "g",
            "T",
            "Ada",
            "https://a.example/1",
            "1764000000",
            "<p>x</p>",
            "0",
            "",
            "",
            "bab1",
            "0",
            "",
            "",
            "https://a.example/f",
        ])
        .adopted("https://a.example/f");
        assert!(adopted.starred);
        assert_eq!(adopted.standing, Standing::Read);
        assert_eq!(adopted.tags, ["flag/a", "flag/b"]);
        assert_eq!(adopted.entry.published, Some(Timestamp(1_764_000_000)));
        assert_eq!(
            adopted.entry.body.base.as_deref(),
            Some("https://a.example/f")
        );
    }

    #[test]
    fn what_is_unread_and_deleted_is_told() {
        let mut row = article(["g"; COLUMNS.len()]);
        row.values[6] = "1".to_owned();
        row.values[9] = String::new();
        row.values[10] = "1".to_owned();
        let adopted = row.adopted("");
        assert!(!adopted.starred);
        assert_eq!(adopted.standing, Standing::Gone);
        assert_eq!(adopted.entry.published, None);
    }
}
