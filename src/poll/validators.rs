//! Which validators go out at a hop, and what an answer leaves behind, keyed by the URL that answered (R5–R10, R13, R23, R55).

use crate::model::{Pace, Validators};

use super::efficacy::{chosen, parser_changed};
use super::plan::Known;

/// URLs of one feed whose validators are kept; a redirect that leads elsewhere each time must not fill the store.
const URLS_MAX: usize = 8;

/// A change of one feed's validators: the URL that answered, and its new pair, or none.
pub type Change = (String, Option<Validators>);

/// The pair stored for exactly this URL.
pub fn stored(url: &str, known: &Known) -> Validators {
    known
        .validators
        .iter()
        .find(|(answered, _)| answered == url)
        .map(|(_, pair)| pair.clone())
        .unwrap_or_default()
}

/// What to send to this URL at this hop: what it gave itself, never another's (R55), as far as the user's setting
/// and its efficacy allow (R5, R19–R21). Empty for a scheduled poll that verifies (R10, R22) or reads anew (R80).
pub fn validators_for(url: &str, pace: Pace, known: &Known) -> Validators {
    chosen(&stored(url, known), pace, known)
}

/// `A-IM: feed` goes with an `If-None-Match` and never without (RFC 3229, R76).
pub fn asks_delta(sent: &Validators, known: &Known) -> bool {
    sent.etag.is_some() && known.subscription.http.a_im
}

/// The decoded body is the one that was read last, by the same parser: nothing to parse (R16, R80).
pub fn same_body(body_hash: [u8; 32], known: &Known) -> bool {
    known.state.body_hash == Some(body_hash) && !parser_changed(known)
}

/// The entries are those that were read last, by the same parser (R17, R80).
pub fn same_entries(entries_hash: [u8; 32], known: &Known) -> bool {
    known.state.entries_hash == Some(entries_hash) && !parser_changed(known)
}

/// After a 200 that parsed: the pair as a set, what it lacks is forgotten (R7, R8).
pub fn replaced(url: &str, got: Validators, known: &Known) -> Vec<Change> {
    let mut changes = crowded_out(url, known);
    changes.push((url.to_owned(), Some(got).filter(|pair| !pair.is_empty())));
    changes
}

/// After a 304: what it carries replaces, what it lacks stays (R9, R10).
pub fn merged(url: &str, got: &Validators, known: &Known) -> Vec<Change> {
    let pair = stored(url, known).refreshed_by(got);
    vec![(url.to_owned(), Some(pair).filter(|pair| !pair.is_empty()))]
}

/// After a 226: its `ETag` names the new whole; without one the next delta counts from the old (R76).
pub fn after_delta(url: &str, got: Validators) -> Vec<Change> {
    if got.etag.is_none() {
        return Vec::new();
    }
    vec![(url.to_owned(), Some(got))]
}

/// After an answer about what is newer than a cursor (R77): the pair of its URL counts as long as the cursor stands still, and
/// those of the URLs of former cursors go.
pub fn after_newer(url: &str, got: Validators, stays: bool, known: &Known) -> Vec<Change> {
    let whole = |other: &str| other == known.subscription.url;
    let former = known
        .validators
        .iter()
        .filter(|(other, _)| other != url && !whole(other))
        .map(|(other, _)| (other.clone(), None));
    let mut changes: Vec<Change> = former.collect();
    changes.push((
        url.to_owned(),
        Some(got).filter(|pair| stays && !pair.is_empty()),
    ));
    changes
}

/// After 404 and 410: none is left (R49, R50).
pub fn cleared(known: &Known) -> Vec<Change> {
    known
        .validators
        .iter()
        .map(|(url, _)| (url.clone(), None))
        .collect()
}

/// A new URL beyond the limit pushes all others out but the one that answered last.
fn crowded_out(url: &str, known: &Known) -> Vec<Change> {
    let others = || {
        known
            .validators
            .iter()
            .filter(|(known_url, _)| known_url != url)
    };
    if others().count() < URLS_MAX {
        return Vec::new();
    }
    others()
        .filter(|(other, _)| {
            Some(other) != known.state.answered_by.as_ref() && *other != known.subscription.url
        })
        .map(|(other, _)| (other.clone(), None))
        .collect()
}
