//! One polite GET of what a feed only links to: in its host's turn, where robots.txt allows it (R73), never through a hold, never to a private address that the
//! feed itself is not on. Redirects are followed by hand, each hop in its own host's turn.

use tokio::time::Instant;

use crate::config;
use crate::fetch::{Request, is_private_host};
use crate::model::{Answer, ErrorKind, Hop, HostKey, Validators};
use crate::poll::{self, Disallow, Verdict};

use super::batch::STARTS_FOR;
use super::clock;
use super::flight::Radio;
use super::pass::{Bar, Pass};
use super::preview::obey_answer;
use super::shared::Shared;
use super::subscribe::gate;

/// What is wanted.
pub struct Errand<'a> {
    /// http or https.
    pub url: &'a str,
    /// The feed that links to it: on a private network its links may lead there too (R57).
    pub feed_url: &'a str,
    /// Of the last answer of this URL.
    pub validators: &'a Validators,
    /// Decoded bytes at most.
    pub max_body: u64,
}

/// Asks for it. The answer has a body to be read, or is a 304 to validators; everything else is a clause that says why.
pub async fn get(shared: &Shared, errand: &Errand<'_>, radio: &Radio) -> Result<Answer, String> {
    let deadline = Instant::now() + shared.settings.http.total_timeout + STARTS_FOR;
    let mut url = errand.url.split('#').next().unwrap_or_default().to_owned();
    let mut hops: Vec<Hop> = Vec::new();
    loop {
        if !is_allowed(shared, &url, errand, radio).await? {
            return Err(format!(
                "robots.txt of {} does not allow programs to fetch it",
                HostKey::of_str(&url).map_or_else(String::new, |host| host.0)
            ));
        }
        let mut pass = turn(shared, &url, radio).await?;
        let none = Validators::default();
        let home = hops.is_empty();
        let validators = if home { errand.validators } else { &none };
        let request = Request {
            private_ok: is_private_host(errand.feed_url),
            max_body: Some(errand.max_body),
            ..Request::new(&url, validators)
        };
        let asked = shared.fetcher.get(request, deadline, clock::now).await;
        let answer = asked.map_err(|failure| failure.error.to_string())?;
        let conditional = !validators.is_empty();
        obey_answer(shared, &answer, conditional, &mut pass);
        match poll::judge(&answer, conditional) {
            Verdict::Parse | Verdict::NotModified => return Ok(answer),
            Verdict::Redirect => {
                let hop = poll::follow(&hops, &answer, false).map_err(|error| error.to_string())?;
                url.clone_from(&hop.to);
                hops.push(hop);
            }
            Verdict::Throttled => {
                return Err(format!("the server asks to wait ({})", answer.status));
            }
            Verdict::Gone => {
                return Err("the server says that it is gone for good (410)".to_owned());
            }
            Verdict::Failed(error) => return Err(error.to_string()),
        }
    }
}

/// Whether robots.txt lets programs fetch this page (R73). It is read in its host's turn, once a day.
async fn is_allowed(
    shared: &Shared,
    url: &str,
    errand: &Errand<'_>,
    radio: &Radio,
) -> Result<bool, String> {
    let (Some(host), Some(robots)) = (HostKey::of_str(url), poll::robots_url(url)) else {
        return Err(format!("{} is no address of a page", config::masked(url)));
    };
    let now = clock::now();
    if let Some(known) = shared.manners.allows(&host, url, now) {
        return Ok(known);
    }
    let rules = rules_at(shared, robots, errand, radio).await?;
    let allowed = rules.allows(url);
    shared.manners.learn(host, rules, now);
    Ok(allowed)
}

/// What robots.txt says, wherever it leads (RFC 9309 §2.3.1): one that is not there allows everything, one that cannot be had
/// nothing.
async fn rules_at(
    shared: &Shared,
    mut url: String,
    errand: &Errand<'_>,
    radio: &Radio,
) -> Result<Disallow, String> {
    let deadline = Instant::now() + shared.settings.http.total_timeout + STARTS_FOR;
    let none = Validators::default();
    let mut hops: Vec<Hop> = Vec::new();
    loop {
        let mut pass = turn(shared, &url, radio).await?;
        let request = Request {
            private_ok: is_private_host(errand.feed_url),
            max_body: Some(poll::ROBOTS_MAX),
            ..Request::new(&url, &none)
        };
        let asked = shared.fetcher.get(request, deadline, clock::now).await;
        let answer = match asked {
            Ok(answer) => answer,
            // A file of this size is none.
            Err(failure) if failure.error.kind == ErrorKind::TooLarge => {
                return Ok(Disallow::default());
            }
            Err(failure) => {
                let why = failure.error;
                return Err(format!("robots.txt of its host could not be read: {why}"));
            }
        };
        obey_answer(shared, &answer, false, &mut pass);
        match poll::judge(&answer, false) {
            Verdict::Parse => return Ok(Disallow::read(&answer.body.bytes)),
            Verdict::Redirect => match poll::follow(&hops, &answer, false) {
                Ok(hop) => {
                    url.clone_from(&hop.to);
                    hops.push(hop);
                }
                Err(_) => return Ok(Disallow::default()),
            },
            Verdict::Throttled => {
                return Err(format!("the server asks to wait ({})", answer.status));
            }
            _ if answer.status < 500 => return Ok(Disallow::default()),
            _ => return Ok(Disallow::unreachable()),
        }
    }
}

/// The turn of a URL's host. One that asked to be left alone is left alone.
async fn turn(shared: &Shared, url: &str, radio: &Radio) -> Result<Pass, String> {
    if config::clean_url(url).is_err() {
        return Err(format!("{} is no address of a page", config::masked(url)));
    }
    let pass = gate(shared, url, radio)
        .await
        .ok_or("its host is busy with other requests, or another tidings was polling")?;
    let held = poll::held(&pass.state, clock::now(), &shared.settings.poll);
    match held.or(pass.bar.map(Bar::until)) {
        Some(until) => Err(format!(
            "its host asked to be left alone until {}; it was not asked",
            until.rfc3339()
        )),
        None => Ok(pass),
    }
}
