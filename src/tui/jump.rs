//! Going to a feed by a part of its name: what fits, the best first.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};

use super::model::{Model, Prompt};
use super::say;
use super::tree::Choice;

/// What fits is cut here: nobody looks further down.
const MOST: usize = 100;

/// The dialog.
#[derive(Debug, Clone, Default)]
pub struct Jump {
    /// What was typed.
    pub prompt: Prompt,
    /// What fits, the best first.
    pub found: Vec<(Choice, String)>,
    /// The row of the cursor.
    pub at: usize,
}

/// A tag, and those that it lies in: `a/b/c` in `a/b` in `a`.
fn with_those_above(tag: &str) -> impl Iterator<Item = &str> {
    let above = tag.match_indices('/').map(|(at, _)| &tag[..at]);
    above.chain([tag])
}

/// Everything that can be gone to, in the order of the feed pane.
fn places(model: &Model) -> Vec<(Choice, String)> {
    let smart = model.feeds.smart.iter().map(|smart| {
        let name = smart.feed.name.clone();
        (Choice::Smart(name.clone()), name)
    });
    let tags = model.feeds.rows.iter().flat_map(|row| &row.feed.tags);
    let mut tags: Vec<&str> = tags.flat_map(|tag| with_those_above(tag)).collect();
    tags.sort_unstable();
    tags.dedup();
    let tags = tags
        .into_iter()
        .map(|tag| (Choice::Tag(tag.to_owned()), tag.to_owned()));
    let feeds = model
        .feeds
        .rows
        .iter()
        .map(|row| (Choice::Feed(row.feed.id), say::name(row)));
    smart.chain(feeds).chain(tags).collect()
}

/// The places whose names have the letters of `typed` in this order.
pub fn find(model: &Model, typed: &str) -> Vec<(Choice, String)> {
    let mut places = places(model);
    let pattern = Pattern::parse(typed, CaseMatching::Ignore, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let mut scored: Vec<(u32, usize)> = Vec::new();
    for (at, (_, name)) in places.iter().enumerate() {
        let name = nucleo_matcher::Utf32Str::new(name, &mut buffer);
        scored.extend(pattern.score(name, &mut matcher).map(|score| (score, at)));
    }
    // Of equal ones the first in the pane.
    scored.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
    scored.truncate(MOST);
    let blank = (Choice::All, String::new());
    scored
        .into_iter()
        .map(|(_, at)| std::mem::replace(&mut places[at], blank.clone()))
        .collect()
}
