//! Tags of a feed, or the name of a tag, while they are typed.

use crate::model::FeedId;

use super::model::Prompt;

/// Whose tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Whom {
    /// Those of a feed, with commas between them.
    Feed(FeedId),
    /// A tag itself, by its path.
    Tag(String),
}

/// The line, and what Tab can offer.
#[derive(Debug, Clone)]
pub struct Tending {
    /// What is typed.
    pub prompt: Prompt,
    /// Whose.
    pub whom: Whom,
    /// The tags that feeds have.
    pub known: Vec<String>,
}

impl Tending {
    /// What stands before the line.
    pub const fn sign(&self) -> &'static str {
        match self.whom {
            Whom::Feed(_) => "tags, with commas: ",
            Whom::Tag(_) => "rename the tag to: ",
        }
    }

    /// Tab: the next known tag that begins as the last one in the line does.
    pub fn complete(&mut self, steps: isize) {
        if self.prompt.offers.is_none() {
            let offers = self.offers();
            self.prompt.offer(offers);
        } else {
            self.prompt.turn(steps);
        }
    }

    fn offers(&self) -> Vec<String> {
        let line = self.prompt.input.value();
        let (before, begun) = match (&self.whom, line.rsplit_once(',')) {
            (Whom::Feed(_), Some((before, begun))) => (format!("{before}, "), begun),
            _ => (String::new(), line),
        };
        let begun = begun.trim().to_lowercase();
        let fits = |tag: &&String| tag.to_lowercase().starts_with(&begun);
        let known = self.known.iter().filter(fits);
        known.map(|tag| format!("{before}{tag}")).collect()
    }
}

/// These tags with `from`, and those below it, under the name `to`; without one they are left out.
pub fn renamed(tags: &[String], from: &str, to: Option<&str>) -> Vec<String> {
    let mut after: Vec<String> = Vec::with_capacity(tags.len());
    for tag in tags {
        let below = tag
            .strip_prefix(from)
            .filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let tag = match (below, to) {
            (None, _) => tag.clone(),
            (Some(rest), Some(to)) => format!("{to}{rest}"),
            (Some(_), None) => continue,
        };
        if !after.contains(&tag) {
            after.push(tag);
        }
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_renamed_with_those_below_it_and_never_stands_twice() {
        let tags = ["tech", "tech/rust", "technical", "fun"].map(str::to_owned);
        let to = |to| renamed(&tags, "tech", to);
        assert_eq!(to(Some("x/y")), ["x/y", "x/y/rust", "technical", "fun"]);
        assert_eq!(to(Some("fun")), ["fun", "fun/rust", "technical"]);
        assert_eq!(to(None), ["technical", "fun"]);
    }
}
