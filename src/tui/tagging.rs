//! A tag of the user's own that is being typed for an entry.

use crate::engine::protocol::Ticket;
use crate::model::EntryHead;

use super::model::Prompt;

/// The line, the entry, and what Tab can offer.
#[derive(Debug, Clone)]
pub struct Tagging {
    /// The tag.
    pub prompt: Prompt,
    /// The entry that it is for.
    pub head: EntryHead,
    /// Tags that entries or feeds have.
    pub known: Vec<String>,
    /// The question for those of entries.
    pub asked: Ticket,
}

impl Tagging {
    /// What stands before the line: which tags the entry has.
    pub fn sign(&self) -> String {
        if self.head.tags.is_empty() {
            "tag: ".to_owned()
        } else {
            format!("tag (now {}): ", self.head.tags.join(", "))
        }
    }

    /// More tags are known.
    pub fn learn(&mut self, tags: impl IntoIterator<Item = String>) {
        self.known.extend(tags);
        self.known.sort();
        self.known.dedup();
    }

    /// Tab: the next tag that begins with, or else holds, what was typed. Those that the entry has come first: typed again,
    /// they are taken away.
    pub fn complete(&mut self, steps: isize) {
        if self.prompt.offers.is_none() {
            let offers = self.offers();
            self.prompt.offer(offers);
        } else {
            self.prompt.turn(steps);
        }
    }

    fn offers(&self) -> Vec<String> {
        let typed = self.prompt.input.value().trim().to_lowercase();
        let mut fitting: Vec<(bool, bool, &String)> = self
            .known
            .iter()
            .filter(|tag| tag.to_lowercase().contains(&typed))
            .map(|tag| {
                let begins = tag.to_lowercase().starts_with(&typed);
                (!begins, !self.head.tags.contains(tag), tag)
            })
            .collect();
        fitting.sort();
        fitting.into_iter().map(|(.., tag)| tag.clone()).collect()
    }
}
