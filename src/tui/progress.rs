//! How far a refresh is, as the bottom line says it.

use std::collections::BTreeSet;

use crate::engine::protocol::{Summary, Ticket};
use crate::model::{Outcome, Timestamp};

use super::say;

/// Polls under way and what came of them so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progress {
    /// Refreshes asked for by hand that are not done.
    asked: BTreeSet<Ticket>,
    /// Feeds that they mean; 0 when the schedule alone polls.
    total: usize,
    /// Polls that began.
    started: usize,
    /// Polls that ended.
    done: usize,
    unchanged: usize,
    identical: usize,
    new: u64,
    failed: usize,
    /// Feeds that are due and not begun: spaced requests to one host are one run.
    ahead: usize,
    /// When the last poll ended.
    ended: Timestamp,
    /// The last moment that a feed has to wait for, and that one asked a moment ago has.
    waits: Waits,
}

/// Until when feeds are not asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Waits {
    must: Option<Timestamp>,
    debounced: Option<Timestamp>,
}

/// Seconds without a poll after which what is still ahead belongs to another run.
const LULL: i64 = 5;

/// How many of the `asked` feeds were asked before the schedule would ask them, and how (R46).
fn early_text(summary: &Summary, asked: u32) -> Option<String> {
    let (early, plain) = (summary.early, summary.early_plain);
    let count = |feeds: u32| say::count(u64::from(feeds));
    Some(match (early, plain) {
        (0, _) => return None,
        (1, 0) if asked == 1 => "before its time, so conditionally".to_owned(),
        (1, _) if asked == 1 => "before its time, without validators".to_owned(),
        (early, 0) => format!("{} before their time, conditionally", count(early)),
        (early, plain) => format!(
            "{} before their time, {} of them without validators",
            count(early),
            count(plain)
        ),
    })
}

impl Progress {
    /// A refresh of `feeds` feeds was asked for.
    pub fn ask(&mut self, ticket: Ticket, feeds: usize, now: Timestamp) {
        if self.is_idle(now) {
            *self = Self::default();
        }
        self.asked.insert(ticket);
        self.total += feeds;
    }

    /// A request goes out.
    pub fn start(&mut self, now: Timestamp) {
        if self.is_idle(now) {
            *self = Self::default();
        }
        self.started += 1;
    }

    /// A poll ended, and `ahead` feeds are due that have not begun. True when it was the last one and nobody waits for a
    /// summary.
    pub fn end(
        &mut self,
        outcome: &Outcome,
        debounced: bool,
        ahead: usize,
        now: Timestamp,
    ) -> bool {
        self.done += 1;
        (self.ahead, self.ended) = (ahead, now);
        match outcome {
            Outcome::NotModified => self.unchanged += 1,
            Outcome::Unchanged => self.identical += 1,
            Outcome::Changed { new, .. } => self.new += u64::from(*new),
            Outcome::Failed(_) => self.failed += 1,
            Outcome::Deferred { until } if debounced => {
                self.waits.debounced = self.waits.debounced.max(Some(*until));
            }
            Outcome::Deferred { until } => self.waits.must = self.waits.must.max(Some(*until)),
            Outcome::Gone => {}
        }
        self.is_idle(now)
    }

    /// A refresh that was asked for is done: its summary, when it was one of ours. `when` writes a moment.
    pub fn finish(
        &mut self,
        ticket: Ticket,
        summary: &Summary,
        when: impl Fn(Timestamp) -> String,
    ) -> Option<String> {
        let ours = self.asked.remove(&ticket);
        ours.then(|| summary_text(summary, self.waits, when))
    }

    /// A refresh will never be done: its command failed.
    pub fn drop_ticket(&mut self, ticket: Ticket) -> bool {
        self.asked.remove(&ticket)
    }

    /// Nothing is under way, and nothing follows at once.
    pub fn is_idle(&self, now: Timestamp) -> bool {
        let over = self.ahead == 0 || now.since(self.ended) > LULL;
        self.asked.is_empty() && self.done >= self.started && over
    }

    /// `refreshing 12/180 · 9 unchanged (304) · 2 new`; `None` when nothing is under way.
    pub fn text(&self, now: Timestamp) -> Option<String> {
        if self.is_idle(now) {
            return None;
        }
        let ahead = if self.asked.is_empty() { self.ahead } else { 0 };
        let total = self.total.max(self.started.max(self.done) + ahead);
        let mut parts = vec![format!("refreshing {}/{total}", self.done)];
        parts.extend(self.parts());
        Some(parts.join(" · "))
    }

    /// What the schedule's own polls came to, when they are over: `asked 3 feeds · 2 unchanged (304) · 1 new`.
    pub fn result(&self) -> String {
        let mut parts = vec![format!(
            "asked {}",
            say::many(self.done as u64, "feed", "feeds")
        )];
        parts.extend(self.parts());
        parts.join(" · ")
    }

    fn parts(&self) -> Vec<String> {
        let mut parts = Vec::new();
        if self.unchanged > 0 {
            parts.push(format!("{} unchanged (304)", self.unchanged));
        }
        if self.identical > 0 {
            parts.push(format!("{} identical (200)", self.identical));
        }
        if self.new > 0 {
            parts.push(format!("{} new", say::count(self.new)));
        }
        if self.failed > 0 {
            parts.push(say::many(self.failed as u64, "error", "errors"));
        }
        parts
    }
}

fn summary_text(summary: &Summary, waits: Waits, when: impl Fn(Timestamp) -> String) -> String {
    if summary.busy {
        return "another tidings is polling and did not finish in time; try again".to_owned();
    }
    let asked = summary.not_modified + summary.unchanged + summary.changed + summary.failed;
    let mut parts = vec![format!(
        "asked {}",
        say::many(u64::from(asked), "feed", "feeds")
    )];
    let mut part = |count: u32, text: &str| {
        if count > 0 {
            parts.push(format!("{} {text}", say::count(u64::from(count))));
        }
    };
    part(summary.not_modified, "unchanged (304)");
    part(summary.unchanged, "identical (200)");
    part(summary.new, "new");
    part(summary.updated, "edited");
    let until = |text: &str, word: &str, at: Option<Timestamp>| match at {
        Some(at) => format!("{text}{word} {}", when(at)),
        None => text.to_owned(),
    };
    let ago = until("asked a moment ago", ", again from", waits.debounced);
    part(summary.debounced, &ago);
    let must = until("must wait", " until", waits.must);
    part(summary.deferred.saturating_sub(summary.debounced), &must);
    part(summary.gone, "gone");
    part(
        summary.failed,
        if summary.failed == 1 {
            "error (s shows it)"
        } else {
            "errors (s shows them)"
        },
    );
    parts.extend(early_text(summary, asked));
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000);

    fn when(at: Timestamp) -> String {
        format!("at {}", at.0)
    }

    #[test]
    fn a_refresh_counts_up_and_ends_with_its_summary() {
        let mut progress = Progress::default();
        progress.ask(Ticket(7), 180, NOW);
        progress.start(NOW);
        progress.end(&Outcome::NotModified, false, 0, NOW);
        progress.start(NOW);
        assert!(!progress.end(&Outcome::Changed { new: 2, updated: 0 }, false, 0, NOW));
        assert_eq!(
            progress.text(NOW).as_deref(),
            Some("refreshing 2/180 · 1 unchanged (304) · 2 new")
        );
        let summary = Summary {
            not_modified: 170,
            changed: 9,
            new: 12,
            failed: 1,
            ..Summary::default()
        };
        assert_eq!(
            progress.finish(Ticket(6), &summary, when),
            None,
            "somebody else's"
        );
        assert_eq!(
            progress.finish(Ticket(7), &summary, when).as_deref(),
            Some("asked 180 feeds · 170 unchanged (304) · 12 new · 1 error (s shows it)")
        );
        assert_eq!(progress.text(NOW), None);
    }

    #[test]
    fn feeds_that_were_asked_a_moment_ago_are_told_from_those_that_must_wait() {
        let text = |deferred, debounced| {
            let summary = Summary {
                deferred,
                debounced,
                ..Summary::default()
            };
            let waits = Waits {
                must: Some(Timestamp(2_000)),
                debounced: Some(Timestamp(1_060)),
            };
            summary_text(&summary, waits, when)
        };
        assert_eq!(
            text(9, 9),
            "asked 0 feeds · 9 asked a moment ago, again from at 1060"
        );
        assert_eq!(
            text(9, 7),
            "asked 0 feeds · 7 asked a moment ago, again from at 1060 · 2 must wait until at 2000"
        );
        assert_eq!(text(2, 0), "asked 0 feeds · 2 must wait until at 2000");
    }

    #[test]
    fn r46_a_refresh_before_its_time_says_that_it_was_conditional() {
        let text = |asked, early, early_plain| {
            let summary = Summary {
                early,
                early_plain,
                ..Summary::default()
            };
            early_text(&summary, asked).unwrap_or_default()
        };
        assert_eq!(text(1, 0, 0), "");
        assert_eq!(text(1, 1, 0), "before its time, so conditionally");
        assert_eq!(text(1, 1, 1), "before its time, without validators");
        assert_eq!(text(9, 8, 0), "8 before their time, conditionally");
        assert_eq!(
            text(9, 8, 2),
            "8 before their time, 2 of them without validators"
        );
    }

    #[test]
    fn the_schedules_own_polls_end_by_themselves() {
        let mut progress = Progress::default();
        progress.start(NOW);
        progress.start(NOW);
        assert!(!progress.end(&Outcome::NotModified, false, 0, NOW));
        assert!(progress.end(&Outcome::NotModified, false, 0, NOW));
        assert_eq!(progress.result(), "asked 2 feeds · 2 unchanged (304)");
    }

    #[test]
    fn polls_spaced_on_one_host_are_one_run() {
        let mut progress = Progress::default();
        for at in 0..3 {
            let now = NOW.plus(at);
            progress.start(now);
            let ahead = 2 - at as usize;
            let over = progress.end(&Outcome::NotModified, false, ahead, now);
            assert_eq!(over, ahead == 0, "one message, not three");
            let text = format!("refreshing {}/3 · {0} unchanged (304)", at + 1);
            assert_eq!(progress.text(now), (ahead > 0).then_some(text));
        }
        assert_eq!(progress.result(), "asked 3 feeds · 3 unchanged (304)");
        // What is due and does not begin, as when another tidings polls, is not waited for.
        progress.start(NOW);
        assert!(!progress.end(&Outcome::NotModified, false, 9, NOW));
        assert_eq!(progress.text(NOW.plus(60)), None);
    }
}
