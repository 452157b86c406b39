//! One plain GET whose body is looked at: holds and the host's turn are obeyed, nothing is stored but a hold that is asked for.

use std::sync::Arc;

use crate::config::{self, Local};
use crate::model::Subscription;
use crate::parse;
use crate::poll::{self, Verdict};

use super::ask::ask;
use super::clock;
use super::flight::{Flown, Radio};
use super::pass::Bar;
use super::preview::obey;
use super::protocol::{Event, FailureKind, Inspected, Ticket};
use super::shared::Shared;
use super::subscribe::{gate, stranger};

/// Asks once for what is at the URL of `subscription`, without validators.
pub async fn inspect(
    shared: Arc<Shared>,
    subscription: Subscription,
    ticket: Ticket,
    radio: Radio,
) -> Flown {
    let event = match steps(&shared, &subscription, &radio).await {
        Ok(body) => Event::Inspected {
            ticket,
            body: Box::new(body),
        },
        Err((why, kind)) => Event::Failed {
            ticket,
            what: "the feed could not be looked at".to_owned(),
            why,
            kind,
        },
    };
    Flown::Told(vec![event])
}

async fn steps(
    shared: &Arc<Shared>,
    subscription: &Subscription,
    radio: &Radio,
) -> Result<Inspected, (String, FailureKind)> {
    let url = &subscription.url;
    if let Some(Local::Exec(_)) = config::local(url)
        && shared.store.feed_id(url).ok().flatten().is_none()
    {
        let why = "a command is run only where feeds.toml has it".to_owned();
        return Err((why, FailureKind::Usage));
    }
    let Some(pass) = gate(shared, url, radio).await else {
        let why = "another tidings was polling and did not finish in time".to_owned();
        return Err((why, FailureKind::Busy));
    };
    if let Some(until) = poll::held(&pass.state, clock::now(), &shared.settings.poll) {
        let why = format!(
            "its host asked to be left alone until {}; it was not asked",
            until.rfc3339()
        );
        return Err((why, FailureKind::Busy));
    }
    let mut fetched = ask(shared, &stranger(shared, subscription), pass, &radio.inner).await;
    obey(shared, &mut fetched);
    if let Some(until) = fetched.barred.map(Bar::until) {
        let why = format!(
            "it redirects to a host that asked to be left alone until {}",
            until.rfc3339()
        );
        return Err((why, FailureKind::Busy));
    }
    let answer = match fetched.end {
        Ok(answer) => answer,
        Err(error) => {
            return Ok(Inspected {
                url: config::masked(url),
                error: Some(error.to_string()),
                ..Inspected::default()
            });
        }
    };
    let error = match poll::judge(&answer, false) {
        Verdict::Parse => None,
        Verdict::Failed(error) => Some(parse::named(&answer, url, &error, false).to_string()),
        Verdict::Gone => Some("the server says that it is gone for good (410)".to_owned()),
        _ => Some(format!("the server asks to wait ({})", answer.status)),
    };
    Ok(Inspected {
        url: config::masked(&answer.url),
        status: Some(answer.status).filter(|_| config::local(url).is_none()),
        content_type: answer.headers.text("content-type"),
        bytes: answer.body.bytes,
        error,
    })
}
