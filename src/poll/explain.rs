//! What a person is told of a decision: the bounds it weighed, the validators in use.

use crate::model::{ValidatorsChoice, Why};

use super::conclude::{is_plain, trouble};
use super::efficacy;
use super::plan::Known;
use super::schedule::{self, Inputs};
use super::validators::stored;

/// Every bound that bears on the next poll, with its seconds: what `explain` lists.
pub fn considered(known: &Known) -> Vec<(Why, i64)> {
    let status = known.state.last.as_ref().and_then(|last| last.status);
    let pair = known
        .state
        .answered_by
        .as_deref()
        .map(|url| stored(url, known));
    schedule::bounds(&Inputs {
        now: known.now,
        state: known.state,
        every: known.subscription.every,
        trouble: (known.state.schedule.failures > 0).then(|| trouble(status)),
        plain: pair.is_some_and(|pair| is_plain(&pair, known.state, known)),
        hold: None,
        settings: known.settings,
    })
}

/// Which validators are sent at present, for the status pane and `stats` (R5, R19).
pub fn mode(known: &Known) -> ValidatorsChoice {
    efficacy::mode(known.state, known.subscription.http.validators)
}
