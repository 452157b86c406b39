//! Polls that did not bring the feed: the host asks to wait, the feed is gone or missing, anything else went wrong.

use crate::model::{ErrorKind, Off, Outcome, PollError};

use super::{Draft, reparse_due, trouble};
use crate::poll::headers::{Wait, retry_after};
use crate::poll::host::{held, hold};
use crate::poll::redirect::address;
use crate::poll::schedule::{DAY, Trouble};
use crate::poll::validators;

/// 404s in a row, and over how long, before a feed is dead (R50).
const DEAD_COUNT: u32 = 10;
const DEAD_SPAN: i64 = 14 * DAY;

impl Draft<'_> {
    /// 429, or `Retry-After`: the host is held, nothing counts against the feed (R36–R40).
    pub(super) fn throttled(&mut self) -> Outcome {
        self.delta.deferred = 1;
        let wait = self.asked.answer.map_or(Wait::Unsaid, |answer| {
            retry_after(&answer.headers, answer.at)
        });
        let (host, cut) = hold(wait, &self.host, self.known.now, self.known.settings);
        self.host = host;
        if cut {
            self.warnings.push(
                "the server asked for more than a week of silence; a week is kept".to_owned(),
            );
        }
        if self.state.schedule.failures > 0 {
            self.trouble = Some(Trouble::Ordinary);
        }
        let until = held(&self.host, self.known.now, self.known.settings);
        Outcome::Deferred {
            until: until.unwrap_or(self.known.now),
        }
    }

    /// 410: off until a person says otherwise; unless a move was being watched, then it is that (R49, R53).
    /// Where a temporary redirect leads is not the feed, so its end is not the feed's: it is missing, as with a 404, and
    /// off after as long (R50, R54).
    pub(super) fn gone(&mut self) -> Outcome {
        if self.is_led_astray() {
            let why = "410 Gone, where a temporary redirect leads";
            return self.failed(&PollError::new(ErrorKind::Status, why));
        }
        self.validators = validators::cleared(self.known);
        if self.moved_at_once() {
            return Outcome::Failed(PollError::new(ErrorKind::Status, "410 Gone"));
        }
        self.state.off = Some(Off::Gone);
        Outcome::Gone
    }

    pub(super) fn failed(&mut self, error: &PollError) -> Outcome {
        let status = self.status().filter(|_| error.kind == ErrorKind::Status);
        let missing = trouble(status) == Trouble::Missing;
        // Whatever else something answered, a web page with status 200 too, the row of 404s is over (R50).
        if self.asked.answer.is_some() && !missing {
            self.state.missing = 0;
            self.state.missing_since = None;
            self.state.moving = None;
        }
        let failures = self.state.schedule.failures.saturating_add(1);
        if missing {
            self.validators = validators::cleared(self.known);
            if self.moved_at_once() {
                return Outcome::Failed(error.clone());
            }
            self.state.moving = None;
            self.state.missing = self.state.missing.saturating_add(1);
            // A beginning in the future was written by a clock that was wrong (R48).
            let now = self.known.now;
            let since = self.state.missing_since.map_or(now, |at| at.min(now));
            self.state.missing_since = Some(since);
            if self.state.missing >= DEAD_COUNT && self.known.now.since(since) >= DEAD_SPAN {
                // Revived, it is counted anew.
                self.state.missing = 0;
                self.state.missing_since = None;
                self.state.off = Some(Off::Dead);
                return Outcome::Gone;
            }
        }
        self.state.schedule.failures = failures;
        self.trouble = Some(trouble(status));
        if self.asked.answer.is_some() && reparse_due(self.known) && self.asked.sent.is_empty() {
            // One plain request a day is enough, whatever it brings (R80).
            let later = DAY + self.reparse_spread();
            self.state.reparse_after = Some(self.known.now.plus(later));
        }
        Outcome::Failed(error.clone())
    }

    /// The old address answers 404 or 410 itself while its move was watched: believed at once (R53).
    fn moved_at_once(&mut self) -> bool {
        let from = address(&self.state, &self.known.subscription.url).to_owned();
        let Some(moving) = self
            .state
            .moving
            .clone()
            .filter(|_| self.asked.hops.is_empty())
        else {
            return false;
        };
        self.adopt(&from, &moving.target);
        // They were the old address's.
        self.state.schedule.failures = 0;
        self.state.missing = 0;
        self.state.missing_since = None;
        true
    }
}
