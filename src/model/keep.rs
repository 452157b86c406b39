//! How much of what a feed brought is kept.

use std::time::Duration;

/// Limits of what is kept of one feed. What is not said here is decided by whoever is asked next; zero is no limit.
/// Starred entries are beyond all limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Keep {
    /// The oldest entry, by the date it is listed under.
    pub age: Option<Duration>,
    /// How many entries, the newest.
    pub entries: Option<u64>,
    /// Bytes of text, unpacked.
    pub size: Option<u64>,
}

impl Keep {
    /// These limits, and where they say nothing those of `other`.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self {
            age: if self.age.is_some() {
                self.age
            } else {
                other.age
            },
            entries: if self.entries.is_some() {
                self.entries
            } else {
                other.entries
            },
            size: if self.size.is_some() {
                self.size
            } else {
                other.size
            },
        }
    }

    /// What is in force: the limits that are not zero.
    #[must_use]
    pub fn in_force(self) -> Self {
        Self {
            age: self.age.filter(|age| !age.is_zero()),
            entries: self.entries.filter(|most| *most > 0),
            size: self.size.filter(|most| *most > 0),
        }
    }

    /// Nothing is ever taken.
    #[must_use]
    pub fn is_all(self) -> bool {
        self.in_force() == Self::default()
    }
}

/// A tag is this one, or lies below it.
#[must_use]
pub fn is_under(tag: &str, upper: &str) -> bool {
    tag.strip_prefix(upper)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// `[keep]`: for all feeds, and for those of a tag.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeepSettings {
    /// Of every feed.
    pub all: Keep,
    /// Of the feeds under a tag.
    pub tags: Vec<(String, Keep)>,
}

impl KeepSettings {
    /// The limits of a feed with these tags and limits of its own: its own come first, then those of its tags, the
    /// narrowest tag first, then those of all.
    #[must_use]
    pub fn of(&self, own: Keep, tags: &[String]) -> Keep {
        let mut said: Vec<&(String, Keep)> = self
            .tags
            .iter()
            .filter(|(upper, _)| tags.iter().any(|tag| is_under(tag, upper)))
            .collect();
        super::arrange(&mut said, |a, b| b.0.len().cmp(&a.0.len()));
        said.iter()
            .fold(own, |keep, (_, other)| keep.or(*other))
            .or(self.all)
    }
}

/// What pruning took, or would take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pruned {
    /// Feeds that lost entries.
    pub feeds: u64,
    /// Entries.
    pub entries: u64,
    /// Bytes of their text, unpacked.
    pub bytes: u64,
}

impl Pruned {
    /// Both together.
    pub const fn add(&mut self, other: Self) {
        self.feeds += other.feeds;
        self.entries += other.entries;
        self.bytes += other.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn most(entries: u64) -> Keep {
        Keep {
            entries: Some(entries),
            ..Keep::default()
        }
    }

    #[test]
    fn a_feed_then_its_narrowest_tag_then_all_decide() {
        let settings = KeepSettings {
            all: Keep {
                age: Some(Duration::from_secs(60)),
                ..most(1_000)
            },
            tags: vec![
                ("news".to_owned(), most(100)),
                ("news/daily".to_owned(), most(10)),
                ("new".to_owned(), most(1)),
            ],
        };
        let tags = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>();
        let entries = |own, with: &[&str]| settings.of(own, &tags(with)).entries;
        assert_eq!(entries(Keep::default(), &[]), Some(1_000));
        assert_eq!(entries(Keep::default(), &["news/weekly"]), Some(100));
        assert_eq!(entries(Keep::default(), &["news/daily/x", "z"]), Some(10));
        assert_eq!(entries(Keep::default(), &["newspaper"]), Some(1_000));
        assert_eq!(entries(most(0), &["news"]), Some(0), "its own: no limit");
        let mixed = settings.of(most(5), &tags(&["news"]));
        assert_eq!((mixed.entries, mixed.age), (Some(5), settings.all.age));
        assert!(most(0).is_all());
        assert!(!most(5).is_all());
    }
}
