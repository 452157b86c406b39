//! A feed shown before it is subscribed: the one answer is kept, and becomes the first poll when a person says yes (R1).
//! Nothing is written until then.

use crate::config;
use crate::model::{Answer, ErrorKind, PollError, Subscription, Timestamp, Validators};
use crate::parse::{self, Parsed};
use crate::poll::{self, Verdict};
use crate::store::HostNote;

use super::clock;
use super::job::Fetched;
use super::pass::Pass;
use super::protocol::{AddResult, Newest, Preview, Ticket};
use super::shared::Shared;
use super::shelf::Kept;

/// Shows what answered, and keeps it.
pub fn show(
    shared: &Shared,
    ticket: Ticket,
    subscription: Subscription,
    mut fetched: Fetched,
) -> AddResult {
    let preview = preview_of(&subscription.url, &fetched);
    fetched.grant = None;
    // Who asked to wait is not asked, also when a person says no; a yes waits too.
    let waits = fetched.barred.is_some() || obey(shared, &mut fetched);
    fetched.pass.leave();
    shared.kept.put(Some(Kept {
        of: ticket,
        subscription,
        fetched: Some(fetched).filter(|_| !waits),
    }));
    AddResult::Seen(Box::new(preview))
}

/// Holds the host that asked to wait in an answer that may never become a poll (R36, R38). False: it did not ask.
pub fn obey(shared: &Shared, fetched: &mut Fetched) -> bool {
    match &fetched.end {
        Ok(answer) => obey_answer(shared, answer, !fetched.sent.is_empty(), &mut fetched.pass),
        Err(_) => false,
    }
}

/// The same of one answer. `conditional`: a validator was sent.
pub fn obey_answer(shared: &Shared, answer: &Answer, conditional: bool, pass: &mut Pass) -> bool {
    if poll::judge(answer, conditional) != Verdict::Throttled {
        return false;
    }
    let wait = poll::retry_after(&answer.headers, answer.at);
    let policy = &shared.settings.poll;
    let (state, _) = poll::hold(wait, &pass.state, clock::now(), policy);
    let host = pass.host().clone();
    let note = HostNote::Held {
        state: Box::new(state.clone()),
        turn: pass.turn,
    };
    shared.writer.host(host, note);
    // A host that asks for patience is not forgotten with the process: nobody waits for it here.
    drop(shared.writer.flush());
    pass.learn(state);
    true
}

/// Shows that nothing could be asked, and why; a yes subscribes all the same.
pub fn show_unasked(
    shared: &Shared,
    ticket: Ticket,
    subscription: Subscription,
    why: String,
) -> AddResult {
    let preview = Preview {
        url: config::masked(&subscription.url),
        trouble: Some(why),
        ..Preview::default()
    };
    shared.kept.put(Some(Kept {
        of: ticket,
        subscription,
        fetched: None,
    }));
    AddResult::Seen(Box::new(preview))
}

fn preview_of(url: &str, fetched: &Fetched) -> Preview {
    let mut preview = Preview {
        url: config::masked(url),
        ..Preview::default()
    };
    let Ok(answer) = &fetched.end else {
        preview.trouble = Some(trouble(url, fetched));
        return preview;
    };
    if !fetched.hops.is_empty() {
        preview.url_now = Some(config::masked(&answer.url));
    }
    preview.validators = Validators {
        etag: answer.headers.get("etag").map(<[u8]>::to_vec),
        last_modified: answer.headers.get("last-modified").map(<[u8]>::to_vec),
    };
    let content_type = answer.headers.text("content-type");
    let judged = poll::judge(answer, false);
    let parsed = parse::parse(&answer.body.bytes, content_type.as_deref(), &answer.url);
    match (judged, parsed) {
        (Verdict::Parse, Ok(parsed)) => fill(&mut preview, &parsed),
        _ => preview.trouble = Some(trouble(url, fetched)),
    }
    preview.bytes = answer.body.bytes.len() as u64;
    preview
}

fn fill(preview: &mut Preview, parsed: &Parsed) {
    let now = clock::now();
    let date = |at: Option<Timestamp>| at.filter(|at| *at <= now);
    let newest = parsed
        .entries
        .iter()
        .max_by_key(|entry| date(entry.published.or(entry.updated)));
    preview.title.clone_from(&parsed.title);
    preview.kind = parsed.kind;
    preview.entries = parsed.entries.len();
    preview.newest = newest.map(|entry| Newest {
        title: if entry.title.is_empty() {
            parse::beginning(&entry.body)
        } else {
            entry.title.clone()
        },
        at: date(entry.published.or(entry.updated)),
    });
    preview.warning = match (parsed.truncated, parsed.entries.is_empty()) {
        (true, _) => Some("the feed is cut off; its whole entries are kept".to_owned()),
        (false, true) => Some("the feed is empty: it has no entries".to_owned()),
        (false, false) => None,
    };
}

/// Why this may be a feed and could not be had now.
fn trouble(url: &str, fetched: &Fetched) -> String {
    if fetched.barred.is_some() {
        return "a host on the way asked to be left alone for a while".to_owned();
    }
    let answer = match &fetched.end {
        Ok(answer) => answer,
        Err(error) => return error.to_string(),
    };
    match poll::judge(answer, false) {
        Verdict::Throttled => format!("the server asks to wait ({})", answer.status),
        Verdict::Failed(error) => parse::named(answer, url, &error, false).to_string(),
        _ => PollError::new(ErrorKind::Status, answer.status.to_string()).to_string(),
    }
}
