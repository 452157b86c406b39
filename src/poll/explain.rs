//! What a person is told of a decision: the bounds it weighed, the validators in use, and why those.

use crate::model::{Timestamp, ValidatorsChoice, ValidatorsReason, Why};

use super::conclude::{is_plain, trouble};
use super::efficacy;
use super::plan::Known;
use super::schedule::{self, Inputs, Weighed};
use super::validators::stored;

/// The decision over again: with `known.now` the moment of the last answer, `status` its status and `hold` the hold of
/// the host then, the same function gives the same bounds. Without chance: what it adds is not in the bounds.
pub fn considered(known: &Known, status: Option<u16>, hold: Option<Timestamp>) -> Weighed {
    let pair = known
        .state
        .answered_by
        .as_deref()
        .map(|url| stored(url, known));
    let inputs = Inputs {
        now: known.now,
        state: known.state,
        every: known.subscription.every,
        trouble: (known.state.schedule.failures > 0).then(|| trouble(status)),
        plain: pair.is_some_and(|pair| is_plain(&pair, known.state, known)),
        hold,
        pushed: match known.state.schedule.why {
            Why::Push(secs) => Some(known.now.plus(i64::from(secs))),
            _ => None,
        },
        settings: known.settings,
    };
    schedule::weigh(&inputs, 0.0)
}

/// What came instead of a feed.
fn never_a_feed(known: &Known) -> ValidatorsReason {
    match &known.state.last {
        None => ValidatorsReason::NoAnswerYet,
        Some(last) => ValidatorsReason::NoFeedYet(last.status),
    }
}

/// Which validators are sent at present, for the status pane and `stats` (R5, R19).
pub fn mode(known: &Known) -> ValidatorsChoice {
    efficacy::mode(known.state, known.subscription.http.validators)
}

/// Why those validators are sent, the strongest reason first (R5, R10, R19–R22, R80).
pub fn validators_reason(known: &Known) -> ValidatorsReason {
    let user = known.subscription.http.validators;
    if user != ValidatorsChoice::Auto {
        return ValidatorsReason::User(user);
    }
    let efficacy = &known.state.efficacy;
    if efficacy.liar {
        return ValidatorsReason::Liar;
    }
    let address = known.state.answered_by.as_deref();
    let pair = stored(address.unwrap_or(&known.subscription.url), known);
    match efficacy.mode {
        _ if pair.is_empty() && address.is_none() => never_a_feed(known),
        _ if pair.is_empty() => ValidatorsReason::NoneGiven,
        ValidatorsChoice::None => {
            let every = known.settings.retry_validators_after;
            ValidatorsReason::GivenUp {
                polls: every.saturating_sub(efficacy.plain).max(1),
                by: efficacy.probed.map(|at| at.plus(efficacy::PROBE)),
            }
        }
        _ if efficacy::verification_due(known) => ValidatorsReason::Verify,
        _ if efficacy::reparse_due(known) => ValidatorsReason::NewParser,
        ValidatorsChoice::LastModified => ValidatorsReason::DateAlone,
        ValidatorsChoice::Etag => ValidatorsReason::TagAlone,
        ValidatorsChoice::Auto | ValidatorsChoice::Both => ValidatorsReason::AllGiven {
            identical: efficacy.identical,
            not_modified: efficacy.not_modified,
        },
    }
}
