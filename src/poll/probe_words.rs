//! The verdict of a probe in sentences, each about one thing.

use crate::model::{Grade, Honour, ValidatorsChoice, Verdict304, human};

/// All there is to say, the most important first.
pub(super) fn sentences(verdict: &Verdict304) -> Vec<String> {
    let mut said = vec![first(verdict).to_owned()];
    said.extend(masked(verdict).map(str::to_owned));
    said.extend(gives(verdict));
    for (what, honour) in [
        ("ETag and Last-Modified together", verdict.both),
        ("the ETag alone", verdict.etag),
        ("Last-Modified alone", verdict.date),
    ] {
        match honour {
            Honour::Yes => said.push(format!("It answers 304 to {what}.")),
            Honour::No => said.push(format!("It sends everything again to {what}.")),
            Honour::Unknown => {}
        }
    }
    for (what, moves) in [
        ("ETag", verdict.etag_moves),
        ("Last-Modified", verdict.date_moves),
    ] {
        if moves == Some(true) {
            said.push(format!(
                "Its {what} changes with every answer although the content does not."
            ));
        }
    }
    if !verdict.altered.is_empty() {
        let clauses = verdict.altered.join("; ");
        said.push(format!(
            "Compression or a proxy seems to be at work: {clauses}."
        ));
    }
    said.extend(freshness(verdict));
    said.extend(coding(verdict));
    said
}

const fn first(verdict: &Verdict304) -> &'static str {
    match verdict.grade {
        Grade::Good => "The server does conditional requests well.",
        Grade::Partly => "The server does conditional requests in part.",
        Grade::Useless => {
            "The server gives validators and honours none: every poll costs the whole feed."
        }
        Grade::NoValidators => "The server gives no validators: every poll costs the whole feed.",
        Grade::Lies => {
            "The server says 304 although its feed has changed: new entries would be missed."
        }
        Grade::Unknown => "Not enough was learned to judge the server.",
    }
}

/// What the setting is good for.
fn masked(verdict: &Verdict304) -> Option<&'static str> {
    match verdict.setting {
        Some(ValidatorsChoice::LastModified) => {
            Some("A dead ETag masks a living date: sent alone the date works.")
        }
        Some(ValidatorsChoice::Etag) => Some("The date spoils what the ETag alone can do."),
        _ => None,
    }
}

fn gives(verdict: &Verdict304) -> Option<String> {
    let what = match (verdict.gives_etag?, verdict.gives_date?) {
        (true, true) => "an ETag and a Last-Modified",
        (true, false) => "an ETag",
        (false, true) => "a Last-Modified",
        (false, false) => return None,
    };
    Some(format!("It gives {what}."))
}

fn freshness(verdict: &Verdict304) -> Option<String> {
    match (verdict.fresh_secs, verdict.grade) {
        (Some(0), _) => Some(
            "It wants to be asked again at any time (max-age or Expires is over at once)."
                .to_owned(),
        ),
        (Some(secs), _) => Some(format!(
            "It asks not to be asked again for {}.",
            human(secs)
        )),
        (None, Grade::Unknown) => None,
        (None, _) => Some("It does not say how long an answer stays fresh.".to_owned()),
    }
}

fn coding(verdict: &Verdict304) -> Option<String> {
    if !verdict.saw_body {
        return None;
    }
    Some(match &verdict.coding {
        Some(coding) => format!("It packs the feed ({coding})."),
        None => "It does not pack the feed.".to_owned(),
    })
}
