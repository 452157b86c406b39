//! One polite GET of what a feed only links to: in its host's turn, never through a hold, never to a private address that the
//! feed itself is not on. Redirects are followed by hand, each hop in its own host's turn.

use tokio::time::Instant;

use crate::config;
use crate::fetch::{Request, is_private_host};
use crate::model::{Answer, Hop, Validators};
use crate::poll::{self, Verdict};

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
