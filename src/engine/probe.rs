//! A probe carried out: each request in its host's turn, the answers into the audit of a subscribed feed, and nothing else
//! written but what the host is owed: its starts, and a hold that it asked for.

use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::config;
use crate::fetch::{Request, is_private_host, login_of};
use crate::files;
use crate::model::{
    Answer, Content, Exchange, FeedId, HostKey, Pace, PollState, ProbeEnd, ProbeReport, Shot,
    Subscription, Validators,
};
use crate::parse;
use crate::poll::{self, PROBE_GAP, ProbeStart, Step, Verdict};
use crate::store::{HostNote, PackedExchanges, PollInput};

use super::audit;
use super::batch::STARTS_FOR;
use super::clock;
use super::flight::{Flown, Radio};
use super::hop::{exchange_of, exchange_of_failure, same_origin};
use super::job::same_host;
use super::pass::{Bar, Inner, Pass, Toll};
use super::protocol::{Event, FailureKind, Ticket};
use super::reading::poll_error;
use super::shared::Shared;

const WHAT: &str = "the server could not be probed";

/// Whom a probe is about.
pub struct Wish {
    /// The feed, when it is subscribed.
    pub feed: Option<FeedId>,
    /// Its subscription; else one that holds the URL alone.
    pub subscription: Subscription,
    /// Of the command.
    pub ticket: Ticket,
}

/// Why a probe came to nothing.
struct Stop {
    why: String,
    kind: FailureKind,
}

/// One probe under way.
struct Probe<'a> {
    shared: &'a Shared,
    radio: &'a Radio,
    subscription: &'a Subscription,
    state: PollState,
    start: ProbeStart,
    shots: Vec<Shot>,
    exchanges: Vec<Exchange>,
    /// When the last request had ended.
    ended: Option<Instant>,
}

/// Asks a server at most four times and says how well it does conditional requests.
pub async fn probe(shared: Arc<Shared>, wish: Wish, radio: Radio) -> Flown {
    let ticket = wish.ticket;
    let event = match steps(&shared, &wish, &radio).await {
        Ok(report) => Event::Probed {
            ticket,
            report: Box::new(report),
        },
        Err(stop) => Event::Failed {
            ticket,
            what: WHAT.to_owned(),
            why: stop.why,
            kind: stop.kind,
        },
    };
    Flown::Told(vec![event])
}

async fn steps(shared: &Shared, wish: &Wish, radio: &Radio) -> Result<ProbeReport, Stop> {
    let (state, start) = match wish.feed {
        Some(feed) => known(shared, feed, &wish.subscription)?,
        None => (
            PollState::default(),
            ProbeStart {
                url: wish.subscription.url.clone(),
                ..ProbeStart::default()
            },
        ),
    };
    let mut probe = Probe {
        shared,
        radio,
        subscription: &wish.subscription,
        state,
        start,
        shots: Vec::new(),
        exchanges: Vec::new(),
        ended: None,
    };
    let end = probe.run().await?;
    probe.write_down(wish.feed).await?;
    Ok(ProbeReport {
        url: wish.subscription.url.clone(),
        subscribed: wish.feed.is_some(),
        verdict: poll::probe_verdict(&probe.start, &probe.shots),
        shots: probe.shots,
        end,
    })
}

/// Where to begin with a subscribed feed: at the URL that answers its polls, with what is stored for that.
fn known(
    shared: &Shared,
    feed: FeedId,
    subscription: &Subscription,
) -> Result<(PollState, ProbeStart), Stop> {
    let input = shared.store.poll_input(feed).map_err(internal)?;
    let Some(PollInput {
        state, validators, ..
    }) = input
    else {
        return Err(Stop {
            why: "the feed is not subscribed any more".to_owned(),
            kind: FailureKind::Usage,
        });
    };
    if state.off.is_some() {
        let url = config::masked(&subscription.url);
        return Err(Stop {
            why: format!("it is not polled any more; `tidings enable {url}` polls it again"),
            kind: FailureKind::Usage,
        });
    }
    let stored_for = |url: &str| {
        let mut known = validators.iter();
        let found = known.find(|(answered, _)| answered == url);
        found.map(|(_, pair)| pair.clone()).unwrap_or_default()
    };
    let address = poll::address(&state, &subscription.url);
    let answering = state.answered_by.as_deref().unwrap_or(address);
    let (url, stored) = match stored_for(answering) {
        pair if pair.is_empty() => (address, stored_for(address)),
        pair => (answering, pair),
    };
    let (records, _) = shared.store.ledger(feed).map_err(internal)?;
    // After a delta the validators are those of a whole that was never seen at once.
    let mut since_whole = records.iter().take_while(|record| record.status != 200);
    let delta = since_whole.any(|record| record.status == 226);
    let content = state.body_hash.zip(state.entries_hash).filter(|_| !delta);
    let start = ProbeStart {
        url: url.to_owned(),
        stored,
        content: content.map(|(body, entries)| Content { body, entries }),
    };
    Ok((state, start))
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it stands where `map_err` hands the error over"
)]
fn internal(why: impl ToString) -> Stop {
    Stop {
        why: why.to_string(),
        kind: FailureKind::Internal,
    }
}

impl Probe<'_> {
    async fn run(&mut self) -> Result<ProbeEnd, Stop> {
        loop {
            let (url, sent) = match poll::probe_step(&self.start, &self.shots) {
                Step::Ask(url, sent) => (url, sent),
                Step::End(end) => return Ok(end),
            };
            if let Some(ended) = self.ended {
                tokio::time::sleep_until(ended + PROBE_GAP).await;
            }
            let pass = self.gate(&url).await?;
            match pass.bar {
                Some(Bar::Held(until)) => return Ok(ProbeEnd::Held(until)),
                Some(Bar::Spent(until)) => return Ok(ProbeEnd::Spent(until)),
                None => {}
            }
            let shot = self.ask(&url, sent, pass).await;
            self.ended = Some(Instant::now());
            self.shots.push(shot);
        }
    }

    /// Waits for the turn of the host: spacing, holds and budget are those of every request (R39, R71, R72).
    async fn gate(&self, url: &str) -> Result<Pass, Stop> {
        let Some(host) = HostKey::of_str(url) else {
            return Err(Stop {
                why: format!("{} has no host to ask", config::masked(url)),
                kind: FailureKind::Usage,
            });
        };
        let (reply, turn) = oneshot::channel();
        let toll = Toll {
            pace: Pace::Manual,
            first: false,
        };
        let _ = self.radio.inner.send(Inner::Gate { host, toll, reply });
        // The loop drops the gate where the turn will not come.
        turn.await.map_err(|_| Stop {
            why: "another tidings is polling and did not finish in time; try again later"
                .to_owned(),
            kind: FailureKind::Busy,
        })
    }

    async fn ask(&mut self, url: &str, sent: Validators, pass: Pass) -> Shot {
        let mut shot = Shot {
            at: clock::now(),
            url: url.to_owned(),
            sent,
            ..Shot::default()
        };
        let http = &self.subscription.http;
        let home = same_origin(url, &self.subscription.url);
        let credentials = match files::credentials(http, &self.shared.locations) {
            Ok(found) => found.or_else(|| login_of(&self.subscription.url)),
            Err(error) => {
                shot.error = Some(error.to_string());
                return shot;
            }
        };
        let request = Request {
            user_agent: http.user_agent.as_deref(),
            headers: if home { &http.headers } else { &[] },
            authorization: credentials.filter(|_| home),
            private_ok: is_private_host(&self.subscription.url)
                || same_host(url, &self.subscription.url),
            failures: self.state.schedule.failures,
            ..Request::new(url, &shot.sent)
        };
        let deadline = Instant::now() + self.shared.settings.http.total_timeout + STARTS_FOR;
        let started = Instant::now();
        let asked = self.shared.fetcher.get(request, deadline, clock::now).await;
        shot.ms = u32::try_from(started.elapsed().as_millis()).unwrap_or(u32::MAX);
        match asked {
            Ok(answer) => {
                self.exchanges.push(exchange_of(&answer));
                self.read(&mut shot, &answer, pass);
            }
            Err(failure) => {
                self.exchanges.push(exchange_of_failure(&failure));
                shot.status = failure.status.unwrap_or(0);
                shot.wire = failure.wire;
                shot.error = Some(failure.error.to_string());
            }
        }
        shot
    }

    /// What the answer says; a host that asks for patience gets it, at once and on disk (R36–R40).
    fn read(&self, shot: &mut Shot, answer: &Answer, pass: Pass) {
        describe(shot, answer);
        match poll::judge(answer, !shot.is_plain()) {
            Verdict::NotModified => {}
            Verdict::Parse => {
                let content_type = answer.headers.text("content-type");
                match parse::parse(&answer.body.bytes, content_type.as_deref(), &answer.url) {
                    Ok(parsed) => {
                        shot.content = Some(Content {
                            body: parse::body_hash(&answer.body.bytes),
                            entries: parsed.entries_hash,
                        });
                    }
                    Err(error) => shot.error = Some(poll_error(&error).to_string()),
                }
            }
            Verdict::Redirect => {
                match poll::follow(&[], answer, self.subscription.http.allow_http) {
                    Ok(hop) => shot.location = Some(hop.to),
                    Err(error) => shot.error = Some(error.to_string()),
                }
            }
            Verdict::Throttled => {
                let policy = &self.shared.settings.poll;
                let wait = poll::retry_after(&answer.headers, answer.at);
                let (host, _) = poll::hold(wait, &pass.state, clock::now(), policy);
                shot.wait_until = host.hold_until;
                let state = Box::new(host.clone());
                let note = HostNote::Held {
                    state,
                    turn: pass.turn,
                };
                self.shared.writer.host(pass.host().clone(), note);
                pass.leave_with(host);
            }
            Verdict::Gone => shot.error = Some("the server answered 410 Gone".to_owned()),
            Verdict::Failed(error) => shot.error = Some(error.to_string()),
        }
    }

    /// The requests into the audit of a subscribed feed; the host's starts to the disk either way.
    async fn write_down(&self, feed: Option<FeedId>) -> Result<(), Stop> {
        let writer = &self.shared.writer;
        if let Some(feed) = feed.filter(|_| !self.shots.is_empty()) {
            let known = (self.start.content, &self.state.schedule);
            let records = audit::of_probe(&self.shots, known);
            let exchanges = PackedExchanges::pack(&self.exchanges).map_err(internal)?;
            let written = writer.probed(feed, records, exchanges);
            let written = written.await.map_err(|_| internal("the store is closed"))?;
            return written.map(|_| ()).map_err(internal);
        }
        let flushed = writer.flush().await;
        flushed
            .map_err(|_| internal("the store is closed"))?
            .map_err(internal)
    }
}

/// The head of an answer.
fn describe(shot: &mut Shot, answer: &Answer) {
    let lines = |names: &[&str]| {
        let found = names.iter().filter_map(|name| {
            let value = answer.headers.text(name)?;
            Some(format!("{name}: {value}"))
        });
        found.collect::<Vec<String>>()
    };
    let fresh = poll::freshness(&answer.headers, answer.at);
    shot.status = answer.status;
    shot.got = poll::validators(&answer.headers);
    shot.fresh_secs = fresh.max_age.max(fresh.expires);
    shot.freshness = lines(&["cache-control", "expires", "age"]);
    shot.coding = answer
        .headers
        .text("content-encoding")
        .filter(|_| answer.status == 200);
    shot.between = lines(&["via", "x-cache", "cf-cache-status", "x-served-by"]);
    shot.wire = answer.body.wire;
    shot.decoded = answer.body.bytes.len() as u64;
}
