//! Permanent moves and a person: the new address into feeds.toml on request, and back (R53). Never without being asked.

use std::sync::Arc;

use tokio::sync::mpsc;
use url::Url;

use crate::config;
use crate::model::{FeedId, FeedRow, Subscription};

use super::flight::Flown;
use super::hop::same_origin;
use super::pass::Inner;
use super::protocol::{Event, FailureKind, Ticket};
use super::shared::Shared;
use super::subscribe::{Stop, edit, failed};

const WHAT_ADOPT: &str = "the move could not be written into feeds.toml";
const WHAT_UNDO: &str = "the move could not be taken back";

/// Writes the address that the feed moved to into feeds.toml.
pub async fn adopt(
    shared: Arc<Shared>,
    feed: FeedId,
    ticket: Ticket,
    inner: mpsc::UnboundedSender<Inner>,
) -> Flown {
    let done = adopt_steps(&shared, feed, &inner).await;
    told(
        &shared,
        ticket,
        done.map(|(from, to, warning)| Event::MoveAdopted {
            ticket,
            feed,
            from,
            to,
            warning,
        }),
    )
}

/// Takes the feed's move back, whether feeds.toml has it or not.
pub async fn undo(
    shared: Arc<Shared>,
    feed: FeedId,
    ticket: Ticket,
    inner: mpsc::UnboundedSender<Inner>,
) -> Flown {
    let done = undo_steps(&shared, feed, &inner).await;
    told(
        &shared,
        ticket,
        done.map(|(from, to)| Event::MoveUndone {
            ticket,
            feed,
            from,
            to,
        }),
    )
}

/// What came of it, after the list as it is now.
fn told(shared: &Shared, ticket: Ticket, done: Result<Event, Stop>) -> Flown {
    let event = match done {
        Ok(event) => event,
        Err(stop) => return Flown::Told(vec![failed(stop, ticket)]),
    };
    Flown::with_list(shared, event)
}

async fn adopt_steps(
    shared: &Arc<Shared>,
    feed: FeedId,
    inner: &mpsc::UnboundedSender<Inner>,
) -> Result<(String, String, Option<String>), Stop> {
    let row = row_of(shared, feed, WHAT_ADOPT)?;
    let Some(moved) = row.moved else {
        let shown = config::masked(&row.feed.url);
        let why = format!("{shown} has not moved, as far as is known");
        return Err(refused(WHAT_ADOPT, why));
    };
    let (from, to) = (moved.from, with_login(&row.feed.url, &moved.to));
    let other = shared.store.feed_id(&to).map_err(Stop::store)?;
    if other.is_some_and(|other| other != feed) {
        let (from, to) = (config::masked(&from), config::masked(&to));
        let why = format!("{to} is subscribed already; `tidings remove {from}` leaves that one");
        return Err(refused(WHAT_ADOPT, why));
    }
    let subscribed = readdress(shared, WHAT_ADOPT, &from, &to, inner).await?;
    let warning = secrets(&subscribed, &from, &to);
    Ok((from, to, warning))
}

async fn undo_steps(
    shared: &Arc<Shared>,
    feed: FeedId,
    inner: &mpsc::UnboundedSender<Inner>,
) -> Result<(String, String), Stop> {
    let row = row_of(shared, feed, WHAT_UNDO)?;
    let (from, to) = if let Some(moved) = row.moved {
        (moved.to, moved.from)
    } else {
        let former = shared.store.adopted_from(feed).map_err(Stop::store)?;
        let Some(former) = former else {
            let shown = config::masked(&row.feed.url);
            let why = format!("{shown} has not moved, or its move is taken back already");
            return Err(refused(WHAT_UNDO, why));
        };
        // First the file: where that fails, nothing is changed.
        readdress(shared, WHAT_UNDO, &row.feed.url, &former, inner).await?;
        (row.feed.url, former)
    };
    let undone = shared.writer.undo_move(feed).await;
    undone
        .map_err(|_| Stop::store("the store is closed"))?
        .map_err(Stop::store)?;
    Ok((from, to))
}

fn row_of(shared: &Shared, feed: FeedId, what: &'static str) -> Result<FeedRow, Stop> {
    let row = shared.store.row(feed).map_err(Stop::store)?;
    row.filter(|row| row.feed.removed.is_none())
        .ok_or_else(|| refused(what, "that feed is not subscribed any more".to_owned()))
}

fn refused(what: &'static str, why: String) -> Stop {
    Stop::Failed {
        what,
        why,
        kind: FailureKind::Usage,
    }
}

/// Changes the feed's URL in feeds.toml, and nothing else there. Gives the subscription as it was.
async fn readdress(
    shared: &Arc<Shared>,
    what: &'static str,
    from: &str,
    to: &str,
    inner: &mpsc::UnboundedSender<Inner>,
) -> Result<Subscription, Stop> {
    let (before, _) = crate::files::load_subscriptions(&shared.locations)
        .map_err(|error| refused(what, error.to_string()))?;
    let same = |one: &str| config::normalise(one).ok() == config::normalise(from).ok();
    let subscribed = before.into_iter().find(|feed| same(&feed.url));
    let Some(subscribed) = subscribed else {
        let shown = config::masked(from);
        return Err(refused(
            what,
            format!("{shown} is not in feeds.toml any more"),
        ));
    };
    let (old, new) = (from.to_owned(), to.to_owned());
    let change = move |text: &str| {
        let changed = config::readdress(text, &old, &new)?;
        Ok(changed.unwrap_or_else(|| text.to_owned()))
    };
    edit(shared, change, inner).await?;
    Ok(subscribed)
}

/// The login in the subscribed URL goes along where it may be sent: to the same origin (R61).
fn with_login(subscribed: &str, target: &str) -> String {
    let (Ok(old), Ok(mut new)) = (Url::parse(subscribed), Url::parse(target)) else {
        return target.to_owned();
    };
    if !same_origin(subscribed, target) || (old.username().is_empty() && old.password().is_none()) {
        return target.to_owned();
    }
    // An http URL always takes these.
    let _ = new.set_username(old.username());
    let _ = new.set_password(old.password());
    new.into()
}

/// What the user gave for one origin and another one gets from now on.
fn secrets(subscribed: &Subscription, from: &str, to: &str) -> Option<String> {
    if same_origin(from, to) {
        return None;
    }
    let http = &subscribed.http;
    let mut given = Vec::new();
    given.extend(http.auth_file.as_ref().map(|_| "auth_file"));
    given.extend(http.auth_env.as_ref().map(|_| "auth_env"));
    given.extend((!http.headers.is_empty()).then_some("headers"));
    (!given.is_empty()).then(|| {
        let given = given.join(" and ");
        format!("{given} of this feed will be sent to the new address from now on; take them out of feeds.toml where that is not wanted")
    })
}
