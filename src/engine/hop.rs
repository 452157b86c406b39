//! One request of a feed's poll, in its host's turn, with the validators of its URL and what may be sent there; and the exchange
//! that it leaves in the audit.

use tokio::sync::{mpsc, oneshot};
use url::Url;

use crate::config;
use crate::fetch::{Failure, Request, Reuse, login_of};
use crate::files;
use crate::model::{Answer, ErrorKind, Exchange, HostKey, PollError, SourceKind};
use crate::poll;

use super::clock;
use super::job::{Fetched, Job, same_host};
use super::pass::Inner;
use super::shared::Shared;

/// The login of a feed, from its file or variable, else from its URL.
pub fn credentials_of(shared: &Shared, job: &Job) -> Result<Option<(String, String)>, PollError> {
    let found = files::credentials(&job.subscription.http, &shared.locations)?;
    Ok(found.or_else(|| login_of(&job.subscription.url)))
}

/// Waits for the turn of the next hop's host, also where it is the same: every request is spaced (R71). False: it may not be
/// asked, and `fetched` says why.
pub async fn enter(
    job: &Job,
    url: &str,
    inner: &mpsc::UnboundedSender<Inner>,
    fetched: &mut Fetched,
) -> bool {
    if job.stays && !same_host(url, &job.subscription.url) {
        let why = "it leads to another host, which is not followed";
        fetched.end = Err(PollError::new(ErrorKind::Redirect, why));
        return false;
    }
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

/// One request, with the validators of its URL.
pub async fn one_hop(
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
        a_im: poll::asks_delta(&validators, &known)
            && job.subscription.filter.is_empty()
            && job.subscription.kind == SourceKind::Feed,
        user_agent: http.user_agent.as_deref(),
        headers: if home { &http.headers } else { &[] },
        authorization: credentials.filter(|_| home),
        private_ok: job.may_be_private(url),
        failures: job.input.state.schedule.failures,
        reuse: if home { job.reuse } else { Reuse::Alone },
        max_body: None,
        form: None,
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

/// The exchange of an answer, for the audit.
pub fn exchange_of(answer: &Answer) -> Exchange {
    Exchange {
        at: answer.at,
        url: config::masked(&answer.url),
        status: answer.status,
        sent: answer.sent.clone(),
        received: answer.headers.clone(),
        error: None,
    }
}

/// The exchange of a request without one.
pub fn exchange_of_failure(failure: &Failure) -> Exchange {
    Exchange {
        at: clock::now(),
        url: config::masked(&failure.url),
        status: failure.status.unwrap_or(0),
        sent: failure.sent.clone(),
        received: failure.received.clone(),
        error: Some(failure.error.to_string()),
    }
}
