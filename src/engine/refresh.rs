//! One poll of one feed: ask hop by hop, judge, parse, conclude. Every path ends in a `Digest`; an error is an outcome.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::Instant;
use url::Url;

use crate::config;
use crate::fetch::{Failure, Fetcher, Grant, Request, Reuse, is_private_host, login_of};
use crate::files;
use crate::model::{
    Answer, EntryKey, ErrorKind, Exchange, Hop, HostKey, HostState, Incoming, Locations, Outcome,
    Pace, PollError, Settings, Subscription, Timestamp, Validators,
};
use crate::parse::{self, Changes, KnownEntry, ParseError, Parsed};
use crate::poll::{self, Asked, Conclusion, Ending, Facts, Known, Verdict};
use crate::store::{About, PollInput, Store, Writer};

use super::{clock, local};

/// What every poll of a run shares.
pub struct Shared {
    /// For reads.
    pub store: Store,
    /// The one way to write.
    pub writer: Writer,
    /// The one way to ask.
    pub fetcher: Fetcher,
    /// The user's.
    pub settings: Settings,
    /// The user's.
    pub locations: Locations,
    /// Parsing happens on two workers.
    pub parsing: Arc<Semaphore>,
    /// An answer that waits for a person's yes.
    pub kept: super::preview::Shelf,
    /// What is done with new entries.
    pub rules: super::rules::Book,
}

/// A message from a poll to the loop.
pub enum Inner {
    /// Wants to send a request to this host.
    Gate {
        /// The host.
        host: HostKey,
        /// What its budget asks of it.
        toll: Toll,
        /// Gets the pass when the turn has come; dropped when it will not come.
        reply: oneshot::Sender<Pass>,
    },
    /// Something was stored beside the loop: what was read before is old.
    Stored,
    /// A request ended.
    Leave {
        /// The host.
        host: HostKey,
        /// What is known of it now.
        state: Option<HostState>,
    },
    /// A 304 of this host spoke of a body, or one came unannounced: it would be read as the next answer (R24).
    StrayBody {
        /// The host.
        host: HostKey,
    },
    /// A poll needs the network no longer.
    Landed(Landing),
    /// Nothing answered: is this machine offline? The poll waits uncommitted for the answer (R44).
    Unanswered {
        /// The host that did not, and how.
        failure: (HostKey, ErrorKind),
        /// Offline until then, or an ordinary error.
        reply: oneshot::Sender<Option<Timestamp>>,
    },
    /// feeds.toml was written: read it again, then answer.
    Reload {
        /// Told when the list is the new one; the error when it was not read.
        reply: oneshot::Sender<Result<(), String>>,
    },
}

/// How a request stands to its host's budget (R72).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Toll {
    /// How urgent it is.
    pub pace: Pace,
    /// It belongs to a first poll.
    pub first: bool,
}

/// Why a host may not be asked now, and until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bar {
    /// It is held (R39, R47).
    Held(Timestamp),
    /// Its budget for this hour is spent (R72).
    Spent(Timestamp),
}

impl Bar {
    /// What stands between a request and its host.
    pub fn of(host: &HostState, toll: Toll, now: Timestamp, settings: &Settings) -> Option<Self> {
        if let Some(until) = poll::held(host, now, &settings.poll) {
            return Some(Self::Held(until));
        }
        let budget = settings.http.host_budget;
        poll::over_budget(host, toll.pace, toll.first, now, budget).map(Self::Spent)
    }

    /// When it is gone.
    pub const fn until(self) -> Timestamp {
        match self {
            Self::Held(until) | Self::Spent(until) => until,
        }
    }

    /// What becomes of a feed that met it.
    pub fn conclude(self, known: &Known) -> Conclusion {
        match self {
            Self::Held(until) => poll::defer(until, known),
            Self::Spent(until) => poll::defer_for_budget(until, known),
        }
    }
}

/// The end of a poll's time on the network.
pub struct Landing {
    /// The flight it ends.
    pub flight: u64,
    /// The host that was asked last.
    pub host: HostKey,
    /// The status, when something answered.
    pub status: Option<u16>,
    /// Something answered, be it a refusal: this machine is not offline.
    pub answered: bool,
}

/// The right to use a host's lane. Dropped, it frees the lane.
pub struct Pass {
    host: HostKey,
    /// The host's record, as this run has it.
    pub state: HostState,
    /// How often it has answered 403 in this run (R51).
    pub forbidden: usize,
    /// Which turn of the lanes this is: later ones know more of the host.
    pub turn: u64,
    /// It may not be asked now: the lane is had, but nothing may be sent.
    pub bar: Option<Bar>,
    changed: Option<HostState>,
    left: bool,
    inner: mpsc::UnboundedSender<Inner>,
}

impl Pass {
    /// A pass for `host`, whose record is `state`, and which has answered 403 so often in this run.
    pub const fn new(
        host: HostKey,
        state: HostState,
        forbidden: usize,
        inner: mpsc::UnboundedSender<Inner>,
    ) -> Self {
        Self {
            host,
            state,
            forbidden,
            turn: 0,
            bar: None,
            changed: None,
            left: false,
            inner,
        }
    }

    /// The host.
    pub const fn host(&self) -> &HostKey {
        &self.host
    }

    /// The lane is still taken, so that nobody else learned anything of the host meanwhile.
    pub const fn holds(&self) -> bool {
        !self.left
    }

    /// The same pass, of that turn.
    pub const fn of_turn(mut self, turn: u64) -> Self {
        self.turn = turn;
        self
    }

    /// The same pass, behind a bar.
    pub const fn behind(mut self, bar: Option<Bar>) -> Self {
        self.bar = bar;
        self
    }

    /// What is known of the host now, for when the lane is left.
    pub fn learn(&mut self, state: HostState) {
        self.changed = Some(state);
    }

    /// Leaves the lane and says what is known of the host now.
    pub fn leave_with(mut self, state: HostState) {
        self.changed = Some(state);
    }

    /// Leaves the lane after something was stored that whoever is next there must see.
    pub fn leave_written(self) {
        let _ = self.inner.send(Inner::Stored);
    }

    /// Leaves the lane before the pass itself goes.
    pub fn leave(&mut self) {
        if !std::mem::replace(&mut self.left, true) {
            let _ = self.inner.send(Inner::Leave {
                host: self.host.clone(),
                state: self.changed.take(),
            });
        }
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.leave();
    }
}

/// One feed to ask.
pub struct Job {
    /// What the store knows.
    pub input: PollInput,
    /// What the user wants.
    pub subscription: Subscription,
    /// How urgent.
    pub pace: Pace,
    /// The whole chain ends by then.
    pub deadline: Instant,
    /// What becomes of the connection.
    pub reuse: Reuse,
}

impl Job {
    /// What its requests cost their hosts' budgets.
    pub const fn toll(&self) -> Toll {
        Toll {
            pace: self.pace,
            first: poll::is_first(&self.input.state),
        }
    }

    /// What a decision about this feed may know.
    pub const fn known<'a>(
        &'a self,
        host: &'a HostState,
        settings: &'a Settings,
        now: Timestamp,
    ) -> Known<'a> {
        Known {
            now,
            state: &self.input.state,
            host,
            subscription: &self.subscription,
            validators: self.input.validators.as_slice(),
            settings: &settings.poll,
            parser: parse::VERSION,
        }
    }
}

/// What the network gave.
pub struct Fetched {
    /// Redirects on the way.
    pub hops: Vec<Hop>,
    /// The last answer, or why there is none.
    pub end: Result<Box<Answer>, PollError>,
    /// Validators sent at the last hop.
    pub sent: Validators,
    /// A host on the way may not be asked: nothing was sent to it.
    pub barred: Option<Bar>,
    /// Every exchange, for the audit.
    pub exchanges: Vec<Exchange>,
    /// Bytes on the wire of a body that did not end well.
    pub wire: u64,
    /// From start to end, milliseconds.
    pub ms: u32,
    /// When it began.
    pub at: Timestamp,
    /// The body's part of the memory that all bodies share, kept as long as the body.
    pub grant: Option<Grant>,
    /// The lane of the last host, still taken.
    pub pass: Pass,
}

impl Fetched {
    /// A 304 whose headers speak of a body, or no answer: perhaps a body that followed the 304 before it without having
    /// been announced, perhaps a server that closes what it said it would keep.
    pub fn may_leave_a_body(&self) -> bool {
        let answer = match &self.end {
            Ok(answer) => answer,
            Err(error) => return matches!(error.kind, ErrorKind::Protocol | ErrorKind::Reset),
        };
        let length = answer.headers.get("content-length");
        answer.status == 304
            && (length.is_some_and(|length| length != b"0")
                || answer.headers.get("transfer-encoding").is_some())
    }

    /// There is something to parse.
    pub fn has_body(&self) -> bool {
        self.end
            .as_ref()
            .is_ok_and(|answer| !answer.body.bytes.is_empty())
    }
}

/// Asks for the feed, following redirects by hand (R55–R58).
pub async fn ask(
    shared: &Shared,
    job: &Job,
    pass: Pass,
    inner: &mpsc::UnboundedSender<Inner>,
) -> Fetched {
    let at = clock::now();
    let started = Instant::now();
    let mut fetched = Fetched {
        hops: Vec::new(),
        end: Err(PollError::new(ErrorKind::Cancelled, "")),
        sent: Validators::default(),
        barred: None,
        exchanges: Vec::new(),
        wire: 0,
        ms: 0,
        at,
        grant: None,
        pass,
    };
    match config::local(&job.subscription.url) {
        Some(source) => local::ask(shared, job, source, &mut fetched).await,
        None => follow_chain(shared, job, inner, &mut fetched).await,
    }
    local::filter(shared, job, &mut fetched).await;
    fetched.ms = u32::try_from(started.elapsed().as_millis()).unwrap_or(u32::MAX);
    fetched
}

async fn follow_chain(
    shared: &Shared,
    job: &Job,
    inner: &mpsc::UnboundedSender<Inner>,
    fetched: &mut Fetched,
) {
    let credentials = match files::credentials(&job.subscription.http, &shared.locations) {
        Ok(found) => found.or_else(|| login_of(&job.subscription.url)),
        Err(error) => {
            fetched.end = Err(error);
            return;
        }
    };
    let mut url = poll::address(&job.input.state, &job.subscription.url).to_owned();
    loop {
        match one_hop(shared, job, &url, credentials.clone(), fetched).await {
            Ok(answer) => {
                let conditional = !fetched.sent.is_empty();
                if !matches!(poll::judge(&answer, conditional), Verdict::Redirect) {
                    fetched.end = Ok(Box::new(answer));
                    return;
                }
                match poll::follow(&fetched.hops, &answer, job.subscription.http.allow_http) {
                    Ok(hop) => {
                        url.clone_from(&hop.to);
                        fetched.hops.push(hop);
                        if !enter(job, &url, inner, fetched).await {
                            return;
                        }
                    }
                    Err(error) => {
                        fetched.end = Err(error);
                        return;
                    }
                }
            }
            Err(error) => {
                fetched.end = Err(error);
                return;
            }
        }
    }
}

/// Waits for the turn of the next hop's host, also where it is the same: every request is spaced (R71). False: it may not be
/// asked, and `fetched` says why.
async fn enter(
    job: &Job,
    url: &str,
    inner: &mpsc::UnboundedSender<Inner>,
    fetched: &mut Fetched,
) -> bool {
    let Some(host) = HostKey::of_str(url) else {
        fetched.end = Err(PollError::new(ErrorKind::Redirect, config::masked(url)));
        return false;
    };
    let (reply, turn) = oneshot::channel();
    let toll = job.toll();
    let _ = inner.send(Inner::Gate { host, toll, reply });
    // Nobody keeps one lane while waiting for another: two hosts that redirect to each other would wait for ever. On the
    // same host the gate is first in the lane that this frees.
    fetched.pass.leave();
    let pass = tokio::time::timeout_at(job.deadline, turn).await;
    let Ok(Ok(pass)) = pass else {
        let why = "the host it redirects to is busy with other feeds";
        fetched.end = Err(PollError::new(ErrorKind::Timeout, why));
        return false;
    };
    fetched.pass = pass;
    fetched.barred = fetched.pass.bar;
    fetched.barred.is_none()
}

async fn one_hop(
    shared: &Shared,
    job: &Job,
    url: &str,
    credentials: Option<(String, String)>,
    fetched: &mut Fetched,
) -> Result<Answer, PollError> {
    let known = job.known(&fetched.pass.state, &shared.settings, clock::now());
    let validators = poll::validators_for(url, job.pace, &known);
    let http = &job.subscription.http;
    let home = same_origin(url, &job.subscription.url);
    let request = Request {
        url,
        validators: &validators,
        // A filter expects the whole feed.
        a_im: poll::asks_delta(&validators, &known) && job.subscription.filter.is_empty(),
        user_agent: http.user_agent.as_deref(),
        headers: if home { &http.headers } else { &[] },
        authorization: credentials.filter(|_| home),
        private_ok: same_host(url, &job.subscription.url) || is_private_host(&job.subscription.url),
        failures: job.input.state.schedule.failures,
        reuse: if home { job.reuse } else { Reuse::Alone },
        max_body: None,
    };
    fetched.sent = validators.clone();
    let asked = shared
        .fetcher
        .get_held(request, job.deadline, clock::now)
        .await;
    match asked {
        Ok((answer, grant)) => {
            fetched.grant = grant;
            fetched.exchanges.push(exchange_of(&answer));
            Ok(answer)
        }
        Err(failure) => {
            fetched.wire += failure.wire;
            fetched.exchanges.push(exchange_of_failure(&failure));
            Err(failure.error)
        }
    }
}

/// Scheme, host and port are the same: credentials and own headers may go there (R61).
pub fn same_origin(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    match (Url::parse(one), Url::parse(other)) {
        (Ok(one), Ok(other)) => one.origin() == other.origin(),
        _ => false,
    }
}

/// The user named this very host, wherever its name leads (R57 guards redirects to others).
pub fn same_host(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    match (Url::parse(one), Url::parse(other)) {
        (Ok(one), Ok(other)) => one.host().is_some() && one.host() == other.host(),
        _ => false,
    }
}

/// The URL without a user's name and password: what a feed links to, relative to itself, is shown, opened and copied.
fn without_login(url: &str) -> String {
    match Url::parse(url) {
        Ok(mut plain) if !plain.username().is_empty() || plain.password().is_some() => {
            // An http URL always takes these.
            let _ = plain.set_username("");
            let _ = plain.set_password(None);
            plain.into()
        }
        _ => url.to_owned(),
    }
}

/// The exchange of an answer, for the audit.
pub fn exchange_of(answer: &Answer) -> Exchange {
    Exchange {
        at: answer.at,
        url: config::masked(&answer.url),
        status: answer.status,
        sent: answer.sent.0.clone(),
        received: answer.headers.0.clone(),
        error: None,
    }
}

/// The exchange of a request without one.
pub fn exchange_of_failure(failure: &Failure) -> Exchange {
    Exchange {
        at: clock::now(),
        url: config::masked(&failure.url),
        status: failure.status.unwrap_or(0),
        sent: failure.sent.0.clone(),
        received: failure.received.0.clone(),
        error: Some(failure.error.to_string()),
    }
}

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
    /// A guard that wants to see a browser answered, not the host itself.
    pub guarded: bool,
}

/// Judges the answer, parses it, decides what it means. Runs on a worker: parsing takes time.
/// `offline` is the time of the next try where this machine was found to be offline (R44).
pub fn digest(shared: &Shared, job: &Job, fetched: &Fetched, offline: Option<Timestamp>) -> Digest {
    let known = job.known(&fetched.pass.state, &shared.settings, clock::now());
    if let Some(bar) = fetched.barred {
        return Digest::bare(bar.conclude(&known));
    }
    if let (Some(until), Err(error)) = (offline, &fetched.end) {
        return Digest::bare(poll::conclude_offline(error, until, &known));
    }
    let mut read = Read::default();
    let end = ending(shared, job, fetched, &mut read);
    let answer = fetched.end.as_deref().ok();
    let decoded = answer.map_or(0, |answer| answer.body.bytes.len() as u64);
    let asked = Asked {
        pace: job.pace,
        hops: &fetched.hops,
        sent: fetched.sent.clone(),
        answer,
        wire: answer.map_or(fetched.wire, |answer| answer.body.wire),
        // What costs nobody a byte has no budget of bytes (R30).
        decoded: if is_local(job) {
            decoded.min(1)
        } else {
            decoded
        },
    };
    let mut conclusion = poll::conclude(&end.view(&read), &asked, &known, fastrand::f64());
    // A delta without entries says that there is no news.
    let is_delta = answer.is_some_and(|answer| answer.status == 226);
    if read.is_without_entries && !is_delta && conclusion.warning.is_none() {
        conclusion.warning = Some(NO_ENTRIES.to_owned());
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
    let kept = matches!(conclusion.outcome, Outcome::Changed { .. });
    Digest {
        conclusion,
        about: read.about,
        changes: if kept {
            read.changes
        } else {
            Changes::default()
        },
        decoded,
        guarded,
    }
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
            guarded: false,
        }
    }
}

enum EndingKind {
    NotModified,
    Identical([u8; 32]),
    Parsed,
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
            Self::Parsed => Ending::Parsed(Facts {
                body_hash: read.body_hash,
                entries_hash: read.entries_hash,
                truncated: read.truncated,
                new: read.changes.new.len() as u32,
                updated: (read.changes.edited.len() + read.changes.moved.len()) as u32,
                wishes: read.wishes,
                dates: &read.dates,
            }),
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

/// No server gives it.
pub fn is_local(job: &Job) -> bool {
    config::local(&job.subscription.url).is_some()
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
    if answer.status != 226 && poll::same_body(body_hash, &known) {
        return EndingKind::Identical(body_hash);
    }
    let content_type = answer.headers.text("content-type");
    let base = if is_local(job) {
        String::new()
    } else {
        without_login(&answer.url)
    };
    let parsed = match parse::parse(&answer.body.bytes, content_type.as_deref(), &base) {
        Ok(parsed) => parsed,
        Err(error) => return EndingKind::Failed(named(job, answer, &poll_error(&error))),
    };
    match compare(shared, job, parsed, read) {
        Ok(()) => {
            read.body_hash = body_hash;
            EndingKind::Parsed
        }
        Err(error) => EndingKind::Failed(PollError::new(ErrorKind::Store, error.to_string())),
    }
}

fn compare(
    shared: &Shared,
    job: &Job,
    parsed: Parsed,
    read: &mut Read,
) -> Result<(), crate::store::StoreError> {
    let keys: Vec<_> = parsed.entries.iter().map(|entry| entry.key).collect();
    let known = shared.store.known_entries(job.input.feed.id, &keys)?;
    read.dates = parsed
        .entries
        .iter()
        .filter_map(|entry| entry.published.or(entry.updated))
        .collect();
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
        hubs: parsed.hubs,
    });
    let former = former(shared, job, &parsed.entries, &known)?;
    read.changes = parse::change(parsed.entries, &known, &former);
    Ok(())
}

/// Entries that only changed their guid. The store is asked only where something is unknown and the feed is not new.
fn former(
    shared: &Shared,
    job: &Job,
    entries: &[Incoming],
    known: &[Option<KnownEntry>],
) -> Result<BTreeMap<usize, EntryKey>, crate::store::StoreError> {
    let (store, feed) = (&shared.store, job.input.feed.id);
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

/// A parse error as the outcome of a poll.
pub fn poll_error(error: &ParseError) -> PollError {
    // What stands in the document is quoted: it is no sentence of ours.
    let quoted = |line: &str| match line {
        "" => String::new(),
        line => format!("“{line}”"),
    };
    match error {
        ParseError::Empty => PollError::new(ErrorKind::Empty, ""),
        ParseError::Html(line) => PollError::new(ErrorKind::Html, quoted(line)),
        ParseError::NotAFeed(line) => PollError::new(ErrorKind::NotAFeed, quoted(line)),
        ParseError::Truncated => PollError::new(ErrorKind::Truncated, ""),
        ParseError::Unreadable(why) => PollError::new(ErrorKind::NotAFeed, why),
    }
}
