//! Asking for one feed: hop by hop, each with the validators of its own URL, each at its host's gate (R55–R58).

use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::config;
use crate::model::{ErrorKind, PollError, Validators};
use crate::poll::{self, Since, Verdict};

use super::hop::{credentials_of, enter, one_hop};
use super::job::{Fetched, Job};
use super::pass::{Inner, Pass};
use super::shared::Shared;
use super::{changes, clock, local, sitemaps};

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
        since: Since::Whole,
        gathered: None,
    };
    match config::local(&job.subscription.url) {
        Some(source) => local::ask(shared, job, source, &mut fetched).await,
        None => follow_chain(shared, job, inner, &mut fetched).await,
    }
    local::filter(shared, job, &mut fetched).await;
    sitemaps::go_on(shared, job, inner, &mut fetched).await;
    fetched.ms = u32::try_from(started.elapsed().as_millis()).unwrap_or(u32::MAX);
    fetched
}

async fn follow_chain(
    shared: &Shared,
    job: &Job,
    inner: &mpsc::UnboundedSender<Inner>,
    fetched: &mut Fetched,
) {
    let credentials = match credentials_of(shared, job) {
        Ok(found) => found,
        Err(error) => {
            fetched.end = Err(error);
            return;
        }
    };
    let mut url = poll::address(&job.input.state, &job.subscription.url).to_owned();
    if changes::ask(shared, job, inner, fetched).await
        || !ask_since(shared, job, &url, credentials.clone(), inner, fetched).await
    {
        return;
    }
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

/// Asks for what is newer, where the feed has a cursor (R77). True: the whole feed is to be asked for, since there is none, or
/// the server refused it.
async fn ask_since(
    shared: &Shared,
    job: &Job,
    whole: &str,
    credentials: Option<(String, String)>,
    inner: &mpsc::UnboundedSender<Inner>,
    fetched: &mut Fetched,
) -> bool {
    let Some(delta) = &job.subscription.delta else {
        return true;
    };
    let known = job.known(&fetched.pass.state, &shared.settings, clock::now());
    let value = poll::since(delta, job.cursor.as_ref(), job.pace, &known);
    let url = value.and_then(|value| poll::address_since(whole, &delta.param, &value));
    let Some(url) = url else {
        return true;
    };
    match one_hop(shared, job, &url, credentials, fetched).await {
        Ok(answer) if poll::refuses(answer.status) => {
            fetched.since = Since::Refused(answer.status);
            enter(job, whole, inner, fetched).await
        }
        Ok(answer) => {
            fetched.since = Since::Newer;
            fetched.end = Ok(Box::new(answer));
            false
        }
        Err(error) => {
            fetched.end = Err(error);
            false
        }
    }
}
