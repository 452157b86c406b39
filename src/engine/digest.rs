//! What an answer comes to: judged, read, compared with what is known, concluded. An error is an outcome.

use std::collections::BTreeMap;

use crate::model::{
    Answer, Cursor, EntryKey, ErrorKind, FeedId, Incoming, Memory, Outcome, PollError, SourceKind,
    Timestamp,
};
use crate::parse::{self, Changes, KnownEntry, Parsed};
use crate::poll::{self, Asked, Conclusion, Ending, Facts, Newest, Root, Since, Verdict};
use crate::push::{self, Found};
use crate::store::{About, Withdrawn};

use super::clock;
use super::gathered::Gathered;
use super::job::{Fetched, Job};
use super::lists;
use super::reading::{poll_error, without_login};
use super::shared::Shared;
use super::withdrawn;

/// What a poll came to, before it is on disk.
pub struct Digest {
    /// Outcome, state, host, validators, counters.
    pub conclusion: Conclusion,
    /// What the feed says of itself, when it was read.
    pub about: Option<About>,
    /// New and edited entries.
    pub changes: Changes,
    /// Decoded bytes of the body.
    pub decoded: u64,
    /// How far it is read from now on, of a feed that is asked for what is newer.
    pub cursor: Option<Cursor>,
    /// What is remembered of it from now on, of a source that is more than one document.
    pub memory: Memory,
    /// A list names other feeds than before: what changed, in words.
    pub news: Option<String>,
    /// A guard that wants to see a browser answered, not the host itself.
    pub guarded: bool,
    /// What a complete feed lists no longer.
    pub withdrawn: Withdrawn,
}

/// Judges the answer, parses it, decides what it means. Runs on a worker: parsing takes time.
/// `offline` is the time of the next try where this machine was found to be offline (R44).
pub fn digest(
    shared: &Shared,
    job: &Job,
    fetched: &mut Fetched,
    offline: Option<Timestamp>,
) -> Digest {
    let gathered = fetched.gathered.take();
    let fetched = &*fetched;
    let known = job.known(&fetched.pass.state, &shared.settings, clock::now());
    if let Some(bar) = fetched.barred {
        return Digest::bare(bar.conclude(&known));
    }
    if let (Some(until), Err(error)) = (offline, &fetched.end) {
        return Digest::bare(poll::conclude_offline(error, until, &known));
    }
    let mut read = Read::default();
    let mut sum = gathered.map(|gathered| *gathered);
    let end = match &mut sum {
        Some(gathered) => gathered_ending(shared, job, fetched, gathered, &mut read),
        None => ending(shared, job, fetched, &mut read),
    };
    let answer = fetched.end.as_deref().ok();
    let decoded = match &sum {
        Some(gathered) => gathered.decoded,
        None => answer.map_or(0, |answer| answer.body.bytes.len() as u64),
    };
    let asked = Asked {
        pace: job.pace,
        hops: &fetched.hops,
        sent: fetched.sent.clone(),
        answer,
        wire: answer.map_or(fetched.wire, |answer| answer.body.wire),
        // What costs nobody a byte has no budget of bytes (R30).
        decoded: if job.is_local() {
            decoded.min(1)
        } else {
            decoded
        },
        newer: fetched.since == Since::Newer,
        pushed: job.pushed,
    };
    let mut conclusion = poll::conclude(&end.view(&read), &asked, &known, fastrand::f64());
    let partly = sum.is_some();
    let mut cursor = cursor(job, fetched, &end, &read, known.now);
    if let Some(gathered) = sum {
        conclusion.delta.add(&gathered.cost);
        conclusion.state.counters.add(&gathered.cost);
        conclusion.validators.extend(gathered.validators);
        cursor = gathered.cursor;
        for warning in gathered.warnings {
            warn(&mut conclusion, warning);
        }
    }
    // A delta without entries says that there is no news.
    let is_delta = asked.newer || answer.is_some_and(|answer| answer.status == 226);
    if read.is_without_entries && !is_delta && conclusion.warning.is_none() {
        conclusion.warning = Some(NO_ENTRIES.to_owned());
    }
    if conclusion.warning.is_none() {
        conclusion.warning = read.withdrawn.1.take();
    }
    let guarded = answer.is_some_and(|answer| {
        answer.status >= 400 && guards_every_feed(parse::odd(answer, &job.subscription.url))
    });
    if answer.is_some_and(|answer| answer.status == 403) && !guarded {
        // Several feeds of a host got 403 within the run: the host itself says no. Held with the same commit, so that
        // no later feed of the run slips through.
        let count = fetched.pass.forbidden + 1;
        let policy = &shared.settings.poll;
        if let Some(held) = poll::hold_after_403(count, &conclusion.host, known.now, policy) {
            conclusion.host = held;
        }
    }
    if let Since::Refused(status) = fetched.since {
        let refused =
            format!("the server refused the cursor ({status}); the whole feed was asked for");
        warn(&mut conclusion, refused);
    }
    if let Some(warning) = read.warning.take() {
        warn(&mut conclusion, warning);
    }
    let (memory, news) = match &end {
        _ if partly => (read.memory, String::new()),
        EndingKind::NotModified | EndingKind::Identical(_) => lists::unchanged(job, known.now),
        EndingKind::Parsed => (read.memory, read.news),
        EndingKind::Gathered(_)
        | EndingKind::Throttled
        | EndingKind::Gone
        | EndingKind::Failed(_) => Default::default(),
    };
    // What documents brought before one failed is theirs.
    let kept = partly || matches!(conclusion.outcome, Outcome::Changed { .. });
    Digest {
        cursor,
        memory,
        news: Some(news).filter(|words| !words.is_empty()),
        conclusion,
        about: read.about,
        changes: if kept {
            read.changes
        } else {
            Changes::default()
        },
        decoded,
        guarded,
        withdrawn: read.withdrawn.0,
    }
}

fn warn(conclusion: &mut Conclusion, warning: String) {
    conclusion.warning = Some(match conclusion.warning.take() {
        Some(others) => format!("{warning}; {others}"),
        None => warning,
    });
}

/// A guard that asks for a browser says nothing about how often the host may be asked: no sign for a hold (R51).
fn guards_every_feed(odd: Option<parse::Odd>) -> bool {
    odd.is_some_and(|odd| odd.kind == parse::OddKind::Challenge)
}

impl Digest {
    /// Nothing was read.
    fn bare(conclusion: Conclusion) -> Self {
        Self {
            conclusion,
            about: None,
            changes: Changes::default(),
            decoded: 0,
            cursor: None,
            memory: Memory::Nothing,
            news: None,
            guarded: false,
            withdrawn: Withdrawn::default(),
        }
    }
}

/// The cursor moves with what was read whole; it is stored with the entries (R77).
fn cursor(
    job: &Job,
    fetched: &Fetched,
    end: &EndingKind,
    read: &Read,
    now: Timestamp,
) -> Option<Cursor> {
    let well = match end {
        EndingKind::NotModified | EndingKind::Identical(_) => true,
        EndingKind::Parsed => !read.truncated,
        EndingKind::Gathered(_)
        | EndingKind::Throttled
        | EndingKind::Gone
        | EndingKind::Failed(_) => false,
    };
    let before = job.cursor.as_ref().filter(|_| well);
    if let Some(changes) = job.subscription.changes.as_ref().filter(|_| well) {
        let answer = fetched.end.as_ref().ok();
        let modified = answer.and_then(|answer| answer.headers.get("last-modified"));
        let modified = modified.and_then(poll::date);
        return Some(poll::after_whole(before, modified, changes, now));
    }
    let delta = job.subscription.delta.as_ref().filter(|_| well)?;
    Some(poll::advanced(
        before,
        fetched.since,
        &read.newest,
        delta,
        now,
    ))
}

enum EndingKind {
    NotModified,
    Identical([u8; 32]),
    Parsed,
    Gathered(Root),
    Throttled,
    Gone,
    Failed(PollError),
}

impl EndingKind {
    /// The same, as `poll` takes it.
    fn view<'a>(&'a self, read: &'a Read) -> Ending<'a> {
        match self {
            Self::NotModified => Ending::NotModified,
            Self::Identical(body_hash) => Ending::Identical {
                body_hash: *body_hash,
            },
            Self::Parsed => Ending::Parsed(read.facts()),
            Self::Gathered(root) => Ending::Gathered(read.facts(), *root),
            Self::Throttled => Ending::Throttled,
            Self::Gone => Ending::Gone,
            Self::Failed(error) => Ending::Failed(error),
        }
    }
}

/// The warning of a feed that is whole and empty.
const NO_ENTRIES: &str = "the feed is empty: it has no entries";

/// What parsing found.
#[derive(Default)]
struct Read {
    is_without_entries: bool,
    body_hash: [u8; 32],
    entries_hash: [u8; 32],
    truncated: bool,
    wishes: poll::Wishes,
    dates: Vec<Timestamp>,
    about: Option<About>,
    changes: Changes,
    newest: Newest,
    /// What a complete feed lists no longer, and what to say of it.
    withdrawn: (Withdrawn, Option<String>),
    /// Feeds of a list that were added, parked, dropped or told otherwise.
    listed: u32,
    memory: Memory,
    news: String,
    warning: Option<String>,
}

impl Read {
    fn facts(&self) -> Facts<'_> {
        let changed = self.changes.edited.len() + self.changes.moved.len();
        Facts {
            body_hash: self.body_hash,
            entries_hash: self.entries_hash,
            truncated: self.truncated,
            new: self.changes.new.len() as u32,
            updated: changed as u32 + self.listed,
            wishes: self.wishes,
            dates: &self.dates,
        }
    }
}

/// What all documents brought is compared with what is known; where one of them failed, the poll ends as that one did.
fn gathered_ending(
    shared: &Shared,
    job: &Job,
    fetched: &Fetched,
    gathered: &mut Gathered,
    read: &mut Read,
) -> EndingKind {
    read.memory = std::mem::take(&mut gathered.memory);
    read.about = gathered.about.take();
    if let Some(error) = gathered.refused.take() {
        return EndingKind::Failed(error);
    }
    read.dates = gathered.dates();
    let entries = std::mem::take(&mut gathered.entries);
    match changes(shared, job, entries) {
        Ok(changes) => read.changes = changes,
        Err(error) => {
            read.memory = Memory::Nothing;
            (gathered.cursor, gathered.validators) = (None, Vec::new());
            return EndingKind::Failed(PollError::new(ErrorKind::Store, error.to_string()));
        }
    }
    if gathered.well {
        return EndingKind::Gathered(gathered.root);
    }
    ending(shared, job, fetched, read)
}

fn ending(shared: &Shared, job: &Job, fetched: &Fetched, read: &mut Read) -> EndingKind {
    let answer = match &fetched.end {
        Ok(answer) => answer,
        Err(error) => return EndingKind::Failed(error.clone()),
    };
    match poll::judge(answer, !fetched.sent.is_empty()) {
        Verdict::NotModified => EndingKind::NotModified,
        Verdict::Throttled => EndingKind::Throttled,
        Verdict::Gone => EndingKind::Gone,
        Verdict::Failed(error) => EndingKind::Failed(named(job, answer, &error)),
        Verdict::Redirect => {
            EndingKind::Failed(PollError::new(ErrorKind::Redirect, "it leads nowhere"))
        }
        Verdict::Parse => read_body(shared, job, fetched, answer, read),
    }
}

/// The error in the words of what the answer is instead of a feed.
pub fn named(job: &Job, answer: &Answer, error: &PollError) -> PollError {
    let before = job.input.state.full_decoded > 0;
    parse::named(answer, &job.subscription.url, error, before)
}

fn read_body(
    shared: &Shared,
    job: &Job,
    fetched: &Fetched,
    answer: &Answer,
    read: &mut Read,
) -> EndingKind {
    let body_hash = parse::body_hash(&answer.body.bytes);
    let known = job.known(&fetched.pass.state, &shared.settings, clock::now());
    let whole = answer.status != 226 && fetched.since != Since::Newer;
    if whole && poll::same_body(body_hash, &known) {
        return EndingKind::Identical(body_hash);
    }
    let content_type = answer.headers.text("content-type");
    let base = if job.is_local() {
        String::new()
    } else {
        without_login(&answer.url)
    };
    if job.subscription.kind == SourceKind::List {
        return match lists::read(job, answer, known.now) {
            Ok(found) => {
                (read.body_hash, read.entries_hash) = (body_hash, found.hash);
                (read.listed, read.memory) = (found.changes, found.memory);
                (read.news, read.warning) = (found.words, found.warning);
                read.about = Some(found.about);
                EndingKind::Parsed
            }
            Err(error) => EndingKind::Failed(error),
        };
    }
    let parsed = match parse::parse(&answer.body.bytes, content_type.as_deref(), &base) {
        Ok(parsed) => parsed,
        Err(error) => return EndingKind::Failed(named(job, answer, &poll_error(&error))),
    };
    let hubs = hubs_of(job, fetched, answer, &parsed);
    let complete = whole && job.subscription.filter.is_empty();
    match compare(shared, job, parsed, complete, read) {
        Ok(()) => {
            read.body_hash = body_hash;
            if let Some(about) = &mut read.about {
                (about.topic, about.hubs) =
                    hubs.map_or_else(Default::default, |found| (Some(found.topic), found.hubs));
            }
            EndingKind::Parsed
        }
        Err(error) => EndingKind::Failed(PollError::new(ErrorKind::Store, error.to_string())),
    }
}

/// The hubs that the answer names, and what they are to be asked for: what the address means that is asked from now on, not
/// one to which it redirects for the time being (R79).
fn hubs_of(job: &Job, fetched: &Fetched, answer: &Answer, parsed: &Parsed) -> Option<Found> {
    if job.is_local() {
        return None;
    }
    let mut asked = poll::address(&job.input.state, &job.subscription.url);
    for hop in fetched.hops.iter().take_while(|hop| hop.is_permanent()) {
        asked = &hop.to;
    }
    let links: Vec<&[u8]> = answer.headers.all("link").collect();
    let own = parsed.own.as_deref();
    push::discover(
        &without_login(&answer.url),
        &without_login(asked),
        &links,
        &parsed.hubs,
        own,
    )
}

fn compare(
    shared: &Shared,
    job: &Job,
    parsed: Parsed,
    complete: bool,
    read: &mut Read,
) -> Result<(), crate::store::StoreError> {
    let listed = withdrawn::listed(&parsed).filter(|_| complete);
    read.dates = parsed
        .entries
        .iter()
        .filter_map(|entry| entry.published.or(entry.updated))
        .collect();
    if job.subscription.delta.is_some() {
        read.newest = newest(&parsed.entries);
    }
    read.is_without_entries = parsed.entries.is_empty() && !parsed.truncated;
    read.entries_hash = parsed.entries_hash;
    read.truncated = parsed.truncated;
    read.wishes = poll::Wishes {
        ttl: parsed.wishes.ttl,
        update_period: parsed.wishes.update_period,
        skip_hours: parsed.wishes.skip_hours,
        skip_days: parsed.wishes.skip_days,
    };
    read.about = Some(About {
        title: parsed.title,
        site: parsed.site,
        hubs: Vec::new(),
        topic: None,
    });
    read.changes = changes(shared, job, parsed.entries)?;
    if let Some(listed) = listed {
        read.withdrawn = withdrawn::withdrawn(shared, job.input.feed.id, listed, &read.changes)?;
    }
    Ok(())
}

/// What of these entries the store does not have yet.
pub fn changes(
    shared: &Shared,
    job: &Job,
    entries: Vec<Incoming>,
) -> Result<Changes, crate::store::StoreError> {
    let keys: Vec<_> = entries.iter().map(|entry| entry.key).collect();
    let known = shared.store.known_entries(job.input.feed.id, &keys)?;
    let former = former(shared, job.input.feed.id, &entries, &known)?;
    Ok(parse::change(entries, &known, &former))
}

/// The newest of these entries; of several with one date, or of those without any, the first.
fn newest(entries: &[Incoming]) -> Newest {
    let date = |entry: &Incoming| entry.updated.max(entry.published);
    let mut found: Option<&Incoming> = None;
    for entry in entries {
        if found.is_none_or(|found| date(entry) > date(found)) {
            found = Some(entry);
        }
    }
    Newest {
        date: found.and_then(date),
        id: found
            .map(|entry| entry.guid.clone())
            .filter(|id| !id.is_empty()),
    }
}

/// Entries that only changed their guid. The store is asked only where something is unknown and the feed is not new.
pub fn former(
    shared: &Shared,
    feed: FeedId,
    entries: &[Incoming],
    known: &[Option<KnownEntry>],
) -> Result<BTreeMap<usize, EntryKey>, crate::store::StoreError> {
    let store = &shared.store;
    if known.iter().all(Option::is_some) || !store.has_entries(feed)? {
        return Ok(BTreeMap::new());
    }
    let relatives = store.remembered(feed, &parse::relatives(entries, known))?;
    let recent = if parse::is_upheaval(entries, known) {
        store.recent(feed, parse::recent_wanted(entries.len()))?
    } else {
        Vec::new()
    };
    Ok(parse::recognise(entries, known, &relatives, &recent))
}
