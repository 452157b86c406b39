//! Documents that a source names besides its own: each is asked in its host's turn, spaced and counted like any request, and what
//! all of them brought is one poll.

use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::model::{Answer, Counters, PollError};
use crate::poll::{self, Verdict};

use super::hop::{credentials_of, enter, one_hop};
use super::job::{Fetched, Job, same_host};
use super::pass::Inner;
use super::shared::Shared;

/// A part is not begun when less is left of the time of its poll.
const LEAST_TIME: std::time::Duration = std::time::Duration::from_secs(10);

/// What came of asking for a part.
pub enum Part {
    /// An answer, and whether its request carried validators.
    Answer(Box<Answer>, bool),
    /// Its turn does not come in this poll.
    NoTurn,
    /// No answer.
    Failed(PollError),
}

/// There is time for another part.
fn has_time(job: &Job) -> bool {
    job.deadline.saturating_duration_since(Instant::now()) > LEAST_TIME
}

/// Asks for a part, and adds what it cost. Redirects are followed on its own host. `fetched.end` may hold anything afterwards.
pub async fn part(
    shared: &Shared,
    job: &Job,
    url: &str,
    inner: &mpsc::UnboundedSender<Inner>,
    fetched: &mut Fetched,
    cost: &mut Counters,
) -> Part {
    // A host that may not be asked now is no error: the part is asked for another time.
    if !has_time(job) || !enter(job, url, inner, fetched).await {
        fetched.barred = None;
        return Part::NoTurn;
    }
    part_in_turn(shared, job, url, inner, fetched, cost).await
}

/// The same where the turn of its host is had already.
pub async fn part_in_turn(
    shared: &Shared,
    job: &Job,
    url: &str,
    inner: &mpsc::UnboundedSender<Inner>,
    fetched: &mut Fetched,
    cost: &mut Counters,
) -> Part {
    let credentials = match credentials_of(shared, job) {
        Ok(credentials) => credentials,
        Err(error) => return Part::Failed(error),
    };
    let (mut url, mut hops) = (url.to_owned(), Vec::new());
    loop {
        let answer = match one_hop(shared, job, &url, credentials.clone(), fetched).await {
            Ok(answer) => answer,
            Err(error) => return Part::Failed(error),
        };
        let conditional = !fetched.sent.is_empty();
        count(&answer, conditional, cost);
        if !matches!(poll::judge(&answer, conditional), Verdict::Redirect) {
            return Part::Answer(Box::new(answer), conditional);
        }
        match poll::follow(&hops, &answer, job.subscription.http.allow_http) {
            Ok(hop) if same_host(&hop.to, &url) => {
                url.clone_from(&hop.to);
                hops.push(hop);
                if !enter(job, &url, inner, fetched).await {
                    fetched.barred = None;
                    return Part::NoTurn;
                }
            }
            Ok(_) => return Part::Answer(Box::new(answer), conditional),
            Err(error) => return Part::Failed(error),
        }
    }
}

fn count(answer: &Answer, conditional: bool, cost: &mut Counters) {
    cost.conditional += u64::from(conditional);
    cost.bytes += answer.body.wire;
    match poll::judge(answer, conditional) {
        Verdict::NotModified => cost.not_modified304 += 1,
        Verdict::Parse => cost.ok200 += 1,
        _ => {}
    }
}

/// Takes time, so a worker does it; as many at once as bodies of feeds are read.
pub async fn on_worker<T: Send + 'static>(
    shared: &Shared,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, PollError> {
    let permit = std::sync::Arc::clone(&shared.parsing).acquire_owned().await;
    let worked = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        work()
    });
    match worked.await {
        Ok(done) => Ok(done),
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(error) => Err(PollError::new(
            crate::model::ErrorKind::Cancelled,
            error.to_string(),
        )),
    }
}
