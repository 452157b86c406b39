//! `kind` and `path` of a feed in `feeds.toml`: a sitemap instead of a feed, and which of its pages.

use super::reader::Given;
use crate::model::{SourceKind, Subscription};

/// Reads `kind = "sitemap"`.
pub(super) fn kind(given: Given<'_>) -> Result<SourceKind, String> {
    let word = given.word(&["feed", "sitemap"])?;
    Ok(match word {
        "sitemap" => SourceKind::Sitemap,
        _ => SourceKind::Feed,
    })
}

/// Reads `path = "/blog/"`, or several.
pub(super) fn paths(given: Given<'_>) -> Result<Vec<String>, String> {
    let paths = match given.0.as_str() {
        Some(path) => vec![path.trim().to_owned()],
        None => given.list()?,
    };
    match paths.iter().find(|path| !path.starts_with(['/', '*'])) {
        Some(path) => {
            let path = crate::article::sanitize::line(path);
            Err(format!(
                "holds \"{path}\"; a path begins with / or *, like \"/blog/\" or \"*/post-*\""
            ))
        }
        None => Ok(paths),
    }
}

/// What of a feed does not go together with being a sitemap, or with not being one: the key, and why.
pub(super) fn contradiction(feed: &Subscription) -> Option<(&'static str, &'static str)> {
    if feed.kind != SourceKind::Sitemap {
        let why = "path says which pages of a sitemap are wanted; add kind = \"sitemap\", or leave it out";
        return (!feed.paths.is_empty()).then_some(("path", why));
    }
    if super::local(&feed.url).is_some() {
        return Some(("kind", "a sitemap is read from a web address only"));
    }
    if !feed.filter.is_empty() {
        return Some((
            "filter",
            "a sitemap goes through no filter; keep one of kind and filter",
        ));
    }
    if feed.delta.is_some() {
        return Some((
            "delta",
            "a sitemap takes no cursor; keep one of kind and delta",
        ));
    }
    None
}
