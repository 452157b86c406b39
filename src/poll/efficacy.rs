//! Are the validators of a feed any use? What each answer proves, and what is sent because of it (R10, R19–R22).

use crate::model::{
    Efficacy, HostState, Pace, PollSettings, PollState, Timestamp, Validators, ValidatorsChoice,
};

use super::headers::weakly_equal;
use super::plan::Known;
use super::schedule::DAY;

/// Identical answers in mode both before one validator is tried alone (R20).
const LADDER: u32 = 5;
/// Threshold of a new feed on a host whose feeds are all useless (R19).
const NEWCOMER: u32 = 3;
/// Attempts of the judged feeds together before a host is useless (R19).
const HOST_ATTEMPTS: u32 = 20;
/// Validators that were given up are tried again after this at the latest (R21).
pub(super) const PROBE: i64 = 7 * DAY;
/// A foreign `ETag` in a 304 is verified after this (R10) …
const VERIFY_AFTER: i64 = DAY;
/// … and at most this often.
const VERIFY_GAP: i64 = 7 * DAY;
/// 304s in a row, and over how long, before they are doubted (R22).
const DOUBT_COUNT: u32 = 20;
const DOUBT_SPAN: i64 = 8 * DAY;
/// Days until they may be doubted again: the first pause and the longest (R22).
const PAUSE_FIRST: u16 = 30;
const PAUSE_MOST: u16 = 90;

/// What an answer says about validators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// 304.
    NotModified,
    /// A whole 200 with the content that was known (R16, R17).
    Identical,
    /// A whole 200 or 226 with other content; `news`: entries never seen before.
    Changed {
        /// New entries came with it.
        news: bool,
    },
    /// A 226: the validator was understood.
    Delta,
}

/// The choice in force: the user's for this feed, else what efficacy arrived at.
pub fn mode(state: &PollState, user: ValidatorsChoice) -> ValidatorsChoice {
    match user {
        ValidatorsChoice::Auto => state.efficacy.mode,
        other => other,
    }
}

/// What goes out of `pair` in the ordinary course, probes and verifications aside.
/// A mode that the pair can no longer serve falls back to all there is: only *none* means plain.
pub fn ordinary(pair: &Validators, state: &PollState, user: ValidatorsChoice) -> Validators {
    let picked = mode(state, user).pick(pair);
    let kept = user != ValidatorsChoice::Auto || state.efficacy.mode == ValidatorsChoice::None;
    if picked.is_empty() && !kept {
        pair.clone()
    } else {
        picked
    }
}

/// What goes out of `pair` now: nothing when a person asked for that (R46), or when a scheduled poll has something to verify (R10, R22, R80),
/// all of it when given-up validators are due to be tried again (R21), else the ordinary.
pub fn chosen(pair: &Validators, pace: Pace, known: &Known) -> Validators {
    let user = known.subscription.http.validators;
    if pace == Pace::Plain {
        return Validators::default();
    }
    if pace == Pace::Scheduled && (verification_due(known) || reparse_due(known)) {
        return Validators::default();
    }
    if user == ValidatorsChoice::Auto && probe_due(&known.state.efficacy, known) {
        return pair.clone();
    }
    ordinary(pair, known.state, user)
}

/// Validators were given up and this poll tries them again (R21).
fn probe_due(efficacy: &Efficacy, known: &Known) -> bool {
    let by_count = efficacy.plain.saturating_add(1) >= known.settings.retry_validators_after;
    let by_time = efficacy
        .probed
        .is_none_or(|at| known.now.since(at) >= PROBE);
    efficacy.mode == ValidatorsChoice::None && !efficacy.liar && (by_count || by_time)
}

/// The next scheduled poll is plain to see whether a 304 can be believed (R10, R22).
pub(super) fn verification_due(known: &Known) -> bool {
    let efficacy = &known.state.efficacy;
    let foreign = efficacy
        .verify_after
        .is_some_and(|after| after <= known.now);
    let choice = mode(known.state, known.subscription.http.validators);
    choice != ValidatorsChoice::None && (foreign || is_doubtful(known.state, known.now))
}

/// R22: a long row of 304s from a feed that ought to have had something new by now.
fn is_doubtful(state: &PollState, now: Timestamp) -> bool {
    let efficacy = &state.efficacy;
    let long = efficacy.not_modified >= DOUBT_COUNT
        && efficacy
            .not_modified_since
            .is_some_and(|since| now.since(since) >= DOUBT_SPAN);
    let overdue = state
        .newest
        .zip(state.median_gap)
        .is_some_and(|(newest, gap)| now.since(newest) > 4 * i64::from(gap));
    let rested = efficacy
        .verified
        .is_none_or(|at| now.since(at) >= i64::from(efficacy.pause_days) * DAY);
    long && overdue && rested
}

/// The parser has changed and it is this feed's turn to be read again in full (R80).
pub(super) fn reparse_due(known: &Known) -> bool {
    parser_changed(known)
        && known
            .state
            .reparse_after
            .is_some_and(|after| after <= known.now)
}

/// The body known was read by another parser: neither hash may stop the next full answer (R80).
pub fn parser_changed(known: &Known) -> bool {
    known.state.parser != 0 && known.state.parser != known.parser
}

/// What the answer proves, written down. `sent` and `got` are the validators of the last hop.
pub fn learn(proof: Proof, sent: &Validators, got: &Validators, known: &Known) -> Efficacy {
    let mut e = not_ahead(known.state.efficacy, known.now);
    let conditional = !sent.is_empty();
    if conditional {
        e.attempts = e.attempts.saturating_add(1);
    } else if proof != Proof::NotModified {
        verified(&mut e, proof, known);
    }
    let auto = known.subscription.http.validators == ValidatorsChoice::Auto;
    if auto && e.mode == ValidatorsChoice::None {
        if conditional {
            e.plain = 0;
            e.probed = Some(known.now);
        } else {
            e.plain = e.plain.saturating_add(1);
        }
    }
    match proof {
        Proof::NotModified => not_modified(&mut e, sent, got, known.now),
        Proof::Delta => forget_row(&mut e),
        Proof::Identical if conditional => {
            identical(&mut e, sent, got);
            if auto {
                descend(&mut e, sent, known);
            }
        }
        Proof::Identical | Proof::Changed { .. } => {}
    }
    if proof != Proof::NotModified {
        e.not_modified = 0;
        e.not_modified_since = None;
    }
    e
}

/// A time that lies in the future was written by a clock that was wrong: it counts as now, so that a clock set right
/// puts off nothing for years (R48).
fn not_ahead(mut e: Efficacy, now: Timestamp) -> Efficacy {
    let at_most = |at: Option<Timestamp>, most: Timestamp| at.map(|at| at.min(most));
    e.verified = at_most(e.verified, now);
    e.probed = at_most(e.probed, now);
    e.not_modified_since = at_most(e.not_modified_since, now);
    e.verify_after = at_most(e.verify_after, now.plus(VERIFY_GAP.max(VERIFY_AFTER)));
    e
}

/// A 304 ends every suspicion of uselessness, and fixes the mode it was earned in (R19–R21).
fn not_modified(e: &mut Efficacy, sent: &Validators, got: &Validators, now: Timestamp) {
    forget_row(e);
    e.not_modified = e.not_modified.saturating_add(1);
    e.not_modified_since.get_or_insert(now);
    if e.mode == ValidatorsChoice::None && !e.liar {
        e.mode = ValidatorsChoice::Auto;
        e.plain = 0;
        e.probed = None;
    }
    if let (Some(sent), Some(got)) = (&sent.etag, &got.etag)
        && !weakly_equal(sent, got)
    {
        let rested = e.verified.map_or(now, |at| at.plus(VERIFY_GAP));
        e.verify_after
            .get_or_insert(now.plus(VERIFY_AFTER).max(rested));
    }
}

fn forget_row(e: &mut Efficacy) {
    e.identical = 0;
    e.date_moved = false;
    e.tag_moved = false;
}

fn identical(e: &mut Efficacy, sent: &Validators, got: &Validators) {
    e.identical = e.identical.saturating_add(1);
    e.date_moved |= sent.last_modified.is_none() || sent.last_modified != got.last_modified;
    e.tag_moved |= sent.etag.is_none() || sent.etag != got.etag;
}

/// The ladder: both, then the one that stays the same alone, then none (R19, R20).
fn descend(e: &mut Efficacy, sent: &Validators, known: &Known) {
    if e.identical >= threshold(e, known.state, known.host, known.settings) {
        if e.mode != ValidatorsChoice::None {
            e.plain = 0;
            e.probed = Some(known.now);
        }
        e.mode = ValidatorsChoice::None;
        return;
    }
    let both = sent.etag.is_some() && sent.last_modified.is_some();
    if e.identical == LADDER && e.mode == ValidatorsChoice::Auto && both {
        e.mode = match (e.date_moved, e.tag_moved) {
            // A dead tag masks a living date (RFC 9110 §13.1.3).
            (false, _) => ValidatorsChoice::LastModified,
            (true, false) => ValidatorsChoice::Etag,
            (true, true) => ValidatorsChoice::Auto,
        };
    }
}

/// Identical answers in a row that end it: fewer for a newcomer among the useless (R19).
fn threshold(e: &Efficacy, state: &PollState, host: &HostState, settings: &PollSettings) -> u32 {
    let new = e.attempts < settings.useless_after && state.counters.not_modified304 == 0;
    if new && host_is_useless(host) {
        NEWCOMER.min(settings.useless_after)
    } else {
        settings.useless_after
    }
}

/// R19: every judged feed of the host is useless, and they have been tried often enough together.
pub const fn host_is_useless(host: &HostState) -> bool {
    host.judged > 0 && host.useless >= host.judged && host.attempts >= HOST_ATTEMPTS
}

/// A plain answer in full where one was wanted to verify a 304: what it showed (R10, R22).
fn verified(e: &mut Efficacy, proof: Proof, known: &Known) {
    if !verification_due(known) {
        return;
    }
    e.verified = Some(known.now);
    e.verify_after = None;
    if !is_doubtful(known.state, known.now) {
        return;
    }
    match proof {
        Proof::Changed { news: true } => {
            e.liar = true;
            e.mode = ValidatorsChoice::None;
        }
        Proof::Identical => e.pause_days = (e.pause_days * 2).min(PAUSE_MOST),
        _ => {}
    }
    e.pause_days = e.pause_days.max(PAUSE_FIRST);
}

/// The host's side of what was learned (R19): counts of its feeds, kept up as each changes.
pub fn roll_up(host: &mut HostState, before: &Efficacy, after: &Efficacy, settings: &PollSettings) {
    let judged = |e: &Efficacy| e.attempts >= settings.useless_after;
    let useless = |e: &Efficacy| judged(e) && e.mode == ValidatorsChoice::None;
    count(&mut host.judged, judged(before), judged(after));
    count(&mut host.useless, useless(before), useless(after));
    if judged(after) {
        let old = if judged(before) { before.attempts } else { 0 };
        host.attempts = host
            .attempts
            .saturating_add(after.attempts.saturating_sub(old));
    }
}

const fn count(of: &mut u32, before: bool, after: bool) {
    match (before, after) {
        (false, true) => *of = of.saturating_add(1),
        (true, false) => *of = of.saturating_sub(1),
        _ => {}
    }
}
