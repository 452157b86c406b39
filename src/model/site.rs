//! Sitemaps as sources: their pages, the files of an index, and what is remembered between two polls.

use super::time::Timestamp;
use super::validators::Validators;

/// A page that a sitemap names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SitePage {
    /// Its address.
    pub url: String,
    /// The title that a news sitemap gives it, one clean line; else one made from its path.
    pub title: String,
    /// The date that a news sitemap gives it.
    pub published: Option<Timestamp>,
    /// Its `lastmod`.
    pub changed: Option<Timestamp>,
    /// What its address is remembered by.
    pub mark: u64,
}

impl SitePage {
    /// Its date: published, else changed.
    pub fn date(&self) -> Option<Timestamp> {
        self.published.or(self.changed)
    }
}

/// What is remembered of a sitemap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Site {
    /// When it was read first: pages that are older and were not seen then are no news.
    pub begun: Timestamp,
    /// The files of an index; none where the sitemap holds the pages itself.
    pub files: Vec<SiteFile>,
    /// Pages that were seen, by their marks, the latest last.
    pub seen: Vec<u64>,
}

/// A file of an index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SiteFile {
    /// Its address.
    pub url: String,
    /// The `lastmod` that the index gives it.
    pub changed: Option<Timestamp>,
    /// The `lastmod` that it was read at, or that it had when the index was read first.
    pub applied: Option<Timestamp>,
    /// When the index named it first; 0 where it did so from the beginning.
    pub since: Timestamp,
    /// When it was asked for last.
    pub asked: Option<Timestamp>,
    /// It changed, and was not read since.
    pub due: bool,
    /// It was read once.
    pub read: bool,
    /// What it is asked with.
    pub validators: Validators,
}
