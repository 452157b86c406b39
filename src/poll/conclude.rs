//! The end of a poll put together: outcome, record, host, validators, counters. One answer, one conclusion, committed whole.

mod amiss;
mod gathered;

use crate::model::{
    Counters, ErrorKind, Hints, HostState, LastAnswer, Off, Outcome, PollState, Validators, Why,
};

use super::efficacy::{Proof, learn, ordinary, parser_changed, reparse_due, roll_up};
use super::ending::{Asked, Conclusion, Ending, Facts};
use super::headers::{self, freshness};
use super::host::{answered, held};
use super::plan::Known;
use super::redirect;
use super::schedule::{self, DAY, Inputs, Trouble};
use super::validators::{self, Change, same_entries};

/// The plain reading after a change of the parser is spread over this (R80).
const REPARSE_SPREAD: i64 = DAY;

/// Concludes a poll. `known` is what was known when it was sent, `known.now` the moment it ended;
/// `chance` in 0..=1 is the jitter's.
pub fn conclude(ending: &Ending, asked: &Asked, known: &Known, chance: f64) -> Conclusion {
    let mut draft = Draft::new(asked, known, chance);
    let outcome = match *ending {
        Ending::NotModified => draft.not_modified(),
        Ending::Identical { body_hash } => draft.identical(body_hash),
        Ending::Parsed(facts) => draft.parsed(&facts),
        Ending::Gathered(facts, root) => draft.gathered(&facts, root),
        Ending::Throttled => draft.throttled(),
        Ending::Gone => draft.gone(),
        Ending::Failed(error) => draft.failed(error),
    };
    draft.finish(outcome)
}

/// The next request to the URL of this pair cannot carry a validator (R30).
pub(super) fn is_plain(pair: &Validators, state: &PollState, known: &Known) -> bool {
    ordinary(pair, state, known.subscription.http.validators).is_empty()
}

/// Which steps an error of this status backs off in.
pub(super) const fn trouble(status: Option<u16>) -> Trouble {
    match status {
        // A 410 is an error only where a temporary redirect led to it.
        Some(404 | 410) => Trouble::Missing,
        Some(401 | 403) => Trouble::Forbidden,
        _ => Trouble::Ordinary,
    }
}

/// A conclusion in the making.
struct Draft<'a> {
    asked: &'a Asked<'a>,
    known: &'a Known<'a>,
    chance: f64,
    state: PollState,
    host: HostState,
    validators: Vec<Change>,
    delta: Counters,
    warnings: Vec<String>,
    trouble: Option<Trouble>,
}

impl<'a> Draft<'a> {
    fn new(asked: &'a Asked<'a>, known: &'a Known<'a>, chance: f64) -> Self {
        Self {
            asked,
            known,
            chance,
            state: known.state.clone(),
            host: known.host.clone(),
            validators: Vec::new(),
            delta: Counters {
                bytes: asked.wire,
                ..Counters::default()
            },
            warnings: Vec::new(),
            trouble: None,
        }
    }

    /// 304: success, and a merge (R9–R11).
    fn not_modified(&mut self) -> Outcome {
        let got = self.got();
        self.delta.not_modified304 = 1;
        self.delta.bytes = 0;
        self.delta.bytes_saved = self.state.full_wire;
        self.host.not_modified = self.host.not_modified.saturating_add(1);
        if parser_changed(self.known) {
            let first = self.known.now.plus(self.reparse_spread());
            self.state.reparse_after.get_or_insert(first);
        }
        if let Some(url) = self.url() {
            self.validators = validators::merged(&url, &got, self.known);
        }
        self.learn(Proof::NotModified, &got);
        self.unchanged();
        self.succeed();
        Outcome::NotModified
    }

    /// Until the plain reading after a change of the parser, seconds.
    fn reparse_spread(&self) -> i64 {
        (REPARSE_SPREAD as f64 * self.chance.clamp(0.0, 1.0)) as i64
    }

    /// An identical 200: its validators count all the same (R8, R16).
    fn identical(&mut self, body_hash: [u8; 32]) -> Outcome {
        self.state.body_hash = Some(body_hash);
        self.whole();
        self.same_content();
        self.succeed();
        Outcome::Unchanged
    }

    fn parsed(&mut self, facts: &Facts) -> Outcome {
        self.delta.ok200 = 1;
        self.read_wishes(facts);
        let changed = facts.new + facts.updated > 0;
        if facts.truncated {
            // Neither validators nor hashes nor evidence: the next answer must be the whole feed (R13).
            self.warnings.push("truncated".to_owned());
        } else if self.is_delta() {
            self.take_delta(facts);
        } else {
            self.whole();
            let same = same_entries(facts.entries_hash, self.known);
            self.state.body_hash = Some(facts.body_hash);
            self.state.entries_hash = Some(facts.entries_hash);
            self.state.parser = self.known.parser;
            self.state.reparse_after = None;
            (self.state.newest, self.state.median_gap) =
                schedule::rhythm(facts.dates, self.known.now);
            if same && !changed {
                self.same_content();
                self.succeed();
                return Outcome::Unchanged;
            }
            self.learn(
                Proof::Changed {
                    news: facts.new > 0,
                },
                &self.got(),
            );
        }
        if changed {
            self.state.schedule.streak = 0;
        } else {
            // A delta that brings nothing is not the same feed over again.
            self.delta.identical200 = u64::from(!self.is_delta());
            self.unchanged();
        }
        self.succeed();
        if changed {
            Outcome::Changed {
                new: facts.new,
                updated: facts.updated,
            }
        } else {
            Outcome::Unchanged
        }
    }

    /// The hashes of the last whole stay. The `ETag` of a 226 is taken (R76). After news from a cursor the next request goes to
    /// another URL, and what came with this one is of no more use (R77).
    fn take_delta(&mut self, facts: &Facts) {
        let (newest, _) = schedule::rhythm(facts.dates, self.known.now);
        self.state.newest = self.state.newest.max(newest);
        let got = self.got();
        if self.asked.newer {
            let stays = facts.new + facts.updated == 0;
            if let Some(url) = self.url() {
                self.validators = validators::after_newer(&url, got, stays, self.known);
            }
            return;
        }
        self.learn(Proof::Delta, &got);
        if let Some(url) = self.url() {
            self.validators = validators::after_delta(&url, got);
        }
    }

    /// A whole body arrived: its size, and its validators as a set (R7, R8).
    fn whole(&mut self) {
        self.delta.ok200 = 1;
        self.state.full_wire = self.asked.wire;
        self.state.full_decoded = self.asked.decoded;
        if let Some(url) = self.url() {
            self.validators = validators::replaced(&url, self.got(), self.known);
        }
    }

    /// The same content again (R16, R17).
    fn same_content(&mut self) {
        self.delta.identical200 = 1;
        if !self.asked.sent.is_empty() {
            self.host.identical = self.host.identical.saturating_add(1);
        }
        self.learn(Proof::Identical, &self.got());
        self.unchanged();
    }

    fn read_wishes(&mut self, facts: &Facts) {
        let hints = &mut self.state.hints;
        hints.ttl = facts.wishes.ttl;
        hints.update_period = facts.wishes.update_period;
        hints.skip_hours = facts.wishes.skip_hours;
        hints.skip_days = facts.wishes.skip_days;
    }

    fn unchanged(&mut self) {
        let streak = &mut self.state.schedule.streak;
        *streak = streak.saturating_add(1);
    }

    fn learn(&mut self, proof: Proof, got: &Validators) {
        let before = self.state.efficacy;
        let after = learn(proof, &self.asked.sent, got, self.known);
        roll_up(&mut self.host, &before, &after, self.known.settings);
        if after.liar && !before.liar {
            self.warnings.push(
                "the server said 304 although it had new entries: it is asked without validators from now on"
                    .to_owned(),
            );
        }
        if after.verify_after > before.verify_after {
            self.warnings.push(
                "the 304 names another ETag than was sent: a full copy will be fetched to verify it".to_owned(),
            );
        }
        self.state.efficacy = after;
    }

    /// What every good answer does: errors and holds end, freshness is set anew, a move is counted.
    fn succeed(&mut self) {
        self.state.schedule.failures = 0;
        self.state.missing = 0;
        self.state.missing_since = None;
        self.state.answered_by = self.url();
        self.host = answered(&self.host, self.known.now, self.known.settings);
        if let Some(answer) = self.asked.answer {
            let fresh = freshness(&answer.headers, answer.at);
            let Hints {
                max_age, expires, ..
            } = &mut self.state.hints;
            // A 304 that does not say leaves what was said (R9); a 200 speaks for itself.
            let silent = if answer.status == 304 {
                (*max_age, *expires)
            } else {
                (0, 0)
            };
            *max_age = fresh.max_age.unwrap_or(silent.0);
            *expires = fresh.expires.unwrap_or(silent.1);
        }
        self.state.moving = redirect::watch(&self.state, self.asked.hops, self.known.now);
        let Some((from, moving)) = self.asked.hops.first().zip(self.state.moving.clone()) else {
            return;
        };
        if redirect::believed(&moving, &from.from, self.known.now, self.known.settings) {
            self.adopt(&from.from.clone(), &moving.target);
        }
    }

    fn adopt(&mut self, from: &str, to: &str) {
        redirect::adopt(&mut self.state, from, to, self.known.now);
        self.warnings.push(format!("moved permanently to {to}"));
    }

    fn finish(mut self, outcome: Outcome) -> Conclusion {
        self.delta.errors = u64::from(matches!(outcome, Outcome::Failed(_)));
        self.delta.conditional = u64::from(!self.asked.sent.is_empty() && self.was_sent(&outcome));
        self.state.counters.add(&self.delta);
        self.state.last = Some(LastAnswer {
            at: self.known.now,
            status: self.status(),
            outcome: outcome.clone(),
        });
        self.schedule();
        Conclusion {
            outcome,
            state: self.state,
            host: self.host,
            validators: self.validators,
            delta: self.delta,
            warning: Some(self.warnings.join("; ")).filter(|text| !text.is_empty()),
        }
    }

    fn schedule(&mut self) {
        let (next, why) = match self.state.off {
            Some(Off::Gone) => (None, Why::Gone),
            Some(Off::Dead) => (None, Why::Dead),
            None => {
                let (next, why) = schedule::next(&self.inputs(), self.chance);
                (Some(next), why)
            }
        };
        self.state.schedule.next = next;
        self.state.schedule.why = why;
        self.state.schedule.set_at = self.known.now;
    }

    fn inputs(&self) -> Inputs<'_> {
        // Before the first good answer nothing is known about validators, nor of the body's size. A cursor saves more than they.
        let answered_by = self.state.answered_by.as_deref();
        let plain = answered_by
            .filter(|_| !self.asked.newer)
            .is_some_and(|url| {
                let pair = match self.validators.iter().find(|(changed, _)| changed == url) {
                    Some((_, pair)) => pair.clone().unwrap_or_default(),
                    None => validators::stored(url, self.known),
                };
                is_plain(&pair, &self.state, self.known)
            });
        Inputs {
            now: self.known.now,
            state: &self.state,
            every: self.known.subscription.every,
            trouble: self.trouble,
            plain,
            hold: held(&self.host, self.known.now, self.known.settings),
            pushed: self.asked.pushed,
            settings: self.known.settings,
        }
    }

    /// The answer is that of a URL to which a temporary redirect led (R54).
    fn is_led_astray(&self) -> bool {
        self.asked.hops.iter().any(|hop| !hop.is_permanent())
    }

    /// Not the whole feed: a 226 (R76), or what is newer than a cursor (R77).
    fn is_delta(&self) -> bool {
        self.status() == Some(226) || self.asked.newer
    }

    fn status(&self) -> Option<u16> {
        self.asked.answer.map(|answer| answer.status)
    }

    fn url(&self) -> Option<String> {
        self.asked.answer.map(|answer| answer.url.clone())
    }

    fn got(&self) -> Validators {
        self.asked
            .answer
            .map(|answer| headers::validators(&answer.headers))
            .unwrap_or_default()
    }

    /// The request went out, as far as can be told.
    fn was_sent(&self, outcome: &Outcome) -> bool {
        use ErrorKind::{Cancelled, Credentials, Dns, Refused, Store, Tls, Unreachable, Url};
        let Outcome::Failed(error) = outcome else {
            return true;
        };
        let never = [
            Url,
            Dns,
            Unreachable,
            Refused,
            Tls,
            Credentials,
            Store,
            Cancelled,
        ];
        self.asked.answer.is_some() || !never.contains(&error.kind)
    }
}
