//! The end of a poll whose document names others that were asked besides: what all of them brought together.

use crate::model::Outcome;

use super::super::efficacy::Proof;
use super::super::ending::{Facts, Root};
use super::super::schedule;
use super::super::validators;
use super::Draft;

impl Draft<'_> {
    /// The validators and the hash are those of the document alone; the entries, and the rhythm, are those of all.
    pub(super) fn gathered(&mut self, facts: &Facts, root: Root) -> Outcome {
        let changed = facts.new + facts.updated > 0;
        let before = self.known.state.clone();
        match root {
            Root::NotModified => self.root_not_modified(),
            Root::Read { body_hash } => self.root_read(body_hash, facts.new > 0),
            Root::Unasked => {}
        }
        if changed {
            let (newest, gap) = schedule::rhythm(facts.dates, self.known.now);
            self.state.newest = self.state.newest.max(newest);
            if root != Root::Unasked {
                self.state.median_gap = gap.or(self.state.median_gap);
            }
            self.state.schedule.streak = 0;
        } else {
            self.unchanged();
        }
        self.succeed();
        if root == Root::Unasked {
            (self.state.answered_by, self.state.moving) = (before.answered_by, before.moving);
            // A day without a file says nothing about how fresh anything is.
            if self.status().is_some_and(|status| status >= 400) {
                self.state.hints = before.hints;
            }
        }
        match (changed, root) {
            (true, _) => Outcome::Changed {
                new: facts.new,
                updated: facts.updated,
            },
            (false, Root::Read { .. }) => Outcome::Unchanged,
            (false, _) => Outcome::NotModified,
        }
    }

    fn root_not_modified(&mut self) {
        let got = self.got();
        self.delta.not_modified304 = 1;
        self.delta.bytes = 0;
        self.delta.bytes_saved = self.state.full_wire;
        self.host.not_modified = self.host.not_modified.saturating_add(1);
        if let Some(url) = self.url() {
            self.validators = validators::merged(&url, &got, self.known);
        }
        self.learn(Proof::NotModified, &got);
    }

    fn root_read(&mut self, body_hash: [u8; 32], news: bool) {
        let same = self.state.body_hash == Some(body_hash);
        self.state.body_hash = Some(body_hash);
        self.state.parser = self.known.parser;
        self.state.reparse_after = None;
        self.whole();
        let got = self.got();
        if same {
            self.delta.identical200 = 1;
            self.learn(Proof::Identical, &got);
        } else {
            self.learn(Proof::Changed { news }, &got);
        }
    }
}
