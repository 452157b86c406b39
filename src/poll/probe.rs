//! The plan of a probe and its verdict: four requests at most, two seconds apart, at most one of them plain.

use std::time::Duration;

use crate::model::{
    Content, Grade, Honour, ProbeEnd, Shot, Validators, ValidatorsChoice, Verdict304,
};

use super::headers::weakly_equal;

/// Requests of one probe at most, redirects included.
pub const PROBE_SHOTS: usize = 4;
/// From the end of one request of a probe to the start of the next; more where the host wants more.
pub const PROBE_GAP: Duration = Duration::from_secs(2);

/// What is known before the first request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProbeStart {
    /// The URL that is asked first.
    pub url: String,
    /// The validators stored for it.
    pub stored: Validators,
    /// The content that was read last, when it came with these validators.
    pub content: Option<Content>,
}

/// What a probe does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// It asks this URL with these validators.
    Ask(String, Validators),
    /// It is over.
    End(ProbeEnd),
}

/// What to ask next, given all answers so far.
pub fn probe_step(start: &ProbeStart, shots: &[Shot]) -> Step {
    if let Some(last) = shots.last() {
        if let Some(until) = last.wait_until {
            return Step::End(ProbeEnd::Held(until));
        }
        if let Some(error) = &last.error {
            return Step::End(ProbeEnd::Failed(error.clone()));
        }
        if let Some(location) = &last.location {
            // What the target once gave is not known here, and one plain request is all that may be.
            return Step::End(ProbeEnd::Redirect(location.clone()));
        }
    }
    if shots.len() >= PROBE_SHOTS {
        return Step::End(ProbeEnd::Done);
    }
    let pair = newest_pair(start, shots);
    let wanted = wanted(&pair, shots);
    match wanted {
        Some(sent) => Step::Ask(start.url.clone(), sent),
        None => Step::End(ProbeEnd::Done),
    }
}

/// The validators as they are by now: those of the last whole answer, else the stored ones as 304s left them (R7, R9).
fn newest_pair(start: &ProbeStart, shots: &[Shot]) -> Validators {
    shots.iter().fold(start.stored.clone(), |pair, shot| {
        if shot.status == 304 {
            pair.refreshed_by(&shot.got)
        } else {
            shot.got.clone()
        }
    })
}

/// Both, the tag alone, the date alone, as far as there are such and each once; plain first where nothing is known, and
/// last where no whole answer was seen.
fn wanted(pair: &Validators, shots: &[Shot]) -> Option<Validators> {
    let seen = shots.iter().any(|shot| shot.content.is_some());
    let plain = (!seen && !shots.iter().any(Shot::is_plain)).then(Validators::default);
    if pair.is_empty() {
        return plain;
    }
    let choices = [
        ValidatorsChoice::Both,
        ValidatorsChoice::Etag,
        ValidatorsChoice::LastModified,
    ];
    let picks = choices.map(|choice| choice.pick(pair));
    let asked = |pick: &Validators| shots.iter().any(|shot| shape(&shot.sent) == shape(pick));
    let next = picks
        .into_iter()
        .find(|pick| !pick.is_empty() && !asked(pick));
    next.or(plain)
}

/// Which of the two are there.
const fn shape(pair: &Validators) -> (bool, bool) {
    (pair.etag.is_some(), pair.last_modified.is_some())
}

/// What the answers showed.
pub fn probe_verdict(start: &ProbeStart, shots: &[Shot]) -> Verdict304 {
    let answers: Vec<&Shot> = shots.iter().filter(|shot| is_answer(shot)).collect();
    let honour = |wanted| honoured(start, &answers, wanted);
    let whole = answers.iter().any(|shot| shot.content.is_some());
    let gives = |has: fn(&Validators) -> bool| {
        (!answers.is_empty() && (whole || has(&start.stored)))
            .then(|| answers.iter().any(|shot| has(&shot.got)) || (!whole && has(&start.stored)))
    };
    let mut verdict = Verdict304 {
        grade: Grade::Unknown,
        gives_etag: gives(|pair| pair.etag.is_some()),
        gives_date: gives(|pair| pair.last_modified.is_some()),
        both: honour((true, true)),
        etag: honour((true, false)),
        date: honour((false, true)),
        etag_moves: moves(start, &answers, |pair| pair.etag.as_deref()),
        date_moves: moves(start, &answers, |pair| pair.last_modified.as_deref()),
        altered: altered(start, &answers),
        fresh_secs: answers.iter().rev().find_map(|shot| shot.fresh_secs),
        coding: answers.iter().rev().find_map(|shot| shot.coding.clone()),
        saw_body: whole,
        setting: None,
        sentences: Vec::new(),
    };
    grade(&mut verdict, lies(start, &answers), answers.is_empty());
    verdict.sentences = super::probe_words::sentences(&verdict);
    verdict
}

/// An answer that says something about validators.
fn is_answer(shot: &Shot) -> bool {
    shot.error.is_none() && (shot.status == 304 || shot.content.is_some())
}

/// The content that was known when this request was sent.
fn known_before(start: &ProbeStart, answers: &[&Shot], at: usize) -> Option<Content> {
    let before = answers[..at].iter().rev();
    before
        .into_iter()
        .find_map(|shot| shot.content)
        .or(start.content)
}

fn honoured(start: &ProbeStart, answers: &[&Shot], wanted: (bool, bool)) -> Honour {
    let Some(at) = answers
        .iter()
        .position(|shot| shape(&shot.sent) == wanted && !shot.is_plain())
    else {
        return Honour::Unknown;
    };
    let shot = answers[at];
    if shot.status == 304 {
        return Honour::Yes;
    }
    match (known_before(start, answers, at), shot.content) {
        (Some(known), Some(content)) if known.is_same(&content) => Honour::No,
        _ => Honour::Unknown,
    }
}

/// A validator differed between two answers with the same content. `None`: no two can be compared.
fn moves(
    start: &ProbeStart,
    answers: &[&Shot],
    of: fn(&Validators) -> Option<&[u8]>,
) -> Option<bool> {
    let stored = start.content.map(|content| (content, &start.stored));
    let whole = answers
        .iter()
        .filter_map(|shot| Some((shot.content?, &shot.got)));
    let all: Vec<(Content, &Validators)> = stored.into_iter().chain(whole).collect();
    let mut found = None;
    for pair in all.windows(2) {
        let [(content, old), (other, new)] = pair else {
            continue;
        };
        if let (true, Some(old), Some(new)) = (content.is_same(other), of(old), of(new)) {
            found = Some(found.unwrap_or(false) || !weakly_equal(old, new));
        }
    }
    found
}

/// It answered 304 to the validators of a content that is no longer its own.
fn lies(start: &ProbeStart, answers: &[&Shot]) -> bool {
    let said_304 = answers
        .first()
        .is_some_and(|first| first.status == 304 && !first.is_plain());
    let known = start.content.filter(|_| said_304);
    let plain = answers.iter().find(|shot| shot.is_plain());
    match (known, plain.and_then(|shot| shot.content)) {
        (Some(known), Some(content)) => !known.is_same(&content),
        _ => false,
    }
}

/// Marks that compressors and proxies leave behind on validators.
fn altered(start: &ProbeStart, answers: &[&Shot]) -> Vec<String> {
    let mut found = Vec::new();
    let mut note = |clause: String| {
        if !found.contains(&clause) {
            found.push(clause);
        }
    };
    let mut before = start.stored.clone();
    for shot in answers {
        if let Some(etag) = &shot.got.etag {
            if let Some(mark) = mark(etag) {
                note(format!("its ETag carries the mark of a compressor: {mark}"));
            }
            if etag.starts_with(b"W/") && !shot.between.is_empty() {
                note(
                    "its ETag is a weak one (W/), as caches make it when they compress".to_owned(),
                );
            }
            match &shot.sent.etag {
                Some(sent) if sent != etag && weakly_equal(sent, etag) => {
                    note("its ETag came back with W/ added or taken off".to_owned());
                }
                Some(sent) if sent != etag && shot.status == 304 => {
                    note("its 304 names another ETag than was sent".to_owned());
                }
                _ => {}
            }
        }
        if shot.content.is_some() {
            for (name, had, has) in [
                ("ETag", &before.etag, &shot.got.etag),
                (
                    "Last-Modified",
                    &before.last_modified,
                    &shot.got.last_modified,
                ),
            ] {
                if had.is_some() && has.is_none() {
                    note(format!(
                        "an answer came without the {name} of the one before"
                    ));
                }
            }
            before = shot.got.clone();
        }
    }
    found
}

/// The suffix by which servers mark the `ETag` of a packed body.
fn mark(etag: &[u8]) -> Option<&'static str> {
    const MARKS: [&str; 10] = [
        "--gzip", "-gzip", ";gzip", "x-gzip", "-br", ";br", "-zstd", ";zstd", "-deflate", "-df",
    ];
    let bare = etag.strip_suffix(b"\"").unwrap_or(etag);
    MARKS
        .into_iter()
        .find(|mark| bare.ends_with(mark.as_bytes()))
}

/// The word for it all, and the setting that would serve better than finding it out poll by poll.
fn grade(verdict: &mut Verdict304, lies: bool, silent: bool) {
    use Honour::{No, Unknown, Yes};
    let (both, etag, date) = (verdict.both, verdict.etag, verdict.date);
    let one_given = verdict.gives_etag != verdict.gives_date;
    let none_given = verdict.gives_etag == Some(false) && verdict.gives_date == Some(false);
    (verdict.grade, verdict.setting) = if silent {
        (Grade::Unknown, None)
    } else if lies {
        (Grade::Lies, Some(ValidatorsChoice::None))
    } else if none_given {
        (Grade::NoValidators, None)
    } else {
        match (both, etag, date) {
            // A dead tag masks a living date (RFC 9110 §13.1.3), or the other way round (R20).
            (No, _, Yes) => (Grade::Partly, Some(ValidatorsChoice::LastModified)),
            (No, Yes, _) => (Grade::Partly, Some(ValidatorsChoice::Etag)),
            (No | Unknown, No, No) => (Grade::Useless, Some(ValidatorsChoice::None)),
            (Unknown, No, Unknown) | (Unknown, Unknown, No) if one_given => {
                (Grade::Useless, Some(ValidatorsChoice::None))
            }
            (Yes, No, _) | (Yes, _, No) | (Unknown, Yes, No) | (Unknown, No, Yes) => {
                (Grade::Partly, None)
            }
            (Yes, _, _) | (Unknown, Yes, _) | (Unknown, _, Yes) => (Grade::Good, None),
            (No | Unknown, No | Unknown, No | Unknown) => (Grade::Unknown, None),
        }
    };
}
