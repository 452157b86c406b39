//! Lists of feeds that are followed: what the list said, and what became of the feeds that it does not name any more.

use super::site::Site;
use super::time::Timestamp;

/// What a list of feeds said when it was read last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Roster {
    /// When the list answered last: with a list, or that it is the same.
    pub read_at: Timestamp,
    /// Its feeds in its order, then those that it does not name any more.
    pub feeds: Vec<Listed>,
}

/// A feed of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listed {
    /// Its URL: http or https, fragment dropped.
    pub url: String,
    /// What the list calls it.
    pub title: Option<String>,
    /// Its folders in the list, `a/b` for nesting.
    pub tags: Vec<String>,
    /// The list does not name it any more.
    pub absent: Option<Absence>,
}

/// How long a list has not named a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Absence {
    /// When the list was first read without it.
    pub since: Timestamp,
    /// So many seconds the list was seen to be without it: time in which it could not be read does not count.
    pub secs: u32,
}

/// A feed is followed because a list names it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Followed {
    /// The URL of the list, as in `feeds.toml`.
    pub list: String,
    /// What the list is called.
    pub name: String,
    /// The list does not name it any more; it is dropped when it stays so.
    pub parked: Option<Parked>,
}

/// A feed that its list does not name any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Parked {
    /// When the list was first read without it.
    pub since: Timestamp,
    /// So many seconds it still has to be absent before it is dropped.
    pub left: u32,
}

/// What has to be remembered of a source that is more than one document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Memory {
    /// Nothing, or nothing new.
    #[default]
    Nothing,
    /// What a list of feeds said.
    Roster(Box<Roster>),
    /// What was seen of a sitemap.
    Site(Box<Site>),
}
