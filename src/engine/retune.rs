//! Feeds changed in feeds.toml by a person in the reader, and the way back: every such change is kept as the file before and
//! after it, in the order of the marks, so that `Undo` takes back whichever came last, also after a restart.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use crate::config::{self, ConfigError};
use crate::model::{FeedId, Retune};
use crate::store::ListAct;

use super::flight::Flown;
use super::pass::Inner;
use super::protocol::{Event, FailureKind, Ticket};
use super::shared::Shared;
use super::subscribe::{Stop, edit, failed};

const WHAT_UNDO: &str = "the last change of feeds.toml could not be taken back";

/// Mutes feeds, or puts them under other tags.
pub async fn retune(
    shared: Arc<Shared>,
    changes: Vec<(FeedId, Retune)>,
    ticket: Ticket,
    inner: mpsc::UnboundedSender<Inner>,
) -> Flown {
    let mut named = Vec::with_capacity(changes.len());
    for (feed, change) in changes {
        if let Ok(Some(row)) = shared.store.row(feed) {
            named.push((row.feed.url, change));
        }
    }
    let feeds = named.len();
    let change = move |text: &str| config::retune(text, &named);
    match edit_noted(&shared, change, &inner).await {
        Ok(()) => Flown::with_list(&shared, Event::Retuned { ticket, feeds }),
        Err(stop) => Flown::Told(vec![failed(stop, ticket)]),
    }
}

/// Edits feeds.toml in a way that can be taken back.
pub(super) async fn edit_noted(
    shared: &Arc<Shared>,
    change: impl FnOnce(&str) -> Result<String, ConfigError> + Send + 'static,
    inner: &mpsc::UnboundedSender<Inner>,
) -> Result<(), Stop> {
    let (note, noted) = oneshot::channel();
    let noting = move |before: &str| {
        let after = change(before)?;
        if after != before {
            // Nobody waits for it when tidings is stopping.
            let _ = note.send(ListAct {
                before: before.to_owned(),
                after: after.clone(),
            });
        }
        Ok(after)
    };
    edit(shared, noting, inner).await?;
    if let Ok(act) = noted.await {
        let kept = shared.writer.list_act(act).await;
        kept.map_err(|_| Stop::store("the store is closed"))?
            .map_err(Stop::store)?;
    }
    Ok(())
}

/// Puts feeds.toml back as it was, unless somebody has edited it since.
pub(super) async fn restore(
    shared: Arc<Shared>,
    act: ListAct,
    ticket: Ticket,
    inner: mpsc::UnboundedSender<Inner>,
) -> Flown {
    let (note, noted) = oneshot::channel();
    let change = move |text: &str| {
        let same = text == act.after;
        let _ = note.send(same);
        Ok(if same { act.before } else { text.to_owned() })
    };
    if let Err(stop) = edit(&shared, change, &inner).await {
        return Flown::Told(vec![failed(stop, ticket)]);
    }
    if noted.await == Ok(true) {
        return Flown::with_list(&shared, Event::ListUndone { ticket });
    }
    Flown::Told(vec![Event::Failed {
        ticket,
        what: WHAT_UNDO.to_owned(),
        why: "it was edited since; nothing of it was changed now, and an earlier mark can be taken back next"
            .to_owned(),
        kind: FailureKind::Usage,
    }])
}
